#ifndef ORIGO_SKETCH_H
#define ORIGO_SKETCH_H

/* Sketches of documents: features, simhash, min-hash, supershingles. */

#include <origo/params.h>
#include <origo/reading.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- features of documents ---- */

typedef enum og_feature_kind {
    OG_FEATURE_TOKENS = 0, /* each token */
    OG_FEATURE_PHRASES,    /* phrase_len tokens in a row; a shorter text is one
                              phrase */
    OG_FEATURE_WRAP,       /* also the phrases that begin at the end of the text
                              and continue at its beginning: as many as
                              tokens */
    OG_FEATURE_SPOT,       /* a stop word and the next phrase_len - 1 words that
                              are not stop words: skips headlines and
                              captions */
} og_feature_kind;
OG_API bool og_feature_parse(og_bytes name, og_feature_kind *out);
OG_API const char *og_feature_name(og_feature_kind kind);

typedef enum og_tf_kind {
    OG_TF_COUNT = 0, /* a feature's weight is its number of occurrences */
    OG_TF_LOG,       /* log2(1 + that number) */
    OG_TF_ONE,       /* 1: a set */
} og_tf_kind;
OG_API bool og_tf_parse(og_bytes name, og_tf_kind *out);
OG_API const char *og_tf_name(og_tf_kind kind);

/* The number of documents of a corpus that contain each feature. Written by
 * og_idf_make(), read by og_idf_open(); any number of threads may query it. */
typedef struct og_idf og_idf;

typedef struct og_feature_options {
    og_feature_kind kind;
    og_token_kind tokens;
    uint32_t phrase_len; /* 1 to 32 */
    const char *stop;    /* language of the stop words to drop; NULL: none
                            (OG_FEATURE_SPOT: "en") */
    const char *stem;    /* language of the stemmer; NULL: no stemming */
    og_tf_kind tf;
    const og_idf *idf;     /* NULL: rare features weigh as much as common
                              ones */
    double title_weight;   /* of a token of the title; 0: the title is
                              ignored */
    double heading_weight; /* of a token in a heading of the text */
    uint64_t key;          /* 0, or a secret that keys the hashes */
} og_feature_options;
/* Phrases of 3 words, counted. Simhash does best with OG_TF_ONE; for min-hash
 * it makes no difference. */
OG_API og_feature_options og_feature_options_default(void);

/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_feature_options_check(const og_feature_options *options,
                                          og_error *err);

/* The supported languages, "de en es ..."; never NULL. */
OG_API const char *og_stop_languages(void);
OG_API const char *og_stem_languages(void);

typedef struct og_idf_info {
    uint64_t n_documents;
    uint64_t n_features; /* known ones; the rarest may be missing */
    uint64_t max_error;  /* the largest error of a document frequency */
} og_idf_info;

/* Reads a file of og_idf_make(). OG_ERR_IO: it cannot be read; OG_ERR_INPUT: it
 * is not such a file, or of another version or damaged; the message gives the
 * position. */
OG_API og_status og_idf_open(const char *path, og_idf **out, og_error *err);
OG_API void og_idf_close(og_idf *idf); /* NULL is fine */
OG_API void og_idf_info_get(const og_idf *idf, og_idf_info *out);

/* ---- simhash ---- */

/* Bit j of the sketch is bit j % 64 of word[j / 64]. */
typedef struct og_simhash {
    uint64_t word[2]; /* the second is 0 for 64 bits */
} og_simhash;

/* Bits that differ: 0 to 128. */
OG_API unsigned og_simhash_distance(const og_simhash *a, const og_simhash *b);

/* The simhash of features that the caller supplies: hashes whose bits are all
 * random, and weights (NULL: all are 1) above 0 and at most 65535. `n_bits` is
 * 64 or 128. No features at all give 0. OG_ERR_INPUT names the first weight
 * that is negative, zero, infinite, not a number or too large. */
OG_API og_status og_simhash_features(const uint64_t *hash, const float *weight,
                                     size_t n, unsigned n_bits, og_simhash *out,
                                     og_error *err);

/* Sketches one document after another and reuses its memory. One per thread. */
typedef struct og_sketcher og_sketcher;
/* The strings of the options and the idf must remain valid until _free. */
OG_API og_status og_sketcher_new(const og_feature_options *options,
                                 og_sketcher **out, og_error *err);
