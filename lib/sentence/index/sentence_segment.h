#ifndef OG_SENTENCE_INDEX_SENTENCE_SEGMENT_H
#define OG_SENTENCE_INDEX_SENTENCE_SEGMENT_H

/* A run of documents and the index of their sentences: an immutable
 * byte array, in memory or mapped from a file.
 *
 * Sentences with the same set of words are one wordset: a million copies of a
 * sentence are one wordset with a million places. Wordsets are sorted by the
 * hash of their words, so that two segments can be merged sequentially and
 * equal wordsets meet.
 *
 *     part            element                              how many
 *     documents       struct og_sentence_segment_document  n_documents
 *     names           bytes: id and title of each
 *     id hashes       u64 hash, ascending                  n_documents
 *     sentences       struct og_sentence_segment_sentence  n_sentences
 *     wordset hashes  u64, ascending, different            n_wordsets
 *     wordset starts  u64: first key of each wordset       n_wordsets + 1
 *     keys            u32, ascending in each wordset       n_keys
 *     bitmaps         u64[2]                               n_wordsets
 *     place starts    u32: first place of each wordset     n_wordsets + 1
 *     places          u32: sentences, earliest first       n_sentences
 *     words           u64, ascending, different            n_words
 *     word starts     u64: first posting of each word      n_words + 1
 *     counts          u32: sentences with the word         n_words
 *     directory       u32: words below each prefix         2^bits + 1
 *     postings        u32: wordsets, ascending in a word   n_keys
 *                     u32: the mark of each                n_keys
 *     text starts     u64[2]: raw and packed offset        n_blocks + 1
 *     texts           bytes: zstd, a block each
 *     signatures      2, 4, 8 or 16 bytes, low first       n_wordsets, or none
 *     parts           of every 16 bits of a signature:
 *                     u32 starts [65537], u32 wordsets [n_wordsets]
 *     totals          struct og_sentence_totals            1
 *
 * Each part is a section of a segment (lib/disk/segment_file.h). Opening checks
 * the checksums, then order and ranges of every part, which are then used
 * freely. Segments of the previous layout (old_sentence_segment.c) are read. */

#include "lib/disk/segment_file.h"
#include "lib/sentence/index/measure.h"
#include "lib/sentence/index/signature.h"

struct og_sentence_segment_document {
    uint64_t name_off;
    uint32_t id_len, title_len;
    int64_t time;      /* its own, or the latest known before it */
    uint64_t text_off; /* in the texts, unpacked; 0: they are in the store */
    uint32_t text_len;
    uint32_t has_time;
    uint32_t first_sentence;
    uint32_t number; /* in the store */
};
_Static_assert(sizeof(struct og_sentence_segment_document) == 48,
               "the file's form");

struct og_sentence_segment_sentence {
    uint32_t document;
    uint32_t begin, len; /* in the text of the document */
    uint32_t wordset;
};
_Static_assert(sizeof(struct og_sentence_segment_sentence) == 16,
               "the file's form");

enum og_sentence_segment_part {
    OG_PART_DOCUMENTS,
    OG_PART_NAMES,
    OG_PART_ID_HASHES,
    OG_PART_SENTENCES,
    OG_PART_FORM_HASHES,
    OG_PART_FORM_STARTS,
    OG_PART_KEYS,
    OG_PART_BITMAPS,
    OG_PART_PLACE_STARTS,
    OG_PART_PLACES,
    OG_PART_WORDS,
    OG_PART_WORD_STARTS,
    OG_PART_COUNTS,
    OG_PART_DIRECTORY,
    OG_PART_POSTINGS,
    OG_PART_TEXT_STARTS,
    OG_PART_TEXTS,
    OG_PART_SIGNATURES,
    OG_PART_PARTS,
    OG_PART_TOTALS,
    OG_N_PARTS
};

struct og_sentence_totals {
    uint64_t n_documents, n_sentences, n_wordsets, n_keys, n_words, n_blocks;
    uint64_t text_len; /* of all texts, unpacked */
    int64_t latest;    /* the largest time */
    uint32_t directory_bits;
    uint32_t signature_bits, word_bits; /* 0, 0: no signatures */
    uint32_t no_texts; /* 1: names and texts are in the store */
};
_Static_assert(sizeof(struct og_sentence_totals) == 80, "the file's form");

