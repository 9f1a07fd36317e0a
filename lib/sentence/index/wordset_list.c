/* The two ways to candidates, and the loops that take the time.
 *
 * By words: the posting lists of the rarest words. Each posting contains
 * the wordset's mark, its bitmap folded to a quarter, so that nearly all are
 * dismissed
 * while the list is read sequentially. For the others the bitmap must be read,
 * a random place in memory, so the next ones are prefetched. The wordsets that
 * pass both, mostly matches, are merged: the lists are sorted.
 *
 * By signature: m / 16 tables, one for each 16 bits. If two signatures differ
 * in at most d bits, then by the pigeonhole principle one of their p parts
 * differs in at most d / p bits, and more sharply: one of the first d mod p + 1
 * parts in at most d / p, or one of the others in at most d / p - 1. So a query
 * visits, in each table, the keys within that radius of its own, and compares
 * whole signatures there; if these are more than an eighth of all, it reads all
 * signatures sequentially instead. (The paper uses a Hybrid-tree over points of
 * m dimensions; for large m such a tree visits most of its leaves.)
 *
 * Both count bits, for which the processor has an instruction that portable C
 * may not assume: each loop is compiled twice. */

#include "lib/sentence/index/wordset_list.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/sentence/index/segment_parts.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* AT_ONCE: postings between two checks of the limit; wordsets beyond the limit
 * are filtered and sorted for nothing. */
enum { AHEAD = 16, N_KEYS = 65536, AT_ONCE = 512 };

static bool reserve(struct og_wordset_list *list, size_t n)
{
    if (OG_GROW(list->allocator, list->wordsets, list->cap, list->n + n))
        return true;
    list->no_memory = true;
    return false;
}

/* Reduces n to what the limit allows. */
static size_t admit(struct og_wordset_list *list, size_t n)
{
    const uint64_t left = list->limit - list->n_seen;
    const size_t taken = n < left ? n : (size_t)left;
    list->n_seen += taken;
    list->n_skipped += n - taken;
    return taken;
}

/* How many more may be examined. */
static uint64_t n_left(const struct og_wordset_list *list)
{
    return list->n_kept < list->most_kept ? list->most_kept - list->n_kept : 0;
}

void og_wordset_list_cut(struct og_wordset_list *list)
{
    const uint64_t left = n_left(list);
    if (list->n > left) {
        list->n_skipped += list->n - left;
        list->n = (size_t)left;
    }
    list->n_kept += list->n;
}

/* ---- by words ---- */

ALWAYS_INLINE size_t filter_marks(const uint32_t *marks, uint32_t wanted,
                                  unsigned max_missing,
                                  const uint32_t *postings, size_t n,
                                  uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = postings[i];
        kept += (unsigned)__builtin_popcount(wanted & ~marks[i]) <= max_missing;
    }
    return kept;
}

/* `out` may be `postings`. */
ALWAYS_INLINE size_t filter_bitmaps(const struct og_word_bitmap *bitmaps,
                                    const struct og_word_bitmap *wanted,
                                    unsigned max_missing,
                                    const uint32_t *postings, size_t n,
                                    uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n && i < AHEAD; i++)
        __builtin_prefetch(bitmaps + postings[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(bitmaps + postings[i + AHEAD]);
        out[kept] = postings[i];
        kept += og_word_bitmap_missing(wanted, bitmaps + postings[i]) <=
                max_missing;
    }
    return kept;
}

/* One list of a segment: `n` postings from `start` on. */
ALWAYS_INLINE size_t filter_list(const struct og_sentence_segment *segment,
                                 const struct og_question *q, uint64_t start,
                                 size_t n, uint32_t *out)
{
    const uint32_t *postings = segment->postings + start;
    if (segment->marks != NULL) {
        n = filter_marks(segment->marks + start, og_word_mark(&q->bitmap),
                         q->max_missing, postings, n, out);
        postings = out;
    }
    n = filter_bitmaps(segment->bitmaps, &q->bitmap, q->max_missing, postings,
                       n, out);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = out[i];
        kept += og_question_allows(q, segment->bitmaps + out[i]);
    }
    return kept;
}

typedef size_t filter_fn(const struct og_sentence_segment *segment,
                         const struct og_question *q, uint64_t start, size_t n,
                         uint32_t *out);

static size_t filter_plain(const struct og_sentence_segment *segment,
                           const struct og_question *q, uint64_t start,
                           size_t n, uint32_t *out)
{
    return filter_list(segment, q, start, n, out);
}

