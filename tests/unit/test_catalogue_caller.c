/* Requests about documents: keys that one server of a cluster has, words in
 * their order, threads that each take a caller. */

#include "lib/remote/catalogue_caller.h"
#include "tests/unit/redis_fake.h"

static struct fake_keys keys;
static struct fake_server server;
static char address[80];

static int start(void **state)
{
    (void)state;
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    snprintf(address, sizeof(address), "redis://127.0.0.1:%u/news?timeout=60",
             server.port);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

static struct og_remote_catalogue *open_catalogue(void)
{
    struct og_remote_catalogue *c;
    assert_int_equal(og_remote_catalogue_open(address, NULL, &c, NULL), OG_OK);
    return c;
}

static void check_word(const struct og_redis_request *request, size_t i,
                       const char *end)
{
    const og_bytes word = request->words[i];
    const size_t len = strlen(end);
    assert_true(word.len >= len);
    assert_memory_equal(word.data + word.len - len, end, len);
}

static void test_requests(void **state)
{
    const og_bytes id = {"a b", 3};
    struct og_catalogue_caller *caller;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_catalogue();
    assert_int_equal(og_catalogue_caller_take(c, 3,
                                              3 * OG_CATALOGUE_KEY +
                                                  OG_CATALOGUE_NUMBER + id.len,
                                              &caller, NULL),
                     OG_OK);
    struct og_redis_request *request =
        og_catalogue_ask_head(c, caller, "HGET", ":{l}");
    check_word(request, 0, "HGET");
    check_word(request, 1, "}:news:{l}");
    request = og_catalogue_ask_number(c, caller, "GET", 't', 4711);
    check_word(request, 1, "}:news:{t}:4711");
    request = og_catalogue_ask_id(c, caller, "SET", id);
    og_catalogue_add_number(caller, request, -5);
    check_word(request, 1, "}:news:{i}:a b");
    check_word(request, 2, "-5");
    assert_int_equal(request->n_words, 3);
    assert_int_equal(caller->n, 3);
    assert_true(request->slot < OG_REDIS_SLOTS);
    assert_int_equal(
        og_catalogue_ask(c, caller, og_catalogue_take_nothing, NULL, NULL),
        OG_OK);
    og_remote_catalogue_close(c);
}

/* Documents that follow one another are not all in one place. */
static void test_places(void **state)
{
    enum { N = 64 };
    struct og_catalogue_caller *caller;
    size_t n_places = 0;
    unsigned slots[N];
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_catalogue();
    assert_int_equal(
        og_catalogue_caller_take(c, N, N * OG_CATALOGUE_KEY, &caller, NULL),
        OG_OK);
    for (uint32_t i = 0; i < N; i++) {
        slots[i] = og_catalogue_ask_number(c, caller, "GET", 't', i)->slot;
        size_t k = 0;
        while (k < i && slots[k] != slots[i])
            k++;
        n_places += k == i;
    }
    assert_true(n_places > N / 2);
    assert_int_equal(
        og_catalogue_write(c, caller, og_catalogue_take_nothing, NULL, NULL),
        OG_OK);
    og_remote_catalogue_close(c);
}

static void test_callers_are_used_again(void **state)
{
    struct og_catalogue_caller *a, *b, *again;
    og_error err = {0};
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_catalogue();
    assert_int_equal(og_catalogue_caller_take(c, 1, 200, &a, NULL), OG_OK);
    assert_int_equal(og_catalogue_caller_take(c, 1, 200, &b, NULL), OG_OK);
    assert_ptr_not_equal(a, b);
    assert_int_equal(
        og_catalogue_ask(c, a, og_catalogue_take_nothing, NULL, NULL), OG_OK);
    assert_int_equal(og_catalogue_caller_take(c, 1, 200, &again, NULL), OG_OK);
    assert_ptr_equal(again, a);
    assert_int_equal(again->n, 0);
    assert_int_equal(
        og_catalogue_ask(c, again, og_catalogue_take_nothing, NULL, NULL),
        OG_OK);
    assert_int_equal(
        og_catalogue_ask(c, b, og_catalogue_take_nothing, NULL, NULL), OG_OK);
    assert_int_equal(og_catalogue_no_answer(c, "GET", &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "the answer to GET makes no sense"));
    og_remote_catalogue_close(c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_requests),
        TEST(test_places),
        TEST(test_callers_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
