/* Passages: the best candidates, and where they occur. */

#include "lib/phrases/phrase_set.h"

#include <stdlib.h>
#include <string.h>

/* ---- the pool ---- */

void og_phrase_pool_init(struct og_phrase_pool *p, size_t n_kept)
{
    *p = (struct og_phrase_pool){.n_kept = n_kept};
    og_hash_table_init(&p->by_seed, NULL);
}

static void free_candidate(struct og_phrase_candidate *c)
{
    og_release(NULL, c->text, c->text_len + 1);
    c->text = NULL;
}

void og_phrase_pool_release(struct og_phrase_pool *p)
{
    for (size_t i = 0; i < p->n; i++)
        free_candidate(&p->list[i]);
    OG_UNGROW(NULL, p->list, p->cap);
    og_hash_table_release(&p->by_seed);
    p->n = 0;
}

/* By the upper bound of documents, largest first, then the longest. */
static int by_rank(const void *a, const void *b)
{
    const struct og_phrase_candidate *x = a, *y = b;
    if (x->most != y->most) return x->most > y->most ? -1 : 1;
    if (x->n_tokens != y->n_tokens) return x->n_tokens > y->n_tokens ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

void og_phrase_pool_drop(struct og_phrase_pool *p)
{
    free_candidate(&p->list[--p->n]);
}

void og_phrase_pool_sort(struct og_phrase_pool *p)
{
    if (p->n > 1) qsort(p->list, p->n, sizeof(*p->list), by_rank);
    while (p->n > p->n_kept)
        og_phrase_pool_drop(p);
    og_hash_table_empty(&p->by_seed);
    for (size_t i = 0; i < p->n; i++) {
        struct og_hash_slot *slot;
        const uint64_t hash = og_mix64(p->list[i].seed);
        OG_HASH_FIND(&p->by_seed, hash, slot)
        {
        }
        og_hash_table_put(&p->by_seed, slot, hash, i + 1);
    }
}

static og_status set_text(struct og_phrase_candidate *c, og_bytes text,
                          og_error *err)
{
    char *copy = og_allocate(NULL, text.len + 1);
    if (copy == NULL) return og_error_memory(err, text.len + 1, "a passage");
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    free_candidate(c);
    c->text = copy;
    c->text_len = text.len;
    return OG_OK;
}

/* Whether `a` is better than `b`, which has the same seed: the longer one is,
 * for the documents of both are nearly as many. */
static bool is_better(const struct og_phrase_candidate *a,
                      const struct og_phrase_candidate *b)
{
    if (a->n_tokens != b->n_tokens) return a->n_tokens > b->n_tokens;
    return a->most > b->most;
}

og_status og_phrase_pool_add(struct og_phrase_pool *p,
                             const struct og_phrase_candidate *run,
                             og_bytes text, og_error *err)
{
    const uint64_t hash = og_mix64(run->seed);
    struct og_hash_slot *slot;
    if (p->n == 2 * p->n_kept) og_phrase_pool_sort(p);
    if (!og_hash_table_reserve(&p->by_seed) ||
        !OG_GROW(NULL, p->list, p->cap, p->n + 1))
        return og_error_memory(err, p->n * sizeof(*run), "passages");
    OG_HASH_FIND(&p->by_seed, hash, slot)
    if (p->list[slot->number - 1].seed == run->seed) break;
    struct og_phrase_candidate *c = &p->list[p->n];
    if (slot->number != 0) {
        c = &p->list[slot->number - 1];
        if (!is_better(run, c)) return OG_OK;
    } else {
        *c = (struct og_phrase_candidate){0};
    }
    TRY(set_text(c, text, err));
    c->seed = run->seed;
    c->most = run->most;
    c->n_tokens = run->n_tokens;
    if (slot->number == 0) og_hash_table_put(&p->by_seed, slot, hash, ++p->n);
    return OG_OK;
}

/* ---- the set ---- */

/* The texts of all candidates, one per line: no token extends past its end. */
static og_status join_texts(const struct og_phrase_pool *pool, char **out,
                            size_t *out_len, og_error *err)
{
    size_t len = 0;
    for (size_t i = 0; i < pool->n; i++)
        len += pool->list[i].text_len + 1;
    char *joined = og_allocate(NULL, len + 1);
    if (joined == NULL) return og_error_memory(err, len, "passages");
    *out = joined;
    *out_len = len;
    for (size_t i = 0; i < pool->n; i++) {
        memcpy(joined, pool->list[i].text, pool->list[i].text_len);
        joined += pool->list[i].text_len;
        *joined++ = '\n';
    }
    return OG_OK;
}

/* The tokens whose first byte is in the line of each candidate. */
static void place_tokens(struct og_phrase_set *set,
                         const struct og_phrase_pool *pool)
{
    const struct og_tokens *tokens = &set->all.tokens;
    size_t end = 0, token = 0;
    for (size_t i = 0; i < pool->n; i++) {
        end += pool->list[i].text_len + 1;
        set->places[i].first = token;
        while (token < tokens->n &&
               og_text_source_begin(&set->all.text, tokens->begin[token]) < end)
            token++;
        set->places[i].n = token - set->places[i].first;
    }
}

/* A shingle of the passages that are kept, and the largest number of documents
 * of such a passage. */
struct seen_shingle {
    uint64_t fp, most;
};

struct seen_shingles {
    struct seen_shingle *slots;
    size_t n_slots;
};

static struct seen_shingle *find_shingle(const struct seen_shingles *seen,
                                         uint64_t fp)
{
    size_t at;
    OG_PROBE(at, og_mix64(fp), seen->n_slots,
             seen->slots[at].fp == 0 || seen->slots[at].fp == fp)
    return &seen->slots[at];
}

static size_t n_shingles(const struct og_phrase_set *set, size_t i)
{
    return set->places[i].n - set->key.shingle_len + 1;
}

/* How many of its shingles are in passages of `least` documents or more. */
static size_t count_seen(const struct og_phrase_set *set, size_t i,
                         const struct seen_shingles *seen, uint64_t least)
{
    const uint64_t *fps = set->all.fps.data + set->places[i].first;
    size_t n = 0;
    for (size_t j = 0; j < n_shingles(set, i); j++)
        n += find_shingle(seen, fps[j])->most >= least;
    return n;
}

static void take_shingles(const struct og_phrase_set *set, size_t i,
                          struct seen_shingles *seen, uint64_t most)
{
    const uint64_t *fps = set->all.fps.data + set->places[i].first;
    for (size_t j = 0; j < n_shingles(set, i); j++) {
        struct seen_shingle *slot = find_shingle(seen, fps[j]);
        slot->fp = fps[j];
        if (slot->most < most) slot->most = most;
    }
}

struct by_length {
    size_t n_tokens, i;
};

static int longest_first(const void *a, const void *b)
{
    const struct by_length *x = a, *y = b;
    if (x->n_tokens != y->n_tokens) return x->n_tokens > y->n_tokens ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Drops a part of a longer passage that is in nearly as many documents: it adds
 * nothing. */
static void mark_parts(const struct og_phrase_set *set,
                       const struct og_phrase_pool *pool,
                       struct seen_shingles *seen, struct by_length *order,
                       bool *leave_out)
{
    for (size_t i = 0; i < pool->n; i++)
        order[i] = (struct by_length){pool->list[i].n_tokens, i};
    if (pool->n > 1) qsort(order, pool->n, sizeof(*order), longest_first);
    for (size_t k = 0; k < pool->n; k++) {
        const size_t i = order[k].i;
        const uint64_t most = pool->list[i].most;
        leave_out[i] = set->places[i].n != pool->list[i].n_tokens;
        if (leave_out[i]) continue;
        leave_out[i] =
            2 * count_seen(set, i, seen, most - most / 5) > n_shingles(set, i);
        if (!leave_out[i]) take_shingles(set, i, seen, most);
    }
}

/* And a passage that consists of those that are in more documents. */
static void mark_made(const struct og_phrase_set *set,
                      const struct og_phrase_pool *pool,
                      struct seen_shingles *seen, bool *leave_out)
{
    memset(seen->slots, 0, seen->n_slots * sizeof(*seen->slots));
    for (size_t i = 0; i < pool->n; i++) {
        if (leave_out[i]) continue;
        leave_out[i] = 4 * count_seen(set, i, seen, 1) > 3 * n_shingles(set, i);
        if (!leave_out[i]) take_shingles(set, i, seen, 1);
    }
}

static og_status leave_out_overlaps(struct og_phrase_set *set,
                                    struct og_phrase_pool *pool, og_error *err)
{
    struct seen_shingles seen = {
        .n_slots = og_hash_slots_for(set->all.tokens.n + 1, 16)};
    const size_t seen_len = seen.n_slots * sizeof(*seen.slots);
    struct by_length *order = og_allocate(NULL, (pool->n + 1) * sizeof(*order));
    bool *leave_out = og_allocate_zero(NULL, pool->n + 1);
    const size_t n_all = pool->n;
    size_t n = 0;
    seen.slots = og_allocate_zero(NULL, seen_len);
    const bool has_memory =
        seen.slots != NULL && order != NULL && leave_out != NULL;
    if (has_memory) {
        mark_parts(set, pool, &seen, order, leave_out);
        mark_made(set, pool, &seen, leave_out);
    }
    for (size_t i = 0; has_memory && i < n_all; i++) {
        if (leave_out[i]) {
            free_candidate(&pool->list[i]);
            continue;
        }
        pool->list[n] = pool->list[i];
        set->places[n++] = set->places[i];
    }
    if (has_memory) set->n = pool->n = n;
    og_release(NULL, seen.slots, seen_len);
    og_release(NULL, order, (n_all + 1) * sizeof(*order));
    og_release(NULL, leave_out, n_all + 1);
    return has_memory ? OG_OK : og_error_memory(err, seen_len, "passages");
}

static uint64_t first_fp(const struct og_phrase_set *set, size_t i)
{
    return set->all.fps.data[set->places[i].first];
}

static og_status index_first(struct og_phrase_set *set, og_error *err)
{
    og_hash_table_init(&set->by_first, NULL);
    if (!og_hash_table_clear(&set->by_first, set->n + 1))
        return og_error_memory(err, set->n * sizeof(*set->by_first.slots),
                               "passages");
    for (size_t i = 0; i < set->n; i++) {
        const uint64_t hash = og_mix64(first_fp(set, i));
        struct og_hash_slot *slot;
        OG_HASH_FIND(&set->by_first, hash, slot)
        {
        }
        og_hash_table_put(&set->by_first, slot, hash, i + 1);
    }
    return OG_OK;
}

og_status og_phrase_set_init(struct og_phrase_set *set,
                             struct og_phrase_pool *pool, og_token_kind kind,
                             uint32_t fold, uint32_t shingle_len, og_error *err)
{
    char *joined = NULL;
    size_t len = 0;
    memset(set, 0, sizeof(*set));
    og_shingle_factors_init(&set->key, og_rabin_default(), shingle_len);
    og_shingler_init(&set->all, kind, &set->key, NULL);
    set->all.text.fold = fold;
    if (!OG_GROW(NULL, set->places, set->places_cap, pool->n + 1))
        return og_error_memory(err, pool->n * 16, "passages");
    TRY(join_texts(pool, &joined, &len, err));
    const og_status status =
        og_shingler_run(&set->all, (og_bytes){joined, len}, err);
    og_release(NULL, joined, len + 1);
    TRY(status);
    place_tokens(set, pool);
    TRY(leave_out_overlaps(set, pool, err));
    return index_first(set, err);
}

void og_phrase_set_release(struct og_phrase_set *set)
{
    if (set->key.rabin != NULL) og_shingler_release(&set->all);
    OG_UNGROW(NULL, set->places, set->places_cap);
    og_hash_table_release(&set->by_first);
    memset(set, 0, sizeof(*set));
}

/* ---- finding ---- */

void og_phrase_matches_release(struct og_phrase_matches *m)
{
    OG_UNGROW(NULL, m->list, m->cap);
    OG_UNGROW(NULL, m->next, m->next_cap);
}

static bool occurs_at(const struct og_phrase_set *set, size_t i,
                      const struct og_shingler *doc, size_t at)
{
    const struct og_phrase_place *place = &set->places[i];
    if (doc->tokens.n - at < place->n ||
        memcmp(doc->tokens.hash + at, set->all.tokens.hash + place->first,
               place->n * sizeof(uint64_t)) != 0)
        return false;
    for (size_t j = 0; j < place->n; j++)
        if (!og_tokens_same(&doc->text, &doc->tokens, at + j, &set->all.text,
                            &set->all.tokens, place->first + j))
            return false;
    return true;
}

static og_status take_match(const struct og_phrase_set *set, size_t i,
                            size_t at, struct og_phrase_matches *m,
                            og_error *err)
{
    const bool is_first = m->next[i] == 0;
    m->next[i] = at + set->places[i].n;
    if (!is_first) return OG_OK;
    if (!OG_GROW(NULL, m->list, m->cap, m->n + 1))
        return og_error_memory(err, m->n * sizeof(*m->list), "matches");
    m->list[m->n++] = (struct og_phrase_match){(uint32_t)i, (uint32_t)at,
                                               (uint32_t)set->places[i].n};
    return OG_OK;
}

og_status og_phrase_set_find(const struct og_phrase_set *set,
                             const struct og_shingler *doc,
                             struct og_phrase_matches *m, og_error *err)
{
    size_t covered = 0; /* up to this token */
    m->n = m->n_covered = 0;
    if (doc->tokens.n < set->key.shingle_len || set->n == 0) return OG_OK;
    if (!OG_GROW(NULL, m->next, m->next_cap, set->n))
        return og_error_memory(err, set->n * sizeof(*m->next), "matches");
    memset(m->next, 0, set->n * sizeof(*m->next));
    for (size_t at = 0; at < doc->fps.n; at++) {
        struct og_hash_slot *slot;
        OG_HASH_FIND(&set->by_first, og_mix64(doc->fps.data[at]), slot)
        {
            const size_t i = slot->number - 1;
            if (first_fp(set, i) != doc->fps.data[at] || at < m->next[i] ||
                !occurs_at(set, i, doc, at))
                continue;
            TRY(take_match(set, i, at, m, err));
            const size_t end = at + set->places[i].n;
            if (end <= covered) continue;
            m->n_covered += end - (at > covered ? at : covered);
            covered = end;
        }
    }
    return OG_OK;
}
