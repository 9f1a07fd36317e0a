#ifndef ORIGO_SENTENCE_H
#define ORIGO_SENTENCE_H

/* Reused sentences. */

#include <origo/reading.h>
#include <origo/report.h>
#include <origo/store.h>
#include <origo/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reused sentences ----
 *
 * The index `sentences` of a store knows every sentence of every document, and
 * answers which of them a sentence takes up (docs/format-sentences.md). */

typedef struct og_sentences_options {
    uint64_t memory; /* bytes for the latest additions; the rest is on disk */
    /* The rest is fixed when a folder is created; afterwards the folder's
     * values count. */
    const char *stop;        /* language of the stop words to leave out, or
                                NULL */
    const char *stem;        /* language of the stemmer, or NULL */
    uint32_t signature_bits; /* of qSign: 16, 32, 64, 128; 0: no signatures */
    uint32_t word_bits;      /* that a word sets; 0: chosen by signature_bits */
} og_sentences_options;
OG_API og_sentences_options og_sentences_options_default(void);

typedef enum og_quote_method {
    OG_QUOTE_EXACT = 0, /* rarest words and bitmaps: complete, and fastest */
    OG_QUOTE_QSIGN,     /* the paper's: signatures within some bits */
    OG_QUOTE_SCAN,      /* every sentence: a baseline for measurements */
} og_quote_method;

typedef struct og_quote_options {
    double threshold;        /* lowest similarity, more than 0, at most 1 */
    uint32_t min_words;      /* shorter sentences are not looked up */
    uint32_t max_matches;    /* reported per sentence, the earliest ones */
    uint64_t max_candidates; /* examined per sentence; further ones are
                                counted */
    og_quote_method method;
    int distance; /* of qSign, in bits; -1: from max_false, as in the paper */
    /* Also report later documents, which may have copied from this one. */
    bool later;
    double max_false; /* largest share of sentences with too many other words
                         that may be within the distance */
    /* Of qSign: the share of the exact method's matches that must be found; 0:
     * the distance follows from max_false. The first sentences are answered by
     * the exact method until it has found 1000 word sets; the distance is then
     * the smallest within which that share of them lies. */
    double recall;
    /* Candidates that are compared word by word, beyond max_matches; further
     * ones are counted as skipped. 0: no limit. For OG_QUOTE_EXACT only:
     * signatures also return candidates that are not similar. */
    uint64_t max_compared;
} og_quote_options;
OG_API og_quote_options og_quote_options_default(void);

/* A sentence of another document that shares words with the queried one. */
typedef struct og_quote_match {
    og_bytes id, title;
    int64_t time; /* without has_time the latest known at that time */
    bool has_time;
    og_time_source time_source; /* as far as the store knows it */
    uint64_t begin, end;        /* bytes of its document */
    og_bytes text;
    double similarity; /* 0 to 1; docs/architecture.md, "Measure" */
    uint32_t n_shared; /* distinct words */
    /* Where they are, in `text` and in the queried document. */
    const og_range *shared, *own;
    size_t n_shared_ranges, n_own_ranges;
} og_quote_match;

typedef struct og_quote {
    uint64_t begin, end;           /* bytes of the document */
    uint32_t n_words;              /* distinct ones */
    const og_quote_match *matches; /* by time, the earliest first */
    size_t n_matches;
    uint64_t n_found;   /* matching sentences in all, reported or not */
    uint64_t n_skipped; /* beyond max_candidates or max_compared */
} og_quote;

typedef struct og_quotes {
    const og_quote *sentences; /* all of the document, in order */
    size_t n_sentences;
    uint64_t n_reused; /* that have matches */
    uint64_t n_words;  /* distinct ones of each sentence, summed */
    uint64_t n_reused_words;
    uint64_t n_skipped;  /* candidates of all sentences */
    uint64_t n_cut;      /* sentences that were too long and were cut */
    uint64_t n_repaired; /* bytes that are not UTF-8 */
    /* What og_quote_stream_options.on_render wrote for it; len 0: nothing. */
    og_bytes rendered;
} og_quotes;

/* Compares the sentences of `doc` with those of all earlier documents, in the
 * order of (time, arrival), as og_store_trace() does; a document of the same id
 * is not reported. Valid until the next query of the store. One thread at a
 * time. `options` NULL: the default. OG_ERR_USAGE: the store has no such
 * index. */
OG_API og_status og_store_quote(og_store *store, const og_document *doc,
                                const og_quote_options *options,
                                const og_quotes **out, og_error *err);

/* The same on any number of threads, each with a trace of its own, while one
 * thread adds; og_store_index_load() comes first. Valid until the next query
 * with this trace. */
OG_API og_status og_trace_quote(og_trace *trace, const og_document *doc,
                                const og_quote_options *options,
                                const og_quotes **out, og_error *err);

typedef struct og_sentences_info {
    uint64_t n_documents, n_sentences;
    uint64_t n_wordsets; /* distinct sets of words, counted in each segment */
    uint64_t n_words;    /* distinct words, likewise */
    uint64_t n_segments, n_waiting, n_bytes;
    double mean_words; /* per word set */
    uint32_t signature_bits, word_bits;
    const char *stop, *stem; /* "" for none; valid until closed */
} og_sentences_info;
OG_API og_status og_store_sentences_info(og_store *store,
                                         og_sentences_info *out, og_error *err);

/* The parameters m, l, n, k, d of qSign for this index and these options, with
 * the recall and the rate of false positives that follow from them: lines of
 * text, cut to out_cap bytes, zero-terminated. `options` NULL: the default. */
OG_API og_status og_store_quote_explain(og_store *store,
                                        const og_quote_options *options,
                                        char *out, size_t out_cap,
                                        og_error *err);

/* Answers a stream of documents; n_short counts documents without a
 * sentence. */
typedef struct og_quote_stream_options {
    bool add;        /* add each document after it was answered */
    bool no_answers; /* only add */
    og_quote_options quote;
    void *ctx;
    /* Called in the order of the documents. Return false to stop
     * (OG_ERR_STOPPED). on_durable: all documents answered so far are on disk;
     * with `add`, an answer should not be passed on before that. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_quotes *answer);
    bool (*on_durable)(void *ctx);
    /* Like og_stream_options.on_render. */
    bool (*on_render)(void *ctx, const og_document *doc,
                      const og_quotes *answer, og_write_fn *write, void *to);
} og_quote_stream_options;
OG_API og_quote_stream_options og_quote_stream_options_default(void);
OG_API og_status og_quote_stream(og_store *store, const og_input *input,
                                 const og_quote_stream_options *options,
                                 og_stream_counts *out_counts, og_error *err);

/* For a report that was opened with og_report_options.sentences. Keeps no
 * pointer to the document or the answer. */
OG_API og_status og_report_add_quotes(og_report *report, const og_document *doc,
                                      const og_quotes *quotes, og_error *err);
/* Like og_report_render(). */
OG_API og_status og_report_render_quotes(const og_report *report,
                                         const og_document *doc,
                                         const og_quotes *quotes,
                                         og_write_fn *write, void *ctx,
                                         og_error *err);

/* Counts who copies from whom (og_links): every sentence counts for its
 * earliest match. */
OG_API og_status og_links_add_quotes(og_links *links, const og_document *doc,
                                     const og_quotes *quotes, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
