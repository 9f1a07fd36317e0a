/* From gumbo's tree to an array of nodes.
 *
 * gumbo allocates through a callback and does not check the result. Here the
 * memory comes from a bump allocator with a limit; when that is exhausted, the
 * callback leaves the parser by longjmp: the tree is discarded with its memory,
 * so nothing leaks. The limit is needed anyway: a few hundred kilobytes of
 * misnested markup can ask for a tree of gigabytes. */

#include "lib/source/web/page.h"

#include <setjmp.h>
#include <string.h>

#include "lib/source/web/page_about.h"
#include "lib/source/web/page_words.h"

/* Bytes of tree per byte of HTML: markup without any text takes up to 60. */
#define TREE_FACTOR 96
#define TREE_LEAST  ((size_t)16 << 20)

/* Nodes that are kept for the next page. */
#define KEEP_NODES ((size_t)16 << 10)

void og_page_init(struct og_page *page, const og_allocator *allocator)
{
    memset(page, 0, sizeof(*page));
    og_bump_init(&page->bump, allocator);
    page->most = SIZE_MAX;
}

void og_page_release(struct og_page *page)
{
    const og_allocator *const a = page->bump.allocator;
    OG_UNGROW(a, page->nodes, page->nodes_cap);
    og_bump_release(&page->bump);
}

void og_page_drop(struct og_page *page)
{
    og_bump_clear(&page->bump, 0);
    if (page->nodes_cap > KEEP_NODES)
        OG_UNGROW(page->bump.allocator, page->nodes, page->nodes_cap);
    page->n_nodes = 0;
    page->about = (struct og_page_about){.title = {"", 0}};
}

/* ---- gumbo ---- */

struct parse {
    struct og_bump *bump;
    jmp_buf out;
};

static void *take(void *ctx, size_t len)
{
    struct parse *const parse = ctx;
    void *const p = og_bump_take(parse->bump, len);
    if (p == NULL) longjmp(parse->out, 1);
    return p;
}

static void give_back(void *ctx, void *p)
{
    (void)ctx, (void)p;
}

/* NULL: out of memory, or over the limit. */
static const GumboOutput *parse_html(struct og_bump *bump, og_bytes html)
{
    struct parse parse = {.bump = bump};
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = take;
    options.deallocator = give_back;
    options.userdata = &parse;
    options.max_errors = 0;
    if (setjmp(parse.out) != 0) return NULL;
    return gumbo_parse_with_options(&options, html.data, html.len);
}

/* ---- elements ---- */

enum fate {
    FATE_NODE,  /* a node, and its content */
    FATE_LEAVE, /* neither it nor its content is for readers */
    FATE_INLINE /* its content only */
};

static enum fate fate_of(const GumboElement *e)
{
    switch (e->tag) {
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_APPLET:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_MAP:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_RT: /* how a word is pronounced, written above it */
    case GUMBO_TAG_RP:
    case GUMBO_TAG_META:
    case GUMBO_TAG_LINK: return FATE_LEAVE;
    case GUMBO_TAG_B:
    case GUMBO_TAG_I:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_U:
        return e->attributes.length == 0 ? FATE_INLINE : FATE_NODE;
    default: return FATE_NODE;
    }
}

