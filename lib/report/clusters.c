/* Clusters of documents that share a passage.
 *
 *     {"cluster":1,"n_documents":3,"n_tokens":131,
 *      "origin":{"id":"RFC2616","time":"1999-06-01T00:00:00Z",
 *                "begin":10234,"end":10998},
 *      "text":"...",
 *      "documents":[{"id":"q7","time":"...","title":"...","begin":120,
 *                    "end":884,"n_tokens":131},...]}
 *
 * Every verified passage is a record: its origin, its range there, its
 * document. Sorted by origin and range, records whose ranges overlap by half of
 * the shorter one form a cluster; so the edges of a passage, which differ from
 * copy to copy, do not split it, and a chain of small overlaps does not join
 * unrelated passages. The origin is the earliest by definition; the others
 * follow in order of time. The text is the longest that a member copied, taken
 * from the origin if its text is available. */

#define _GNU_SOURCE
#include "lib/disk/sorter.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"
#include "lib/report/escape.h"
#include "lib/report/links.h"
#include "lib/report/outlet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SORT_MEMORY = 32 << 20 };

struct record {
    uint64_t origin, begin; /* the key */
    uint64_t end;
    uint64_t text_off, text_len;       /* in the file of texts */
    uint64_t own_begin, own_end;       /* in its document */
    uint64_t document, origin_node, n; /* numbers of nodes; tokens */
};

struct og_clusters {
    struct og_nodes nodes;
    struct og_sorter *sorter;
    FILE *texts;
    char *folder;
    uint64_t texts_len;
    struct record *members; /* of the current cluster */
    size_t n_members, members_cap;
    uint64_t begin, end; /* of it, in the origin */
    uint64_t n_clusters;
};

/* ---- opening ---- */

static og_status open_texts(og_clusters *c, og_error *err)
{
    const int fd = og_temp_file_open(c->folder, err);
    if (fd < 0) return OG_ERR_IO;
    c->texts = fdopen(fd, "w+b");
    if (c->texts != NULL) return OG_OK;
    const int error = errno;
    close(fd);
    return og_file_failure(err, "write", c->folder, error);
}

og_status og_clusters_open(og_clusters **out, og_error *err)
{
    og_clusters *c = og_allocate_zero(NULL, sizeof(*c));
    if (c == NULL) return og_error_memory(err, sizeof(*c), "clusters");
    c->folder = strdup(og_temp_folder());
    og_status status = c->folder != NULL
                           ? OG_OK
                           : og_error_memory(err, sizeof(*c), "clusters");
    if (status == OG_OK)
        status = og_sorter_new(sizeof(struct record), 2, SORT_MEMORY, c->folder,
                               &c->sorter, err);
    if (status == OG_OK) status = open_texts(c, err);
    if (status == OG_OK)
        *out = c;
    else
        og_clusters_free(c);
    return status;
}

void og_clusters_free(og_clusters *c)
{
    if (c == NULL) return;
    if (c->texts != NULL) fclose(c->texts);
    og_sorter_free(c->sorter);
    og_nodes_release(&c->nodes);
    OG_UNGROW(NULL, c->members, c->members_cap);
    free(c->folder);
    og_release(NULL, c, sizeof(*c));
}

/* ---- passages ---- */

static const og_origin *find_origin(const og_answer *answer, uint64_t number)
{
    for (size_t i = 0; i < answer->n_origins; i++)
        if (answer->origins[i].number == number) return &answer->origins[i];
    return NULL;
}

/* From the origin, or else from the document. */
static og_bytes text_of(const og_document *doc, const og_span *span,
                        const og_origin *origin)
{
    const og_bytes there = origin != NULL ? origin->text : (og_bytes){"", 0};
    if (span->origin_begin <= span->origin_end && span->origin_end <= there.len)
        return (og_bytes){there.data + span->origin_begin,
                          span->origin_end - span->origin_begin};
    if (span->begin > span->end || span->end > doc->text.len)
        return (og_bytes){"", 0};
    return (og_bytes){doc->text.data + span->begin, span->end - span->begin};
}

