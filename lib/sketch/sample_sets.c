/* Sets of samples: the smallest hashes, and those divisible by a number.
 *
 * Both keep part of a single random order, so a feature costs one hash. The
 * part is chosen consistently: the parts of A and B together determine the part
 * of their union. For `modulo` that part is the union of both parts. For the
 * smallest k it is the k smallest of that union; others could not be in the
 * union's part and must not count (the book, chapter 3). */

#include <math.h>
#include <stdlib.h>

#include "lib/sketch/minhash.h"

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_distinct(uint64_t *set, size_t n)
{
    size_t n_kept = 0;
    if (n == 0) return 0;
    qsort(set, n, sizeof(*set), by_value);
    for (size_t i = 0; i < n; i++)
        if (n_kept == 0 || set[i] != set[n_kept - 1]) set[n_kept++] = set[i];
    return n_kept;
}

/* Hashes below the limit are collected in twice the room and then cut down:
 * after n features that has happened about log(n / k) times. */
og_status og_minhash_smallest(struct og_minhash *m, const uint64_t *x, size_t n,
                              size_t *out_n, og_error *err)
{
    const size_t k = m->options.n_samples;
    uint64_t limit = UINT64_MAX, base[OG_PIECE];
    size_t n_set = 0;
    if (!OG_GROW(m->allocator, m->set, m->set_cap, 2 * k + OG_PIECE))
        return og_error_memory(err, k * sizeof(*m->set), "samples");
    for (size_t i = 0; i < n; i += OG_PIECE) {
        const size_t n_piece = n - i < OG_PIECE ? n - i : OG_PIECE;
        og_family_hash_many(&m->family, x + i, n_piece, base);
        for (size_t j = 0; j < n_piece; j++) {
            m->set[n_set] = base[j];
            n_set += base[j] <= limit;
        }
        if (n_set < 2 * k) continue;
        n_set = sort_distinct(m->set, n_set);
        n_set = n_set < k ? n_set : k;
        if (n_set == k) limit = m->set[k - 1];
    }
    n_set = sort_distinct(m->set, n_set);
    *out_n = n_set < k ? n_set : k;
    m->n_bits_used += 64 * (uint64_t)n;
    return OG_OK;
}

og_status og_minhash_modulo(struct og_minhash *m, const uint64_t *x, size_t n,
                            size_t *out_n, og_error *err)
{
    const uint64_t modulus = m->options.modulus;
    size_t n_set = 0;
    if (!OG_GROW(m->allocator, m->set, m->set_cap, 1))
        return og_error_memory(err, sizeof(*m->set), "samples");
    for (size_t i = 0; i < n; i++) {
        const uint64_t base = og_family_hash(&m->family, x[i]);
        if (base % modulus != 0) continue;
        if (!OG_GROW(m->allocator, m->set, m->set_cap, n_set + 1))
            return og_error_memory(err, n_set * sizeof(base), "samples");
        m->set[n_set++] = base;
    }
    *out_n = sort_distinct(m->set, n_set);
    m->n_bits_used += 64 * (uint64_t)n;
    return OG_OK;
}

double og_sample_sets_similarity(const uint64_t *a, size_t n_a,
                                 const uint64_t *b, size_t n_b,
                                 size_t n_samples)
{
    size_t i = 0, j = 0, n_union = 0, n_common = 0;
    if (n_samples == 0) n_samples = SIZE_MAX;
    while ((i < n_a || j < n_b) && n_union < n_samples) {
        const bool from_a = i < n_a && (j == n_b || a[i] <= b[j]);
        const bool from_b = j < n_b && (i == n_a || b[j] <= a[i]);
        n_common += from_a && from_b;
        i += from_a;
        j += from_b;
        n_union++;
    }
    return n_union == 0 ? NAN : (double)n_common / (double)n_union;
}

/* A cut depends on the sample alone, so the groups of two sets are aligned
 * again after the first cut that follows a difference. */
size_t og_sample_groups(const uint64_t *set, size_t n, uint32_t one_in,
                        uint64_t *out)
{
    static const uint64_t seed = 0x67726f757073u;
    uint64_t value = seed;
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        value = og_mix64(value ^ set[i]) + 0x9e3779b97f4a7c15u;
        const bool is_cut = og_mix64(set[i] ^ seed) % one_in == 0;
        if (!is_cut && i + 1 < n) continue;
        out[n_groups++] = value;
        value = seed;
    }
    return n_groups;
}
