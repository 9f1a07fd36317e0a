#ifndef OG_REPORT_WRITER_H
#define OG_REPORT_WRITER_H

/*   in:  pieces of a report, some a single byte long    (the reports)
 *   out: blocks of bytes for og_write_fn                 (the caller's)
 *
 * A report is thousands of tiny pieces, and stdio takes a lock for each. The
 * writer collects them in a small buffer of its own, remembers the first error
 * and ignores all output after it: reports need not check every call, only
 * og_writer_finish(). */

#include <origo/report.h>

#include "lib/base/status.h"

struct og_writer {
    og_write_fn *write;
    void *ctx;
    int failed_errno; /* of the first failed write; 0: none */
    size_t len;
    char data[4096];
};

void og_writer_init(struct og_writer *w, og_write_fn *write, void *ctx);

void og_writer_bytes(struct og_writer *w, const char *data, size_t len);
void og_writer_string(struct og_writer *w, const char *s);
void og_writer_number(struct og_writer *w, uint64_t n);

static inline void og_writer_byte(struct og_writer *w, char c)
{
    if (w->len == sizeof(w->data)) {
        og_writer_bytes(w, &c, 1);
        return;
    }
    w->data[w->len++] = c;
}

/* A fraction of 0 to 1 with at most four decimals and no trailing zeros: 0.41,
 * 1, 0. Formatted from integers, because printf uses the decimal comma of the
 * locale. */
void og_writer_share(struct og_writer *w, double share);

/* Flushes the rest to the callback. (A FILE has a buffer of its own, which the
 * caller must flush.) OG_ERR_IO if any write failed. */
og_status og_writer_finish(struct og_writer *w, og_error *err);

#endif
