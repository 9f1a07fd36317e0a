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

#define _GNU_SOURCE
#include "lib/sentence/index/segment_merge.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/stopping.h"
#include "lib/os/pages.h"
#include "lib/sentence/index/segment_output.h"

enum {
    SHARE_WORDSETS = 1024, /* a tenth of a millisecond */
    SHARE_KEYS = 16384,
    SHARES_IN_MEMORY = 64,
    SHARES_MOST = 4096, /* of files: some megabytes each, for a large one */
    RUN = 32768         /* documents or sentences of a piece */
};

struct share {
    uint64_t n, n_keys, n_places; /* in it; after adding up: before it */
};

/* The range of all hashes, in 2^bits shares. */
struct cut {
    unsigned bits;
    size_t n;
    uint32_t *at; /* of each segment: n + 1 places in its list */
    struct share *share;
};

struct merge {
    const struct og_sentence_segment *const *segments;
    size_t n;
    const og_allocator *allocator;
    const struct og_phases *phases;
    struct og_sentence_totals totals;
    struct og_segment_output out;
    /* For every segment: the totals of those before it. */
    uint64_t first_document[OG_SENTENCE_SEGMENTS_MOST],
        first_sentence[OG_SENTENCE_SEGMENTS_MOST];
    uint64_t first_name[OG_SENTENCE_SEGMENTS_MOST],
        first_text[OG_SENTENCE_SEGMENTS_MOST];
    uint64_t names_len, packed_len;
    bool is_mapped;   /* one of them, or the result */
    bool is_in_order; /* no document is earlier than one of a segment before */
    struct og_pages pages;
    uint32_t
        *number[OG_SENTENCE_SEGMENTS_MOST]; /* new numbers of its wordsets */
    struct cut wordsets, words;
    _Atomic uint32_t *dropped; /* keys of each share of the words */
    void *scratch;
    size_t scratch_len;
};

/* ---- memory ---- */

/* Segments in files are read a share at a time. The pages that were read are
 * released regularly, so that no more than this counts as memory. */
#define MOST_MAPPED ((uint64_t)24 << 20)
#define LOOK_AFTER  ((size_t)1 << 20) /* bytes read between two releases */
/* What reading one random position counts: the system also loads its
 * neighbourhood, 64 KiB in all, where the next reads often fall. */
#define FAR_LOOK ((size_t)4096)

/* A piece; what it has read since memory was last released. */
struct looks {
    const struct merge *merge;
    size_t n_bytes;
};

static void release_pages(struct looks *l)
{
    const struct merge *m = l->merge;
    l->n_bytes = 0;
    if (og_mapped_resident() <= MOST_MAPPED) return;
    for (size_t i = 0; i < m->n; i++)
        og_sentence_segment_forget(m->segments[i]);
}

static inline void count_looks(struct looks *l, size_t n_bytes)
{
    l->n_bytes += n_bytes;
    if (l->n_bytes >= LOOK_AFTER && l->merge->is_mapped) release_pages(l);
}

/* ---- walking over sorted lists ---- */

struct walk {
    struct looks looks;
    const uint64_t *list[OG_SENTENCE_SEGMENTS_MOST];
    size_t at[OG_SENTENCE_SEGMENTS_MOST], end[OG_SENTENCE_SEGMENTS_MOST];
    size_t n;
    uint64_t value;
    /* The segments that have the value, and where. */
    size_t n_here, segment[OG_SENTENCE_SEGMENTS_MOST],
        place[OG_SENTENCE_SEGMENTS_MOST];
};

static bool walk_next(struct walk *w)
{
    uint64_t value = UINT64_MAX;
    size_t n_here = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->at[i] == w->end[i]) continue;
        const uint64_t v = w->list[i][w->at[i]];
        if (v > value) continue;
        if (v < value) n_here = 0;
        value = v;
        w->segment[n_here] = i;
        w->place[n_here++] = w->at[i];
    }
    for (size_t k = 0; k < n_here; k++)
        w->at[w->segment[k]]++;
    w->value = value;
    w->n_here = n_here;
    count_looks(&w->looks, n_here * sizeof(uint64_t));
    return n_here != 0;
}

static const uint32_t *places_of(const struct merge *m, const struct cut *c,
                                 size_t segment)
{
    (void)m;
    return c->at + segment * (c->n + 1);
}

