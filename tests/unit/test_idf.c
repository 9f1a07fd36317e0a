/* Document frequencies: exact while there is room, bounded when not; the
 * file. */

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/sketch/features/idf.h"
#include "tests/unit/stage_support.h"

#define WORDS "tokens=words features=tokens"

static struct og_idf_counter *new_counter(uint64_t memory)
{
    struct og_idf_counter *c;
    og_error err;
    assert_int_equal(og_idf_counter_new(memory, WORDS, NULL, &c, &err), OG_OK);
    return c;
}

/* Feature f is in the documents whose number f divides. */
static void add_divisors(struct og_idf_counter *c, uint64_t n_features,
                         uint64_t doc)
{
    for (uint64_t f = 1; f <= n_features; f++) {
        const uint64_t hash = og_mix64(f);
        if (doc % f == 0) og_idf_counter_add(c, &hash, 1);
    }
    og_idf_counter_end_document(c);
}

static void exact_while_there_is_room(void **state)
{
    (void)state;
    enum { N_DOCS = 500 };
    struct og_idf_counter *c = new_counter(1 << 20);
    og_idf *idf;
    og_error err;
    for (uint64_t doc = 1; doc <= N_DOCS; doc++)
        add_divisors(c, N_DOCS, doc);
    assert_int_equal(og_idf_counter_finish(c, &idf, &err), OG_OK);
    for (uint64_t f = 1; f <= N_DOCS; f++) {
        uint64_t least, most;
        og_idf_find(idf, og_mix64(f), &least, &most);
        assert_int_equal(least, N_DOCS / f);
        assert_int_equal(most, N_DOCS / f);
        const double expected = log2((N_DOCS + 1.0) / (double)(N_DOCS / f));
        assert_true(fabs(og_idf_weight(idf, og_mix64(f)) - expected) < 1e-12);
    }
    uint64_t least, most;
    og_idf_find(idf, 12345, &least, &most);
    assert_int_equal(least, 0);
    assert_int_equal(most, 0);
    assert_true(fabs(og_idf_weight(idf, 12345) - log2(N_DOCS + 1.0)) < 1e-12);
    og_idf_close(idf);
    og_idf_counter_free(c);
}

/* Far more features than slots: the bounds must include the truth, for features
 * that were kept and for those that were dropped. Each of 20,000 common
 * features f occurs with probability 1 / (1 + f % 64); the others once each. */
static void bounds_hold_when_full(void **state)
{
    (void)state;
    enum { N_DOCS = 3000, N_COMMON = 2000 };
    static uint32_t truth[N_COMMON];
    uint64_t random = 1, rare = 1u << 20;
    struct og_idf_counter *c = new_counter(64 << 10);
    memset(truth, 0, sizeof(truth));
    for (unsigned doc = 0; doc < N_DOCS; doc++) {
        for (uint64_t f = 0; f < N_COMMON; f += 1 + lot_below(&random, 64)) {
            const uint64_t hash = og_mix64(f + 1);
            og_idf_counter_add(c, &hash, 1);
            truth[f]++;
        }
        for (unsigned i = 0; i < 20; i++) {
            const uint64_t hash = og_mix64(rare++);
            og_idf_counter_add(c, &hash, 1);
        }
        og_idf_counter_end_document(c);
    }
    og_idf *idf;
    og_error err;
    assert_int_equal(og_idf_counter_finish(c, &idf, &err), OG_OK);
    og_idf_info info;
    og_idf_info_get(idf, &info);
    assert_int_equal(info.n_documents, N_DOCS);
    assert_true(info.n_features <= 4096 * 3 / 4);
    assert_true(info.max_error > 0 && info.max_error < N_DOCS / 10);
    unsigned n_known = 0;
    for (uint64_t f = 0; f < N_COMMON; f++) {
        uint64_t least, most;
        og_idf_find(idf, og_mix64(f + 1), &least, &most);
        assert_true(least <= truth[f] && truth[f] <= most);
        assert_true(most - least <= info.max_error);
        n_known += least > 0;
    }
    assert_true(n_known > N_COMMON / 2);
    og_idf_close(idf);
    og_idf_counter_free(c);
}

