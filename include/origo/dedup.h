#ifndef ORIGO_DEDUP_H
#define ORIGO_DEDUP_H

/* Deduplication, in one run or in stages. */

#include <origo/output.h>
#include <origo/params.h>
#include <origo/reading.h>
#include <origo/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- deduplication: kept documents out, and what was removed of which ----
 *
 * Nothing is removed without a comparison: bands of min-hash samples only
 * select the documents to compare. */

typedef enum og_dedup_level {
    OG_LEVEL_DOCUMENT = 0, /* whole documents that are alike */
    OG_LEVEL_PASSAGE,      /* runs of tokens that an earlier document has */
    OG_LEVEL_SENTENCE,     /* sentences that came before */
    OG_LEVEL_LINE,         /* lines that came before */
} og_dedup_level;

typedef enum og_keep_kind { /* which of the documents that are alike stays */
                            OG_KEEP_FIRST = 0,
                            OG_KEEP_LAST,
                            OG_KEEP_LONGEST, /* by tokens; of equal ones the
                                                first */
                            OG_KEEP_FIELD,   /* the largest number or time in a
                                                field; see keep_field */
} og_keep_kind;

typedef enum og_cluster_kind {
    OG_CLUSTER_STAR = 0,   /* each removed document is alike to the kept one */
    OG_CLUSTER_COMPONENTS, /* ... or to one that is, and so on */
} og_cluster_kind;

typedef enum og_measure_kind {
    OG_MEASURE_JACCARD = 0, /* shingles in common / shingles of either */
    OG_MEASURE_CONTAINMENT, /* shingles in common / those of the smaller */
} og_measure_kind;

typedef struct og_dedup_counts {
    og_stream_counts stream; /* of the documents, those of `against` left out */
    uint64_t n_against;      /* documents to compare with only */
    uint64_t n_kept, n_removed;
    uint64_t n_clusters;     /* kept documents of which something was removed */
    uint64_t n_without;      /* documents without a single token */
    uint64_t n_candidates;   /* pairs with an equal band */
    uint64_t n_compared;     /* of them, pairs whose shingles were compared */
    uint64_t n_rounds;       /* 1, more when memory was too small for all */
    uint64_t n_cut, cut_len; /* pieces cut out of kept documents; bytes */
    uint64_t kept_len;       /* bytes of text that stayed */
    uint64_t n_resumed;      /* documents that an earlier run had decided on */
} og_dedup_counts;

/* The decision about a document; views valid until the callback returns. */
typedef struct og_dedup_decision {
    uint64_t number; /* of the document in the input, from 0; a record that
                        could not be read has none */
    og_bytes id;
    bool is_kept;
    /* For a kept document: pieces were cut out, and this is the rest of its
     * text. */
    bool is_cut;
    og_bytes text;
    /* For a removed document: the document that is kept instead. */
    og_bytes of_id;
    uint64_t of_number; /* OG_NOT_OF_INPUT: it is one of `against` */
    double similarity;
} og_dedup_decision;
#define OG_NOT_OF_INPUT UINT64_MAX

