#ifndef SERVER_WEBHOOKS_H
#define SERVER_WEBHOOKS_H

/* Webhooks: small signed POSTs, retried when they fail; one thread, a limited
 * queue. Only to hosts that the configuration names. */

#include "buffer.h"
#include "serve.h"

#include <pthread.h>

struct server;
struct hook;

struct webhooks {
    struct server *server;
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t thread;
    struct hook *first; /* by the time of the next attempt */
    size_t n;
    struct hook *held, **last_held; /* the writer's, until the commit */
    bool is_stopping, is_running;
};

/* "http://HOST[:PORT]/PATH" or https, to a host of the list: NULL; else why
 * not. */
const char *webhook_check(const struct serve_list *hosts, const char *url);

bool webhooks_start(struct webhooks *w, struct server *s);
/* What still waits is dropped after one last attempt. */
void webhooks_stop(struct webhooks *w);

/* Held until webhooks_release(). */
void webhooks_hold(struct webhooks *w, const char *url, const char *secret,
                   og_bytes body);
void webhooks_release(struct webhooks *w);
void webhooks_forget(struct webhooks *w);

#endif
