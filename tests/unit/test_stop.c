/* Stop words are found by the hash of their token, and no others. */

#include "tests/unit/stage_support.h"

#include "lib/sketch/features/stop.h"
#include "lib/token/tokens.h"
#include <string.h>

static bool has(const struct og_stop_set *set, const char *word, uint64_t key)
{
    return og_stop_set_has(set, og_token_hash(word, strlen(word), key));
}

static void words_of_languages(void **state)
{
    static const char *const known[][3] = {
        {"de", "und", "haus"},   {"en", "the", "house"},  {"es", "que", "casa"},
        {"fr", "les", "maison"}, {"it", "della", "casa"}, {"nl", "het", "huis"},
        {"pt", "não", "casa"},   {"ru", "что", "дом"},    {"sv", "och", "hus"}};
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        for (uint64_t key = 0; key < 2; key++) {
            struct og_stop_set *set;
            assert_true(og_stop_language_is(known[i][0]));
            assert_int_equal(
                og_stop_set_new(known[i][0], key, NULL, &set, NULL), OG_OK);
            assert_true(has(set, known[i][1], key));
            assert_false(has(set, known[i][2], key));
            assert_false(has(set, known[i][1], key + 1)); /* another key */
            assert_false(og_stop_set_has(set, 0));
            og_stop_set_free(set);
        }
}

static void no_such_language(void **state)
{
    struct og_stop_set *set;
    og_error err;
    (void)state;
    assert_false(og_stop_language_is("xx"));
    assert_int_equal(og_stop_set_new("xx", 0, NULL, &set, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "'xx'"));
    assert_non_null(strstr(err.message, "de en es"));
    og_stop_set_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_languages),
        cmocka_unit_test(no_such_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
