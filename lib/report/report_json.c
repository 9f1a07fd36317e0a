/* An answer as one line of JSON: the contract that other programs read.
 *
 *     {"origo":1,"id":"q7","n_tokens":512,"novel":0.41,"copied":0.55,
 *      "dominant":{"id":"RFC2616","share":0.47},
 *      "spans":[{"begin":120,"end":884,"n_tokens":131,"how":"verified",
 *                "origin":{"id":"RFC2616","time":"1999-06-01T00:00:00Z",
 *                          "begin":10234,"end":10998}}],
 *      "novel_spans":[{"begin":0,"end":119}]}
 *
 * The line is valid JSON whatever the input was: ids are escaped, and bytes
 * that are not UTF-8 become U+FFFD. The same answer gives the same bytes in
 * every locale.
 *
 * Fields may be added and are never removed: `copied`, `n_matching`, `score`,
 * `matches` (when asked for), `best`, `origins`. docs/answer.schema.json
 * describes all of them. */

#include <stdio.h>
#include <string.h>

#include "lib/report/escape.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"

struct json {
    struct og_writer *w;
    const og_document *doc;
    const og_answer *answer;
    const struct og_sources *sources;
    bool matches;
};

/* ---- small parts ---- */

static void write_range(struct og_writer *w, struct og_units *at,
                        uint64_t begin, uint64_t end)
{
    og_writer_string(w, "{\"begin\":");
    og_writer_number(w, og_units_at(at, begin));
    og_writer_string(w, ",\"end\":");
    og_writer_number(w, og_units_at(at, end));
}

static void write_time(struct og_writer *w, bool has_time, int64_t time)
{
    if (!has_time) {
        og_writer_string(w, "null");
        return;
    }
    char text[40];
    const size_t len = og_time_format(time, text);
    og_escape_json(w, (og_bytes){text, len});
}

static void write_place(struct og_writer *w, uint64_t place)
{
    if (place == OG_UNKNOWN)
        og_writer_string(w, "null");
    else
        og_writer_number(w, place);
}

static void write_field(struct og_writer *w, const char *name, og_bytes text)
{
    if (text.len == 0) return;
    og_writer_string(w, name);
    og_escape_json(w, text);
}

static void write_time_source(struct og_writer *w, bool has_time,
                              og_time_source source)
{
    const char *const name = og_time_source_name(source);
    if (has_time)
        write_field(w, ",\"time_source\":", (og_bytes){name, strlen(name)});
}

/* ---- spans ---- */

/* The citation by book and line: "1.1-1.3". The names are JSON already. */
static void write_citation(struct og_writer *w, const struct og_cited *cited)
{
    og_writer_string(w, ",\"citation\":\"");
    og_writer_cited(w, cited);
    og_writer_byte(w, '"');
    if (cited->id.len == 0) return;
    og_writer_string(w, ",\"xml_id\":\"");
    og_writer_bytes(w, cited->id.data, cited->id.len);
    og_writer_byte(w, '"');
}

/* Four numbers each: begin and end here, begin and end there. */
static void write_matches(struct json *j, struct og_units at, size_t i)
{
    const og_span *span = &j->answer->spans[i];
    og_writer_string(j->w, ",\"matches\":[");
    for (size_t k = 0; k < span->n_matches; k++) {
        const og_match *m = &span->matches[k];
        og_writer_string(j->w, k == 0 ? "[" : ",[");
        og_writer_number(j->w, og_units_at(&at, m->begin));
        og_writer_byte(j->w, ',');
        og_writer_number(j->w, og_units_at(&at, m->end));
        og_writer_byte(j->w, ',');
        write_place(j->w, og_sources_place(j->sources, i, m->origin_begin));
        og_writer_byte(j->w, ',');
        write_place(j->w, og_sources_place(j->sources, i, m->origin_end));
        og_writer_byte(j->w, ']');
    }
    og_writer_byte(j->w, ']');
}

static void write_origin_of(struct json *j, size_t i)
{
    const og_span *span = &j->answer->spans[i];
    og_writer_string(j->w, ",\"origin\":{\"id\":");
    og_escape_json(j->w, span->origin_id);
    og_writer_string(j->w, ",\"time\":");
    write_time(j->w, span->origin_has_time, span->origin_time);
    og_writer_string(j->w, ",\"begin\":");
    write_place(j->w, og_sources_place(j->sources, i, span->origin_begin));
    og_writer_string(j->w, ",\"end\":");
    write_place(j->w, og_sources_place(j->sources, i, span->origin_end));
    write_time_source(j->w, span->origin_has_time, span->origin_time_source);
    struct og_cited cited;
    if (og_origin_cited(og_sources_detail(j->sources, i), span, &cited))
        write_citation(j->w, &cited);
    og_writer_byte(j->w, '}');
}

static void write_span(struct json *j, struct og_units *at, size_t i)
{
    struct og_writer *w = j->w;
    const og_span *span = &j->answer->spans[i];
    og_units_at(at, span->begin); /* matches start from here */
    const struct og_units begin = *at;
    write_range(w, at, span->begin, span->end);
    og_writer_string(w, ",\"n_tokens\":");
    og_writer_number(w, span->n_tokens);
    og_writer_string(w, ",\"how\":\"");
    og_writer_string(w, og_how_name(span->how));
    og_writer_byte(w, '"');
    write_origin_of(j, i);
    og_writer_string(w, ",\"n_matching\":");
    og_writer_number(w, span->n_matching);
    if (span->n_matches != 0) {
        og_writer_string(w, ",\"score\":");
        og_writer_share(w, span->score);
        if (j->matches) write_matches(j, begin, i);
    }
    struct og_cited cited;
    if (og_span_cited(j->doc, span, &cited)) write_citation(w, &cited);
    og_writer_byte(w, '}');
}

