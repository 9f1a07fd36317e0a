/* The requests of front ends to a partition: <origo/partition.h> describes the
 * format.
 *
 * A batch is read twice. The first pass only checks, and counts what the second
 * will need; so an error leaves the partition unchanged, and the second pass
 * neither fails nor checks lengths again. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/packing.h"
#include "lib/partition/partition.h"

#define FP_LEN  8
#define HIT_LEN 8
/* Of the two kinds of "not found". */
#define MAY_HAVE_LOST 1
#define ALL_FLAGS                                                              \
    (OG_BATCH_ORIGINS | OG_BATCH_WEIGHTS | OG_BATCH_SPARE | OG_BATCH_SEEN |    \
     OG_BATCH_LISTED)

/* ---- answers ---- */

/* This many hits fit on the stack. */
#define GROUP 256

static void write_hit(const struct og_table *t, uint64_t fp,
                      const struct og_hit *hit, uint8_t *out)
{
    const bool found = hit->doc != OG_NO_DOC;
    const uint16_t lost =
        !found && og_table_may_have_lost(t, fp) ? MAY_HAVE_LOST : 0;
    const uint16_t offset = og_le16(found ? hit->offset : lost);
    const uint16_t near = og_le16(found ? hit->near : 0);
    og_store32(out, hit->doc);
    memcpy(out + 4, &offset, 2);
    memcpy(out + 6, &near, 2);
}

/* Returns the number found. */
static uint64_t write_hits(const struct og_table *t, const uint64_t *fps,
                           size_t n, uint8_t *out)
{
    struct og_hit hits[GROUP];
    uint64_t n_found = 0;
    for (size_t done = 0; done < n; done += GROUP) {
        const size_t some = n - done < GROUP ? n - done : GROUP;
        og_table_find_many(t, fps + done, some, hits);
        for (size_t i = 0; i < some; i++) {
            n_found += hits[i].doc != OG_NO_DOC;
            write_hit(t, fps[done + i], &hits[i], out + (done + i) * HIT_LEN);
        }
    }
    return n_found;
}

static void load_fps(uint64_t *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = og_load64(from + i * FP_LEN);
}

og_status og_partition_look_up(const og_partition *partition, og_bytes fps,
                               og_partition_bytes *answer,
                               og_partition_counts *counts, og_error *err)
{
    const size_t n = fps.len / FP_LEN;
    TRY(og_partition_check_loaded(partition, err));
    if (fps.len % FP_LEN != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "fingerprints have %d bytes each, which %zu bytes "
                            "are not",
                            FP_LEN, fps.len);
    TRY(og_partition_bytes_reserve(answer, n * HIT_LEN, err));
    og_partition_counts sum = {.n_fps = n};
    uint64_t group[GROUP];
    for (size_t done = 0; done < n; done += GROUP) {
        const size_t some = n - done < GROUP ? n - done : GROUP;
        load_fps(group, (const uint8_t *)fps.data + done * FP_LEN, some);
        sum.n_found += write_hits(&partition->table, group, some,
                                  (uint8_t *)answer->data + done * HIT_LEN);
    }
    answer->len = n * HIT_LEN;
    if (counts != NULL) *counts = sum;
    return OG_OK;
}

/* ---- one document of a batch ---- */

/* Views of the batch. */
struct batch_document {
    uint32_t doc, n, flags, n_reversed;
    const uint8_t *fps, *origins, *reversed, *offsets, *near, *weights, *spare;
};

static const uint8_t *take_array(struct og_unpacker *from, bool is_there,
                                 uint32_t n, size_t size)
{
    return is_there ? og_take_bytes(from, (uint64_t)n * size) : NULL;
}

