#ifndef OG_REPORT_REPORT_H
#define OG_REPORT_REPORT_H

/*   in:  documents with their answers                    (the library)
 *   out: one report in the requested form                 (og_write_fn)
 *
 * Each form has three functions: for the beginning, for a document and for the
 * end. report.c calls them in order. */

#include <origo/report.h>
#include <origo/sentence.h>
#include <origo/trace.h>

#include "lib/report/writer.h"

/* The state of a report. */
struct og_progress {
    uint64_t number;  /* of the current document, from 1 */
    uint64_t n_items; /* written by the form, over all documents */
    uint64_t part;    /* of a report in several files, from 1; 0: a single
                         file */
    bool goes_on;     /* at the end of a part: another one follows */
    const char *name; /* file name without its folder; NULL: none */
    void *state;      /* of the form */
};

struct og_report_form {
    /* Creates progress->state, and frees it. NULL: none. */
    og_status (*open)(struct og_progress *progress, og_error *err);
    void (*release)(struct og_progress *progress);
    /* NULL: nothing. `first` is the first document, NULL if there is none;
     * `many`: another one follows it. */
    void (*begin)(struct og_writer *w, const og_report_options *options,
                  const og_document *first, bool many);
    /* A form has one of these: for copied passages, or for reused sentences. */
    og_status (*add)(struct og_writer *w, const og_document *doc,
                     const og_answer *answer, const og_report_options *options,
                     struct og_progress *progress, og_error *err);
    og_status (*add_quotes)(struct og_writer *w, const og_document *doc,
                            const og_quotes *quotes,
                            const og_report_options *options,
                            struct og_progress *progress, og_error *err);
    void (*end)(struct og_writer *w, const struct og_progress *progress);
    /* Whether the file is large enough; NULL: never. */
    bool (*is_full)(const struct og_progress *progress);
    /* For a report in several files: the content of its main file, written
     * after all parts. */
    void (*cover)(struct og_writer *w, const og_report_options *options,
                  const struct og_progress *progress);
    /* The beginning depends on whether there is a second document, so the first
     * one is held back until that is known. */
    bool holds_first;
    /* A document has the same bytes wherever it is in the report: `add` uses
     * neither progress nor earlier documents, and there is no beginning. */
    bool is_apart;
};

extern const struct og_report_form og_report_as_text, og_report_as_json,
    og_report_as_tsv, og_report_as_html, og_report_as_pan,
    og_report_as_annotation, og_report_as_tei, og_quote_as_text,
    og_quote_as_json, og_quote_as_html, og_novel_as_text, og_novel_as_json;

/* The form of a format, NULL if it has none. */
const struct og_report_form *
og_report_form_of(const og_report_options *options);

og_status og_write_json(struct og_writer *w, const og_document *doc,
                        const og_answer *answer,
                        const og_report_options *options, og_error *err);
og_status og_write_text(struct og_writer *w, const og_document *doc,
                        const og_answer *answer, og_text_style style,
                        og_error *err);

/* 0 of 0 is 0: the share in a document without tokens. */
static inline double og_share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

#endif
