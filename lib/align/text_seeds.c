/* Shingles of k tokens are hashed by a rolling sum: rotate it by a bit, add a
 * token at one end, remove one at the other. The hashes of tokens are random in
 * all of their bits, and so is the sum. It only decides where to look: every
 * seed is compared, token by token.
 *
 * A shingle of k tokens contains a shorter one that begins at a multiple of
 * four tokens. So only one in four places of an origin is looked at first:
 * whether the document has the k - 3 tokens there. Where it has, the four
 * * shingles around the place are looked up. The sums of these places are the
 * samples of the origin, one byte per token. They do not depend on the
 * document: whoever keeps the origin keeps them too, and its hashes are read
 * only where something may be found.
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

/* Bits of the filters per shingle. One in sixteen of the unknown ones is looked
 * up in vain; of the shorter ones, which lead to four others and have two bits
 * each, one in 256. Those of 10,000 tokens fit into the L1 cache. */
enum { BITS_EACH = 16, SHORT_BITS_EACH = 32 };

/* Every how many tokens of an origin the shorter ones begin, and the least k
 * for which they are long enough to be rare. */
enum { STRIDE = 4, LEAST_K = 8 };

void og_text_seeds_init(struct og_text_seeds *seeds,
                        const og_allocator *allocator)
{
    *seeds = (struct og_text_seeds){.allocator = allocator};
}

