/* The gear scan in sixteen lanes of an AVX-512 register.
 *
 * Lane l works in part l of the data. A step is h = 2 h + table[byte], the same
 * for all lanes, and a comparison. What remains is to look up table[byte] in
 * all lanes. Gathers are slow; but a table of 256 bytes fits into four
 * registers, where two permutations and a selection look up 64 bytes at a time.
 * A table of words is four of these, one for each byte of the word:
 *
 *   1. 16 bytes of each part are loaded, four parts to a register, and
 *      transposed by words: registers of 4 bytes of all 16 parts;
 *   2. in each of them bytes are put in the order: first bytes of four parts,
 *      second bytes, ... (in every quarter of the register);
 *   3. the four tables are looked up;
 *   4. interleaving the results gives four registers of words: those of the
 *      first bytes of all parts, of the second bytes, ... */

#include "lib/base/bits.h"
#include "lib/chunk/gear.h"

#if defined(OG_X86)
#include <immintrin.h>

enum { N_LANES = 16, STEP = 16 };

struct planes {
    __m512i part[4][4]; /* [byte of the word][64 entries] */
};

OG_TARGET_AVX512 static inline void load_planes(struct planes *planes)
{
    uint8_t bytes[4][256];
    for (unsigned i = 0; i < 256; i++)
        for (unsigned b = 0; b < 4; b++)
            bytes[b][i] = (uint8_t)(og_gear_table[i] >> 8 * b);
    for (unsigned b = 0; b < 4; b++)
        for (unsigned q = 0; q < 4; q++)
            planes->part[b][q] = _mm512_loadu_si512(bytes[b] + 64 * q);
}

/* The highest bit of an index chooses the half of the table; permutex2var
 * looks at the other seven. */
OG_TARGET_AVX512 static inline __m512i look_up(const __m512i part[4],
                                               __m512i index, __mmask64 high)
{
    return _mm512_mask_blend_epi8(
        high, _mm512_permutex2var_epi8(part[0], index, part[1]),
        _mm512_permutex2var_epi8(part[2], index, part[3]));
}

/* `bytes`: four bytes of every lane. words[i]: the table's word for byte i. */
OG_TARGET_AVX512 static inline void
look_up_words(const struct planes *planes, __m512i bytes, __m512i words[4])
{
    const __m512i by_turn = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m512i index = _mm512_shuffle_epi8(bytes, by_turn);
    const __mmask64 high = _mm512_movepi8_mask(index);
    const __m512i b0 = look_up(planes->part[0], index, high);
    const __m512i b1 = look_up(planes->part[1], index, high);
    const __m512i b2 = look_up(planes->part[2], index, high);
    const __m512i b3 = look_up(planes->part[3], index, high);
    const __m512i low01 = _mm512_unpacklo_epi8(b0, b1);
    const __m512i low23 = _mm512_unpacklo_epi8(b2, b3);
    const __m512i high01 = _mm512_unpackhi_epi8(b0, b1);
    const __m512i high23 = _mm512_unpackhi_epi8(b2, b3);
    words[0] = _mm512_unpacklo_epi16(low01, low23);
    words[1] = _mm512_unpackhi_epi16(low01, low23);
    words[2] = _mm512_unpacklo_epi16(high01, high23);
    words[3] = _mm512_unpackhi_epi16(high01, high23);
}

/* 16 bytes of the parts first, first + 4, first + 8, first + 12. */
OG_TARGET_AVX512 static inline __m512i
load_quarter(const uint8_t *data, size_t lane_len, unsigned first)
{
    const uint8_t *const p = data + first * lane_len;
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)p));
    v = _mm512_inserti32x4(
        v, _mm_loadu_si128((const __m128i *)(p + 4 * lane_len)), 1);
    v = _mm512_inserti32x4(
        v, _mm_loadu_si128((const __m128i *)(p + 8 * lane_len)), 2);
    return _mm512_inserti32x4(
        v, _mm_loadu_si128((const __m128i *)(p + 12 * lane_len)), 3);
}

