/* Turns a memtable into a segment: its forms are sorted by hash, its words by
 * value, its texts compressed; then the parts are written one after the
 * other. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/stopping.h"
#include "lib/sentence/index/segment_parts.h"
#include "lib/sentence/index/sentence_memtable.h"
#include "lib/sentence/index/sentence_segment.h"

enum { BLOCK_LEN = 32 << 10, PACK_LEVEL = 3 };

struct posting {
    uint64_t word;
    uint32_t form; /* new number */
    uint32_t n_places;
};

struct build {
    const struct og_memtable *heap;
    struct og_segment_writer *sink;
    struct og_sentence_totals totals;
    uint32_t *order;  /* forms by hash */
    uint32_t *number; /* new number of each form */
    uint32_t *places; /* sentences of each form, in the new order */
    uint32_t *starts; /* into `places`, by new number */
    struct posting *postings;
    uint64_t *id_hashes;
    uint64_t *text_starts;
    uint8_t *packed;
    size_t packed_len, packed_cap;
};

/* ---- sorting ---- */

static int compare_forms(const void *a, const void *b, void *ctx)
{
    const struct og_memtable *h = ctx;
    const uint64_t x = h->forms[*(const uint32_t *)a].hash;
    const uint64_t y = h->forms[*(const uint32_t *)b].hash;
    return x < y ? -1 : x > y ? 1 : 0;
}

static int compare_postings(const void *a, const void *b)
{
    const struct posting *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return x->form < y->form ? -1 : x->form > y->form ? 1 : 0;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static int compare_places(const void *a, const void *b, void *ctx)
{
    const struct og_memtable *h = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t s = h->documents[h->sentences[x].document].time;
    const int64_t t = h->documents[h->sentences[y].document].time;
    if (s != t) return s < t ? -1 : 1;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void sort_forms(struct build *b)
{
    const struct og_memtable *h = b->heap;
    for (size_t i = 0; i < h->n_forms; i++)
        b->order[i] = (uint32_t)i;
    qsort_r(b->order, h->n_forms, sizeof(*b->order), compare_forms, (void *)h);
    b->starts[0] = 0;
    for (size_t i = 0; i < h->n_forms; i++) {
        b->number[b->order[i]] = (uint32_t)i;
        b->starts[i + 1] = b->starts[i] + h->forms[b->order[i]].n_places;
    }
    for (size_t i = h->n_sentences; i-- > 0;) /* the last ones first */
        b->places[--b->starts[b->number[h->sentences[i].form] + 1]] =
            (uint32_t)i;
    /* Each start is now that of its own form. */
    memmove(b->starts, b->starts + 1, h->n_forms * sizeof(*b->starts));
    b->starts[h->n_forms] = (uint32_t)h->n_sentences;
    for (size_t i = 0; i < h->n_forms; i++)
        qsort_r(b->places + b->starts[i], b->starts[i + 1] - b->starts[i],
                sizeof(*b->places), compare_places, (void *)h);
}

static void sort_postings(struct build *b)
{
    const struct og_memtable *h = b->heap;
    size_t n = 0;
    for (size_t i = 0; i < h->n_forms; i++) {
        const struct og_memtable_wordset *f = &h->forms[b->order[i]];
        for (size_t k = 0; k < f->n_words; k++)
            b->postings[n++] = (struct posting){h->words[f->first_word + k],
                                                (uint32_t)i, f->n_places};
    }
    qsort(b->postings, n, sizeof(*b->postings), compare_postings);
    for (size_t i = 0; i < n; i++)
        b->totals.n_words +=
            i == 0 || b->postings[i].word != b->postings[i - 1].word;
}

static og_status pack_texts(struct build *b, og_error *err)
{
    const struct og_memtable *h = b->heap;
    size_t n = 0;
    for (size_t at = 0; at < h->texts_len; at += BLOCK_LEN, n++) {
        const size_t left = h->texts_len - at;
        const size_t len = left < BLOCK_LEN ? left : BLOCK_LEN;
        const size_t bound = ZSTD_compressBound(len);
        if (!OG_GROW(h->allocator, b->packed, b->packed_cap,
                     b->packed_len + bound))
            return og_error_memory(err, bound, "texts");
        const size_t packed = ZSTD_compress(b->packed + b->packed_len, bound,
                                            h->texts + at, len, PACK_LEVEL);
        if (ZSTD_isError(packed)) return og_error_memory(err, len, "texts");
        b->text_starts[2 * n] = at;
        b->text_starts[2 * n + 1] = b->packed_len;
        b->packed_len += packed;
    }
    b->text_starts[2 * n] = h->texts_len;
    b->text_starts[2 * n + 1] = b->packed_len;
    b->totals.n_blocks = n;
    return OG_OK;
}

/* ---- writing ---- */

/* A document of a store has none here: the store knows it. */
static og_bytes id_of(const struct og_memtable *h, size_t i)
{
    if (h->documents[i].id_len == 0) return (og_bytes){"", 0};
    return (og_bytes){h->names + h->documents[i].name_off,
                      h->documents[i].id_len};
}

static void write_documents(struct build *b)
{
    const struct og_memtable *h = b->heap;
    og_segment_write(b->sink, h->documents,
                     h->n_documents * sizeof(*h->documents));
    og_segment_end_section(b->sink);
    og_segment_write(b->sink, h->names, h->names_len);
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < h->n_documents; i++)
        b->id_hashes[i] = og_id_hash(id_of(h, i));
    if (h->n_documents > 1)
        qsort(b->id_hashes, h->n_documents, sizeof(*b->id_hashes),
              compare_hashes);
    og_segment_write(b->sink, b->id_hashes,
                     h->n_documents * sizeof(*b->id_hashes));
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < h->n_sentences; i++) {
        struct og_sentence_segment_sentence s = h->sentences[i];
        s.form = b->number[s.form];
        og_segment_write(b->sink, &s, sizeof(s));
    }
    og_segment_end_section(b->sink);
}

