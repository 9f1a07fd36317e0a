#include "lib/store/catalogue/shared_documents.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/arena.h"
#include "lib/os/clock.h"
#include "lib/remote/remote_catalogue.h"
#include "lib/remote/remote_table.h"

/* The most bytes of packed entries that are cached. */
#define ENTRIES_MOST ((size_t)16 << 20)
/* An id that another front end has just claimed gets a document soon, unless
 * that front end is gone: how many seconds to wait, and the pauses between two
 * lookups. */
#define PATIENCE    2.0
#define FIRST_PAUSE 0.005
#define LAST_PAUSE  0.1
/* Seconds after which it is asked again what others have removed. */
#define REFRESH_EACH 0.5

/* ---- the conf of the store ---- */

/* An existing conf is used; the one offered may come too late. */
static og_status find_conf(struct og_shared *s, const og_params *params,
                           unsigned indexes, og_error *err)
{
    char text[OG_CONF_TEXT_MOST];
    struct og_pack found = {.allocator = s->allocator};
    og_bytes offered = {"", 0};
    og_status status =
        og_remote_catalogue_conf(s->remote, offered, &found, err);
    if (status == OG_OK && found.len == 0 && params != NULL) {
        status = og_remote_catalogue_check_free(s->remote, err);
        if (status == OG_OK)
            status = og_conf_init(&s->conf, params, indexes, err);
        if (status == OG_OK) {
            offered = (og_bytes){text, og_conf_print(&s->conf, text)};
            status = og_remote_catalogue_conf(s->remote, offered, &found, err);
        }
    }
    const char *name = og_remote_catalogue_name(s->remote);
    if (status == OG_OK && found.len == 0)
        status = og_error_set(err, OG_ERR_NO_STORE,
                              "there is no table '%s' with documents on these "
                              "servers",
                              name);
    if (status == OG_OK)
        status = og_conf_parse((og_bytes){(char *)found.data, found.len}, name,
                               &s->conf, err);
    og_pack_release(&found);
    return status;
}

og_status og_shared_open(const char *address, const og_params *params,
                         unsigned indexes, struct og_catalogue *marks,
                         const og_allocator *allocator, struct og_shared **out,
                         og_error *err)
{
    struct og_shared *s = og_allocate_zero(allocator, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "a catalogue");
    s->allocator = allocator;
    s->marks = marks;
    s->patience = PATIENCE;
    og_origin_cache_init(&s->entries, ENTRIES_MOST, allocator);
    pthread_mutex_init(&s->refreshing, NULL);
    og_status status =
        og_remote_catalogue_open(address, allocator, &s->remote, err);
    if (status == OG_OK) status = find_conf(s, params, indexes, err);
    struct og_remote_tally tally = {0};
    if (status == OG_OK)
        status = og_remote_catalogue_count(s->remote, &tally, err);
    s->n_documents = tally.n_documents;
    s->removals = og_shared_removals(s);
    if (status == OG_OK) status = og_remote_log_open(&s->removals, true, err);
    if (status != OG_OK) {
        og_shared_close(s);
        return status;
    }
    *out = s;
    return OG_OK;
}

void og_shared_close(struct og_shared *s)
{
    if (s == NULL) return;
    og_remote_catalogue_close(s->remote);
    og_origin_cache_release(&s->entries);
    OG_UNGROW(s->allocator, s->claims, s->claims_cap);
    pthread_mutex_destroy(&s->refreshing);
    og_release(s->allocator, s, sizeof(*s));
}

/* ---- entries ---- */

struct og_mark og_entry_mark(const struct og_entry *entry)
{
    return (struct og_mark){
        .time = entry->time,
        .same = entry->same,
        .flags = entry->has_time ? OG_MARK_HAS_TIME : 0,
    };
}

