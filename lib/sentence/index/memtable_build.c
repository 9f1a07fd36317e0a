/* Turns a memtable into a segment in memory, on all threads.
 *
 * Wordsets are sorted by hash, words by value. Both are hashes, and evenly
 * spread, so their range is cut into shares (as in segment_merge.c), and a
 * share is sorted by placing each element where its bits say, which is nearly
 * right.
 *
 *     in order  which share each wordset is in
 *     order     each share of the wordsets: sorted; how many of its words each
 *               share of the words has
 *     deal      each share of the wordsets: its words, to the shares of words
 *     sort      each share of the words
 *     in order  where each share begins in every part
 *     write     each share of both, and what is beside them */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/stopping.h"
#include "lib/sentence/index/segment_output.h"
#include "lib/sentence/index/sentence_memtable.h"

enum {
    BLOCK_LEN = 32 << 10,
    PACK_LEVEL = 3,
    SHARE_WORDSETS = 512,
    SHARE_WORDS = 8192,
    SHARES_MOST = 64,
    FEW = 16 /* elements that are sorted by insertion */
};

struct posting {
    uint64_t word;
    uint32_t wordset; /* new number */
    uint32_t n_places;
};

struct share {
    uint64_t n, n_keys, n_places; /* in it; after adding up: before it */
};

struct build {
    const struct og_memtable *memtable;
    const struct og_phases *phases;
    struct og_segment_output out;
    struct og_sentence_totals totals;
    unsigned wordset_bits, word_bits;
    size_t n_wordset_shares, n_word_shares;
    struct share wordsets[SHARES_MOST + 1], words[SHARES_MOST + 1];
    /* Of the words: how many a share of the wordsets gives; then where they go.
     */
    uint32_t dealt[SHARES_MOST][SHARES_MOST];
    uint32_t first_wordset[SHARES_MOST + 1], first_word[SHARES_MOST + 1];
    struct posting *postings, *sorted;
    uint64_t *id_hashes, *text_starts;
    uint32_t *order;  /* wordsets by hash */
    uint32_t *number; /* new number of each wordset */
    uint32_t *places; /* sentences of each wordset, in the new order */
    uint32_t *place_starts;
    uint32_t *counts; /* of a share that is sorted: one for each word */
    uint8_t *packed;
    size_t packed_cap, *packed_len;
    void *scratch;
    size_t scratch_len;
};

/* ---- shares ---- */

static unsigned bits_for(size_t n, unsigned most)
{
    unsigned bits = 0;
    while (((size_t)1 << bits) < n && bits < most)
        bits++;
    return bits;
}

static size_t top_bits(uint64_t value, unsigned bits)
{
    return bits == 0 ? 0 : (size_t)(value >> (64 - bits));
}

/* A share of the words is a whole range of the directory, whose bits depend on
 * how many different words there are: no fewer than in the longest wordset. */
static void choose_shares(struct build *b)
{
    const struct og_memtable *h = b->memtable;
    uint32_t longest = 1;
    for (size_t i = 0; i < h->n_wordsets; i++)
        if (h->wordsets[i].n_words > longest) longest = h->wordsets[i].n_words;
    b->wordset_bits = bits_for(h->n_wordsets / SHARE_WORDSETS, 6);
    b->word_bits = bits_for(h->n_words / SHARE_WORDS, 6);
    if (b->word_bits > og_directory_bits(longest))
        b->word_bits = og_directory_bits(longest);
    b->n_wordset_shares = (size_t)1 << b->wordset_bits;
    b->n_word_shares = (size_t)1 << b->word_bits;
}

static void order_by_share(struct build *b)
{
    const struct og_memtable *h = b->memtable;
    uint32_t at[SHARES_MOST];
    for (size_t i = 0; i < h->n_wordsets; i++)
        b->first_wordset[top_bits(h->wordsets[i].hash, b->wordset_bits) + 1]++;
    for (size_t i = 0; i < b->n_wordset_shares; i++)
        b->first_wordset[i + 1] += b->first_wordset[i];
    memcpy(at, b->first_wordset, sizeof(at));
    for (size_t i = 0; i < h->n_wordsets; i++)
        b->order[at[top_bits(h->wordsets[i].hash, b->wordset_bits)]++] =
            (uint32_t)i;
}

