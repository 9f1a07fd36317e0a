#ifndef DOCUMENTS_SUPPORT_H
#define DOCUMENTS_SUPPORT_H

/* What the tests of the catalogue on disk share: entries from a number, whole
 * batches of them, and an environment in the test's folder. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <inttypes.h>

#include "lib/store/catalogue/documents.h"
#include "tests/unit/files_support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t uuid[16] = {1, 2, 3};

static _Thread_local og_error story; /* of ASSERT_OK */

#define ASSERT_OK(expr)                                                        \
    do {                                                                       \
        if ((expr) != OG_OK) fail_msg("%s: %s", #expr, story.message);         \
    } while (0)

/* Document `number`: every tenth is a version of the one ten before it, and
 * each copies from a third and a half of itself. */
static inline struct og_entry entry_of(uint32_t number, char id[32])
{
    struct og_entry e = {.id = {id, 0}, .series = OG_NO_DOC};
    e.id.len = (size_t)snprintf(
        id, 32, "id %" PRIu32, number % 10 == 0 ? number / 100 : number * 1000);
    e.title = (og_bytes)OG_LITERAL("a title that is about so long");
    e.time = number;
    e.text_len = 100 + number;
    if (number >= 3) {
        e.n_origins = 2;
        e.origins[0] = (struct og_entry_origin){number / 3, 50};
        e.origins[1] = (struct og_entry_origin){number / 2, 20 + number % 5};
    }
    return e;
}

struct entries {
    struct og_pack bytes;
    og_bytes *list;
};

static inline struct entries make_entries(uint32_t first, uint32_t n)
{
    struct entries e = {.list = calloc(n + 1, sizeof(og_bytes))};
    size_t *ends = calloc(n + 1, sizeof(*ends));
    for (uint32_t i = 0; i < n; i++) {
        char id[32];
        const struct og_entry entry = entry_of(first + i, id);
        og_entry_pack(&entry, &e.bytes);
        ends[i + 1] = e.bytes.len;
    }
    for (uint32_t i = 0; i < n; i++)
        e.list[i] =
            (og_bytes){(char *)e.bytes.data + ends[i], ends[i + 1] - ends[i]};
    free(ends);
    return e;
}

static inline void free_entries(struct entries *e)
{
    og_pack_release(&e->bytes);
    free(e->list);
}

static inline struct og_documents *open_documents(bool writable)
{
    struct og_documents *db = NULL;
    const struct og_documents_options options = {.uuid = uuid,
                                                 .writable = writable};
    ASSERT_OK(og_documents_open(in("catalogue"), &options, &db, &story));
    return db;
}

/* Documents first to first + n - 1, sequence first + n. */
static inline void write_documents(struct og_documents *db, uint32_t first,
                                   uint32_t n)
{
    struct entries e = make_entries(first, n);
    const struct og_documents_batch batch = {.first = first,
                                             .entries = e.list,
                                             .n_entries = n,
                                             .sequence = first + n};
    ASSERT_OK(og_documents_write(db, &batch, &story));
    free_entries(&e);
}

static inline void close_documents(struct og_documents *db)
{
    ASSERT_OK(og_documents_close(db, &story));
}

static inline int fresh_catalogue(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s' '%s'", in("catalogue"),
             in("catalogue.sum"));
    return system(command) != 0;
}

/* A view that sees what is there now. */
static inline struct og_documents_view begin_view(struct og_documents *db)
{
    struct og_documents_view view;
    og_documents_view_init(&view, db);
    ASSERT_OK(og_documents_view_begin(&view, &story));
    return view;
}

#endif
