/* Opens a segment: verifies the checksums, then order and ranges of every part,
 * so that the rest of the code need not check again. */

#include "lib/sentence/index/sentence_segment.h"

#include <string.h>
#include <zstd.h>

#include "lib/hamming/code_index.h"
#include "lib/sentence/index/old_sentence_segment.h"

const struct og_segment_kind og_sentence_segment_kind = {
    .name = "sentence",
    .version = 1,
    .open_old = og_sentence_segment_open_old,
    .numbers = {[OG_PART_DOCUMENTS] = "844884444",
                [OG_PART_ID_HASHES] = "8",
                [OG_PART_SENTENCES] = "4",
                [OG_PART_FORM_HASHES] = "8",
                [OG_PART_FORM_STARTS] = "8",
                [OG_PART_KEYS] = "4",
                [OG_PART_BITMAPS] = "8",
                [OG_PART_PLACE_STARTS] = "4",
                [OG_PART_PLACES] = "4",
                [OG_PART_WORDS] = "8",
                [OG_PART_WORD_STARTS] = "8",
                [OG_PART_COUNTS] = "4",
                [OG_PART_DIRECTORY] = "4",
                [OG_PART_POSTINGS] = "4",
                [OG_PART_TEXT_STARTS] = "8",
                [OG_PART_PARTS] = "4",
                [OG_PART_TOTALS] = "888888884444"}};

enum { BLOCK_MOST = 1 << 20 }; /* bytes of a block of texts, unpacked */

/* ---- checks ---- */

/* A segment may be many times larger than the memory granted, so its parts are
 * checked in slices, and the pages of a checked slice are released. */
enum { SLICE_LEN = 1 << 20 }; /* bytes; within a slice nothing is released */

struct slice {
    const struct og_sentence_segment *segment;
    const void *list;
    size_t size, n;    /* of an element; of the list */
    size_t begin, end; /* elements */
};

static struct slice slices_of(const struct og_sentence_segment *segment,
                              const void *list, size_t size, size_t n)
{
    return (struct slice){segment, list, size, n, 0, 0};
}

static bool next_slice(struct slice *s)
{
    const size_t most = SLICE_LEN / s->size;
    if (s->n > most)
        og_segment_file_forget(&s->segment->file,
                               (const uint8_t *)s->list + s->begin * s->size,
                               (s->end - s->begin) * s->size);
    s->begin = s->end;
    s->end = s->n - s->begin < most ? s->n : s->begin + most;
    return s->begin < s->end;
}

/* Each element is at least as large as the previous one or, with `apart`,
 * larger. */
static bool rises32(const struct og_sentence_segment *m, const uint32_t *a,
                    size_t n)
{
    bool good = true;
    for (struct slice s = slices_of(m, a, sizeof(*a), n); next_slice(&s);)
        for (size_t i = s.begin == 0 ? 1 : s.begin; i < s.end; i++)
            good &= a[i - 1] <= a[i];
    return good;
}

static bool rises64(const struct og_sentence_segment *m, const uint64_t *a,
                    size_t n, bool apart)
{
    bool good = true;
    for (struct slice s = slices_of(m, a, sizeof(*a), n); next_slice(&s);)
        for (size_t i = s.begin == 0 ? 1 : s.begin; i < s.end; i++)
            good &= a[i - 1] <= a[i] && !(apart && a[i - 1] == a[i]);
    return good;
}

static bool below32(const struct og_sentence_segment *m, const uint32_t *a,
                    size_t n, uint64_t limit)
{
    uint32_t most = 0;
    for (struct slice s = slices_of(m, a, sizeof(*a), n); next_slice(&s);)
        for (size_t i = s.begin; i < s.end; i++)
            most = a[i] > most ? a[i] : most;
    return n == 0 || most < limit;
}

static bool starts32(const struct og_sentence_segment *m, const uint32_t *a,
                     size_t n, uint64_t end)
{
    return a[0] == 0 && a[n] == end && rises32(m, a, n + 1);
}

static bool starts64(const struct og_sentence_segment *m, const uint64_t *a,
                     size_t n, uint64_t end)
{
    return a[0] == 0 && a[n] == end && rises64(m, a, n + 1, false);
}

static bool document_is_sound(const struct og_sentence_segment *m,
                              const struct og_sentence_segment_document *d)
{
    const struct og_sentence_totals *f = &m->totals;
    const uint64_t names_len = og_sentence_part_len(m, OG_PART_NAMES);
    const uint64_t name_len = (uint64_t)d->id_len + d->title_len;
    if (d->name_off > names_len || name_len > names_len - d->name_off)
        return false;
    if (f->no_texts == 0 &&
        (d->text_off > f->text_len || d->text_len > f->text_len - d->text_off))
        return false;
    return d->first_sentence <= f->n_sentences && d->has_time <= 1;
}

