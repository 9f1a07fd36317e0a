/* What cuts promise: an edit moves only the cuts near it; lengths have the
 * mean that was derived, on random data; a window without a zero lead is as
 * rare as the book says. */

#include <math.h>

#include "tests/property/plain_cut.h"

static const og_cut_kind kinds[] = {OG_CUT_GEAR, OG_CUT_WINNOW,
                                    OG_CUT_WINNOW_FAST};

static void cut(const uint8_t *data, size_t len, const og_cut_options *o,
                struct og_cuts *cuts)
{
    og_error err;
    assert_int_equal(og_cut_all(data, len, o, cuts, &err), OG_OK);
}

/* ---- edits ---- */

static bool has_end(const struct og_cuts *cuts, uint64_t end)
{
    size_t low = 0, high = cuts->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (cuts->end[mid] < end)
            low = mid + 1;
        else
            high = mid;
    }
    return low < cuts->n && cuts->end[low] == end;
}

/* How far after `place` the cuts of `a` resume as cuts of `b`, `shift` bytes
 * later; all of them. */
static uint64_t meets_after(const struct og_cuts *a, const struct og_cuts *b,
                            uint64_t place, int64_t shift)
{
    size_t i = a->n;
    while (i > 0 && a->end[i - 1] > place &&
           has_end(b, (uint64_t)((int64_t)a->end[i - 1] + shift)))
        i--;
    return i < a->n ? a->end[i] - place : UINT64_MAX;
}

/* Inserts a byte. Cuts before it are unchanged: a cut is determined by the
 * `need` bytes after its chunk's beginning, so all chunks that begin that far
 * before the edit are the same. After it the two chunkings meet; how soon is
 * random, but 20 chunks without a meeting have a probability below 1 in
 * 10^6. */
static void check_insertion(const uint8_t *data, size_t len, size_t place,
                            const og_cut_options *o)
{
    uint8_t *edited = malloc(len + 1);
    struct og_cuts before, after;
    og_cuts_init(&before, NULL);
    og_cuts_init(&after, NULL);
    memcpy(edited, data, place);
    edited[place] = 'x';
    memcpy(edited + place + 1, data + place, len - place);
    cut(data, len, o, &before);
    cut(edited, len + 1, o, &after);
    for (size_t i = 0; i < before.n; i++) {
        const uint64_t begin = i == 0 ? 0 : before.end[i - 1];
        if (begin + og_cut_need(o) > place) break;
        assert_int_equal(after.end[i], before.end[i]);
    }
    assert_true(meets_after(&before, &after, place, 1) <
                (uint64_t)20 * o->average_len);
    og_cuts_release(&before);
    og_cuts_release(&after);
    free(edited);
}

static void an_insertion_moves_only_cuts_near_it(void **state)
{
    (void)state;
    enum { LEN = 400000 };
    static uint8_t data[LEN];
    uint64_t random = 9;
    plain_fill(data, LEN, DATA_RANDOM, 3);
    for (size_t k = 0; k < LENGTH(kinds); k++) {
        const og_cut_options o = og_cut_options_default(kinds[k], 1024);
        check_insertion(data, LEN, 0, &o);
        check_insertion(data, LEN, LEN / 2, &o);
        for (int i = 0; i < 60; i++)
            check_insertion(data, LEN, og_random_next(&random) % (LEN / 2), &o);
    }
}

/* ---- lengths ---- */

static double mean_len(const uint8_t *data, size_t len, const og_cut_options *o)
{
    struct og_cuts cuts;
    og_cuts_init(&cuts, NULL);
    cut(data, len, o, &cuts);
    assert_true(cuts.n > 2);
    const double mean = (double)cuts.end[cuts.n - 2] / (double)(cuts.n - 1);
    og_cuts_release(&cuts);
    return mean;
}

/* Lengths spread by less than the average, so n chunks have a mean within
 * 4 / sqrt(n) of it with certainty enough; the derivations (cut.c, cut_gear.c)
 * are good for 1.5 % more. */
