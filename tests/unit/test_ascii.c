/* Folding ASCII: each CPU level, each length and alignment, with an
 * inaccessible page after the source. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/text/ascii.h"

#define PAGE ((size_t)4096)

/* A page whose end is the end of what may be read. */
static char *guarded_page(void)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    return pages;
}

static void plain_lowers_letters_only(void **state)
{
    (void)state;
    char source[128], folded[128 + OG_ASCII_SLACK];
    for (int i = 0; i < 128; i++)
        source[i] = (char)i;
    assert_int_equal(og_ascii_fold_plain(folded, source, 128), 128);
    for (int i = 0; i < 128; i++)
        assert_int_equal(folded[i], i >= 'A' && i <= 'Z' ? i + 32 : i);
}

static void check(const char *source, size_t len)
{
    char expected[400 + OG_ASCII_SLACK], folded[400 + OG_ASCII_SLACK];
    const size_t n = og_ascii_fold_plain(expected, source, len);
    folded[len + OG_ASCII_SLACK - 1] = 0x55;
    assert_int_equal(og_ascii_fold_choose()(folded, source, len), n);
    assert_memory_equal(folded, expected, n);
}

static void check_level(char *page)
{
    uint64_t seed = 3;
    for (size_t len = 0; len <= 300; len++) {
        char *source = page + PAGE - len; /* all alignments on the way */
        for (size_t i = 0; i < len; i++)
            source[i] = (char)(og_random_next(&seed) & 0x7f);
        check(source, len);
        for (size_t i = 0; i < len; i += 1 + len / 40) {
            const char kept = source[i];
            source[i] = (char)(0x80 | og_random_next(&seed));
            check(source, len);
            source[i] = kept;
        }
    }
}

static void every_level_equals_plain(void **state)
{
    (void)state;
    char *page = guarded_page();
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        og_cpu_force(level);
        check_level(page);
    }
    munmap(page, 2 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lowers_letters_only),
        cmocka_unit_test(every_level_equals_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
