/* Copied passages as a page (web_page.h):
 *
 *     <article id="d1">  a headline number, title, date
 *                        the sources, the largest first
 *                        the text, its passages marked  (html_text.c)
 *     data of it         for the script                 (html_data.c)
 *     its row            in the overview
 *
 * The article, for the first documents only, serves readers without scripts:
 * text, sources and the links between them as plain HTML. Addresses of
 * documents become links only when they begin with http:// or https://. */

#include "lib/report/escape.h"
#include "lib/report/html/html_parts.h"
#include "lib/report/html/html_pieces.h"
#include "lib/report/html/page_files.h"

#include <string.h>

enum { SNIPPET_LEN = 220 }; /* bytes of a source in the list, plus a word */

void og_html_name(struct og_html_report *h, char kind, size_t n)
{
    og_writer_byte(h->w, 'd');
    og_writer_number(h->w, h->number);
    if (kind == 0) return;
    og_writer_byte(h->w, kind);
    og_writer_number(h->w, n);
}

/* ---- the head of a document ---- */

static void write_figure(struct og_html_report *h)
{
    const og_answer *a = h->answer;
    og_writer_string(h->w,
                     "<p class=\"figure\"><strong><span class=\"number\">");
    og_writer_number(h->w, og_html_whole_percent(a->n_matching, a->n_tokens));
    og_writer_string(h->w, "</span>&nbsp;%</strong> <span>copied</span></p>\n");
}

/* The time of a record is explicit; for others the page says where it was
 * found. */
static void write_time_source(struct og_writer *w, og_time_source source)
{
    static const char *const words[] = {
        [OG_TIME_HEADER] = "time from its header",
        [OG_TIME_METADATA] = "time from its metadata",
        [OG_TIME_TEXT] = "time from its text",
        [OG_TIME_ADDRESS] = "time from its address",
    };
    if (source == OG_TIME_FILE)
        og_writer_string(w, "<span class=\"warning\">the time of its file: a "
                            "guess</span>");
    else if (source >= OG_TIME_HEADER && source <= OG_TIME_ADDRESS) {
        og_writer_string(w, "<span>");
        og_writer_string(w, words[source]);
        og_writer_string(w, "</span>");
    }
}

static void write_names(struct og_html_report *h)
{
    struct og_writer *w = h->w;
    const og_document *doc = h->doc;
    const og_bytes title = doc->title.len != 0 ? doc->title : doc->id;
    og_writer_string(w, "<h1 dir=\"auto\">");
    og_html_short(w, title, OG_HTML_TITLE_LEN);
    og_writer_string(w, "</h1>\n<p class=\"facts\">");
    if (doc->title.len != 0) {
        og_writer_string(w, "<bdi class=\"id\">");
        og_html_short(w, doc->id, OG_HTML_TITLE_LEN);
        og_writer_string(w, "</bdi>");
    }
    if (doc->has_time) og_html_time(w, doc->time);
    if (doc->has_time) write_time_source(w, doc->time_source);
    og_writer_string(w, "<span>");
    og_html_count(w, h->answer->n_tokens, "word", "words");
    og_writer_string(w, "</span>");
    og_html_url(w, doc->url);
    if (h->answer->n_repaired != 0) {
        og_writer_string(w, "<span class=\"warning\">");
        og_html_count(w, h->answer->n_repaired, "byte", "bytes");
        og_writer_string(w, " not UTF-8, shown as \xef\xbf\xbd</span>");
    }
    og_writer_string(w, "</p>\n");
}

static void put_source_link(struct og_html_report *h, size_t i)
{
    const struct og_source_share *source = &h->sources.list[i];
    const og_bytes id = h->answer->spans[source->first_span].origin_id;
    const og_origin *detail = source->detail;
    og_writer_string(h->w, "<a href=\"#");
    og_html_name(h, 's', i + 1);
    og_writer_string(h->w, "\"><bdi>");
    og_html_short(h->w,
                  detail != NULL && detail->title.len != 0 ? detail->title : id,
                  80);
    og_writer_string(h->w, "</bdi></a>");
}

static void write_summary(struct og_html_report *h)
{
    struct og_writer *w = h->w;
    const og_answer *a = h->answer;
    og_writer_string(w, "<p class=\"summary\">");
    if (a->n_spans == 0) {
        og_writer_string(w, a->n_tokens == 0
                                ? "There are no words in it."
                                : "Nothing in it was found elsewhere.");
    } else {
        og_html_count(w, a->n_spans, "passage", "passages");
        og_writer_string(w, " from ");
        og_html_count(w, h->sources.n, "source", "sources");
        og_writer_string(w, h->sources.n == 1 ? ", " : ", most from ");
        put_source_link(h, 0);
        og_writer_string(w, ". ");
        og_html_percent(w, a->n_fresh, a->n_tokens);
        og_writer_string(w, " of the words are new.");
    }
    if (a->best_id.len != 0) {
        og_writer_string(w, " It has most in common with <bdi>");
        og_html_short(w, a->best_id, 80);
        og_writer_string(w, "</bdi> (");
        og_writer_number(w, (uint64_t)(a->best_share * 100 + 0.5));
        og_writer_string(w, " %), which is not the first to say it.");
    }
    og_writer_string(w, "</p>\n");
}

