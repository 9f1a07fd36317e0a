#ifndef SERVER_WATCHES_H
#define SERVER_WATCHES_H

/* Watches: notify me when somebody copies these documents; by an event, and by
 * a signed webhook if one is given. They are kept in the folder of the store.
 */

#include "buffer.h"
#include "webhooks.h"

#include <pthread.h>
#include <stdatomic.h>

struct server;
struct request;

/* The shares of a document by origin, the largest first. */
enum { MOST_SHARES = 16 };
struct origin_share {
    og_bytes id;
    uint64_t n_tokens; /* that are in the origin */
    double share;
};
size_t shares_of(const og_answer *answer, struct origin_share *out);

struct watches {
    struct server *server;
    pthread_mutex_t lock;
    struct watch *first;
    atomic_size_t n;
    char *path;          /* of the file; NULL: they are not saved */
    struct watch *asked; /* of watches_next() */
    size_t asked_origin;
    bool is_asking;
    struct webhooks hooks;
};

og_status watches_open(struct watches *w, struct server *s, og_error *err);
void watches_close(struct watches *w);
bool watches_any(struct watches *w);

/* The events of the watches for a document that was added, one per call, until
 * it returns false; on the writer's thread. Webhooks are held until
 * watches_send(). */
bool watches_next(struct watches *w, const og_document *doc,
                  const og_answer *answer, struct buffer *out);
void watches_send(struct watches *w);
void watches_forget(struct watches *w);

/* Whether this is a valid watch in the form of a request; if not, `out_why`
 * says why. */
bool watch_is_valid(og_bytes json, char *out_why, size_t cap);

void handle_watch_new(struct request *r);
void handle_watch_list(struct request *r);
void handle_watch_get(struct request *r);
void handle_watch_remove(struct request *r);

#endif
