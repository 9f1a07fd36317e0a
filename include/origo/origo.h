#ifndef ORIGO_H
#define ORIGO_H

/* origo tells where text came from.
 *
 * The short course:
 *
 *     og_store *store;
 *     og_error err;
 *     og_store_open("letters.store", NULL, &store, &err);
 *
 *     og_document doc = {.id = OG_LITERAL("a"), .text = OG_LITERAL("...")};
 *     og_trace *trace = og_trace_new(store);
 *     og_store_trace(store, &doc, trace, &err);    where did it come from?
 *     og_store_add(store, &doc, NULL, &err);       from now on it is known
 *     og_store_commit(store, &err);                and will be after a crash
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
    /* The other fields of its record, as JSON text: "name":value,"name":value
     * without the braces, as they stood in the input; len 0: none, or nobody
     * asked (og_reading.extra). A name may come twice. */
    og_bytes extra;
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
    bool no_texts;         /* a store on disk shall not keep the texts */
    /* Documents with the same value of this field are not compared: "id" (the
     * versions of one), "host" (of the url), or the name of a field of their
     * own. "": all are. */
    char same[32];
} og_params;

/* The best that was measured: docs/evaluation.md. */
OG_API og_params og_params_default(void);

/* Sets for a kind of text: "prose" (the default), "short" (short or reworded
 * passages), "code", "dna". False: there is no such set; *out is left alone. */
OG_API bool og_params_preset(og_bytes name, og_params *out);

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

typedef enum og_access {
    OG_READ = 0, /* any number of processes, also while one writes */
    OG_WRITE,    /* one process; the store must be there */
    OG_CREATE,   /* like OG_WRITE, and makes the store when there is none */
} og_access;

/* `path` is a folder, or ":memory:" for a store that lives until it is closed
 * and that can always be written. `params` NULL means og_params_default(); they
 * matter when the store is made, and for ":memory:". Opens for OG_CREATE. */
OG_API og_status og_store_open(const char *path, const og_params *params,
                               og_store **out, og_error *err);
/* OG_ERR_STORE: there is none, it is not sound, of a newer version, or somebody
 * else is writing; the message says which, and who. */
OG_API og_status og_store_open_as(const char *path, og_access access,
                                  const og_params *params, og_store **out,
                                  og_error *err);

/* Waits until all that was added is safe on disk: from then on it survives a
 * crash of the process and of the machine. OG_OK at once in memory. */
OG_API og_status og_store_commit(og_store *store, og_error *err);

/* Commits as well, but cannot say whether that went well. NULL is fine. */
OG_API void og_store_close(og_store *store);
OG_API const og_params *og_store_params(const og_store *store);

/* Takes all memory of the table from the system now. Without it each page is
 * taken when a print first falls into it, which a busy server or a measurement
 * notices. The writer's thread only. */
OG_API void og_store_warm(og_store *store);

typedef struct og_store_info {
    uint64_t n_documents; /* that were added and not removed */
    uint64_t n_removed;
    uint64_t table_bytes; /* never more than params.memory */
    uint64_t n_slots;     /* prints that the table has room for */
    uint64_t n_slots_used;
    uint64_t n_evicted;
    uint64_t n_noise; /* prints that were counted in 100 documents or more */
    uint64_t journal_bytes; /* to be replayed at the next start; 0 in memory */
} og_store_info;
OG_API void og_store_info_get(const og_store *store, og_store_info *out);

/* Documents that arrived one after the other, and what is left of them. */
typedef struct og_age {
    uint64_t n_documents;
    int64_t first_time, last_time; /* the least and the largest of them */
    uint64_t n_born;               /* prints that they brought into the table */
    uint64_t n_kept;               /* prints that name them today */
    /* A sample of them was asked about again, as if each came once more: the
     * share of tokens that were recognised. 0 asked: the store has no texts. */
    uint64_t n_asked;
    double recall;
} og_age;

#define OG_AGES 10

typedef struct og_survey {
    og_age ages[OG_AGES]; /* equally many documents each, the oldest first */
    size_t n_ages;
    bool has_oldest; /* false: the table is empty */
    int64_t oldest;  /* time of the oldest document that a print names */
} og_survey;

/* Looks at the whole table and asks about some documents again: takes about as
 * long as reading the table from disk. Any thread. */
OG_API og_status og_store_survey(og_store *store, og_survey *out,
                                 og_error *err);

/* Removes all versions of a document. Passages that others have copied from
 * them belong to the earliest of those afterwards, if the store keeps texts.
 * *out_n is the number of versions; 0: there is no such document. Durable
 * after og_store_commit(). */
OG_API og_status og_store_remove(og_store *store, og_bytes id, uint64_t *out_n,
                                 og_error *err);

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_document_fn(void *ctx, const og_document *doc);

/* All documents in the order of their arrival, with their texts; views until
 * the call returns. OG_ERR_USAGE: the store keeps no texts. */
OG_API og_status og_store_export(og_store *store, og_document_fn *on_document,
                                 void *ctx, og_error *err);

typedef struct og_check {
    uint64_t n_documents, n_removed;
    uint64_t n_records;  /* of the journal, behind the checkpoint */
    uint64_t torn_bytes; /* at its end, of a write that a crash broke off */
    uint64_t table_bytes, text_bytes, packed_bytes;
} og_check;

/* Reads every byte of a store and compares it with its checksum, every entry
 * with its text. OG_ERR_STORE names the file and the place that is wrong. May
 * run while a writer is at work. `on_step` may be NULL. */
OG_API og_status og_store_check(const char *path, og_check *out,
                                void (*on_step)(void *ctx, const char *what,
                                                uint64_t done, uint64_t total),
                                void *ctx, og_error *err);

typedef enum og_how {
    OG_HOW_HIT = 0,  /* its own print was found */
    OG_HOW_BRIDGED,  /* lies between two hits of one origin */
    OG_HOW_EXPANDED, /* stands beside a hit, and what is known of the hit's
                        surroundings agrees */
    OG_HOW_VERIFIED, /* confirmed against the text of the origin */
} og_how;
OG_API const char *og_how_name(og_how how);

#define OG_UNKNOWN UINT64_MAX

/* Words in a row that are the same in a document and in its origin; bytes. */
typedef struct og_match {
    uint64_t begin, end;
    uint64_t origin_begin, origin_end;
} og_match;

/* Offsets are half-open byte offsets in the document's own text. */
typedef struct og_span {
    uint64_t begin, end;
    uint64_t n_tokens;
    og_how how;      /* what most of its tokens rest on */
    uint64_t origin; /* the origin's number in the store */
    og_bytes origin_id;
    int64_t origin_time;
    bool origin_has_time;
    uint64_t origin_begin, origin_end; /* OG_UNKNOWN when not verified */
    /* Only of a verified span, else 0. What lies between two matches was
     * inserted, left out or replaced. */
    double score; /* share of the words of both sides that are in matches */
    const og_match *matches; /* in the order of the document */
    size_t n_matches;
} og_span;

typedef struct og_range {
    uint64_t begin, end;
} og_range;

/* A later document that holds what the origin held first. */
typedef struct og_copier {
    uint64_t number;
    og_bytes id;
    int64_t time;
    bool has_time;
    uint64_t n_tokens; /* of its own that come from the origin */
} og_copier;

/* An origin as a report shows it. */
typedef struct og_origin {
    uint64_t number; /* og_span.origin */
    og_bytes id, title, url;
    int64_t time;
    bool has_time;
    og_bytes text;     /* len 0: the store keeps none */
    uint64_t n_tokens; /* of the document that come from it */
    /* Who else has it, in the order of time, as far as the store knows. */
    const og_copier *copiers;
    size_t n_copiers;
} og_origin;

typedef struct og_answer {
    uint64_t n_tokens;
    uint64_t n_fresh;    /* tokens that no copied span holds */
    uint64_t n_repaired; /* bytes of the text that were not UTF-8 */
    bool has_dominant;   /* false: the document is its own */
    og_bytes dominant_id;
    double dominant_share; /* of its shingles; of the selected without CX */
    const og_span *spans;  /* in order, not overlapping */
    size_t n_spans;
    const og_range *novel; /* the text between them that has tokens */
    size_t n_novel;
    /* Of a store on disk: every origin once, the one of the most tokens
     * first. */
    const og_origin *origins;
    size_t n_origins;
    /* The document that has most in common with this one, when that is not an
     * origin; id.len 0: none. Its share is that of the tokens in common. */
    og_bytes best_id;
    double best_share;
} og_answer;

/* Scratch memory and the last answer. One per thread. */
typedef struct og_trace og_trace;
OG_API og_trace *og_trace_new(og_store *store); /* NULL: no memory */
OG_API void og_trace_free(og_trace *trace);     /* NULL is fine */

/* What is not told in an answer. All zero: everything is. */
typedef struct og_asking {
    /* Passages that stand in more documents than this, or than this share of
     * all: boilerplate. 0: they are told. The store counts them in memory of
     * fixed size. */
    uint64_t noise_documents;
    double noise_share;
    uint32_t min_span; /* spans of fewer tokens */
    /* Passages that stand in this text, too; it must stay as long as it is
     * used. len 0: none. */
    og_bytes ignored;
    bool compare_same; /* tell also of documents that og_params.same keeps
                          apart */
    bool no_verify;    /* do not compare with the texts of the origins */
} og_asking;

/* From now on; NULL: everything is told again. OG_ERR_MEMORY. */
OG_API og_status og_trace_ask(og_trace *trace, const og_asking *asking,
                              og_error *err);

