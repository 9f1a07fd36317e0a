/* Distances: between the sketches of two files, or between texts.
 *
 * From sketches it is an estimate that costs a few hundred bytes per document;
 * from texts it is exact, the sum of the smaller weights over the sum of the
 * larger ones. The second side is held in memory, the first one is streamed. */

#include <origo/neighbour.h>
#include <stdlib.h>
#include <string.h>

#include "lib/os/file.h"
#include "lib/sketch/minhash.h"
#include "lib/sketch/minhash_stream.h"
#include "lib/sketch/sketch_stream.h"

#include <unistd.h>

/* ---- one side in memory ---- */

struct side {
    struct og_pack bytes; /* ids and the data of each document */
    struct item {
        size_t id_off, id_len, off, len;
    } * items;
    size_t n, cap;
};

static og_status side_add(struct side *s, og_bytes id, const void *data,
                          size_t len, og_error *err)
{
    if (!OG_GROW(NULL, s->items, s->cap, s->n + 1))
        return og_error_memory(err, sizeof(*s->items), "sketches");
    struct item item = {.id_off = s->bytes.len, .id_len = id.len, .len = len};
    og_pack_bytes(&s->bytes, id.data, id.len);
    item.off = s->bytes.len;
    og_pack_bytes(&s->bytes, data, len);
    if (s->bytes.failed)
        return og_error_memory(err, s->bytes.len + len, "sketches");
    s->items[s->n++] = item;
    return OG_OK;
}

static og_bytes side_id(const struct side *s, size_t i)
{
    return (og_bytes){(const char *)s->bytes.data + s->items[i].id_off,
                      s->items[i].id_len};
}

static const uint8_t *side_data(const struct side *s, size_t i)
{
    return s->bytes.data + s->items[i].off;
}

static void side_release(struct side *s)
{
    og_pack_release(&s->bytes);
    OG_UNGROW(NULL, s->items, s->cap);
}

/* ---- sketch files ---- */

bool og_sketch_file_is(const char *path)
{
    char magic[8];
    const int fd = og_file_open(path);
    if (fd < 0) return false;
    const ssize_t n = og_file_read(fd, magic, sizeof(magic));
    close(fd);
    return n == sizeof(magic) && memcmp(magic, "origosk\n", 8) == 0;
}

struct measure {
    enum og_sketch_kind kind;
    size_t sketch_len;
    og_minhash_options minhash;
};

static og_status measure_of(const struct og_sketch_head *head, const char *name,
                            struct measure *out, og_error *err)
{
    *out = (struct measure){.kind = head->kind, .sketch_len = head->sketch_len};
    if (head->kind == OG_SKETCH_SIMHASH) return OG_OK;
    if (head->kind == OG_SKETCH_MINHASH || head->kind == OG_SKETCH_WEIGHTED)
        return og_minhash_file_options(head, name, &out->minhash, err);
    return og_error_set(err, OG_ERR_INPUT,
                        "sketch file '%s' is of kind '%s', which has no "
                        "distance",
                        name, og_sketch_kind_name(head->kind));
}

static void measure_bits(size_t len, const uint8_t *a, const uint8_t *b,
                         og_distance *out)
{
    unsigned n_differ = 0;
    for (size_t i = 0; i < len; i++)
        n_differ += (unsigned)__builtin_popcount(a[i] ^ b[i]);
    out->measure = "hamming";
    out->distance = n_differ;
    out->similarity = 1 - (double)n_differ / (double)(8 * len);
}

static void measure_pair(const struct measure *m, const uint8_t *a,
                         const uint8_t *b, og_distance *out)
{
    double norm_a, norm_b;
    if (m->kind == OG_SKETCH_SIMHASH) {
        measure_bits(m->sketch_len, a, b, out);
        return;
    }
    out->similarity =
        og_minhash_file_similarity(&m->minhash, a, b, &norm_a, &norm_b);
    out->measure = m->kind == OG_SKETCH_WEIGHTED ? "weighted" : "jaccard";
    out->distance = m->kind == OG_SKETCH_WEIGHTED
                        ? og_l1_distance(out->similarity, norm_a, norm_b)
                        : 1 - out->similarity;
}

