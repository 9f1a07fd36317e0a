#ifndef OG_SENTENCE_INDEX_SENTENCES_H
#define OG_SENTENCE_INDEX_SENTENCES_H

/*   in:  the documents of a store, one after the other      (lib/index)
 *   out: the sentences that a document reuses               (lib/report)
 *
 * An index that is derived from the documents of a store: names and texts stay
 * there, and so does the log. Its files are those that the manifest names;
 * later documents are added again when it is opened. Without a folder the index
 * is in memory and keeps names and texts itself.
 *
 * sentences_open.c opens and closes it, sentences.c adds documents and merges
 * segments, sentences_ask.c answers. One thread adds, while none queries. */

#include "lib/base/arena.h"
#include "lib/sentence/index/sentence_manifest.h"
#include "lib/sentence/index/sentence_memtable.h"
#include "lib/sentence/index/wordset_list.h"

#include <origo/sentence.h>
#include <pthread.h>

/* A wordset that reaches the threshold. */
struct og_found_wordset {
    uint32_t segment; /* n_segments: the memtable */
    uint32_t wordset;
    uint32_t n_shared;
    double similarity;
};

/* A sentence to be reported, while the answer is built. */
struct og_found_place {
    int64_t time;
    uint32_t segment, sentence;
    size_t found; /* its wordset */
};

/* What an index on disk needs from its store. */
struct og_sentences_store {
    void *ctx;
    const uint8_t *uuid;
    /* A document with its text; views until the next call. */
    og_status (*document)(void *ctx, uint32_t number, og_document *out,
                          og_error *err);
    /* Makes all documents added so far durable: before files refer to them. */
    og_status (*settle)(void *ctx, og_error *err);
};

/* Measured signature distances of similar sentences. */
struct og_recall_sample {
    double threshold; /* of their similarity */
    uint64_t n, n_at[129];
};
#define OG_RECALL_SAMPLE 1000

/* The smallest distance within which this share of them is; -1: there are not
 * enough of them yet. */
int og_recall_sample_distance(const struct og_recall_sample *sample,
                              double threshold, double recall);
/* The share of them within a distance. */
double og_recall_sample_share(const struct og_recall_sample *sample, int d);

/* The state of the index at a query that is answered later: documents added
 * since then are ignored. */
struct og_quote_mark {
    uint64_t n_sentences; /* of all */
    size_t n_memtable_wordsets, n_memtable_sentences;
};

/* The state of a querying thread: the current query, and the answer. Any number
 * of them while nothing is added. */
struct og_quote_asker {
    struct og_sentences *s;
    struct og_word_reader reader, match_reader;
    /* og_sentences_store.document, for this thread. */
    og_status (*document)(void *ctx, uint32_t number, og_document *out,
                          og_error *err);
    void *document_ctx;
    struct og_words_read read; /* of the queried document */
    struct og_quote_mark at;
    const uint64_t *memtable_df; /* of its words, in the memtable; NULL: as it
                                is now */
    struct og_question question;
    size_t *places; /* of the query's words in every segment */
    size_t places_cap;
    struct og_wordset_list list;
    struct og_found_wordset *found;
    size_t n_found, found_cap;
    struct og_found_place *reported;
    size_t n_reported, reported_cap;
    size_t *
        memtable_found; /* of each wordset of the memtable: its index in found +
                       1 */
    size_t memtable_found_cap;
    struct og_text_cache cache;
    uint64_t n_merges; /* of the index when the cache was filled */
    og_quotes answer;
    og_quote *quotes;
    size_t quotes_cap;
    og_quote_match *matches;
    size_t n_matches, matches_cap;
    og_range *ranges;
    size_t n_ranges, ranges_cap;
    char *texts;
    size_t texts_len, texts_cap;
};

struct og_sentences {
    const og_allocator *allocator;
    /* What is built, merged and written is so in these: of the current run, or
     * of the caller alone. */
    const struct og_phases *phases;
    struct og_phases alone;
    pthread_mutex_t counting; /* of the memtable's words, by queries */
    char *folder;             /* NULL: in memory */
    bool is_writable;
    uint64_t memory;
    struct og_sentences_store store;
    struct og_sentence_manifest manifest; /* its segments are not up to date */
    uint32_t n_documents; /* of the store; the earlier ones are in here */

    struct og_memtable memtable;
    struct og_sentence_segment
        segment[OG_SENTENCE_SEGMENTS_MOST];     /* the oldest first */
    uint64_t number[OG_SENTENCE_SEGMENTS_MOST]; /* 0: not on disk */
    size_t n_segments;
    uint64_t n_sentences;
    uint64_t n_merges;        /* so far: segments have been replaced */
    _Atomic uint32_t n_asked; /* documents, by all threads */
    int64_t latest;
    struct og_recall_sample sample;
    struct og_quote_asker own; /* for queries one by one */
};

