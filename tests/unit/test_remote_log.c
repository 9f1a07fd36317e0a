/* A log on a server: everyone reads the same records in the same order, over
 * the ends of segments, after a lost answer and after a lost master. */

#include "lib/remote/remote_log.h"
#include "tests/unit/redis_fake.h"

enum { RECORD = 4, SEGMENT = 40 };

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

#define WELL(expr)                                                             \
    do {                                                                       \
        og_error err = {0};                                                    \
        if ((expr) != OG_OK) fail_msg("%s", err.message);                      \
    } while (0)

static struct og_remote_log open_log(uint32_t n_kept, bool at_end)
{
    struct og_remote_log log = {.kind = 'n',
                                .record_len = RECORD,
                                .n_kept = n_kept,
                                .segment_len = SEGMENT};
    WELL(og_remote_catalogue_open(address, NULL, &log.catalogue, &err));
    WELL(og_remote_log_open(&log, at_end, &err));
    return log;
}

static void close_log(struct og_remote_log *log)
{
    og_remote_catalogue_close(log->catalogue);
}

/* Records n, n + 1, ...; what comes before them is added to `seen`. */
static void append(struct og_remote_log *log, uint32_t first, uint32_t n,
                   struct og_pack *seen)
{
    struct og_pack records = {0};
    for (uint32_t i = 0; i < n; i++)
        og_pack_fixed(&records, first + i, RECORD);
    const og_bytes bytes = {(char *)records.data, records.len};
    WELL(og_remote_log_append(log, bytes, seen, &err));
    og_pack_bytes(seen, records.data, records.len);
    og_pack_release(&records);
}

/* Those that are there for the first time, in order. */
static size_t unlike(const struct og_pack *seen, uint32_t *out)
{
    size_t n = 0;
    for (size_t at = 0; at < seen->len; at += RECORD) {
        const uint32_t record = og_load32(seen->data + at);
        size_t k = 0;
        while (k < n && out[k] != record)
            k++;
        if (k == n) out[n++] = record;
    }
    return n;
}

static void compare(const struct og_pack *seen, const uint32_t *expected,
                    size_t n)
{
    uint32_t out[256];
    assert_int_equal(unlike(seen, out), n);
    assert_memory_equal(out, expected, n * sizeof(*out));
}

static void test_one_order(void **state)
{
    uint32_t expected[256];
    size_t n = 0;
    struct og_pack a_saw = {0}, b_saw = {0}, c_saw = {0};
    (void)state;
    fake_start(&server);
    struct og_remote_log a = open_log(0, false), b = open_log(0, true);
    for (uint32_t i = 0; i < 30; i++) {
        const bool is_a = i % 3 != 1;
        append(is_a ? &a : &b, 100 * i, 1 + i % 4, is_a ? &a_saw : &b_saw);
        for (uint32_t k = 0; k < 1 + i % 4; k++)
            expected[n++] = 100 * i + k;
    }
    assert_true(a.segment > 3);
    WELL(og_remote_log_read(&a, &a_saw, &err));
    WELL(og_remote_log_read(&b, &b_saw, &err));
    compare(&a_saw, expected, n);
    compare(&b_saw, expected, n);
    /* Who comes later reads all; at the end there is nothing new. */
    struct og_remote_log c = open_log(0, false), d = open_log(0, true);
    WELL(og_remote_log_read(&c, &c_saw, &err));
    compare(&c_saw, expected, n);
    c_saw.len = 0;
    WELL(og_remote_log_read(&d, &c_saw, &err));
    assert_int_equal(c_saw.len, 0);
    close_log(&a), close_log(&b), close_log(&c), close_log(&d);
    og_pack_release(&a_saw);
    og_pack_release(&b_saw);
    og_pack_release(&c_saw);
}

static void test_old_segments_go(void **state)
{
    struct og_pack saw = {0}, late = {0};
    (void)state;
    fake_start(&server);
    struct og_remote_log a = open_log(2, false);
    for (uint32_t i = 0; i < 100; i++)
        append(&a, i, 1, &saw);
    assert_int_equal(keys.n_cells, 2);
    struct og_remote_log b = open_log(2, false);
    WELL(og_remote_log_read(&b, &late, &err));
    assert_true(late.len > SEGMENT / 2 && late.len <= 2 * SEGMENT);
    assert_int_equal(og_load32(late.data + late.len - RECORD), 99);
    close_log(&a), close_log(&b);
    og_pack_release(&saw);
    og_pack_release(&late);
}

static void test_lost(void **state)
{
    const uint32_t expected[] = {1, 2, 3};
    struct og_pack a_saw = {0}, b_saw = {0};
    (void)state;
    /* The answer is lost, and the records are sent again. */
    server.rules[0] = (struct fake_rule){
        .command = "APPEND", .nth = 1, .reply = NULL, .works = true};
    fake_start(&server);
    struct og_remote_log a = open_log(0, false), b = open_log(0, false);
    append(&a, 1, 2, &a_saw);
    WELL(og_remote_log_read(&b, &b_saw, &err));
    append(&b, 3, 1, &b_saw);
    compare(&b_saw, expected, 3);
    /* A master is lost, and all that it had: others go on from there. */
    keys.cells[0].value.len = 0;
    append(&a, 4, 1, &a_saw);
    append(&b, 5, 1, &b_saw);
    assert_int_equal(og_load32(b_saw.data + b_saw.len - 2 * RECORD), 4);
    close_log(&a), close_log(&b);
    og_pack_release(&a_saw);
    og_pack_release(&b_saw);
}

static void test_damaged(void **state)
{
    struct og_pack saw = {0};
    og_error err = {0};
    (void)state;
    fake_start(&server);
    struct og_remote_log a = open_log(0, false);
    append(&a, 1, 1, &saw);
    og_pack_bytes(&keys.cells[0].value, "x", 1);
    struct og_remote_log b = open_log(0, false);
    assert_int_equal(og_remote_log_read(&b, &saw, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "log {n}:0"));
    close_log(&a), close_log(&b);
    fake_leave(&server);
    og_pack_release(&saw);
}

static void test_nonsense(void **state)
{
    static const char *const replies[] = {"+OK\r\n", ":-1\r\n", "*0\r\n"};
    struct og_pack saw = {0};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static const char *const commands[] = {"HGET", "GETRANGE", "APPEND"};
        for (size_t j = 0; j < 3; j++)
            server.rules[j] = (struct fake_rule){
                .command = commands[j], .nth = 1, .reply = replies[i]};
        memset(server.n_seen, 0, sizeof(server.n_seen));
        fake_start(&server);
        struct og_remote_log log = {
            .kind = 'n', .record_len = RECORD, .segment_len = SEGMENT};
        WELL(og_remote_catalogue_open(address, NULL, &log.catalogue, &err));
        assert_int_equal(og_remote_log_open(&log, false, NULL), OG_ERR_IO);
        assert_int_equal(og_remote_log_read(&log, &saw, NULL), OG_ERR_IO);
        assert_int_equal(
            og_remote_log_append(&log, (og_bytes){"abcd", 4}, &saw, NULL),
            OG_ERR_IO);
        close_log(&log);
        fake_leave(&server);
    }
    og_pack_release(&saw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_order, start, stop),
        cmocka_unit_test_setup_teardown(test_old_segments_go, start, stop),
        cmocka_unit_test_setup_teardown(test_lost, start, stop),
        cmocka_unit_test_setup_teardown(test_damaged, start, stop),
        cmocka_unit_test_setup_teardown(test_nonsense, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
