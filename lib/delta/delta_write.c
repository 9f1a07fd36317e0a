/* Pieces of a new file, packed into the blocks of a delta.
 *
 * A block is a run of pieces with at most OG_DELTA_MAX_LITERAL literal bytes.
 * Its payload, the operations and after them the literals, is packed as one:
 * operations of a regular edit repeat each other and pack well. Several ways
 * are tried and the shortest is kept:
 *
 *     plain        unpacked
 *     zstd         by itself
 *     dictionary   zstd with old bytes as the dictionary: the whole of a small
 *                  old file, and what was in the old files where the
 *                  literals are now, since new text is mostly old text with
 *                  a word changed
 *     whole        for a small file: no copies, everything is a literal
 *                  and the old files are the dictionary. zstd's sequences are
 *                  entropy-coded, our operations are not; for hundreds of
 *                  small edits that is a tenth of the delta
 *
 * The ranges of the dictionary are in the block, so that a reader needs no rule
 * to find them and a better choice does not need a new version. */

#include "lib/delta/delta.h"

#include <string.h>
#include <zstd.h>

struct range {
    uint32_t old;
    uint64_t off;
    size_t len;
};

enum {
    GAP_MOST = 256 << 10, /* of the old bytes between two copies */
    SIDE_LEN = 16 << 10,  /* taken after or before a single copy */
    WHOLE_MOST = 1 << 20, /* of a new file that is tried as one literal */
    PIECES_MOST = 512,    /* payload up to which pieces are also tried */
    /* Payload and dictionary up to which the best level costs milliseconds. */
    SMALL_MOST = 256 << 10,
    LEVEL_SMALL = 19,
    /* For unpacked payload and dictionary: rarely worth more than this. */
    MOST_RANGES = OG_DELTA_MAX_RANGES,
};

/* The default level for larger blocks, by the literal bytes of the whole delta,
 * so that packing takes seconds in any case. Of standards texts a core packs 13
 * MB/s at level 12, 53 at 7, 180 at 3 and 290 at 1, to 19, 21, 24 and 27 %. */
static const struct {
    uint64_t literal_most;
    int level;
} LEVELS[] = {
    {(uint64_t)16 << 20, 12},
    {(uint64_t)64 << 20, 7},
    {(uint64_t)512 << 20, 3},
    {UINT64_MAX, 1},
};

struct writer {
    struct og_delta_olds *olds;
    const struct og_delta_pieces *pieces;
    struct og_file_window *new_file;
    struct og_new_file *out;
    int level, large_level;
    ZSTD_CCtx *zstd;
    struct og_pack payload, dictionary, plain, packed, head, best;
    struct range ranges[MOST_RANGES];
    size_t n_ranges;
    uint32_t n_used;       /* old files */
    bool is_whole;         /* the dictionary is all of them */
    bool ends;             /* the best block is the whole file */
    uint64_t expected_off; /* where the next copy would continue */
    uint32_t expected_old;
};

/* ---- operations ---- */

/* literal length, then copy: (number of the old file, signed distance from the
 * end of the last copy, length). A copy of length 0 ends the block. */
static void put_copy(struct writer *w, const struct og_delta_piece *piece)
{
    const struct og_delta_old *old = &w->olds->files[piece->old];
    const uint64_t from = w->expected_old == piece->old ? w->expected_off : 0;
    og_pack_number(&w->payload, piece->len);
    og_pack_number(&w->payload, old->number);
    og_pack_signed(&w->payload, (int64_t)(piece->old_off - from));
    w->expected_old = piece->old;
    w->expected_off = piece->old_off + piece->len;
}

/* ---- the dictionary ---- */

static void add_range(struct writer *w, uint32_t old, uint64_t off,
                      uint64_t len)
{
    uint64_t total = 0;
    for (size_t i = 0; i < w->n_ranges; i++)
        total += w->ranges[i].len;
    const struct og_delta_old *file = &w->olds->files[old];
    if (off >= file->len) return;
    if (len > file->len - off) len = file->len - off;
    if (len > OG_DELTA_MAX_DICTIONARY - total)
        len = OG_DELTA_MAX_DICTIONARY - total;
    if (len == 0 || w->n_ranges == MOST_RANGES) return;
    w->ranges[w->n_ranges++] = (struct range){old, off, (size_t)len};
}

