/* Full stops that belong to a word, and those that end a sentence. */

#include "tests/unit/stage_support.h"

#include "lib/sentence/split/abbreviations.h"
#include <string.h>

/* Whether the first full stop of `text` belongs to its word. */
static bool is_abbreviation(const char *text)
{
    const char *stop = strchr(text, '.');
    size_t next = (size_t)(stop - text) + 1;
    while (text[next] == ' ')
        next++;
    return og_stop_is_abbreviation(text, strlen(text), 0, (size_t)(stop - text),
                                   next);
}

static void some_of_each(void **state)
{
    (void)state;
    assert_true(is_abbreviation("We met Dr. Smith in town"));
    assert_true(is_abbreviation("Prof. Weber kam"));
    assert_true(is_abbreviation("J. Smith came"));
    assert_false(is_abbreviation("We met in town. Smith was there"));
    assert_false(is_abbreviation("It was the end. And then"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
