/* Into a store: a batch is one stream, durable when it returns. */

#include "following.h"

#include <stdio.h>
#include <stdlib.h>

struct batch_reading {
    const struct follow_batch *batch;
    size_t next;
    struct following *following;
};

static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    struct batch_reading *const reading = ctx;
    (void)err;
    if (reading->next == reading->batch->n) return OG_END;
    *out = reading->batch->docs[reading->next++];
    return OG_OK;
}

/* Names no file: the documents are from several sources. */
static void pass_problem(void *ctx, const og_problem *problem)
{
    struct batch_reading *const reading = ctx;
    const struct follow_options *const o = reading->following->options;
    if (o->on_problem != NULL)
        o->on_problem(o->ctx, "store", 0, problem->skipped, problem->message);
}

static void add_counts(og_stream_counts *sum, const og_stream_counts *more)
{
    sum->n_documents += more->n_documents;
    sum->n_skipped += more->n_skipped;
    sum->n_short += more->n_short;
    sum->n_repaired += more->n_repaired;
    sum->n_added += more->n_added;
    sum->n_repeated_ids += more->n_repeated_ids;
    sum->n_known += more->n_known;
    sum->n_bad_times += more->n_bad_times;
    sum->n_text_bytes += more->n_text_bytes;
    sum->n_tokens += more->n_tokens;
}

static og_status write_to_store(struct follow_target *target,
                                const struct follow_batch *batch,
                                og_stream_counts *counts, og_error *err)
{
    const struct follow_options *const o = target->following->options;
    struct batch_reading reading = {batch, 0, target->following};
    og_input input = og_input_default();
    og_stream_options options = og_stream_options_default();
    og_stream_counts of_batch = {0};
    input.ctx = &reading;
    input.next = next_document;
    input.on_problem = pass_problem;
    input.n_threads = o->n_threads;
    input.max_document = o->max_document;
    input.reading.extra = true;
    options.add = true;
    const og_status status =
        og_stream_run(o->store, &input, &options, &of_batch, err);
    add_counts(counts, &of_batch);
    return status;
}

static void close_target(struct follow_target *target)
{
    free(target);
}

og_status target_store_open(struct following *f, struct follow_target **out,
                            og_error *err)
{
    const og_status status = follow_allocate(sizeof(**out), out, err);
    if (status != OG_OK) return status;
    **out = (struct follow_target){write_to_store, close_target, f};
    return OG_OK;
}