#if OG_X86
OG_TARGET_AVX2
static size_t filter_avx2(const struct og_sentence_segment *segment,
                          const struct og_question *q, uint64_t start, size_t n,
                          uint32_t *out)
{
    return filter_list(segment, q, start, n, out);
}
#endif

static filter_fn *choose_filter(void)
{
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) return filter_avx2;
#endif
    return filter_plain;
}

void og_find_by_words(const struct og_sentence_segment *segment,
                      const struct og_question *q, const size_t *places,
                      struct og_wordset_list *list)
{
    filter_fn *filter = choose_filter();
    for (size_t i = 0; i < q->n_prefix; i++) {
        if (places[i] == segment->totals.n_words) continue;
        const uint64_t start = segment->word_starts[places[i]];
        const size_t n =
            admit(list, (size_t)(segment->word_starts[places[i] + 1] - start));
        if (!reserve(list, n)) return;
        size_t at = 0;
        while (at < n && list->n < n_left(list)) {
            const size_t step = n - at < AT_ONCE ? n - at : AT_ONCE;
            list->n +=
                filter(segment, q, start + at, step, list->wordsets + list->n);
            at += step;
        }
        list->n_seen -= n - at;
        list->n_skipped += n - at;
    }
}

/* ---- by signature ---- */

/* `wordsets` NULL: the first n. */
ALWAYS_INLINE size_t filter_signatures(const uint8_t *signatures,
                                       const struct og_signature *wanted,
                                       unsigned bits, unsigned max_distance,
                                       const uint32_t *wordsets, size_t n,
                                       uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t wordset = wordsets != NULL ? wordsets[i] : (uint32_t)i;
        if (wordsets != NULL && i + AHEAD < n)
            __builtin_prefetch(signatures +
                               (size_t)wordsets[i + AHEAD] * (bits / 8));
        struct og_signature s = {{0, 0}};
        __builtin_memcpy(&s, signatures + (size_t)wordset * (bits / 8),
                         bits / 8);
        out[kept] = wordset;
        kept += og_signature_distance(wanted, &s) <= max_distance;
    }
    return kept;
}

/* The number of bits is a constant in each, so that loads are simple. */
#define DEFINE_SEARCH(name, target)                                            \
    target static size_t name(                                                 \
        const uint8_t *signatures, const struct og_signature *wanted,          \
        unsigned bits, unsigned max_distance, const uint32_t *wordsets,        \
        size_t n, uint32_t *out)                                               \
    {                                                                          \
        switch (bits) {                                                        \
        case 16:                                                               \
            return filter_signatures(signatures, wanted, 16, max_distance,     \
                                     wordsets, n, out);                        \
        case 32:                                                               \
            return filter_signatures(signatures, wanted, 32, max_distance,     \
                                     wordsets, n, out);                        \
        case 64:                                                               \
            return filter_signatures(signatures, wanted, 64, max_distance,     \
                                     wordsets, n, out);                        \
        default:                                                               \
            return filter_signatures(signatures, wanted, 128, max_distance,    \
                                     wordsets, n, out);                        \
        }                                                                      \
    }

#define NO_TARGET
DEFINE_SEARCH(search_plain, NO_TARGET)
#if OG_X86
DEFINE_SEARCH(search_avx2, OG_TARGET_AVX2)
#endif

typedef size_t search_fn(const uint8_t *signatures,
                         const struct og_signature *wanted, unsigned bits,
                         unsigned max_distance, const uint32_t *wordsets,
                         size_t n, uint32_t *out);

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

/* The wordsets of one part whose keys are within `radius`; false once the list
 * has seen more than `most`. */
static bool search_part(const struct og_sentence_segment *segment,
                        const struct og_signature *signature, unsigned part,
                        int radius, unsigned max_distance, uint64_t most,
                        struct og_wordset_list *list)
{
    search_fn *search = choose_search();
    const unsigned bits = segment->totals.signature_bits;
    const uint32_t *starts =
        segment->parts + part * (N_KEYS + 1 + segment->totals.n_wordsets);
    const uint32_t *wordsets = starts + N_KEYS + 1;
    const uint32_t key = og_signature_part(signature, part);
    for (int r = 0; r <= radius; r++) {
        uint32_t mask = (1u << r) - 1;
        do {
            const uint32_t at = starts[key ^ mask];
            const size_t n = admit(list, starts[(key ^ mask) + 1] - at);
            if (n != 0) {
                if (list->n_seen > most || !reserve(list, n)) return false;
                list->n +=
                    search(segment->signatures, signature, bits, max_distance,
                           wordsets + at, n, list->wordsets + list->n);
            }
            mask = mask == 0 ? N_KEYS : next_mask(mask);
        } while (mask < N_KEYS);
    }
    return true;
}