static char *save(struct og_idf_counter *c, size_t *out_len)
{
    char path[] = "/tmp/origo-test-XXXXXX";
    og_error err;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(og_idf_counter_save(c, path, &err), OG_OK);
    og_idf *idf;
    assert_int_equal(og_idf_open(path, &idf, &err), OG_OK);
    og_idf_close(idf);
    FILE *file = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *out_len = fread(data, 1, 1 << 20, file);
    fclose(file);
    unlink(path);
    return data;
}

static og_status read_view(const char *data, size_t len, og_error *err)
{
    og_idf *idf;
    char *exact = malloc(len + 1);
    if (len > 0) memcpy(exact, data, len);
    const og_status status =
        og_idf_read((og_bytes){exact, len}, "x.df", &idf, err);
    if (status == OG_OK) og_idf_close(idf);
    free(exact);
    return status;
}

static void damage_is_found(void **state)
{
    (void)state;
    struct og_idf_counter *c = new_counter(64 << 10);
    og_error err;
    size_t len;
    for (uint64_t doc = 1; doc <= 30; doc++)
        add_divisors(c, 30, doc);
    char *data = save(c, &len);
    assert_int_equal(read_view(data, len, &err), OG_OK);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(read_view(data, i, &err), OG_ERR_INPUT);
        assert_non_null(strstr(err.message, "'x.df', byte "));
        data[i] ^= 4;
        if (read_view(data, len, &err) != OG_ERR_INPUT)
            fail_msg("byte %zu may change", i);
        data[i] ^= 4;
    }
    data[len] = 0;
    assert_int_equal(read_view(data, len + 1, &err), OG_ERR_INPUT);
    assert_int_equal(read_view("{\"id\":1}", 8, &err), OG_ERR_INPUT);
    assert_string_equal(
        err.message,
        "'x.df', byte 0: this is not a file of document frequencies");
    free(data);
    og_idf_counter_free(c);
}

/* Version 1: Rabin fingerprints where the checksums are now. */
static void the_first_version_is_read(void **state)
{
    (void)state;
    const struct og_rabin *rabin = og_rabin_default();
    struct og_idf_counter *c = new_counter(64 << 10);
    og_error err;
    size_t len;
    for (uint64_t doc = 1; doc <= 30; doc++)
        add_divisors(c, 30, doc);
    char *data = save(c, &len);
    assert_int_equal(data[8], 2);
    data[8] = 1;
    assert_int_equal(read_view(data, len, &err), OG_ERR_INPUT);
    uint64_t check = og_rabin_extend(rabin, rabin->empty, data, 56);
    memcpy(data + 56, &check, 8);
    check = og_rabin_extend(rabin, rabin->empty, data, len - 8);
    memcpy(data + len - 8, &check, 8);
    assert_int_equal(read_view(data, len, &err), OG_OK);
    free(data);
    og_idf_counter_free(c);
}

static void other_features_are_refused(void **state)
{
    (void)state;
    struct og_idf_counter *c = new_counter(64 << 10);
    og_idf *idf;
    og_error err;
    assert_int_equal(og_idf_counter_finish(c, &idf, &err), OG_OK);
    og_feature_options o = og_feature_options_default();
    o.kind = OG_FEATURE_TOKENS;
    o.idf = idf;
    assert_int_equal(og_feature_options_check(&o, &err), OG_OK);
    o.stem = "en";
    assert_int_equal(og_feature_options_check(&o, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "'" WORDS "'"));
    assert_non_null(strstr(err.message, "'" WORDS " stem=en'"));
    og_idf_close(idf);
    og_idf_counter_free(c);
}

static void too_little_memory_is_refused(void **state)
{
    (void)state;
    struct og_idf_counter *c;
    og_error err;
    assert_int_equal(og_idf_counter_new(1000, WORDS, NULL, &c, &err),
                     OG_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_while_there_is_room),
        cmocka_unit_test(bounds_hold_when_full),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(the_first_version_is_read),
        cmocka_unit_test(other_features_are_refused),
        cmocka_unit_test(too_little_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
