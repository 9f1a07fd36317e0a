/* A table on servers, in partitions and in plain keys, compared with one that
 * is undivided; which catalogue may use it; and servers that break off. */

#include "lib/remote/plain_table.h"
#include "tests/unit/redis_fake.h"

enum { N = 500, N_DOCUMENTS = 30, MEMORY = 64 << 20 };

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

static int start_plain(void **state)
{
    (void)start(state);
    strcat(address, "&mode=plain");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

static og_status open_as(uint8_t catalogue, bool is_made, uint64_t memory,
                         struct og_remote_table **out, og_error *err)
{
    const og_partition_options o = og_partition_options_default();
    struct og_remote_options options = {.address = address,
                                        .is_made = is_made,
                                        .catalogue = {catalogue},
                                        .table =
                                            og_partition_table_options(&o)};
    options.table.memory = memory;
    return og_remote_table_open(&options, NULL, out, err);
}

static struct og_remote_table *open_well(void)
{
    struct og_remote_table *t;
    og_error err = {0};
    if (open_as(1, true, MEMORY, &t, &err) != OG_OK)
        fail_msg("%s", err.message);
    return t;
}

/* ---- documents ---- */

struct doc {
    uint64_t fps[N];
    uint16_t offsets[N], near[N];
    uint8_t weights[N], spare[N];
    uint32_t origins[N];
    struct og_additions add;
};

/* Documents share half of what they have; some are late. */
static bool is_earlier(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    const uint32_t x = a % 7 == 5 ? a / 2 : a, y = b % 7 == 5 ? b / 2 : b;
    return x != y ? x < y : a < b;
}

static void make_doc(struct doc *d, uint32_t number)
{
    uint64_t random = number + 1;
    for (size_t i = 0; i < N; i++) {
        const uint64_t lot = og_random_next(&random);
        d->fps[i] = og_mix64(lot % 2 == 0 ? lot % 4000 : lot);
        d->offsets[i] = (uint16_t)i;
        d->near[i] = (uint16_t)(number * 7);
        d->weights[i] = (uint8_t)(1 + lot % 3);
        d->spare[i] = lot % 9 == 0;
        d->origins[i] = number > 2 && lot % 50 == 1 ? 1 : OG_NO_DOC;
    }
    d->add =
        (struct og_additions){.doc = number,
                              .fp = d->fps,
                              .offset = d->offsets,
                              .near = d->near,
                              .weight = number % 3 == 0 ? d->weights : NULL,
                              .spare = number % 4 == 0 ? d->spare : NULL,
                              .origin = number % 5 == 0 ? d->origins : NULL,
                              .n = N,
                              .earlier = is_earlier};
}

static void find(struct og_remote_table *t, const struct doc *d,
                 struct og_hit *hits, uint32_t n_documents)
{
    const struct og_remote_question question = {d->fps, N, hits, NULL};
    og_error err = {0};
    if (og_remote_table_find(t, &question, 1, n_documents, &err) != OG_OK)
        fail_msg("%s", err.message);
}

static uint32_t observe(struct og_remote_table *t, const struct doc *d)
{
    struct og_hit hits[N];
    uint32_t holders[N];
    struct og_pack list = {0};
    og_error err = {0};
    struct og_remote_document one = {.additions = &d->add};
    find(t, d, hits, OG_NO_DOC);
    for (size_t i = 0; i < N; i++)
        holders[i] = hits[i].doc;
    assert_int_equal(
        og_remote_reversed(holders, N, &d->add, &list, &one.n_reversed, &err),
        OG_OK);
    one.reversed = (const uint32_t *)list.data;
    if (og_remote_table_observe(t, &one, 1, &err) != OG_OK)
        fail_msg("%s", err.message);
    og_pack_release(&list);
    return one.n_new;
}

static void open_local(struct og_table *t, const struct og_remote_table *like)
{
    struct og_table_options o = og_remote_table_shape(like)->options;
    o.memory =
        og_remote_table_shape(like)->n_full * og_table_bucket_len(&o) + 8;
    assert_int_equal(og_table_init(t, &o, NULL, NULL), OG_OK);
    assert_int_equal(t->n_full, og_remote_table_shape(like)->n_full);
}

/* The same documents to both. */
static void compare_with_undivided(void)
{
    static struct doc d;
    struct og_hit local[N], remote[N];
    struct og_table t;
    struct og_remote_table *r = open_well();
    assert_int_equal(og_remote_table_memory(r), MEMORY);
    open_local(&t, r);
    for (uint32_t i = 0; i < N_DOCUMENTS; i++) {
        make_doc(&d, i);
        const uint64_t before = t.n_used + t.n_evicted;
        og_table_add_many(&t, &d.add);
        assert_int_equal(observe(r, &d), t.n_used + t.n_evicted - before);
    }
    for (uint32_t i = 0; i < N_DOCUMENTS; i++) {
        make_doc(&d, i);
        og_table_find_many(&t, d.fps, N, local);
        find(r, &d, remote, N_DOCUMENTS);
        assert_memory_equal(local, remote, sizeof(local));
    }
    struct og_remote_counts counts;
    assert_int_equal(og_remote_table_count(r, &counts, NULL), OG_OK);
    assert_int_equal(counts.n_used, t.n_used);
    og_table_release(&t);
    og_remote_table_close(r);
}

static void test_same_as_undivided(void **state)
{
    (void)state;
    /* Each kind of break once: before and after the work was done. */
    server.rules[0] = (struct fake_rule){.command = "ORIGO.LOOKUP", .nth = 5};
    server.rules[1] = (struct fake_rule){.command = "ORIGO.OBSERVE", .nth = 9};
    server.rules[2] = (struct fake_rule){
        .command = "ORIGO.OBSERVE", .nth = 17, .reply = "-TRYAGAIN x\r\n"};
    fake_start(&server);
    compare_with_undivided();
    assert_int_equal(keys.n, 4);
}

/* A batch that arrives twice, since its answer did not, does no harm. */
static void test_answer_lost(void **state)
{
    static struct doc d;
    struct og_hit hits[N];
    (void)state;
    server.rules[0] =
        (struct fake_rule){.command = "ORIGO.OBSERVE", .nth = 2, .works = true};
    fake_start(&server);
    struct og_remote_table *r = open_well();
    make_doc(&d, 0);
    observe(r, &d);
    find(r, &d, hits, 1);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(hits[i].doc, 0);
    og_remote_table_close(r);
}

static void test_unknown_documents(void **state)
{
    static struct doc d;
    struct og_hit hits[N];
    (void)state;
    fake_start(&server);
    struct og_remote_table *r = open_well();
    make_doc(&d, 3);
    d.add.origin = NULL;
    observe(r, &d);
    find(r, &d, hits, 3);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(hits[i].doc, OG_NO_DOC);
    find(r, &d, hits, 4);
    assert_int_equal(hits[0].doc, 3);
    og_remote_table_close(r);
}

static void test_whose(void **state)
{
    struct og_remote_table *r;
    og_error err = {0};
    (void)state;
    fake_start(&server);
    assert_int_equal(open_as(1, false, MEMORY, &r, &err), OG_ERR_NO_STORE);
    assert_non_null(strstr(err.message, "there is no table 'news' on 127."));
    r = open_well();
    assert_int_equal(og_remote_table_documents(r), 0);
    assert_int_equal(og_remote_table_note(r, 12, &err), OG_OK);
    og_remote_table_close(r);
    /* Its memory is what it was made with. */
    assert_int_equal(open_as(1, false, MEMORY / 2, &r, &err), OG_OK);
    assert_int_equal(og_remote_table_documents(r), 12);
    assert_int_equal(og_remote_table_memory(r), MEMORY);
    assert_string_equal(og_remote_table_name(r), "news");
    og_remote_table_close(r);
    assert_int_equal(open_as(2, true, MEMORY, &r, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "another catalogue"));
    assert_null(r);
}

/* No memory for all of it: what there was of it goes, and a smaller one can be
 * made. */
static void test_half_made(void **state)
{
    struct og_remote_table *r;
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "ORIGO.RESERVE", .nth = 2, .reply = "-OOM no memory\r\n"};
    fake_start(&server);
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_MEMORY);
    assert_non_null(strstr(err.message, "OOM"));
    assert_int_equal(open_as(1, false, MEMORY, &r, &err), OG_ERR_NO_STORE);
    assert_int_equal(open_as(1, true, MEMORY / 2, &r, &err), OG_OK);
    og_remote_table_close(r);
}