/* Asks; changes nothing. The answer is valid until the next call with the
 * same trace. */
OG_API og_status og_store_trace(og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err);
OG_API const og_answer *og_trace_answer(const og_trace *trace);

/* Takes a document in. `trace` may be NULL; else it holds the answer as it
 * was before the document was added. A document that is there already (same id,
 * time and text) changes nothing; one with a known id and another text is a new
 * version: a document of its own. */
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

/* What a file is. Text form: "auto", "text", "jsonl", "html", "warc" (also WET
 * and WAT), "arc", "mbox", "mail", "xml". */
typedef enum og_file_kind {
    OG_FILE_AUTO = 0, /* its first bytes tell */
    OG_FILE_TEXT,     /* one document */
    OG_FILE_JSONL,    /* a document a line */
    OG_FILE_HTML,     /* one document: the main text of the page */
    OG_FILE_WARC,     /* a document for every page and text in it */
    OG_FILE_ARC,
    OG_FILE_MBOX, /* a document a message */
    OG_FILE_MAIL, /* one message */
    OG_FILE_XML,  /* one document; TEI is known best */
} og_file_kind;
OG_API bool og_file_kind_parse(og_bytes name, og_file_kind *out);
OG_API const char *og_file_kind_name(og_file_kind kind);

/* How files become documents. All zero is what is usual. */
typedef struct og_reading {
    const char *files_from; /* a file that names more files, one a line (or
                               ended by zeros), read after the paths; "-":
                               stdin; NULL: none */
    bool extra;             /* fill og_document.extra */
    og_file_kind kind;      /* of all files */
    bool strip_quotes;      /* of mails: "> " in front of quoted lines */
} og_reading;

/* What was not right with one record, or with a whole file. */
typedef struct og_problem {
    og_bytes file;
    uint64_t line;   /* from 1; 0 when the place is an offset */
    uint64_t offset; /* bytes from the start of the (unpacked) file */
    bool skipped;    /* false: taken in all the same (repaired, repeated id) */
    const char *message;
} og_problem;

typedef struct og_stream_counts {
    uint64_t n_documents;    /* answered */
    uint64_t n_skipped;      /* records that could not be read */
    uint64_t n_short;        /* under min_tokens: answered, not kept */
    uint64_t n_repaired;     /* documents that held bytes that are not UTF-8 */
    uint64_t n_added;        /* of them: taken in, under a new id */
    uint64_t n_repeated_ids; /* taken in as a new version of a document */
    uint64_t n_known;        /* there already: same id, time and text */
    uint64_t n_bad_times;    /* taken in as documents without a time */
    uint64_t n_text_bytes;
    uint64_t n_tokens;
    uint64_t n_files;
    uint64_t n_files_failed;
    uint64_t n_input_bytes; /* as they lie on disk: for progress */
    bool is_told; /* the failure of the run is that of a file, and on_problem
                     heard of it */
} og_stream_counts;

