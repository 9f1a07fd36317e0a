/* The bit-sliced scan. Counting is the carry-save tree of Harley and Seal: 8
 * planes go into counters of 4 bits with 7 full adders, each of them two
 * three-way logic instructions on AVX-512. The body is written in C with
 * vectors of 512 bits that the compiler lowers to the registers of each CPU
 * level. */

#include "lib/hamming/code_slices.h"

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

typedef uint64_t plane __attribute__((vector_size(64), aligned(64), may_alias));

/* ---- turning ---- */

/* Transposes 64 x 64 bits: swaps ever smaller squares across the diagonal
 * (Hacker's Delight, 7-3). */
static void transpose(uint64_t m[64])
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    for (unsigned half = 32; half != 0; half /= 2, mask ^= mask << half) {
        for (unsigned i = 0; i < 64; i = ((i | half) + 1) & ~half) {
            const uint64_t t = ((m[i] >> half) ^ m[i | half]) & mask;
            m[i] ^= t << half;
            m[i | half] ^= t;
        }
    }
}

void og_code_slice_block(const uint64_t *codes, size_t n, uint64_t *out)
{
    for (unsigned word = 0; word < 8; word++) {
        uint64_t m[64];
        for (unsigned i = 0; i < 64; i++) {
            const size_t place = 64 * (size_t)word + i;
            m[i] = place < n ? codes[place] : 0;
        }
        transpose(m);
        for (unsigned bit = 0; bit < 64; bit++)
            out[8 * bit + word] = m[bit];
    }
}

/* ---- counting ---- */

#define ADD(high, low, a, b, c)                                                \
    do {                                                                       \
        const plane a_ = (a), b_ = (b), c_ = (c);                              \
        (high) = (a_ & b_) | ((a_ ^ b_) & c_);                                 \
        (low) = a_ ^ b_ ^ c_;                                                  \
    } while (0)

struct counters {
    plane one, two, four, eight, over; /* over: 16 or more */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Adds 8 planes, each inverted first if the query has a one. */
ALWAYS_INLINE void count_planes(struct counters *c, const plane *planes,
                                uint64_t question)
{
    plane x[8], two_a, two_b, four_a, four_b, eight;
    for (unsigned i = 0; i < 8; i++)
        x[i] = planes[i] ^ (-(question >> i & 1));
    ADD(two_a, c->one, c->one, x[0], x[1]);
    ADD(two_b, c->one, c->one, x[2], x[3]);
    ADD(four_a, c->two, c->two, two_a, two_b);
    ADD(two_a, c->one, c->one, x[4], x[5]);
    ADD(two_b, c->one, c->one, x[6], x[7]);
    ADD(four_b, c->two, c->two, two_a, two_b);
    ADD(eight, c->four, c->four, four_a, four_b);
    c->over |= c->eight & eight;
    c->eight ^= eight;
}

/* Lanes whose count is not above max_distance. */
ALWAYS_INLINE void lanes_within(const struct counters *c, unsigned max_distance,
                                plane *out)
{
    plane above = c->over, same = ~c->over;
    const plane *bits[4] = {&c->one, &c->two, &c->four, &c->eight};
    for (unsigned i = 4; i-- > 0;) {
        if (max_distance >> i & 1) {
            same &= *bits[i];
        } else {
            above |= same & *bits[i];
            same &= ~*bits[i];
        }
    }
    *out = ~above;
}

ALWAYS_INLINE uint64_t any_lane(const plane *v)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < 8; i++)
        any |= (*v)[i];
    return any;
}

/* How many planes to add before first checking whether any lane is left: so
 * many that a block of 512 random codes usually has none. */
static unsigned first_look(unsigned max_distance)
{
    if (max_distance <= 1) return 16;
    if (max_distance <= 4) return 24;
    return max_distance <= 8 ? 32 : 40;
}

