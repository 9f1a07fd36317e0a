#ifndef OG_DEDUP_DEDUP_LEVELS_H
#define OG_DEDUP_DEDUP_LEVELS_H

/*   in:  documents with their shingles       (lib/dedup/document_stream.h)
 *   out: which of them, or which of their pieces, are written
 *        (lib/dedup/dedup_output.h)
 *
 * What the levels of deduplication share: a run with its outputs. */

#include "lib/dedup/dedup_output.h"

#include <origo/dedup.h>

struct og_dedup_run {
    const og_dedup_options *options;
    const og_input *input;
    unsigned n_passes; /* over the documents of the input, so far */
    char *folder;      /* for temporary files */
    struct og_dedup_output output;
    og_dedup_counts *counts;
    /* Those of options->against that are stores; the others are NULL. */
    struct og_stored_texts **stores;
    size_t store; /* the current one */
    /* The first file that could not be read: reported at the end. */
    og_status failure;
    og_error story;
};

/* og_dedup_stream(), but a file that cannot be read is only recorded. */
og_status og_dedup_pass(struct og_dedup_run *run,
                        const struct og_dedup_source *source,
                        og_stream_counts *counts, og_error *err);

/* The last of several passes over the same input, which writes: errors of the
 * input were reported before. */
og_status og_dedup_pass_again(struct og_dedup_run *run,
                              struct og_dedup_source *source, og_error *err);

/* The stream of the run's own documents, with its callbacks for problems and
 * progress. */
void og_dedup_source_fill(struct og_dedup_run *run,
                          struct og_dedup_source *out);

/* Streams options->against, one after the other, through source->take; counts
 * them in run->counts->n_against. */
og_status og_dedup_against(struct og_dedup_run *run,
                           struct og_dedup_source *source, og_error *err);

/* Each opens the outputs, writes them and gives them their names. */
og_status og_dedup_documents(struct og_dedup_run *run, og_error *err);
og_status og_dedup_units(struct og_dedup_run *run, og_error *err);
og_status og_dedup_passages(struct og_dedup_run *run, og_error *err);

#endif
