/* Documents one by one, for evaluations: read_stream.h. */

#include "eval/measure/read_stream.h"

struct reading {
    og_eval_document_fn *on_document;
    void *ctx;
};

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    const struct reading *r = ctx;
    (void)b;
    return r->on_document(r->ctx, &d->doc, err);
}

og_status og_eval_read_stream(const og_input *input,
                              og_eval_document_fn *on_document, void *ctx,
                              struct og_eval_read_counts *out, og_error *err)
{
    struct reading r = {on_document, ctx};
    const struct og_stream_work work = {.ctx = &r, .take = take};
    og_stream_counts counts = {0};
    og_error story = {0};
    const og_status status = og_stream_documents(input, &work, &counts, &story);
    *out = (struct og_eval_read_counts){.n_documents = counts.n_documents};
    if (status == OG_OK || status == OG_END) return OG_OK;
    if (!counts.is_reported)
        return og_error_set(err, status, "%s", story.message);
    out->failure = story;
    return OG_OK;
}