/* The old bytes at the position of literal `i`. */
static void add_gap(struct writer *w, size_t i)
{
    const struct og_delta_piece *p = w->pieces->data;
    const bool has_before = i > 0 && p[i - 1].old != UINT32_MAX;
    const bool has_after = i + 1 < w->pieces->n && p[i + 1].old != UINT32_MAX;
    const uint64_t end = has_before ? p[i - 1].old_off + p[i - 1].len : 0;
    if (has_before && has_after && p[i - 1].old == p[i + 1].old &&
        end <= p[i + 1].old_off && p[i + 1].old_off - end <= GAP_MOST) {
        add_range(w, p[i - 1].old, end, p[i + 1].old_off - end);
        return;
    }
    if (has_before) add_range(w, p[i - 1].old, end, SIDE_LEN);
    if (has_after) {
        const uint64_t off = p[i + 1].old_off;
        const uint64_t len = off < SIDE_LEN ? off : SIDE_LEN;
        add_range(w, p[i + 1].old, off - len, len);
    }
}

static uint32_t old_of_number(const struct writer *w, uint32_t number)
{
    uint32_t i = 0;
    while (w->olds->files[i].number != number)
        i++;
    return i;
}

/* Small old files are included whole, the first of them nearest to the payload:
 * zstd's short offsets are cheaper. A block then lists no ranges. */
static bool add_whole_files(struct writer *w)
{
    uint64_t total = 0;
    for (size_t i = 0; i < w->olds->n; i++)
        if (w->olds->files[i].number != UINT32_MAX)
            total += w->olds->files[i].len;
    if (total == 0 || total > OG_DELTA_MAX_DICTIONARY ||
        w->n_used > MOST_RANGES)
        return false;
    for (uint32_t number = w->n_used; number-- > 0;) {
        const uint32_t old = old_of_number(w, number);
        add_range(w, old, 0, w->olds->files[old].len);
    }
    return true;
}

static og_status read_dictionary(struct writer *w, og_error *err)
{
    w->dictionary.len = 0;
    for (size_t i = 0; i < w->n_ranges; i++) {
        const struct range *r = &w->ranges[i];
        struct og_pack *d = &w->dictionary;
        if (!OG_GROW(d->allocator, d->data, d->cap, d->len + r->len))
            return og_error_memory(err, r->len, "a dictionary");
        TRY(og_file_window_read(&w->olds->files[r->old].window, r->off, r->len,
                                d->data + d->len, err));
        d->len += r->len;
    }
    return OG_OK;
}

/* ---- packing ---- */

static og_status compress(struct writer *w, bool with_dictionary,
                          struct og_pack *out, og_error *err)
{
    const size_t bound = ZSTD_compressBound(w->payload.len);
    const size_t all =
        w->payload.len + (with_dictionary ? w->dictionary.len : 0);
    int window_log = 10;
    while (window_log < OG_DELTA_WINDOW_LOG && ((size_t)1 << window_log) < all)
        window_log++;
    if (!OG_GROW(out->allocator, out->data, out->cap, bound))
        return og_error_memory(err, bound, "a block of a delta");
    ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel,
                           w->level != 0       ? w->level
                           : all <= SMALL_MOST ? LEVEL_SMALL
                                               : w->large_level);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 0);
    if (with_dictionary)
        ZSTD_CCtx_refPrefix(w->zstd, w->dictionary.data, w->dictionary.len);
    const size_t n = ZSTD_compress2(w->zstd, out->data, out->cap,
                                    w->payload.data, w->payload.len);
    if (ZSTD_isError(n))
        return og_error_set(err, OG_ERR_MEMORY, "cannot compress a delta: %s",
                            ZSTD_getErrorName(n));
    out->len = n;
    return OG_OK;
}

static void put_head(struct writer *w, enum og_delta_packing packing,
                     size_t ops_len, size_t packed_len)
{
    w->head.len = 0;
    og_pack_number(&w->head, packing);
    if (packing == OG_DELTA_WHOLE) return;
    og_pack_number(&w->head, ops_len);
    og_pack_number(&w->head, w->payload.len - ops_len);
    og_pack_number(&w->head, packed_len);
    if (packing != OG_DELTA_DICTIONARY) return;
    og_pack_number(&w->head, w->is_whole ? 0 : w->n_ranges);
    if (w->is_whole) return;
    for (size_t i = 0; i < w->n_ranges; i++) {
        og_pack_number(&w->head, w->olds->files[w->ranges[i].old].number);
        og_pack_number(&w->head, w->ranges[i].off);
        og_pack_number(&w->head, w->ranges[i].len);
    }
}

