#ifndef ORIGO_READING_H
#define ORIGO_READING_H

/* How files become documents, and what was wrong with them. */

#include <origo/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the fields of JSON, and of the columns of CSV. In JSON the name
 * may be a path: "doc.body" is the member `body` of the object `doc`. */
typedef struct og_fields {
    const char *id, *time, *title, *url, *text;
} og_fields;
#define OG_FIELDS_DEFAULT                                                      \
    {                                                                          \
        "id", "time", "title", "url", "text"                                   \
    }

/* What a file is. Text form: "auto", "text", "jsonl", "html", "warc" (also WET
 * and WAT), "arc", "mbox", "mail", "xml", "json", "csv", "tsv". */
typedef enum og_file_kind {
    OG_FILE_AUTO = 0, /* its first bytes decide */
    OG_FILE_TEXT,     /* one document */
    OG_FILE_JSONL,    /* a document a line */
    OG_FILE_HTML,     /* one document: the main text of the page */
    OG_FILE_WARC,     /* a document for every page and text in it */
    OG_FILE_ARC,
    OG_FILE_MBOX, /* a document a message */
    OG_FILE_MAIL, /* one message */
    OG_FILE_XML,  /* one document; TEI is known best */
    OG_FILE_JSON, /* a document for each object of an array */
    OG_FILE_CSV,  /* a document a row; the first row names the columns */
    OG_FILE_TSV,
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
    const char *times; /* a file, CSV or JSONL, that gives documents by `id` or
                          `path` a `time`, `title` and `url`; NULL: none */
    const char *time_from_name; /* a pattern like "%Y-%m-%d" that gives files
                                   their time by their name; NULL: none */
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
    uint64_t n_input_bytes; /* as they are on disk: for progress */
    bool is_reported; /* the failure of the run is that of a file, and was given
                         to on_problem */
} og_stream_counts;

/* What every stream reads: the documents of files, or those that a callback
 * gives. Start from og_input_default(). All callbacks may be NULL. on_problem
 * and on_progress are called by the calling thread, in the order of the
 * documents, whatever the number of threads; next and should_stop by others,
 * at the same time. */
/* What a thread of a stream did in one stage: "read", "prepare", "take" (what
 * is done in order), the phases of a batch by their names, and "wait". */
typedef struct og_timing {
    const char *stage;
    unsigned thread; /* 0: the calling one; 1: the reading one; others */
    double seconds;  /* of the processor; of "wait", of the clock */
    uint64_t n;      /* times that it did it */
} og_timing;

typedef struct og_input {
    /* Each path is a file of some og_file_kind, a folder (its files in the
     * order of their names, all levels), any of them .gz or .zst, or "-" for
     * stdin. A file that cannot be read is a problem and the others are read:
     * the status is then that of the first one. */
    const char *const *paths;
    size_t n_paths;
    og_fields fields;      /* of JSONL; a name that is NULL is not looked for */
    og_reading reading;    /* how files become documents */
    uint64_t max_document; /* bytes; a longer one is skipped and named. 0: 64
                              MiB */
    unsigned n_threads;    /* 0: as many as the machine has */
    void *ctx;             /* of the callbacks */
    /* Documents instead of paths: fills *out, whose strings must stay until
     * the next call. OG_END: there is no more. Any other status ends the
     * stream. A document without an id gets "document:N", N from 1. */
    og_status (*next)(void *ctx, og_document *out, og_error *err);
    /* `next` begins again at the first document. NULL: the documents can be
     * read only once, and what takes two passes over them is OG_ERR_USAGE. */
    og_status (*rewind)(void *ctx, og_error *err);
    void (*on_problem)(void *ctx, const og_problem *problem);
    /* `step` names what the counts are of: "documents" unless a function says
     * that it has more. */
    void (*on_progress)(void *ctx, const char *step,
                        const og_stream_counts *counts);
    /* Asked often, from several threads: true ends the stream with
     * OG_ERR_STOPPED, and what was done before stays. */
    bool (*should_stop)(void *ctx);
    /* At the end, for each thread and each of its stages. NULL: nothing is
     * measured. */
    void (*on_timing)(void *ctx, const og_timing *timing);
} og_input;
OG_API og_input og_input_default(void);

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_document_fn(void *ctx, const og_document *doc);

/* The documents themselves, in order; views until the call returns. `ctx` goes
 * to on_document; out_counts may be NULL. */
OG_API og_status og_input_read(const og_input *input,
                               og_document_fn *on_document, void *ctx,
                               og_stream_counts *out_counts, og_error *err);

/* ---- one document out of memory ---- */

/* Scratch memory. One per thread, or one after the other. */
typedef struct og_reader og_reader;
OG_API og_reader *og_reader_new(void);         /* NULL: no memory */
OG_API void og_reader_free(og_reader *reader); /* NULL is fine */

/* The names that it looks for in objects, from now on; what is pointed to must
 * stay. NULL: OG_FIELDS_DEFAULT. */
OG_API void og_reader_set_fields(og_reader *reader, const og_fields *fields);

/* What the bytes of one document are: OG_FILE_TEXT, OG_FILE_HTML, OG_FILE_XML,
 * OG_FILE_MAIL, or OG_FILE_JSONL for one JSON object. The id is empty when it
 * has none; *out_bad_time (may be NULL): a time was given and cannot be read.
 * Views of the reader, valid until its next call. OG_ERR_INPUT: they are no
 * such document; OG_ERR_LIMIT: more than `max_len` bytes (0: 64 MiB);
 * OG_ERR_USAGE: any other kind. */
OG_API og_status og_reader_read(og_reader *reader, og_bytes bytes,
                                og_file_kind kind, uint64_t max_len,
                                og_document *out, bool *out_bad_time,
                                og_error *err);

/* ---- the entries of a feed ---- */

/* The entries of RSS or Atom, in their order; views until the call returns.
 * The text is that of the content, else of the summary, without its markup.
 * Entries without text are left out, and counted (out_n_skipped may be NULL).
 * The id is empty when an entry has neither an id nor an address. OG_ERR_INPUT:
 * it is no feed, or ends before its end: what came before was given. */
OG_API og_status og_feed_read(og_bytes bytes, og_document_fn *on_entry,
                              void *ctx, uint64_t *out_n_skipped,
                              og_error *err);

#ifdef __cplusplus
}
#endif

#endif
