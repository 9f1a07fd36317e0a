/* The reader of texts: chains of versions, its memory, and damaged segments. */

#include "lib/store/text/text_files.h"

#include "tests/unit/texts_support.h"
#include <stdio.h>

static int fresh(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", in("texts"));
    return system(command) != 0;
}

/* n versions of a text of `len` bytes, each with the one before as prefix. */
static struct texts append_versions(struct og_texts *texts, size_t n,
                                    size_t len)
{
    struct texts t = make_texts(n, 0, 1);
    struct og_framer framer;
    struct og_text_reader *reader = open_reader(texts);
    uint64_t seed = 9;
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    free((void *)(uintptr_t)t.list[0].data);
    char *first = malloc(len);
    t.list[0] = (og_bytes){first, make_text(first, len, 5)};
    struct texts one = {t.list, t.places, 1};
    append_all(texts, &one);
    for (size_t i = 1; i < n; i++) {
        free((void *)(uintptr_t)t.list[i].data);
        t.list[i] = next_version(t.list[i - 1], &seed);
        ASSERT_OK(og_texts_append_version(texts, &framer, reader, t.list[i],
                                          &t.places[i - 1], t.list[i - 1].len,
                                          &t.places[i], &story));
    }
    og_text_reader_close(reader);
    og_framer_release(&framer);
    return t;
}

static void chains_of_versions(void **state)
{
    (void)state;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts t = append_versions(texts, 30, 30000);
    struct og_texts_end end;
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    assert_true(end.off < 25000);      /* one of the 30 stands alone */
    for (size_t i = 0; i < t.n; i++) { /* each with an empty memory */
        struct og_text_reader *reader = open_reader(NULL);
        og_bytes got;
        uint32_t depth;
        ASSERT_OK(og_text_reader_get(reader, &t.places[i], t.list[i].len, &got,
                                     &depth, &story));
        assert_memory_equal(got.data, t.list[i].data, t.list[i].len);
        /* After the longest chain the first text begins the next one. */
        assert_int_equal(depth, i == 0 ? 0 : (i - 1) % OG_FRAME_DEPTH_MAX + 1);
        og_text_reader_close(reader);
    }
    free_texts(&t);
    ASSERT_OK(og_texts_close(texts, &story));
}

/* Longer than what is cached: prefix and text must both be available at
 * once. */
static void chains_of_long_texts(void **state)
{
    (void)state;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts t = append_versions(texts, 5, 900000);
    struct og_text_reader *reader = open_reader(texts);
    assert_texts(reader, &t);
    for (size_t i = t.n; i-- > 0;)
        assert_text(reader, &t.places[i], t.list[i]);
    og_text_reader_close(reader);
    free_texts(&t);
    ASSERT_OK(og_texts_close(texts, &story));
}

static void places_that_are_none(void **state)
{
    (void)state;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts t = make_texts(10, 500, 1);
    append_all(texts, &t);
    struct og_text_reader *reader = open_reader(texts);
    const struct og_text_place bad[] = {
        {1, 0, 0},  {1, 63, 0},         {1, 65, 0},  {1, 1 << 20, 0},
        {2, 64, 0}, {1, UINT64_MAX, 0}, {1, 64, ~0u}};
    og_bytes got;
    og_error err;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(
            og_text_reader_get(reader, &bad[i], 1, &got, NULL, &err),
            OG_ERR_STORE);
        assert_non_null(strstr(err.message, ".seg'"));
    }
    const struct og_text_place first = {1, 64, 0};
    assert_int_equal(
        og_text_reader_get(reader, &first, UINT64_MAX, &got, NULL, &err),
        OG_ERR_STORE);
    assert_non_null(strstr(err.message, "000001.seg', byte 64: "));
    const struct og_text_place none = {0};
    ASSERT_OK(og_text_reader_get(reader, &none, 5, &got, NULL, &story));
    assert_int_equal(got.len, 0);
    og_text_reader_close(reader);
    free_texts(&t);
    ASSERT_OK(og_texts_close(texts, &story));
}

/* A store of two frames, the second of them a version of the first. */
static struct texts make_small(struct og_texts_end *out_end)
{
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts t = append_versions(texts, 2, 700);
    ASSERT_OK(og_texts_sync(texts, out_end, &story));
    ASSERT_OK(og_texts_close(texts, &story));
    return t;
}

static og_status read_last(const struct texts *t, og_error *err)
{
    struct og_text_reader *reader = open_reader(NULL);
    og_bytes got;
    const og_status status = og_text_reader_get(
        reader, &t->places[1], t->list[1].len, &got, NULL, err);
    if (status == OG_OK)
        assert_memory_equal(got.data, t->list[1].data, t->list[1].len);
    og_text_reader_close(reader);
    return status;
}

static void every_change_and_cut_is_found(void **state)
{
    (void)state;
    struct og_texts_end end;
    struct texts t = make_small(&end);
    og_error err;
    size_t len;
    uint8_t *bytes = read_file(in("texts/000001.seg"), &len);
    assert_int_equal(len, end.off);
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        write_file(in("texts/000001.seg"), bytes, len);
        assert_int_equal(read_last(&t, &err), OG_ERR_STORE);
        assert_non_null(strstr(err.message, "000001.seg'"));
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t cut = 0; cut < len; cut++) {
        write_file(in("texts/000001.seg"), bytes, cut);
        assert_int_equal(read_last(&t, &err), OG_ERR_STORE);
    }
    write_file(in("texts/000001.seg"), bytes, len);
    assert_int_equal(read_last(&t, &err), OG_OK);
    free(bytes);
    free_texts(&t);
}

static void a_missing_dictionary_is_named(void **state)
{
    (void)state;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid,
                                             .samples_len = 100000};
    struct texts t = make_texts(200, 3000, 1);
    og_bytes got;
    og_error err;
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    og_texts_offer(texts, t.list, t.n);
    ASSERT_OK(og_texts_train(texts, &story));
    append_all(texts, &t);
    ASSERT_OK(og_texts_close(texts, &story));
    assert_int_equal(unlink(in("texts/000001.dict")), 0);
    struct og_text_reader *reader = open_reader(NULL);
    assert_int_equal(og_text_reader_get(reader, &t.places[0], t.list[0].len,
                                        &got, NULL, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "000001.dict"));
    og_text_reader_close(reader);
    free_texts(&t);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(chains_of_versions),
        TEST(chains_of_long_texts),
        TEST(places_that_are_none),
        TEST(every_change_and_cut_is_found),
        TEST(a_missing_dictionary_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
