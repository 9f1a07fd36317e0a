#ifndef OG_REMOTE_REDIS_TLS_H
#define OG_REMOTE_REDIS_TLS_H

/* TLS between two buffers: plain output is encrypted, received data is
 * decrypted. Nothing here knows about sockets, so that waiting, with its
 * timeout, is in one place (redis_link.c), and a write to a closed connection
 * raises no signal. */

#include "lib/base/packing.h"

struct og_tls;

/* For a server that must prove to be `host`. The trusted authorities are those
 * of the system, or in the file that ORIGO_REDIS_CA names. */
og_status og_tls_new(const char *host, struct og_tls **out, og_error *err);
void og_tls_free(struct og_tls *tls); /* NULL is fine */

/* One step of the handshake, after received bytes were passed to og_tls_feed().
 * OG_END: more bytes must be received first. OG_ERR_USAGE: the server is not
 * trusted. */
og_status og_tls_shake(struct og_tls *tls, og_error *err);

/* Bytes from the socket. */
og_status og_tls_feed(struct og_tls *tls, const void *data, size_t len,
                      og_error *err);
/* Their plain text, appended to `out`. OG_ERR_IO: the server has closed the
 * connection. */
og_status og_tls_read(struct og_tls *tls, struct og_pack *out, og_error *err);
/* Encrypts output. */
og_status og_tls_write(struct og_tls *tls, const void *data, size_t len,
                       og_error *err);
/* Bytes for the socket, appended to `out`. */
og_status og_tls_drain(struct og_tls *tls, struct og_pack *out, og_error *err);

#endif
