/* What two texts have in common, against a comparison of all places. */

#include "tests/unit/stage_support.h"

#include "lib/align/text_seeds.h"
#include "lib/base/bits.h"
#include "lib/os/cpu.h"

enum { MOST = 400 };

static struct og_tokens tokens_of(uint64_t *hash, size_t n)
{
    return (struct og_tokens){.hash = hash, .n = n};
}

static struct og_align_side side_of(const struct og_tokens *tokens)
{
    return (struct og_align_side){.tokens = tokens};
}

static bool is_equal(const struct og_tokens *document,
                     const struct og_tokens *origin, size_t here, size_t there,
                     size_t len)
{
    return here + len <= document->n && there + len <= origin->n &&
           memcmp(document->hash + here, origin->hash + there, 8 * len) == 0;
}

/* The tokens of the document that are in a shingle of the origin. */
static void mark_by_definition(const struct og_tokens *document,
                               const struct og_tokens *origin, uint32_t k,
                               uint8_t *out)
{
    memset(out, 0, document->n);
    for (size_t i = 0; i + k <= document->n; i++)
        for (size_t j = 0; j + k <= origin->n; j++)
            if (is_equal(document, origin, i, j, k)) {
                memset(out + i, 1, k);
                break;
            }
}

static void check(const struct og_tokens *document,
                  const struct og_tokens *origin, uint32_t k)
{
    struct og_text_seeds seeds;
    uint8_t right[MOST], found[MOST] = {0};
    og_text_seeds_init(&seeds, NULL);
    assert_int_equal(og_text_seeds_set(&seeds, document, k, NULL), OG_OK);
    for (int turn = 0; turn < 2; turn++) /* nothing is left of the first */
        assert_int_equal(
            og_text_seeds_find(&seeds, document, side_of(origin), NULL), OG_OK);
    mark_by_definition(document, origin, k, right);
    for (size_t i = 0; i < seeds.n_found; i++) {
        const struct og_run *run = &seeds.data[i];
        assert_true(run->len >= k);
        assert_true(is_equal(document, origin, run->begin, run->origin_begin,
                             run->len));
        memset(found + run->begin, 1, run->len);
    }
    assert_memory_equal(found, right, document->n);
    og_text_seeds_release(&seeds);
}

/* Tokens begin .. end in shingles that lie between the two and that the other
 * text has. */
static uint32_t count_by_definition(const struct og_tokens *document,
                                    const struct og_tokens *other, uint32_t k,
                                    uint32_t begin, uint32_t end)
{
    const struct og_tokens part =
        tokens_of(document->hash + begin, end - begin);
    uint8_t held[MOST];
    uint32_t n = 0;
    mark_by_definition(&part, other, k, held);
    for (size_t i = 0; i < part.n; i++)
        n += held[i];
    return n;
}

/* Different shingles of the document that the other text has, as a share. */
static double share_by_definition(const struct og_tokens *document,
                                  const struct og_tokens *other, uint32_t k)
{
    size_t n = 0;
    size_t n_held = 0;
    for (size_t i = 0; i + k <= document->n; i++) {
        bool is_first = true;
        bool is_held = false;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = !is_equal(document, document, i, j, k);
        for (size_t j = 0; j + k <= other->n && !is_held; j++)
            is_held = is_equal(document, other, i, j, k);
        n += is_first;
        n_held += is_first && is_held;
    }
    return n > 0 ? (double)n_held / (double)n : 0;
}

static void check_marks(const struct og_tokens *document,
                        const struct og_tokens *other, uint32_t k,
                        uint64_t *lot)
{
    struct og_text_seeds seeds;
    og_text_seeds_init(&seeds, NULL);
    assert_int_equal(og_text_seeds_set(&seeds, document, k, NULL), OG_OK);
    og_text_seeds_mark(&seeds, side_of(other));
    assert_true(og_text_seeds_share(&seeds) ==
                share_by_definition(document, other, k));
    for (int turn = 0; turn < 8 && document->n > 0; turn++) {
        const uint32_t n = (uint32_t)document->n;
        const uint32_t begin = (uint32_t)(og_random_next(lot) % n);
        const uint32_t end =
            begin + (uint32_t)(og_random_next(lot) % (n - begin + 1));
        assert_int_equal(
            og_text_seeds_count(&seeds, document, other, begin, end),
            count_by_definition(document, other, k, begin, end));
    }
    og_text_seeds_release(&seeds);
}

/* Hashes of tokens are random in all bits. */
static uint64_t random_word(uint64_t *lot, uint64_t n_words)
{
    return og_mix64(og_random_next(lot) % n_words + 1);
}

static void random_texts(void **state)
{
    (void)state;
    uint64_t lot = 11;
    uint64_t a[MOST], b[MOST];
    for (int turn = 0; turn < 2000; turn++) {
        const uint32_t k = 1 + (uint32_t)(og_random_next(&lot) % 12);
        const size_t n = og_random_next(&lot) % MOST;
        const size_t m = og_random_next(&lot) % MOST;
        const uint64_t n_words = 1 + og_random_next(&lot) % (turn % 2 ? 3 : 40);
        for (size_t i = 0; i < n; i++)
            a[i] = random_word(&lot, n_words);
        for (size_t i = 0; i < m; i++)
            b[i] = random_word(&lot, n_words);
        if (turn % 3 == 0 && n > 60 && m > 60) memcpy(a + 7, b + 11, 8 * 48);
        const struct og_tokens document = tokens_of(a, n);
        const struct og_tokens origin = tokens_of(b, m);
        check(&document, &origin, k);
        /* Of sequences of these two words some sums collide. */
        if (turn % 8 == 0 && k > 2) check_marks(&document, &origin, k, &lot);
    }
}