/* Killed after it was claimed: the next one makes it. */
static void test_claimed(void **state)
{
    struct og_remote_table *r;
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "ORIGO.RESERVE", .nth = 2, .reply = "-ERR no\r\n"};
    fake_start(&server);
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_IO);
    assert_int_equal(open_as(2, true, MEMORY, &r, &err), OG_ERR_USAGE);
    og_remote_table_close(open_well());
}

static void test_damaged(void **state)
{
    struct og_remote_table *r;
    og_error err = {0};
    (void)state;
    fake_start(&server);
    og_remote_table_close(open_well());
    pthread_mutex_lock(&keys.lock);
    og_partition_free(keys.partitions[--keys.n]);
    pthread_mutex_unlock(&keys.lock);
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "NOPARTITION"));
    pthread_mutex_lock(&keys.lock);
    snprintf(fake_field(&keys, (og_bytes)OG_LITERAL("bits"), true), 64, "99");
    pthread_mutex_unlock(&keys.lock);
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "damaged"));
}

static void test_wrong_answers(void **state)
{
    static struct doc d;
    struct og_hit hits[N];
    og_error err = {0};
    const struct og_remote_question question = {d.fps, N, hits, NULL};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "ORIGO.LOOKUP", .nth = 1, .reply = "$3\r\nabc\r\n"};
    server.rules[1] = (struct fake_rule){
        .command = "ORIGO.OBSERVE", .nth = 1, .reply = ":5\r\n"};
    fake_start(&server);
    struct og_remote_table *r = open_well();
    make_doc(&d, 0);
    assert_int_equal(og_remote_table_find(r, &question, 1, 9, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "makes no sense"));
    struct og_remote_document one = {.additions = &d.add};
    assert_int_equal(og_remote_table_observe(r, &one, 1, &err), OG_ERR_IO);
    og_remote_table_close(r);
}

