/* Links between documents, gathered and written as CSV and GraphML. */

#define _GNU_SOURCE
#include "lib/report/quote_links.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/os/new_file.h"
#include "lib/report/glyph.h"
#include "lib/token/tokens.h"

og_quote_links *og_quote_links_new(void)
{
    return og_allocate_zero(NULL, sizeof(og_quote_links));
}

void og_quote_links_free(og_quote_links *l)
{
    if (l == NULL) return;
    OG_UNGROW(NULL, l->nodes, l->nodes_cap);
    OG_UNGROW(NULL, l->links, l->links_cap);
    OG_UNGROW(NULL, l->ids, l->ids_cap);
    og_hash_table_release(&l->by_id);
    og_release(NULL, l, sizeof(*l));
}

size_t og_quote_links_count(const og_quote_links *l)
{
    return l->n_links;
}

/* ---- documents ---- */

static og_status find_node(struct og_quote_links *l, og_bytes id, int64_t time,
                           bool has_time, uint32_t *out, og_error *err)
{
    const uint64_t hash = og_mix64(og_token_hash(id.data, id.len, 0));
    if (!og_hash_table_reserve(&l->by_id) ||
        !OG_GROW(NULL, l->nodes, l->nodes_cap, l->n_nodes + 1) ||
        !OG_GROW(NULL, l->ids, l->ids_cap, l->ids_len + id.len + 1))
        return og_error_memory(err, id.len, "links");
    struct og_hash_slot *slot;
    OG_HASH_FIND(&l->by_id, hash, slot)
    {
        const og_bytes known = og_link_id(l, (uint32_t)slot->number - 1);
        if (known.len != id.len || memcmp(known.data, id.data, id.len) != 0)
            continue;
        *out = (uint32_t)slot->number - 1;
        return OG_OK;
    }
    *out = (uint32_t)l->n_nodes++;
    og_hash_table_put(&l->by_id, slot, hash, l->n_nodes);
    l->nodes[*out] = (struct og_link_node){l->ids_len, id.len, time, has_time};
    memcpy(l->ids + l->ids_len, id.data, id.len);
    l->ids_len += id.len;
    return OG_OK;
}

/* Links of one document stand together, from `first` on. A document that came
 * late but is older than what has its sentences is taken up by that. */
static og_status count_match(struct og_quote_links *l, size_t first,
                             uint32_t own, const og_document *doc,
                             const og_quote_match *m, og_error *err)
{
    uint32_t other = 0;
    TRY(find_node(l, m->id, m->time, m->has_time, &other, err));
    const bool is_older = doc->has_time && m->has_time && doc->time < m->time;
    const uint32_t from = is_older ? other : own, to = is_older ? own : other;
    size_t i = first;
    while (i < l->n_links && (l->links[i].from != from || l->links[i].to != to))
        i++;
    if (i == l->n_links) {
        if (!OG_GROW(NULL, l->links, l->links_cap, l->n_links + 1))
            return og_error_memory(err, sizeof(*l->links), "links");
        l->links[l->n_links++] = (struct og_quote_link){.from = from, .to = to};
    }
    l->links[i].n_sentences++;
    l->links[i].n_words += m->n_shared;
    l->links[i].similarity += m->similarity;
    return OG_OK;
}

