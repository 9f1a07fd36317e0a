#include "lib/store/table/additions.h"

#include <string.h>

enum {
    HAS_OFFSET = 1,
    HAS_NEAR = 2,
    HAS_WEIGHT = 4,
    HAS_SPARE = 8,
    ALL_PARTS = 15
};

/* ---- packing ---- */

static uint32_t count_origins(const struct og_additions *add)
{
    uint32_t n = 0;
    for (size_t i = 0; add->origin != NULL && i < add->n; i++)
        n += add->origin[i] != OG_NO_DOC;
    return n;
}

/* A weight of 1 is the rule, and most documents have no other. */
static bool has_weights(const struct og_additions *add)
{
    if (add->weight == NULL) return false;
    for (size_t i = 0; i < add->n; i++)
        if (add->weight[i] != 1) return true;
    return false;
}

/* Numbers one after the other, as files have them. */
static void pack_words(struct og_pack *out, const uint64_t *words, size_t n)
{
    if (!OG_BIG_ENDIAN) og_pack_bytes(out, words, n * sizeof(*words));
    for (size_t i = 0; OG_BIG_ENDIAN && i < n; i++)
        og_pack_fixed(out, words[i], sizeof(*words));
}

static void pack_halves(struct og_pack *out, const uint16_t *halves, size_t n)
{
    if (!OG_BIG_ENDIAN) og_pack_bytes(out, halves, n * sizeof(*halves));
    for (size_t i = 0; OG_BIG_ENDIAN && i < n; i++)
        og_pack_fixed(out, halves[i], sizeof(*halves));
}

static void pack_origins(const struct og_additions *add, struct og_pack *out)
{
    for (size_t i = 0; add->origin != NULL && i < add->n; i++) {
        if (add->origin[i] == OG_NO_DOC) continue;
        og_pack_fixed(out, i, 4);
        og_pack_fixed(out, add->origin[i], 4);
    }
}

static void pack_spares(const struct og_additions *add, struct og_pack *out)
{
    for (size_t i = 0; i < add->n; i += 8) {
        uint8_t bits = 0;
        for (size_t j = i; j < i + 8 && j < add->n; j++)
            bits |= (uint8_t)((add->spare[j] != 0) << (j - i));
        og_pack_bytes(out, &bits, 1);
    }
}

/* A document that selects nothing has arrays of no elements, which may be NULL
 * because they were never allocated: that says nothing about the table. All
 * readers take such a record with both fields. */
static uint64_t parts_of(const struct og_additions *add)
{
    if (add->n == 0) return HAS_OFFSET | HAS_NEAR;
    return (add->offset != NULL ? HAS_OFFSET : 0) |
           (add->near != NULL ? HAS_NEAR : 0) |
           (has_weights(add) ? HAS_WEIGHT : 0) |
           (add->spare != NULL ? HAS_SPARE : 0);
}

void og_additions_pack(const struct og_additions *add, struct og_pack *out)
{
    const uint64_t parts = parts_of(add);
    const size_t n = add->n;
    og_pack_fixed(out, add->doc, 4);
    og_pack_fixed(out, n, 4);
    og_pack_fixed(out, count_origins(add), 4);
    og_pack_fixed(out, parts, 4);
    if (n == 0) return;
    pack_words(out, add->fp, n);
    pack_origins(add, out);
    if ((parts & HAS_OFFSET) != 0) pack_halves(out, add->offset, n);
    if ((parts & HAS_NEAR) != 0) pack_halves(out, add->near, n);
    if ((parts & HAS_WEIGHT) != 0) og_pack_bytes(out, add->weight, n);
    if ((parts & HAS_SPARE) != 0) pack_spares(add, out);
}

/* ---- unpacking ---- */

void og_unpacked_additions_release(struct og_unpacked_additions *u)
{
    OG_UNGROW(u->allocator, u->origin, u->origin_cap);
    OG_UNGROW(u->allocator, u->spare, u->spare_cap);
    OG_UNGROW(u->allocator, u->turned, u->turned_cap);
}

static og_status no_additions(og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "a record of the journal holds no additions");
}

