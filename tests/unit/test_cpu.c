#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/os/cpu.h"

/* First of all tests: the level is worked out once. */
static void test_the_environment_lowers(void **state)
{
    (void)state;
    setenv("ORIGO_CPU", "plain", 1);
    assert_int_equal(og_cpu_level(), OG_CPU_PLAIN);
    unsetenv("ORIGO_CPU");
}

static void test_force_never_raises_over_the_machine(void **state)
{
    (void)state;
    const og_cpu best = og_cpu_force(OG_CPU_AVX512);
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        const og_cpu now = og_cpu_force(level);
        assert_true(now <= level && now <= best);
        assert_int_equal(og_cpu_level(), now);
    }
    assert_int_equal(og_cpu_force(OG_CPU_PLAIN), OG_CPU_PLAIN);
    og_cpu_force(best);
}

/* Kernels are compared at every level that the machine has (levels.h). One of
 * these cases is skipped for each level that it lacks, so that a run says by
 * name which kernels nobody compared. */
static void require(og_cpu level)
{
    const og_cpu best = og_cpu_force(OG_CPU_AVX512);
    const bool has_it = og_cpu_force(level) == level;
    og_cpu_force(best);
    if (!has_it) skip();
}

#define KERNELS_OF(level)                                                      \
    static void test_kernels_of_##level(void **state)                          \
    {                                                                          \
        (void)state;                                                           \
        require(OG_CPU_##level);                                               \
    }
#ifdef __aarch64__
KERNELS_OF(NEON)
KERNELS_OF(PMULL)
#elif defined(__x86_64__)
KERNELS_OF(SSE42)
KERNELS_OF(AVX2)
KERNELS_OF(AVX512)
#endif

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(og_cpu_name(OG_CPU_PLAIN), "plain");
    assert_string_equal(og_cpu_name(OG_CPU_PMULL), "pmull");
    assert_string_equal(og_cpu_name(OG_CPU_AVX512), "avx512");
    assert_string_equal(og_cpu_name((og_cpu)99), "unknown");
}

static void test_there_is_a_processor(void **state)
{
    (void)state;
    assert_true(og_cpu_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_environment_lowers),
        cmocka_unit_test(test_force_never_raises_over_the_machine),
#ifdef __aarch64__
        cmocka_unit_test(test_kernels_of_NEON),
        cmocka_unit_test(test_kernels_of_PMULL),
#elif defined(__x86_64__)
        cmocka_unit_test(test_kernels_of_SSE42),
        cmocka_unit_test(test_kernels_of_AVX2),
        cmocka_unit_test(test_kernels_of_AVX512),
#endif
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_there_is_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
