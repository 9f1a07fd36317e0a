#ifndef OG_EVAL_MEASURE_EVAL_STATE_H
#define OG_EVAL_MEASURE_EVAL_STATE_H

/* The paper's experiments (section 3), in three steps: read the stream once and
 * keep the hashes of all its tokens (stream.c), find the true origin of every
 * shingle (truth.c), run combinations of selection, eviction and estimation and
 * score them (run.c). eval.c opens and closes the state. */

#include "eval/evaluation.h"
#include "lib/estimate/estimate.h"

/* Documents in order; tokens of all of them in one array. */
struct og_eval_doc {
    size_t first_token;
    uint32_t n_tokens;
    int64_t time;
    uint32_t dominant; /* the true one; OG_NO_DOC: there is none */
    bool is_query;
    size_t first_truth; /* of a query: index into eval->truth and eval->old */
};

struct og_eval {
    og_eval_options options;
    struct og_shingle_factors key;
    uint64_t *hash;
    size_t n_hash, hash_cap;
    struct og_eval_doc *docs;
    size_t n_docs, docs_cap;
    uint64_t n_shingles;
    /* For the queries: the origin of each shingle, and whether each token is
     * old. Both are indexed by token, so the last entries of a document are
     * unused in the first. */
    uint32_t *truth;
    uint8_t *old;
    size_t n_truth;
    og_eval_facts facts;
    uint32_t *arrival; /* the documents in order of arrival: n_docs */
};

og_status og_eval_read(struct og_eval *eval, const og_input *input,
                       og_error *err);
og_status og_eval_find_truth(struct og_eval *eval, og_error *err);
/* After the truth: it must be known which documents are queries. */
og_status og_eval_set_arrival(struct og_eval *eval, og_error *err);

static inline size_t og_eval_doc_shingles(const struct og_eval *eval,
                                          const struct og_eval_doc *doc)
{
    const uint32_t k = eval->key.shingle_len;
    return doc->n_tokens < k ? 0 : doc->n_tokens - k + 1;
}

/* The tokens of a document in the form of the stages. Borrowed. */
static inline struct og_tokens og_eval_doc_view(const struct og_eval *eval,
                                                const struct og_eval_doc *doc)
{
    return (struct og_tokens){.hash = eval->hash + doc->first_token,
                              .n = doc->n_tokens};
}

#endif
