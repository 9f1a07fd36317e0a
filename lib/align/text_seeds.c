/* Shingles of k tokens are hashed by a rolling sum: rotate it by a bit, add a
 * token at one end, remove one at the other. The hashes of tokens are random in
 * all of their bits, and so is the sum. It only decides where to look: every
 * seed is compared, token by token.
 *
 * The document is indexed once, its origins are scanned. A shingle that the
 * document has several times is stored under its first position, to which
 * `first` leads from the others, so repetitive text costs no more than any
 * other. */

#include "lib/align/text_seeds.h"

#include <string.h>

#include "lib/align/aligner.h"
#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

struct og_text_seed_slot {
    uint32_t tag;
    uint32_t pos; /* plus 1; 0: free */
};

/* Bits of the filter per shingle: one in sixteen of the unknown ones is looked
 * up in vain, and 10,000 tokens fit into the L1 cache. */
enum { BITS_EACH = 16 };

void og_text_seeds_init(struct og_text_seeds *seeds,
                        const og_allocator *allocator)
{
    *seeds = (struct og_text_seeds){.allocator = allocator};
}

void og_text_seeds_release(struct og_text_seeds *seeds)
{
    const og_allocator *a = seeds->allocator;
    OG_UNGROW(a, seeds->bits, seeds->bits_cap);
    OG_UNGROW(a, seeds->slots, seeds->slots_cap);
    OG_UNGROW(a, seeds->sums, seeds->sums_cap);
    OG_UNGROW(a, seeds->first, seeds->first_cap);
    OG_UNGROW(a, seeds->there, seeds->there_cap);
    OG_UNGROW(a, seeds->data, seeds->cap);
    og_text_seeds_init(seeds, a);
}

/* ---- the hash of k tokens in a row ---- */

static inline uint64_t turned(uint64_t x, unsigned by)
{
    return x << (by & 63) | x >> (-by & 63);
}

struct rolling {
    const uint64_t *hash;
    uint64_t sum;
    uint32_t k;
};

/* At shingle number `first`. */
static struct rolling rolling_start(const uint64_t *hash, size_t first,
                                    uint32_t k)
{
    struct rolling r = {.hash = hash, .k = k};
    for (uint32_t i = 0; i < k; i++)
        r.sum = turned(r.sum, 1) ^ hash[first + i];
    return r;
}

/* From the shingle at i to that at i + 1. */
static inline void roll(struct rolling *r, size_t i)
{
    r->sum = turned(r->sum, 1) ^ turned(r->hash[i], r->k) ^ r->hash[i + r->k];
}

/* ---- the document ---- */

static og_status reserve(struct og_text_seeds *s, size_t n, og_error *err)
{
    const size_t n_slots = og_power_above(2 * n);
    const size_t n_bits = n_slots / 2 * BITS_EACH;
    const size_t n_words = n_bits / 64;
    if (!OG_GROW(s->allocator, s->slots, s->slots_cap, n_slots) ||
        !OG_GROW(s->allocator, s->bits, s->bits_cap, n_words) ||
        !OG_GROW(s->allocator, s->sums, s->sums_cap, n) ||
        !OG_GROW(s->allocator, s->first, s->first_cap, n) ||
        !OG_GROW(s->allocator, s->there, s->there_cap, n))
        return og_error_memory(err, n_slots * sizeof(*s->slots), "seeds");
    memset(s->slots, 0, n_slots * sizeof(*s->slots));
    memset(s->bits, 0, n_words * sizeof(*s->bits));
    s->mask = n_slots - 1;
    s->bit_mask = n_bits - 1;
    return OG_OK;
}

