/* Reads a delta from an untrusted source.
 *
 * Everything is checked where it is read: numbers against the limits of
 * delta_format.h before memory is allocated, copies against the length of the
 * old file that the header declares, the sum of all pieces against the length
 * of the new file. A block takes at most 9 MiB of memory whatever it says. A
 * delta cannot name a path to write to: there is no such field. */

#include "lib/delta/delta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static og_status broken(const struct og_delta_source *s, og_error *err,
                        const char *why)
{
    return og_error_set(err, OG_ERR_INPUT,
                        "'%s' is not a valid delta: %s (at byte %llu)", s->name,
                        why, (unsigned long long)s->at);
}

static og_status read_bytes(struct og_delta_source *s, void *out, size_t len,
                            og_error *err)
{
    if (len > s->len - s->at) return broken(s, err, "it is truncated");
    if (s->fd < 0) {
        memcpy(out, s->data + s->at, len);
    } else {
        const int64_t n = og_file_read_at(s->fd, out, len, s->at);
        if (n < 0) return og_file_failure(err, "read", s->name, errno);
        if ((size_t)n < len) return broken(s, err, "it became shorter");
    }
    s->at += len;
    return OG_OK;
}

static og_status read_number(struct og_delta_source *s, uint64_t *out,
                             og_error *err)
{
    uint8_t bytes[10];
    for (size_t n = 0; n < sizeof(bytes); n++) {
        TRY(read_bytes(s, &bytes[n], 1, err));
        if (bytes[n] >= 128) continue;
        struct og_unpacker u = {bytes, bytes + n + 1, false};
        *out = og_take_number(&u);
        return u.bad ? broken(s, err, "a number is too large") : OG_OK;
    }
    return broken(s, err, "a number does not end");
}

/* A number that determines how much memory is allocated. */
static og_status read_limited(struct og_delta_source *s, uint64_t most,
                              const char *what, uint64_t *out, og_error *err)
{
    TRY(read_number(s, out, err));
    return *out > most ? broken(s, err, what) : OG_OK;
}

/* ---- the head ---- */

void og_delta_head_release(struct og_delta_head *head)
{
    const og_allocator *a = head->allocator;
    for (size_t i = 0; i < head->n_olds; i++)
        og_name_release(a, head->olds[i].name);
    OG_UNGROW(a, head->olds, head->olds_cap);
    *head = (struct og_delta_head){.allocator = a};
}

static uint64_t fixed(const uint8_t *p, size_t len)
{
    struct og_unpacker u = {p, p + len, false};
    return og_take_fixed(&u, len);
}

/* The fields before the table, of either version. */
struct opening {
    uint8_t bytes[sizeof(struct og_delta_header_2)];
    size_t len, checksum_off;
    uint8_t flags;
    uint64_t table_len;
};
_Static_assert(sizeof(struct og_delta_header) + 10 <=
                   sizeof(struct og_delta_header_2),
               "the larger has room for the other and a number");

/* What all versions have in common. */
static og_status read_version(struct og_delta_source *s, struct opening *o,
                              og_error *err)
{
    enum { VERSION_OFF = offsetof(struct og_delta_header, version) };
    if (s->len < VERSION_OFF || s->len - s->at < VERSION_OFF)
        return og_error_set(err, OG_ERR_INPUT, "'%s' is not a delta of origo",
                            s->name);
    TRY(read_bytes(s, o->bytes, VERSION_OFF, err));
    if (memcmp(o->bytes, OG_DELTA_MAGIC, VERSION_OFF) != 0)
        return og_error_set(err, OG_ERR_INPUT, "'%s' is not a delta of origo",
                            s->name);
    TRY(read_bytes(s, o->bytes + VERSION_OFF, 2, err));
    o->len = VERSION_OFF + 2;
    const uint8_t version = o->bytes[VERSION_OFF];
    if (version != OG_DELTA_VERSION && version != 2)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is a delta of version %u; this origo reads "
                            "versions 2 and %d",
                            s->name, version, OG_DELTA_VERSION);
    o->flags = o->bytes[VERSION_OFF + 1];
    if ((o->flags & ~(version == 2 ? 0 : OG_DELTA_KNOWN_FLAGS)) != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' needs features that this version of origo "
                            "does not support (bits %#x)",
                            s->name, o->flags);
    return OG_OK;
}