static struct walk walk_share(const struct merge *m, const struct cut *c,
                              size_t share)
{
    struct walk w;
    w.looks = (struct looks){m, 0};
    w.n = m->n;
    w.n_here = 0;
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = c == &m->wordsets ? m->segments[i]->wordset_hashes
                                      : m->segments[i]->words;
        w.at[i] = places_of(m, c, i)[share];
        w.end[i] = places_of(m, c, i)[share + 1];
    }
    return w;
}

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

static void cut_list(const struct cut *c, const uint64_t *list, uint64_t n,
                     uint32_t *out)
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
    m->scratch_len = n_shares * sizeof(struct share) +
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
    struct looks looks = {m, 0};
    int64_t before = INT64_MIN, latest = INT64_MIN;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_segment *from = m->segments[i];
        for (size_t k = 0; k < from->totals.n_documents; k++) {
            const int64_t time = from->documents[k].time;
            if (time < before) return false;
            if (time > latest) latest = time;
            count_looks(&looks, sizeof(*from->documents));
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
static void drop_keys(const struct merge *m, const struct walk *w,
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
    struct share *share = &m->wordsets.share[piece];
    memset(dropped, 0, m->words.n * sizeof(*dropped));
    struct walk w = walk_share(m, &m->wordsets, piece);
    while (walk_next(&w)) {
        const uint64_t *starts =
            m->segments[w.segment[0]]->wordset_starts + w.place[0];
        share->n++;
        share->n_keys += starts[1] - starts[0];
        if (w.n_here > 1) drop_keys(m, &w, dropped);
    }
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t *at = places_of(m, &m->wordsets, i) + piece;
        const uint32_t *starts = m->segments[i]->place_starts;
        share->n_places += starts[at[1]] - starts[at[0]];
    }
    for (size_t i = 0; i < m->words.n; i++)
        if (dropped[i] != 0) atomic_fetch_add(&m->dropped[i], dropped[i]);
}

static void count_words(struct merge *m, size_t piece)
{
    struct share *share = &m->words.share[piece];
    struct walk w = walk_share(m, &m->words, piece);
    while (walk_next(&w))
        share->n++;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t *at = places_of(m, &m->words, i) + piece;
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
    return OG_OK;
}

/* From how many are in each share to how many are before it; returns the sums
 * of all. */
