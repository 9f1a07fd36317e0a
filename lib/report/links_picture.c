/* A picture of who copies from whom: documents from top to bottom in order of
 * time, each link an arc on the right from the later to the earlier one, with a
 * width proportional to the square root of its words.
 *
 * A picture of thousands of links is unreadable, so there is a threshold: the
 * documents with the most words in their links are drawn, with the strongest of
 * their links; the rest is counted, and the smallest number of words of a link
 * drawn is stated. Colours are communities: groups of documents that copy more
 * from each other than from the rest, found by label propagation (Raghavan,
 * Albert and Kumara, 2007) in a fixed order, so that the same links give the
 * same picture. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/report/escape.h"
#include "lib/report/links.h"

enum {
    MOST_NODES = 60,
    MOST_ARCS = 150,
    ROUNDS = 20, /* of label propagation; a handful settles most graphs */
    N_COLOURS = 8,
    ROW = 22,
    TOP = 78,
    LABEL = 470,
    LABEL_LEN = 44, /* characters of a title */
    WIDTH = 1000,
};

struct row {
    uint32_t node;
    uint32_t community;
    uint64_t n_words; /* of all its links */
    int64_t time;
};

struct picture {
    const struct og_links *l;
    struct og_writer *w;
    struct row *rows;
    uint32_t *row_of; /* by node; 0: not drawn, otherwise its row + 1 */
    uint32_t *arcs;   /* links to draw, the strongest first */
    size_t n_rows, n_arcs;
};

static int compare_weight(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->n_words != y->n_words) return x->n_words > y->n_words ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node ? 1 : 0;
}

static int compare_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node ? 1 : 0;
}

/* ---- choosing ---- */

static void choose_rows(struct picture *p)
{
    const struct og_links *l = p->l;
    const size_t n = l->nodes.names.n;
    for (size_t i = 0; i < n; i++)
        p->rows[i] =
            (struct row){.node = (uint32_t)i, .time = l->nodes.list[i].time};
    for (size_t i = 0; i < l->n_links; i++) {
        p->rows[l->links[i].from].n_words += l->links[i].n_words;
        p->rows[l->links[i].to].n_words += l->links[i].n_words;
    }
    if (n > 1) qsort(p->rows, n, sizeof(*p->rows), compare_weight);
    while (p->n_rows < n && p->n_rows < MOST_NODES &&
           p->rows[p->n_rows].n_words != 0)
        p->n_rows++;
    if (p->n_rows > 1)
        qsort(p->rows, p->n_rows, sizeof(*p->rows), compare_time);
    for (size_t i = 0; i < p->n_rows; i++)
        p->row_of[p->rows[i].node] = (uint32_t)i + 1;
}

/* Keeps the strongest, sorted: few enough for insertion. */
static void choose_arcs(struct picture *p)
{
    const struct og_links *l = p->l;
    for (size_t i = 0; i < l->n_links; i++) {
        const struct og_document_link *k = &l->links[i];
        if (p->row_of[k->from] == 0 || p->row_of[k->to] == 0) continue;
        size_t at = p->n_arcs;
        while (at > 0 && l->links[p->arcs[at - 1]].n_words < k->n_words)
            at--;
        if (at == MOST_ARCS) continue;
        if (p->n_arcs < MOST_ARCS) p->n_arcs++;
        memmove(p->arcs + at + 1, p->arcs + at,
                (p->n_arcs - 1 - at) * sizeof(*p->arcs));
        p->arcs[at] = (uint32_t)i;
    }
}

/* The label with most of a row's words; ties are resolved in favour of its own,
 * then of the smallest. */
static uint32_t strongest_label(const struct picture *p, size_t row)
{
    uint64_t words[MOST_NODES] = {0};
    for (size_t i = 0; i < p->n_arcs; i++) {
        const struct og_document_link *k = &p->l->links[p->arcs[i]];
        const size_t a = p->row_of[k->from] - 1, b = p->row_of[k->to] - 1;
        if (a == row && b != row) words[p->rows[b].community] += k->n_words;
        if (b == row && a != row) words[p->rows[a].community] += k->n_words;
    }
    uint32_t best = p->rows[row].community;
    for (uint32_t i = 0; i < p->n_rows; i++)
        if (words[i] > words[best]) best = i;
    return best;
}

