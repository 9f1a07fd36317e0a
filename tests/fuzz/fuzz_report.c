/* Any answer to any document: every form of its report is well formed.
 *
 * The bytes are texts, names and places. What comes out is read by others:
 * JSON by our scanner, XML by libxml2, HTML by a scan that knows every tag
 * which the report may write. */

#include <libxml/parser.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/source/json/json.h"

#include <origo/origo.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MOST_SPANS = 6 };

static void must(bool holds)
{
    if (!holds) abort();
}

/* ---- answers out of bytes ---- */

struct input {
    const uint8_t *at, *end;
};

static uint8_t next_byte(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static og_bytes next_text(struct input *in, size_t most)
{
    size_t len = next_byte(in);
    if (len > most) len = most;
    if (len > (size_t)(in->end - in->at)) len = (size_t)(in->end - in->at);
    const og_bytes text = {(const char *)in->at, len};
    in->at += len;
    return text;
}

struct made {
    og_document doc;
    og_answer answer;
    og_span spans[MOST_SPANS];
    og_match matches[MOST_SPANS][2];
    og_origin origins[2];
    og_copier copier;
};

static void make_span(struct made *m, struct input *in, uint64_t *at)
{
    const size_t i = m->answer.n_spans;
    const uint64_t room = m->doc.text.len - *at;
    if (room == 0) return;
    const uint64_t begin = *at + next_byte(in) % room;
    const uint64_t end = begin + 1 + next_byte(in) % (m->doc.text.len - begin);
    const og_origin *o = &m->origins[next_byte(in) % 2];
    og_span *span = &m->spans[m->answer.n_spans++];
    *span = (og_span){.begin = begin,
                      .end = end,
                      .n_tokens = 1 + end % 7,
                      .how = (og_how)(next_byte(in) % 4),
                      .origin = o->number,
                      .origin_id = o->id,
                      .origin_time = o->time,
                      .origin_has_time = o->has_time,
                      .origin_begin = OG_UNKNOWN,
                      .origin_end = OG_UNKNOWN};
    *at = end;
    m->answer.n_tokens += span->n_tokens;
    if (span->how != OG_HOW_VERIFIED || o->text.len == 0) return;
    span->origin_begin = next_byte(in) % o->text.len;
    span->origin_end = span->origin_begin +
                       next_byte(in) % (o->text.len - span->origin_begin + 1);
    const uint64_t middle = begin + (end - begin) / 2;
    const uint64_t there =
        span->origin_begin + (span->origin_end - span->origin_begin) / 2;
    m->matches[i][0] = (og_match){begin, middle, span->origin_begin, there};
    m->matches[i][1] = (og_match){end, end, there, span->origin_end};
    span->matches = m->matches[i];
    span->n_matches = 2;
    span->score = next_byte(in) / 255.0;
}

static void make_answer(struct made *m, struct input *in)
{
    const uint8_t flags = next_byte(in);
    memset(m, 0, sizeof(*m));
    m->doc.id = next_text(in, 20);
    m->doc.title = next_text(in, 40);
    m->doc.url = next_text(in, 40);
    m->doc.has_time = flags & 1;
    m->copier.id = next_text(in, 20);
    for (size_t i = 0; i < 2; i++) {
        og_origin *o = &m->origins[i];
        *o = (og_origin){.number = i + 7, .has_time = flags & (2u << i)};
        o->id = next_text(in, 20);
        o->title = next_text(in, 20);
        o->url = next_text(in, 20);
        o->text = next_text(in, 255);
        o->copiers = &m->copier;
        o->n_copiers = i;
    }
    const uint8_t n = next_byte(in) % (MOST_SPANS + 1);
    struct input places = *in; /* the text begins with its own places */
    m->doc.text = (og_bytes){(const char *)in->at, (size_t)(in->end - in->at)};
    uint64_t at = 0;
    for (uint8_t i = 0; i < n; i++)
        make_span(m, &places, &at);
    m->answer.spans = m->spans;
    m->answer.n_fresh = 3;
    m->answer.n_tokens += 3;
    m->answer.origins = m->origins;
    m->answer.n_origins = flags & 8 ? 0 : 2;
    m->answer.best_id = m->copier.id;
    m->answer.best_share = 0.5;
}

/* ---- readers ---- */

static void check_json(const char *text, size_t len)
{
    bool is_cut;
    must(og_json_is_object((og_bytes){text, len}, &is_cut));
}

static void check_xml(const char *text, size_t len)
{
    xmlDoc *doc = xmlReadMemory(text, (int)len, "report.xml", NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR |
                                    XML_PARSE_NOWARNING);
    must(doc != NULL);
    xmlFreeDoc(doc);
}

static size_t count_of(const char *text, size_t len, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == c;
    return n;
}

static void check_tsv(const char *text, size_t len, size_t n_lines)
{
    must(count_of(text, len, '\n') == n_lines);
    must(count_of(text, len, '\t') == 10 * n_lines);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Behind the tag at `at`, which must be one of ours. */
static const char *check_tag(const char *at)
{
    static const char *const tags[] = {
        "article", "header",     "section", "h1",   "h2",   "h3",
        "p",       "span",       "strong",  "bdi",  "time", "a",
        "ol",      "li",         "div",     "mark", "ins",  "main",
        "meta",    "blockquote", "script",  "/"};
    const char *name = at + 1;
    bool known = starts_with(at, "<!DOCTYPE html>");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const size_t n = strlen(tags[i]);
        if (!starts_with(name, tags[i])) continue;
        known = known || tags[i][0] == '/' || name[n] == '>' || name[n] == ' ';
    }
    for (const char *other = "html head title style body noscript";
         *other != '\0';) {
        const size_t n = strcspn(other, " ");
        known = known || (strncmp(name, other, n) == 0 &&
                          (name[n] == '>' || name[n] == ' '));
        other += n + (other[n] == ' ');
    }
    must(known);
    const char *end = strchr(at, '>');
    must(end != NULL);
    if (starts_with(at, "<script") || starts_with(at, "<style")) {
        const char *close =
            strstr(end, at[2] == 'c' ? "</script>" : "</style>");
        must(close != NULL);
        /* Data: not a single '<' may stand in it. */
        if (starts_with(at, "<script type"))
            must(memchr(end, '<', (size_t)(close - end)) == NULL);
        return close;
    }
    return end;
}

static void check_html(const char *text, size_t len)
{
    must(strlen(text) == len); /* no zero byte */
    for (const char *at = text; (at = strchr(at, '<')) != NULL;)
        at = check_tag(at);
    /* Nothing that turns the direction outside of data. */
    must(strstr(text, "javascript:") == NULL ||
         strstr(text, "href=\"javascript:") == NULL);
}

/* ---- the target ---- */

static void check_report(const struct made *m, og_format format,
                         og_offsets offsets)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);
    og_report_options options = og_report_options_default();
    og_report *report;
    must(file != NULL);
    options.format = format;
    options.matches = true;
    options.offsets = offsets;
    options.style = (og_text_style){.colour = true, .width = 120};
    const size_t n_docs = 1 + m->doc.text.len % 2;
    must(og_report_begin(og_write_file, file, &options, &report, NULL) ==
         OG_OK);
    for (size_t i = 0; i < n_docs; i++)
        must(og_report_add(report, &m->doc, &m->answer, NULL) == OG_OK);
    must(og_report_close(report, NULL) == OG_OK);
    fclose(file);
    if (format == OG_FORMAT_JSON)
        check_json(text, len / n_docs);
    else if (format == OG_FORMAT_ANNOTATION)
        check_json(text, len);
    else if (format == OG_FORMAT_PAN || format == OG_FORMAT_TEI)
        check_xml(text, len);
    else if (format == OG_FORMAT_TSV)
        check_tsv(text, len, 1 + n_docs * m->answer.n_spans);
    else if (format == OG_FORMAT_HTML)
        check_html(text, len);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct made m;
    struct input in = {data, data + len};
    const og_offsets offsets = (og_offsets)(next_byte(&in) % 3);
    make_answer(&m, &in);
    for (int format = OG_FORMAT_TEXT; format <= OG_FORMAT_TEI; format++)
        check_report(&m, (og_format)format, offsets);
    return 0;
}
