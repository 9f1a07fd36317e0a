/* The true origin of every shingle: the first document that contains it.
 *
 * One hash table of all distinct fingerprints, with room for all of them: the
 * system of the paper "without selection and with enough memory". Fingerprints
 * of 64 bits represent the shingles; among 10^8 of them the probability that
 * any two collide is 3 in 10^4. */

#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"
#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/os/pages.h"

/* A document's most frequent origin must have this much more than the next. */
#define DOMINANT_BY 1.1

struct first_holder {
    uint64_t fp;
    uint32_t doc_plus_1;
    uint32_t unused;
};

struct holders {
    struct og_pages pages;
    struct first_holder *data;
    size_t mask;
};

static og_status holders_init(struct holders *h, uint64_t n, og_error *err)
{
    size_t size = 1024;
    while (size < n + n / 2)
        size *= 2;
    TRY(og_pages_init(&h->pages, size * sizeof(*h->data), NULL, err));
    h->data = h->pages.data;
    h->mask = size - 1;
    return OG_OK;
}

/* The first document with the fingerprint; from now on `doc` if there was
 * none. */
static uint32_t first_holder(struct holders *h, uint64_t fp, uint32_t doc)
{
    struct first_holder *all = h->data;
    size_t at;
    OG_PROBE(at, fp, h->mask + 1, all[at].doc_plus_1 == 0 || all[at].fp == fp)
    if (all[at].doc_plus_1 == 0)
        all[at] = (struct first_holder){fp, doc + 1, 0};
    return all[at].doc_plus_1 - 1;
}

/* Counts how often each document occurs among the origins of one document;
 * `count` has an entry per document and is all 0 between calls. */
static uint32_t dominant_of(const uint32_t *origin, size_t n, uint32_t *count)
{
    uint32_t best = OG_NO_DOC;
    uint32_t most = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < n; i++)
        count[origin[i]]++;
    for (size_t i = 0; i < n; i++) {
        const uint32_t here = count[origin[i]];
        if (here == 0) continue;
        count[origin[i]] = 0;
        if (here > most) {
            next = most;
            most = here;
            best = origin[i];
        } else if (here > next) {
            next = here;
        }
    }
    return most >= DOMINANT_BY * next && most > 0 ? best : OG_NO_DOC;
}

struct truth {
    struct og_eval *eval;
    struct holders holders;
    struct og_fps fps;
    uint32_t *origin; /* of every shingle, indexed by token */
    uint32_t *count;
    uint64_t n_with_dominant, n_copied, n_blocks, n_block_tokens;
};

#define LOOK_AHEAD 16

static void find_origins(struct truth *t, uint32_t doc, uint32_t *origin)
{
    const uint64_t *fp = t->fps.data;
    const size_t n = t->fps.n;
    for (size_t i = 0; i < n; i++) {
        if (i + LOOK_AHEAD < n)
            __builtin_prefetch(
                &t->holders.data[fp[i + LOOK_AHEAD] & t->holders.mask], 1);
        origin[i] = first_holder(&t->holders, fp[i], doc);
    }
}

/* A copied block: a maximal run of shingles copied from one origin. */
static void count_blocks(struct truth *t, uint32_t doc, const uint32_t *origin)
{
    for (size_t i = 0; i < t->fps.n; i++) {
        if (origin[i] == doc) continue;
        t->n_copied++;
        const bool begins = i == 0 || origin[i - 1] != origin[i];
        t->n_blocks += begins;
        t->n_block_tokens += begins ? t->eval->key.shingle_len : 1;
    }
}

static og_status find_all_origins(struct truth *t, og_error *err)
{
    struct og_eval *eval = t->eval;
    for (uint32_t doc = 0; doc < eval->n_docs; doc++) {
        struct og_eval_doc *d = &eval->docs[doc];
        const struct og_tokens tokens = og_eval_doc_view(eval, d);
        uint32_t *origin = t->origin + d->first_token;
        TRY(og_tokens_fingerprint(&tokens, &eval->key, &t->fps, err));
        find_origins(t, doc, origin);
        count_blocks(t, doc, origin);
        d->dominant = dominant_of(origin, t->fps.n, t->count);
        t->n_with_dominant += d->dominant != OG_NO_DOC;
        eval->n_shingles += t->fps.n;
        if (eval->options.on_progress != NULL && doc % 1024 == 0)
            eval->options.on_progress(eval->options.ctx, "finding the truth",
                                      doc, eval->n_docs);
    }
    return OG_OK;
}

