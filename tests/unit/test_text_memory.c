/* Segments of texts in memory: what was appended is read again until the bytes
 * allowed are used up, then the oldest is gone, and said to be. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/store/text/text_memory.h"
#include "lib/store/text/texts.h"

enum { FRAME = 1000 };

struct place {
    uint32_t segment;
    uint64_t base;
};

static struct place append(struct og_text_memory *m, int fill, size_t len)
{
    uint8_t *bytes = malloc(len);
    struct place place = {0};
    memset(bytes, fill, len);
    assert_int_equal(
        og_text_memory_append(m, bytes, len, &place.segment, &place.base, NULL),
        OG_OK);
    free(bytes);
    return place;
}

static og_status read_at(struct og_text_memory *m, struct place place, int fill,
                         size_t len)
{
    uint8_t *bytes = malloc(len);
    const og_status status =
        og_text_memory_read(m, place.segment, place.base, bytes, len, NULL);
    for (size_t i = 0; status == OG_OK && i < len; i++)
        assert_int_equal(bytes[i], fill);
    free(bytes);
    return status;
}

static void the_oldest_go(void **state)
{
    (void)state;
    enum { N = 2000 };
    static struct place places[N];
    struct og_text_memory m;
    og_text_memory_init(&m, 256 << 10, NULL);
    size_t first = 0;
    for (int i = 0; i < N; i++) {
        places[i] = append(&m, i & 0xff, FRAME);
        assert_true(m.bytes <= m.most);
        while (read_at(&m, places[first], (int)first & 0xff, FRAME) == OG_END)
            first++;
        for (size_t j = first; j <= (size_t)i; j += 17)
            assert_int_equal(read_at(&m, places[j], (int)j & 0xff, FRAME),
                             OG_OK);
    }
    /* Not much less than is allowed is kept. */
    assert_true((N - first) * FRAME > (256 << 10) / 2);
    og_text_memory_limit(&m, 128 << 10);
    assert_true(m.bytes <= 128 << 10);
    og_text_memory_limit(&m, 0);
    assert_int_equal(m.bytes, 0);
    assert_int_equal(read_at(&m, places[N - 1], 0, FRAME), OG_END);
    /* Nothing fits any more, and that is not a failure. */
    const struct place none = append(&m, 1, FRAME);
    assert_int_equal(read_at(&m, none, 1, FRAME), OG_END);
    og_text_memory_release(&m);
}

static void long_ones_and_places_that_are_none(void **state)
{
    (void)state;
    struct og_text_memory m;
    og_text_memory_init(&m, 10 << 20, NULL);
    const struct place a = append(&m, 1, 10);
    const struct place b = append(&m, 2, 3 << 20);
    assert_int_equal(read_at(&m, a, 1, 10), OG_OK);
    assert_int_equal(read_at(&m, b, 2, 3 << 20), OG_OK);
    assert_int_equal(read_at(&m, a, 1, 11), OG_ERR_STORE);
    assert_int_equal(read_at(&m, (struct place){a.segment, 0}, 1, 1),
                     OG_ERR_STORE);
    assert_int_equal(read_at(&m, (struct place){99, a.base}, 1, 1),
                     OG_ERR_STORE);
    og_text_memory_release(&m);
}

/* Through the reader: texts, versions of them, and those that are gone. */
static void texts_are_read_again(void **state)
{
    (void)state;
    static const uint8_t uuid[16];
    enum { LEN = 20000 };
    static char text[3][LEN];
    struct og_texts *texts;
    struct og_text_reader *reader;
    struct og_framer framer;
    struct og_text_place place[3];
    struct og_pack frames = {0};
    og_bytes got;
    uint64_t seed = 7;
    for (size_t i = 0; i < LEN; i++)
        text[0][i] = text[1][i] = text[2][i] =
            (char)(og_mix64(++seed) >> 40); /* does not pack */
    text[1][5] ^= 1;
    const struct og_texts_options options = {.uuid = uuid, .memory = 1 << 20};
    assert_int_equal(og_texts_open(NULL, &options, &texts, NULL), OG_OK);
    assert_int_equal(
        og_text_reader_open(":memory:", uuid, texts, NULL, &reader, NULL),
        OG_OK);
    assert_int_equal(og_framer_init(&framer, NULL, NULL), OG_OK);
    const og_bytes first = {text[0], LEN};
    assert_int_equal(og_framer_pack(&framer, og_texts_dict(texts), &first, 1,
                                    &frames, place, NULL),
                     OG_OK);
    uint32_t segment;
    uint64_t base;
    assert_int_equal(
        og_texts_append(texts, frames.data, frames.len, &segment, &base, NULL),
        OG_OK);
    og_text_place_move(&place[0], segment, base);
    assert_int_equal(og_texts_append_version(texts, &framer, reader,
                                             (og_bytes){text[1], LEN},
                                             &place[0], LEN, &place[1], NULL),
                     OG_OK);
    assert_true(og_texts_memory(texts)->segments[0].len < LEN + LEN / 10);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            og_text_reader_get(reader, &place[i], LEN, &got, NULL, NULL),
            OG_OK);
        assert_int_equal(got.len, LEN);
        assert_memory_equal(got.data, text[i], LEN);
    }
    og_text_reader_close(reader);
    og_texts_limit(texts, 0);
    assert_int_equal(
        og_text_reader_open(":memory:", uuid, texts, NULL, &reader, NULL),
        OG_OK);
    assert_int_equal(
        og_text_reader_get(reader, &place[1], LEN, &got, NULL, NULL), OG_END);
    assert_int_equal(og_texts_append_version(texts, &framer, reader,
                                             (og_bytes){text[2], LEN},
                                             &place[0], LEN, &place[2], NULL),
                     OG_END);
    og_pack_release(&frames);
    og_framer_release(&framer);
    og_text_reader_close(reader);
    assert_int_equal(og_texts_close(texts, NULL), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_go),
        cmocka_unit_test(long_ones_and_places_that_are_none),
        cmocka_unit_test(texts_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
