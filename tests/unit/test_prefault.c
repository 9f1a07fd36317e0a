/* Pages are provided by one thread while another one uses them. */

#define _GNU_SOURCE
#include <sys/mman.h>

#include "tests/unit/stage_support.h"

#include "lib/os/prefault.h"

enum { PAGE = 4096 };

static size_t n_resident(const struct og_pages *pages)
{
    const size_t n = (pages->block_len + PAGE - 1) / PAGE;
    unsigned char *there = calloc(n, 1);
    size_t n_there = 0;
    assert_non_null(there);
    assert_int_equal(mincore(pages->block, pages->block_len, there), 0);
    for (size_t i = 0; i < n; i++)
        n_there += there[i] & 1;
    free(there);
    return n_there;
}

static bool can_provide(void)
{
#ifdef MADV_POPULATE_WRITE
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool can = madvise(page, PAGE, MADV_POPULATE_WRITE) == 0;
    munmap(page, PAGE);
    return can;
#else
    return false;
#endif
}

static void what_is_written_meanwhile_stays(void **state)
{
    (void)state;
    enum { LEN = 40 << 20, STEP = 1031 };
    struct og_pages pages;
    struct og_prefault prefault = {0};
    assert_int_equal(og_pages_init(&pages, LEN, NULL, NULL), OG_OK);
    uint8_t *data = pages.data;
    og_prefault_start(&prefault, &pages);
    for (size_t i = 0; i < LEN; i += STEP)
        data[i] = (uint8_t)(i % 255 + 1);
    og_prefault_stop(&prefault);
    for (size_t i = 0; i < LEN; i++)
        if (data[i] != (i % STEP == 0 ? (uint8_t)(i % 255 + 1) : 0))
            fail_msg("byte %zu is %u", i, data[i]);
    og_pages_release(&pages);
}

static void all_of_it_is_provided_in_the_end(void **state)
{
    (void)state;
    enum { LEN = (9 << 20) + PAGE };
    struct og_pages pages;
    struct og_prefault prefault = {0};
    if (!can_provide()) skip();
    assert_int_equal(og_pages_init(&pages, LEN, NULL, NULL), OG_OK);
    og_prefault_start(&prefault, &pages);
    pthread_join(prefault.thread,
                 NULL); /* not stopped: it goes on to the end */
    assert_int_equal(n_resident(&pages), LEN / PAGE);
    og_pages_release(&pages);
}

static void it_may_be_stopped_at_any_time(void **state)
{
    (void)state;
    struct og_prefault prefault = {0};
    og_prefault_stop(&prefault); /* never started */
    for (int i = 0; i < 20; i++) {
        struct og_pages pages;
        assert_int_equal(og_pages_init(&pages, 8 << 20, NULL, NULL), OG_OK);
        og_prefault_start(&prefault, &pages);
        og_prefault_start(&prefault, &pages); /* once is enough */
        og_prefault_stop(&prefault);
        og_pages_release(&pages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_meanwhile_stays),
        cmocka_unit_test(all_of_it_is_provided_in_the_end),
        cmocka_unit_test(it_may_be_stopped_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
