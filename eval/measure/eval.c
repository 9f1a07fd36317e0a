/* A stream for evaluation: opening and closing it. */

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"

static og_status check_options(const og_eval_options *options, og_error *err)
{
    og_params params = og_params_default();
    params.shingle_len = options->shingle_len;
    return og_params_check(&params, err);
}

og_status og_eval_open(const og_input *input, const og_eval_options *options,
                       og_eval **out, og_error *err)
{
    *out = NULL;
    TRY(check_options(options, err));
    og_eval *eval = og_allocate_zero(NULL, sizeof(*eval));
    if (eval == NULL) return og_error_memory(err, sizeof(*eval), "a stream");
    eval->options = *options;
    og_shingle_factors_init(&eval->key, og_rabin_default(),
                            options->shingle_len);
    og_status status = og_eval_read(eval, input, err);
    if (status == OG_OK) status = og_eval_find_truth(eval, err);
    if (status == OG_OK) status = og_eval_set_arrival(eval, err);
    if (status != OG_OK) {
        og_eval_close(eval);
        return status;
    }
    *out = eval;
    return OG_OK;
}

void og_eval_close(og_eval *eval)
{
    if (eval == NULL) return;
    og_release(NULL, eval->arrival, eval->n_docs * sizeof(*eval->arrival));
    OG_UNGROW(NULL, eval->hash, eval->hash_cap);
    OG_UNGROW(NULL, eval->docs, eval->docs_cap);
    og_release(NULL, eval->truth, eval->n_truth * sizeof(*eval->truth));
    og_release(NULL, eval->old, eval->n_truth);
    og_release(NULL, eval, sizeof(*eval));
}

void og_eval_facts_get(const og_eval *eval, og_eval_facts *out)
{
    *out = eval->facts;
}
