/* Callers, and the requests that they send. */

#include "lib/remote/remote_caller.h"

/* ---- callers ---- */

static void free_caller(struct og_remote_table *t, struct og_remote_caller *c)
{
    const og_allocator *a = t->allocator;
    const size_t n = t->n_partitions;
    og_redis_client_free(c->client);
    og_plain_room_free(c->plain);
    for (size_t i = 0; i < n && c->batches != NULL; i++)
        og_pack_release(&c->batches[i]);
    for (size_t i = 0; i < n && c->members != NULL; i++)
        og_pack_release(&c->members[i]);
    og_release(a, c->requests, n * sizeof(*c->requests));
    og_release(a, c->asked, n * sizeof(*c->asked));
    og_release(a, c->batches, n * sizeof(*c->batches));
    og_release(a, c->members, n * sizeof(*c->members));
    og_release(a, c->starts, n * sizeof(*c->starts));
    og_release(a, c->ends, n * sizeof(*c->ends));
    og_pack_release(&c->in);
    og_pack_release(&c->out);
    OG_UNGROW(a, c->order, c->order_cap);
    og_release(a, c, sizeof(*c));
}

static og_status new_caller(struct og_remote_table *t,
                            struct og_remote_caller **out, og_error *err)
{
    const og_allocator *a = t->allocator;
    const size_t n = t->n_partitions;
    struct og_remote_caller *c = og_allocate_zero(a, sizeof(*c));
    if (c == NULL) return og_error_memory(err, sizeof(*c), "a client");
    c->in.allocator = c->out.allocator = a;
    c->requests = og_allocate_zero(a, n * sizeof(*c->requests));
    c->asked = og_allocate_zero(a, n * sizeof(*c->asked));
    c->batches = og_allocate_zero(a, n * sizeof(*c->batches));
    c->members = og_allocate_zero(a, n * sizeof(*c->members));
    c->starts = og_allocate_zero(a, n * sizeof(*c->starts));
    c->ends = og_allocate_zero(a, n * sizeof(*c->ends));
    og_status status = OG_OK;
    if (c->requests == NULL || c->asked == NULL || c->batches == NULL ||
        c->members == NULL || c->starts == NULL || c->ends == NULL)
        status = og_error_memory(err, n * sizeof(*c->requests), "a client");
    for (size_t i = 0; i < n && status == OG_OK; i++)
        c->batches[i].allocator = c->members[i].allocator = a;
    if (status == OG_OK)
        status = og_redis_client_new(&t->address, a, &c->client, err);
    if (status != OG_OK) {
        free_caller(t, c);
        return status;
    }
    *out = c;
    return OG_OK;
}

og_status og_remote_caller_take(struct og_remote_table *t,
                                struct og_remote_caller **out, og_error *err)
{
    pthread_mutex_lock(&t->lock);
    *out = t->idle;
    if (t->idle != NULL) t->idle = t->idle->next;
    pthread_mutex_unlock(&t->lock);
    return *out != NULL ? OG_OK : new_caller(t, out, err);
}

void og_remote_caller_give(struct og_remote_table *t,
                           struct og_remote_caller *c)
{
    pthread_mutex_lock(&t->lock);
    c->next = t->idle;
    t->idle = c;
    pthread_mutex_unlock(&t->lock);
}

void og_remote_callers_free(struct og_remote_table *t)
{
    while (t->idle != NULL) {
        struct og_remote_caller *c = t->idle;
        t->idle = c->next;
        free_caller(t, c);
    }
}

/* ---- requests ---- */

static void begin_request(struct og_redis_request *request, unsigned slot,
                          const char *command, const char *key)
{
    request->slot = slot;
    request->n_words = 0;
    og_redis_add_word(request, og_redis_word(command));
    og_redis_add_word(request, og_redis_word(key));
}

struct og_redis_request *
og_remote_ask_partition(const struct og_remote_table *t,
                        struct og_remote_caller *c, size_t number,
                        const char *command, uint32_t p)
{
    struct og_redis_request *request = &c->requests[number];
    c->asked[number] = p;
    begin_request(request, og_partition_slot(p, t->options.n_bits), command,
                  t->keys[p]);
    return request;
}

og_status og_remote_no_answer(const struct og_remote_table *t,
                              const char *command, og_error *err)
{
    return og_error_set(err, OG_ERR_IO,
                        "table '%s': the answer to %s makes no sense",
                        t->address.table, command);
}

og_status og_remote_ask_head(struct og_remote_table *t, const char *command,
                             const og_bytes *words, size_t n_words,
                             og_redis_reply_fn *on_reply, void *ctx,
                             og_error *err)
{
    struct og_remote_caller *c;
    TRY(og_remote_caller_take(t, &c, err));
    struct og_redis_request request;
    begin_request(&request, og_partition_slot(0, 0), command, t->head_key);
    for (size_t i = 0; i < n_words; i++)
        og_redis_add_word(&request, words[i]);
    const og_status status =
        og_redis_client_run(c->client, &request, 1, on_reply, ctx, err);
    og_remote_caller_give(t, c);
    return status;
}
