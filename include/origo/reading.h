#ifndef ORIGO_READING_H
#define ORIGO_READING_H

/* Reading documents from files, and problems with them. */

#include <origo/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of JSON fields and CSV columns. In JSON a name may be a path:
 * "doc.body" is the member `body` of the object `doc`. */
typedef struct og_fields {
    const char *id, *time, *title, *url, *text;
} og_fields;
#define OG_FIELDS_DEFAULT                                                      \
    {                                                                          \
        "id", "time", "title", "url", "text"                                   \
    }

/* The type of a file. Text form: "auto", "text", "jsonl", "html", "warc" (also
 * WET and WAT), "arc", "mbox", "mail", "xml", "json", "csv", "tsv". */
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

/* How to read files. All zeros is the default. */
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

/* A problem with a record, or with a whole file. */
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

/* The time that a thread of a stream spent in one stage: "read", "prepare",
 * "take" (the ordered part), the named phases of a batch, "write" (outputs, by
 * a thread of its own), "log" (the threads of a store on disk: journal, texts,
 * catalogue), "close" (of a large temporary file, likewise), "wake" (what
 * waking and stopping a thread costs), and "wait". */
typedef struct og_timing {
    const char *stage;
    unsigned thread; /* 0: the calling one; 1: the reading one; others;
                        OG_TIMING_BESIDE: several */
    double seconds;  /* of the processor; of "wait", of the clock */
    uint64_t n;      /* times that it did it */
} og_timing;
#define OG_TIMING_BESIDE (~0u)

/* The input of every stream: the documents of files, or
 * those that a callback supplies. Start from og_input_default(). All callbacks
 * may be NULL. on_problem and on_progress are called by the calling thread, in
 * the order of the documents, for any number of threads; next and should_stop
 * are called by other threads at the same time. */
typedef struct og_input {
    /* Each path is a file of some og_file_kind, a folder (all files below it,
     * in the order of their names), any of them .gz or .zst, or "-" for stdin.
     * A file that cannot be read is reported as a problem, and the others are
     * read: the status is then that of the first such file. */
    const char *const *paths;
    size_t n_paths;
    og_fields fields;      /* of JSONL; a name that is NULL is not looked for */
    og_reading reading;    /* how files become documents */
    uint64_t max_document; /* bytes; a longer one is skipped and named. 0: a
                              sixteenth of the memory granted, 2 to 64 MiB; 32
                              MiB for sketches, comparisons and
                              og_input_read(); else 64 MiB */
    unsigned n_threads;    /* 0: as many as the machine has */
    void *ctx;             /* of the callbacks */
    /* Supplies documents instead of paths: fills *out, whose strings must stay
     * valid until the next call. OG_END: no more documents. Any other status
     * ends the stream. A document without an id gets "document:N", N from
     * 1. */
    og_status (*next)(void *ctx, og_document *out, og_error *err);
    /* Restarts `next` at the first document. NULL: the documents can be read
     * only once, and functions that need two passes return OG_ERR_USAGE. */
    og_status (*rewind)(void *ctx, og_error *err);
    void (*on_problem)(void *ctx, const og_problem *problem);
    /* `step` names what is counted: "documents", unless a function documents
     * other steps. */
    void (*on_progress)(void *ctx, const char *step,
                        const og_stream_counts *counts);
    /* Called often, from several threads: true ends the stream with
     * OG_ERR_STOPPED, and keeps what was done before. */
    bool (*should_stop)(void *ctx);
    /* Called at the end, for each thread and each of its stages. NULL: nothing
     * is measured. */
    void (*on_timing)(void *ctx, const og_timing *timing);
} og_input;
OG_API og_input og_input_default(void);

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_document_fn(void *ctx, const og_document *doc);

/* Passes the documents to on_document, in order; views valid until it returns.
 * out_counts may be NULL. */
OG_API og_status og_input_read(const og_input *input,
                               og_document_fn *on_document, void *ctx,
                               og_stream_counts *out_counts, og_error *err);

/* ---- one document out of memory ---- */

/* Scratch memory. One per thread. */
typedef struct og_reader og_reader;
OG_API og_reader *og_reader_new(void);         /* NULL: no memory */
OG_API void og_reader_free(og_reader *reader); /* NULL is fine */

/* Sets the names of JSON fields for later calls; the strings must stay valid.
 * NULL: OG_FIELDS_DEFAULT. */
OG_API void og_reader_set_fields(og_reader *reader, const og_fields *fields);

/* Reads one document from memory. `kind` is OG_FILE_TEXT, OG_FILE_HTML,
 * OG_FILE_XML, OG_FILE_MAIL, or OG_FILE_JSONL for one JSON object. The id is
 * empty if there is none; *out_bad_time (may be NULL) says whether there was a
 * time that cannot be parsed. Views of the reader, valid until its next call.
 * OG_ERR_INPUT: the bytes are not such a document; OG_ERR_LIMIT: more than
 * `max_len` bytes (0: 64 MiB); OG_ERR_USAGE: any other kind. */
OG_API og_status og_reader_read(og_reader *reader, og_bytes bytes,
                                og_file_kind kind, uint64_t max_len,
                                og_document *out, bool *out_bad_time,
                                og_error *err);

/* ---- the entries of a feed ---- */

/* Passes the entries of an RSS or Atom feed to on_entry, in order; views valid
 * until it returns. The text is that of the content, or else of the summary,
 * without markup. Entries without text are skipped and counted (out_n_skipped
 * may be NULL). The id is empty if an entry has neither an id nor an address.
 * OG_ERR_INPUT: not a feed, or a truncated one; the entries before the error
 * were passed on. */
OG_API og_status og_feed_read(og_bytes bytes, og_document_fn *on_entry,
                              void *ctx, uint64_t *out_n_skipped,
                              og_error *err);

#ifdef __cplusplus
}
#endif

#endif