/* From what is in each share to what is before it. */
static void add_up(struct share *shares, size_t n)
{
    struct share sum = {0, 0, 0};
    for (size_t i = 0; i <= n; i++) {
        const struct share here = shares[i];
        shares[i] = sum;
        sum.n += here.n;
        sum.n_keys += here.n_keys;
        sum.n_places += here.n_places;
    }
}

/* ---- sorting ---- */

static int compare_postings(const void *a, const void *b)
{
    const struct posting *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return x->wordset < y->wordset ? -1 : x->wordset > y->wordset ? 1 : 0;
}

/* Postings whose words have equal bits, by wordset: nearly always of one word.
 */
static void sort_alike(struct posting *a, size_t n)
{
    size_t i = 1;
    while (i < n && a[i - 1].word <= a[i].word)
        i++;
    if (i >= n) return;
    if (n > FEW) {
        qsort(a, n, sizeof(*a), compare_postings);
        return;
    }
    for (; i < n; i++) {
        const struct posting p = a[i];
        size_t k = i;
        for (; k > 0 && a[k - 1].word > p.word; k--)
            a[k] = a[k - 1];
        a[k] = p;
    }
}

/* By word, whose first `skip` bits are those of the share; `at` has room for
 * n + 2 numbers. */
static void sort_share(const struct posting *from, struct posting *to, size_t n,
                       unsigned skip, uint32_t *at)
{
    const unsigned bits = bits_for(n / 2, 24); /* at most n ranges */
    const size_t n_ranges = (size_t)1 << bits;
    memset(at, 0, (n_ranges + 1) * sizeof(*at));
    for (size_t i = 0; i < n; i++)
        at[top_bits(from[i].word << skip, bits) + 1]++;
    for (size_t i = 1; i < n_ranges; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < n; i++)
        to[at[top_bits(from[i].word << skip, bits)]++] = from[i];
    for (size_t i = 0, last = 0; i < n_ranges; last = at[i++])
        sort_alike(to + last, at[i] - last);
}

/* ---- wordsets ---- */

/* A wordset has a word or more, so there is room for the wordsets where
 * postings will be. */
static void sort_wordsets(struct build *b, size_t piece)
{
    const uint32_t begin = b->first_wordset[piece],
                   end = b->first_wordset[piece + 1];
    for (uint32_t i = begin; i < end; i++)
        b->postings[i] =
            (struct posting){.word = b->memtable->wordsets[b->order[i]].hash,
                             .wordset = b->order[i]};
    sort_share(b->postings + begin, b->sorted + begin, end - begin,
               b->wordset_bits, b->counts + begin + 2 * piece);
    for (uint32_t i = begin; i < end; i++)
        b->order[i] = b->sorted[i].wordset;
}

static og_status order_wordsets(void *ctx, void *worker, size_t piece,
                                og_error *err)
{
    struct build *b = ctx;
    const struct og_memtable *h = b->memtable;
    struct share *share = &b->wordsets[piece];
    const uint32_t begin = b->first_wordset[piece],
                   end = b->first_wordset[piece + 1];
    (void)worker;
    TRY(og_stop_check(err));
    sort_wordsets(b, piece);
    share->n = end - begin;
    for (uint32_t i = begin; i < end; i++) {
        const struct og_memtable_wordset *f = &h->wordsets[b->order[i]];
        b->number[b->order[i]] = i;
        share->n_keys += f->n_words;
        share->n_places += f->n_places;
        for (size_t k = 0; k < f->n_words; k++)
            b->dealt[piece]
                    [top_bits(h->words[f->first_word + k], b->word_bits)]++;
    }
    return OG_OK;
}

/* From how many each share gives to where it puts them: those of a share of the
 * words lie together, by wordset. */
