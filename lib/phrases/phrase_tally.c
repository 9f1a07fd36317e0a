/* What is known about passages once all documents were read. */

#include "lib/phrases/phrase_tally.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/checksum.h"

enum { N_PARTS = 10, MOST_SOURCES = 1 << 20 };

/* The earliest holder so far; its strings are concatenated. */
struct first {
    char *bytes;
    size_t cap;
    size_t id_len, title_len, url_len, text_len;
    uint64_t begin, end, number;
    int64_t time;
    bool has_time;
    og_time_source time_source;
    uint32_t source; /* number + 1; 0: none */
    uint64_t n_documents;
    uint64_t n_tokens;
};

struct listed { /* a document */
    char *id;
    size_t id_len;
    og_phrase_document shown;
    uint64_t number;
};

struct source {
    size_t name_off, name_len;
    uint64_t n_documents, n_copies, n_tokens;
};

struct og_phrase_tally {
    size_t n, limit;
    uint64_t n_documents; /* to be read */
    const struct og_phrase_periods *days;
    struct first *firsts;
    uint64_t *growth; /* n rows of n_periods */
    og_phrase_period *periods;
    size_t n_periods;
    struct listed *listed;
    size_t n_listed, listed_cap;
    struct source *sources;
    size_t n_sources, sources_cap;
    char *names;
    size_t names_len, names_cap;
    struct og_hash_table by_name;
    uint64_t n_seen, n_tokens, n_made;
    /* the output */
    og_phrase *phrases;
    og_phrase_document *documents;
    og_phrase_source *shown_sources;
};

og_status og_phrase_tally_new(size_t n, size_t limit, uint64_t n_documents,
                              const struct og_phrase_periods *periods,
                              struct og_phrase_tally **out, og_error *err)
{
    struct og_phrase_tally *t = og_allocate_zero(NULL, sizeof(*t));
    *out = t;
    if (t == NULL) return og_error_memory(err, sizeof(*t), "passages");
    t->n = n;
    t->limit = limit;
    t->n_documents = n_documents;
    t->days = periods;
    t->n_periods = periods->kind == OG_PERIOD_PARTS ? N_PARTS : periods->n;
    if (t->n_periods > n_documents) t->n_periods = (size_t)n_documents;
    og_hash_table_init(&t->by_name, NULL);
    t->firsts = og_allocate_zero(NULL, (n + 1) * sizeof(*t->firsts));
    t->growth =
        og_allocate_zero(NULL, (n * t->n_periods + 1) * sizeof(*t->growth));
    t->periods =
        og_allocate_zero(NULL, (t->n_periods + 1) * sizeof(*t->periods));
    t->phrases = og_allocate_zero(NULL, (n + 1) * sizeof(*t->phrases));
    t->documents = og_allocate_zero(NULL, (limit + 1) * sizeof(*t->documents));
    t->shown_sources =
        og_allocate_zero(NULL, (limit + 1) * sizeof(*t->shown_sources));
    if (t->firsts == NULL || t->growth == NULL || t->periods == NULL ||
        t->phrases == NULL || t->documents == NULL || t->shown_sources == NULL)
        return og_error_memory(err, n * t->n_periods * 8, "passages");
    return OG_OK;
}

void og_phrase_tally_free(struct og_phrase_tally *t)
{
    if (t == NULL) return;
    for (size_t i = 0; t->firsts != NULL && i < t->n; i++)
        OG_UNGROW(NULL, t->firsts[i].bytes, t->firsts[i].cap);
    for (size_t i = 0; i < t->n_listed; i++)
        og_release(NULL, t->listed[i].id, t->listed[i].id_len + 1);
    OG_UNGROW(NULL, t->listed, t->listed_cap);
    OG_UNGROW(NULL, t->sources, t->sources_cap);
    OG_UNGROW(NULL, t->names, t->names_cap);
    og_hash_table_release(&t->by_name);
    og_release(NULL, t->firsts, (t->n + 1) * sizeof(*t->firsts));
    og_release(NULL, t->growth, (t->n * t->n_periods + 1) * sizeof(*t->growth));
    og_release(NULL, t->periods, (t->n_periods + 1) * sizeof(*t->periods));
    og_release(NULL, t->phrases, (t->n + 1) * sizeof(*t->phrases));
    og_release(NULL, t->documents, (t->limit + 1) * sizeof(*t->documents));
    og_release(NULL, t->shown_sources,
               (t->limit + 1) * sizeof(*t->shown_sources));
    og_release(NULL, t, sizeof(*t));
}

/* ---- first holders ---- */

/* By (time, arrival): a document without a time comes after all that have one,
 * by its arrival. */
static bool is_earlier(const og_document *doc, const struct first *f)
{
    if (f->n_documents == 0) return true;
    if (doc->has_time != f->has_time) return doc->has_time;
    return doc->has_time && doc->time < f->time;
}

