/* The cover of a report of several parts; see page_tally.h. */

#include "lib/report/html/page_tally.h"
#include "lib/report/escape.h"
#include "lib/report/html/html_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static unsigned bin_of(uint64_t part, uint64_t whole)
{
    const unsigned percent = og_html_whole_percent(part, whole);
    return (percent + 9) / 10;
}

static void count(struct og_tally_part *p, const struct og_web_page_row *row)
{
    const og_document *doc = row->doc;
    if (p->n_documents++ == 0) {
        p->first = INT64_MAX;
        p->last = INT64_MIN;
    }
    p->n_copying += row->n_copied != 0;
    p->n_units += row->n_units;
    p->n_copied += row->n_copied;
    if (!doc->has_time) return;
    if (doc->time < p->first) p->first = doc->time;
    if (doc->time > p->last) p->last = doc->time;
}

/* The list stays sorted, most copied first; equal ones in order of arrival. */
static void release_title(struct og_tally_top *top)
{
    og_release(NULL, top->title, top->title_len + 1);
}

static void rank(struct og_tally *t, const struct og_web_page_row *row,
                 uint64_t number)
{
    size_t at = t->n_top;
    while (at > 0 && t->top[at - 1].n_copied < row->n_copied)
        at--;
    if (at == OG_TALLY_TOP || row->n_copied == 0) return;
    const og_document *doc = row->doc;
    const og_bytes title = og_html_shorten(
        doc->title.len != 0 ? doc->title : doc->id, OG_HTML_TITLE_LEN);
    char *copy = og_allocate(NULL, title.len + 1);
    if (copy == NULL) return;
    memcpy(copy, title.data, title.len);
    if (t->n_top == OG_TALLY_TOP) release_title(&t->top[--t->n_top]);
    memmove(t->top + at + 1, t->top + at, (t->n_top - at) * sizeof(*t->top));
    t->n_top++;
    t->top[at] = (struct og_tally_top){
        row->n_units, row->n_copied, t->n_parts + 1, number, copy, title.len};
}

void og_tally_add(struct og_tally *t, const struct og_web_page_row *row,
                  uint64_t number)
{
    count(&t->part, row);
    t->bins[bin_of(row->n_copied, row->n_units)]++;
    rank(t, row, number);
}

void og_tally_end_part(struct og_tally *t)
{
    if (!OG_GROW(NULL, t->parts, t->parts_cap, t->n_parts + 1)) {
        t->failed = true;
        return;
    }
    t->parts[t->n_parts++] = t->part;
    memset(&t->part, 0, sizeof(t->part));
}

void og_tally_release(struct og_tally *t)
{
    for (size_t i = 0; i < t->n_top; i++)
        release_title(&t->top[i]);
    OG_UNGROW(NULL, t->parts, t->parts_cap);
    memset(t, 0, sizeof(*t));
}

/* ---- writing ---- */

static void write_link(struct og_writer *w, const char *name, uint64_t part,
                       uint64_t number)
{
    og_writer_string(w, "<a href=\"");
    og_escape_address(w, (og_bytes){name, strlen(name)});
    og_writer_string(w, ".parts/");
    og_writer_number(w, part);
    og_writer_string(w, ".html");
    if (number != 0) og_writer_string(w, "#d");
    if (number != 0) og_writer_number(w, number);
    og_writer_string(w, "\">");
}

static void write_totals(const struct og_tally *t, struct og_writer *w,
                         const char *unit)
{
    struct og_tally_part all = {0};
    for (size_t i = 0; i < t->n_parts; i++) {
        all.n_documents += t->parts[i].n_documents;
        all.n_copying += t->parts[i].n_copying;
        all.n_units += t->parts[i].n_units;
        all.n_copied += t->parts[i].n_copied;
    }
    og_writer_string(w, "<h1>");
    og_html_count(w, all.n_documents, "document", "documents");
    og_writer_string(w, ", ");
    og_writer_number(w, all.n_copying);
    og_writer_string(w, " with copies</h1>\n<p>");
    og_html_percent(w, all.n_copied, all.n_units);
    og_writer_string(w, " of all ");
    og_writer_string(w, unit);
    og_writer_string(w, "s are copied.</p>\n");
}

