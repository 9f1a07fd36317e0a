/* Files of codes: each line belongs to one part, and a bad one is named. */

#include "tests/unit/stage_support.h"

#include "lib/hamming/code_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 500 };

static char path[] = "/tmp/origo-code-lines-XXXXXX";

static void write_file(const char *last)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (unsigned i = 0; i < N; i++)
        fprintf(f, "id%u\t%016x\n", i, i * 7u);
    fputs(last, f);
    assert_int_equal(fclose(f), 0);
}

static bool count(void *ctx, og_bytes id, og_wide_code code, unsigned n_bits)
{
    unsigned *next = ctx;
    char name[20];
    const int len = snprintf(name, sizeof(name), "id%u", *next);
    assert_int_equal(id.len, len);
    assert_memory_equal(id.data, name, id.len);
    assert_int_equal(code.low, *next * 7u);
    assert_int_equal(n_bits, 64);
    ++*next;
    return true;
}

/* Whatever the number of parts, together they are the file. */
static void parts_are_the_whole(void **state)
{
    (void)state;
    assert_true(close(mkstemp(path)) == 0);
    write_file("");
    for (uint32_t n = 1; n <= 9; n++) {
        unsigned next = 0;
        for (uint32_t shard = 0; shard < n; shard++)
            assert_int_equal(
                og_code_lines_read(path, (struct og_code_part){shard, n}, 0,
                                   &next, count, NULL, NULL, NULL),
                OG_OK);
        assert_int_equal(next, N);
    }
}

static void expect_refused(const char *last)
{
    unsigned next = 0;
    og_error err;
    write_file(last);
    assert_int_equal(og_code_lines_read(path, (struct og_code_part){0, 1}, 0,
                                        &next, count, NULL, NULL, &err),
                     OG_ERR_INPUT);
    assert_int_equal(next, N);
    assert_non_null(strstr(err.message, "501")); /* the line */
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    expect_refused("id\tnocode\n");
    expect_refused("without a tab\n");
    expect_refused("wide\t0123456789abcdef0123456789abcdef\n");
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(bad_lines_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
