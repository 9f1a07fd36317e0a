/* Requests find their server: redirections, servers that are not ready, that
 * are gone, and errors that no time will mend. */

#include "lib/remote/redis_client.h"
#include "tests/unit/redis_fake.h"

enum { N_SERVERS = 2, LOW = 100, HIGH = 16000 };

static struct fake_keys keys;
static struct fake_server servers[N_SERVERS];
static char cluster[400], one_gone[200];
static struct og_table_address address;
static struct og_redis_client *client;

/* The first has the lower half of the slots. */
static int start(void **state)
{
    (void)state;
    fake_keys_init(&keys);
    for (unsigned i = 0; i < N_SERVERS; i++)
        fake_init(&servers[i], &keys);
    snprintf(cluster, sizeof(cluster),
             "*2\r\n*3\r\n:0\r\n:8191\r\n*2\r\n$9\r\n127.0.0.1\r\n:%u\r\n"
             "*3\r\n:8192\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%u\r\n",
             servers[0].port, servers[1].port);
    snprintf(one_gone, sizeof(one_gone),
             "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%u\r\n",
             servers[1].port);
    address =
        (struct og_table_address){.n_hosts = 1, .table = "news", .timeout = 60};
    snprintf(address.hosts[0].name, OG_ADDRESS_HOST_MAX, "127.0.0.1");
    address.hosts[0].port = servers[0].port;
    assert_int_equal(og_redis_client_new(&address, NULL, &client, NULL), OG_OK);
    return 0;
}

static void serve(void)
{
    for (unsigned i = 0; i < N_SERVERS; i++)
        fake_start(&servers[i]);
}

static void serve_cluster(void)
{
    servers[0].slots = servers[1].slots = cluster;
    serve();
}

static int stop(void **state)
{
    (void)state;
    og_redis_client_free(client);
    for (unsigned i = 0; i < N_SERVERS; i++)
        fake_stop(&servers[i]);
    fake_keys_release(&keys);
    return 0;
}

/* ---- asking ---- */

struct answers {
    unsigned n[4];
};

static og_status take(void *ctx, size_t number, const struct og_resp *reply,
                      og_error *err)
{
    (void)err;
    assert_int_equal(reply->items[0].kind, OG_RESP_LIST);
    ((struct answers *)ctx)->n[number]++;
    return OG_OK;
}

/* Four requests, two for each half; each is answered once. */
static og_status run(og_error *err)
{
    struct og_redis_request requests[4];
    struct answers answers = {{0}};
    for (unsigned i = 0; i < 4; i++)
        requests[i] = (struct og_redis_request){
            .slot = i % 2 == 0 ? LOW : HIGH,
            .words = {OG_LITERAL("HGETALL"), OG_LITERAL("key")},
            .n_words = 2};
    const og_status status =
        og_redis_client_run(client, requests, 4, take, &answers, err);
    for (unsigned i = 0; i < 4 && status == OG_OK; i++)
        assert_int_equal(answers.n[i], 1);
    return status;
}

static void run_well(void)
{
    og_error err = {0};
    if (run(&err) != OG_OK) fail_msg("%s", err.message);
}

static void set_rule(unsigned server, unsigned number, unsigned nth,
                     const char *reply)
{
    servers[server].rules[number] =
        (struct fake_rule){.command = "HGETALL", .nth = nth, .reply = reply};
}

/* ---- the tests ---- */

static void test_one_server(void **state)
{
    (void)state;
    serve();
    run_well();
    assert_int_equal(fake_count(&servers[0]), 5); /* and CLUSTER */
    assert_int_equal(fake_count(&servers[1]), 0);
}

static void test_cluster(void **state)
{
    (void)state;
    serve_cluster();
    run_well();
    run_well();
    assert_int_equal(fake_count(&servers[0]), 5);
    assert_int_equal(fake_count(&servers[1]), 4);
}

static void test_redirections(void **state)
{
    char moved[64], ask[64];
    (void)state;
    snprintf(moved, sizeof(moved), "-MOVED %u 127.0.0.1:%u\r\n", LOW,
             servers[1].port);
    snprintf(ask, sizeof(ask), "-ASK %u :%u\r\n", HIGH, servers[0].port);
    set_rule(0, 0, 1, moved);
    set_rule(1, 0, 2, ask);
    serve_cluster();
    run_well();
    run_well();
}

