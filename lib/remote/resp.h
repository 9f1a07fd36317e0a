#ifndef OG_REMOTE_RESP_H
#define OG_REMOTE_RESP_H

/* Replies of a Redis server: RESP 2.
 *
 *     +OK\r\n   -ERR why\r\n   :42\r\n   $5\r\nbytes\r\n   *2\r\n:1\r\n:2\r\n
 *
 * A reply is parsed once it is complete; the largest ones, hits, are one byte
 * string, so that checking again after each read costs nothing. A list is
 * followed by its items, and so are lists in lists: no recursion, and an
 * attacker cannot make it deep. */

#include "lib/base/memory.h"

enum og_resp_kind {
    OG_RESP_LINE,
    OG_RESP_ERROR,
    OG_RESP_NUMBER,
    OG_RESP_BYTES,
    OG_RESP_NULL,
    OG_RESP_LIST,
};

struct og_resp_item {
    enum og_resp_kind kind;
    og_bytes bytes; /* of a line, an error, a string: a view of the input */
    int64_t number; /* of a number; of a list: its number of items */
};

/* Starts all zero except the allocator; its memory is reused. */
struct og_resp {
    const og_allocator *allocator;
    struct og_resp_item *items;
    size_t n, cap;
};

void og_resp_release(struct og_resp *reply);

/* A server that sends more is not trusted. */
#define OG_RESP_ITEMS_MAX ((size_t)1 << 20)
#define OG_RESP_BYTES_MAX ((size_t)1 << 30)

enum og_resp_state {
    OG_RESP_WHOLE,
    OG_RESP_CUT, /* more bytes are needed */
    OG_RESP_BAD, /* not a valid reply, or not one of those above */
    OG_RESP_NO_MEMORY,
};

/* The reply at the beginning of `data`; *out_len is its length. */
enum og_resp_state og_resp_parse(og_bytes data, struct og_resp *reply,
                                 size_t *out_len);

/* The item after that one and everything in it. */
size_t og_resp_after(const struct og_resp *reply, size_t item);

/* "MOVED 3999 127.0.0.1:6381" and "ASK ..."; the host may be missing, and may
 * have colons. False: it is neither. */
struct og_resp_redirect {
    bool is_ask;
    unsigned slot;
    og_bytes host;
    unsigned port;
};
bool og_resp_redirect(og_bytes error, struct og_resp_redirect *out);

/* Whether an error begins with this word. */
bool og_resp_is(og_bytes error, const char *word);

#endif