static bool has_hiding_style(const char *style)
{
    const char *display = strstr(style, "display");
    if (display == NULL) return false;
    display += strlen("display");
    display += strspn(display, " \t");
    if (*display != ':') return false;
    display++;
    display += strspn(display, " \t");
    return strncmp(display, "none", 4) == 0;
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *name != 0; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

static void read_attribute(const GumboAttribute *a, struct og_page_node *node)
{
    if (strcmp(a->name, "class") == 0) {
        node->traits |= og_page_words(a->value);
        node->name_hash = hash_name(a->value);
    } else if (strcmp(a->name, "id") == 0 || strcmp(a->name, "role") == 0 ||
               strcmp(a->name, "data-component") == 0 ||
               strcmp(a->name, "data-testid") == 0) {
        node->traits |= og_page_words(a->value);
    } else if (strcmp(a->name, "itemprop") == 0) {
        if (strcmp(a->value, "articleBody") == 0)
            node->traits |= OG_PAGE_BODY | OG_PAGE_LIKELY | OG_PAGE_GOOD;
        if (strcmp(a->value, "headline") == 0) node->traits |= OG_PAGE_TITLE;
        if (strncmp(a->value, "date", 4) == 0) node->traits |= OG_PAGE_DATE;
        if (strcmp(a->value, "comment") == 0) node->traits |= OG_PAGE_COMMENT;
    } else if (strcmp(a->name, "hidden") == 0 ||
               (strcmp(a->name, "aria-hidden") == 0 &&
                strcmp(a->value, "true") == 0) ||
               (strcmp(a->name, "style") == 0 && has_hiding_style(a->value))) {
        node->traits |= OG_PAGE_HIDDEN;
    }
}

static void read_element(const GumboElement *e, struct og_page_node *node)
{
    node->tag = (uint16_t)e->tag;
    for (unsigned i = 0; i < e->attributes.length; i++)
        read_attribute(e->attributes.data[i], node);
}

/* ---- the walk ---- */

static bool is_text(const GumboNode *n)
{
    return n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_CDATA ||
           n->type == GUMBO_NODE_WHITESPACE;
}

static bool add_node(struct og_page *page, uint32_t parent,
                     struct og_page_node **out)
{
    if (page->n_nodes >= UINT32_MAX ||
        !OG_GROW(page->bump.allocator, page->nodes, page->nodes_cap,
                 page->n_nodes + 1))
        return false;
    *out = &page->nodes[page->n_nodes++];
    **out = (struct og_page_node){.parent = parent};
    return true;
}

struct walk {
    struct og_page *page;
    uint32_t parent; /* of the next node */
};

/* *out_enters: visit its content, too. */
static bool visit(struct walk *walk, const GumboNode *n, bool *out_enters)
{
    struct og_page_node *node;
    *out_enters = false;
    if (is_text(n)) {
        if (!add_node(walk->page, walk->parent, &node)) return false;
        node->tag = OG_PAGE_TEXT;
        node->text = (og_bytes){n->v.text.text, strlen(n->v.text.text)};
        node->end = (uint32_t)walk->page->n_nodes;
        return true;
    }
    if (n->type != GUMBO_NODE_ELEMENT) return true;
    const GumboElement *const e = &n->v.element;
    og_page_about_element(walk->page, walk->parent, n);
    const enum fate fate = fate_of(e);
    /* The head is walked for what it says about the page. */
    *out_enters = fate != FATE_LEAVE || e->tag == GUMBO_TAG_HEAD;
    if (fate != FATE_NODE) return true;
    if (!add_node(walk->page, walk->parent, &node)) return false;
    read_element(e, node);
    walk->parent = (uint32_t)walk->page->n_nodes - 1;
    return true;
}

/* The last visit to an element that was entered. */
static void leave(struct walk *walk, const GumboNode *n)
{
    if (n->type != GUMBO_NODE_ELEMENT || fate_of(&n->v.element) != FATE_NODE)
        return;
    struct og_page_node *const node = &walk->page->nodes[walk->parent];
    node->end = (uint32_t)walk->page->n_nodes;
    walk->parent = node->parent;
}

/* In the order of the page, without recursion: gumbo's nodes know their
 * parents and their places in them. */
static bool walk_tree(struct og_page *page, const GumboNode *root)
{
    struct walk walk = {.page = page};
    const GumboNode *n = root;
    for (;;) {
        bool enters;
        if (!visit(&walk, n, &enters)) return false;
        if (enters && n->v.element.children.length > 0) {
            n = n->v.element.children.data[0];
            continue;
        }
        if (enters) leave(&walk, n);
        for (;;) {
            if (n == root) return true;
            const GumboNode *const parent = n->parent;
            const GumboVector *const row = &parent->v.element.children;
            const size_t next = n->index_within_parent + 1;
            if (next < row->length) {
                n = row->data[next];
                break;
            }
            n = parent;
            leave(&walk, n);
        }
    }
}

/* A limit that hostile markup reaches, and none for what people write. */
static size_t own_limit(size_t html_len)
{
    return html_len > (SIZE_MAX - TREE_LEAST) / TREE_FACTOR
               ? SIZE_MAX
               : TREE_LEAST + html_len * TREE_FACTOR;
}

static og_status over_limit(const struct og_page *page, og_error *err)
{
    return og_error_set(err, OG_ERR_LIMIT,
                        page->bump.limit == page->most
                            ? "the page needs more than %zu bytes of memory"
                            : "the page takes more than %zu bytes to parse",
                        page->bump.limit);
}

og_status og_page_parse(struct og_page *page, og_bytes html,
                        const og_bytes *scripts, size_t n_scripts,
                        og_error *err)
{
    const size_t limit = own_limit(html.len);
    page->n_nodes = 0;
    page->about = (struct og_page_about){.title = {"", 0}};
    og_bump_clear(&page->bump, limit < page->most ? limit : page->most);
    const GumboOutput *const output = parse_html(&page->bump, html);
    if (output != NULL && walk_tree(page, output->root) &&
        og_page_about_finish(page, scripts, n_scripts))
        return OG_OK;
    if (page->bump.is_over) return over_limit(page, err);
    return og_error_memory(err, html.len, "a page");
}

bool og_page_is_block(uint16_t tag)
{
    switch (tag) {
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_DIR:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_P:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TFOOT:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_XMP: return true;
    default: return false;
    }
}
