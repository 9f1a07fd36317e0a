/* How fast are files cut, how close to the limits of the machine, and how few
 * chunks does an edit change?
 *
 *     bench_chunks [--runs N] [--size MIB] [--file-size MIB]
 *
 * Speeds are in GB/s (10^9 bytes) of data in memory, fastest of N runs after a
 * warm-up, on one pinned processor and by the CPU time of the thread, so that
 * other load matters less (with all threads: wall-clock time); the plain loops
 * and the memory are measured in the same run. Edits are made in random bytes
 * of a file's length.
 *
 * What an edit changes, in theory. One byte is replaced. The chunk that
 * contains it changes for certain. In addition, the hashes of the w = 32 places
 * after it change at random. With cuts L bytes apart, one of these places was a
 * cut with probability w / L; it no longer is, so the next chunk changes, too,
 * and r more until the old and the new cuts coincide. Replacing the new byte by
 * the old one is an edit like any other, so cuts appear as often as they
 * disappear, with the same r. Together
 *
 *     c = 1 + (w / L) (1 + r) + (w / L) r
 *
 * chunks of N for one edit, and for E edits at random places, several of which
 * may be in one chunk, the share 1 - exp(-E c / N) of all. r is measured
 * separately: cut from places that are not cuts, count the chunks up to a true
 * cut. */

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>

#include "bench/machine.h"
#include "lib/base/bits.h"
#include "lib/chunk/chunk_tree.h"
#include "lib/chunk/gear.h"
#include "lib/fingerprint/rabin.h"
#include "lib/os/cpu.h"

struct options {
    unsigned n_runs;
    size_t len;      /* of the data for speeds */
    size_t file_len; /* of the data for edits */
};

static void die(const char *what)
{
    fprintf(stderr, "bench_chunks: %s\n", what);
    exit(3);
}

static void must(og_status status, const og_error *err)
{
    if (status != OG_OK) die(err->message);
}

static void *must_have(void *memory)
{
    if (memory == NULL) die("out of memory");
    return memory;
}

static void fill_random(uint8_t *data, size_t len, uint64_t seed)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        const uint64_t r = og_random_next(&seed);
        memcpy(data + i, &r, 8);
    }
    for (; i < len; i++)
        data[i] = (uint8_t)og_random_next(&seed);
}

/* ---- plain loops, as they are usually written ---- */

/* A window of 48 bytes, a cut where 13 bits are zero. */
static uint64_t cut_plain_rabin(const uint8_t *data, size_t len,
                                const og_cut_options *o)
{
    enum { WINDOW = 48 };
    struct og_rabin_window window;
    const struct og_rabin *rabin = og_rabin_default();
    uint64_t n = 0;
    og_rabin_window_bytes(&window, rabin, WINDOW);
    uint64_t fp = og_rabin_extend(rabin, rabin->empty, data, WINDOW);
    size_t begin = 0;
    for (size_t i = WINDOW; i < len; i++) {
        fp ^= window.out[0][data[i - WINDOW]];
        fp = fp >> 8 ^ rabin->by_byte[0][(fp ^ data[i]) & 0xff];
        const size_t chunk = i + 1 - begin;
        if (((fp & 0x1fff) == 0 && chunk >= o->min_len) ||
            chunk >= o->max_len) {
            begin = i + 1;
            n++;
        }
    }
    return n;
}

/* The loop of FastCDC with our rule: the same cuts as kind gear. */
static uint64_t cut_plain_gear(const uint8_t *data, size_t len,
                               const og_cut_options *o)
{
    const struct og_gear_rule rule = og_gear_rule_of(o);
    uint64_t n = 0;
    for (size_t begin = 0; begin < len; n++) {
        size_t i = begin + o->min_len;
        if (i > len) return n + 1;
        const size_t max = len - begin < o->max_len ? len : begin + o->max_len;
        const size_t normal =
            max - begin < rule.normal_len ? max : begin + rule.normal_len;
        uint32_t hash = og_gear_hash(data + i);
        while (i < normal && hash >= rule.strict)
            hash = (hash << 1) + og_gear_table[data[i++]];
        if (i >= normal)
            while (i < max && hash >= rule.relaxed)
                hash = (hash << 1) + og_gear_table[data[i++]];
        begin = i;
    }
    return n;
}