static inline bool has_bit(const struct og_text_seeds *s, uint64_t sum)
{
    const uint64_t bit = sum & s->bit_mask;
    return (s->bits[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline void set_bit(struct og_text_seeds *s, uint64_t sum)
{
    const uint64_t bit = sum & s->bit_mask;
    s->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Its slot, or the free slot for it. Two sums with the same 32 bits are not
 * distinguished; the caller compares. */
static inline struct og_text_seed_slot *find_slot(const struct og_text_seeds *s,
                                                  uint64_t mixed)
{
    const uint32_t tag = (uint32_t)(mixed >> 32);
    size_t i;
    OG_PROBE(i, mixed >> 20, s->mask + 1,
             s->slots[i].pos == 0 || s->slots[i].tag == tag)
    return &s->slots[i];
}

og_status og_text_seeds_set(struct og_text_seeds *seeds,
                            const struct og_tokens *document, uint32_t k,
                            og_error *err)
{
    struct og_text_seeds *s = seeds;
    s->k = k;
    s->n = document->n >= k ? document->n - k + 1 : 0;
    s->n_first = 0;
    if (s->n == 0) return OG_OK;
    TRY(reserve(s, s->n, err));
    struct rolling r = rolling_start(document->hash, 0, k);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t mixed = og_mix64(r.sum);
        struct og_text_seed_slot *slot = find_slot(s, mixed);
        if (slot->pos == 0) {
            *slot = (struct og_text_seed_slot){(uint32_t)(mixed >> 32),
                                               (uint32_t)i + 1};
            set_bit(s, r.sum);
            s->n_first++;
        }
        s->sums[i] = r.sum;
        s->first[i] = slot->pos - 1;
        if (i + 1 < s->n) roll(&r, i);
    }
    return OG_OK;
}

/* ---- an origin ---- */

/* Shingles of a block whose bit is set. Branch prediction cannot learn the
 * pattern, so they are written without branches. */
enum { BLOCK = 256, LANES = 8 };

struct maybe_held {
    uint64_t sum[BLOCK + LANES]; /* a vector may be written past the last */
    uint32_t pos[BLOCK + LANES];
    size_t n;
};

/* For the shingles begin .. end, the first of which is that of `r`. */
static void gather_held(const struct og_text_seeds *s, struct rolling *r,
                        size_t begin, size_t end, struct maybe_held *out)
{
    struct rolling here = *r;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        out->sum[n] = here.sum;
        out->pos[n] = (uint32_t)i;
        n += has_bit(s, here.sum);
        roll(&here, i);
    }
    out->n = n;
    *r = here;
}

/* A shingle of the document is usually followed by the next one there: then
 * nothing is looked up. */
static void note_held(struct og_text_seeds *s, const struct maybe_held *held)
{
    size_t next = s->n;
    for (size_t i = 0; i < held->n; i++) {
        const bool goes_on = next < s->n && s->sums[next] == held->sum[i];
        const uint32_t pos = goes_on
                                 ? s->first[next] + 1
                                 : find_slot(s, og_mix64(held->sum[i]))->pos;
        if (pos == 0) continue;
        if (s->there[pos - 1] == 0) s->there[pos - 1] = held->pos[i] + 1;
        next = goes_on ? next + 1 : pos;
    }
}

#if defined(OG_X86)
/* The sums of the eight shingles of eight tokens that begin at hash[0 .. 7];
 * hash[0 .. 15] is read. Sums of two tokens are made from those of one, of four
 * from those of two, of eight from those of four: three steps in all. */
OG_TARGET_AVX512 static inline __m512i sums_of_8(const uint64_t *hash)
{
    const __m512i low = _mm512_loadu_si512(hash);
    const __m512i high = _mm512_loadu_si512(hash + LANES);
    const __m512i two = _mm512_xor_si512(_mm512_rol_epi64(low, 1),
                                         _mm512_alignr_epi64(high, low, 1));
    const __m512i two_more = _mm512_xor_si512(
        _mm512_rol_epi64(high, 1), _mm512_alignr_epi64(high, high, 1));
    const __m512i four = _mm512_xor_si512(
        _mm512_rol_epi64(two, 2), _mm512_alignr_epi64(two_more, two, 2));
    const __m512i four_more =
        _mm512_xor_si512(_mm512_rol_epi64(two_more, 2),
                         _mm512_alignr_epi64(two_more, two_more, 2));
    return _mm512_xor_si512(_mm512_rol_epi64(four, 4),
                            _mm512_alignr_epi64(four_more, four, 4));
}

/* gather_held() for shingles of eight tokens; their number is a multiple of
 * eight, and eight more tokens follow the last of them. */
OG_TARGET_AVX512 static void gather_held_avx512(const struct og_text_seeds *s,
                                                const uint64_t *hash,
                                                size_t begin, size_t end,
                                                struct maybe_held *out)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i mask = _mm512_set1_epi64((long long)s->bit_mask);
    const __m512i one = _mm512_set1_epi64(1);
    const __m512i in_word = _mm512_set1_epi64(63);
    size_t n = 0;
    for (size_t i = begin; i < end; i += LANES) {
        const __m512i sum = sums_of_8(hash + i);
        const __m512i place = _mm512_srli_epi64(_mm512_and_si512(sum, mask), 6);
        const __m512i word = _mm512_i64gather_epi64(place, s->bits, 8);
        const __m512i bit =
            _mm512_sllv_epi64(one, _mm512_and_si512(sum, in_word));
        const __mmask8 held = _mm512_test_epi64_mask(word, bit);
        const __m256i pos = _mm256_add_epi32(_mm256_set1_epi32((int)i), step);
        _mm512_storeu_si512(out->sum + n,
                            _mm512_maskz_compress_epi64(held, sum));
        _mm256_storeu_si256((__m256i *)(out->pos + n),
                            _mm256_maskz_compress_epi32(held, pos));
        n += (size_t)__builtin_popcount(held);
    }
    out->n = n;
}
#endif

/* Processes as many shingles of the origin as vectors can; returns their
 * number. */
static size_t pass_over_wide(struct og_text_seeds *s,
                             const struct og_tokens *origin)
{
    size_t done = 0;
#if defined(OG_X86)
    struct maybe_held held;
    if (s->k != LANES || origin->n < 2 * LANES ||
        og_cpu_level() < OG_CPU_AVX512)
        return 0;
    const size_t n = (origin->n - LANES) / LANES * LANES;
    for (size_t end; done < n; done = end) {
        end = n - done < BLOCK ? n : done + BLOCK;
        gather_held_avx512(s, origin->hash, done, end, &held);
        note_held(s, &held);
    }
#else
    (void)s, (void)origin;
#endif
    return done;
}

static void pass_over(struct og_text_seeds *s, const struct og_tokens *origin)
{
    const size_t last = origin->n - s->k; /* no token follows it */
    const size_t first = pass_over_wide(s, origin);
    struct rolling r = rolling_start(origin->hash, first, s->k);
    struct maybe_held held;
    for (size_t i = first; i < last; i += BLOCK) {
        gather_held(s, &r, i, last - i < BLOCK ? last : i + BLOCK, &held);
        note_held(s, &held);
    }
    held.sum[0] = r.sum;
    held.pos[0] = (uint32_t)last;
    held.n = has_bit(s, r.sum);
    note_held(s, &held);
}

struct og_run og_seed_grow(const struct og_tokens *document,
                           const struct og_tokens *origin, uint32_t here,
                           uint32_t there, uint32_t floor)
{
    const uint64_t *d = document->hash;
    const uint64_t *o = origin->hash;
    uint32_t end = here;
    uint32_t begin = here;
    while (end < document->n && there + (end - here) < origin->n &&
           d[end] == o[there + (end - here)])
        end++;
    if (end == here) return (struct og_run){here, there, 0};
    while (begin > floor && there > here - begin &&
           d[begin - 1] == o[there - (here - begin) - 1])
        begin--;
    return (struct og_run){begin, there - (here - begin), end - begin};
}

og_status og_text_seeds_find(struct og_text_seeds *seeds,
                             const struct og_tokens *document,
                             const struct og_tokens *origin, og_error *err)
{
    struct og_text_seeds *s = seeds;
    s->n_found = 0;
    if (s->n == 0 || origin->n < s->k) return OG_OK;
    memset(s->there, 0, s->n * sizeof(*s->there));
    pass_over(s, origin);
    uint32_t floor = 0; /* no token is compared more than twice */
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t place = s->there[s->first[i]];
        if (place == 0) continue;
        const struct og_run run =
            og_seed_grow(document, origin, (uint32_t)i, place - 1, floor);
        /* The sums were equal but the tokens are not. */
        if (run.begin + run.len < i + s->k) continue;
        if (!OG_GROW(s->allocator, s->data, s->cap, s->n_found + 1))
            return og_error_memory(err, s->n_found * sizeof(*s->data), "seeds");
        s->data[s->n_found++] = run;
        floor = run.begin;
        i = run.begin + run.len - s->k; /* shingles inside it need no look-up */
    }
    return OG_OK;
}

