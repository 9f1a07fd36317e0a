#ifndef JOURNAL_SUPPORT_H
#define JOURNAL_SUPPORT_H

/* A journal of made-up records: record i has i % 50 bytes of the value i. */

#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"
#include "tests/unit/store_support.h"

static inline struct og_journal *open_journal(uint64_t number, uint64_t first)
{
    struct og_journal *journal;
    const struct og_journal_options options = {.folder = folder,
                                               .number = number,
                                               .first_sequence = first,
                                               .uuid = uuid};
    mkdir(in("journal"), 0777);
    ASSERT_OK(og_journal_new(&options, NULL, &journal, &story));
    return journal;
}

static inline void append_records(struct og_journal *journal, uint64_t from,
                                  uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        uint8_t data[50];
        uint64_t sequence;
        memset(data, (int)i, sizeof(data));
        const struct og_journal_part parts[] = {{data, i % 50 / 2},
                                                {data, i % 50 - i % 50 / 2}};
        ASSERT_OK(og_journal_append(journal, OG_JOURNAL_REMOVE, parts, 2,
                                    &sequence, &story));
        assert_int_equal(sequence, i);
    }
}

/* Records 1 .. n - 1, each lot of `lot` committed, and the end of the file. */
static inline void write_journal(uint64_t n, uint64_t lot)
{
    struct og_journal *journal = open_journal(1, 1);
    for (uint64_t i = 1; i < n; i += lot) {
        append_records(journal, i, i + lot < n ? i + lot : n);
        ASSERT_OK(og_journal_commit(journal, &story));
    }
    og_journal_free(journal);
}

/* Reads from `from` on and compares; the status at the end, the next sequence
 * in *out_next. */
static inline og_status read_journal(uint64_t from, uint64_t *out_next,
                                     uint64_t *out_torn, og_error *err)
{
    struct og_journal_reader reader;
    struct og_journal_view view;
    TRY(og_journal_reader_open(&reader, folder, uuid, from, NULL, err));
    og_status status;
    for (*out_next = from;
         (status = og_journal_reader_next(&reader, &view, err)) == OG_OK;
         (*out_next)++) {
        assert_int_equal(view.sequence, *out_next);
        if (view.type == OG_JOURNAL_CLOSED) continue;
        assert_int_equal(view.len, *out_next % 50);
        assert_int_equal((uintptr_t)view.data % 8, 0);
        for (size_t i = 0; i < view.len; i++)
            assert_int_equal(view.data[i], (uint8_t)*out_next);
    }
    if (out_torn != NULL) *out_torn = og_journal_reader_torn(&reader);
    og_journal_reader_close(&reader);
    return status;
}

#endif
