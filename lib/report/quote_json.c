/* Reused sentences as one line of JSON per document.
 *
 *     {"origo":1,"id":"q7","n_sentences":12,"n_reused":1,"reused":0.08,
 *      "sentences":[{"begin":0,"end":41,"n_words":8,"text":"The ...",
 *        "n_found":3,"matches":[{"id":"a","time":"2011-03-04T00:00:00Z",
 *          "begin":4,"end":49,"similarity":0.93,"n_shared":7,
 *          "text":"So the ...","own":[[0,3],[4,8]],"shared":[[3,6],[7,11]]}]}]}
 *
 * Offsets are bytes: begin, end and own in the documents, shared in the text of
 * the match. `reused` is the share of words in reused sentences. */

#include "lib/report/escape.h"

#include "lib/report/report.h"
#include <stdio.h>

static void write_ranges(struct og_writer *w, const char *name,
                         const og_range *ranges, size_t n)
{
    og_writer_string(w, ",\"");
    og_writer_string(w, name);
    og_writer_string(w, "\":[");
    for (size_t i = 0; i < n; i++) {
        og_writer_string(w, i == 0 ? "[" : ",[");
        og_writer_number(w, ranges[i].begin);
        og_writer_byte(w, ',');
        og_writer_number(w, ranges[i].end);
        og_writer_byte(w, ']');
    }
    og_writer_byte(w, ']');
}

static void write_field(struct og_writer *w, const char *name, uint64_t value)
{
    og_writer_string(w, ",\"");
    og_writer_string(w, name);
    og_writer_string(w, "\":");
    og_writer_number(w, value);
}

static void write_match(struct og_writer *w, const og_quote_match *m)
{
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, m->id);
    og_writer_string(w, ",\"time\":");
    if (m->has_time) {
        char time[40];
        const size_t len = og_time_format(m->time, time);
        og_escape_json(w, (og_bytes){time, len});
    } else {
        og_writer_string(w, "null");
    }
    if (og_time_source_name(m->time_source)[0] != 0) {
        og_writer_string(w, ",\"time_source\":\"");
        og_writer_string(w, og_time_source_name(m->time_source));
        og_writer_byte(w, '"');
    }
    if (m->title.len != 0) {
        og_writer_string(w, ",\"title\":");
        og_escape_json(w, m->title);
    }
    write_field(w, "begin", m->begin);
    write_field(w, "end", m->end);
    og_writer_string(w, ",\"similarity\":");
    og_writer_share(w, m->similarity);
    write_field(w, "n_shared", m->n_shared);
    og_writer_string(w, ",\"text\":");
    og_escape_json(w, m->text);
    write_ranges(w, "own", m->own, m->n_own_ranges);
    write_ranges(w, "shared", m->shared, m->n_shared_ranges);
    og_writer_byte(w, '}');
}

static void write_quote(struct og_writer *w, og_bytes text, const og_quote *q)
{
    og_writer_string(w, "{\"begin\":");
    og_writer_number(w, q->begin);
    write_field(w, "end", q->end);
    write_field(w, "n_words", q->n_words);
    og_writer_string(w, ",\"text\":");
    og_escape_json(
        w, (og_bytes){text.data + q->begin, (size_t)(q->end - q->begin)});
    write_field(w, "n_found", q->n_found);
    if (q->n_skipped != 0) write_field(w, "n_skipped", q->n_skipped);
    og_writer_string(w, ",\"matches\":[");
    for (size_t i = 0; i < q->n_matches; i++) {
        if (i != 0) og_writer_byte(w, ',');
        write_match(w, &q->matches[i]);
    }
    og_writer_string(w, "]}");
}

static og_status add_json(struct og_writer *w, const og_document *doc,
                          const og_quotes *quotes,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    bool is_first = true;
    (void)progress, (void)options, (void)err;
    og_writer_string(w, "{\"origo\":1,\"id\":");
    og_escape_json(w, doc->id);
    write_field(w, "n_sentences", quotes->n_sentences);
    write_field(w, "n_reused", quotes->n_reused);
    og_writer_string(w, ",\"reused\":");
    og_writer_share(w, quotes->n_words == 0 ? 0
                                            : (double)quotes->n_reused_words /
                                                  (double)quotes->n_words);
    if (quotes->n_skipped != 0) write_field(w, "n_skipped", quotes->n_skipped);
    if (quotes->n_cut != 0) write_field(w, "n_cut", quotes->n_cut);
    og_writer_string(w, ",\"sentences\":[");
    for (size_t i = 0; i < quotes->n_sentences; i++) {
        const og_quote *q = &quotes->sentences[i];
        if (q->n_found == 0 && q->n_skipped == 0) continue;
        if (!is_first) og_writer_byte(w, ',');
        is_first = false;
        write_quote(w, doc->text, q);
    }
    og_writer_string(w, "]}\n");
    return OG_OK;
}

const struct og_report_form og_quote_as_json = {.add_quotes = add_json,
                                                .is_apart = true};
