/* What the receiver has: bytes of old files, which may change while they are
 * read, and spans, whose number is bounded. */

#include "tests/unit/store_support.h"

#include "lib/sync/sync_receive.h"

enum { LEN = 300000 };

static uint8_t bytes[LEN];
static char path[300];
static struct og_sync_old olds[2] = {{.path = NULL}, {.path = path}};
static struct og_receiver receiver;

static int set_up(void **state)
{
    uint64_t seed = 3;
    if (make_folder(state) != 0) return 1;
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)og_random_next(&seed);
    snprintf(path, sizeof(path), "%s", in("old"));
    write_file(path, bytes, LEN);
    olds[1].len = LEN;
    receiver = (struct og_receiver){.old_fd = -1, .olds = olds, .n_olds = 2};
    og_pack_bytes(&receiver.old_packed, "the list", 8);
    return 0;
}

static int tear_down(void **state)
{
    if (receiver.old_fd >= 0) close(receiver.old_fd);
    OG_UNGROW(NULL, receiver.window, receiver.window_cap);
    og_pack_release(&receiver.old_packed);
    return remove_folder(state);
}

/* Forwards, backwards, over the edges of the window, more than a window. */
static void any_bytes_of_a_file(void **state)
{
    static uint8_t out[LEN];
    uint64_t seed = 9;
    (void)state;
    for (int i = 0; i < 200; i++) {
        const size_t off = og_random_next(&seed) % LEN;
        const size_t room = LEN - off;
        const size_t len =
            og_random_next(&seed) % (i % 10 == 0 || room < 100 ? room : 100);
        ASSERT_OK(og_sync_read_old(&receiver, 1, off, len, out, &story));
        assert_memory_equal(out, bytes + off, len);
    }
    ASSERT_OK(og_sync_read_old(&receiver, 1, 0, LEN, out, &story));
    assert_memory_equal(out, bytes, LEN);
}

static void the_list_of_the_old_tree(void **state)
{
    uint8_t out[8];
    (void)state;
    ASSERT_OK(og_sync_read_old(&receiver, 0, 4, 4, out, &story));
    assert_memory_equal(out, "list", 4);
    assert_int_equal(og_sync_read_old(&receiver, 0, 4, 5, out, &story),
                     OG_ERR_INPUT);
    assert_int_equal(og_sync_read_old(&receiver, 0, UINT64_MAX, 2, out, &story),
                     OG_ERR_INPUT);
}

static void files_that_change_are_reported(void **state)
{
    uint8_t out[16];
    (void)state;
    assert_int_equal(truncate(path, 100), 0);
    ASSERT_OK(og_sync_read_old(&receiver, 1, 84, 16, out, &story));
    assert_int_equal(og_sync_read_old(&receiver, 1, 85, 16, out, &story),
                     OG_ERR_INPUT);
    assert_non_null(strstr(story.message, "shorter"));
    close(receiver.old_fd);
    receiver.old_fd = -1;
    unlink(path);
    assert_int_equal(og_sync_read_old(&receiver, 1, 0, 1, out, &story),
                     OG_ERR_INPUT);
    assert_non_null(strstr(story.message, "went away"));
}

static void spans_and_holes(void **state)
{
    const struct og_chunk_place place = {.file = 1, .off = 7, .len = 9};
    struct og_sync_object object = {.n = 0};
    (void)state;
    ASSERT_OK(og_sync_span_add(&receiver, &object, &place, 0, &story));
    ASSERT_OK(og_sync_span_add(&receiver, &object, NULL, 2, &story));
    assert_int_equal(object.n, 2);
    assert_int_equal(object.spans[0].file, 1);
    assert_int_equal(object.spans[0].off, 7);
    assert_int_equal(object.spans[0].len, 9);
    assert_int_equal(object.spans[1].file, OG_SYNC_HOLE);
    assert_int_equal(object.spans[1].level, 2);
    /* A sender cannot make the receiver keep more. */
    receiver.n_spans = OG_SYNC_MAX_SPANS;
    assert_int_equal(og_sync_span_add(&receiver, &object, NULL, 0, &story),
                     OG_ERR_LIMIT);
    assert_int_equal(object.n, 2);
    OG_UNGROW(NULL, object.spans, object.cap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_bytes_of_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_list_of_the_old_tree, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(files_that_change_are_reported, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(spans_and_holes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
