#include "lib/remote/remote_batch.h"

#include <string.h>

void og_remote_batch_init(struct og_remote_batch *b,
                          struct og_remote_table *table,
                          const og_allocator *allocator)
{
    *b = (struct og_remote_batch){.allocator = allocator, .table = table};
    b->reversed.allocator = b->list.allocator = b->met.allocator = allocator;
    og_settling_init(&b->settling, og_remote_table_shape(table), allocator);
}

void og_remote_batch_release(struct og_remote_batch *b)
{
    const og_allocator *a = b->allocator;
    og_settling_release(&b->settling);
    OG_UNGROW(a, b->hits, b->hits_cap);
    OG_UNGROW(a, b->lost, b->lost_cap);
    OG_UNGROW(a, b->holders, b->holders_cap);
    OG_UNGROW(a, b->questions, b->questions_cap);
    OG_UNGROW(a, b->documents, b->documents_cap);
    OG_UNGROW(a, b->members, b->members_cap);
    OG_UNGROW(a, b->before, b->before_cap);
    OG_UNGROW(a, b->is_again, b->again_cap);
    og_pack_release(&b->met);
    og_pack_release(&b->reversed);
    og_pack_release(&b->list);
}

/* ---- looking up ---- */

static og_status reserve(struct og_remote_batch *b, struct og_table_part *parts,
                         size_t n, og_error *err)
{
    const og_allocator *a = b->allocator;
    size_t n_fps = 0;
    for (size_t i = 0; i < n; i++)
        n_fps += parts[i].sel->n;
    if (!OG_GROW(a, b->hits, b->hits_cap, n_fps + 1) ||
        !OG_GROW(a, b->lost, b->lost_cap, n_fps + 1) ||
        !OG_GROW(a, b->holders, b->holders_cap, n_fps + 1) ||
        !OG_GROW(a, b->questions, b->questions_cap, n) ||
        !OG_GROW(a, b->documents, b->documents_cap, n) ||
        !OG_GROW(a, b->members, b->members_cap, n) ||
        !OG_GROW(a, b->is_again, b->again_cap, n) ||
        !OG_GROW(a, b->before, b->before_cap,
                 b->sharing != NULL ? n_fps + 1 : 0))
        return og_error_memory(err, n_fps * sizeof(*b->hits), "a batch");
    memset(b->lost, 0, n_fps + 1);
    if (b->sharing != NULL)
        memset(b->before, 0xff, (n_fps + 1) * sizeof(*b->before));
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i].hits = b->hits + at;
        parts[i].lost = b->lost + at;
        b->questions[i] = (struct og_remote_question){
            .fps = parts[i].sel->fp,
            .n = parts[i].is_asked ? parts[i].sel->n : 0,
            .hits = b->hits + at,
            .lost = b->lost + at};
        at += parts[i].sel->n;
    }
    return og_settling_begin(&b->settling, parts, n, n_fps, false, err);
}

/* For documents without a query, none are known. */
static size_t keep_holders(struct og_remote_batch *b,
                           const struct og_table_part *parts, size_t n)
{
    size_t at = 0;
    for (size_t p = 0; p < n; p++)
        for (size_t i = 0; i < parts[p].sel->n; i++)
            b->holders[at++] =
                parts[p].is_asked ? parts[p].hits[i].doc : OG_NO_DOC;
    return at;
}

struct found_step {
    struct og_remote_batch *batch;
    struct og_table_part *parts;
    const struct og_table_part_steps *steps;
};

static og_status found_part(void *ctx, void *worker, size_t number,
                            og_error *err)
{
    const struct found_step *s = ctx;
    struct og_table_part *part = &s->parts[number];
    TRY(og_table_part_step(s->steps, s->steps->before, worker, part, err));
    if (!part->is_asked) return OG_OK;
    TRY(og_table_part_step(s->steps, s->steps->found, worker, part, err));
    og_settling_put(&s->batch->settling, s->parts, number);
    return OG_OK;
}

static og_status look_up(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n,
                         const struct og_table_part_steps *steps, og_error *err)
{
    struct og_remote_batch *b = ctx;
    struct found_step s = {b, parts, steps};
    TRY(reserve(b, parts, n, err));
    TRY(og_remote_table_find(b->table, b->questions, n, b->n_documents, err));
    const size_t n_fps = keep_holders(b, parts, n);
    if (b->sharing != NULL)
        TRY(b->sharing->know(b->sharing->ctx, b->holders, n_fps, err));
    return og_phases_step(phases, "look up", n, found_part, &s, err);
}

static og_status settle(void *ctx, const struct og_phases *phases,
                        struct og_table_part *parts, size_t n,
                        const struct og_table_part_steps *steps, og_error *err)
{
    struct og_remote_batch *b = ctx;
    return og_settling_run(&b->settling, phases, parts, n, steps, err);
}

/* ---- observing ---- */

static bool comes_after(const struct og_additions *add, uint32_t holder)
{
    return add->earlier != NULL && add->earlier(add->ctx, add->doc, holder);
}

/* Whom the document may displace: those that it has seen, each once. */
static og_status list_later(const uint32_t *holders, size_t n,
                            const struct og_additions *add, struct og_pack *out,
                            size_t *out_n, og_error *err)
{
    out->len = 0;
    out->failed = false;
    for (size_t i = 0; i < n; i++)
        if (holders[i] != OG_NO_DOC && holders[i] != add->doc &&
            comes_after(add, holders[i]))
            og_pack_bytes(out, &holders[i], sizeof(holders[i]));
    if (out->failed) return og_error_memory(err, n * 4, "a list");
    *out_n =
        og_numbers_unique((uint32_t *)out->data, out->len / sizeof(uint32_t));
    return OG_OK;
}