static void write_spans(struct json *j, struct og_units at)
{
    for (size_t i = 0; i < j->answer->n_spans; i++) {
        if (i != 0) og_writer_byte(j->w, ',');
        write_span(j, &at, i);
    }
}

static void write_novel(struct og_writer *w, const og_answer *answer,
                        struct og_units at)
{
    for (size_t i = 0; i < answer->n_novel; i++) {
        if (i != 0) og_writer_byte(w, ',');
        write_range(w, &at, answer->novel[i].begin, answer->novel[i].end);
        og_writer_byte(w, '}');
    }
}

/* ---- whole documents ---- */

static void write_named_share(struct og_writer *w, og_bytes id, double share)
{
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, id);
    og_writer_string(w, ",\"share\":");
    og_writer_share(w, share);
    og_writer_byte(w, '}');
}

static void write_copiers(struct og_writer *w, const og_origin *origin)
{
    og_writer_string(w, ",\"copiers\":[");
    for (size_t i = 0; i < origin->n_copiers; i++) {
        const og_copier *copier = &origin->copiers[i];
        og_writer_string(w, i == 0 ? "{\"id\":" : ",{\"id\":");
        og_escape_json(w, copier->id);
        og_writer_string(w, ",\"time\":");
        write_time(w, copier->has_time, copier->time);
        og_writer_string(w, ",\"n_tokens\":");
        og_writer_number(w, copier->n_tokens);
        og_writer_byte(w, '}');
    }
    og_writer_byte(w, ']');
}

static void write_origin(struct og_writer *w, const og_answer *answer,
                         const og_origin *origin)
{
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, origin->id);
    og_writer_string(w, ",\"time\":");
    write_time(w, origin->has_time, origin->time);
    write_field(w, ",\"title\":", origin->title);
    write_field(w, ",\"url\":", origin->url);
    og_writer_string(w, ",\"n_tokens\":");
    og_writer_number(w, origin->n_tokens);
    og_writer_string(w, ",\"share\":");
    og_writer_share(w, og_share(origin->n_tokens, answer->n_tokens));
    og_writer_string(w, ",\"n_matching\":");
    og_writer_number(w, origin->n_matching);
    write_copiers(w, origin);
    write_time_source(w, origin->has_time, origin->time_source);
    og_writer_byte(w, '}');
}

static void write_origins(struct og_writer *w, const og_answer *answer)
{
    if (answer->n_origins == 0) return;
    og_writer_string(w, ",\"origins\":[");
    for (size_t i = 0; i < answer->n_origins; i++) {
        if (i != 0) og_writer_byte(w, ',');
        write_origin(w, answer, &answer->origins[i]);
    }
    og_writer_byte(w, ']');
}

static void write_own_time(struct og_writer *w, const og_document *doc)
{
    if (!doc->has_time) return;
    og_writer_string(w, ",\"time\":");
    write_time(w, true, doc->time);
    write_time_source(w, true, doc->time_source);
}

static void write_head(struct og_writer *w, const og_document *doc,
                       const og_answer *answer)
{
    og_writer_string(w, "{\"origo\":1,\"id\":");
    og_escape_json(w, doc->id);
    og_writer_string(w, ",\"n_tokens\":");
    og_writer_number(w, answer->n_tokens);
    og_writer_string(w, ",\"novel\":");
    og_writer_share(w, og_share(answer->n_fresh, answer->n_tokens));
    og_writer_string(w, ",\"copied\":");
    og_writer_share(w, og_share(answer->n_matching, answer->n_tokens));
    og_writer_string(w, ",\"dominant\":");
    if (answer->has_dominant)
        write_named_share(w, answer->dominant_id, answer->dominant_share);
    else
        og_writer_string(w, "null");
    if (answer->best_id.len == 0) return;
    og_writer_string(w, ",\"best\":");
    write_named_share(w, answer->best_id, answer->best_share);
}

og_status og_write_json(struct og_writer *w, const og_document *doc,
                        const og_answer *answer,
                        const og_report_options *options, og_error *err)
{
    struct og_sources sources;
    TRY(og_sources_gather(answer, &sources, err));
    const og_status status = og_sources_locate(
        &sources, answer, options->offsets, options->matches, err);
    if (status == OG_OK) {
        struct json j = {w, doc, answer, &sources, options->matches};
        const struct og_units start = {doc->text, options->offsets, 0, 0};
        write_head(w, doc, answer);
        og_writer_string(w, ",\"spans\":[");
        write_spans(&j, start);
        og_writer_string(w, "],\"novel_spans\":[");
        write_novel(w, answer, start);
        og_writer_byte(w, ']');
        write_origins(w, answer);
        write_own_time(w, doc);
        og_writer_string(w, "}\n");
    }
    og_sources_release(&sources);
    return status;
}

og_status og_report_json(og_write_fn *write, void *ctx, const og_document *doc,
                         const og_answer *answer, og_offsets offsets,
                         og_error *err)
{
    struct og_writer w;
    og_report_options options = og_report_options_default();
    options.offsets = offsets;
    og_writer_init(&w, write, ctx);
    TRY(og_write_json(&w, doc, answer, &options, err));
    return og_writer_finish(&w, err);
}
