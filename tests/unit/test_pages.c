/* Large zeroed memory, from the system and from an allocator. */

#define _GNU_SOURCE
#include "tests/unit/stage_support.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/os/pages.h"

/* An allocator that keeps the books and hands out dirty memory. */
struct books {
    size_t n_bytes;
    bool refuses;
};

static void *keep_books(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    struct books *b = ctx;
    if (b->refuses) return NULL;
    b->n_bytes += new_len - old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    uint8_t *out = realloc(ptr, new_len);
    if (out != NULL && ptr == NULL) memset(out, 0xaa, new_len);
    return out;
}

static void check_memory(const struct og_pages *pages, size_t len)
{
    const uint8_t *data = pages->data;
    assert_int_equal(pages->len, len);
    assert_int_equal((uintptr_t)data % 64, 0);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(data[i], 0);
    memset(pages->data, 0x55, len); /* all of it may be written */
}

static void pages_of_the_system(void **state)
{
    (void)state;
    const size_t lens[] = {1, 63, 64, 4096, 4097, 3000000};
    for (size_t i = 0; i < LENGTH(lens); i++) {
        struct og_pages pages;
        assert_int_equal(og_pages_init(&pages, lens[i], NULL, NULL), OG_OK);
        check_memory(&pages, lens[i]);
        og_pages_release(&pages);
        assert_null(pages.data);
        og_pages_release(&pages); /* twice does no harm */
    }
}

static void pages_of_an_allocator(void **state)
{
    (void)state;
    struct books books = {0};
    const og_allocator a = {.ctx = &books, .resize = keep_books};
    for (size_t len = 1; len < 300; len += 7) {
        struct og_pages pages;
        assert_int_equal(og_pages_init(&pages, len, &a, NULL), OG_OK);
        assert_true(books.n_bytes >= len);
        check_memory(&pages, len);
        og_pages_release(&pages);
        assert_int_equal(books.n_bytes, 0); /* all given back */
    }
}

static void untouched_memory_costs_nothing(void **state)
{
    (void)state;
    struct og_pages pages;
    const size_t len = (size_t)1 << 36; /* more than the machine has */
    if (og_pages_init(&pages, len, NULL, NULL) != OG_OK) skip();
    ((uint8_t *)pages.data)[0] = 1;
    og_pages_release(&pages);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct books books = {.refuses = true};
    const og_allocator a = {.ctx = &books, .resize = keep_books};
    struct og_pages pages;
    og_error err;
    assert_int_equal(og_pages_init(&pages, 100, &a, &err), OG_ERR_MEMORY);
    assert_null(pages.data);
    og_pages_release(&pages);
    /* No address space is as large as this. */
    assert_int_equal(og_pages_init(&pages, SIZE_MAX / 2, NULL, &err),
                     OG_ERR_MEMORY);
    assert_non_null(strstr(err.message, "out of memory"));
    og_pages_release(&pages);
}

/* A file counts once it was read, until it is forgotten; reading it again
 * brings it back. */
static void mapped_files(void **state)
{
    (void)state;
    enum { LEN = 16 << 20 };
    char path[] = "/tmp/origo-pages-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(ftruncate(fd, LEN), 0);
    assert_int_equal(pwrite(fd, "x", 1, LEN / 2), 1);
    uint8_t *data = mmap(NULL, LEN, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(data != MAP_FAILED);
    const uint64_t before = og_mapped_resident();
    unsigned sum = 0;
    for (size_t i = 0; i < LEN; i += 4096)
        sum += data[i];
    assert_int_equal(sum, 'x');
    if (before != 0) assert_true(og_mapped_resident() >= before + LEN / 2);
    og_mapped_forget(data + 1, LEN - 2);
    if (before != 0) assert_true(og_mapped_resident() < before + LEN / 2);
    assert_int_equal(data[LEN / 2], 'x');
    og_mapped_forget(data + 1, 10); /* no whole page: nothing happens */
    munmap(data, LEN);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_the_system),
        cmocka_unit_test(pages_of_an_allocator),
        cmocka_unit_test(untouched_memory_costs_nothing),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(mapped_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
