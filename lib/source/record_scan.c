#include "lib/source/record_scan.h"

#include <string.h>

#include "lib/source/json/scan_bytes.h"

/* Advances past the closing quote of a string; false: it is not in `data`. */
static bool leave_string(og_bytes data, struct og_record_scan *s)
{
    const struct og_scan_kernels *const k = og_scan_kernels_of(og_cpu_level());
    const char *const end = data.data + data.len;
    const char *p = data.data + s->at;
    for (;;) {
        if (p < end && s->is_escaped)
            p++;
        else if (p == end && s->is_escaped)
            break;
        s->is_escaped = false;
        p = k->find_special(p, end);
        if (p == end) break;
        const char c = *p++;
        s->is_escaped = c == '\\';
        if (c != '"') continue;
        s->in_string = false;
        break;
    }
    s->at = (size_t)(p - data.data);
    return !s->in_string;
}

static bool scan_json(og_bytes data, struct og_record_scan *s, size_t *out_end)
{
    while (s->at < data.len) {
        if (s->in_string && !leave_string(data, s)) return false;
        if (s->at == data.len) return false;
        switch (data.data[s->at++]) {
        case '"': s->in_string = true; break;
        case '{':
        case '[':
            /* The bracket around all records is not part of one. */
            if (!s->is_inside) s->begin = s->at - 1;
            if (s->is_inside || data.data[s->at - 1] == '{') s->depth++;
            s->is_inside = s->depth > 0;
            break;
        case '}':
        case ']':
            if (s->depth > 0) s->depth--;
            if (s->depth > 0 || !s->is_inside) break;
            *out_end = s->at;
            *s = (struct og_record_scan){.at = s->at, .begin = s->begin};
            return true;
        default: break;
        }
    }
    return false;
}

/* A quote opens a field only at its beginning; inside, two quotes are one.
 * After the closing quote anything is accepted and taken literally. */
static bool scan_csv(char delimiter, og_bytes data, struct og_record_scan *s,
                     size_t *out_end)
{
    while (s->at < data.len) {
        if (s->in_string) {
            const char *const quote =
                memchr(data.data + s->at, '"', data.len - s->at);
            s->at = quote == NULL ? data.len : (size_t)(quote - data.data) + 1;
            s->in_string = quote == NULL;
            s->is_escaped = quote != NULL;
            continue;
        }
        const char c = data.data[s->at++];
        const bool is_first = !s->is_inside;
        s->is_inside = c != delimiter;
        if (c == '"' && (is_first || s->is_escaped)) s->in_string = true;
        s->is_escaped = false;
        if (c != '\n') continue;
        *out_end = s->at;
        *s = (struct og_record_scan){.at = s->at};
        return true;
    }
    return false;
}

bool og_scan_record(enum og_block_kind kind, char delimiter, og_bytes data,
                    struct og_record_scan *scan, size_t *out_end)
{
    return kind == OG_BLOCK_JSON ? scan_json(data, scan, out_end)
                                 : scan_csv(delimiter, data, scan, out_end);
}
