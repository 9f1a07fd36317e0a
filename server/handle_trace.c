/* POST /v1/trace and POST /v1/compare: where does it come from? */

#include "handlers.h"
#include "problem.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>

/* ---- how it is asked, and answered ---- */

struct trace_report {
    og_report_options options;
    const char *type;
};

static const char *type_of(og_format format)
{
    switch (format) {
    case OG_FORMAT_JSON: return "application/json";
    case OG_FORMAT_HTML: return "text/html; charset=utf-8";
    case OG_FORMAT_TSV: return "text/tab-separated-values; charset=utf-8";
    case OG_FORMAT_TEXT: return "text/plain; charset=utf-8";
    case OG_FORMAT_ANNOTATION: return "application/ld+json";
    default: return "application/xml";
    }
}

/* Whether the client accepts HTML, as a browser does. */
static bool wants_page(const struct request *r)
{
    const char *accept = request_header(r, "Accept");
    return accept != NULL && strncmp(accept, "text/html", 9) == 0;
}

static bool take_format(struct request *r, og_report_options *out)
{
    const char *format = request_argument(r, "format");
    const char *offsets = request_argument(r, "offsets");
    static const char *const units[] = {"byte", "char", "utf16"};
    out->format = wants_page(r) ? OG_FORMAT_HTML : OG_FORMAT_JSON;
    if (format != NULL &&
        (!og_format_parse((og_bytes){format, strlen(format)}, &out->format) ||
         out->format > OG_FORMAT_TEI))
        return problem(
            r, 400,
            "'format' must be json, text, tsv, html, pan, annotation or tei");
    if (offsets == NULL) return true;
    for (int i = 0; i < 3; i++)
        if (strcmp(offsets, units[i]) == 0) {
            out->offsets = (og_offsets)i;
            return true;
        }
    return problem(r, 400, "'offsets' must be byte, char or utf16");
}

static bool take_report(struct request *r, struct trace_report *out)
{
    double n_snippets = 0;
    out->options = og_report_options_default();
    if (!take_format(r, &out->options) ||
        !request_flag(r, "matches", &out->options.matches) ||
        !request_flag(r, "novel", &out->options.novel) ||
        !request_number(r, "snippets", 0, 1000, &n_snippets))
        return false;
    out->options.n_snippets = (uint32_t)n_snippets;
    out->type = type_of(out->options.format);
    if ((out->options.novel || n_snippets > 0) &&
        out->options.format != OG_FORMAT_JSON &&
        out->options.format != OG_FORMAT_TEXT)
        return problem(r, 400, "new passages are reported as json or text");
    return true;
}

