/* How similar are every two documents? Exactly, by an inverted index: for each
 * document, the lists of its shingles show which earlier ones contain them, and
 * one counter per earlier document adds up what they have in common. No pair is
 * missed, and none is examined that has nothing in common.
 *
 * The index is built in parts, by the highest bits of the shingles, so that it
 * stays small: documents keep their shingles sorted, and a part is a range of
 * each. */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/near.h"
#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

og_near_eval_options og_near_eval_options_default(void)
{
    return (og_near_eval_options){.max_documents = 5000,
                                  .shingle_len = 5,
                                  .min_tokens = 45,
                                  .duplicate = 0.8};
}

#define PART_BITS 6

/* Lists of documents by shingle: an open hash table of shingles, each with the
 * last entry of its list; entries are linked backwards. */
struct index {
    uint64_t *key;  /* 0: free */
    uint32_t *last; /* entry + 1 */
    size_t n_slots;
    uint32_t *doc, *before; /* by entry */
    size_t n, cap, before_cap;
    size_t *at; /* how far each document was processed */
};

static og_status index_init(struct index *index, const struct og_near_eval *e,
                            size_t n_most, og_error *err)
{
    memset(index, 0, sizeof(*index));
    index->n_slots = 1024;
    while (index->n_slots < 2 * n_most)
        index->n_slots *= 2;
    index->key = malloc(index->n_slots * sizeof(*index->key));
    index->last = malloc(index->n_slots * sizeof(*index->last));
    index->at = calloc(e->n_docs, sizeof(*index->at));
    if (index->key != NULL && index->last != NULL && index->at != NULL &&
        OG_GROW(NULL, index->doc, index->cap, n_most + 1) &&
        OG_GROW(NULL, index->before, index->before_cap, n_most + 1))
        return OG_OK;
    return og_error_memory(err, index->n_slots * 12, "an index of shingles");
}

static void index_release(struct index *index)
{
    free(index->key);
    free(index->last);
    free(index->at);
    OG_UNGROW(NULL, index->doc, index->cap);
    OG_UNGROW(NULL, index->before, index->before_cap);
}

static size_t part_of(uint64_t shingle)
{
    return (size_t)(shingle >> (64 - PART_BITS));
}

/* The most shingles, with repetitions, of one part. */
static size_t largest_part(const struct og_near_eval *e)
{
    size_t n_of[1 << PART_BITS] = {0}, most = 0;
    for (size_t i = 0; i < e->n_docs; i++)
        for (size_t j = 0; j < e->docs[i].n_shingles; j++)
            n_of[part_of(e->docs[i].shingles[j])]++;
    for (size_t i = 0; i < 1 << PART_BITS; i++)
        if (n_of[i] > most) most = n_of[i];
    return most;
}

static size_t find_slot(const struct index *index, uint64_t shingle)
{
    /* 0 marks free slots; a shingle of 0 is treated as 1, which is just as
     * unlikely to be that of another. */
    const uint64_t key = shingle == 0 ? 1 : shingle;
    size_t at;
    OG_PROBE(at, key, index->n_slots,
             index->key[at] == 0 || index->key[at] == key)
    index->key[at] = key;
    return at;
}

static void count_document(struct index *index, const struct og_near_doc *d,
                           size_t i, size_t part, uint32_t *row)
{
    size_t *at = &index->at[i];
    for (; *at < d->n_shingles && part_of(d->shingles[*at]) == part; ++*at) {
        const size_t slot = find_slot(index, d->shingles[*at]);
        for (uint32_t p = index->last[slot]; p != 0; p = index->before[p - 1])
            row[index->doc[p - 1]]++;
        index->doc[index->n] = (uint32_t)i;
        index->before[index->n] = index->last[slot];
        index->last[slot] = (uint32_t)++index->n;
    }
}

