#ifndef TEXTS_SUPPORT_H
#define TEXTS_SUPPORT_H

/* What the tests of texts on disk share: a folder of texts, texts of all
 * lengths, and the plain twin of the store: the texts themselves. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/store/text/texts.h"
#include "tests/unit/files_support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t uuid[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t other_uuid[16] = {7};

static _Thread_local og_error story; /* of ASSERT_OK */

#define ASSERT_OK(expr)                                                        \
    do {                                                                       \
        if ((expr) != OG_OK) fail_msg("%s: %s", #expr, story.message);         \
    } while (0)

/* Texts from a seed; to be freed. */
struct texts {
    og_bytes *list;
    struct og_text_place *places;
    size_t n;
};

static inline struct texts make_texts(size_t n, size_t max_len, uint64_t seed)
{
    struct texts t = {calloc(n, sizeof(og_bytes)),
                      calloc(n, sizeof(struct og_text_place)), n};
    for (size_t i = 0; i < n; i++) {
        const size_t len = og_random_next(&seed) % (max_len + 1);
        char *text = malloc(len + 1);
        t.list[i] = (og_bytes){text, make_text(text, len, seed)};
    }
    return t;
}

static inline void free_texts(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free((void *)(uintptr_t)t->list[i].data);
    free(t->list);
    free(t->places);
}

static inline struct og_texts *open_texts(struct og_texts_end end)
{
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid, .end = end};
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    return texts;
}

/* Packs and appends all, as one piece. */
static inline void append_all(struct og_texts *texts, struct texts *t)
{
    struct og_framer framer;
    struct og_pack frames = {0};
    uint32_t segment;
    uint64_t base;
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack(&framer, og_texts_dict(texts), t->list, t->n,
                             &frames, t->places, &story));
    ASSERT_OK(og_texts_append(texts, frames.data, frames.len, &segment, &base,
                              &story));
    for (size_t i = 0; i < t->n; i++)
        og_text_place_move(&t->places[i], segment, base);
    og_framer_release(&framer);
    og_pack_release(&frames);
}

static inline struct og_text_reader *open_reader(struct og_texts *live)
{
    struct og_text_reader *reader = NULL;
    ASSERT_OK(
        og_text_reader_open(in("texts"), uuid, live, NULL, &reader, &story));
    return reader;
}

static inline void assert_text(struct og_text_reader *reader,
                               const struct og_text_place *place, og_bytes text)
{
    og_bytes got;
    ASSERT_OK(og_text_reader_get(reader, place, text.len, &got, NULL, &story));
    assert_int_equal(got.len, text.len);
    if (text.len > 0) assert_memory_equal(got.data, text.data, text.len);
}

static inline void assert_texts(struct og_text_reader *reader,
                                const struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        assert_text(reader, &t->places[i], t->list[i]);
}

/* A text with a few words changed; to be freed. */
static inline og_bytes next_version(og_bytes text, uint64_t *seed)
{
    char *copy = malloc(text.len + 1);
    memcpy(copy, text.data, text.len);
    for (int i = 0; i < 5 && text.len > 8; i++)
        memcpy(copy + og_random_next(seed) % (text.len - 4), "edit", 4);
    return (og_bytes){copy, text.len};
}

#endif
