#ifndef SERVER_HUB_H
#define SERVER_HUB_H

/* Server-sent events: which documents arrive and what they copy, for every
 * client that subscribes. An event is held back until the document is durable.
 * Each client has a limited buffer; a client that does not read is dropped,
 * without effect on the others. */

#include "buffer.h"

#include <pthread.h>
#include <stdatomic.h>

struct server;
struct request;
struct watches;
struct client;

struct hub {
    struct server *server;
    pthread_mutex_t lock;
    struct client *clients;
    size_t n_clients;
    atomic_size_t n_wanting;         /* n_clients, without the lock */
    struct event *held, **last_held; /* the writer's, until the commit */
    uint64_t next_id;
    bool is_closing;
};

void hub_init(struct hub *h, struct server *s);
void hub_release_all(struct hub *h);

bool hub_is_wanted(struct hub *h);
size_t hub_count(struct hub *h);

/* A document was added, with this answer; the writer's thread. */
void hub_hold(struct hub *h, struct watches *w, const og_document *doc,
              const og_answer *answer);
/* A document was removed. */
void hub_hold_removal(struct hub *h, og_bytes id);
/* The held events are durable and are published; or they are dropped. */
void hub_release(struct hub *h);
void hub_forget(struct hub *h);

/* Once a second: publishes the state of the server. */
void hub_tick(struct hub *h);
/* Accepts no more clients and disconnects all. */
void hub_close(struct hub *h);

/* GET /v1/events */
void handle_events(struct request *r);

#endif