void og_text_seeds_mark(struct og_text_seeds *s, const struct og_tokens *other)
{
    if (s->n == 0) return;
    memset(s->there, 0, s->n * sizeof(*s->there));
    if (other->n >= s->k) pass_over(s, other);
}

/* Only first positions are marked. */
double og_text_seeds_share(const struct og_text_seeds *s)
{
    size_t n_held = 0;
    if (s->n == 0) return 0;
    for (size_t i = 0; i < s->n; i++)
        n_held += s->there[i] != 0;
    return (double)n_held / (double)s->n_first;
}

/* If the previous shingle was equal, only the last token is compared. */
uint32_t og_text_seeds_count(const struct og_text_seeds *s,
                             const struct og_tokens *document,
                             const struct og_tokens *other, uint32_t begin,
                             uint32_t end)
{
    const uint64_t *d = document->hash;
    const uint64_t *o = other->hash;
    uint32_t n = 0;
    uint32_t from = begin; /* tokens before it were counted */
    uint32_t last = 0;     /* position of the previous shingle, plus 1; 0:
                              none */
    for (uint32_t t = begin; t + s->k <= end; t++) {
        const uint32_t place = s->there[s->first[t]];
        const uint32_t n_equal = last != 0 && place == last + 1 ? s->k - 1 : 0;
        last = 0;
        if (place == 0 || memcmp(d + t + n_equal, o + place - 1 + n_equal,
                                 (s->k - n_equal) * sizeof(*o)) != 0)
            continue;
        if (from < t) from = t;
        n += t + s->k - from;
        from = t + s->k;
        last = place;
    }
    return n;
}
