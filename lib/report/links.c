/* Links between documents, collected from copied passages or reused sentences
 * and written as CSV, GraphML or a picture (links_picture.c). */

#define _GNU_SOURCE
#include "lib/report/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/report/escape.h"
#include "lib/report/outlet.h"

/* ---- documents ---- */

static bool take_title(struct og_nodes *nodes, struct og_node *node,
                       og_bytes title)
{
    if (title.len == 0 || node->title_len != 0) return true;
    if (!OG_GROW(NULL, nodes->titles, nodes->titles_cap,
                 nodes->titles_len + title.len))
        return false;
    node->title_off = nodes->titles_len;
    node->title_len = title.len;
    memcpy(nodes->titles + nodes->titles_len, title.data, title.len);
    nodes->titles_len += title.len;
    return true;
}

og_status og_nodes_add(struct og_nodes *nodes, og_bytes id, og_bytes title,
                       bool has_time, int64_t time, uint32_t *out,
                       og_error *err)
{
    const size_t n = nodes->names.n;
    TRY(og_names_add(&nodes->names, id, out, err));
    if (!OG_GROW(NULL, nodes->list, nodes->cap, nodes->names.n))
        return og_error_memory(err, sizeof(*nodes->list), "links");
    if (*out == n)
        nodes->list[n] = (struct og_node){.time = time, .has_time = has_time};
    if (!take_title(nodes, &nodes->list[*out], title))
        return og_error_memory(err, title.len, "links");
    return OG_OK;
}

void og_nodes_release(struct og_nodes *nodes)
{
    og_names_release(&nodes->names);
    OG_UNGROW(NULL, nodes->list, nodes->cap);
    OG_UNGROW(NULL, nodes->titles, nodes->titles_cap);
    memset(nodes, 0, sizeof(*nodes));
}

og_links *og_links_new(void)
{
    return og_allocate_zero(NULL, sizeof(og_links));
}

void og_links_free(og_links *l)
{
    if (l == NULL) return;
    og_nodes_release(&l->nodes);
    OG_UNGROW(NULL, l->links, l->links_cap);
    og_release(NULL, l, sizeof(*l));
}

size_t og_links_count(const og_links *l)
{
    return l->n_links;
}

/* ---- links ---- */

struct taken {
    uint64_t n_words;
    double similarity;
};

/* The links of one document are adjacent, from `first` on. */
static og_status count_link(struct og_links *l, size_t first, uint32_t from,
                            uint32_t to, struct taken taken, og_error *err)
{
    size_t i = first;
    while (i < l->n_links && (l->links[i].from != from || l->links[i].to != to))
        i++;
    if (i == l->n_links) {
        if (!OG_GROW(NULL, l->links, l->links_cap, l->n_links + 1))
            return og_error_memory(err, sizeof(*l->links), "links");
        l->links[l->n_links++] =
            (struct og_document_link){.from = from, .to = to};
    }
    l->links[i].n_items++;
    l->links[i].n_words += taken.n_words;
    l->links[i].similarity += taken.similarity;
    return OG_OK;
}

/* If the document is older than a match that arrived before it, the match
 * copied from the document. */
static og_status count_match(struct og_links *l, size_t first, uint32_t own,
                             const og_document *doc, const og_quote_match *m,
                             og_error *err)
{
    uint32_t other = 0;
    TRY(og_nodes_add(&l->nodes, m->id, m->title, m->has_time, m->time, &other,
                     err));
    const bool is_older = doc->has_time && m->has_time && doc->time < m->time;
    return count_link(l, first, is_older ? other : own, is_older ? own : other,
                      (struct taken){m->n_shared, m->similarity}, err);
}

static og_status add_document(struct og_links *l, const og_document *doc,
                              uint32_t *out, og_error *err)
{
    return og_nodes_add(&l->nodes, doc->id, doc->title, doc->has_time,
                        doc->time, out, err);
}

og_status og_links_add_quotes(og_links *l, const og_document *doc,
                              const og_quotes *quotes, og_error *err)
{
    const size_t first = l->n_links;
    uint32_t own = 0;
    l->items = "sentences";
    TRY(add_document(l, doc, &own, err));
    for (size_t i = 0; i < quotes->n_sentences; i++)
        if (quotes->sentences[i].n_matches != 0)
            TRY(count_match(l, first, own, doc,
                            &quotes->sentences[i].matches[0], err));
    return OG_OK;
}

static og_bytes title_of(const og_answer *answer, uint64_t origin)
{
    for (size_t i = 0; i < answer->n_origins; i++)
        if (answer->origins[i].number == origin)
            return answer->origins[i].title;
    return (og_bytes){"", 0};
}

og_status og_links_add(og_links *l, const og_document *doc,
                       const og_answer *answer, og_error *err)
{
    const size_t first = l->n_links;
    uint32_t own = 0, other = 0;
    l->items = "passages";
    TRY(add_document(l, doc, &own, err));
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        TRY(og_nodes_add(&l->nodes, span->origin_id,
                         title_of(answer, span->origin), span->origin_has_time,
                         span->origin_time, &other, err));
        const double share = span->n_tokens != 0 ? (double)span->n_matching /
                                                       (double)span->n_tokens
                                                 : 0;
        TRY(count_link(l, first, own, other,
                       (struct taken){span->n_matching, share}, err));
    }
    return OG_OK;
}

/* ---- writing ---- */

static void write_csv_text(struct og_writer *w, og_bytes s)
{
    og_writer_byte(w, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '"') og_writer_byte(w, '"');
        og_writer_byte(w, s.data[i]);
    }
    og_writer_byte(w, '"');
}