typedef struct og_stream_options {
    og_fields fields;
    og_reading reading;
    unsigned n_threads;    /* 0: as many as the machine has */
    uint64_t max_document; /* bytes; a longer one is skipped and named */
    bool add;              /* take each document in after its answer */
    og_asking asking;
    /* NULL, or what a signal handler sets: when it is not 0, the stream ends
     * with OG_ERR_STOPPED; what was added before is safe on disk. */
    const volatile int *stop;
    void *ctx;
    /* In the order of the documents, whatever the number of threads, one call
     * at a time; with `add`, after the document is safe on disk. Return false
     * to stop (OG_ERR_STOPPED). Each may be NULL. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_answer *answer);
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
} og_stream_options;
OG_API og_stream_options og_stream_options_default(void);

/* Each path is a file of some og_file_kind, a folder (its files in the order of
 * their names, all levels), any of them .gz or .zst, or "-" for stdin. A file
 * that cannot be read is a problem and the others go on: the status is then
 * that of the first one. */
OG_API og_status og_stream_run(og_store *store, const char *const *paths,
                               size_t n_paths, const og_stream_options *options,
                               og_stream_counts *out_counts, og_error *err);

/* ---- two texts, without a store --------------------------------------------
 */

typedef struct og_compare_options {
    og_token_kind tokens;
    uint32_t min_copy; /* equal tokens that make a copy, 3 at least */
    bool reworded;     /* passages that were reworded, too */
} og_compare_options;
OG_API og_compare_options og_compare_options_default(void);

/* Scratch memory and the last answer. One per thread. */
typedef struct og_comparison og_comparison;
/* `allocator` NULL: the C library's. NULL: no memory. */
OG_API og_comparison *og_comparison_new(const og_allocator *allocator);
OG_API void og_comparison_free(og_comparison *comparison); /* NULL is fine */

/* What of `doc` comes from `origin`: verified spans with their matches, and
 * one origin with its text when there are any. The origin's number is 0.
 * `options` NULL: the defaults. Time is bounded whatever the texts are: about
 * linear in their tokens. OG_ERR_LIMIT: a text is longer than 1 GiB;
 * OG_ERR_USAGE, OG_ERR_MEMORY. */
OG_API og_status og_compare(og_comparison *comparison, const og_document *doc,
                            const og_document *origin,
                            const og_compare_options *options, og_error *err);

/* Valid until the next og_compare() with it, and as long as the bytes of both
 * documents are: ids and the origin's text are the caller's. */
OG_API const og_answer *og_comparison_answer(const og_comparison *comparison);

/* Each document of one file with each document of another, which is held in
 * memory. Files as for og_stream_run(); of `stream` (NULL: the defaults) its
 * fields, max_document, ctx, on_answer and on_problem count. The status of a
 * file that cannot be read is that of the whole. */
OG_API og_status og_compare_files(const char *path, const char *origin_path,
                                  const og_compare_options *options,
                                  const og_stream_options *stream,
                                  og_error *err);

/* ---- reports ---- */

/* A document as a line of JSONL that og_stream_run() reads again. */
OG_API og_status og_report_document(FILE *out, const og_document *doc,
                                    og_error *err);

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

/* Several documents in one report, in any form; docs/architecture.md tells the
 * contract of each. What an answer lacks (origins that were not asked for, or
 * whose texts no store keeps) is left out or said to be unknown. */
typedef enum og_format {
    OG_FORMAT_TEXT,
    OG_FORMAT_JSON,       /* one object a line */
    OG_FORMAT_TSV,        /* one line a copied span, below a header */
    OG_FORMAT_HTML,       /* one page that needs no network */
    OG_FORMAT_PAN,        /* XML of the PAN competitions; characters */
    OG_FORMAT_ANNOTATION, /* W3C Web Annotation, JSON-LD; characters */
    OG_FORMAT_TEI,        /* TEI P5 with stand-off spans; characters */
} og_format;
OG_API bool og_format_parse(og_bytes name, og_format *out);
OG_API const char *og_format_name(og_format format);

typedef struct og_report_options {
    og_format format;
    og_offsets
        offsets;  /* of JSON and TSV; the others have units of their own */
    bool matches; /* JSON: also the matches of each verified span */
    og_text_style style; /* of text */
    const char *title;   /* of an HTML page; NULL: that of its document */
} og_report_options;
OG_API og_report_options og_report_options_default(void);

typedef struct og_report og_report;

/* `path` is a file that appears, whole, when og_report_close() is done, and is
 * as it was when anything fails before; NULL and "-" are stdout. `options`
 * NULL means the default. What options->title points to must stay. */
OG_API og_status og_report_open(const char *path,
                                const og_report_options *options,
                                og_report **out, og_error *err);
/* The same into a FILE of the caller, which stays open. */
OG_API og_status og_report_begin(FILE *file, const og_report_options *options,
                                 og_report **out, og_error *err);
/* Borrows nothing after it returned. */
OG_API og_status og_report_add(og_report *report, const og_document *doc,
                               const og_answer *answer, og_error *err);
/* Ends and frees the report, also when it fails. NULL is fine. */
OG_API og_status og_report_close(og_report *report, og_error *err);
/* Frees it; a file that was being made is gone. NULL is fine. */
OG_API void og_report_discard(og_report *report);

/* ---- evaluation: the paper's experiments on any stream ---- */

typedef struct og_eval og_eval;

/* The order in which the documents before the first query arrive; what their
 * times say of the order they were written in stays. */
typedef enum og_order {
    OG_ORDER_RIGHT = 0, /* by time */
    OG_ORDER_REVERSE,
    OG_ORDER_RANDOM, /* the same at every run */
} og_order;

typedef struct og_eval_options {
    og_fields fields;
    uint32_t shingle_len;
    uint32_t min_tokens; /* shorter documents are left out */
    uint64_t n_queries;  /* the last documents with a dominant origin that are
                            asked; 0: a fifth of all documents */
    og_order order;
    unsigned n_threads; /* 0: as many as the machine has */
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
    bool verify; /* hits are compared with the texts, as a store with texts
                    does; only with OG_ESTIMATE_CONTEXT */
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
    const char *stem; /* the language of the stems; NULL: words as they are */
    og_tf_kind tf;
    const og_idf *idf;     /* NULL: rare features weigh what common ones do */
    double title_weight;   /* of a token of the title; 0: it is not looked at */
    double heading_weight; /* of a token in a heading of the text */
    uint64_t key;          /* 0, or a secret that hides the hashes */
} og_feature_options;
/* Phrases of 3 words, counted. Simhash does best with OG_TF_ONE, min-hash does
 * not care. */
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

/* ---- files: chunks ---- */

/* How a file is cut, so that the content decides where: docs/architecture.md
 * and lib/chunk/cut.h tell the rules. Text form: "gear", "winnow",
 * "winnow-fast". */
typedef enum og_cut_kind {
    OG_CUT_GEAR = 0,
    OG_CUT_WINNOW,
    OG_CUT_WINNOW_FAST,
} og_cut_kind;
OG_API bool og_cut_kind_parse(og_bytes name, og_cut_kind *out);
OG_API const char *og_cut_kind_name(og_cut_kind kind);

/* Bytes. Every chunk but the last has min_len to max_len of them. Two sides
 * that want to find equal chunks must use the same options. */
typedef struct og_cut_options {
    og_cut_kind kind;
    uint32_t min_len;     /* at least 64 */
    uint32_t average_len; /* on random data */
    uint32_t max_len;     /* at most 1 GiB */
} og_cut_options;

#define OG_CUT_AVERAGE 8192

/* min_len and max_len as they go with an average, which is cut to 128 bytes
 * to 128 MiB; 0 means OG_CUT_AVERAGE. */
OG_API og_cut_options og_cut_options_default(og_cut_kind kind,
                                             uint32_t average_len);

/* The least max_len that goes with the other options. */
OG_API uint32_t og_cut_least_max(const og_cut_options *options);

/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_cut_options_check(const og_cut_options *options,
                                      og_error *err);

#define OG_HASH_LEN 32

typedef struct og_chunk {
    uint64_t offset;
    uint32_t len;
    uint8_t hash[OG_HASH_LEN]; /* SHA-256 of its bytes */
} og_chunk;

/* A run of chunks, or of nodes of the level below. */
typedef struct og_chunk_node {
    uint64_t offset, len; /* bytes of the file */
    uint64_t first_child; /* index in the level below */
    uint32_t n_children;
    uint8_t hash[OG_HASH_LEN];
} og_chunk_node;

/* The chunks of a file, the tree above them and its root. Belongs to the
 * caller; what the functions below return lives as long as the tree. Any
 * number of threads may look at it. */
typedef struct og_chunk_tree og_chunk_tree;

/* "-" is stdin. `options` NULL means og_cut_options_default(OG_CUT_GEAR, 0).
 * n_threads 0: as many as the machine has; it changes how long it takes and
 * nothing else. A file that gets shorter while it is read is OG_ERR_INPUT. */
OG_API og_status og_chunk_tree_read(const char *path,
                                    const og_cut_options *options,
                                    unsigned n_threads, og_chunk_tree **out,
                                    og_error *err);
OG_API void og_chunk_tree_free(og_chunk_tree *tree); /* NULL is fine */
OG_API uint64_t og_chunk_tree_file_len(const og_chunk_tree *tree);
OG_API const og_chunk *og_chunk_tree_chunks(const og_chunk_tree *tree,
                                            size_t *out_n);
/* Levels above the chunks, from 0 (just above them); few chunks have none. */
OG_API unsigned og_chunk_tree_n_levels(const og_chunk_tree *tree);
OG_API const og_chunk_node *og_chunk_tree_level(const og_chunk_tree *tree,
                                                unsigned level, size_t *out_n);
/* OG_HASH_LEN bytes: equal when the files and the options are. */
OG_API const uint8_t *og_chunk_tree_root(const og_chunk_tree *tree);

/* Reads a file of og_idf_make(). OG_ERR_IO: it cannot be read; OG_ERR_INPUT:
 * it is none, of another version or damaged, and the message tells the place.
 */
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

/* The simhash of features that the caller made: hashes of which every bit is
 * random, weights (NULL: all are 1) that are more than 0 and at most 65535.
 * `n_bits` is 64 or 128. No feature at all gives 0. OG_ERR_INPUT names the
 * first weight that is negative, zero, infinite, no number or too large. */
OG_API og_status og_simhash_features(const uint64_t *hash, const float *weight,
                                     size_t n, unsigned n_bits, og_simhash *out,
                                     og_error *err);

/* One document after another, with memory that stays warm. One per thread. */
typedef struct og_sketcher og_sketcher;
/* The strings of the options and the idf must stay until _free. */
OG_API og_status og_sketcher_new(const og_feature_options *options,
                                 og_sketcher **out, og_error *err);
OG_API void og_sketcher_free(og_sketcher *sketcher); /* NULL is fine */
/* `out_n_features` may be NULL. */
OG_API og_status og_sketcher_simhash(og_sketcher *sketcher,
                                     const og_document *doc, unsigned n_bits,
                                     og_simhash *out, uint64_t *out_n_features,
                                     og_error *err);

/* ---- sketches of streams: files in, sketches out, on all cores ---- */

typedef struct og_sketch_options {
    og_feature_options features;
    og_fields fields;
    og_reading reading;
    unsigned n_threads;    /* 0: as many as the machine has */
    uint64_t max_document; /* bytes; a longer one is skipped and named */
    void *ctx;
    /* One call at a time, in the order of the documents. Each may be NULL. In
     * the counts n_short is the number of documents without any feature. */
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
} og_sketch_options;
OG_API og_sketch_options og_sketch_options_default(void);

/* Return false to stop (OG_ERR_STOPPED). `id` and `sketch` are views until it
 * returns. */
typedef bool og_simhash_fn(void *ctx, og_bytes id, const og_simhash *sketch,
                           uint64_t n_features);

/* Paths and failures as for og_stream_run(); options->ctx goes to the callback.
 * The same calls for any number of threads. */
OG_API og_status og_simhash_stream(const char *const *paths, size_t n_paths,
                                   unsigned n_bits,
                                   const og_sketch_options *options,
                                   og_simhash_fn *on_simhash,
                                   og_stream_counts *out_counts, og_error *err);

/* The same into a binary file that tells its parameters, "-" for stdout. It
 * appears whole, or not at all when there is nothing to put into it. */
OG_API og_status og_simhash_save(const char *const *paths, size_t n_paths,
                                 unsigned n_bits,
                                 const og_sketch_options *options,
                                 const char *out_path,
                                 og_stream_counts *out_counts, og_error *err);

/* Counts in how many documents each feature stands, in at most `memory` bytes,
 * and writes the file that og_idf_open() reads. Nothing is written unless all
 * input could be read. */
OG_API og_status og_idf_make(const char *const *paths, size_t n_paths,
                             const og_sketch_options *options, uint64_t memory,
                             const char *out_path, og_idf_info *out_info,
                             og_stream_counts *out_counts, og_error *err);

/* ---- sketches of documents: min-hash ----
 *
 * A set of features becomes n_samples numbers of 32 bits, such that the share
 * of places in which two sketches agree estimates the Jaccard similarity of
 * the sets (the generalized one, for features with weights). */

typedef enum og_minhash_method {
    OG_MINHASH_AUTO = 0, /* one permutation, further rounds for what it leaves
                            empty, exact samples for what they leave: the
                            default, for sets of any size */
    OG_MINHASH_EXACT,    /* a permutation for every sample */
    OG_MINHASH_ONE,      /* one permutation, optimal densification */
    OG_MINHASH_SUPER,    /* SuperMinHash: the least variance for short sets */
    OG_MINHASH_BYTE,     /* the book, 3.2: a byte each, ties broken late */
    OG_MINHASH_ZEROS,    /* the book, 4.1: leading zeros, two bits each */
    OG_MINHASH_BIASED,   /* the book, 4.2: biased lead bits, blocks of 128 */
    OG_MINHASH_SMALLEST, /* the n_samples smallest hashes: a set of samples */
    OG_MINHASH_MODULO,   /* hashes divisible by `modulus`: likewise */
    /* From here on weights count. */
    OG_MINHASH_COPIES,   /* weights are whole numbers: so many copies */
    OG_MINHASH_ACTIVE,   /* Gollapudi and Panigrahy: all active indices */
    OG_MINHASH_INTERVAL, /* the book, 5.1: constant expected time */
    OG_MINHASH_IOFFE,    /* the book, 5.2: constant time */
    OG_MINHASH_IOFFE0,   /* and only the feature kept ("0 bit"): biased by a
                            little, smaller */
    OG_MINHASH_COARSE,   /* the book, 5.3: 5.1 with coarse bounds first */
    OG_MINHASH_METHOD_END
} og_minhash_method;
OG_API bool og_minhash_method_parse(og_bytes name, og_minhash_method *out);
OG_API const char *og_minhash_method_name(og_minhash_method method);
OG_API bool og_minhash_is_weighted(og_minhash_method method);
/* True of the two whose sketch is a set of samples, not a row of them. */
OG_API bool og_minhash_is_set(og_minhash_method method);

/* What takes the place of a random function. */
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
    uint32_t n_bits;    /* kept of each sample: 1 to 16, or 32: all */
    uint32_t modulus;   /* of OG_MINHASH_MODULO, 1 or more */
    uint64_t seed;      /* another seed, other samples */
} og_minhash_options;
OG_API og_minhash_options og_minhash_options_default(void);
/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_minhash_options_check(const og_minhash_options *options,
                                          og_error *err);

/* Functions and working memory. One per thread. */
typedef struct og_minhash og_minhash;
OG_API og_status og_minhash_new(const og_minhash_options *options,
                                og_minhash **out, og_error *err);
OG_API void og_minhash_free(og_minhash *minhash); /* NULL is fine */