static void find_communities(struct picture *p)
{
    bool changed = true;
    for (size_t i = 0; i < p->n_rows; i++)
        p->rows[i].community = (uint32_t)i;
    for (unsigned round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < p->n_rows; i++) {
            const uint32_t label = strongest_label(p, i);
            changed = changed || label != p->rows[i].community;
            p->rows[i].community = label;
        }
    }
    /* Numbered from 0 without gaps, from the top. */
    uint32_t names[MOST_NODES], n = 0;
    memset(names, 0xff, sizeof(names));
    for (size_t i = 0; i < p->n_rows; i++) {
        uint32_t *name = &names[p->rows[i].community];
        if (*name == UINT32_MAX) *name = n++;
        p->rows[i].community = *name;
    }
}

/* ---- drawing ---- */

static void put(struct og_writer *w, const char *before, uint64_t n)
{
    og_writer_string(w, before);
    og_writer_number(w, n);
}

static void put_label(struct og_writer *w, og_bytes s)
{
    size_t end = 0, n = 0;
    while (end < s.len && n++ < LABEL_LEN)
        end += og_glyph_at(s.data + end, s.len - end).len;
    og_escape_xml(w, (og_bytes){s.data, end});
    if (end < s.len) og_writer_string(w, " …");
}

static void write_row(const struct picture *p, size_t i)
{
    const struct row *row = &p->rows[i];
    const struct og_node *node = &p->l->nodes.list[row->node];
    struct og_writer *w = p->w;
    const size_t y = TOP + i * ROW;
    put(w, "<text x=\"", LABEL - 16);
    put(w, "\" y=\"", y + 4);
    og_writer_string(w, "\" text-anchor=\"end\">");
    put_label(w, og_nodes_label(&p->l->nodes, row->node));
    if (node->has_time) {
        char time[40];
        const size_t len = og_time_format(node->time, time);
        const char *end = memchr(time, 'T', len);
        og_writer_string(w, " <tspan class=\"t\">");
        og_writer_bytes(w, time, end != NULL ? (size_t)(end - time) : len);
        og_writer_string(w, "</tspan>");
    }
    og_writer_string(w, "<title>");
    og_escape_xml(w, og_nodes_id(&p->l->nodes, row->node));
    og_writer_string(w, "</title></text>\n");
    put(w, "<circle class=\"c", row->community % N_COLOURS);
    put(w, "\" cx=\"", LABEL);
    put(w, "\" cy=\"", y);
    og_writer_string(w, "\" r=\"4\"/>\n");
}

/* 1 to 9, by the square root of the share of the strongest. */
static unsigned width_of(uint64_t n_words, uint64_t most)
{
    unsigned width = 1;
    while (width < 9 && n_words * 81 >= most * (width + 1) * (width + 1))
        width++;
    return width;
}

/* From the later to the earlier document; its title has the numbers. An arc has
 * the colour of its source. */
static void write_arc(const struct picture *p, const struct og_document_link *k,
                      uint64_t most)
{
    struct og_writer *w = p->w;
    const uint32_t a = p->row_of[k->from] - 1, b = p->row_of[k->to] - 1;
    const size_t from_y = TOP + (size_t)a * ROW, to_y = TOP + (size_t)b * ROW;
    const size_t apart = from_y > to_y ? from_y - to_y : to_y - from_y;
    size_t bow = LABEL + 30 + apart * 2 / 3;
    if (bow > 2 * WIDTH - LABEL - 40) bow = 2 * WIDTH - LABEL - 40;
    put(w, "<path class=\"c", p->rows[b].community % N_COLOURS);
    put(w, "\" d=\"M", LABEL);
    put(w, " ", from_y);
    put(w, " C", bow);
    put(w, " ", from_y);
    put(w, " ", bow);
    put(w, " ", to_y);
    put(w, " ", LABEL);
    put(w, " ", to_y);
    put(w, "\" stroke-width=\"", width_of(k->n_words, most));
    og_writer_string(w, "\"><title>");
    og_escape_xml(w, og_nodes_label(&p->l->nodes, k->from));
    put(w, " takes ", k->n_items);
    og_writer_byte(w, ' ');
    og_writer_bytes(w, p->l->items,
                    strlen(p->l->items) - (k->n_items == 1 ? 1 : 0));
    put(w, ", ", k->n_words);
    og_writer_string(w, k->n_words == 1 ? " word, from " : " words, from ");
    og_escape_xml(w, og_nodes_label(&p->l->nodes, k->to));
    og_writer_string(w, "</title></path>\n");
}