static void take_document(const og_partition_options *o,
                          struct og_unpacker *from, struct batch_document *out)
{
    out->doc = (uint32_t)og_take_fixed(from, 4);
    out->n = (uint32_t)og_take_fixed(from, 4);
    out->flags = (uint32_t)og_take_fixed(from, 4);
    out->n_reversed = (uint32_t)og_take_fixed(from, 4);
    const uint32_t n = out->n, flags = out->flags;
    out->fps = og_take_bytes(from, (uint64_t)n * FP_LEN);
    out->origins = take_array(from, (flags & OG_BATCH_ORIGINS) != 0, n, 4);
    out->reversed = og_take_bytes(from, (uint64_t)out->n_reversed * 4);
    out->offsets = take_array(from, o->offset_len > 0, n, 2);
    out->near = take_array(from, o->near_len > 0, n, 2);
    out->weights = take_array(from, (flags & OG_BATCH_WEIGHTS) != 0, n, 1);
    out->spare = take_array(from, (flags & OG_BATCH_SPARE) != 0, n, 1);
}

/* ---- the first walk ---- */

static bool ascends(const uint8_t *numbers, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (og_load32(numbers + 4 * (i - 1)) >= og_load32(numbers + 4 * i))
            return false;
    return true;
}

struct batch_size {
    uint64_t n_documents, n_fps;
    uint32_t most_fps, most_reversed; /* of one document */
};

static og_status check_batch(const og_partition *partition, og_bytes batch,
                             struct batch_size *size, og_error *err)
{
    const uint8_t *begin = (const uint8_t *)batch.data;
    struct og_unpacker from = {begin, begin + batch.len, false};
    *size = (struct batch_size){0};
    while (og_unpacker_left(&from) > 0) {
        const size_t at = (size_t)(from.at - begin);
        struct batch_document d;
        take_document(&partition->options, &from, &d);
        if (from.bad)
            return og_error_set(
                err, OG_ERR_INPUT,
                "document %llu of the batch, at byte %zu of %zu, is truncated",
                (unsigned long long)size->n_documents, at, batch.len);
        if ((d.flags & ~(uint32_t)ALL_FLAGS) != 0)
            return og_error_set(err, OG_ERR_INPUT,
                                "document %llu of the batch has flags %#x, "
                                "which are not known",
                                (unsigned long long)size->n_documents, d.flags);
        if (d.doc == OG_NO_DOC)
            return og_error_set(err, OG_ERR_INPUT,
                                "document %llu of the batch has the number of "
                                "no document",
                                (unsigned long long)size->n_documents);
        if (!ascends(d.reversed, d.n_reversed))
            return og_error_set(err, OG_ERR_INPUT,
                                "document %llu of the batch has a list of "
                                "documents that does not ascend",
                                (unsigned long long)size->n_documents);
        size->n_documents++;
        size->n_fps += d.n;
        if (d.n > size->most_fps) size->most_fps = d.n;
        if (d.n_reversed > size->most_reversed)
            size->most_reversed = d.n_reversed;
    }
    return OG_OK;
}

/* ---- the second walk ---- */

/* Arrays for one document: in the batch they may be at any address, and in
 * another byte order. */
struct batch_arrays {
    uint64_t *fps;
    uint32_t *origins, *reversed;
    uint16_t *offsets, *near;
    uint8_t *ones;
};

static size_t arrays_len(const struct batch_size *size)
{
    const size_t n = size->most_fps;
    return n * (8 + 4 + 2 + 2 + 1) + (size_t)size->most_reversed * 4;
}

/* After the answer, in the same memory: the larger numbers first. */
static struct batch_arrays cut_arrays(void *memory,
                                      const struct batch_size *size)
{
    const size_t n = size->most_fps;
    struct batch_arrays a;
    a.fps = memory;
    a.origins = (uint32_t *)(a.fps + n);
    a.reversed = a.origins + n;
    a.offsets = (uint16_t *)(a.reversed + size->most_reversed);
    a.near = a.offsets + n;
    a.ones = (uint8_t *)(a.near + n);
    memset(a.ones, 1, n);
    return a;
}

static const uint32_t *load_numbers(uint32_t *to, const uint8_t *from, size_t n)
{
    if (from == NULL) return NULL;
    for (size_t i = 0; i < n; i++)
        to[i] = og_load32(from + i * 4);
    return to;
}

