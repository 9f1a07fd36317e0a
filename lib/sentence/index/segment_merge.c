/* Merges segments in one sequential pass per part.
 *
 * Documents, sentences and texts are concatenated with their numbers shifted.
 * Forms and words are sorted in every segment, so a parallel walk over all
 * segments meets equal ones together; each part of the new segment is one such
 * walk. Only the new number of every form must be known beforehand. */

#define _GNU_SOURCE
#include "lib/sentence/index/segment_merge.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/stopping.h"
#include "lib/os/pages.h"
#include "lib/sentence/index/segment_parts.h"

struct merge {
    const struct og_sentence_segment *const *images;
    size_t n;
    const og_allocator *allocator;
    struct og_segment_writer *sink;
    struct og_sentence_totals totals;
    /* For every segment: the totals of those before it. */
    uint64_t first_document[OG_IMAGES_MOST], first_sentence[OG_IMAGES_MOST];
    uint64_t first_name[OG_IMAGES_MOST], first_text[OG_IMAGES_MOST];
    struct og_pages pages;
    uint32_t *number[OG_IMAGES_MOST]; /* new numbers of its forms */
    uint32_t *holder;                 /* of a new form: a segment that has it */
    uint32_t *scratch;                /* a list of places */
    size_t scratch_cap;
    uint64_t *postings; /* of a word: forms, with their marks in the low half */
    size_t postings_cap;
    size_t looked_at; /* bytes, since memory was last released */
    bool is_stopped;  /* the output is not used; `err` says why */
    og_error err;
};

/* ---- memory ---- */

/* Segments in files are read sequentially several times. The pages that were
 * read are released regularly, so that no more than this counts as memory. */
#define MOST_MAPPED ((uint64_t)24 << 20)
#define LOOK_AFTER  ((size_t)1 << 20) /* bytes read between two releases */
/* What reading one random position counts: the system also loads its
 * neighbourhood, 64 KiB in all, where the next reads often fall. */
#define FAR_LOOK ((size_t)4096)

static void forget_images(const struct merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        og_sentence_segment_forget(m->images[i]);
}

static void count_looks(struct merge *m, size_t n_bytes)
{
    m->looked_at += n_bytes;
    if (m->looked_at < LOOK_AFTER) return;
    m->looked_at = 0;
    m->is_stopped |= og_stop_check(&m->err) != OG_OK;
    if (og_mapped_resident() > MOST_MAPPED) forget_images(m);
}

/* A whole part of a segment. */
static void write_part(struct merge *m, const void *data, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < LOOK_AFTER ? len - at : LOOK_AFTER;
        count_looks(m, n);
        og_segment_write(m->sink, (const uint8_t *)data + at, n);
    }
}

/* ---- walking over sorted lists ---- */

struct walk {
    struct merge *merge;
    const uint64_t *list[OG_IMAGES_MOST];
    size_t len[OG_IMAGES_MOST], at[OG_IMAGES_MOST];
    size_t n;
    uint64_t value;
    /* The segments that have the value, and where. */
    size_t n_here, image[OG_IMAGES_MOST], place[OG_IMAGES_MOST];
};

static bool walk_next(struct walk *w)
{
    bool any = false;
    count_looks(w->merge, w->n * sizeof(uint64_t));
    w->n_here = 0;
    if (w->merge->is_stopped) return false;
    for (size_t i = 0; i < w->n; i++) {
        if (w->at[i] == w->len[i]) continue;
        const uint64_t value = w->list[i][w->at[i]];
        if (!any || value < w->value) w->value = value;
        any = true;
    }
    w->n_here = 0;
    if (!any) return false;
    for (size_t i = 0; i < w->n; i++) {
        if (w->at[i] == w->len[i] || w->list[i][w->at[i]] != w->value) continue;
        w->image[w->n_here] = i;
        w->place[w->n_here++] = w->at[i]++;
    }
    return true;
}

