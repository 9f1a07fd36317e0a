/* POST /v1/near and POST /v1/quote: queries of the other indexes, concurrent
 * with the writer. */

#include "handlers.h"
#include "problem.h"
#include "server.h"

#include <string.h>

/* ---- near ---- */

static bool take_near(struct request *r, og_near_query *out, size_t *out_limit)
{
    const og_near_stream_options usual = og_near_stream_options_default();
    double threshold = usual.threshold, distance = usual.max_distance;
    double limit = 10;
    if (!request_number(r, "threshold", 0.0001, 1, &threshold) ||
        !request_number(r, "distance", 0, 3, &distance) ||
        !request_number(r, "limit", 1, 1000, &limit))
        return false;
    *out = (og_near_query){threshold, (unsigned)distance};
    *out_limit = (size_t)limit;
    return true;
}

static bool has_index(struct request *r, unsigned index, const char *name)
{
    if ((og_store_indexes(r->server->store) & index) != 0) return true;
    return problem(r, 409,
                   "the store has no index of %s; 'origo index --add %s' "
                   "builds it",
                   name, name);
}

void prepare_near(struct request *r)
{
    og_near_query query;
    size_t limit;
    if (has_index(r, OG_INDEX_NEAR, "near") && take_near(r, &query, &limit))
        (void)take_document(r);
}

static void write_match(struct buffer *b, const og_near_match *m)
{
    char time[40];
    buffer_text(b, "{\"id\":");
    buffer_string(b, m->id);
    if (m->has_time) {
        const char *source = og_time_source_name(m->time_source);
        og_time_format(m->time, time);
        buffer_format(b, ",\"time\":\"%s\"", time);
        if (source[0] != 0) buffer_format(b, ",\"time_source\":\"%s\"", source);
    }
    if (m->similarity >= 0) {
        buffer_text(b, ",\"similarity\":");
        buffer_share(b, m->similarity);
        buffer_format(b, ",\"exact\":%s", m->is_exact ? "true" : "false");
    }
    if (m->distance < 64) buffer_format(b, ",\"distance\":%u", m->distance);
    buffer_text(b, "}");
}

static void write_near(struct request *r, const og_near_match *matches,
                       size_t n, size_t limit)
{
    struct buffer *b = &r->reply.body;
    buffer_text(b, "{\"origo\":1,\"id\":");
    buffer_string(b, r->doc.id);
    buffer_text(b, ",\"near\":[");
    for (size_t i = 0; i < n && i < limit; i++) {
        if (i > 0) buffer_text(b, ",");
        write_match(b, &matches[i]);
    }
    buffer_text(b, "]");
    if (n > limit) buffer_format(b, ",\"n_near\":%zu", n);
    buffer_text(b, "}\n");
    reply_json(r, 200);
}

void handle_near(struct request *r)
{
    og_near_query query;
    size_t limit, n = 0;
    og_error err = {0};
    const og_near_match *matches;
    if (!take_near(r, &query, &limit)) return;
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    if (og_trace_near(a->trace, &r->doc, &query, &matches, &n, &err) == OG_OK)
        write_near(r, matches, n, limit);
    else
        problem_of(r, &err);
    readers_give(&r->server->readers, a);
}

/* ---- quote ---- */

static bool take_quote(struct request *r, og_quote_options *out,
                       og_format *out_format)
{
    const char *format = request_argument(r, "format");
    *out = og_quote_options_default();
    *out_format = OG_FORMAT_JSON;
    double threshold = out->threshold, min_words = out->min_words;
    double limit = out->max_matches;
    if (!request_number(r, "threshold", 0.0001, 1, &threshold) ||
        !request_number(r, "min_words", 1, 10000, &min_words) ||
        !request_number(r, "limit", 1, 1000, &limit) ||
        !request_flag(r, "later", &out->later))
        return false;
    out->threshold = threshold;
    out->min_words = (uint32_t)min_words;
    out->max_matches = (uint32_t)limit;
    if (format == NULL || strcmp(format, "json") == 0) return true;
    if (strcmp(format, "text") != 0)
        return problem(r, 400, "'format' must be json or text");
    *out_format = OG_FORMAT_TEXT;
    return true;
}

void prepare_quote(struct request *r)
{
    og_quote_options options;
    og_format format;
    if (has_index(r, OG_INDEX_SENTENCES, "sentences") &&
        take_quote(r, &options, &format))
        (void)take_document(r);
}

static void write_quotes(struct request *r, const og_quotes *quotes,
                         og_format format)
{
    og_report_options options = og_report_options_default();
    og_report *report = NULL;
    og_error err = {0};
    options.format = format;
    options.sentences = true;
    og_status status =
        og_report_begin(buffer_write, &r->reply.body, &options, &report, &err);
    if (status == OG_OK)
        status = og_report_add_quotes(report, &r->doc, quotes, &err);
    if (status == OG_OK)
        status = og_report_close(report, &err);
    else
        og_report_discard(report);
    if (status != OG_OK) {
        problem_of(r, &err);
        return;
    }
    r->reply.status = 200;
    r->reply.type = format == OG_FORMAT_JSON ? "application/json"
                                             : "text/plain; charset=utf-8";
}

void handle_quote(struct request *r)
{
    og_quote_options options;
    og_format format;
    const og_quotes *quotes;
    og_error err = {0};
    if (!take_quote(r, &options, &format)) return;
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    if (og_trace_quote(a->trace, &r->doc, &options, &quotes, &err) == OG_OK)
        write_quotes(r, quotes, format);
    else
        problem_of(r, &err);
    readers_give(&r->server->readers, a);
}