static void write_head(const struct picture *p)
{
    static const char *const colours[N_COLOURS] = {"0072b2", "d55e00", "009e73",
                                                   "cc79a7", "8a6d00", "56789a",
                                                   "7a3ea8", "555555"};
    struct og_writer *w = p->w;
    og_writer_string(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    put(w, "viewBox=\"0 0 ", WIDTH);
    put(w, " ", TOP + p->n_rows * ROW + 20);
    og_writer_string(w, "\" font-family=\"sans-serif\" font-size=\"13\">\n"
                        "<style>path{fill:none;stroke-opacity:.55}"
                        "path:hover{stroke-opacity:1}"
                        ".t{fill:#666;font-size:11px}");
    for (unsigned i = 0; i < N_COLOURS; i++) {
        put(w, "path.c", i);
        og_writer_string(w, "{stroke:#");
        og_writer_string(w, colours[i]);
        put(w, "}circle.c", i);
        og_writer_string(w, "{fill:#");
        og_writer_string(w, colours[i]);
        og_writer_byte(w, '}');
    }
    og_writer_string(w, "</style>\n<rect width=\"100%\" height=\"100%\" "
                        "fill=\"#fff\"/>\n");
}

static void write_legend(const struct picture *p)
{
    struct og_writer *w = p->w;
    const struct og_links *l = p->l;
    put(w, "<text x=\"16\" y=\"28\">Who takes from whom: ", p->n_rows);
    put(w, " of ", l->nodes.names.n);
    og_writer_string(w, " documents, the earliest at the top; ");
    put(w, "", p->n_arcs);
    put(w, " of ", l->n_links);
    og_writer_string(w, " links</text>\n<text class=\"t\" x=\"16\" y=\"46\">");
    if (p->n_arcs < l->n_links && p->n_arcs != 0) {
        put(w, "the strongest, of at least ",
            l->links[p->arcs[p->n_arcs - 1]].n_words);
        og_writer_string(w, " words; ");
    }
    og_writer_string(w, "wider: more words; colours: documents that belong "
                        "together</text>\n");
}

static void write_picture(struct picture *p)
{
    choose_rows(p);
    choose_arcs(p);
    find_communities(p);
    write_head(p);
    const uint64_t most = p->n_arcs != 0 ? p->l->links[p->arcs[0]].n_words : 1;
    for (size_t i = 0; i < p->n_arcs; i++)
        write_arc(p, &p->l->links[p->arcs[i]], most);
    for (size_t i = 0; i < p->n_rows; i++)
        write_row(p, i);
    write_legend(p);
    og_writer_string(p->w, "</svg>\n");
}

void og_write_links_picture(const struct og_links *l, struct og_writer *w)
{
    const size_t n = l->nodes.names.n + 1;
    struct picture p = {.l = l, .w = w};
    uint32_t arcs[MOST_ARCS];
    p.arcs = arcs;
    p.rows = og_allocate_zero(NULL, n * sizeof(*p.rows));
    p.row_of = og_allocate_zero(NULL, n * sizeof(*p.row_of));
    if (p.rows != NULL && p.row_of != NULL)
        write_picture(&p);
    else
        w->failed_errno = ENOMEM;
    og_release(NULL, p.rows, p.rows != NULL ? n * sizeof(*p.rows) : 0);
    og_release(NULL, p.row_of, p.row_of != NULL ? n * sizeof(*p.row_of) : 0);
}
