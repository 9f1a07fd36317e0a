/* Determines which bytes of the new files are missing.
 *
 * A new file is a row of spans: known ones (a range of an old file, whatever
 * its name) and unknown ones, which the sender's next message subdivides. In
 * the end the unknown ones are holes that its bytes fill:
 *
 *     [known][unknown node      ][known]       hashes of the top
 *     [known][known][unkn.][unk.][known]       of the node's children
 *     [known][known][=][ ][=====][known]       pieces */

#include "lib/sync/sync_receive.h"

og_status og_sync_span_add(struct og_receiver *r, struct og_sync_object *o,
                           const struct og_chunk_place *place, unsigned level,
                           og_error *err)
{
    if (++r->n_spans > OG_SYNC_MAX_SPANS)
        return og_error_set(err, OG_ERR_LIMIT,
                            "a file has more chunks than this side takes: use "
                            "larger chunks");
    if (!OG_GROW(r->allocator, o->spans, o->cap, o->n + 1))
        return og_error_memory(err, o->n * sizeof(*o->spans), "spans");
    struct og_span_of_file *span = &o->spans[o->n++];
    *span =
        (struct og_span_of_file){.file = OG_SYNC_HOLE, .level = (uint8_t)level};
    if (place != NULL) {
        span->file = place->file;
        span->off = place->off;
        span->len = place->len;
    }
    return OG_OK;
}

static og_status put_bit(struct og_receiver *r, bool is_missing, og_error *err)
{
    struct og_pack *m = &r->message;
    const uint8_t zero = 0;
    if (r->n_bits % 8 == 0) og_pack_bytes(m, &zero, 1);
    if (m->failed) return og_error_memory(err, m->len, "an answer");
    if (is_missing) m->data[r->n_bits / 8] |= (uint8_t)(1 << r->n_bits % 8);
    r->n_bits++;
    return OG_OK;
}

static og_status take_hashes(struct og_receiver *r, struct og_unpacker *u,
                             struct og_sync_object *o, uint64_t n,
                             unsigned level, og_error *err)
{
    if (u->bad || n > og_unpacker_left(u) / r->hash_len)
        return og_sync_nonsense(err, "there are fewer hashes than it says");
    for (; n > 0; n--) {
        const uint64_t key = og_take_fixed(u, r->hash_len);
        const struct og_chunk_place *place =
            og_known_chunks_find(&r->known, key);
        TRY(og_sync_span_add(r, o, place, level, err));
        TRY(put_bit(r, place == NULL, err));
    }
    return OG_OK;
}

static og_status answer_misses(struct og_receiver *r, og_error *err)
{
    TRY(og_wire_put(r->wire, OG_WIRE_MISS, &r->message, r->n_bits, err));
    return og_wire_flush(r->wire, err);
}

static void start_answer(struct og_receiver *r)
{
    r->message.len = 0;
    r->n_bits = 0;
}

static og_status take_top(struct og_receiver *r, og_error *err)
{
    struct og_unpacker u;
    TRY(og_wire_get(r->wire, OG_WIRE_HASHES, &u, err));
    start_answer(r);
    for (size_t k = 0; k < r->n_objects; k++) {
        const uint64_t level = og_take_number(&u), n = og_take_number(&u);
        if (level > OG_TREE_MAX_LEVELS)
            return og_sync_nonsense(err, "a tree has too many levels");
        TRY(take_hashes(r, &u, &r->objects[k], n, (unsigned)level, err));
    }
    if (u.bad || og_unpacker_left(&u) > 0)
        return og_sync_nonsense(err,
                                "a message of hashes has the wrong length");
    return answer_misses(r, err);
}

static bool is_node(const struct og_span_of_file *span)
{
    return span->file == OG_SYNC_HOLE && span->level > 0;
}

static bool has_nodes(const struct og_receiver *r)
{
    for (size_t k = 0; k < r->n_objects; k++)
        for (size_t i = 0; i < r->objects[k].n; i++)
            if (is_node(&r->objects[k].spans[i])) return true;
    return false;
}

/* Handles what a message says about one open span: adds to the spans of the
 * object, which were `old` before. */
typedef og_status take_span(struct og_receiver *r, struct og_unpacker *u,
                            struct og_sync_object *o,
                            const struct og_span_of_file *old, size_t n_old,
                            size_t i, og_error *err);

/* Replaces every open span by what the function adds; the others are kept. */
static og_status replace_spans(struct og_receiver *r, struct og_unpacker *u,
                               struct og_sync_object *o,
                               bool (*is_open)(const struct og_span_of_file *),
                               take_span *take, og_error *err)
{
    struct og_span_of_file *old = o->spans;
    const size_t n_old = o->n, cap = o->cap;
    og_status status = OG_OK;
    o->spans = NULL;
    o->n = o->cap = 0;
    for (size_t i = 0; status == OG_OK && i < n_old; i++) {
        if (is_open(&old[i]))
            status = take(r, u, o, old, n_old, i, err);
        else if (OG_GROW(r->allocator, o->spans, o->cap, o->n + 1))
            o->spans[o->n++] = old[i];
        else
            status = og_error_memory(err, o->n, "spans");
    }
    og_release(r->allocator, old, cap * sizeof(*old));
    return status;
}