/* The sample of an empty set, in every place. No other set has it. */
#define OG_SAMPLE_NONE UINT32_MAX

/* Writes n_samples samples of the set of `n` features. One that comes again
 * changes nothing. `weights` may be NULL (all 1) and is looked at by weighted
 * methods alone, for which no feature may come twice; a weight of 0 is a
 * feature that is not there. OG_ERR_INPUT names the first weight that is
 * negative, infinite or no number. Not for sets of samples. */
OG_API og_status og_minhash_samples(og_minhash *minhash,
                                    const uint64_t *features,
                                    const float *weights, size_t n,
                                    uint32_t *out, og_error *err);

/* For OG_MINHASH_SMALLEST and OG_MINHASH_MODULO: rising hashes, a view that is
 * valid until the next call with the same minhash. */
OG_API og_status og_minhash_sample_set(og_minhash *minhash,
                                       const uint64_t *features, size_t n,
                                       const uint64_t **out, size_t *out_n,
                                       og_error *err);

/* Random bits that all calls so far have looked at. */
OG_API uint64_t og_minhash_bits_used(const og_minhash *minhash);

/* The share of equal samples: an unbiased estimate. 0 when one set was empty:
 * nothing is known to be common. */
OG_API double og_samples_similarity(const uint32_t *a, const uint32_t *b,
                                    size_t n);

/* n_bits of every sample, packed: (n * n_bits + 7) / 8 bytes. An empty set is
 * all zeros and its own flag, so keep what the caller knows of emptiness. */
OG_API void og_samples_pack(const uint32_t *samples, size_t n, uint32_t n_bits,
                            uint8_t *out);
/* (Q - 2^-b) / (1 - 2^-b), Q the share of equal values: corrected for equality
 * by luck, so it may fall below 0. */
OG_API double og_packed_similarity(const uint8_t *a, const uint8_t *b, size_t n,
                                   uint32_t n_bits);

/* Rising hashes each, as og_minhash_sample_set() gives them. `n_samples` is
 * that of the options for the smallest, 0 for modulo. NAN when nothing can be
 * said: no sample at all. */
OG_API double og_sample_sets_similarity(const uint64_t *a, size_t n_a,
                                        const uint64_t *b, size_t n_b,
                                        size_t n_samples);

/* The sum of |a - b| over all features, from the generalized Jaccard
 * similarity and the sums of weights: (1 - J) / (1 + J) (|a| + |b|). */
OG_API double og_l1_distance(double similarity, double norm_a, double norm_b);

/* ---- min-hash of streams, and distances ---- */

/* One document's sketch; all views. What a method does not make is NULL. */
typedef struct og_minhash_sketch {
    const uint32_t *samples; /* n_samples, when n_bits is 32 */
    const uint8_t *packed;   /* og_samples_pack(), when n_bits is less */
    const uint64_t *set;     /* of the two methods that make a set */
    size_t n_set;
    bool is_empty;       /* no feature: there is nothing to compare */
    uint64_t n_features; /* different ones, for weighted methods */
    double norm;         /* the sum of their weights, likewise */
} og_minhash_sketch;

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_minhash_fn(void *ctx, og_bytes id,
                           const og_minhash_sketch *sketch);

/* As og_simhash_stream() and og_simhash_save(). A file cannot hold sets of
 * OG_MINHASH_MODULO, which have any length: OG_ERR_USAGE. */
OG_API og_status og_minhash_stream(const char *const *paths, size_t n_paths,
                                   const og_minhash_options *minhash,
                                   const og_sketch_options *options,
                                   og_minhash_fn *on_sketch,
                                   og_stream_counts *out_counts, og_error *err);
