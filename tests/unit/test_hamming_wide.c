/* Codes of 128 bits against a plain list: in memory and on disk, with heaps so
 * small that halves are merged all the time; and what an index of one width
 * refuses of the other. */

#include "tests/unit/code_support.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/hamming/hamming.h"

enum { CODES = 60, IDS = 8 };
static og_wide_code code_of[CODES];
static bool is_there[CODES][IDS];

static og_bytes id_of(size_t i, char out[16])
{
    const int n = snprintf(out, 16, "id-%zu", i);
    return (og_bytes){out, (size_t)n};
}

static og_wide_code flip_wide(og_wide_code code, unsigned n, uint64_t *seed)
{
    for (; n != 0; n--) {
        const unsigned bit = og_random_next(seed) & 127;
        uint64_t *half = bit < 64 ? &code.low : &code.high;
        *half ^= UINT64_C(1) << (bit & 63);
    }
    return code;
}

/* Groups of near codes; every third group has one upper half, which is also
 * the lower half of others: sides must not be mixed up. */
static void start_codes(uint64_t *seed)
{
    const uint64_t shared = og_random_next(seed);
    memset(is_there, 0, sizeof(is_there));
    for (size_t i = 0; i < CODES; i++) {
        if (i % 6 != 0) {
            code_of[i] = flip_wide(code_of[i - 1], 1, seed);
            code_of[i].low ^= UINT64_C(1) << (i & 63);
            continue;
        }
        code_of[i] = (og_wide_code){og_random_next(seed), og_random_next(seed)};
        if (i % 18 == 0) code_of[i].high = shared;
        if (i % 18 == 6) code_of[i].low = shared;
    }
    for (size_t i = 0; i < CODES; i++) /* all different */
        for (size_t j = 0; j < i; j++)
            if (og_wide_distance(code_of[i], code_of[j]) == 0)
                code_of[i].high = og_random_next(seed);
}

struct seen {
    og_wide_code asked, before;
    char id_before[16];
    uint64_t n, sum, n_most;
};

static uint64_t mix_pair(og_wide_code code, uint64_t id)
{
    return og_mix64(code.high ^ og_mix64(code.low ^ og_mix64(id)));
}

static bool see(void *ctx, const og_hamming_match *m)
{
    struct seen *s = ctx;
    const og_wide_code code = {m->code_high, m->code};
    char id[16] = {0};
    memcpy(id, m->id.data, m->id.len);
    assert_int_equal(m->distance, distance_of(code.high, s->asked.high) +
                                      distance_of(code.low, s->asked.low));
    if (s->n != 0) { /* by code, then by id */
        const bool same = og_wide_distance(code, s->before) == 0;
        assert_true(same ? strcmp(s->id_before, id) < 0
                         : s->before.high < code.high ||
                               (s->before.high == code.high &&
                                s->before.low < code.low));
    }
    memcpy(s->id_before, id, sizeof(id));
    s->before = code;
    s->sum += mix_pair(code, strtoull(id + 3, NULL, 10));
    return ++s->n != s->n_most;
}

static void compare(og_hamming *h, og_wide_code asked, unsigned k)
{
    struct seen seen = {.asked = asked};
    uint64_t n = 0, sum = 0;
    og_error err;
    for (size_t c = 0; c < CODES; c++)
        for (size_t i = 0; i < IDS; i++)
            if (is_there[c][i] && og_wide_distance(code_of[c], asked) <= k) {
                n++;
                sum += mix_pair(code_of[c], i);
            }
    assert_int_equal(og_hamming_ask_wide(h, asked, k, &seen, see, &err), OG_OK);
    assert_int_equal(seen.n, n);
    assert_true(seen.sum == sum);
    if (n < 2) return;
    struct seen first = {.asked = asked, .n_most = 1};
    assert_int_equal(og_hamming_ask_wide(h, asked, k, &first, see, &err),
                     OG_OK);
    assert_int_equal(first.n, 1);
}

static void change(og_hamming *h, uint64_t *seed)
{
    char text[16];
    const size_t c = og_random_next(seed) % CODES;
    const size_t i = og_random_next(seed) % IDS;
    const bool adds = og_random_next(seed) % 3 != 0;
    og_error err;
    is_there[c][i] = adds;
    assert_int_equal((adds ? og_hamming_add_wide : og_hamming_remove_wide)(
                         h, code_of[c], id_of(i, text), &err),
                     OG_OK);
}

static og_hamming_options wide_options(unsigned k, uint32_t n_waiting)
{
    og_hamming_options options = og_hamming_options_default();
    options.n_bits = 128;
    options.max_distance = k;
    options.n_waiting = n_waiting;
    return options;
}