OG_API void og_sketcher_free(og_sketcher *sketcher); /* NULL is fine */
/* `out_n_features` may be NULL. */
OG_API og_status og_sketcher_simhash(og_sketcher *sketcher,
                                     const og_document *doc, unsigned n_bits,
                                     og_simhash *out, uint64_t *out_n_features,
                                     og_error *err);

/* ---- sketches of streams: files in, sketches out, on all cores ---- */

/* In the counts of these streams, n_short is the number of documents without
 * features. */

/* Return false to stop (OG_ERR_STOPPED). `id` and `sketch` are views until it
 * returns. */
typedef bool og_simhash_fn(void *ctx, og_bytes id, const og_simhash *sketch,
                           uint64_t n_features);

/* `ctx` is passed to the callback. The calls are the same for any number of
 * threads. */
OG_API og_status og_simhash_stream(const og_input *input, unsigned n_bits,
                                   const og_feature_options *features,
                                   og_simhash_fn *on_simhash, void *ctx,
                                   og_stream_counts *out_counts, og_error *err);

/* The same, written to a binary file that states its parameters; "-" is stdout.
 * The file appears whole, or not at all if there is nothing to write. */
OG_API og_status og_simhash_save(const og_input *input, unsigned n_bits,
                                 const og_feature_options *features,
                                 const char *out_path,
                                 og_stream_counts *out_counts, og_error *err);

/* Counts the documents that contain each feature, in at most `memory` bytes,
 * and writes the file that og_idf_open() reads. Nothing is written unless all
 * input could be read. */
OG_API og_status og_idf_make(const og_input *input,
                             const og_feature_options *features,
                             uint64_t memory, const char *out_path,
                             og_idf_info *out_info,
                             og_stream_counts *out_counts, og_error *err);

/* ---- sketches of documents: min-hash ----
 *
 * A set of features becomes n_samples numbers of 32 bits, such that the share
 * of places in which two sketches agree estimates the Jaccard similarity of
 * the sets (the generalized one, for features with weights). */

typedef enum og_minhash_method {
    OG_MINHASH_AUTO = 0, /* one permutation, further rounds for empty bins,
                            exact samples for those still empty: the default,
                            for sets of any size */
    OG_MINHASH_EXACT,    /* one permutation per sample */
    OG_MINHASH_ONE,      /* one permutation, optimal densification */
    OG_MINHASH_SUPER,    /* SuperMinHash: the least variance for short sets */
    OG_MINHASH_BYTE,     /* the book, 3.2: a byte each, ties broken late */
    OG_MINHASH_ZEROS,    /* the book, 4.1: leading zeros, two bits each */
    OG_MINHASH_BIASED,   /* the book, 4.2: biased lead bits, blocks of 128 */
    OG_MINHASH_SMALLEST, /* the n_samples smallest hashes: a set of samples */
    OG_MINHASH_MODULO,   /* hashes divisible by `modulus`: likewise */
    /* Weights count for the following methods. */
    OG_MINHASH_COPIES,   /* weights are whole numbers: that many copies */
    OG_MINHASH_ACTIVE,   /* Gollapudi and Panigrahy: all active indices */
    OG_MINHASH_INTERVAL, /* the book, 5.1: constant expected time */
    OG_MINHASH_IOFFE,    /* the book, 5.2: constant time */
    OG_MINHASH_IOFFE0,   /* keeps the feature only ("0 bit"): slightly biased,
                            smaller */
    OG_MINHASH_COARSE,   /* the book, 5.3: 5.1 with coarse bounds first */
    OG_MINHASH_METHOD_END
} og_minhash_method;
OG_API bool og_minhash_method_parse(og_bytes name, og_minhash_method *out);
OG_API const char *og_minhash_method_name(og_minhash_method method);
OG_API bool og_minhash_is_weighted(og_minhash_method method);
/* True for the two methods whose sketch is a set of samples rather than a
 * row. */
OG_API bool og_minhash_is_set(og_minhash_method method);

/* The function used in place of a random one. */
typedef enum og_hash_family {
    OG_FAMILY_MIX = 0,    /* a mixing bijection, then odd multipliers */
    OG_FAMILY_MULTIPLY,   /* multiply-shift on the bare feature */
    OG_FAMILY_TABULATION, /* simple tabulation by byte */
    OG_FAMILY_RABIN,      /* Rabin permutation: a product in GF(2^64) */
    OG_FAMILY_END
} og_hash_family;
OG_API bool og_family_parse(og_bytes name, og_hash_family *out);
OG_API const char *og_family_name(og_hash_family family);

