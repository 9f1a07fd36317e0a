#ifndef ORIGO_H
#define ORIGO_H

/* origo tells where text came from.
 *
 * The short course:
 *
 *     og_store *store;
 *     og_error err;
 *     og_store_open(":memory:", NULL, &store, &err);
 *
 *     og_document doc = {.id = OG_LITERAL("a"), .text = OG_LITERAL("...")};
 *     og_trace *trace = og_trace_new(store);
 *     og_store_trace(store, &doc, trace, &err);    where did it come from?
 *     og_store_add(store, &doc, NULL, &err);       from now on it is known
 *
 *     og_trace_free(trace);
 *     og_store_close(store);
 *
 * Every function that can fail returns an og_status and, where it takes an
 * og_error, puts the story there (err may be NULL). The library never prints
 * and never exits. Views (og_bytes) borrow: each function says until when.
 *
 * Threads: a store has one writer (og_store_add, og_stream_run); any number
 * of threads may call og_store_trace meanwhile, each with its own og_trace. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OG_API __attribute__((visibility("default")))
#else
#define OG_API
#endif

/* ---- status, errors, memory ---- */

typedef enum og_status {
    OG_OK = 0,
    OG_END,         /* nothing more to read; not an error                    */
    OG_ERR_USAGE,   /* an option or argument that makes no sense             */
    OG_ERR_INPUT,   /* the input is broken; the message names file and place */
    OG_ERR_IO,      /* the system could not read or write                    */
    OG_ERR_MEMORY,  /* the allocator gave nothing                            */
    OG_ERR_STORE,   /* a store that is not sound                             */
    OG_ERR_LIMIT,   /* larger than a limit that was set                      */
    OG_ERR_STOPPED, /* a callback of the caller asked to stop                */
} og_status;

/* A short name, "ok" or "input"; never NULL. */
OG_API const char *og_status_name(og_status status);

typedef struct og_error {
    og_status status;
    char message[512]; /* lower case, no newline; "" when status is OG_OK */
} og_error;

/* resize(ctx, ptr, old, new) works like realloc: ptr NULL allocates, new 0
 * frees and returns NULL. Must be safe to call from several threads. */
typedef struct og_allocator {
    void *ctx;
    void *(*resize)(void *ctx, void *ptr, size_t old_len, size_t new_len);
} og_allocator;

/* Bytes that somebody else owns. Not zero-terminated. */
typedef struct og_bytes {
    const char *data;
    size_t len;
} og_bytes;

#define OG_LITERAL(s)                                                          \
    {                                                                          \
        (s), sizeof(s) - 1                                                     \
    }

/* "0.1.0" */
OG_API const char *og_version(void);

/* ---- documents ---- */

typedef struct og_document {
    og_bytes id;
    og_bytes title; /* len 0: none */
    og_bytes url;   /* len 0: none */
    og_bytes text;  /* UTF-8; what is not is repaired, and counted */
    int64_t time;   /* microseconds since 1970-01-01T00:00:00Z */
    bool has_time;  /* false: the time of arrival orders it */
} og_document;

/* RFC 3339 ("1999-06-01T00:00:00Z", also a bare date, a space for the T, a
 * missing zone meaning UTC) or seconds since 1970 with an optional fraction.
 * Years 0000 to 9999. Returns false and leaves *out alone when it is none. */
OG_API bool og_time_parse(og_bytes s, int64_t *out);

/* Writes RFC 3339 in UTC, seconds and, when not zero, the fraction. Returns
 * the length; the buffer of 40 bytes is always enough and zero-terminated. */
OG_API size_t og_time_format(int64_t time, char out[40]);

/* ---- parameters -----------------------------------------------------------
 */

typedef enum og_token_kind {
    OG_TOKEN_WORDS = 0, /* runs of letters, marks, digits; CJK and other
                           scripts without spaces by character */
    OG_TOKEN_CHARS,     /* each letter, mark and digit */
    OG_TOKEN_LINES,     /* each line that is not blank, its spaces folded */
    OG_TOKEN_DNA,       /* A C G T U; all else ends a run and is skipped */
} og_token_kind;

/* The names of the paper and ours; docs/architecture.md tells each. Text form:
 * "All", "4th", "M4", "NM3", "W8", "NW8", "Hb3", "Dct8", "Hs", "NHs", "SHs",
 * "Os3". */
typedef enum og_select_kind {
    OG_SELECT_ALL = 0,
    OG_SELECT_EVERY,
    OG_SELECT_MODULO,
    OG_SELECT_WINNOW,
    OG_SELECT_HASH_BREAK,
    OG_SELECT_DCT,
    OG_SELECT_HAILSTORM,
    OG_SELECT_SYNCMER, /* open: the smallest token stands at `param` of 0.. */
} og_select_kind;

