/* Groups of a batch are chains: the last document of each band and group, and
 * before each kept document the one kept before it. Most documents share no
 * band with another one of their batch, and need nothing in order except a
 * number. */

#include "lib/dedup/decide_batch.h"

#include <stdlib.h>
#include <string.h>

struct og_summary_note {
    const struct og_summary_note *next;
    const struct og_wide_parity *summary;
    uint32_t entry;
};

/* The current document and another one of its batch. */
struct og_pair_note {
    const struct og_pair_note *next;
    uint32_t doc;
    double similarity; /* 0: below the threshold */
};

/* ---- groups ---- */

static void group_band(const uint8_t *const *sketches, size_t n, size_t off,
                       uint32_t n_rows, uint32_t *slots, size_t n_slots,
                       size_t step, uint32_t *out)
{
    memset(slots, 0, n_slots * sizeof(*slots));
    for (size_t i = 0; i < n; i++) {
        const uint8_t *samples = sketches[i] + off;
        size_t at = (size_t)og_band_key(samples, n_rows) & (n_slots - 1);
        while (slots[at] != 0 &&
               memcmp(sketches[slots[at] - 1] + off, samples, n_rows) != 0)
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0) slots[at] = (uint32_t)i + 1;
        out[i * step] = slots[at] - 1;
    }
}

og_status og_decide_group(const struct og_band_design *design,
                          const uint8_t *const *sketches, size_t n,
                          struct og_group_scratch *scratch, uint32_t *out,
                          og_error *err)
{
    size_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    if (!OG_GROW(NULL, scratch->slots, scratch->slots_cap, n_slots))
        return og_error_memory(err, n_slots * 4, "bands");
    for (uint32_t b = 0; b < design->n_bands; b++)
        group_band(sketches, n, (size_t)b * design->n_rows, design->n_rows,
                   scratch->slots, n_slots, design->n_bands, out + b);
    return OG_OK;
}

/* ---- threads ---- */

static og_status note_summary(void *ctx, uint32_t entry,
                              const struct og_wide_parity *summary,
                              og_error *err)
{
    struct og_decide_thread *t = ctx;
    struct og_summary_note note = {.next = t->look->notes, .entry = entry};
    const size_t len = og_wide_parity_len(summary->n);
    note.summary = og_arena_copy(&t->arena, summary, len, 8);
    t->look->notes = note.summary == NULL
                         ? NULL
                         : og_arena_copy(&t->arena, &note, sizeof(note), 8);
    return t->look->notes != NULL ? OG_OK
                                  : og_error_memory(err, len, "documents");
}

og_status og_decide_thread_init(struct og_decide_thread *t,
                                const struct og_dedup_texts *texts,
                                size_t memory, og_error *err)
{
    *t = (struct og_decide_thread){.batch = 0};
    og_decide_reader_init(&t->reader, NULL);
    og_arena_init(&t->arena, NULL);
    t->reader.ctx = t;
    t->reader.on_summary = note_summary;
    return og_dedup_texts_reader(texts, memory, &t->reader.texts, err);
}

void og_decide_thread_release(struct og_decide_thread *t)
{
    og_dedup_texts_free(t->reader.texts);
    og_decide_reader_release(&t->reader);
    og_arena_release(&t->arena);
}

/* ---- a batch ---- */

void og_decide_batch_release(struct og_decide_batch *b)
{
    OG_UNGROW(NULL, b->looks, b->looks_cap);
    OG_UNGROW(NULL, b->found, b->found_cap);
    OG_UNGROW(NULL, b->kept, b->kept_cap);
    OG_UNGROW(NULL, b->doc_of, b->doc_of_cap);
    OG_UNGROW(NULL, b->n_in, b->n_in_cap);
    OG_UNGROW(NULL, b->last, b->last_cap);
    OG_UNGROW(NULL, b->before, b->before_cap);
}

og_status og_decide_batch_begin(struct og_decide_batch *b, size_t n,
                                const uint32_t *leaders, og_error *err)
{
    const size_t n_all = n * b->decider->table.design.n_bands;
    b->number++;
    b->n = n;
    b->leaders = leaders;
    if (!OG_GROW(NULL, b->looks, b->looks_cap, n) ||
        !OG_GROW(NULL, b->kept, b->kept_cap, n) ||
        !OG_GROW(NULL, b->doc_of, b->doc_of_cap, n) ||
        !OG_GROW(NULL, b->found, b->found_cap, n_all) ||
        !OG_GROW(NULL, b->n_in, b->n_in_cap, n_all) ||
        !OG_GROW(NULL, b->last, b->last_cap, n_all) ||
        !OG_GROW(NULL, b->before, b->before_cap, n_all))
        return og_error_memory(err, n_all * 16, "the documents of a block");
    if (n == 0) return OG_OK;
    memset(b->n_in, 0, n_all * sizeof(*b->n_in));
    memset(b->last, 0, n_all * sizeof(*b->last));
    return OG_OK;
}

