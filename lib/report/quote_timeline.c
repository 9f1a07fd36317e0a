/* A picture of who takes up whom: documents from top to bottom in the order
 * of time, a link as an arc at the right from the later to the earlier one,
 * as wide as it has sentences. The documents with the most links are drawn,
 * for a picture of thousands shows nothing; what is left out is counted. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/report/quote_links.h"

enum { MOST_NODES = 60, ROW = 22, TOP = 60, LABEL = 430, WIDTH = 960 };

struct row {
    uint32_t node;
    uint64_t n_sentences; /* of all its links */
    int64_t time;
};

static int compare_weight(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->n_sentences != y->n_sentences)
        return x->n_sentences > y->n_sentences ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node ? 1 : 0;
}

static int compare_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node ? 1 : 0;
}

static void put(struct og_writer *w, const char *before, uint64_t n)
{
    og_writer_string(w, before);
    og_writer_number(w, n);
}

static void write_row(const struct og_quote_links *l, struct og_writer *w,
                      const struct row *row, size_t y)
{
    const struct og_link_node *node = &l->nodes[row->node];
    og_bytes id = og_link_id(l, row->node);
    if (id.len > 48) id.len = 48;
    put(w, "<text x=\"", LABEL - 16);
    put(w, "\" y=\"", y + 4);
    og_writer_string(w, "\" text-anchor=\"end\">");
    og_write_xml_text(w, id);
    if (node->has_time) {
        char time[40];
        og_time_format(node->time, time);
        og_writer_string(w, " <tspan class=\"t\">");
        og_writer_bytes(w, time, 10);
        og_writer_string(w, "</tspan>");
    }
    og_writer_string(w, "</text>\n");
    put(w, "<circle cx=\"", LABEL);
    put(w, "\" cy=\"", y);
    og_writer_string(w, "\" r=\"4\"/>\n");
}

/* From the later to the earlier document; a title tells the numbers. */
static void write_arc(const struct og_quote_links *l, struct og_writer *w,
                      const struct og_quote_link *k, size_t from_y, size_t to_y)
{
    const size_t apart = from_y > to_y ? from_y - to_y : to_y - from_y;
    size_t bow = LABEL + 30 + apart * 2 / 3;
    if (bow > 2 * WIDTH - LABEL - 40) bow = 2 * WIDTH - LABEL - 40;
    put(w, "<path d=\"M", LABEL);
    put(w, " ", from_y);
    put(w, " C", bow);
    put(w, " ", from_y);
    put(w, " ", bow);
    put(w, " ", to_y);
    put(w, " ", LABEL);
    put(w, " ", to_y);
    put(w, "\" stroke-width=\"",
        1 + (k->n_sentences > 24 ? 8 : k->n_sentences / 3));
    og_writer_string(w, "\"><title>");
    og_write_xml_text(w, og_link_id(l, k->from));
    put(w, " takes ", k->n_sentences);
    og_writer_string(w, k->n_sentences == 1 ? " sentence" : " sentences");
    og_writer_string(w, " from ");
    og_write_xml_text(w, og_link_id(l, k->to));
    og_writer_string(w, "</title></path>\n");
}

static size_t choose_rows(const struct og_quote_links *l, struct row *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n_nodes; i++)
        rows[i] = (struct row){(uint32_t)i, 0, l->nodes[i].time};
    for (size_t i = 0; i < l->n_links; i++) {
        rows[l->links[i].from].n_sentences += l->links[i].n_sentences;
        rows[l->links[i].to].n_sentences += l->links[i].n_sentences;
    }
    qsort(rows, l->n_nodes, sizeof(*rows), compare_weight);
    while (n < l->n_nodes && n < MOST_NODES && rows[n].n_sentences != 0)
        n++;
    qsort(rows, n, sizeof(*rows), compare_time);
    return n;
}

static void write_picture(const struct og_quote_links *l, struct og_writer *w,
                          const struct row *rows, size_t n, size_t *y_of)
{
    const size_t height = TOP + n * ROW + 20;
    size_t n_left_out = l->n_links;
    og_writer_string(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    put(w, "viewBox=\"0 0 ", WIDTH);
    put(w, " ", height);
    og_writer_string(
        w, "\" font-family=\"sans-serif\" font-size=\"13\">\n"
           "<style>path{fill:none;stroke:#0072b2;stroke-opacity:.55}"
           "path:hover{stroke:#d55e00;stroke-opacity:1}circle{fill:#222}"
           ".t{fill:#666;font-size:11px}</style>\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    for (size_t i = 0; i < n; i++)
        y_of[rows[i].node] = TOP + i * ROW;
    for (size_t i = 0; i < l->n_links; i++) {
        const struct og_quote_link *k = &l->links[i];
        if (y_of[k->from] == 0 || y_of[k->to] == 0) continue;
        write_arc(l, w, k, y_of[k->from], y_of[k->to]);
        n_left_out--;
    }
    for (size_t i = 0; i < n; i++)
        write_row(l, w, &rows[i], TOP + i * ROW);
    put(w, "<text x=\"16\" y=\"28\">Reused sentences: ", n);
    put(w, " of ", l->n_nodes);
    put(w, " documents, the earliest at the top; ", n_left_out);
    og_writer_string(w, " links of others are not drawn</text>\n</svg>\n");
}

void og_write_timeline(const struct og_quote_links *l, struct og_writer *w)
{
    const size_t n = l->n_nodes + 1;
    struct row *rows = og_allocate_zero(NULL, n * sizeof(*rows));
    size_t *y_of = og_allocate_zero(NULL, n * sizeof(*y_of));
    if (rows != NULL && y_of != NULL)
        write_picture(l, w, rows, choose_rows(l, rows), y_of);
    else
        w->failed_errno = ENOMEM;
    og_release(NULL, rows, rows != NULL ? n * sizeof(*rows) : 0);
    og_release(NULL, y_of, y_of != NULL ? n * sizeof(*y_of) : 0);
}