void og_text_seeds_release(struct og_text_seeds *seeds)
{
    const og_allocator *a = seeds->allocator;
    OG_UNGROW(a, seeds->bits, seeds->bits_cap);
    OG_UNGROW(a, seeds->short_bits, seeds->short_bits_cap);
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

/* ---- samples ---- */

static uint32_t stride_for(uint32_t k)
{
    return k >= LEAST_K ? STRIDE : 1;
}

size_t og_text_samples_count(size_t n_tokens, uint32_t k)
{
    const uint32_t stride = stride_for(k);
    return n_tokens < k ? 0 : (n_tokens - k + stride - 1) / stride + 1;
}

/* The samples first .. end. */
static void make_samples(const uint64_t *hash, uint32_t k, size_t first,
                         size_t end, uint32_t *out)
{
    const uint32_t stride = stride_for(k);
    for (size_t i = first; i < end; i++)
        out[i - first] =
            (uint32_t)rolling_start(hash, i * stride, k - stride + 1).sum;
}

void og_text_samples_make(const struct og_tokens *tokens, uint32_t k,
                          uint32_t *out)
{
    make_samples(tokens->hash, k, 0, og_text_samples_count(tokens->n, k), out);
}

/* ---- the document ---- */

/* Samples have 32 bits. */
static size_t short_bits_for(size_t n_slots)
{
    const size_t most = (size_t)1 << 32;
    const size_t n = n_slots / 2 * SHORT_BITS_EACH;
    return n < most ? n : most;
}

static og_status reserve(struct og_text_seeds *s, size_t n, og_error *err)
{
    const size_t n_slots = og_power_above(2 * n);
    const size_t n_bits = n_slots / 2 * BITS_EACH;
    const size_t n_words = n_bits / 64;
    const size_t n_short = short_bits_for(n_slots);
    if (!OG_GROW(s->allocator, s->slots, s->slots_cap, n_slots) ||
        !OG_GROW(s->allocator, s->bits, s->bits_cap, n_words) ||
        !OG_GROW(s->allocator, s->short_bits, s->short_bits_cap,
                 n_short / 64) ||
        !OG_GROW(s->allocator, s->sums, s->sums_cap, n) ||
        !OG_GROW(s->allocator, s->first, s->first_cap, n) ||
        !OG_GROW(s->allocator, s->there, s->there_cap, n))
        return og_error_memory(err, n_slots * sizeof(*s->slots), "seeds");
    memset(s->slots, 0, n_slots * sizeof(*s->slots));
    memset(s->bits, 0, n_words * sizeof(*s->bits));
    memset(s->short_bits, 0, n_short / 8);
    memset(s->there, 0, n * sizeof(*s->there));
    s->mask = n_slots - 1;
    s->bit_mask = n_bits - 1;
    s->short_mask = n_short - 1;
    return OG_OK;
}

static inline bool has_bit(const uint64_t *bits, size_t mask, uint64_t sum)
{
    const uint64_t bit = sum & mask;
    return (bits[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline void set_bit(uint64_t *bits, size_t mask, uint64_t sum)
{
    const uint64_t bit = sum & mask;
    bits[bit / 64] |= UINT64_C(1) << (bit % 64);
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

/* Chooses the second bit of a sample. */
static inline uint64_t other_bits(uint32_t sample)
{
    return sample * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* The filter of the shorter shingles. */
static void set_short_bits(struct og_text_seeds *s,
                           const struct og_tokens *document)
{
    const size_t n = document->n - s->short_len + 1;
    struct rolling r = rolling_start(document->hash, 0, s->short_len);
    for (size_t i = 0; i < n; i++) {
        set_bit(s->short_bits, s->short_mask, r.sum);
        set_bit(s->short_bits, s->short_mask, other_bits((uint32_t)r.sum));
        if (i + 1 < n) roll(&r, i);
    }
}

og_status og_text_seeds_set(struct og_text_seeds *seeds,
                            const struct og_tokens *document, uint32_t k,
                            og_error *err)
{
    struct og_text_seeds *s = seeds;
    s->k = k;
    s->stride = stride_for(k);
    s->short_len = k - s->stride + 1;
    s->n = document->n >= k ? document->n - k + 1 : 0;
    s->n_first = 0;
    s->begin = s->end = s->repeat_end = 0;
    if (s->n == 0) return OG_OK;
    TRY(reserve(s, s->n, err));
    struct rolling r = rolling_start(document->hash, 0, k);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t mixed = og_mix64(r.sum);
        struct og_text_seed_slot *slot = find_slot(s, mixed);
        if (slot->pos == 0) {
            *slot = (struct og_text_seed_slot){(uint32_t)(mixed >> 32),
                                               (uint32_t)i + 1};
            set_bit(s->bits, s->bit_mask, r.sum);
            s->n_first++;
        }
        s->sums[i] = r.sum;
        s->first[i] = slot->pos - 1;
        if (s->first[i] != i) s->repeat_end = (uint32_t)i + 1;
        if (i + 1 < s->n) roll(&r, i);
    }
    set_short_bits(s, document);
    return OG_OK;
}

/* ---- an origin ---- */

/* Shingles whose bit is set. */
enum { BLOCK = 256, LANES = 16 };

struct maybe_held {
    uint64_t sum[BLOCK];
    uint32_t pos[BLOCK];
    size_t n;
};

/* The samples of a block whose bit is set, by number. Branch prediction cannot
 * learn the pattern, so they are written without branches. */
struct places {
    uint32_t sample[BLOCK + LANES]; /* a vector may be written past the last */
    size_t n;
};

static inline void note_first(struct og_text_seeds *s, uint32_t pos,
                              uint32_t there)
{
    s->there[pos] = there + 1;
    if (pos < s->begin) s->begin = pos;
    if (pos >= s->end) s->end = pos + 1;
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
        if (s->there[pos - 1] == 0) note_first(s, pos - 1, held->pos[i]);
        next = goes_on ? next + 1 : pos;
    }
}

/* For `n` samples, the first of which is number `first`. */
static void find_places(const struct og_text_seeds *s, const uint32_t *samples,
                        size_t first, size_t n, struct places *out)
{
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        out->sample[n_found] = (uint32_t)(first + i);
        n_found += has_bit(s->short_bits, s->short_mask, samples[i]);
    }
    out->n = n_found;
}

#if defined(OG_X86)
/* The same, sixteen at a time. The filter is read as words of 32 bits. */
OG_TARGET_AVX512 static void find_places_avx512(const struct og_text_seeds *s,
                                                const uint32_t *samples,
                                                size_t first, size_t n,
                                                struct places *out)
{
    const __m512i step =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)s->short_mask);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i in_word = _mm512_set1_epi32(31);
    size_t n_found = 0;
    for (size_t i = 0; i < n; i += LANES) {
        const size_t left = n - i;
        const __mmask16 inside =
            (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffff);
        const __m512i sum = _mm512_maskz_loadu_epi32(inside, samples + i);
        const __m512i place = _mm512_srli_epi32(_mm512_and_si512(sum, mask), 5);
        const __m512i word = _mm512_i32gather_epi32(place, s->short_bits, 4);
        const __m512i bit =
            _mm512_sllv_epi32(one, _mm512_and_si512(sum, in_word));
        const __mmask16 held = _mm512_mask_test_epi32_mask(inside, word, bit);
        const __m512i number =
            _mm512_add_epi32(_mm512_set1_epi32((int)(first + i)), step);
        _mm512_storeu_si512(out->sample + n_found,
                            _mm512_maskz_compress_epi32(held, number));
        n_found += (size_t)__builtin_popcount(held);
    }
    out->n = n_found;
}
#endif

static void find_places_fast(const struct og_text_seeds *s,
                             const uint32_t *samples, size_t first, size_t n,
                             struct places *out)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) {
        find_places_avx512(s, samples, first, n, out);
        return;
    }