og_status og_decide_batch_look(struct og_decide_batch *b,
                               struct og_decide_thread *t, size_t at,
                               const struct og_decide_doc *doc, og_error *err)
{
    struct og_decider *d = b->decider;
    struct og_decide_reader *r = &t->reader;
    const uint32_t n_bands = d->table.design.n_bands;
    const uint64_t before = r->n_compared;
    const struct og_band_item item = {.sketch = doc->sketch,
                                      .parity = doc->parity};
    t->look = &b->looks[at];
    *t->look = (struct og_decide_look){.verdict.kind = OG_VERDICT_KEPT};
    if (t->batch != b->number) og_arena_clear(&t->arena, (size_t)1 << 20);
    t->batch = b->number;
    r->is_open = r->has_mine = false;
    TRY(og_band_table_meet(&d->table, &item, d->filter.limits, &r->hits, err));
    memcpy(b->found + at * n_bands, r->hits.found, n_bands * sizeof(*b->found));
    t->look->n_met = r->hits.n_met;
    if (doc->is_against) return OG_OK;
    TRY(og_decide_pass_over(d, r, doc, err));
    TRY(og_band_table_agree(&d->table, &item, d->filter.least_equal, &r->hits,
                            err));
    TRY(og_decide_compare(d, r, doc, &t->look->verdict, err));
    t->look->n_compared = r->n_compared - before;
    if (!r->has_mine || t->look->verdict.kind != OG_VERDICT_KEPT) return OG_OK;
    const size_t len = og_wide_parity_len(r->mine.parity->n);
    t->look->mine = og_arena_copy(&t->arena, r->mine.parity, len, 8);
    return t->look->mine != NULL ? OG_OK
                                 : og_error_memory(err, len, "documents");
}

/* ---- pairs of the batch ---- */