static void place_dealt(struct build *b)
{
    uint32_t sum = 0;
    for (size_t w = 0; w < b->n_word_shares; w++) {
        b->first_word[w] = sum;
        for (size_t f = 0; f < b->n_wordset_shares; f++) {
            const uint32_t n = b->dealt[f][w];
            b->dealt[f][w] = sum;
            sum += n;
        }
    }
    b->first_word[b->n_word_shares] = sum;
}

static og_status deal_words(void *ctx, void *worker, size_t piece,
                            og_error *err)
{
    struct build *b = ctx;
    const struct og_memtable *h = b->memtable;
    uint32_t *at = b->dealt[piece];
    (void)worker;
    (void)err;
    for (uint32_t i = b->first_wordset[piece]; i < b->first_wordset[piece + 1];
         i++) {
        const struct og_memtable_wordset *f = &h->wordsets[b->order[i]];
        for (size_t k = 0; k < f->n_words; k++) {
            const uint64_t word = h->words[f->first_word + k];
            b->postings[at[top_bits(word, b->word_bits)]++] =
                (struct posting){word, i, f->n_places};
        }
    }
    return OG_OK;
}

/* ---- words ---- */

static bool begins_word(const struct build *b, size_t begin, size_t i)
{
    return i == begin || b->sorted[i].word != b->sorted[i - 1].word;
}

static og_status sort_words(void *ctx, void *worker, size_t piece,
                            og_error *err)
{
    struct build *b = ctx;
    const uint32_t begin = b->first_word[piece], end = b->first_word[piece + 1];
    (void)worker;
    TRY(og_stop_check(err));
    sort_share(b->postings + begin, b->sorted + begin, end - begin,
               b->word_bits, b->counts + begin + 2 * piece);
    b->words[piece].n_keys = end - begin;
    for (size_t i = begin; i < end; i++)
        b->words[piece].n += begins_word(b, begin, i);
    return OG_OK;
}

/* ---- texts ---- */

static size_t block_at(const struct build *b, size_t block, size_t *out_len)
{
    const size_t at = block * BLOCK_LEN, left = b->memtable->texts_len - at;
    *out_len = left < BLOCK_LEN ? left : BLOCK_LEN;
    return at;
}

static og_status pack_block(void *ctx, void *worker, size_t block,
                            og_error *err)
{
    struct build *b = ctx;
    const size_t bound = ZSTD_compressBound(BLOCK_LEN);
    size_t len;
    const size_t at = block_at(b, block, &len);
    (void)worker;
    TRY(og_stop_check(err));
    b->packed_len[block] =
        ZSTD_compress(b->packed + block * bound, bound, b->memtable->texts + at,
                      len, PACK_LEVEL);
    if (ZSTD_isError(b->packed_len[block]))
        return og_error_memory(err, len, "texts");
    return OG_OK;
}

static og_status pack_texts(struct build *b, uint64_t *out_len, og_error *err)
{
    const size_t n = (b->memtable->texts_len + BLOCK_LEN - 1) / BLOCK_LEN;
    const size_t len = n * ZSTD_compressBound(BLOCK_LEN);
    uint64_t packed = 0;
    if (!OG_GROW(b->memtable->allocator, b->packed, b->packed_cap, len))
        return og_error_memory(err, len, "texts");
    TRY(og_phases_step(b->phases, "merge", n, pack_block, b, err));
    for (size_t i = 0; i < n; i++) {
        b->text_starts[2 * i] = i * BLOCK_LEN;
        b->text_starts[2 * i + 1] = packed;
        packed += b->packed_len[i];
    }
    b->text_starts[2 * n] = b->memtable->texts_len;
    b->text_starts[2 * n + 1] = packed;
    b->totals.n_blocks = n;
    *out_len = packed;
    return OG_OK;
}

/* ---- writing ---- */

static og_status put_all(struct build *b, unsigned part, const void *data,
                         size_t len, og_error *err)
{
    return og_placed_segment_write(&b->out.placed, part, 0, data, len, err);
}

