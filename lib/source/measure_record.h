#ifndef OG_SOURCE_MEASURE_RECORD_H
#define OG_SOURCE_MEASURE_RECORD_H

/*   in:  bytes of an archive or an mbox, from the beginning of a record on
 *   out: how long the record is                        (lib/source/source.c)
 *
 * The side that reads and the side that takes apart ask the same function, so
 * they agree on what is a record. What is not a record (a broken header, a
 * length that is wrong) ends where the next record begins, and costs that one
 * alone. */

#include "lib/source/source.h"

enum og_measured {
    OG_MEASURED_RECORD,
    OG_MEASURED_JUNK, /* no record: `why` */
    OG_MEASURED_MORE, /* it cannot be known from so few bytes */
    OG_MEASURED_LONG, /* a record that says it is longer than may be */
};

struct og_measure {
    enum og_measured verdict;
    size_t len;       /* RECORD and JUNK: of it; MORE: that would do */
    uint64_t claimed; /* LONG: bytes with the header */
    const char *why;
};

/* `data` begins a record or follows one. `is_ended`: there is no more
 * after it. *searched (0 for a new record) saves searching twice. JUNK and
 * RECORD are never empty when data is not. */
void og_measure_record(enum og_block_kind kind, og_bytes data, bool is_ended,
                       uint64_t max_len, size_t *searched,
                       struct og_measure *out);

/* Bytes of the header of a WARC record, with the empty line; 0: it is not
 * a header. *out_len is what it says of the rest. */
size_t og_measure_warc_header(og_bytes record, uint64_t *out_len,
                              const char **out_why);

/* The line in front of an ARC record. */
struct og_arc_line {
    og_bytes url, date, type;
    uint64_t len;    /* of what follows */
    size_t line_len; /* with its newline */
};
bool og_measure_arc_line(og_bytes record, struct og_arc_line *out);

#endif
