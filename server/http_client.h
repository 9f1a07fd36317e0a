#ifndef SERVER_HTTP_CLIENT_H
#define SERVER_HTTP_CLIENT_H

/* As much of an HTTP client as a webhook needs: one POST, its status. Follows
 * no redirects: they could lead to hosts that are not allowed. */

#include <origo/origo.h>

struct http_address {
    bool is_tls;
    char host[256];          /* without brackets */
    char host_and_port[272]; /* as it was written */
    char port[8];
    char path[1024];
};

bool http_address_parse(const char *url, struct http_address *out);

/* The status of the answer; 0: there was none, and `why` says why. Takes at
 * most about ten seconds. `ca`: a file of certificates to trust, PEM; NULL:
 * those of the system. `headers` are lines, each with its line end. */
int http_post(const struct http_address *address, const char *ca,
              const char *headers, og_bytes body, char *why, size_t why_cap);

#endif
