/* Lots on their way to the disk: found all the time, in the catalogue at the
 * end, and pending as before when it failed. */

#include "lib/store/catalogue/catalogue_flush.h"

#include <sys/stat.h>

#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/store/catalogue/lookup.h"
#include "tests/unit/documents_support.h"

struct bench {
    struct og_documents *db;
    struct og_journal *journal;
    struct og_pending pending;
    struct og_catalogue_flush flush;
    bool fails; /* its syncs, from now on */
};

static og_status sync_first(void *ctx, og_error *err)
{
    const struct bench *b = ctx;
    return b->fails ? og_error_set(err, OG_ERR_IO, "no such luck") : OG_OK;
}

static void set_up(struct bench *b, bool writable)
{
    *b = (struct bench){.db = open_documents(writable)};
    const struct og_journal_options options = {
        .folder = folder,
        .number = 1,
        .first_sequence = 1,
        .uuid = uuid,
        .sync_first = sync_first,
        .ctx = b,
    };
    mkdir(in("journal"), 0777);
    ASSERT_OK(og_journal_new(&options, NULL, &b->journal, &story));
    og_pending_init(&b->pending, 0, NULL);
    b->flush = (struct og_catalogue_flush){
        .pending = &b->pending, .documents = b->db, .journal = b->journal};
}

static void tear_down(struct bench *b)
{
    og_pending_release(&b->pending);
    og_journal_free(b->journal);
    close_documents(b->db);
}

/* Documents first to end - 1; number i is record i + 1. */
static void append(struct bench *b, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        char id[32];
        uint64_t sequence;
        struct entries e = make_entries(i, 1);
        const struct og_entry entry = entry_of(i, id);
        const struct og_journal_part part = {e.list[0].data, e.list[0].len};
        ASSERT_OK(og_journal_append(b->journal, OG_JOURNAL_DOCUMENT, &part, 1,
                                    &sequence, &story));
        assert_int_equal(sequence, i + 1);
        ASSERT_OK(og_pending_reserve(&b->pending, &story));
        ASSERT_OK(og_pending_append(&b->pending, e.list[0], &entry, &story));
        free_entries(&e);
    }
}

/* All of them are found, wherever they are. */
static void check_all(struct bench *b, uint32_t end)
{
    struct og_lookup lookup;
    struct og_entry entry;
    og_lookup_init(&lookup, &b->pending, b->db, NULL);
    for (uint32_t i = 0; i < end; i++) {
        char id[32];
        const struct og_entry wanted = entry_of(i, id);
        ASSERT_OK(og_lookup_get(&lookup, i, &entry, &story));
        assert_int_equal(entry.text_len, wanted.text_len);
        og_lookup_clear(&lookup);
    }
    og_lookup_release(&lookup);
}

static void check_catalogue(struct bench *b, uint32_t count)
{
    struct og_documents_view view = begin_view(b->db);
    assert_int_equal(og_documents_view_count(&view), count);
    assert_int_equal(og_documents_view_sequence(&view), count);
    og_documents_view_release(&view);
}

static void test_lots_arrive_in_order(void **state)
{
    enum { LOT = 37, N_LOTS = 20 };
    struct bench b;
    (void)state;
    set_up(&b, true);
    for (uint32_t i = 0; i < N_LOTS; i++) {
        append(&b, i * LOT, (i + 1) * LOT);
        ASSERT_OK(og_catalogue_flush_end(&b.flush, &story));
        check_catalogue(&b, i * LOT);
        og_catalogue_flush_start(&b.flush, (uint64_t)(i + 1) * LOT);
        check_all(&b, (i + 1) * LOT);
    }
    ASSERT_OK(og_catalogue_flush_end(&b.flush, &story));
    assert_null(og_pending_frozen(&b.pending));
    check_catalogue(&b, N_LOTS * LOT);
    check_all(&b, N_LOTS * LOT);
    tear_down(&b);
}

/* A catalogue that cannot be written: nothing is lost, and the next try takes
 * the same lot, not what came later. */
static void test_a_failure_is_reported_once(void **state)
{
    struct bench b;
    og_error err = {0};
    (void)state;
    close_documents(open_documents(true));
    set_up(&b, false);
    append(&b, 0, 10);
    og_catalogue_flush_start(&b.flush, 10);
    append(&b, 10, 15);
    assert_int_equal(og_catalogue_flush_end(&b.flush, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "open for reading"));
    assert_false(og_catalogue_flush_has_failed(&b.flush));
    ASSERT_OK(og_catalogue_flush_end(&b.flush, &story));
    check_all(&b, 15);
    close_documents(b.db);
    b.flush.documents = b.db = open_documents(true);
    og_catalogue_flush_start(&b.flush, 15);
    ASSERT_OK(og_catalogue_flush_end(&b.flush, &story));
    check_catalogue(&b, 10);
    og_catalogue_flush_start(&b.flush, 15);
    ASSERT_OK(og_catalogue_flush_end(&b.flush, &story));
    check_catalogue(&b, 15);
    check_all(&b, 15);
    tear_down(&b);
}

/* What the journal has not made safe does not come into the catalogue. */
static void test_the_journal_comes_first(void **state)
{
    struct bench b;
    og_error err = {0};
    (void)state;
    set_up(&b, true);
    b.fails = true;
    append(&b, 0, 10);
    og_catalogue_flush_start(&b.flush, 10);
    assert_int_equal(og_catalogue_flush_end(&b.flush, &err), OG_ERR_IO);
    assert_string_equal(err.message, "no such luck");
    check_catalogue(&b, 0);
    check_all(&b, 10);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_lots_arrive_in_order, fresh_catalogue),
        cmocka_unit_test_setup(test_a_failure_is_reported_once,
                               fresh_catalogue),
        cmocka_unit_test_setup(test_the_journal_comes_first, fresh_catalogue),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