static void count_part(struct index *index, const struct og_near_eval *e,
                       size_t part, uint32_t *common)
{
    index->n = 0;
    memset(index->key, 0, index->n_slots * sizeof(*index->key));
    memset(index->last, 0, index->n_slots * sizeof(*index->last));
    for (size_t i = 0; i < e->n_docs; i++)
        count_document(index, &e->docs[i], i, part, common + i * (i - 1) / 2);
}

/* Converts common counts to similarities, in the same memory. */
static void divide(struct og_near_eval *e, const uint32_t *common)
{
    size_t pair = 0;
    for (size_t i = 0; i < e->n_docs; i++) {
        for (size_t j = 0; j < i; j++, pair++) {
            const double both = common[pair];
            const double all = (double)e->docs[i].n_shingles +
                               (double)e->docs[j].n_shingles - both;
            e->similarity[pair] = (float)(all > 0 ? both / all : 0);
        }
    }
}

static void count_facts(struct og_near_eval *e)
{
    og_near_facts *f = &e->facts;
    *f = (og_near_facts){
        .n_documents = e->n_docs, .n_read = e->n_read, .n_pairs = e->n_pairs};
    for (size_t i = 0; i < e->n_pairs; i++) {
        const float s = e->similarity[i];
        f->n_duplicates += og_near_is_duplicate(e, i);
        for (unsigned t = 0; t < 10; t++)
            f->at_least[t] += s >= (float)(t + 1) / 10;
    }
}

og_status og_near_find_truth(struct og_near_eval *e, og_error *err)
{
    struct index index;
    e->n_pairs = e->n_docs * (e->n_docs - 1) / 2;
    uint32_t *common = calloc(e->n_pairs, sizeof(*common));
    e->similarity = malloc(e->n_pairs * sizeof(*e->similarity));
    og_status status = index_init(&index, e, largest_part(e), err);
    if (common == NULL || e->similarity == NULL)
        status = og_error_memory(err, e->n_pairs * 8, "pairs of documents");
    for (size_t part = 0; status == OG_OK && part < 1 << PART_BITS; part++) {
        count_part(&index, e, part, common);
        if (e->options.on_progress != NULL)
            e->options.on_progress(e->options.ctx, "comparing", part + 1,
                                   1 << PART_BITS);
    }
    if (status == OG_OK) {
        divide(e, common);
        count_facts(e);
    }
    index_release(&index);
    free(common);
    return status;
}

/* ---- the whole ---- */

static og_status check(const og_near_eval_options *o, og_error *err)
{
    if (o->max_documents < 2 || o->max_documents > 30000)
        return og_error_set(err, OG_ERR_USAGE,
                            "documents must be 2 to 30000, not %u",
                            o->max_documents);
    if (!(o->duplicate > 0 && o->duplicate <= 1))
        return og_error_set(err, OG_ERR_USAGE,
                            "the similarity of duplicates must be more than 0 "
                            "and at most 1, not %g",
                            o->duplicate);
    return OG_OK;
}

og_status og_near_eval_open(const og_input *input,
                            const og_near_eval_options *options,
                            og_near_eval **out, og_error *err)
{
    TRY(check(options, err));
    struct og_near_eval *e = calloc(1, sizeof(*e));
    if (e == NULL) return og_error_memory(err, sizeof(*e), "an evaluation");
    e->options = *options;
    og_status status = og_near_read(e, input, err);
    if (status == OG_OK) status = og_near_find_truth(e, err);
    if (status == OG_OK)
        *out = e;
    else
        og_near_eval_close(e);
    return status;
}

void og_near_eval_close(og_near_eval *e)
{
    if (e == NULL) return;
    for (size_t i = 0; i < e->n_docs; i++) {
        free(e->docs[i].bytes);
        free(e->docs[i].shingles);
    }
    OG_UNGROW(NULL, e->docs, e->docs_cap);
    free(e->similarity);
    free(e);
}

void og_near_facts_get(const og_near_eval *e, og_near_facts *out)
{
    *out = e->facts;
}
