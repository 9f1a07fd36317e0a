/* The fields of a manifest of sentences: written, read, and refused. */

#include "tests/unit/source_folder.h"

#include "lib/sentence/index/sentence_manifest.h"

static void what_was_written_is_read(void **state)
{
    struct og_sentence_manifest m = {.stop = "en",
                                     .signature_bits = 64,
                                     .word_bits = 4,
                                     .n_documents = 4711,
                                     .list.next = 3,
                                     .list.n_segments = 1};
    struct og_sentence_manifest back;
    (void)state;
    for (unsigned i = 0; i < sizeof(m.uuid); i++)
        m.uuid[i] = (uint8_t)(i * 17);
    m.list.segment[0].number = 2;
    assert_int_equal(og_sentence_manifest_write(&m, folder.path, NULL), OG_OK);
    assert_int_equal(og_sentence_manifest_read(&back, folder.path, NULL),
                     OG_OK);
    assert_memory_equal(back.uuid, m.uuid, sizeof(m.uuid));
    assert_string_equal(back.stop, "en");
    assert_string_equal(back.stem, ""); /* "-" in the file */
    assert_int_equal(back.signature_bits, 64);
    assert_int_equal(back.word_bits, 4);
    assert_int_equal(back.n_documents, 4711);
    assert_int_equal(back.list.segment[0].number, 2);
    assert_false(back.is_old);
}

static void wrong_fields(void **state)
{
    static const char *const wrong[][2] = {
        {"uuid", "0123"},
        {"uuid", "0123456789abcdef0123456789abcdeg"},
        {"documents", "4294967295"},
        {"documents", "-1"},
        {"stop", "portuguese"},
        {"signature", "63 4"},
        {"signature", "64 0"},
        {"signature", "64 33"},
        {"signature", "64"},
        {"signature", "64 4 4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct og_sentence_manifest m = {.list.version = 3};
        const char *key = NULL;
        og_manifest_set(&m.list, "uuid", "0123456789abcdef0123456789abcdef");
        og_manifest_set(&m.list, "documents", "5");
        og_manifest_set(&m.list, "stop", "-");
        og_manifest_set(&m.list, "stem", "-");
        og_manifest_set(&m.list, "signature", "0 0");
        assert_true(og_sentence_manifest_take(&m, &key));
        og_manifest_set(&m.list, wrong[i][0], wrong[i][1]);
        assert_false(og_sentence_manifest_take(&m, &key));
        assert_string_equal(key, wrong[i][0]);
    }
}

static void none_is_no_missing_store(void **state)
{
    struct og_sentence_manifest m;
    og_error err;
    (void)state;
    assert_int_equal(og_sentence_manifest_read(&m, folder.path, &err),
                     OG_ERR_IO);
    assert_int_equal(err.status, OG_ERR_IO);
}

#define ON_DISK(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(what_was_written_is_read),
        cmocka_unit_test(wrong_fields),
        ON_DISK(none_is_no_missing_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
