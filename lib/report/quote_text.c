/* Reused sentences for people.
 *
 *     gazette-14  2011-03-04
 *     12 sentences, 3 reused (31.0 % of the words)
 *
 *       *Last* *night* *the* *sea* *took* what ...
 *           0.93  council-7  1998-05-01, and 2 more
 *           *Last* *night* *the* *sea* *took* ...
 *
 * Shared words are coloured, or between stars if there is no colour. */

#include <stdio.h>
#include <string.h>

#include "lib/report/flow.h"
#include "lib/report/report.h"

enum { INDENT = 2, MATCH_INDENT = 6, MOST_SHOWN = 3 };

struct report {
    struct og_writer *writer;
    bool colour;
    unsigned width;
};

static void put_spaces(struct og_writer *w, unsigned n)
{
    while (n-- > 0)
        og_writer_byte(w, ' ');
}

/* `text` begins at `off` of the text that the ranges refer to. */
static void write_marked(struct report *r, unsigned indent, og_bytes text,
                         uint64_t off, const og_range *ranges, size_t n)
{
    struct og_flow flow;
    uint64_t at = off;
    og_flow_init(&flow, r->writer, r->width, indent, r->colour);
    for (size_t i = 0; i < n; i++) {
        og_flow_text(&flow, text.data + (at - off), ranges[i].begin - at);
        og_flow_colour(&flow, 2);
        if (!r->colour) og_flow_mark(&flow, "*");
        og_flow_text(&flow, text.data + (ranges[i].begin - off),
                     ranges[i].end - ranges[i].begin);
        if (!r->colour) og_flow_mark(&flow, "*");
        og_flow_colour(&flow, OG_FLOW_PLAIN);
        at = ranges[i].end;
    }
    og_flow_text(&flow, text.data + (at - off), off + text.len - at);
    og_flow_finish(&flow);
}

static void write_match(struct report *r, const og_quote_match *m)
{
    struct og_writer *w = r->writer;
    put_spaces(w, MATCH_INDENT);
    og_writer_share(w, m->similarity);
    og_writer_string(w, "  ");
    og_show_name(w, m->id);
    og_show_time(w, m->time, m->has_time, m->time_source);
    og_writer_byte(w, '\n');
    write_marked(r, MATCH_INDENT, m->text, 0, m->shared, m->n_shared_ranges);
}

static void write_quote(struct report *r, og_bytes text, const og_quote *q)
{
    struct og_writer *w = r->writer;
    const og_bytes own = {text.data + q->begin, (size_t)(q->end - q->begin)};
    og_writer_byte(w, '\n');
    if (q->n_matches != 0)
        write_marked(r, INDENT, own, q->begin, q->matches[0].own,
                     q->matches[0].n_own_ranges);
    const size_t shown = q->n_matches < MOST_SHOWN ? q->n_matches : MOST_SHOWN;
    for (size_t i = 0; i < shown; i++)
        write_match(r, &q->matches[i]);
    if (q->n_found > shown) {
        put_spaces(w, MATCH_INDENT);
        og_writer_string(w, "and ");
        og_writer_number(w, q->n_found - shown);
        og_writer_string(w, " more\n");
    }
    if (q->n_skipped == 0) return;
    put_spaces(w, MATCH_INDENT);
    og_writer_number(w, q->n_skipped);
    og_writer_string(w, " candidates were not looked at\n");
}

static og_status add_text(struct og_writer *w, const og_document *doc,
                          const og_quotes *quotes,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    const og_text_style style = options->style;
    struct report r = {.writer = w,
                       .colour = style.colour,
                       .width = style.width == 0 ? 80 : style.width};
    (void)progress, (void)err;
    if (r.colour) og_writer_string(w, "\033[1m");
    og_show_name(w, doc->id);
    if (r.colour) og_writer_string(w, "\033[0m");
    og_show_time(w, doc->time, doc->has_time, doc->time_source);
    og_writer_byte(w, '\n');
    og_writer_number(w, quotes->n_sentences);
    og_writer_string(w,
                     quotes->n_sentences == 1 ? " sentence, " : " sentences, ");
    og_writer_number(w, quotes->n_reused);
    og_writer_string(w, " reused\n");
    for (size_t i = 0; i < quotes->n_sentences; i++)
        if (quotes->sentences[i].n_matches != 0)
            write_quote(&r, doc->text, &quotes->sentences[i]);
    og_writer_byte(w, '\n');
    return OG_OK;
}

const struct og_report_form og_quote_as_text = {.add_quotes = add_text};
