/* One function for each context of text; escape.h states the guarantees.
 *
 * All of them advance by characters and copy runs of harmless ones whole:
 * documents of many megabytes pass through here, and most of their text is
 * plain. */

#include "lib/report/escape.h"

#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const char hex_digits[] = "0123456789abcdef";

/* ---- JSON ---- */

static void write_code(struct og_writer *w, unsigned char c)
{
    og_writer_string(w, "\\u00");
    og_writer_byte(w, hex_digits[c >> 4]);
    og_writer_byte(w, hex_digits[c & 15]);
}

static void write_escape(struct og_writer *w, unsigned char c)
{
    const char *short_forms = "\bb\ff\nn\rr\tt\"\"\\\\";
    for (const char *s = short_forms; *s != '\0'; s += 2) {
        if ((unsigned char)s[0] != c) continue;
        og_writer_byte(w, '\\');
        og_writer_byte(w, s[1]);
        return;
    }
    write_code(w, c);
}

/* Contexts in which a character is special. */
enum { IN_JSON = 1, IN_SCRIPT = 2, IN_MARKUP = 4 };

static const uint8_t special[128] = {
    ['"'] = IN_JSON | IN_SCRIPT | IN_MARKUP, ['\\'] = IN_JSON | IN_SCRIPT,
    ['<'] = IN_SCRIPT | IN_MARKUP,           ['>'] = IN_SCRIPT | IN_MARKUP,
    ['&'] = IN_SCRIPT | IN_MARKUP,           ['\''] = IN_MARKUP,
};

/* The number of bytes from `from` on that are ASCII and not special. */
static size_t plain_run(og_bytes s, size_t from, unsigned where)
{
    size_t i = from;
    while (i < s.len) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c < 0x20 || c >= 0x7f || (special[c] & where) != 0) break;
        i++;
    }
    return i - from;
}

static void write_json(struct og_writer *w, og_bytes s, unsigned where)
{
    og_writer_byte(w, '"');
    for (size_t i = 0; i < s.len;) {
        const size_t run = plain_run(s, i, where);
        og_writer_bytes(w, s.data + i, run);
        if ((i += run) == s.len) break;
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        if (!g.valid)
            og_writer_string(w, REPLACEMENT);
        else if (g.code_point < 0x80)
            write_escape(w, (unsigned char)g.code_point);
        else
            og_writer_bytes(w, s.data + i, g.len);
        i += g.len;
    }
    og_writer_byte(w, '"');
}

void og_escape_json(struct og_writer *w, og_bytes s)
{
    write_json(w, s, IN_JSON);
}

void og_escape_script(struct og_writer *w, og_bytes s)
{
    write_json(w, s, IN_SCRIPT);
}

/* ---- XML ---- */

static bool is_xml(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' ||
           (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

static const char *entity_of(uint32_t c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\r': return "&#13;";
    default: return NULL;
    }
}

static void write_xml(struct og_writer *w, og_bytes s, bool attribute)
{
    for (size_t i = 0; i < s.len;) {
        const size_t run = plain_run(s, i, IN_MARKUP);
        og_writer_bytes(w, s.data + i, run);
        if ((i += run) == s.len) break;
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        const uint32_t c = g.code_point;
        const char *entity = entity_of(c);
        if (attribute && c == '\t') entity = "&#9;";
        if (attribute && c == '\n') entity = "&#10;";
        if (!g.valid || !is_xml(c))
            og_writer_string(w, REPLACEMENT);
        else if (entity != NULL)
            og_writer_string(w, entity);
        else
            og_writer_bytes(w, s.data + i, g.len);
        i += g.len;
    }
}

void og_escape_xml(struct og_writer *w, og_bytes s)
{
    write_xml(w, s, false);
}

void og_escape_attribute(struct og_writer *w, og_bytes s)
{
    write_xml(w, s, true);
}

/* ---- HTML ---- */

static void write_mark(struct og_writer *w, uint32_t c)
{
    char name[16];
    snprintf(name, sizeof(name), "U+%04X", (unsigned)c);
    og_writer_string(w, "<span class=\"u\">");
    og_writer_string(w, name);
    og_writer_string(w, "</span>");
}

/* Returns the number of bytes consumed: a CR LF is one line end. */
static size_t write_html(struct og_writer *w, og_bytes s, size_t i)
{
    const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
    const uint32_t c = g.code_point;
    const char *entity = entity_of(c);
    if (!g.valid)
        og_writer_string(w, REPLACEMENT);
    else if (c == '\t' || c == '\n')
        og_writer_byte(w, (char)c);
    else if (c == '\r')
        og_writer_byte(w, '\n');
    else if (entity != NULL)
        og_writer_string(w, entity);
    else if (og_glyph_is_hidden(c))
        write_mark(w, c);
    else
        og_writer_bytes(w, s.data + i, g.len);
    const bool pair = c == '\r' && i + 1 < s.len && s.data[i + 1] == '\n';
    return pair ? 2 : g.len;
}

void og_escape_html(struct og_writer *w, og_bytes s)
{
    for (size_t i = 0; i < s.len;) {
        const size_t run = plain_run(s, i, IN_MARKUP);
        og_writer_bytes(w, s.data + i, run);
        if ((i += run) == s.len) break;
        i += write_html(w, s, i);
    }
}

/* ---- fields and addresses ---- */

void og_escape_tsv(struct og_writer *w, og_bytes s)
{
    for (size_t i = 0; i < s.len;) {
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        const uint32_t c = g.code_point;
        if (!g.valid)
            og_writer_string(w, REPLACEMENT);
        else if (c < 0x20 || c == '\\' || c == 0x7f)
            write_code(w, (unsigned char)c);
        else
            og_writer_bytes(w, s.data + i, g.len);
        i += g.len;
    }
}

static bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

void og_escape_address(struct og_writer *w, og_bytes s)
{
    static const char upper[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (is_unreserved(c)) {
            og_writer_byte(w, (char)c);
            continue;
        }
        og_writer_byte(w, '%');
        og_writer_byte(w, upper[c >> 4]);
        og_writer_byte(w, upper[c & 15]);
    }
}