static void write_time(struct og_writer *w, const struct og_node *node)
{
    char time[40];
    if (node->has_time)
        og_writer_bytes(w, time, og_time_format(node->time, time));
}

static void write_csv(const struct og_links *l, struct og_writer *w)
{
    og_writer_string(w, "from,from_time,to,to_time,");
    og_writer_string(w, l->items != NULL ? l->items : "passages");
    og_writer_string(w, ",words,similarity\n");
    for (size_t i = 0; i < l->n_links; i++) {
        const struct og_document_link *k = &l->links[i];
        write_csv_text(w, og_nodes_id(&l->nodes, k->from));
        og_writer_byte(w, ',');
        write_time(w, &l->nodes.list[k->from]);
        og_writer_byte(w, ',');
        write_csv_text(w, og_nodes_id(&l->nodes, k->to));
        og_writer_byte(w, ',');
        write_time(w, &l->nodes.list[k->to]);
        og_writer_byte(w, ',');
        og_writer_number(w, k->n_items);
        og_writer_byte(w, ',');
        og_writer_number(w, k->n_words);
        og_writer_byte(w, ',');
        og_writer_share(w, k->similarity / k->n_items);
        og_writer_byte(w, '\n');
    }
}

static void write_data(struct og_writer *w, const char *key, uint64_t value)
{
    og_writer_string(w, "<data key=\"");
    og_writer_string(w, key);
    og_writer_string(w, "\">");
    og_writer_number(w, value);
    og_writer_string(w, "</data>");
}

static void write_key(struct og_writer *w, const char *of, const char *name,
                      const char *type)
{
    og_writer_string(w, "<key id=\"");
    og_writer_string(w, name);
    og_writer_string(w, "\" for=\"");
    og_writer_string(w, of);
    og_writer_string(w, "\" attr.name=\"");
    og_writer_string(w, name);
    og_writer_string(w, "\" attr.type=\"");
    og_writer_string(w, type);
    og_writer_string(w, "\"/>\n");
}

static void write_text(struct og_writer *w, const char *key, og_bytes text)
{
    if (text.len == 0) return;
    og_writer_string(w, "<data key=\"");
    og_writer_string(w, key);
    og_writer_string(w, "\">");
    og_escape_xml(w, text);
    og_writer_string(w, "</data>");
}

static void write_node(const struct og_links *l, struct og_writer *w,
                       uint32_t i)
{
    const struct og_node *node = &l->nodes.list[i];
    char time[40];
    og_writer_string(w, "<node id=\"n");
    og_writer_number(w, i);
    og_writer_string(w, "\">");
    write_text(w, "id", og_nodes_id(&l->nodes, i));
    write_text(w, "label", og_nodes_label(&l->nodes, i));
    write_text(w, "title", og_nodes_title(&l->nodes, i));
    if (node->has_time)
        write_text(w, "time",
                   (og_bytes){time, og_time_format(node->time, time)});
    og_writer_string(w, "</node>\n");
}

static void write_edge(struct og_writer *w, const struct og_document_link *k,
                       const char *items)
{
    og_writer_string(w, "<edge source=\"n");
    og_writer_number(w, k->from);
    og_writer_string(w, "\" target=\"n");
    og_writer_number(w, k->to);
    og_writer_string(w, "\">");
    write_data(w, items, k->n_items);
    write_data(w, "words", k->n_words);
    write_data(w, "weight", k->n_words);
    og_writer_string(w, "<data key=\"similarity\">");
    og_writer_share(w, k->similarity / k->n_items);
    og_writer_string(w, "</data></edge>\n");
}

static void write_graphml(const struct og_links *l, struct og_writer *w)
{
    const char *items = l->items != NULL ? l->items : "passages";
    og_writer_string(
        w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    write_key(w, "node", "id", "string");
    write_key(w, "node", "label", "string");
    write_key(w, "node", "title", "string");
    write_key(w, "node", "time", "string");
    write_key(w, "edge", items, "int");
    write_key(w, "edge", "words", "long");
    write_key(w, "edge", "weight", "double");
    write_key(w, "edge", "similarity", "double");
    og_writer_string(w, "<graph edgedefault=\"directed\">\n");
    for (size_t i = 0; i < l->nodes.names.n; i++)
        write_node(l, w, (uint32_t)i);
    for (size_t i = 0; i < l->n_links; i++)
        write_edge(w, &l->links[i], items);
    og_writer_string(w, "</graph>\n</graphml>\n");
}

og_status og_links_write(const og_links *links, og_format format,
                         og_write_fn *write, void *ctx, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    if (format == OG_FORMAT_CSV)
        write_csv(links, &w);
    else if (format == OG_FORMAT_GRAPHML)
        write_graphml(links, &w);
    else if (format == OG_FORMAT_SVG)
        og_write_links_picture(links, &w);
    else
        return og_error_set(err, OG_ERR_USAGE, "links have no format '%s'",
                            og_format_name(format));
    return og_writer_finish(&w, err);
}

og_status og_links_save(const og_links *links, og_format format,
                        const char *path, og_error *err)
{
    struct og_outlet outlet;
    og_status status = og_outlet_open(&outlet, path, false, err);
    if (status == OG_OK)
        status =
            og_links_write(links, format, outlet.w.write, outlet.w.ctx, err);
    if (status == OG_OK) status = og_outlet_commit(&outlet, NULL, err);
    og_outlet_discard(&outlet);
    return status;
}