static uint64_t cut_kind(const uint8_t *data, size_t len,
                         const og_cut_options *o)
{
    struct og_cuts cuts;
    og_error err;
    og_cuts_init(&cuts, NULL);
    must(og_cut_all(data, len, o, &cuts, &err), &err);
    const uint64_t n = cuts.n;
    og_cuts_release(&cuts);
    return n;
}

/* ---- hashes, by pieces of a chunk's length ---- */

static uint64_t hash_sha256(const uint8_t *data, size_t len,
                            const og_cut_options *o)
{
    uint8_t hash[OG_HASH_LEN];
    uint64_t n = 0;
    for (size_t i = 0; i + o->average_len <= len; i += o->average_len) {
        og_bytes_hash(data + i, o->average_len, hash);
        n++;
    }
    return n;
}

static uint64_t hash_blake2(const uint8_t *data, size_t len,
                            const og_cut_options *o)
{
    static EVP_MD_CTX *ctx;
    uint8_t hash[EVP_MAX_MD_SIZE];
    uint64_t n = 0;
    if (ctx == NULL) ctx = must_have(EVP_MD_CTX_new());
    for (size_t i = 0; i + o->average_len <= len; i += o->average_len) {
        EVP_DigestInit_ex(ctx, EVP_blake2b512(), NULL);
        EVP_DigestUpdate(ctx, data + i, o->average_len);
        EVP_DigestFinal_ex(ctx, hash, NULL);
        n++;
    }
    return n;
}

static uint64_t chunks_whole(const uint8_t *data, size_t len,
                             const og_cut_options *o, unsigned n_threads)
{
    struct og_chunk_tree tree;
    og_error err;
    og_chunk_tree_init(&tree, NULL);
    must(og_chunks_of_memory(data, len, o, n_threads, &tree, &err), &err);
    const uint64_t n = tree.n_chunks;
    og_chunk_tree_release(&tree);
    return n;
}

static uint64_t chunks_one_thread(const uint8_t *data, size_t len,
                                  const og_cut_options *o)
{
    return chunks_whole(data, len, o, 1);
}

static uint64_t chunks_all_threads(const uint8_t *data, size_t len,
                                   const og_cut_options *o)
{
    return chunks_whole(data, len, o, 0);
}

/* ---- speeds ---- */

typedef uint64_t task(const uint8_t *data, size_t len, const og_cut_options *o);

