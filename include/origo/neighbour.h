#ifndef ORIGO_NEIGHBOUR_H
#define ORIGO_NEIGHBOUR_H

/* Neighbours: simhashes within k bits, and near-duplicate documents. */

#include <origo/params.h>
#include <origo/reading.h>
#include <origo/store.h>
#include <origo/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- neighbours of codes: all within k bits, exactly ----
 *
 * An index holds entries, each an id and a code of 64 or 128 bits (a simhash),
 * in memory or in a folder. Entries are found as soon as they are added. One
 * thread at a time for each og_hamming; a folder has one writer and any number
 * of readers, which see it as it was when they opened it. */

typedef struct og_hamming og_hamming;

/* A code of 128 bits, or one of 64 with `high` 0. */
typedef struct og_wide_code {
    uint64_t high, low;
} og_wide_code;

/* The kind of tables. All return the same matches. Those of the paper (sorted,
 * packed) and the slices are not on disk: they are built when the index is
 * opened. */
typedef enum og_hamming_design {
    OG_HAMMING_DIRECTORY =
        0,             /* buckets found through a directory: the fastest */
    OG_HAMMING_SORTED, /* permuted and sorted, 8 bytes a code and table */
    OG_HAMMING_PACKED, /* the same, packed to 5 or 6 bytes */
    OG_HAMMING_SLICES, /* no table: a scan bit by bit, distances up to 15 */
} og_hamming_design;

typedef struct og_hamming_options {
    uint32_t n_bits;       /* of a code: 64 or 128 */
    uint32_t max_distance; /* bits, 0 to n_bits: the largest distance of a
                              query */
    int n_tables;          /* -1: as many as the planner picks; 0: none, a
                              scan */
    og_hamming_design design;
    uint64_t memory;    /* bytes of tables that the planner may use */
    uint64_t buffer;    /* bytes in memory before they are written to a file */
    uint32_t n_waiting; /* new entries that a query scans; a larger number makes
                           adding faster and queries slower */
    bool must_be_new;   /* OG_CREATE: an existing index is OG_ERR_USAGE */
} og_hamming_options;
OG_API og_hamming_options og_hamming_options_default(void);

/* `path` is a folder, or ":memory:" for an index that exists until it is closed
 * and is always writable. `options` may be NULL. Checks every byte of an
 * existing index, whose number of bits, distance, tables and memory are those
 * it was created with; only the other options count. OG_ERR_NO_STORE: there is
 * no index. OG_ERR_BUSY: another process is writing to it. OG_ERR_STORE, with
 * file and position: it is damaged or not an index. */
OG_API og_status og_hamming_open(const char *path, og_access access,
                                 const og_hamming_options *options,
                                 og_hamming **out, og_error *err);
/* Commits, returns the status of the commit, and closes the index in any case.
 * `hamming` may be NULL. */
OG_API og_status og_hamming_close(og_hamming *hamming, og_error *err);
/* Closes the index and removes it from disk, with its folder if nothing else is
 * in it. For the writer only. NULL is fine. */
OG_API void og_hamming_delete(og_hamming *hamming);

/* An id (1 to 65,535 bytes) may have several codes, a code several ids; the
 * same pair twice counts once. Removing an entry that does not exist is not an
 * error. */
OG_API og_status og_hamming_add(og_hamming *hamming, uint64_t code, og_bytes id,
                                og_error *err);
OG_API og_status og_hamming_remove(og_hamming *hamming, uint64_t code,
                                   og_bytes id, og_error *err);
/* The same for an index of either width; the functions above need one of 64
 * bits. */
OG_API og_status og_hamming_add_wide(og_hamming *hamming, og_wide_code code,
                                     og_bytes id, og_error *err);
OG_API og_status og_hamming_remove_wide(og_hamming *hamming, og_wide_code code,
                                        og_bytes id, og_error *err);
/* Makes everything durable. Files are also written when the buffer is full: a
 * killed process loses its last entries, never earlier ones. */
OG_API og_status og_hamming_commit(og_hamming *hamming, og_error *err);

typedef struct og_hamming_match {
    og_bytes id;   /* valid during the call */
    uint64_t code; /* of a 128-bit code, the lower half */
    unsigned distance;
    uint64_t code_high; /* the upper half; 0 for a 64-bit code */
} og_hamming_match;

/* All entries within max_distance bits of `code`, by code, then by id; until
 * on_match returns false. OG_ERR_USAGE if max_distance is larger than that of
 * the index. */
OG_API og_status og_hamming_ask(
    og_hamming *hamming, uint64_t code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err);
OG_API og_status og_hamming_ask_wide(
    og_hamming *hamming, og_wide_code code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err);

typedef struct og_hamming_info {
    uint32_t n_bits, max_distance;
    uint64_t n_codes;   /* distinct codes, counted in each run; for 128-bit
                           codes, half the number of distinct halves */
    uint64_t n_entries; /* in runs; one that was added twice counts twice */
    uint64_t n_removed; /* tombstones that await a merge */
    uint64_t n_waiting;
    uint64_t n_runs;
    uint64_t n_bytes;
} og_hamming_info;
OG_API void og_hamming_info_get(const og_hamming *hamming,
                                og_hamming_info *out);

/* What the planner considers for n_codes codes, and what it chooses: lines of
 * text, cut to out_cap bytes, zero-terminated. */
OG_API og_status og_hamming_explain(uint64_t n_codes,
                                    const og_hamming_options *options,
                                    char *out, size_t out_cap, og_error *err);

