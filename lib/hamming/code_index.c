/* Directory tables: code_index.h describes them.
 *
 * A query is processed in three steps over a small array of probes: prefetch
 * the directory entries of all, prefetch the first line of all buckets,
 * compare. So up to PROBES cache misses overlap instead of one. Keys within a
 * radius are made by flipping bits of the key; the array is processed whenever
 * it is full, so that large radii need no memory. */

#include "lib/hamming/code_index.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/disk/segment_file.h"
#include "lib/hamming/code_permuted.h"
#include "lib/hamming/code_scan.h"
#include "lib/hamming/code_slices.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#define OG_TARGET_VPOPCNT                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,"                \
                          "avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
#endif

/* ---- making ---- */

static size_t starts_len(uint64_t mask)
{
    const size_t n = ((size_t)1 << __builtin_popcountll(mask)) + 2;
    return (n * sizeof(uint32_t) + 63) / 64 * 64;
}

size_t og_code_table_len(uint64_t mask, size_t n)
{
    return starts_len(mask) + (n * sizeof(uint64_t) + 63) / 64 * 64;
}

/* Distributes the codes of one part of the keys, [first, first + n_keys).
 * Counts are two entries further than their key, so that the sums are cursors
 * one entry further, and ends once all codes are placed. The first cursor is
 * the end of the previous part. */
static void fill_part(const struct og_code_runs *runs, const uint64_t *codes,
                      size_t n, uint32_t *starts, uint64_t *placed,
                      size_t first, size_t n_keys)
{
    for (size_t i = 0; i < n; i++)
        starts[og_code_key(runs, codes[i]) + 2]++;
    for (size_t key = first; key < first + n_keys; key++)
        starts[key + 2] += starts[key + 1];
    for (size_t i = 0; i < n; i++)
        placed[starts[og_code_key(runs, codes[i]) + 1]++] = codes[i];
}

/* By the first bits of the key into `spare`, then each part by all of them:
 * two passes whose writes stay in the cache; one pass took twice as long. */
void og_code_table_fill(uint64_t mask, const uint64_t *codes, size_t n,
                        uint64_t *spare, void *out)
{
    enum { PART_BITS = 11 };
    size_t end[(1 << PART_BITS) + 1] = {0};
    struct og_code_runs runs;
    uint32_t *starts = out;
    uint64_t *placed = (uint64_t *)(void *)((char *)out + starts_len(mask));
    og_code_runs_init(&runs, mask);
    const unsigned bits = runs.n_bits < PART_BITS ? runs.n_bits : PART_BITS;
    const unsigned shift = runs.n_bits - bits;
    for (size_t i = 0; i < n; i++)
        end[(og_code_key(&runs, codes[i]) >> shift) + 1]++;
    for (size_t part = 0; part < (size_t)1 << bits; part++)
        end[part + 1] += end[part];
    for (size_t i = 0; i < n; i++)
        spare[end[og_code_key(&runs, codes[i]) >> shift]++] = codes[i];
    for (size_t part = 0; part < (size_t)1 << bits; part++) {
        const size_t begin = part == 0 ? 0 : end[part - 1];
        fill_part(&runs, spare + begin, end[part] - begin, starts, placed,
                  part << shift, (size_t)1 << shift);
    }
}

void og_code_table_turn(uint64_t mask, size_t n, void *table)
{
    uint8_t *const codes = (uint8_t *)table + starts_len(mask);
    og_segment_turn("4", "4", table, starts_len(mask));
    og_segment_turn("8", "8", codes, n * sizeof(uint64_t));
}

bool og_code_table_sound(uint64_t mask, size_t n, const void *table)
{
    const uint32_t *starts = table;
    const size_t n_keys = (size_t)1 << __builtin_popcountll(mask);
    bool sound = starts[0] == 0 && starts[n_keys] == n;
    for (size_t key = 0; key < n_keys; key++)
        sound &= starts[key] <= starts[key + 1];
    return sound;
}

void og_code_index_view(struct og_code_index *index,
                        const struct og_code_design *design,
                        const uint64_t *codes, size_t n, const void *tables)
{
    const char *at = tables;
    *index = (struct og_code_index){.design = *design, .n = n, .codes = codes};
    if (tables == NULL) return; /* not stored in the file */
    for (unsigned t = 0; t < design->n_tables; t++) {
        const uint64_t mask = design->mask[t];
        og_code_runs_init(&index->table[t].runs, mask);
        index->table[t].starts = (const uint32_t *)(const void *)at;
        index->table[t].codes =
            (const uint64_t *)(const void *)(at + starts_len(mask));
        at += og_code_table_len(mask, n);
    }
}

/* Bits per code in a packed table: neighbouring values agree in about log2(n)
 * bits, the position of the first difference takes some two bits, the key of a
 * block a twentieth. */