/* Their lists are in one buffer, which may move while it grows. */
static og_status gather(struct og_remote_batch *b, struct og_table_part *parts,
                        size_t n, const bool *is_wanted, size_t *out_n,
                        og_error *err)
{
    size_t at = 0, n_documents = 0;
    b->reversed.len = 0;
    b->reversed.failed = false;
    for (size_t i = 0; i < n; i++) {
        const struct og_table_part *part = &parts[i];
        const uint32_t *holders = b->holders + at;
        struct og_hit *before = b->sharing != NULL ? b->before + at : NULL;
        at += part->sel->n;
        if (!part->is_added || (is_wanted != NULL && !is_wanted[i])) continue;
        struct og_remote_document *d = &b->documents[n_documents];
        b->members[n_documents++] = i;
        *d = (struct og_remote_document){.additions = &part->additions,
                                         .before = before};
        TRY((before != NULL ? list_later : og_remote_reversed)(
            holders, part->sel->n, &part->additions, &b->list, &d->n_reversed,
            err));
        og_pack_bytes(&b->reversed, b->list.data, d->n_reversed * 4);
    }
    if (b->reversed.failed) return og_error_memory(err, 4, "a list");
    const uint32_t *lists = (const uint32_t *)b->reversed.data;
    for (size_t i = 0; i < n_documents; i++) {
        b->documents[i].reversed = lists;
        if (b->documents[i].n_reversed > 0) lists += b->documents[i].n_reversed;
    }
    *out_n = n_documents;
    return OG_OK;
}

static void count_new(const struct og_remote_batch *b,
                      struct og_table_part *parts, size_t n_documents)
{
    for (size_t i = 0; i < n_documents; i++)
        parts[b->members[i]].n_new += b->documents[i].n_new;
}

/* Fingerprints whose holder has changed since the look-up. */
static bool has_changed(const struct og_remote_batch *b,
                        const struct og_table_part *part, size_t at)
{
    const uint32_t holder = b->before[at].doc;
    return holder != OG_NO_DOC && holder != b->holders[at] &&
           holder != part->doc;
}

static og_status know_met(struct og_remote_batch *b,
                          const struct og_table_part *parts, size_t n,
                          og_error *err)
{
    size_t at = 0;
    b->met.len = 0;
    b->met.failed = false;
    for (size_t p = 0; p < n; p++)
        for (size_t i = 0; i < parts[p].sel->n; i++, at++)
            if (b->is_again[p] && has_changed(b, &parts[p], at))
                og_pack_bytes(&b->met, &b->before[at].doc, 4);
    if (b->met.failed) return og_error_memory(err, 4, "a list");
    return b->sharing->know(b->sharing->ctx, (const uint32_t *)b->met.data,
                            b->met.len / 4, err);
}

/* What part p has met; whether it must be observed again. The hits are
 * corrected: an origin that came meanwhile is one. */
static bool meet_others(struct og_remote_batch *b, struct og_table_part *part,
                        size_t number, size_t begin)
{
    bool is_again = false;
    for (size_t i = 0; i < part->sel->n; i++) {
        const size_t at = begin + i;
        if (!has_changed(b, part, at)) continue;
        const struct og_hit *hit = &b->before[at];
        const bool is_later = comes_after(&part->additions, hit->doc);
        is_again |= is_later;
        b->holders[at] = hit->doc;
        if (part->hits[i].doc == hit->doc) continue; /* of this batch */
        if (!is_later) part->hits[i] = *hit;
        b->sharing->meet(b->sharing->ctx, number, hit->doc);
    }
    return is_again;
}

/* Repeats until no other front end interfered. Each round has fewer
 * documents. */
static og_status observe_shared(struct og_remote_batch *b,
                                struct og_table_part *parts, size_t n,
                                og_error *err)
{
    size_t n_documents = 0;
    for (size_t i = 0; i < n; i++)
        b->is_again[i] = parts[i].is_added;
    for (;;) {
        TRY(gather(b, parts, n, b->is_again, &n_documents, err));
        if (n_documents == 0) return OG_OK;
        TRY(og_remote_table_observe(b->table, b->documents, n_documents, err));
        count_new(b, parts, n_documents);
        TRY(know_met(b, parts, n, err));
        size_t at = 0;
        for (size_t i = 0; i < n; at += parts[i++].sel->n)
            if (b->is_again[i])
                b->is_again[i] = meet_others(b, &parts[i], i, at);
    }
}

static og_status observe(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n, og_error *err)
{
    struct og_remote_batch *b = ctx;
    size_t n_documents = 0;
    (void)phases;
    for (size_t i = 0; i < n; i++)
        parts[i].n_new = 0;
    if (b->sharing != NULL) return observe_shared(b, parts, n, err);
    TRY(gather(b, parts, n, NULL, &n_documents, err));
    TRY(og_remote_table_observe(b->table, b->documents, n_documents, err));
    count_new(b, parts, n_documents);
    return OG_OK;
}

struct og_table_protocol og_remote_batch_protocol(struct og_remote_batch *batch)
{
    return (struct og_table_protocol){
        .ctx = batch, .look_up = look_up, .settle = settle, .observe = observe};
}
