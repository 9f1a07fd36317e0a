/* The batch: the same bytes for every number of shards, and refused inputs. */

#include "tests/unit/code_support.h"

#include <origo/origo.h>
#include <stdio.h>
#include <unistd.h>

static char name[8][64]; /* files of this run */

static const char *file_name(unsigned i)
{
    snprintf(name[i], sizeof(name[i]), "join-test-%d-%u", (int)getpid(), i);
    return name[i];
}

static int remove_files(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        unlink(file_name(i));
    return 0;
}

static void write_text(unsigned i, const char *text)
{
    FILE *f = fopen(file_name(i), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static char *read_text(unsigned i)
{
    FILE *f = fopen(file_name(i), "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return text;
}

enum { N = 700, N_QUESTIONS = 90 };
static uint64_t codes[N], questions[N_QUESTIONS];

static void write_codes(unsigned i, const uint64_t *values, size_t n,
                        const char *prefix)
{
    FILE *f = fopen(file_name(i), "w");
    assert_non_null(f);
    for (size_t j = 0; j < n; j++)
        fprintf(f, "%s%zu\t%016llx\n", prefix, j * j,
                (unsigned long long)values[j]);
    fclose(f);
}

static og_status join(unsigned k, uint32_t shard, uint32_t n_shards,
                      unsigned output, og_error *err)
{
    og_hamming_join_options o = og_hamming_join_options_default();
    o.questions = file_name(0);
    o.file = file_name(1);
    o.output = file_name(output);
    o.max_distance = k;
    o.shard = shard;
    o.n_shards = n_shards;
    return og_hamming_join(&o, NULL, err);
}

static void make_files(uint64_t *seed)
{
    for (size_t i = 0; i < N; i++)
        codes[i] = i % 10 == 0 ? og_random_next(seed)
                               : flip_lots(codes[i - 1], i % 3, seed);
    for (size_t i = 0; i < N_QUESTIONS; i++)
        questions[i] = flip_lots(codes[i * 7], i % 5, seed);
    write_codes(0, questions, N_QUESTIONS, "q");
    write_codes(1, codes, N, "d");
}

static void pairs_are_those_of_the_definition(void **state)
{
    (void)state;
    uint64_t seed = 31;
    og_error err;
    make_files(&seed);
    for (unsigned k = 0; k <= 64; k = k < 4 ? k + 1 : k * 4) {
        assert_int_equal(join(k, 0, 1, 2, &err), OG_OK);
        char *text = read_text(2);
        size_t n_pairs = 0, n_lines = 0;
        for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
            n_lines++;
        for (size_t i = 0; i < N; i++)
            for (size_t q = 0; q < N_QUESTIONS; q++) {
                const unsigned distance = distance_of(codes[i], questions[q]);
                char line[64];
                if (distance > k) continue;
                n_pairs++;
                if (k > 3) continue;
                snprintf(line, sizeof(line), "q%zu\td%zu\t%u\n", q * q, i * i,
                         distance);
                assert_non_null(strstr(text, line));
            }
        assert_int_equal(n_lines, n_pairs);
        free(text);
    }
}

static void shards_together_are_the_whole(void **state)
{
    (void)state;
    uint64_t seed = 37;
    og_error err;
    make_files(&seed);
    assert_int_equal(join(3, 0, 1, 2, &err), OG_OK);
    char *whole = read_text(2);
    for (uint32_t n = 2; n <= 4; n++) {
        const char *parts[4];
        uint64_t n_pairs;
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(join(3, i, n, 3 + i, &err), OG_OK);
            parts[n - 1 - i] = file_name(3 + i);
        }
        assert_int_equal(
            og_hamming_merge(parts, n, file_name(7), &n_pairs, &err), OG_OK);
        char *merged = read_text(7);
        assert_string_equal(merged, whole);
        free(merged);
    }
    free(whole);
}

/* Of 128 bits: the whole against the definition, in order, and in shards. */
static void wide_codes_are_joined(void **state)
{
    (void)state;
    uint64_t seed = 53;
    og_error err;
    uint64_t high[N], q_high[N_QUESTIONS];
    make_files(&seed);
    FILE *f = fopen(file_name(1), "w");
    assert_non_null(f);
    for (size_t i = 0; i < N; i++) {
        high[i] = i % 10 == 0 ? og_random_next(&seed)
                              : flip_lots(high[i - 1], i % 2, &seed);
        fprintf(f, "d%zu\t%016llx%016llx\n", i, (unsigned long long)high[i],
                (unsigned long long)codes[i]);
    }
    fclose(f);
    f = fopen(file_name(0), "w");
    assert_non_null(f);
    for (size_t i = 0; i < N_QUESTIONS; i++) {
        q_high[i] = flip_lots(high[i * 7], i % 3, &seed);
        fprintf(f, "q%zu\t%016llx%016llx\n", i, (unsigned long long)q_high[i],
                (unsigned long long)questions[i]);
    }
    fclose(f);
    for (unsigned k = 0; k <= 128; k = k < 6 ? k + 1 : k * 4) {
        assert_int_equal(join(k, 0, 1, 2, &err), OG_OK);
        char *whole = read_text(2);
        size_t n_pairs = 0, n_lines = 0;
        for (const char *at = whole; (at = strchr(at, '\n')) != NULL; at++)
            n_lines++;
        for (size_t i = 0; i < N; i++)
            for (size_t q = 0; q < N_QUESTIONS; q++) {
                const unsigned distance = distance_of(codes[i], questions[q]) +
                                          distance_of(high[i], q_high[q]);
                char line[64];
                if (distance > k) continue;
                n_pairs++;
                if (k > 5) continue;
                snprintf(line, sizeof(line), "q%zu\td%zu\t%u\n", q, i,
                         distance);
                assert_non_null(strstr(whole, line));
            }
        assert_int_equal(n_lines, n_pairs);
        const char *parts[2] = {file_name(4), file_name(3)};
        assert_int_equal(join(k, 0, 2, 3, &err), OG_OK);
        assert_int_equal(join(k, 1, 2, 4, &err), OG_OK);
        assert_int_equal(og_hamming_merge(parts, 2, file_name(7), NULL, &err),
                         OG_OK);
        char *merged = read_text(7);
        assert_string_equal(merged, whole);
        free(merged);
        free(whole);
    }
    assert_int_equal(join(129, 0, 1, 2, &err), OG_ERR_USAGE);
    write_text(0, "q\t1\n"); /* questions of 64 bits, a file of 128 */
    assert_int_equal(join(3, 0, 1, 2, &err), OG_ERR_INPUT);
    assert_non_null(
        strstr(err.message, "line 1: a code of 128 bits, this takes 64"));
}

static void wrong_parts_are_named(void **state)
{
    (void)state;
    uint64_t seed = 41;
    og_error err;
    make_files(&seed);
    assert_int_equal(join(3, 0, 2, 3, &err), OG_OK);
    assert_int_equal(join(3, 1, 2, 4, &err), OG_OK);
    assert_int_equal(join(2, 1, 2, 5, &err), OG_OK);
    const char *two[] = {file_name(3), file_name(4)};
    const char *other[] = {file_name(3), file_name(5)};
    const char *twice[] = {file_name(3), file_name(3)};
    assert_int_equal(og_hamming_merge(two, 1, file_name(7), NULL, &err),
                     OG_ERR_INPUT);
    assert_string_equal(err.message, "shard 2 of 2 is missing");
    assert_int_equal(og_hamming_merge(twice, 2, file_name(7), NULL, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "are both shard 1 of 2"));
    assert_int_equal(og_hamming_merge(other, 2, file_name(7), NULL, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "has bits=64 distance=3"));
    assert_non_null(strstr(err.message, "has bits=64 distance=2"));
    char *part = read_text(4);
    const size_t len = strlen(part);
    for (size_t i = 0; i < len; i += 41) { /* cut anywhere */
        const char kept = part[i];
        part[i] = '\0';
        write_text(4, part);
        part[i] = kept;
        assert_int_equal(og_hamming_merge(two, 2, file_name(7), NULL, &err),
                         OG_ERR_INPUT);
        assert_non_null(strstr(err.message, " line "));
    }
    char *tab = strchr(strchr(part, '\n'), '\t');
    tab[1] = 'e'; /* another id */
    write_text(4, part);
    assert_int_equal(og_hamming_merge(two, 2, file_name(7), NULL, &err),
                     OG_ERR_INPUT);
    assert_int_not_equal(access(file_name(7), F_OK), 0);
    free(part);
}

static void wrong_lines_are_named(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"a\t12\nb 13\n", "line 2: no id and code with a tab between them"},
        {"\t12\n", "line 1: no id and code"},
        {"a\t\n", "line 1: no code of 1 to 16 or of 32 hexadecimal"},
        {"a\t12g\n", "line 1: no code"},
        {"a\t00112233445566778\n", "line 1: no code"},
        {"a\t00112233445566778899aabbccddeeff\n", "line 1: a code of 128 bits"},
        {"origosk\nrubbish", "join-test"},
    };
    og_error err;
    write_text(0, "q\t1\r\n\nr\t1");
    for (size_t i = 0; i < LENGTH(bad); i++) {
        write_text(1, bad[i][0]);
        assert_int_equal(join(3, 0, 1, 2, &err), OG_ERR_INPUT);
        assert_non_null(strstr(err.message, bad[i][1]));
        assert_int_not_equal(access(file_name(2), F_OK), 0);
    }
    write_text(1, "");
    assert_int_equal(join(3, 0, 1, 2, &err), OG_OK);
    assert_int_equal(join(65, 0, 1, 2, &err), OG_ERR_USAGE);
    assert_int_equal(join(3, 2, 2, 2, &err), OG_ERR_USAGE);
}

/* 3,000 equal queries, 3,000 equal codes far from them: fast. Equal codes that
 * are near give as many pairs, reported one by one. */
static void equal_codes_are_no_burden(void **state)
{
    (void)state;
    static uint64_t same[3000];
    og_error err;
    write_codes(0, same, 3000, "q");
    for (size_t i = 0; i < LENGTH(same); i++)
        same[i] = i % 100 == 0 ? 1 : UINT64_MAX;
    write_codes(1, same, 3000, "d");
    og_hamming_join_options o = og_hamming_join_options_default();
    og_hamming_join_counts counts;
    o.questions = file_name(0);
    o.file = file_name(1);
    o.output = file_name(2);
    assert_int_equal(og_hamming_join(&o, &counts, &err), OG_OK);
    assert_int_equal(counts.n_pairs, 30 * 3000);
}

#define CASE(f) cmocka_unit_test_teardown(f, remove_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(pairs_are_those_of_the_definition),
        CASE(shards_together_are_the_whole),
        CASE(wide_codes_are_joined),
        CASE(wrong_parts_are_named),
        CASE(wrong_lines_are_named),
        CASE(equal_codes_are_no_burden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
