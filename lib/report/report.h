#ifndef OG_REPORT_REPORT_H
#define OG_REPORT_REPORT_H

/*   in:  documents with their answers                    (the library)
 *   out: one report in the form that was asked for       (og_write_fn)
 *
 * Each form is three functions: what is before the first document, a
 * document, what follows the last. report.c calls them in order. */

#include <origo/report.h>
#include <origo/sentence.h>
#include <origo/trace.h>

#include "lib/report/writer.h"

/* Where a report is. */
struct og_progress {
    uint64_t number;  /* of the document at hand, from 1 */
    uint64_t n_items; /* that a form has written, all documents together */
    uint64_t part;    /* of a report of several files, from 1; 0: of one */
    bool goes_on;     /* at the end of a part: another one follows */
    const char *name; /* of the file, without its folder; NULL: none */
    void *state;      /* of the form */
};

struct og_report_form {
    /* Makes progress->state, and ends it. NULL: there is none. */
    og_status (*open)(struct og_progress *progress, og_error *err);
    void (*release)(struct og_progress *progress);
    /* NULL: nothing. `first` is the first document, NULL when there is none;
     * `many`: another one follows it. */
    void (*begin)(struct og_writer *w, const og_report_options *options,
                  const og_document *first, bool many);
    /* A form has one of these: of copied passages, or of reused sentences. */
    og_status (*add)(struct og_writer *w, const og_document *doc,
                     const og_answer *answer, const og_report_options *options,
                     struct og_progress *progress, og_error *err);
    og_status (*add_quotes)(struct og_writer *w, const og_document *doc,
                            const og_quotes *quotes,
                            const og_report_options *options,
                            struct og_progress *progress, og_error *err);
    void (*end)(struct og_writer *w, const struct og_progress *progress);
    /* The file contains as much as one should; NULL: never. */
    bool (*is_full)(const struct og_progress *progress);
    /* Of a report of several files: what is under its own name, when all
     * parts are written. */
    void (*cover)(struct og_writer *w, const og_report_options *options,
                  const struct og_progress *progress);
    /* The beginning depends on whether there is a second document, so the
     * first one is held back until that is known. */
    bool holds_first;
    /* A document is the same bytes wherever it is in the report: `add` looks
     * neither at progress nor at the documents before it, and there is no
     * beginning. */
    bool is_apart;
};

extern const struct og_report_form og_report_as_text, og_report_as_json,
    og_report_as_tsv, og_report_as_html, og_report_as_pan,
    og_report_as_annotation, og_report_as_tei, og_quote_as_text,
    og_quote_as_json, og_quote_as_html, og_novel_as_text, og_novel_as_json;

/* That of a format, NULL: there is none of it. */
const struct og_report_form *
og_report_form_of(const og_report_options *options);

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
