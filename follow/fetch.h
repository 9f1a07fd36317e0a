#ifndef FOLLOW_FETCH_H
#define FOLLOW_FETCH_H

/* HTTP, by libcurl: for feeds, from allowed hosts only, and for the server that
 * documents are sent to. A build without it reports so. */

#include "following.h"

enum { FETCH_TAG = 256 };

struct fetch_request {
    const char *url;
    const struct follow_names *hosts;  /* that redirects may lead to */
    const char *etag, *last_modified;  /* of the last fetch; NULL: none */
    const char *unix_path;             /* instead of the host; NULL: no */
    const char *token;                 /* NULL: none */
    og_bytes body;                     /* of a POST */
    size_t max_bytes;                  /* of the answer, unpacked */
    const struct following *following; /* may stop it */
};

struct fetch_answer {
    long status;
    char *body; /* zero-terminated; NULL: none */
    size_t len, cap, max_bytes;
    char etag[FETCH_TAG], last_modified[FETCH_TAG];
    unsigned retry_after; /* seconds; 0: not given */
};

/* OG_ERR_USAGE: the address is invalid, or its host was not allowed. */
og_status fetch_check(const char *url, const struct follow_names *hosts,
                      og_error *err);
/* OG_OK: there was an answer, whatever its status. OG_ERR_IO, OG_ERR_LIMIT,
 * OG_ERR_STOPPED. */
og_status fetch_get(const struct fetch_request *request,
                    struct fetch_answer *out, og_error *err);
/* Lines of JSON. */
og_status fetch_post(const struct fetch_request *request,
                     struct fetch_answer *out, og_error *err);
void fetch_answer_release(struct fetch_answer *answer);

#endif
