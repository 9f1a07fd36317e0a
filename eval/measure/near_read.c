/* Reads a stream and keeps a random sample of documents: each gets a number
 * from its position in the stream, and those with the smallest are kept, in a
 * heap whose top is evicted next. So memory holds only the sample, every
 * document is equally likely, and the same stream gives the same sample. */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/near.h"
#include "eval/measure/read_stream.h"
#include "lib/base/bits.h"

struct reading {
    struct og_near_eval *eval;
    struct og_extractor extractor;
    struct og_features features;
};

/* ---- the heap: the largest lot on top ---- */

static void swap(struct og_near_doc *a, struct og_near_doc *b)
{
    const struct og_near_doc kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(struct og_near_doc *heap, size_t at)
{
    while (at > 0 && heap[(at - 1) / 2].lot < heap[at].lot) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct og_near_doc *heap, size_t n)
{
    size_t at = 0;
    for (;;) {
        size_t largest = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < n && heap[child].lot > heap[largest].lot)
                largest = child;
        if (largest == at) return;
        swap(&heap[largest], &heap[at]);
        at = largest;
    }
}

/* ---- documents ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static og_status copy_document(const struct reading *r, const og_document *doc,
                               struct og_near_doc *out, og_error *err)
{
    const size_t n = r->features.n;
    out->title_len = doc->title.len;
    out->text_len = doc->text.len;
    out->bytes = malloc(doc->title.len + doc->text.len + 1);
    out->shingles = malloc((n + 1) * sizeof(*out->shingles));
    out->n_shingles = n;
    if (out->bytes == NULL || out->shingles == NULL) {
        free(out->bytes);
        free(out->shingles);
        return og_error_memory(err, doc->text.len, "a document");
    }
    if (doc->title.len > 0) memcpy(out->bytes, doc->title.data, doc->title.len);
    if (doc->text.len > 0)
        memcpy(out->bytes + doc->title.len, doc->text.data, doc->text.len);
    if (n > 0) memcpy(out->shingles, r->features.hash, n * sizeof(uint64_t));
    qsort(out->shingles, n, sizeof(*out->shingles), by_value);
    return OG_OK;
}

static og_status keep(struct reading *r, const og_document *doc, og_error *err)
{
    struct og_near_eval *e = r->eval;
    struct og_near_doc new_doc = {.arrival = e->n_read};
    new_doc.lot = og_mix64(e->n_read + 0x9e3779b97f4a7c15u);
    e->n_read++;
    const bool is_full = e->n_docs == e->options.max_documents;
    if (is_full && new_doc.lot > e->docs[0].lot) return OG_OK;
    TRY(copy_document(r, doc, &new_doc, err));
    if (is_full) {
        free(e->docs[0].bytes);
        free(e->docs[0].shingles);
        e->docs[0] = new_doc;
        sift_down(e->docs, e->n_docs);
        return OG_OK;
    }
    if (!OG_GROW(NULL, e->docs, e->docs_cap, e->n_docs + 1)) {
        free(new_doc.bytes);
        free(new_doc.shingles);
        return og_error_memory(err, sizeof(new_doc), "documents");
    }
    e->docs[e->n_docs] = new_doc;
    sift_up(e->docs, e->n_docs++);
    return OG_OK;
}

static og_status read_document(void *ctx, const og_document *doc, og_error *err)
{
    struct reading *r = ctx;
    TRY(og_extract(&r->extractor, doc, &r->features, err));
    if (r->extractor.tokens.n < r->eval->options.min_tokens) return OG_OK;
    return keep(r, doc, err);
}

static int by_arrival(const void *a, const void *b)
{
    const struct og_near_doc *x = a, *y = b;
    return (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

/* Sets of consecutive words: what the book compares, as do today's
 * deduplication tools. */
static og_feature_options truth_features(const og_near_eval_options *o)
{
    og_feature_options f = og_feature_options_default();
    f.kind = OG_FEATURE_PHRASES;
    f.phrase_len = o->shingle_len;
    f.tf = OG_TF_ONE;
    return f;
}

static og_status read_all(struct reading *r, const og_input *input,
                          struct og_eval_read_counts *counts, og_error *err)
{
    const og_near_eval_options *o = &r->eval->options;
    const og_feature_options f = truth_features(o);
    TRY(og_extractor_init(&r->extractor, &f, NULL, err));
    og_features_init(&r->features, NULL);
    const og_status status =
        og_eval_read_stream(input, read_document, r, counts, err);
    og_features_release(&r->features);
    og_extractor_release(&r->extractor);
    return status;
}

og_status og_near_read(struct og_near_eval *eval, const og_input *input,
                       og_error *err)
{
    struct reading r = {.eval = eval};
    struct og_eval_read_counts counts;
    TRY(read_all(&r, input, &counts, err));
    if (eval->n_docs < 2) {
        if (counts.failure.status != OG_OK)
            return og_error_set(err, counts.failure.status, "%s",
                                counts.failure.message);
        return og_error_set(err, OG_ERR_INPUT,
                            "the stream has fewer than two documents of %u "
                            "tokens or more",
                            eval->options.min_tokens);
    }
    qsort(eval->docs, eval->n_docs, sizeof(*eval->docs), by_arrival);
    return OG_OK;
}
