#include "lib/source/web/html_reduce.h"

#include <string.h>
#include <strings.h>

#include "lib/source/web/html_depth.h"

struct reducing {
    struct og_html_reduced *out;
    const char *end;
    struct og_html_depth depth;
    int n_drawings; /* <svg> that are open */
};

static bool is_name(og_bytes s, const char *name)
{
    return s.len == strlen(name) && strncasecmp(s.data, name, s.len) == 0;
}

static bool holds_text(og_bytes s, const char *text)
{
    const size_t len = strlen(text);
    for (size_t i = 0; i + len <= s.len; i++)
        if (strncasecmp(s.data + i, text, len) == 0) return true;
    return false;
}

/* ---- attributes ---- */

enum place { ANYWHERE, OF_META, OF_LINK, OF_TIME, OF_SCRIPT, OF_INPUT };

static const struct known {
    const char *name;
    enum place place;
} known[] = {
    {"class", ANYWHERE},       {"id", ANYWHERE},
    {"role", ANYWHERE},        {"itemprop", ANYWHERE},
    {"hidden", ANYWHERE},      {"aria-hidden", ANYWHERE},
    {"style", ANYWHERE},       {"data-component", ANYWHERE},
    {"data-testid", ANYWHERE}, {"lang", ANYWHERE},
    {"title", OF_TIME},        {"datetime", ANYWHERE},
    {"pubdate", ANYWHERE},     {"content", ANYWHERE},
    {"property", ANYWHERE},    {"name", OF_META},
    {"rel", OF_LINK},          {"href", OF_LINK},
    {"type", OF_INPUT},
};

enum { N_KNOWN = sizeof(known) / sizeof(known[0]) };

static bool is_place(enum place place, GumboTag tag)
{
    switch (place) {
    case OF_META: return tag == GUMBO_TAG_META;
    case OF_LINK: return tag == GUMBO_TAG_LINK || tag == GUMBO_TAG_BASE;
    case OF_TIME:
        return tag == GUMBO_TAG_TIME || tag == GUMBO_TAG_ABBR ||
               tag == GUMBO_TAG_SPAN;
    case OF_SCRIPT: return tag == GUMBO_TAG_SCRIPT;
    case OF_INPUT: return tag == GUMBO_TAG_INPUT;
    case ANYWHERE: break;
    }
    return true;
}

/* The index of the attribute; N_KNOWN: not needed. */
static int number_of(const struct og_html_attribute *a, GumboTag tag)
{
    for (int i = 0; i < N_KNOWN; i++) {
        if ((a->name.data[0] | 0x20) != known[i].name[0] ||
            !is_name(a->name, known[i].name))
            continue;
        if (!is_place(known[i].place, tag)) break;
        /* Most styles concern the appearance only. */
        if (i == 6 && !holds_text(a->value, "display") &&
            !holds_text(a->value, "visibility"))
            break;
        return i;
    }
    return N_KNOWN;
}

static void put(struct reducing *r, const char *data, size_t len)
{
    og_pack_bytes(&r->out->html, data, len);
}

static void put_tag(struct reducing *r, const struct og_html_tag *tag)
{
    struct og_html_attribute a;
    uint32_t seen = 0;
    const char *at = tag->attributes;
    put(r, tag->begin, (size_t)(tag->attributes - tag->begin));
    while (!tag->is_end && og_html_next_attribute(&at, tag->end, &a)) {
        const int number = number_of(&a, tag->name);
        if (number == N_KNOWN || (seen >> number & 1) != 0) continue;
        seen |= (uint32_t)1 << number;
        put(r, " ", 1);
        put(r, a.source.data, a.source.len);
    }
    /* In foreign content an element may end where it begins. */
    const bool is_closed = r->depth.n_foreign > 0 && tag->end[-2] == '/';
    put(r, is_closed ? " />" : " >", is_closed ? 3 : 2);
}

/* ---- elements whose content is no markup ---- */

static bool is_data_type(og_bytes type)
{
    return holds_text(type, "json");
}

