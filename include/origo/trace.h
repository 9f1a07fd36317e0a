#ifndef ORIGO_TRACE_H
#define ORIGO_TRACE_H

/* Tracing one document, or a stream of documents. */

#include <origo/reading.h>
#include <origo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_how {
    OG_HOW_HIT = 0,  /* its own fingerprint was found */
    OG_HOW_BRIDGED,  /* is between two hits of one origin */
    OG_HOW_EXPANDED, /* is beside a hit, and what is known of the hit's
                        surroundings agrees */
    OG_HOW_VERIFIED, /* confirmed against the text of the origin */
} og_how;
OG_API const char *og_how_name(og_how how);

#define OG_UNKNOWN UINT64_MAX

/* A run of words that is the same in a document and in its origin; byte
 * offsets. */
typedef struct og_match {
    uint64_t begin, end;
    uint64_t origin_begin, origin_end;
} og_match;

/* Offsets are half-open byte offsets in the document's own text. */
typedef struct og_span {
    uint64_t begin, end;
    uint64_t n_tokens;   /* that it covers */
    uint64_t n_matching; /* of those, the ones that are in the origin: in
                            matches, or under the shingle of a hit. The others
                            are the document's own */
    og_how how;          /* what most of its tokens rest on */
    uint64_t origin;     /* the origin's number in the store */
    og_bytes origin_id;
    int64_t origin_time;
    bool origin_has_time;
    og_time_source origin_time_source;
    uint64_t origin_begin, origin_end; /* OG_UNKNOWN when not verified */
    /* Only for a verified span, otherwise 0. Text between two matches was
     * inserted, omitted or replaced. */
    double score; /* share of the words of both sides that are in matches */
    const og_match *matches; /* in the order of the document */
    size_t n_matches;
} og_span;

/* A later document that contains a passage which this document copied from the
 * origin; their texts were compared. */
typedef struct og_copier {
    uint64_t number;
    og_bytes id;
    int64_t time;
    bool has_time;
    uint64_t n_tokens; /* of those passages that it holds */
} og_copier;

/* An origin, with everything that reports show. */
typedef struct og_origin {
    uint64_t number; /* og_span.origin */
    og_bytes id, title, url;
    int64_t time;
    bool has_time;
    og_time_source time_source;
    og_bytes text;       /* len 0: the store keeps none */
    og_bytes extra;      /* as og_document.extra: "citations" above all */
    uint64_t n_tokens;   /* of the document that its spans cover */
    uint64_t n_matching; /* of those, the ones that are in it */
    /* Other documents with these passages, in time order, as far as the store
     * knows: the earliest, and a few of the latest if there are many. */
    const og_copier *copiers;
    size_t n_copiers;
} og_origin;

typedef struct og_answer {
    uint64_t n_tokens;
    uint64_t n_fresh;    /* tokens that no copied span covers */
    uint64_t n_matching; /* tokens that are in the origin of a span: what is
                            copied. The rest of n_tokens is fresh, or was
                            changed inside a copy */
    uint64_t n_repaired; /* bytes of the text that were not UTF-8 */
    bool has_dominant;   /* false: the document is its own */
    og_bytes dominant_id;
    double dominant_share; /* of its shingles; of the selected without CX */
    const og_span *spans;  /* in order, not overlapping */
    size_t n_spans;
    const og_range *novel; /* the text between them that has tokens */
    size_t n_novel;
    /* For a store on disk: every origin once, the one with the most tokens
     * first. */
    const og_origin *origins;
    size_t n_origins;
    /* The document that has most in common with this one, if it is not an
     * origin; id.len 0: none. The share is that of the common tokens. */
    og_bytes best_id;
    double best_share;
    /* What og_stream_options.on_render wrote of it; len 0: nothing. */
    og_bytes rendered;
} og_answer;

/* Scratch memory and the last answer. One per thread; free it before you close
 * the store. */
