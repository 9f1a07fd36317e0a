/* Callers are used again, requests have the words that servers expect, and a
 * request that fails leaves its caller to the next one. */

#include "lib/remote/remote_caller.h"
#include "tests/unit/redis_fake.h"

static struct fake_keys keys;
static struct fake_server server;
static struct og_remote_table *table;

static int start(void **state)
{
    (void)state;
    char address[80];
    const og_partition_options o = og_partition_options_default();
    struct og_remote_options options = {.address = address,
                                        .is_made = true,
                                        .catalogue = {1},
                                        .table =
                                            og_partition_table_options(&o)};
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    fake_start(&server);
    snprintf(address, sizeof(address), "redis://127.0.0.1:%u/news?timeout=60",
             server.port);
    options.table.memory = 64 << 20; /* several partitions */
    og_error err = {0};
    if (og_remote_table_open(&options, NULL, &table, &err) != OG_OK)
        print_error("%s\n", err.message);
    return table != NULL ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    og_remote_table_close(table);
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

static struct og_remote_caller *take(void)
{
    struct og_remote_caller *c;
    og_error err = {0};
    if (og_remote_caller_take(table, &c, &err) != OG_OK)
        fail_msg("%s", err.message);
    return c;
}

static void test_used_again(void **state)
{
    (void)state;
    struct og_remote_caller *a = take(), *b = take();
    assert_ptr_not_equal(a, b);
    og_remote_caller_give(table, a);
    og_remote_caller_give(table, b);
    assert_ptr_equal(take(), b);
    assert_ptr_equal(take(), a);
    og_remote_caller_give(table, a);
    og_remote_caller_give(table, b);
    og_remote_callers_free(table);
    assert_null(table->idle);
}

static void assert_word(og_bytes word, const char *expected)
{
    assert_int_equal(word.len, strlen(expected));
    assert_memory_equal(word.data, expected, word.len);
}

static void test_about_a_partition(void **state)
{
    (void)state;
    struct og_remote_caller *c = take();
    assert_true(table->n_partitions > 2);
    for (int again = 0; again < 2; again++) { /* from the start each time */
        struct og_redis_request *r =
            og_remote_ask_partition(table, c, 1, "ORIGO.INFO", 2);
        assert_ptr_equal(r, &c->requests[1]);
        assert_int_equal(c->asked[1], 2);
        assert_int_equal(r->slot, og_partition_slot(2, table->options.n_bits));
        assert_int_equal(r->n_words, 2);
        og_redis_add_word(r, og_redis_word("MORE"));
        assert_int_equal(r->n_words, 3);
        assert_word(r->words[0], "ORIGO.INFO");
        assert_word(r->words[1], table->keys[2]);
        assert_word(r->words[2], "MORE");
    }
    og_remote_caller_give(table, c);
}

static og_status count_items(void *ctx, size_t number,
                             const struct og_resp *reply, og_error *err)
{
    (void)err;
    assert_int_equal(number, 0);
    assert_int_equal(reply->items[0].kind, OG_RESP_LIST);
    *(size_t *)ctx = reply->n;
    return OG_OK;
}

static og_status refuse(void *ctx, size_t number, const struct og_resp *reply,
                        og_error *err)
{
    (void)ctx, (void)number, (void)reply;
    return og_remote_no_answer(table, "HGETALL", err);
}

static void test_about_the_table(void **state)
{
    (void)state;
    const size_t documents = 2 * 9 + 1; /* nine fields of a table's head */
    og_error err = {0};
    size_t n = 0;
    og_remote_callers_free(table);
    assert_int_equal(
        og_remote_ask_head(table, "HGETALL", NULL, 0, count_items, &n, &err),
        OG_OK);
    assert_int_equal(n, documents);
    struct og_remote_caller *first = table->idle;
    assert_non_null(first);
    assert_null(first->next);
    assert_int_equal(
        og_remote_ask_head(table, "HGETALL", NULL, 0, refuse, NULL, &err),
        OG_ERR_IO);
    assert_string_equal(err.message,
                        "table 'news': the answer to HGETALL makes no sense");
    assert_ptr_equal(table->idle, first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_used_again),
        TEST(test_about_a_partition),
        TEST(test_about_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