/* The new parts, if the report shows them. */
static void write_novel(struct og_html_report *h)
{
    struct og_writer *w = h->w;
    if (h->novel.n == 0) return;
    og_writer_string(w, "<section class=\"new\" aria-label=\"New in it\">"
                        "<h2>New in it</h2>\n<ul>\n");
    for (size_t i = 0; i < h->novel.n; i++) {
        const og_range part = h->novel.list[i];
        og_writer_string(w, "<li dir=\"auto\">");
        og_escape_html(w, (og_bytes){h->doc->text.data + part.begin,
                                     (size_t)(part.end - part.begin)});
        og_writer_string(w, "</li>\n");
    }
    og_writer_string(w, "</ul></section>\n");
}

/* ---- the sources ---- */

/* How a source's passages are known, in words; the weakest counts. */
static const char *known_by(unsigned how_mask)
{
    if (how_mask == 1u << OG_HOW_VERIFIED) return "compared word by word";
    if ((how_mask & (1u << OG_HOW_VERIFIED)) != 0)
        return "partly compared word by word";
    return "found by fingerprint, not compared";
}

/* From the source's own text if it is available, otherwise from the
 * document. */
static og_bytes snippet_of(const struct og_html_report *h, size_t i)
{
    const og_span *span = &h->answer->spans[h->sources.list[i].first_span];
    const og_bytes there = og_sources_text(&h->sources, span, i + 1);
    const og_bytes here = h->doc->text;
    if (there.len != 0)
        return (og_bytes){there.data + span->origin_begin,
                          span->origin_end - span->origin_begin};
    if (span->end > here.len) return (og_bytes){"", 0};
    return (og_bytes){here.data + span->begin, span->end - span->begin};
}

static void write_source_names(struct og_html_report *h, size_t i)
{
    struct og_writer *w = h->w;
    const struct og_source_share *source = &h->sources.list[i];
    const og_span *span = &h->answer->spans[source->first_span];
    const og_origin *detail = source->detail;
    const bool titled = detail != NULL && detail->title.len != 0;
    og_writer_string(w, "<h3><span class=\"n\">");
    og_writer_number(w, i + 1);
    og_writer_string(w, "</span> <bdi>");
    og_html_short(w, titled ? detail->title : span->origin_id,
                  OG_HTML_TITLE_LEN);
    og_writer_string(w, "</bdi></h3>\n<p class=\"facts\"><strong>");
    og_html_percent(w, source->n_matching, h->answer->n_tokens);
    og_writer_string(w, "</strong>");
    if (span->origin_has_time)
        og_html_time(w, span->origin_time);
    else
        og_writer_string(w, "<span>undated</span>");
    if (span->origin_has_time) write_time_source(w, span->origin_time_source);
    og_writer_string(w, "<a href=\"#");
    og_html_name(h, 'p', source->first_span + 1);
    og_writer_string(w, "\">");
    og_html_count(w, source->n_spans, "passage", "passages");
    og_writer_string(w, "</a></p>\n");
}

static void write_source(struct og_html_report *h, size_t i)
{
    struct og_writer *w = h->w;
    const struct og_source_share *source = &h->sources.list[i];
    const og_span *span = &h->answer->spans[source->first_span];
    const og_origin *detail = source->detail;
    og_writer_string(w, "<li class=\"source c");
    og_writer_number(w, i % 10);
    og_writer_string(w, "\" id=\"");
    og_html_name(h, 's', i + 1);
    og_writer_string(w, "\">");
    write_source_names(h, i);
    og_writer_string(w, "<blockquote dir=\"auto\">");
    og_html_short(w, snippet_of(h, i), SNIPPET_LEN);
    og_writer_string(w, "</blockquote>\n<p class=\"facts more\">");
    if (detail != NULL && detail->title.len != 0) {
        og_writer_string(w, "<bdi class=\"id\">");
        og_html_short(w, span->origin_id, OG_HTML_TITLE_LEN);
        og_writer_string(w, "</bdi>");
    }
    if (detail != NULL) og_html_url(w, detail->url);
    og_writer_string(w, "<span>");
    og_writer_string(w, known_by(source->how_mask));
    og_writer_string(w, "</span></p></li>\n");
}