static void scan_segment(const struct og_sentence_segment *segment,
                         const struct og_signature *signature,
                         unsigned max_distance, struct og_wordset_list *list)
{
    const size_t n = admit(list, segment->totals.n_wordsets);
    if (!reserve(list, n)) return;
    list->n += choose_search()(segment->signatures, signature,
                               segment->totals.signature_bits, max_distance,
                               NULL, n, list->wordsets + list->n);
}

void og_find_by_signature(const struct og_sentence_segment *segment,
                          const struct og_signature *signature,
                          unsigned max_distance, struct og_wordset_list *list)
{
    const struct og_wordset_list before = *list;
    const unsigned n_parts = segment->totals.signature_bits / 16;
    const uint64_t most = list->n_seen + segment->totals.n_wordsets / 8;
    if (segment->parts == NULL) {
        scan_segment(segment, signature, max_distance, list);
        return;
    }
    for (unsigned p = 0; p < n_parts; p++) {
        int radius = (int)(max_distance / n_parts);
        if (p > max_distance % n_parts) radius--;
        if (radius > 16) radius = 16;
        if (search_part(segment, signature, p, radius, max_distance, most,
                        list))
            continue;
        if (list->no_memory) return;
        list->n = before.n; /* these will be found again */
        list->n_seen = before.n_seen;
        list->n_skipped = before.n_skipped;
        scan_segment(segment, signature, max_distance, list);
        return;
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
                     const struct og_question *q, struct og_wordset_list *list)
{
    if (!reserve(list, n + 1)) return;
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) {
        list->n += scan_bitmaps_avx2(bitmaps, n, q, list->wordsets + list->n);
        return;
    }
#endif
    list->n += scan_bitmaps(bitmaps, n, q, list->wordsets + list->n);
}

void og_scan_signatures(const struct og_signature *signatures, size_t n,
                        const struct og_signature *signature,
                        unsigned max_distance, struct og_wordset_list *list)
{
    if (!reserve(list, n + 1)) return;
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2) {
        list->n += scan_signatures_avx2(signatures, n, signature, max_distance,
                                        list->wordsets + list->n);
        return;
    }
#endif
    list->n += scan_signatures(signatures, n, signature, max_distance,
                               list->wordsets + list->n);
}

/* ---- both ---- */

/* The length of the ascending run at a[0]. */
static size_t run_length(const uint32_t *a, size_t n)
{
    size_t len = 1;
    while (len < n && a[len - 1] < a[len])
        len++;
    return len;
}

/* The union, each element once; returns its length. */
static size_t merge_runs(const uint32_t *a, size_t n_a, const uint32_t *b,
                         size_t n_b, uint32_t *out)
{
    const uint32_t *const a_end = a + n_a, *const b_end = b + n_b;
    uint32_t *at = out;
    while (a < a_end && b < b_end) {
        const uint32_t x = *a, y = *b;
        *at++ = x < y ? x : y;
        a += x <= y;
        b += y <= x;
    }
    memcpy(at, a, (size_t)(a_end - a) * sizeof(*a));
    at += a_end - a;
    memcpy(at, b, (size_t)(b_end - b) * sizeof(*b));
    return (size_t)(at + (b_end - b) - out);
}

/* Lists are sorted one by one, so the runs are merged pairwise. */
static size_t merge_pass(const uint32_t *from, size_t n, uint32_t *out)
{
    size_t n_out = 0;
    for (size_t i = 0; i < n;) {
        const size_t first = run_length(from + i, n - i);
        const size_t rest = n - i - first;
        const size_t second =
            rest == 0 ? 0 : run_length(from + i + first, rest);
        n_out +=
            merge_runs(from + i, first, from + i + first, second, out + n_out);
        i += first + second;
    }
    return n_out;
}

void og_wordset_list_sort(struct og_wordset_list *list)
{
    if (list->n < 2 || run_length(list->wordsets, list->n) == list->n) return;
    if (!reserve(list, list->n)) return;
    const size_t room = list->n;
    uint32_t *from = list->wordsets, *to = list->wordsets + room;
    size_t n = list->n;
    do {
        uint32_t *const swap = from;
        n = merge_pass(from, n, to);
        from = to;
        to = swap;
    } while (run_length(from, n) < n);
    if (from != list->wordsets) memcpy(list->wordsets, from, n * sizeof(*from));
    list->n = n;
}