/* A document of a store has none here: the store knows it. */
static og_bytes id_of(const struct og_memtable *h, size_t i)
{
    if (h->documents[i].id_len == 0) return (og_bytes){"", 0};
    return (og_bytes){h->names + h->documents[i].name_off,
                      h->documents[i].id_len};
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static og_status write_documents(struct build *b, og_error *err)
{
    const struct og_memtable *h = b->memtable;
    for (size_t i = 0; i < h->n_documents; i++)
        b->id_hashes[i] = og_id_hash(id_of(h, i));
    if (h->n_documents > 1)
        qsort(b->id_hashes, h->n_documents, sizeof(*b->id_hashes),
              compare_hashes);
    TRY(put_all(b, OG_PART_DOCUMENTS, h->documents,
                h->n_documents * sizeof(*h->documents), err));
    TRY(put_all(b, OG_PART_NAMES, h->names, h->names_len, err));
    return put_all(b, OG_PART_ID_HASHES, b->id_hashes,
                   h->n_documents * sizeof(*b->id_hashes), err);
}

static og_status write_sentences(struct build *b, og_error *err)
{
    const struct og_memtable *h = b->memtable;
    struct og_part_list list;
    og_part_list_init(&list, &b->out, OG_PART_SENTENCES, 0,
                      h->n_sentences * sizeof(*h->sentences));
    for (size_t i = 0; i < h->n_sentences; i++) {
        struct og_sentence_segment_sentence s = h->sentences[i];
        s.wordset = b->number[s.wordset];
        og_part_put_bytes(&list, &s, sizeof(s));
    }
    return og_part_list_finish(&list, OG_OK, err);
}

static og_status write_texts(struct build *b, og_error *err)
{
    const size_t bound = ZSTD_compressBound(BLOCK_LEN);
    for (size_t i = 0; i < b->totals.n_blocks; i++)
        TRY(og_placed_segment_write(
            &b->out.placed, OG_PART_TEXTS, b->text_starts[2 * i + 1],
            b->packed + i * bound, b->packed_len[i], err));
    return put_all(b, OG_PART_TEXT_STARTS, b->text_starts,
                   (b->totals.n_blocks + 1) * 16, err);
}

static bool comes_before(const struct og_memtable *h, uint32_t x, uint32_t y)
{
    const int64_t s = h->documents[h->sentences[x].document].time;
    const int64_t t = h->documents[h->sentences[y].document].time;
    return s != t ? s < t : x < y;
}

static int compare_places(const void *a, const void *b, void *ctx)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x == y ? 0 : comes_before(ctx, x, y) ? -1 : 1;
}

/* Usually in order already. */
static void sort_places(const struct og_memtable *h, uint32_t *places, size_t n)
{
    size_t i = 1;
    while (i < n && comes_before(h, places[i - 1], places[i]))
        i++;
    if (i < n) qsort_r(places, n, sizeof(*places), compare_places, (void *)h);
}

/* All parts have room for it, in memory. */
static void put_wordset(const struct build *b, size_t i, uint64_t first_key)
{
    const struct og_placed_segment *to = &b->out.placed;
    const struct og_memtable *h = b->memtable;
    const uint32_t wordset = b->order[i];
    const struct og_memtable_wordset *f = &h->wordsets[wordset];
    const size_t len = b->totals.signature_bits / 8;
    const struct og_signature s = og_signature_le(h->signatures[wordset]);
    uint32_t *keys =
        (uint32_t *)og_placed_segment_data(to, OG_PART_KEYS) + first_key;
    uint32_t *places = b->places + b->place_starts[i];
    for (size_t k = 0; k < f->n_words; k++)
        keys[k] = og_word_key(h->words[f->first_word + k]);
    ((uint64_t *)og_placed_segment_data(to, OG_PART_FORM_HASHES))[i] = f->hash;
    ((uint64_t *)og_placed_segment_data(to, OG_PART_FORM_STARTS))[i] =
        first_key;
    ((struct og_word_bitmap *)og_placed_segment_data(to, OG_PART_BITMAPS))[i] =
        h->bitmaps[wordset];
    memcpy(og_placed_segment_data(to, OG_PART_SIGNATURES) + i * len, &s, len);
    sort_places(h, places, f->n_places);
    memcpy((uint32_t *)og_placed_segment_data(to, OG_PART_PLACES) +
               b->place_starts[i],
           places, f->n_places * sizeof(*places));
}