typedef struct og_select_options {
    og_select_kind kind;
    uint32_t param;  /* l, w, p or the position; 0 where there is none */
    bool no_overlap; /* the N forms: drop what the others cover whole */
    bool sparse;     /* the S forms: ask for all, keep only those of the N form
                        unless there is room to spare */
} og_select_options;

typedef enum og_evict_kind {
    OG_EVICT_RANDOM = 0, /* R */
    OG_EVICT_LRU,        /* LRU */
    OG_EVICT_COPY_COUNT, /* CC */
    OG_EVICT_LUCKY,      /* LS */
    OG_EVICT_S3FIFO,     /* S3 */
    OG_EVICT_THIN,       /* thin */
    OG_EVICT_LEARN,      /* learn: origo's own, see lib/table/learn.c */
} og_evict_kind;

typedef enum og_estimate_kind {
    OG_ESTIMATE_NONE = 0, /* NB */
    OG_ESTIMATE_EXPAND,   /* E */
    OG_ESTIMATE_BRIDGE,   /* B */
    OG_ESTIMATE_BOTH,     /* BE */
    OG_ESTIMATE_CONTEXT,  /* CX: origo's own, see lib/estimate/context.c */
} og_estimate_kind;

typedef enum og_layout_kind {
    OG_LAYOUT_PACKED = 0,
    OG_LAYOUT_PAPER,
} og_layout_kind;

/* Everything that decides what an answer is. Fixed when a store is made. */
typedef struct og_params {
    og_token_kind tokens;
    uint32_t shingle_len; /* tokens in a shingle, 2 to 32 */
    og_select_options select;
    og_evict_kind evict;
    og_estimate_kind estimate;
    uint32_t bridge_limit; /* T: the longest bridge, in selected shingles */
    og_layout_kind layout;
    uint32_t bucket_slots; /* 4 to 256, a power of two */
    uint64_t memory;       /* bytes of the table, a hard cap */
    uint32_t min_tokens;   /* shorter documents are answered, never kept */
    uint64_t key;          /* 0, or a secret that hides the prints */
} og_params;

/* The best that was measured: docs/evaluation.md. */
OG_API og_params og_params_default(void);

/* OG_ERR_USAGE with a message that names the parameter and its range. */
OG_API og_status og_params_check(const og_params *params, og_error *err);

/* Names to values and back; parse returns false and leaves *out alone. The
 * name buffer of 16 bytes is always enough and zero-terminated. */
OG_API bool og_select_parse(og_bytes name, og_select_options *out);
OG_API void og_select_name(const og_select_options *select, char out[16]);
OG_API bool og_evict_parse(og_bytes name, og_evict_kind *out);
OG_API const char *og_evict_name(og_evict_kind evict);
OG_API bool og_estimate_parse(og_bytes name, og_estimate_kind *out);
OG_API const char *og_estimate_name(og_estimate_kind estimate);
OG_API bool og_layout_parse(og_bytes name, og_layout_kind *out);
OG_API const char *og_layout_name(og_layout_kind layout);
OG_API bool og_token_parse(og_bytes name, og_token_kind *out);
OG_API const char *og_token_name(og_token_kind kind);

/* ---- a store, and the answer to one document ------------------------------
 */

typedef struct og_store og_store;

/* `path` is ":memory:" (a store that lives until it is closed). `params` NULL
 * means og_params_default(). */
OG_API og_status og_store_open(const char *path, const og_params *params,
                               og_store **out, og_error *err);
OG_API void og_store_close(og_store *store); /* NULL is fine */
OG_API const og_params *og_store_params(const og_store *store);

typedef struct og_store_info {
    uint64_t n_documents; /* added */
    uint64_t table_bytes; /* never more than params.memory */
    uint64_t n_slots;     /* prints that the table has room for */
    uint64_t n_slots_used;
    uint64_t n_evicted;
} og_store_info;
OG_API void og_store_info_get(const og_store *store, og_store_info *out);

typedef enum og_how {
    OG_HOW_HIT = 0,  /* its own print was found */
    OG_HOW_BRIDGED,  /* lies between two hits of one origin */
    OG_HOW_EXPANDED, /* stands beside a hit and its neighbour byte agrees */
    OG_HOW_VERIFIED, /* confirmed against the text of the origin */
} og_how;
OG_API const char *og_how_name(og_how how);

#define OG_UNKNOWN UINT64_MAX

/* Offsets are half-open byte offsets in the document's own text. */
typedef struct og_span {
    uint64_t begin, end;
    uint64_t n_tokens;
    og_how how;         /* the weakest evidence of its tokens */
    uint64_t origin;    /* the origin's number in the store */
    og_bytes origin_id; /* valid until the store is closed */
    int64_t origin_time;
    bool origin_has_time;
    uint64_t origin_begin, origin_end; /* OG_UNKNOWN when not verified */
} og_span;