typedef struct og_trace og_trace;
OG_API og_trace *og_trace_new(og_store *store); /* NULL: no memory */
OG_API void og_trace_free(og_trace *trace);     /* NULL is fine */

/* What to leave out of answers, and how to compare. All zeros: leave out
 * nothing. */
typedef struct og_trace_options {
    /* Boilerplate: leave out passages that are in more documents than this, or
     * in more than this share of all. 0: report them. The store counts them in
     * a fixed amount of memory. */
    uint64_t boilerplate_documents;
    double boilerplate_share;
    uint32_t min_span; /* spans of fewer tokens */
    /* Leave out passages that also occur in this text, which must stay valid.
     * len 0: none. */
    og_bytes ignored;
    bool compare_same; /* report also documents that og_params.same keeps
                          apart */
    bool no_verify;    /* do not compare with the texts of the origins */
    /* Compare with the full texts of related documents, and also report
     * passages that were paraphrased, reordered or summarised. Passages that
     * are too short are then left out. Slower, up to a few milliseconds per
     * document. The store must have texts; works best with shingles of 4 words
     * (preset short). */
    bool reworded;
    bool no_texts; /* og_origin.text stays empty: a stream then copies less */
    /* Compare only with the last version under the same id: text that is not
     * in it is new, even if it occurs elsewhere. A document without an earlier
     * version is entirely new. The store must have texts. */
    bool since_last;
} og_trace_options;

/* Sets options for later calls; NULL restores the defaults. OG_ERR_USAGE: the
 * store does not support them (see `reworded`). OG_ERR_MEMORY. */
OG_API og_status og_trace_configure(og_trace *trace,
                                    const og_trace_options *asking,
                                    og_error *err);

/* Traces a document without changing the store. The answer is valid until the
 * next call with the same trace. OG_ERR_USAGE: the store has no index of
 * passages. */
OG_API og_status og_store_trace(og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err);
OG_API const og_answer *og_trace_answer(const og_trace *trace);

/* Adds a document. If `trace` is not NULL, it gets the answer as it was before
 * the document was added. A document that the store already has (same id and
 * text, and no earlier time) changes nothing; one with a known id and a
 * different text is a new version, which is a document of its own. */
OG_API og_status og_store_add(og_store *store, const og_document *doc,
                              og_trace *trace, og_error *err);

/* ---- streams: files in, answers out, on all cores ---- */

/* Takes the next bytes of an output, all of them. Returns 0, or an errno: then
 * nothing more is written, and the call that wrote is OG_ERR_IO. */
typedef int og_write_fn(void *ctx, const char *data, size_t len);

typedef struct og_stream_options {
    bool add; /* take each document in after its answer */
    /* Without `add`: count each document as a sighting. Fingerprints that the
     * store knows count as seen once more, as in the paper, and are evicted
     * later; nothing is added. The store must be open for writing, and
     * documents are processed by one thread. */
    bool sighting;
    og_trace_options asking;
    void *ctx;
    /* Called in the order of the documents, for any number of threads, one
     * call at a time; with `add`, when the document is safe on disk. Return
     * false to stop (OG_ERR_STOPPED). May be NULL. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_answer *answer);
    /* Called after a group of on_answer calls: time to flush the output.
     * Return false to stop. May be NULL. */
    bool (*on_pause)(void *ctx);
    /* On any thread, several at a time, before on_answer: writes what that
     * will find in answer->rendered, so that only the order of output is left
     * to it. Not all answers come here: some are made when their turn has come.
     * Return false when it cannot be written: on_answer finds nothing then. May
     * be NULL. */
    bool (*on_render)(void *ctx, const og_document *doc,
                      const og_answer *answer, og_write_fn *write, void *to);
} og_stream_options;
OG_API og_stream_options og_stream_options_default(void);

/* All added documents are safe on disk when it returns, whatever the
 * status. */
OG_API og_status og_stream_run(og_store *store, const og_input *input,
                               const og_stream_options *options,
                               og_stream_counts *out_counts, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
