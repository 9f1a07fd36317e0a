#ifndef OG_TESTS_LEVELS_H
#define OG_TESTS_LEVELS_H

/* Every level of the machine, for tests of kernels. */

#include "lib/os/cpu.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Levels that this machine lacks are left out: test_cpu names them. Force
 * OG_CPU_AVX512 at the end to have the best one again. */
#define FOR_EACH_LEVEL(level)                                                  \
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++)         \
        if (og_cpu_force(level) == level)

#endif
