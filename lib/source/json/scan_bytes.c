/* Bulk loops over bytes: find the special bytes of a JSON string, resolve its
 * escapes, count lines.
 *
 * Text in JSONL has a \n every 40 to 80 bytes, so a loop that stops at every
 * escape spends its time on branches that nobody can predict. The AVX-512 form
 * therefore takes 64 bytes as a set of bit masks, the way simdjson does:
 *
 *     bytes        a \ n b \ \ n "
 *     backslash    0 1 0 0 1 1 0 0
 *     escape       0 1 0 0 1 0 0 0     the backslashes that begin an escape
 *     escaped      0 0 1 0 0 1 0 0     what follows them
 *
 * looks up the meaning of every escaped byte with one permutation of a 128-byte
 * table, drops the escapes with one compression, and writes 64 bytes. Only \u
 * and the end of the string leave the loop. (The compression goes through a
 * register: its form that writes to memory takes over a hundred cycles on Zen
 * 4.)
 *
 * The AVX2 form jumps from special byte to special byte. The plain form works
 * on 8 bytes in a word and runs on every other machine. */

#include "lib/source/json/scan_bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bits.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

const char og_scan_escapes[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* ---- plain ---- */

#define ONES  0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* The high bit of each byte of x that is zero. Bytes above the first such byte
 * may be marked wrongly (the subtraction borrows), so only the lowest bit
 * counts. */
static uint64_t zero_bytes(uint64_t x)
{
    return (x - ONES) & ~x & HIGHS;
}

static uint64_t special_bytes(uint64_t x)
{
    const uint64_t below_space = (x - ONES * 0x20) & ~x & HIGHS;
    return below_space | zero_bytes(x ^ (ONES * '"')) |
           zero_bytes(x ^ (ONES * '\\'));
}

static bool is_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

static const char *find_special_plain(const char *p, const char *end)
{
    for (; end - p >= 8; p += 8) {
        const uint64_t special = special_bytes(og_load64(p));
        if (special != 0) return p + __builtin_ctzll(special) / 8;
    }
    while (p < end && !is_special(*p))
        p++;
    return p;
}

static const char *unescape_plain(const char *p, const char *end, char **dest)
{
    char *out = *dest;
    for (;;) {
        while (end - p >= 8) {
            const uint64_t special = special_bytes(og_load64(p));
            const int n = special == 0 ? 8 : __builtin_ctzll(special) / 8;
            memcpy(out, p, 8);
            p += n;
            out += n;
            if (n < 8) break;
        }
        while (p < end && !is_special(*p))
            *out++ = *p++;
        if (!og_scan_resolve(p, end, out)) break;
        p += 2;
        out++;
    }
    *dest = out;
    return p;
}

/* A one in each byte of x that is zero. Exact: no carry leaves a byte whose
 * high bit was cleared. */
static uint64_t zero_ones(uint64_t x)
{
    const uint64_t other = ((x & ~HIGHS) + ~HIGHS) | x;
    return (~other & HIGHS) >> 7;
}

/* Eight counters in a word; a product puts their sum into its highest byte,
 * which is large enough for 31 words: 31 * 8 = 248 newlines at most. */
static size_t count_newlines_plain(const char *p, const char *end)
{
    size_t n = 0;
    while (end - p >= 8) {
        const char *const stop = end - p >= 31 * 8 ? p + 31 * 8 : end - 7;
        uint64_t counters = 0;
        for (; p < stop; p += 8)
            counters += zero_ones(og_load64(p) ^ (ONES * '\n'));
        n += (size_t)((counters * ONES) >> 56);
    }
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

static const struct og_scan_kernels kernels_plain = {
    find_special_plain,
    unescape_plain,
    count_newlines_plain,
};

#if defined(OG_X86)

/* ---- AVX2 ---- */

OG_TARGET_AVX2 static inline uint32_t special_mask_avx2(__m256i v)
{
    const __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
    const __m256i backslash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
    const __m256i control =
        _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_or_si256(control, _mm256_or_si256(quote, backslash)));
}

OG_TARGET_AVX2 static const char *find_special_avx2(const char *p,
                                                    const char *end)
{
    for (; end - p >= 32; p += 32) {
        const uint32_t special =
            special_mask_avx2(_mm256_loadu_si256((const __m256i *)p));
        if (special != 0) return p + _tzcnt_u32(special);
    }
    return find_special_plain(p, end);
}

OG_TARGET_AVX2 static const char *unescape_avx2(const char *p, const char *end,
                                                char **dest)
{
    char *out = *dest;
    while (end - p >= 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)p);
        const uint32_t special = special_mask_avx2(v);
        const unsigned n = _tzcnt_u32(special); /* 32 when there is none */
        _mm256_storeu_si256((__m256i *)out, v);
        p += n;
        out += n;
        if (n == 32) continue;
        if (!og_scan_resolve(p, end, out)) {
            *dest = out;
            return p;
        }
        p += 2;
        out++;
    }
    *dest = out;
    return unescape_plain(p, end, dest);
}

OG_TARGET_AVX2 static size_t count_newlines_avx2(const char *p, const char *end)
{
    size_t n = 0;
    for (; end - p >= 32; p += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)p);
        const __m256i is_newline = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n'));
        n += (size_t)_mm_popcnt_u32((uint32_t)_mm256_movemask_epi8(is_newline));
    }
    return n + count_newlines_plain(p, end);
}

static const struct og_scan_kernels kernels_avx2 = {
    find_special_avx2,
    unescape_avx2,
    count_newlines_avx2,
};

/* ---- AVX-512 ---- */