static og_status write_wordsets(struct build *b, size_t piece, og_error *err)
{
    const struct og_memtable *h = b->memtable;
    uint64_t first_key = b->wordsets[piece].n_keys;
    for (size_t i = b->first_wordset[piece]; i < b->first_wordset[piece + 1];
         i++) {
        put_wordset(b, i, first_key);
        first_key += h->wordsets[b->order[i]].n_words;
    }
    if (piece + 1 < b->n_wordset_shares) return OG_OK;
    TRY(og_placed_segment_write(&b->out.placed, OG_PART_FORM_STARTS,
                                8 * h->n_wordsets, &first_key, 8, err));
    return put_all(b, OG_PART_PLACE_STARTS, b->place_starts,
                   (h->n_wordsets + 1) * sizeof(*b->place_starts), err);
}

static og_status write_words(struct build *b, size_t piece, og_error *err)
{
    const struct og_placed_segment *to = &b->out.placed;
    const uint32_t begin = b->first_word[piece], end = b->first_word[piece + 1];
    const uint64_t last = piece + 1 == b->n_word_shares;
    const unsigned shift = b->out.totals.directory_bits - b->word_bits;
    uint64_t *words = (uint64_t *)og_placed_segment_data(to, OG_PART_WORDS);
    uint64_t *starts =
        (uint64_t *)og_placed_segment_data(to, OG_PART_WORD_STARTS);
    uint32_t *counts = (uint32_t *)og_placed_segment_data(to, OG_PART_COUNTS);
    uint32_t *postings =
        (uint32_t *)og_placed_segment_data(to, OG_PART_POSTINGS);
    uint32_t *marks = postings + b->totals.n_keys;
    uint64_t number = b->words[piece].n;
    struct og_directory_share directory;
    og_directory_share_init(&directory, &b->out, (uint64_t)piece << shift,
                            ((uint64_t)(piece + 1) << shift) + last);
    for (size_t i = begin; i < end; i++) {
        const struct posting *p = &b->sorted[i];
        if (begins_word(b, begin, i)) {
            og_directory_share_put(&directory, p->word, number);
            words[number] = p->word;
            starts[number] = i;
            counts[number++] = 0;
        }
        counts[number - 1] += p->n_places;
        postings[i] = p->wordset;
        marks[i] = og_word_mark(&b->memtable->bitmaps[b->order[p->wordset]]);
    }
    if (last) starts[number] = end;
    return og_directory_share_finish(&directory, number, OG_OK, err);
}

static og_status write_piece(void *ctx, void *worker, size_t piece,
                             og_error *err)
{
    struct build *b = ctx;
    (void)worker;
    if (piece < b->n_word_shares) return write_words(b, piece, err);
    piece -= b->n_word_shares;
    if (piece < b->n_wordset_shares) return write_wordsets(b, piece, err);
    piece -= b->n_wordset_shares;
    if (piece == 0) return write_documents(b, err);
    return piece == 1 ? write_sentences(b, err) : write_texts(b, err);
}

/* ---- the whole ---- */

static size_t scratch_len(const struct og_memtable *h)
{
    const size_t n_blocks = h->texts_len / BLOCK_LEN + 2;
    return 2 * (h->n_words + 1) * sizeof(struct posting) +
           (h->n_documents + 2 * n_blocks) * sizeof(uint64_t) +
           n_blocks * sizeof(size_t) +
           (3 * (h->n_wordsets + 1) + h->n_sentences + h->n_words +
            2 * SHARES_MOST) *
               sizeof(uint32_t);
}

