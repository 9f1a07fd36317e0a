#ifndef OG_DEDUP_DEDUP_JOURNAL_H
#define OG_DEDUP_DEDUP_JOURNAL_H

/*   in:  the decisions of a run so far             (lib/dedup/level_document.c)
 *   out: the same, after an interruption, for the run that resumes
 *
 * The file OUTPUT.journal, a log (lib/disk/journal_format.h) whose uuid is a
 * checksum of options and inputs, with records of type OG_JOURNAL_MARK, each
 * written after the outputs were synced up to the position that it states:
 *
 *     [mark, 33 words]
 *     [number, 8 bytes][sketch]  for each document kept since the last record
 *     [number, 8 bytes]          for each of them that got its first copy
 *
 * Words are 8 bytes, little-endian; dedup_journal.c lists those of a mark. A
 * truncated or damaged record ends the journal: all before it count. */

#include "lib/dedup/dedup_levels.h"
#include "lib/disk/journal.h"

#include <origo/dedup.h>

struct og_dedup_journal_mark {
    uint64_t n_blocks; /* of the input, done */
    uint64_t n_documents;
    struct og_output_lens lens;
    og_dedup_counts counts;
    uint64_t n_kept, n_centers; /* in this record */
};

struct og_dedup_journal {
    bool is_on;
    struct og_journal *log;
    uint8_t uuid[16];
    char *path;
    size_t sketch_len;
    bool has_kept;                /* kept documents and centers are recorded */
    struct og_pack kept, centers; /* since the last record */
    double every, last;           /* seconds; last: time of the last record */
    uint64_t last_bytes;
    enum og_part_state parts; /* the state of the outputs' parts */
    bool is_resumed;          /* a journal existed: */
    struct og_dedup_journal_mark mark;
};

/* Reads an existing journal and continues it; the documents to compare with
 * were read before. The callbacks are called for each kept document and each
 * center, in order; levels that record none pass NULL. OG_ERR_INPUT: it is the
 * journal of another run. */
og_status og_dedup_journal_open(
    struct og_dedup_journal *j, const struct og_dedup_run *run,
    size_t sketch_len, void *ctx,
    og_status (*on_kept)(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err),
    og_status (*on_center)(void *ctx, uint64_t number, og_error *err),
    og_error *err);
void og_dedup_journal_close(struct og_dedup_journal *j, bool is_done);

/* No effect without a journal. */
void og_dedup_journal_keep(struct og_dedup_journal *j, uint64_t number,
                           const uint8_t *sketch);
void og_dedup_journal_center(struct og_dedup_journal *j, uint64_t number);

/* Writes a record if it is time for one. */
og_status og_dedup_journal_mark(struct og_dedup_journal *j, uint64_t n_blocks,
                                uint64_t n_documents,
                                const og_dedup_counts *counts,
                                struct og_dedup_output *output, og_error *err);

#endif
