/* The latest documents. One that does not fit into memory leaves no trace: room
 * for all of it is reserved first. */

#include "lib/sentence/index/sentence_memtable.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/token/tokens.h"

void og_memtable_init(struct og_memtable *h, const og_allocator *allocator,
                      uint32_t signature_bits, uint32_t word_bits)
{
    *h = (struct og_memtable){.allocator = allocator,
                              .signature_bits = signature_bits,
                              .word_bits = word_bits,
                              .latest = INT64_MIN};
}

void og_memtable_release(struct og_memtable *h)
{
    const og_allocator *a = h->allocator;
    OG_UNGROW(a, h->documents, h->documents_cap);
    OG_UNGROW(a, h->sentences, h->sentences_cap);
    OG_UNGROW(a, h->wordsets, h->wordsets_cap);
    OG_UNGROW(a, h->words, h->words_cap);
    OG_UNGROW(a, h->bitmaps, h->bitmaps_cap);
    OG_UNGROW(a, h->signatures, h->signatures_cap);
    OG_UNGROW(a, h->names, h->names_cap);
    OG_UNGROW(a, h->texts, h->texts_cap);
    OG_UNGROW(a, h->wordset_slots, h->n_wordset_slots);
    OG_UNGROW(a, h->count_slots, h->n_count_slots);
    const bool no_texts = h->no_texts;
    og_memtable_init(h, a, h->signature_bits, h->word_bits);
    h->no_texts = no_texts;
}

void og_memtable_clear(struct og_memtable *h)
{
    if (h->n_wordset_slots != 0)
        memset(h->wordset_slots, 0,
               h->n_wordset_slots * sizeof(*h->wordset_slots));
    if (h->n_count_slots != 0)
        memset(h->count_slots, 0, h->n_count_slots * sizeof(*h->count_slots));
    h->n_documents = h->n_sentences = h->n_wordsets = h->n_words = 0;
    h->names_len = h->texts_len = h->n_counted = 0;
    atomic_store(&h->n_sentences_counted, 0);
}

/* ---- the two tables ---- */

enum { FEWEST_SLOTS = 1024 };

static void place_wordset(struct og_memtable *h, uint32_t wordset)
{
    size_t at;
    OG_PROBE(at, h->wordsets[wordset].hash, h->n_wordset_slots,
             h->wordset_slots[at] == 0)
    h->wordset_slots[at] = wordset + 1;
}

static bool grow_wordsets(struct og_memtable *h, size_t n)
{
    const size_t need = og_hash_slots_for(n, FEWEST_SLOTS);
    if (need <= h->n_wordset_slots) return true;
    uint32_t *slots =
        og_allocate_zero(h->allocator, need * sizeof(*h->wordset_slots));
    if (slots == NULL) return false;
    OG_UNGROW(h->allocator, h->wordset_slots, h->n_wordset_slots);
    h->wordset_slots = slots;
    h->n_wordset_slots = need;
    for (size_t i = 0; i < h->n_wordsets; i++)
        place_wordset(h, (uint32_t)i);
    return true;
}

static struct og_memtable_count *find_count(struct og_memtable_count *slots,
                                            size_t n, uint64_t word)
{
    size_t at;
    OG_PROBE(at, word, n, slots[at].n == 0 || slots[at].word == word)
    return &slots[at];
}

static bool grow_counts(struct og_memtable *h, size_t n)
{
    const size_t need = og_hash_slots_for(n, FEWEST_SLOTS);
    if (need <= h->n_count_slots) return true;
    struct og_memtable_count *slots =
        og_allocate_zero(h->allocator, need * sizeof(*h->count_slots));
    if (slots == NULL) return false;
    for (size_t i = 0; i < h->n_count_slots; i++)
        if (h->count_slots[i].n != 0)
            *find_count(slots, need, h->count_slots[i].word) =
                h->count_slots[i];
    OG_UNGROW(h->allocator, h->count_slots, h->n_count_slots);
    h->count_slots = slots;
    h->n_count_slots = need;
    return true;
}