/* four[i]: bytes 4 i .. 4 i + 3 of all parts; part l is in lane l of the
 * order 0 1 2 3 | 4 5 6 7 | ... */
OG_TARGET_AVX512 static inline void load_step(const uint8_t *data,
                                              size_t lane_len, __m512i four[4])
{
    const __m512i q0 = load_quarter(data, lane_len, 0);
    const __m512i q1 = load_quarter(data, lane_len, 1);
    const __m512i q2 = load_quarter(data, lane_len, 2);
    const __m512i q3 = load_quarter(data, lane_len, 3);
    const __m512i low01 = _mm512_unpacklo_epi32(q0, q1);
    const __m512i low23 = _mm512_unpacklo_epi32(q2, q3);
    const __m512i high01 = _mm512_unpackhi_epi32(q0, q1);
    const __m512i high23 = _mm512_unpackhi_epi32(q2, q3);
    four[0] = _mm512_unpacklo_epi64(low01, low23);
    four[1] = _mm512_unpackhi_epi64(low01, low23);
    four[2] = _mm512_unpacklo_epi64(high01, high23);
    four[3] = _mm512_unpackhi_epi64(high01, high23);
}

struct lanes {
    size_t len;
    uint32_t *places;
    uint32_t n[N_LANES];
};

static inline void note(struct lanes *lanes, uint32_t found, size_t place)
{
    for (; found != 0; found &= found - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(found);
        lanes->places[lane * lanes->len + lanes->n[lane]++] =
            (uint32_t)(lane * lanes->len + place);
    }
}

/* Four hashes from four bytes of every lane; records those that are below. */
OG_TARGET_AVX512 static inline __m512i take_four(const __m512i words[4],
                                                 __m512i hash, __m512i below,
                                                 struct lanes *lanes,
                                                 size_t place)
{
    __mmask16 found[4];
    for (unsigned i = 0; i < 4; i++) {
        hash = _mm512_add_epi32(_mm512_add_epi32(hash, hash), words[i]);
        found[i] = _mm512_cmplt_epu32_mask(hash, below);
    }
    if (OG_UNLIKELY((found[0] | found[1] | found[2] | found[3]) != 0))
        for (unsigned i = 0; i < 4; i++)
            note(lanes, found[i], place + i + 1);
    return hash;
}

static size_t join_lanes(struct lanes *lanes)
{
    size_t n = lanes->n[0];
    for (size_t lane = 1; lane < N_LANES; lane++) {
        memmove(lanes->places + n, lanes->places + lane * lanes->len,
                lanes->n[lane] * sizeof(*lanes->places));
        n += lanes->n[lane];
    }
    return n;
}

OG_TARGET_AVX512 size_t og_gear_scan_avx512(const uint8_t *data, size_t len,
                                            uint32_t below, uint32_t *places)
{
    struct lanes lanes = {len / N_LANES / STEP * STEP, places, {0}};
    /* Loading the tables takes as long as scanning some hundred bytes. */
    if (lanes.len < (size_t)4 * OG_GEAR_WINDOW)
        return og_gear_scan_lanes(data, len, below, places);
    struct planes planes;
    load_planes(&planes);
    uint32_t first[N_LANES];
    for (size_t lane = 0; lane < N_LANES; lane++)
        first[lane] = og_gear_hash(data + lane * lanes.len);
    __m512i hash = _mm512_loadu_si512(first);
    const __m512i limit = _mm512_set1_epi32((int)below);
    for (size_t i = 0; i < lanes.len; i += STEP) {
        __m512i four[4], words[4];
        load_step(data + i, lanes.len, four);
        for (unsigned j = 0; j < 4; j++) {
            look_up_words(&planes, four[j], words);
            hash = take_four(words, hash, limit, &lanes, i + 4 * j);
        }
    }
    size_t n = join_lanes(&lanes);
    const size_t done = N_LANES * lanes.len;
    const size_t n_rest =
        og_gear_scan_plain(data + done, len - done, below, places + n);
    for (size_t i = 0; i < n_rest; i++)
        places[n + i] += (uint32_t)done;
    return n + n_rest;
}

#endif
