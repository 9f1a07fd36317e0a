/* The similarity that samples estimate: what agrees by chance, one sample in
 * 256, is taken off. */

#include "tests/unit/stage_support.h"

#include <math.h>
#include <stdio.h>

#include "lib/near/near_engine.h"

enum { N_WORDS = 400, N_SAMPLES = 112 };

/* Words of which every `every`-th is another one. */
static char *make_text(unsigned every, char *out)
{
    char *at = out;
    for (unsigned i = 0; i < N_WORDS; i++)
        at += sprintf(at, "%s%u ",
                      i % every == 0 && every < N_WORDS ? "x" : "w", i);
    return out;
}

static og_status name_it(void *ctx, uint32_t number, og_near_match *match,
                         bool *out_is_reported, og_error *err)
{
    (void)ctx, (void)number, (void)match, (void)err;
    *out_is_reported = true;
    return OG_OK;
}

/* An index without texts can only estimate. With n of 112 samples equal the
 * estimate is (n / 112 - 1/256) / (1 - 1/256). */
static void chance_is_taken_off(void **state)
{
    const struct og_near_place place = {.is_writable = true, .is_new = true};
    const og_near_query query = {.threshold = 0.3};
    const struct og_near_scope scope = {.name = name_it};
    const og_near_match *found;
    og_near_options options = og_near_options_default();
    char text[8000];
    unsigned n_between = 0;
    og_near *near;
    size_t n;
    (void)state;
    options.memory = 1 << 20;
    options.shingle_len = 1;
    assert_int_equal(options.n_bands * options.n_rows, N_SAMPLES);
    assert_int_equal(og_near_open(&place, &options, &near, NULL), OG_OK);
    make_text(N_WORDS, text);
    assert_int_equal(og_near_add(near, 0, (og_bytes){text, strlen(text)}, NULL),
                     OG_OK);
    for (unsigned every = 8; every <= 64; every *= 2) {
        make_text(every, text);
        assert_int_equal(og_near_find(near, NULL,
                                      (og_bytes){text, strlen(text)}, &query,
                                      &scope, &found, &n, NULL),
                         OG_OK);
        if (n == 0) continue; /* no band was equal */
        assert_int_equal(n, 1);
        assert_false(found[0].is_exact);
        const double share = found[0].similarity * 255 / 256 + 1.0 / 256;
        const double n_equal = round(share * N_SAMPLES);
        assert_true(fabs(share * N_SAMPLES - n_equal) < 1e-9);
        n_between += n_equal < N_SAMPLES;
    }
    assert_true(n_between > 0);
    og_near_close(near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