/* Without memory for it, it is fetched again when needed. */
static void keep_entry(struct og_shared *s, uint32_t number, og_bytes entry)
{
    struct og_origin_side *side = og_origin_side_new(number, s->allocator);
    if (side == NULL) return;
    side->block = og_allocate(s->allocator, entry.len);
    if (side->block == NULL) {
        og_origin_side_free(side, s->allocator);
        return;
    }
    side->block_len = entry.len;
    memcpy(side->block, entry.data, entry.len);
    side->source = (og_bytes){side->block, entry.len};
    og_origin_cache_give(&s->entries, og_origin_cache_put(&s->entries, side));
}

static void drop_entry(struct og_shared *s, uint32_t number)
{
    struct og_origin_side *side = og_origin_cache_take(&s->entries, number);
    if (side == NULL) return;
    og_origin_cache_forget(&s->entries, side);
    og_origin_cache_give(&s->entries, side);
}

static og_status is_damaged(const struct og_shared *s, uint32_t number,
                            og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' is damaged: the entry of document %u",
                        og_remote_catalogue_name(s->remote), number);
}

/* A fetched entry: keeps its mark, and its bytes for later. */
static og_status take_entry(struct og_shared *s, uint32_t number,
                            og_bytes bytes, unsigned state, og_error *err)
{
    struct og_entry entry;
    if (!og_entry_unpack(bytes, &entry)) return is_damaged(s, number, err);
    struct og_mark mark = og_entry_mark(&entry);
    if ((state & OG_REMOTE_REMOVED) != 0) mark.flags |= OG_MARK_REMOVED;
    TRY(og_catalogue_put(s->marks, number, &mark, err));
    keep_entry(s, number, bytes);
    return OG_OK;
}

struct knowing {
    struct og_shared *shared;
    const uint32_t *numbers;
    bool are_in_table;
};

static const struct og_mark nobody = {.time = INT64_MAX,
                                      .flags = OG_MARK_REMOVED};

/* A document gets into the table only after its entry was put. So one in the
 * table without an entry is lost, and counts as removed; others may still
 * come. */
static og_status take_known(void *ctx, size_t i, og_bytes entry, unsigned state,
                            og_error *err)
{
    const struct knowing *k = ctx;
    if (entry.len == 0)
        return k->are_in_table ? og_catalogue_put(k->shared->marks,
                                                  k->numbers[i], &nobody, err)
                               : OG_OK;
    return take_entry(k->shared, k->numbers[i], entry, state, err);
}

static og_status know(struct og_shared *s, const uint32_t *numbers, size_t n,
                      bool are_in_table, og_error *err)
{
    uint32_t *list = NULL;
    size_t cap = 0, n_list = 0, n_missing = 0;
    for (size_t i = 0; i < n; i++)
        n_missing += numbers[i] != OG_NO_DOC &&
                     !og_catalogue_knows(s->marks, numbers[i]);
    if (n_missing == 0) return OG_OK;
    if (!OG_GROW(s->allocator, list, cap, n_missing))
        return og_error_memory(err, n_missing * sizeof(*list), "numbers");
    for (size_t i = 0; i < n && n_list < n_missing; i++)
        if (numbers[i] != OG_NO_DOC &&
            !og_catalogue_knows(s->marks, numbers[i]))
            list[n_list++] = numbers[i];
    n_list = og_numbers_unique(list, n_list);
    struct knowing k = {s, list, are_in_table};
    const og_status status =
        og_remote_catalogue_get(s->remote, list, n_list, take_known, &k, err);
    OG_UNGROW(s->allocator, list, cap);
    return status;
}

og_status og_shared_know(struct og_shared *s, const uint32_t *numbers, size_t n,
                         og_error *err)
{
    return know(s, numbers, n, true, err);
}

og_status og_shared_look_for(struct og_shared *s, const uint32_t *numbers,
                             size_t n, og_error *err)
{
    return know(s, numbers, n, false, err);
}