static void the_mean_is_what_was_derived(void **state)
{
    (void)state;
    const size_t len = (size_t)24 << 20;
    static const struct {
        uint32_t min, average, max;
    } lengths[] = {{256, 1024, 0},  {64, 1024, 0},     {512, 1024, 0},
                   {900, 1024, 0},  {2048, 8192, 0},   {256, 1024, 65536},
                   {64, 700, 4000}, {1024, 4096, 8192}};
    uint8_t *data = malloc(len);
    assert_non_null(data);
    plain_fill(data, len, DATA_RANDOM, 8);
    for (size_t k = 0; k < LENGTH(kinds); k++)
        for (size_t i = 0; i < LENGTH(lengths); i++) {
            og_cut_options o = {kinds[k], lengths[i].min, lengths[i].average,
                                lengths[i].max};
            if (o.max_len == 0)
                o.max_len = o.kind == OG_CUT_GEAR ? 4 * o.average_len
                                                  : og_cut_reach(&o);
            const double mean = mean_len(data, len, &o);
            const double n = (double)len / mean;
            const double off = mean / o.average_len - 1;
            if (fabs(off) > 0.015 + 4 / sqrt(n))
                fail_msg("%s %u/%u: a mean of %.1f", og_cut_kind_name(o.kind),
                         o.min_len, o.average_len, mean);
        }
    free(data);
}

/* The derivation of og_cut_reach() is based on a table of means; this tests the
 * rule itself on generated values, without bytes and fingerprints. */
static double mean_of_values(uint32_t min, uint32_t window)
{
    enum { N = 1 << 22 };
    uint64_t *values = malloc(N * sizeof(*values));
    uint64_t random = 12;
    size_t begin = 0, n = 0;
    assert_non_null(values);
    for (size_t i = 0; i < N; i++)
        values[i] = og_random_next(&random);
    for (; begin + min + window < N; n++) {
        size_t end = begin + min;
        for (size_t i = end + 1; i <= begin + min + window; i++)
            if (values[i] <= values[end]) end = i;
        begin = end;
    }
    free(values);
    return ((double)begin / (double)n - min) / window;
}

static void the_table_of_means_holds(void **state)
{
    (void)state;
    static const struct {
        double ratio, mean;
    } table[] = {{0, .5730},  {.125, .5602}, {.25, .5475}, {1. / 3, .5392},
                 {.5, .5240}, {.75, .5069},  {1, .5000}};
    for (size_t i = 0; i < LENGTH(table); i++) {
        /* A chunk has at least one byte. */
        const uint32_t min = (uint32_t)(table[i].ratio * 240);
        const double mean = mean_of_values(min > 0 ? min : 1, 240);
        assert_true(fabs(mean - table[i].mean) < .012);
    }
}

/* ---- leads ---- */

/* (255/256)^1024 of all windows of 1,024 places have no zero lead: 1 in 55. */
static void zero_leads_are_as_rare_as_the_book_says(void **state)
{
    (void)state;
    enum { LEN = 1 << 23, WINDOW = 1024 };
    static uint32_t places[LEN];
    uint8_t *data = malloc(LEN + 32);
    assert_non_null(data);
    plain_fill(data, LEN + 32, DATA_RANDOM, 6);
    const size_t n = og_gear_scan(data + 32, LEN, 1u << 24, places);
    size_t n_without = 0, next = 0;
    for (size_t begin = 0; begin + WINDOW <= LEN; begin += WINDOW) {
        while (next < n && places[next] <= begin)
            next++;
        n_without += next == n || places[next] > begin + WINDOW;
    }
    /* 149 of 8,192 expected; 4.5 standard deviations are 55. */
    assert_in_range(n_without, 94, 204);
    assert_in_range(n, LEN / 256 - 820, LEN / 256 + 820);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_insertion_moves_only_cuts_near_it),
        cmocka_unit_test(the_mean_is_what_was_derived),
        cmocka_unit_test(the_table_of_means_holds),
        cmocka_unit_test(zero_leads_are_as_rare_as_the_book_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
