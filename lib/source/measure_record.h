#ifndef OG_SOURCE_MEASURE_RECORD_H
#define OG_SOURCE_MEASURE_RECORD_H

/*   in:  bytes of an archive or an mbox, from the beginning of a record on
 *   out: how long the record is                        (lib/source/source.c)
 *
 * The reading side and the parsing side call the same function, so they agree
 * on what a record is. Bytes that are not a record (a broken header, a wrong
 * length) end where the next record begins, so only that record is lost. */

#include "lib/source/source.h"

enum og_measured {
    OG_MEASURED_RECORD,
    OG_MEASURED_JUNK, /* not a record: see `why` */
    OG_MEASURED_MORE, /* undecidable from the bytes given */
    OG_MEASURED_LONG, /* a record whose stated length exceeds the limit */
};

struct og_measure {
    enum og_measured verdict;
    size_t len;       /* RECORD and JUNK: its length; MORE: the bytes needed */
    uint64_t claimed; /* LONG: bytes with the header */
    const char *why;
};

/* `data` begins or follows a record. `is_ended`: no more bytes follow.
 * *searched (0 for a new record) avoids searching twice. JUNK and RECORD are
 * never empty unless data is. */
void og_measure_record(enum og_block_kind kind, og_bytes data, bool is_ended,
                       uint64_t max_len, size_t *searched,
                       struct og_measure *out);

/* The length of the header of a WARC record, with the empty line; 0: it is not
 * a header. *out_len is the stated length of the rest. */
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