static og_status read_opening_2(struct og_delta_source *s, struct opening *o,
                                struct og_delta_head *head, og_error *err)
{
    struct og_delta_header_2 h;
    TRY(read_bytes(s, o->bytes + o->len, sizeof(h) - o->len, err));
    memcpy(&h, o->bytes, sizeof(h));
    o->len = sizeof(h);
    o->checksum_off = offsetof(struct og_delta_header_2, checksum);
    o->flags = OG_DELTA_HAS_SIZES | OG_DELTA_HAS_NAMES;
    o->flags |= h.cut_kind & OG_DELTA_CUT_KIND;
    if (h.cut_kind > OG_CUT_WINNOW_FAST)
        return broken(s, err, "its chunk sizes are invalid");
    o->table_len = fixed(h.table_len, sizeof(h.table_len));
    head->new_root_len = OG_DELTA_NEW_ROOT_2;
    head->old_root_len = OG_DELTA_OLD_ROOT_2;
    memcpy(head->new_root, h.new_root, OG_DELTA_NEW_ROOT_2);
    return OG_OK;
}

static og_status read_opening_3(struct og_delta_source *s, struct opening *o,
                                struct og_delta_head *head, og_error *err)
{
    struct og_delta_header h;
    TRY(read_bytes(s, o->bytes + o->len, sizeof(h) - o->len, err));
    memcpy(&h, o->bytes, sizeof(h));
    o->checksum_off = offsetof(struct og_delta_header, checksum);
    const uint64_t before = s->at;
    TRY(read_number(s, &o->table_len, err));
    const size_t number_len = (size_t)(s->at - before);
    s->at = before;
    TRY(read_bytes(s, o->bytes + sizeof(h), number_len, err));
    o->len = sizeof(h) + number_len;
    head->new_root_len = OG_DELTA_NEW_ROOT;
    head->old_root_len = OG_DELTA_OLD_ROOT;
    memcpy(head->new_root, h.new_root, OG_DELTA_NEW_ROOT);
    return OG_OK;
}

/* The sizes in front of the table. */
static og_status take_sizes(const struct og_delta_source *s,
                            struct og_unpacker *u, uint8_t flags,
                            struct og_delta_head *head, og_error *err)
{
    const unsigned cut_kind = flags & OG_DELTA_CUT_KIND;
    if (cut_kind > OG_CUT_WINNOW_FAST)
        return broken(s, err, "its chunk sizes are invalid");
    head->cut =
        og_cut_options_default((og_cut_kind)cut_kind, OG_DELTA_USUAL_CHUNK);
    if ((flags & OG_DELTA_HAS_SIZES) != 0) {
        const uint64_t min = og_take_number(u), average = og_take_number(u);
        const uint64_t max = og_take_number(u);
        if (u->bad || max > UINT32_MAX || average > max || min > max)
            return broken(s, err, "its chunk sizes are invalid");
        head->cut.min_len = (uint32_t)min;
        head->cut.average_len = (uint32_t)average;
        head->cut.max_len = (uint32_t)max;
    }
    head->new_len = og_take_number(u);
    if (og_cut_options_check(&head->cut, NULL) != OG_OK)
        return broken(s, err, "its chunk sizes are invalid");
    if (u->bad || head->new_len > INT64_MAX)
        return broken(s, err, "its new file is too large");
    return OG_OK;
}

static og_status take_old(const struct og_delta_source *s,
                          const struct og_delta_head *head, bool has_name,
                          struct og_unpacker *u, struct og_delta_entry *out,
                          og_error *err)
{
    const uint64_t name_len = has_name ? og_take_number(u) : 0;
    if (name_len > OG_DELTA_MAX_NAME)
        return broken(s, err, "the name of an old file is too long");
    const uint8_t *name = og_take_bytes(u, name_len);
    out->len = og_take_number(u);
    const uint8_t *root = og_take_bytes(u, head->old_root_len);
    if (u->bad || name == NULL || root == NULL || out->len > INT64_MAX)
        return broken(s, err, "its table of old files is damaged");
    memcpy(out->root, root, head->old_root_len);
    out->name = og_name_new(head->allocator, name, (size_t)name_len);
    if (out->name == NULL)
        return og_error_memory(err, (size_t)name_len, "a name");
    return OG_OK;
}

