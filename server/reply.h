#ifndef SERVER_REPLY_H
#define SERVER_REPLY_H

/* The reply of a request as a response of HTTP. */

#include "request.h"

void reply_add_headers(const struct request *r, struct MHD_Response *response);
/* NULL: no memory. */
struct MHD_Response *reply_make_response(struct request *r);
/* The head of a response that the library does not send: status 200, the
 * headers of the reply, a chunked body, after which the connection closes. */
void reply_write_head(const struct request *r, struct buffer *out);

#endif
