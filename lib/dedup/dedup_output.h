#ifndef OG_DEDUP_DEDUP_OUTPUT_H
#define OG_DEDUP_DEDUP_OUTPUT_H

/*   in:  documents and the decisions about them           (lib/dedup/dedup.c)
 *   out: kept lines, the report of removals, rejected records
 *
 * All three are part files until the end, and then get their names together.
 * The calling thread lists what a block adds to them, and the writing thread
 * writes it (lib/stream/engine.h); without a list, it is written at once. */

#include "lib/dedup/document_stream.h"
#include "lib/disk/output.h"
#include "lib/os/output_lock.h"

#include <origo/dedup.h>

enum og_output_kind { OG_OUTPUT_KEPT, OG_OUTPUT_REPORT, OG_OUTPUT_REJECTS };

/* Bytes for an output, or what its bytes are made of when it is written: a
 * document, or the pieces of one, in lines of the report. */
struct og_output_item {
    enum og_output_kind kind;
    bool ends_line;                 /* a newline follows */
    const og_document *document;    /* or NULL */
    const struct og_dedup_doc *cut; /* or NULL; its pieces are the bytes */
    const char *data;               /* NULL: in list->bytes, from `at` */
    size_t at, len;
};

/* What a block adds to the outputs, in order. */
struct og_output_list {
    struct og_output_item *items;
    size_t n, cap;
    struct og_pack bytes;
};
void og_output_list_clear(struct og_output_list *list);
void og_output_list_release(struct og_output_list *list);

struct og_dedup_output {
    const og_dedup_options *options;
    const og_input *input;
    struct og_output_lock locks[3];
    struct og_shards kept;
    struct og_new_file report, rejects;
    bool has_kept, has_report, has_rejects;
    bool has_header;     /* the first line of a report of TSV */
    uint64_t n_decided;  /* documents of the input, reported to on_decision */
    struct og_pack line; /* scratch */
    /* Of the current block; NULL: none. */
    struct og_output_list *list;
    const struct og_batch *batch;
    struct og_pack record; /* scratch of the writing thread */
    /* Appends lines of the report, on the writing thread. `pieces` may have any
     * address. */
    void *rows_ctx;
    og_status (*pack_rows)(void *ctx, const struct og_dedup_doc *doc,
                           og_bytes pieces, struct og_pack *lines,
                           og_error *err);
};

/* The length of each at a moment, to resume from. */
struct og_output_lens {
    uint64_t kept, report, rejects;
};

/* Nothing is open yet, but og_dedup_output_close() may be called. */
void og_dedup_output_init(struct og_dedup_output *out,
                          const og_dedup_options *options,
                          const og_input *input);
/* Prevents other processes from writing or resuming the same files.
 * OG_ERR_USAGE: an output is also an input. */
og_status og_dedup_output_lock(struct og_dedup_output *out, og_error *err);
/* After the lock. Without options.resume `state` and `from` are unused; `from`
 * is for OG_PART_RESUMED. */
og_status og_dedup_output_open(struct og_dedup_output *out,
                               enum og_part_state state,
                               const struct og_output_lens *from,
                               og_error *err);
og_status og_dedup_output_commit(struct og_dedup_output *out, og_error *err);
/* Also after a commit: releases the locks. */
void og_dedup_output_close(struct og_dedup_output *out, bool are_kept);

/* Writes what is listed, and clears the list. */
og_status og_dedup_output_write(struct og_dedup_output *out,
                                struct og_output_list *list, og_error *err);

/* Makes everything so far durable, with what is listed of the current block;
 * returns where it ends. */
og_status og_dedup_output_sync(struct og_dedup_output *out,
                               struct og_output_lens *lens, og_error *err);

struct og_removal {
    og_bytes id, of_id;
    double similarity;  /* below 0: unknown */
    uint64_t cluster;   /* the number of the kept document, from 1; 0: none */
    uint64_t of_number; /* that document in the input, or OG_NOT_OF_INPUT */
    const char *file;
    uint64_t line;
};

og_status og_dedup_write_kept(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_error *err);
og_status og_dedup_write_removed(struct og_dedup_output *out,
                                 const struct og_dedup_doc *doc,
                                 const struct og_removal *removal,
                                 og_error *err);
/* Nothing remains of it: its pieces are in several others. */
og_status og_dedup_write_gone(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_error *err);
/* A document with a changed text: any thread appends its record to `line`; then
 * it is written. With `stays`, `line` is valid until the block is written, like
 * the strings of all documents; otherwise it is copied. */
og_status og_dedup_pack_cut(const og_fields *fields,
                            const struct og_dedup_doc *doc, og_bytes text,
                            struct og_pack *line, og_error *err);
og_status og_dedup_write_cut(struct og_dedup_output *out,
                             const struct og_dedup_doc *doc, og_bytes text,
                             og_bytes line, bool stays, og_error *err);
/* `more`: its next bytes follow. The bytes are copied. */
og_status og_dedup_write_reject(struct og_dedup_output *out, og_bytes record,
                                bool more, og_error *err);
/* Lines of the report about pieces, which are copied, for out->pack_rows(). */
og_status og_dedup_write_rows(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_bytes pieces,
                              og_error *err);
/* The first lines of a report of TSV follow a header: true once, if there is
 * none yet. */
bool og_dedup_begins_report(struct og_dedup_output *out);

#endif
