/* Reused sentences as a page (web_page.h). The first documents are also plain
 * HTML, for readers without scripts:
 *
 *     <article id="d1">  the share of its sentences that are reused
 *       the text         <mark id="d1p1"><a href="#d1s1">1</a>Last night ...
 *       the sources      <li id="d1s1"><a href="#d1p1">1</a>
 *                          <details open> 0.93, council-7, 1998-05-01
 *                            <mark>Last night the sea took</mark> ...
 *                          <details> the second, ... the earliest first
 *
 * The text is laid out as in other reports (html_text.c): a reused sentence is
 * a passage whose source is its own entry in the list, and words that the
 * earliest source does not share are marked as changes. Links lead to the entry
 * and not into a <details>, which some browsers would leave closed.
 *
 * Nothing from a document ever becomes markup, and the page's policy allows
 * only the page's own script. Texts have lang="": their language is unknown,
 * and not that of the page. */

#include "lib/base/memory.h"
#include "lib/report/escape.h"
#include "lib/report/html/html_parts.h"
#include "lib/report/html/html_pieces.h"
#include "lib/report/html/quote_data.h"

struct view {
    struct og_html_report html; /* reused sentences as passages */
    og_answer answer;
    const og_quotes *quotes;
    og_span *spans;
    og_match *matches;
    uint32_t *numbers;
    size_t n_spans, n_matches;
};

/* ---- sentences as passages ---- */

static void count(struct view *v)
{
    for (size_t i = 0; i < v->quotes->n_sentences; i++) {
        const og_quote *q = &v->quotes->sentences[i];
        if (q->n_matches == 0) continue;
        v->n_spans++;
        v->n_matches += q->matches[0].n_own_ranges;
    }
}

static og_status allocate(struct view *v, og_error *err)
{
    const size_t n = v->n_spans, m = v->n_matches;
    if (n == 0) return OG_OK;
    v->spans = og_allocate_zero(NULL, n * sizeof(*v->spans));
    v->numbers = og_allocate_zero(NULL, n * sizeof(*v->numbers));
    if (m != 0) v->matches = og_allocate_zero(NULL, m * sizeof(*v->matches));
    if (v->spans != NULL && v->numbers != NULL && (m == 0 || v->matches))
        return OG_OK;
    return og_error_memory(err, n * sizeof(*v->spans) + m * sizeof(*v->matches),
                           "a page");
}

static void release(struct view *v)
{
    og_release(NULL, v->spans, v->n_spans * sizeof(*v->spans));
    og_release(NULL, v->numbers, v->n_spans * sizeof(*v->numbers));
    og_release(NULL, v->matches, v->n_matches * sizeof(*v->matches));
}

static void fill(struct view *v)
{
    og_match *next = v->matches;
    size_t n = 0;
    for (size_t i = 0; i < v->quotes->n_sentences; i++) {
        const og_quote *q = &v->quotes->sentences[i];
        if (q->n_matches == 0) continue;
        const og_quote_match *earliest = &q->matches[0];
        v->spans[n] = (og_span){.begin = q->begin,
                                .end = q->end,
                                .matches = next,
                                .n_matches = earliest->n_own_ranges};
        for (size_t k = 0; k < earliest->n_own_ranges; k++)
            *next++ = (og_match){.begin = earliest->own[k].begin,
                                 .end = earliest->own[k].end};
        v->numbers[n] = (uint32_t)(n + 1);
        n++;
    }
    v->answer = (og_answer){.spans = v->spans, .n_spans = n};
    v->html.answer = &v->answer;
    v->html.sources.number_of_span = v->numbers;
}

/* ---- the head of a document ---- */

