#ifndef OG_SOURCE_WEB_HTTP_H
#define OG_SOURCE_WEB_HTTP_H

/*   in:  an HTTP response as archives keep it
 *   out: its body, unchunked and unpacked            (lib/source/web/archive.h)
 */

#include <zlib.h>

#include "lib/base/packing.h"

struct og_http {
    struct og_pack unchunked, unpacked;
    z_stream inflate;
    bool has_inflate;
};

struct og_http_response {
    int status;       /* 200; 0: it is not HTTP */
    og_bytes headers; /* without the status line */
    og_bytes type;    /* Content-Type */
    og_bytes body;    /* a view into the input or into `http` */
};

void og_http_init(struct og_http *http, const og_allocator *allocator);
void og_http_release(struct og_http *http);

/* OG_ERR_INPUT: the body cannot be unpacked (the message says why);
 * OG_ERR_LIMIT: it unpacks to more than `max_len`; OG_ERR_MEMORY. A body that
 * is wrongly declared as chunked is kept unchanged; a truncated one keeps what
 * is there. */
og_status og_http_read(struct og_http *http, og_bytes message, uint64_t max_len,
                       struct og_http_response *out, og_error *err);

#endif
