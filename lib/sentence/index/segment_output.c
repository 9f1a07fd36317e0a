/* Where the parts of a segment lie, and the shares in which they are
 * written. */

#include "lib/sentence/index/segment_output.h"

#include "lib/sentence/index/segment_parts.h"

enum { BUFFER_LEN = 32 << 10, TABLE_LARGE = 2 << 20 /* wordsets */ };

/* ---- the layout ---- */

unsigned og_directory_bits(uint64_t n_words)
{
    unsigned bits = 0;
    while (bits < 28 && ((uint64_t)1 << bits) < n_words)
        bits++;
    return bits;
}

og_status og_segment_output_init(struct og_segment_output *out,
                                 const char *path,
                                 const struct og_sentence_totals *totals,
                                 uint64_t names_len, uint64_t packed_len,
                                 const struct og_phases *phases,
                                 const og_allocator *allocator, og_error *err)
{
    *out = (struct og_segment_output){.totals = *totals, .phases = phases};
    struct og_sentence_totals *t = &out->totals;
    uint64_t lens[OG_N_PARTS];
    t->directory_bits = og_directory_bits(t->n_words);
    og_sentence_part_lens(t, names_len, packed_len, lens);
    out->has_parts = path != NULL || t->n_wordsets >= OG_SIGNATURE_TABLES_FROM;
    if (!out->has_parts) lens[OG_PART_PARTS] = 0;
    return og_placed_segment_init(&out->placed, path, &og_sentence_segment_kind,
                                  lens, OG_N_PARTS, allocator, err);
}

/* ---- the end ---- */

/* Those of a file are sorted in memory: of a large one, one after the other. */
static bool writes_tables_one_by_one(const struct og_segment_output *out)
{
    return out->placed.data == NULL && out->totals.n_wordsets > TABLE_LARGE;
}

static og_status write_tables(void *ctx, void *worker, size_t piece,
                              og_error *err)
{
    struct og_segment_output *out = ctx;
    const unsigned n = out->totals.signature_bits / 16;
    const unsigned first = (unsigned)piece;
    const unsigned end = writes_tables_one_by_one(out) ? n : first + 1;
    (void)worker;
    for (unsigned i = first; i < end; i++)
        TRY(og_signature_table_write(&out->placed, &out->totals, i, err));
    return OG_OK;
}

static og_status seal(void *ctx, void *worker, size_t piece, og_error *err)
{
    struct og_segment_output *out = ctx;
    (void)worker;
    return og_placed_segment_seal(&out->placed, (unsigned)piece, err);
}

static og_status finish(struct og_segment_output *out, og_error *err)
{
    const size_t n_tables = out->totals.signature_bits / 16;
    const size_t n_pieces =
        n_tables > 0 && writes_tables_one_by_one(out) ? 1 : n_tables;
    if (out->has_parts)
        TRY(og_phases_step(out->phases, "merge", n_pieces, write_tables, out,
                           err));
    TRY(og_placed_segment_write(&out->placed, OG_PART_TOTALS, 0, &out->totals,
                                sizeof(out->totals), err));
    if (out->placed.data != NULL) return OG_OK;
    return og_phases_step(out->phases, "merge", OG_N_PARTS, seal, out, err);
}

og_status og_segment_output_end(struct og_segment_output *out, og_status status,
                                struct og_sentence_segment *segment,
                                og_error *err)
{
    struct og_segment_file file;
    if (status == OG_OK) status = finish(out, err);
    if (status != OG_OK) {
        og_placed_segment_drop(&out->placed);
        return status;
    }
    TRY(og_placed_segment_end(&out->placed, &file, err));
    og_sentence_segment_adopt(segment, &file, &out->totals);
    return OG_OK;
}

/* ---- shares ---- */

static void give_room(struct og_part_list *l)
{
    const uint64_t left = l->last - l->off;
    size_t len = left < l->buffer_len ? (size_t)left : l->buffer_len;
    l->room = l->buffer;
    if (l->to->data != NULL) {
        l->room = og_placed_segment_data(l->to, l->part) + l->off;
        len = (size_t)left;
    }
    if (l->room == NULL || len == 0) {
        l->room = l->spill;
        len = sizeof(l->spill);
    }
    l->at = l->room;
    l->end = l->room + len;
}

void og_part_list_init(struct og_part_list *l, struct og_segment_output *out,
                       unsigned part, uint64_t begin, uint64_t end)
{
    *l = (struct og_part_list){
        .to = &out->placed, .part = part, .off = begin, .last = end};
    if (out->placed.data == NULL && begin < end) {
        l->buffer_len =
            end - begin < BUFFER_LEN ? (size_t)(end - begin) : BUFFER_LEN;
        l->buffer = og_allocate(out->placed.allocator, l->buffer_len);
        if (l->buffer == NULL) l->status = OG_ERR_MEMORY;
    }
    give_room(l);
}

static bool is_spilling(const struct og_part_list *l)
{
    return l->room == l->spill;
}

uint64_t og_part_list_off(const struct og_part_list *l)
{
    return is_spilling(l) ? l->off : l->off + (uint64_t)(l->at - l->room);
}

static void flush(struct og_part_list *l, og_error *err)
{
    const size_t n = (size_t)(l->at - l->room);
    if (l->buffer != NULL && l->status == OG_OK)
        l->status =
            og_placed_segment_write(l->to, l->part, l->off, l->buffer, n, err);
    l->off += n;
}

/* What fails here is said by _finish: there is no `err` at every number. */
void og_part_list_turn(struct og_part_list *l)
{
    if (is_spilling(l))
        l->is_over = true;
    else
        flush(l, NULL);
    give_room(l);
}

og_status og_part_list_finish(struct og_part_list *l, og_status status,
                              og_error *err)
{
    const og_allocator *a = l->to->allocator;
    const og_status before = l->status;
    if (is_spilling(l))
        l->is_over |= l->at != l->spill;
    else
        flush(l, err);
    if (l->buffer != NULL) og_release(a, l->buffer, l->buffer_len);
    l->buffer = NULL;
    if (status != OG_OK) return status;
    if (l->status == OG_ERR_MEMORY)
        return og_error_memory(err, BUFFER_LEN, "a segment");
    if (before != OG_OK)
        return og_error_set(err, before, "cannot write '%s'", l->to->file.path);
    if (l->status != OG_OK) return l->status;
    if (!l->is_over && l->off == l->last) return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "segments of sentences do not agree about part %u",
                        l->part);
}

void og_part_put_bytes(struct og_part_list *l, const void *data, size_t len)
{
    const uint8_t *from = data;
    while (len != 0) {
        if (l->at == l->end) og_part_list_turn(l);
        const size_t room = (size_t)(l->end - l->at);
        const size_t n = len < room ? len : room;
        memcpy(l->at, from, n);
        l->at += n;
        from += n;
        len -= n;
    }
}

/* ---- the directory ---- */

void og_directory_share_init(struct og_directory_share *share,
                             struct og_segment_output *out, uint64_t begin,
                             uint64_t end)
{
    share->bits = out->totals.directory_bits;
    share->at = begin;
    share->end = end;
    og_part_list_init(&share->list, out, OG_PART_DIRECTORY,
                      begin * sizeof(uint32_t), end * sizeof(uint32_t));
}

og_status og_directory_share_finish(struct og_directory_share *share,
                                    uint64_t number, og_status status,
                                    og_error *err)
{
    for (; share->at < share->end; share->at++)
        og_part_put32(&share->list, (uint32_t)number);
    return og_part_list_finish(&share->list, status, err);
}