static void write_names(struct view *v)
{
    struct og_writer *w = v->html.w;
    const og_document *doc = v->html.doc;
    const bool has_title = doc->title.len != 0;
    og_writer_string(w, "<h1 lang=\"\" dir=\"auto\">");
    og_html_short(w, has_title ? doc->title : doc->id, OG_HTML_TITLE_LEN);
    og_writer_string(w, "</h1>\n<p class=\"facts\">");
    if (has_title) {
        og_writer_string(w, "<bdi class=\"id\">");
        og_html_short(w, doc->id, OG_HTML_TITLE_LEN);
        og_writer_string(w, "</bdi>");
    }
    if (doc->has_time) og_html_time(w, doc->time);
    og_writer_string(w, "<span>");
    og_html_count(w, v->quotes->n_sentences, "sentence", "sentences");
    og_writer_string(w, "</span>");
    og_html_url(w, doc->url);
    if (v->quotes->n_repaired != 0) {
        og_writer_string(w, "<span class=\"warning\">");
        og_html_count(w, v->quotes->n_repaired, "byte", "bytes");
        og_writer_string(w, " not UTF-8, shown as \xef\xbf\xbd</span>");
    }
    og_writer_string(w, "</p>\n");
}

static void write_summary(struct view *v)
{
    struct og_writer *w = v->html.w;
    const og_quotes *quotes = v->quotes;
    og_writer_string(w, "<p class=\"summary\">");
    if (quotes->n_sentences == 0) {
        og_writer_string(w, "There are no sentences in it.");
    } else if (v->n_spans == 0) {
        og_writer_string(w, "None of its sentences was found elsewhere.");
    } else {
        og_writer_number(w, v->n_spans);
        og_writer_string(w, " of ");
        og_html_count(w, quotes->n_sentences, "sentence", "sentences");
        og_writer_string(w, v->n_spans == 1 ? " is" : " are");
        og_writer_string(w, " reused, with ");
        og_html_percent(w, quotes->n_reused_words, quotes->n_words);
        og_writer_string(w, " of the words. Words underlined with dots are not "
                            "shared with the earliest source.");
    }
    if (quotes->n_skipped != 0) {
        og_writer_byte(w, ' ');
        og_html_count(w, quotes->n_skipped, "candidate was", "candidates were");
        og_writer_string(w, " not looked at.");
    }
    og_writer_string(w, "</p>\n");
}

static void write_header(struct view *v)
{
    struct og_writer *w = v->html.w;
    og_writer_string(w, "<header>\n<p class=\"figure\"><strong>"
                        "<span class=\"number\">");
    og_writer_number(w,
                     og_html_whole_percent(v->n_spans, v->quotes->n_sentences));
    og_writer_string(w, "</span>&nbsp;%</strong> "
                        "<span>of the sentences reused</span></p>\n");
    write_names(v);
    write_summary(v);
    og_writer_string(w, "</header>\n");
}

/* ---- the sources ---- */

static void put_range(struct og_writer *w, og_bytes text, uint64_t begin,
                      uint64_t end)
{
    og_escape_html(w, (og_bytes){text.data + begin, (size_t)(end - begin)});
}

static void write_marked(struct og_writer *w, const og_quote_match *m)
{
    uint64_t at = 0;
    for (size_t i = 0; i < m->n_shared_ranges; i++) {
        const og_range r = m->shared[i];
        /* The answer may come from elsewhere: never reads past the text. */
        if (r.begin < at || r.end < r.begin || r.end > m->text.len) continue;
        put_range(w, m->text, at, r.begin);
        og_writer_string(w, "<mark>");
        put_range(w, m->text, r.begin, r.end);
        og_writer_string(w, "</mark>");
        at = r.end;
    }
    put_range(w, m->text, at, m->text.len);
}

static void write_match(struct og_writer *w, const og_quote_match *m,
                        bool is_open)
{
    const bool has_title = m->title.len != 0;
    og_writer_string(w, is_open ? "<details open><summary><strong>"
                                : "<details><summary><strong>");
    og_writer_share(w, m->similarity);
    og_writer_string(w, "</strong> <bdi>");
    og_html_short(w, has_title ? m->title : m->id, OG_HTML_TITLE_LEN);
    og_writer_string(w, "</bdi> ");
    if (m->has_time)
        og_html_time(w, m->time);
    else
        og_writer_string(w, "<span>undated</span>");
    og_writer_string(w, "</summary>\n<blockquote lang=\"\" dir=\"auto\">");
    write_marked(w, m);
    og_writer_string(w, "</blockquote>\n<p class=\"facts more\">");
    if (has_title) {
        og_writer_string(w, "<bdi class=\"id\">");
        og_html_short(w, m->id, OG_HTML_TITLE_LEN);
        og_writer_string(w, "</bdi>");
    }
    og_writer_string(w, "<span>");
    og_html_count(w, m->n_shared, "shared word", "shared words");
    og_writer_string(w, "</span><span>bytes ");
    og_writer_number(w, m->begin);
    og_writer_string(w, " to ");
    og_writer_number(w, m->end);
    og_writer_string(w, "</span></p></details>\n");
}