/* Ones for the first n of 64 bytes. */
OG_TARGET_AVX512 static inline uint64_t first_bytes(size_t n)
{
    return _bzhi_u64(UINT64_MAX, (unsigned)n);
}

OG_TARGET_AVX512 static inline uint64_t equal_mask(__m512i v, char c)
{
    return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c));
}

OG_TARGET_AVX512 static inline uint64_t control_mask(__m512i v)
{
    return _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20));
}

OG_TARGET_AVX512 static inline uint64_t special_mask(__m512i v)
{
    return equal_mask(v, '"') | equal_mask(v, '\\') | control_mask(v);
}

OG_TARGET_AVX512 static const char *find_special_avx512(const char *p,
                                                        const char *end)
{
    for (; end - p >= 64; p += 64) {
        const uint64_t special = special_mask(_mm512_loadu_si512(p));
        if (special != 0) return p + _tzcnt_u64(special);
    }
    const size_t rest = (size_t)(end - p);
    const uint64_t inside = first_bytes(rest);
    const uint64_t special =
        special_mask(_mm512_maskz_loadu_epi8(inside, p)) & inside;
    return p + (special != 0 ? _tzcnt_u64(special) : rest);
}

/* The backslashes that begin an escape, provided the first byte is not escaped
 * itself: in a run of backslashes every second one, starting with the first.
 * Subtracting the runs from the odd positions carries through each run and
 * gives its parity (simdjson's find_escaped). */
static inline uint64_t begin_escape_mask(uint64_t backslash)
{
    const uint64_t odd = 0xaaaaaaaaaaaaaaaau;
    const uint64_t code = (((backslash << 1) | odd) - backslash) ^ odd;
    return code & backslash;
}

/* 64 bytes, or the first `inside` of them, decomposed. */
struct pieces {
    __m512i mixed;   /* escaped bytes are replaced by their meaning */
    uint64_t escape; /* the backslashes to drop */
    uint64_t stop;   /* bytes at which the run must stop */
    uint64_t ahead;  /* an escape whose second byte is in the next 64 */
};

OG_TARGET_AVX512 static inline struct pieces take_apart(__m512i v,
                                                        uint64_t inside)
{
    const __m512i low = _mm512_loadu_si512(og_scan_escapes);
    const __m512i high = _mm512_loadu_si512(og_scan_escapes + 64);
    const __m512i meaning = _mm512_permutex2var_epi8(low, v, high);
    const uint64_t escape = begin_escape_mask(equal_mask(v, '\\') & inside);
    const uint64_t escaped = (escape << 1) & inside;
    const uint64_t unknown =
        escaped & (equal_mask(meaning, 0) | _mm512_movepi8_mask(v));
    const uint64_t special = (equal_mask(v, '"') | control_mask(v)) & inside;
    return (struct pieces){
        .mixed = _mm512_mask_mov_epi8(v, escaped, meaning),
        .escape = escape,
        .stop = (special & ~escaped) | (unknown >> 1),
        .ahead = escape & ~(inside >> 1),
    };
}

OG_TARGET_AVX512 static inline char *put_pieces(const struct pieces *pieces,
                                                uint64_t taken, char *out)
{
    const uint64_t keep = taken & ~pieces->escape;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, pieces->mixed));
    return out + _mm_popcnt_u64(keep);
}

/* No branch depends on where the escapes are, and in the common case the next
 * address depends on nothing that was read: many steps overlap. */
OG_TARGET_AVX512 static const char *
unescape_avx512(const char *p, const char *end, char **dest)
{
    char *out = *dest;
    bool stops = false;
    while (!stops && end - p >= 64) {
        const struct pieces pieces =
            take_apart(_mm512_loadu_si512(p), UINT64_MAX);
        size_t n = 64;
        if (OG_UNLIKELY((pieces.stop | pieces.ahead) != 0)) {
            n = _tzcnt_u64(pieces.stop | pieces.ahead);
            /* An incomplete escape only begins the next step. */
            stops = ((pieces.stop >> n) & 1) != 0;
        }
        out = put_pieces(&pieces, first_bytes(n), out);
        p += n;
    }
    if (!stops) {
        const size_t rest = (size_t)(end - p);
        const uint64_t inside = first_bytes(rest);
        const struct pieces pieces =
            take_apart(_mm512_maskz_loadu_epi8(inside, p), inside);
        const size_t n = _tzcnt_u64(pieces.stop | pieces.ahead);
        const size_t n_taken = n < rest ? n : rest;
        out = put_pieces(&pieces, first_bytes(n_taken), out);
        p += n_taken;
    }
    *dest = out;
    return p;
}

OG_TARGET_AVX512 static size_t count_newlines_avx512(const char *p,
                                                     const char *end)
{
    size_t n = 0;
    for (; end - p >= 64; p += 64)
        n += (size_t)_mm_popcnt_u64(equal_mask(_mm512_loadu_si512(p), '\n'));
    const uint64_t inside = first_bytes((size_t)(end - p));
    const __m512i v = _mm512_maskz_loadu_epi8(inside, p);
    return n + (size_t)_mm_popcnt_u64(equal_mask(v, '\n'));
}

static const struct og_scan_kernels kernels_avx512 = {
    find_special_avx512,
    unescape_avx512,
    count_newlines_avx512,
};

#endif

const struct og_scan_kernels *og_scan_kernels_of(og_cpu level)
{
#if defined(OG_X86)
    if (level >= OG_CPU_AVX512) return &kernels_avx512;
    if (level >= OG_CPU_AVX2) return &kernels_avx2;
#endif
#if defined(OG_NEON)
    if (level >= OG_CPU_NEON) return &og_scan_kernels_neon;
#endif
    (void)level;
    return &kernels_plain;
}
