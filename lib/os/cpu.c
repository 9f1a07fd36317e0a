#define _GNU_SOURCE
#include "lib/os/cpu.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/bits.h"

#if defined(OG_NEON)
#include <sys/auxv.h>
#endif

atomic_int og_cpu_chosen = -1;

const char *og_cpu_name(og_cpu level)
{
    switch (level) {
    case OG_CPU_PLAIN: return "plain";
    case OG_CPU_NEON: return "neon";
    case OG_CPU_PMULL: return "pmull";
    case OG_CPU_SSE42: return "sse42";
    case OG_CPU_AVX2: return "avx2";
    case OG_CPU_AVX512: return "avx512";
    }
    return "unknown";
}

static og_cpu detect(void)
{
#if defined(OG_X86)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul"))
        return OG_CPU_PLAIN;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
        return OG_CPU_SSE42;
    if (!__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vbmi") ||
        !__builtin_cpu_supports("avx512vbmi2") ||
        !__builtin_cpu_supports("vpclmulqdq"))
        return OG_CPU_AVX2;
    return OG_CPU_AVX512;
#elif defined(OG_NEON)
    return (getauxval(AT_HWCAP) & HWCAP_PMULL) != 0 ? OG_CPU_PMULL
                                                    : OG_CPU_NEON;
#else
    return OG_CPU_PLAIN;
#endif
}

static og_cpu lower(og_cpu found, og_cpu wanted)
{
    return wanted < found ? wanted : found;
}

static og_cpu wanted_by_environment(og_cpu found)
{
    const char *name = getenv("ORIGO_CPU");
    if (name == NULL) return found;
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++)
        if (strcmp(name, og_cpu_name(level)) == 0) return lower(found, level);
    return found;
}

og_cpu og_cpu_choose(void)
{
    const og_cpu level = wanted_by_environment(detect());
    atomic_store_explicit(&og_cpu_chosen, (int)level, memory_order_relaxed);
    return level;
}

og_cpu og_cpu_force(og_cpu level)
{
    const og_cpu now = lower(detect(), level);
    atomic_store(&og_cpu_chosen, (int)now);
    return now;
}

unsigned og_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        const int n = CPU_COUNT(&set);
        if (n > 0) return (unsigned)n;
    }
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
