/* Merges words, documents and sentences of segments: a share of the words, or a
 * run of the others, a piece. */

#include "lib/base/stopping.h"
#include "lib/sentence/index/merge_walk.h"

enum { RUN = 32768 }; /* documents or sentences of a piece */

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
static void put_postings(const struct merge *m, struct merge_walk *w,
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
    merge_count_looks(&w->looks, n * 2 * sizeof(uint32_t));
}

static og_status write_words(struct merge *m, size_t piece, og_error *err)
{
    const struct merge_share before = og_merge_share_at(m, &m->words, piece);
    const struct merge_share end = og_merge_share_at(m, &m->words, piece + 1);
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
    struct merge_walk w = og_merge_walk_share(m, &m->words, piece);
    for (; og_merge_walk_next(&w); number++) {
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
    struct merge_looks looks = {m, 0};
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
        merge_count_looks(&looks, sizeof(d));
    }
    return og_part_list_finish(&list, OG_OK, err);
}

static og_status write_sentences(struct merge *m, size_t segment, size_t begin,
                                 size_t end, og_error *err)
{
    const struct og_sentence_segment_sentence *from =
        m->segments[segment]->sentences;
    const uint64_t first = m->first_sentence[segment];
    struct merge_looks looks = {m, 0};
    struct og_part_list list;
    og_part_list_init(&list, &m->out, OG_PART_SENTENCES,
                      (first + begin) * sizeof(*from),
                      (first + end) * sizeof(*from));
    for (size_t k = begin; k < end; k++) {
        struct og_sentence_segment_sentence s = from[k];
        s.document += (uint32_t)m->first_document[segment];
        s.wordset = m->number[segment][s.wordset];
        og_part_put_bytes(&list, &s, sizeof(s));
        merge_count_looks(&looks, sizeof(s));
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

size_t og_merge_n_runs(const struct merge *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += n_runs(m->segments[i]->totals.n_documents) +
             n_runs(m->segments[i]->totals.n_sentences);
    return n;
}

og_status og_merge_word_piece(void *ctx, void *worker, size_t piece,
                              og_error *err)
{
    struct merge *m = ctx;
    (void)worker;
    TRY(og_stop_check(err));
    const og_status status = piece < m->words.n
                                 ? write_words(m, piece, err)
                                 : write_run(m, piece - m->words.n, err);
    og_merge_release_pages(m);
    return status;
}