og_status og_shared_know_origins(struct og_shared *s,
                                 const struct og_entry *entry, og_error *err)
{
    uint32_t numbers[OG_ENTRY_ORIGINS];
    for (uint32_t i = 0; i < entry->n_origins; i++)
        numbers[i] = entry->origins[i].doc;
    return og_shared_know(s, numbers, entry->n_origins, err);
}

struct fetching {
    struct og_shared *shared;
    uint32_t number;
    struct og_arena *arena;
    og_bytes out;
};

static og_status take_fetched(void *ctx, size_t i, og_bytes entry,
                              unsigned state, og_error *err)
{
    struct fetching *f = ctx;
    (void)i;
    f->out = (og_bytes){"", 0};
    if (entry.len == 0) return OG_OK;
    TRY(take_entry(f->shared, f->number, entry, state, err));
    f->out.data = og_arena_copy(f->arena, entry.data, entry.len, 1);
    f->out.len = entry.len;
    return f->out.data != NULL ? OG_OK
                               : og_error_memory(err, entry.len, "an entry");
}

og_status og_shared_get(struct og_shared *s, uint32_t number,
                        struct og_arena *arena, og_bytes *out, og_error *err)
{
    struct fetching f = {s, number, arena, {"", 0}};
    struct og_origin_side *side = og_origin_cache_take(&s->entries, number);
    *out = f.out;
    if (side == NULL) {
        TRY(og_remote_catalogue_get(s->remote, &number, 1, take_fetched, &f,
                                    err));
        *out = f.out;
        return OG_OK;
    }
    out->data = og_arena_copy(arena, side->source.data, side->source.len, 1);
    out->len = side->source.len;
    og_origin_cache_give(&s->entries, side);
    return out->data != NULL ? OG_OK
                             : og_error_memory(err, out->len, "an entry");
}

og_status og_shared_latest(struct og_shared *s, og_bytes id, uint32_t *out,
                           og_error *err)
{
    struct og_remote_id one = {.id = id, .number = OG_NO_DOC};
    TRY(og_remote_catalogue_claim(s->remote, &one, 1, err));
    *out = one.found;
    TRY(og_shared_look_for(s, out, 1, err));
    if (*out != OG_NO_DOC && og_catalogue_is_removed(s->marks, *out))
        *out = OG_NO_DOC; /* not yet, or no longer */
    return OG_OK;
}

og_status og_shared_copiers(struct og_shared *s, uint32_t origin, size_t max,
                            uint32_t *out, size_t *out_n, og_error *err)
{
    TRY(og_remote_catalogue_copiers(s->remote, origin, max, out, out_n, err));
    return og_shared_look_for(s, out, *out_n, err);
}

/* ---- all of them ---- */

struct walking {
    struct og_shared *shared;
    uint32_t first;
    enum og_shared_state *states;
};

static og_status take_walked(void *ctx, size_t i, og_bytes entry,
                             unsigned state, og_error *err)
{
    const struct walking *w = ctx;
    w->states[i] = OG_SHARED_UNUSED;
    if (entry.len == 0) return OG_OK;
    TRY(take_entry(w->shared, w->first + (uint32_t)i, entry, state, err));
    w->states[i] = (state & OG_REMOTE_REMOVED) != 0     ? OG_SHARED_REMOVED
                   : (state & OG_REMOTE_COMMITTED) != 0 ? OG_SHARED_WHOLE
                                                        : OG_SHARED_INCOMPLETE;
    return OG_OK;
}

og_status og_shared_walk(struct og_shared *s, uint32_t first, uint32_t n,
                         enum og_shared_state *out, og_error *err)
{
    uint32_t numbers[OG_SHARED_WALK];
    struct walking w = {s, first, out};
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = first + i;
    return og_remote_catalogue_get(s->remote, numbers, n, take_walked, &w, err);
}

/* ---- what was removed ---- */

struct og_remote_log og_shared_removals(const struct og_shared *s)
{
    return (struct og_remote_log){
        .catalogue = s->remote, .kind = 'r', .record_len = 4};
}