static og_status keep_text(og_clusters *c, og_bytes text, og_error *err)
{
    errno = 0;
    if (text.len != 0 && fwrite(text.data, 1, text.len, c->texts) != text.len)
        return og_file_failure(err, "write", c->folder,
                               errno != 0 ? errno : EIO);
    c->texts_len += text.len;
    return OG_OK;
}

static og_status add_span(og_clusters *c, const og_answer *answer,
                          const og_document *doc, uint32_t own,
                          const og_span *span, og_error *err)
{
    const og_origin *origin = find_origin(answer, span->origin);
    const og_bytes title = origin != NULL ? origin->title : (og_bytes){"", 0};
    const og_bytes text = text_of(doc, span, origin);
    uint32_t node = 0;
    TRY(og_nodes_add(&c->nodes, span->origin_id, title, span->origin_has_time,
                     span->origin_time, &node, err));
    const struct record r = {.origin = span->origin,
                             .begin = span->origin_begin,
                             .end = span->origin_end,
                             .text_off = c->texts_len,
                             .text_len = text.len,
                             .own_begin = span->begin,
                             .own_end = span->end,
                             .document = own,
                             .origin_node = node,
                             .n = span->n_tokens};
    TRY(keep_text(c, text, err));
    return og_sorter_add(c->sorter, &r, err);
}

og_status og_clusters_add(og_clusters *c, const og_document *doc,
                          const og_answer *answer, og_error *err)
{
    uint32_t own = 0;
    TRY(og_nodes_add(&c->nodes, doc->id, doc->title, doc->has_time, doc->time,
                     &own, err));
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        if (span->origin_begin == OG_UNKNOWN || span->origin_end == OG_UNKNOWN)
            continue;
        TRY(add_span(c, answer, doc, own, span, err));
    }
    return OG_OK;
}

/* ---- writing ---- */

static void put_number(struct og_writer *w, const char *name, uint64_t n)
{
    og_writer_string(w, name);
    og_writer_number(w, n);
}

static void put_node(const og_clusters *c, struct og_writer *w, uint64_t i)
{
    const struct og_node *node = &c->nodes.list[i];
    const og_bytes title = og_nodes_title(&c->nodes, (uint32_t)i);
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, og_nodes_id(&c->nodes, (uint32_t)i));
    og_writer_string(w, ",\"time\":");
    if (node->has_time) {
        char time[40];
        og_escape_json(w, (og_bytes){time, og_time_format(node->time, time)});
    } else {
        og_writer_string(w, "null");
    }
    if (title.len == 0) return;
    og_writer_string(w, ",\"title\":");
    og_escape_json(w, title);
}

static int by_time(const void *pa, const void *pb, void *ctx)
{
    const struct record *a = pa, *b = pb;
    const og_clusters *c = ctx;
    const struct og_node *x = &c->nodes.list[a->document];
    const struct og_node *y = &c->nodes.list[b->document];
    if (x->has_time && y->has_time && x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->has_time != y->has_time) return x->has_time ? -1 : 1;
    if (a->document != b->document) return a->document < b->document ? -1 : 1;
    return (a->own_begin > b->own_begin) - (a->own_begin < b->own_begin);
}

static og_status put_text(og_clusters *c, struct og_writer *w, og_error *err)
{
    const struct record *longest = &c->members[0];
    for (size_t i = 1; i < c->n_members; i++)
        if (c->members[i].text_len > longest->text_len)
            longest = &c->members[i];
    const size_t len = (size_t)longest->text_len;
    char *text = og_allocate(NULL, len + 1);
    if (text == NULL) return og_error_memory(err, len, "a passage");
    const int64_t n =
        og_file_read_at(fileno(c->texts), text, len, longest->text_off);
    if (n == (int64_t)len) og_escape_json(w, (og_bytes){text, len});
    og_release(NULL, text, len + 1);
    return n == (int64_t)len ? OG_OK
                             : og_file_failure(err, "read", c->folder, EIO);
}

