/* Texts that are read again: from their files, from the temporary file, from
 * memory; the same shingles each time. */

#include "tests/unit/store_support.h"

#include "lib/dedup/dedup_texts.h"

static const og_fields fields = OG_FIELDS_DEFAULT;
static struct og_shingle_factors key;
static struct og_dedup_texts *texts;

static int set_up(void **state)
{
    og_shingle_factors_init(&key, og_rabin_default(), 3);
    if (make_folder(state) != 0) return 1;
    return og_dedup_texts_new(&fields, OG_TOKEN_WORDS, &key, 1 << 20, folder,
                              &texts, NULL) != OG_OK;
}

static int tear_down(void **state)
{
    og_dedup_texts_free(texts);
    og_dedup_texts_free(NULL);
    return remove_folder(state);
}

static const struct og_known_document *fetch(struct og_dedup_texts *from,
                                             uint64_t number,
                                             const struct og_dedup_place *place,
                                             const char *id)
{
    const struct og_known_document *known;
    og_bytes seen;
    ASSERT_OK(og_dedup_texts_id(from, number, place, &seen, &story));
    assert_int_equal(seen.len, strlen(id));
    assert_memory_equal(seen.data, id, seen.len);
    ASSERT_OK(og_dedup_texts_fetch(from, number, place, &known, &story));
    assert_int_equal(known->id_len, strlen(id));
    assert_memory_equal(known->id, id, known->id_len);
    return known;
}

static struct og_dedup_place spool(const char *id, const char *text)
{
    struct og_dedup_place place;
    ASSERT_OK(og_dedup_texts_spool(texts, bytes_of(id), bytes_of(text), &place,
                                   &story));
    return place;
}

/* Five words have three shingles of three; one that is there twice counts
 * once. */
static void the_temporary_file(void **state)
{
    (void)state;
    const struct og_dedup_place a = spool("a", "one two three four five");
    const struct og_dedup_place b = spool("b", "x y z x y z");
    assert_int_equal(fetch(texts, 0, &a, "a")->n, 3);
    assert_int_equal(fetch(texts, 1, &b, "b")->n, 3);
    const uint64_t first = fetch(texts, 0, &a, "a")->fps[0];
    assert_true(first == fetch(texts, 7, &a, "a")->fps[0]);
}

static const char lines[] = "{\"id\":\"p\",\"text\":\"one two three four\"}\n"
                            "{\"text\":\"five six seven eight nine\"}\n";

static void lines_of_a_file(void **state)
{
    uint32_t file;
    bool is_plain;
    (void)state;
    write_file(in("lines"), lines, sizeof(lines) - 1);
    ASSERT_OK(
        og_dedup_texts_file(texts, in("lines"), &file, &is_plain, &story));
    assert_true(is_plain);
    const uint32_t first_len = (uint32_t)(strchr(lines, '\n') - lines);
    const struct og_dedup_place first = {
        .file = file, .len = first_len, .line = 1};
    const struct og_dedup_place second = {.file = file,
                                          .offset = first_len + 1,
                                          .len = (uint32_t)sizeof(lines) - 3 -
                                                 first_len,
                                          .line = 2};
    char id[300];
    assert_int_equal(fetch(texts, 0, &first, "p")->n, 2);
    snprintf(id, sizeof(id), "%s:2", in("lines"));
    assert_int_equal(fetch(texts, 1, &second, id)->n, 3);
    ASSERT_OK(og_dedup_texts_check(texts, &story));
    /* The file is changed: reading it again is detected. */
    write_file(in("lines"), "other\n", 6);
    assert_int_equal(og_dedup_texts_check(texts, &story), OG_ERR_INPUT);
    assert_non_null(strstr(story.message, "lines"));
}

static void what_is_plain(void **state)
{
    (void)state;
    write_file(in("plain.jsonl"), lines, sizeof(lines) - 1);
    write_file(in("packed.gz"), "\x1f\x8b\x08\0", 4);
    assert_true(og_dedup_is_plain(in("plain.jsonl")));
    assert_false(og_dedup_is_plain(in("packed.gz")));
    assert_false(og_dedup_is_plain(in("nothing")));
    assert_false(og_dedup_is_plain(folder));
}

/* A document in memory is not read; called back, it is. */
static void lent_documents(void **state)
{
    uint64_t words[3 + OG_TOKENS_TAIL] = {11, 22, 33};
    const struct og_known_document *known;
    const struct og_fps *fps;
    (void)state;
    const struct og_dedup_place place = spool("s", "one two three four");
    ASSERT_OK(
        og_dedup_texts_lend(texts, 5, words, 3, bytes_of("lent"), &story));
    ASSERT_OK(og_dedup_texts_print(texts, words, 3, &fps, &story));
    assert_int_equal(fps->n, 1);
    const uint64_t expected = fps->data[0];
    known = fetch(texts, 5, &place, "lent");
    assert_int_equal(known->n, 1);
    assert_true(known->fps[0] == expected);
    og_dedup_texts_call_back(texts);
    const struct og_dedup_place other = spool("t", "one two three four");
    assert_int_equal(fetch(texts, 6, &other, "t")->n, 2);
}

/* Another thread's, with a cache of its own. */
static void readers(void **state)
{
    struct og_dedup_texts *reader;
    (void)state;
    const struct og_dedup_place a = spool("a", "one two three four five");
    ASSERT_OK(og_dedup_texts_flush(texts, &story));
    ASSERT_OK(og_dedup_texts_reader(texts, 1 << 16, &reader, &story));
    const struct og_known_document *known = fetch(reader, 0, &a, "a");
    const struct og_known_document *mine = fetch(texts, 0, &a, "a");
    assert_true(known != mine);
    assert_int_equal(known->n, mine->n);
    assert_memory_equal(known->fps, mine->fps, mine->n * 8);
    og_dedup_texts_expect(reader, 0);
    og_dedup_texts_expect_tags(reader, 0);
    og_dedup_texts_free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_temporary_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lent_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(readers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