uint64_t og_memtable_df(const struct og_memtable *h, uint64_t word)
{
    if (h->n_count_slots == 0) return 0;
    return find_count(h->count_slots, h->n_count_slots, word)->n;
}

/* ---- counting ---- */

static void count_words(struct og_memtable *h, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct og_memtable_count *c =
            find_count(h->count_slots, h->n_count_slots, words[i]);
        h->n_counted += c->n == 0;
        c->word = words[i];
        c->n++;
    }
}

og_status og_memtable_count(struct og_memtable *h, og_error *err)
{
    for (size_t i = h->n_sentences_counted; i < h->n_sentences; i++) {
        const struct og_memtable_wordset *f =
            &h->wordsets[h->sentences[i].wordset];
        if (!grow_counts(h, h->n_counted + f->n_words))
            return og_error_memory(err, f->n_words * 16, "words");
        count_words(h, h->words + f->first_word, f->n_words);
        h->n_sentences_counted++;
    }
    return OG_OK;
}

og_status og_memtable_count_room(struct og_memtable *h,
                                 const struct og_words_read *r, og_error *err)
{
    if (grow_counts(h, h->n_counted + r->n_words)) return OG_OK;
    return og_error_memory(err, r->n_words * 16, "words");
}

void og_memtable_count_placed(struct og_memtable *h,
                              const struct og_words_read *r)
{
    count_words(h, r->words, r->n_words);
    h->n_sentences_counted = h->n_sentences;
}

/* ---- adding ---- */

static bool make_room(struct og_memtable *h, size_t names_len, size_t text_len,
                      const struct og_words_read *r)
{
    const og_allocator *a = h->allocator;
    return OG_GROW(a, h->documents, h->documents_cap, h->n_documents + 1) &&
           OG_GROW(a, h->sentences, h->sentences_cap, h->n_sentences + r->n) &&
           OG_GROW(a, h->wordsets, h->wordsets_cap, h->n_wordsets + r->n) &&
           OG_GROW(a, h->words, h->words_cap, h->n_words + r->n_words) &&
           OG_GROW(a, h->bitmaps, h->bitmaps_cap, h->n_wordsets + r->n) &&
           OG_GROW(a, h->signatures, h->signatures_cap, h->n_wordsets + r->n) &&
           OG_GROW(a, h->names, h->names_cap, h->names_len + names_len) &&
           OG_GROW(a, h->texts, h->texts_cap, h->texts_len + text_len) &&
           grow_wordsets(h, h->n_wordsets + r->n);
}

static uint32_t place_words(struct og_memtable *h,
                            const struct og_read_sentence *s)
{
    size_t at;
    OG_PROBE(at, s->hash, h->n_wordset_slots,
             h->wordset_slots[at] == 0 ||
                 h->wordsets[h->wordset_slots[at] - 1].hash == s->hash)
    if (h->wordset_slots[at] != 0) return h->wordset_slots[at] - 1;
    const uint32_t wordset = (uint32_t)h->n_wordsets++;
    h->wordset_slots[at] = wordset + 1;
    h->wordsets[wordset] = (struct og_memtable_wordset){
        .hash = s->hash,
        .first_word = (uint32_t)h->n_words,
        .n_words = s->n_words,
        .first_sentence = (uint32_t)h->n_sentences};
    h->n_words += s->n_words;
    return wordset;
}

/* A sentence without words is none. */
static void place_sentence(struct og_memtable *h,
                           const struct og_read_sentence *s)
{
    if (s->n_words == 0) return;
    const uint32_t wordset = place_words(h, s);
    h->wordsets[wordset].n_places++;
    h->sentences[h->n_sentences++] = (struct og_sentence_segment_sentence){
        (uint32_t)h->n_documents, s->begin, s->end - s->begin, wordset};
}