/* Seeds of the same two texts, by what this level of the processor has. */
static void find_at(og_cpu level, const struct og_tokens *document,
                    const struct og_tokens *origin, struct og_text_seeds *seeds)
{
    og_cpu_force(level);
    og_text_seeds_init(seeds, NULL);
    assert_int_equal(og_text_seeds_set(seeds, document, 8, NULL), OG_OK);
    assert_int_equal(og_text_seeds_find(seeds, document, side_of(origin), NULL),
                     OG_OK);
}

static void vectors_find_the_same(void **state)
{
    (void)state;
    const og_cpu best = og_cpu_level();
    uint64_t lot = 12;
    uint64_t a[4 * MOST], b[4 * MOST];
    struct og_text_seeds plain, wide;
    for (int turn = 0; turn < 500; turn++) {
        const size_t n = og_random_next(&lot) % (4 * MOST);
        const size_t m = og_random_next(&lot) % (4 * MOST);
        for (size_t i = 0; i < n; i++)
            a[i] = random_word(&lot, turn % 2 ? 3 : 1000);
        for (size_t i = 0; i < m; i++)
            b[i] = random_word(&lot, turn % 2 ? 3 : 1000);
        for (size_t i = 0; n > 0 && m > 0 && i < 8; i++) {
            const size_t at = og_random_next(&lot) % n;
            const size_t from = og_random_next(&lot) % m;
            const size_t len = og_random_next(&lot) % 40;
            for (size_t j = 0; j < len && at + j < n && from + j < m; j++)
                a[at + j] = b[from + j];
        }
        const struct og_tokens document = tokens_of(a, n);
        const struct og_tokens origin = tokens_of(b, m);
        find_at(OG_CPU_PLAIN, &document, &origin, &plain);
        find_at(best, &document, &origin, &wide);
        assert_int_equal(plain.n_found, wide.n_found);
        if (plain.n_found > 0)
            assert_memory_equal(plain.data, wide.data,
                                plain.n_found * sizeof(*plain.data));
        og_text_seeds_release(&plain);
        og_text_seeds_release(&wide);
    }
}

/* Samples that were kept change nothing: as many as were counted are read, and
 * those alone. */
static void kept_samples(void **state)
{
    (void)state;
    uint64_t lot = 13;
    uint64_t a[MOST], b[MOST];
    for (int turn = 0; turn < 1000; turn++) {
        const uint32_t k = 1 + (uint32_t)(og_random_next(&lot) % 12);
        const size_t n = og_random_next(&lot) % MOST;
        const size_t m = og_random_next(&lot) % MOST;
        for (size_t i = 0; i < n; i++)
            a[i] = random_word(&lot, turn % 2 ? 3 : 1000);
        for (size_t i = 0; i < m; i++)
            b[i] = random_word(&lot, turn % 2 ? 3 : 1000);
        for (size_t i = 0; n > 50 && m > 50 && i < 30; i++)
            a[n - 40 + i] = b[m - 30 + i];
        const struct og_tokens document = tokens_of(a, n);
        const struct og_tokens origin = tokens_of(b, m);
        struct og_text_seeds made, kept;
        const size_t n_samples = og_text_samples_count(m, k);
        uint32_t *samples = malloc(n_samples * sizeof(*samples) + 1);
        assert_non_null(samples);
        og_text_samples_make(&origin, k, samples);
        const struct og_align_side side = {.tokens = &origin,
                                           .samples = samples};
        og_text_seeds_init(&made, NULL);
        og_text_seeds_init(&kept, NULL);
        assert_int_equal(og_text_seeds_set(&made, &document, k, NULL), OG_OK);
        assert_int_equal(og_text_seeds_set(&kept, &document, k, NULL), OG_OK);
        assert_int_equal(
            og_text_seeds_find(&made, &document, side_of(&origin), NULL),
            OG_OK);
        assert_int_equal(og_text_seeds_find(&kept, &document, side, NULL),
                         OG_OK);
        assert_int_equal(made.n_found, kept.n_found);
        if (made.n_found > 0)
            assert_memory_equal(made.data, kept.data,
                                made.n_found * sizeof(*made.data));
        og_text_seeds_release(&made);
        og_text_seeds_release(&kept);
        free(samples);
    }
}

/* One word over and over, on both sides, takes no longer than other text. */
static void one_word_a_million_times(void **state)
{
    (void)state;
    enum { N = 1000000 };
    uint64_t *hash = calloc(N, sizeof(*hash));
    struct og_text_seeds seeds;
    assert_non_null(hash);
    const struct og_tokens tokens = tokens_of(hash, N);
    og_text_seeds_init(&seeds, NULL);
    assert_int_equal(og_text_seeds_set(&seeds, &tokens, 8, NULL), OG_OK);
    assert_int_equal(
        og_text_seeds_find(&seeds, &tokens, side_of(&tokens), NULL), OG_OK);
    assert_int_equal(seeds.n_found, 1);
    assert_int_equal(seeds.data[0].len, N);
    og_text_seeds_release(&seeds);
    free(hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts),
        cmocka_unit_test(vectors_find_the_same),
        cmocka_unit_test(kept_samples),
        cmocka_unit_test(one_word_a_million_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