static void share_out(struct build *b)
{
    const struct og_memtable *h = b->memtable;
    const size_t n_blocks = h->texts_len / BLOCK_LEN + 2;
    b->postings = b->scratch;
    b->sorted = b->postings + h->n_words + 1;
    b->id_hashes = (uint64_t *)(b->sorted + h->n_words + 1);
    b->text_starts = b->id_hashes + h->n_documents;
    b->packed_len = (size_t *)(b->text_starts + 2 * n_blocks);
    b->order = (uint32_t *)(b->packed_len + n_blocks);
    b->number = b->order + h->n_wordsets + 1;
    b->place_starts = b->number + h->n_wordsets + 1;
    b->places = b->place_starts + h->n_wordsets + 1;
    b->counts = b->places + h->n_sentences;
}

/* In the order of the new wordsets. */
static void find_places(struct build *b)
{
    const struct og_memtable *h = b->memtable;
    b->place_starts[0] = 0;
    for (size_t i = 0; i < h->n_wordsets; i++)
        b->place_starts[i + 1] =
            b->place_starts[i] + h->wordsets[b->order[i]].n_places;
    for (size_t i = h->n_sentences; i-- > 0;) /* the last ones first */
        b->places[--b->place_starts[b->number[h->sentences[i].wordset] + 1]] =
            (uint32_t)i;
    /* Each start is now that of its own wordset. */
    memmove(b->place_starts, b->place_starts + 1,
            h->n_wordsets * sizeof(*b->place_starts));
    b->place_starts[h->n_wordsets] = (uint32_t)h->n_sentences;
}

static og_status sort_all(struct build *b, og_error *err)
{
    choose_shares(b);
    order_by_share(b);
    TRY(og_phases_step(b->phases, "merge", b->n_wordset_shares, order_wordsets,
                       b, err));
    place_dealt(b);
    find_places(b);
    TRY(og_phases_step(b->phases, "merge", b->n_wordset_shares, deal_words, b,
                       err));
    TRY(og_phases_step(b->phases, "merge", b->n_word_shares, sort_words, b,
                       err));
    add_up(b->wordsets, b->n_wordset_shares);
    add_up(b->words, b->n_word_shares);
    b->totals.n_words = b->words[b->n_word_shares].n;
    return OG_OK;
}

static og_status build_segment(struct build *b, struct og_sentence_segment *out,
                               og_error *err)
{
    const struct og_memtable *h = b->memtable;
    uint64_t packed_len = 0;
    TRY(sort_all(b, err));
    TRY(pack_texts(b, &packed_len, err));
    TRY(og_segment_output_init(&b->out, NULL, &b->totals, h->names_len,
                               packed_len, b->phases, h->allocator, err));
    const og_status status = og_phases_step(
        b->phases, "merge", b->n_word_shares + b->n_wordset_shares + 3,
        write_piece, b, err);
    return og_segment_output_end(&b->out, status, out, err);
}

og_status og_memtable_build(const struct og_memtable *h,
                            const struct og_phases *phases,
                            struct og_sentence_segment *out, og_error *err)
{
    struct build *b = og_allocate_zero(h->allocator, sizeof(*b));
    if (b == NULL) return og_error_memory(err, sizeof(*b), "a segment");
    b->memtable = h;
    b->phases = phases;
    b->totals = (struct og_sentence_totals){.n_documents = h->n_documents,
                                            .n_sentences = h->n_sentences,
                                            .n_wordsets = h->n_wordsets,
                                            .n_keys = h->n_words,
                                            .text_len = h->texts_len,
                                            .latest = h->latest,
                                            .signature_bits = h->signature_bits,
                                            .word_bits = h->word_bits,
                                            .no_texts = h->no_texts};
    b->scratch_len = scratch_len(h);
    b->scratch = og_allocate(h->allocator, b->scratch_len);
    og_status status = OG_OK;
    if (b->scratch == NULL)
        status = og_error_memory(err, b->scratch_len, "a segment");
    if (status == OG_OK) {
        share_out(b);
        status = build_segment(b, out, err);
    }
    OG_UNGROW(h->allocator, b->packed, b->packed_cap);
    og_release(h->allocator, b->scratch, b->scratch_len);
    og_release(h->allocator, b, sizeof(*b));
    return status;
}
