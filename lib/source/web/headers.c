#define _GNU_SOURCE /* memmem */
#include "lib/source/web/headers.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

og_bytes og_trim(og_bytes s)
{
    while (s.len > 0 && is_blank(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && is_blank(s.data[s.len - 1]))
        s.len--;
    return s;
}

bool og_begins_with(og_bytes s, const char *prefix)
{
    const size_t len = strlen(prefix);
    return s.len >= len && strncasecmp(s.data, prefix, len) == 0;
}

bool og_next_line(og_bytes data, size_t *pos, og_bytes *out)
{
    if (*pos >= data.len) return false;
    const char *const begin = data.data + *pos;
    const char *const newline = memchr(begin, '\n', data.len - *pos);
    const size_t len =
        newline == NULL ? data.len - *pos : (size_t)(newline - begin);
    *out = (og_bytes){begin, len};
    *pos += newline == NULL ? len : len + 1;
    if (out->len > 0 && out->data[out->len - 1] == '\r') out->len--;
    return true;
}

size_t og_headers_len(og_bytes data)
{
    size_t pos = 0;
    og_bytes line;
    if (data.len > OG_HEADERS_MAX) data.len = OG_HEADERS_MAX;
    while (og_next_line(data, &pos, &line))
        if (line.len == 0) return pos;
    return 0;
}

/* The end of the value: lines that begin with space belong to it. */
static size_t value_end(og_bytes headers, size_t pos)
{
    og_bytes line;
    size_t next = pos;
    while (next < headers.len &&
           (headers.data[next] == ' ' || headers.data[next] == '\t') &&
           og_next_line(headers, &next, &line) && og_trim(line).len > 0)
        pos = next;
    return pos;
}

og_bytes og_headers_find(og_bytes headers, const char *name)
{
    const size_t name_len = strlen(name);
    size_t pos = 0;
    og_bytes line;
    while (og_next_line(headers, &pos, &line)) {
        if (line.len <= name_len || line.data[name_len] != ':' ||
            strncasecmp(line.data, name, name_len) != 0)
            continue;
        const char *const begin = line.data + name_len + 1;
        const size_t end = value_end(headers, pos);
        return og_trim((og_bytes){begin, (size_t)(headers.data + end - begin)});
    }
    return (og_bytes){"", 0};
}

/* After the next ';' outside quotes. */
static size_t next_parameter(og_bytes s, size_t pos)
{
    bool is_quoted = false;
    for (; pos < s.len; pos++) {
        if (s.data[pos] == '"') is_quoted = !is_quoted;
        if (s.data[pos] == ';' && !is_quoted) return pos + 1;
    }
    return s.len;
}

og_bytes og_header_parameter(og_bytes value, const char *name)
{
    const size_t name_len = strlen(name);
    for (size_t pos = next_parameter(value, 0); pos < value.len;
         pos = next_parameter(value, pos)) {
        og_bytes s = {value.data + pos, value.len - pos};
        s = og_trim(s);
        if (!og_begins_with(s, name)) continue;
        s.data += name_len;
        s.len -= name_len;
        s = og_trim(s);
        if (s.len == 0 || s.data[0] != '=') continue;
        s.data++;
        s.len--;
        s = og_trim(s);
        const bool is_quoted = s.len > 0 && s.data[0] == '"';
        if (is_quoted) {
            s.data++;
            s.len--;
        }
        size_t len = 0;
        while (len < s.len &&
               strchr(is_quoted ? "\"" : "; \t\r\n", s.data[len]) == NULL)
            len++;
        return (og_bytes){s.data, len};
    }
    return (og_bytes){"", 0};
}

bool og_parse_length(og_bytes s, uint64_t *out)
{
    uint64_t value = 0;
    if (s.len == 0 || s.len > 19) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') return false;
        value = value * 10 + (uint64_t)(s.data[i] - '0');
    }
    *out = value;
    return true;
}
