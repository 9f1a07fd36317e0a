#ifndef REMOTE_STORE_SUPPORT_H
#define REMOTE_STORE_SUPPORT_H

/* What the tests of stores whose table, or all of them, is on servers share:
 * one server, a folder, and answers as text. */

#include "tests/unit/redis_fake.h"
#include "tests/unit/stream_support.h"

enum { MEMORY = 8 << 20 };

static struct fake_keys keys;
static struct fake_server server;
static char address[80];
static struct folder folder;

static inline void init_server(void)
{
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    snprintf(address, sizeof(address), "redis://127.0.0.1:%u/news?timeout=60",
             server.port);
    folder_make(&folder);
}

static inline int stop(void **state)
{
    (void)state;
    fake_stop(&server);
    fake_keys_release(&keys);
    folder_remove(&folder);
    return 0;
}

static inline void close_well(og_store *store)
{
    og_error err = {0};
    if (og_store_close(store, &err) != OG_OK) fail_msg("%s", err.message);
}

static inline bool print_answer(void *ctx, const og_document *doc,
                                const og_answer *a)
{
    FILE *out = ((struct transcript *)ctx)->out;
    fprintf(out, "%.*s: %d fresh, %.*s\n", (int)doc->id.len, doc->id.data,
            (int)a->n_fresh, (int)a->dominant_id.len, a->dominant_id.data);
    for (size_t i = 0; i < a->n_spans; i++) {
        const og_span *s = &a->spans[i];
        fprintf(out, " %d-%d %s %.*s %lld-%lld\n", (int)s->begin, (int)s->end,
                og_how_name(s->how), (int)s->origin_id.len, s->origin_id.data,
                (long long)s->origin_begin, (long long)s->origin_end);
    }
    return true;
}

#endif
