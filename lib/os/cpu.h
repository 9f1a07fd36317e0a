#ifndef OG_OS_CPU_H
#define OG_OS_CPU_H

/* The capabilities of this machine's vector units. Each kernel has a plain C
 * form and faster equivalents, one of which is chosen once. The environment
 * variable
 * ORIGO_CPU (plain, sse42, avx2, avx512; plain, neon, pmull) lowers the level,
 * for tests and for measuring the benefit of a level; it never raises it. */

#include <stdatomic.h>

typedef enum og_cpu {
    OG_CPU_PLAIN = 0,
    OG_CPU_NEON,   /* AArch64 */
    OG_CPU_PMULL,  /* and carry-less products, which small ones lack */
    OG_CPU_SSE42,  /* x86-64 with SSE4.2 and PCLMULQDQ */
    OG_CPU_AVX2,   /* and AVX2, BMI2 */
    OG_CPU_AVX512, /* and F BW VL DQ VBMI VBMI2, VPCLMULQDQ */
} og_cpu;

/* From this level on there are carry-less products (OG_TARGET_CLMUL). */
#if defined(__aarch64__)
#define OG_CPU_CLMUL OG_CPU_PMULL
#else
#define OG_CPU_CLMUL OG_CPU_SSE42
#endif

extern atomic_int og_cpu_chosen; /* -1: not yet */
og_cpu og_cpu_choose(void);

/* Cheap: computed at the first call, then one load. Safe from any thread. */
static inline og_cpu og_cpu_level(void)
{
    const int level =
        atomic_load_explicit(&og_cpu_chosen, memory_order_relaxed);
    return level >= 0 ? (og_cpu)level : og_cpu_choose();
}
const char *og_cpu_name(og_cpu level);

/* Tests only: sets this level from now on, limited to that of the machine.
 * Returns the level in effect. Not while other threads work. */
og_cpu og_cpu_force(og_cpu level);

/* Processors that this process may run on; at least 1. */
unsigned og_cpu_count(void);

#endif
