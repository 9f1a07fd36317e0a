/* A model of the parser's stack of open elements that never holds less than
 * the real one does, but for elements whose end tags may be left out (p, li,
 * td ...): those need another element between them to nest, so they add a
 * small factor and no more.
 *
 * Tags are found as the tokeniser of HTML finds them: quotes inside tags,
 * comments, and elements whose content is no markup (script, style ...). An end
 * tag closes what the rules of HTML would let it close, or less:
 *
 *   of a formatting element  itself alone, what was opened inside stays open
 *   of an ordinary element   up to the next block, which it cannot close
 *   of a block               up to the next table or the like
 */

#include "lib/source/web/html_depth.h"

#include <gumbo.h>
#include <string.h>
#include <strings.h>

enum kind {
    KIND_ORDINARY,
    KIND_BLOCK,
    KIND_FORMATTING,
    KIND_BARRIER, /* a block that hides what is outside it */
    KIND_VOID,    /* never open, or closed by others: not counted */
    KIND_RAW,     /* its content is no markup */
};

struct tag {
    const char *begin, *end; /* from '<' to behind '>' */
    GumboTag name;
    uint32_t hash; /* of the name, for those that have no number */
    bool is_end;
};

struct open_element {
    uint16_t name;
    uint8_t kind;
    uint32_t hash;
};

struct model {
    struct open_element stack[OG_HTML_MAX_DEPTH];
    int depth;
    int n_foreign; /* svg and math that are open */
};

static enum kind kind_of(GumboTag name)
{
    switch (name) {
    case GUMBO_TAG_AREA:
    case GUMBO_TAG_BASE:
    case GUMBO_TAG_BR:
    case GUMBO_TAG_COL:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_IMG:
    case GUMBO_TAG_IMAGE:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_LINK:
    case GUMBO_TAG_META:
    case GUMBO_TAG_PARAM:
    case GUMBO_TAG_SOURCE:
    case GUMBO_TAG_TRACK:
    case GUMBO_TAG_WBR:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_P:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_OPTGROUP:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TFOOT:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_COLGROUP:
    case GUMBO_TAG_FRAME: return KIND_VOID;
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOFRAMES: return KIND_RAW;
    case GUMBO_TAG_A:
    case GUMBO_TAG_B:
    case GUMBO_TAG_BIG:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_NOBR:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_STRIKE:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U: return KIND_FORMATTING;
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_APPLET:
    case GUMBO_TAG_MARQUEE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_MATH: return KIND_BARRIER;
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_DIR:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6: return KIND_BLOCK;
    default: return KIND_ORDINARY;
    }
}

/* ---- tokens ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static const char *find(const char *p, const char *end, char c)
{
    const char *const found = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return found == NULL ? end : found;
}

static const char *find_text(const char *p, const char *end, const char *text)
{
    const size_t len = strlen(text);
    for (; (p = find(p, end, text[0])) < end; p++)
        if ((size_t)(end - p) >= len && memcmp(p, text, len) == 0) return p;
    return end;
}

/* Behind the comment that begins at "<!--". */
static const char *skip_comment(const char *p, const char *end)
{
    p += 4;
    if (p < end && *p == '>') return p + 1;
    if (end - p >= 2 && memcmp(p, "->", 2) == 0) return p + 2;
    const char *const plain = find_text(p, end, "-->");
    const char *const odd = find_text(p, plain, "--!>");
    if (odd < plain) return odd + 4;
    return plain == end ? end : plain + 3;
}

/* Behind '>'; p is behind the name. Quotes count only as values. */
static const char *skip_attributes(const char *p, const char *end)
{
    while (p < end && *p != '>') {
        if (*p != '=') {
            p++;
            continue;
        }
        /* An '=' in front of a name is a part of it. */
        const bool has_name = !is_space(p[-1]) && p[-1] != '/';
        const char *back = p;
        while (is_space(back[-1]))
            back--;
        const bool has_far_name =
            back < p && back[-1] != '/' && back[-1] != '"' && back[-1] != '\'';
        p++;
        if (!has_name && !has_far_name) continue;
        while (p < end && is_space(*p))
            p++;
        if (p < end && (*p == '"' || *p == '\'')) {
            p = find(p + 1, end, *p);
            if (p < end) p++;
        } else {
            while (p < end && *p != '>' && !is_space(*p))
                p++;
        }
    }
    return p < end ? p + 1 : end;
}

/* The next tag; comments and the like are passed over. False at the end. */
static bool next_tag(const char *p, const char *end, struct tag *out)
{
    while ((p = find(p, end, '<')) < end) {
        const size_t left = (size_t)(end - p);
        const bool is_end = left > 2 && p[1] == '/';
        const char *name = p + 1 + is_end;
        if (left >= 4 && memcmp(p, "<!--", 4) == 0) {
            p = skip_comment(p, end);
        } else if (left > 1 && (p[1] == '!' || p[1] == '?' ||
                                (is_end && !is_letter(*name)))) {
            p = find(p, end, '>');
        } else if (name >= end || !is_letter(*name)) {
            p++;
        } else {
            out->begin = p;
            out->is_end = is_end;
            out->hash = 2166136261u;
            for (p = name; p < end && !is_space(*p) && *p != '>' && *p != '/';
                 p++)
                out->hash =
                    (out->hash ^ (unsigned char)(*p | 0x20)) * 16777619u;
            out->name = gumbo_tagn_enum(name, (unsigned)(p - name));
            out->end = skip_attributes(p, end);
            return true;
        }
    }
    return false;
}

