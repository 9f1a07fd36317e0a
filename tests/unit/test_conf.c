/* What a store is comes back as it was written, or not at all. */

#include "tests/unit/store_support.h"

#include <origo/origo.h>

#include "lib/store/conf.h"

static og_params some_params(void)
{
    og_params p = og_params_default();
    p.memory = 1 << 20;
    p.shingle_len = 5;
    p.key = 77;
    p.no_texts = true;
    strcpy(p.same, "the author");
    return p;
}

static void test_comes_back(void **state)
{
    struct og_conf conf, again;
    const og_params params = some_params();
    (void)state;
    ASSERT_OK(og_conf_init(&conf, &params, OG_INDEX_PASSAGES, &story));
    ASSERT_OK(og_conf_write(&conf, folder, &story));
    ASSERT_OK(og_conf_read(folder, &again, &story));
    assert_memory_equal(conf.uuid, again.uuid, OG_UUID_LEN);
    assert_int_equal(again.params.memory, params.memory);
    assert_int_equal(again.params.shingle_len, 5);
    assert_int_equal(again.params.key, 77);
    assert_true(again.params.no_texts);
    assert_string_equal(again.params.same, "the author");
}

/* Passages that are elsewhere are not among the indexes. */
static void test_a_catalogue(void **state)
{
    static const unsigned indexes[] = {0, OG_INDEX_NEAR};
    struct og_conf conf, again;
    og_error err = {0};
    size_t len;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const og_params params = some_params();
        ASSERT_OK(og_conf_init(&conf, &params, indexes[i], &story));
        assert_string_equal(conf.table, "");
        strcpy(conf.table, "all the news");
        ASSERT_OK(og_conf_write(&conf, folder, &story));
        ASSERT_OK(og_conf_read(folder, &again, &story));
        assert_int_equal(again.indexes, indexes[i]);
        assert_string_equal(again.table, "all the news");
    }
    char *text = (char *)load(in("origo.conf"), &len);
    text[len] = 0;
    memcpy(strstr(text, "table"), "tible", 5);
    assert_int_equal(og_conf_parse((og_bytes){text, len}, "x", &again, &err),
                     OG_ERR_STORE);
    free(text);
}

static void test_every_new_store_has_a_key(void **state)
{
    struct og_conf conf, other;
    og_params params = og_params_default();
    (void)state;
    ASSERT_OK(og_conf_init(&conf, &params, OG_INDEX_PASSAGES, &story));
    ASSERT_OK(og_conf_init(&other, &params, OG_INDEX_PASSAGES, &story));
    assert_true(conf.is_keyed && conf.params.key != 0);
    assert_true(conf.params.key != other.params.key);
    ASSERT_OK(og_conf_write(&conf, folder, &story));
    ASSERT_OK(og_conf_read(folder, &other, &story));
    assert_true(other.is_keyed && other.params.key == conf.params.key);
    params.key = OG_KEY_PUBLIC;
    ASSERT_OK(og_conf_init(&conf, &params, OG_INDEX_PASSAGES, &story));
    assert_true(!conf.is_keyed && conf.params.key == 0);
}

static void test_every_flip_is_reported(void **state)
{
    struct og_conf conf, again;
    const og_params params = some_params();
    size_t len;
    (void)state;
    ASSERT_OK(og_conf_init(&conf, &params, OG_INDEX_PASSAGES, &story));
    ASSERT_OK(og_conf_write(&conf, folder, &story));
    char *text = (char *)load(in("origo.conf"), &len);
    for (size_t i = 0; i < len; i++) {
        text[i] ^= 1;
        og_error err = {0};
        assert_int_equal(
            og_conf_parse((og_bytes){text, len}, "x", &again, &err),
            OG_ERR_STORE);
        assert_non_null(strstr(err.message, "'x'"));
        text[i] ^= 1;
        assert_int_equal(og_conf_parse((og_bytes){text, i}, "x", &again, &err),
                         OG_ERR_STORE);
    }
    free(text);
}

static void test_a_newer_version_is_named(void **state)
{
    struct og_conf conf;
    og_error err = {0};
    (void)state;
    assert_int_equal(
        og_conf_parse(bytes_of("origo store\nversion 9\nfeatures 0\nall new\n"),
                      "x", &conf, &err),
        OG_ERR_STORE);
    assert_non_null(strstr(err.message, "version 9"));
    assert_int_equal(
        og_conf_parse(
            bytes_of("origo store\nversion 1\nfeatures 16\nall new\n"), "x",
            &conf, &err),
        OG_ERR_STORE);
    assert_non_null(strstr(err.message, "features 16"));
}

static void test_no_store_is_no_store(void **state)
{
    struct og_conf conf;
    og_error err = {0};
    (void)state;
    assert_int_equal(og_conf_read(in("nowhere"), &conf, &err), OG_ERR_NO_STORE);
    assert_non_null(strstr(err.message, "there is no store"));
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_comes_back),
        TEST(test_a_catalogue),
        TEST(test_every_new_store_has_a_key),
        TEST(test_every_flip_is_reported),
        TEST(test_a_newer_version_is_named),
        TEST(test_no_store_is_no_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