OG_API og_status og_minhash_save(const char *const *paths, size_t n_paths,
                                 const og_minhash_options *minhash,
                                 const og_sketch_options *options,
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

/* Whether a file begins as a sketch file does. */
OG_API bool og_sketch_file_is(const char *path);

/* Every sketch of A with every one of B, A's first one first. B is held in
 * memory. OG_ERR_INPUT, both sets named, when their parameters differ. */
OG_API og_status og_sketch_files_compare(const char *path_a, const char *path_b,
                                         void *ctx, og_distance_fn *on_distance,
                                         og_error *err);

/* Every code of A with every one of B; either is a file that
 * og_wide_codes_read() takes, both of codes of one width. */
OG_API og_status og_codes_compare(const char *path_a, const char *path_b,
                                  void *ctx, og_distance_fn *on_distance,
                                  og_error *err);

/* Every document of A with every one of B, exactly, from their features. */
OG_API og_status og_texts_compare(const char *path_a, const char *path_b,
                                  bool is_weighted,
                                  const og_sketch_options *options, void *ctx,
                                  og_distance_fn *on_distance, og_error *err);

/* ---- supershingles ---- */

/* n_samples = n_rows * n_bands samples; a value of `n_bits` bits over each row
 * of n_rows; a pair is found when n_needed of the n_bands values are equal. */
typedef struct og_bands {
    uint32_t n_rows, n_bands; /* 1 to 4096 together; n_bands at most 64 */
    uint32_t n_needed;        /* 1 to n_bands */
    uint32_t n_bits;          /* 1 to 64: of a value */
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

/* The probability that a pair of this similarity is found: the S-curve. */
OG_API double og_bands_probability(const og_bands *bands, double similarity);

/* One table for every choice of n_needed bands: C(6, 2) = 15 for two of six.
 * Documents that agree in all bands of a choice meet in its table. */
typedef struct og_band_tables og_band_tables;
OG_API og_status og_band_tables_new(const og_bands *bands, og_band_tables **out,
                                    og_error *err);
OG_API void og_band_tables_free(og_band_tables *tables); /* NULL is fine */
OG_API size_t og_band_tables_count(const og_band_tables *tables);

/* Numbers of the documents that were added before and agree in n_needed bands
 * at least, each once, rising; a view that is valid until the next call. Then
 * adds this one under the next number. `limit` bounds what one table gives
 * (the oldest), so that a million copies cost a million steps and not their
 * square; 0: no bound. */
OG_API og_status og_band_tables_meet(og_band_tables *tables,
                                     const uint64_t *values, size_t limit,
                                     const uint32_t **out, size_t *out_n,
                                     og_error *err);

/* ---- similar files: docs/format-similar.md ----
 *
 * An index of files by samples of their chunks (12 of 6 bits each), to find
 * those that share content with a new one, whatever their names. */

typedef struct og_files og_files;

typedef struct og_files_options {
    og_cut_options cut;
    uint32_t n_samples;  /* 1 to 64 */
    uint32_t n_bits;     /* of a sample, 1 to 16 */
    unsigned n_threads;  /* 0: as many as the machine has */
    size_t n_candidates; /* whose chunks are compared for one question */
    size_t n_wanted;     /* answers to one question, at most */
} og_files_options;
OG_API og_files_options og_files_options_default(void);

/* `path` is ":memory:" or a file that og_files_save() wrote; a missing one is
 * an empty index. The options of the file win over those given, which may be
 * NULL. A folder is OG_ERR_USAGE: stores do not keep files yet. */
OG_API og_status og_files_open(const char *path,
                               const og_files_options *options, og_files **out,
                               og_error *err);
OG_API void og_files_close(og_files *files); /* saves nothing; NULL is fine */
OG_API size_t og_files_count(const og_files *files);

/* A known file that shares chunks with the question. */
typedef struct og_files_match {
    const char *name; /* valid until the next call */
    uint64_t file_len;
    uint32_t n_matches; /* samples that agree */
    uint32_t n_samples;
    double estimated;    /* Jaccard similarity of the chunks, by the samples */
    double jaccard;      /* the same, exact */
    uint64_t shared_len; /* bytes of the question that it has too */
    const og_range *shared; /* where they lie in the question, joined */
    size_t n_shared;
    size_t n_shared_chunks;
} og_files_match;

typedef struct og_files_answer {
    uint64_t file_len;
    size_t n_chunks;
    const og_files_match *matches; /* most shared bytes first */
    size_t n_matches;
} og_files_answer;

/* Reads the file once, asks, and takes it in afterwards when `add` is set.
 * Not thread-safe. The answer is valid until the next call; a known file of
 * the same name is no answer. */
OG_API og_status og_files_ask(og_files *files, const char *path, bool add,
                              const og_files_answer **out, og_error *err);

/* Whole or not at all. ":memory:" is OG_ERR_USAGE. */
OG_API og_status og_files_save(const og_files *files, const char *path,
                               og_error *err);

/* Calls `on_file` with every regular file below the paths, in a fixed order,
 * and `on_failed` with a folder that cannot be read. Stops when one returns
 * false (OG_ERR_STOPPED). */
OG_API og_status og_files_walk(const char *const *paths, size_t n_paths,
                               void *ctx,
                               bool (*on_file)(void *ctx, const char *path),
                               bool (*on_failed)(void *ctx, const char *path,
                                                 const char *why),
                               og_error *err);

/* ---- deltas: docs/format-delta.md ---- */

typedef struct og_delta_options {
    og_cut_options cut; /* smaller chunks find more and need more memory */
    int level;          /* of zstd, 1 to 19; 0: the best for small files, 12
                           for large ones */
    size_t n_similar;   /* files that are taken from the folders */
    unsigned n_threads; /* 0: as many as the machine has */
    const og_allocator *allocator; /* NULL: the C library's */
} og_delta_options;
OG_API og_delta_options og_delta_options_default(void);

typedef struct og_delta_info {
    size_t n_old; /* old files that it refers to */
    uint64_t new_len, delta_len;
    /* Of og_delta_make() alone: */
    uint64_t copied_len, literal_len;
    size_t n_copies;
} og_delta_info;

/* Writes to out_path how new_path is made of the old files. An old path that
 * is a folder gives the files in it that are similar to the new one. out_path
 * appears whole or not at all. `options` and out_info may be NULL. */
OG_API og_status og_delta_make(const char *const *old_paths, size_t n_old,
                               const char *new_path, const char *out_path,
                               const og_delta_options *options,
                               og_delta_info *out_info, og_error *err);

/* Makes the new file. The old files are found among old_paths (also in
 * folders) by their checksums, all of them before anything is written; a file
 * that is not the one the delta was made from is OG_ERR_INPUT and named.
 * out_path appears only when its own checksum is right. Memory is bounded
 * whatever the delta says (24 MiB and the chunks of the largest file). Of the
 * options threads and allocator count; NULL is fine. */
OG_API og_status og_delta_apply(const char *const *old_paths, size_t n_old,
                                const char *delta_path, const char *out_path,
                                const og_delta_options *options,
                                og_delta_info *out_info, og_error *err);

/* ---- the exchange: two trees of files become equal over a pipe ----
 *
 * docs/format-exchange.md tells the messages. Both sides cut files into the
 * same chunks; the sender tells hashes from the root down, the receiver asks
 * for what no file of its own has, under whatever name. */

typedef struct og_sync_counts {
    uint64_t n_files, n_files_changed, n_files_renamed; /* ... made of others */
    uint64_t new_len;     /* bytes of the files that changed */
    uint64_t literal_len; /* of them, bytes that were sent */
    uint64_t n_round_trips;
    uint64_t n_sent, n_received; /* bytes on the wire, by this side */
    uint64_t n_redone;           /* files that were sent again, whole */
} og_sync_counts;

typedef struct og_sync_message {
    bool to_receiver;
    const char *name; /* "list", "want", ... */
    uint64_t n_items; /* hashes, chunks, files: what it is a list of */
    uint64_t len;     /* bytes of the message before compression */
} og_sync_message;

typedef struct og_sync_options {
    og_cut_options cut; /* the sender's count for both */
    uint32_t fine_len;  /* average of the pieces that a chunk which is not
                           known is cut into; 0: it is sent whole */
    bool no_compress;
    bool delete_extra;  /* receiver: remove files that the sender lacks */
    bool dry_run;       /* receiver: write nothing */
    unsigned n_threads; /* 0: as many as the machine has */
    void *ctx;
    void (*on_message)(void *ctx, const og_sync_message *message);
    void (*on_file)(void *ctx, const char *path); /* receiver: it is new */
} og_sync_options;
OG_API og_sync_options og_sync_options_default(void);

/* Each speaks over two descriptors (a pipe pair, a socket twice) until both
 * sides are done; they stay open. A connection that breaks is OG_ERR_IO; what
 * arrived stays as hidden part files, and the next receive goes on from it. */
OG_API og_status og_sync_send(const char *tree, int in_fd, int out_fd,
                              const og_sync_options *options,
                              og_sync_counts *out, og_error *err);
/* A file gets its name when all of it has arrived and its checksum is right;
 * paths that would lead out of `tree` are refused. */
OG_API og_status og_sync_receive(const char *tree, int in_fd, int out_fd,
                                 const og_sync_options *options,
                                 og_sync_counts *out, og_error *err);

/* Both sides in this process, writing nothing: what would be said. The counts
 * are the receiver's, n_sent its answers. */
OG_API og_status og_sync_plan(const char *old_tree, const char *new_tree,
                              const og_sync_options *options,
                              og_sync_counts *out, og_error *err);

/* ---- reused sentences ----
 *
 * Every sentence of every document that was added, and the question which of
 * them a sentence takes up. Documents and index lie in the folder "sentences"
 * of a store (docs/format-sentences.md), in memory for ":memory:". One thread
 * at a time for each og_sentences; a folder has one writer and any number of
 * readers, which see it as it was when they opened it. */

typedef struct og_sentences og_sentences;

typedef struct og_sentences_options {
    uint64_t memory; /* bytes for what was added last; the rest is on disk */
    /* The rest is fixed when a folder is made; later that of the folder
     * counts. */
    const char *stop;        /* language of stop words to leave out, or NULL */
    const char *stem;        /* language of stems, or NULL */
    uint32_t signature_bits; /* of qSign: 16, 32, 64, 128; 0: none are kept */
    uint32_t word_bits;      /* that a word sets; 0: chosen by signature_bits */
    const og_allocator *allocator; /* NULL: the C library's */
} og_sentences_options;
OG_API og_sentences_options og_sentences_options_default(void);

/* A writer makes the folder when there is none; a reader gets OG_ERR_INPUT and
 * the command that makes one. Every byte is checked: OG_ERR_STORE names file
 * and place. `options` NULL means the default. */
OG_API og_status og_sentences_open(const char *store, bool writable,
                                   const og_sentences_options *options,
                                   og_sentences **out, og_error *err);
/* What was not committed may be lost. NULL is fine. */
OG_API void og_sentences_close(og_sentences *sentences);

/* Found as soon as it is added, durable after the next commit. An id may come
 * again: another version. OG_ERR_LIMIT: over the memory of ":memory:". */
OG_API og_status og_sentences_add(og_sentences *sentences,
                                  const og_document *doc, og_error *err);
OG_API og_status og_sentences_commit(og_sentences *sentences, og_error *err);
OG_API bool og_sentences_has(const og_sentences *sentences, og_bytes id);

typedef enum og_quote_method {
    OG_QUOTE_EXACT = 0, /* rarest words, bitmaps: finds all, and fastest */
    OG_QUOTE_QSIGN,     /* the paper's: signatures within some bits */
    OG_QUOTE_SCAN,      /* every sentence: to measure against */
} og_quote_method;
OG_API const char *og_quote_method_name(og_quote_method method);

typedef struct og_quote_options {
    double threshold;        /* least similarity, more than 0, at most 1 */
    uint32_t min_words;      /* shorter sentences are not asked about */
    uint32_t max_matches;    /* told of one sentence, the earliest ones */
    uint64_t max_candidates; /* looked at for one sentence; what is beyond is
                                counted */
    og_quote_method method;
    int distance;     /* of qSign, bits; -1: from max_false, as the paper */
    double max_false; /* largest share of sentences with too many other words
                         that may come within the distance */
} og_quote_options;
OG_API og_quote_options og_quote_options_default(void);

/* A sentence of another document that has the words of the one asked about. */
typedef struct og_quote_match {
    og_bytes id, title;
    int64_t time; /* without has_time the latest that was known then */
    bool has_time;
    uint64_t begin, end; /* bytes of its document */
    og_bytes text;
    double similarity; /* 0 to 1: lib/sentence/measure.h */
    uint32_t n_shared; /* different words */
    /* Where they stand, in `text` and in the document asked about. */
    const og_range *shared, *own;
    size_t n_shared_ranges, n_own_ranges;
} og_quote_match;

typedef struct og_quote {
    uint64_t begin, end;           /* bytes of the document */
    uint32_t n_words;              /* different ones */
    const og_quote_match *matches; /* by time, the earliest first */
    size_t n_matches;
    uint64_t n_found;   /* sentences in all, told or not */
    uint64_t n_skipped; /* candidates beyond max_candidates */
} og_quote;

typedef struct og_quotes {
    const og_quote *sentences; /* all of the document, in order */
    size_t n_sentences;
    uint64_t n_reused; /* that have matches */
    uint64_t n_words;  /* different ones, of each sentence, added up */
    uint64_t n_reused_words;
    uint64_t n_skipped;  /* candidates of all sentences */
    uint64_t n_cut;      /* sentences that were too long and were cut */
    uint64_t n_repaired; /* bytes that are not UTF-8 */
} og_quotes;

/* The sentences of `doc` against all others; those of a document of the same
 * id are no answer. Valid until the next call with these sentences. */
OG_API og_status og_sentences_ask(og_sentences *sentences,
                                  const og_document *doc,
                                  const og_quote_options *options,
                                  const og_quotes **out, og_error *err);

typedef struct og_sentences_info {
    uint64_t n_documents, n_sentences;
    uint64_t n_forms; /* different sets of words, those of each image counted */
    uint64_t n_words; /* different words, likewise */
    uint64_t n_images, n_waiting, n_bytes;
    double mean_words; /* of a form */
    uint32_t signature_bits, word_bits;
    const char *stop, *stem; /* "" for none; valid until closed */
} og_sentences_info;
OG_API void og_sentences_info_get(const og_sentences *sentences,
                                  og_sentences_info *out);

/* m, l, n, k, d of qSign for this index and these options, the recall and the
 * rate of false positives that follow: lines of text, cut to out_cap bytes,
 * zero-terminated. */
OG_API void og_sentences_explain(const og_sentences *sentences,
                                 const og_quote_options *options, char *out,
                                 size_t out_cap);

/* Files in, answers out. Paths, problems, counts and failures as for
 * og_stream_run(); n_short counts documents without a sentence. */
typedef struct og_quote_stream_options {
    og_fields fields;
    og_reading reading;
    uint64_t max_document; /* bytes; a longer one is skipped and named */
    bool add;              /* take each document in after its answer */
    bool no_answers;       /* only add */
    og_quote_options quote;
    void *ctx;
    /* In the order of the documents. Return false to stop (OG_ERR_STOPPED).
     * on_durable: all documents answered so far are on disk; with `add` an
     * answer should not be passed on before. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_quotes *answer);
    bool (*on_durable)(void *ctx);
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
} og_quote_stream_options;
OG_API og_quote_stream_options og_quote_stream_options_default(void);
OG_API og_status og_quote_stream(og_sentences *sentences,
                                 const char *const *paths, size_t n_paths,
                                 const og_quote_stream_options *options,
                                 og_stream_counts *out_counts, og_error *err);

/* One JSON object and a newline: the sentences that are reused. */
OG_API og_status og_report_quote_json(FILE *out, const og_document *doc,
                                      const og_quotes *quotes, og_error *err);
/* For people: each of them, and beneath it those it takes up, with the shared
 * words marked. */
OG_API og_status og_report_quote_text(FILE *out, const og_document *doc,
                                      const og_quotes *quotes,
                                      og_text_style style, og_error *err);

/* A report of many documents. */
typedef enum og_quote_format {
    OG_QUOTE_TEXT,
    OG_QUOTE_JSON, /* one object a line */
    OG_QUOTE_HTML, /* one page that needs no network and no script */
} og_quote_format;
typedef struct og_quote_report og_quote_report;
/* `path` is a file that appears, whole, when og_quote_report_close() is done,
 * and is as it was when anything fails before; NULL and "-" are stdout. */
OG_API og_status og_quote_report_open(const char *path, og_quote_format format,
                                      og_text_style style,
                                      og_quote_report **out, og_error *err);
/* Borrows nothing after it returned. */
OG_API og_status og_quote_report_add(og_quote_report *report,
                                     const og_document *doc,
                                     const og_quotes *quotes, og_error *err);
/* What was added so far may be read: it goes to stdout, where it waited in
 * memory. Nothing for a file. OG_ERR_IO leaves errno as it was. */
OG_API og_status og_quote_report_pass(og_quote_report *report, og_error *err);
/* Ends the report and frees it, whatever is returned; NULL is fine. After a
 * call that failed the report is discarded. */
OG_API og_status og_quote_report_close(og_quote_report *report, og_error *err);
/* Frees it and leaves no file behind; NULL is fine. */
OG_API void og_quote_report_discard(og_quote_report *report);

/* Who takes up whom: for each document and each other one that held some of
 * its sentences first, how many. */
typedef struct og_quote_links og_quote_links;
OG_API og_quote_links *og_quote_links_new(void);        /* NULL: no memory */
OG_API void og_quote_links_free(og_quote_links *links); /* NULL is fine */
/* Every sentence counts for its earliest match. */
OG_API og_status og_quote_links_add(og_quote_links *links,
                                    const og_document *doc,
                                    const og_quotes *quotes, og_error *err);
OG_API size_t og_quote_links_count(const og_quote_links *links);
typedef enum og_links_format {
    OG_LINKS_CSV,     /* a header, then a line for every link */
    OG_LINKS_GRAPHML, /* documents and links, for programs that draw */
    OG_LINKS_SVG,     /* a time line with the strongest links as arcs */
} og_links_format;
OG_API og_status og_quote_links_write(const og_quote_links *links,
                                      og_links_format format, FILE *out,
                                      og_error *err);
/* To a file that appears whole or not at all; "-" is stdout. */
OG_API og_status og_quote_links_save(const og_quote_links *links,
                                     og_links_format format, const char *path,
                                     og_error *err);

/* ---- evaluation of reused sentences: the paper's experiments ---- */

typedef struct og_quote_eval og_quote_eval;

enum { OG_QUOTE_BANDS = 5, OG_QUOTE_GROWTH = 5, OG_QUOTE_GROWN_WAYS = 7 };

typedef struct og_quote_eval_options {
    og_fields fields;
    og_reading reading;
    uint64_t n_sentences; /* of the collection, at most nine tenths of all */
    uint32_t n_questions; /* sentences that follow the collection */
    uint32_t min_words;   /* of a question */
    double threshold;     /* least similarity that counts as reuse */
    const char *stop;     /* NULL: no stop words are left out */
    void *ctx;
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_quote_eval_options;
OG_API og_quote_eval_options og_quote_eval_options_default(void);

/* Reads the stream, adds the first sentences, measures on the way how the time
 * of a question grows, and works out the truth. */
OG_API og_status og_quote_eval_open(const char *const *paths, size_t n_paths,
                                    const og_quote_eval_options *options,
                                    og_quote_eval **out, og_error *err);
OG_API void og_quote_eval_close(og_quote_eval *eval); /* NULL is fine */

/* A way to find reused sentences. */
typedef enum og_quote_way_kind {
    OG_WAY_SCAN,     /* the paper's naive one: every sentence */
    OG_WAY_INVERTED, /* its rival: an inverted index with sums of weights,
                        candidates from `threshold` on */
    OG_WAY_QSIGN,
    OG_WAY_EXACT, /* asked for `threshold` */
} og_quote_way_kind;
typedef struct og_quote_way {
    og_quote_way_kind kind;
    uint32_t n_bits, word_bits; /* of qSign; word_bits 0: by the rule */
    uint32_t distance;
    double threshold;
} og_quote_way;

typedef struct og_quote_timing {
    double seconds, select_seconds; /* of one question, the fastest run */
    double recall;       /* of sentences that reach the threshold of the eval */
    double recall_70;    /* of those that reach 0.7 */
    double n_candidates; /* sentences looked at closely for one question */
} og_quote_timing;
OG_API og_status og_quote_eval_time(og_quote_eval *eval,
                                    const og_quote_way *way,
                                    og_quote_timing *out, og_error *err);

typedef struct og_quote_growth {
    uint64_t n_sentences;
    double add_seconds; /* to add all up to here */
    double seconds[OG_QUOTE_GROWN_WAYS];
    double select_seconds[OG_QUOTE_GROWN_WAYS];
} og_quote_growth;

typedef struct og_quote_eval_facts {
    uint64_t n_documents, n_sentences, n_forms, n_words, n_bytes;
    double mean_words, mean_question_words;
    uint64_t n_questions;
    uint64_t n_checked; /* questions that were scanned, too: the same answers */
    uint64_t n_pairs[OG_QUOTE_BANDS]; /* reused sentences with a similarity of
                                         0.5 to 0.6, ... 0.9 to 1 */
    og_quote_growth growth[OG_QUOTE_GROWTH];
    og_quote_way grown[OG_QUOTE_GROWN_WAYS];
} og_quote_eval_facts;
OG_API void og_quote_eval_facts_get(const og_quote_eval *eval,
                                    og_quote_eval_facts *out);

/* Table 2 and figure 7. */
typedef struct og_quote_recall {
    uint32_t n_bits, word_bits;
    double recall[OG_QUOTE_BANDS][17]; /* within 0 to 16 bits */
    double total[17];
    double n_matches[17]; /* sentences within the distance, of a question */
    /* Predicted for a similarity of exactly 0.6, 0.7, 0.8, 0.9: by the paper's
     * model, which adds words, and with the words that only the other sentence
     * has, too. */
    double predicted[4][17], predicted_both[4][17];
} og_quote_recall;
OG_API og_status og_quote_eval_recall(og_quote_eval *eval, uint32_t n_bits,
                                      uint32_t word_bits, og_quote_recall *out,
                                      og_error *err);

/* Every record of A is asked as one sentence against those of B; the record
 * with the same id is the true one. */
typedef struct og_aligned_result {
    uint64_t n_pairs; /* records of A whose id B has */
    uint64_t n_found; /* the true one reaches the threshold */
    uint64_t n_first; /* and no other one is more similar */
    double seconds;   /* of a question */
} og_aligned_result;
OG_API og_status og_quote_eval_aligned(const char *path_a, const char *path_b,
                                       double threshold, og_aligned_result *out,
                                       og_error *err);

/* ---- evaluation of near-duplicates: sketches against exact Jaccard ---- */

typedef struct og_near_eval og_near_eval;

typedef struct og_near_eval_options {
    og_fields fields;
    uint32_t max_documents; /* more than that: so many drawn by lot */
    uint32_t shingle_len;   /* of the truth, 1 to 32 */
    uint32_t min_tokens;    /* shorter documents are left out */
    double duplicate;       /* a pair is one when its Jaccard similarity is at
                               least this */
    void *ctx;
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_near_eval_options;
OG_API og_near_eval_options og_near_eval_options_default(void);

/* Reads the documents and works out the exact Jaccard similarity of the sets
 * of shingles of every pair. */
OG_API og_status og_near_eval_open(const char *const *paths, size_t n_paths,
                                   const og_near_eval_options *options,
                                   og_near_eval **out, og_error *err);
OG_API void og_near_eval_close(og_near_eval *eval); /* NULL is fine */

typedef struct og_near_facts {
    uint64_t n_documents; /* in the sample */
    uint64_t n_read;      /* in the stream, long enough */
    uint64_t n_pairs;
    uint64_t n_duplicates;
    uint64_t at_least[10]; /* pairs of similarity >= 0.1, 0.2, ... 1.0 */
} og_near_facts;
OG_API void og_near_facts_get(const og_near_eval *eval, og_near_facts *out);

typedef struct og_near_run {
    og_feature_options features;
    bool with_idf;         /* counted on the documents of the sample */
    unsigned simhash_bits; /* 0: none; 64 or 128 */
    uint32_t n_samples;    /* of min-hash, up to 128; 0: none */
    uint32_t sample_bits;  /* kept of each: 1 to 16, or 32 */
} og_near_run;

/* Of a rule whose thresholds were chosen, for the best f1, on one half of the
 * pairs and scored on the other. */
typedef struct og_near_score {
    double precision, recall, f1;
    uint32_t distance; /* the largest of simhash */
    uint32_t n_equal;  /* the fewest samples of min-hash */
} og_near_score;

#define OG_NEAR_LEVELS 129

typedef struct og_near_result {
    /* By the distance of their simhashes: pairs, and duplicates of them. */
    uint64_t pairs_at[OG_NEAR_LEVELS], duplicates_at[OG_NEAR_LEVELS];
    og_near_score simhash, minhash;
    og_near_score both; /* distance and samples must both be near enough */
    og_near_score sum;  /* a weighted sum of the two must be large enough;
                           thresholds are not told */
    /* Figure 2 of the simhash paper, of the first 64 bits: the place of the
     * leading 1 in the exclusive or of successive sorted sketches (0 to 63, 64
     * for equal ones), and sketches by their 7 highest bits. */
    uint64_t leading[65], buckets[128];
    double features_mean; /* of a document */
    double seconds;       /* to make the sketches, features and all */
} og_near_result;
OG_API og_status og_near_eval_run(og_near_eval *eval, const og_near_run *run,
                                  og_near_result *out, og_error *err);

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

typedef struct og_hamming_options {
    uint32_t n_bits;       /* of a code: 64 or 128 */
    uint32_t max_distance; /* bits, 0 to n_bits: the most that can be asked */
    int n_tables;          /* -1: what the planner picks, 0: none, a scan */
    uint64_t memory;       /* bytes of tables that the planner may use */
    uint64_t buffer;       /* bytes in memory before they become a file */
    uint32_t n_waiting;    /* new entries that a question scans; more of them
                              make adding faster and asking slower */
    const og_allocator *allocator; /* NULL: the C library's */
} og_hamming_options;
OG_API og_hamming_options og_hamming_options_default(void);

/* `folder` NULL: in memory. OG_ERR_USAGE when there is an index already.
 * `options` NULL means the default. */
OG_API og_status og_hamming_create(const char *folder,
                                   const og_hamming_options *options,
                                   og_hamming **out, og_error *err);
/* Checks every byte. Bits, distance, tables and memory are those of its making;
 * of the options only the others count. OG_ERR_STORE, with file and place,
 * when it is damaged or something else. */
OG_API og_status og_hamming_open(const char *folder, bool writable,
                                 const og_hamming_options *options,
                                 og_hamming **out, og_error *err);
/* What was not committed is lost. NULL is fine. */
OG_API void og_hamming_close(og_hamming *hamming);
/* Closes, and removes it from the disk; a folder that holds nothing else goes
 * too. Only for a writer. NULL is fine. */
OG_API void og_hamming_delete(og_hamming *hamming);

/* An id (1 to 65,535 bytes) may have several codes, a code several ids; the
 * same pair twice counts once. Removing what is not there is no error. */
OG_API og_status og_hamming_add(og_hamming *hamming, uint64_t code, og_bytes id,
                                og_error *err);
OG_API og_status og_hamming_remove(og_hamming *hamming, uint64_t code,
                                   og_bytes id, og_error *err);
/* The same for an index of either width; those above take one of 64 bits. */
OG_API og_status og_hamming_add_wide(og_hamming *hamming, og_wide_code code,
                                     og_bytes id, og_error *err);
OG_API og_status og_hamming_remove_wide(og_hamming *hamming, og_wide_code code,
                                        og_bytes id, og_error *err);
/* Makes everything durable. Files also appear when the buffer is full, so a
 * process that is stopped loses its last entries, never the order. */
OG_API og_status og_hamming_commit(og_hamming *hamming, og_error *err);

typedef struct og_hamming_match {
    og_bytes id;   /* valid during the call */
    uint64_t code; /* of 128 bits the lower half */
    unsigned distance;
    uint64_t code_high; /* the upper half; 0 for a code of 64 bits */
} og_hamming_match;

/* All entries within max_distance bits of `code`, by code, then by id; until
 * on_match returns false. OG_ERR_USAGE when max_distance is more than the
 * index was made for. */
OG_API og_status og_hamming_ask(
    og_hamming *hamming, uint64_t code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err);
OG_API og_status og_hamming_ask_wide(
    og_hamming *hamming, og_wide_code code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err);

typedef struct og_hamming_info {
    uint32_t n_bits, max_distance;
    uint64_t n_codes;   /* different ones, those of each run counted; of 128
                           bits half the number of different halves */
    uint64_t n_entries; /* in runs; one that was added again counts twice */
    uint64_t n_removed; /* marks that wait for a merge */
    uint64_t n_waiting;
    uint64_t n_runs;
    uint64_t n_bytes;
} og_hamming_info;
OG_API void og_hamming_info_get(const og_hamming *hamming,
                                og_hamming_info *out);

/* What the planner weighs for so many codes, and what it takes: lines of text,
 * cut to out_cap bytes, zero-terminated. */
OG_API og_status og_hamming_explain(uint64_t n_codes,
                                    const og_hamming_options *options,
                                    char *out, size_t out_cap, og_error *err);

/* 1 to 16 hexadecimal digits; false and *out alone when it is none. */
OG_API bool og_code_parse(og_bytes s, uint64_t *out);
/* These or 32: *out_n_bits is 64 or 128. */
OG_API bool og_wide_code_parse(og_bytes s, og_wide_code *out,
                               unsigned *out_n_bits);

/* A file of lines "id<TAB>code" or a binary file of 64-bit simhashes; "-" is
 * stdin. on_code returns false to stop (OG_ERR_STOPPED). */
OG_API og_status og_codes_read(const char *path, void *ctx,
                               bool (*on_code)(void *ctx, og_bytes id,
                                               uint64_t code),
                               og_error *err);
/* The same for codes of n_bits bits, 64 or 128; 0: as wide as the first one.
 * OG_ERR_INPUT, with the place, at a code of another width. */
OG_API og_status og_wide_codes_read(
    const char *path, unsigned n_bits, void *ctx,
    bool (*on_code)(void *ctx, og_bytes id, og_wide_code code, unsigned n_bits),
    og_error *err);

/* Every pair of a question and an entry of a file within max_distance: lines
 * "question<TAB>id<TAB>distance" in the order of the file. The questions are
 * held in memory, the file is read once. In shards, each call writes one part;
 * og_hamming_merge() makes of all parts, in any order, the bytes that a single
 * call writes. Outputs appear when they are whole; NULL and "-" are stdout. */
typedef struct og_hamming_join_options {
    const char *questions, *file, *output;
    uint32_t max_distance;
    int n_tables;
    uint64_t memory;
    uint32_t shard, n_shards; /* from 0; 0 of 1 is all */
} og_hamming_join_options;
typedef struct og_hamming_join_counts {
    uint64_t n_questions, n_codes, n_pairs;
} og_hamming_join_counts;
OG_API og_hamming_join_options og_hamming_join_options_default(void);
OG_API og_status og_hamming_join(const og_hamming_join_options *options,
                                 og_hamming_join_counts *out_counts,
                                 og_error *err);
/* OG_ERR_INPUT when a part is missing, damaged or of another join; both sets
 * of parameters are named then. */
OG_API og_status og_hamming_merge(const char *const *paths, size_t n_paths,
                                  const char *output, uint64_t *out_n_pairs,
                                  og_error *err);

/* ---- deduplication: kept documents out, and what was removed of which ----
 *
 * Nothing is removed that was not compared: bands of min-hash samples only say
 * which documents are worth comparing. */

typedef enum og_dedup_level {
    OG_LEVEL_DOCUMENT = 0, /* whole documents that are alike */
    OG_LEVEL_PASSAGE,      /* runs of tokens that an earlier document has */
    OG_LEVEL_SENTENCE,     /* sentences that came before */
    OG_LEVEL_LINE,         /* lines that came before */
} og_dedup_level;

typedef enum og_keep_kind { /* which of the documents that are alike stays */
                            OG_KEEP_FIRST = 0,
                            OG_KEEP_LAST,
                            OG_KEEP_LONGEST, /* by tokens; of equal ones the
                                                first */
                            OG_KEEP_FIELD,   /* the largest number or time in a
                                                field; see keep_field */
} og_keep_kind;

typedef enum og_cluster_kind {
    OG_CLUSTER_STAR = 0,   /* each removed document is alike to the kept one */
    OG_CLUSTER_COMPONENTS, /* ... or to one that is, and so on */
} og_cluster_kind;

typedef enum og_measure_kind {
    OG_MEASURE_JACCARD = 0, /* shingles in common / shingles of either */
    OG_MEASURE_CONTAINMENT, /* shingles in common / those of the smaller */
} og_measure_kind;

typedef enum og_report_format {
    OG_REPORT_TSV = 0,
    OG_REPORT_JSONL
} og_report_format;

typedef struct og_dedup_counts {
    og_stream_counts stream; /* of the documents, those of `against` left out */
    uint64_t n_against;      /* documents to compare with only */
    uint64_t n_kept, n_removed;
    uint64_t n_clusters;     /* kept documents of which something was removed */
    uint64_t n_without;      /* documents without a single token */
    uint64_t n_candidates;   /* pairs with an equal band */
    uint64_t n_compared;     /* of them, pairs whose shingles were compared */
    uint64_t n_rounds;       /* 1, more when memory was too small for all */
    uint64_t n_cut, cut_len; /* pieces cut out of kept documents; bytes */
    uint64_t kept_len;       /* bytes of text that stayed */
    uint64_t n_resumed;      /* documents that an earlier run had decided on */
} og_dedup_counts;

typedef struct og_dedup_options {
    og_dedup_level level;
    og_token_kind tokens;
    uint32_t shingle_len;     /* 1 to 32; a shorter document is one shingle */
    uint32_t n_bands, n_rows; /* 1 to 1,024 samples in all */
    og_measure_kind measure;
    og_cluster_kind cluster;
    og_keep_kind keep;
    const char *keep_field; /* "-name": the smallest; other values come last */
    double threshold;       /* of the measure, above 0, at most 1 */
    /* Documents to compare with. They are not written, and nothing is removed
     * from them. */
    const char *const *against;
    size_t n_against;
    const char *output;      /* "-": stdout */
    const char *report;      /* of every removal; NULL: none */
    const char *rejects;     /* records that could not be read; NULL: none */
    const char *temp;        /* folder of temporary files; NULL: the output's */
    og_report_format format; /* of the report */
    uint32_t least_tokens;   /* of a piece that is cut, up to 1,024; 0: 50 of a
                                passage, 5 of a sentence, 1 of a line */
    uint64_t memory; /* bytes of tables; what is more goes to disk. 0: no cap */
    double journal_seconds; /* how often a journal is written */
    bool resume;            /* keep one beside the output, and go on from it */
    bool annotate;          /* write all documents, with an "origo" field */
    unsigned n_threads;
    og_fields fields;
    og_reading reading;
    uint64_t max_document;
    void *ctx;
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const char *step,
                        const og_stream_counts *counts);
} og_dedup_options;

/* Words in shingles of 5, 14 bands of 8 rows, Jaccard 0.8, stars, the first
 * stays. */
OG_API og_dedup_options og_dedup_options_default(void);
/* Shingles, bands and rows as others ship them: "datatrove", "slimpajama",
 * "nemo". False and nothing changed for another name. */
OG_API bool og_dedup_preset(og_bytes name, og_dedup_options *options);
OG_API og_status og_dedup_options_check(const og_dedup_options *options,
                                        og_error *err);

/* The documents of all paths, in order, those that stay to options->output:
 * their lines as they were, byte for byte (a document that was no line of
 * JSONL becomes one). Outputs appear when they are whole. An output that is
 * one of the inputs is OG_ERR_USAGE. Same input, same bytes, whatever the
 * number of threads and the memory. */
OG_API og_status og_dedup_run(const char *const *paths, size_t n_paths,
                              const og_dedup_options *options,
                              og_dedup_counts *out_counts, og_error *err);

/* ---- deduplication in stages, for arrays of jobs ----
 *
 * Four steps over the same list of plain JSONL files, each a pure function of
 * files in the folder `work`; shard i of n does its share, and a file that is
 * there is not made again. The outcome is that of og_dedup_run() over the same
 * list, whatever the numbers of shards. lib/dedup_stages.h draws the files. */

typedef struct og_stage_options {
    og_dedup_options dedup; /* what to compare and how; the first stays */
    const char *work;
    const char *output;       /* of filter: a folder; file F, from 0, gives
                                 FFFFFF.jsonl, .tsv, .remove and .clusters */
    uint32_t shard, n_shards; /* from 0; 0 of 1 is all */
} og_stage_options;

typedef struct og_stage_counts {
    uint64_t n_made, n_there; /* files */
    uint64_t n_documents, n_pairs, n_kept, n_removed;
} og_stage_counts;

/* In this order; each needs all shards of the one before. OG_ERR_INPUT: a file
 * of theirs is missing (named), damaged or of other options. */
OG_API og_status og_stage_sketch(const char *const *paths, size_t n_paths,
                                 const og_stage_options *options,
                                 og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_bands(const char *const *paths, size_t n_paths,
                                const og_stage_options *options,
                                og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_components(const char *const *paths, size_t n_paths,
                                     const og_stage_options *options,
                                     og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_filter(const char *const *paths, size_t n_paths,
                                 const og_stage_options *options,
                                 og_stage_counts *counts, og_error *err);

/* ---- near-duplicates as documents come, in memory that is fixed ----
 *
 * An index keeps a sketch of each document, its id and its time. When it is
 * full, one that was not matched for long goes for each that comes. The
 * similarity of an answer is estimated from the samples of both sketches. */

typedef struct og_near og_near;

typedef enum og_near_method {
    OG_NEAR_MINHASH = 0,
    OG_NEAR_SIMHASH,
    OG_NEAR_BOTH, /* near by one of them */
} og_near_method;

typedef struct og_near_options {
    og_near_method method;
    og_token_kind tokens;
    uint32_t shingle_len;
    uint32_t n_bands, n_rows; /* of min-hash, at most 60 bands */
    uint64_t memory;          /* bytes of the index, a hard cap */
} og_near_options;
OG_API og_near_options og_near_options_default(void);

/* `path` is ":memory:" or a store's folder, which gets a folder `near` with
 * the index; the options are those that it was made with then. One writer at a
 * time (OG_ERR_STORE: there is another). A damaged file is OG_ERR_STORE and
 * named. `options` NULL means the default. */
OG_API og_status og_near_open(const char *path, bool writable,
                              const og_near_options *options, og_near **out,
                              og_error *err);
/* What was not committed may be lost. NULL is fine. */
OG_API void og_near_close(og_near *near);
/* Everything that was added is on the disk then. */
OG_API og_status og_near_commit(og_near *near, og_error *err);

typedef struct og_near_info {
    uint64_t n_documents, n_room, n_evicted;
    og_near_options options;
} og_near_info;
OG_API void og_near_info_get(const og_near *near, og_near_info *out);

typedef struct og_near_match {
    og_bytes id; /* valid during the call */
    int64_t time;
    bool has_time;
    double similarity; /* estimated Jaccard similarity of shingles; -1: the
                          method has none */
    unsigned distance; /* of simhashes in bits; 64 when there are none */
} og_near_match;

typedef struct og_near_ask {
    double threshold;      /* least similarity */
    unsigned max_distance; /* most bits, 0 to 3 */
    bool add;              /* take each document in after its answer */
    og_fields fields;
    og_reading reading;
    unsigned n_threads;
    uint64_t max_document;
    void *ctx;
    /* In the order of the documents; matches from the most similar on, equal
     * ones in the order in which they came. Return false to stop. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_near_match *matches, size_t n);
    void (*on_problem)(void *ctx, const og_problem *problem);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
} og_near_ask;
OG_API og_near_ask og_near_ask_default(void);

/* Asks about all documents of all paths. */
OG_API og_status og_near_stream(og_near *near, const char *const *paths,
                                size_t n_paths, const og_near_ask *ask,
                                og_stream_counts *out_counts, og_error *err);

/* ---- evaluation of the estimators of similarity ---- */

/* What one estimator does on pairs of sets of known similarity. */
typedef struct og_estimator_cell {
    const char *estimator; /* a method's name, also with "/b" for b bits kept,
                              or "l1" for the distance from ioffe and norms */
    const char *family;
    const char *features; /* "random", or "sequence": 0, 1, 2, ... */
    uint64_t n_features;  /* of each of the two sets */
    double similarity;    /* the true one, on average */
    uint32_t n_trials;
    double bias;       /* average error */
    double bias_error; /* standard error of that */
    double variance;   /* average squared error */
    double theory;     /* what it is said to be */
    double bits;       /* random bits for each feature and sample */
    double ns;         /* nanoseconds for each feature, all samples, in the
                          fastest trial */
} og_estimator_cell;

typedef struct og_estimator_options {
    uint32_t n_samples;
    double seconds;      /* to spend on each cell */
    uint32_t min_trials; /* even when that takes longer */
    uint64_t max_features;
    uint64_t seed;
    void *ctx;
    /* Return false to stop (OG_ERR_STOPPED). */
    bool (*on_cell)(void *ctx, const og_estimator_cell *cell);
} og_estimator_options;
OG_API og_estimator_options og_estimator_options_default(void);

/* Every estimator on sets of 10 to max_features features that are 0.1 to 0.99
 * alike; then the hash families on random and on consecutive features. */
OG_API og_status og_eval_estimators(const og_estimator_options *options,
                                    og_error *err);

/* ---- evaluation: PAN text alignment ---- */

/* One subset of the corpus, or "all" of it. */
typedef struct og_pan_row {
    const char *subset;
    uint64_t n_pairs, n_cases, n_found;
    double plagdet, precision, recall, granularity;
    double seconds; /* of all its comparisons; 0: others made them */
    double slowest; /* of one pair */
} og_pan_row;

typedef struct og_pan_options {
    og_compare_options compare;
    const char *detections; /* a folder of XML to score; NULL: compare */
    const char *write_to; /* a folder for the XML of what was found, or NULL */
    unsigned half;        /* 1 or 2: every other pair; 0: all */
    void *ctx;
    bool (*on_row)(void *ctx, const og_pan_row *row); /* false: stop */
} og_pan_options;
OG_API og_pan_options og_pan_options_default(void);

/* Compares the pairs of a corpus in PAN's form (folders susp, src and 01-...
 * with `pairs` and the XML of the true passages) and scores: a row for each
 * subset, then one for all. */
OG_API og_status og_eval_pan(const char *corpus, const og_pan_options *options,
                             og_error *err);

#ifdef __cplusplus
}
#endif

#endif