static og_status take_table(const struct og_delta_source *s,
                            const uint8_t *table, size_t len, uint8_t flags,
                            struct og_delta_head *head, og_error *err)
{
    const bool has_names = (flags & OG_DELTA_HAS_NAMES) != 0;
    struct og_unpacker u = {table, table + len, false};
    TRY(take_sizes(s, &u, flags, head, err));
    const uint64_t n = og_take_number(&u);
    /* Each takes at least 5 bytes: a false count costs no memory. */
    if (n > OG_DELTA_MAX_OLD || n * (1 + head->old_root_len) > len)
        return broken(s, err, "it names too many old files");
    if (!OG_GROW(head->allocator, head->olds, head->olds_cap, n + 1))
        return og_error_memory(err, n * sizeof(*head->olds), "old files");
    for (uint64_t i = 0; i < n; i++) {
        TRY(take_old(s, head, has_names, &u, &head->olds[i], err));
        head->n_olds++;
    }
    if (u.bad || og_unpacker_left(&u) > 0)
        return broken(s, err, "its table of old files is damaged");
    return OG_OK;
}

static og_status check_sum(const struct og_delta_source *s, uint8_t *data,
                           size_t len, size_t off, og_error *err)
{
    uint8_t stored[4], hash[OG_HASH_LEN];
    memcpy(stored, data + off, sizeof(stored));
    memset(data + off, 0, sizeof(stored));
    og_bytes_hash(data, len, hash);
    return memcmp(stored, hash, sizeof(stored)) == 0
               ? OG_OK
               : broken(s, err, "its head does not match its checksum");
}

og_status og_delta_read_head(struct og_delta_source *source,
                             const og_allocator *allocator,
                             struct og_delta_head *head, og_error *err)
{
    struct opening o = {0};
    *head = (struct og_delta_head){.allocator = allocator};
    TRY(read_version(source, &o, err));
    TRY(o.bytes[offsetof(struct og_delta_header, version)] == 2
            ? read_opening_2(source, &o, head, err)
            : read_opening_3(source, &o, head, err));
    if (o.table_len > OG_DELTA_MAX_TABLE ||
        o.table_len > source->len - source->at)
        return broken(source, err, "its table of old files is truncated");
    const size_t table_len = (size_t)o.table_len, all_len = o.len + table_len;
    uint8_t *all = og_allocate(allocator, all_len);
    if (all == NULL) return og_error_memory(err, table_len, "old files");
    memcpy(all, o.bytes, o.len);
    og_status status = read_bytes(source, all + o.len, table_len, err);
    if (status == OG_OK)
        status = check_sum(source, all, all_len, o.checksum_off, err);
    if (status == OG_OK)
        status = take_table(source, all + o.len, table_len, o.flags, head, err);
    og_release(allocator, all, all_len);
    if (status != OG_OK) og_delta_head_release(head);
    return status;
}

/* ---- blocks ---- */

struct reader {
    const og_allocator *allocator;
    struct og_delta_source *source;
    const struct og_delta_head *head;
    const struct og_delta_sink *sink;
    ZSTD_DCtx *zstd;
    uint8_t *payload, *packed, *dictionary, *copy;
    size_t payload_cap, packed_cap, dictionary_cap, copy_cap;
    size_t dictionary_len;
    uint64_t written;
    uint64_t expected_old, expected_off;
};

enum { COPY_LEN = 1 << 18 };

static og_status reserve(const struct reader *r, uint8_t **data, size_t *cap,
                         uint64_t len, og_error *err)
{
    if (OG_GROW(r->allocator, *data, *cap, (size_t)len)) return OG_OK;
    return og_error_memory(err, (size_t)len, "a block of a delta");
}

