#ifndef OG_SENTENCE_INDEX_SENTENCE_JOURNAL_H
#define OG_SENTENCE_INDEX_SENTENCE_JOURNAL_H

/* Documents that are in no image on disk yet, one record after the other.
 *
 *     head    64 bytes: "origo sentences journal 1\n", number, sum
 *     record  u32 'J' 'R' 'E' 'C', u32 length, u64 sum, then the length in
 *             bytes: flags, time, id, title, text
 *
 * A process that is killed may leave half a record at the end, which nobody
 * was told about: it is passed over, and cut off by the next writer. A record
 * that is wrong with a right one behind it is damage, and told as such. */

#include "lib/base/packing.h"
#include "lib/base/status.h"

struct og_sentence_journal {
    int fd; /* -1: closed */
    char *path;
    uint64_t len;          /* of the file */
    struct og_pack buffer; /* records that were not written yet */
    bool is_dirty;         /* something is not on the disk yet */
};

/* Makes an empty one and makes it durable. */
og_status og_sentence_journal_create(struct og_sentence_journal *journal,
                                     const char *path, uint64_t number,
                                     og_error *err);

/* Reads all records, calls `take` with each, in order. When `writable`, stays
 * open to append behind the last one. */
og_status og_sentence_journal_open(
    struct og_sentence_journal *journal, const char *path, uint64_t number,
    bool writable, void *ctx,
    og_status (*take)(void *ctx, const og_document *doc, og_error *err),
    og_error *err);
void og_sentence_journal_close(struct og_sentence_journal *journal);

/* To the buffer; who wants to undo it sets buffer.len back. */
og_status og_sentence_journal_add(struct og_sentence_journal *journal,
                                  const og_document *doc, og_error *err);
/* Writes the buffer when it has become large. */
og_status og_journal_drain(struct og_sentence_journal *journal, og_error *err);
/* Makes everything durable. */
og_status og_journal_sync(struct og_sentence_journal *journal, og_error *err);

/* The record at data[0]: its length in all, 0 when there is none. Strings are
 * views. */
size_t og_journal_parse(const uint8_t *data, size_t len, og_document *out);

#endif