static og_status read_side(struct og_sketch_reader *reader, struct side *side,
                           og_error *err)
{
    const size_t len = og_sketch_reader_head(reader)->sketch_len;
    og_bytes id;
    const void *sketch;
    og_status status;
    while ((status = og_sketch_reader_next(reader, &id, &sketch, err)) == OG_OK)
        TRY(side_add(side, id, sketch, len, err));
    return status == OG_END ? OG_OK : status;
}

static og_status compare_readers(struct og_sketch_reader *a, const char *path_a,
                                 struct og_sketch_reader *b, const char *path_b,
                                 struct side *side, void *ctx,
                                 og_distance_fn *on_distance, og_error *err)
{
    struct measure measure;
    og_distance pair;
    const void *sketch;
    og_status status;
    TRY(og_sketch_heads_match(path_a, og_sketch_reader_head(a), path_b,
                              og_sketch_reader_head(b), err));
    TRY(measure_of(og_sketch_reader_head(a), path_a, &measure, err));
    TRY(read_side(b, side, err));
    while ((status = og_sketch_reader_next(a, &pair.id_a, &sketch, err)) ==
           OG_OK)
        for (size_t i = 0; i < side->n; i++) {
            pair.id_b = side_id(side, i);
            measure_pair(&measure, sketch, side_data(side, i), &pair);
            if (!on_distance(ctx, &pair))
                return og_error_set(err, OG_ERR_STOPPED,
                                    "stopped by the caller");
        }
    return status == OG_END ? OG_OK : status;
}

og_status og_sketch_files_compare(const char *path_a, const char *path_b,
                                  void *ctx, og_distance_fn *on_distance,
                                  og_error *err)
{
    struct og_sketch_reader *a = NULL, *b = NULL;
    struct side side = {0};
    og_status status = og_sketch_reader_open(path_a, NULL, &a, err);
    if (status == OG_OK) status = og_sketch_reader_open(path_b, NULL, &b, err);
    if (status == OG_OK)
        status =
            compare_readers(a, path_a, b, path_b, &side, ctx, on_distance, err);
    side_release(&side);
    og_sketch_reader_close(b);
    og_sketch_reader_close(a);
    return status;
}

/* ---- codes, from lines or sketch files ---- */

struct codes_work {
    struct side side; /* B */
    unsigned n_bits;  /* of all codes; 0: not known yet */
    void *ctx;
    og_distance_fn *on_distance;
    og_status status;
    og_error *err;
};

static bool hold_code(void *ctx, og_bytes id, og_wide_code code,
                      unsigned n_bits)
{
    struct codes_work *w = ctx;
    w->n_bits = n_bits;
    w->status = side_add(&w->side, id, &code, sizeof(code), w->err);
    return w->status == OG_OK;
}

static bool compare_code(void *ctx, og_bytes id, og_wide_code code,
                         unsigned n_bits)
{
    struct codes_work *w = ctx;
    for (size_t i = 0; i < w->side.n; i++) {
        og_distance pair = {.id_a = id, .id_b = side_id(&w->side, i)};
        measure_bits(sizeof(code), (const uint8_t *)&code,
                     side_data(&w->side, i), &pair);
        pair.similarity = 1 - pair.distance / n_bits;
        if (!w->on_distance(w->ctx, &pair)) return false;
    }
    return true;
}

og_status og_codes_compare(const char *path_a, const char *path_b, void *ctx,
                           og_distance_fn *on_distance, og_error *err)
{
    struct codes_work w = {.ctx = ctx, .on_distance = on_distance, .err = err};
    og_status status = og_wide_codes_read(path_b, 0, &w, hold_code, err);
    if (w.status != OG_OK) status = w.status;
    if (status == OG_OK)
        status = og_wide_codes_read(path_a, w.n_bits, &w, compare_code, err);
    side_release(&w.side);
    return status;
}

/* ---- texts ---- */

struct feature {
    uint64_t hash;
    double weight;
};

