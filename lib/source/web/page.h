#ifndef OG_SOURCE_WEB_PAGE_H
#define OG_SOURCE_WEB_PAGE_H

/*   in:  the bytes of an HTML page, in UTF-8
 *   out: its nodes, in the order of the page (lib/source/web/page_main.h)
 *
 * The elements that may contain text for a reader, as an array: a node precedes
 * its content, so a subtree is the range from a node to its `end`, and nothing
 * recurses. Scripts, form fields, pictures and the like are dropped here; what
 * the page says about itself (title, time, address) is kept separately. */

#include <origo/document.h>

#include "lib/source/web/page_data.h"

/* What the names of classes, ids and roles say about an element. */
enum og_page_trait {
    OG_PAGE_UNLIKELY = 1 << 0, /* not the text: sidebar, comments, menu ... */
    OG_PAGE_LIKELY = 1 << 1,   /* article, content, main ... */
    OG_PAGE_GOOD = 1 << 2,     /* counts in its favour */
    OG_PAGE_BAD = 1 << 3,      /* counts against it */
    OG_PAGE_ASIDE = 1 << 4,    /* share, related, newsletter: dropped wherever
                                  it is */
    OG_PAGE_BODY = 1 << 5,     /* declares itself to be the text: articleBody */
    OG_PAGE_HIDDEN = 1 << 6,
    OG_PAGE_COMMENT = 1 << 7,
    OG_PAGE_CAPTION = 1 << 8,
    OG_PAGE_BYLINE = 1 << 9,
    OG_PAGE_TITLE = 1 << 10,
    OG_PAGE_DATE = 1 << 11,
};

struct og_page_node {
    uint32_t parent; /* of the root: itself */
    uint32_t end;    /* after the last node of its content */
    uint16_t tag;    /* as in page_tags.h */
    uint16_t traits;
    uint32_t name_hash; /* of its class: elements of the same kind */
    og_bytes text;      /* of a text node */
};

/* What a page says about itself; len 0: nothing. Views into the page. */
struct og_page_about {
    og_bytes title, url, language;
    int64_t time;
    int time_zone; /* of the time on the page: minutes east of UTC */
    og_time_source time_source; /* metadata, text or address */
    int time_rank;              /* how reliable it is; 0: unknown */
    struct og_page_data data;
    /* Intermediate results: */
    og_bytes tag_title, base, shared_url;
    size_t heading; /* the node of the first <h1>; 0: none yet */
    int title_rank, url_rank, shared_url_rank;
    bool month_first; /* 3/12 is in March */
};

struct og_page {
    struct og_bump bump;
    size_t most; /* bytes of a tree; og_page_init(): no limit but its own */
    struct og_page_node *nodes;
    size_t n_nodes, nodes_cap;
    struct og_page_about about;
};

void og_page_init(struct og_page *page, const og_allocator *allocator);
void og_page_release(struct og_page *page);

/* `scripts` are those that contain data about the page. The byte at
 * html.data[html.len] must be readable; the page keeps no view into `html`.
 * OG_ERR_LIMIT: its tree would take more than page->most, or than a fair share
 * of its length; OG_ERR_MEMORY. */
og_status og_page_parse(struct og_page *page, og_bytes html,
                        const og_bytes *scripts, size_t n_scripts,
                        og_error *err);

/* Frees the tree; page->about is empty afterwards. Small arrays are kept. */
void og_page_drop(struct og_page *page);

/* Blocks begin a new line; other elements run on in the line. */
bool og_page_is_block(uint16_t tag);

#endif
