/* Sketches documents on all cores: the workers of a stream
 * (lib/stream/engine.h) extract features and sketch them, each with its own
 * folding tables and stem cache, and the sketches are received in order. */

#include "lib/sketch/sketch_stream.h"

#include "lib/source/block.h"

struct stream {
    const og_feature_options *features;
    const struct og_sketch_work *work;
    og_stream_counts counts;
};

struct worker {
    struct og_extractor extractor;
    struct og_features features;
    struct og_pack made;
    void *mine;
    bool has_extractor, is_started;
};

struct made { /* of a document */
    const uint8_t *bytes;
    size_t len;
    uint64_t n_features;
};

/* ---- any thread ---- */

static og_status start_worker(void *ctx, void *mine, og_error *err)
{
    const struct stream *s = ctx;
    const struct og_sketch_work *work = s->work;
    struct worker *w = mine;
    og_features_init(&w->features, work->allocator);
    w->made.allocator = work->allocator;
    w->is_started = true;
    TRY(og_extractor_init(&w->extractor, s->features, work->allocator, err));
    w->has_extractor = true;
    return work->begin == NULL ? OG_OK : work->begin(work->ctx, &w->mine, err);
}

static void stop_worker(void *ctx, void *mine)
{
    const struct stream *s = ctx;
    struct worker *w = mine;
    if (!w->is_started) return;
    if (w->mine != NULL && s->work->end != NULL)
        s->work->end(s->work->ctx, w->mine);
    if (w->has_extractor) og_extractor_release(&w->extractor);
    og_features_release(&w->features);
    og_pack_release(&w->made);
}

static og_status make(void *ctx, void *mine, struct og_batch *b,
                      struct og_stream_doc *d, og_error *err)
{
    const struct stream *s = ctx;
    struct worker *w = mine;
    w->made.len = 0;
    TRY(og_extract(&w->extractor, &d->doc, &w->features, err));
    struct made made = {.n_features = w->features.n};
    struct made *kept = &made;
    d->n_tokens = w->extractor.tokens.n;
    d->n_repaired = og_extractor_n_repaired(&w->extractor);
    TRY(s->work->make(s->work->ctx, w->mine, &w->features, &w->made, err));
    made.bytes = w->made.data;
    made.len = w->made.len;
    if (w->made.failed || !OG_BATCH_KEEP(b, made.bytes, made.len) ||
        !OG_BATCH_KEEP(b, kept, 1))
        return og_error_memory(err, made.len, "the sketches of a block");
    d->made = kept;
    d->doc = (og_document){.id = d->doc.id};
    return OG_OK;
}

/* ---- in order ---- */

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct stream *s = ctx;
    const struct made *made = d->made;
    (void)b;
    s->counts.n_short += made->n_features == 0;
    return s->work->take(s->work->ctx, d->doc.id, made->bytes, made->len,
                         made->n_features, err);
}

og_status og_sketch_stream(const og_input *input,
                           const og_feature_options *features,
                           const struct og_sketch_work *sketching,
                           og_stream_counts *out_counts, og_error *err)
{
    struct stream s = {.features = features, .work = sketching};
    const struct og_stream_work work = {.ctx = &s,
                                        .allocator = sketching->allocator,
                                        .worker_len = sizeof(struct worker),
                                        .start_worker = start_worker,
                                        .stop_worker = stop_worker,
                                        .make = make,
                                        .take = take};
    const og_input limited = og_limited_input(input, OG_SOURCE_MEMORY);
    const og_status status =
        og_stream_documents(&limited, &work, &s.counts, err);
    if (out_counts != NULL) *out_counts = s.counts;
    return status;
}

og_status og_sketch_stream_end(struct og_sketch_writer *writer,
                               og_status status, const og_stream_counts *counts,
                               og_error *err)
{
    const bool is_partial = counts->is_reported && counts->n_documents > 0;
    if (status != OG_OK && !is_partial) {
        og_sketch_writer_drop(writer);
        return status;
    }
    og_error close_err;
    const og_status closed = og_sketch_writer_close(writer, &close_err);
    if (closed == OG_OK) return status;
    return og_error_set(err, closed, "%s", close_err.message);
}
