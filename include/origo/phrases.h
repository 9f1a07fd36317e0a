#ifndef ORIGO_PHRASES_H
#define ORIGO_PHRASES_H

/* Passages that many documents repeat: in how many each is, who had it first,
 * how it spread, which documents are made of such passages and which sources
 * copy most.
 *
 * A first pass counts all shingles of min_tokens tokens in a table of fixed
 * size (space-saving: the rarest of a bucket makes room); the next ones count
 * what is left in it anew, join shingles to passages and look for each passage
 * in the text of every document, word by word. So what is said of a passage is
 * exact: its documents, the first of them, its growth, the shares, the sources.
 * What may be missing from the list are passages in `complete_above` documents
 * or fewer. */

#include <origo/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_period {
    OG_PERIOD_PARTS = 0, /* ten parts of equally many documents, in the order
                            of arrival */
    OG_PERIOD_DAY,       /* of their times, UTC; those without are left out. */
    OG_PERIOD_MONTH,     /* Where there would be more than 4096 days, months */
    OG_PERIOD_YEAR,      /* are taken instead, then years */
} og_period;

typedef struct og_phrases_options {
    uint32_t limit; /* most passages, documents and sources, 1 to 10,000 */
    uint32_t min_documents; /* that hold a passage, 2 at least */
    uint32_t min_tokens;    /* of a passage; 0: as many as a shingle of the
                               store has, 8 at least */
    uint64_t memory;        /* of the tables that count, bytes */
    bool has_since, has_until;
    int64_t since, until; /* documents from `since` on and before `until`; those
                             without a time count only when neither is given */
    og_period period;
    const char *source; /* what makes documents those of one source: "host" of
                           the url, "id", or the name of a field of theirs */
    /* Of og_store_phrases() alone: */
    unsigned n_threads; /* 0: as many as the machine has */
    void *ctx;
    void (*on_progress)(void *ctx, const char *step,
                        const og_stream_counts *counts); /* may be NULL */
    bool (*should_stop)(void *ctx);                      /* likewise */
    /* Of og_stream_phrases() alone: */
    og_token_kind tokens;
    uint32_t fold;
} og_phrases_options;
OG_API og_phrases_options og_phrases_options_default(void);

/* Where a passage was first: the earliest document that holds it whole. */
typedef struct og_phrase_holder {
    og_bytes id, title, url;
    int64_t time;
    bool has_time;
    og_time_source time_source;
    uint64_t begin, end; /* bytes of its text */
} og_phrase_holder;

typedef struct og_phrase {
    og_bytes text; /* as its first holder has it */
    uint64_t n_tokens;
    uint64_t n_documents; /* that hold all of it, word by word */
    og_phrase_holder first;
    const uint64_t *growth; /* of those documents, how many in each period */
} og_phrase;

typedef struct og_phrase_period {
    uint64_t n_documents; /* all of them */
    bool has_times;       /* false: none of them has one */
    int64_t first, last;  /* the least and the largest time */
} og_phrase_period;

/* A document, by the share of its tokens that are in the passages listed. */
typedef struct og_phrase_document {
    og_bytes id;
    int64_t time;
    bool has_time;
    og_time_source time_source;
    uint64_t n_tokens, n_covered;
    uint64_t n_phrases; /* of the passages listed */
} og_phrase_document;

/* A source copies a passage with each of its documents that holds it, but for
 * the first holder. */
typedef struct og_phrase_source {
    og_bytes name;
    uint64_t n_documents; /* that hold a passage */
    uint64_t n_copies;    /* passages, counted once in each document */
    uint64_t n_tokens;    /* of those copies */
} og_phrase_source;

typedef struct og_phrases {
    uint64_t n_documents, n_tokens; /* that were looked at */
    uint32_t min_documents, min_tokens;
    /* Every run of min_tokens tokens that is in more documents than this was
     * counted. 0: the table had room for all of them. */
    uint64_t complete_above;
    uint64_t n_more; /* passages in enough documents that the limit left out,
                        of those that were checked */
    uint64_t n_made; /* documents of which the passages cover half or more */
    og_period period;
    const og_phrase *phrases; /* the one in most documents first */
    size_t n_phrases;
    const og_phrase_period *periods;
    size_t n_periods;
    const og_phrase_document *documents; /* the largest share first */
    size_t n_documents_listed;
    const og_phrase_source *sources; /* the most copied tokens first */
    size_t n_sources;
} og_phrases;

/* Of all documents of a store. Reads their texts five times, one pass after the
 * other, on all threads; a writer may be at work meanwhile. OG_ERR_USAGE: the
 * store keeps no texts, or an option is out of its range. *out is for
 * og_phrases_free(). */
OG_API og_status og_store_phrases(og_store *store,
                                  const og_phrases_options *options,
                                  og_phrases **out, og_error *err);

/* Of a stream without a store. It is read five times: OG_ERR_USAGE when it
 * cannot be (stdin, a pipe, an `input->next` without `rewind`). out_counts may
 * be NULL. */
OG_API og_status og_stream_phrases(const og_input *input,
                                   const og_phrases_options *options,
                                   og_phrases **out,
                                   og_stream_counts *out_counts, og_error *err);

OG_API void og_phrases_free(og_phrases *phrases); /* NULL is fine */

/* OG_FORMAT_TEXT, _JSON (one object, docs/phrases.schema.json), _TSV (a line a
 * passage) or _HTML (one page). */
OG_API og_status og_phrases_write(const og_phrases *phrases, og_format format,
                                  og_text_style style, og_write_fn *write,
                                  void *ctx, og_error *err);
/* To a file that appears whole or not at all; NULL and "-" are stdout. */
OG_API og_status og_phrases_save(const og_phrases *phrases, og_format format,
                                 og_text_style style, const char *path,
                                 og_error *err);

#ifdef __cplusplus
}
#endif

#endif