/* ---- plain keys ---- */

static void test_plain_same_as_undivided(void **state)
{
    (void)state;
    server.rules[0] = (struct fake_rule){.command = "GET", .nth = 700};
    server.rules[1] = (struct fake_rule){.command = "SET", .nth = 900};
    server.rules[2] = (struct fake_rule){
        .command = "SET", .nth = 2000, .reply = "-TRYAGAIN x\r\n"};
    fake_start(&server);
    compare_with_undivided();
    assert_int_equal(keys.n, 0);
}

/* It is found in its mode; the other mode is refused. */
static void test_plain_is_found(void **state)
{
    struct og_remote_table *r;
    og_error err = {0};
    char *mode = strstr(address, "&mode=plain");
    (void)state;
    fake_start(&server);
    og_remote_table_close(open_well());
    *mode = 0;
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_OK);
    og_remote_table_close(r);
    strcat(address, "&mode=module");
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "is kept in plain keys"));
    pthread_mutex_lock(&keys.lock);
    snprintf(fake_field(&keys, (og_bytes)OG_LITERAL("mode"), true), 64, "x");
    pthread_mutex_unlock(&keys.lock);
    *mode = 0;
    assert_int_equal(open_as(1, true, MEMORY, &r, &err), OG_ERR_STORE);
}

/* One document, one fingerprint. */
static void set_one(struct og_remote_table *r, uint32_t doc, uint32_t *n_new)
{
    const uint64_t fp = 77;
    const uint16_t offset = (uint16_t)doc, near = 7;
    const struct og_additions add = {
        .doc = doc, .fp = &fp, .offset = &offset, .near = &near, .n = 1};
    struct og_remote_document one = {.additions = &add};
    og_error err = {0};
    if (og_remote_table_observe(r, &one, 1, &err) != OG_OK)
        fail_msg("%s", err.message);
    *n_new = one.n_new;
}

static struct og_hit find_one(struct og_remote_table *r, uint8_t *lost)
{
    const uint64_t fp = 77;
    struct og_hit hit;
    const struct og_remote_question question = {&fp, 1, &hit, lost};
    og_error err = {0};
    if (og_remote_table_find(r, &question, 1, 1000, &err) != OG_OK)
        fail_msg("%s", err.message);
    return hit;
}