/* Copies header and packed bytes to `best`, if they are shorter. zstd's magic
 * number is always the same and is omitted. */
static og_status keep_shorter(struct writer *w, enum og_delta_packing packing,
                              size_t ops_len, const struct og_pack *packed,
                              og_error *err)
{
    const size_t skip =
        packing == OG_DELTA_PLAIN ? 0 : sizeof(OG_DELTA_ZSTD_MAGIC);
    put_head(w, packing, ops_len, packed->len - skip);
    if (w->best.len != 0 && w->head.len + packed->len - skip >= w->best.len)
        return OG_OK;
    w->best.len = 0;
    w->ends = packing == OG_DELTA_WHOLE;
    og_pack_bytes(&w->best, w->head.data, w->head.len);
    og_pack_bytes(&w->best, packed->data + skip, packed->len - skip);
    if (!w->head.failed && !w->best.failed) return OG_OK;
    return og_error_memory(err, packed->len, "a block of a delta");
}

/* Packs the payload in each of three ways and keeps the shortest. Packing
 * without a dictionary is skipped if one has made it small. */
static og_status pack_payload(struct writer *w, size_t ops_len, og_error *err)
{
    if (w->payload.failed)
        return og_error_memory(err, w->payload.len, "a block of a delta");
    TRY(keep_shorter(w, OG_DELTA_PLAIN, ops_len, &w->payload, err));
    TRY(read_dictionary(w, err));
    if (w->dictionary.len > 0) {
        TRY(compress(w, true, &w->packed, err));
        TRY(keep_shorter(w, OG_DELTA_DICTIONARY, ops_len, &w->packed, err));
        if (w->packed.len < w->payload.len / 4) return OG_OK;
    }
    TRY(compress(w, false, &w->plain, err));
    return keep_shorter(w, OG_DELTA_ZSTD, ops_len, &w->plain, err);
}

/* ---- blocks ---- */

static og_status append_literal(struct writer *w, uint64_t off, size_t len,
                                og_error *err)
{
    struct og_pack *p = &w->payload;
    if (p->failed || !OG_GROW(p->allocator, p->data, p->cap, p->len + len))
        return og_error_memory(err, len, "a block of a delta");
    TRY(og_file_window_read(w->new_file, off, len, p->data + p->len, err));
    p->len += len;
    return OG_OK;
}

/* Where a block begins and ends: a piece, and how much of it is done. A literal
 * may be split, a copy is not. */
struct place {
    size_t piece;
    uint64_t done;
};

/* Writes the operations of one block from *at on; the second pass over (first,
 * last) writes the literals. */
static void put_operations(struct writer *w, struct place *at)
{
    uint64_t room = OG_DELTA_MAX_LITERAL;
    const struct og_delta_pieces *all = w->pieces;
    while (at->piece < all->n && w->payload.len < OG_DELTA_MAX_OPS - 64) {
        const struct og_delta_piece *p = &all->data[at->piece];
        uint64_t literal = 0;
        if (p->old == UINT32_MAX) {
            literal = p->len - at->done;
            if (literal > room) literal = room;
            room -= literal;
            at->done += literal;
            if (at->done == p->len) {
                at->piece++;
                at->done = 0;
            }
        }
        og_pack_number(&w->payload, literal);
        const bool copies = at->piece < all->n && at->done == 0 &&
                            all->data[at->piece].old != UINT32_MAX;
        if (copies)
            put_copy(w, &all->data[at->piece++]);
        else
            og_pack_number(&w->payload, 0);
        if (room == 0) break;
    }
}

static og_status put_literals(struct writer *w, struct place from,
                              struct place to, og_error *err)
{
    for (size_t i = from.piece; i <= to.piece && i < w->pieces->n; i++) {
        const struct og_delta_piece *p = &w->pieces->data[i];
        const uint64_t begin = i == from.piece ? from.done : 0;
        const uint64_t end = i == to.piece ? to.done : p->len;
        if (p->old != UINT32_MAX || begin >= end) continue;
        TRY(append_literal(w, p->new_off + begin, (size_t)(end - begin), err));
        add_gap(w, i);
    }
    return OG_OK;
}