/* The lanes of a block that are near; false if there are none. */
ALWAYS_INLINE bool ask_block(const plane *planes, uint64_t question,
                             unsigned max_distance, unsigned look, plane *out)
{
    struct counters c = {{0}, {0}, {0}, {0}, {0}};
    for (unsigned bit = 0; bit < 64; bit += 8) {
        count_planes(&c, planes + bit, question >> bit);
        if (bit + 8 < look) continue;
        lanes_within(&c, max_distance, out);
        if (any_lane(out) == 0) return false;
    }
    return true;
}

struct slice_job {
    const uint64_t *questions;
    size_t n_questions;
    unsigned max_distance;
    void *ctx;
    bool (*on_match)(void *ctx, size_t question, size_t place);
};

static bool report_lanes(const struct slice_job *job, const uint64_t *lanes,
                         size_t question, size_t first, size_t n)
{
    for (unsigned word = 0; word < 8; word++) {
        for (uint64_t bits = lanes[word]; bits != 0; bits &= bits - 1) {
            const size_t lane = 64 * word + (size_t)__builtin_ctzll(bits);
            if (lane < n && !job->on_match(job->ctx, question, first + lane))
                return false;
        }
    }
    return true;
}

ALWAYS_INLINE bool ask_all(const struct slice_job *job,
                           const struct og_code_slices *slices)
{
    const uint64_t *words = slices->pages.data;
    const unsigned look = first_look(job->max_distance);
    for (size_t first = 0; first < slices->n; first += OG_CODE_BLOCK) {
        const plane *planes = (const plane *)(const void *)words;
        const size_t n = slices->n - first;
        for (size_t q = 0; q < job->n_questions; q++) {
            plane near;
            if (OG_LIKELY(!ask_block(planes, job->questions[q],
                                     job->max_distance, look, &near)))
                continue;
            if (!report_lanes(job, (const uint64_t *)&near, q, first, n))
                return false;
        }
        words += OG_CODE_SLICE_WORDS;
    }
    return true;
}

static bool ask_plain(const struct slice_job *job,
                      const struct og_code_slices *slices)
{
    return ask_all(job, slices);
}

#if defined(OG_X86)
OG_TARGET_AVX2 static bool ask_avx2(const struct slice_job *job,
                                    const struct og_code_slices *slices)
{
    return ask_all(job, slices);
}

/* The same with explicit three-way logic, which compilers do not find. */
#define ADD3(high, low, a, b, c)                                               \
    do {                                                                       \
        const __m512i a_ = (a), b_ = (b), c_ = (c);                            \
        (high) = _mm512_ternarylogic_epi64(a_, b_, c_, 0xe8);                  \
        (low) = _mm512_ternarylogic_epi64(a_, b_, c_, 0x96);                   \
    } while (0)

/* A plane, inverted if the query has a one: `turn` has a word per bit, 0 or all
 * ones, which the XOR broadcasts while loading it. */
#define TURNED(bit)                                                            \
    _mm512_xor_si512(_mm512_load_si512(planes + 8 * (size_t)(bit)),            \
                     _mm512_set1_epi64((long long)turn[bit]))

OG_TARGET_AVX512 static inline bool
ask_block_avx512(const uint64_t *planes, const uint64_t *turn,
                 const __m512i distance[4], unsigned look, uint64_t *out)
{
    __m512i one = _mm512_setzero_si512(), two = one, four = one, eight = one;
    __m512i over = one, two_a, two_b, four_a, four_b, carry;
    for (unsigned bit = 0; bit < 64; bit += 8) {
        ADD3(two_a, one, one, TURNED(bit), TURNED(bit + 1));
        ADD3(two_b, one, one, TURNED(bit + 2), TURNED(bit + 3));
        ADD3(four_a, two, two, two_a, two_b);
        ADD3(two_a, one, one, TURNED(bit + 4), TURNED(bit + 5));
        ADD3(two_b, one, one, TURNED(bit + 6), TURNED(bit + 7));
        ADD3(four_b, two, two, two_a, two_b);
        ADD3(carry, four, four, four_a, four_b);
        over = _mm512_ternarylogic_epi64(over, eight, carry, 0xf8);
        eight = _mm512_xor_si512(eight, carry);
        if (bit + 8 < look) continue;
        /* A borrow from distance - count: the count is larger. */
        __m512i above = _mm512_andnot_si512(distance[0], one);
        above = _mm512_ternarylogic_epi64(distance[1], two, above, 0x8e);
        above = _mm512_ternarylogic_epi64(distance[2], four, above, 0x8e);
        above = _mm512_ternarylogic_epi64(distance[3], eight, above, 0x8e);
        above = _mm512_or_si512(above, over);
        const __m512i all = _mm512_set1_epi64(-1);
        const __m512i within = _mm512_xor_si512(above, all);
        if (_mm512_test_epi64_mask(within, within) == 0) return false;
        _mm512_storeu_si512(out, within);
    }
    return true;
}

