/* The names of the parts of a text; citations.h shows their format. */

#define _GNU_SOURCE /* memmem */

#include "lib/source/citations.h"

#include "lib/source/json/json_edit.h"

#include <string.h>

#define FIELD "\"citations\":["

/* Of one document: enough for a long epic, line by line. */
enum { MOST_LEN = 1 << 20 };

void og_citations_clear(struct og_citations *c)
{
    c->json.len = 0;
    c->json.failed = false;
    c->n = 0;
}

void og_citations_add(struct og_citations *c, uint64_t at, og_bytes name,
                      og_bytes id)
{
    if (c->json.len + name.len + id.len > MOST_LEN) return;
    og_pack_text(&c->json, c->n++ == 0 ? FIELD "[" : ",[");
    og_pack_decimal(&c->json, at);
    og_pack_text(&c->json, ",");
    og_pack_json_string(&c->json, name);
    if (id.len > 0) {
        og_pack_text(&c->json, ",");
        og_pack_json_string(&c->json, id);
    }
    og_pack_text(&c->json, "]");
}

og_bytes og_citations_end(struct og_citations *c)
{
    if (c->n > 0) og_pack_text(&c->json, "]");
    if (c->json.failed || c->n == 0) return (og_bytes){NULL, 0};
    return (og_bytes){(const char *)c->json.data, c->json.len};
}

/* ---- finding ---- */

struct part {
    uint64_t at;
    og_bytes name, id;
};

/* Reads a string; *p moves past its closing quote. */
static bool take_string(const char **p, const char *end, og_bytes *out)
{
    if (*p == end || **p != '"') return false;
    const char *const begin = ++*p;
    while (*p < end && **p != '"')
        *p += **p == '\\' ? 2 : 1;
    if (*p >= end) return false;
    *out = (og_bytes){begin, (size_t)(*p - begin)};
    ++*p;
    return true;
}

static bool take_char(const char **p, const char *end, char c)
{
    if (*p == end || **p != c) return false;
    ++*p;
    return true;
}

/* "[57,"1.2","p2"]"; false: it is something else. */
static bool take_part(const char **p, const char *end, struct part *out)
{
    *out = (struct part){0};
    if (!take_char(p, end, '[') || *p == end || **p < '0' || **p > '9')
        return false;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        out->at = out->at * 10 + (uint64_t)(**p - '0');
    if (!take_char(p, end, ',') || !take_string(p, end, &out->name))
        return false;
    if (take_char(p, end, ',') && !take_string(p, end, &out->id)) return false;
    return take_char(p, end, ']');
}

bool og_citations_find(og_bytes extra, uint64_t begin, uint64_t end_at,
                       struct og_cited *out)
{
    const size_t field_len = sizeof(FIELD) - 1;
    *out = (struct og_cited){0};
    if (extra.len < field_len) return false;
    const char *p = memmem(extra.data, extra.len, FIELD, field_len);
    if (p == NULL) return false;
    const char *const end = extra.data + extra.len;
    struct part part;
    for (p += field_len; take_part(&p, end, &part); (void)0) {
        if (part.at >= end_at && part.at > begin) break;
        if (part.at <= begin) {
            out->from = part.name;
            out->id = part.id;
        }
        out->to = part.name;
        if (!take_char(&p, end, ',')) break;
    }
    if (out->from.len == 0) out->from = out->to;
    return out->from.len > 0;
}
