#ifndef OG_SENTENCE_INDEX_SENTENCES_RUN_H
#define OG_SENTENCE_INDEX_SENTENCES_RUN_H

/*   in:  consecutive documents                              (lib/index)
 *   out: their answers; the index with all of them added      (lib/index)
 *
 * og_sentences_ask() and og_sentences_add() for one document after another, in
 * phases on all threads:
 *
 *     words    a document: its sentences and their words
 *     merge    if the memtable is full: it becomes a segment, and segments are
 *              merged (memtable_build.c, segment_merge.c)
 *     in order: the size of the index and, for queries, the memtable's count of
 *              each word; then the document gets its place in the memtable
 *     words    a document: what its place holds is copied to it
 *     ask      a document: as if the later ones were not there
 *
 * The answers are the same as one by one. Only if there are more candidates
 * than are examined (og_quote_options) it makes a difference that the memtable
 * becomes a segment between two runs, not within one. */

#include "lib/base/arena.h"
#include "lib/sentence/index/sentences.h"
#include "lib/stream/phases.h"

/* What a piece uses of its thread. */
struct og_quote_thread {
    struct og_quote_asker *asker;
    struct og_arena *arena; /* for what the run keeps */
    struct og_quote_scope scope;
};

struct og_quote_run_doc {
    const og_document *doc;
    uint32_t number; /* of the store; UINT32_MAX: it is not added */
    int64_t time;
    /* Out: in the arenas of the threads. */
    struct og_words_read read;
    uint64_t *memtable_df; /* of its words */
    size_t first;          /* its first sentence in the memtable */
    struct og_quote_mark at;
    const og_quotes *answer;
};

struct og_quote_run {
    const struct og_phases *phases;
    void *ctx;
    /* For document i of the run. */
    og_status (*thread_of)(void *ctx, void *worker, size_t i,
                           struct og_quote_thread *out, og_error *err);
    const og_quote_options *options; /* NULL: no query */
    struct og_quote_run_doc *docs;
    size_t n, docs_cap;
    size_t n_placed; /* up to the last document that is in the memtable */
    struct og_sentences *sentences;
};

void og_quote_run_release(struct og_quote_run *run);

/* Reserves room for n documents, to be filled in. */
og_status og_quote_run_begin(struct og_quote_run *run, size_t n, og_error *err);
/* sentences->n_documents says how many were added, also after a failure. */
og_status og_quote_run_take(struct og_quote_run *run, og_sentences *sentences,
                            og_error *err);

#endif
