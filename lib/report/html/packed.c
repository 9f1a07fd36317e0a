/* Data of a page, deflated and in base64; packed.h explains why. */

#include "lib/report/html/packed.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

struct og_packed {
    z_stream z;
    struct og_writer data;  /* what callers write to */
    struct og_writer *page; /* NULL: no element is open */
    uint64_t len;
    unsigned char rest[3]; /* bytes that do not fill a group of three yet */
    unsigned n_rest;
};

/* ---- base64 ---- */

static void put_letters(struct og_writer *w, const unsigned char *b, unsigned n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)b[0] << 16 |
                          (n > 1 ? (uint32_t)b[1] << 8 : 0) |
                          (n > 2 ? b[2] : 0u);
    og_writer_byte(w, letters[bits >> 18]);
    og_writer_byte(w, letters[bits >> 12 & 63]);
    og_writer_byte(w, n > 1 ? letters[bits >> 6 & 63] : '=');
    og_writer_byte(w, n > 2 ? letters[bits & 63] : '=');
}

static void put_base64(struct og_packed *p, const unsigned char *data,
                       size_t len)
{
    for (size_t i = 0; i < len; i++) {
        p->rest[p->n_rest++] = data[i];
        if (p->n_rest < 3) continue;
        put_letters(p->page, p->rest, 3);
        p->n_rest = 0;
    }
}

/* ---- zlib ---- */

static int deflate_all(struct og_packed *p, const char *data, size_t len,
                       int flush)
{
    unsigned char out[8192];
    size_t left = len;
    int result = Z_OK;
    p->z.next_in = (unsigned char *)(uintptr_t)data; /* zlib only reads it */
    do {
        const size_t most = (size_t)1 << 30; /* avail_in is an int's size */
        if (p->z.avail_in == 0 && left != 0) {
            p->z.avail_in = (uInt)(left < most ? left : most);
            left -= p->z.avail_in;
        }
        p->z.next_out = out;
        p->z.avail_out = sizeof(out);
        result = deflate(&p->z, left != 0 ? Z_NO_FLUSH : flush);
        if (result == Z_STREAM_ERROR) return EIO;
        put_base64(p, out, sizeof(out) - p->z.avail_out);
    } while (left != 0 || p->z.avail_in != 0 || p->z.avail_out == 0);
    return 0;
}

static int take(void *ctx, const char *data, size_t len)
{
    struct og_packed *p = ctx;
    p->len += len;
    return deflate_all(p, data, len, Z_NO_FLUSH);
}

/* ---- elements ---- */

og_status og_packed_new(int level, struct og_packed **out, og_error *err)
{
    struct og_packed *p = og_allocate_zero(NULL, sizeof(*p));
    if (p == NULL) return og_error_memory(err, sizeof(*p), "a page");
    if (deflateInit(&p->z, level) != Z_OK) {
        og_release(NULL, p, sizeof(*p));
        return og_error_memory(err, 256 << 10, "a page");
    }
    *out = p;
    return OG_OK;
}

void og_packed_free(struct og_packed *p)
{
    if (p == NULL) return;
    deflateEnd(&p->z);
    og_release(NULL, p, sizeof(*p));
}

struct og_writer *og_packed_begin(struct og_packed *p, struct og_writer *page,
                                  const char *class, uint64_t first)
{
    og_writer_string(page, "<script type=\"application/zlib\" class=\"");
    og_writer_string(page, class);
    og_writer_string(page, "\" data-first=\"");
    og_writer_number(page, first);
    og_writer_string(page, "\">");
    p->page = page;
    p->len = 0;
    p->n_rest = 0;
    deflateReset(&p->z);
    og_writer_init(&p->data, take, p);
    return &p->data;
}

struct og_writer *og_packed_data(struct og_packed *p)
{
    return &p->data;
}

bool og_packed_is_open(const struct og_packed *p)
{
    return p->page != NULL;
}

uint64_t og_packed_len(const struct og_packed *p)
{
    return p->len;
}

void og_packed_end(struct og_packed *p)
{
    if (p->page == NULL) return;
    og_writer_finish(&p->data, NULL);
    int failed = p->data.failed_errno;
    if (failed == 0) failed = deflate_all(p, NULL, 0, Z_FINISH);
    if (p->n_rest != 0) put_letters(p->page, p->rest, p->n_rest);
    if (p->page->failed_errno == 0) p->page->failed_errno = failed;
    og_writer_string(p->page, "</script>\n");
    p->page = NULL;
}
