/* Every document of a store that is on servers against its text. */

#include "lib/store/store_shared.h"

#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_texts.h"

struct shared_check {
    og_store *store;
    og_check *out;
    og_trace *trace;               /* for looking documents up */
    struct og_text_reader *reader; /* NULL: no texts are kept */
    uint32_t n_numbers;
};

static og_status is_damaged(const struct shared_check *c, uint32_t number,
                            const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' is damaged: document %u %s",
                        og_store_table(c->store), number, what);
}

static og_status check_text(struct shared_check *c, uint32_t number,
                            const struct og_entry *entry, og_error *err)
{
    og_bytes text;
    if (c->reader == NULL || entry->place.segment == 0) return OG_OK;
    TRY(og_text_reader_get(c->reader, &entry->place, entry->text_len, &text,
                           NULL, err));
    if (og_text_hash(text) != entry->text_hash)
        return is_damaged(c, number, "has a text that does not match its hash",
                          err);
    c->out->text_bytes += text.len;
    return OG_OK;
}

/* The id leads to this document or to a later version. */
static og_status check_id(const struct shared_check *c, uint32_t number,
                          const struct og_entry *entry, og_error *err)
{
    struct og_remote_id one = {.id = entry->id, .number = OG_NO_DOC};
    TRY(og_remote_catalogue_claim(c->store->shared->remote, &one, 1, err));
    return one.found != OG_NO_DOC
               ? OG_OK
               : is_damaged(c, number, "is not found under its id", err);
}

static og_status check_one(struct shared_check *c, uint32_t number,
                           enum og_shared_state state, og_error *err)
{
    struct og_entry entry;
    c->out->n_documents += state == OG_SHARED_WHOLE;
    c->out->n_removed += state == OG_SHARED_REMOVED;
    c->out->n_incomplete += state == OG_SHARED_INCOMPLETE;
    c->out->n_unused += state == OG_SHARED_UNUSED;
    if (state != OG_SHARED_WHOLE) return OG_OK;
    og_lookup_clear(&c->trace->lookup);
    TRY(og_lookup_get(&c->trace->lookup, number, &entry, err));
    TRY(check_id(c, number, &entry, err));
    return check_text(c, number, &entry, err);
}

static og_status check_all(struct shared_check *c,
                           void (*on_step)(void *ctx, const char *what,
                                           uint64_t done, uint64_t total),
                           void *ctx, og_error *err)
{
    enum og_shared_state states[OG_SHARED_WALK];
    for (uint32_t i = 0; i < c->n_numbers; i += OG_SHARED_WALK) {
        const uint32_t left = c->n_numbers - i;
        const uint32_t n = left < OG_SHARED_WALK ? left : OG_SHARED_WALK;
        if (on_step != NULL) on_step(ctx, "documents", i, c->n_numbers);
        TRY(og_shared_walk(c->store->shared, i, n, states, err));
        for (uint32_t k = 0; k < n; k++)
            TRY(check_one(c, i + k, states[k], err));
    }
    return OG_OK;
}

og_status og_store_check_shared(og_store *store, og_check *out,
                                void (*on_step)(void *ctx, const char *what,
                                                uint64_t done, uint64_t total),
                                void *ctx, og_error *err)
{
    struct og_remote_counts table;
    struct og_shared_counts counts;
    struct shared_check c = {.store = store, .out = out};
    TRY(og_remote_table_count(store->remote, &table, err));
    TRY(og_shared_count(store->shared, &counts, err));
    out->table_bytes = table.n_bytes;
    out->n_partitions = table.n_partitions;
    c.n_numbers = counts.n_numbers;
    c.trace = og_trace_new(store);
    if (c.trace == NULL) return og_error_memory(err, sizeof(*c.trace), "names");
    og_status status = OG_OK;
    if (og_store_has_texts(store))
        status = og_store_text_reader(store, &c.reader, err);
    if (status == OG_OK) status = check_all(&c, on_step, ctx, err);
    og_text_reader_close(c.reader);
    og_trace_free(c.trace);
    return status;
}

/* ---- what there is ---- */

og_status og_store_servers(og_store *store, og_servers_info *out, og_error *err)
{
    struct og_remote_counts table;
    struct og_shared_counts counts;
    *out = (og_servers_info){0};
    if (store->remote == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "the store has no table on servers");
    TRY(og_remote_table_count(store->remote, &table, err));
    out->n_partitions = table.n_partitions;
    out->n_servers = table.n_servers;
    out->least_full = table.least_full;
    out->most_full = table.most_full;
    if (store->shared == NULL) return OG_OK;
    TRY(og_shared_count(store->shared, &counts, err));
    out->n_numbers = counts.n_numbers;
    return OG_OK;
}