static uint64_t count_documents(const og_clusters *c)
{
    uint64_t n = 1; /* the origin */
    for (size_t i = 0; i < c->n_members; i++)
        n += i == 0 || c->members[i].document != c->members[i - 1].document;
    return n;
}

static og_status write_cluster(og_clusters *c, struct og_writer *w,
                               og_error *err)
{
    if (c->n_members == 0) return OG_OK;
    uint64_t n_tokens = 0;
    qsort_r(c->members, c->n_members, sizeof(*c->members), by_time, c);
    for (size_t i = 0; i < c->n_members; i++)
        if (c->members[i].n > n_tokens) n_tokens = c->members[i].n;
    put_number(w, "{\"cluster\":", ++c->n_clusters);
    put_number(w, ",\"n_documents\":", count_documents(c));
    put_number(w, ",\"n_tokens\":", n_tokens);
    og_writer_string(w, ",\"origin\":");
    put_node(c, w, c->members[0].origin_node);
    put_number(w, ",\"begin\":", c->begin);
    put_number(w, ",\"end\":", c->end);
    og_writer_string(w, "},\"text\":");
    TRY(put_text(c, w, err));
    og_writer_string(w, ",\"documents\":[");
    for (size_t i = 0; i < c->n_members; i++) {
        const struct record *m = &c->members[i];
        if (i != 0) og_writer_byte(w, ',');
        put_node(c, w, m->document);
        put_number(w, ",\"begin\":", m->own_begin);
        put_number(w, ",\"end\":", m->own_end);
        put_number(w, ",\"n_tokens\":", m->n);
        og_writer_byte(w, '}');
    }
    og_writer_string(w, "]}\n");
    c->n_members = 0;
    return OG_OK;
}

/* ---- grouping ---- */

static bool belongs(const og_clusters *c, const struct record *r)
{
    if (c->n_members == 0 || c->members[0].origin != r->origin) return false;
    const uint64_t end = r->end < c->end ? r->end : c->end;
    const uint64_t both = end > r->begin ? end - r->begin : 0;
    const uint64_t own = r->end - r->begin, all = c->end - c->begin;
    return both * 2 >= (own < all ? own : all) && both != 0;
}

static og_status take(og_clusters *c, struct og_writer *w,
                      const struct record *r, og_error *err)
{
    if (!belongs(c, r)) {
        TRY(write_cluster(c, w, err));
        c->begin = r->begin;
        c->end = r->end;
    }
    if (!OG_GROW(NULL, c->members, c->members_cap, c->n_members + 1))
        return og_error_memory(err, sizeof(*r), "a cluster");
    c->members[c->n_members++] = *r;
    if (r->end > c->end) c->end = r->end;
    return OG_OK;
}

static og_status write_all(og_clusters *c, struct og_writer *w, og_error *err)
{
    const void *record = NULL;
    og_status status;
    c->n_clusters = 0;
    if (fflush(c->texts) != 0)
        return og_file_failure(err, "write", c->folder, errno);
    TRY(og_sorter_finish(c->sorter, err));
    while ((status = og_sorter_next(c->sorter, &record, err)) == OG_OK) {
        struct record r;
        memcpy(&r, record, sizeof(r));
        TRY(take(c, w, &r, err));
    }
    if (status != OG_END) return status;
    TRY(write_cluster(c, w, err));
    return og_writer_finish(w, err);
}

og_status og_clusters_write(og_clusters *c, og_write_fn *write, void *ctx,
                            uint64_t *out_n, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    const og_status status = write_all(c, &w, err);
    if (out_n != NULL) *out_n = c->n_clusters;
    return status;
}

og_status og_clusters_save(og_clusters *c, const char *path, uint64_t *out_n,
                           og_error *err)
{
    struct og_outlet outlet;
    og_status status = og_outlet_open(&outlet, path, false, err);
    if (status == OG_OK) status = write_all(c, &outlet.w, err);
    if (status == OG_OK) status = og_outlet_commit(&outlet, NULL, err);
    og_outlet_discard(&outlet);
    if (out_n != NULL) *out_n = c->n_clusters;
    return status;
}