static struct walk walk_forms(struct merge *m)
{
    struct walk w = {.merge = m, .n = m->n};
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = m->images[i]->form_hashes;
        w.len[i] = m->images[i]->totals.n_forms;
    }
    return w;
}

static struct walk walk_words(struct merge *m)
{
    struct walk w = {.merge = m, .n = m->n};
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = m->images[i]->words;
        w.len[i] = m->images[i]->totals.n_words;
    }
    return w;
}

/* ---- before anything is written ---- */

static og_status count_all(struct merge *m, og_error *err)
{
    struct og_sentence_totals *f = &m->totals;
    uint64_t n_forms = 0, names_len = 0;
    f->latest = INT64_MIN;
    f->signature_bits = m->images[0]->totals.signature_bits;
    f->word_bits = m->images[0]->totals.word_bits;
    f->no_texts = m->images[0]->totals.no_texts;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_totals *from = &m->images[i]->totals;
        m->first_document[i] = f->n_documents;
        m->first_sentence[i] = f->n_sentences;
        m->first_name[i] = names_len;
        names_len += og_sentence_part_len(m->images[i], OG_PART_NAMES);
        m->first_text[i] = f->text_len;
        f->n_documents += from->n_documents;
        f->n_sentences += from->n_sentences;
        f->n_blocks += from->n_blocks;
        f->text_len += from->text_len;
        n_forms += from->n_forms;
        if (from->latest > f->latest) f->latest = from->latest;
    }
    if (f->n_sentences >= UINT32_MAX || f->n_documents >= UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "more than %u sentences in one image", UINT32_MAX);
    return og_pages_init(&m->pages, (2 * n_forms + 1) * sizeof(uint32_t),
                         m->allocator, err);
}

static void number_forms(struct merge *m)
{
    uint32_t *at = m->pages.data;
    for (size_t i = 0; i < m->n; i++) {
        m->number[i] = at;
        at += m->images[i]->totals.n_forms;
    }
    m->holder = at;
    struct walk w = walk_forms(m);
    for (uint32_t form = 0; walk_next(&w); form++) {
        const struct og_sentence_segment *first = m->images[w.image[0]];
        for (size_t i = 0; i < w.n_here; i++)
            m->number[w.image[i]][w.place[i]] = form;
        m->holder[form] = (uint32_t)w.image[0];
        m->totals.n_forms++;
        m->totals.n_keys +=
            first->form_starts[w.place[0] + 1] - first->form_starts[w.place[0]];
    }
    struct walk words = walk_words(m);
    while (walk_next(&words))
        m->totals.n_words++;
}

/* ---- documents and sentences ---- */

static void write_documents(struct merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->images[i]->totals.n_documents; k++) {
            struct og_sentence_segment_document d = m->images[i]->documents[k];
            count_looks(m, sizeof(d));
            d.name_off += m->first_name[i];
            d.text_off += m->first_text[i];
            d.first_sentence += (uint32_t)m->first_sentence[i];
            og_segment_write(m->sink, &d, sizeof(d));
        }
    og_segment_end_section(m->sink);
    for (size_t i = 0; i < m->n; i++)
        write_part(m, m->images[i]->names,
                   og_sentence_part_len(m->images[i], OG_PART_NAMES));
    og_segment_end_section(m->sink);
    struct walk w = {.merge = m, .n = m->n};
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = m->images[i]->id_hashes;
        w.len[i] = m->images[i]->totals.n_documents;
    }
    while (walk_next(&w))
        for (size_t i = 0; i < w.n_here; i++)
            og_segment_write_u64(m->sink, w.value);
    og_segment_end_section(m->sink);
}

static void write_sentences(struct merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->images[i]->totals.n_sentences; k++) {
            struct og_sentence_segment_sentence s = m->images[i]->sentences[k];
            count_looks(m, sizeof(s));
            s.document += (uint32_t)m->first_document[i];
            s.form = m->number[i][s.form];
            og_segment_write(m->sink, &s, sizeof(s));
        }
    og_segment_end_section(m->sink);
}

