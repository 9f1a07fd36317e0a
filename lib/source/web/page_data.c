#include "lib/source/web/page_data.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* At a quote: *out is the content, the result is after the closing quote. */
static const char *take_string(const char *p, const char *end, og_bytes *out)
{
    const char *const begin = ++p;
    while (p < end && *p != '"')
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    *out = (og_bytes){begin, (size_t)(p - begin)};
    return p < end ? p + 1 : end;
}

/* ---- escapes ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits after \u; -1: not digits. */
static int take_unit(const char *p, const char *end)
{
    int value = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_value(p[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_character(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* From after \u; an unpaired surrogate is dropped, as is a zero. */
static const char *unescape_unit(const char *p, const char *end, char **to)
{
    const int first = take_unit(p, end);
    if (first < 0) return p;
    p += 4;
    uint32_t c = (uint32_t)first;
    if (first >= 0xd800 && first < 0xdc00 && end - p >= 6 && p[0] == '\\' &&
        p[1] == 'u') {
        const int second = take_unit(p + 2, end);
        if (second >= 0xdc00 && second < 0xe000) {
            c = 0x10000 + (c - 0xd800) * 0x400 + (uint32_t)second - 0xdc00;
            p += 6;
        }
    }
    if (c != 0 && (c < 0xd800 || c >= 0xe000)) *to = put_character(*to, c);
    return p;
}

/* No longer than the source. */
static char *unescape(char *to, og_bytes s)
{
    const char *p = s.data;
    const char *const end = p + s.len;
    while (p < end) {
        if (*p != '\\' || end - p < 2) {
            *to++ = *p++;
            continue;
        }
        const char c = p[1];
        p += 2;
        if (c == 'u')
            p = unescape_unit(p, end, &to);
        else
            *to++ = (char)(c == 'n'                           ? '\n'
                           : c == 't'                         ? '\t'
                           : c == 'r' || c == 'b' || c == 'f' ? ' '
                                                              : c);
    }
    return to;
}

static bool keep(og_bytes *field, og_bytes value, struct og_bump *bump)
{
    if (field->len > 0 || value.len == 0) return true;
    char *const copy = og_bump_take(bump, value.len + 1);
    if (copy == NULL) return false;
    char *const copy_end = unescape(copy, value);
    *copy_end = 0;
    *field = (og_bytes){copy, (size_t)(copy_end - copy)};
    return true;
}

/* ---- the whole ---- */

static og_bytes *field_of(struct og_page_data *data, og_bytes key)
{
    const struct {
        const char *key;
        og_bytes *field;
    } fields[] = {
        {"headline", &data->headline},     {"datePublished", &data->published},
        {"dateCreated", &data->created},   {"uploadDate", &data->created},
        {"publishedAt", &data->created},   {"published_at", &data->created},
        {"publishDate", &data->created},   {"publicationDate", &data->created},
        {"createdAt", &data->created},     {"created_at", &data->created},
        {"dateModified", &data->modified}, {"articleBody", &data->body},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (key.len == strlen(fields[i].key) &&
            memcmp(key.data, fields[i].key, key.len) == 0)
            return fields[i].field;
    return NULL;
}

bool og_page_data_read(struct og_page_data *data, og_bytes script,
                       struct og_bump *bump)
{
    const char *p = script.data;
    const char *const end = p + script.len;
    og_bytes key, value;
    while (p < end && (p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        p = take_string(p, end, &key);
        while (p < end && is_space(*p))
            p++;
        if (p == end || *p != ':') continue;
        p++;
        while (p < end && is_space(*p))
            p++;
        if (p == end || *p != '"') continue;
        p = take_string(p, end, &value);
        og_bytes *const field = field_of(data, key);
        if (field != NULL && !keep(field, value, bump)) return false;
    }
    return true;
}
