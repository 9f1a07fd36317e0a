#ifndef SERVER_READERS_H
#define SERVER_READERS_H

/* A pool of the objects that a query needs, with their memory kept: one set for
 * each concurrent query, taken and returned. */

#include <origo/origo.h>
#include <pthread.h>

struct request;

struct asker {
    og_trace *trace;
    og_comparison *comparison;
    og_browser *browser;
    struct asker *next;
};

/* A reader holds the document of a request until the request is answered. */
struct reader_node {
    og_reader *reader;
    struct reader_node *next;
};

struct readers {
    pthread_mutex_t lock;
    og_store *store;
    struct asker *askers;
    struct reader_node *parsers, *empty;
};

void readers_init(struct readers *r, og_store *store);
void readers_release(struct readers *r);

/* NULL: there is no memory. */
struct asker *readers_take(struct readers *r);
void readers_give(struct readers *r, struct asker *asker);
/* The same for a request; NULL: the reply says why. */
struct asker *request_asker(struct request *r);
og_reader *readers_take_parser(struct readers *r);
void readers_give_parser(struct readers *r, og_reader *reader);

#endif
