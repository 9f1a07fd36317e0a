/* Files that are not read are named by their first bytes. */

#include "tests/unit/stage_support.h"

#include "lib/source/foreign.h"
#include <string.h>

static const char *name_of(const char *data, size_t len)
{
    return og_foreign_name((og_bytes){data, len});
}

static void are_named(void **state)
{
    (void)state;
    assert_non_null(strstr(name_of("%PDF-1.7\n", 9), "PDF"));
    assert_non_null(strstr(name_of("PAR1\x15\x04", 6), "Parquet"));
    assert_non_null(strstr(name_of("\x89PNG\r\n\x1a\n", 8), "PNG"));
    assert_non_null(strstr(name_of("SQLite format 3", 15), "SQLite"));
}

static void text_is_not(void **state)
{
    (void)state;
    assert_null(name_of("", 0));
    assert_null(name_of("%PD", 3));
    assert_null(name_of("A text about %PDF- files", 24));
    assert_null(name_of("{\"id\":1}\n", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_named),
        cmocka_unit_test(text_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
