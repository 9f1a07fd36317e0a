#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H

/* What the tests of a store's files share. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/memory.h"
#include "tests/unit/files_support.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t uuid[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                 9, 10, 11, 12, 13, 14, 15, 16};

__attribute__((unused)) static og_error story; /* of ASSERT_OK */

#define ASSERT_OK(expr)                                                        \
    do {                                                                       \
        if ((expr) != OG_OK) fail_msg("%s: %s", #expr, story.message);         \
    } while (0)

static inline og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

/* All of a file, to be freed. */
static inline uint8_t *load(const char *path, size_t *out_len)
{
    struct stat st;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    *out_len = (size_t)st.st_size;
    uint8_t *data = malloc(*out_len + 1);
    assert_int_equal(fread(data, 1, *out_len, file), *out_len);
    fclose(file);
    return data;
}

static inline void save(const char *path, const void *data, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    fclose(file);
}

static inline void flip(const char *path, long off, int bits)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, off, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, off, SEEK_SET);
    fputc(byte ^ bits, file);
    fclose(file);
}

#endif
