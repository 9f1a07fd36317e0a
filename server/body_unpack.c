#include "body_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

enum { PIECE = 64 << 10 };

/* The largest window that a frame may need; zstd itself recommends to refuse
 * more. */
enum { WINDOW_LOG = 23 };

static void *gzip_new(void)
{
    z_stream *z = calloc(1, sizeof(*z));
    if (z != NULL && inflateInit2(z, 15 + 16) != Z_OK) {
        free(z);
        z = NULL;
    }
    return z;
}

bool unpacker_init(struct unpacker *u, const char *encoding)
{
    *u = (struct unpacker){.is_whole = true};
    if (encoding == NULL || strcasecmp(encoding, "identity") == 0) return true;
    if (strcasecmp(encoding, "gzip") == 0 ||
        strcasecmp(encoding, "x-gzip") == 0) {
        u->kind = UNPACK_GZIP;
        u->state = gzip_new();
    } else if (strcasecmp(encoding, "zstd") == 0) {
        u->kind = UNPACK_ZSTD;
        ZSTD_DCtx *d = ZSTD_createDCtx();
        if (d != NULL)
            ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG);
        u->state = d;
    }
    u->is_whole = false;
    return u->state != NULL;
}

void unpacker_release(struct unpacker *u)
{
    if (u->kind == UNPACK_GZIP && u->state != NULL) {
        inflateEnd(u->state);
        free(u->state);
    }
    if (u->kind == UNPACK_ZSTD) ZSTD_freeDCtx(u->state);
    *u = (struct unpacker){.is_whole = true};
}

static enum unpack_result give(struct unpacker *u, const char *data, size_t len,
                               uint64_t most, struct buffer *out)
{
    if (len > most || u->n_given > most - len) return UNPACK_TOO_LONG;
    u->n_given += len;
    buffer_bytes(out, data, len);
    return out->failed ? UNPACK_TOO_LONG : UNPACK_FINE;
}

static enum unpack_result feed_gzip(struct unpacker *u, const char *data,
                                    size_t len, uint64_t most,
                                    struct buffer *out)
{
    z_stream *z = u->state;
    char piece[PIECE];
    z->next_in = (Bytef *)data;
    z->avail_in = (uInt)len;
    while (z->avail_in > 0) {
        if (u->is_whole && inflateReset(z) != Z_OK) return UNPACK_BROKEN;
        u->is_whole = false;
        do {
            z->next_out = (Bytef *)piece;
            z->avail_out = PIECE;
            const int status = inflate(z, Z_NO_FLUSH);
            if (status != Z_OK && status != Z_STREAM_END &&
                status != Z_BUF_ERROR)
                return UNPACK_BROKEN;
            const enum unpack_result given =
                give(u, piece, PIECE - z->avail_out, most, out);
            if (given != UNPACK_FINE) return given;
            u->is_whole = status == Z_STREAM_END;
        } while (!u->is_whole && z->avail_out == 0);
    }
    return UNPACK_FINE;
}

static enum unpack_result feed_zstd(struct unpacker *u, const char *data,
                                    size_t len, uint64_t most,
                                    struct buffer *out)
{
    char piece[PIECE];
    ZSTD_inBuffer in = {data, len, 0};
    bool is_full = false;
    while (in.pos < in.size || is_full) {
        ZSTD_outBuffer to = {piece, PIECE, 0};
        const size_t left = ZSTD_decompressStream(u->state, &to, &in);
        if (ZSTD_isError(left)) return UNPACK_BROKEN;
        const enum unpack_result given = give(u, piece, to.pos, most, out);
        if (given != UNPACK_FINE) return given;
        u->is_whole = left == 0;
        is_full = to.pos == PIECE && left != 0;
    }
    return UNPACK_FINE;
}

enum unpack_result unpacker_feed(struct unpacker *u, const char *data,
                                 size_t len, uint64_t most, struct buffer *out)
{
    if (len == 0) return UNPACK_FINE;
    switch (u->kind) {
    case UNPACK_GZIP: return feed_gzip(u, data, len, most, out);
    case UNPACK_ZSTD: return feed_zstd(u, data, len, most, out);
    default: return give(u, data, len, most, out);
    }
}