#endif
    find_places(s, samples, first, n, out);
}

/* Keeps those whose second bit is set, too. */
static void check_places(const struct og_text_seeds *s, const uint32_t *samples,
                         size_t first, struct places *places)
{
    size_t n = 0;
    for (size_t i = 0; i < places->n; i++) {
        const uint32_t number = places->sample[i];
        places->sample[n] = number;
        n += has_bit(s->short_bits, s->short_mask,
                     other_bits(samples[number - first]));
    }
    places->n = n;
}

/* The shingle of k tokens of an origin whose sum is known. */
struct at_shingle {
    struct rolling rolling;
    size_t pos;
};

#define NOWHERE (SIZE_MAX - 1) /* no shingle follows it */

static void go_to(struct at_shingle *at, const uint64_t *hash, size_t pos,
                  uint32_t k)
{
    if (pos == at->pos + 1)
        roll(&at->rolling, at->pos);
    else
        at->rolling = rolling_start(hash, pos, k);
    at->pos = pos;
}

/* The shingles around the places, those that begin up to stride - 1 tokens
 * before each. */
static void look_around(struct og_text_seeds *s, const struct og_tokens *origin,
                        const struct places *places, struct at_shingle *at)
{
    const size_t last = origin->n - s->k;
    const size_t before = s->stride - 1;
    struct maybe_held held = {.n = 0};
    for (size_t i = 0; i < places->n; i++) {
        const size_t place = (size_t)places->sample[i] * s->stride;
        size_t pos = place > before ? place - before : 0;
        for (; pos <= place && pos <= last; pos++) {
            go_to(at, origin->hash, pos, s->k);
            held.sum[held.n] = at->rolling.sum;
            held.pos[held.n] = (uint32_t)pos;
            held.n += has_bit(s->bits, s->bit_mask, at->rolling.sum);
        }
        if (held.n + s->stride > BLOCK) {
            note_held(s, &held);
            held.n = 0;
        }
    }
    note_held(s, &held);
}

/* Forgets the last origin. */
static void clear_there(struct og_text_seeds *s)
{
    if (s->begin < s->end)
        memset(s->there + s->begin, 0, (s->end - s->begin) * sizeof(*s->there));
    s->begin = (uint32_t)s->n;
    s->end = 0;
}

/* Where the shingles end that may be in the origin: those that repeat one of an
 * earlier place, which has the entry, may be anywhere. */
static uint32_t end_of_held(const struct og_text_seeds *s)
{
    if (s->end == 0) return 0;
    return s->end > s->repeat_end ? s->end : s->repeat_end;
}

static void pass_over(struct og_text_seeds *s, struct og_align_side origin)
{
    const struct og_tokens *tokens = origin.tokens;
    const size_t n = og_text_samples_count(tokens->n, s->k);
    struct at_shingle at = {.pos = NOWHERE};
    struct places places;
    uint32_t made[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t end = n - i < BLOCK ? n : i + BLOCK;
        const uint32_t *samples = made;
        if (origin.samples != NULL)
            samples = origin.samples + i;
        else
            make_samples(tokens->hash, s->k, i, end, made);
        find_places_fast(s, samples, i, end - i, &places);
        check_places(s, samples, i, &places);
        look_around(s, tokens, &places, &at);
    }
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
                             struct og_align_side origin, og_error *err)
{
    struct og_text_seeds *s = seeds;
    s->n_found = 0;
    if (s->n == 0 || origin.tokens->n < s->k) return OG_OK;
    clear_there(s);
    pass_over(s, origin);
    const uint32_t end = end_of_held(s);
    uint32_t floor = 0;
    /* no token is compared more than twice */
    for (size_t i = s->begin; i < end; i++) {
        const uint32_t place = s->there[s->first[i]];
        if (place == 0) continue;
        const struct og_run run = og_seed_grow(document, origin.tokens,
                                               (uint32_t)i, place - 1, floor);
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

void og_text_seeds_mark(struct og_text_seeds *s, struct og_align_side other)
{
    if (s->n == 0) return;
    clear_there(s);
    if (other.tokens->n >= s->k) pass_over(s, other);
}

/* Only first positions are marked. */
double og_text_seeds_share(const struct og_text_seeds *s)
{
    size_t n_held = 0;
    if (s->n == 0) return 0;
    for (size_t i = s->begin; i < s->end; i++)
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
    if (begin < s->begin) begin = s->begin;
    if (end > end_of_held(s) + s->k) end = end_of_held(s) + s->k;
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