const char report_csp[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox "
    "allow-scripts";

static void write_report(struct request *r, const struct trace_report *t,
                         const og_document *doc, const og_answer *answer)
{
    og_error err = {0};
    og_report *report = NULL;
    og_status status = og_report_begin(buffer_write, &r->reply.body,
                                       &t->options, &report, &err);
    if (status == OG_OK) status = og_report_add(report, doc, answer, &err);
    if (status == OG_OK)
        status = og_report_close(report, &err);
    else
        og_report_discard(report);
    if (status != OG_OK) {
        problem_of(r, &err);
        return;
    }
    r->reply.status = 200;
    r->reply.type = t->type;
    if (t->options.format == OG_FORMAT_HTML) r->reply.csp = report_csp;
}

/* "100" documents or "5%" of all. */
static bool take_boilerplate(struct request *r, og_trace_options *out)
{
    const char *value = request_argument(r, "boilerplate");
    char *end;
    if (value == NULL) return true;
    const double n = strtod(value, &end);
    const bool is_share = strcmp(end, "%") == 0;
    if (strspn(value, "0123456789.") == 0 || !(n > 0) ||
        (!is_share && (*end != 0 || n < 1 || n > 1e9)) || (is_share && n > 100))
        return problem(r, 400,
                       "'boilerplate' must be a number of documents like 100, "
                       "or a share like 5%%");
    if (is_share)
        out->boilerplate_share = n / 100;
    else
        out->boilerplate_documents = (uint64_t)n;
    return true;
}

static bool take_trace_options(struct request *r, const struct trace_report *t,
                               og_trace_options *out)
{
    const char *verify = request_argument(r, "verify");
    double min_span = 0;
    bool verifies = true;
    *out = (og_trace_options){0};
    if (!take_boilerplate(r, out) ||
        !request_number(r, "min_span", 0, 100000, &min_span) ||
        !request_flag(r, "reworded", &out->reworded) ||
        !request_flag(r, "across_groups", &out->compare_same) ||
        (verify != NULL && !request_flag(r, "verify", &verifies)))
        return false;
    out->min_span = (uint32_t)min_span;
    out->no_verify = !verifies;
    out->no_texts = t->options.offsets == OG_OFFSETS_BYTE &&
                    (t->options.format == OG_FORMAT_JSON ||
                     t->options.format == OG_FORMAT_TSV);
    return true;
}

/* ---- trace ---- */

void prepare_trace(struct request *r)
{
    struct trace_report t;
    og_trace_options asking;
    if (!take_report(r, &t) || !take_trace_options(r, &t, &asking) ||
        !request_flag(r, "add", &r->adds))
        return;
    if (r->adds && r->role < ROLE_WRITE) {
        problem(r, 403, "the token does not allow adding documents");
        return;
    }
    if (!take_document(r)) return;
    if (r->adds)
        r->place = PLACE_WRITER;
    else if (asking.no_verify && asking.no_texts)
        r->place = PLACE_HERE; /* cheaper than to wake another thread */
}

/* On the writer's thread: the answer is as before the document was added. */
static void trace_and_add(struct request *r, const struct trace_report *t,
                          const og_trace_options *asking)
{
    struct writer *w = &r->server->writer;
    og_error err = {0};
    bool is_new;
    if (writer_add(w, &r->doc, true, asking, &is_new, &err) != OG_OK) {
        problem_of(r, &err);
        return;
    }
    r->has_written = true;
    write_report(r, t, &r->doc, og_trace_answer(w->trace));
}

static void trace_only(struct request *r, const struct trace_report *t,
                       const og_trace_options *asking)
{
    struct server *s = r->server;
    og_error err = {0};
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    if (og_trace_configure(a->trace, asking, &err) == OG_OK &&
        og_store_trace(s->store, &r->doc, a->trace, &err) == OG_OK)
        write_report(r, t, &r->doc, og_trace_answer(a->trace));
    else
        problem_of(r, &err);
    readers_give(&s->readers, a);
}

void handle_trace(struct request *r)
{
    struct trace_report t;
    og_trace_options asking;
    /* They were checked before. */
    if (!take_report(r, &t) || !take_trace_options(r, &t, &asking)) return;
    atomic_fetch_add(&r->server->metrics.n_traced, 1);
    if (r->adds)
        trace_and_add(r, &t, &asking);
    else
        trace_only(r, &t, &asking);
}

/* ---- compare ---- */

struct pair {
    og_bytes document, origin; /* JSON */
    bool is_wrong;
};

static bool take_side(void *ctx, og_bytes name, og_json_kind kind,
                      og_bytes value)
{
    struct pair *p = ctx;
    static const og_bytes names[] = {OG_LITERAL("document"),
                                     OG_LITERAL("origin")};
    for (int i = 0; i < 2; i++)
        if (kind == OG_JSON_OBJECT && name.len == names[i].len &&
            memcmp(name.data, names[i].data, name.len) == 0) {
            *(i == 0 ? &p->document : &p->origin) = value;
            return true;
        }
    p->is_wrong = true;
    return false;
}

static bool take_pair(struct request *r, struct pair *out)
{
    og_error err = {0};
    *out = (struct pair){.is_wrong = false};
    const og_bytes body = buffer_view(&r->body);
    const og_status status = og_json_each(body, take_side, out, &err);
    if (status == OG_ERR_INPUT) return problem_of(r, &err);
    if (status != OG_OK || out->document.len == 0 || out->origin.len == 0)
        return problem(r, 400,
                       "expected {\"document\":{...},\"origin\":{...}}");
    return true;
}

/* The second reader is kept until the answer is made. */
static void compare_pair(struct request *r, const og_document *origin,
                         const struct trace_report *t,
                         const og_compare_options *options)
{
    struct server *s = r->server;
    og_error err = {0};
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    if (og_compare(a->comparison, &r->doc, origin, options, &err) == OG_OK)
        write_report(r, t, &r->doc, og_comparison_answer(a->comparison));
    else
        problem_of(r, &err);
    readers_give(&s->readers, a);
}

static bool take_compare_options(struct request *r, struct trace_report *t,
                                 og_compare_options *out)
{
    *out = og_compare_options_default();
    double min_copy = out->min_copy;
    if (!take_report(r, t) ||
        !request_number(r, "min_copy", 3, 1000, &min_copy) ||
        !request_flag(r, "reworded", &out->reworded))
        return false;
    out->min_copy = (uint32_t)min_copy;
    out->tokens = og_store_params(r->server->store)->tokens;
    return true;
}

void prepare_compare(struct request *r)
{
    struct trace_report t;
    og_compare_options options;
    if (!request_is_type(r, "application/json"))
        problem(r, 415, "the body must be application/json");
    else
        (void)take_compare_options(r, &t, &options);
}

static og_document named(og_document doc, const char *name)
{
    if (doc.id.len == 0) doc.id = (og_bytes){name, strlen(name)};
    return doc;
}

void handle_compare(struct request *r)
{
    struct server *s = r->server;
    struct trace_report t;
    og_compare_options options;
    struct pair pair;
    og_error err = {0};
    og_document origin;
    const uint64_t most = s->options->max_document;
    if (!take_compare_options(r, &t, &options) || !take_pair(r, &pair)) return;
    og_reader *other = readers_take_parser(&s->readers);
    r->reader = readers_take_parser(&s->readers);
    if (other == NULL || r->reader == NULL) {
        problem(r, 503, "out of memory");
    } else if (og_reader_read(r->reader, pair.document, OG_FILE_JSONL, most,
                              &r->doc, NULL, &err) != OG_OK ||
               og_reader_read(other, pair.origin, OG_FILE_JSONL, most, &origin,
                              NULL, &err) != OG_OK) {
        problem_of(r, &err);
    } else {
        r->doc = named(r->doc, "document");
        origin = named(origin, "origin");
        compare_pair(r, &origin, &t, &options);
    }
    readers_give_parser(&s->readers, other);
}