static int by_hash(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

struct texts_work {
    bool is_weighted;
    struct side *side;
};

/* A document is represented by its features, sorted. */
static og_status make_sorted(void *ctx, void *mine,
                             struct og_features *features, struct og_pack *out,
                             og_error *err)
{
    const struct texts_work *w = ctx;
    (void)mine;
    TRY(og_features_merge(features, err));
    const size_t len = features->n * sizeof(struct feature);
    if (features->n == 0) return OG_OK;
    struct feature *sorted = og_allocate(NULL, len);
    if (sorted == NULL) return og_error_memory(err, len, "features");
    for (size_t i = 0; i < features->n; i++)
        sorted[i] = (struct feature){features->hash[i],
                                     w->is_weighted && features->is_weighted
                                         ? (double)features->weight[i]
                                         : 1};
    qsort(sorted, features->n, sizeof(*sorted), by_hash);
    og_pack_bytes(out, sorted, len);
    og_release(NULL, sorted, len);
    return OG_OK;
}

static og_status take_sorted(void *ctx, og_bytes id, const uint8_t *made,
                             size_t len, uint64_t n_features, og_error *err)
{
    const struct texts_work *w = ctx;
    (void)n_features;
    return side_add(w->side, id, made, len, err);
}

static struct feature feature_at(const uint8_t *data, size_t i)
{
    struct feature f;
    memcpy(&f, data + i * sizeof(f), sizeof(f));
    return f;
}

static void measure_texts(const struct side *a, size_t i, const struct side *b,
                          size_t j, bool is_weighted, og_distance *out)
{
    const uint8_t *data_a = side_data(a, i), *data_b = side_data(b, j);
    const size_t n_a = a->items[i].len / sizeof(struct feature);
    const size_t n_b = b->items[j].len / sizeof(struct feature);
    double least = 0, most = 0;
    size_t x = 0, y = 0;
    while (x < n_a || y < n_b) {
        const struct feature none = {UINT64_MAX, 0};
        const struct feature f = x < n_a ? feature_at(data_a, x) : none;
        const struct feature g = y < n_b ? feature_at(data_b, y) : none;
        const bool from_a = x < n_a && (y == n_b || f.hash <= g.hash);
        const bool from_b = y < n_b && (x == n_a || g.hash <= f.hash);
        const double w = from_a ? f.weight : 0, v = from_b ? g.weight : 0;
        least += w < v ? w : v;
        most += w < v ? v : w;
        x += from_a;
        y += from_b;
    }
    out->measure = is_weighted ? "weighted" : "jaccard";
    out->similarity = most > 0 ? least / most : 0;
    out->distance = is_weighted ? most - least : 1 - out->similarity;
}

static og_status read_texts(const og_input *input, bool is_weighted,
                            const og_feature_options *features,
                            struct side *side, og_stream_counts *counts,
                            og_error *err)
{
    struct texts_work w = {is_weighted, side};
    const struct og_sketch_work work = {
        .ctx = &w, .make = make_sorted, .take = take_sorted};
    return og_sketch_stream(input, features, &work, counts, err);
}

og_status og_texts_compare(const og_input *input_a, const og_input *input_b,
                           bool is_weighted, const og_feature_options *features,
                           void *ctx, og_distance_fn *on_distance,
                           og_stream_counts *out_counts, og_error *err)
{
    struct side a = {0}, b = {0};
    og_stream_counts counts = {0}, first = {0};
    og_status status =
        read_texts(input_a, is_weighted, features, &a, &counts, err);
    if (status == OG_OK) {
        first = counts;
        status = read_texts(input_b, is_weighted, features, &b, &counts, err);
    }
    counts.n_documents += first.n_documents;
    counts.n_skipped += first.n_skipped;
    if (out_counts != NULL) *out_counts = counts;
    for (size_t i = 0; status == OG_OK && i < a.n; i++)
        for (size_t j = 0; status == OG_OK && j < b.n; j++) {
            og_distance pair = {side_id(&a, i), side_id(&b, j), "", 0, 0};
            measure_texts(&a, i, &b, j, is_weighted, &pair);
            if (!on_distance(ctx, &pair))
                status =
                    og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
        }
    side_release(&b);
    side_release(&a);
    return status;
}