typedef struct og_range {
    uint64_t begin, end;
} og_range;

typedef struct og_answer {
    uint64_t n_tokens;
    uint64_t n_fresh;      /* tokens that no copied span holds */
    uint64_t n_repaired;   /* bytes of the text that were not UTF-8 */
    bool has_dominant;     /* false: the document is its own */
    og_bytes dominant_id;  /* valid until the store is closed */
    double dominant_share; /* of its selected shingles */
    const og_span *spans;  /* in order, not overlapping */
    size_t n_spans;
    const og_range *novel; /* the text between them that has tokens */
    size_t n_novel;
} og_answer;

/* Scratch memory and the last answer. One per thread. */
typedef struct og_trace og_trace;
OG_API og_trace *og_trace_new(og_store *store); /* NULL: no memory */
OG_API void og_trace_free(og_trace *trace);     /* NULL is fine */

/* Asks; changes nothing. The answer is valid until the next call with the
 * same trace. */
OG_API og_status og_store_trace(og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err);
OG_API const og_answer *og_trace_answer(const og_trace *trace);

/* Takes a document in. `trace` may be NULL; else it holds the answer as it
 * was before the document was added. */
OG_API og_status og_store_add(og_store *store, const og_document *doc,
                              og_trace *trace, og_error *err);

/* ---- streams: files in, answers out, on all cores ---------------------------
 */

typedef struct og_fields { /* the names of the JSON fields */
    const char *id, *time, *title, *url, *text;
} og_fields;
#define OG_FIELDS_DEFAULT                                                      \
    {                                                                          \
        "id", "time", "title", "url", "text"                                   \
    }

/* What was not right with one record, or with a whole file. */
typedef struct og_problem {
    og_bytes file;
    uint64_t line;   /* from 1; 0 when the place is an offset */
    uint64_t offset; /* bytes from the start of the (unpacked) file */
    bool skipped;    /* false: taken in all the same (repaired, repeated id) */
    const char *message;
} og_problem;

typedef struct og_stream_counts {
    uint64_t n_documents; /* answered */
    uint64_t n_skipped;   /* records that could not be read */
    uint64_t n_short;     /* under min_tokens: answered, not kept */
    uint64_t n_repaired;  /* documents that held bytes that are not UTF-8 */
    uint64_t n_repeated_ids;
    uint64_t n_bad_times; /* taken in as documents without a time */
    uint64_t n_text_bytes;
    uint64_t n_tokens;
    uint64_t n_files;
    uint64_t n_files_failed;
    uint64_t n_input_bytes; /* as they lie on disk: for progress */
} og_stream_counts;

