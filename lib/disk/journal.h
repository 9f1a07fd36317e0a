#ifndef OG_DISK_JOURNAL_H
#define OG_DISK_JOURNAL_H

/*   in:  records, in order             (lib/store/store_disk.c, lib/dedup)
 *   out: the same, safe on disk
 *
 * Records go into a buffer; the journal's own thread writes and syncs whatever
 * accumulated while it was busy with the previous batch (group commit). So the
 * caller waits for the disk only when it asks for an acknowledgement, or when
 * the disk is slower than the caller for long. */

#include "lib/base/memory.h"

struct og_journal;

struct og_journal_options {
    const char *folder;      /* of the store; must outlive the journal */
    bool is_file;            /* `folder` is the name of the only file, 1 */
    uint64_t number;         /* of the file: 1, 2, ... */
    uint64_t first_sequence; /* of the first record to come */
    /* > 0: the file exists and is this long up to the end of its last valid
     * record; it is continued, and what follows is cut off. */
    uint64_t continued_len;
    uint64_t
        durable; /* of a continued file: the last record known to be durable */
    const uint8_t *uuid; /* 16 bytes */
    /* Called by the journal's thread before it writes: makes durable what the
     * records refer to. NULL: nothing to do. */
    og_status (*sync_first)(void *ctx, og_error *err);
    void *ctx;
};

/* Creates the file, or opens it to continue it. In a new file, everything
 * before `first_sequence` counts as durable; the rest of a continued one
 * becomes so with the first commit, since one sync covers all of a file. */
og_status og_journal_new(const struct og_journal_options *options,
                         const og_allocator *allocator, struct og_journal **out,
                         og_error *err);

/* Stops the thread; what was not committed may be lost. NULL is fine. */
void og_journal_free(struct og_journal *journal);

struct og_journal_part {
    const void *data;
    size_t len;
};

/* Appends a record and returns its sequence number. After a failed write every
 * call fails with the status and message of that failure. */
og_status og_journal_append(struct og_journal *journal, uint32_t type,
                            const struct og_journal_part *parts, size_t n_parts,
                            uint64_t *out_sequence, og_error *err);

/* Waits until everything appended is safe on disk. Any thread. */
og_status og_journal_commit(struct og_journal *journal, og_error *err);
/* Seconds that the processor has worked for the writing thread. */
double og_journal_seconds(const struct og_journal *journal);

/* Writes what was appended to the file without waiting for the disk: for a last
 * record that may be lost. */
og_status og_journal_write_out(struct og_journal *journal, og_error *err);

/* Ends this file, which must be committed, and begins the next one, which gets
 * all further records. */
og_status og_journal_rotate(struct og_journal *journal, og_error *err);

uint64_t og_journal_number(const struct og_journal *journal);

/* STORE/journal/000001.jnl; false: `out_cap` is too small. */
bool og_journal_path(char *out, size_t out_cap, const char *folder,
                     uint64_t number);

#endif
