/* Slots with a tag: every way to look for them against the plain one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/sketch/slot_scan.h"

enum { MOST = 300 };

/* The arrays are as long as they must be, so that a checker sees more. */
static void check(uint64_t *random, size_t n, unsigned n_tags)
{
    uint8_t *tags = malloc(n + 1);
    uint32_t *entries = malloc(n * sizeof(*entries) + 1);
    uint32_t *out = malloc((n + OG_SLOTS_PADDING) * sizeof(*out));
    uint32_t *plain = malloc((n + OG_SLOTS_PADDING) * sizeof(*plain));
    uint8_t *here = tags + 1; /* aligned to nothing */
    for (size_t i = 0; i < n; i++) {
        here[i] = (uint8_t)(1 + og_random_next(random) % n_tags);
        entries[i] = (uint32_t)og_random_next(random);
    }
    const uint8_t tag = (uint8_t)(1 + og_random_next(random) % n_tags);
    size_t n_wanted = 0;
    for (size_t i = 0; i < n; i++)
        if (here[i] == tag) plain[n_wanted++] = entries[i];
    assert_int_equal(og_slots_with_tag_plain(here, entries, n, tag, out),
                     n_wanted);
    assert_memory_equal(out, plain, n_wanted * sizeof(*out));
    memset(out, 0, n * sizeof(*out));
    assert_int_equal(og_slots_with_tag(here, entries, n, tag, out), n_wanted);
    assert_memory_equal(out, plain, n_wanted * sizeof(*out));
    free(tags);
    free(entries);
    free(out);
    free(plain);
}

static void test_every_level_finds_the_same(void **state)
{
    (void)state;
    const unsigned n_tags[] = {1, 2, 30, 255};
    uint64_t random = 8;
    const og_cpu level = og_cpu_level();
    for (og_cpu l = OG_CPU_PLAIN; l <= level; l++) {
        og_cpu_force(l);
        for (size_t n = 0; n < MOST; n++)
            for (size_t i = 0; i < 4; i++)
                check(&random, n, n_tags[i]);
    }
    og_cpu_force(level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_level_finds_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
