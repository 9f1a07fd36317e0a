#ifndef ORIGO_TRACE_H
#define ORIGO_TRACE_H

/* The answer to one document, and to a stream of them. */

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

/* Words in a row that are the same in a document and in its origin; bytes. */
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
    /* Only of a verified span, else 0. What is between two matches was
     * inserted, left out or replaced. */
    double score; /* share of the words of both sides that are in matches */
    const og_match *matches; /* in the order of the document */
    size_t n_matches;
} og_span;

/* A later document that holds a passage that the document has from the origin;
 * their texts were compared. */
typedef struct og_copier {
    uint64_t number;
    og_bytes id;
    int64_t time;
    bool has_time;
    uint64_t n_tokens; /* of those passages that it holds */
} og_copier;

/* An origin as a report shows it. */
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
    /* Who else has these passages, in the order of time, as far as the store
     * knows: the earliest and a few of the latest when there are many. */
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
    /* Of a store on disk: every origin once, the one of the most tokens
     * first. */
    const og_origin *origins;
    size_t n_origins;
    /* The document that has most in common with this one, when that is not an
     * origin; id.len 0: none. Its share is that of the tokens in common. */
    og_bytes best_id;
    double best_share;
    /* What og_stream_options.on_render wrote of it; len 0: nothing. */
    og_bytes rendered;
} og_answer;

/* Scratch memory and the last answer. One per thread; freed before the store is
 * closed. */
typedef struct og_trace og_trace;
OG_API og_trace *og_trace_new(og_store *store); /* NULL: no memory */
OG_API void og_trace_free(og_trace *trace);     /* NULL is fine */

/* What an answer leaves out. All zero: nothing. */
typedef struct og_trace_options {
    /* Passages that are in more documents than this, or than this share of
     * all: boilerplate. 0: they are reported. The store counts them in memory
     * of fixed size. */
    uint64_t noise_documents;
    double noise_share;
    uint32_t min_span; /* spans of fewer tokens */
    /* Passages that are in this text, too; it must stay as long as it is
     * used. len 0: none. */
    og_bytes ignored;
    bool compare_same; /* report also documents that og_params.same keeps
                          apart */
    bool no_verify;    /* do not compare with the texts of the origins */
    /* Compare with the whole texts of the documents that have something in
     * common, and report also passages that were reworded: other words, in
     * another order, summarised. What is too little to be a passage is left out
     * then. Slower, up to some milliseconds a document. The store must have
     * texts; best with shingles of 4 words (preset short). */
    bool reworded;
    bool no_texts; /* og_origin.text stays empty: a stream then copies less */
    /* Compare with the last version under the same id and with nothing else:
     * what was not in it is new, wherever else it occurs. A document without
     * an earlier version is new as a whole. The store must have texts. */
    bool since_last;
} og_trace_options;

/* From now on; NULL: everything is reported again. OG_ERR_USAGE: the store
 * cannot (see `reworded`). OG_ERR_MEMORY. */
OG_API og_status og_trace_configure(og_trace *trace,
                                    const og_trace_options *asking,
                                    og_error *err);

/* Asks; changes nothing. The answer is valid until the next call with the
 * same trace. OG_ERR_USAGE: the store has no index of passages. */
OG_API og_status og_store_trace(og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err);
OG_API const og_answer *og_trace_answer(const og_trace *trace);

/* Takes a document in. `trace` may be NULL; else it holds the answer as it
 * was before the document was added. A document that is there already (same id
 * and text, and no earlier time) changes nothing; one with a known id and
 * another text is a new version: a document of its own. */
OG_API og_status og_store_add(og_store *store, const og_document *doc,
                              og_trace *trace, og_error *err);

/* ---- streams: files in, answers out, on all cores ---- */

/* Takes the next bytes of an output, all of them. Returns 0, or an errno: then
 * nothing more is written, and the call that wrote is OG_ERR_IO. */
typedef int og_write_fn(void *ctx, const char *data, size_t len);

typedef struct og_stream_options {
    bool add; /* take each document in after its answer */
    /* Without `add`: each document counts as seen. What the store knows of it
     * was found once more, as in the paper, and is evicted later than what
     * nobody asks for; nothing is added. The store must be open for writing,
     * and one thread asks. */
    bool sighting;
    og_trace_options asking;
    void *ctx;
    /* In the order of the documents, whatever the number of threads, one call
     * at a time; with `add`, after the document is safe on disk. Return false
     * to stop (OG_ERR_STOPPED). May be NULL. */
    bool (*on_answer)(void *ctx, const og_document *doc,
                      const og_answer *answer);
    /* After on_answer was called for all that is to be reported at once: time
     * to flush what it wrote. Return false to stop. May be NULL. */
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

/* What was added is safe on disk when it returns, whatever the status. */
OG_API og_status og_stream_run(og_store *store, const og_input *input,
                               const og_stream_options *options,
                               og_stream_counts *out_counts, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