/* All of a small new file as one literal. */
static og_status try_whole(struct writer *w, uint64_t new_len, og_error *err)
{
    w->payload.len = 0;
    w->n_ranges = 0;
    add_whole_files(w);
    og_pack_number(&w->payload, new_len);
    og_pack_number(&w->payload, 0);
    const size_t ops_len = w->payload.len;
    TRY(append_literal(w, 0, (size_t)new_len, err));
    /* Incompressible data does not get shorter: unpacked is the most that a
     * block may take. */
    TRY(keep_shorter(w, OG_DELTA_PLAIN, ops_len, &w->payload, err));
    TRY(read_dictionary(w, err));
    w->payload.len = 0;
    TRY(append_literal(w, 0, (size_t)new_len, err));
    TRY(compress(w, true, &w->packed, err));
    return keep_shorter(w, OG_DELTA_WHOLE, 0, &w->packed, err);
}

/* Writes the operations and literals of one block from *at on, and selects the
 * old bytes that may help to pack them. Returns the length of the
 * operations. */
static og_status fill_block(struct writer *w, struct place *at,
                            size_t *out_ops_len, og_error *err)
{
    const struct place from = *at;
    w->payload.len = 0;
    w->n_ranges = 0;
    w->best.len = 0;
    put_operations(w, at);
    *out_ops_len = w->payload.len;
    w->is_whole = add_whole_files(w);
    const size_t n_whole = w->n_ranges;
    TRY(put_literals(w, from, *at, err));
    if (w->is_whole) w->n_ranges = n_whole;
    if (w->payload.len == *out_ops_len) w->n_ranges = 0;
    return OG_OK;
}

static og_status write_blocks(struct writer *w, uint64_t new_len, og_error *err)
{
    struct place at = {0, 0};
    w->expected_old = UINT32_MAX;
    while (at.piece < w->pieces->n) {
        const bool is_first = at.piece == 0 && at.done == 0;
        size_t ops_len;
        TRY(fill_block(w, &at, &ops_len, err));
        const bool may_be_whole = is_first && at.piece == w->pieces->n &&
                                  w->payload.len != ops_len && w->is_whole &&
                                  new_len <= WHOLE_MOST;
        if (!may_be_whole || w->payload.len <= PIECES_MOST)
            TRY(pack_payload(w, ops_len, err));
        if (may_be_whole) TRY(try_whole(w, new_len, err));
        TRY(og_new_file_write(w->out, w->best.data, w->best.len, err));
    }
    const uint8_t end = OG_DELTA_END;
    return w->ends ? OG_OK : og_new_file_write(w->out, &end, 1, err);
}

/* ---- the head ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Numbers the old files in use, in the order of their first use. */
static uint32_t number_olds(struct og_delta_olds *olds,
                            const struct og_delta_pieces *pieces)
{
    uint32_t n = 0;
    for (size_t i = 0; i < olds->n; i++)
        olds->files[i].number = UINT32_MAX;
    for (size_t i = 0; i < pieces->n; i++) {
        if (pieces->data[i].old == UINT32_MAX) continue;
        struct og_delta_old *old = &olds->files[pieces->data[i].old];
        if (old->number == UINT32_MAX) old->number = n++;
    }
    /* Without any copies the first old file may still serve as a dictionary. */
    if (n == 0 && olds->n > 0 && olds->files[0].len > 0)
        olds->files[0].number = n++;
    return n;
}

/* The name of the only old file would be a third of a small head. */
static void put_old_table(struct og_pack *table,
                          const struct og_delta_olds *olds, uint32_t n_used)
{
    og_pack_number(table, n_used);
    for (uint32_t number = 0; number < n_used; number++)
        for (size_t i = 0; i < olds->n; i++) {
            const struct og_delta_old *old = &olds->files[i];
            if (old->number != number) continue;
            const char *name = base_name(old->path);
            size_t name_len = strlen(name);
            if (name_len > OG_DELTA_MAX_NAME) name_len = OG_DELTA_MAX_NAME;
            if (n_used > 1) {
                og_pack_number(table, name_len);
                og_pack_bytes(table, name, name_len);
            }
            og_pack_number(table, old->len);
            og_pack_bytes(table, old->root, OG_DELTA_OLD_ROOT);
        }
}