static void test_not_ready(void **state)
{
    (void)state;
    set_rule(0, 0, 1, "-TRYAGAIN multiple keys\r\n");
    set_rule(0, 1, 3, "-LOADING Redis is loading the dataset\r\n");
    set_rule(0, 2, 4, "-CLUSTERDOWN The cluster is down\r\n");
    set_rule(1, 0, 2, "-MASTERDOWN Link with MASTER is down\r\n");
    set_rule(1, 1, 4, "-READONLY You can't write\r\n");
    serve_cluster();
    run_well();
    run_well();
}

/* It is also loading while its slots are requested. */
static void test_loading_first(void **state)
{
    (void)state;
    servers[0].rules[0] = (struct fake_rule){
        .command = "CLUSTER", .nth = 1, .reply = "-LOADING a moment\r\n"};
    serve_cluster();
    run_well();
}

/* In the middle of a pipeline: answered requests are not repeated. */
static void test_broken_link(void **state)
{
    (void)state;
    set_rule(0, 0, 2, NULL);
    set_rule(1, 0, 1, NULL);
    serve_cluster();
    run_well();
    run_well();
}

/* What the first says is out of date: another has all slots by now. */
static void test_master_gone(void **state)
{
    (void)state;
    servers[0].slots = servers[1].slots = cluster;
    address.n_hosts = 2;
    address.hosts[1] = address.hosts[0];
    address.hosts[1].port = servers[1].port;
    serve();
    run_well();
    fake_leave(&servers[0]);
    pthread_mutex_lock(&keys.lock);
    servers[1].slots = one_gone;
    pthread_mutex_unlock(&keys.lock);
    run_well();
}

static void test_refused(void **state)
{
    static const struct {
        const char *reply;
        og_status status;
    } all[] = {
        {"-NOPARTITION nothing under this key\r\n", OG_ERR_STORE},
        {"-WRONGTYPE a list\r\n", OG_ERR_STORE},
        {"-OOM command not allowed\r\n", OG_ERR_MEMORY},
        {"-NOAUTH Authentication required.\r\n", OG_ERR_USAGE},
        {"-ERR unknown command 'ORIGO.INFO'\r\n", OG_ERR_USAGE},
        {"-ERR something else\r\n", OG_ERR_IO},
    };
    enum { N = sizeof(all) / sizeof(all[0]) };
    (void)state;
    for (unsigned i = 0; i < N; i++)
        set_rule(0, i, 1 + 2 * i, all[i].reply);
    serve_cluster();
    for (unsigned i = 0; i < N; i++) {
        char place[40];
        og_error err = {0};
        assert_int_equal(run(&err), all[i].status);
        snprintf(place, sizeof(place), "127.0.0.1:%u", servers[0].port);
        assert_non_null(strstr(err.message, place));
        assert_non_null(strstr(err.message, "table 'news'"));
    }
    run_well();
}

/* The time is over. */
static void test_never(void **state)
{
    og_error err = {0};
    (void)state;
    address.timeout = 0.2;
    servers[0].slots = servers[1].slots = "*0\r\n";
    serve();
    assert_int_equal(run(&err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "no server has slot"));
}

static bool count_range(void *ctx, unsigned first, unsigned last, og_bytes host,
                        unsigned port)
{
    (void)host, (void)port;
    *(unsigned *)ctx += last - first + 1;
    return true;
}

static void test_slots(void **state)
{
    static const char *const wrong[] = {
        ":1\r\n",
        "*1\r\n:1\r\n",
        "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n:2\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:0\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\na\r\n"};
    struct og_resp reply = {0};
    size_t len;
    unsigned n = 0;
    (void)state;
    serve();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(
            og_resp_parse((og_bytes){wrong[i], strlen(wrong[i])}, &reply, &len),
            OG_RESP_WHOLE);
        assert_false(og_redis_read_slots(&reply, count_range, &n));
    }
    assert_int_equal(
        og_resp_parse((og_bytes){cluster, strlen(cluster)}, &reply, &len),
        OG_RESP_WHOLE);
    n = 0;
    assert_true(og_redis_read_slots(&reply, count_range, &n));
    assert_int_equal(n, OG_REDIS_SLOTS);
    og_resp_release(&reply);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_server),    TEST(test_cluster),
        TEST(test_redirections),  TEST(test_not_ready),
        TEST(test_loading_first), TEST(test_broken_link),
        TEST(test_master_gone),   TEST(test_refused),
        TEST(test_never),         TEST(test_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