typedef struct og_minhash_options {
    og_minhash_method method;
    og_hash_family family;
    uint32_t n_samples; /* 1 to 4096 */
    uint32_t n_bits;    /* kept of each sample: 1 to 16; or 32: all */
    uint32_t modulus;   /* of OG_MINHASH_MODULO, 1 or more */
    uint64_t seed;      /* another seed gives other samples */
} og_minhash_options;
OG_API og_minhash_options og_minhash_options_default(void);
/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_minhash_options_check(const og_minhash_options *options,
                                          og_error *err);

/* Hash functions and working memory. One per thread. */
typedef struct og_minhash og_minhash;
OG_API og_status og_minhash_new(const og_minhash_options *options,
                                og_minhash **out, og_error *err);
OG_API void og_minhash_free(og_minhash *minhash); /* NULL is fine */

/* Every sample of an empty set. No other set has it. */
#define OG_SAMPLE_NONE UINT32_MAX

/* Writes n_samples samples of the set of `n` features. Repeated features make
 * no difference. `weights` may be NULL (all 1) and is used by the weighted
 * methods only, which require distinct features; a weight of 0 means the
 * feature is absent. OG_ERR_INPUT names the first weight that is negative,
 * infinite or not a number. Not for methods that make sets of samples. */
OG_API og_status og_minhash_samples(og_minhash *minhash,
                                    const uint64_t *features,
                                    const float *weights, size_t n,
                                    uint32_t *out, og_error *err);

/* For OG_MINHASH_SMALLEST and OG_MINHASH_MODULO: hashes in ascending order,
 * valid until the next call with the same minhash. */
OG_API og_status og_minhash_sample_set(og_minhash *minhash,
                                       const uint64_t *features, size_t n,
                                       const uint64_t **out, size_t *out_n,
                                       og_error *err);

/* The share of equal samples: an unbiased estimate. 0 if a set was empty:
 * nothing is known to be common. */
OG_API double og_samples_similarity(const uint32_t *a, const uint32_t *b,
                                    size_t n);

/* n_bits of every sample, packed: (n * n_bits + 7) / 8 bytes. An empty set
 * becomes all zeros and cannot be told apart from that: the caller must
 * remember which sets were empty. */
OG_API void og_samples_pack(const uint32_t *samples, size_t n, uint32_t n_bits,
                            uint8_t *out);
/* (Q - 2^-b) / (1 - 2^-b), where Q is the share of equal values: corrected for
 * chance agreement, so it may be below 0. */
OG_API double og_packed_similarity(const uint8_t *a, const uint8_t *b, size_t n,
                                   uint32_t n_bits);

/* Both in ascending order, as og_minhash_sample_set() returns them. `n_samples`
 * is that of the options for OG_MINHASH_SMALLEST, 0 for OG_MINHASH_MODULO. NAN
 * if there are no samples to compare. */
OG_API double og_sample_sets_similarity(const uint64_t *a, size_t n_a,
                                        const uint64_t *b, size_t n_b,
                                        size_t n_samples);

/* The sum of |a - b| over all features, from the generalized Jaccard
 * similarity and the sums of weights: (1 - J) / (1 + J) (|a| + |b|). */
OG_API double og_l1_distance(double similarity, double norm_a, double norm_b);

/* ---- min-hash of streams, and distances ---- */

/* One document's sketch; all pointers are views. Those that the method does not
 * make are NULL. */
typedef struct og_minhash_sketch {
    const uint32_t *samples; /* n_samples of them, if n_bits is 32 */
    const uint8_t *packed;   /* as og_samples_pack() writes them, if n_bits is
                                less */
    const uint64_t *set;     /* of the two methods that make a set of samples */
    size_t n_set;
    bool is_empty;       /* no features: nothing to compare */
    uint64_t n_features; /* distinct ones, for weighted methods */
    double norm;         /* the sum of their weights, likewise */
} og_minhash_sketch;

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_minhash_fn(void *ctx, og_bytes id,
                           const og_minhash_sketch *sketch);

/* Like og_simhash_stream() and og_simhash_save(). Of a set of
 * OG_MINHASH_MODULO, a file keeps the n_samples smallest: all sketches in a
 * file have the same length. */
OG_API og_status og_minhash_stream(const og_input *input,
                                   const og_minhash_options *minhash,
                                   const og_feature_options *features,
                                   og_minhash_fn *on_sketch, void *ctx,
                                   og_stream_counts *out_counts, og_error *err);