static void choose_queries(struct og_eval *eval)
{
    uint64_t wanted = eval->options.n_queries;
    if (wanted == 0) wanted = (eval->n_docs + 4) / 5;
    for (size_t i = eval->n_docs; i-- > 0 && eval->facts.n_queries < wanted;) {
        struct og_eval_doc *doc = &eval->docs[i];
        if (doc->dominant == OG_NO_DOC) continue;
        doc->is_query = true;
        doc->first_truth = eval->n_truth;
        eval->n_truth += doc->n_tokens;
        eval->facts.n_queries++;
    }
}

/* A token is old if a copied shingle covers it. */
static void mark_old(const struct og_eval *eval, uint32_t doc,
                     const uint32_t *origin, uint8_t *old)
{
    const size_t n = og_eval_doc_shingles(eval, &eval->docs[doc]);
    size_t marked = 0;
    for (size_t i = 0; i < n; i++) {
        if (origin[i] == doc) continue;
        size_t from = i > marked ? i : marked;
        marked = i + eval->key.shingle_len;
        for (; from < marked; from++)
            old[from] = 1;
    }
}

static og_status keep_query_truth(struct truth *t, og_error *err)
{
    struct og_eval *eval = t->eval;
    eval->truth = og_allocate_zero(NULL, eval->n_truth * sizeof(*eval->truth));
    eval->old = og_allocate_zero(NULL, eval->n_truth);
    if (eval->truth == NULL || eval->old == NULL)
        return og_error_memory(err, eval->n_truth * 5, "the truth");
    uint64_t n_own = 0;
    for (uint32_t doc = 0; doc < eval->n_docs; doc++) {
        const struct og_eval_doc *d = &eval->docs[doc];
        if (!d->is_query) continue;
        const uint32_t *origin = t->origin + d->first_token;
        memcpy(eval->truth + d->first_truth, origin,
               d->n_tokens * sizeof(*origin));
        mark_old(eval, doc, origin, eval->old + d->first_truth);
        n_own += d->dominant == doc;
    }
    uint64_t n_old = 0;
    for (size_t i = 0; i < eval->n_truth; i++)
        n_old += eval->old[i];
    eval->facts.fresh = 1 - (double)n_old / (double)eval->n_truth;
    eval->facts.own_dominant = (double)n_own / (double)eval->facts.n_queries;
    return OG_OK;
}

static void fill_facts(const struct truth *t)
{
    og_eval_facts *f = &t->eval->facts;
    const uint64_t n_shingles = t->eval->n_shingles;
    f->n_documents = t->eval->n_docs;
    f->n_shingles = n_shingles;
    f->with_dominant = (double)t->n_with_dominant / (double)t->eval->n_docs;
    f->copied = n_shingles > 0 ? (double)t->n_copied / (double)n_shingles : 0;
    f->block_tokens =
        t->n_blocks > 0 ? (double)t->n_block_tokens / (double)t->n_blocks : 0;
}

static og_status find_truth(struct truth *t, og_error *err)
{
    const size_t n_docs = t->eval->n_docs;
    const size_t n_hash = t->eval->n_hash;
    t->origin = og_allocate_zero(NULL, n_hash * sizeof(*t->origin));
    t->count = og_allocate_zero(NULL, n_docs * sizeof(*t->count));
    if (t->origin == NULL || t->count == NULL)
        return og_error_memory(err, n_hash * sizeof(*t->origin), "origins");
    TRY(holders_init(&t->holders, n_hash, err));
    TRY(find_all_origins(t, err));
    fill_facts(t);
    choose_queries(t->eval);
    if (t->eval->facts.n_queries == 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "no document of the stream has a dominant origin: "
                            "there is nothing to ask");
    return keep_query_truth(t, err);
}

og_status og_eval_find_truth(struct og_eval *eval, og_error *err)
{
    struct truth t = {.eval = eval};
    og_fps_init(&t.fps, NULL);
    const og_status status = find_truth(&t, err);
    og_pages_release(&t.holders.pages);
    og_fps_release(&t.fps);
    og_release(NULL, t.origin, 0);
    og_release(NULL, t.count, 0);
    return status;
}
