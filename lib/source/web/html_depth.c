/* A model of the parser's stack of open elements that never contains fewer than
 * the real one, except for elements whose end tags may be omitted (p, li, td
 * ...): those need another element between them to nest, so they add a small
 * factor and no more.
 *
 * An end tag closes what the rules of HTML let it close, or less:
 *
 *   of a formatting element  only itself, what was opened inside stays open
 *   of an ordinary element   up to the next block, which it cannot close
 *   of a block               up to the next table or the like */

#include "lib/source/web/html_depth.h"

#include <string.h>

enum og_html_kind og_html_kind_of(GumboTag name)
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
    case GUMBO_TAG_FRAME: return OG_HTML_VOID;
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOFRAMES: return OG_HTML_RAW;
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
    case GUMBO_TAG_U: return OG_HTML_FORMATTING;
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_APPLET:
    case GUMBO_TAG_MARQUEE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_MATH: return OG_HTML_BARRIER;
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
    case GUMBO_TAG_H6: return OG_HTML_BLOCK;
    default: return OG_HTML_ORDINARY;
    }
}

/* ---- the stack ---- */

static void remove_at(struct og_html_depth *m, int at)
{
    if (m->stack[at].name == GUMBO_TAG_MATH) m->n_foreign--;
    m->depth--;
    memmove(&m->stack[at], &m->stack[at + 1],
            (size_t)(m->depth - at) * sizeof(m->stack[0]));
}

static bool is_same(const struct og_html_open *e, const struct og_html_tag *tag)
{
    return e->name == tag->name && e->hash == tag->hash;
}

/* An ordinary or a formatting element. */
static void close_element(struct og_html_depth *m,
                          const struct og_html_tag *tag, enum og_html_kind kind)
{
    for (int at = m->depth; at-- > 0;) {
        const enum og_html_kind over = (enum og_html_kind)m->stack[at].kind;
        if (is_same(&m->stack[at], tag)) {
            while (kind == OG_HTML_ORDINARY && m->depth > at + 1)
                remove_at(m, m->depth - 1);
            remove_at(m, at);
            return;
        }
        if (over == OG_HTML_BARRIER) return;
        if (kind == OG_HTML_ORDINARY && over == OG_HTML_BLOCK) return;
    }
}

/* Formatting elements inside a block that is closed stay on the stack. */
static void close_block(struct og_html_depth *m, const struct og_html_tag *tag)
{
    int at = m->depth;
    while (at-- > 0) {
        if (is_same(&m->stack[at], tag)) break;
        if (m->stack[at].kind == OG_HTML_BARRIER &&
            tag->name != m->stack[at].name)
            return;
    }
    if (at < 0) return;
    for (int i = m->depth; i-- > at;)
        if (i == at || m->stack[i].kind != OG_HTML_FORMATTING) remove_at(m, i);
}

/* False: too deep. */
static bool open_element(struct og_html_depth *m, const struct og_html_tag *tag,
                         enum og_html_kind kind)
{
    if (m->depth == OG_HTML_MAX_DEPTH) return false;
    m->stack[m->depth++] = (struct og_html_open){
        .name = (uint16_t)tag->name, .kind = (uint8_t)kind, .hash = tag->hash};
    if (tag->name == GUMBO_TAG_MATH) m->n_foreign++;
    return true;
}

bool og_html_depth_take(struct og_html_depth *m, const struct og_html_tag *tag)
{
    enum og_html_kind kind = og_html_kind_of(tag->name);
    if (m->n_foreign > 0 && (kind == OG_HTML_VOID || kind == OG_HTML_RAW))
        kind = OG_HTML_ORDINARY; /* in foreign content no element is special */
    if (kind == OG_HTML_VOID || kind == OG_HTML_RAW) return true;
    if (tag->is_end) {
        if (kind == OG_HTML_BLOCK || kind == OG_HTML_BARRIER)
            close_block(m, tag);
        else
            close_element(m, tag, kind);
        return true;
    }
    if (m->n_foreign > 0 && tag->end - tag->begin > 2 && tag->end[-2] == '/')
        return true; /* <mspace/> */
    return open_element(m, tag, kind);
}
