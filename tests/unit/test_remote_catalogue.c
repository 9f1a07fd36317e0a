/* Documents as keys of a server: what was put is found, by everybody; replies
 * that make no sense; replicas. */

#include "lib/remote/remote_catalogue.h"
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

static struct og_remote_catalogue *open_at(const char *where)
{
    struct og_remote_catalogue *c;
    og_error err = {0};
    if (og_remote_catalogue_open(where, NULL, &c, &err) != OG_OK)
        fail_msg("%s", err.message);
    return c;
}

static og_bytes bytes(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

#define WELL(expr)                                                             \
    do {                                                                       \
        og_error err = {0};                                                    \
        if ((expr) != OG_OK) fail_msg("%s", err.message);                      \
    } while (0)

/* ---- the head ---- */

static void test_one_conf_counts(void **state)
{
    struct og_pack found = {0};
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *a = open_at(address), *b = open_at(address);
    WELL(og_remote_catalogue_conf(a, bytes(""), &found, &err));
    assert_int_equal(found.len, 0);
    WELL(og_remote_catalogue_check_free(a, &err));
    WELL(og_remote_catalogue_conf(a, bytes("mine"), &found, &err));
    WELL(og_remote_catalogue_conf(b, bytes("yours"), &found, &err));
    assert_memory_equal(found.data, "mine", 4);
    assert_int_equal(found.len, 4);
    og_pack_release(&found);
    og_remote_catalogue_close(a);
    og_remote_catalogue_close(b);
}

static void test_table_of_a_folder(void **state)
{
    og_error err = {0};
    (void)state;
    snprintf(fake_field(&keys, bytes("catalogue"), true), FAKE_VALUE, "00ff");
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    assert_int_equal(og_remote_catalogue_check_free(c, &err), OG_ERR_USAGE);
    og_remote_catalogue_close(c);
}

static void test_numbers(void **state)
{
    struct og_remote_numbers numbers;
    const uint32_t two[] = {0, 1};
    struct og_remote_tally n;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *a = open_at(address), *b = open_at(address);
    WELL(og_remote_catalogue_reserve(a, 10, &numbers, &err));
    assert_int_equal(numbers.first, 0);
    assert_true(numbers.latest == INT64_MIN);
    WELL(og_remote_catalogue_reserve(b, 5, &numbers, &err));
    assert_int_equal(numbers.first, 10);
    WELL(og_remote_catalogue_commit(a, two, 2, 1700000000123456, &err));
    WELL(og_remote_catalogue_commit(b, two, 2, 1600000000000000, &err));
    WELL(og_remote_catalogue_reserve(b, 1, &numbers, &err));
    assert_true(numbers.latest == 1700000000123456);
    WELL(og_remote_catalogue_count(b, &n, &err));
    assert_int_equal(n.n_numbers, 16);
    assert_int_equal(n.n_documents, 4);
    snprintf(fake_field(&keys, bytes("next"), true), FAKE_VALUE, "4294967290");
    og_error err = {0};
    assert_int_equal(og_remote_catalogue_reserve(a, 5, &numbers, &err),
                     OG_ERR_LIMIT);
    og_remote_catalogue_close(a);
    og_remote_catalogue_close(b);
}

/* ---- ids ---- */

static void test_claims(void **state)
{
    struct og_remote_id first[] = {{bytes("x"), 3, 0}, {bytes("y"), 4, 0}};
    struct og_remote_id second[] = {
        {bytes("y"), 7, 0}, {bytes(""), 8, 0}, {bytes("z"), OG_NO_DOC, 0}};
    (void)state;
    /* The answer is lost, and the claim is sent again. */
    server.rules[0] = (struct fake_rule){
        .command = "SET", .nth = 1, .reply = NULL, .works = true};
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    WELL(og_remote_catalogue_claim(c, first, 2, &err));
    assert_int_equal(first[0].found, OG_NO_DOC);
    assert_int_equal(first[1].found, OG_NO_DOC);
    WELL(og_remote_catalogue_claim(c, second, 3, &err));
    assert_int_equal(second[0].found, 4);
    assert_int_equal(second[1].found, OG_NO_DOC);
    assert_int_equal(second[2].found, OG_NO_DOC);
    og_remote_catalogue_close(c);
}

/* ---- documents ---- */

struct got {
    char text[4][32];
    bool is_committed[4], is_removed[4];
};

static og_status keep(void *ctx, size_t i, og_bytes entry, unsigned state,
                      og_error *err)
{
    struct got *got = ctx;
    (void)err;
    fake_copy(entry, got->text[i], sizeof(got->text[i]));
    got->is_removed[i] = (state & OG_REMOTE_REMOVED) != 0;
    got->is_committed[i] = (state & OG_REMOTE_COMMITTED) != 0;
    return OG_OK;
}

static void test_documents(void **state)
{
    const uint32_t origins[] = {5, 900}, asked[] = {5, 6, 70000, 900};
    const struct og_remote_entry entries[] = {
        {.number = 5, .id = bytes("a"), .entry = bytes("five")},
        {.number = 70000,
         .id = bytes("b"),
         .sets_id = true,
         .entry = bytes("many"),
         .origins = origins,
         .n_origins = 2},
        {.number = 900, .id = bytes("c"), .origins = origins, .n_origins = 1},
    };
    struct og_remote_id id = {bytes("b"), OG_NO_DOC, 0};
    struct got got;
    uint32_t copiers[4];
    size_t n;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    WELL(og_remote_catalogue_put(c, entries, 3, &err));
    WELL(og_remote_catalogue_put(c, entries, 3, &err)); /* again: no harm */
    WELL(og_remote_catalogue_commit(c, asked, 1, INT64_MIN, &err));
    WELL(og_remote_catalogue_get(c, asked, 4, keep, &got, &err));
    assert_string_equal(got.text[0], "five");
    assert_true(got.is_committed[0]);
    assert_string_equal(got.text[1], "");
    assert_string_equal(got.text[2], "many");
    assert_false(got.is_committed[2]);
    WELL(og_remote_catalogue_claim(c, &id, 1, &err));
    assert_int_equal(id.found, 70000);
    WELL(og_remote_catalogue_copiers(c, 5, 4, copiers, &n, &err));
    assert_int_equal(n, 2);
    assert_int_equal(copiers[0], 900);
    assert_int_equal(copiers[1], 70000);
    WELL(og_remote_catalogue_copiers(c, 5, 1, copiers, &n, &err));
    assert_int_equal(n, 1);
    WELL(og_remote_catalogue_copiers(c, 6, 4, copiers, &n, &err));
    assert_int_equal(n, 0);
    og_remote_catalogue_close(c);
}

static void test_texts(void **state)
{
    char out[16];
    uint32_t a, b;
    size_t n;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    WELL(og_remote_catalogue_put_text(c, bytes("0123456789"), &a, &err));
    WELL(og_remote_catalogue_put_text(c, bytes("other"), &b, &err));
    assert_true(a > 0 && b > 0 && a != b);
    WELL(og_remote_catalogue_get_text(c, a, 3, out, 4, &n, &err));
    assert_int_equal(n, 4);
    assert_memory_equal(out, "3456", 4);
    WELL(og_remote_catalogue_get_text(c, a, 8, out, sizeof(out), &n, &err));
    assert_int_equal(n, 2);
    WELL(og_remote_catalogue_get_text(c, a, UINT64_MAX, out, 4, &n, &err));
    assert_int_equal(n, 0);
    WELL(og_remote_catalogue_get_text(c, 77, 0, out, 4, &n, &err));
    assert_int_equal(n, 0);
    og_remote_catalogue_close(c);
}

/* ---- removing ---- */

static void test_removing(void **state)
{
    const uint32_t origins[] = {5}, asked[] = {5, 6};
    const struct og_remote_entry entries[] = {{.number = 5,
                                               .id = bytes("a"),
                                               .sets_id = true,
                                               .entry = bytes("five")},
                                              {.number = 6,
                                               .id = bytes("a"),
                                               .sets_id = true,
                                               .entry = bytes("six"),
                                               .origins = origins,
                                               .n_origins = 1,
                                               .is_version = true,
                                               .series = 5}};
    struct og_remote_id id = {bytes("a"), OG_NO_DOC, 0};
    uint32_t found[4];
    size_t n;
    struct got got;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    WELL(og_remote_catalogue_put(c, entries, 2, &err));
    WELL(og_remote_catalogue_versions(c, 5, 4, found, &n, &err));
    assert_int_equal(n, 1);
    assert_int_equal(found[0], 6);
    WELL(og_remote_catalogue_remove(c, 5, &err));
    WELL(og_remote_catalogue_get(c, asked, 2, keep, &got, &err));
    assert_true(got.is_removed[0]);
    assert_false(got.is_removed[1]);
    assert_string_equal(got.text[0], "five");
    /* The id is that of a later version, and stays. */
    WELL(og_remote_catalogue_purge(c, 5, bytes("a"), bytes("-"), &err));
    WELL(og_remote_catalogue_claim(c, &id, 1, &err));
    assert_int_equal(id.found, 6);
    WELL(og_remote_catalogue_get(c, asked, 2, keep, &got, &err));
    assert_string_equal(got.text[0], "-");
    WELL(og_remote_catalogue_copiers(c, 5, 4, found, &n, &err));
    WELL(og_remote_catalogue_purge(c, 6, bytes("a"), bytes("-"), &err));
    WELL(og_remote_catalogue_claim(c, &id, 1, &err));
    assert_int_equal(id.found, OG_NO_DOC);
    og_remote_catalogue_close(c);
}

static void test_changing_a_text(void **state)
{
    char out[16];
    uint32_t a;
    size_t n;
    bool is_done;
    (void)state;
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(address);
    WELL(og_remote_catalogue_put_text(c, bytes("0123456789"), &a, &err));
    WELL(og_remote_catalogue_change_text(c, a, 3, bytes("345"), bytes("xyz"),
                                         &is_done, &err));
    assert_true(is_done);
    WELL(og_remote_catalogue_change_text(c, a, 3, bytes("345"), bytes("---"),
                                         &is_done, &err));
    assert_false(is_done);
    WELL(og_remote_catalogue_get_text(c, a, 0, out, sizeof(out), &n, &err));
    assert_memory_equal(out, "012xyz6789", 10);
    og_remote_catalogue_close(c);
}

/* ---- replies of strangers ---- */

static void test_nonsense(void **state)
{
    static const char *const replies[] = {
        "+OK\r\n",      ":-1\r\n",
        "*0\r\n",       "*2\r\n:1\r\n:2\r\n",
        "$2\r\n-1\r\n", "$11\r\n42949672960\r\n"};
    static const char *const commands[] = {"HMGET", "SET", "ZRANGE", "GETRANGE",
                                           "HINCRBY"};
    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        for (size_t j = 0; j < 5; j++)
            server.rules[j] = (struct fake_rule){
                .command = commands[j], .nth = 1, .reply = replies[i]};
        memset(server.n_seen, 0, sizeof(server.n_seen));
        fake_start(&server);
        struct og_remote_catalogue *c = open_at(address);
        struct og_remote_id id = {bytes("a"), 1, 0};
        struct og_remote_numbers numbers;
        const uint32_t number = 1;
        struct got got;
        uint32_t copiers[1];
        char out[1];
        size_t n;
        const bool is_empty = replies[i][1] == '0';
        assert_int_equal(
            og_remote_catalogue_get(c, &number, 1, keep, &got, NULL),
            OG_ERR_IO);
        assert_int_equal(og_remote_catalogue_claim(c, &id, 1, NULL), OG_ERR_IO);
        assert_int_equal(
            og_remote_catalogue_copiers(c, 1, 1, copiers, &n, NULL),
            is_empty ? OG_OK : OG_ERR_IO);
        assert_int_equal(
            og_remote_catalogue_get_text(c, 1, 0, out, 1, &n, NULL), OG_ERR_IO);
        assert_int_equal(og_remote_catalogue_reserve(c, 1, &numbers, NULL),
                         OG_ERR_IO);
        og_remote_catalogue_close(c);
        fake_leave(&server);
    }
}