static bool documents_are_sound(const struct og_sentence_segment *m)
{
    const struct og_sentence_segment_document *list = m->documents;
    for (struct slice s =
             slices_of(m, list, sizeof(*list), m->totals.n_documents);
         next_slice(&s);)
        for (size_t i = s.begin; i < s.end; i++)
            if (!document_is_sound(m, &list[i])) return false;
    return true;
}

static bool sentence_is_sound(const struct og_sentence_segment *m,
                              const struct og_sentence_segment_sentence *s)
{
    if (s->document >= m->totals.n_documents ||
        s->wordset >= m->totals.n_wordsets)
        return false;
    const uint32_t text_len = m->documents[s->document].text_len;
    return s->begin <= text_len && s->len <= text_len - s->begin;
}

static bool sentences_are_sound(const struct og_sentence_segment *m)
{
    const struct og_sentence_segment_sentence *list = m->sentences;
    for (struct slice s =
             slices_of(m, list, sizeof(*list), m->totals.n_sentences);
         next_slice(&s);)
        for (size_t i = s.begin; i < s.end; i++)
            if (!sentence_is_sound(m, &list[i])) return false;
    return true;
}

static bool texts_are_sound(const struct og_sentence_segment *m)
{
    const struct og_sentence_totals *f = &m->totals;
    const uint64_t n = f->n_blocks, *t = m->text_starts;
    if (t[0] != 0 || t[1] != 0 || t[2 * n] != f->text_len ||
        t[2 * n + 1] != og_sentence_part_len(m, OG_PART_TEXTS))
        return false;
    for (size_t i = 0; i < n; i++)
        if (t[2 * i] >= t[2 * i + 2] || t[2 * i + 1] > t[2 * i + 3] ||
            t[2 * i + 2] - t[2 * i] > BLOCK_MOST)
            return false;
    return true;
}

static bool signatures_are_sound(const struct og_sentence_segment *m)
{
    const struct og_sentence_totals *f = &m->totals;
    for (uint32_t p = 0; p < f->signature_bits / 16; p++) {
        const uint32_t *part = m->parts + p * (65537 + f->n_wordsets);
        if (!starts32(m, part, 65536, f->n_wordsets) ||
            !below32(m, part + 65537, f->n_wordsets, f->n_wordsets))
            return false;
    }
    return true;
}

/* The first fault, or NULL. */
static const char *find_fault(const struct og_sentence_segment *m)
{
    const struct og_sentence_totals *f = &m->totals;
    if (!documents_are_sound(m)) return "documents";
    if (!rises64(m, m->id_hashes, f->n_documents, false)) return "id hashes";
    if (!sentences_are_sound(m)) return "sentences";
    if (!rises64(m, m->wordset_hashes, f->n_wordsets, true))
        return "wordset hashes";
    if (!starts64(m, m->wordset_starts, f->n_wordsets, f->n_keys))
        return "wordset starts";
    if (!starts32(m, m->place_starts, f->n_wordsets, f->n_sentences))
        return "place starts";
    if (!below32(m, m->places, f->n_sentences, f->n_sentences)) return "places";
    if (!rises64(m, m->words, f->n_words, true)) return "words";
    if (!starts64(m, m->word_starts, f->n_words, f->n_keys))
        return "word starts";
    if (!starts32(m, m->directory, (size_t)1 << f->directory_bits, f->n_words))
        return "directory";
    if (!below32(m, m->postings, f->n_keys, f->n_wordsets)) return "postings";
    if (!texts_are_sound(m)) return "text starts";
    if (!signatures_are_sound(m)) return "signatures";
    return NULL;
}

/* ---- the parts ---- */

static bool totals_are_possible(const struct og_sentence_totals *t)
{
    const uint64_t most = UINT32_MAX;
    return t->n_documents <= most && t->n_sentences <= most &&
           t->n_wordsets <= most && t->n_keys <= (most << 10) &&
           t->n_words <= most && t->n_blocks <= (most << 8) &&
           t->directory_bits <= 32 && t->no_texts <= 1 &&
           (t->signature_bits == 0 || og_signature_bits_are(t->signature_bits));
}

