/* Fingerprints as keys of a server: what a key holds, who keeps it, and what
 * was evicted. test_remote_table.c compares whole tables. */

#include "lib/remote/plain_table.h"
#include "tests/unit/redis_fake.h"

#include "lib/partition/partition.h"

enum { MEMORY = 1 << 20 };

static struct fake_keys keys;
static struct fake_server server;
static struct og_table_address address;
static struct og_redis_client *client;
static struct og_table shape;
static struct og_plain_table table;
static struct og_plain_room *room;

static int start(void **state)
{
    (void)state;
    const og_partition_options o = og_partition_options_default();
    struct og_table_options options = og_partition_table_options(&o);
    options.memory = MEMORY;
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    address =
        (struct og_table_address){.n_hosts = 1, .table = "news", .timeout = 60};
    snprintf(address.hosts[0].name, OG_ADDRESS_HOST_MAX, "127.0.0.1");
    address.hosts[0].port = server.port;
    assert_int_equal(og_table_init(&shape, &options, NULL, NULL), OG_OK);
    assert_int_equal(og_redis_client_new(&address, NULL, &client, NULL), OG_OK);
    table = (struct og_plain_table){.shape = &shape, .name = "news"};
    assert_int_equal(og_plain_room_new(&table, &room, NULL), OG_OK);
    fake_start(&server);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    og_plain_room_free(room);
    og_plain_room_free(NULL);
    og_redis_client_free(client);
    og_table_release(&shape);
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

/* ---- values ---- */

static void test_plain_values(void **state)
{
    static const struct og_hit hits[] = {
        {0, 0, 0}, {1, 2, 3}, {OG_NO_DOC - 1, 65535, 65535}, {1u << 31, 0, 1}};
    static const char *const wrong[] = {"",
                                        "-",
                                        "x",
                                        "1 ",
                                        "+1",
                                        "--1",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "123456789012345678901",
                                        "36893488147419103233", /* 2^65 + 1 */
                                        "-1"}; /* the number of no document */
    (void)state;
    for (size_t i = 0; i < sizeof(hits) / sizeof(*hits); i++) {
        char text[OG_PLAIN_VALUE_LEN];
        struct og_hit hit;
        og_plain_write_value(hits[i], text);
        assert_true(og_plain_read_value((og_bytes){text, strlen(text)}, &hit));
        assert_memory_equal(&hit, &hits[i], sizeof(hit));
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct og_hit hit;
        assert_false(
            og_plain_read_value((og_bytes){wrong[i], strlen(wrong[i])}, &hit));
    }
}

/* One signed number, in decimal: the document leads. */
static void test_a_value_is_a_number(void **state)
{
    (void)state;
    char text[OG_PLAIN_VALUE_LEN];
    og_plain_write_value((struct og_hit){.doc = 1, .offset = 2, .near = 3},
                         text);
    assert_string_equal(text, "4295098371");
    og_plain_write_value((struct og_hit){.doc = 1u << 31}, text);
    assert_string_equal(text, "-9223372036854775808");
}

/* ---- what a server says of itself ---- */

static uint64_t number_in(const char *text, const char *name)
{
    return og_plain_info_number((og_bytes){text, strlen(text)}, name);
}

static void test_numbers_of_info(void **state)
{
    (void)state;
    static const char info[] = "# Stats\r\nevicted_keys:17\r\nkeys:5\r\n"
                               "huge:99999999999999999999999\r\nlast:3";
    assert_int_equal(number_in(info, "evicted_keys"), 17);
    assert_int_equal(number_in(info, "keys"), 5); /* the whole name */
    assert_int_equal(number_in(info, "last"), 3);
    assert_int_equal(number_in(info, "evicted"), 0);
    assert_int_equal(number_in(info, "none"), 0);
    assert_int_equal(number_in("", "keys"), 0);
    assert_int_equal(number_in("keys", "keys"), 0);
    assert_int_equal(number_in("keys:", "keys"), 0);
    assert_int_equal(number_in("keys:-1", "keys"), 0);
    assert_true(number_in(info, "huge") >= UINT64_MAX / 16); /* no overflow */
}

/* Asked through many slots, a server counts once. */
static void test_evictions(void **state)
{
    (void)state;
    uint64_t n = 0;
    keys.n_evicted = 41;
    assert_int_equal(og_plain_evictions(&table, client, &n, NULL), OG_OK);
    assert_int_equal(n, 41);
}

/* ---- keys ---- */

static struct og_hit find(uint64_t fp, uint32_t n_documents, bool has_evicted,
                          uint8_t *lost)
{
    struct og_hit hit;
    const struct og_remote_question question = {&fp, 1, &hit, lost};
    assert_int_equal(og_plain_find(&table, room, client, &question, 1,
                                   n_documents, has_evicted, NULL),
                     OG_OK);
    return hit;
}

static uint32_t observe(uint32_t doc, const uint64_t *fps, size_t n,
                        bool is_seen)
{
    uint16_t offsets[3000];
    for (size_t i = 0; i < n; i++)
        offsets[i] = (uint16_t)(i + 1);
    const struct og_additions add = {
        .doc = doc, .fp = fps, .offset = offsets, .near = offsets, .n = n};
    struct og_remote_document document = {.additions = &add,
                                          .is_seen = is_seen};
    assert_int_equal(og_plain_observe(&table, room, client, &document, 1, NULL),
                     OG_OK);
    return document.n_new;
}

static void test_the_earliest_keeps_a_key(void **state)
{
    (void)state;
    const uint64_t fp = 77, other = 78;
    assert_int_equal(find(fp, 100, false, NULL).doc, OG_NO_DOC);
    assert_int_equal(observe(5, &fp, 1, false), 1);
    assert_int_equal(find(fp, 100, false, NULL).doc, 5);
    assert_int_equal(observe(7, &fp, 1, false), 0);
    assert_int_equal(find(fp, 100, false, NULL).doc, 5);
    assert_int_equal(observe(2, &fp, 1, false), 0);
    assert_int_equal(find(fp, 100, false, NULL).doc, 2);
    assert_int_equal(find(other, 100, false, NULL).doc, OG_NO_DOC);
    /* Whom the caller does not know yet is nobody. */
    assert_int_equal(find(fp, 2, false, NULL).doc, OG_NO_DOC);
    assert_int_equal(find(fp, 3, false, NULL).doc, 2);
}

/* A document that says of another one that it comes before it. */
static void test_the_order_may_be_another(void **state)
{
    (void)state;
    const uint64_t fp = 5;
    const uint16_t zero = 0;
    const uint32_t reversed[] = {3};
    (void)observe(3, &fp, 1, false);
    const struct og_additions add = {
        .doc = 8, .fp = &fp, .offset = &zero, .near = &zero, .n = 1};
    struct og_remote_document late = {
        .additions = &add, .reversed = reversed, .n_reversed = 1};
    assert_int_equal(og_plain_observe(&table, room, client, &late, 1, NULL),
                     OG_OK);
    assert_int_equal(find(fp, 100, false, NULL).doc, 8);
}

/* With other front ends: whom it met, and only those that it names give way. */
static struct og_hit meet(uint32_t doc, uint64_t fp, uint32_t named,
                          uint32_t *n_new)
{
    const uint16_t zero = 0;
    struct og_hit before = {.doc = 12345};
    const struct og_additions add = {
        .doc = doc, .fp = &fp, .offset = &zero, .near = &zero, .n = 1};
    struct og_remote_document one = {.additions = &add,
                                     .reversed = &named,
                                     .n_reversed = named != OG_NO_DOC,
                                     .before = &before};
    assert_int_equal(og_plain_observe(&table, room, client, &one, 1, NULL),
                     OG_OK);
    *n_new = one.n_new;
    return before;
}

static void test_other_front_ends(void **state)
{
    const uint64_t fp = 5;
    uint32_t n_new;
    (void)state;
    assert_int_equal(meet(7, fp, OG_NO_DOC, &n_new).doc, OG_NO_DOC);
    assert_int_equal(n_new, 1);
    /* Its number is smaller, but that says nothing. */
    assert_int_equal(meet(3, fp, OG_NO_DOC, &n_new).doc, 7);
    assert_int_equal(n_new, 0);
    assert_int_equal(find(fp, 100, false, NULL).doc, 7);
    assert_int_equal(meet(3, fp, 6, &n_new).doc, 7);
    assert_int_equal(find(fp, 100, false, NULL).doc, 7);
    assert_int_equal(meet(9, fp, 7, &n_new).doc, 7);
    assert_int_equal(n_new, 0);
    assert_int_equal(find(fp, 100, false, NULL).doc, 9);
    /* Sent again, nothing changes. */
    assert_int_equal(meet(9, fp, 7, &n_new).doc, 9);
    assert_int_equal(find(fp, 100, false, NULL).doc, 9);
}

/* Two documents of a batch name the same later one: the first has it, and the
 * second is told so. */
static void test_two_of_a_batch(void **state)
{
    const uint64_t fps[] = {5, 5};
    const uint16_t offsets[] = {1, 2};
    const uint32_t named = 3;
    struct og_hit before[2][2];
    struct og_additions add[2];
    struct og_remote_document documents[2];
    uint32_t n_new;
    (void)state;
    (void)meet(3, fps[0], OG_NO_DOC, &n_new);
    for (uint32_t i = 0; i < 2; i++) {
        add[i] = (struct og_additions){.doc = 8 + i,
                                       .fp = fps,
                                       .offset = offsets,
                                       .near = offsets,
                                       .n = 2};
        documents[i] = (struct og_remote_document){.additions = &add[i],
                                                   .reversed = &named,
                                                   .n_reversed = 1,
                                                   .before = before[i]};
    }
    assert_int_equal(og_plain_observe(&table, room, client, documents, 2, NULL),
                     OG_OK);
    assert_int_equal(before[0][0].doc, 3);
    assert_int_equal(before[0][1].doc, 8);
    assert_int_equal(before[1][0].doc, 8);
    assert_int_equal(find(5, 100, false, NULL).doc, 8);
    assert_int_equal(find(5, 100, false, NULL).offset, 1);
}

/* More than are sent at once, and one of them several times. */
static void test_many_keys(void **state)
{
    enum { N = 3000 };
    (void)state;
    static uint64_t fps[N];
    static struct og_hit hits[N];
    for (size_t i = 0; i < N; i++)
        fps[i] = og_mix64(i % 2900);
    assert_int_equal(observe(4, fps, N, true), 0); /* only seen */
    assert_int_equal(find(fps[0], 9, false, NULL).doc, OG_NO_DOC);
    assert_int_equal(observe(4, fps, N, false), 2900);
    const struct og_remote_question question = {fps, N, hits, NULL};
    assert_int_equal(
        og_plain_find(&table, room, client, &question, 1, 9, false, NULL),
        OG_OK);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(hits[i].doc, 4);
    assert_int_equal(observe(1, fps, N, false), 0);
    assert_int_equal(find(fps[N - 1], 9, false, NULL).doc, 1);
}

/* What is not there may have been there once, when keys were evicted. */
static void test_what_may_be_lost(void **state)
{
    (void)state;
    const uint64_t fp = 5;
    uint8_t lost = 9;
    (void)find(1, 9, false, &lost);
    assert_int_equal(lost, 0);
    (void)find(1, 9, true, &lost);
    assert_int_equal(lost, 1);
    (void)observe(0, &fp, 1, false);
    (void)find(fp, 9, true, &lost);
    assert_int_equal(lost, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_values),
        cmocka_unit_test(test_a_value_is_a_number),
        cmocka_unit_test(test_numbers_of_info),
        TEST(test_evictions),
        TEST(test_the_earliest_keeps_a_key),
        TEST(test_the_order_may_be_another),
        TEST(test_other_front_ends),
        TEST(test_two_of_a_batch),
        TEST(test_many_keys),
        TEST(test_what_may_be_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
