/* The buffer between a report and its destination; writer.h explains its
 * purpose.
 *
 * Numbers are formatted by hand: the output must have the same bytes in every
 * locale, and a report of a long document is mostly numbers. */

#include "lib/report/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int og_write_file(void *ctx, const char *data, size_t len)
{
    errno = 0;
    if (fwrite(data, 1, len, ctx) == len) return 0;
    return errno != 0 ? errno : EIO;
}

void og_writer_init(struct og_writer *w, og_write_fn *write, void *ctx)
{
    w->write = write;
    w->ctx = ctx;
    w->failed_errno = 0;
    w->len = 0;
}

static void hand_over(struct og_writer *w, const char *data, size_t len)
{
    if (w->failed_errno != 0 || len == 0) return;
    w->failed_errno = w->write(w->ctx, data, len);
}

void og_writer_bytes(struct og_writer *w, const char *data, size_t len)
{
    if (len > sizeof(w->data) - w->len) {
        hand_over(w, w->data, w->len);
        w->len = 0;
    }
    if (len > sizeof(w->data)) {
        hand_over(w, data, len);
        return;
    }
    if (len != 0) memcpy(w->data + w->len, data, len);
    w->len += len;
}

void og_writer_string(struct og_writer *w, const char *s)
{
    og_writer_bytes(w, s, strlen(s));
}

void og_writer_number(struct og_writer *w, uint64_t n)
{
    char digits[20]; /* 2^64 has 20 */
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    og_writer_bytes(w, digits + at, sizeof(digits) - at);
}

void og_writer_share(struct og_writer *w, double share)
{
    if (!(share > 0)) share = 0; /* also for NaN */
    if (share > 1) share = 1;
    unsigned rest = (unsigned)(share * 10000 + 0.5);
    og_writer_byte(w, (char)('0' + rest / 10000));
    rest %= 10000;
    if (rest == 0) return;
    og_writer_byte(w, '.');
    for (unsigned unit = 1000; rest != 0; unit /= 10) {
        og_writer_byte(w, (char)('0' + rest / unit));
        rest %= unit;
    }
}

og_status og_writer_finish(struct og_writer *w, og_error *err)
{
    hand_over(w, w->data, w->len);
    w->len = 0;
    if (w->failed_errno == 0) return OG_OK;
    og_error_set(err, OG_ERR_IO, "cannot write the report: %s",
                 strerror(w->failed_errno));
    errno = w->failed_errno; /* for callers that treat EPIPE apart */
    return OG_ERR_IO;
}