void og_sentence_part_lens(const struct og_sentence_totals *t,
                           uint64_t names_len, uint64_t packed_len,
                           uint64_t out[OG_N_PARTS])
{
    const uint64_t n_parts = t->signature_bits / 16;
    const uint64_t lens[OG_N_PARTS] = {
        [OG_PART_DOCUMENTS] =
            t->n_documents * sizeof(struct og_sentence_segment_document),
        [OG_PART_NAMES] = names_len,
        [OG_PART_ID_HASHES] = t->n_documents * 8,
        [OG_PART_SENTENCES] =
            t->n_sentences * sizeof(struct og_sentence_segment_sentence),
        [OG_PART_FORM_HASHES] = t->n_wordsets * 8,
        [OG_PART_FORM_STARTS] = t->n_wordsets * 8 + 8,
        [OG_PART_KEYS] = t->n_keys * 4,
        [OG_PART_BITMAPS] = t->n_wordsets * 16,
        [OG_PART_PLACE_STARTS] = t->n_wordsets * 4 + 4,
        [OG_PART_PLACES] = t->n_sentences * 4,
        [OG_PART_WORDS] = t->n_words * 8,
        [OG_PART_WORD_STARTS] = t->n_words * 8 + 8,
        [OG_PART_COUNTS] = t->n_words * 4,
        [OG_PART_DIRECTORY] = ((uint64_t)4 << t->directory_bits) + 4,
        [OG_PART_POSTINGS] = t->n_keys * 8,
        [OG_PART_TEXT_STARTS] = t->n_blocks * 16 + 16,
        [OG_PART_TEXTS] = packed_len,
        [OG_PART_SIGNATURES] = t->n_wordsets * (t->signature_bits / 8),
        [OG_PART_PARTS] = n_parts * (65537 + t->n_wordsets) * 4,
        [OG_PART_TOTALS] = sizeof(*t),
    };
    memcpy(out, lens, sizeof(lens));
}

/* The lengths of the parts follow from the totals. */
static bool lengths_agree(const struct og_sentence_segment *m)
{
    uint64_t expected[OG_N_PARTS];
    og_sentence_part_lens(&m->totals, og_sentence_part_len(m, OG_PART_NAMES),
                          og_sentence_part_len(m, OG_PART_TEXTS), expected);
    if (m->marks == NULL) expected[OG_PART_POSTINGS] /= 2;
    for (unsigned i = 0; i < OG_PART_TOTALS; i++)
        if (m->file.section[i].len != expected[i]) return false;
    return true;
}

static void find_parts(struct og_sentence_segment *m)
{
    const void *part[OG_PART_TOTALS];
    for (unsigned i = 0; i < OG_PART_TOTALS; i++)
        part[i] = og_segment_section(&m->file, i);
    m->documents = part[OG_PART_DOCUMENTS];
    m->names = part[OG_PART_NAMES];
    m->id_hashes = part[OG_PART_ID_HASHES];
    m->sentences = part[OG_PART_SENTENCES];
    m->wordset_hashes = part[OG_PART_FORM_HASHES];
    m->wordset_starts = part[OG_PART_FORM_STARTS];
    m->keys = part[OG_PART_KEYS];
    m->bitmaps = part[OG_PART_BITMAPS];
    m->place_starts = part[OG_PART_PLACE_STARTS];
    m->places = part[OG_PART_PLACES];
    m->words = part[OG_PART_WORDS];
    m->word_starts = part[OG_PART_WORD_STARTS];
    m->counts = part[OG_PART_COUNTS];
    m->directory = part[OG_PART_DIRECTORY];
    m->postings = part[OG_PART_POSTINGS];
    m->text_starts = part[OG_PART_TEXT_STARTS];
    m->texts = part[OG_PART_TEXTS];
    m->signatures = part[OG_PART_SIGNATURES];
    m->parts = og_sentence_part_len(m, OG_PART_PARTS) == 0
                   ? NULL
                   : part[OG_PART_PARTS];
    /* The first segments had a posting of 4 bytes per key and no marks. */
    const uint64_t n_keys = m->totals.n_keys;
    const bool has_marks =
        m->file.version != 0 ||
        og_sentence_part_len(m, OG_PART_POSTINGS) != n_keys * 4;
    m->marks = has_marks ? m->postings + n_keys : NULL;
}

static bool read_totals(struct og_sentence_segment *m)
{
    const struct og_segment_file *f = &m->file;
    if (f->version == 0) {
        og_sentence_segment_old_totals(f, &m->totals);
        return totals_are_possible(&m->totals);
    }
    if (f->n_sections != OG_N_PARTS ||
        f->section[OG_PART_TOTALS].len != sizeof(m->totals))
        return false;
    memcpy(&m->totals, og_segment_section(f, OG_PART_TOTALS),
           sizeof(m->totals));
    return totals_are_possible(&m->totals);
}

static og_status check(struct og_sentence_segment *m, const char *name,
                       og_error *err)
{
    if (!read_totals(m)) return og_segment_file_damaged(name, "totals", err);
    find_parts(m);
    if (!lengths_agree(m))
        return og_segment_file_damaged(name, "its lengths do not agree", err);
    const char *fault = find_fault(m);
    return fault == NULL ? OG_OK : og_segment_file_damaged(name, fault, err);
}

