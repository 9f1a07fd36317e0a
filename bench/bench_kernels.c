/* How many instructions does each kernel take, at the level that ORIGO_CPU
 * names?
 *
 *     bench_kernels KERNEL ROUNDS
 *
 * Works ROUNDS times on the same input and prints how many units (bytes, words,
 * ...) a round has. bench/count_kernels runs it twice under qemu, with few
 * rounds and with many, and divides the difference. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fingerprint/fingerprint.h"
#include "lib/hamming/code_scan.h"
#include "lib/os/cpu.h"
#include "lib/sketch/family.h"
#include "lib/sketch/simhash.h"
#include "lib/source/json/scan_bytes.h"
#include "lib/table/bucket.h"
#include "lib/text/ascii.h"
#include "lib/token/byte_masks.h"
#include "lib/token/token_hash.h"

enum {
    N_BYTES = 1 << 15,
    N_BLOCKS = N_BYTES / OG_MASK_BLOCK,
    N_WORDS = 4096,
    N_LANES = 128,
    SHINGLE = 8,
};

/* Filled once, the same on every machine. */
static char text[N_BYTES + 64], escaped[N_BYTES + 64];
static char room[2 * N_BYTES + 64];
static uint32_t begins[N_WORDS], ends[N_WORDS], weights[N_WORDS];
static uint64_t words[N_WORDS + 64], results[N_WORDS + 64];
static uint64_t sink; /* so that nothing is left out */

/* Words of 1 to 10 letters, some with a capital; an escape a line in JSON. */
static void fill_inputs(void)
{
    uint64_t random = 1;
    size_t n_words = 0, n = 0;
    while (n < N_BYTES) {
        const size_t len = 1 + og_random_next(&random) % 10;
        const size_t begin = n;
        for (size_t i = 0; i < len && n < N_BYTES; i++)
            text[n++] = (char)('a' + og_random_next(&random) % 26);
        if (n_words % 12 == 0) text[begin] ^= 0x20;
        if (n_words < N_WORDS) {
            begins[n_words] = (uint32_t)begin;
            ends[n_words++] = (uint32_t)n;
        }
        if (n < N_BYTES) text[n++] = ' ';
    }
    memcpy(escaped, text, sizeof(text));
    for (size_t i = 60; i + 2 < N_BYTES; i += 60)
        memcpy(escaped + i, "\\n", 2);
    for (size_t i = 0; i < N_WORDS; i++) {
        words[i] = og_random_next(&random);
        weights[i] = 1 + (uint32_t)(words[i] % (20 << 16));
    }
}

static size_t fold(void)
{
    sink += og_ascii_fold_choose()(room, text, N_BYTES);
    return N_BYTES;
}

static size_t unescape(void)
{
    char *dest = room;
    const struct og_scan_kernels *k = og_scan_kernels_of(og_cpu_level());
    sink +=
        (uint64_t)(k->unescape(escaped, escaped + N_BYTES, &dest) - escaped);
    return N_BYTES;
}

static size_t newlines(void)
{
    const struct og_scan_kernels *k = og_scan_kernels_of(og_cpu_level());
    sink += k->count_newlines(text, text + N_BYTES);
    return N_BYTES;
}

static size_t masks(void)
{
    static struct og_masks out[N_BLOCKS];
    og_mask_kernels_choose()->words(text, N_BLOCKS, out);
    sink += out[N_BLOCKS - 1].member;
    return N_BYTES;
}

static size_t positions(void)
{
    static uint64_t starts[N_BLOCKS];
    static uint32_t out[N_BYTES + OG_MASK_POSITIONS_SLACK];
    for (size_t i = 0; i < N_WORDS && starts[N_BLOCKS - 1] == 0; i++)
        starts[begins[i] / 64] |= UINT64_C(1) << begins[i] % 64;
    sink += og_mask_kernels_choose()->positions(starts, N_BLOCKS, 0, out);
    return N_BYTES;
}

static size_t hash_tokens(void)
{
    og_token_hash_choose()(text, begins, ends, N_WORDS, 7, results);
    return N_WORDS;
}

static size_t fingerprint(void)
{
    static struct og_shingle_factors key;
    static struct og_fps fps;
    if (key.shingle_len == 0)
        og_shingle_factors_init(&key, og_rabin_default(), SHINGLE);
    if (og_words_fingerprint(words, N_WORDS, &key, &fps, NULL) != OG_OK)
        exit(3);
    return fps.n;
}

/* 64 buckets, full, of 64 slots: half of the tags are not there. */
static size_t look(void)
{
    static struct og_table table;
    table.options.bucket_slots = 64;
    for (size_t i = 0; i < N_WORDS; i++) {
        const uint8_t *bucket = (const uint8_t *)words + i % 64 * 64;
        sink += og_bucket_look(&table, bucket, words[i] >> 7).slot;
    }
    return N_WORDS;
}

static size_t least(void)
{
    static struct og_family family;
    static uint32_t out[N_LANES];
    if (family.n_lanes == 0 &&
        og_family_init(&family, OG_FAMILY_MIX, 1, N_LANES, NULL, NULL) != OG_OK)
        exit(3);
    og_family_least(&family, words, words, N_WORDS, 0, N_LANES, out);
    return (size_t)N_WORDS * N_LANES;
}

static size_t simhash(void)
{
    sink += og_simhash_choose()->sign(words, N_WORDS);
    return N_WORDS;
}

static size_t weigh(void)
{
    uint64_t ones[64];
    og_simhash_choose()->weigh(words, weights, N_WORDS, 20 << 16, ones);
    sink += ones[63];
    return N_WORDS;
}

static size_t scan_codes(void)
{
    uint32_t out[64];
    size_t from = 0;
    sink += og_code_scan(words, N_WORDS, 0, 3, &from, out, 64);
    return N_WORDS;
}

static const struct {
    const char *name;
    size_t (*round)(void);
} kernels[] = {
    {"fold", fold},
    {"unescape", unescape},
    {"newlines", newlines},
    {"masks", masks},
    {"positions", positions},
    {"hash", hash_tokens},
    {"fingerprint", fingerprint},
    {"look", look},
    {"minhash", least},
    {"simhash", simhash},
    {"weigh", weigh},
    {"codes", scan_codes},
};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_kernels KERNEL ROUNDS\n");
        return 2;
    }
    fill_inputs();
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        if (strcmp(kernels[i].name, argv[1]) != 0) continue;
        size_t n_units = kernels[i].round();
        for (long n = atol(argv[2]); n > 0; n--)
            n_units = kernels[i].round();
        printf("%s %zu %s\n", og_cpu_name(og_cpu_level()), n_units,
               sink == 1 ? "!" : "");
        return 0;
    }
    fprintf(stderr, "bench_kernels: no kernel '%s'\n", argv[1]);
    return 2;
}