static void keep_script(struct reducing *r, const struct og_html_tag *tag,
                        const char *end)
{
    struct og_html_reduced *const out = r->out;
    struct og_html_attribute a;
    for (const char *at = tag->attributes;
         og_html_next_attribute(&at, tag->end, &a);)
        if (is_name(a.name, "type") && is_data_type(a.value) &&
            out->n_scripts < OG_HTML_MAX_SCRIPTS) {
            out->scripts[out->n_scripts++] =
                (og_bytes){tag->end, (size_t)(end - tag->end)};
            return;
        }
}

/* Returns where to continue. */
static const char *take_raw(struct reducing *r, const struct og_html_tag *tag)
{
    struct og_html_tag close;
    const char *after;
    if (tag->is_end) return tag->end;
    const char *const content_end = og_html_skip_raw(tag, r->end);
    if (tag->name == GUMBO_TAG_SCRIPT) keep_script(r, tag, content_end);
    after = content_end;
    if (content_end < r->end)
        og_html_markup_at(content_end, r->end, &close, &after);
    if (tag->name == GUMBO_TAG_TITLE || tag->name == GUMBO_TAG_XMP) {
        put_tag(r, tag);
        put(r, tag->end, (size_t)(content_end - tag->end));
        if (tag->name == GUMBO_TAG_TITLE)
            put(r, "</title>", 8);
        else
            put(r, "</xmp>", 6);
    }
    return after;
}

/* ---- the page ---- */

/* Tags that end an unclosed drawing, as the standard lists them; those that
 * pages have in <foreignObject> (div, p, span) do not. */
static bool ends_drawing(const struct og_html_tag *tag)
{
    switch (tag->name) {
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_TABLE: return true;
    default: return false;
    }
}

/* True: the tag is part of a drawing. */
static bool take_drawing(struct reducing *r, const struct og_html_tag *tag)
{
    if (tag->name == GUMBO_TAG_SVG) {
        const bool is_empty = tag->end[-2] == '/';
        if (tag->is_end && r->n_drawings > 0) r->n_drawings--;
        if (!tag->is_end && !is_empty) r->n_drawings++;
        return true;
    }
    if (r->n_drawings == 0) return false;
    if (ends_drawing(tag)) r->n_drawings = 0;
    return r->n_drawings > 0;
}

/* Returns where to continue. */
static const char *take_tag(struct reducing *r, const struct og_html_tag *tag)
{
    const enum og_html_kind kind = og_html_kind_of(tag->name);
    if (take_drawing(r, tag)) return tag->end;
    if (tag->name == GUMBO_TAG_PLAINTEXT) return tag->end;
    if (kind == OG_HTML_RAW && r->depth.n_foreign == 0) return take_raw(r, tag);
    if (og_html_depth_take(&r->depth, tag)) put_tag(r, tag);
    return tag->end;
}

static const char *take_markup(struct reducing *r, const char *p)
{
    struct og_html_tag tag;
    const char *after;
    switch (og_html_markup_at(p, r->end, &tag, &after)) {
    case OG_HTML_TAG: return take_tag(r, &tag);
    case OG_HTML_TEXT:
    case OG_HTML_DECLARATION: put(r, p, (size_t)(after - p)); break;
    case OG_HTML_COMMENT: break;
    }
    return after;
}

og_status og_html_reduce(struct og_html_reduced *out, og_bytes html,
                         og_error *err)
{
    struct reducing r = {.out = out,
                         .end = html.len == 0 ? NULL : html.data + html.len};
    out->html.len = 0;
    out->html.failed = false;
    out->n_scripts = 0;
    for (const char *p = html.data; html.len > 0 && p < r.end;) {
        const char *const next = memchr(p, '<', (size_t)(r.end - p));
        const char *const text_end = next == NULL ? r.end : next;
        if (r.n_drawings == 0) put(&r, p, (size_t)(text_end - p));
        p = next == NULL ? r.end : take_markup(&r, next);
    }
    put(&r, "", 1); /* the parser may read the byte after the end */
    if (out->html.failed)
        return og_error_memory(err, html.len, "a copy of a page");
    out->html.len--;
    return OG_OK;
}