typedef struct og_stream_options {
    og_fields fields;
    unsigned n_threads;    /* 0: as many as the machine has */
    uint64_t max_document; /* bytes; a longer one is skipped and named */
    bool add;              /* take each document in after its answer */
    void *ctx;
    /* In the order of the documents, whatever the number of threads, one call
     * at a time. Return false to stop (OG_ERR_STOPPED). Each may be NULL. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_answer *answer);
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
} og_stream_options;
OG_API og_stream_options og_stream_options_default(void);

/* Each path is a text file, JSONL, a folder (its files in the order of their
 * names, all levels), any of them .gz or .zst, or "-" for stdin. A file that
 * cannot be read is a problem and the others go on: the status is then that
 * of the first one. */
OG_API og_status og_stream_run(og_store *store, const char *const *paths,
                               size_t n_paths, const og_stream_options *options,
                               og_stream_counts *out_counts, og_error *err);

/* ---- reports ---- */

typedef enum og_offsets {
    OG_OFFSETS_BYTE,
    OG_OFFSETS_CHAR,
    OG_OFFSETS_UTF16
} og_offsets;

/* One JSON object and a newline, as in docs/architecture.md. */
OG_API og_status og_report_json(FILE *out, const og_document *doc,
                                const og_answer *answer, og_offsets offsets,
                                og_error *err);

typedef struct og_text_style {
    bool colour;
    unsigned width; /* columns; 0: 80 */
} og_text_style;

/* For people: the text with coloured, numbered spans and its sources. */
OG_API og_status og_report_text(FILE *out, const og_document *doc,
                                const og_answer *answer, og_text_style style,
                                og_error *err);

/* ---- evaluation: the paper's experiments on any stream ---- */

typedef struct og_eval og_eval;

typedef struct og_eval_options {
    og_fields fields;
    uint32_t shingle_len;
    uint32_t min_tokens; /* shorter documents are left out */
    uint64_t n_queries;  /* the last documents with a dominant origin that are
                            asked; 0: a fifth of all documents */
    unsigned n_threads;  /* 0: as many as the machine has */
    void *ctx;
    void (*on_problem)(void *ctx, const og_problem *problem);
    /* `done` of `total` steps; what they are is in `what`. */
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_eval_options;
OG_API og_eval_options og_eval_options_default(void);

/* Reads the whole stream into memory and works out the truth. */
OG_API og_status og_eval_open(const char *const *paths, size_t n_paths,
                              const og_eval_options *options, og_eval **out,
                              og_error *err);
OG_API void og_eval_close(og_eval *eval); /* NULL is fine */

typedef struct og_eval_facts {
    uint64_t n_documents;
    uint64_t n_shingles;
    uint64_t n_queries;
    double with_dominant; /* share of the documents that have one */
    double own_dominant;  /* share of the queries that are their own */
    double copied;        /* share of shingles that are copied */
    double block_tokens;  /* average length of a copied block */
    double fresh;         /* share of the queries' tokens that are fresh */
} og_eval_facts;
OG_API void og_eval_facts_get(const og_eval *eval, og_eval_facts *out);

typedef struct og_eval_run {
    og_select_options select;
    og_evict_kind evict;
    og_estimate_kind estimate;
    og_layout_kind layout;
    uint32_t bridge_limit;
    uint32_t bucket_slots;
    double memory_percent; /* of all shingles at 18 bytes each; 0: bytes */
    uint64_t memory_bytes;
} og_eval_run;

#define OG_EVAL_LENGTHS 512

typedef struct og_eval_result {
    uint64_t table_bytes;
    double entries_pct; /* slots, in percent of all shingles */
    double ssr, dominant, freshness, overall;
    double seconds;
    /* Labels that the estimation added to the hits, and those of them that
     * name the true origin. */
    uint64_t n_extra, n_extra_right;
    /* Queries by their number of shingles (longer ones in the last place),
     * and those whose dominant origin was found. */
    uint32_t length_n[OG_EVAL_LENGTHS], length_right[OG_EVAL_LENGTHS];
} og_eval_result;

/* All runs, several at a time; results in the order of the runs. */
OG_API og_status og_eval_origin(og_eval *eval, const og_eval_run *runs,
                                size_t n_runs, og_eval_result *results,
                                og_error *err);

/* ---- sketches of documents: what they are made of ---- */

typedef enum og_feature_kind {
    OG_FEATURE_TOKENS = 0, /* each token */
    OG_FEATURE_PHRASES,    /* phrase_len tokens in a row; a text that is shorter
                              is one phrase */
    OG_FEATURE_WRAP,       /* and the phrases that begin at the end of the text
                              and go on at its beginning: as many as tokens */
    OG_FEATURE_SPOT,       /* a stop word and the next phrase_len - 1 words that
                              are none: passes over headlines and captions */
} og_feature_kind;
OG_API bool og_feature_parse(og_bytes name, og_feature_kind *out);
OG_API const char *og_feature_name(og_feature_kind kind);

typedef enum og_tf_kind {
    OG_TF_COUNT = 0, /* a feature weighs as often as it occurs */
    OG_TF_LOG,       /* log2(1 + that) */
    OG_TF_ONE,       /* 1: a set */
} og_tf_kind;
OG_API bool og_tf_parse(og_bytes name, og_tf_kind *out);
OG_API const char *og_tf_name(og_tf_kind kind);

/* In how many documents of a corpus each feature stands. Made by
 * og_idf_make(), read by og_idf_open(); any number of threads may ask. */
typedef struct og_idf og_idf;

typedef struct og_feature_options {
    og_feature_kind kind;
    og_token_kind tokens;
    uint32_t phrase_len; /* 1 to 32 */
    const char *stop;    /* the language of the stop words, which are dropped;
                            NULL: none are (OG_FEATURE_SPOT: "en") */
    const char *stem;    /* the language of the stems; NULL: words as they are */
    og_tf_kind tf;
    const og_idf *idf;     /* NULL: rare features weigh what common ones do */
    double title_weight;   /* of a token of the title; 0: it is not looked at */
    double heading_weight; /* of a token in a heading of the text */
    uint64_t key;          /* 0, or a secret that hides the hashes */
} og_feature_options;
OG_API og_feature_options og_feature_options_default(void);

/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_feature_options_check(const og_feature_options *options,
                                          og_error *err);

/* The languages that there are, "de en es ..."; never NULL. */
OG_API const char *og_stop_languages(void);
OG_API const char *og_stem_languages(void);

typedef struct og_idf_info {
    uint64_t n_documents;
    uint64_t n_features; /* that are known; the rarest may be missing */
    uint64_t max_error;  /* no document frequency is wrong by more */
} og_idf_info;

#ifdef __cplusplus
}
#endif

#endif
