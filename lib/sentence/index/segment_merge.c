/* Merges segments, on all threads.
 *
 * Documents, sentences and texts are concatenated with their numbers shifted.
 * Wordsets and words are sorted in every segment, so a parallel walk over all
 * segments meets equal ones together. Both are hashes, and evenly spread: their
 * range is cut into shares, each the business of one piece of a phase.
 *
 *     count    each share of the wordsets: how many there are of them, of
 *              their keys, of their places; which keys are twice. Each share of
 *              the words: how many
 *     in order the sums of these: where each share begins in every part
 *     wordsets each share of the wordsets: their parts, and their new numbers
 *     words    each share of the words: their parts, with the new numbers of
 *              wordsets. New numbers rise with the old ones, so lists of
 *              postings are merged, not sorted. Documents and sentences, some
 *              at a time
 *
 * The number of shares follows from the segments, not from the threads. */

#include "lib/sentence/index/segment_merge.h"

#include <string.h>

#include "lib/base/stopping.h"
#include "lib/sentence/index/merge_walk.h"

enum {
    SHARE_WORDSETS = 1024, /* a tenth of a millisecond */
    SHARE_KEYS = 16384,
    SHARES_IN_MEMORY = 64,
    SHARES_MOST = 4096 /* of files: some megabytes each, for a large one */
};

/* ---- shares ---- */

static unsigned bits_for(uint64_t n, uint64_t most, unsigned bits_most)
{
    unsigned bits = 0;
    while (((uint64_t)1 << bits) < n && ((uint64_t)1 << bits) < most &&
           bits < bits_most)
        bits++;
    return bits;
}

static uint32_t lower_bound(const uint64_t *list, uint64_t n, uint64_t value)
{
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void cut_list(const struct merge_cut *c, const uint64_t *list,
                     uint64_t n, uint32_t *out)
{
    out[0] = 0;
    for (size_t i = 1; i < c->n; i++)
        out[i] = lower_bound(list, n, (uint64_t)i << (64 - c->bits));
    out[c->n] = (uint32_t)n;
}

static og_status cut_all(struct merge *m, og_error *err)
{
    uint64_t n_wordsets = 0, n_keys = 0, most_words = 0;
    const uint64_t most = m->is_mapped ? SHARES_MOST : SHARES_IN_MEMORY;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_totals *t = &m->segments[i]->totals;
        n_wordsets += t->n_wordsets;
        n_keys += t->n_keys;
        if (t->n_words > most_words) most_words = t->n_words;
    }
    m->wordsets.bits = bits_for(n_wordsets / SHARE_WORDSETS, most, 64);
    /* A share is a whole range of the directory. */
    m->words.bits =
        bits_for(n_keys / SHARE_KEYS, most, og_directory_bits(most_words));
    m->wordsets.n = (size_t)1 << m->wordsets.bits;
    m->words.n = (size_t)1 << m->words.bits;
    const size_t n_shares = m->wordsets.n + m->words.n;
    m->scratch_len = n_shares * sizeof(struct merge_share) +
                     (m->n * (n_shares + 2) + m->words.n) * sizeof(uint32_t);
    m->scratch = og_allocate_zero(m->allocator, m->scratch_len);
    if (m->scratch == NULL)
        return og_error_memory(err, m->scratch_len, "a segment");
    m->wordsets.share = m->scratch;
    m->words.share = m->wordsets.share + m->wordsets.n;
    m->wordsets.at = (uint32_t *)(m->words.share + m->words.n);
    m->words.at = m->wordsets.at + m->n * (m->wordsets.n + 1);
    m->dropped = (_Atomic uint32_t *)(m->words.at + m->n * (m->words.n + 1));
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_segment *from = m->segments[i];
        cut_list(&m->wordsets, from->wordset_hashes, from->totals.n_wordsets,
                 m->wordsets.at + i * (m->wordsets.n + 1));
        cut_list(&m->words, from->words, from->totals.n_words,
                 m->words.at + i * (m->words.n + 1));
    }
    return OG_OK;
}