/* ---- forms ---- */

static void write_forms(struct merge *m)
{
    uint64_t start = 0;
    struct walk w = walk_forms(m);
    while (walk_next(&w))
        og_segment_write_u64(m->sink, w.value);
    og_segment_end_section(m->sink);
    for (w = walk_forms(m); walk_next(&w);) {
        const uint64_t *starts =
            m->images[w.image[0]]->form_starts + w.place[0];
        og_segment_write_u64(m->sink, start);
        start += starts[1] - starts[0];
    }
    og_segment_write_u64(m->sink, start);
    og_segment_end_section(m->sink);
    for (w = walk_forms(m); walk_next(&w);) {
        const struct og_sentence_segment *image = m->images[w.image[0]];
        const uint64_t *starts = image->form_starts + w.place[0];
        count_looks(m, (starts[1] - starts[0]) * sizeof(uint32_t));
        og_segment_write(m->sink, image->keys + starts[0],
                         (starts[1] - starts[0]) * sizeof(uint32_t));
    }
    og_segment_end_section(m->sink);
    for (w = walk_forms(m); walk_next(&w);)
        write_part(m, m->images[w.image[0]]->bitmaps + w.place[0],
                   sizeof(struct og_word_bitmap));
    og_segment_end_section(m->sink);
}

static bool reserve(struct merge *m, size_t n)
{
    return OG_GROW(m->allocator, m->scratch, m->scratch_cap, n);
}

static uint32_t n_places_of(const struct og_sentence_segment *image,
                            size_t form)
{
    return image->place_starts[form + 1] - image->place_starts[form];
}

/* The time of a sentence's document, both anywhere in the segment. */
static int64_t time_of(struct merge *m, size_t image, uint32_t place)
{
    const struct og_sentence_segment *from = m->images[image];
    count_looks(m, FAR_LOOK);
    return from->documents[from->sentences[place].document].time;
}

/* Those of one segment are in order. */
static void copy_places(struct merge *m, size_t image, uint32_t begin,
                        uint32_t end)
{
    count_looks(m, (end - begin) * sizeof(uint32_t));
    for (uint32_t k = begin; k < end; k++)
        og_segment_write_u32(m->sink, m->images[image]->places[k] +
                                          (uint32_t)m->first_sentence[image]);
}

/* The places of a form in one segment, and the time of the next. */
struct places {
    size_t image;
    uint32_t at, end;
    int64_t time;
};

static void find_time(struct merge *m, struct places *p)
{
    if (p->at < p->end)
        p->time = time_of(m, p->image, m->images[p->image]->places[p->at]);
}

/* The list whose next place is the earliest; of equal ones the first. At least
 * one has a next place. */
static struct places *earliest(struct places *lists, size_t n)
{
    struct places *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (lists[i].at < lists[i].end &&
            (best == NULL || lists[i].time < best->time))
            best = &lists[i];
    return best;
}

/* The places of one form, by time, then by arrival. A form that most documents
 * contain leads to most of a segment: each read counts by itself. */
static og_status write_places_of(struct merge *m, const struct walk *w,
                                 og_error *err)
{
    struct places lists[OG_IMAGES_MOST];
    size_t n = 0;
    for (size_t i = 0; i < w->n_here; i++) {
        const uint32_t *starts =
            m->images[w->image[i]]->place_starts + w->place[i];
        lists[i] = (struct places){w->image[i], starts[0], starts[1], 0};
        n += starts[1] - starts[0];
    }
    if (w->n_here == 1) {
        copy_places(m, lists[0].image, lists[0].at, lists[0].end);
        return OG_OK;
    }
    if (!reserve(m, n)) return og_error_memory(err, n * 4, "places");
    for (size_t i = 0; i < w->n_here; i++)
        find_time(m, &lists[i]);
    for (size_t k = 0; k < n; k++) {
        struct places *next = earliest(lists, w->n_here);
        m->scratch[k] = m->images[next->image]->places[next->at++] +
                        (uint32_t)m->first_sentence[next->image];
        find_time(m, next);
    }
    og_segment_write(m->sink, m->scratch, n * sizeof(*m->scratch));
    return OG_OK;
}

