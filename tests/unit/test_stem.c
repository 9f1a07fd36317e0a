/* Forms of a word have one hash, that of their stem. */

#include "tests/unit/stage_support.h"

#include "lib/sketch/features/stem.h"
#include "lib/token/tokens.h"
#include <origo/sketch.h>
#include <string.h>

static uint64_t stem(struct og_stemming *s, const char *word)
{
    const size_t len = strlen(word);
    return og_stemming_hash(s, word, len, og_token_hash(word, len, 0));
}

static void forms_meet(void **state)
{
    struct og_stemming *s;
    (void)state;
    assert_int_equal(og_stemming_new("en", 0, NULL, &s, NULL), OG_OK);
    for (int round = 0; round < 2; round++) { /* the second time from memory */
        assert_true(stem(s, "connected") == stem(s, "connecting"));
        assert_true(stem(s, "connections") == og_token_hash("connect", 7, 0));
        assert_false(stem(s, "connect") == stem(s, "collect"));
    }
    og_stemming_free(s);
}

/* What is too long for a word keeps its hash. */
static void no_word(void **state)
{
    struct og_stemming *s;
    char word[200];
    (void)state;
    memset(word, 'a', sizeof(word));
    assert_int_equal(og_stemming_new("de", 0, NULL, &s, NULL), OG_OK);
    assert_true(og_stemming_hash(s, word, sizeof(word), 4711) == 4711);
    og_stemming_free(s);
}

static void no_such_language(void **state)
{
    struct og_stemming *s;
    og_error err;
    (void)state;
    assert_int_equal(og_stem_check("tr", &err), OG_OK);
    assert_int_equal(og_stem_check("klingon", &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, og_stem_languages()));
    assert_int_equal(og_stemming_new("klingon", 0, NULL, &s, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "klingon"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_meet),
        cmocka_unit_test(no_word),
        cmocka_unit_test(no_such_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