/* ---- before anything is written ---- */

static og_status add_totals(struct merge *m, og_error *err)
{
    struct og_sentence_totals *f = &m->totals;
    f->latest = INT64_MIN;
    f->signature_bits = m->segments[0]->totals.signature_bits;
    f->word_bits = m->segments[0]->totals.word_bits;
    f->no_texts = m->segments[0]->totals.no_texts;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_totals *from = &m->segments[i]->totals;
        m->is_mapped |= m->segments[i]->file.is_mapped;
        m->first_document[i] = f->n_documents;
        m->first_sentence[i] = f->n_sentences;
        m->first_name[i] = m->names_len;
        m->names_len += og_sentence_part_len(m->segments[i], OG_PART_NAMES);
        m->packed_len += og_sentence_part_len(m->segments[i], OG_PART_TEXTS);
        m->first_text[i] = f->text_len;
        f->n_documents += from->n_documents;
        f->n_sentences += from->n_sentences;
        f->n_blocks += from->n_blocks;
        f->text_len += from->text_len;
        if (from->latest > f->latest) f->latest = from->latest;
    }
    if (f->n_sentences < UINT32_MAX && f->n_documents < UINT32_MAX)
        return OG_OK;
    return og_error_set(err, OG_ERR_LIMIT,
                        "more than %u sentences in one segment", UINT32_MAX);
}

/* Then the places of a wordset are those of one segment after the other. */
static bool documents_are_in_order(const struct merge *m)
{
    struct merge_looks looks = {m, 0};
    int64_t before = INT64_MIN, latest = INT64_MIN;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_segment *from = m->segments[i];
        for (size_t k = 0; k < from->totals.n_documents; k++) {
            const int64_t time = from->documents[k].time;
            if (time < before) return false;
            if (time > latest) latest = time;
            merge_count_looks(&looks, sizeof(*from->documents));
        }
        before = latest;
    }
    return true;
}

static og_status lay_numbers(struct merge *m, og_error *err)
{
    uint64_t n_wordsets = 0;
    for (size_t i = 0; i < m->n; i++)
        n_wordsets += m->segments[i]->totals.n_wordsets;
    TRY(og_pages_init(&m->pages, (n_wordsets + 1) * sizeof(uint32_t),
                      m->allocator, err));
    uint32_t *at = m->pages.data;
    for (size_t i = 0; i < m->n; i++) {
        m->number[i] = at;
        at += m->segments[i]->totals.n_wordsets;
    }
    return OG_OK;
}

/* ---- counting ---- */

/* Of equal wordsets the first one's keys are kept. */
static void drop_keys(const struct merge *m, const struct merge_walk *w,
                      uint32_t *dropped)
{
    for (size_t i = 1; i < w->n_here; i++) {
        const struct og_sentence_segment *from = m->segments[w->segment[i]];
        const uint64_t *starts = from->wordset_starts + w->place[i];
        for (uint64_t k = starts[0]; k < starts[1]; k++)
            dropped[(uint64_t)from->keys[k] << m->words.bits >> 32]++;
    }
}

static void count_wordsets(struct merge *m, size_t piece)
{
    uint32_t dropped[SHARES_MOST];
    struct merge_share *share = &m->wordsets.share[piece];
    memset(dropped, 0, m->words.n * sizeof(*dropped));
    struct merge_walk w = og_merge_walk_share(m, &m->wordsets, piece);
    while (og_merge_walk_next(&w)) {
        const uint64_t *starts =
            m->segments[w.segment[0]]->wordset_starts + w.place[0];
        share->n++;
        share->n_keys += starts[1] - starts[0];
        if (w.n_here > 1) drop_keys(m, &w, dropped);
    }
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t *at = og_merge_cut_of(&m->wordsets, i) + piece;
        const uint32_t *starts = m->segments[i]->place_starts;
        share->n_places += starts[at[1]] - starts[at[0]];
    }
    for (size_t i = 0; i < m->words.n; i++)
        if (dropped[i] != 0) atomic_fetch_add(&m->dropped[i], dropped[i]);
}

