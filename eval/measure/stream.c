/* Reads a stream for evaluation: the token hashes of all documents that are
 * long enough, in order of (time, arrival). */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"
#include "eval/measure/read_stream.h"
#include "lib/base/bits.h"

og_eval_options og_eval_options_default(void)
{
    return (og_eval_options){.shingle_len = 8, .min_tokens = 45};
}

/* The kernels read up to 64 bytes past the last hash. */
#define HASH_SLACK 8

static og_status keep_tokens(struct og_eval *eval,
                             const struct og_tokens *tokens,
                             const og_document *doc, og_error *err)
{
    if (tokens->n < eval->options.min_tokens) return OG_OK;
    const size_t need = eval->n_hash + tokens->n + HASH_SLACK;
    if (!OG_GROW(NULL, eval->hash, eval->hash_cap, need) ||
        !OG_GROW(NULL, eval->docs, eval->docs_cap, eval->n_docs + 1))
        return og_error_memory(err, need * sizeof(*eval->hash), "a stream");
    memcpy(eval->hash + eval->n_hash, tokens->hash,
           tokens->n * sizeof(*tokens->hash));
    eval->docs[eval->n_docs++] = (struct og_eval_doc){
        .first_token = eval->n_hash,
        .n_tokens = (uint32_t)tokens->n,
        .time = doc->has_time ? doc->time : INT64_MIN,
        .dominant = OG_NO_DOC,
    };
    eval->n_hash += tokens->n;
    return OG_OK;
}

struct reading {
    struct og_eval *eval;
    struct og_text text;
    struct og_tokens tokens;
};

static og_status read_document(void *ctx, const og_document *doc, og_error *err)
{
    struct reading *r = ctx;
    TRY(og_text_fold(&r->text, doc->text, err));
    TRY(og_text_tokenise(&r->text, OG_TOKEN_WORDS, 0, &r->tokens, err));
    return keep_tokens(r->eval, &r->tokens, doc, err);
}

/* A document without a time keeps its position: it takes the time of the
 * previous one. */
static void fill_missing_times(struct og_eval *eval)
{
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < eval->n_docs; i++) {
        if (eval->docs[i].time == INT64_MIN) eval->docs[i].time = last;
        last = eval->docs[i].time;
    }
}

/* first_token rises with arrival, so it decides between equal times. */
static int by_time_and_arrival(const void *a, const void *b)
{
    const struct og_eval_doc *x = a;
    const struct og_eval_doc *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->first_token < y->first_token ? -1 : 1;
}

static og_status explain_nothing_read(const struct og_eval *eval,
                                      const struct og_eval_read_counts *counts,
                                      og_error *err)
{
    if (counts->failure.status != OG_OK && counts->n_documents == 0)
        return og_error_set(err, counts->failure.status, "%s",
                            counts->failure.message);
    return og_error_set(err, OG_ERR_INPUT,
                        "the stream has no document of %u tokens or more",
                        eval->options.min_tokens);
}

og_status og_eval_read(struct og_eval *eval, const og_input *input,
                       og_error *err)
{
    struct reading r = {.eval = eval};
    struct og_eval_read_counts counts;
    og_text_init(&r.text, NULL);
    og_tokens_init(&r.tokens, NULL);
    const og_status status =
        og_eval_read_stream(input, read_document, &r, &counts, err);
    og_tokens_release(&r.tokens);
    og_text_release(&r.text);
    if (status != OG_OK) return status;
    if (eval->n_docs == 0) return explain_nothing_read(eval, &counts, err);
    fill_missing_times(eval);
    qsort(eval->docs, eval->n_docs, sizeof(*eval->docs), by_time_and_arrival);
    return OG_OK;
}
