/* The texts that a store keeps: on disk all, in memory what the cap leaves. */

#include "tests/unit/texts_of_store.h"

#include "lib/store/store_disk.h"

static void who_has_texts(void **state)
{
    struct og_text_reader *reader;
    uint64_t kept, gone;
    (void)state;
    og_store *store = open_texts(":memory:", true);
    assert_false(og_store_has_texts(store));
    assert_int_equal(og_store_text_reader(store, &reader, &story),
                     OG_ERR_USAGE);
    add_text(store, "one", text_number(1));
    og_memory_texts_count(store, &kept, &gone);
    assert_int_equal(kept + gone, 0);
    og_memory_texts_limit(store); /* does nothing */
    ASSERT_OK(og_store_close(store, &story));
    store = open_texts(in("s"), false);
    assert_true(og_store_has_texts(store));
    ASSERT_OK(og_store_text_reader(store, &reader, &story));
    og_text_reader_close(reader);
    ASSERT_OK(og_store_close(store, &story));
}

/* A version is kept as what it has not of the one before. */
static void versions_share_what_they_share(void **state)
{
    uint64_t alone, both, gone;
    char text[2100];
    (void)state;
    og_store *store = open_texts(":memory:", false);
    const og_bytes first = text_number(1);
    add_text(store, "one", first);
    og_memory_texts_count(store, &alone, &gone);
    assert_true(alone > 0);
    const int len = snprintf(text, sizeof(text), "%.*s and more",
                             (int)first.len, first.data);
    add_text(store, "one", (og_bytes){text, (size_t)len});
    og_memory_texts_count(store, &both, &gone);
    assert_true(both > alone);
    assert_true(both - alone < alone / 2);
    assert_int_equal(gone, 0);
    ASSERT_OK(og_store_close(store, &story));
}

/* The table and the catalogue take what they need, and texts give way. */
static void the_oldest_give_way(void **state)
{
    uint64_t kept, gone, seed = 5;
    static char text[20000];
    char id[16];
    (void)state;
    og_store *store = open_texts(":memory:", false);
    for (int i = 0; i < 100; i++) {
        for (size_t j = 0; j < sizeof(text); j++)
            text[j] =
                j % 8 == 7 ? ' ' : (char)('a' + og_random_next(&seed) % 26);
        snprintf(id, sizeof(id), "d%d", i);
        add_text(store, id, (og_bytes){text, sizeof(text)});
    }
    og_memory_texts_count(store, &kept, &gone);
    assert_true(gone > 0 && kept > 0);
    assert_true(og_memory_used(store) + kept <=
                store->params.memory + 2 * sizeof(text));
    ASSERT_OK(og_store_close(store, &story));
}

static void the_share_of_the_table(void **state)
{
    og_params params = og_params_default();
    (void)state;
    params.memory = 1000000;
    params.no_texts = false;
    assert_int_equal(og_memory_table_share(&params), 500000);
    params.no_texts = true;
    assert_int_equal(og_memory_table_share(&params), 1000000);
}

static void a_document_of_an_entry(void **state)
{
    const struct og_entry entry = {.id = bytes_of("id"),
                                   .title = bytes_of("title"),
                                   .url = bytes_of("url"),
                                   .extra = bytes_of("{}"),
                                   .time = 5,
                                   .has_time = false,
                                   .time_source = OG_TIME_FILE};
    (void)state;
    og_document doc = og_entry_document(&entry, bytes_of("text"));
    assert_same_bytes(doc.id, entry.id);
    assert_same_bytes(doc.title, entry.title);
    assert_same_bytes(doc.url, entry.url);
    assert_same_bytes(doc.extra, entry.extra);
    assert_same_bytes(doc.text, bytes_of("text"));
    assert_false(doc.has_time);
    assert_int_equal(doc.time, 0); /* that of its arrival is nobody's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_texts),
        cmocka_unit_test(versions_share_what_they_share),
        cmocka_unit_test(the_oldest_give_way),
        cmocka_unit_test(the_share_of_the_table),
        cmocka_unit_test(a_document_of_an_entry),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
