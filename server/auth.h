#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

/* Authorization: bearer tokens, each with a role, read from a file. */

#include "request.h"

#include <pthread.h>

struct auth {
    pthread_rwlock_t lock;
    const char *path; /* NULL: there are no tokens, everything is allowed */
    struct auth_token *tokens;
    size_t n_tokens;
};

/* OG_ERR_INPUT names the line that is wrong. */
og_status auth_open(struct auth *a, const char *path, og_error *err);
/* Reads the file again; on failure the old tokens stay. */
og_status auth_reload(struct auth *a, og_error *err);
void auth_close(struct auth *a);

/* The role that this value of Authorization grants; ROLE_NONE: none. */
enum role auth_role(struct auth *a, const char *authorization);

/* Whether the sender is allowed and has the role that the route needs; if not,
 * the reply says why. */
bool auth_check(struct request *r);

#endif