static const uint16_t *load_shorts(uint16_t *to, const uint8_t *from, size_t n)
{
    if (from == NULL) return NULL;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
    return to;
}

struct reversed_documents {
    const uint32_t *docs;
    uint32_t n;
    bool only_listed; /* OG_BATCH_LISTED */
};

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* By their numbers, unless the front end lists the order. */
static bool is_earlier(const void *ctx, uint32_t a, uint32_t b)
{
    const struct reversed_documents *reversed = ctx;
    const bool is_listed =
        reversed->n > 0 && bsearch(&b, reversed->docs, reversed->n, sizeof(b),
                                   compare_numbers) != NULL;
    if (reversed->only_listed) return is_listed;
    return is_listed ? a > b : a < b;
}

static void observe_document(og_partition *partition,
                             const struct batch_document *d,
                             const struct batch_arrays *a)
{
    const uint8_t *weights = d->weights != NULL ? d->weights : a->ones;
    const struct reversed_documents reversed = {
        load_numbers(a->reversed, d->reversed, d->n_reversed), d->n_reversed,
        (d->flags & OG_BATCH_LISTED) != 0};
    if ((d->flags & OG_BATCH_SEEN) != 0) {
        og_table_see_many(&partition->table, a->fps, weights, d->n);
        return;
    }
    const struct og_additions add = {
        .doc = d->doc,
        .fp = a->fps,
        .offset = load_shorts(a->offsets, d->offsets, d->n),
        .near = load_shorts(a->near, d->near, d->n),
        .weight = weights,
        .origin = load_numbers(a->origins, d->origins, d->n),
        .spare = d->spare,
        .n = d->n,
        .earlier = reversed.n > 0 || reversed.only_listed ? is_earlier : NULL,
        .ctx = &reversed};
    og_table_add_many(&partition->table, &add);
}

static void observe_batch(og_partition *partition, og_bytes batch,
                          bool only_counts, const struct batch_arrays *a,
                          uint8_t *answer, og_partition_counts *sum)
{
    const uint8_t *begin = (const uint8_t *)batch.data;
    struct og_table *t = &partition->table;
    struct og_unpacker from = {begin, begin + batch.len, false};
    while (og_unpacker_left(&from) > 0) {
        struct batch_document d;
        take_document(&partition->options, &from, &d);
        load_fps(a->fps, d.fps, d.n);
        const uint64_t n_before = t->n_used + t->n_evicted;
        const uint64_t n_evicted = t->n_evicted;
        if (!only_counts) {
            sum->n_found += write_hits(t, a->fps, d.n, answer);
            answer += (size_t)d.n * HIT_LEN;
        }
        observe_document(partition, &d, a);
        const uint64_t n_new = t->n_used + t->n_evicted - n_before;
        if (only_counts) {
            og_store32(answer, (uint32_t)n_new);
            answer += 4;
        }
        sum->n_new += n_new;
        sum->n_evicted += t->n_evicted - n_evicted;
    }
}

og_status og_partition_observe(og_partition *partition, og_bytes batch,
                               bool only_counts, og_partition_bytes *answer,
                               og_partition_counts *counts, og_error *err)
{
    struct batch_size size;
    TRY(og_partition_check_loaded(partition, err));
    TRY(check_batch(partition, batch, &size, err));
    const size_t answer_len =
        only_counts ? size.n_documents * 4 : size.n_fps * HIT_LEN;
    /* Never empty: without fingerprints there is still a valid address. */
    const size_t arrays_off = (answer_len / 8 + 1) * 8;
    TRY(og_partition_bytes_reserve(answer, arrays_off + arrays_len(&size),
                                   err));
    og_partition_counts sum = {.n_documents = size.n_documents,
                               .n_fps = size.n_fps};
    if (size.n_documents > 0) {
        const struct batch_arrays a =
            cut_arrays(answer->data + arrays_off, &size);
        observe_batch(partition, batch, only_counts, &a,
                      (uint8_t *)answer->data, &sum);
    }
    answer->len = answer_len;
    if (counts != NULL) *counts = sum;
    return OG_OK;
}
