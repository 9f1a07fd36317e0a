/* The documents of a store by their numbers. */

#include "tests/unit/texts_of_store.h"

#include "lib/store/text/stored_texts.h"

static void expect(struct og_stored_texts *s, uint32_t number, const char *id,
                   og_bytes text)
{
    og_document doc;
    bool is_there;
    ASSERT_OK(og_stored_texts_get(s, number, &doc, &is_there, &story));
    assert_true(is_there);
    assert_same_bytes(doc.id, bytes_of(id));
    assert_same_bytes(doc.title, bytes_of("a title"));
    assert_same_bytes(doc.text, text);
    assert_true(doc.has_time && doc.time == 7);
}

static void what_was_added_is_returned(void **state)
{
    struct og_stored_texts *s;
    og_document doc;
    bool is_there;
    uint64_t n_removed;
    (void)state;
    og_store *store = open_texts(in("a"), false);
    add_text(store, "one", text_number(1));
    add_text(store, "two", text_number(2));
    add_text(store, "one", text_number(3)); /* another version */
    ASSERT_OK(og_store_remove(store, bytes_of("two"), &n_removed, &story));
    ASSERT_OK(og_stored_texts_of(store, &s, &story));
    assert_int_equal(og_stored_texts_n(s), 3);
    expect(s, 0, "one", text_number(1));
    expect(s, 2, "one", text_number(3));
    ASSERT_OK(og_stored_texts_get(s, 1, &doc, &is_there, &story));
    assert_false(is_there); /* removed */
    ASSERT_OK(og_stored_texts_get(s, 3, &doc, &is_there, &story));
    assert_false(is_there); /* not yet */
    add_text(store, "four", text_number(4));
    expect(s, 3, "four", text_number(4));
    og_stored_texts_close(s);
    ASSERT_OK(og_store_close(store, &story));
}

static void a_store_is_opened_by_its_path(void **state)
{
    struct og_stored_texts *s;
    (void)state;
    og_store *store = open_texts(in("b"), false);
    add_text(store, "one", text_number(1));
    ASSERT_OK(og_store_close(store, &story));
    assert_true(og_is_store(in("b")));
    assert_false(og_is_store(in("nothing")));
    ASSERT_OK(og_stored_texts_open(in("b"), &s, &story));
    assert_string_equal(og_stored_texts_path(s), in("b"));
    expect(s, 0, "one", text_number(1));
    og_stored_texts_close(s);
    og_stored_texts_close(NULL);
}

static void a_store_without_texts_is_refused(void **state)
{
    struct og_stored_texts *s;
    (void)state;
    og_store *store = open_texts(in("c"), true);
    add_text(store, "one", text_number(1));
    assert_int_equal(og_stored_texts_of(store, &s, &story), OG_ERR_USAGE);
    ASSERT_OK(og_store_close(store, &story));
    assert_int_equal(og_stored_texts_open(in("c"), &s, &story), OG_ERR_USAGE);
    assert_non_null(strstr(story.message, "keeps no texts"));
}

static bool has(struct og_stored_texts *s, const char *id, og_bytes text,
                bool has_time, int64_t time)
{
    const og_document doc = {
        .id = bytes_of(id), .text = text, .has_time = has_time, .time = time};
    bool out;
    ASSERT_OK(og_stored_texts_has(s, &doc, &out, &story));
    return out;
}

static void the_very_same_document(void **state)
{
    struct og_stored_texts *s;
    (void)state;
    og_store *store = open_texts(":memory:", false);
    add_text(store, "one", text_number(1));
    ASSERT_OK(og_stored_texts_of(store, &s, &story));
    assert_string_equal(og_stored_texts_path(s), ":memory:");
    assert_true(has(s, "one", text_number(1), true, 7));
    assert_true(has(s, "one", text_number(1), false, 0));
    assert_false(has(s, "one", text_number(1), true, 8));
    assert_false(has(s, "one", text_number(2), true, 7));
    assert_false(has(s, "two", text_number(1), true, 7));
    og_stored_texts_close(s);
    ASSERT_OK(og_store_close(store, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_returned),
        cmocka_unit_test(a_store_is_opened_by_its_path),
        cmocka_unit_test(a_store_without_texts_is_refused),
        cmocka_unit_test(the_very_same_document),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
