#ifndef SERVER_BODY_UNPACK_H
#define SERVER_BODY_UNPACK_H

/* Compressed bodies: gzip and zstd, piece by piece, into a limited buffer. */

#include "buffer.h"

enum unpack_kind { UNPACK_NONE = 0, UNPACK_GZIP, UNPACK_ZSTD };
enum unpack_result { UNPACK_FINE, UNPACK_BROKEN, UNPACK_TOO_LONG };

struct unpacker {
    enum unpack_kind kind;
    void *state;      /* of zlib or zstd */
    bool is_whole;    /* at the end of a member or frame */
    uint64_t n_given; /* bytes of output so far */
};

/* Chooses by the value of Content-Encoding, NULL for none; false: the encoding
 * is not supported, or there is no memory. */
bool unpacker_init(struct unpacker *u, const char *encoding);
void unpacker_release(struct unpacker *u);

/* Appends to `out`, at most `most` bytes in all calls together. */
enum unpack_result unpacker_feed(struct unpacker *u, const char *data,
                                 size_t len, uint64_t most, struct buffer *out);

#endif