static void write_date(struct og_writer *w, int64_t time, bool known)
{
    og_writer_string(w, "<td>");
    if (known) og_html_time(w, time);
    og_writer_string(w, "</td>");
}

static void write_parts(const struct og_tally *t, struct og_writer *w,
                        const char *name)
{
    og_writer_string(w, "<h2>Parts</h2>\n<table class=\"cover\"><thead><tr>"
                        "<th scope=\"col\">Part</th>"
                        "<th scope=\"col\">Documents</th>"
                        "<th scope=\"col\">With copies</th>"
                        "<th scope=\"col\">From</th><th scope=\"col\">To</th>"
                        "</tr></thead><tbody>\n");
    for (size_t i = 0; i < t->n_parts; i++) {
        const struct og_tally_part *p = &t->parts[i];
        og_writer_string(w, "<tr><th scope=\"row\">");
        write_link(w, name, i + 1, 0);
        og_writer_number(w, i + 1);
        og_writer_string(w, "</a></th><td>");
        og_writer_number(w, p->n_documents);
        og_writer_string(w, "</td><td>");
        og_writer_number(w, p->n_copying);
        og_writer_string(w, "</td>");
        write_date(w, p->first, p->first <= p->last);
        write_date(w, p->last, p->first <= p->last);
        og_writer_string(w, "</tr>\n");
    }
    og_writer_string(w, "</tbody></table>\n");
}

static void write_bins(const struct og_tally *t, struct og_writer *w)
{
    og_writer_string(w, "<h2>How much of them is copied</h2>\n"
                        "<table class=\"cover\"><thead><tr>"
                        "<th scope=\"col\">Share</th>"
                        "<th scope=\"col\">Documents</th></tr></thead>"
                        "<tbody>\n<tr><th scope=\"row\">nothing</th><td>");
    og_writer_number(w, t->bins[0]);
    og_writer_string(w, "</td></tr>\n");
    for (unsigned i = 1; i < OG_TALLY_BINS; i++) {
        og_writer_string(w, "<tr><th scope=\"row\">up to ");
        og_writer_number(w, 10 * i);
        og_writer_string(w, " %</th><td>");
        og_writer_number(w, t->bins[i]);
        og_writer_string(w, "</td></tr>\n");
    }
    og_writer_string(w, "</tbody></table>\n");
}

static void write_top(const struct og_tally *t, struct og_writer *w,
                      const char *unit, const char *name)
{
    og_writer_string(w, "<h2>Documents that copied most</h2>\n"
                        "<table class=\"cover\"><thead><tr>"
                        "<th scope=\"col\">Document</th>"
                        "<th scope=\"col\">Copied ");
    og_writer_string(w, unit);
    og_writer_string(w, "s</th><th scope=\"col\">Share</th></tr></thead>"
                        "<tbody>\n");
    for (size_t i = 0; i < t->n_top; i++) {
        const struct og_tally_top *top = &t->top[i];
        og_writer_string(w, "<tr><th scope=\"row\">");
        write_link(w, name, top->part, top->number);
        og_html_short(w, (og_bytes){top->title, top->title_len},
                      OG_HTML_TITLE_LEN);
        og_writer_string(w, "</a></th><td>");
        og_writer_number(w, top->n_copied);
        og_writer_string(w, "</td><td>");
        og_html_percent(w, top->n_copied, top->n_units);
        og_writer_string(w, "</td></tr>\n");
    }
    og_writer_string(w, "</tbody></table>\n");
}

void og_tally_write(const struct og_tally *t, struct og_writer *w,
                    const char *unit, const char *name)
{
    if (t->failed) w->failed_errno = ENOMEM;
    write_totals(t, w, unit);
    write_parts(t, w, name);
    write_top(t, w, unit, name);
    write_bins(t, w);
}
