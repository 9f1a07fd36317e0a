#ifndef SERVER_BODY_UNPACK_H
#define SERVER_BODY_UNPACK_H

/* Packed bodies: gzip and zstd, piece by piece, into a buffer that has an end.
 */

#include "buffer.h"

enum unpack_kind { UNPACK_NONE = 0, UNPACK_GZIP, UNPACK_ZSTD };
enum unpack_result { UNPACK_FINE, UNPACK_BROKEN, UNPACK_TOO_LONG };

struct unpacker {
    enum unpack_kind kind;
    void *state;      /* of zlib or zstd */
    bool is_whole;    /* at the end of a member or frame */
    uint64_t n_given; /* bytes that came out */
};

/* By the value of Content-Encoding, NULL for none; false: it is not known, or
 * there is no memory. */
bool unpacker_init(struct unpacker *u, const char *encoding);
void unpacker_release(struct unpacker *u);

/* Appends to `out`; no more than `most` bytes come out in all. */
enum unpack_result unpacker_feed(struct unpacker *u, const char *data,
                                 size_t len, uint64_t most, struct buffer *out);

#endif
