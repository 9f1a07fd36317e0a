/* The vector kernels against the definition, a byte at a time: random bytes
 * in which special ones are common, at every alignment, in memory that ends
 * where a page ends, so that an over-read is a fault. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/source/json/scan_bytes.h"

#define MAX_LEN 300

/* ---- the definition ---- */

static bool is_special(char c)
{
    return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

static const char *plain_find(const char *p, const char *end)
{
    while (p < end && !is_special(*p))
        p++;
    return p;
}

static const char *plain_unescape(const char *p, const char *end, char **dest)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    for (; p < end; p++) {
        if (!is_special(*p)) {
            *(*dest)++ = *p;
            continue;
        }
        if (*p != '\\' || p + 1 == end || p[1] == 0) return p;
        const char *const name = strchr(names, p[1]);
        if (name == NULL) return p;
        *(*dest)++ = meanings[name - names];
        p++;
    }
    return p;
}

static size_t plain_count(const char *p, const char *end)
{
    size_t n = 0;
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

/* ---- random bytes ---- */

/* MAX_LEN bytes that end where a page that may not be read begins. */
static char *guarded_end;

static int set_up(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return -1;
    if (mprotect(pages + page, page, PROT_NONE) != 0) return -1;
    guarded_end = pages + page;
    return 0;
}

/* `odds`: one byte in this many is special. */
static void fill_random(char *p, size_t len, unsigned odds, uint64_t *random)
{
    static const char unusual[] = "\\\\\\\\\\\\nnt\"/bfru\n\x1f\x80\xff";
    for (size_t i = 0; i < len; i++) {
        const uint64_t r = og_random_next(random);
        p[i] = r % odds == 0 ? unusual[(r >> 32) % sizeof(unusual)]
                             : (char)('a' + (r >> 32) % 26);
    }
}

static void check_kernels(const struct og_scan_kernels *kernels, const char *p,
                          const char *end)
{
    char got[MAX_LEN + OG_SCAN_SLACK], wanted[MAX_LEN];
    char *got_end = got, *wanted_end = wanted;
    assert_ptr_equal(kernels->find_special(p, end), plain_find(p, end));
    assert_int_equal(kernels->count_newlines(p, end), plain_count(p, end));
    assert_ptr_equal(kernels->unescape(p, end, &got_end),
                     plain_unescape(p, end, &wanted_end));
    assert_int_equal(got_end - got, wanted_end - wanted);
    if (got_end > got)
        assert_memory_equal(got, wanted, (size_t)(got_end - got));
}

static void check_level(og_cpu level)
{
    const struct og_scan_kernels *const kernels = og_scan_kernels_of(level);
    uint64_t random = 20;
    for (unsigned round = 0; round < 200; round++) {
        const unsigned odds = 1u << (round % 9);
        for (size_t len = 0; len <= 200; len++) {
            char *const p = guarded_end - len;
            fill_random(p, len, odds, &random);
            check_kernels(kernels, p, guarded_end);
        }
    }
    /* Every alignment of both ends. */
    fill_random(guarded_end - MAX_LEN, MAX_LEN, 12, &random);
    for (size_t from = 0; from < MAX_LEN; from++)
        for (size_t to = from; to <= MAX_LEN; to++)
            check_kernels(kernels, guarded_end - MAX_LEN + from,
                          guarded_end - MAX_LEN + to);
}

static void test_plain(void **state)
{
    (void)state;
    check_level(OG_CPU_PLAIN);
}

static void test_neon(void **state)
{
    (void)state;
    if (og_cpu_level() < OG_CPU_NEON) skip();
    check_level(OG_CPU_NEON);
}

static void test_avx2(void **state)
{
    (void)state;
    if (og_cpu_level() < OG_CPU_AVX2) skip();
    check_level(OG_CPU_AVX2);
}

static void test_avx512(void **state)
{
    (void)state;
    if (og_cpu_level() < OG_CPU_AVX512) skip();
    check_level(OG_CPU_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_neon),
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
