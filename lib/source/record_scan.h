#ifndef OG_SOURCE_RECORD_SCAN_H
#define OG_SOURCE_RECORD_SCAN_H

/*   in:  bytes of a JSON array or a CSV file, in pieces
 *   out: where each record ends                        (lib/source/source.c)
 *
 * A newline in quotes ends no record, so these cannot be cut at any newline as
 * JSONL is. The scan continues where it stopped, so a byte is looked at once,
 * and a record that is too long need not be kept to find its end. Both sides
 * of reading ask the same function. */

#include "lib/source/source.h"

struct og_record_scan {
    size_t at;    /* looked at up to here */
    size_t begin; /* JSON: of the object, when is_inside or it ended */
    uint32_t depth;
    bool in_string, is_escaped; /* JSON; CSV: in quotes, after one of them */
    bool is_inside;             /* the record has begun */
};

/* True when a record ends at *out_end, after it; then the scan is ready for
 * the next one. False: all was looked at. Of JSON a record is an object, with
 * what is between it and the one before; of CSV a line, with its end. */
bool og_scan_record(enum og_block_kind kind, char delimiter, og_bytes data,
                    struct og_record_scan *scan, size_t *out_end);

#endif
