/* The documents of a table that others add to: marks of those that are met, ids
 * that others have claimed, untrusted entries. */

#include "lib/base/arena.h"
#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "tests/unit/redis_fake.h"

#include <origo/store.h>

static struct fake_keys keys;
static struct fake_server server;
static char address[80];
static struct og_catalogue marks;
static struct og_shared *shared;

static og_bytes bytes(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static void must(og_status status, const og_error *err)
{
    if (status != OG_OK) fail_msg("%s", err->message);
}

static int start(void **state)
{
    const og_params params = og_params_default();
    og_error err = {0};
    (void)state;
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    snprintf(address, sizeof(address), "redis://127.0.0.1:%u/news?timeout=60",
             server.port);
    fake_start(&server);
    og_catalogue_init(&marks, NULL, 0, INT64_MIN, NULL);
    must(og_catalogue_share(&marks, &err), &err);
    must(og_shared_open(address, &params, OG_INDEX_PASSAGES, &marks, NULL,
                        &shared, &err),
         &err);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    og_shared_close(shared);
    og_catalogue_release(&marks);
    fake_stop(&server);
    fake_keys_release(&keys);
    return 0;
}

/* As another front end would. */
static void put(uint32_t number, const char *id, int64_t time)
{
    struct og_pack packed = {0};
    struct og_remote_catalogue *other;
    og_error err = {0};
    const struct og_entry entry = {.id = bytes(id),
                                   .title = bytes(""),
                                   .url = bytes(""),
                                   .extra = bytes(""),
                                   .time = time,
                                   .has_time = true,
                                   .series = OG_NO_DOC};
    og_entry_pack(&entry, &packed);
    const struct og_remote_entry one = {
        .number = number,
        .id = entry.id,
        .sets_id = true,
        .entry = {(char *)packed.data, packed.len}};
    must(og_remote_catalogue_open(address, NULL, &other, &err), &err);
    must(og_remote_catalogue_put(other, &one, 1, &err), &err);
    og_remote_catalogue_close(other);
    og_pack_release(&packed);
}

static void test_known(void **state)
{
    const uint32_t numbers[] = {7, OG_NO_DOC, 100000, 7, 8};
    og_error err = {0};
    (void)state;
    put(7, "seven", 700);
    put(100000, "many", 600);
    assert_false(og_catalogue_knows(&marks, 7));
    must(og_shared_know(shared, numbers, 5, &err), &err);
    assert_true(og_catalogue_knows(&marks, 7));
    assert_true(og_catalogue_get(&marks, 7)->time == 700);
    assert_true(og_catalogue_earlier(&marks, 100000, 7));
    /* Nobody has this number, whatever the table says. */
    assert_true(og_catalogue_knows(&marks, 8));
    assert_true(og_catalogue_is_removed(&marks, 8));
    assert_true(og_catalogue_is_removed(&marks, 9));
    const unsigned n = fake_count(&server);
    must(og_shared_know(shared, numbers, 5, &err), &err);
    assert_int_equal(fake_count(&server), n); /* nothing is asked twice */
    /* This one may still come. */
    const uint32_t later = 11;
    must(og_shared_look_for(shared, &later, 1, &err), &err);
    assert_true(og_catalogue_is_removed(&marks, 11));
    put(11, "later", 50);
    must(og_shared_look_for(shared, &later, 1, &err), &err);
    assert_false(og_catalogue_is_removed(&marks, 11));
}

static void test_entries(void **state)
{
    struct og_arena arena;
    struct og_entry entry;
    og_bytes packed;
    uint32_t number;
    og_error err = {0};
    (void)state;
    og_arena_init(&arena, NULL);
    put(3, "three", 30);
    must(og_shared_latest(shared, bytes("three"), &number, &err), &err);
    assert_int_equal(number, 3);
    must(og_shared_latest(shared, bytes("four"), &number, &err), &err);
    assert_int_equal(number, OG_NO_DOC);
    must(og_shared_get(shared, 3, &arena, &packed, &err), &err);
    assert_true(og_entry_unpack(packed, &entry));
    assert_memory_equal(entry.id.data, "three", 5);
    must(og_shared_get(shared, 4, &arena, &packed, &err), &err);
    assert_int_equal(packed.len, 0);
    og_arena_release(&arena);
}

static void test_damaged(void **state)
{
    const uint32_t number = 5;
    og_error err = {0};
    (void)state;
    put(5, "five", 50);
    pthread_mutex_lock(&keys.lock);
    for (size_t i = 0; i < keys.n_cells; i++)
        if (strcmp(keys.cells[i].field, "e") == 0)
            keys.cells[i].value.data[9] ^= 1;
    pthread_mutex_unlock(&keys.lock);
    assert_int_equal(og_shared_know(shared, &number, 1, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "document 5"));
}

/* ---- claims ---- */

static void test_claims(void **state)
{
    const og_document docs[] = {{.id = bytes("new")},
                                {.id = bytes("old")},
                                {.id = bytes("new")},
                                {.id = bytes("asked")}};
    const struct og_id_asker list[] = {{&docs[0], true},
                                       {&docs[1], true},
                                       {&docs[2], true},
                                       {&docs[3], false}};
    int64_t latest = 5;
    og_error err = {0};
    (void)state;
    snprintf(fake_field(&keys, bytes("next"), true), FAKE_VALUE, "50");
    put(40, "old", 10);
    must(og_shared_claim(shared, list, 4, &latest, &err), &err);
    const struct og_id_claim *claim = og_shared_claim_of(shared, &docs[0]);
    assert_int_equal(claim->number, 50);
    assert_int_equal(claim->found, OG_NO_DOC);
    claim = og_shared_claim_of(shared, &docs[1]);
    assert_int_equal(claim->found, 40);
    assert_true(claim->is_there);
    assert_false(claim->is_committed);
    /* The same id again: nobody is waited for. */
    claim = og_shared_claim_of(shared, &docs[2]);
    assert_int_equal(claim->found, 50);
    assert_false(claim->is_there);
    claim = og_shared_claim_of(shared, &docs[3]);
    assert_int_equal(claim->found, OG_NO_DOC);
    uint32_t number;
    must(og_shared_latest(shared, bytes("asked"), &number, &err), &err);
    assert_int_equal(number, OG_NO_DOC);
    og_shared_forget_claims(shared);
    assert_null(og_shared_claim_of(shared, &docs[0]));
}

/* Another front end has claimed the id, and puts its document after a while, or
 * never. */
struct soon {
    unsigned n;
    _Atomic bool is_over;
};

static void *put_soon(void *ctx)
{
    struct soon *soon = ctx;
    /* It was looked for more than once. */
    while (fake_count(&server) < soon->n + 6 && !soon->is_over)
        usleep(1000);
    put(30, "soon", 10);
    return NULL;
}

static void test_awaited(void **state)
{
    const og_document docs[] = {{.id = bytes("soon")}};
    const struct og_id_asker list[] = {{&docs[0], true}};
    struct og_remote_id other[] = {{bytes("soon"), 30, 0}};
    int64_t latest = 5;
    og_error err = {0};
    pthread_t thread;
    (void)state;
    must(og_remote_catalogue_claim(shared->remote, other, 1, &err), &err);
    struct soon soon = {.n = fake_count(&server)};
    assert_int_equal(pthread_create(&thread, NULL, put_soon, &soon), 0);
    must(og_shared_claim(shared, list, 1, &latest, &err), &err);
    soon.is_over = true;
    pthread_join(thread, NULL);
    const struct og_id_claim *claim = og_shared_claim_of(shared, &docs[0]);
    assert_int_equal(claim->found, 30);
    /* On a machine that is busy it may have come too late. */
    if (claim->is_there) assert_true(og_catalogue_knows(&marks, 30));
}

static void test_never_put(void **state)
{
    const og_document docs[] = {{.id = bytes("dead")}};
    const struct og_id_asker list[] = {{&docs[0], true}};
    struct og_remote_id other[] = {{bytes("dead"), 30, 0}};
    int64_t latest = 5;
    og_error err = {0};
    (void)state;
    must(og_remote_catalogue_claim(shared->remote, other, 1, &err), &err);
    must(og_shared_claim(shared, list, 1, &latest, &err), &err);
    const struct og_id_claim *claim = og_shared_claim_of(shared, &docs[0]);
    assert_int_equal(claim->found, 30);
    assert_false(claim->is_there);
}

static void test_no_store(void **state)
{
    char where[80];
    struct og_shared *none = NULL;
    og_error err = {0};
    (void)state;
    snprintf(where, sizeof(where), "redis://127.0.0.1:%u/news?timeout=60",
             server.port);
    pthread_mutex_lock(&keys.lock);
    fake_keys_clear(&keys);
    pthread_mutex_unlock(&keys.lock);
    assert_int_equal(og_shared_open(where, NULL, 0, &marks, NULL, &none, &err),
                     OG_ERR_NO_STORE);
    pthread_mutex_lock(&keys.lock);
    snprintf(fake_field(&keys, bytes("conf"), true), FAKE_VALUE, "origo stor");
    pthread_mutex_unlock(&keys.lock);
    assert_int_equal(og_shared_open(where, NULL, 0, &marks, NULL, &none, &err),
                     OG_ERR_STORE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_known),    TEST(test_entries), TEST(test_damaged),
        TEST(test_claims),   TEST(test_awaited), TEST(test_never_put),
        TEST(test_no_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