og_status og_shared_forget(struct og_shared *s, uint32_t number, og_error *err)
{
    TRY(og_catalogue_put(s->marks, number, &nobody, err));
    og_catalogue_remove(s->marks, number);
    drop_entry(s, number);
    return OG_OK;
}

og_status og_shared_count(const struct og_shared *s,
                          struct og_shared_counts *out, og_error *err)
{
    struct og_remote_tally tally;
    struct og_remote_log log = og_shared_removals(s);
    struct og_pack all = {.allocator = s->allocator};
    TRY(og_remote_catalogue_count(s->remote, &tally, err));
    og_status status = og_remote_log_open(&log, false, err);
    if (status == OG_OK) status = og_remote_log_read(&log, &all, err);
    /* A request that was repeated is there twice. */
    const uint64_t n_removed =
        og_numbers_unique((uint32_t *)all.data, all.len / sizeof(uint32_t));
    const uint64_t n = tally.n_documents;
    *out = (struct og_shared_counts){
        tally.n_numbers, n > n_removed ? n - n_removed : 0, n_removed};
    og_pack_release(&all);
    return status;
}

static og_status take_removals(struct og_shared *s, og_error *err)
{
    struct og_pack found = {.allocator = s->allocator};
    og_status status = og_remote_log_read(&s->removals, &found, err);
    for (size_t at = 0; at < found.len && status == OG_OK; at += 4)
        status = og_shared_forget(s, og_load32(found.data + at), err);
    og_pack_release(&found);
    return status;
}

og_status og_shared_refresh(struct og_shared *s, og_error *err)
{
    const double now = og_clock_seconds();
    /* Who asks next is early enough, too. */
    if (pthread_mutex_trylock(&s->refreshing) != 0) return OG_OK;
    og_status status = OG_OK;
    if (now - s->refreshed >= REFRESH_EACH) {
        s->refreshed = now;
        status = take_removals(s, err);
    }
    pthread_mutex_unlock(&s->refreshing);
    return status;
}

/* ---- claims ---- */

void og_shared_forget_claims(struct og_shared *s)
{
    s->n_claims = 0;
}

static int compare_claims(const void *key, const void *claim)
{
    const uintptr_t a = (uintptr_t)key;
    const uintptr_t b = (uintptr_t)((const struct og_id_claim *)claim)->doc;
    return a < b ? -1 : a > b;
}

const struct og_id_claim *og_shared_claim_of(const struct og_shared *s,
                                             const og_document *doc)
{
    if (s->n_claims == 0) return NULL;
    return bsearch(doc, s->claims, s->n_claims, sizeof(*s->claims),
                   compare_claims);
}

static og_status claim_ids(struct og_shared *s,
                           const struct og_id_asker *askers, og_error *err)
{
    struct og_remote_id *ids = NULL;
    size_t cap = 0;
    const size_t n = s->n_claims;
    if (!OG_GROW(s->allocator, ids, cap, n))
        return og_error_memory(err, n * sizeof(*ids), "ids");
    for (size_t i = 0; i < n; i++)
        ids[i] = (struct og_remote_id){
            s->claims[i].doc->id,
            askers[i].is_added ? s->claims[i].number : OG_NO_DOC, OG_NO_DOC};
    const og_status status = og_remote_catalogue_claim(s->remote, ids, n, err);
    for (size_t i = 0; i < n && status == OG_OK; i++)
        s->claims[i].found = ids[i].found;
    OG_UNGROW(s->allocator, ids, cap);
    return status;
}

/* Whether this block itself will put it. */
static bool is_own(const struct og_shared *s, uint32_t number)
{
    return number >= s->first && number < s->end;
}

static bool is_awaited(const struct og_shared *s,
                       const struct og_id_claim *claim)
{
    return claim->found != OG_NO_DOC && !claim->is_there &&
           !is_own(s, claim->found);
}

