#define _GNU_SOURCE
#include "bench/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

double machine_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double machine_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static cpu_set_t all_processors;

void machine_pin(void)
{
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof(all_processors), &all_processors) != 0)
        return;
    const int here = sched_getcpu();
    if (here < 0) return;
    CPU_ZERO(&one);
    CPU_SET((unsigned)here, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

void machine_unpin(void)
{
    if (CPU_COUNT(&all_processors) > 0)
        sched_setaffinity(0, sizeof(all_processors), &all_processors);
}

static void processor_name(char *out, size_t cap)
{
    snprintf(out, cap, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    char line[256];
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        snprintf(out, cap, "%s", colon + 2);
        out[strcspn(out, "\n")] = '\0';
        break;
    }
    fclose(file);
}

void machine_print(const char *flags)
{
    char name[128];
    processor_name(name, sizeof(name));
#if defined(__clang__)
    const char *compiler = "clang " __clang_version__;
#else
    const char *compiler = "gcc " __VERSION__;
#endif
    printf("machine: %s, %u processors, level %s; %s %s\n", name,
           og_cpu_count(), og_cpu_name(og_cpu_level()), compiler, flags);
}

double machine_free_memory(void)
{
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (file == NULL) return 0;
    char line[256];
    while (fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtod(line + 13, NULL);
    fclose(file);
    return kilobytes * 1024;
}

/* Eight sums, so that the adds do not wait for one another. */
static uint64_t sum_words(const uint64_t *words, size_t n)
{
    uint64_t sum[8] = {0};
    for (size_t i = 0; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            sum[j] += words[i + j];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] +
           sum[7];
}

enum { BATCH = 32 };

static uint64_t sum_random_lines(const uint64_t *words, size_t n_lines,
                                 size_t n_batches)
{
    uint64_t sum = 0, random = 1;
    for (size_t i = 0; i < n_batches; i++) {
        const uint64_t *place[BATCH];
        for (size_t j = 0; j < BATCH; j++) {
            const uint64_t r = og_random_next(&random);
            place[j] = words + og_mul_high(r, n_lines) * 8;
            __builtin_prefetch(place[j]);
        }
        for (size_t j = 0; j < BATCH; j++)
            sum += *place[j];
    }
    return sum;
}

struct machine_memory machine_measure_memory(size_t len)
{
    struct machine_memory found = {0, 0};
    const size_t huge = (size_t)2 << 20;
    len = (len + huge - 1) / huge * huge;
    uint64_t *words = aligned_alloc(huge, len);
    if (words == NULL) return found;
    madvise(words, len, MADV_HUGEPAGE);
    memset(words, 1, len);
    volatile uint64_t sink = 0;
    const size_t n_batches = 1 << 17;
    for (int run = 0; run < 5; run++) {
        double began = machine_seconds();
        sink += sum_words(words, len / 8);
        const double bytes = (double)len / (machine_seconds() - began);
        if (bytes > found.sequential) found.sequential = bytes;
        began = machine_seconds();
        sink += sum_random_lines(words, len / 64, n_batches);
        const double line =
            (machine_seconds() - began) / (double)(n_batches * BATCH);
        if (run == 0 || line < found.random_line) found.random_line = line;
    }
    free(words);
    return found;
}

static int run_wc(const char *path, const char *locale)
{
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        setenv("LC_ALL", locale, 1);
        execlp("wc", "wc", "-w", path, (char *)NULL);
        _exit(127);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double machine_measure_wc(const char *path, const char *locale)
{
    double best = 0;
    for (int run = 0; run < 4; run++) {
        const double began = machine_seconds();
        if (run_wc(path, locale) != 0) return 0;
        const double took = machine_seconds() - began;
        /* The first one warms the cache of files. */
        if (run == 1 || (run > 1 && took < best)) best = took;
    }
    return best;
}
