#ifndef ORIGO_PHRASES_H
#define ORIGO_PHRASES_H

/* Passages that many documents repeat: how many documents contain each, which
 * had it first, how it spread, which documents consist of such passages and
 * which sources copy most.
 *
 * A first pass counts all shingles of min_tokens tokens in a table of fixed
 * size (space-saving: the rarest of a bucket is evicted); later passes count
 * the remaining ones exactly, join shingles to passages and look for each
 * passage in the text of every document, word by word. So what is reported of a
 * passage is exact: its documents, the first of them, its growth, the shares,
 * the sources. Only passages in `complete_above` documents or fewer may be
 * missing from the list. */

#include <origo/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_period {
    OG_PERIOD_PARTS = 0, /* ten parts of equally many documents, in order of
                            arrival */
    OG_PERIOD_DAY,       /* by their times, UTC; documents without a time are
                            not counted */
    OG_PERIOD_MONTH,     /* More than 4096 days are grouped into months, */
    OG_PERIOD_YEAR,      /* more than 4096 months into years */
} og_period;

typedef struct og_phrases_options {
    uint32_t limit; /* the most passages, documents and sources, 1 to 10,000 */
    uint32_t min_documents; /* documents that contain a passage, at least 2 */
    uint32_t min_tokens;    /* of a passage; 0: the shingle length of the store,
                               at least 8 */
    uint64_t memory;        /* of the tables for counting, in bytes; a document
                               that is read may have a sixteenth of it (2 MiB at
                               least), unless max_document of the input is set */
    bool has_since, has_until;
    int64_t since, until; /* documents from `since` to before `until`; documents
                             without a time are counted only if neither is
                             given */
    og_period period;
    const char *source; /* what identifies the source of a document: "host" of
                           the url, "id", or the name of a field */
    /* For og_store_phrases() only: */
    unsigned n_threads; /* 0: one per core */
    void *ctx;
    void (*on_progress)(void *ctx, const char *step,
                        const og_stream_counts *counts); /* may be NULL */
    bool (*should_stop)(void *ctx);                      /* likewise */
    /* For og_stream_phrases() only: */
    og_token_kind tokens;
    uint32_t fold;
} og_phrases_options;
OG_API og_phrases_options og_phrases_options_default(void);

/* The first occurrence of a passage: the earliest document that contains all of
 * it. */
typedef struct og_phrase_holder {
    og_bytes id, title, url;
    int64_t time;
    bool has_time;
    og_time_source time_source;
    uint64_t begin, end; /* bytes of its text */
} og_phrase_holder;

typedef struct og_phrase {
    og_bytes text; /* as in its first holder */
    uint64_t n_tokens;
    uint64_t n_documents; /* that contain all of it, word by word */
    og_phrase_holder first;
    const uint64_t *growth; /* of those documents, the number in each period */
} og_phrase;

typedef struct og_phrase_period {
    uint64_t n_documents; /* all of them */
    bool has_times;       /* false: none of them has one */
    int64_t first, last;  /* the earliest and the latest time */
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

/* Each document of a source that contains a passage is a copy of it by the
 * source, unless it is the first holder. */
typedef struct og_phrase_source {
    og_bytes name;
    uint64_t n_documents; /* that contain a passage */
    uint64_t n_copies;    /* passages, counted once per document */
    uint64_t n_tokens;    /* of those copies */
} og_phrase_source;

typedef struct og_phrases {
    uint64_t n_documents, n_tokens; /* that were read */
    uint32_t min_documents, min_tokens;
    /* Every run of min_tokens tokens that occurs in more documents than this
     * was counted. 0: the table had room for all of them. */
    uint64_t complete_above;
    uint64_t n_more; /* verified passages in enough documents that the limit
                        left out */
    uint64_t n_made; /* documents of which the passages cover at least half */
    og_period period;
    const og_phrase *phrases; /* by number of documents, largest first */
    size_t n_phrases;
    const og_phrase_period *periods;
    size_t n_periods;
    const og_phrase_document *documents; /* by share, largest first */
    size_t n_documents_listed;
    const og_phrase_source *sources; /* by copied tokens, most first */
    size_t n_sources;
} og_phrases;

/* Over all documents of a store. Reads their texts five times, one pass after
 * the other, on all threads; a writer may be active meanwhile. OG_ERR_USAGE:
 * the store keeps no texts, or an option is out of range. Free *out with
 * og_phrases_free(). */
OG_API og_status og_store_phrases(og_store *store,
                                  const og_phrases_options *options,
                                  og_phrases **out, og_error *err);

/* Over a stream without a store. The input is read five times: OG_ERR_USAGE if
 * that is impossible (stdin, a pipe, an `input->next` without `rewind`).
 * out_counts may be NULL. */
OG_API og_status og_stream_phrases(const og_input *input,
                                   const og_phrases_options *options,
                                   og_phrases **out,
                                   og_stream_counts *out_counts, og_error *err);

OG_API void og_phrases_free(og_phrases *phrases); /* NULL is fine */

/* OG_FORMAT_TEXT, _JSON (one object, docs/phrases.schema.json), _TSV (one line
 * per passage) or _HTML (one page). */
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