static struct share add_up(const struct cut *c)
{
    struct share sum = {0, 0, 0};
    for (size_t i = 0; i < c->n; i++) {
        const struct share here = c->share[i];
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
    const struct share wordsets = add_up(&m->wordsets),
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

/* What is before share `i`; of all, after the last one. */
static struct share share_at(const struct merge *m, const struct cut *c,
                             size_t i)
{
    const struct og_sentence_totals *t = &m->totals;
    if (i < c->n) return c->share[i];
    return (struct share){c == &m->wordsets ? t->n_wordsets : t->n_words,
                          t->n_keys, t->n_sentences};
}

/* ---- wordsets ---- */

struct wordset_lists {
    struct og_part_list hashes, starts, keys, bitmaps, place_starts, places,
        signatures;
};

static int64_t time_of(struct looks *looks,
                       const struct og_sentence_segment *from, uint32_t place)
{
    count_looks(looks, FAR_LOOK);
    return from->documents[from->sentences[place].document].time;
}

/* Those of one segment are in order. */
static void put_places(const struct merge *m, struct og_part_list *list,
                       size_t segment, uint32_t begin, uint32_t end)
{
    const uint32_t *places = m->segments[segment]->places;
    const uint32_t shift = (uint32_t)m->first_sentence[segment];
    for (uint32_t k = begin; k < end; k++)
        og_part_put32(list, places[k] + shift);
}

/* The places of a wordset in one segment, and the time of the next. */
struct wordset_places {
    size_t segment;
    uint32_t at, end;
    int64_t time;
};

static void find_time(const struct merge *m, struct looks *looks,
                      struct wordset_places *p)
{
    const struct og_sentence_segment *from = m->segments[p->segment];
    if (p->at < p->end) p->time = time_of(looks, from, from->places[p->at]);
}

/* The list whose next place is the earliest; of equal ones the first. NULL:
 * none has a next place. */
static struct wordset_places *earliest(struct wordset_places *lists, size_t n)
{
    struct wordset_places *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (lists[i].at < lists[i].end &&
            (best == NULL || lists[i].time < best->time))
            best = &lists[i];
    return best;
}

/* By time, then by arrival. A wordset that most documents contain leads to most
 * of a segment: each read counts by itself. */
static void put_by_time(const struct merge *m, struct walk *w,
                        struct og_part_list *out)
{
    struct wordset_places lists[OG_SENTENCE_SEGMENTS_MOST], *next;
    for (size_t i = 0; i < w->n_here; i++) {
        const uint32_t *starts =
            m->segments[w->segment[i]]->place_starts + w->place[i];
        lists[i] =
            (struct wordset_places){w->segment[i], starts[0], starts[1], 0};
        find_time(m, &w->looks, &lists[i]);
    }
    while ((next = earliest(lists, w->n_here)) != NULL) {
        put_places(m, out, next->segment, next->at, next->at + 1);
        next->at++;
        find_time(m, &w->looks, next);
    }
}

/* Returns how many. */
static uint64_t put_places_of(const struct merge *m, struct walk *w,
                              struct og_part_list *out)
{
    uint64_t n = 0;
    const bool one_by_one = w->n_here == 1 || m->is_in_order;
    for (size_t i = 0; i < w->n_here; i++) {
        const uint32_t *starts =
            m->segments[w->segment[i]]->place_starts + w->place[i];
        n += starts[1] - starts[0];
        if (one_by_one) put_places(m, out, w->segment[i], starts[0], starts[1]);
    }
    if (!one_by_one) put_by_time(m, w, out);
    count_looks(&w->looks, n * sizeof(uint32_t));
    return n;
}

static void put_wordset(const struct merge *m, struct walk *w,
                        struct share *before, struct wordset_lists *l)
{
    const struct og_sentence_segment *from = m->segments[w->segment[0]];
    const size_t wordset = w->place[0];
    const uint64_t *starts = from->wordset_starts + wordset;
    const uint64_t n_keys = starts[1] - starts[0];
    const size_t len = m->totals.signature_bits / 8;
    for (size_t i = 0; i < w->n_here; i++)
        m->number[w->segment[i]][w->place[i]] = (uint32_t)before->n;
    og_part_put64(&l->hashes, w->value);
    og_part_put64(&l->starts, before->n_keys);
    og_part_put_bytes(&l->keys, from->keys + starts[0],
                      n_keys * sizeof(*from->keys));
    og_part_put_bytes(&l->bitmaps, &from->bitmaps[wordset],
                      sizeof(*from->bitmaps));
    og_part_put_bytes(&l->signatures, from->signatures + wordset * len, len);
    og_part_put32(&l->place_starts, (uint32_t)before->n_places);
    before->n_places += put_places_of(m, w, &l->places);
    before->n_keys += n_keys;
    before->n++;
    count_looks(&w->looks, n_keys * sizeof(uint32_t) + 40);
}

static og_status write_wordsets(struct merge *m, size_t piece, og_error *err)
{
    struct share before = share_at(m, &m->wordsets, piece);
    const struct share end = share_at(m, &m->wordsets, piece + 1);
    const uint64_t last =
        piece + 1 == m->wordsets.n; /* the end of the starts */
    const size_t len = m->totals.signature_bits / 8;
    struct wordset_lists l;
    struct {
        struct og_part_list *list;
        unsigned part;
        uint64_t begin, end;
    } lists[] = {
        {&l.hashes, OG_PART_FORM_HASHES, 8 * before.n, 8 * end.n},
        {&l.starts, OG_PART_FORM_STARTS, 8 * before.n, 8 * (end.n + last)},
        {&l.keys, OG_PART_KEYS, 4 * before.n_keys, 4 * end.n_keys},
        {&l.bitmaps, OG_PART_BITMAPS, 16 * before.n, 16 * end.n},
        {&l.place_starts, OG_PART_PLACE_STARTS, 4 * before.n,
         4 * (end.n + last)},
        {&l.places, OG_PART_PLACES, 4 * before.n_places, 4 * end.n_places},
        {&l.signatures, OG_PART_SIGNATURES, len * before.n, len * end.n}};
    enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };
    for (size_t i = 0; i < N_LISTS; i++)
        og_part_list_init(lists[i].list, &m->out, lists[i].part, lists[i].begin,
                          lists[i].end);
    struct walk w = walk_share(m, &m->wordsets, piece);
    while (walk_next(&w))
        put_wordset(m, &w, &before, &l);
    if (last) {
        og_part_put64(&l.starts, before.n_keys);
        og_part_put32(&l.place_starts, (uint32_t)before.n_places);
    }
    og_status status = OG_OK;
    for (size_t i = 0; i < N_LISTS; i++)
        status = og_part_list_finish(lists[i].list, status, err);
    return status;
}

/* ---- names and texts ---- */

static og_status write_id_hashes(struct merge *m, og_error *err)
{
    struct og_part_list list;
    struct walk w = {.looks = {m, 0}, .n = m->n};
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = m->segments[i]->id_hashes;
        w.end[i] = m->segments[i]->totals.n_documents;
    }
    og_part_list_init(&list, &m->out, OG_PART_ID_HASHES, 0,
                      m->totals.n_documents * sizeof(uint64_t));
    while (walk_next(&w))
        for (size_t i = 0; i < w.n_here; i++)
            og_part_put64(&list, w.value);
    return og_part_list_finish(&list, OG_OK, err);
}