static void write_entry(struct view *v, const og_quote *q, size_t number)
{
    struct og_writer *w = v->html.w;
    og_writer_string(w, "<li class=\"source c");
    og_writer_number(w, (number - 1) % 10);
    og_writer_string(w, "\" id=\"");
    og_html_name(&v->html, 's', number);
    og_writer_string(w, "\"><h3><a class=\"n\" href=\"#");
    og_html_name(&v->html, 'p', number);
    og_writer_string(w, "\" aria-label=\"back to sentence ");
    og_writer_number(w, number);
    og_writer_string(w, "\">");
    og_writer_number(w, number);
    og_writer_string(w, "</a> ");
    og_html_count(w, q->n_found, "source", "sources");
    og_writer_string(w, "</h3>\n");
    for (size_t i = 0; i < q->n_matches; i++)
        write_match(w, &q->matches[i], i == 0);
    if (q->n_found > q->n_matches) {
        og_writer_string(w, "<p class=\"facts\"><span>and ");
        og_writer_number(w, q->n_found - q->n_matches);
        og_writer_string(w, " more, later ones</span></p>\n");
    }
    og_writer_string(w, "</li>\n");
}

static void write_sources(struct view *v)
{
    struct og_writer *w = v->html.w;
    size_t number = 0;
    og_writer_string(w, "<section class=\"taken\" aria-label=\"Sources\">"
                        "<h2>Sources, the earliest first</h2>\n<ol>\n");
    for (size_t i = 0; i < v->quotes->n_sentences; i++) {
        const og_quote *q = &v->quotes->sentences[i];
        if (q->n_matches != 0) write_entry(v, q, ++number);
    }
    og_writer_string(w, "</ol></section>\n");
}

/* ---- a document without a script ---- */

static void write_article(struct view *v)
{
    struct og_writer *w = v->html.w;
    og_writer_string(w, "<article id=\"");
    og_html_name(&v->html, 0, 0);
    og_writer_string(w, "\">\n");
    write_header(v);
    og_writer_string(w, v->n_spans != 0 ? "<div class=\"body sentences\">\n"
                                        : "<div class=\"body alone\">\n");
    og_writer_string(w, "<section class=\"text\" lang=\"\" "
                        "aria-label=\"Text\">\n");
    og_html_text(&v->html);
    og_writer_string(w, "</section>\n");
    if (v->n_spans != 0) write_sources(v);
    og_writer_string(w, "</div>\n</article>\n");
}

static og_status write_plain(struct view *v, og_error *err)
{
    count(v);
    const og_status status = allocate(v, err);
    if (status == OG_OK) {
        fill(v);
        write_article(v);
    }
    release(v);
    return status;
}

/* ---- the form ---- */

static og_status add_html(struct og_writer *w, const og_document *doc,
                          const og_quotes *quotes,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    (void)options;
    struct og_web_page *page = progress->state;
    if (og_web_page_plain_begin(page, w, doc->text.len)) {
        struct view v = {
            .html = {.w = w, .doc = doc, .number = progress->number},
            .quotes = quotes};
        TRY(write_plain(&v, err));
        og_web_page_plain_end(w);
    }
    struct og_writer *data = og_web_page_document_begin(page, w);
    TRY(og_quote_data(page, data, doc, quotes, err));
    TRY(og_web_page_document_end(page, doc, err));
    return og_web_page_row_end(page, w, err);
}

static og_status open_html(struct og_progress *progress, og_error *err)
{
    struct og_web_page *page = NULL;
    TRY(og_web_page_new("sentence", &page, err));
    progress->state = page;
    return OG_OK;
}

const struct og_report_form og_quote_as_html = {.open = open_html,
                                                .release = og_web_page_release,
                                                .begin = og_web_page_begin,
                                                .add_quotes = add_html,
                                                .end = og_web_page_end,
                                                .is_full = og_web_page_is_full,
                                                .cover = og_web_page_cover};
