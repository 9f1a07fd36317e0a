#include "lib/store/catalogue/entry.h"

#include "lib/base/checksum.h"

/* The flags are followed by the source of the time; in entries of earlier
 * versions it is 0, unknown. */
enum {
    HAS_TIME = 1,
    HAS_SERIES = 2,
    SOURCE_SHIFT = 2,
    IS_PURGED = 32,
    ALL_FLAGS = 63
};

static void pack_string(struct og_pack *out, og_bytes s)
{
    og_pack_number(out, s.len);
    og_pack_bytes(out, s.data, s.len);
}

static void pack_fields(const struct og_entry *e, struct og_pack *out)
{
    const bool has_series = e->series != OG_NO_DOC;
    const unsigned source = e->has_time ? (unsigned)e->time_source : 0;
    og_pack_fixed(out,
                  (e->has_time ? HAS_TIME : 0) | (has_series ? HAS_SERIES : 0) |
                      source << SOURCE_SHIFT | (e->is_purged ? IS_PURGED : 0),
                  1);
    og_pack_fixed(out, (uint64_t)e->time, 8);
    og_pack_fixed(out, e->text_hash, 8);
    og_pack_number(out, e->text_len);
    og_pack_number(out, e->n_tokens);
    if (has_series) og_pack_number(out, e->series);
    og_pack_fixed(out, e->same, 4);
    og_pack_number(out, e->place.segment);
    og_pack_number(out, e->place.frame_off);
    og_pack_number(out, e->place.text_off);
    pack_string(out, e->id);
    pack_string(out, e->title);
    pack_string(out, e->url);
    pack_string(out, e->extra);
    og_pack_number(out, e->n_origins);
    for (uint32_t i = 0; i < e->n_origins; i++) {
        og_pack_number(out, e->origins[i].doc);
        og_pack_number(out, e->origins[i].n_tokens);
    }
}

void og_entry_pack(const struct og_entry *entry, struct og_pack *out)
{
    const size_t begin = out->len;
    og_pack_fixed(out, 0, 8);
    pack_fields(entry, out);
    if (out->failed) return;
    const size_t body = begin + 8;
    og_store64(out->data + begin,
               og_checksum(out->data + body, out->len - body));
}

static og_bytes take_string(struct og_unpacker *u)
{
    const uint64_t len = og_take_number(u);
    const uint8_t *data = og_take_bytes(u, len);
    if (data == NULL) return (og_bytes){"", 0};
    return (og_bytes){(const char *)data, len};
}

/* Numbers that the format limits to 32 bits. */
static uint32_t take32(struct og_unpacker *u)
{
    const uint64_t v = og_take_number(u);
    if (v > UINT32_MAX) u->bad = true;
    return (uint32_t)v;
}

static void take_origins(struct og_unpacker *u, struct og_entry *out)
{
    out->n_origins = take32(u);
    if (out->n_origins > OG_ENTRY_ORIGINS) {
        u->bad = true;
        out->n_origins = 0;
    }
    for (uint32_t i = 0; i < out->n_origins; i++) {
        out->origins[i].doc = take32(u);
        out->origins[i].n_tokens = take32(u);
    }
}

static void take_fields(struct og_unpacker *u, struct og_entry *out)
{
    const uint64_t flags = og_take_fixed(u, 1);
    if ((flags & ~(uint64_t)ALL_FLAGS) != 0) u->bad = true;
    out->has_time = (flags & HAS_TIME) != 0;
    out->is_purged = (flags & IS_PURGED) != 0;
    out->time_source = (og_time_source)(flags >> SOURCE_SHIFT & 7);
    if (out->time_source > OG_TIME_FILE) u->bad = true;
    out->time = (int64_t)og_take_fixed(u, 8);
    out->text_hash = og_take_fixed(u, 8);
    out->text_len = og_take_number(u);
    out->n_tokens = og_take_number(u);
    out->series = (flags & HAS_SERIES) != 0 ? take32(u) : OG_NO_DOC;
    out->same = (uint32_t)og_take_fixed(u, 4);
    out->place.segment = take32(u);
    out->place.frame_off = og_take_number(u);
    out->place.text_off = take32(u);
    out->id = take_string(u);
    out->title = take_string(u);
    out->url = take_string(u);
    out->extra = take_string(u);
    take_origins(u, out);
}

bool og_entry_unpack(og_bytes bytes, struct og_entry *out)
{
    const uint8_t *data = (const uint8_t *)bytes.data;
    if (bytes.len < 8) return false;
    if (og_load64(data) != og_checksum(data + 8, bytes.len - 8)) return false;
    struct og_unpacker u = {.at = data + 8, .end = data + bytes.len};
    take_fields(&u, out);
    return !u.bad && u.at == u.end;
}

/* The documents with the most shingles; there are few, so a list is enough. */
void og_entry_count_origin(struct og_entry_origin *list, uint32_t *n_list,
                           uint32_t doc, uint32_t n)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < *n_list; i++) {
        if (list[i].doc == doc) {
            list[i].n_tokens += n;
            return;
        }
        if (list[i].n_tokens < list[least].n_tokens) least = i;
    }
    const struct og_entry_origin origin = {doc, n};
    if (*n_list < OG_ENTRY_ORIGINS)
        list[(*n_list)++] = origin;
    else if (n > list[least].n_tokens)
        list[least] = origin;
}

/* Those with the most shingles first; equal ones keep their order. */
void og_entry_sort_origins(struct og_entry_origin *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct og_entry_origin one = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1].n_tokens < one.n_tokens; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
}

void og_entry_purge(struct og_entry *entry)
{
    static const og_bytes none = {"", 0};
    *entry = (struct og_entry){.id = none,
                               .title = none,
                               .url = none,
                               .extra = none,
                               .time = entry->time,
                               .has_time = entry->has_time,
                               .time_source = entry->time_source,
                               .is_purged = true,
                               .series = OG_NO_DOC};
}