static og_status write_text_starts(struct merge *m, og_error *err)
{
    struct og_part_list list;
    uint64_t packed = 0;
    og_part_list_init(&list, &m->out, OG_PART_TEXT_STARTS, 0,
                      16 * (m->totals.n_blocks + 1));
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_segment *from = m->segments[i];
        for (size_t k = 0; k < from->totals.n_blocks; k++) {
            og_part_put64(&list, from->text_starts[2 * k] + m->first_text[i]);
            og_part_put64(&list, from->text_starts[2 * k + 1] + packed);
        }
        packed += og_sentence_part_len(from, OG_PART_TEXTS);
    }
    og_part_put64(&list, m->totals.text_len);
    og_part_put64(&list, packed);
    return og_part_list_finish(&list, OG_OK, err);
}

static og_status write_bytes(struct merge *m, unsigned part, uint64_t off,
                             const void *data, size_t len, og_error *err)
{
    struct looks looks = {m, 0};
    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < LOOK_AFTER ? len - at : LOOK_AFTER;
        TRY(og_placed_segment_write(&m->out.placed, part, off + at,
                                    (const uint8_t *)data + at, n, err));
        count_looks(&looks, n);
    }
    return OG_OK;
}

/* Names and texts of one segment. */
static og_status write_texts(struct merge *m, size_t segment, og_error *err)
{
    const struct og_sentence_segment *from = m->segments[segment];
    uint64_t packed = 0;
    for (size_t i = 0; i < segment; i++)
        packed += og_sentence_part_len(m->segments[i], OG_PART_TEXTS);
    TRY(write_bytes(m, OG_PART_NAMES, m->first_name[segment], from->names,
                    og_sentence_part_len(from, OG_PART_NAMES), err));
    return write_bytes(m, OG_PART_TEXTS, packed, from->texts,
                       og_sentence_part_len(from, OG_PART_TEXTS), err);
}

/* After the wordsets: their texts; id hashes; starts of texts. */
static og_status write_wordset_piece(void *ctx, void *worker, size_t piece,
                                     og_error *err)
{
    struct merge *m = ctx;
    (void)worker;
    TRY(og_stop_check(err));
    if (piece < m->wordsets.n) return write_wordsets(m, piece, err);
    piece -= m->wordsets.n;
    if (piece < m->n) return write_texts(m, piece, err);
    return piece == m->n ? write_id_hashes(m, err) : write_text_starts(m, err);
}

/* ---- words ---- */

struct word_lists {
    struct og_part_list words, starts, counts, postings, marks;
    struct og_directory_share directory;
};

/* The next posting of a word in one segment. */
struct head {
    const struct og_sentence_segment *segment;
    const uint32_t *number;
    uint64_t at, end;
};

static inline uint32_t wordset_of(const struct head *h)
{
    return h->number[h->segment->postings[h->at]];
}

static inline uint32_t mark_of(const struct og_sentence_segment *m, uint64_t at)
{
    return m->marks != NULL ? m->marks[at]
                            : og_word_mark(&m->bitmaps[m->postings[at]]);
}

static void put_posting(struct word_lists *l, struct head *h)
{
    og_part_put32(&l->postings, wordset_of(h));
    og_part_put32(&l->marks, mark_of(h->segment, h->at));
    h->at++;
}

/* Room for so many postings is there; the caller says how many it used. */
static size_t room_for(struct word_lists *l)
{
    const size_t postings = og_part_list_room(&l->postings);
    const size_t marks = og_part_list_room(&l->marks);
    return (postings < marks ? postings : marks) / sizeof(uint32_t);
}