/* The value of the one key that there is. */
static char *only_value(void)
{
    for (size_t i = 0; i < FAKE_VALUES; i++)
        if (keys.values[i].key[0] != 0) return keys.values[i].value;
    fail_msg("there is no key");
    return NULL;
}

/* Somebody else takes the key over at the same time: the earliest remains. */
static void test_plain_race(void **state)
{
    uint32_t n_new;
    (void)state;
    /* What 5 and 1 are told of the key is older than what is there. */
    server.rules[0] = (struct fake_rule){
        .command = "SET", .nth = 2, .reply = "$11\r\n42950328327\r\n"};
    server.rules[1] = (struct fake_rule){
        .command = "SET", .nth = 3, .reply = "$11\r\n42950328327\r\n"};
    fake_start(&server);
    struct og_remote_table *r = open_well();
    set_one(r, 10, &n_new);
    assert_int_equal(n_new, 1);
    assert_int_equal(find_one(r, NULL).doc, 10);
    pthread_mutex_lock(&keys.lock);
    assert_string_equal(only_value(), "42950328327");
    og_plain_write_value((struct og_hit){.doc = 2, .offset = 9}, only_value());
    pthread_mutex_unlock(&keys.lock);
    set_one(r, 5, &n_new);
    assert_int_equal(n_new, 0);
    assert_int_equal(find_one(r, NULL).doc, 2);
    assert_int_equal(find_one(r, NULL).offset, 9);
    set_one(r, 1, &n_new);
    set_one(r, 4, &n_new);
    assert_int_equal(find_one(r, NULL).doc, 1);
    assert_int_equal(find_one(r, NULL).offset, 1);
    og_remote_table_close(r);
}

/* Missing fingerprints may have been there once a server has evicted something;
 * the table remembers that when the server forgets it. */
static void test_plain_evictions(void **state)
{
    struct og_remote_counts counts;
    uint8_t lost = 9;
    (void)state;
    fake_start(&server);
    struct og_remote_table *r = open_well();
    (void)find_one(r, &lost);
    assert_int_equal(lost, 0);
    pthread_mutex_lock(&keys.lock);
    keys.n_evicted = 3;
    pthread_mutex_unlock(&keys.lock);
    og_remote_table_close(r);
    r = open_well();
    assert_int_equal(og_remote_table_count(r, &counts, NULL), OG_OK);
    assert_int_equal(counts.n_evicted, 3);
    (void)find_one(r, &lost);
    assert_int_equal(lost, 1);
    assert_int_equal(og_remote_table_note(r, 0, NULL), OG_OK);
    og_remote_table_close(r);
    pthread_mutex_lock(&keys.lock);
    keys.n_evicted = 0;
    pthread_mutex_unlock(&keys.lock);
    r = open_well();
    (void)find_one(r, &lost);
    assert_int_equal(lost, 1);
    og_remote_table_close(r);
}

static void test_plain_damaged(void **state)
{
    const uint64_t fp = 77;
    struct og_hit hit;
    const struct og_remote_question question = {&fp, 1, &hit, NULL};
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "GET", .nth = 1, .reply = "$3\r\n1x2\r\n"};
    server.rules[1] =
        (struct fake_rule){.command = "GET", .nth = 2, .reply = "*0\r\n"};
    server.rules[2] = (struct fake_rule){
        .command = "GET", .nth = 3, .reply = "-WRONGTYPE x\r\n"};
    fake_start(&server);
    struct og_remote_table *r = open_well();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(og_remote_table_find(r, &question, 1, 9, &err),
                         OG_ERR_STORE);
        assert_non_null(strstr(err.message, "origo:news:"));
    }
    og_remote_table_close(r);
}

#define TEST(name)  cmocka_unit_test_setup_teardown(name, start, stop)
#define PLAIN(name) cmocka_unit_test_setup_teardown(name, start_plain, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_same_as_undivided),
        TEST(test_answer_lost),
        TEST(test_unknown_documents),
        TEST(test_whose),
        TEST(test_half_made),
        TEST(test_claimed),
        TEST(test_damaged),
        TEST(test_wrong_answers),
        PLAIN(test_plain_same_as_undivided),
        PLAIN(test_plain_is_found),
        PLAIN(test_plain_race),
        PLAIN(test_plain_evictions),
        PLAIN(test_plain_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