/* ---- opening ---- */

og_status og_sentence_segment_take(struct og_sentence_segment *segment,
                                   const uint8_t *data, size_t len,
                                   size_t data_cap,
                                   const og_allocator *allocator,
                                   const char *name, og_error *err)
{
    memset(segment, 0, sizeof(*segment));
    TRY(og_segment_file_take(&segment->file, data, len, data_cap, allocator,
                             &og_sentence_segment_kind, name, err));
    const og_status status = check(segment, name, err);
    if (status != OG_OK) memset(segment, 0, sizeof(*segment));
    return status;
}

og_status og_sentence_segment_open(struct og_sentence_segment *segment,
                                   const char *path, og_error *err)
{
    memset(segment, 0, sizeof(*segment));
    TRY(og_segment_file_open(&segment->file, path, &og_sentence_segment_kind,
                             err));
    const og_status status = check(segment, path, err);
    og_sentence_segment_forget(segment); /* all of it was checked */
    if (status != OG_OK) og_sentence_segment_release(segment);
    return status;
}

void og_sentence_segment_adopt(struct og_sentence_segment *segment,
                               const struct og_segment_file *file,
                               const struct og_sentence_totals *totals)
{
    *segment = (struct og_sentence_segment){.file = *file, .totals = *totals};
    find_parts(segment);
}

void og_sentence_segment_release(struct og_sentence_segment *segment)
{
    og_segment_file_release(&segment->file);
    memset(segment, 0, sizeof(*segment));
}

void og_sentence_segment_forget(const struct og_sentence_segment *segment)
{
    og_segment_file_forget(&segment->file, segment->file.data,
                           segment->file.len);
}

/* ---- looking up ---- */

size_t og_sentence_segment_find_word(const struct og_sentence_segment *m,
                                     uint64_t word)
{
    const unsigned bits = m->totals.directory_bits;
    const uint64_t prefix = bits == 0 ? 0 : word >> (64 - bits);
    for (uint32_t i = m->directory[prefix]; i < m->directory[prefix + 1]; i++)
        if (m->words[i] >= word)
            return m->words[i] == word ? i : m->totals.n_words;
    return m->totals.n_words;
}

bool og_sentence_segment_has_id(const struct og_sentence_segment *m,
                                uint64_t id_hash)
{
    const size_t at =
        og_code_search(m->id_hashes, m->totals.n_documents, id_hash);
    return at < m->totals.n_documents && m->id_hashes[at] == id_hash;
}

/* ---- texts ---- */

void og_text_cache_init(struct og_text_cache *cache,
                        const og_allocator *allocator)
{
    *cache = (struct og_text_cache){.allocator = allocator};
}

void og_text_cache_release(struct og_text_cache *cache)
{
    OG_UNGROW(cache->allocator, cache->data, cache->cap);
    og_text_cache_init(cache, cache->allocator);
}

static size_t find_block(const struct og_sentence_segment *m, uint64_t off)
{
    size_t low = 0, high = m->totals.n_blocks;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (m->text_starts[2 * middle] <= off)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static og_status unpack_block(const struct og_sentence_segment *m,
                              struct og_text_cache *cache, size_t block,
                              og_error *err)
{
    const uint64_t *start = m->text_starts + 2 * block;
    const size_t len = start[2] - start[0];
    if (cache->segment == m && cache->block == block) return OG_OK;
    cache->segment = NULL;
    if (!OG_GROW(cache->allocator, cache->data, cache->cap, len))
        return og_error_memory(err, len, "a block of texts");
    const size_t n = ZSTD_decompress(cache->data, len, m->texts + start[1],
                                     start[3] - start[1]);
    if (ZSTD_isError(n) || n != len)
        return og_error_set(err, OG_ERR_STORE,
                            "block %zu of the texts cannot be unpacked", block);
    cache->segment = m;
    cache->block = block;
    cache->len = len;
    return OG_OK;
}

og_status og_sentence_segment_text(const struct og_sentence_segment *m,
                                   struct og_text_cache *cache, uint64_t off,
                                   size_t len, char *out, og_error *err)
{
    if (len == 0) return OG_OK;
    size_t block = find_block(m, off);
    while (len != 0) {
        TRY(unpack_block(m, cache, block, err));
        const size_t skip = off - m->text_starts[2 * block];
        const size_t here = cache->len - skip;
        const size_t take = len < here ? len : here;
        memcpy(out, cache->data + skip, take);
        out += take;
        off += take;
        len -= take;
        block++;
    }
    return OG_OK;
}
