/* The text of a document as paragraphs of a page.
 *
 *     <div class="g"><p dir="auto">Last night <mark id="d1p1" class="c1"
 *     data-p="1"><a class="n" href="#d1s1">1</a>the sea took <ins>half</ins>
 *     the pier</mark> and more.</p> ... </div>
 *
 * A paragraph ends at an empty line; each determines its own text direction. A
 * passage that continues in the next paragraph is a <mark> in each. Words of a
 * verified passage that its origin lacks are <ins>.
 *
 * Paragraphs are in groups of some kilobytes, which a browser lays out only
 * when they approach the viewport (content-visibility in the style): that keeps
 * a document of ten megabytes usable. For the same reason a paragraph of more
 * than LONGEST bytes is split. */

#include "lib/report/escape.h"
#include "lib/report/html/html_parts.h"
#include "lib/text/text.h"

enum {
    GROUP_LEN = 8 << 10, /* bytes; a few screens */
    LONGEST = 16 << 10,  /* bytes in a paragraph before it is split ... */
    CUT_ROOM = 1 << 10,  /* ... at a space within this distance, or anywhere */
};
#define NO_SPAN SIZE_MAX

struct page {
    struct og_html_report *h;
    bool in_group, in_paragraph, in_mark;
    bool continues; /* the previous paragraph was split */
    size_t group_len, paragraph_len;
    size_t span;     /* that the text belongs to; NO_SPAN */
    bool span_shown; /* its id has been written */
    bool changed;    /* inside <ins> */
};

/* ---- opening and closing ---- */

static void open_mark(struct page *p, bool last)
{
    struct og_writer *w = p->h->w;
    const uint32_t source = p->h->sources.number_of_span[p->span];
    og_writer_string(w, "<mark");
    if (!p->span_shown) {
        og_writer_string(w, " id=\"");
        og_html_name(p->h, 'p', p->span + 1);
        og_writer_byte(w, '"');
    }
    og_writer_string(w, " class=\"c");
    og_writer_number(w, (source - 1) % 10);
    og_writer_string(w, last ? " e\" data-p=\"" : "\" data-p=\"");
    og_writer_number(w, p->span + 1);
    og_writer_string(w, "\">");
    p->in_mark = true;
    if (p->span_shown) return;
    p->span_shown = true;
    og_writer_string(w, "<a class=\"n\" href=\"#");
    og_html_name(p->h, 's', source);
    og_writer_string(w, "\" aria-label=\"passage ");
    og_writer_number(w, p->span + 1);
    og_writer_string(w, ", source ");
    og_writer_number(w, source);
    og_writer_string(w, "\">");
    og_writer_number(w, source);
    og_writer_string(w, "</a>");
}

static void close_mark(struct page *p)
{
    if (p->in_mark) og_writer_string(p->h->w, "</mark>");
    p->in_mark = false;
}

static void open_paragraph(struct page *p)
{
    struct og_writer *w = p->h->w;
    if (!p->in_group) og_writer_string(w, "<div class=\"g\">");
    if (!p->in_group) p->group_len = 0;
    og_writer_string(w, p->continues ? "<p class=\"k\" dir=\"auto\">"
                                     : "<p dir=\"auto\">");
    p->in_group = p->in_paragraph = true;
    p->continues = false;
}

static void close_paragraph(struct page *p)
{
    if (!p->in_paragraph) return;
    close_mark(p);
    og_writer_string(p->h->w, "</p>\n");
    p->in_paragraph = false;
    p->paragraph_len = 0;
    if (p->group_len < GROUP_LEN) return;
    og_writer_string(p->h->w, "</div>\n");
    p->in_group = false;
}

/* ---- paragraphs ---- */

/* After the line end at `at` and the empty lines that follow it; `at` itself if
 * none does. */
static uint64_t skip_empty_lines(og_bytes text, uint64_t at)
{
    uint64_t after = at;
    for (uint64_t i = at + 1; i < text.len; i++) {
        const char c = text.data[i];
        if (c == '\n')
            after = i + 1;
        else if (c != ' ' && c != '\t' && c != '\r')
            break;
    }
    return after;
}

/* The end of what can be written at once: an empty line, a place to split, or
 * `end`. *out_next is where the text continues. */
