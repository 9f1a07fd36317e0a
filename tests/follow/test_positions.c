/* Positions are there again, the last of each key, whatever a crash left. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "positions.h"

static char folder[] = "/tmp/origo-positions-XXXXXX";
static char path[sizeof(folder) + 16];

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof(path), "%s/p.jsonl", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void open_positions(struct positions *p)
{
    og_error err = {0};
    assert_int_equal(positions_open(p, path, &err), OG_OK);
}

static void set(struct positions *p, const char *key, const char *value)
{
    og_error err = {0};
    assert_int_equal(positions_set(p, key, value, &err), OG_OK);
}

static void save(struct positions *p)
{
    og_error err = {0};
    assert_int_equal(positions_save(p, &err), OG_OK);
}

static void test_kept(void **state)
{
    struct positions p;
    (void)state;
    open_positions(&p);
    assert_null(positions_get(&p, "a"));
    set(&p, "a", "1");
    set(&p, "b \"x\"\n", "2");
    save(&p);
    set(&p, "a", "3");
    save(&p);
    set(&p, "a", "4"); /* and never saved */
    assert_string_equal(positions_get(&p, "a"), "4");
    positions_close(&p);
    open_positions(&p);
    assert_string_equal(positions_get(&p, "a"), "3");
    assert_string_equal(positions_get(&p, "b \"x\"\n"), "2");
    positions_close(&p);
}

static void test_torn(void **state)
{
    struct positions p;
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"key\":\"a\",\"value\":\"1\"}\n\nrubbish\n{\"key\":1}\n"
          "{\"key\":\"a\",\"value\":\"2\"}\n{\"key\":\"a\",\"value\":\"3\"}",
          file);
    assert_int_equal(fclose(file), 0);
    open_positions(&p);
    assert_string_equal(positions_get(&p, "a"), "2");
    set(&p, "b", "5");
    save(&p);
    positions_close(&p);
    open_positions(&p);
    assert_string_equal(positions_get(&p, "a"), "2");
    assert_string_equal(positions_get(&p, "b"), "5");
    positions_close(&p);
}

/* The file does not grow with the number of saves. */
static void test_rewritten(void **state)
{
    struct positions p;
    char value[32];
    (void)state;
    open_positions(&p);
    for (int i = 0; i < 5000; i++) {
        snprintf(value, sizeof(value), "%d", i);
        set(&p, "a", value);
        if (i % 2 == 0) save(&p);
    }
    save(&p);
    assert_true(p.n_lines < 2000);
    positions_close(&p);
    open_positions(&p);
    assert_string_equal(positions_get(&p, "a"), "4999");
    positions_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_rewritten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
