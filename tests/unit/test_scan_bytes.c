#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/json/scan_bytes.h"

#define N_LEVELS 5

/* Calls `check` with the kernels of each level that this machine has. */
static void at_every_level(void (*check)(const struct og_scan_kernels *))
{
    for (int level = 0; level < N_LEVELS; level++)
        if ((int)og_cpu_level() >= level)
            check(og_scan_kernels_of((og_cpu)level));
}

static void check_find(const struct og_scan_kernels *kernels)
{
    /* Each special byte at each place of a long run, with bytes around it
     * that differ from it by one or by their high bit. */
    static const char specials[] = {'"', '\\', 0, 0x1f, '\n', 0x10};
    char data[200];
    for (size_t len = 0; len <= sizeof(data); len++) {
        memset(data, 0x7f, sizeof(data));
        assert_ptr_equal(kernels->find_special(data, data + len), data + len);
        for (size_t at = 0; at < len; at++) {
            memset(data, at % 2 ? (char)0xa2 : ' ', sizeof(data));
            data[at] = specials[at % sizeof(specials)];
            if (at + 1 < sizeof(data)) data[at + 1] = '"';
            assert_ptr_equal(kernels->find_special(data, data + len),
                             data + at);
        }
    }
}

static void test_find_special(void **state)
{
    (void)state;
    at_every_level(check_find);
}

static void check_plain_bytes(const struct og_scan_kernels *kernels)
{
    for (int c = 0; c < 256; c++) {
        char data[130];
        memset(data, c, sizeof(data));
        const bool is_special = c < 0x20 || c == '"' || c == '\\';
        assert_ptr_equal(kernels->find_special(data, data + sizeof(data)),
                         is_special ? data : data + sizeof(data));
    }
}

static void test_every_byte(void **state)
{
    (void)state;
    at_every_level(check_plain_bytes);
}

static void unescapes_to(const struct og_scan_kernels *kernels, const char *in,
                         const char *out, const char *rest)
{
    char buffer[300];
    char *dest = buffer;
    const char *const at = kernels->unescape(in, in + strlen(in), &dest);
    assert_int_equal(dest - buffer, strlen(out));
    assert_memory_equal(buffer, out, strlen(out));
    assert_string_equal(at, rest);
}

static void check_unescape(const struct og_scan_kernels *kernels)
{
    unescapes_to(kernels, "", "", "");
    unescapes_to(kernels, "plain", "plain", "");
    unescapes_to(kernels, "a\"b", "a", "\"b");
    unescapes_to(kernels, "\\\"\\\\\\/\\b\\f\\n\\r\\t|", "\"\\/\b\f\n\r\t|",
                 "");
    unescapes_to(kernels, "a\\nb\\\\\\nc\"", "a\nb\\\nc", "\"");
    unescapes_to(kernels, "a\\u0041", "a", "\\u0041");
    unescapes_to(kernels, "a\\xb", "a", "\\xb");
    unescapes_to(kernels, "a\\\xef", "a", "\\\xef");
    unescapes_to(kernels, "a\nb", "a", "\nb");
    unescapes_to(kernels, "a\\\nb", "a", "\\\nb");
    unescapes_to(kernels, "a\\", "a", "\\");
    unescapes_to(kernels, "\\\\\\", "\\", "\\");
}

static void test_unescape(void **state)
{
    (void)state;
    at_every_level(check_unescape);
}

/* A run of backslashes that crosses the border of a vector, from every
 * place and of every length. */
static void check_runs(const struct og_scan_kernels *kernels)
{
    for (size_t before = 0; before < 130; before++) {
        for (size_t n = 0; n < 70; n++) {
            char in[300], out[300];
            char *dest = out;
            memset(in, 'x', before);
            memset(in + before, '\\', 2 * n);
            strcpy(in + before + 2 * n, "\\n\"");
            const char *const at =
                kernels->unescape(in, in + strlen(in), &dest);
            assert_ptr_equal(at, in + before + 2 * n + 2);
            assert_int_equal(dest - out, before + n + 1);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(out[before + i], '\\');
            assert_int_equal(dest[-1], '\n');
        }
    }
}

static void test_runs_of_backslashes(void **state)
{
    (void)state;
    at_every_level(check_runs);
}

static void check_newlines(const struct og_scan_kernels *kernels)
{
    char data[300];
    memset(data, '\n', sizeof(data));
    for (size_t i = 0; i <= sizeof(data); i++)
        assert_int_equal(kernels->count_newlines(data, data + i), i);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = i % 3 == 0 ? '\n' : i % 3 == 1 ? 0x0b : (char)0x8a;
    for (size_t i = 0; i <= sizeof(data); i++)
        assert_int_equal(kernels->count_newlines(data, data + i), (i + 2) / 3);
}

static void test_count_newlines(void **state)
{
    (void)state;
    at_every_level(check_newlines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_special),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_unescape),
        cmocka_unit_test(test_runs_of_backslashes),
        cmocka_unit_test(test_count_newlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
