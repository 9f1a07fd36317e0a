/* Counters of fixed number, against counts of everything. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/phrases/phrase_counter.h"

static const struct og_phrase_count *find(const struct og_phrase_counter *c,
                                          uint64_t fp)
{
    for (size_t i = 0; i < c->n_buckets * OG_PHRASE_BUCKET; i++)
        if (c->counts[i].n != 0 && c->counts[i].fp == fp) return &c->counts[i];
    return NULL;
}

static void test_counts_are_never_too_small(void **state)
{
    (void)state;
    enum { N_DOCS = 500, N_COMMON = 20, N_RARE = 50 };
    struct og_phrase_counter counter;
    uint64_t random = 7;
    og_error err;
    assert_int_equal(og_phrase_counter_init(&counter, 16 << 10, &err), OG_OK);
    for (uint32_t doc = 1; doc <= N_DOCS; doc++) {
        for (uint64_t i = 0; i < N_COMMON; i++)
            if (doc % (i + 1) == 0) og_phrase_counter_add(&counter, i + 1, doc);
        for (int i = 0; i < N_RARE; i++)
            og_phrase_counter_add(&counter, og_random_next(&random), doc);
    }
    assert_true(counter.complete_above > 0);
    for (uint64_t i = 0; i < N_COMMON; i++) {
        const uint32_t true_n = N_DOCS / ((uint32_t)i + 1);
        uint32_t n = 0;
        for (size_t j = 0; j < counter.n_buckets * OG_PHRASE_BUCKET; j++)
            if (counter.counts[j].n != 0 && counter.counts[j].fp == i + 1)
                n = counter.counts[j].n;
        if (true_n > counter.complete_above) assert_true(n >= true_n);
        if (n != 0) assert_true(n <= true_n + counter.complete_above);
    }
    og_phrase_counter_release(&counter);
}

/* Each document once, however often it says so. */
static void test_a_document_counts_once(void **state)
{
    (void)state;
    struct og_phrase_counter c;
    assert_int_equal(og_phrase_counter_init(&c, 1 << 16, NULL), OG_OK);
    for (uint32_t doc = 1; doc <= 9; doc++)
        for (uint64_t fp = doc; fp <= 9; fp++)
            for (int again = 0; again < 3; again++)
                og_phrase_counter_add(&c, fp, doc);
    assert_int_equal(c.complete_above, 0);
    for (uint64_t fp = 1; fp <= 9; fp++) {
        assert_int_equal(find(&c, fp)->n, fp);
        assert_int_equal(find(&c, fp)->last, fp);
    }
    assert_null(find(&c, 10));
    og_phrase_counter_release(&c);
}

/* One bucket: the ninth takes over the smallest, with its count. */
static void test_the_smallest_is_taken_over(void **state)
{
    (void)state;
    struct og_phrase_counter c;
    assert_int_equal(og_phrase_counter_init(&c, 1, NULL), OG_OK);
    assert_int_equal(c.n_buckets, 1);
    for (uint64_t fp = 1; fp <= OG_PHRASE_BUCKET; fp++)
        for (uint32_t doc = 1; doc <= 10 + fp % 8; doc++)
            og_phrase_counter_add(&c, fp, doc);
    assert_int_equal(c.complete_above, 0);
    assert_int_equal(find(&c, 8)->n, 10);
    og_phrase_counter_add(&c, 99, 100);
    assert_null(find(&c, 8));
    assert_int_equal(find(&c, 99)->n, 11);
    assert_int_equal(find(&c, 99)->last, 100);
    assert_int_equal(c.complete_above, 10);
    og_phrase_counter_add(&c, 98,
                          101); /* 99 and 1 have 11: the first of them */
    assert_int_equal(c.complete_above, 11);
    assert_null(find(&c, 1));
    assert_int_equal(find(&c, 98)->n, 12);
    for (uint64_t fp = 2; fp <= 7; fp++)
        assert_int_equal(find(&c, fp)->n, 10 + fp);
    og_phrase_counter_release(&c);
    assert_null(c.counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_never_too_small),
        cmocka_unit_test(test_a_document_counts_once),
        cmocka_unit_test(test_the_smallest_is_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