static void put_rest(struct word_lists *l, struct head *h)
{
    const uint32_t *number = h->number, *from = h->segment->postings;
    while (h->at < h->end) {
        const size_t room = room_for(l), left = h->end - h->at;
        const size_t n = room < left ? room : left;
        uint32_t *restrict wordsets = (uint32_t *)l->postings.at;
        uint32_t *restrict marks = (uint32_t *)l->marks.at;
        for (size_t i = 0; i < n; i++)
            wordsets[i] = number[from[h->at + i]];
        for (size_t i = 0; i < n; i++)
            marks[i] = mark_of(h->segment, h->at + i);
        l->postings.at += n * sizeof(*wordsets);
        l->marks.at += n * sizeof(*marks);
        h->at += n;
    }
}

/* Two lists, without branches that depend on their order. */
static size_t merge_two(struct head *a, struct head *b,
                        uint32_t *restrict wordsets, uint32_t *restrict marks,
                        size_t room)
{
    const uint32_t *p = a->segment->postings, *q = b->segment->postings;
    uint64_t i = a->at, k = b->at;
    size_t n = 0;
    while (i < a->end && k < b->end && n < room) {
        const uint32_t x = a->number[p[i]], y = b->number[q[k]];
        const uint32_t mark_x = mark_of(a->segment, i);
        const uint32_t mark_y = mark_of(b->segment, k);
        wordsets[n] = x < y ? x : y;
        marks[n++] = x <= y ? mark_x : mark_y;
        i += x <= y;
        k += y <= x;
    }
    a->at = i;
    b->at = k;
    return n;
}

static void put_two(struct word_lists *l, struct head *a, struct head *b)
{
    while (a->at < a->end && b->at < b->end) {
        const size_t room = room_for(l);
        const size_t n = merge_two(a, b, (uint32_t *)l->postings.at,
                                   (uint32_t *)l->marks.at, room);
        l->postings.at += n * sizeof(uint32_t);
        l->marks.at += n * sizeof(uint32_t);
    }
    put_rest(l, a);
    put_rest(l, b);
}

static void put_many(struct word_lists *l, struct head *heads, size_t n)
{
    while (n > 2) {
        struct head *least = &heads[0];
        uint32_t wordset = wordset_of(least);
        for (size_t i = 1; i < n; i++) {
            const uint32_t other = wordset_of(&heads[i]);
            if (other < wordset) least = &heads[i];
            if (other < wordset) wordset = other;
        }
        put_posting(l, least);
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            heads[i].at +=
                heads[i].at < heads[i].end && wordset_of(&heads[i]) == wordset;
            if (heads[i].at < heads[i].end) heads[kept++] = heads[i];
        }
        n = kept;
    }
    if (n == 2) put_two(l, &heads[0], &heads[1]);
    if (n == 1) put_rest(l, &heads[0]);
}

/* The wordsets that contain a word, ascending, each once: equal wordsets have
 * equal marks. */
static void put_postings(const struct merge *m, struct walk *w,
                         struct word_lists *l)
{
    struct head heads[OG_SENTENCE_SEGMENTS_MOST];
    uint64_t n = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < w->n_here; i++) {
        const struct og_sentence_segment *from = m->segments[w->segment[i]];
        const uint64_t *starts = from->word_starts + w->place[i];
        heads[i] =
            (struct head){from, m->number[w->segment[i]], starts[0], starts[1]};
        n += starts[1] - starts[0];
        count += from->counts[w->place[i]];
    }
    og_part_put32(&l->counts, count);
    if (w->n_here == 1)
        put_rest(l, &heads[0]);
    else if (w->n_here == 2)
        put_two(l, &heads[0], &heads[1]);
    else
        put_many(l, heads, w->n_here);
    count_looks(&w->looks, n * 2 * sizeof(uint32_t));
}

static og_status write_words(struct merge *m, size_t piece, og_error *err)
{
    const struct share before = share_at(m, &m->words, piece);
    const struct share end = share_at(m, &m->words, piece + 1);
    const uint64_t last = piece + 1 == m->words.n;
    const unsigned shift = m->out.totals.directory_bits - m->words.bits;
    const uint64_t marks = 4 * m->totals.n_keys;
    uint64_t number = before.n;
    struct word_lists l;
    struct {
        struct og_part_list *list;
        unsigned part;
        uint64_t begin, end;
    } lists[] = {
        {&l.words, OG_PART_WORDS, 8 * before.n, 8 * end.n},
        {&l.starts, OG_PART_WORD_STARTS, 8 * before.n, 8 * (end.n + last)},
        {&l.counts, OG_PART_COUNTS, 4 * before.n, 4 * end.n},
        {&l.postings, OG_PART_POSTINGS, 4 * before.n_keys, 4 * end.n_keys},
        {&l.marks, OG_PART_POSTINGS, marks + 4 * before.n_keys,
         marks + 4 * end.n_keys}};
    enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };
    for (size_t i = 0; i < N_LISTS; i++)
        og_part_list_init(lists[i].list, &m->out, lists[i].part, lists[i].begin,
                          lists[i].end);
    og_directory_share_init(&l.directory, &m->out, (uint64_t)piece << shift,
                            ((uint64_t)(piece + 1) << shift) + last);
    struct walk w = walk_share(m, &m->words, piece);
    for (; walk_next(&w); number++) {
        og_part_put64(&l.words, w.value);
        og_part_put64(&l.starts, og_part_list_off(&l.postings) / 4);
        og_directory_share_put(&l.directory, w.value, number);
        put_postings(m, &w, &l);
    }
    if (last) og_part_put64(&l.starts, m->totals.n_keys);
    og_status status =
        og_directory_share_finish(&l.directory, number, OG_OK, err);
    for (size_t i = 0; i < N_LISTS; i++)
        status = og_part_list_finish(lists[i].list, status, err);
    return status;
}