/* Processor time of this thread, or the clock on the wall. */
static double seconds(bool wall)
{
    struct timespec t;
    if (wall) return machine_seconds();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double speed_of(task *run, const uint8_t *data, size_t len,
                       const og_cut_options *o, unsigned n_runs,
                       uint64_t *out_n)
{
    const bool wall = run == chunks_all_threads;
    double best = 0;
    for (unsigned i = 0; i <= n_runs; i++) {
        const double began = seconds(wall);
        *out_n = run(data, len, o);
        const double took = seconds(wall) - began;
        if (i == 1 || (i > 0 && took < best)) best = took;
    }
    return (double)len / best / 1e9;
}

static void print_speed(const char *name, task *run, const uint8_t *data,
                        size_t len, const og_cut_options *o,
                        const struct options *how, const char *note)
{
    uint64_t n;
    const double speed = speed_of(run, data, len, o, how->n_runs, &n);
    printf("%-28s %8.2f %10llu   %s\n", name, speed, (unsigned long long)n,
           note);
    fflush(stdout);
}

static void bench_speeds(const struct options *how, const uint8_t *data,
                         size_t len)
{
    const og_cut_options gear = og_cut_options_default(OG_CUT_GEAR, 0);
    const og_cut_options winnow = og_cut_options_default(OG_CUT_WINNOW, 0);
    const og_cut_options fast = og_cut_options_default(OG_CUT_WINNOW_FAST, 0);
    print_speed("plain Rabin loop", cut_plain_rabin, data, len, &gear, how,
                "on another machine: 0.32");
    print_speed(
        "plain gear loop", cut_plain_gear, data, len, &gear, how,
        "on another machine: 1.2; passes over the first 2 KiB of a chunk");
    print_speed("gear", cut_kind, data, len, &gear, how,
                "aim: half of 2.4 to 3.4 at least");
    print_speed("winnow", cut_kind, data, len, &winnow, how, "");
    print_speed("winnow-fast", cut_kind, data, len, &fast, how, "");
    if (og_cpu_force(OG_CPU_AVX2) == OG_CPU_AVX2) {
        print_speed("gear, avx2 level", cut_kind, data, len, &gear, how,
                    "four lanes of plain C");
        print_speed("winnow-fast, avx2 level", cut_kind, data, len, &fast, how,
                    "");
    }
    og_cpu_force(OG_CPU_AVX512);
}

static void bench_hashes(const struct options *how, const uint8_t *data,
                         size_t len)
{
    const og_cut_options gear = og_cut_options_default(OG_CUT_GEAR, 0);
    print_speed("SHA-256, 8 KiB pieces", hash_sha256, data, len, &gear, how,
                "libcrypto; what we use");
    print_speed("BLAKE2b, 8 KiB pieces", hash_blake2, data, len, &gear, how,
                "libcrypto");
    print_speed("gear + SHA-256 + tree", chunks_one_thread, data, len, &gear,
                how, "1 thread");
    machine_unpin();
    print_speed("gear + SHA-256 + tree", chunks_all_threads, data, len, &gear,
                how, "all threads, by the wall");
    machine_pin();
}

/* ---- edits ---- */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The share of chunks of `old` that `new` has not. */
static double share_changed(const struct og_chunk_tree *old,
                            const struct og_chunk_tree *new, uint64_t *out_n)
{
    uint64_t *keys = must_have(malloc(new->n_chunks * sizeof(*keys)));
    uint64_t n = 0;
    for (size_t i = 0; i < new->n_chunks; i++)
        keys[i] = og_load64(new->chunks[i].hash);
    qsort(keys, new->n_chunks, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < old->n_chunks; i++) {
        const uint64_t key = og_load64(old->chunks[i].hash);
        n += bsearch(&key, keys, new->n_chunks, sizeof(*keys), compare_keys) ==
             NULL;
    }
    free(keys);
    *out_n = n;
    return (double)n / (double)old->n_chunks;
}

static bool is_cut(const struct og_chunk_tree *tree, uint64_t place)
{
    size_t low = 0, high = tree->n_chunks;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (tree->chunks[mid].offset < place)
            low = mid + 1;
        else
            high = mid;
    }
    return low < tree->n_chunks && tree->chunks[low].offset == place;
}

/* r: chunks from a place that is not a cut up to a true cut. */
static double chunks_until_met(const uint8_t *data, size_t len,
                               const struct og_chunk_tree *tree,
                               const og_cut_options *o)
{
    enum { N_TRIES = 2000 };
    struct og_cutter cutter;
    og_error err;
    uint64_t random = 5, n = 0;
    must(og_cutter_init(&cutter, o, NULL, &err), &err);
    for (unsigned t = 0; t < N_TRIES; t++) {
        const size_t some = (size_t)100 * o->max_len;
        const size_t begin = og_random_next(&random) % (len - some);
        cutter.n_ends = 0;
        must(og_cutter_run(&cutter, data + begin, some, begin, false, &err),
             &err);
        for (size_t i = 0; i < cutter.n_ends; i++) {
            if (is_cut(tree, cutter.ends[i])) break;
            n++;
        }
    }
    og_cutter_release(&cutter);
    return (double)n / N_TRIES;
}

