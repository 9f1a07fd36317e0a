#ifndef OG_REPORT_LINKS_H
#define OG_REPORT_LINKS_H

/* The internals of og_links: documents, and links from each to those that had
 * its passages or sentences first. */

#include "lib/report/names.h"
#include "lib/report/writer.h"

#include <origo/report.h>
#include <origo/sentence.h>
#include <origo/trace.h>

/* Documents by their numbers. All zero is empty. */
struct og_node {
    size_t title_off, title_len;
    int64_t time;
    bool has_time;
};
struct og_nodes {
    struct og_names names;
    struct og_node *list; /* by name */
    size_t cap;
    char *titles;
    size_t titles_len, titles_cap;
};

/* The number of a document. A title is kept if none was known before. */
og_status og_nodes_add(struct og_nodes *nodes, og_bytes id, og_bytes title,
                       bool has_time, int64_t time, uint32_t *out,
                       og_error *err);
void og_nodes_release(struct og_nodes *nodes);

static inline og_bytes og_nodes_id(const struct og_nodes *nodes, uint32_t i)
{
    return og_names_get(&nodes->names, i);
}

static inline og_bytes og_nodes_title(const struct og_nodes *nodes, uint32_t i)
{
    const struct og_node *node = &nodes->list[i];
    return (og_bytes){node->title_len != 0 ? nodes->titles + node->title_off
                                           : "",
                      node->title_len};
}

/* Its title, or its id. */
static inline og_bytes og_nodes_label(const struct og_nodes *nodes, uint32_t i)
{
    const og_bytes title = og_nodes_title(nodes, i);
    return title.len != 0 ? title : og_nodes_id(nodes, i);
}

struct og_document_link {
    uint32_t from, to; /* the copying document, the one that had it first */
    uint32_t n_items;  /* passages or sentences */
    uint64_t n_words;  /* that both share */
    double similarity; /* sum over the items */
};

struct og_links {
    struct og_nodes nodes;
    struct og_document_link *links;
    size_t n_links, links_cap;
    const char *items; /* "passages" or "sentences" */
};

void og_write_links_picture(const struct og_links *links, struct og_writer *w);

#endif