/* ---- documents and sentences ---- */

static og_status write_documents(struct merge *m, size_t segment, size_t begin,
                                 size_t end, og_error *err)
{
    const struct og_sentence_segment_document *from =
        m->segments[segment]->documents;
    const uint64_t first = m->first_document[segment];
    struct looks looks = {m, 0};
    struct og_part_list list;
    og_part_list_init(&list, &m->out, OG_PART_DOCUMENTS,
                      (first + begin) * sizeof(*from),
                      (first + end) * sizeof(*from));
    for (size_t k = begin; k < end; k++) {
        struct og_sentence_segment_document d = from[k];
        d.name_off += m->first_name[segment];
        d.text_off += m->first_text[segment];
        d.first_sentence += (uint32_t)m->first_sentence[segment];
        og_part_put_bytes(&list, &d, sizeof(d));
        count_looks(&looks, sizeof(d));
    }
    return og_part_list_finish(&list, OG_OK, err);
}

static og_status write_sentences(struct merge *m, size_t segment, size_t begin,
                                 size_t end, og_error *err)
{
    const struct og_sentence_segment_sentence *from =
        m->segments[segment]->sentences;
    const uint64_t first = m->first_sentence[segment];
    struct looks looks = {m, 0};
    struct og_part_list list;
    og_part_list_init(&list, &m->out, OG_PART_SENTENCES,
                      (first + begin) * sizeof(*from),
                      (first + end) * sizeof(*from));
    for (size_t k = begin; k < end; k++) {
        struct og_sentence_segment_sentence s = from[k];
        s.document += (uint32_t)m->first_document[segment];
        s.wordset = m->number[segment][s.wordset];
        og_part_put_bytes(&list, &s, sizeof(s));
        count_looks(&looks, sizeof(s));
    }
    return og_part_list_finish(&list, OG_OK, err);
}

static size_t n_runs(size_t n)
{
    return (n + RUN - 1) / RUN;
}

/* The pieces after the words: runs of each segment, first of documents, then of
 * sentences. */
static og_status write_run(struct merge *m, size_t piece, og_error *err)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_totals *t = &m->segments[i]->totals;
        const size_t n_all[] = {t->n_documents, t->n_sentences};
        for (unsigned kind = 0; kind < 2; kind++) {
            const size_t n = n_all[kind], begin = piece * RUN;
            if (piece >= n_runs(n)) {
                piece -= n_runs(n);
                continue;
            }
            const size_t end = n - begin < RUN ? n : begin + RUN;
            return kind == 0 ? write_documents(m, i, begin, end, err)
                             : write_sentences(m, i, begin, end, err);
        }
    }
    return OG_OK;
}

static size_t n_all_runs(const struct merge *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += n_runs(m->segments[i]->totals.n_documents) +
             n_runs(m->segments[i]->totals.n_sentences);
    return n;
}

static og_status write_word_piece(void *ctx, void *worker, size_t piece,
                                  og_error *err)
{
    struct merge *m = ctx;
    (void)worker;
    TRY(og_stop_check(err));
    return piece < m->words.n ? write_words(m, piece, err)
                              : write_run(m, piece - m->words.n, err);
}

/* ---- the whole ---- */

static og_status write_all(struct merge *m, og_error *err)
{
    TRY(og_phases_step(m->phases, "merge", m->wordsets.n + m->n + 2,
                       write_wordset_piece, m, err));
    return og_phases_step(m->phases, "merge", m->words.n + n_all_runs(m),
                          write_word_piece, m, err);
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