OG_API og_status og_minhash_save(const og_input *input,
                                 const og_minhash_options *minhash,
                                 const og_feature_options *features,
                                 const char *out_path,
                                 og_stream_counts *out_counts, og_error *err);

typedef struct og_distance {
    og_bytes id_a, id_b;
    const char *measure; /* "jaccard", "weighted" or "hamming" */
    double similarity;   /* 0 to 1; corrected estimates may fall below 0 */
    double distance; /* 1 - similarity; the sum of differences of weights; or
                        the number of bits that differ */
} og_distance;
/* Return false to stop (OG_ERR_STOPPED). The ids are views until it returns. */
typedef bool og_distance_fn(void *ctx, const og_distance *distance);

/* Whether a file begins like a sketch file. */
OG_API bool og_sketch_file_is(const char *path);

/* Compares every sketch of A with every sketch of B, in the order of A. B is
 * held in memory. OG_ERR_INPUT if their parameters differ; the message gives
 * both. */
OG_API og_status og_sketch_files_compare(const char *path_a, const char *path_b,
                                         void *ctx, og_distance_fn *on_distance,
                                         og_error *err);

/* Compares every code of A with every code of B; both are files that
 * og_wide_codes_read() accepts, with codes of one width. */
OG_API og_status og_codes_compare(const char *path_a, const char *path_b,
                                  void *ctx, og_distance_fn *on_distance,
                                  og_error *err);

/* Compares every document of A with every document of B, exactly, from their
 * features. Of the counts (may be NULL), n_documents and n_skipped cover both
 * inputs. */
OG_API og_status og_texts_compare(const og_input *input_a,
                                  const og_input *input_b, bool is_weighted,
                                  const og_feature_options *features, void *ctx,
                                  og_distance_fn *on_distance,
                                  og_stream_counts *out_counts, og_error *err);

/* The book's grouping of sets of samples, for which there are no supershingles:
 * the set, in its order, is cut after each sample that a hash selects, one in
 * `one_in`, and every group has a value. Similar sets have groups in common,
 * wherever they differ. `out` has room for n values; returns the number of
 * groups. */
OG_API size_t og_sample_groups(const uint64_t *set, size_t n, uint32_t one_in,
                               uint64_t *out);

/* ---- supershingles ---- */

/* n_samples = n_rows * n_bands samples; one value of `n_bits` bits per band of
 * n_rows samples; a pair is found if n_needed of the n_bands values are
 * equal. */
typedef struct og_bands {
    uint32_t n_rows, n_bands; /* product 1 to 4096; n_bands at most 64 */
    uint32_t n_needed;        /* 1 to n_bands */
    uint32_t n_bits;          /* of a value, 1 to 64 */
} og_bands;
#define OG_BANDS_ALTAVISTA                                                     \
    {                                                                          \
        14, 6, 2, 64                                                           \
    } /* 84 samples, two of six */
#define OG_BANDS_SHORT                                                         \
    {                                                                          \
        5, 6, 4, 16                                                            \
    } /* 30 samples, four of six */
OG_API og_status og_bands_check(const og_bands *bands, og_error *err);

/* Writes n_bands values. */
OG_API void og_supershingles(const og_bands *bands, const uint32_t *samples,
                             uint64_t *out);

/* The probability of finding a pair of this similarity: the S-curve. */
OG_API double og_bands_probability(const og_bands *bands, double similarity);

/* One table for every choice of n_needed bands: C(6, 2) = 15 for two of six.
 * Documents that agree in all bands of a choice meet in its table. */
typedef struct og_band_tables og_band_tables;
OG_API og_status og_band_tables_new(const og_bands *bands, og_band_tables **out,
                                    og_error *err);
OG_API void og_band_tables_free(og_band_tables *tables); /* NULL is fine */
OG_API size_t og_band_tables_count(const og_band_tables *tables);

/* The numbers of the documents added before that agree in at least n_needed
 * bands, each once, ascending; a view that is valid until the next call. Then
 * adds this document under the next number. `limit` bounds the number taken
 * from one table (the oldest), so that a million copies cost a million steps
 * and not their square; 0: no limit. */
OG_API og_status og_band_tables_meet(og_band_tables *tables,
                                     const uint64_t *values, size_t limit,
                                     const uint32_t **out, size_t *out_n,
                                     og_error *err);

#ifdef __cplusplus
}
#endif

#endif