static void write_sources(struct og_html_report *h)
{
    og_writer_string(h->w, "<section class=\"sources\" aria-label=\"Sources\">"
                           "<h2>Sources</h2>\n<ol>\n");
    for (size_t i = 0; i < h->sources.n; i++)
        write_source(h, i);
    og_writer_string(h->w, "</ol></section>\n");
}

/* ---- the whole ---- */

static void write_article(struct og_html_report *h)
{
    struct og_writer *w = h->w;
    og_writer_string(w, "<article id=\"");
    og_html_name(h, 0, 0);
    og_writer_string(w, "\">\n<header>\n");
    write_figure(h);
    write_names(h);
    write_summary(h);
    write_novel(h);
    og_writer_string(w, "</header>\n");
    if (h->sources.n != 0) write_sources(h);
    og_writer_string(w, "<section class=\"text\" aria-label=\"Text\" id=\"");
    og_html_name(h, 't', 0);
    og_writer_string(w, "\">\n");
    og_html_text(h);
    og_writer_string(w, "</section>\n</article>\n");
}

/* ---- its row ---- */

static og_status write_row(struct og_html_report *h, struct og_writer *w,
                           og_error *err)
{
    const og_answer *a = h->answer;
    const struct og_web_page_row row = {.doc = h->doc,
                                        .n_units = a->n_tokens,
                                        .n_copied = a->n_matching,
                                        .n_covered = a->n_tokens - a->n_fresh,
                                        .n_passages = a->n_spans,
                                        .n_sources = h->sources.n};
    og_web_page_row_begin(h->page, &row);
    for (size_t i = 0; i < h->sources.n; i++) {
        const struct og_source_share *source = &h->sources.list[i];
        const og_span *span = &a->spans[source->first_span];
        struct og_web_page_row_source one = {.id = span->origin_id,
                                             .title = {"", 0},
                                             .time = span->origin_time,
                                             .has_time = span->origin_has_time,
                                             .n_copied = source->n_matching,
                                             .n_covered = source->n_tokens,
                                             .n_passages = source->n_spans,
                                             .is_boilerplate =
                                                 og_html_is_boilerplate(h, i)};
        if (source->detail != NULL) one.title = source->detail->title;
        og_web_page_row_source(h->page, &one);
    }
    return og_web_page_row_end(h->page, w, err);
}

static og_status hold_passages(struct og_html_report *h, og_error *err)
{
    for (size_t i = 0; i < h->answer->n_spans; i++) {
        const og_span *span = &h->answer->spans[i];
        const uint64_t begin =
            og_sources_place(&h->sources, i, span->origin_begin);
        const uint64_t end = og_sources_place(&h->sources, i, span->origin_end);
        if (begin == OG_UNKNOWN || end == OG_UNKNOWN) continue;
        TRY(og_web_page_hold(h->page, span->origin, begin, end, err));
    }
    return OG_OK;
}

/* ---- the whole ---- */

static og_status write_all(struct og_html_report *h, struct og_writer *w,
                           og_error *err)
{
    if (og_web_page_plain_begin(h->page, w, h->doc->text.len)) {
        write_article(h);
        og_web_page_plain_end(w);
    }
    h->w = og_web_page_document_begin(h->page, w);
    TRY(og_html_data(h, err));
    TRY(og_web_page_document_end(h->page, h->doc, err));
    TRY(hold_passages(h, err));
    return write_row(h, w, err);
}

static og_status add_html(struct og_writer *w, const og_document *doc,
                          const og_answer *answer,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    struct og_html_report h = {.w = w,
                               .page = progress->state,
                               .doc = doc,
                               .answer = answer,
                               .number = progress->number};
    og_status status = og_sources_gather(answer, &h.sources, err);
    if (status == OG_OK)
        status =
            og_sources_locate(&h.sources, answer, OG_OFFSETS_UTF16, true, err);
    if (status == OG_OK) status = og_quoted_find(&h.quotes, doc->text, err);
    if (status == OG_OK && (options->novel || options->n_snippets > 0))
        status = og_novel_find(&h.novel, doc, answer, options, err);
    if (status == OG_OK) status = write_all(&h, w, err);
    og_novel_release(&h.novel);
    og_quoted_release(&h.quotes);
    og_sources_release(&h.sources);
    return status;
}

static og_status open_html(struct og_progress *progress, og_error *err)
{
    struct og_web_page *page = NULL;
    TRY(og_web_page_new("word", &page, err));
    progress->state = page;
    return OG_OK;
}

const struct og_report_form og_report_as_html = {.open = open_html,
                                                 .release = og_web_page_release,
                                                 .begin = og_web_page_begin,
                                                 .add = add_html,
                                                 .end = og_web_page_end,
                                                 .is_full = og_web_page_is_full,
                                                 .cover = og_web_page_cover};
