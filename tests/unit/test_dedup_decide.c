/* Which documents are similar enough: those at the threshold are, those just
 * below it are not, by both measures; and which of them is kept. */

#include "tests/unit/stage_support.h"

#include <origo/origo.h>
#include <string.h>

struct collection {
    const char *const *texts;
    size_t n, at;
    unsigned removed; /* bit i: document i is removed */
};

static og_status next(void *ctx, og_document *out, og_error *err)
{
    struct collection *c = ctx;
    (void)err;
    if (c->at == c->n) return OG_END;
    out->text = (og_bytes){c->texts[c->at], strlen(c->texts[c->at])};
    c->at++;
    return OG_OK;
}

static og_status again(void *ctx, og_error *err)
{
    struct collection *c = ctx;
    (void)err;
    c->at = 0;
    return OG_OK;
}

static bool on_decision(void *ctx, const og_dedup_decision *d)
{
    struct collection *c = ctx;
    if (!d->is_kept) c->removed |= 1u << d->number;
    return true;
}

/* Single words as shingles, and a band for each sample: all pairs that share a
 * fifth of their words are compared. */
static unsigned removed(const char *const *texts, size_t n,
                        og_measure_kind measure, double threshold)
{
    struct collection c = {.texts = texts, .n = n};
    og_dedup_options o = og_dedup_options_default();
    og_input input = og_input_default();
    og_error err;
    o.shingle_len = 1;
    o.n_bands = 128;
    o.n_rows = 1;
    o.measure = measure;
    o.threshold = threshold;
    o.output = NULL;
    o.ctx = &c;
    o.on_decision = on_decision;
    input.ctx = &c;
    input.next = next;
    input.rewind = again;
    assert_int_equal(og_dedup_run(&input, &o, NULL, &err), OG_OK);
    return c.removed;
}

/* Four words of five in common: 4/5 is 0.8, to the last bit. */
static void at_the_threshold(void **state)
{
    const char *const texts[] = {"a b c d", "a b c d e"};
    (void)state;
    assert_int_equal(removed(texts, 2, OG_MEASURE_JACCARD, 0.8), 1u << 1);
    assert_int_equal(removed(texts, 2, OG_MEASURE_JACCARD, 0.8000001), 0);
    assert_int_equal(removed(texts, 2, OG_MEASURE_JACCARD, 0.5), 1u << 1);
}

static void by_containment(void **state)
{
    const char *const texts[] = {"a b c d", "a b c x y z u v w", "a b c d e f"};
    (void)state;
    /* 3 of 4, and all 4. */
    assert_int_equal(removed(texts, 3, OG_MEASURE_CONTAINMENT, 0.75),
                     1u << 1 | 1u << 2);
    assert_int_equal(removed(texts, 3, OG_MEASURE_CONTAINMENT, 0.76), 1u << 2);
    assert_int_equal(removed(texts, 3, OG_MEASURE_CONTAINMENT, 1), 1u << 2);
}

/* Equal documents at the highest threshold there is. */
static void copies(void **state)
{
    const char *const texts[] = {"a b c", "c b a x", "a b c", "a b c"};
    (void)state;
    assert_int_equal(removed(texts, 4, OG_MEASURE_JACCARD, 1),
                     1u << 2 | 1u << 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_threshold),
        cmocka_unit_test(by_containment),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