static og_status write_places(struct merge *m, og_error *err)
{
    uint32_t start = 0;
    struct walk w = walk_forms(m);
    while (walk_next(&w)) {
        og_segment_write_u32(m->sink, start);
        for (size_t i = 0; i < w.n_here; i++)
            start += n_places_of(m->images[w.image[i]], w.place[i]);
    }
    og_segment_write_u32(m->sink, start);
    og_segment_end_section(m->sink);
    for (w = walk_forms(m); walk_next(&w);)
        TRY(write_places_of(m, &w, err));
    og_segment_end_section(m->sink);
    return OG_OK;
}

/* ---- words ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static uint32_t mark_of(const struct og_sentence_segment *image,
                        uint64_t posting)
{
    return image->marks != NULL
               ? image->marks[posting]
               : og_word_mark(&image->bitmaps[image->postings[posting]]);
}

/* The forms that contain a word, ascending, each once: equal forms have equal
 * marks. */
static og_status gather_postings(struct merge *m, const struct walk *w,
                                 size_t *out_n, og_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_here; i++) {
        const uint64_t *starts =
            m->images[w->image[i]]->word_starts + w->place[i];
        n += starts[1] - starts[0];
    }
    count_looks(m, n * sizeof(uint64_t));
    if (!OG_GROW(m->allocator, m->postings, m->postings_cap, n))
        return og_error_memory(err, n * 8, "postings");
    n = 0;
    for (size_t i = 0; i < w->n_here; i++) {
        const struct og_sentence_segment *image = m->images[w->image[i]];
        const uint64_t *starts = image->word_starts + w->place[i];
        for (uint64_t k = starts[0]; k < starts[1]; k++)
            m->postings[n++] =
                (uint64_t)m->number[w->image[i]][image->postings[k]] << 32 |
                mark_of(image, k);
    }
    *out_n = n;
    if (w->n_here == 1) return OG_OK;
    qsort(m->postings, n, sizeof(*m->postings), compare_numbers);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || m->postings[kept - 1] != m->postings[i])
            m->postings[kept++] = m->postings[i];
    *out_n = kept;
    return OG_OK;
}

/* One half of every posting. */
static og_status write_postings(struct merge *m, unsigned shift, og_error *err)
{
    size_t n;
    for (struct walk w = walk_words(m); walk_next(&w);) {
        TRY(gather_postings(m, &w, &n, err));
        for (size_t i = 0; i < n; i++)
            og_segment_write_u32(m->sink, (uint32_t)(m->postings[i] >> shift));
    }
    return OG_OK;
}

static og_status write_word_lists(struct merge *m,
                                  struct og_directory *directory, og_error *err)
{
    uint64_t start = 0;
    size_t n = 0;
    struct walk w = walk_words(m);
    while (walk_next(&w)) {
        og_segment_write_u64(m->sink, w.value);
        og_directory_add(directory, w.value);
    }
    og_segment_end_section(m->sink);
    for (w = walk_words(m); walk_next(&w); start += n) {
        og_segment_write_u64(m->sink, start);
        TRY(gather_postings(m, &w, &n, err));
    }
    og_segment_write_u64(m->sink, start);
    og_segment_end_section(m->sink);
    for (w = walk_words(m); walk_next(&w);) {
        uint32_t count = 0;
        for (size_t i = 0; i < w.n_here; i++)
            count += m->images[w.image[i]]->counts[w.place[i]];
        og_segment_write_u32(m->sink, count);
    }
    og_segment_end_section(m->sink);
    og_directory_write(directory, m->sink);
    TRY(write_postings(m, 32, err));
    TRY(write_postings(m, 0, err));
    og_segment_end_section(m->sink);
    return OG_OK;
}