static double packed_bits(uint64_t n)
{
    const int log = 63 - __builtin_clzll(n | 1);
    return (64 - log + 2) * 1.01;
}

uint64_t og_code_design_bytes(const struct og_code_design *design, uint64_t n)
{
    uint64_t len = 0;
    if (design->form == OG_CODE_SLICES)
        return (n + OG_CODE_BLOCK - 1) / OG_CODE_BLOCK * OG_CODE_SLICE_WORDS *
               8;
    if (design->form == OG_CODE_SORTED) return design->n_tables * n * 8;
    if (design->form == OG_CODE_PACKED)
        return (uint64_t)(design->n_tables * packed_bits(n) * (double)n / 8);
    for (unsigned t = 0; t < design->n_tables; t++)
        len += og_code_table_len(design->mask[t], n);
    return len;
}

/* ---- other forms ---- */

static og_status make_permuted(struct og_code_index *index,
                               const og_allocator *allocator, og_error *err)
{
    struct og_code_permuted *p = og_allocate(allocator, sizeof(*p));
    if (p == NULL) return og_error_memory(err, sizeof(*p), "tables");
    const og_status status = og_code_permuted_init(
        p, &index->design, index->codes, index->n,
        index->design.form == OG_CODE_PACKED, allocator, err);
    if (status == OG_OK)
        index->permuted = p;
    else
        og_release(allocator, p, sizeof(*p));
    return status;
}

static og_status make_slices(struct og_code_index *index,
                             const og_allocator *allocator, og_error *err)
{
    struct og_code_slices *s = og_allocate_zero(allocator, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "slices");
    const og_status status =
        og_code_slices_init(s, index->codes, index->n, allocator, err);
    if (status == OG_OK)
        index->slices = s;
    else
        og_release(allocator, s, sizeof(*s));
    return status;
}

/* Tables that are not stored in a file: built from the codes, in memory. */
static og_status make_form(struct og_code_index *index,
                           const struct og_code_design *design,
                           const uint64_t *codes, size_t n,
                           const og_allocator *allocator, og_error *err)
{
    *index = (struct og_code_index){
        .design = *design, .n = n, .codes = codes, .allocator = allocator};
    if (!og_code_form_fits(design->form, design))
        return og_error_set(err, OG_ERR_USAGE,
                            "'%s' does not go with this design of tables",
                            og_code_form_name(design->form));
    return design->form == OG_CODE_SLICES
               ? make_slices(index, allocator, err)
               : make_permuted(index, allocator, err);
}

static void release_form(struct og_code_index *index)
{
    if (index->permuted != NULL) og_code_permuted_release(index->permuted);
    if (index->slices != NULL) og_code_slices_release(index->slices);
    og_release(index->allocator, index->permuted, sizeof(*index->permuted));
    og_release(index->allocator, index->slices, sizeof(*index->slices));
}

og_status og_code_index_init(struct og_code_index *index,
                             const struct og_code_design *design,
                             const uint64_t *codes, size_t n,
                             const og_allocator *allocator, og_error *err)
{
    struct og_pages pages = {0}, spare;
    const size_t len = og_code_design_bytes(design, n);
    *index = (struct og_code_index){0};
    if (n > OG_CODE_INDEX_MOST)
        return og_error_set(err, OG_ERR_LIMIT,
                            "%zu codes are more than the %llu of one table", n,
                            (unsigned long long)OG_CODE_INDEX_MOST);
    if (design->form != OG_CODE_DIRECTORY)
        return make_form(index, design, codes, n, allocator, err);
    if (len == 0) {
        og_code_index_view(index, design, codes, n, NULL);
        return OG_OK;
    }
    TRY(og_pages_init(&spare, n * sizeof(uint64_t) + 1, allocator, err));
    const og_status status = og_pages_init(&pages, len, allocator, err);
    if (status != OG_OK) {
        og_pages_release(&spare);
        return status;
    }
    char *at = pages.data;
    for (unsigned t = 0; t < design->n_tables; t++) {
        og_code_table_fill(design->mask[t], codes, n, spare.data, at);
        at += og_code_table_len(design->mask[t], n);
    }
    og_code_index_view(index, design, codes, n, pages.data);
    index->pages = pages;
    og_pages_release(&spare);
    return OG_OK;
}

void og_code_index_release(struct og_code_index *index)
{
    og_pages_release(&index->pages);
    release_form(index);
    *index = (struct og_code_index){0};
}

/* ---- queries ---- */

enum {
    PROBES = 128,
    LONG_BUCKET = 64, /* codes; from this length on the scan's loop pays off */
};

struct probe {
    uint32_t table, question;
    uint64_t key; /* then the beginning of the bucket */
    uint64_t end;
};

