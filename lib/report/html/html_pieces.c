/* What the report pages have in common: the head with its policy, and small
 * pieces of a sentence about a document. */

#include "lib/report/html/html_pieces.h"
#include "lib/report/escape.h"
#include "lib/report/html/page_files.h"

#include <string.h>

/* ---- small pieces ---- */

/* At most `most` bytes, whole characters, and to the end of a word if one is
 * near. */
og_bytes og_html_shorten(og_bytes s, size_t most)
{
    if (s.len <= most) return s;
    size_t end = 0;
    while (end < s.len && end < most + 24) {
        const struct og_glyph g = og_glyph_at(s.data + end, s.len - end);
        if (end + g.len > most && og_glyph_is_space(g.code_point)) break;
        end += g.len;
    }
    return (og_bytes){s.data, end};
}

void og_html_short(struct og_writer *w, og_bytes s, size_t most)
{
    const og_bytes shown = og_html_shorten(s, most);
    og_escape_html(w, shown);
    if (shown.len < s.len) og_writer_string(w, " …");
}

void og_html_percent(struct og_writer *w, uint64_t part, uint64_t whole)
{
    const unsigned tenths = (unsigned)(og_share(part, whole) * 1000 + 0.5);
    og_writer_number(w, tenths / 10);
    og_writer_byte(w, '.');
    og_writer_byte(w, (char)('0' + tenths % 10));
    og_writer_string(w, " %");
}

unsigned og_html_whole_percent(uint64_t part, uint64_t whole)
{
    if (whole == 0 || part == 0) return 0;
    if (part >= whole) return 100;
    const unsigned percent = (unsigned)(og_share(part, whole) * 100 + 0.5);
    return percent < 1 ? 1 : percent > 99 ? 99 : percent;
}

void og_html_count(struct og_writer *w, uint64_t n, const char *one,
                   const char *many)
{
    og_writer_number(w, n);
    og_writer_byte(w, ' ');
    og_writer_string(w, n == 1 ? one : many);
}

void og_html_time(struct og_writer *w, int64_t time)
{
    char text[40];
    og_time_format(time, text);
    og_writer_string(w, "<time datetime=\"");
    og_writer_string(w, text);
    og_writer_string(w, "\">");
    og_writer_bytes(w, text, 10); /* the date */
    og_writer_string(w, "</time>");
}

static bool is_link(og_bytes url)
{
    return (url.len > 8 && memcmp(url.data, "https://", 8) == 0) ||
           (url.len > 7 && memcmp(url.data, "http://", 7) == 0);
}

void og_html_url(struct og_writer *w, og_bytes url)
{
    if (url.len == 0) return;
    if (!is_link(url)) {
        og_writer_string(w, "<bdi class=\"url\">");
        og_html_short(w, url, OG_HTML_TITLE_LEN);
        og_writer_string(w, "</bdi>");
        return;
    }
    og_writer_string(w, "<a class=\"url\" rel=\"noopener noreferrer\" href=\"");
    og_escape_attribute(w, url);
    og_writer_string(w, "\"><bdi>");
    og_html_short(w, url, 60);
    og_writer_string(w, "</bdi></a>");
}

/* ---- the head of a page ---- */

static void write_policy(struct og_writer *w, bool has_script)
{
    og_writer_string(w, "<meta http-equiv=\"Content-Security-Policy\" "
                        "content=\"default-src 'none'; style-src 'sha256-");
    og_writer_string(w, og_page_style_hash);
    if (has_script) {
        og_writer_string(w, "'; script-src 'sha256-");
        og_writer_string(w, og_page_script_hash);
    }
    og_writer_string(w, "'; base-uri 'none'; form-action 'none'\">\n");
}

/* A title contains no markup, so hidden characters become U+FFFD. */
static void put_title(struct og_writer *w, og_bytes s)
{
    for (size_t i = 0; i < s.len;) {
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        if (og_glyph_is_hidden(g.code_point))
            og_writer_string(w, "\xef\xbf\xbd");
        else
            og_escape_xml(w, (og_bytes){s.data + i, g.len});
        i += g.len;
    }
}

void og_html_head(struct og_writer *w, og_bytes title, bool has_script)
{
    og_writer_string(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n");
    write_policy(w, has_script);
    og_writer_string(w, "<meta name=\"viewport\" "
                        "content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        "<meta name=\"referrer\" content=\"no-referrer\">\n"
                        "<meta name=\"generator\" content=\"origo\">\n<title>");
    put_title(w, og_html_shorten(title, OG_HTML_TITLE_LEN));
    og_writer_string(w, "</title>\n<style>");
    og_writer_bytes(w, og_page_style, og_page_style_len);
    og_writer_string(w, "</style>\n</head>\n<body>\n<main>\n");
}