enum { GROUP = 32 }; /* queries; their masks, 16 KB, stay in the cache */

static void spread_questions(const uint64_t *questions, size_t n,
                             uint64_t turn[GROUP][64])
{
    for (size_t q = 0; q < n; q++)
        for (unsigned bit = 0; bit < 64; bit++)
            turn[q][bit] = -(questions[q] >> bit & 1);
}

OG_TARGET_AVX512 static bool ask_group(const struct slice_job *job,
                                       const struct og_code_slices *slices,
                                       size_t begin, size_t n)
{
    uint64_t turn[GROUP][64], near[8];
    __m512i distance[4];
    const uint64_t *planes = slices->pages.data;
    const unsigned look = first_look(job->max_distance);
    for (unsigned i = 0; i < 4; i++)
        distance[i] =
            _mm512_set1_epi64(-(long long)(job->max_distance >> i & 1));
    spread_questions(job->questions + begin, n, turn);
    for (size_t first = 0; first < slices->n; first += OG_CODE_BLOCK) {
        for (size_t q = 0; q < n; q++) {
            if (OG_LIKELY(
                    !ask_block_avx512(planes, turn[q], distance, look, near)))
                continue;
            if (!report_lanes(job, near, begin + q, first, slices->n - first))
                return false;
        }
        planes += OG_CODE_SLICE_WORDS;
    }
    return true;
}

static bool ask_avx512(const struct slice_job *job,
                       const struct og_code_slices *slices)
{
    for (size_t begin = 0; begin < job->n_questions; begin += GROUP) {
        const size_t rest = job->n_questions - begin;
        if (!ask_group(job, slices, begin, rest < GROUP ? rest : GROUP))
            return false;
    }
    return true;
}
#endif

bool og_code_slices_ask(const struct og_code_slices *slices,
                        const uint64_t *questions, size_t n_questions,
                        unsigned max_distance, void *ctx,
                        bool (*on_match)(void *ctx, size_t question,
                                         size_t place))
{
    const struct slice_job job = {questions, n_questions, max_distance, ctx,
                                  on_match};
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) return ask_avx512(&job, slices);
    if (og_cpu_level() >= OG_CPU_AVX2) return ask_avx2(&job, slices);
#endif
    return ask_plain(&job, slices);
}

og_status og_code_slices_init(struct og_code_slices *slices,
                              const uint64_t *codes, size_t n,
                              const og_allocator *allocator, og_error *err)
{
    const size_t n_blocks = n / OG_CODE_BLOCK + (n % OG_CODE_BLOCK != 0);
    slices->n = n;
    TRY(og_pages_init(&slices->pages,
                      (n_blocks + (n_blocks == 0)) * OG_CODE_SLICE_WORDS * 8,
                      allocator, err));
    uint64_t *out = slices->pages.data;
    for (size_t first = 0; first < n; first += OG_CODE_BLOCK) {
        const size_t rest = n - first;
        og_code_slice_block(codes + first,
                            rest < OG_CODE_BLOCK ? rest : OG_CODE_BLOCK, out);
        out += OG_CODE_SLICE_WORDS;
    }
    return OG_OK;
}

void og_code_slices_release(struct og_code_slices *slices)
{
    og_pages_release(&slices->pages);
    slices->n = 0;
}
