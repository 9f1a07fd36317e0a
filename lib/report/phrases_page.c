/* Repeated passages as one page without scripts, to be passed on to others.
 * Nothing from a document becomes markup, and the page's policy lets a browser
 * load nothing. */

#include "lib/report/escape.h"
#include "lib/report/phrases_forms.h"

enum { MOST_TEXT = 4000, MOST_BARS = 120, BAR_HEIGHT = 24 };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Repeated passages</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
    "padding:0 1rem}\n"
    "article{border-top:1px solid #8888;padding:.5rem 0}\n"
    "h2{font-size:1rem;margin:.5rem 0}\n"
    "blockquote{margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;overflow-wrap:anywhere}\n"
    "th,td{text-align:left;padding:.1rem 1rem .1rem 0;vertical-align:top}\n"
    "td.n{text-align:right;white-space:nowrap}\n"
    "svg{display:block;fill:currentColor}\n"
    ".u{opacity:.6}\n"
    "</style></head><body><main>\n<h1>Repeated passages</h1>\n";

static void put_number(struct og_writer *w, const char *before, uint64_t n,
                       const char *after)
{
    og_writer_string(w, before);
    og_writer_number(w, n);
    og_writer_string(w, after);
}

static void put_time(struct og_writer *w, bool has_time, int64_t time,
                     og_time_source source)
{
    char form[40];
    if (!has_time) return;
    og_time_format(time, form);
    og_writer_string(w, ", <time>");
    og_writer_bytes(w, form, 10);
    og_writer_string(w,
                     source == OG_TIME_FILE ? "</time> (a guess)" : "</time>");
}

/* The counts as bars, with a text alternative for each. */
static void put_growth(struct og_writer *w, const og_phrases *p,
                       const uint64_t *growth)
{
    uint64_t most = 1;
    const size_t n = p->n_periods < MOST_BARS ? p->n_periods : MOST_BARS;
    const size_t from = p->n_periods - n; /* the latest ones */
    for (size_t i = 0; i < n; i++)
        if (growth[from + i] > most) most = growth[from + i];
    if (n == 0) return;
    put_number(w, "<svg role=\"img\" width=\"", n * 10, "\"");
    put_number(w, " height=\"", BAR_HEIGHT, "\" aria-label=\"documents by ");
    og_writer_string(w, p->period == OG_PERIOD_PARTS
                            ? "tenth of the stream"
                            : og_period_name(p->period));
    for (size_t i = 0; i < n; i++)
        put_number(w, i == 0 ? ": " : ", ", growth[from + i], "");
    og_writer_string(w, "\">");
    for (size_t i = 0; i < n; i++) {
        const uint64_t height = growth[from + i] * BAR_HEIGHT / most;
        put_number(w, "<rect width=\"8\" x=\"", i * 10, "\"");
        put_number(w, " y=\"", BAR_HEIGHT - height, "\"");
        put_number(w, " height=\"", height, "\"/>");
    }
    og_writer_string(w, "</svg>");
}

static void put_phrase(struct og_writer *w, const og_phrases *p,
                       const og_phrase *phrase)
{
    og_bytes text = phrase->text;
    put_number(w, "<article><h2>", phrase->n_documents, " documents, ");
    put_number(w, "", phrase->n_tokens, " tokens</h2>\n<p>first in ");
    og_escape_html(w, phrase->first.id);
    put_time(w, phrase->first.has_time, phrase->first.time,
             phrase->first.time_source);
    og_writer_string(w, "</p>");
    put_growth(w, p, phrase->growth);
    if (text.len > MOST_TEXT)
        text.len = og_glyph_before(phrase->text.data, MOST_TEXT);
    og_writer_string(w, "<blockquote>");
    og_escape_html(w, text);
    og_writer_string(w, text.len < phrase->text.len
                            ? " ...</blockquote></article>\n"
                            : "</blockquote></article>\n");
}

static void put_documents(struct og_writer *w, const og_phrases *p)
{
    if (p->n_documents_listed == 0) return;
    put_number(w, "<h2>Documents made of them (", p->n_made,
               " by half or more)</h2>\n<table><tr><th>share<th>tokens"
               "<th>passages<th>document\n");
    for (size_t i = 0; i < p->n_documents_listed; i++) {
        const og_phrase_document *d = &p->documents[i];
        og_writer_string(w, "<tr><td class=\"n\">");
        og_writer_share(w, (double)d->n_covered / (double)d->n_tokens);
        put_number(w, "<td class=\"n\">", d->n_tokens, "");
        put_number(w, "<td class=\"n\">", d->n_phrases, "<td>");
        og_escape_html(w, d->id);
        put_time(w, d->has_time, d->time, d->time_source);
        og_writer_byte(w, '\n');
    }
    og_writer_string(w, "</table>\n");
}

static void put_sources(struct og_writer *w, const og_phrases *p)
{
    if (p->n_sources == 0) return;
    og_writer_string(w, "<h2>Sources that copy most</h2>\n<table><tr>"
                        "<th>tokens<th>copies<th>documents<th>source\n");
    for (size_t i = 0; i < p->n_sources; i++) {
        const og_phrase_source *s = &p->sources[i];
        put_number(w, "<tr><td class=\"n\">", s->n_tokens, "");
        put_number(w, "<td class=\"n\">", s->n_copies, "");
        put_number(w, "<td class=\"n\">", s->n_documents, "<td>");
        og_escape_html(w, s->name);
        og_writer_byte(w, '\n');
    }
    og_writer_string(w, "</table>\n");
}

void og_phrases_as_page(struct og_writer *w, const og_phrases *p)
{
    og_writer_string(w, head);
    put_number(w, "<p>", p->n_documents, " documents, ");
    put_number(w, "", p->n_tokens, " tokens; ");
    put_number(w, "passages of ", p->min_tokens, " tokens or more ");
    put_number(w, "in ", p->min_documents, " documents or more.");
    if (p->n_more != 0)
        put_number(w, " The limit left ", p->n_more, " of them out.");
    if (p->complete_above >= p->min_documents)
        put_number(w, " Some that are in ", p->complete_above,
                   " documents or fewer may be missing.");
    og_writer_string(w, "</p>\n");
    for (size_t i = 0; i < p->n_phrases; i++)
        put_phrase(w, p, &p->phrases[i]);
    put_documents(w, p);
    put_sources(w, p);
    og_writer_string(w, "</main></body></html>\n");
}
