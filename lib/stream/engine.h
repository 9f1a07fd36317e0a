#ifndef OG_STREAM_ENGINE_H
#define OG_STREAM_ENGINE_H

/*   in:  files, or documents by callback                    (lib/source)
 *   out: batches of documents, prepared on all cores, taken in order
 *
 * The engine of every command that reads documents. The input is divided into
 * batches, each a block of a file or as many documents from a callback. A batch
 * goes from the reading thread through one worker to the calling thread:
 *
 *     read      the reading thread fills it with bytes, unparsed
 *     make      a worker parses it; for each document, the work computes
 *               everything that needs no other document (tokens, sketches, ...)
 *     take      the calling thread takes document after document, batch after
 *               batch, in the order of the input
 *     write     the writing thread writes what came of each, in the same order,
 *               while later ones are taken
 *
 * The calling thread sees the same documents, problems and counts for any
 * number of threads. A batch has the same content however many threads there
 * are, and is kept until all of it was taken and written.
 *
 * Problems are reported at their position among the documents. A file that
 * cannot be read is also a problem: reading continues with the others, and its
 * status becomes that of the whole run. */

#include "lib/base/arena.h"
#include "lib/source/source.h"
#include "lib/stream/phases.h"

#include <origo/reading.h>

struct og_stream;

/* A document of the stream; all views are into its batch. */
struct og_stream_doc {
    og_document doc;             /* as make() left it */
    uint64_t line, offset;       /* its position in its file; for documents from
                                    a callback: from 1, and their number */
    size_t text_len;             /* of the source */
    size_t n_tokens, n_repaired; /* as make() counted */
    bool bad_time;
    size_t n_problems_before; /* problems of the block that come before it */
    void *made;               /* the result of make() */
};

struct og_given_place; /* of a document from a callback */

struct og_batch {
    struct og_stream *stream;
    struct og_block block; /* its file, sequence, problems */
    struct og_arena arena; /* for data that make() keeps */
    struct og_stream_doc *docs;
    size_t n_docs, docs_cap;
    void *own; /* work->batch_len bytes */
    struct og_given_place *given;
    size_t n_given, given_cap, next_given;
    og_status read_status; /* OG_END: there was nothing more to read */
    og_status status;      /* what went wrong after the last document */
    og_error err;
    bool is_ready;
    /* May be set by begin_batch(): the documents were added together, so that
     * should_stop is not called between them. */
    bool is_whole;
};

struct og_stream_work {
    void *ctx;
    const og_allocator *allocator;
    /* Report times that cannot be read; documents are counted in any case. */
    bool uses_time;

    /* Zeroed bytes that each worker, and each batch, has for the work. _stop
     * and release_batch are called in any case, also after a _start that
     * failed. All of these may be NULL. */
    size_t worker_len, batch_len;
    og_status (*start_worker)(void *ctx, void *worker, og_error *err);
    void (*stop_worker)(void *ctx, void *worker);
    void (*clear_batch)(void *ctx, struct og_batch *batch); /* before reading */
    void (*release_batch)(void *ctx, struct og_batch *batch);

    /* ---- any worker ---- */

    /* One document. d->doc is the record's, whose strings are valid until the
     * next one; those it still has afterwards are copied to the batch.
     * OG_ERR_LIMIT and OG_ERR_INPUT concern this document only: it is skipped
     * and reported. May be NULL. */
    og_status (*make)(void *ctx, void *worker, struct og_batch *batch,
                      struct og_stream_doc *d, og_error *err);
    /* After the last document of a batch; may be NULL. */
    og_status (*make_batch)(void *ctx, void *worker, struct og_batch *batch,
                            og_error *err);

    /* ---- the calling thread, in order ---- */

    og_status (*begin_batch)(void *ctx, struct og_batch *batch, og_error *err);
    og_status (*take)(void *ctx, struct og_batch *batch,
                      struct og_stream_doc *d, og_error *err);
    /* After the last document taken, also if the stream was stopped or the
     * input broke off after it. May be NULL, like begin_batch. */
    og_status (*settle)(void *ctx, struct og_batch *batch, og_error *err);
    /* A batch that was read and taken whole. May be NULL. */
    og_status (*end_batch)(void *ctx, struct og_batch *batch, og_error *err);
    /* After the last batch, which may have no documents, of a stream that was
     * taken completely: phases find all threads idle. May be NULL. */
    og_status (*finish)(void *ctx, struct og_batch *last, og_error *err);
    /* A record that was skipped, before it is reported. May be NULL. */
    og_status (*skip)(void *ctx, struct og_batch *batch,
                      const struct og_source_problem *problem, og_error *err);

    /* ---- the writing thread, in order ---- */

    /* A batch that was taken whole. Its failure is that of the stream, soon
     * afterwards; the batches after it are not written. May be NULL. */
    og_status (*write)(void *ctx, struct og_batch *batch, og_error *err);

    /* ---- the reading thread ---- */

    /* Documents in place of those of the input, with their numbers; `name` is
     * that of their file. OG_END as for og_input.next. */
    og_status (*next)(void *ctx, og_document *out, uint64_t *out_number,
                      og_error *err);
    const char *name;
    /* Like og_source_options.on_passed. */
    og_status (*on_passed)(void *ctx, og_bytes bytes, og_error *err);
    /* og_document.extra for JSON arrays and CSV, even if the input does not
     * request it. */
    bool extra_of_values;
    /* Passed to on_progress; NULL: "documents". */
    const char *step;
};

/* Adds to the counts, which must not be NULL. */
og_status og_stream_documents(const og_input *input,
                              const struct og_stream_work *work,
                              og_stream_counts *counts, og_error *err);

/* In take(): a problem of a document that is processed all the same. */
void og_stream_report(const struct og_batch *batch,
                      const struct og_stream_doc *d, const char *message);
/* In take(), if make() could not know: counts and reports it. */
void og_stream_repaired(const struct og_batch *batch,
                        const struct og_stream_doc *d, size_t n_bytes);

/* In begin_batch(), take(), settle(), end_batch(), finish(): a phase of the
 * batch, pieces 0 to n - 1 on all threads (og_ring_share in lib/stream/ring.h:
 * the same status for any number of threads). `worker` points to
 * work->worker_len bytes of the current thread, initialised by start_worker().
 * Pieces may call og_stop_check(). The order of the batches is that of the
 * input, so a phase that runs for each batch before the next one sees them in
 * order. */
og_status og_stream_share(const struct og_batch *batch, size_t n,
                          og_piece_fn *piece, void *ctx, og_error *err);
/* The same, for code that is independent of streams; the number of threads.
 * Results must not depend on that. */
struct og_phases og_stream_phases(const struct og_batch *batch);
unsigned og_stream_threads(const struct og_batch *batch);

/* In take(), settle(), end_batch(), finish(): returns when all earlier batches
 * are written. */
og_status og_stream_wait_written(const struct og_batch *batch, og_error *err);

/* "stopped by the caller" */
og_status og_stream_stopped(og_error *err);

/* Some inputs can be read only once: OG_ERR_USAGE; the message says that `what`
 * needs them again. */
og_status og_stream_needs_again(const og_input *input, const char *what,
                                og_error *err);

/* Replaces the pointer by one to a copy of its n elements; false: out of
 * memory. */
#define OG_BATCH_KEEP(batch, pointer, n)                                       \
    (((pointer) =                                                              \
          og_arena_copy(&(batch)->arena, (pointer), (n) * sizeof(*(pointer)),  \
                        _Alignof(uint64_t))) != NULL)

#endif