typedef struct og_dedup_options {
    og_dedup_level level;
    og_token_kind tokens;
    uint32_t shingle_len;     /* 1 to 32; a shorter document is one shingle */
    uint32_t n_bands, n_rows; /* 1 to 1,024 samples in all */
    og_measure_kind measure;
    og_cluster_kind cluster;
    og_keep_kind keep;
    const char *keep_field; /* "-name": the smallest; other values come last */
    double threshold;       /* of the measure, above 0, at most 1 */
    /* Documents to compare with: files, or stores that keep texts. They are
     * not written, and nothing is removed from them. */
    const char *const *against;
    size_t n_against;
    /* A document that a store of `against` already has, with the same id, text
     * and time, is not a duplicate but the document itself, and is kept. Kept
     * documents can therefore be added to that store, and the run can be
     * repeated. Only for stars of whole documents. */
    bool keep_known;
    const char *output;  /* "-": stdout; "DIR/": a folder of shards; NULL:
                            none, with on_decision alone */
    const char *report;  /* of every removal; NULL: none */
    const char *rejects; /* records that could not be read; NULL: none */
    const char *temp;    /* folder of temporary files; NULL: the output's */
    og_format format; /* of the report: OG_FORMAT_TSV or _JSON, a line each */
    uint32_t least_tokens; /* of a piece that is cut, up to 1,024; 0: 50 of a
                              passage, 5 of a sentence, 1 of a line */
    uint64_t memory; /* bytes of tables; what is more goes to disk. 0: no cap.
                        Documents are at most a sixteenth of it long (2 MiB at
                        least), unless max_document of the input allows more */
    double journal_seconds; /* how often a journal is written */
    bool resume;            /* keep one beside the output, and resume from it */
    bool annotate;          /* write all documents, with an "origo" field */
    void *ctx;              /* of on_decision */
    /* Called for each document of the input, in order, one at a time, by the
     * thread that called og_dedup_run(). Return false to stop
     * (OG_ERR_STOPPED). May be NULL. Not with `resume`. */
    bool (*on_decision)(void *ctx, const og_dedup_decision *decision);
    /* Of the output, as in og_output_options. */
    og_packing packing;
    uint32_t n_shards;
    uint64_t shard_len;
} og_dedup_options;

/* Shingles of 5 words, 14 bands of 8 rows, Jaccard 0.8, stars, the first is
 * kept. */
OG_API og_dedup_options og_dedup_options_default(void);
/* Shingles, bands and rows of other tools: "datatrove", "slimpajama", "nemo";
 * or "thorough", which misses hardly any pair. Returns false and changes
 * nothing for an unknown name. */
OG_API bool og_dedup_preset(og_bytes name, og_dedup_options *options);
OG_API og_status og_dedup_options_check(const og_dedup_options *options,
                                        og_error *err);

/* Writes the kept documents of the input, in order, to options->output: their
 * lines unchanged, byte for byte (a document that was not a line of JSONL
 * becomes one). Outputs appear when they are complete. An output that is one
 * of the inputs is OG_ERR_USAGE. The same input gives the same bytes, for any
 * number of threads and any memory limit. */
OG_API og_status og_dedup_run(const og_input *input,
                              const og_dedup_options *options,
                              og_dedup_counts *out_counts, og_error *err);

/* ---- deduplication in stages, for arrays of jobs ----
 *
 * Four steps over the same list of files, each a pure function of files in the
 * folder `work`. Shard i of n does its part, and a file that exists is not
 * written again. The result is that of og_dedup_run() over the same list, for
 * any number of shards. docs/architecture.md ("In shards") describes the
 * files. */

typedef struct og_stage_options {
    og_dedup_options dedup; /* what to compare and how, and which stays */
    const char *work;
    /* For components: a folder with .dups or .clusters of datatrove, to use as
     * candidates instead of bands; all are compared before anything is
     * removed. NULL: none. */
    const char *candidates;
    /* For filter: a folder with .remove (and .clusters) of datatrove. The
     * listed documents are removed without comparison; no other stage is
     * needed. NULL: none. */
    const char *remove;
    const char *output;       /* of filter: a folder; file F, from 0, gives
                                 FFFFFF.jsonl, .tsv, .remove and .clusters */
    uint32_t shard, n_shards; /* from 0; 0 of 1 is all */
} og_stage_options;

typedef struct og_stage_counts {
    uint64_t n_made, n_there; /* files */
    uint64_t n_documents, n_pairs, n_kept, n_removed;
    uint64_t n_skipped; /* records that could not be read */
    uint64_t n_passed;  /* pairs with an index of others: no text to compare */
} og_stage_counts;

/* To be run in this order; each stage needs all shards of the previous one.
 * OG_ERR_INPUT: one of their files is missing (the message names it), damaged
 * or was written with other options. */
OG_API og_status og_stage_sketch(const og_input *input,
                                 const og_stage_options *options,
                                 og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_bands(const og_input *input,
                                const og_stage_options *options,
                                og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_components(const og_input *input,
                                     const og_stage_options *options,
                                     og_stage_counts *counts, og_error *err);
OG_API og_status og_stage_filter(const og_input *input,
                                 const og_stage_options *options,
                                 og_stage_counts *counts, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