static void write_forms(struct build *b)
{
    const struct og_memtable *h = b->heap;
    uint64_t start = 0;
    for (size_t i = 0; i < h->n_forms; i++)
        og_segment_write_u64(b->sink, h->forms[b->order[i]].hash);
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < h->n_forms; i++) {
        og_segment_write_u64(b->sink, start);
        start += h->forms[b->order[i]].n_words;
    }
    og_segment_write_u64(b->sink, start);
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < h->n_forms; i++) {
        const struct og_memtable_wordset *f = &h->forms[b->order[i]];
        for (size_t k = 0; k < f->n_words; k++)
            og_segment_write_u32(b->sink,
                                 og_word_key(h->words[f->first_word + k]));
    }
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < h->n_forms; i++)
        og_segment_write(b->sink, &h->bitmaps[b->order[i]],
                         sizeof(*h->bitmaps));
    og_segment_end_section(b->sink);
    og_segment_write(b->sink, b->starts, (h->n_forms + 1) * sizeof(*b->starts));
    og_segment_end_section(b->sink);
    og_segment_write(b->sink, b->places, h->n_sentences * sizeof(*b->places));
    og_segment_end_section(b->sink);
}

static bool begins_word(const struct build *b, size_t i)
{
    return i == 0 || b->postings[i].word != b->postings[i - 1].word;
}