static og_status take_origins(struct og_unpacked_additions *u,
                              struct og_unpacker *from, uint64_t n_origins,
                              og_error *err)
{
    const size_t n = u->add.n;
    u->add.origin = NULL;
    if (n_origins == 0) return OG_OK;
    if (n_origins > n) return no_additions(err);
    if (!OG_GROW(u->allocator, u->origin, u->origin_cap, n))
        return og_error_memory(err, n * sizeof(*u->origin), "additions");
    memset(u->origin, 0xff, n * sizeof(*u->origin)); /* OG_NO_DOC */
    for (uint64_t i = 0; i < n_origins; i++) {
        const uint64_t place = og_take_fixed(from, 4);
        const uint64_t origin = og_take_fixed(from, 4);
        if (from->bad || place >= n) return no_additions(err);
        u->origin[place] = (uint32_t)origin;
    }
    u->add.origin = u->origin;
    return OG_OK;
}

static og_status take_spares(struct og_unpacked_additions *u,
                             struct og_unpacker *from, og_error *err)
{
    const size_t n = u->add.n;
    const uint8_t *bits = og_take_bytes(from, (n + 7) / 8);
    if (bits == NULL) return no_additions(err);
    if (!OG_GROW(u->allocator, u->spare, u->spare_cap, n))
        return og_error_memory(err, n, "additions");
    for (size_t i = 0; i < n; i++)
        u->spare[i] = bits[i / 8] >> i % 8 & 1;
    u->add.spare = u->spare;
    return OG_OK;
}

/* Copies of the numbers, in the byte order of this machine. */
static og_status turn_numbers(struct og_unpacked_additions *u, og_error *err)
{
    const size_t n = u->add.n;
    if (!OG_GROW(u->allocator, u->turned, u->turned_cap, 2 * n))
        return og_error_memory(err, n * 16, "additions");
    uint64_t *fp = u->turned;
    uint16_t *offset = (uint16_t *)(void *)(fp + n), *near = offset + n;
    for (size_t i = 0; i < n; i++) {
        fp[i] = og_le64(u->add.fp[i]);
        if (u->add.offset != NULL) offset[i] = og_le16(u->add.offset[i]);
        if (u->add.near != NULL) near[i] = og_le16(u->add.near[i]);
    }
    u->add.fp = fp;
    if (u->add.offset != NULL) u->add.offset = offset;
    if (u->add.near != NULL) u->add.near = near;
    return OG_OK;
}

/* A table that keeps a field must get it, unless nothing is added: version 0.1
 * wrote such records without any field. */
static bool fits(uint64_t parts, size_t n, struct og_table_fields fields)
{
    if ((parts & ~(uint64_t)ALL_PARTS) != 0) return false;
    return n == 0 || ((fields.offset_len == 0 || (parts & HAS_OFFSET) != 0) &&
                      (fields.near_len == 0 || (parts & HAS_NEAR) != 0));
}

og_status og_additions_unpack(struct og_unpacked_additions *u,
                              const uint8_t *data, size_t len,
                              struct og_table_fields fields, og_error *err)
{
    struct og_unpacker from = {.at = data, .end = data + len};
    u->add = (struct og_additions){0};
    u->add.doc = (uint32_t)og_take_fixed(&from, 4);
    u->add.n = og_take_fixed(&from, 4);
    const uint64_t n_origins = og_take_fixed(&from, 4);
    const uint64_t parts = og_take_fixed(&from, 4);
    if (from.bad || u->add.doc == OG_NO_DOC || !fits(parts, u->add.n, fields))
        return no_additions(err);
    const size_t n = u->add.n;
    u->add.fp = (const uint64_t *)og_take_bytes(&from, 8 * (uint64_t)n);
    if (from.bad) return no_additions(err);
    TRY(take_origins(u, &from, n_origins, err));
    if ((parts & HAS_OFFSET) != 0)
        u->add.offset = (const uint16_t *)og_take_bytes(&from, 2 * n);
    if ((parts & HAS_NEAR) != 0)
        u->add.near = (const uint16_t *)og_take_bytes(&from, 2 * n);
    if ((parts & HAS_WEIGHT) != 0) u->add.weight = og_take_bytes(&from, n);
    if ((parts & HAS_SPARE) != 0) TRY(take_spares(u, &from, err));
    if (from.bad || from.at != from.end) return no_additions(err);
    return OG_BIG_ENDIAN ? turn_numbers(u, err) : OG_OK;
}
