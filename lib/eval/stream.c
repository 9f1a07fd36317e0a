/* Reads a stream for evaluation: the token hashes of all documents that are
 * long enough, in the order of (time, arrival). */

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/eval/eval.h"
#include "lib/source/source.h"

og_eval_options og_eval_options_default(void)
{
    return (og_eval_options){
        .fields = OG_FIELDS_DEFAULT, .shingle_len = 8, .min_tokens = 45};
}

/* The kernels read up to 64 bytes behind the last hash. */
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
    struct og_source *source;
    struct og_source_options options;
    struct og_block block;
    struct og_text text;
    struct og_tokens tokens;
    uint64_t n_input_bytes;
    bool any_document;
    og_error failure; /* of the first file that could not be read */
};

/* Matters only when nothing else could be read either. */
static void note_failed_file(struct reading *r,
                             const struct og_source_problem *problem)
{
    if (!problem->whole_file || r->failure.status != OG_OK) return;
    og_block_failure(&r->block, problem, &r->failure);
}

static void tell_problems(struct reading *r)
{
    const og_eval_options *o = &r->eval->options;
    for (size_t i = 0; i < r->block.n_problems; i++) {
        const struct og_source_problem *p = &r->block.problems[i];
        note_failed_file(r, p);
        if (o->on_problem == NULL) continue;
        const og_problem problem = {
            .file = {r->block.file, strlen(r->block.file)},
            .line = p->line,
            .offset = p->offset,
            .skipped = p->skipped,
            .message = p->message,
        };
        o->on_problem(o->ctx, &problem);
    }
}

static og_status read_block(struct reading *r, og_error *err)
{
    struct og_record record;
    og_status status;
    while ((status = og_block_next(&r->block, &r->options, &record, err)) ==
           OG_OK) {
        r->any_document = true;
        TRY(og_text_fold(&r->text, record.doc.text, err));
        TRY(og_text_tokenise(&r->text, OG_TOKEN_WORDS, 0, &r->tokens, err));
        TRY(keep_tokens(r->eval, &r->tokens, &record.doc, err));
    }
    if (status != OG_END) return status;
    tell_problems(r);
    r->n_input_bytes += r->block.n_input_bytes;
    const og_eval_options *o = &r->eval->options;
    if (o->on_progress != NULL)
        o->on_progress(o->ctx, "reading", r->n_input_bytes, 0);
    return OG_OK;
}

static og_status read_blocks(struct reading *r, og_error *err)
{
    og_status status;
    while ((status = og_source_next(r->source, &r->block, err)) == OG_OK)
        TRY(read_block(r, err));
    return status == OG_END ? OG_OK : status;
}

/* A document without a time comes where it arrived: it takes the time of the
 * one before it. */
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

static og_status read_all(struct reading *r, const char *const *paths,
                          size_t n_paths, og_error *err)
{
    og_block_init(&r->block, NULL);
    og_text_init(&r->text, NULL);
    og_tokens_init(&r->tokens, NULL);
    og_status status =
        og_source_new(paths, n_paths, &r->options, NULL, &r->source, err);
    if (status == OG_OK) status = read_blocks(r, err);
    og_source_free(r->source);
    og_tokens_release(&r->tokens);
    og_text_release(&r->text);
    og_block_release(&r->block);
    return status;
}

static og_status tell_nothing_read(const struct reading *r, og_error *err)
{
    if (r->failure.status != OG_OK && !r->any_document)
        return og_error_set(err, r->failure.status, "%s", r->failure.message);
    return og_error_set(err, OG_ERR_INPUT,
                        "the stream has no document of %u tokens or more",
                        r->eval->options.min_tokens);
}

og_status og_eval_read(struct og_eval *eval, const char *const *paths,
                       size_t n_paths, og_error *err)
{
    struct reading r = {.eval = eval};
    r.options = (struct og_source_options){.fields = eval->options.fields,
                                           .max_document = OG_TEXT_MAX};
    TRY(read_all(&r, paths, n_paths, err));
    if (eval->n_docs == 0) return tell_nothing_read(&r, err);
    fill_missing_times(eval);
    qsort(eval->docs, eval->n_docs, sizeof(*eval->docs), by_time_and_arrival);
    return OG_OK;
}
