/* Every kind, at every level of the machine, on data of all sorts, equals the
 * rule as it is written down, at every cut; and so it does when the data come
 * in pieces of any size. */

#include "tests/property/plain_cut.h"

#include "tests/sanitized.h"

static const og_cut_kind kinds[] = {OG_CUT_GEAR, OG_CUT_WINNOW,
                                    OG_CUT_WINNOW_FAST};

/* Lengths that make many cuts, windows shorter than 256 places (no zero lead
 * in most), and a reach beyond a block of the scan. */
static const struct {
    uint32_t min, average;
} lengths[] = {{64, 128}, {64, 80}, {64, 1000}, {500, 700}, {2048, 8192}};

static og_cut_options options_of(og_cut_kind kind, size_t i)
{
    og_cut_options o = {kind, lengths[i].min, lengths[i].average, 0};
    o.max_len = kind == OG_CUT_GEAR ? 2 * o.average_len : og_cut_reach(&o);
    og_error err;
    assert_int_equal(og_cut_options_check(&o, &err), OG_OK);
    return o;
}

static void check_lengths(const uint8_t *data, size_t len,
                          const og_cut_options *o, const uint64_t *ends,
                          size_t n)
{
    uint64_t begin = 0;
    (void)data;
    for (size_t i = 0; i < n; i++) {
        assert_true(ends[i] - begin <= o->max_len);
        if (i + 1 < n) assert_true(ends[i] - begin >= o->min_len);
        begin = ends[i];
    }
    assert_int_equal(begin, len);
}

/* ---- whole ---- */

static void check_whole(const uint8_t *data, size_t len,
                        const struct plain_hashes *h, const og_cut_options *o)
{
    struct og_cuts cuts;
    og_error err;
    og_cuts_init(&cuts, NULL);
    assert_int_equal(og_cut_all(data, len, o, &cuts, &err), OG_OK);
    check_lengths(data, len, o, cuts.end, cuts.n);
    plain_check(h, len, o, cuts.end, cuts.n);
    og_cuts_release(&cuts);
}

static void check_all_options(const uint8_t *data, size_t len,
                              const struct plain_hashes *h)
{
    for (size_t k = 0; k < LENGTH(kinds); k++)
        for (size_t i = 0; i < LENGTH(lengths); i++) {
            const og_cut_options o = options_of(kinds[k], i);
            check_whole(data, len, h, &o);
        }
}

static void check_level(og_cpu level)
{
    static const size_t lens[] = {
        OG_IF_SANITIZED(80000, 300000), 1, 63, 64, 65, 127, 2000, 66592, 66593};
    for (int kind = 0; kind < N_DATA_KINDS; kind++)
        for (size_t i = 0; i < LENGTH(lens); i++) {
            /* Exact length, for memory checkers. */
            uint8_t *data = malloc(lens[i]);
            assert_non_null(data);
            plain_fill(data, lens[i], (enum data_kind)kind, i + 1);
            struct plain_hashes h = plain_hashes_of(data, lens[i]);
            og_cpu_force(level);
            check_all_options(data, lens[i], &h);
            plain_hashes_free(&h);
            free(data);
        }
    og_cpu_force(OG_CPU_AVX512);
}

static void plain_level_equals_the_rule(void **state)
{
    (void)state;
    check_level(OG_CPU_PLAIN);
}

static void sse_level_equals_the_rule(void **state)
{
    (void)state;
    check_level(OG_CPU_SSE42);
}

static void best_level_equals_the_rule(void **state)
{
    (void)state;
    check_level(OG_CPU_AVX512);
}

/* A length of exactly `reach`, and one less, decide whether the last chunk is
 * cut once more. */
static void the_last_chunk_keeps_to_the_rule(void **state)
{
    (void)state;
    static uint8_t data[4000];
    plain_fill(data, sizeof(data), DATA_RANDOM, 77);
    struct plain_hashes h = plain_hashes_of(data, sizeof(data));
    for (size_t k = 0; k < LENGTH(kinds); k++) {
        const og_cut_options o = options_of(kinds[k], 1);
        for (size_t len = 1; len < sizeof(data); len += 1 + len / 300)
            check_whole(data, len, &h, &o);
    }
    plain_hashes_free(&h);
}

/* ---- in pieces ---- */

static size_t piece_len(size_t how, uint64_t *random)
{
    static const size_t fixed[] = {1, 7, 4096, 65536};
    if (how < LENGTH(fixed)) return fixed[how];
    const uint64_t r = og_random_next(random);
    return r % 3 == 0 ? r / 3 % 10 : r / 3 % 60000;
}

static void check_pieces(const uint8_t *data, size_t len,
                         const struct plain_hashes *h, const og_cut_options *o,
                         size_t how)
{
    struct og_cutter cutter;
    struct og_cuts cuts;
    og_error err;
    uint64_t random = how + 1;
    og_cuts_init(&cuts, NULL);
    assert_int_equal(og_cutter_init(&cutter, o, NULL, &err), OG_OK);
    for (size_t off = 0, n;; off += n) {
        n = piece_len(how, &random);
        if (n > len - off) n = len - off;
        uint8_t *piece = malloc(n + 1);
        memcpy(piece, data + off, n);
        const og_status status = off < len
                                     ? og_cutter_feed(&cutter, piece, n, &err)
                                     : og_cutter_end(&cutter, &err);
        free(piece);
        assert_int_equal(status, OG_OK);
        assert_true(OG_GROW(NULL, cuts.end, cuts.cap, cuts.n + cutter.n_ends));
        for (size_t i = 0; i < cutter.n_ends; i++)
            cuts.end[cuts.n++] = cutter.ends[i];
        if (off == len) break;
    }
    plain_check(h, len, o, cuts.end, cuts.n);
    og_cutter_release(&cutter);
    og_cuts_release(&cuts);
}

static void pieces_of_any_size_give_the_same(void **state)
{
    (void)state;
    enum { LEN = 200000 };
    static uint8_t data[LEN];
    for (int kind = 0; kind < N_DATA_KINDS; kind++) {
        plain_fill(data, LEN, (enum data_kind)kind, 5);
        struct plain_hashes h = plain_hashes_of(data, LEN);
        for (size_t k = 0; k < LENGTH(kinds); k++)
            for (size_t i = 0; i < LENGTH(lengths); i += 2)
                for (size_t how = 0; how < 7; how++) {
                    const og_cut_options o = options_of(kinds[k], i);
                    check_pieces(data, LEN, &h, &o, how);
                }
        plain_hashes_free(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_level_equals_the_rule),
        cmocka_unit_test(sse_level_equals_the_rule),
        cmocka_unit_test(best_level_equals_the_rule),
        cmocka_unit_test(the_last_chunk_keeps_to_the_rule),
        cmocka_unit_test(pieces_of_any_size_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