static og_status add_range(struct reader *r, uint64_t old, uint64_t off,
                           uint64_t len, og_error *err)
{
    if (old >= r->head->n_olds || off > r->head->olds[old].len ||
        len > r->head->olds[old].len - off)
        return broken(r->source, err, "a dictionary lies outside its old file");
    if (len > OG_DELTA_MAX_DICTIONARY - r->dictionary_len)
        return broken(r->source, err, "a dictionary is too large");
    TRY(reserve(r, &r->dictionary, &r->dictionary_cap,
                r->dictionary_len + len + 1, err));
    TRY(r->sink->read(r->sink->ctx, (uint32_t)old, off, (size_t)len,
                      r->dictionary + r->dictionary_len, err));
    r->dictionary_len += (size_t)len;
    return OG_OK;
}

/* All old files, the last one first. */
static og_status read_all_olds(struct reader *r, og_error *err)
{
    r->dictionary_len = 0;
    for (size_t i = r->head->n_olds; i-- > 0;)
        TRY(add_range(r, i, 0, r->head->olds[i].len, err));
    return OG_OK;
}

/* No ranges means all old files. */
static og_status read_dictionary(struct reader *r, og_error *err)
{
    struct og_delta_source *s = r->source;
    uint64_t n, old, off, len;
    r->dictionary_len = 0;
    TRY(read_limited(s, OG_DELTA_MAX_RANGES, "a dictionary has too many parts",
                     &n, err));
    if (n == 0) return read_all_olds(r, err);
    for (uint64_t i = 0; i < n; i++) {
        TRY(read_number(s, &old, err));
        TRY(read_number(s, &off, err));
        TRY(read_number(s, &len, err));
        TRY(add_range(r, old, off, len, err));
    }
    return OG_OK;
}

static og_status unpack_payload(struct reader *r, uint64_t packing,
                                size_t packed_len, size_t len, og_error *err)
{
    struct og_delta_source *s = r->source;
    TRY(reserve(r, &r->payload, &r->payload_cap, len + 1, err));
    if (packing == OG_DELTA_PLAIN) {
        if (packed_len != len)
            return broken(s, err, "the lengths of a block differ");
        return read_bytes(s, r->payload, len, err);
    }
    const size_t magic_len = sizeof(OG_DELTA_ZSTD_MAGIC);
    TRY(reserve(r, &r->packed, &r->packed_cap, magic_len + packed_len, err));
    memcpy(r->packed, OG_DELTA_ZSTD_MAGIC, magic_len);
    TRY(read_bytes(s, r->packed + magic_len, packed_len, err));
    ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, OG_DELTA_WINDOW_LOG);
    if (packing == OG_DELTA_DICTIONARY || packing == OG_DELTA_WHOLE)
        ZSTD_DCtx_refPrefix(r->zstd, r->dictionary, r->dictionary_len);
    const size_t n = ZSTD_decompressDCtx(r->zstd, r->payload, len, r->packed,
                                         magic_len + packed_len);
    if (ZSTD_isError(n) || n != len)
        return broken(s, err, "a block cannot be unpacked");
    return OG_OK;
}

static og_status write_bytes(struct reader *r, const uint8_t *data, size_t len,
                             og_error *err)
{
    if (len > r->head->new_len - r->written)
        return broken(r->source, err, "it makes more than its new file has");
    r->written += len;
    return len == 0 ? OG_OK : r->sink->write(r->sink->ctx, data, len, err);
}

static og_status copy_old(struct reader *r, struct og_unpacker *u, uint64_t len,
                          og_error *err)
{
    const uint64_t old = og_take_number(u);
    const int64_t distance = og_take_signed(u);
    const uint64_t from = old == r->expected_old ? r->expected_off : 0;
    uint64_t off = from + (uint64_t)distance;
    if (u->bad || old >= r->head->n_olds || off > r->head->olds[old].len ||
        len > r->head->olds[old].len - off)
        return broken(r->source, err, "a copy lies outside its old file");
    if (len > r->head->new_len - r->written)
        return broken(r->source, err, "it makes more than its new file has");
    r->expected_old = old;
    r->expected_off = off + len;
    TRY(reserve(r, &r->copy, &r->copy_cap, COPY_LEN, err));
    while (len > 0) {
        const size_t n = len < COPY_LEN ? (size_t)len : COPY_LEN;
        TRY(r->sink->read(r->sink->ctx, (uint32_t)old, off, n, r->copy, err));
        TRY(write_bytes(r, r->copy, n, err));
        off += n;
        len -= n;
    }
    return OG_OK;
}