static char *append(char *to, og_bytes s)
{
    if (s.len != 0) memcpy(to, s.data, s.len);
    return to + s.len;
}

static og_status set_first(struct first *f, const struct og_phrase_holding *h,
                           const struct og_phrase_found *found, uint32_t source,
                           og_error *err)
{
    const og_document *doc = h->doc;
    const og_bytes text = {doc->text.data + found->begin,
                           (size_t)(found->end - found->begin)};
    const size_t len = doc->id.len + doc->title.len + doc->url.len + text.len;
    if (!OG_GROW(NULL, f->bytes, f->cap, len + 1))
        return og_error_memory(err, len, "a passage");
    char *to = append(f->bytes, doc->id);
    to = append(to, doc->title);
    to = append(to, doc->url);
    append(to, text);
    f->id_len = doc->id.len;
    f->title_len = doc->title.len;
    f->url_len = doc->url.len;
    f->text_len = text.len;
    f->begin = found->begin;
    f->end = found->end;
    f->number = h->number;
    f->time = doc->time;
    f->has_time = doc->has_time;
    f->time_source = doc->time_source;
    f->source = source;
    f->n_tokens = found->n_tokens;
    return OG_OK;
}

/* ---- sources ---- */

/* Its number + 1; 0: none, or no room for it. */
static og_status find_source(struct og_phrase_tally *t, og_bytes name,
                             uint32_t *out, og_error *err)
{
    struct og_hash_slot *slot;
    *out = 0;
    if (name.len == 0) return OG_OK;
    const uint64_t hash = og_mix64(og_checksum(name.data, name.len));
    if (!og_hash_table_reserve(&t->by_name) ||
        !OG_GROW(NULL, t->sources, t->sources_cap, t->n_sources + 1) ||
        !OG_GROW(NULL, t->names, t->names_cap, t->names_len + name.len))
        return og_error_memory(err, name.len, "sources");
    OG_HASH_FIND(&t->by_name, hash, slot)
    {
        const struct source *s = &t->sources[slot->number - 1];
        if (s->name_len == name.len &&
            memcmp(t->names + s->name_off, name.data, name.len) == 0)
            break;
    }
    *out = (uint32_t)slot->number;
    if (slot->number != 0 || t->n_sources == MOST_SOURCES) return OG_OK;
    memcpy(t->names + t->names_len, name.data, name.len);
    t->sources[t->n_sources++] =
        (struct source){t->names_len, name.len, 0, 0, 0};
    t->names_len += name.len;
    og_hash_table_put(&t->by_name, slot, hash, t->n_sources);
    *out = (uint32_t)t->n_sources;
    return OG_OK;
}

/* ---- documents ---- */