struct ask {
    const struct og_code_index *index;
    const uint64_t *questions;
    unsigned max_distance;
    void *ctx;
    bool (*on_match)(void *ctx, size_t question, uint64_t code);
    void (*compare)(struct ask *a);
    unsigned n_probes;
    bool stopped;
    struct probe probe[PROBES];
};

static void report_match(struct ask *a, const struct probe *p, uint64_t place)
{
    const uint64_t code = a->index->table[p->table].codes[place];
    if (og_code_design_found_before(&a->index->design, p->table,
                                    code ^ a->questions[p->question]))
        return;
    if (!a->on_match(a->ctx, p->question, code)) a->stopped = true;
}

static void compare_long(struct ask *a, const struct probe *p)
{
    uint32_t place[256];
    const uint64_t *codes = a->index->table[p->table].codes + p->key;
    for (size_t from = 0; from < p->end - p->key && !a->stopped;) {
        const size_t n =
            og_code_scan(codes, p->end - p->key, a->questions[p->question],
                         a->max_distance, &from, place, 256);
        for (size_t i = 0; i < n && !a->stopped; i++)
            report_match(a, p, p->key + place[i]);
    }
}

static inline __attribute__((always_inline)) void compare_each(struct ask *a)
{
    for (unsigned i = 0; i < a->n_probes && !a->stopped; i++) {
        const struct probe *p = &a->probe[i];
        const uint64_t *codes = a->index->table[p->table].codes;
        const uint64_t question = a->questions[p->question];
        if (OG_UNLIKELY(p->end - p->key > LONG_BUCKET)) {
            compare_long(a, p);
            continue;
        }
        for (uint64_t j = p->key; j < p->end && !a->stopped; j++)
            if (OG_UNLIKELY((unsigned)__builtin_popcountll(
                                codes[j] ^ question) <= a->max_distance))
                report_match(a, p, j);
    }
}

static void compare_plain(struct ask *a)
{
    compare_each(a);
}

#if defined(OG_X86)

OG_TARGET_AVX2 static void compare_avx2(struct ask *a)
{
    compare_each(a);
}

/* A bucket in one or two steps of 8 codes: its length, which is unpredictable,
 * is mostly a mask instead of a branch. */
OG_TARGET_VPOPCNT static void compare_avx512(struct ask *a)
{
    const __m512i limit = _mm512_set1_epi64((long long)a->max_distance);
    for (unsigned i = 0; i < a->n_probes && !a->stopped; i++) {
        const struct probe *p = &a->probe[i];
        const uint64_t *codes = a->index->table[p->table].codes;
        const __m512i question =
            _mm512_set1_epi64((long long)a->questions[p->question]);
        if (OG_UNLIKELY(p->end - p->key > LONG_BUCKET)) {
            compare_long(a, p);
            continue;
        }
        uint64_t j = p->key;
        do {
            const __mmask8 here =
                (__mmask8)_bzhi_u32(0xff, (uint32_t)(p->end - j));
            const __m512i v = _mm512_maskz_loadu_epi64(here, codes + j);
            const __m512i d =
                _mm512_popcnt_epi64(_mm512_xor_si512(v, question));
            uint32_t near = _mm512_mask_cmple_epu64_mask(here, d, limit);
            for (; OG_UNLIKELY(near != 0) && !a->stopped; near &= near - 1)
                report_match(a, p, j + (uint32_t)__builtin_ctz(near));
            j += 8;
        } while (OG_UNLIKELY(j < p->end) && !a->stopped);
    }
}

#endif

static void (*choose_compare(void))(struct ask *)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512 &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return compare_avx512;
    if (og_cpu_level() >= OG_CPU_AVX2) return compare_avx2;
#endif
    return compare_plain;
}

static void work_off(struct ask *a)
{
    for (unsigned i = 0; i < a->n_probes; i++) {
        struct probe *p = &a->probe[i];
        const struct og_code_table *table = &a->index->table[p->table];
        p->end = table->starts[p->key + 1];
        p->key = table->starts[p->key];
        __builtin_prefetch(table->codes + p->key);
        __builtin_prefetch(table->codes + p->end - (p->end > p->key));
    }
    a->compare(a);
    a->n_probes = 0;
}

static inline void add_probe(struct ask *a, unsigned table, uint32_t question,
                             uint64_t key)
{
    if (a->n_probes == PROBES) work_off(a);
    __builtin_prefetch(a->index->table[table].starts + key);
    a->probe[a->n_probes++] =
        (struct probe){.table = table, .question = question, .key = key};
}

/* All keys with `n` of the bits below `below` flipped: recursion of depth n. */
static void flip_bits(struct ask *a, unsigned table, uint32_t question,
                      uint64_t key, unsigned below, unsigned n)
{
    for (unsigned bit = n - 1; bit < below && !a->stopped; bit++) {
        const uint64_t flipped = key ^ UINT64_C(1) << bit;
        if (n > 1)
            flip_bits(a, table, question, flipped, bit, n - 1);
        else
            add_probe(a, table, question, flipped);
    }
}

