#ifndef OG_REPORT_REPORT_H
#define OG_REPORT_REPORT_H

/*   in:  documents with their answers                    (the library)
 *   out: one report in the form that was asked for       (a FILE)
 *
 * Each form is three functions: what stands before the first document, a
 * document, what stands behind the last. report.c calls them in order. */

#include "lib/report/writer.h"

/* Where a report stands. */
struct og_progress {
    uint64_t number;  /* of the document at hand, from 1 */
    uint64_t n_items; /* that a form has written, all documents together */
};

struct og_wordset {
    const char *name;
    /* NULL: nothing. `first` is the first document, NULL when there is none;
     * `many`: another one follows it. */
    void (*begin)(struct og_writer *w, const og_report_options *options,
                  const og_document *first, bool many);
    og_status (*add)(struct og_writer *w, const og_document *doc,
                     const og_answer *answer, const og_report_options *options,
                     struct og_progress *progress, og_error *err);
    void (*end)(struct og_writer *w, const struct og_progress *progress);
    /* The beginning depends on whether there is a second document, so the
     * first one is held back until that is known. */
    bool holds_first;
};

extern const struct og_wordset og_report_as_text, og_report_as_json,
    og_report_as_tsv, og_report_as_html, og_report_as_pan,
    og_report_as_annotation, og_report_as_tei;

og_status og_write_json(struct og_writer *w, const og_document *doc,
                        const og_answer *answer,
                        const og_report_options *options, og_error *err);
og_status og_write_text(struct og_writer *w, const og_document *doc,
                        const og_answer *answer, og_text_style style,
                        og_error *err);

/* 0 of 0 is 0: a document without tokens has nothing in it. */
static inline double og_share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

#endif