struct og_sentence_segment {
    struct og_segment_file file;
    struct og_sentence_totals totals;
    const struct og_sentence_segment_document *documents;
    const char *names;
    const uint64_t *id_hashes;
    const struct og_sentence_segment_sentence *sentences;
    const uint64_t *wordset_hashes, *wordset_starts;
    const uint32_t *keys;
    const struct og_word_bitmap *bitmaps;
    const uint32_t *place_starts, *places;
    const uint64_t *words, *word_starts;
    const uint32_t *counts, *directory, *postings;
    const uint32_t *marks; /* NULL: an old segment without marks */
    const uint64_t *text_starts;
    const uint8_t *texts;
    const uint8_t *signatures;
    const uint32_t *parts; /* NULL: a small segment in memory; all signatures
                              are scanned */
};

extern const struct og_segment_kind og_sentence_segment_kind;

/* Takes bytes from `allocator` (data_cap of them), which belong to the segment
 * until og_sentence_segment_release(). OG_ERR_STORE with `name` and the
 * position if they are damaged; then they still belong to the caller. */
og_status og_sentence_segment_take(struct og_sentence_segment *segment,
                                   const uint8_t *data, size_t len,
                                   size_t data_cap,
                                   const og_allocator *allocator,
                                   const char *name, og_error *err);
og_status og_sentence_segment_open(struct og_sentence_segment *segment,
                                   const char *path, og_error *err);
void og_sentence_segment_release(struct og_sentence_segment *segment);
/* Releases the memory of a segment that is a file. */
void og_sentence_segment_forget(const struct og_sentence_segment *segment);

/* The lengths of all parts; those of names and packed texts are not in the
 * totals. */
void og_sentence_part_lens(const struct og_sentence_totals *totals,
                           uint64_t names_len, uint64_t packed_len,
                           uint64_t out[OG_N_PARTS]);

/* A segment that this process has just written: its parts are not checked. */
void og_sentence_segment_adopt(struct og_sentence_segment *segment,
                               const struct og_segment_file *file,
                               const struct og_sentence_totals *totals);

static inline uint64_t
og_sentence_part_len(const struct og_sentence_segment *segment,
                     enum og_sentence_segment_part part)
{
    return segment->file.section[part].len;
}

/* The bytes of a segment as a file: one in memory may lack the tables of its
 * signatures. What is merged with what follows from these. */
static inline uint64_t
og_sentence_segment_size(const struct og_sentence_segment *segment)
{
    const uint64_t n_tables = segment->totals.signature_bits / 16;
    return segment->file.len +
           (segment->parts == NULL
                ? n_tables * (65537 + segment->totals.n_wordsets) *
                      sizeof(uint32_t)
                : 0);
}

/* Prefetches what og_sentence_segment_find_word() will read: first one step for
 * all words of a query, then the other. */
static inline void
og_sentence_segment_expect_directory(const struct og_sentence_segment *segment,
                                     uint64_t word)
{
    const unsigned bits = segment->totals.directory_bits;
    __builtin_prefetch(segment->directory +
                       (bits == 0 ? 0 : word >> (64 - bits)));
}
static inline void
og_sentence_segment_expect_word(const struct og_sentence_segment *segment,
                                uint64_t word)
{
    const unsigned bits = segment->totals.directory_bits;
    const uint32_t at = segment->directory[bits == 0 ? 0 : word >> (64 - bits)];
    __builtin_prefetch(segment->words + at);
    __builtin_prefetch(segment->word_starts + at);
    __builtin_prefetch(segment->counts + at);
}

/* The index of a word; n_words if it is not there. */
size_t og_sentence_segment_find_word(const struct og_sentence_segment *segment,
                                     uint64_t word);
bool og_sentence_segment_has_id(const struct og_sentence_segment *segment,
                                uint64_t id_hash);

static inline struct og_signature
og_sentence_segment_signature(const struct og_sentence_segment *segment,
                              size_t wordset)
{
    struct og_signature s = {{0, 0}};
    const size_t len = segment->totals.signature_bits / 8;
    __builtin_memcpy(&s, segment->signatures + wordset * len, len);
    return og_signature_le(s);
}

/* Unpacked blocks, so that adjacent sentences are unpacked once. */
struct og_text_cache {
    const og_allocator *allocator;
    const struct og_sentence_segment
        *segment; /* the segment of `data`; NULL: none */
    uint64_t block;
    char *data;
    size_t len, cap;
};
void og_text_cache_init(struct og_text_cache *cache,
                        const og_allocator *allocator);
void og_text_cache_release(struct og_text_cache *cache);

/* Appends `len` bytes of the texts from `off` on to out[], which has room. */
og_status og_sentence_segment_text(const struct og_sentence_segment *segment,
                                   struct og_text_cache *cache, uint64_t off,
                                   size_t len, char *out, og_error *err);

#endif