static void add_bytes(char *to, size_t *len, og_bytes from)
{
    if (from.len != 0) memcpy(to + *len, from.data, from.len);
    *len += from.len;
}

og_status og_memtable_place(struct og_memtable *h, uint32_t number,
                            const og_document *doc, int64_t time,
                            const struct og_words_read *r, size_t *out_first,
                            og_error *err)
{
    static const og_bytes none = {"", 0};
    const og_bytes id = h->no_texts ? none : doc->id;
    const og_bytes title = h->no_texts ? none : doc->title;
    const og_bytes text = h->no_texts ? none : doc->text;
    if (id.len > UINT32_MAX / 4 || title.len > UINT32_MAX / 4)
        return og_error_set(err, OG_ERR_LIMIT, "an id of %zu bytes", id.len);
    if (!make_room(h, id.len + title.len, text.len, r))
        return og_error_memory(err, doc->text.len, "a document");
    *out_first = h->n_sentences;
    h->documents[h->n_documents] = (struct og_sentence_segment_document){
        .name_off = h->names_len,
        .id_len = (uint32_t)id.len,
        .title_len = (uint32_t)title.len,
        .time = time,
        .text_off = h->texts_len,
        .text_len = (uint32_t)doc->text.len,
        .has_time = doc->has_time,
        .first_sentence = (uint32_t)h->n_sentences,
        .number = number};
    for (size_t i = 0; i < r->n; i++)
        place_sentence(h, &r->sentences[i]);
    add_bytes(h->names, &h->names_len, id);
    add_bytes(h->names, &h->names_len, title);
    add_bytes(h->texts, &h->texts_len, text);
    if (time > h->latest) h->latest = time;
    h->n_documents++;
    return OG_OK;
}

static void fill_wordset(struct og_memtable *h, uint32_t wordset,
                         const uint64_t *words)
{
    const struct og_memtable_wordset *f = &h->wordsets[wordset];
    struct og_word_bitmap bitmap = {{0, 0}};
    struct og_signature signature = {{0, 0}};
    memcpy(h->words + f->first_word, words, f->n_words * sizeof(*words));
    for (size_t i = 0; i < f->n_words; i++) {
        const uint32_t key = og_word_key(words[i]);
        og_word_bitmap_set(&bitmap, key);
        if (h->signature_bits != 0)
            og_signature_add(&signature, key, h->signature_bits, h->word_bits);
    }
    h->bitmaps[wordset] = bitmap;
    h->signatures[wordset] = signature;
}

void og_memtable_fill(struct og_memtable *h, size_t first,
                      const struct og_words_read *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct og_read_sentence *s = &r->sentences[i];
        if (s->n_words == 0) continue;
        const uint32_t wordset = h->sentences[first].wordset;
        if (h->wordsets[wordset].first_sentence == first)
            fill_wordset(h, wordset, r->words + s->first_word);
        first++;
    }
}

og_status og_memtable_add(struct og_memtable *h, uint32_t number,
                          const og_document *doc, int64_t time,
                          const struct og_words_read *r, og_error *err)
{
    size_t first;
    /* So that counting, the last step, finds room. */
    TRY(og_memtable_count(h, err));
    TRY(og_memtable_count_room(h, r, err));
    TRY(og_memtable_place(h, number, doc, time, r, &first, err));
    og_memtable_fill(h, first, r);
    og_memtable_count_placed(h, r);
    return OG_OK;
}

uint64_t og_id_hash(og_bytes id)
{
    return og_mix64(og_token_hash(id.data, id.len, 0));
}

bool og_memtable_has_id(const struct og_memtable *h, og_bytes id)
{
    for (size_t i = 0; i < h->n_documents; i++) {
        const struct og_sentence_segment_document *d = &h->documents[i];
        if (d->id_len == id.len &&
            memcmp(h->names + d->name_off, id.data, id.len) == 0)
            return true;
    }
    return false;
}