static void answers_follow_every_change(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (unsigned k = 0; k <= 128; k = k < 8 ? k + 1 : k * 2) {
        const og_hamming_options options = wide_options(k, 1 + 7 * k);
        og_hamming *h;
        assert_int_equal(
            og_hamming_open(":memory:", OG_CREATE, &options, &h, NULL), OG_OK);
        start_codes(&seed);
        for (int i = 0; i < 600; i++) {
            change(h, &seed);
            if (i % 5 == 0)
                compare(h,
                        flip_wide(code_of[i % CODES], (unsigned)i % 8, &seed),
                        i % 2 == 0 ? k : k / 2);
        }
        assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    }
}

static void answers_survive_on_disk(void **state)
{
    (void)state;
    char folder[64];
    uint64_t seed = 43;
    og_hamming_options options = wide_options(6, 16);
    og_hamming *h, *reader;
    og_hamming_info info;
    og_error err;
    snprintf(folder, sizeof(folder), "wide-test-%d", (int)getpid());
    options.buffer = 4096;
    assert_int_equal(og_hamming_open(folder, OG_CREATE, &options, &h, &err),
                     OG_OK);
    start_codes(&seed);
    for (int i = 0; i < 800; i++) {
        change(h, &seed);
        if (i % 100 != 99) continue;
        assert_int_equal(og_hamming_commit(h, &err), OG_OK);
        assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &reader, &err),
                         OG_OK);
        og_hamming_info_get(reader, &info);
        assert_int_equal(info.n_bits, 128);
        assert_int_equal(info.max_distance, 6);
        for (size_t c = 0; c < CODES; c++)
            compare(reader, flip_wide(code_of[c], 3, &seed), 6);
        assert_int_equal(og_hamming_close(reader, NULL), OG_OK);
    }
    og_hamming_delete(h);
    assert_int_not_equal(access(folder, F_OK), 0);
}

static void the_other_width_is_refused(void **state)
{
    (void)state;
    og_hamming_options options = wide_options(3, 16);
    struct seen seen = {.asked = {0, 1}};
    og_hamming *h;
    og_error err;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_OK);
    assert_int_equal(og_hamming_add(h, 1, (og_bytes){"a", 1}, &err),
                     OG_ERR_USAGE);
    assert_string_equal(err.message,
                        "a code of 64 bits, the index has codes of 128");
    assert_int_equal(og_hamming_ask(h, 1, 3, &seen, see, &err), OG_ERR_USAGE);
    assert_string_equal(err.message,
                        "the index was made for 128 bits and distance 3, asked "
                        "for 64 bits and distance 3");
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    options.n_bits = 64;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_OK);
    assert_int_equal(
        og_hamming_add_wide(h, (og_wide_code){1, 1}, (og_bytes){"a", 1}, &err),
        OG_ERR_USAGE);
    assert_int_equal(
        og_hamming_add_wide(h, (og_wide_code){0, 1}, (og_bytes){"a", 1}, &err),
        OG_OK);
    assert_int_equal(
        og_hamming_ask_wide(h, (og_wide_code){0, 1}, 0, &seen, see, &err),
        OG_OK);
    assert_int_equal(seen.n, 1);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    options.n_bits = 96;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_ERR_USAGE);
    options.n_bits = 128;
    options.max_distance = 129;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_ERR_USAGE);
}

/* A whole code a hundred thousand times, and a half as often. */
static void repeats_cost_their_number(void **state)
{
    (void)state;
    enum { N = 100000 };
    const og_hamming_options options = wide_options(3, 4096);
    struct seen seen = {0};
    og_hamming *h;
    og_error err;
    char text[16];
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_OK);
    for (size_t i = 0; i < N; i++) {
        const og_wide_code code = {7, i % 2 == 0 ? 9 : og_mix64(i)};
        const int n = snprintf(text, sizeof(text), "id-%06zu", i);
        assert_int_equal(
            og_hamming_add_wide(h, code, (og_bytes){text, (size_t)n}, &err),
            OG_OK);
    }
    seen.asked = (og_wide_code){7, 8};
    assert_int_equal(og_hamming_ask_wide(h, seen.asked, 3, &seen, see, &err),
                     OG_OK);
    assert_int_equal(seen.n, N / 2);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_follow_every_change),
        cmocka_unit_test(answers_survive_on_disk),
        cmocka_unit_test(the_other_width_is_refused),
        cmocka_unit_test(repeats_cost_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