static og_status take_children(struct og_receiver *r, struct og_unpacker *u,
                               struct og_sync_object *o,
                               const struct og_span_of_file *old, size_t n_old,
                               size_t i, og_error *err)
{
    const uint64_t n = og_take_number(u);
    (void)n_old;
    if (n == 0) return og_sync_nonsense(err, "a node without children");
    return take_hashes(r, u, o, n, old[i].level - 1u, err);
}

static og_status take_levels(struct og_receiver *r, og_error *err)
{
    TRY(take_top(r, err));
    while (has_nodes(r)) {
        struct og_unpacker u;
        TRY(og_wire_get(r->wire, OG_WIRE_HASHES, &u, err));
        start_answer(r);
        for (size_t k = 0; k < r->n_objects; k++)
            TRY(replace_spans(r, &u, &r->objects[k], is_node, take_children,
                              err));
        if (u.bad || og_unpacker_left(&u) > 0)
            return og_sync_nonsense(err,
                                    "a message of hashes has the wrong length");
        TRY(answer_misses(r, err));
    }
    return OG_OK;
}

/* Merges adjacent holes; returns whether there are any. */
static bool join_holes(struct og_receiver *r)
{
    bool any = false;
    for (size_t k = 0; k < r->n_objects; k++) {
        struct og_sync_object *o = &r->objects[k];
        size_t n = 0;
        for (size_t i = 0; i < o->n; i++) {
            const bool is_hole = o->spans[i].file == OG_SYNC_HOLE;
            any = any || is_hole;
            if (is_hole && n > 0 && o->spans[n - 1].file == OG_SYNC_HOLE)
                continue;
            o->spans[n++] = o->spans[i];
        }
        o->n = n;
    }
    return any;
}

/* ---- pieces: sync_pieces.c finds them in the old files ---- */

static og_status take_run(struct og_receiver *r, struct og_unpacker *u,
                          struct og_sync_object *o,
                          const struct og_span_of_file *old, size_t n_old,
                          size_t i, og_error *err)
{
    const uint64_t n = og_take_number(u);
    if (u->bad || n > og_unpacker_left(u) / OG_SYNC_PIECE_KEY_LEN)
        return og_sync_nonsense(err, "there are fewer pieces than it says");
    if (n == 0) return og_sync_span_add(r, o, NULL, 0, err);
    TRY(og_sync_pieces_find(r, o, old, n_old, i, err));
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t key = og_take_fixed(u, OG_SYNC_PIECE_KEY_LEN);
        const struct og_chunk_place *place =
            og_known_chunks_find(&r->pieces, key);
        TRY(og_sync_span_add(r, o, place, 0, err));
        TRY(put_bit(r, place == NULL, err));
    }
    return OG_OK;
}

static bool is_hole(const struct og_span_of_file *span)
{
    return span->file == OG_SYNC_HOLE;
}

static og_status take_pieces(struct og_receiver *r, og_error *err)
{
    struct og_unpacker u;
    if (!join_holes(r) || r->fine_len == 0) return OG_OK;
    TRY(og_wire_get(r->wire, OG_WIRE_PIECES, &u, err));
    start_answer(r);
    for (size_t k = 0; k < r->n_objects; k++)
        TRY(replace_spans(r, &u, &r->objects[k], is_hole, take_run, err));
    if (u.bad || og_unpacker_left(&u) > 0)
        return og_sync_nonsense(err,
                                "a message of pieces has the wrong length");
    TRY(answer_misses(r, err));
    join_holes(r);
    return OG_OK;
}

og_status og_sync_holes_receive(struct og_receiver *r, og_error *err)
{
    struct og_unpacker u;
    bool any = false;
    for (size_t k = 0; k < r->n_objects; k++)
        for (size_t i = 0; i < r->objects[k].n; i++)
            any = any || r->objects[k].spans[i].file == OG_SYNC_HOLE;
    if (!any) return OG_OK;
    TRY(og_wire_get(r->wire, OG_WIRE_HOLES, &u, err));
    for (size_t k = 0; k < r->n_objects; k++)
        for (size_t i = 0; i < r->objects[k].n; i++)
            if (r->objects[k].spans[i].file == OG_SYNC_HOLE)
                r->objects[k].spans[i].len = og_take_number(&u);
    if (u.bad || og_unpacker_left(&u) > 0)
        return og_sync_nonsense(err, "a message of holes has the wrong length");
    return OG_OK;
}

og_status og_sync_spans_receive(struct og_receiver *r, og_error *err)
{
    r->n_spans = 0;
    TRY(take_levels(r, err));
    TRY(take_pieces(r, err));
    return og_sync_holes_receive(r, err);
}
