#ifndef OG_SOURCE_RECORD_SCAN_H
#define OG_SOURCE_RECORD_SCAN_H

/*   in:  bytes of a JSON array or a CSV file, in pieces
 *   out: where each record ends                        (lib/source/source.c)
 *
 * A quoted newline does not end a record, so these cannot be cut at any newline
 * as JSONL can. The scan resumes where it stopped, so each byte is examined
 * once, and a record that is too long need not be kept to find its end. Both
 * sides of reading call the same function. */

#include "lib/source/source.h"

struct og_record_scan {
    size_t at;    /* examined up to here */
    size_t begin; /* JSON: of the object, if is_inside or it has ended */
    uint32_t depth;
    bool in_string, is_escaped; /* JSON; CSV: in quotes, after one of them */
    bool is_inside;             /* the record has begun */
};

/* True if a record ends just before *out_end; the scan is then ready for the
 * next one. False: all bytes were examined. A JSON record is an object, with
 * the bytes between it and the previous one; a CSV record is a line, with its
 * end. */
bool og_scan_record(enum og_block_kind kind, char delimiter, og_bytes data,
                    struct og_record_scan *scan, size_t *out_end);

#endif