typedef struct og_sentences og_sentences;

/* `folder` NULL: in memory, and `store` may be NULL. A writer with `is_new`
 * creates an empty index, whatever is there. */
struct og_sentences_place {
    const char *folder;
    bool is_writable, is_new;
    const struct og_sentences_store *store;
};
/* Verifies every byte of the files: OG_ERR_STORE names file and position. */
og_status og_sentences_open(const struct og_sentences_place *place,
                            const og_sentences_options *options,
                            og_sentences **out, og_error *err);
void og_sentences_close(og_sentences *s); /* NULL is fine */

/* Adds document s->n_documents or a later one; those between have no sentences.
 * It is found at once. OG_ERR_LIMIT: over the memory limit of an index without
 * a folder. */
og_status og_sentences_add(og_sentences *s, uint32_t number,
                           const og_document *doc, int64_t time, og_error *err);
/* Writes everything in memory to a file. */
og_status og_sentences_flush(og_sentences *s, og_error *err);
/* Only for an index that keeps names. */
bool og_sentences_has(const og_sentences *s, og_bytes id);

/* The documents that may be reported. */
struct og_quote_scope {
    void *ctx;
    /* Documents from this time on are excluded, or those after `number` at the
     * same time. */
    bool has_end;
    int64_t time;
    uint32_t number;
    /* NULL: all others are; otherwise called for each. */
    bool (*is_reported)(void *ctx, uint32_t number);
};
/* The sentences of `doc`. `scope` NULL: all documents but those of its id.
 * Valid until the next call. */
og_status og_sentences_ask(og_sentences *s, const og_document *doc,
                           const og_quote_options *options,
                           const struct og_quote_scope *scope,
                           const og_quotes **out, og_error *err);
/* n_words counts those of the memtable that queries have counted. */
void og_sentences_info_get(const og_sentences *s, og_sentences_info *out);
void og_sentences_explain(const og_sentences *s,
                          const og_quote_options *options, char *out,
                          size_t out_cap);

/* ---- steps of it, for runs of documents (sentences_run.h) ---- */

og_status og_quote_asker_init(struct og_quote_asker *asker,
                              struct og_sentences *s, og_error *err);
void og_quote_asker_release(struct og_quote_asker *asker);
og_status og_quote_options_check(const struct og_sentences *s,
                                 const og_quote_options *options,
                                 og_error *err);
struct og_quote_mark og_sentences_mark(const struct og_sentences *s);
/* Like og_sentences_ask(), for a document whose words were read, as if nothing
 * had been added since the mark. */
og_status og_quote_ask(struct og_quote_asker *asker, const og_document *doc,
                       const struct og_words_read *read,
                       const struct og_quote_mark *at,
                       const uint64_t *memtable_df,
                       const og_quote_options *options,
                       const struct og_quote_scope *scope,
                       const og_quotes **out, og_error *err);
/* The same for a document as it is, now. */
og_status og_quote_ask_now(struct og_quote_asker *asker, const og_document *doc,
                           const og_quote_options *options,
                           const struct og_quote_scope *scope,
                           const og_quotes **out, og_error *err);
/* Whether results determine how far signatures are searched: each query then
 * changes the sample, so no other may run meanwhile. */
bool og_quote_has_to_sample(const og_quote_options *options);
/* A copy of the last answer that lives as long as the arena. */
og_status og_quote_keep(const struct og_quote_asker *asker,
                        struct og_arena *arena, const og_quotes **out,
                        og_error *err);
og_status og_quote_find(struct og_quote_asker *asker, const uint64_t *words,
                        size_t n_words, const og_quote_options *options,
                        og_error *err);
/* Reserves room for more documents. `is_asked`: queries will scan the memtable,
 * which is to be small then. */
og_status og_sentences_reserve(og_sentences *s, bool is_asked, og_error *err);
/* Adds a document whose words were read, as in og_memtable_place(). */
og_status og_sentences_place(og_sentences *s, uint32_t number,
                             const og_document *doc, int64_t time,
                             const struct og_words_read *read,
                             size_t *out_first, og_error *err);
/* Before queries: the words of the memtable are counted. Any thread, while
 * nothing is added. */
og_status og_sentences_count(og_sentences *s, og_error *err);

/* Searches for one sentence: fills own.found with the wordsets that reach the
 * threshold, in no order, and counts in own.list. */
og_status og_sentences_find(struct og_sentences *s, const uint64_t *words,
                            size_t n_words, const og_quote_options *options,
                            og_error *err);

/* Merges everything into one segment. For measurements, and only in memory. */
og_status og_sentences_settle(struct og_sentences *s, og_error *err);

/* The distance that qSign searches for a sentence of n words. */
int og_sentences_distance(const struct og_sentences *s, size_t n_words,
                          const og_quote_options *options);

#endif