static bool has_usual_sizes(const og_cut_options *cut)
{
    const og_cut_options usual =
        og_cut_options_default(cut->kind, OG_DELTA_USUAL_CHUNK);
    return cut->min_len == usual.min_len &&
           cut->average_len == usual.average_len &&
           cut->max_len == usual.max_len;
}

static void put_table(struct og_pack *table, const struct og_chunk_tree *tree,
                      const struct og_delta_olds *olds, uint32_t n_used)
{
    const og_cut_options *cut = &tree->options;
    if (!has_usual_sizes(cut)) {
        og_pack_number(table, cut->min_len);
        og_pack_number(table, cut->average_len);
        og_pack_number(table, cut->max_len);
    }
    og_pack_number(table, tree->file_len);
    put_old_table(table, olds, n_used);
}

static og_status write_head(struct writer *w, const struct og_chunk_tree *tree,
                            og_error *err)
{
    struct og_delta_header h = {.version = OG_DELTA_VERSION};
    uint8_t hash[OG_HASH_LEN];
    struct og_pack *table = &w->payload, *head = &w->head;
    const uint32_t n_used = number_olds(w->olds, w->pieces);
    w->n_used = n_used;
    put_table(table, tree, w->olds, n_used);
    if (table->len > OG_DELTA_MAX_TABLE || n_used > OG_DELTA_MAX_OLD)
        return og_error_set(err, OG_ERR_LIMIT,
                            "a delta refers to at most %d old files",
                            OG_DELTA_MAX_OLD);
    memcpy(h.magic, OG_DELTA_MAGIC, sizeof(h.magic));
    h.flags = (uint8_t)tree->options.kind;
    if (!has_usual_sizes(&tree->options)) h.flags |= OG_DELTA_HAS_SIZES;
    if (n_used > 1) h.flags |= OG_DELTA_HAS_NAMES;
    memcpy(h.new_root, tree->root, sizeof(h.new_root));
    og_pack_bytes(head, &h, sizeof(h));
    og_pack_number(head, table->len);
    og_pack_bytes(head, table->data, table->len);
    if (table->failed || head->failed)
        return og_error_memory(err, table->len, "the head of a delta");
    og_bytes_hash(head->data, head->len, hash);
    memcpy(head->data + offsetof(struct og_delta_header, checksum), hash,
           sizeof(h.checksum));
    return og_new_file_write(w->out, head->data, head->len, err);
}

static int level_of(const struct og_delta_pieces *pieces)
{
    uint64_t literal_len = 0;
    size_t i = 0;
    for (size_t k = 0; k < pieces->n; k++)
        if (pieces->data[k].old == UINT32_MAX)
            literal_len += pieces->data[k].len;
    while (literal_len > LEVELS[i].literal_most)
        i++;
    return LEVELS[i].level;
}

static void release(struct writer *w)
{
    struct og_pack *packs[] = {&w->payload, &w->dictionary, &w->plain,
                               &w->packed,  &w->head,       &w->best};
    const size_t n_packs = sizeof(packs) / sizeof(packs[0]);
    for (size_t i = 0; i < n_packs; i++)
        og_pack_release(packs[i]);
    ZSTD_freeCCtx(w->zstd);
    og_release(w->olds->allocator, w, sizeof(*w));
}

og_status og_delta_write(struct og_delta_olds *olds,
                         const struct og_delta_pieces *pieces,
                         struct og_file_window *new_file,
                         const struct og_chunk_tree *new_tree, int level,
                         struct og_new_file *out, og_error *err)
{
    const og_allocator *a = olds->allocator;
    struct writer *w = og_allocate_zero(a, sizeof(*w));
    if (w == NULL) return og_error_memory(err, sizeof(*w), "a delta");
    w->payload.allocator = w->dictionary.allocator = w->plain.allocator = a;
    w->packed.allocator = w->head.allocator = w->best.allocator = a;
    w->olds = olds;
    w->pieces = pieces;
    w->new_file = new_file;
    w->out = out;
    w->level = level;
    w->large_level = level_of(pieces);
    w->zstd = ZSTD_createCCtx();
    og_status status =
        w->zstd == NULL ? og_error_memory(err, 0, "a delta") : OG_OK;
    if (status == OG_OK) status = write_head(w, new_tree, err);
    if (status == OG_OK) status = write_blocks(w, new_tree->file_len, err);
    release(w);
    return status;
}
