/* Documents one after the other, for evaluations: read_stream.h. */

#include "eval/measure/read_stream.h"
#include "lib/source/problem_teller.h"

#include "lib/text/text.h"

struct reading {
    const struct og_eval_input *input;
    struct og_eval_read_counts *counts;
    struct og_source *source;
    struct og_source_options options;
    struct og_block block;
    uint64_t n_input_bytes;
    struct og_problem_teller teller;
};

static og_status read_block(struct reading *r, og_error *err)
{
    const struct og_eval_input *in = r->input;
    struct og_record record;
    og_status status;
    while ((status = og_block_next(&r->block, &r->options, &record, err)) ==
           OG_OK) {
        r->counts->n_documents++;
        TRY(in->on_document(in->ctx, &record.doc, err));
    }
    if (status != OG_END) return status;
    og_tell_block_problems(&r->teller, &r->block, 0, r->block.n_problems);
    r->n_input_bytes += r->block.n_input_bytes;
    if (in->on_progress != NULL)
        in->on_progress(in->listener, "reading", r->n_input_bytes, 0);
    return OG_OK;
}

static og_status read_blocks(struct reading *r, og_error *err)
{
    og_status status;
    while ((status = og_source_next(r->source, &r->block, err)) == OG_OK)
        TRY(read_block(r, err));
    return status == OG_END ? OG_OK : status;
}

og_status og_eval_read_stream(const char *const *paths, size_t n_paths,
                              const struct og_eval_input *input,
                              struct og_eval_read_counts *out, og_error *err)
{
    struct reading r = {
        .input = input,
        .counts = out,
        .teller = {.ctx = input->listener, .on_problem = input->on_problem},
        .options = {.fields = input->fields, .max_document = OG_TEXT_MAX}};
    *out = (struct og_eval_read_counts){0};
    og_block_init(&r.block, NULL);
    og_status status =
        og_source_new(paths, n_paths, &r.options, NULL, &r.source, err);
    if (status == OG_OK) status = read_blocks(&r, err);
    og_source_free(r.source);
    og_block_release(&r.block);
    og_teller_end(&r.teller, status, &out->failure);
    return status;
}
