/* What every index of a store shares: which documents may be in an answer. */

#include "tests/unit/texts_of_store.h"

#include "lib/index/index_kinds.h"

struct my_index {
    struct og_asked_index base;
    char rest[100];
};

static bool shows(const struct my_index *index, uint32_t number)
{
    return og_asked_index_shows(&index->base, index->base.n_documents, number);
}

static void which_documents_are_shown(void **state)
{
    void *made;
    uint64_t n_removed;
    (void)state;
    og_store *store = open_texts(in("s"), false);
    ASSERT_OK(
        og_asked_index_new(store, sizeof(struct my_index), &made, &story));
    struct my_index *index = made;
    for (size_t i = 0; i < sizeof(index->rest); i++)
        assert_int_equal(index->rest[i], 0);
    add_text(store, "one", text_number(1));
    add_text(store, "two", text_number(2));
    assert_false(shows(index, 0)); /* not begun */
    og_asked_index_begin(&index->base, NULL);
    assert_true(shows(index, 0));
    assert_true(shows(index, 1));
    assert_false(shows(index, 2));
    /* One that comes meanwhile does not count; one that goes does. */
    add_text(store, "three", text_number(3));
    assert_false(shows(index, 2));
    ASSERT_OK(og_store_remove(store, bytes_of("one"), &n_removed, &story));
    assert_false(shows(index, 0));
    og_asked_index_begin(&index->base, NULL);
    assert_true(shows(index, 2));
    og_asked_index_free(&index->base, sizeof(*index));
    ASSERT_OK(og_store_close(store, &story));
}

/* Every kind is there, once, under the bit that names it. */
static void every_kind_is_listed(void **state)
{
    (void)state;
    assert_int_equal(OG_INDEX_KINDS, 2);
    assert_ptr_equal(og_index_kinds[0], &og_index_near);
    assert_ptr_equal(og_index_kinds[1], &og_index_sentences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_documents_are_shown),
        cmocka_unit_test(every_kind_is_listed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