/* ---- replicas ---- */

static void test_replicas(void **state)
{
    char where[120];
    og_error why = {0};
    uint32_t number;
    (void)state;
    snprintf(where, sizeof(where), "redis://127.0.0.1:%u/news?timeout=1&wait=2",
             server.port);
    keys.n_replicas = 1;
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(where);
    assert_int_equal(og_remote_catalogue_put_text(c, bytes("x"), &number, &why),
                     OG_ERR_IO);
    assert_non_null(strstr(why.message, "1 of 2 replicas"));
    pthread_mutex_lock(&keys.lock);
    keys.n_replicas = 2;
    pthread_mutex_unlock(&keys.lock);
    WELL(og_remote_catalogue_put_text(c, bytes("x"), &number, &err));
    og_remote_catalogue_close(c);
}

/* The server goes away after it has written, before a replica has it. */
static void test_written_again(void **state)
{
    char where[120];
    uint32_t number;
    (void)state;
    snprintf(where, sizeof(where),
             "redis://127.0.0.1:%u/news?timeout=60&wait=1", server.port);
    keys.n_replicas = 1;
    server.rules[0] = (struct fake_rule){.command = "WAIT", .nth = 1};
    fake_start(&server);
    struct og_remote_catalogue *c = open_at(where);
    WELL(og_remote_catalogue_put_text(c, bytes("x"), &number, &err));
    assert_int_equal(server.n_seen[0], 2);
    og_remote_catalogue_close(c);
}

static void test_bad_address(void **state)
{
    struct og_remote_catalogue *c;
    (void)state;
    assert_int_equal(og_remote_catalogue_open("redis://h", NULL, &c, NULL),
                     OG_ERR_USAGE);
    assert_null(c);
    og_remote_catalogue_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_conf_counts), TEST(test_table_of_a_folder),
        TEST(test_numbers),         TEST(test_claims),
        TEST(test_documents),       TEST(test_texts),
        TEST(test_nonsense),        TEST(test_replicas),
        TEST(test_written_again),   TEST(test_removing),
        TEST(test_changing_a_text), TEST(test_bad_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