og_status og_quote_links_add(og_quote_links *l, const og_document *doc,
                             const og_quotes *quotes, og_error *err)
{
    const size_t first = l->n_links;
    uint32_t own = 0;
    TRY(find_node(l, doc->id, doc->time, doc->has_time, &own, err));
    for (size_t i = 0; i < quotes->n_sentences; i++)
        if (quotes->sentences[i].n_matches != 0)
            TRY(count_match(l, first, own, doc,
                            &quotes->sentences[i].matches[0], err));
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

static void write_time(struct og_writer *w, const struct og_link_node *node)
{
    char time[40];
    if (node->has_time)
        og_writer_bytes(w, time, og_time_format(node->time, time));
}

static void write_csv(const struct og_quote_links *l, struct og_writer *w)
{
    og_writer_string(w, "from,from_time,to,to_time,sentences,words,"
                        "similarity\n");
    for (size_t i = 0; i < l->n_links; i++) {
        const struct og_quote_link *k = &l->links[i];
        write_csv_text(w, og_link_id(l, k->from));
        og_writer_byte(w, ',');
        write_time(w, &l->nodes[k->from]);
        og_writer_byte(w, ',');
        write_csv_text(w, og_link_id(l, k->to));
        og_writer_byte(w, ',');
        write_time(w, &l->nodes[k->to]);
        og_writer_byte(w, ',');
        og_writer_number(w, k->n_sentences);
        og_writer_byte(w, ',');
        og_writer_number(w, k->n_words);
        og_writer_byte(w, ',');
        og_writer_share(w, k->similarity / k->n_sentences);
        og_writer_byte(w, '\n');
    }
}

/* XML has no way to write most control characters. */
void og_write_xml_text(struct og_writer *w, og_bytes s)
{
    for (size_t i = 0; i < s.len;) {
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        const uint32_t c = g.code_point;
        if (c == '&')
            og_writer_string(w, "&amp;");
        else if (c == '<')
            og_writer_string(w, "&lt;");
        else if (c == '>')
            og_writer_string(w, "&gt;");
        else if (c == '"')
            og_writer_string(w, "&quot;");
        else if (!g.valid || (c < 0x20 && c != '\t' && c != '\n') ||
                 c == 0xfffe || c == 0xffff)
            og_writer_string(w, "\xef\xbf\xbd");
        else
            og_writer_bytes(w, s.data + i, g.len);
        i += g.len;
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

static void write_graphml(const struct og_quote_links *l, struct og_writer *w)
{
    og_writer_string(
        w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
           "<key id=\"id\" for=\"node\" attr.name=\"id\" "
           "attr.type=\"string\"/>\n"
           "<key id=\"time\" for=\"node\" attr.name=\"time\" "
           "attr.type=\"string\"/>\n"
           "<key id=\"sentences\" for=\"edge\" attr.name=\"sentences\" "
           "attr.type=\"int\"/>\n"
           "<key id=\"words\" for=\"edge\" attr.name=\"words\" "
           "attr.type=\"long\"/>\n"
           "<key id=\"similarity\" for=\"edge\" attr.name=\"similarity\" "
           "attr.type=\"double\"/>\n"
           "<graph edgedefault=\"directed\">\n");
    for (size_t i = 0; i < l->n_nodes; i++) {
        og_writer_string(w, "<node id=\"n");
        og_writer_number(w, i);
        og_writer_string(w, "\"><data key=\"id\">");
        og_write_xml_text(w, og_link_id(l, (uint32_t)i));
        og_writer_string(w, "</data>");
        if (l->nodes[i].has_time) {
            og_writer_string(w, "<data key=\"time\">");
            write_time(w, &l->nodes[i]);
            og_writer_string(w, "</data>");
        }
        og_writer_string(w, "</node>\n");
    }
    for (size_t i = 0; i < l->n_links; i++) {
        const struct og_quote_link *k = &l->links[i];
        og_writer_string(w, "<edge source=\"n");
        og_writer_number(w, k->from);
        og_writer_string(w, "\" target=\"n");
        og_writer_number(w, k->to);
        og_writer_string(w, "\">");
        write_data(w, "sentences", k->n_sentences);
        write_data(w, "words", k->n_words);
        og_writer_string(w, "<data key=\"similarity\">");
        og_writer_share(w, k->similarity / k->n_sentences);
        og_writer_string(w, "</data></edge>\n");
    }
    og_writer_string(w, "</graph>\n</graphml>\n");
}

og_status og_quote_links_write(const og_quote_links *links,
                               og_links_format format, FILE *out, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, out);
    switch (format) {
    case OG_LINKS_CSV: write_csv(links, &w); break;
    case OG_LINKS_GRAPHML: write_graphml(links, &w); break;
    case OG_LINKS_SVG: og_write_timeline(links, &w); break;
    }
    return og_writer_finish(&w, err);
}

static og_status save_bytes(const char *path, const char *data, size_t len,
                            og_error *err)
{
    struct og_new_file file;
    TRY(og_output_open(&file, path, false, err));
    og_status status = og_new_file_write(&file, data, len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}

og_status og_quote_links_save(const og_quote_links *links,
                              og_links_format format, const char *path,
                              og_error *err)
{
    char *data = NULL;
    size_t len = 0;
    if (strcmp(path, "-") == 0)
        return og_quote_links_write(links, format, stdout, err);
    FILE *memory = open_memstream(&data, &len);
    if (memory == NULL) return og_error_memory(err, 0, "links");
    og_status status = og_quote_links_write(links, format, memory, err);
    if (fclose(memory) != 0 && status == OG_OK)
        status = og_error_memory(err, len, "links");
    if (status == OG_OK) status = save_bytes(path, data, len, err);
    free(data);
    return status;
}
