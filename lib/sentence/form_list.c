/* The two ways to candidates, and the loops that take the time.
 *
 * By words: the posting lists of the rarest words. Each form on them costs a
 * visit to its bitmap, a random place in memory, so the next ones are asked
 * for ahead.
 *
 * By signature: m / 16 tables, one for each 16 bits. If two signatures differ
 * in at most d bits, then by counting one of their p parts differs in at most
 * d / p bits, and more sharply: one of the first d mod p + 1 parts in at most
 * d / p, or one of the others in at most d / p - 1. So a question visits, in
 * each table, the keys within that radius of its own, and compares whole
 * signatures there. (The paper has a Hybrid-tree over points of m dimensions;
 * when m is large such a tree looks at most of its leaves.)
 *
 * Both count bits, for which the processor has an instruction that plain C may
 * not assume: each loop is compiled twice. */

#include "lib/sentence/form_list.h"

#include <stdlib.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/sentence/image_parts.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { AHEAD = 16, N_KEYS = 65536 };

static bool reserve(struct og_form_list *list, size_t n)
{
    if (OG_GROW(list->allocator, list->forms, list->cap, list->n + n))
        return true;
    list->no_memory = true;
    return false;
}

/* Cuts n to what the limit leaves. */
static size_t admit(struct og_form_list *list, size_t n)
{
    const uint64_t left = list->limit - list->n_seen;
    const size_t taken = n < left ? n : (size_t)left;
    list->n_seen += taken;
    list->n_skipped += n - taken;
    return taken;
}

/* ---- by words ---- */

ALWAYS_INLINE size_t filter_postings(const struct og_word_bitmap *bitmaps,
                                     const struct og_word_bitmap *wanted,
                                     unsigned max_missing,
                                     const uint32_t *postings, size_t n,
                                     uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(bitmaps + postings[i + AHEAD]);
        out[kept] = postings[i];
        kept += og_word_bitmap_missing(wanted, bitmaps + postings[i]) <=
                max_missing;
    }
    return kept;
}

typedef size_t filter_fn(const struct og_word_bitmap *bitmaps,
                         const struct og_word_bitmap *wanted,
                         unsigned max_missing, const uint32_t *postings,
                         size_t n, uint32_t *out);

static size_t filter_plain(const struct og_word_bitmap *bitmaps,
                           const struct og_word_bitmap *wanted,
                           unsigned max_missing, const uint32_t *postings,
                           size_t n, uint32_t *out)
{
    return filter_postings(bitmaps, wanted, max_missing, postings, n, out);
}

#if OG_X86
OG_TARGET_AVX2
static size_t filter_avx2(const struct og_word_bitmap *bitmaps,
                          const struct og_word_bitmap *wanted,
                          unsigned max_missing, const uint32_t *postings,
                          size_t n, uint32_t *out)
{
    return filter_postings(bitmaps, wanted, max_missing, postings, n, out);
}
#endif

static filter_fn *choose_filter(void)
{
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) return filter_avx2;
#endif
    return filter_plain;
}

void og_find_by_words(const struct og_image *image, const struct og_question *q,
                      const size_t *places, struct og_form_list *list)
{
    filter_fn *filter = choose_filter();
    for (size_t i = 0; i < q->n_prefix; i++) {
        if (places[i] == image->foot.n_words) continue;
        const uint64_t start = image->word_starts[places[i]];
        const size_t n =
            admit(list, (size_t)(image->word_starts[places[i] + 1] - start));
        if (!reserve(list, n)) return;
        list->n += filter(image->bitmaps, &q->bitmap, q->max_missing,
                          image->postings + start, n, list->forms + list->n);
    }
}

/* ---- by signature ---- */

ALWAYS_INLINE size_t filter_signatures(const uint8_t *signatures,
                                       const struct og_signature *wanted,
                                       unsigned bits, unsigned max_distance,
                                       const uint32_t *forms, size_t n,
                                       uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(signatures +
                               (size_t)forms[i + AHEAD] * (bits / 8));
        struct og_signature s = {{0, 0}};
        __builtin_memcpy(&s, signatures + (size_t)forms[i] * (bits / 8),
                         bits / 8);
        out[kept] = forms[i];
        kept += og_signature_distance(wanted, &s) <= max_distance;
    }
    return kept;
}

/* The number of bits is a constant in each, so that loads are plain. */
#define DEFINE_SEARCH(name, target)                                            \
    target static size_t name(const uint8_t *signatures,                       \
                              const struct og_signature *wanted,               \
                              unsigned bits, unsigned max_distance,            \
                              const uint32_t *forms, size_t n, uint32_t *out)  \
    {                                                                          \
        switch (bits) {                                                        \
        case 16:                                                               \
            return filter_signatures(signatures, wanted, 16, max_distance,     \
                                     forms, n, out);                           \
        case 32:                                                               \
            return filter_signatures(signatures, wanted, 32, max_distance,     \
                                     forms, n, out);                           \
        case 64:                                                               \
            return filter_signatures(signatures, wanted, 64, max_distance,     \
                                     forms, n, out);                           \
        default:                                                               \
            return filter_signatures(signatures, wanted, 128, max_distance,    \
                                     forms, n, out);                           \
        }                                                                      \
    }

