/* Addresses of tables, good and bad; no message has the password. */

#include <stdlib.h>
#include <string.h>

#include "lib/remote/table_address.h"
#include "tests/unit/stage_support.h"

static struct og_table_address good(const char *text)
{
    struct og_table_address a;
    og_error err = {0};
    if (og_table_address_parse(text, &a, &err) != OG_OK)
        fail_msg("%s: %s", text, err.message);
    return a;
}

static void test_parts(void **state)
{
    (void)state;
    struct og_table_address a = good("redis://h/news");
    assert_int_equal(a.n_hosts, 1);
    assert_string_equal(a.hosts[0].name, "h");
    assert_int_equal(a.hosts[0].port, 6379);
    assert_string_equal(a.table, "news");
    assert_string_equal(a.password, "");
    assert_false(a.is_tls);
    a = good("rediss://u:p%40x%2f@a:7000,[::1]:7001,b/a/b c?timeout=3");
    assert_true(a.is_tls);
    assert_int_equal(a.n_hosts, 3);
    assert_string_equal(a.hosts[1].name, "::1");
    assert_int_equal(a.hosts[1].port, 7001);
    assert_string_equal(a.hosts[2].name, "b");
    assert_string_equal(a.user, "u");
    assert_string_equal(a.password, "p@x/");
    assert_string_equal(a.table, "a/b c");
    assert_true(a.timeout == 3);
    assert_int_equal(a.mode, OG_TABLE_AS_FOUND);
    a = good("redis://h/t?mode=plain");
    assert_int_equal(a.mode, OG_TABLE_PLAIN);
    a = good("redis://h/t?mode=module&timeout=7");
    assert_int_equal(a.mode, OG_TABLE_MODULE);
    assert_int_equal(a.ttl, 0);
    assert_true(a.timeout == 7);
    a = good("redis://h/t?ttl=999999999&mode=plain&timeout=7");
    assert_int_equal(a.ttl, 999999999);
    assert_int_equal(a.n_replicas, 0);
    a = good("redis://h/t?wait=2&timeout=5");
    assert_true(a.timeout == 5);
    assert_int_equal(a.n_replicas, 2);
    a = good("redis://:secret@h/t");
    assert_string_equal(a.user, "");
    assert_string_equal(a.password, "secret");
}

static void test_environment(void **state)
{
    (void)state;
    setenv("ORIGO_REDIS_AUTH", "word@1", 1);
    struct og_table_address a = good("redis://h/t");
    assert_string_equal(a.password, "word@1");
    setenv("ORIGO_REDIS_AUTH", "me:word", 1);
    a = good("redis://h/t");
    assert_string_equal(a.user, "me");
    assert_string_equal(a.password, "word");
    a = good("redis://:own@h/t");
    assert_string_equal(a.user, "");
    assert_string_equal(a.password, "own");
    unsetenv("ORIGO_REDIS_AUTH");
}

static void test_wrong(void **state)
{
    static const char *const all[] = {
        "",
        "h/t",
        "http://h/t",
        "redis://",
        "redis:///t",
        "redis://h",
        "redis://h/",
        "redis://h:0/t",
        "redis://h:65536/t",
        "redis://h:x/t",
        "redis://h:/t",
        "redis://h,/t",
        "redis://[::1/t",
        "redis://[::1]7/t",
        "redis://SECRET@h/t",
        "redis://:SECRET%4@h/t",
        "redis://:SECRET%zz@h/t",
        "redis://:SECRET%00@h/t",
        "redis://:SECRET@h/t{a}",
        "redis://h/t?timeout=0",
        "redis://h/t?timeout=9999",
        "redis://h/t?wait=0",
        "redis://h/t?wait=17",
        "redis://h/t?timeout=3&wait",
        "redis://h/t?x=1",
        "redis://h/t?mode",
        "redis://h/t?mode=",
        "redis://h/t?mode=fast",
        "redis://h/t?ttl=0",
        "redis://h/t?ttl=1000000000",
        "redis://h/t?timeout=3&",
        "redis://h/t?&timeout=3",
        "redis://h/t?timeout=3,mode=plain",
        "redis://a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a/t",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct og_table_address a;
        og_error err = {0};
        assert_int_equal(og_table_address_parse(all[i], &a, &err),
                         OG_ERR_USAGE);
        assert_null(strstr(err.message, "SECRET"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
