/* Detections in the XML of the PAN competitions on plagiarism detection.
 *
 *     <document reference="suspicious-document00007.txt">
 *     <feature name="detected-plagiarism" this_offset="5" this_length="1000"
 *      source_reference="source-document00032.txt" source_offset="100"
 *      source_length="1000" />
 *     </document>
 *
 * Offsets count characters (code points). The scorers assume that a feature
 * with a source_reference has a position in the source, so a span without one
 * names its source in our own attribute `origin`: to them it is a detection
 * without a source. Several documents are in one <documents>,
 * also our own; the scorers expect one file per document. */

#include "lib/report/escape.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"

static void begin_pan(struct og_writer *w, const og_report_options *options,
                      const og_document *first, bool many)
{
    (void)options, (void)first;
    og_writer_string(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (many) og_writer_string(w, "<documents>\n");
}

static void end_pan(struct og_writer *w, const struct og_progress *progress)
{
    /* An XML file needs a root, even without documents. */
    if (progress->number == 0) og_writer_string(w, "<documents />\n");
    if (progress->number > 1) og_writer_string(w, "</documents>\n");
}

static void write_range(struct og_writer *w, const char *side, uint64_t begin,
                        uint64_t end)
{
    og_writer_byte(w, ' ');
    og_writer_string(w, side);
    og_writer_string(w, "_offset=\"");
    og_writer_number(w, begin);
    og_writer_string(w, "\" ");
    og_writer_string(w, side);
    og_writer_string(w, "_length=\"");
    og_writer_number(w, end - begin);
    og_writer_byte(w, '"');
}

static void write_feature(struct og_writer *w, const og_span *span, size_t i,
                          const struct og_sources *sources, struct og_units *at)
{
    const uint64_t begin = og_units_at(at, span->begin);
    const uint64_t end = og_units_at(at, span->end);
    const uint64_t there = og_sources_place(sources, i, span->origin_begin);
    const uint64_t there_end = og_sources_place(sources, i, span->origin_end);
    const bool known = there != OG_UNKNOWN && there_end != OG_UNKNOWN;
    og_writer_string(w, "<feature name=\"detected-plagiarism\"");
    write_range(w, "this", begin, end);
    og_writer_string(w, known ? " source_reference=\"" : " origin=\"");
    og_escape_attribute(w, span->origin_id);
    og_writer_byte(w, '"');
    if (known) write_range(w, "source", there, there_end);
    og_writer_string(w, " />\n");
}

static og_status add_pan(struct og_writer *w, const og_document *doc,
                         const og_answer *answer,
                         const og_report_options *options,
                         struct og_progress *progress, og_error *err)
{
    (void)options, (void)progress;
    struct og_sources sources;
    TRY(og_sources_gather(answer, &sources, err));
    const og_status status =
        og_sources_locate(&sources, answer, OG_OFFSETS_CHAR, false, err);
    struct og_units at = {doc->text, OG_OFFSETS_CHAR, 0, 0};
    og_writer_string(w, "<document reference=\"");
    og_escape_attribute(w, doc->id);
    og_writer_string(w, "\">\n");
    for (size_t i = 0; status == OG_OK && i < answer->n_spans; i++)
        write_feature(w, &answer->spans[i], i, &sources, &at);
    og_writer_string(w, "</document>\n");
    og_sources_release(&sources);
    return status;
}

const struct og_report_form og_report_as_pan = {
    .begin = begin_pan, .add = add_pan, .end = end_pan, .holds_first = true};
