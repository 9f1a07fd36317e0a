#include "readers.h"

#include "problem.h"
#include "server.h"

#include <stdlib.h>

void readers_init(struct readers *r, og_store *store)
{
    *r = (struct readers){.store = store};
    pthread_mutex_init(&r->lock, NULL);
}

static void free_asker(struct asker *a)
{
    og_browser_close(a->browser);
    og_comparison_free(a->comparison);
    og_trace_free(a->trace);
    free(a);
}

void readers_release(struct readers *r)
{
    for (struct asker *a; (a = r->askers) != NULL;) {
        r->askers = a->next;
        free_asker(a);
    }
    for (struct reader_node *n; (n = r->parsers) != NULL;) {
        r->parsers = n->next;
        og_reader_free(n->reader);
        free(n);
    }
    for (struct reader_node *n; (n = r->empty) != NULL;) {
        r->empty = n->next;
        free(n);
    }
    pthread_mutex_destroy(&r->lock);
}

static struct asker *make_asker(og_store *store)
{
    struct asker *a = calloc(1, sizeof(*a));
    if (a == NULL) return NULL;
    a->trace = og_trace_new(store);
    a->comparison = og_comparison_new();
    if (a->trace != NULL && a->comparison != NULL &&
        og_browser_open(store, &a->browser, NULL) == OG_OK)
        return a;
    free_asker(a);
    return NULL;
}

struct asker *readers_take(struct readers *r)
{
    pthread_mutex_lock(&r->lock);
    struct asker *a = r->askers;
    if (a != NULL) r->askers = a->next;
    pthread_mutex_unlock(&r->lock);
    return a != NULL ? a : make_asker(r->store);
}

struct asker *request_asker(struct request *r)
{
    struct asker *a = readers_take(&r->server->readers);
    if (a == NULL) problem(r, 503, "out of memory");
    return a;
}

void readers_give(struct readers *r, struct asker *asker)
{
    pthread_mutex_lock(&r->lock);
    asker->next = r->askers;
    r->askers = asker;
    pthread_mutex_unlock(&r->lock);
}

og_reader *readers_take_parser(struct readers *r)
{
    og_reader *reader = NULL;
    pthread_mutex_lock(&r->lock);
    struct reader_node *n = r->parsers;
    if (n != NULL) {
        r->parsers = n->next;
        reader = n->reader;
        n->next = r->empty;
        r->empty = n;
    }
    pthread_mutex_unlock(&r->lock);
    return reader != NULL ? reader : og_reader_new();
}

void readers_give_parser(struct readers *r, og_reader *reader)
{
    if (reader == NULL) return;
    pthread_mutex_lock(&r->lock);
    struct reader_node *n = r->empty;
    if (n != NULL) r->empty = n->next;
    pthread_mutex_unlock(&r->lock);
    if (n == NULL) n = malloc(sizeof(*n));
    if (n == NULL) {
        og_reader_free(reader);
        return;
    }
    n->reader = reader;
    pthread_mutex_lock(&r->lock);
    n->next = r->parsers;
    r->parsers = n;
    pthread_mutex_unlock(&r->lock);
}
