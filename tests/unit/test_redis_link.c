/* One connection: commands out, replies in, and a server that misbehaves. */

#include "lib/os/clock.h"
#include "lib/remote/redis_link.h"
#include "tests/unit/redis_fake.h"

static struct fake_keys keys;
static struct fake_server server;

static int start(void **state)
{
    (void)state;
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

static og_status open_link(const char *password, struct og_redis_link **out,
                           og_error *err)
{
    struct og_table_address address = {.n_hosts = 1};
    snprintf(address.hosts[0].name, OG_ADDRESS_HOST_MAX, "127.0.0.1");
    snprintf(address.password, OG_ADDRESS_WORD_MAX, "%s", password);
    address.hosts[0].port = server.port;
    return og_redis_link_open(&address.hosts[0], &address,
                              og_clock_seconds() + 60, NULL, out, err);
}

static og_status ask(struct og_redis_link *link, const char *word,
                     double seconds, const struct og_resp **reply,
                     og_error *err)
{
    const og_bytes words[] = {{word, strlen(word)}, {"key", 3}};
    const double until = og_clock_seconds() + seconds;
    og_status status = og_redis_link_put(link, words, 2, err);
    if (status == OG_OK) status = og_redis_link_flush(link, until, err);
    if (status == OG_OK) status = og_redis_link_get(link, until, reply, err);
    return status;
}

static void test_pipeline(void **state)
{
    enum { N = 3000 };
    struct og_redis_link *link;
    const struct og_resp *reply;
    og_error err = {0};
    const og_bytes words[] = {OG_LITERAL("ORIGO.INFO"), OG_LITERAL("key")};
    (void)state;
    fake_start(&server);
    assert_int_equal(open_link("", &link, &err), OG_OK);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(og_redis_link_put(link, words, 2, &err), OG_OK);
    const double until = og_clock_seconds() + 60;
    assert_int_equal(og_redis_link_flush(link, until, &err), OG_OK);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(og_redis_link_get(link, until, &reply, &err), OG_OK);
        assert_int_equal(reply->items[0].kind, OG_RESP_ERROR);
    }
    og_redis_link_close(link);
}

static void test_password(void **state)
{
    struct og_redis_link *link;
    og_error err = {0};
    (void)state;
    server.password = "right";
    fake_start(&server);
    assert_int_equal(open_link("right", &link, &err), OG_OK);
    og_redis_link_close(link);
    assert_int_equal(open_link("wrong", &link, &err), OG_ERR_USAGE);
    assert_null(link);
    assert_non_null(strstr(err.message, "127.0.0.1:"));
    assert_non_null(strstr(err.message, "WRONGPASS"));
}

static void test_hangs_up(void **state)
{
    struct og_redis_link *link;
    const struct og_resp *reply;
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){.command = "GONE", .nth = 1};
    server.rules[1] = (struct fake_rule){
        .command = "NOISE", .nth = 1, .reply = "HTTP/1.1 400\r\n"};
    fake_start(&server);
    assert_int_equal(open_link("", &link, &err), OG_OK);
    assert_int_equal(ask(link, "NOISE", 60, &reply, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "no reply of Redis"));
    og_redis_link_close(link);
    assert_int_equal(open_link("", &link, &err), OG_OK);
    assert_int_equal(ask(link, "GONE", 60, &reply, &err), OG_ERR_IO);
    og_redis_link_close(link);
}

/* Half a reply, and then nothing. */
static void test_silence(void **state)
{
    struct og_redis_link *link;
    const struct og_resp *reply;
    og_error err = {0};
    (void)state;
    server.rules[0] =
        (struct fake_rule){.command = "SLOW", .nth = 1, .reply = "$5\r\nab"};
    fake_start(&server);
    assert_int_equal(open_link("", &link, &err), OG_OK);
    assert_int_equal(ask(link, "SLOW", 0.1, &reply, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "in time"));
    og_redis_link_close(link);
}

static void test_nobody(void **state)
{
    struct og_redis_link *link;
    og_error err = {0};
    (void)state;
    assert_int_equal(open_link("", &link, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "cannot connect"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_pipeline), TEST(test_password), TEST(test_hangs_up),
        TEST(test_silence),  TEST(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
