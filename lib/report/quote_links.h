#ifndef OG_REPORT_QUOTE_LINKS_H
#define OG_REPORT_QUOTE_LINKS_H

/* The inside of og_quote_links: documents, and links from each to those that
 * held its sentences first. */

#include "lib/base/hash_table.h"
#include "lib/report/writer.h"

struct og_link_node {
    size_t id_off, id_len;
    int64_t time;
    bool has_time;
};

struct og_quote_link {
    uint32_t from, to; /* the one that takes up, the one that had it */
    uint32_t n_sentences;
    uint64_t n_words;  /* that both have */
    double similarity; /* sum over the sentences */
};

struct og_quote_links {
    struct og_link_node *nodes;
    size_t n_nodes, nodes_cap;
    struct og_quote_link *links;
    size_t n_links, links_cap;
    char *ids;
    size_t ids_len, ids_cap;
    struct og_hash_table by_id; /* nodes */
};

static inline og_bytes og_link_id(const struct og_quote_links *l, uint32_t node)
{
    return (og_bytes){l->ids + l->nodes[node].id_off, l->nodes[node].id_len};
}

void og_write_timeline(const struct og_quote_links *links, struct og_writer *w);
void og_write_xml_text(struct og_writer *w, og_bytes s);

#endif