static og_status write_words(struct build *b, og_error *err)
{
    const size_t n = b->heap->n_words;
    struct og_directory directory;
    TRY(og_directory_init(&directory, b->totals.n_words, b->heap->allocator,
                          err));
    b->totals.directory_bits = directory.n_bits;
    for (size_t i = 0; i < n; i++)
        if (begins_word(b, i))
            og_segment_write_u64(b->sink, b->postings[i].word);
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < n; i++)
        if (begins_word(b, i)) og_segment_write_u64(b->sink, i);
    og_segment_write_u64(b->sink, n);
    og_segment_end_section(b->sink);
    for (size_t i = 0; i < n;) {
        uint32_t count = 0;
        og_directory_add(&directory, b->postings[i].word);
        do
            count += b->postings[i++].n_places;
        while (i < n && !begins_word(b, i));
        og_segment_write_u32(b->sink, count);
    }
    og_segment_end_section(b->sink);
    og_directory_write(&directory, b->sink);
    for (size_t i = 0; i < n; i++)
        og_segment_write_u32(b->sink, b->postings[i].form);
    for (size_t i = 0; i < n; i++)
        og_segment_write_u32(
            b->sink,
            og_word_mark(&b->heap->bitmaps[b->order[b->postings[i].form]]));
    og_segment_end_section(b->sink);
    og_directory_release(&directory);
    return OG_OK;
}

static struct og_signature signature_of(const void *ctx, size_t form)
{
    const struct build *b = ctx;
    return b->heap->signatures[b->order[form]];
}

static og_status write_all(struct build *b, og_error *err)
{
    write_documents(b);
    write_forms(b);
    TRY(write_words(b, err));
    og_segment_write(b->sink, b->text_starts, (b->totals.n_blocks + 1) * 16);
    og_segment_end_section(b->sink);
    og_segment_write(b->sink, b->packed, b->packed_len);
    og_segment_end_section(b->sink);
    return og_write_signatures(b->sink, b->totals.signature_bits,
                               b->totals.n_forms, b, signature_of,
                               b->heap->allocator, err);
}

/* ---- the whole ---- */

static size_t scratch_len(const struct og_memtable *h)
{
    const size_t n_blocks = h->texts_len / BLOCK_LEN + 2;
    return (h->n_words + 1) * sizeof(struct posting) +
           (h->n_documents + 2 * n_blocks) * sizeof(uint64_t) +
           (3 * (h->n_forms + 1) + h->n_sentences) * sizeof(uint32_t);
}

static void share_out(struct build *b, void *scratch)
{
    const struct og_memtable *h = b->heap;
    b->postings = scratch;
    b->id_hashes = (uint64_t *)(b->postings + h->n_words + 1);
    b->text_starts = b->id_hashes + h->n_documents;
    b->order =
        (uint32_t *)(b->text_starts + 2 * (h->texts_len / BLOCK_LEN + 2));
    b->number = b->order + h->n_forms + 1;
    b->starts = b->number + h->n_forms + 1;
    b->places = b->starts + h->n_forms + 1;
}

og_status og_memtable_build(const struct og_memtable *h,
                            struct og_sentence_segment *out, og_error *err)
{
    struct build b = {.heap = h};
    const size_t len = scratch_len(h);
    void *scratch = og_allocate(h->allocator, len);
    if (scratch == NULL) return og_error_memory(err, len, "an image");
    share_out(&b, scratch);
    b.totals.n_documents = h->n_documents;
    b.totals.n_sentences = h->n_sentences;
    b.totals.n_forms = h->n_forms;
    b.totals.n_keys = h->n_words;
    b.totals.text_len = h->texts_len;
    b.totals.no_texts = h->no_texts;
    b.totals.latest = h->latest;
    b.totals.signature_bits = h->signature_bits;
    b.totals.word_bits = h->word_bits;
    sort_forms(&b);
    og_status status = og_stop_check(err);
    if (status == OG_OK) {
        sort_postings(&b);
        status = og_stop_check(err);
    }
    if (status == OG_OK) status = pack_texts(&b, err);
    if (status == OG_OK)
        status = og_segment_writer_new(NULL, &og_sentence_segment_kind,
                                       h->allocator, &b.sink, err);
    if (status == OG_OK) status = write_all(&b, err);
    if (status == OG_OK)
        status = og_sentence_segment_finish(b.sink, &b.totals, out, err);
    else
        og_segment_writer_drop(b.sink);
    OG_UNGROW(h->allocator, b.packed, b.packed_cap);
    og_release(h->allocator, scratch, len);
    return status;
}
