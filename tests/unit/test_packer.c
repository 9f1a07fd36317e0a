/* Compressed outputs: unpacking gives what was written, also if it was ended in
 * between and continued. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/os/packer.h"

enum { N = 300000 };
static uint8_t plain[N], packed[2 * N], back[N + 1];

struct sink {
    size_t len;
    bool fails;
};

static int take(void *ctx, const void *data, size_t len)
{
    struct sink *s = ctx;
    if (s->fails) {
        errno = ENOSPC;
        return -1;
    }
    assert_true(s->len + len <= sizeof(packed));
    memcpy(packed + s->len, data, len);
    s->len += len;
    return 0;
}

static size_t unpack_gzip(size_t len)
{
    z_stream z = {0};
    size_t out = 0;
    z.next_in = packed;
    z.avail_in = (unsigned)len;
    while (z.avail_in > 0) { /* a member after the other */
        assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
        z.next_out = back + out;
        z.avail_out = (unsigned)(sizeof(back) - out);
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        out = sizeof(back) - z.avail_out;
        inflateEnd(&z);
    }
    return out;
}

static size_t unpack_zstd(size_t len)
{
    const size_t n = ZSTD_decompress(back, sizeof(back), packed, len);
    assert_false(ZSTD_isError(n));
    return n;
}

static void what_goes_in_comes_out(void **state)
{
    static const og_packing kinds[] = {OG_PACKING_GZIP, OG_PACKING_ZSTD};
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < N; i++)
        plain[i] = (uint8_t)("abcdefgh"[og_random_next(&random) % 8]);
    for (unsigned k = 0; k < 2; k++) {
        struct sink s = {0};
        struct og_packer *p = og_packer_new(kinds[k], take);
        assert_non_null(p);
        for (size_t at = 0, n; at < N; at += n) {
            n = 1 + og_random_next(&random) % 50000;
            if (n > N - at) n = N - at;
            assert_int_equal(og_packer_write(p, &s, plain + at, n), 0);
            if (n % 3 == 0) assert_int_equal(og_packer_end(p, &s, false), 0);
        }
        assert_int_equal(og_packer_end(p, &s, true), 0);
        og_packer_free(p);
        assert_true(s.len < N);
        const size_t n = k == 0 ? unpack_gzip(s.len) : unpack_zstd(s.len);
        assert_int_equal(n, N);
        assert_memory_equal(back, plain, N);
    }
}

static void nothing_is_a_file_all_the_same(void **state)
{
    struct sink s = {0};
    (void)state;
    struct og_packer *p = og_packer_new(OG_PACKING_ZSTD, take);
    assert_int_equal(og_packer_end(p, &s, false), 0);
    assert_int_equal(s.len, 0);
    assert_int_equal(og_packer_end(p, &s, true), 0);
    assert_true(s.len > 0);
    assert_int_equal(unpack_zstd(s.len), 0);
    og_packer_free(p);
    og_packer_free(NULL);
}

static void a_sink_that_fails(void **state)
{
    struct sink s = {.fails = true};
    (void)state;
    struct og_packer *p = og_packer_new(OG_PACKING_GZIP, take);
    const int written = og_packer_write(p, &s, plain, N);
    assert_int_equal(written == 0 ? og_packer_end(p, &s, true) : written, -1);
    assert_int_equal(errno, ENOSPC);
    og_packer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(nothing_is_a_file_all_the_same),
        cmocka_unit_test(a_sink_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
