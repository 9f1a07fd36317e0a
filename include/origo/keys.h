#ifndef ORIGO_KEYS_H
#define ORIGO_KEYS_H

/* Keys of documents, for distributed engines that shuffle by key.
 *
 * Documents that may share text have a key in common. An engine that runs a
 * cluster (Spark, Ray, a database) groups documents by key; only documents in
 * the same group need to be compared, by this library. Keys are the same on
 * every machine and for any number of threads. */

#include <origo/dedup.h>
#include <origo/params.h>
#include <origo/reading.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys of one document; views, valid until the callback returns. */
typedef struct og_document_keys {
    uint64_t number; /* of the document in the input, from 0; records that
                        could not be read are not numbered */
    og_bytes id;
    const uint64_t *key;
    const uint32_t *token; /* for each key, the index of its first token, from
                              0; NULL: the keys are of the whole document */
    size_t n;              /* keys */
    size_t n_tokens;
    const uint8_t *sample; /* of bands: the sketch, n_bands * n_rows bytes */
    size_t n_samples;      /* 0: the keys are fingerprints */
} og_document_keys;

/* Called once per document, in order, by the thread that requested the keys.
 * Return false to stop (OG_ERR_STOPPED). */
typedef bool og_keys_fn(void *ctx, const og_document_keys *keys);

/* options->n_bands keys of each document: og_dedup_run() compares two documents
 * only if they share one. So documents that are not connected by a chain of
 * shared keys can be deduplicated separately, with the same result as in one
 * run. Only the options that define a sketch are used. */
OG_API og_status og_band_keys(const og_input *input,
                              const og_dedup_options *options,
                              og_keys_fn *on_keys, void *ctx,
                              og_stream_counts *out_counts, og_error *err);

/* Two documents of an input, by their numbers. */
typedef struct og_document_pair {
    uint64_t a, b;
} og_document_pair;

/* What og_dedup_run() finds when it compares two documents that share a key:
 * for each of `n` pairs the similarity, in the measure of the options, or 0
 * when it is below the threshold. Keeps the shingles of all documents of the
 * input in memory. OG_ERR_USAGE: a number that no document has. */
OG_API og_status og_dedup_compare(const og_input *input,
                                  const og_dedup_options *options,
                                  const og_document_pair *pairs, size_t n,
                                  double *out_similarity,
                                  og_stream_counts *out_counts, og_error *err);

/* Documents with fewer equal samples in their sketches than this are not
 * compared by og_dedup_run(), even if they share a key. */
OG_API uint32_t og_dedup_least_equal(const og_dedup_options *options);

/* The fingerprints that a store with these parameters and a public key would
 * look up, with their positions. The origin of a passage is the earliest
 * document that contains its fingerprints. */
OG_API og_status og_fingerprint_keys(const og_input *input,
                                     const og_params *params,
                                     og_keys_fn *on_keys, void *ctx,
                                     og_stream_counts *out_counts,
                                     og_error *err);

#ifdef __cplusplus
}
#endif

#endif
