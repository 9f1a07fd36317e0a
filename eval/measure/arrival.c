/* The order in which the documents of a stream arrive.
 *
 * Times decide what is an origin, so documents may come late. How much does
 * that cost? The documents before the first query (the history) arrive in
 * another order here; the queries follow in order of time, each is queried and
 * then added. So the scores measure the same as always, and only the order in
 * which the table was filled differs. */

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"
#include "lib/base/bits.h"

static uint32_t history_len(const struct og_eval *eval)
{
    uint32_t n = 0;
    while (n < eval->n_docs && !eval->docs[n].is_query)
        n++;
    return n;
}

static void swap(uint32_t *list, uint32_t a, uint32_t b)
{
    const uint32_t kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

og_status og_eval_set_arrival(struct og_eval *eval, og_error *err)
{
    const size_t len = eval->n_docs * sizeof(*eval->arrival);
    eval->arrival = og_allocate(NULL, len);
    if (eval->arrival == NULL) return og_error_memory(err, len, "a stream");
    const uint32_t n = history_len(eval);
    for (uint32_t i = 0; i < eval->n_docs; i++)
        eval->arrival[i] = i;
    switch (eval->options.order) {
    case OG_ORDER_RIGHT: break;
    case OG_ORDER_REVERSE:
        for (uint32_t i = 0; i < n / 2; i++)
            swap(eval->arrival, i, n - 1 - i);
        break;
    case OG_ORDER_RANDOM: /* the same at every run */
        for (uint32_t i = n; i > 1; i--)
            swap(eval->arrival, i - 1, (uint32_t)og_mul_high(og_mix64(i), i));
        break;
    }
    return OG_OK;
}
