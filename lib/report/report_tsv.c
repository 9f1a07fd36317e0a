/* Copied spans as lines of tab-separated values, below a header:
 *
 *     document  begin  end  n_tokens  how  score  origin  origin_time
 *     origin_begin  origin_end  n_matching
 *
 * One line per span, for awk, cut and spreadsheets. An unknown value is an
 * empty field. New columns are appended after the old ones. */

#include "lib/report/escape.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"

static void begin_tsv(struct og_writer *w, const og_report_options *options,
                      const og_document *first, bool many)
{
    (void)options, (void)first, (void)many;
    og_writer_string(w, "document\tbegin\tend\tn_tokens\thow\tscore\torigin\t"
                        "origin_time\torigin_begin\torigin_end\tn_matching\n");
}

static void write_place(struct og_writer *w, uint64_t place)
{
    og_writer_byte(w, '\t');
    if (place != OG_UNKNOWN) og_writer_number(w, place);
}

static void write_line(struct og_writer *w, const og_document *doc,
                       const og_span *span, struct og_units *at)
{
    og_escape_tsv(w, doc->id);
    write_place(w, og_units_at(at, span->begin));
    write_place(w, og_units_at(at, span->end));
    write_place(w, span->n_tokens);
    og_writer_byte(w, '\t');
    og_writer_string(w, og_how_name(span->how));
    og_writer_byte(w, '\t');
    if (span->n_matches != 0) og_writer_share(w, span->score);
    og_writer_byte(w, '\t');
    og_escape_tsv(w, span->origin_id);
    og_writer_byte(w, '\t');
    if (!span->origin_has_time) return;
    char time[40];
    og_time_format(span->origin_time, time);
    og_writer_string(w, time);
}

static og_status add_tsv(struct og_writer *w, const og_document *doc,
                         const og_answer *answer,
                         const og_report_options *options,
                         struct og_progress *progress, og_error *err)
{
    (void)progress;
    struct og_sources sources;
    TRY(og_sources_gather(answer, &sources, err));
    const og_status status =
        og_sources_locate(&sources, answer, options->offsets, false, err);
    struct og_units at = {doc->text, options->offsets, 0, 0};
    for (size_t i = 0; status == OG_OK && i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        write_line(w, doc, span, &at);
        write_place(w, og_sources_place(&sources, i, span->origin_begin));
        write_place(w, og_sources_place(&sources, i, span->origin_end));
        write_place(w, span->n_matching);
        og_writer_byte(w, '\n');
    }
    og_sources_release(&sources);
    return status;
}

const struct og_report_form og_report_as_tsv = {.begin = begin_tsv,
                                                .add = add_tsv};
