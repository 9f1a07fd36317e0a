#ifndef OG_DEDUP_DEDUP_PIECES_H
#define OG_DEDUP_DEDUP_PIECES_H

/*   in:  a document and the parts to be cut       (lib/dedup/level_unit.c, ...)
 *   out: the document without them, and what was cut (lib/dedup/dedup_output.h)
 *
 * For the levels that cut pieces out of texts. With a journal a run resumes
 * with the outputs of an interrupted one: the tables of pieces are
 * rebuilt, and the output so far is kept. */

#include "lib/dedup/dedup_ids.h"
#include "lib/dedup/dedup_journal.h"
#include "lib/dedup/dedup_levels.h"

#include <origo/dedup.h>

/* Half-open, in bytes of the document's own text; ascending, disjoint. */
struct og_dedup_piece {
    size_t begin, end;
    size_t n_tokens;
    uint64_t first; /* the number of the document that keeps it, from 1 */
};

/* The state of a thread that cuts. */
struct og_cut_scratch {
    struct og_pack text, record;
    char *unescaped;
    size_t unescaped_cap;
};
void og_cut_scratch_release(struct og_cut_scratch *scratch);

/* A document as it will be written. */
struct og_cut_document {
    const struct og_dedup_piece *pieces;
    size_t n;
    bool is_all;           /* no token remains: it is removed as a whole */
    og_bytes text, record; /* the remaining text; empty if n is 0 */
    bool stays;            /* record is valid until the block is written */
};

struct og_piece_cutter {
    struct og_dedup_run *run;
    struct og_cut_scratch scratch;
    struct og_dedup_ids ids;
    struct og_dedup_journal journal;
    uint64_t n_taken; /* documents of the writing pass */
};

void og_piece_cutter_init(struct og_piece_cutter *cutter,
                          struct og_dedup_run *run);

/* Opens the outputs, after the documents to compare with were read. */
og_status og_piece_cutter_open(struct og_piece_cutter *cutter, og_error *err);
/* Gives the outputs their names if `status` is OG_OK; releases everything. */
og_status og_piece_cutter_close(struct og_piece_cutter *cutter,
                                og_status status, og_error *err);

/* Records the next document, from number 1 on, for reports: those to compare
 * with first. */
og_status og_piece_cutter_note(struct og_piece_cutter *cutter, og_bytes id,
                               og_error *err);

/* Called by the writing pass after each block. */
og_status og_piece_cutter_end_block(struct og_piece_cutter *cutter,
                                    uint64_t sequence, og_error *err);

/* Any thread: the text of a document, whether it is a line of JSONL or not.
 * Valid until the next call. */
og_status og_cut_text(const struct og_dedup_run *run,
                      const struct og_dedup_doc *doc,
                      struct og_cut_scratch *scratch, og_bytes *out,
                      og_error *err);
/* Any thread: the document without out->pieces; `text` is its text, which may
 * be empty if there are none. The results are in the scratch. */
og_status og_cut(const struct og_dedup_run *run, const struct og_dedup_doc *doc,
                 og_bytes text, struct og_cut_scratch *scratch,
                 struct og_cut_document *out, og_error *err);

/* Writes the next document. */
og_status og_piece_cutter_write(struct og_piece_cutter *cutter,
                                const struct og_dedup_doc *doc,
                                const struct og_cut_document *cut,
                                og_error *err);

#endif
