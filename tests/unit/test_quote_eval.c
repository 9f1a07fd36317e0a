/* The experiments of the qSign paper on a made stream whose truth is known. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/evaluation.h"
#include "eval/measure/quote_eval.h"
#include "lib/base/bits.h"
#include "tests/unit/input_support.h"

static og_error err;
#define OK(expr)                                                               \
    do {                                                                       \
        const og_status ok_ = (expr);                                          \
        if (ok_ != OG_OK) fail_msg("%s", err.message);                         \
    } while (0)

static char path_a[] = "/tmp/origo-eval-a-XXXXXX";
static char path_b[] = "/tmp/origo-eval-b-XXXXXX";

/* A line of 8 words; every third is an earlier one with a word changed. */
static void write_stream(FILE *file)
{
    static char lines[2000][160];
    uint64_t random = 1;
    for (unsigned i = 0; i < 2000; i++) {
        char *at = lines[i];
        const unsigned from =
            i < 3 ? 0 : (unsigned)(og_random_next(&random) % i);
        if (i % 3 == 2) {
            strcpy(at, lines[from]);
            at[1] = (char)('0' + i % 10);
        } else {
            for (unsigned w = 0; w < 8; w++)
                at += sprintf(
                    at, "%s%llu", w == 0 ? "W" : " w",
                    (unsigned long long)(og_random_next(&random) % 100000));
        }
        fprintf(file, "{\"id\":\"%u\",\"text\":\"%s.\"}\n", i, lines[i]);
    }
}

static int make_files(void **state)
{
    (void)state;
    const int a = mkstemp(path_a), b = mkstemp(path_b);
    if (a < 0 || b < 0) return 1;
    FILE *file = fdopen(a, "w");
    write_stream(file);
    fclose(file);
    file = fdopen(b, "w");
    fprintf(file, "{\"id\":\"0\",\"text\":\"nothing of it\"}\n");
    write_stream(file);
    fclose(file);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    return unlink(path_a) | unlink(path_b);
}

static void experiments(void **state)
{
    (void)state;
    og_quote_eval *eval;
    og_quote_eval_options o = og_quote_eval_options_default();
    const char *paths[] = {path_a};
    o.n_questions = 150;
    OK(og_quote_eval_open(FILES(paths, 1), &o, &eval, &err));
    og_quote_eval_facts facts;
    og_quote_eval_facts_get(eval, &facts);
    assert_int_equal(facts.n_documents, 1800);
    assert_int_equal(facts.n_questions, 150);
    assert_true(facts.n_checked >= 15);
    uint64_t n_pairs = 0;
    for (unsigned i = 0; i < OG_QUOTE_BANDS; i++)
        n_pairs += facts.n_pairs[i];
    assert_true(n_pairs >= 50); /* a third of the questions, at least */
    for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++)
        assert_true(facts.growth[i].seconds[0] > 0 &&
                    facts.growth[i].n_sentences == 360 * (i + 1));
    const uint32_t bits[] = {16, 32, 64, 128};
    for (unsigned i = 0; i < 4; i++) {
        og_quote_recall r;
        OK(og_quote_eval_recall(eval, bits[i], 0, &r, &err));
        for (unsigned d = 0; d <= 5; d++) {
            /* What the search finds is what counting pair by pair finds. */
            og_quote_timing t;
            const og_quote_way way = {
                .kind = OG_WAY_QSIGN, .n_bits = bits[i], .distance = d};
            OK(og_quote_eval_time(eval, &way, &t, &err));
            assert_true(t.recall > r.total[d] - 1e-9 &&
                        t.recall < r.total[d] + 1e-9);
            if (d != 0) assert_true(r.total[d] >= r.total[d - 1]);
            assert_true(r.predicted[0][d] >= r.predicted_both[0][d]);
        }
    }
    for (unsigned i = 5; i < 10; i++) {
        og_quote_timing exact, inverted;
        const og_quote_way ways[] = {
            {.kind = OG_WAY_EXACT, .threshold = 0.1 * i},
            {.kind = OG_WAY_INVERTED, .threshold = 0.1 * i}};
        OK(og_quote_eval_time(eval, &ways[0], &exact, &err));
        OK(og_quote_eval_time(eval, &ways[1], &inverted, &err));
        if (i == 5) assert_true(exact.recall == 1 && inverted.recall == 1);
        if (i <= 7) assert_true(exact.recall_70 == 1);
        assert_true(inverted.recall >= exact.recall - 1e-9);
    }
    og_quote_eval_close(eval);
}

static void aligned(void **state)
{
    (void)state;
    og_aligned_result r;
    OK(og_quote_eval_aligned(path_a, path_b, 0.5, &r, &err));
    assert_int_equal(r.n_pairs, 2000);
    assert_int_equal(r.n_found, 2000);
    assert_int_equal(r.n_first, 2000);
    assert_int_equal(og_quote_eval_aligned("/no/such", path_b, 0.5, &r, &err),
                     OG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments),
        cmocka_unit_test(aligned),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