static og_status write_words(struct merge *m, og_error *err)
{
    struct og_directory directory;
    TRY(og_directory_init(&directory, m->totals.n_words, m->allocator, err));
    m->totals.directory_bits = directory.n_bits;
    const og_status status = write_word_lists(m, &directory, err);
    og_directory_release(&directory);
    return status;
}

/* ---- texts and signatures ---- */

static void write_texts(struct merge *m)
{
    uint64_t packed = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct og_sentence_segment *image = m->images[i];
        for (size_t k = 0; k < image->totals.n_blocks; k++) {
            og_segment_write_u64(m->sink,
                                 image->text_starts[2 * k] + m->first_text[i]);
            og_segment_write_u64(m->sink,
                                 image->text_starts[2 * k + 1] + packed);
        }
        packed += og_sentence_part_len(image, OG_PART_TEXTS);
    }
    og_segment_write_u64(m->sink, m->totals.text_len);
    og_segment_write_u64(m->sink, packed);
    og_segment_end_section(m->sink);
    for (size_t i = 0; i < m->n; i++)
        write_part(m, m->images[i]->texts,
                   og_sentence_part_len(m->images[i], OG_PART_TEXTS));
    og_segment_end_section(m->sink);
}

/* Forms are requested in ascending order, several times over: their position in
 * the segment that holds them is found by the order of hashes. */
struct signatures {
    struct merge *merge;
    uint32_t *place; /* of a new form, in its holder */
};

static struct og_signature signature_of(const void *ctx, size_t form)
{
    const struct signatures *s = ctx;
    count_looks(s->merge, sizeof(struct og_signature));
    return og_sentence_segment_signature(
        s->merge->images[s->merge->holder[form]], s->place[form]);
}

static og_status write_signatures(struct merge *m, og_error *err)
{
    const size_t n = m->totals.n_forms;
    struct signatures s = {m, NULL};
    if (m->totals.signature_bits == 0)
        return og_write_signatures(m->sink, 0, n, NULL, NULL, m->allocator,
                                   err);
    if (!reserve(m, n + 1)) return og_error_memory(err, n * 4, "signatures");
    s.place = m->scratch;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->images[i]->totals.n_forms; k++)
            if (m->holder[m->number[i][k]] == i)
                s.place[m->number[i][k]] = (uint32_t)k;
    return og_write_signatures(m->sink, m->totals.signature_bits, n, &s,
                               signature_of, m->allocator, err);
}

/* ---- the whole ---- */

static og_status write_all(struct merge *m, og_error *err)
{
    write_documents(m);
    write_sentences(m);
    write_forms(m);
    TRY(write_places(m, err));
    TRY(write_words(m, err));
    if (m->is_stopped) return og_error_pass(err, &m->err);
    write_texts(m);
    TRY(write_signatures(m, err));
    return m->is_stopped ? og_error_pass(err, &m->err) : OG_OK;
}

og_status
og_sentence_segments_merge(const struct og_sentence_segment *const *images,
                           size_t n, const char *path,
                           const og_allocator *allocator,
                           struct og_sentence_segment *out, og_error *err)
{
    struct merge m = {.images = images, .n = n, .allocator = allocator};
    TRY(count_all(&m, err));
    number_forms(&m);
    og_status status = og_segment_writer_new(path, &og_sentence_segment_kind,
                                             allocator, &m.sink, err);
    if (status == OG_OK) {
        status = write_all(&m, err);
        forget_images(&m); /* everything read from now on is of the new one */
        if (status == OG_OK)
            status = og_sentence_segment_finish(m.sink, &m.totals, out, err);
        else
            og_segment_writer_drop(m.sink);
    }
    OG_UNGROW(allocator, m.scratch, m.scratch_cap);
    OG_UNGROW(allocator, m.postings, m.postings_cap);
    og_pages_release(&m.pages);
    return status;
}