static void add_probes(struct ask *a, unsigned table, uint32_t question)
{
    const struct og_code_runs *runs = &a->index->table[table].runs;
    const uint64_t key = og_code_key(runs, a->questions[question]);
    const unsigned radius = a->index->design.radius[table];
    add_probe(a, table, question, key);
    for (unsigned n = 1; n <= radius && n <= runs->n_bits; n++)
        flip_bits(a, table, question, key, runs->n_bits, n);
}

static void ask_tables(struct ask *a, size_t n_questions)
{
    const unsigned n_tables = a->index->design.n_tables;
    for (size_t q = 0; q < n_questions && !a->stopped; q++)
        for (unsigned t = 0; t < n_tables; t++)
            add_probes(a, t, (uint32_t)q);
    if (!a->stopped) work_off(a);
}

static void ask_scan(struct ask *a, uint32_t question)
{
    uint32_t place[1024];
    for (size_t from = 0; from < a->index->n && !a->stopped;) {
        const size_t n =
            og_code_scan(a->index->codes, a->index->n, a->questions[question],
                         a->max_distance, &from, place, 1024);
        for (size_t i = 0; i < n && !a->stopped; i++)
            if (!a->on_match(a->ctx, question, a->index->codes[place[i]]))
                a->stopped = true;
    }
}

struct slice_ask {
    const struct og_code_index *index;
    void *ctx;
    bool (*on_match)(void *ctx, size_t question, uint64_t code);
};

static bool report_place(void *ctx, size_t question, size_t place)
{
    const struct slice_ask *a = ctx;
    return a->on_match(a->ctx, question, a->index->codes[place]);
}

bool og_code_index_ask(const struct og_code_index *index,
                       const uint64_t *questions, size_t n_questions,
                       unsigned max_distance, void *ctx,
                       bool (*on_match)(void *ctx, size_t question,
                                        uint64_t code))
{
    if (index->permuted != NULL)
        return og_code_permuted_ask(index->permuted, questions, n_questions,
                                    max_distance, ctx, on_match);
    if (index->slices != NULL) {
        struct slice_ask s = {index, ctx, on_match};
        return og_code_slices_ask(index->slices, questions, n_questions,
                                  max_distance, &s, report_place);
    }
    struct ask a; /* its probes need not be cleared */
    a.index = index;
    a.questions = questions;
    a.max_distance = max_distance;
    a.ctx = ctx;
    a.on_match = on_match;
    a.compare = choose_compare();
    a.n_probes = 0;
    a.stopped = false;
    if (index->n == 0) return true;
    if (index->design.n_tables != 0) {
        ask_tables(&a, n_questions);
        return !a.stopped;
    }
    for (size_t q = 0; q < n_questions && !a.stopped; q++)
        ask_scan(&a, (uint32_t)q);
    return !a.stopped;
}

/* ---- sorting ---- */

/* One pass by 11 bits; returns false if all codes have the same ones. */
static bool sort_pass(const uint64_t *from, uint64_t *to, size_t n,
                      unsigned shift)
{
    size_t place[2048] = {0};
    for (size_t i = 0; i < n; i++)
        place[from[i] >> shift & 2047]++;
    if (n != 0 && place[from[0] >> shift & 2047] == n) return false;
    size_t sum = 0;
    for (size_t d = 0; d < 2048; d++) {
        const size_t here = place[d];
        place[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[place[from[i] >> shift & 2047]++] = from[i];
    return true;
}

void og_code_sort_all(uint64_t *codes, uint64_t *spare, size_t n)
{
    uint64_t *from = codes, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 11) {
        if (!sort_pass(from, to, n, shift)) continue;
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != codes) memcpy(codes, from, n * sizeof(*codes));
}

size_t og_code_sort(uint64_t *codes, uint64_t *spare, size_t n)
{
    size_t n_different = 0;
    og_code_sort_all(codes, spare, n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || codes[i] != codes[i - 1]) codes[n_different++] = codes[i];
    return n_different;
}

/* ---- searching ---- */

size_t og_code_search(const uint64_t *values, size_t n, uint64_t value)
{
    enum { STEPS = 8, NEAR = 16 };
    size_t low = 0, high = n; /* values[low - 1] < value <= values[high] */
    for (unsigned step = 0; step < STEPS && high - low > NEAR; step++) {
        const uint64_t first = values[low], last = values[high - 1];
        if (value <= first) return low;
        if (value > last) return high;
        const size_t guess = low + (size_t)((unsigned __int128)(value - first) *
                                            (high - 1 - low) / (last - first));
        if (values[guess] < value)
            low = guess + 1;
        else
            high = guess;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
