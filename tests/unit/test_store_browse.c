/* Documents of a store, by number and by id. */

#include "tests/unit/store_support.h"

#include <origo/browse.h>
#include <origo/trace.h>
#include <string.h>

#define LAMP                                                                   \
    "the old lighthouse will be lit again in spring once the lamp has been "   \
    "brought back from the museum where it has stood for forty years"

static void add(og_store *store, const char *id, const char *text)
{
    const og_document doc = {
        .id = bytes_of(id), .title = bytes_of("t"), .text = bytes_of(text)};
    ASSERT_OK(og_store_add(store, &doc, NULL, &story));
}

static void ask(og_store *store)
{
    og_browser *browser;
    og_card card;
    bool is_found;
    ASSERT_OK(og_browser_open(store, &browser, &story));
    assert_int_equal(og_store_n_numbers(store), 3);
    assert_int_equal(og_store_n_documents(store), 3);
    ASSERT_OK(og_browser_get(browser, 0, true, &is_found, &card, &story));
    assert_true(is_found && card.has_text);
    assert_int_equal(card.doc.text.len, strlen(LAMP));
    assert_memory_equal(card.doc.text.data, LAMP, strlen(LAMP));
    assert_int_equal(card.n_tokens, 26);
    assert_int_equal(card.n_origins, 0);
    /* The latest version, and what it has from others. */
    ASSERT_OK(og_browser_find(browser, bytes_of("b"), false, &is_found, &card,
                              &story));
    assert_true(is_found && !card.has_text);
    assert_int_equal(card.number, 2);
    assert_int_equal(card.n_origins, 1);
    assert_int_equal(card.origins[0].number, 0);
    ASSERT_OK(og_browser_find(browser, bytes_of("c"), true, &is_found, &card,
                              &story));
    assert_false(is_found);
    ASSERT_OK(og_browser_get(browser, 3, true, &is_found, &card, &story));
    assert_false(is_found);
    og_browser_close(browser);
    og_browser_close(NULL);
}

static void fill(og_store *store)
{
    add(store, "a", LAMP);
    add(store, "b", "nothing of it");
    add(store, "b", "he said " LAMP);
}

static void in_memory(void **state)
{
    og_store *store;
    (void)state;
    ASSERT_OK(og_store_open(":memory:", OG_CREATE, NULL, &store, &story));
    fill(store);
    ask(store);
    ASSERT_OK(og_store_close(store, &story));
}

static void on_disk(void **state)
{
    og_store *store;
    og_browser *browser;
    og_card card;
    bool is_found;
    uint64_t n;
    (void)state;
    ASSERT_OK(og_store_open(in("s"), OG_CREATE, NULL, &store, &story));
    fill(store);
    ask(store); /* pending */
    ASSERT_OK(og_store_close(store, &story));
    ASSERT_OK(og_store_open(in("s"), OG_WRITE, NULL, &store, &story));
    ask(store);
    ASSERT_OK(og_store_remove(store, bytes_of("b"), &n, &story));
    assert_int_equal(n, 2);
    ASSERT_OK(og_browser_open(store, &browser, &story));
    ASSERT_OK(og_browser_find(browser, bytes_of("b"), true, &is_found, &card,
                              &story));
    assert_false(is_found);
    ASSERT_OK(og_browser_get(browser, 1, true, &is_found, &card, &story));
    assert_false(is_found);
    assert_int_equal(og_store_n_documents(store), 1);
    og_browser_close(browser);
    ASSERT_OK(og_store_close(store, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test_setup_teardown(on_disk, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
