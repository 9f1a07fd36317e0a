#ifndef TEXTS_OF_STORE_H
#define TEXTS_OF_STORE_H

/* A store with a few documents, in memory or on disk, for tests of code that
 * reads its texts. */

#include "tests/unit/store_support.h"

#include "lib/store/store_texts.h"

/* A text of its own for each number. */
static inline og_bytes text_number(int i)
{
    static char texts[8][2000];
    char *text = texts[i & 7];
    int n = 0;
    for (int w = 0; w < 150; w++)
        n += snprintf(text + n, sizeof(texts[0]) - (size_t)n, "w%dx%d ", i, w);
    return (og_bytes){text, (size_t)n};
}

static inline og_store *open_texts(const char *path, bool no_texts)
{
    og_store *store;
    og_params params = og_params_default();
    params.memory = 1 << 20;
    params.no_texts = no_texts;
    ASSERT_OK(og_store_open(path, OG_CREATE,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    return store;
}

static inline void add_text(og_store *store, const char *id, og_bytes text)
{
    const og_document doc = {.id = bytes_of(id),
                             .title = bytes_of("a title"),
                             .text = text,
                             .time = 7,
                             .has_time = true};
    ASSERT_OK(og_store_add(store, &doc, NULL, &story));
}

static inline void assert_same_bytes(og_bytes a, og_bytes b)
{
    assert_int_equal(a.len, b.len);
    if (a.len > 0) assert_memory_equal(a.data, b.data, a.len);
}

#endif
