#ifndef OG_TRACE_TRACE_WORKER_H
#define OG_TRACE_TRACE_WORKER_H

/*   in:  a document of a batch                              (lib/stream)
 *   out: its selection, packed text and answer       (lib/trace/trace_stream.c)
 *
 * The side of tracing that runs on every core. */

#include <pthread.h>

#include "lib/select/prepare.h"
#include "lib/store/store.h"
#include "lib/stream/engine.h"

#include <origo/trace.h>

/* The result of preparing a document: og_stream_doc.made. */
struct og_traced {
    uint64_t text_hash;
    struct og_text_place
        text; /* in the frames of its batch, if there are any */
    /* The result of the stages. Without places only the selection is there, and
     * the numbers: tokens.n, text.n_repaired. */
    struct og_prepared prepared;
    bool has_answer; /* a worker has already queried */
    og_answer answer;
    bool is_repeated;     /* a batch took it in, as another version of its id */
    const void *reported; /* what another index answered (og_index_doc) */
    size_t n_reported;
    og_bytes rendered; /* of that */
};

/* Of a batch: og_batch.own. */
struct og_traced_batch {
    size_t answers_len;    /* of texts in the answers */
    struct og_pack frames; /* the texts, packed, of those that may be kept */
};

struct og_trace_work {
    const og_allocator *allocator;
    const struct og_prepare_options *prepare;
    bool keep_places; /* answers are wanted: what leads from a token back */
    bool keep_texts;
    bool keep_names;        /* title, address, other fields */
    struct og_texts *texts; /* pack the texts for it; NULL: do not */
    size_t min_tokens;      /* shorter documents are not kept, nor packed */
    /* When nothing is added an answer does not depend on the documents before
     * it: workers ask this store. NULL: they do not. */
    og_store *store;
    unsigned n_threads; /* that ask */
    const og_trace_options *asking;
    const og_stream_options *options; /* on_render; NULL: there is none */
    struct og_worker_answers
        *kept;            /* of all workers: og_worker_answers_clear */
    pthread_mutex_t lock; /* of that list */
};

/* Answers that a worker made for the current batch. */
struct og_worker_answers {
    struct og_arena arena;
    struct og_worker_answers *next;
};

/* The trace of a worker, made when it is needed first. */
og_status og_worker_trace(struct og_trace_work *work, og_store *store,
                          void *worker, og_trace **out, og_error *err);
/* What its trace answered, kept until _clear. False: no memory. */
bool og_worker_keep(struct og_trace_work *work, void *worker, og_answer *out);
/* What on_render writes of an answer that was kept, kept likewise. */
bool og_worker_render(struct og_trace_work *work, void *worker,
                      const og_document *doc, og_answer *answer);
/* The same of anything: what `render` writes. */
typedef bool og_render_fn(void *ctx, og_write_fn *write, void *to);
bool og_worker_keep_rendered(struct og_trace_work *work, void *worker,
                             og_render_fn *render, void *ctx, og_bytes *out);
/* Between two batches, by the caller. */
void og_worker_answers_clear(struct og_trace_work *work);

/* Sets all of `out` that runs on workers; `ctx` is that of the whole, whose
 * first member is a struct og_trace_work. */
void og_trace_work_fill(struct og_stream_work *out);

#endif
