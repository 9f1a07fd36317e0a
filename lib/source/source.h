#ifndef OG_SOURCE_SOURCE_H
#define OG_SOURCE_SOURCE_H

/*   in:  files, folders, stdin, plain or packed (gzip, zstd, bzip2, xz), in
 *        archives (tar, zip): text, JSONL, JSON, CSV, HTML, WARC, ARC, mails,
 *        XML
 *   out: documents, in order                                   (lib/text)
 *
 * Reading is split in two so that all cores can share it. og_source_next() runs
 * on one thread and does as little as possible: it reads and unpacks bytes and
 * cuts them into blocks of whole records (lines of JSONL, records of an
 * archive; a whole text file). og_block_next() runs on any thread and parses
 * one block into documents. Blocks carry a sequence number, so that the results
 * can be put in order again. */

#include "lib/base/memory.h"
#include "lib/base/permits.h"

#include <origo/reading.h>

/* A field whose name is NULL is not read. */
struct og_source_options {
    og_fields fields;
    og_reading reading;         /* its strings must outlive the source */
    bool extra_of_values;       /* reading.extra applies to JSON arrays and CSV
                                   only */
    uint64_t max_document;      /* bytes of one record, unpacked; 0: 64 MiB */
    struct og_permits *permits; /* og_most_work() bytes that all threads
                                   share; NULL: a thread uses them alone */
    size_t block_len; /* the least that a block contains, unless the input
                         ends; 0: 256 KiB */
    /* Called by the reading thread; true: OG_ERR_STOPPED; NULL: never stops. */
    bool (*should_stop)(void *ctx);
    void *stop_ctx;
    /* Receives the bytes of a line that is skipped because it is too long,
     * piece by piece; NULL: they are dropped. */
    void *passed_ctx;
    og_status (*on_passed)(void *ctx, og_bytes bytes, og_error *err);
};

/* Bytes after a block, and after each string of a record, that may be read
 * (OG_TEXT_PADDING of the next stage), so that vector loads need no tail. */
#define OG_BLOCK_PADDING 64

struct og_source; /* the reading side */
struct og_readers;
struct og_times;

/* Paths as for og_stream_run(). They must outlive the source. Opens nothing
 * yet, so that a missing file is a problem at its position in the order. */
og_status og_source_new(const char *const *paths, size_t n_paths,
                        const struct og_source_options *options,
                        const og_allocator *allocator, struct og_source **out,
                        og_error *err);
void og_source_free(struct og_source *source);

enum og_block_kind {
    OG_BLOCK_LINES, /* JSONL: one record per line */
    OG_BLOCK_WARC,  /* whole records of an archive */
    OG_BLOCK_ARC,
    OG_BLOCK_MBOX, /* whole messages */
    OG_BLOCK_JSON, /* whole objects, in an array or one after the other */
    OG_BLOCK_CSV,  /* whole rows; CSV, TSV and the like */
    OG_BLOCK_TEXT, /* this and the following kinds are one document: the whole
                      file */
    OG_BLOCK_HTML,
    OG_BLOCK_XML,
    OG_BLOCK_MAIL,
    OG_BLOCK_EMPTY, /* only problems */
};

struct og_source_problem {
    uint64_t line, offset;
    bool skipped;    /* a record (or the rest of a file) was lost */
    bool whole_file; /* counts as a failed file */
    og_status status;
    uint64_t passed_len; /* bytes that on_passed received */
    char message[200];
};

struct og_block {
    const og_allocator *allocator;
    enum og_block_kind kind;
    char *data; /* OG_BLOCK_PADDING readable bytes after len */
    size_t len, cap;
    char *file; /* its name, zero-terminated */
    size_t file_cap;
    uint64_t first_line, offset; /* position of data[0] in the file */
    int64_t file_time;           /* last modification: the time of a text
                                    file */
    bool has_file_time;          /* false for pipes and the like */
    /* For CSV: the character between fields, and the names of the columns
     * (csv.h). */
    char delimiter;
    char *names;
    size_t names_len, names_cap;
    uint64_t sequence;
    uint64_t n_input_bytes; /* read from disk for this block: for progress */
    bool ends_file; /* true for one block of each file, also of a failed one */
    bool is_cut;    /* the input broke off: if the last line is broken, that is
                       not an error of its own */
    /* Errors of reading this block, then of parsing it. */
    struct og_source_problem *problems;
    size_t n_problems, problems_cap;
    uint64_t n_documents; /* that og_block_next() has returned so far */
    /* The position of og_block_next(). */
    size_t next_off;
    uint64_t next_line;
    char *unescaped; /* strings of the current record */
    size_t unescaped_cap;
    char *extra; /* its other fields */
    size_t extra_cap;
    struct og_readers *readers;   /* NULL until a kind needs them */
    const struct og_times *times; /* of the source; NULL: none */
};

/* Whether a block of this kind is one document. */
static inline bool og_block_is_whole(enum og_block_kind kind)
{
    return kind >= OG_BLOCK_TEXT && kind < OG_BLOCK_EMPTY;
}

void og_block_init(struct og_block *block, const og_allocator *allocator);
void og_block_release(struct og_block *block);

/* Fills `block` (keeps its memory). OG_END if there is nothing more. A file
 * that cannot be read is a problem in the block, not a status. Other statuses
 * end the reading (OG_ERR_MEMORY). */
og_status og_source_next(struct og_source *source, struct og_block *block,
                         og_error *err);

/* The error of a whole file that could not be read, with its name. Returns the
 * status of the problem. */
og_status og_block_failure(const struct og_block *block,
                           const struct og_source_problem *problem,
                           og_error *err);

struct og_record {
    og_document doc;
    uint64_t line, offset; /* position in the file */
    bool bad_time;         /* it has a time that cannot be parsed */
};

/* The next document of a block; views into the block, valid until the next
 * call. OG_END after the last. A broken record is skipped and reported in
 * block->problems with its position. A record without an id gets the name of
 * its file and its line, "mail.jsonl:17" (of an archive or an mbox: its
 * offset); the id of a file that is one document is its path. */
og_status og_block_next(struct og_block *block,
                        const struct og_source_options *options,
                        struct og_record *out, og_error *err);

#endif
