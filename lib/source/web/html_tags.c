#include "lib/source/web/html_tags.h"

#include <string.h>
#include <strings.h>

bool og_html_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *find_byte(const char *p, const char *end, char c)
{
    const char *const found = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return found == NULL ? end : found;
}

static const char *find_text(const char *p, const char *end, const char *text)
{
    const size_t len = strlen(text);
    for (; (p = find_byte(p, end, text[0])) < end; p++)
        if ((size_t)(end - p) >= len && memcmp(p, text, len) == 0) return p;
    return end;
}

/* ---- comments and declarations ---- */

/* The end of the comment that begins at "<!--". */
static const char *skip_comment(const char *p, const char *end)
{
    p += 4;
    if (p < end && *p == '>') return p + 1;
    if (end - p >= 2 && memcmp(p, "->", 2) == 0) return p + 2;
    for (; (p = find_text(p, end, "--")) < end; p++) {
        if (end - p >= 3 && p[2] == '>') return p + 3;
        if (end - p >= 4 && memcmp(p, "--!>", 4) == 0) return p + 4;
    }
    return end;
}

static const char *skip_declaration(const char *p, const char *end)
{
    p = find_byte(p, end, '>');
    return p < end ? p + 1 : end;
}

/* ---- attributes ---- */

static const char *skip_spaces(const char *p, const char *end)
{
    while (p < end && og_html_is_space(*p))
        p++;
    return p;
}

/* From the byte after '='. */
static const char *take_value(const char *p, const char *end, og_bytes *out)
{
    p = skip_spaces(p, end);
    if (p < end && (*p == '"' || *p == '\'')) {
        const char *const close = find_byte(p + 1, end, *p);
        *out = (og_bytes){p + 1, (size_t)(close - p - 1)};
        return close < end ? close + 1 : end;
    }
    const char *const begin = p;
    while (p < end && *p != '>' && !og_html_is_space(*p))
        p++;
    *out = (og_bytes){begin, (size_t)(p - begin)};
    return p;
}

bool og_html_next_attribute(const char **at, const char *end,
                            struct og_html_attribute *out)
{
    const char *p = *at;
    while (p < end && (og_html_is_space(*p) || *p == '/'))
        p++;
    *at = p;
    if (p == end || *p == '>') return false;
    const char *const begin = p++; /* a leading '=' is part of the name */
    while (p < end && !og_html_is_space(*p) && *p != '/' && *p != '>' &&
           *p != '=')
        p++;
    out->name = (og_bytes){begin, (size_t)(p - begin)};
    out->value = (og_bytes){p, 0};
    const char *const sign = skip_spaces(p, end);
    if (sign < end && *sign == '=') p = take_value(sign + 1, end, &out->value);
    out->source = (og_bytes){begin, (size_t)(p - begin)};
    *at = p;
    return true;
}

/* ---- tags ---- */

static enum og_html_markup take_tag(const char *name, const char *end,
                                    struct og_html_tag *tag,
                                    const char **out_end)
{
    struct og_html_attribute attribute;
    const char *p = name;
    tag->hash = 2166136261u;
    for (; p < end && !og_html_is_space(*p) && *p != '>' && *p != '/'; p++)
        tag->hash = (tag->hash ^ (unsigned char)(*p | 0x20)) * 16777619u;
    tag->spelling = (og_bytes){name, (size_t)(p - name)};
    tag->name = gumbo_tagn_enum(name, (unsigned)(p - name));
    tag->attributes = p;
    while (og_html_next_attribute(&p, end, &attribute)) {
    }
    *out_end = tag->end = p < end ? p + 1 : end;
    return p < end ? OG_HTML_TAG : OG_HTML_COMMENT;
}

enum og_html_markup og_html_markup_at(const char *p, const char *end,
                                      struct og_html_tag *tag,
                                      const char **out_end)
{
    const size_t left = (size_t)(end - p);
    const bool is_end = left > 2 && p[1] == '/';
    const char *const name = p + 1 + is_end;
    if (left >= 4 && memcmp(p, "<!--", 4) == 0) {
        *out_end = skip_comment(p, end);
        return OG_HTML_COMMENT;
    }
    if (left > 2 && p[1] == '!' && (p[2] | 0x20) == 'd') {
        *out_end = skip_declaration(p, end);
        return OG_HTML_DECLARATION;
    }
    if (left > 1 && (p[1] == '!' || p[1] == '?' ||
                     (is_end && name < end && !is_letter(*name)))) {
        *out_end = skip_declaration(p, end);
        return OG_HTML_COMMENT;
    }
    if (name >= end || !is_letter(*name)) {
        *out_end = p + 1;
        return OG_HTML_TEXT;
    }
    tag->begin = p;
    tag->is_end = is_end;
    return take_tag(name, end, tag, out_end);
}

const char *og_html_skip_raw(const struct og_html_tag *tag, const char *end)
{
    const size_t len = tag->spelling.len;
    for (const char *p = tag->end; (p = find_text(p, end, "</")) < end; p += 2)
        if ((size_t)(end - p) > len + 2 &&
            strncasecmp(p + 2, tag->spelling.data, len) == 0 &&
            !is_letter(p[2 + len]))
            return p;
    return end;
}