static og_status run_operations(struct reader *r, size_t ops_len,
                                size_t literal_len, og_error *err)
{
    struct og_unpacker u = {r->payload, r->payload + ops_len, false};
    const uint8_t *literal = r->payload + ops_len;
    while (og_unpacker_left(&u) > 0) {
        const uint64_t n = og_take_number(&u);
        const uint64_t copy_len = og_take_number(&u);
        if (u.bad || n > literal_len)
            return broken(r->source, err, "the steps of a block are damaged");
        TRY(write_bytes(r, literal, (size_t)n, err));
        literal += n;
        literal_len -= (size_t)n;
        if (copy_len > 0) TRY(copy_old(r, &u, copy_len, err));
        if (n == 0 && copy_len == 0)
            return broken(r->source, err, "a step does nothing");
    }
    if (literal_len > 0)
        return broken(r->source, err, "a block has bytes left over");
    return OG_OK;
}

static og_status read_block(struct reader *r, uint64_t packing, og_error *err)
{
    struct og_delta_source *s = r->source;
    uint64_t ops_len, literal_len, packed_len;
    if (packing > OG_DELTA_DICTIONARY)
        return broken(s, err, "a block is of an unknown kind");
    TRY(read_limited(s, OG_DELTA_MAX_OPS, "a block has too many steps",
                     &ops_len, err));
    TRY(read_limited(s, OG_DELTA_MAX_LITERAL, "a block is too large",
                     &literal_len, err));
    /* Earlier writers packed incompressible data with zstd, some bytes longer
     * than the original. */
    TRY(read_limited(s, ZSTD_COMPRESSBOUND(ops_len + literal_len),
                     "a block is too large", &packed_len, err));
    if (packing == OG_DELTA_DICTIONARY) TRY(read_dictionary(r, err));
    if (packed_len > s->len - s->at) return broken(s, err, "it is truncated");
    TRY(unpack_payload(r, packing, (size_t)packed_len,
                       (size_t)(ops_len + literal_len), err));
    return run_operations(r, (size_t)ops_len, (size_t)literal_len, err);
}

/* The rest of the delta is the new file. */
static og_status read_whole(struct reader *r, og_error *err)
{
    struct og_delta_source *s = r->source;
    const uint64_t len = r->head->new_len, packed_len = s->len - s->at;
    if (r->written > 0 || len > OG_DELTA_MAX_LITERAL ||
        packed_len > ZSTD_COMPRESSBOUND(len))
        return broken(s, err, "a block is too large");
    TRY(read_all_olds(r, err));
    TRY(unpack_payload(r, OG_DELTA_WHOLE, (size_t)packed_len, (size_t)len,
                       err));
    return write_bytes(r, r->payload, (size_t)len, err);
}

static og_status read_blocks(struct reader *r, og_error *err)
{
    uint64_t packing;
    for (;;) {
        TRY(read_number(r->source, &packing, err));
        if (packing == OG_DELTA_END) break;
        if (packing == OG_DELTA_WHOLE) return read_whole(r, err);
        TRY(read_block(r, packing, err));
    }
    if (r->source->at != r->source->len)
        return broken(r->source, err, "something follows its end");
    if (r->written != r->head->new_len)
        return broken(r->source, err, "it makes less than its new file has");
    return OG_OK;
}

og_status og_delta_read_blocks(struct og_delta_source *source,
                               const struct og_delta_head *head,
                               const struct og_delta_sink *sink, og_error *err)
{
    const og_allocator *a = head->allocator;
    struct reader r = {.allocator = a,
                       .source = source,
                       .head = head,
                       .sink = sink,
                       .expected_old = UINT64_MAX};
    r.zstd = ZSTD_createDCtx();
    const og_status status = r.zstd == NULL ? og_error_memory(err, 0, "a delta")
                                            : read_blocks(&r, err);
    ZSTD_freeDCtx(r.zstd);
    OG_UNGROW(a, r.payload, r.payload_cap);
    OG_UNGROW(a, r.packed, r.packed_cap);
    OG_UNGROW(a, r.dictionary, r.dictionary_cap);
    OG_UNGROW(a, r.copy, r.copy_cap);
    return status;
}
