#ifndef ORIGO_KEYS_H
#define ORIGO_KEYS_H

/* Keys of documents, for engines that shuffle.
 *
 * Documents that may share text have a key in common. An engine that owns a
 * cluster (Spark, Ray, a database) brings equal keys together; what meets there
 * is compared by this library, and nothing else need be. Keys are the same on
 * every machine and for any number of threads. */

#include <origo/dedup.h>
#include <origo/params.h>
#include <origo/reading.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one document; views until the callback returns. */
typedef struct og_document_keys {
    uint64_t number; /* of the document in the input, from 0; a record that
                        could not be read has none */
    og_bytes id;
    const uint64_t *key;
    const uint32_t *token; /* of each key the first of its tokens, from 0;
                              NULL: the keys are of the whole document */
    size_t n;
    size_t n_tokens;
} og_document_keys;

/* One call for each document, in order, one at a time, by the thread that asked
 * for keys. Return false to stop (OG_ERR_STOPPED). */
typedef bool og_keys_fn(void *ctx, const og_document_keys *keys);

/* options->n_bands keys of each document: og_dedup_run() compares two documents
 * only when they share one. So documents that no chain of shared keys joins can
 * be deduplicated apart from each other, and the outcome is that of one run. Of
 * the options, those that decide what a sketch is are looked at. */
OG_API og_status og_band_keys(const og_input *input,
                              const og_dedup_options *options,
                              og_keys_fn *on_keys, void *ctx,
                              og_stream_counts *out_counts, og_error *err);

/* The fingerprints that a store with these parameters and a public key would
 * look up, with their places. A document has its passages from the earliest
 * documents that hold their fingerprints. */
OG_API og_status og_fingerprint_keys(const og_input *input,
                                     const og_params *params,
                                     og_keys_fn *on_keys, void *ctx,
                                     og_stream_counts *out_counts,
                                     og_error *err);

#ifdef __cplusplus
}
#endif

#endif