/* Where the end tag of a raw element begins. */
static const char *skip_raw(const struct tag *tag, const char *end)
{
    const char *name = tag->begin + 1;
    size_t len = 0;
    while (name + len < tag->end && (is_letter(name[len])))
        len++;
    for (const char *p = tag->end; (p = find_text(p, end, "</")) < end; p += 2)
        if ((size_t)(end - p) > len + 2 && strncasecmp(p + 2, name, len) == 0 &&
            !is_letter(p[2 + len]))
            return p;
    return end;
}

/* ---- the stack ---- */

static void remove_at(struct model *m, int at)
{
    if (m->stack[at].name == GUMBO_TAG_SVG ||
        m->stack[at].name == GUMBO_TAG_MATH)
        m->n_foreign--;
    m->depth--;
    memmove(&m->stack[at], &m->stack[at + 1],
            (size_t)(m->depth - at) * sizeof(m->stack[0]));
}

static bool is_same(const struct open_element *e, const struct tag *tag)
{
    return e->name == tag->name && e->hash == tag->hash;
}

/* Of an ordinary or a formatting element. */
static void close_element(struct model *m, const struct tag *tag,
                          enum kind kind)
{
    for (int at = m->depth; at-- > 0;) {
        const enum kind over = (enum kind)m->stack[at].kind;
        if (is_same(&m->stack[at], tag)) {
            while (kind == KIND_ORDINARY && m->depth > at + 1)
                remove_at(m, m->depth - 1);
            remove_at(m, at);
            return;
        }
        if (over == KIND_BARRIER) return;
        if (kind == KIND_ORDINARY && over == KIND_BLOCK) return;
    }
}

/* Formatting elements inside a block that is closed stay on the stack. */
static void close_block(struct model *m, const struct tag *tag)
{
    int at = m->depth;
    while (at-- > 0) {
        if (is_same(&m->stack[at], tag)) break;
        if (m->stack[at].kind == KIND_BARRIER && tag->name != m->stack[at].name)
            return;
    }
    if (at < 0) return;
    for (int i = m->depth; i-- > at;)
        if (i == at || m->stack[i].kind != KIND_FORMATTING) remove_at(m, i);
}

/* False: it is too deep. */
static bool open_element(struct model *m, const struct tag *tag, enum kind kind)
{
    if (m->depth == OG_HTML_MAX_DEPTH) return false;
    m->stack[m->depth++] = (struct open_element){
        .name = (uint16_t)tag->name, .kind = (uint8_t)kind, .hash = tag->hash};
    if (tag->name == GUMBO_TAG_SVG || tag->name == GUMBO_TAG_MATH)
        m->n_foreign++;
    return true;
}

/* False: the tag is to be blanked. Moves *next behind raw content. */
static bool take_tag(struct model *m, const struct tag *tag, const char *end,
                     const char **next)
{
    enum kind kind = kind_of(tag->name);
    *next = tag->end;
    if (m->n_foreign > 0 && (kind == KIND_VOID || kind == KIND_RAW))
        kind = KIND_ORDINARY; /* in foreign content nothing is special */
    if (kind == KIND_VOID) return true;
    if (tag->is_end) {
        if (kind == KIND_BLOCK || kind == KIND_BARRIER)
            close_block(m, tag);
        else
            close_element(m, tag, kind);
        return true;
    }
    if (kind == KIND_RAW) {
        *next = skip_raw(tag, end);
        return true;
    }
    if (m->n_foreign > 0 && tag->end - tag->begin > 2 && tag->end[-2] == '/')
        return true; /* <path/> */
    return open_element(m, tag, kind);
}

og_status og_html_flatten(og_bytes html, struct og_pack *copy, og_bytes *out,
                          og_error *err)
{
    struct model model;
    struct tag tag;
    model.depth = model.n_foreign = 0;
    copy->len = 0;
    const char *const end = html.data + html.len;
    for (const char *p = html.data; next_tag(p, end, &tag);) {
        if (take_tag(&model, &tag, end, &p)) continue;
        if (copy->len == 0) og_pack_bytes(copy, html.data, html.len);
        if (copy->failed)
            return og_error_memory(err, html.len, "a copy of a page");
        memset(copy->data + (tag.begin - html.data), ' ',
               (size_t)(tag.end - tag.begin));
    }
    *out =
        copy->len == 0 ? html : (og_bytes){(const char *)copy->data, copy->len};
    return OG_OK;
}
