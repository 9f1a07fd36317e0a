#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

/* Who may do what: bearer tokens, each with a role, out of a file. */

#include "request.h"

#include <pthread.h>

struct auth {
    pthread_rwlock_t lock;
    const char *path; /* NULL: there are no tokens, everybody may do all */
    struct auth_token *tokens;
    size_t n_tokens;
};

/* OG_ERR_INPUT names the line that is wrong. */
og_status auth_open(struct auth *a, const char *path, og_error *err);
/* Reads the file again; on failure the old tokens stay. */
og_status auth_reload(struct auth *a, og_error *err);
void auth_close(struct auth *a);

/* The role that this value of Authorization gives; ROLE_NONE: none. */
enum role auth_role(struct auth *a, const char *authorization);

/* Whether the request comes from where it may, and has the right; else the
 * reply says why not. */
bool auth_check(struct request *r);

#endif
