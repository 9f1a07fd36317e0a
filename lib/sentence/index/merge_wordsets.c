/* Merges wordsets, names and texts of segments, a share or a segment a piece.
 */

#include "lib/base/stopping.h"
#include "lib/sentence/index/merge_walk.h"

/* ---- wordsets ---- */

struct wordset_lists {
    struct og_part_list hashes, starts, keys, bitmaps, place_starts, places,
        signatures;
};

static int64_t time_of(struct merge_looks *looks,
                       const struct og_sentence_segment *from, uint32_t place)
{
    merge_count_looks(looks, FAR_LOOK);
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

static void find_time(const struct merge *m, struct merge_looks *looks,
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
static void put_by_time(const struct merge *m, struct merge_walk *w,
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
static uint64_t put_places_of(const struct merge *m, struct merge_walk *w,
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
    merge_count_looks(&w->looks, n * sizeof(uint32_t));
    return n;
}

static void put_wordset(const struct merge *m, struct merge_walk *w,
                        struct merge_share *before, struct wordset_lists *l)
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
    merge_count_looks(&w->looks, n_keys * sizeof(uint32_t) + 40);
}

static og_status write_wordsets(struct merge *m, size_t piece, og_error *err)
{
    struct merge_share before = og_merge_share_at(m, &m->wordsets, piece);
    const struct merge_share end =
        og_merge_share_at(m, &m->wordsets, piece + 1);
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
    struct merge_walk w = og_merge_walk_share(m, &m->wordsets, piece);
    while (og_merge_walk_next(&w))
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
    struct merge_walk w = {.looks = {m, 0}, .n = m->n};
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = m->segments[i]->id_hashes;
        w.end[i] = m->segments[i]->totals.n_documents;
    }
    og_part_list_init(&list, &m->out, OG_PART_ID_HASHES, 0,
                      m->totals.n_documents * sizeof(uint64_t));
    while (og_merge_walk_next(&w))
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
    struct merge_looks looks = {m, 0};
    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < LOOK_AFTER ? len - at : LOOK_AFTER;
        TRY(og_placed_segment_write(&m->out.placed, part, off + at,
                                    (const uint8_t *)data + at, n, err));
        merge_count_looks(&looks, n);
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

static og_status write_piece(struct merge *m, size_t piece, og_error *err)
{
    if (piece < m->wordsets.n) return write_wordsets(m, piece, err);
    piece -= m->wordsets.n;
    if (piece < m->n) return write_texts(m, piece, err);
    return piece == m->n ? write_id_hashes(m, err) : write_text_starts(m, err);
}

og_status og_merge_wordset_piece(void *ctx, void *worker, size_t piece,
                                 og_error *err)
{
    struct merge *m = ctx;
    (void)worker;
    TRY(og_stop_check(err));
    const og_status status = write_piece(m, piece, err);
    og_merge_release_pages(m);
    return status;
}
