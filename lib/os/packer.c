/* Compressed outputs; see packer.h.
 *
 * Level 3 of zstd and 6 of gzip, like their commands by default. One thread:
 * the same text gives the same bytes on every machine. */

#include "lib/os/packer.h"

#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { OUT_CAP = 1 << 16, ZSTD_LEVEL = 3, GZIP_WINDOW = 15 + 16 };

struct og_packer {
    og_packing packing;
    og_packer_sink *sink;
    void *ctx; /* of the current call */
    ZSTD_CCtx *zstd;
    z_stream gzip;
    bool has_gzip, has_frame;
    unsigned char out[OUT_CAP];
};

static bool ends_with(const char *s, const char *end)
{
    const size_t len = strlen(s), end_len = strlen(end);
    return len >= end_len && strcmp(s + len - end_len, end) == 0;
}

og_packing og_packing_of(const char *path)
{
    if (ends_with(path, ".zst")) return OG_PACKING_ZSTD;
    return ends_with(path, ".gz") ? OG_PACKING_GZIP : OG_PACKING_NONE;
}

struct og_packer *og_packer_new(og_packing packing, og_packer_sink *sink)
{
    struct og_packer *p = og_allocate_zero(NULL, sizeof(*p));
    if (p == NULL) return NULL;
    p->packing = packing;
    p->sink = sink;
    bool is_ready;
    if (packing == OG_PACKING_ZSTD) {
        p->zstd = ZSTD_createCCtx();
        is_ready = p->zstd != NULL &&
                   !ZSTD_isError(ZSTD_CCtx_setParameter(
                       p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
                   !ZSTD_isError(
                       ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
    } else {
        is_ready = p->has_gzip =
            deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                         GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    }
    if (is_ready) return p;
    og_packer_free(p);
    return NULL;
}

void og_packer_free(struct og_packer *p)
{
    if (p == NULL) return;
    ZSTD_freeCCtx(p->zstd);
    if (p->has_gzip) deflateEnd(&p->gzip);
    og_release(NULL, p, sizeof(*p));
}

static int pack_zstd(struct og_packer *p, const void *data, size_t len,
                     bool is_end)
{
    ZSTD_inBuffer in = {data, len, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {p->out, OUT_CAP, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in,
                                    is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* the only possible error */
            return -1;
        }
        if (out.pos > 0 && p->sink(p->ctx, p->out, out.pos) != 0) return -1;
    } while (in.pos < in.size || (is_end && left > 0));
    return 0;
}

static int pack_gzip(struct og_packer *p, const void *data, size_t len,
                     bool is_end)
{
    p->gzip.next_in = (Bytef *)data;
    p->gzip.avail_in = (uInt)len;
    do {
        p->gzip.next_out = p->out;
        p->gzip.avail_out = OUT_CAP;
        (void)deflate(&p->gzip, is_end ? Z_FINISH : Z_NO_FLUSH);
        const size_t n = OUT_CAP - p->gzip.avail_out;
        if (n > 0 && p->sink(p->ctx, p->out, n) != 0) return -1;
    } while (p->gzip.avail_out == 0);
    if (is_end) deflateReset(&p->gzip);
    return 0;
}

static int pack(struct og_packer *p, const void *data, size_t len, bool is_end)
{
    return p->packing == OG_PACKING_ZSTD ? pack_zstd(p, data, len, is_end)
                                         : pack_gzip(p, data, len, is_end);
}

int og_packer_write(struct og_packer *p, void *ctx, const void *data,
                    size_t len)
{
    enum { MOST = 1 << 30 }; /* zlib counts in 32 bits */
    const unsigned char *at = data;
    p->ctx = ctx;
    p->has_frame = p->has_frame || len > 0;
    while (len > 0) {
        const size_t n = len < MOST ? len : MOST;
        if (pack(p, at, n, false) != 0) return -1;
        at += n;
        len -= n;
    }
    return 0;
}

int og_packer_end(struct og_packer *p, void *ctx, bool always)
{
    if (!p->has_frame && !always) return 0;
    p->ctx = ctx;
    p->has_frame = false;
    return pack(p, "", 0, true);
}