#define NO_TARGET
DEFINE_SEARCH(search_plain, NO_TARGET)
#if OG_X86
DEFINE_SEARCH(search_avx2, OG_TARGET_AVX2)
#endif

typedef size_t search_fn(const uint8_t *signatures,
                         const struct og_signature *wanted, unsigned bits,
                         unsigned max_distance, const uint32_t *forms, size_t n,
                         uint32_t *out);

static search_fn *choose_search(void)
{
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) return search_avx2;
#endif
    return search_plain;
}

/* The next larger number with as many bits set (Gosper). */
static uint32_t next_mask(uint32_t v)
{
    const uint32_t low = v & -v, high = v + low;
    return high | (((v ^ high) / low) >> 2);
}

void og_find_by_signature(const struct og_image *image,
                          const struct og_signature *signature,
                          unsigned max_distance, struct og_form_list *list)
{
    search_fn *search = choose_search();
    const unsigned bits = image->foot.signature_bits, n_parts = bits / 16;
    const size_t part_len = N_KEYS + 1 + image->foot.n_forms;
    for (unsigned p = 0; p < n_parts; p++) {
        int radius = (int)(max_distance / n_parts);
        if (p > max_distance % n_parts) radius--;
        if (radius > 16) radius = 16;
        const uint32_t *starts = image->parts + p * part_len;
        const uint32_t *forms = starts + N_KEYS + 1;
        const uint32_t key = og_signature_part(signature, p);
        for (int r = 0; r <= radius; r++) {
            uint32_t mask = (1u << r) - 1;
            do {
                const uint32_t at = starts[key ^ mask];
                const size_t n = admit(list, starts[(key ^ mask) + 1] - at);
                if (n != 0) {
                    if (!reserve(list, n)) return;
                    list->n +=
                        search(image->signatures, signature, bits, max_distance,
                               forms + at, n, list->forms + list->n);
                }
                mask = mask == 0 ? N_KEYS : next_mask(mask);
            } while (mask < N_KEYS);
        }
    }
}

/* ---- all of an array ---- */

ALWAYS_INLINE size_t scan_bitmaps(const struct og_word_bitmap *bitmaps,
                                  size_t n, const struct og_question *q,
                                  uint32_t *out)
{
    const struct og_word_bitmap wanted = q->bitmap;
    const unsigned max_missing = q->max_missing;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = (uint32_t)i;
        kept += og_word_bitmap_missing(&wanted, bitmaps + i) <= max_missing;
    }
    return kept;
}

ALWAYS_INLINE size_t scan_signatures(const struct og_signature *signatures,
                                     size_t n,
                                     const struct og_signature *signature,
                                     unsigned max_distance, uint32_t *out)
{
    const struct og_signature wanted = *signature;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = (uint32_t)i;
        kept += og_signature_distance(&wanted, signatures + i) <= max_distance;
    }
    return kept;
}

#if OG_X86
OG_TARGET_AVX2
static size_t scan_bitmaps_avx2(const struct og_word_bitmap *bitmaps, size_t n,
                                const struct og_question *q, uint32_t *out)
{
    return scan_bitmaps(bitmaps, n, q, out);
}

OG_TARGET_AVX2
static size_t scan_signatures_avx2(const struct og_signature *signatures,
                                   size_t n, const struct og_signature *wanted,
                                   unsigned max_distance, uint32_t *out)
{
    return scan_signatures(signatures, n, wanted, max_distance, out);
}
#endif

void og_scan_bitmaps(const struct og_word_bitmap *bitmaps, size_t n,
                     const struct og_question *q, struct og_form_list *list)
{
    if (!reserve(list, n + 1)) return;
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) {
        list->n += scan_bitmaps_avx2(bitmaps, n, q, list->forms + list->n);
        return;
    }
#endif
    list->n += scan_bitmaps(bitmaps, n, q, list->forms + list->n);
}

void og_scan_signatures(const struct og_signature *signatures, size_t n,
                        const struct og_signature *signature,
                        unsigned max_distance, struct og_form_list *list)
{
    if (!reserve(list, n + 1)) return;
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) {
        list->n += scan_signatures_avx2(signatures, n, signature, max_distance,
                                        list->forms + list->n);
        return;
    }
#endif
    list->n += scan_signatures(signatures, n, signature, max_distance,
                               list->forms + list->n);
}

/* ---- both ---- */

static int compare_forms(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

void og_form_list_sort(struct og_form_list *list)
{
    size_t kept = 0;
    if (list->n > 1)
        qsort(list->forms, list->n, sizeof(*list->forms), compare_forms);
    for (size_t i = 0; i < list->n; i++)
        if (kept == 0 || list->forms[kept - 1] != list->forms[i])
            list->forms[kept++] = list->forms[i];
    list->n = kept;
}
