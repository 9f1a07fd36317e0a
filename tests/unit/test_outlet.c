/* A report at a path appears whole, under its name, or not at all. */

#include "tests/unit/stage_support.h"

#include "lib/report/outlet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/origo-outlet-XXXXXX", path[64], other[64];

static bool is_there(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0;
}

static void whole_or_not(void **state)
{
    struct og_outlet o;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a", folder);
    snprintf(other, sizeof(other), "%s/b", folder);
    assert_int_equal(og_outlet_open(&o, path, false, NULL), OG_OK);
    og_writer_string(&o.w, "text");
    assert_false(is_there(path));
    og_outlet_discard(&o);
    assert_false(is_there(path));
    assert_int_equal(og_outlet_open(&o, path, false, NULL), OG_OK);
    og_writer_string(&o.w, "text");
    assert_int_equal(og_outlet_commit(&o, NULL, NULL), OG_OK);
    assert_true(is_there(path));
    og_outlet_discard(&o);
    assert_true(is_there(path)); /* it is nobody's to take back */
}

/* A part gets another name, and the next one begins. */
static void parts(void **state)
{
    struct og_outlet o;
    struct stat st;
    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(og_outlet_open(&o, path, false, NULL), OG_OK);
    og_writer_string(&o.w, "first");
    assert_int_equal(og_outlet_commit(&o, other, NULL), OG_OK);
    assert_true(is_there(other));
    assert_false(is_there(path));
    assert_int_equal(og_outlet_reopen(&o, NULL), OG_OK);
    og_writer_string(&o.w, "second!");
    assert_int_equal(og_outlet_commit(&o, NULL, NULL), OG_OK);
    og_outlet_discard(&o);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 7);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
}

static void nowhere(void **state)
{
    struct og_outlet o;
    og_error err;
    (void)state;
    assert_int_equal(og_outlet_open(&o, "/nowhere/at/all", false, &err),
                     OG_ERR_IO);
    og_outlet_discard(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not),
        cmocka_unit_test(parts),
        cmocka_unit_test(nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