/* By share, largest first, then by length, then by arrival. */
static int by_share(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    const double p = (double)x->shown.n_covered * (double)y->shown.n_tokens;
    const double q = (double)y->shown.n_covered * (double)x->shown.n_tokens;
    if (p != q) return p > q ? -1 : 1;
    if (x->shown.n_tokens != y->shown.n_tokens)
        return x->shown.n_tokens > y->shown.n_tokens ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort_listed(struct og_phrase_tally *t)
{
    if (t->n_listed > 1)
        qsort(t->listed, t->n_listed, sizeof(*t->listed), by_share);
    for (; t->n_listed > t->limit; t->n_listed--) {
        struct listed *last = &t->listed[t->n_listed - 1];
        og_release(NULL, last->id, last->id_len + 1);
    }
}

static og_status list_document(struct og_phrase_tally *t,
                               const struct og_phrase_holding *h, og_error *err)
{
    const og_document *doc = h->doc;
    if (t->n_listed == 2 * t->limit) sort_listed(t);
    if (!OG_GROW(NULL, t->listed, t->listed_cap, t->n_listed + 1))
        return og_error_memory(err, sizeof(*t->listed), "documents");
    struct listed *l = &t->listed[t->n_listed];
    *l = (struct listed){.id_len = doc->id.len,
                         .number = h->number,
                         .shown = {.time = doc->time,
                                   .has_time = doc->has_time,
                                   .time_source = doc->time_source,
                                   .n_tokens = h->n_tokens,
                                   .n_covered = h->n_covered,
                                   .n_phrases = h->n_found}};
    l->id = og_allocate(NULL, l->id_len + 1);
    if (l->id == NULL) return og_error_memory(err, l->id_len, "a document");
    append(l->id, doc->id);
    t->n_listed++;
    return OG_OK;
}

/* ---- all of it ---- */

/* SIZE_MAX: in none. */
static size_t period_of(const struct og_phrase_tally *t,
                        const struct og_phrase_holding *h)
{
    if (t->days->kind != OG_PERIOD_PARTS)
        return h->doc->has_time && t->n_periods != 0
                   ? og_phrase_periods_find(t->days, h->doc->time)
                   : SIZE_MAX;
    const uint64_t part = h->number * t->n_periods / t->n_documents;
    return part < t->n_periods ? (size_t)part : t->n_periods - 1;
}

static void count_in_period(og_phrase_period *p, const og_document *doc)
{
    p->n_documents++;
    if (!doc->has_time) return;
    if (!p->has_times || doc->time < p->first) p->first = doc->time;
    if (!p->has_times || doc->time > p->last) p->last = doc->time;
    p->has_times = true;
}

og_status og_phrase_tally_add(struct og_phrase_tally *t,
                              const struct og_phrase_holding *h, og_error *err)
{
    const size_t period = period_of(t, h);
    uint32_t source = 0;
    t->n_seen++;
    t->n_tokens += h->n_tokens;
    if (period != SIZE_MAX) count_in_period(&t->periods[period], h->doc);
    if (h->n_found == 0) return OG_OK;
    TRY(find_source(t, h->source, &source, err));
    if (source != 0) t->sources[source - 1].n_documents++;
    for (size_t i = 0; i < h->n_found; i++) {
        const struct og_phrase_found *found = &h->found[i];
        struct first *f = &t->firsts[found->phrase];
        if (is_earlier(h->doc, f)) TRY(set_first(f, h, found, source, err));
        f->n_documents++;
        if (period != SIZE_MAX)
            t->growth[found->phrase * t->n_periods + period]++;
        if (source == 0) continue;
        t->sources[source - 1].n_copies++;
        t->sources[source - 1].n_tokens += found->n_tokens;
    }
    t->n_made += 2 * h->n_covered >= h->n_tokens;
    return list_document(t, h, err);
}

static int by_documents(const void *a, const void *b)
{
    const og_phrase *x = a, *y = b;
    if (x->n_documents != y->n_documents)
        return x->n_documents > y->n_documents ? -1 : 1;
    if (x->n_tokens != y->n_tokens) return x->n_tokens > y->n_tokens ? -1 : 1;
    return (x->growth > y->growth) - (x->growth < y->growth);
}

static size_t show_phrases(struct og_phrase_tally *t, uint64_t least)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct first *f = &t->firsts[i];
        const char *title = f->bytes + f->id_len;
        const char *url = title + f->title_len;
        if (f->n_documents < least) continue;
        t->phrases[n++] = (og_phrase){.text = {url + f->url_len, f->text_len},
                                      .n_tokens = f->n_tokens,
                                      .n_documents = f->n_documents,
                                      .first = {.id = {f->bytes, f->id_len},
                                                .title = {title, f->title_len},
                                                .url = {url, f->url_len},
                                                .time = f->time,
                                                .has_time = f->has_time,
                                                .time_source = f->time_source,
                                                .begin = f->begin,
                                                .end = f->end},
                                      .growth = t->growth + i * t->n_periods};
    }
    if (n > 1) qsort(t->phrases, n, sizeof(*t->phrases), by_documents);
    return n;
}

/* The first holder of a passage did not copy it. */
static void take_off_firsts(struct og_phrase_tally *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->firsts[i].source == 0) continue;
        struct source *s = &t->sources[t->firsts[i].source - 1];
        s->n_copies--;
        s->n_tokens -= t->firsts[i].n_tokens;
    }
}

/* By copied tokens, most first; of equals, the first found. */
static int by_tokens(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->n_tokens != y->n_tokens) return x->n_tokens > y->n_tokens ? -1 : 1;
    return (x->name_off > y->name_off) - (x->name_off < y->name_off);
}

static size_t show_sources(struct og_phrase_tally *t)
{
    size_t n = 0;
    take_off_firsts(t);
    if (t->n_sources > 1)
        qsort(t->sources, t->n_sources, sizeof(*t->sources), by_tokens);
    for (; n < t->n_sources && n < t->limit; n++) {
        const struct source *s = &t->sources[n];
        if (s->n_copies == 0) break;
        t->shown_sources[n] =
            (og_phrase_source){{t->names + s->name_off, s->name_len},
                               s->n_documents,
                               s->n_copies,
                               s->n_tokens};
    }
    return n;
}

void og_phrase_tally_finish(struct og_phrase_tally *t, uint64_t least,
                            og_phrases *out)
{
    sort_listed(t);
    for (size_t i = 0; i < t->n_listed; i++) {
        t->documents[i] = t->listed[i].shown;
        t->documents[i].id = (og_bytes){t->listed[i].id, t->listed[i].id_len};
    }
    out->n_documents = t->n_seen;
    out->n_tokens = t->n_tokens;
    out->n_made = t->n_made;
    out->period = t->days->kind;
    out->phrases = t->phrases;
    out->n_phrases = show_phrases(t, least);
    out->periods = t->periods;
    out->n_periods = t->n_periods;
    out->documents = t->documents;
    out->n_documents_listed = t->n_listed;
    out->sources = t->shown_sources;
    out->n_sources = show_sources(t);
}
