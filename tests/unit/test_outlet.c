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

/* What is held comes to stdout when it may, part after part, and what is not
 * passed on never does: also a part that is too long to keep room for. */
static void held(void **state)
{
    enum { LONG = 9 << 20 };
    char *text = malloc(LONG);
    struct og_outlet o;
    struct stat st;
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(text);
    assert_non_null(file);
    memset(text, 'x', LONG);
    fflush(stdout);
    const int before = dup(1);
    assert_true(dup2(fileno(file), 1) == 1);
    assert_int_equal(og_outlet_open(&o, "-", true, NULL), OG_OK);
    og_writer_bytes(&o.w, text, LONG);
    const int at_first = fstat(1, &st) == 0 ? (int)st.st_size : -1;
    const og_status passed = og_outlet_pass(&o, NULL);
    const size_t kept = o.held.cap;
    og_writer_string(&o.w, "second");
    const og_status again = og_outlet_pass(&o, NULL);
    og_writer_string(&o.w, "third");
    const og_status committed = og_outlet_commit(&o, NULL, NULL);
    og_writer_string(&o.w, "never");
    og_outlet_discard(&o);
    assert_true(dup2(before, 1) == 1);
    close(before);
    assert_int_equal(at_first, 0);
    assert_int_equal(passed, OG_OK);
    assert_int_equal(again, OG_OK);
    assert_int_equal(committed, OG_OK);
    assert_true(kept < LONG);
    assert_int_equal(fstat(fileno(file), &st), 0);
    assert_int_equal(st.st_size, LONG + 11);
    assert_int_equal(pread(fileno(file), text, 11, LONG), 11);
    assert_memory_equal(text, "secondthird", 11);
    fclose(file);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not),
        cmocka_unit_test(parts),
        cmocka_unit_test(nowhere),
        cmocka_unit_test(held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