struct looking {
    struct og_shared *shared;
    const uint32_t *numbers, *claims;
};

static og_status take_claimed(void *ctx, size_t i, og_bytes entry,
                              unsigned state, og_error *err)
{
    const struct looking *l = ctx;
    struct og_id_claim *claim = &l->shared->claims[l->claims[i]];
    claim->is_there = entry.len > 0;
    claim->is_committed = (state & OG_REMOTE_COMMITTED) != 0;
    return claim->is_there
               ? take_entry(l->shared, l->numbers[i], entry, state, err)
               : OG_OK;
}

/* Fetches the documents that have the ids; *out_n do not exist yet. */
static og_status look_at_found(struct og_shared *s, uint32_t *room,
                               size_t *out_n, og_error *err)
{
    uint32_t *numbers = room, *claims = room + s->n_claims;
    struct looking l = {s, numbers, claims};
    size_t n = 0;
    for (size_t i = 0; i < s->n_claims; i++) {
        if (!is_awaited(s, &s->claims[i])) continue;
        numbers[n] = s->claims[i].found;
        claims[n++] = (uint32_t)i;
    }
    TRY(og_remote_catalogue_get(s->remote, numbers, n, take_claimed, &l, err));
    *out_n = 0;
    for (size_t i = 0; i < s->n_claims; i++)
        *out_n += is_awaited(s, &s->claims[i]);
    return OG_OK;
}

static void pause_for(double seconds)
{
    const struct timespec time = {0, (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

static og_status look_at_all(struct og_shared *s, og_error *err)
{
    uint32_t *room = NULL;
    size_t cap = 0, n_missing = 0;
    double pause = FIRST_PAUSE;
    const double until = og_clock_seconds() + s->patience;
    if (!OG_GROW(s->allocator, room, cap, 2 * s->n_claims))
        return og_error_memory(err, 2 * s->n_claims * sizeof(*room), "ids");
    og_status status = look_at_found(s, room, &n_missing, err);
    while (status == OG_OK && n_missing > 0 && og_clock_seconds() < until) {
        pause_for(pause);
        if (pause < LAST_PAUSE) pause *= 2;
        status = look_at_found(s, room, &n_missing, err);
    }
    OG_UNGROW(s->allocator, room, cap);
    return status;
}

og_status og_shared_claim(struct og_shared *s, const struct og_id_asker *askers,
                          size_t n, int64_t *latest, og_error *err)
{
    struct og_remote_numbers numbers;
    s->n_claims = 0;
    if (n == 0) return OG_OK;
    TRY(og_shared_refresh(s, err));
    if (!OG_GROW(s->allocator, s->claims, s->claims_cap, n))
        return og_error_memory(err, n * sizeof(*s->claims), "claims");
    TRY(og_remote_catalogue_reserve(s->remote, (uint32_t)n, &numbers, err));
    if (numbers.latest > *latest) *latest = numbers.latest;
    s->first = numbers.first;
    s->end = numbers.first + (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        s->claims[i] = (struct og_id_claim){.doc = askers[i].doc,
                                            .number = s->first + (uint32_t)i,
                                            .found = OG_NO_DOC};
    s->n_claims = n;
    og_status status = claim_ids(s, askers, err);
    if (status == OG_OK) status = look_at_all(s, err);
    if (status != OG_OK) s->n_claims = 0;
    return status;
}

/* ---- new documents ---- */

og_status og_shared_put(struct og_shared *s,
                        const struct og_remote_entry *entries, size_t n,
                        og_error *err)
{
    for (size_t i = 0; i < n; i++)
        drop_entry(s, entries[i].number);
    TRY(og_remote_catalogue_put(s->remote, entries, n, err));
    for (size_t i = 0; i < n; i++)
        TRY(take_entry(s, entries[i].number, entries[i].entry, 0, err));
    return OG_OK;
}