/* 1 to 16 hexadecimal digits. Otherwise returns false and leaves *out alone. */
OG_API bool og_code_parse(og_bytes s, uint64_t *out);
/* The same, or 32 digits: *out_n_bits is 64 or 128. */
OG_API bool og_wide_code_parse(og_bytes s, og_wide_code *out,
                               unsigned *out_n_bits);

/* A file of lines "id<TAB>code" or a binary file of 64-bit simhashes; "-" is
 * stdin. on_code returns false to stop (OG_ERR_STOPPED). */
OG_API og_status og_codes_read(const char *path, void *ctx,
                               bool (*on_code)(void *ctx, og_bytes id,
                                               uint64_t code),
                               og_error *err);
/* The same for codes of n_bits bits, 64 or 128; 0: the width of the first one.
 * OG_ERR_INPUT, with the position, at a code of another width. */
OG_API og_status og_wide_codes_read(
    const char *path, unsigned n_bits, void *ctx,
    bool (*on_code)(void *ctx, og_bytes id, og_wide_code code, unsigned n_bits),
    og_error *err);

/* Every pair of a query and an entry of a file within max_distance: lines
 * "query<TAB>id<TAB>distance" in the order of the file. The queries are held in
 * memory, the file is read once. With shards, each call writes one part;
 * og_hamming_merge() turns all parts, in any order, into the bytes that a
 * single call writes. Outputs appear when they are complete; NULL and "-" are
 * stdout. */
typedef struct og_hamming_join_options {
    const char *questions, *file, *output;
    uint32_t max_distance;
    int n_tables;
    uint64_t memory;
    uint32_t shard, n_shards; /* shard: from 0; "0 of 1" is everything */
    bool as_part;             /* the output is for og_hamming_merge(); always so
                                 with more than one shard */
} og_hamming_join_options;
typedef struct og_hamming_join_counts {
    uint64_t n_questions, n_codes, n_pairs;
} og_hamming_join_counts;
OG_API og_hamming_join_options og_hamming_join_options_default(void);
OG_API og_status og_hamming_join(const og_hamming_join_options *options,
                                 og_hamming_join_counts *out_counts,
                                 og_error *err);
/* OG_ERR_INPUT if a part is missing, damaged or of another join, whose
 * parameters the message then shows beside these. */
OG_API og_status og_hamming_merge(const char *const *paths, size_t n_paths,
                                  const char *output, uint64_t *out_n_pairs,
                                  og_error *err);

/* ---- near-duplicates as documents come, in memory that is fixed ----
 *
 * The index `near` of a store keeps a sketch of each document. When it is full,
 * one that was not matched for long goes for each that comes. The similarity of
 * an answer is exact where the store has the text, else estimated from the
 * samples of both sketches. */

typedef enum og_near_method {
    OG_NEAR_MINHASH = 0,
    OG_NEAR_SIMHASH,
    OG_NEAR_BOTH, /* similar by either of them */
} og_near_method;

typedef struct og_near_options {
    og_near_method method;
    og_token_kind tokens;
    uint32_t shingle_len;     /* 0: 5, or 3 if the method is simhash, whose
                                 codes then equal those of
                                 og_simhash_stream() */
    uint32_t n_bands, n_rows; /* of min-hash, at most 60 bands */
    uint64_t memory;          /* bytes of the index, a hard limit */
} og_near_options;
OG_API og_near_options og_near_options_default(void);

typedef struct og_near_info {
    uint64_t n_documents, n_room, n_evicted;
    uint64_t n_exact, n_estimated; /* matches reported so far */
    og_near_options options;
} og_near_info;
/* OG_ERR_USAGE: the store has no such index. */
OG_API og_status og_store_near_info(og_store *store, og_near_info *out,
                                    og_error *err);

typedef struct og_near_match {
    og_bytes id; /* valid during the call */
    int64_t time;
    bool has_time;
    og_time_source time_source;
    double similarity; /* Jaccard similarity of shingles; -1: not computed by
                          this method */
    bool is_exact;     /* compared shingle by shingle; otherwise estimated */
    unsigned distance; /* of the simhashes, in bits; 64 if there are none */
} og_near_match;

typedef struct og_near_query {
    double threshold;      /* lowest similarity */
    unsigned max_distance; /* most bits that differ, 0 to 3 */
} og_near_query;

/* The documents of the store that are similar to this one, the most similar
 * first, and their number. The document itself (same id and text) is not
 * reported. Valid until the next query of the store. One thread at a time.
 * `query` NULL: the default. OG_ERR_USAGE: the store has no such index. */
OG_API og_status og_store_near(og_store *store, const og_document *doc,
                               const og_near_query *query,
                               const og_near_match **out, size_t *out_n,
                               og_error *err);

/* The same on any number of threads, each with a trace of its own, while one
 * thread adds; og_store_index_load() comes first. Valid until the next query
 * with this trace. */
OG_API og_status og_trace_near(og_trace *trace, const og_document *doc,
                               const og_near_query *query,
                               const og_near_match **out, size_t *out_n,
                               og_error *err);

/* ---- a stream of them ---- */

typedef struct og_near_stream_options {
    double threshold;      /* lowest similarity */
    unsigned max_distance; /* most bits that differ, 0 to 3 */
    bool add;              /* add each document after it was answered */
    void *ctx;
    /* Called in the order of the documents; the most similar match first,
     * equally similar ones in order of arrival. Return false to stop. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_near_match *matches, size_t n);
} og_near_stream_options;
OG_API og_near_stream_options og_near_stream_options_default(void);

/* Queries the store for all documents of the input. */
OG_API og_status og_near_stream(og_store *store, const og_input *input,
                                const og_near_stream_options *ask,
                                og_stream_counts *out_counts, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