static int by_entry(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void leave_each_once(struct og_band_hits *hits)
{
    size_t n = 0;
    if (hits->n_open > 1)
        qsort(hits->met, hits->n_open, sizeof(*hits->met), by_entry);
    for (size_t i = 0; i < hits->n_open; i++)
        if (n == 0 || hits->met[n - 1] != hits->met[i])
            hits->met[n++] = hits->met[i];
    hits->n_open = n;
}

/* Adds the first documents of its groups to hits->met, unless they are copies
 * of earlier ones. */
static og_status meet_leaders(const struct og_decide_batch *b, size_t at,
                              struct og_band_hits *hits, og_error *err)
{
    const uint32_t n_bands = b->decider->table.design.n_bands;
    const uint32_t *leaders = b->leaders + at * n_bands;
    hits->n_open = 0;
    if (!OG_GROW(NULL, hits->met, hits->met_cap, n_bands))
        return og_error_memory(err, n_bands * 4, "candidates");
    for (uint32_t band = 0; band < n_bands; band++)
        if (leaders[band] != at &&
            b->looks[leaders[band]].verdict.kind == OG_VERDICT_KEPT)
            hits->met[hits->n_open++] = leaders[band];
    leave_each_once(hits);
    return OG_OK;
}

static bool may_be_alike(const struct og_decider *d,
                         const struct og_decide_doc *a,
                         const struct og_decide_doc *b)
{
    uint32_t entry = 0;
    return (d->filter.limits == NULL ||
            og_set_parity_filter(&b->parity, &a->parity, &d->limits, &entry,
                                 1) == 1) &&
           og_band_agreement(a->sketch, b->sketch, d->table.n_samples) >=
               d->filter.least_equal;
}

static og_status note_pair(struct og_decide_thread *t, uint32_t doc,
                           double similarity, og_error *err)
{
    const struct og_pair_note note = {t->look->pairs, doc, similarity};
    t->look->pairs = og_arena_copy(&t->arena, &note, sizeof(note), 8);
    return t->look->pairs != NULL
               ? OG_OK
               : og_error_memory(err, sizeof(note), "documents");
}

og_status og_decide_batch_try(struct og_decide_batch *b,
                              struct og_decide_thread *t, size_t at,
                              const struct og_decide_doc *docs, og_error *err)
{
    struct og_decide_reader *r = &t->reader;
    const uint64_t before = r->n_compared;
    double similarity = 0;
    t->look = &b->looks[at];
    if (docs[at].is_against || t->look->verdict.kind != OG_VERDICT_KEPT)
        return OG_OK;
    if (t->batch != b->number) og_arena_clear(&t->arena, (size_t)1 << 20);
    t->batch = b->number;
    r->is_open = r->has_mine = false;
    TRY(meet_leaders(b, at, &r->hits, err));
    for (size_t i = 0; i < r->hits.n_open && similarity <= 0; i++) {
        const uint32_t other = r->hits.met[i];
        if (!may_be_alike(b->decider, &docs[at], &docs[other])) continue;
        TRY(og_decide_pair(b->decider, r, &docs[at], &docs[other], &similarity,
                           err));
        TRY(note_pair(t, other, similarity, err));
    }
    t->look->n_compared += r->n_compared - before;
    return OG_OK;
}

/* ---- in order ---- */

/* Adds kept documents of the batch that share a band to hits->met; all of them
 * count, in each band. */
static og_status meet_in_batch(struct og_decide_batch *b, size_t at,
                               struct og_band_hits *hits, og_error *err)
{
    const struct og_decider *d = b->decider;
    const uint32_t n_bands = d->table.design.n_bands;
    size_t n = 0;
    for (uint32_t band = 0; band < n_bands; band++) {
        const size_t group = b->leaders[at * n_bands + band] * n_bands + band;
        hits->found[band] = b->found[at * n_bands + band];
        if (b->n_in[group] == 0) continue;
        hits->found[band] = (uint16_t)(hits->found[band] + b->n_in[group]);
        if (!OG_GROW(NULL, hits->met, hits->met_cap, n + b->n_in[group]))
            return og_error_memory(err, n * 4, "candidates");
        for (uint32_t k = b->last[group]; k != 0;
             k = b->before[(k - 1) * n_bands + band])
            hits->met[n++] = (uint32_t)d->table.n + k - 1;
    }
    hits->n_met = hits->n_open = n;
    hits->n = 0;
    return OG_OK;
}

static og_status agree_in_batch(const struct og_decide_batch *b,
                                const struct og_decide_doc *doc,
                                struct og_band_hits *hits, og_error *err)
{
    const struct og_decider *d = b->decider;
    if (!OG_GROW(NULL, hits->hits, hits->cap, hits->n_open))
        return og_error_memory(err, hits->n_open * 8, "candidates");
    for (size_t i = 0; i < hits->n_open; i++) {
        const uint8_t *other = b->kept[hits->met[i] - d->table.n].sketch;
        const size_t n_equal =
            og_band_agreement(doc->sketch, other, d->table.n_samples);
        if (n_equal < d->filter.least_equal) continue;
        hits->hits[hits->n++] =
            (struct og_band_hit){hits->met[i], (uint32_t)n_equal};
    }
    return OG_OK;
}

static const struct og_pair_note *find_pair(const struct og_decide_look *look,
                                            uint32_t doc)
{
    const struct og_pair_note *pair = look->pairs;
    while (pair != NULL && pair->doc != doc)
        pair = pair->next;
    return pair;
}

/* Removes candidates that were tried: those that are not similar, and the first
 * similar one with all after it, which is reported. */
static void use_pairs(const struct og_decide_batch *b,
                      const struct og_decide_look *look,
                      struct og_band_hits *hits, struct og_verdict *out)
{
    const struct og_decider *d = b->decider;
    size_t n = 0;
    for (size_t i = 0; i < hits->n_open; i++) {
        const uint32_t entry = hits->met[i];
        const struct og_pair_note *pair =
            find_pair(look, b->doc_of[entry - d->table.n]);
        if (pair == NULL)
            hits->met[n++] = entry;
        else if (pair->similarity > 0) {
            *out = (struct og_verdict){.kind = OG_VERDICT_COPY,
                                       .of = d->entries[entry],
                                       .similarity = pair->similarity};
            break;
        }
    }
    hits->n_open = n;
}

static og_status compare_in_batch(struct og_decide_batch *b, size_t at,
                                  const struct og_decide_doc *doc,
                                  struct og_verdict *out, og_error *err)
{
    struct og_verdict tried = *out;
    struct og_decider *d = b->decider;
    struct og_decide_reader *r = &d->reader;
    const uint64_t before = r->n_compared;
    if (d->filter.limits != NULL)
        r->hits.n_open =
            og_set_parity_filter(d->table.parities, &doc->parity, &d->limits,
                                 r->hits.met, r->hits.n_open);
    leave_each_once(&r->hits);
    use_pairs(b, &b->looks[at], &r->hits, &tried);
    TRY(og_decide_pass_over(d, r, doc, err));
    TRY(agree_in_batch(b, doc, &r->hits, err));
    TRY(og_decide_compare(d, r, doc, out, err));
    d->n_compared += r->n_compared - before;
    if (out->kind == OG_VERDICT_KEPT) *out = tried;
    return OG_OK;
}

static og_status keep_summaries(struct og_decider *d,
                                const struct og_decide_look *look,
                                og_error *err)
{
    for (const struct og_summary_note *note = look->notes; note != NULL;
         note = note->next)
        if (og_set_summaries_of(&d->summaries, note->entry) == NULL)
            TRY(og_set_summaries_keep(&d->summaries, note->entry, note->summary,
                                      err));
    return OG_OK;
}

/* Assigns a number, and a place in those of its bands that are not full. */
static void number_kept(struct og_decide_batch *b, size_t at,
                        const struct og_decide_doc *doc)
{
    const struct og_decider *d = b->decider;
    const uint32_t n_bands = d->table.design.n_bands;
    const uint32_t *leaders = b->leaders + at * n_bands;
    struct og_band_new *kept = &b->kept[b->n_kept];
    uint32_t *before = b->before + b->n_kept * n_bands;
    *kept = (struct og_band_new){.sketch = doc->sketch};
    b->doc_of[b->n_kept++] = (uint32_t)at;
    for (uint32_t band = 0; band < n_bands; band++) {
        const size_t group = leaders[band] * n_bands + band;
        if (d->reader.hits.found[band] >= OG_BAND_BUCKET_MOST) continue;
        og_band_new_set(kept, band);
        before[band] = b->last[group];
        b->last[group] = (uint32_t)b->n_kept;
        b->n_in[group]++;
    }
}

static og_status remember(struct og_decide_batch *b, size_t at,
                          const struct og_decide_doc *doc,
                          struct og_verdict *out, og_error *err)
{
    struct og_decider *d = b->decider;
    const size_t entry = d->table.n + b->n_kept;
    const struct og_wide_parity *summary =
        d->reader.has_mine ? d->reader.mine.parity : b->looks[at].mine;
    if (!d->is_full) d->is_full = !og_band_table_has_room(&d->table, b->n_kept);
    if (d->is_full) {
        out->kind = OG_VERDICT_LATER;
        return OG_OK;
    }
    if (!OG_GROW(NULL, d->entries, d->entries_cap, entry + 1))
        return og_error_memory(err, entry * sizeof(*d->entries), "documents");
    d->entries[entry] =
        (struct og_dedup_entry){.number = doc->number, .place = doc->place};
    TRY(og_band_table_reserve(&d->table, b->n_kept, &doc->parity, err));
    number_kept(b, at, doc);
    out->entry = (uint32_t)entry;
    if (summary == NULL) return OG_OK;
    return og_set_summaries_keep(&d->summaries, out->entry, summary, err);
}

og_status og_decide_batch_next(struct og_decide_batch *b, size_t at,
                               const struct og_decide_doc *doc,
                               struct og_verdict *out, og_error *err)
{
    struct og_decider *d = b->decider;
    struct og_decide_reader *r = &d->reader;
    const struct og_decide_look *look = &b->looks[at];
    *out = look->verdict;
    r->is_open = r->has_mine = false;
    TRY(keep_summaries(d, look, err));
    TRY(meet_in_batch(b, at, &r->hits, err));
    d->n_candidates += look->n_met + r->hits.n_met;
    d->n_compared += look->n_compared;
    if (out->kind == OG_VERDICT_KEPT && r->hits.n_open > 0 && !doc->is_against)
        TRY(compare_in_batch(b, at, doc, out, err));
    return out->kind == OG_VERDICT_KEPT ? remember(b, at, doc, out, err)
                                        : OG_OK;
}

og_status og_decide_batch_add(struct og_decide_batch *b, uint32_t band,
                              og_error *err)
{
    return og_band_table_add_to_band(&b->decider->table, band, b->kept,
                                     b->n_kept, err);
}

void og_decide_batch_end(struct og_decide_batch *b)
{
    og_band_table_added(&b->decider->table, b->n_kept);
    b->n_kept = 0;
}