static void count_words(struct merge *m, size_t piece)
{
    struct merge_share *share = &m->words.share[piece];
    struct merge_walk w = og_merge_walk_share(m, &m->words, piece);
    while (og_merge_walk_next(&w))
        share->n++;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t *at = og_merge_cut_of(&m->words, i) + piece;
        const uint64_t *starts = m->segments[i]->word_starts;
        share->n_keys += starts[at[1]] - starts[at[0]];
    }
}

static og_status count_piece(void *ctx, void *worker, size_t piece,
                             og_error *err)
{
    struct merge *m = ctx;
    (void)worker;
    TRY(og_stop_check(err));
    if (piece < m->wordsets.n)
        count_wordsets(m, piece);
    else
        count_words(m, piece - m->wordsets.n);
    og_merge_release_pages(m);
    return OG_OK;
}

/* From how many are in each share to how many are before it; returns the sums
 * of all. */
static struct merge_share add_up(const struct merge_cut *c)
{
    struct merge_share sum = {0, 0, 0};
    for (size_t i = 0; i < c->n; i++) {
        const struct merge_share here = c->share[i];
        c->share[i] = sum;
        sum.n += here.n;
        sum.n_keys += here.n_keys;
        sum.n_places += here.n_places;
    }
    return sum;
}

/* A crafted file may have more dropped keys than there are. */
static bool take_dropped(const struct merge *m)
{
    bool good = true;
    for (size_t i = 0; i < m->words.n; i++) {
        const uint32_t dropped = atomic_load(&m->dropped[i]);
        good &= dropped <= m->words.share[i].n_keys;
        m->words.share[i].n_keys -= dropped;
    }
    return good;
}

static og_status lay_out(struct merge *m, const char *path, og_error *err)
{
    bool agree = take_dropped(m);
    const struct merge_share wordsets = add_up(&m->wordsets),
                             words = add_up(&m->words);
    agree &= wordsets.n_keys == words.n_keys;
    if (!agree)
        return og_error_set(
            err, OG_ERR_STORE,
            "segments of sentences do not agree about the words "
            "of a sentence");
    m->totals.n_wordsets = wordsets.n;
    m->totals.n_keys = wordsets.n_keys;
    m->totals.n_words = words.n;
    return og_segment_output_init(&m->out, path, &m->totals, m->names_len,
                                  m->packed_len, m->phases, m->allocator, err);
}

/* ---- the whole ---- */

static og_status write_all(struct merge *m, og_error *err)
{
    TRY(og_phases_step(m->phases, "merge", m->wordsets.n + m->n + 2,
                       og_merge_wordset_piece, m, err));
    return og_phases_step(m->phases, "merge", m->words.n + og_merge_n_runs(m),
                          og_merge_word_piece, m, err);
}

static og_status prepare(struct merge *m, const char *path, og_error *err)
{
    TRY(add_totals(m, err));
    m->is_mapped |= path != NULL;
    TRY(lay_numbers(m, err));
    TRY(cut_all(m, err));
    m->is_in_order = documents_are_in_order(m);
    TRY(og_phases_step(m->phases, "merge", m->wordsets.n + m->words.n,
                       count_piece, m, err));
    return lay_out(m, path, err);
}

og_status
og_sentence_segments_merge(const struct og_sentence_segment *const *segments,
                           size_t n, const char *path,
                           const struct og_phases *phases,
                           const og_allocator *allocator,
                           struct og_sentence_segment *out, og_error *err)
{
    struct merge m = {
        .segments = segments, .n = n, .allocator = allocator, .phases = phases};
    og_status status = prepare(&m, path, err);
    if (status == OG_OK) {
        status = write_all(&m, err);
        for (size_t i = 0; i < n; i++)
            og_sentence_segment_forget(segments[i]); /* they are done */
        status = og_segment_output_end(&m.out, status, out, err);
    }
    og_release(allocator, m.scratch, m.scratch_len);
    og_pages_release(&m.pages);
    return status;
}