static void bench_edits_of(og_cut_kind kind, uint8_t *room, size_t len)
{
    enum { N_EDITS = 1000, WINDOW = OG_CUT_WINDOW };
    const og_cut_options o = og_cut_options_default(kind, 0);
    uint8_t *const data = room + 1; /* room[0] is the byte that is put before */
    struct og_chunk_tree old, new;
    og_error err;
    uint64_t n, random = 99;
    og_chunk_tree_init(&old, NULL);
    og_chunk_tree_init(&new, NULL);
    fill_random(data, len, 2012);
    room[0] = 'x';
    must(og_chunks_of_memory(data, len, &o, 0, &old, &err), &err);
    must(og_chunks_of_memory(room, len + 1, &o, 0, &new, &err), &err);
    const double inserted = share_changed(&old, &new, &n);
    printf("%-12s one byte before the first: %llu of %zu chunks changed, "
           "%.5f %% unchanged\n",
           og_cut_kind_name(kind), (unsigned long long)n, old.n_chunks,
           100 * (1 - inserted));
    const double r = chunks_until_met(data, len, &old, &o);
    for (unsigned i = 0; i < N_EDITS; i++)
        data[og_random_next(&random) % len] ^= (uint8_t)(1 + i % 255);
    must(og_chunks_of_memory(data, len, &o, 0, &new, &err), &err);
    const double changed = share_changed(&old, &new, &n);
    const double n_old = (double)old.n_chunks;
    const double w = WINDOW / ((double)len / n_old);
    const double c = 1 + w * (1 + r) + w * r;
    printf("%-12s %u bytes replaced: %llu chunks changed, %.4f %%; theory "
           "%.4f %% (r = %.2f)\n",
           og_cut_kind_name(kind), N_EDITS, (unsigned long long)n,
           100 * changed, 100 * (1 - exp(-N_EDITS * c / n_old)), r);
    fflush(stdout);
    og_chunk_tree_release(&new);
    og_chunk_tree_release(&old);
}

static void bench_edits(const struct options *how)
{
    uint8_t *room = must_have(malloc(how->file_len + 1));
    printf("question: how many chunks does an edit change, of %.0f MiB?\n",
           (double)how->file_len / (1 << 20));
    machine_unpin();
    bench_edits_of(OG_CUT_GEAR, room, how->file_len);
    bench_edits_of(OG_CUT_WINNOW, room, how->file_len);
    bench_edits_of(OG_CUT_WINNOW_FAST, room, how->file_len);
    free(room);
}

/* ---- the command ---- */

static struct options parse(int argc, char **argv)
{
    struct options o = {5, (size_t)256 << 20, (size_t)1 << 30};
    for (int i = 1; i + 1 < argc; i += 2) {
        const unsigned long n = strtoul(argv[i + 1], NULL, 10);
        if (n == 0) die("a number is not one");
        if (strcmp(argv[i], "--runs") == 0)
            o.n_runs = (unsigned)n;
        else if (strcmp(argv[i], "--size") == 0)
            o.len = (size_t)n << 20;
        else if (strcmp(argv[i], "--file-size") == 0)
            o.file_len = (size_t)n << 20;
        else
            die("usage: bench_chunks [--runs N] [--size MIB] "
                "[--file-size MIB]");
    }
    return o;
}

int main(int argc, char **argv)
{
    const struct options o = parse(argc, argv);
    machine_print(OG_BENCH_FLAGS);
    printf("question: how fast are files cut, on one core? %zu MiB of random "
           "bytes, chunks of 8 KiB, fastest of %u\n",
           o.len >> 20, o.n_runs);
    uint8_t *data = must_have(malloc(o.len));
    machine_pin();
    const struct machine_memory memory = machine_measure_memory(o.len);
    printf("%-28s %8s %10s   %s\n", "", "GB/s", "chunks", "");
    printf("%-28s %8.2f %10s   %s\n", "memory, in order",
           memory.sequential / 1e9, "", "the limit of all");
    fill_random(data, o.len, 1);
    bench_speeds(&o, data, o.len);
    bench_hashes(&o, data, o.len);
    printf("zeros:\n");
    memset(data, 0, o.len);
    bench_speeds(&o, data, o.len);
    machine_unpin();
    free(data);
    bench_edits(&o);
    return 0;
}
