/* The directory of words, and a counting sort of forms by every 16 bits of
 * their signatures. */

#include "lib/sentence/index/segment_parts.h"

#include <string.h>

/* ---- the directory ---- */

og_status og_directory_init(struct og_directory *d, uint64_t n_words,
                            const og_allocator *allocator, og_error *err)
{
    *d = (struct og_directory){.allocator = allocator};
    while (d->n_bits < 28 && ((uint64_t)1 << d->n_bits) < n_words)
        d->n_bits++;
    const size_t len = (((size_t)1 << d->n_bits) + 1) * sizeof(*d->counts);
    d->counts = og_allocate_zero(allocator, len);
    if (d->counts == NULL) return og_error_memory(err, len, "a directory");
    return OG_OK;
}

void og_directory_release(struct og_directory *d)
{
    og_release(d->allocator, d->counts,
               (((size_t)1 << d->n_bits) + 1) * sizeof(*d->counts));
    d->counts = NULL;
}

void og_directory_write(struct og_directory *d, struct og_segment_writer *sink)
{
    const size_t n = (size_t)1 << d->n_bits;
    for (size_t i = 0; i < n; i++)
        d->counts[i + 1] += d->counts[i];
    og_segment_write(sink, d->counts, (n + 1) * sizeof(*d->counts));
    og_segment_end_section(sink);
}

/* ---- writing signatures ---- */

enum { N_KEYS = 65536 };

static void write_part(struct og_segment_writer *sink, unsigned part, size_t n,
                       const void *ctx,
                       struct og_signature (*signature)(const void *, size_t),
                       uint32_t *starts, uint32_t *forms)
{
    memset(starts, 0, (N_KEYS + 1) * sizeof(*starts));
    for (size_t i = 0; i < n; i++) {
        const struct og_signature s = signature(ctx, i);
        starts[og_signature_part(&s, part) + 1]++;
    }
    for (size_t i = 0; i < N_KEYS; i++)
        starts[i + 1] += starts[i];
    og_segment_write(sink, starts, (N_KEYS + 1) * sizeof(*starts));
    for (size_t i = 0; i < n; i++) {
        const struct og_signature s = signature(ctx, i);
        forms[starts[og_signature_part(&s, part)]++] = (uint32_t)i;
    }
    og_segment_write(sink, forms, n * sizeof(*forms));
}

og_status
og_write_signatures(struct og_segment_writer *sink, uint32_t signature_bits,
                    size_t n_forms, const void *ctx,
                    struct og_signature (*signature)(const void *, size_t),
                    const og_allocator *allocator, og_error *err)
{
    const size_t len = (N_KEYS + 1 + n_forms) * sizeof(uint32_t);
    if (signature_bits != 0) {
        uint32_t *scratch = og_allocate(allocator, len);
        if (scratch == NULL) return og_error_memory(err, len, "signatures");
        for (size_t i = 0; i < n_forms; i++) {
            const struct og_signature s = og_signature_le(signature(ctx, i));
            og_segment_write(sink, &s, signature_bits / 8);
        }
        og_segment_end_section(sink);
        for (unsigned p = 0; p < signature_bits / 16; p++)
            write_part(sink, p, n_forms, ctx, signature, scratch,
                       scratch + N_KEYS + 1);
        og_release(allocator, scratch, len);
    } else {
        og_segment_end_section(sink);
    }
    og_segment_end_section(sink);
    return OG_OK;
}
