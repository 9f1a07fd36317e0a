/* Every allocation of the texts and of the catalogue on disk fails once: the
 * status says so, nothing leaks, and what was there before is still whole. */

#include "lib/store/catalogue/documents.h"

#include "tests/oom/oom_support.h"
#include "tests/unit/texts_support.h"
#include <stdio.h>

/* Wants OG_OK or missing memory, and passes the latter on. */
#define STEP(expr)                                                             \
    do {                                                                       \
        status = (expr);                                                       \
        if (status != OG_OK) {                                                 \
            assert_int_equal(status, OG_ERR_MEMORY);                           \
            goto out;                                                          \
        }                                                                      \
    } while (0)

static og_status read_all(struct og_text_reader *reader, const struct texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        og_bytes got;
        TRY(og_text_reader_get(reader, &t->places[i], t->list[i].len, &got,
                               NULL, NULL));
        assert_memory_equal(got.data, t->list[i].data, t->list[i].len);
    }
    return OG_OK;
}

/* Everything that can be done with texts. */
static og_status use_texts(const og_allocator *a, struct texts *t)
{
    struct og_texts_options options = {.uuid = uuid,
                                       .samples_len = 20000,
                                       .segment_len = 10000,
                                       .buffer_len = 3000,
                                       .allocator = a};
    struct og_texts *texts = NULL;
    struct og_text_reader *reader = NULL;
    struct og_framer framer = {.allocator = a};
    struct og_pack out = {.allocator = a};
    struct og_texts_end end;
    struct og_texts_sums sums;
    struct og_text_place place;
    uint32_t segment;
    uint64_t base;
    og_status status;
    STEP(og_texts_open(in("texts"), &options, &texts, NULL));
    STEP(og_framer_init(&framer, a, NULL));
    STEP(og_text_reader_open(in("texts"), uuid, texts, a, &reader, NULL));
    og_texts_offer(texts, t->list, t->n);
    STEP(og_texts_train(texts, NULL));
    STEP(og_framer_pack(&framer, og_texts_dict(texts), t->list, t->n, &out,
                        t->places, NULL));
    STEP(og_texts_append(texts, out.data, out.len, &segment, &base, NULL));
    for (size_t i = 0; i < t->n; i++)
        og_text_place_move(&t->places[i], segment, base);
    STEP(og_texts_append_version(texts, &framer, reader, t->list[0],
                                 &t->places[0], t->list[0].len, &place, NULL));
    STEP(og_texts_sync(texts, &end, NULL));
    STEP(read_all(reader, t));
    STEP(og_texts_check(in("texts"), uuid, end, NULL, a, &sums, NULL));
out:
    og_text_reader_close(reader);
    og_framer_release(&framer);
    og_pack_release(&out);
    assert_int_equal(og_texts_close(texts, NULL), OG_OK);
    return status;
}

static void clear(void)
{
    char command[300];
    snprintf(command, sizeof(command), "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

static void texts_without_memory(void **state)
{
    (void)state;
    struct texts t = make_texts(40, 3000, 1);
    struct failing f = {.fail_at = 1};
    const og_allocator a = {&f, failing_resize};
    for (bool more = true; more; f.fail_at++) {
        f.n_calls = 0;
        clear();
        const og_status status = use_texts(&a, &t);
        more = f.n_calls >= f.fail_at;
        assert_true(more || status == OG_OK);
        assert_int_equal(f.n_held, 0);
    }
    assert_true(f.fail_at > 20);
    free_texts(&t);
}

static og_status use_documents(const og_allocator *a, og_bytes entry)
{
    const struct og_documents_options options = {
        .uuid = uuid, .writable = true, .allocator = a};
    const og_bytes entries[] = {entry, entry};
    const struct og_documents_batch batch = {0, entries, 2, NULL, 0, 2};
    struct og_documents *db = NULL;
    enum og_sums sums;
    og_status status;
    STEP(og_documents_open(in("catalogue"), &options, &db, NULL));
    STEP(og_documents_write(db, &batch, NULL));
    status = og_documents_close(db, NULL);
    db = NULL;
    STEP(status);
    STEP(og_documents_check(in("catalogue"), true, 0, a, &sums, NULL));
    assert_int_equal(sums, OG_SUMS_EQUAL);
out:
    og_documents_close(db, NULL);
    return status;
}

static void documents_without_memory(void **state)
{
    (void)state;
    struct failing f = {.fail_at = 1};
    const og_allocator a = {&f, failing_resize};
    const struct og_entry entry = {
        .id = OG_LITERAL("a"), .series = OG_NO_DOC, .n_origins = 1};
    struct og_pack bytes = {0};
    og_entry_pack(&entry, &bytes);
    for (bool more = true; more; f.fail_at++) {
        f.n_calls = 0;
        clear();
        const og_status status =
            use_documents(&a, (og_bytes){(char *)bytes.data, bytes.len});
        more = f.n_calls >= f.fail_at;
        assert_int_equal(status, more ? OG_ERR_MEMORY : OG_OK);
        assert_int_equal(f.n_held, 0);
    }
    assert_true(f.fail_at > 7);
    og_pack_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_without_memory),
        cmocka_unit_test(documents_without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