static uint64_t find_stop(const struct page *p, uint64_t at, uint64_t end,
                          uint64_t *out_next, bool *out_cut)
{
    const og_bytes text = p->h->doc->text;
    size_t len = p->paragraph_len;
    *out_cut = false;
    for (uint64_t i = at; i < end;) {
        if (text.data[i] == '\n') {
            *out_next = skip_empty_lines(text, i);
            if (*out_next > i) return i;
        }
        const struct og_glyph g = og_glyph_at(text.data + i, text.len - i);
        i += g.len;
        len += g.len;
        if (len < LONGEST) continue;
        if (!og_glyph_is_space(g.code_point) && len < LONGEST + CUT_ROOM)
            continue;
        *out_cut = true;
        *out_next = i;
        return i < end ? i : end;
    }
    *out_next = end;
    return end;
}

static void put_piece(struct page *p, uint64_t begin, uint64_t end)
{
    struct og_writer *w = p->h->w;
    const og_answer *answer = p->h->answer;
    if (begin >= end) return;
    if (!p->in_paragraph) open_paragraph(p);
    if (p->span != NO_SPAN && !p->in_mark)
        open_mark(p, end == answer->spans[p->span].end);
    if (p->changed) og_writer_string(w, "<ins>");
    og_escape_html(w, (og_bytes){p->h->doc->text.data + begin, end - begin});
    if (p->changed) og_writer_string(w, "</ins>");
    p->paragraph_len += end - begin;
    p->group_len += end - begin;
}

/* After the empty lines at `at`: a paragraph does not begin with them. */
static uint64_t skip_to_line(og_bytes text, uint64_t at, uint64_t end)
{
    uint64_t line = at;
    for (uint64_t i = at; i < end; i++) {
        const char c = text.data[i];
        if (c == '\n')
            line = i + 1;
        else if (c != ' ' && c != '\t' && c != '\r')
            break;
    }
    return line;
}

/* All of the text passes through here, in order. */
static void put(struct page *p, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        uint64_t next;
        bool cut;
        if (!p->in_paragraph && !p->continues)
            begin = skip_to_line(p->h->doc->text, begin, end);
        const uint64_t stop = find_stop(p, begin, end, &next, &cut);
        put_piece(p, begin, stop);
        if (stop < end || cut) {
            p->continues = cut;
            close_paragraph(p);
        }
        begin = next;
    }
}

/* ---- passages ---- */

static bool is_gap(const char *text, uint64_t at, uint64_t end,
                   unsigned *out_len)
{
    const struct og_glyph g = og_glyph_at(text + at, end - at);
    *out_len = g.len;
    return og_char_class_of(g.code_point) == OG_CHAR_OTHER;
}

/* The words between two matches: spaces and punctuation at their ends do not
 * count as changes. */
static void put_changed(struct page *p, uint64_t begin, uint64_t end)
{
    const char *text = p->h->doc->text.data;
    uint64_t from = begin, to = end;
    unsigned len;
    while (from < to && is_gap(text, from, to, &len))
        from += len;
    while (to > from) {
        const uint64_t before = og_glyph_before(text, to);
        if (before < from || !is_gap(text, before, to, &len)) break;
        to = before;
    }
    put(p, begin, from);
    p->changed = true;
    put(p, from, to);
    p->changed = false;
    put(p, to, end);
}

static void put_span(struct page *p, size_t i, uint64_t from, uint64_t end)
{
    const og_span *span = &p->h->answer->spans[i];
    uint64_t at = from;
    p->span = i;
    p->span_shown = false;
    for (size_t k = 0; k < span->n_matches; k++) {
        const og_match *m = &span->matches[k];
        if (m->begin < at || m->end < m->begin || m->end > end) continue;
        put_changed(p, at, m->begin);
        put(p, m->begin, m->end);
        at = m->end;
    }
    if (span->n_matches != 0)
        put_changed(p, at, end);
    else
        put(p, at, end);
    close_mark(p);
    p->span = NO_SPAN;
}

void og_html_text(struct og_html_report *h)
{
    struct page p = {.h = h, .span = NO_SPAN};
    uint64_t at = 0;
    for (size_t i = 0; i < h->answer->n_spans; i++) {
        const og_span *span = &h->answer->spans[i];
        /* The answer may come from elsewhere: never reads past the text. */
        const uint64_t len = h->doc->text.len;
        const uint64_t end = span->end < len ? span->end : len;
        const uint64_t begin = span->begin < end ? span->begin : end;
        put(&p, at, begin);
        if (begin > at) at = begin;
        put_span(&p, i, at, end);
        if (end > at) at = end;
    }
    put(&p, at, h->doc->text.len);
    close_paragraph(&p);
    if (p.in_group) og_writer_string(h->w, "</div>\n");
}
