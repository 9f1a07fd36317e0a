#define _GNU_SOURCE /* memmem */
#include "lib/source/xml/xml_limits.h"

#include <string.h>

/* The parser refuses deeper nesting. */
enum { MAX_DEPTH = 512 };

struct checking {
    const char *begin, *end;
    const char *doctype; /* where it begins, until the first element */
    int depth;
    uint32_t n_open;                  /* namespaces declared by open elements */
    uint32_t n_namespaces[MAX_DEPTH]; /* by each open element */
    const char *refusal, *refusal_at; /* NULL: none */
};

static const char *find_byte(const char *p, const char *end, char c)
{
    const char *const found = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return found == NULL ? end : found;
}

/* After the next `text`, or the end. */
static const char *skip_past(const char *p, const char *end, const char *text)
{
    const size_t len = strlen(text);
    const char *const found = memmem(p, (size_t)(end - p), text, len);
    return found == NULL ? end : found + len;
}

static bool begins(const char *p, const char *end, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(end - p) >= len && memcmp(p, text, len) == 0;
}

static const char *refuse(struct checking *c, const char *why, const char *at)
{
    c->refusal = why;
    c->refusal_at = at;
    return c->end;
}

/* ---- elements ---- */

struct start {
    uint32_t n_attributes, n_namespaces;
    bool is_empty; /* ends where it begins */
};

/* From after the '<' to after the '>'. */
static const char *measure_start(const char *p, const char *end,
                                 struct start *out)
{
    bool in_name = false;
    *out = (struct start){0};
    for (; p < end && *p != '>'; p++) {
        const bool is_space = *p == ' ' || (*p >= '\t' && *p <= '\r');
        if (*p == '"' || *p == '\'') {
            p = find_byte(p + 1, end, *p);
            if (p == end) return end;
        } else if (*p == '=') {
            out->n_attributes++;
        } else if (!is_space && !in_name && begins(p, end, "xmlns")) {
            out->n_namespaces++;
        }
        in_name = !is_space && *p != '"' && *p != '\'';
        out->is_empty = *p == '/';
    }
    return p < end ? p + 1 : end;
}

static const char *take_start(struct checking *c, const char *p)
{
    struct start start;
    const char *const after = measure_start(p + 1, c->end, &start);
    if (c->doctype != NULL && (size_t)(p - c->doctype) > OG_XML_MAX_DTD)
        return refuse(c, "the document type definition is too long", p);
    c->doctype = NULL;
    if (start.n_attributes > OG_XML_MAX_ATTRIBUTES)
        return refuse(c, "an element has too many attributes", p);
    if (c->n_open + start.n_namespaces > OG_XML_MAX_NAMESPACES)
        return refuse(c, "too many namespaces are declared", p);
    if (start.is_empty || c->depth == MAX_DEPTH) return after;
    c->n_namespaces[c->depth++] = start.n_namespaces;
    c->n_open += start.n_namespaces;
    return after;
}

static const char *take_end(struct checking *c, const char *p)
{
    if (c->depth > 0) c->n_open -= c->n_namespaces[--c->depth];
    return skip_past(p, c->end, ">");
}

/* ---- the whole ---- */

/* From a '<'. */
static const char *take_markup(struct checking *c, const char *p)
{
    if (begins(p, c->end, "<!--")) return skip_past(p + 4, c->end, "-->");
    if (begins(p, c->end, "<![CDATA[")) return skip_past(p, c->end, "]]>");
    if (begins(p, c->end, "<?")) return skip_past(p, c->end, "?>");
    if (begins(p, c->end, "</")) return take_end(c, p);
    if (begins(p, c->end, "<!")) {
        if (c->doctype == NULL && begins(p, c->end, "<!DOCTYPE"))
            c->doctype = p;
        return p + 2;
    }
    return take_start(c, p);
}

static size_t line_of(const struct checking *c)
{
    size_t line = 1;
    for (const char *p = c->begin;
         (p = find_byte(p, c->refusal_at, '\n')) < c->refusal_at; p++)
        line++;
    return line;
}

og_status og_xml_check_limits(og_bytes data, og_error *err)
{
    struct checking c = {.begin = data.data};
    if (data.len == 0) return OG_OK;
    c.end = data.data + data.len;
    for (const char *p = data.data;
         (p = find_byte(p, c.end, '<')) < c.end && c.refusal == NULL;)
        p = take_markup(&c, p);
    /* A document type definition that never ends. */
    if (c.refusal == NULL && c.doctype != NULL &&
        (size_t)(c.end - c.doctype) > OG_XML_MAX_DTD)
        refuse(&c, "the document type definition is too long", c.doctype);
    if (c.refusal == NULL) return OG_OK;
    return og_error_set(err, OG_ERR_LIMIT, "XML, line %zu: %s", line_of(&c),
                        c.refusal);
}
