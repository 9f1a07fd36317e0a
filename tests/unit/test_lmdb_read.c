/* An LMDB file read beside its writer: what LMDB wrote is found, a state that
 * was overwritten is noticed, and whatever is damaged is named. */

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/store/catalogue/lmdb_format.h"
#include "lib/store/catalogue/lmdb_read.h"
#include "tests/unit/documents_support.h"

#define DATA "catalogue/data.mdb"

static struct og_lmdb_reader open_reader(const struct og_page_sums *sums)
{
    struct og_lmdb_reader r;
    const int fd = open(in(DATA), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    og_lmdb_reader_init(&r, fd, "data.mdb", sums, NULL);
    ASSERT_OK(og_lmdb_reader_begin(&r, &story));
    return r;
}

static void close_reader(struct og_lmdb_reader *r)
{
    close(r->fd);
    og_lmdb_reader_release(r);
}

/* ---- what is there ---- */

static bool count_in_order(void *ctx, og_bytes key, og_bytes value)
{
    uint32_t *next = ctx;
    char id[32];
    struct og_entry entry;
    assert_int_equal(key.len, 4);
    assert_int_equal(og_lmdb_u32(key.data), *next);
    assert_true(og_entry_unpack(value, &entry));
    assert_int_equal(entry.id.len, entry_of(*next, id).id.len);
    (*next)++;
    return *next != 2500;
}

static void keys_in_order_from_any(void **state)
{
    (void)state;
    struct og_lmdb_tree tree;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 3000);
    close_documents(db);
    struct og_lmdb_reader r = open_reader(NULL);
    ASSERT_OK(og_lmdb_tree_find(&r, "documents", &tree, &story));
    for (uint32_t first = 0; first <= 3000; first += 250) {
        uint32_t next = first;
        const og_bytes from = {(const char *)&first, sizeof(first)};
        ASSERT_OK(og_lmdb_scan(&r, tree, first == 0 ? NULL : &from,
                               count_in_order, &next, &story));
        assert_int_equal(next, first < 2500 ? 2500 : 3000);
    }
    assert_int_equal(og_lmdb_tree_find(&r, "nothing", &tree, &story), OG_END);
    assert_true(og_lmdb_reader_is_steady(&r));
    assert_true(og_lmdb_reader_is_newest(&r));
    close_reader(&r);
}

/* The state before the last one is whole; the one before that may not be. */
static void states_last_for_one_more(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 100);
    struct og_lmdb_reader r = open_reader(NULL);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(og_lmdb_reader_is_newest(&r), i == 0);
        og_lmdb_reader_resume(&r);
        assert_true(og_lmdb_reader_is_steady(&r)); /* nothing was read */
        r.has_read = true;
        assert_int_equal(og_lmdb_reader_is_steady(&r), i < 2);
        write_documents(db, 100 + i, 1);
    }
    ASSERT_OK(og_lmdb_reader_begin(&r, &story));
    assert_true(og_lmdb_reader_is_newest(&r));
    close_reader(&r);
    close_documents(db);
}

/* Of a state that was the newest some time ago. */
static bool is_same_entry(struct og_documents_view *view, uint32_t number)
{
    for (uint32_t i = 0; i < 20; i++) {
        char id[32];
        og_bytes bytes;
        struct og_entry entry;
        const uint32_t other = (number + 7 * i) % view->count;
        if (og_documents_view_begin_for(view, other, &story) != OG_OK ||
            og_documents_get(view, other, &bytes, &story) != OG_OK ||
            !og_entry_unpack(bytes, &entry) ||
            entry.time != entry_of(other, id).time)
            return false;
        og_documents_view_end(view);
    }
    return og_documents_view_begin(view, &story) == OG_OK;
}

/* A process that reads without a pause while small batches use every page that
 * they can again: each entry that it finds is the right one. */
static int read_until(uint32_t n)
{
    uint64_t seed = 7;
    struct og_documents *db = open_documents(false);
    struct og_documents_view view;
    og_documents_view_init(&view, db);
    do {
        char id[32];
        og_bytes bytes;
        struct og_entry entry;
        uint32_t latest;
        if (og_documents_view_begin(&view, &story) != OG_OK) return 1;
        const uint32_t number = (uint32_t)(og_random_next(&seed) % view.count);
        if (number % 2 == 0 && !is_same_entry(&view, number)) return 4;
        const struct og_entry expected = entry_of(number, id);
        if (og_documents_get(&view, number, &bytes, &story) != OG_OK ||
            !og_entry_unpack(bytes, &entry) || entry.time != expected.time)
            return 2;
        if (og_documents_latest(&view, expected.id, &latest, &story) != OG_OK ||
            latest < number || latest >= view.count)
            return 3;
    } while (view.count < n);
    og_documents_view_release(&view);
    return og_documents_close(db, &story) != OG_OK;
}

static void beside_a_quick_writer(void **state)
{
    (void)state;
    enum { FIRST = 500, N = 1100 };
    int how;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, FIRST);
    close_documents(db);
    const pid_t child = fork();
    if (child == 0) _exit(read_until(N));
    db = open_documents(true);
    for (uint32_t i = FIRST; i < N; i += 3)
        write_documents(db, i, 3);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    close_documents(db);
}

/* ---- damage ---- */

static bool pass(void *ctx, og_bytes key, og_bytes value)
{
    *(uint64_t *)ctx +=
        og_checksum(key.data, key.len) + 3 * og_checksum(value.data, value.len);
    return true;
}

/* The sum of all that a scan of each tree gives. */
static og_status sum_all(const struct og_page_sums *sums, uint64_t *out)
{
    static const char *const names[] = {"documents", "ids", "copies", "removed",
                                        "meta"};
    struct og_lmdb_reader r = open_reader(sums);
    og_status status = OG_OK;
    *out = 0;
    for (size_t i = 0; i < LENGTH(names) && status == OG_OK; i++) {
        struct og_lmdb_tree tree;
        status = og_lmdb_tree_find(&r, names[i], &tree, &story);
        if (status == OG_OK)
            status = og_lmdb_scan(&r, tree, NULL, pass, out, &story);
    }
    close_reader(&r);
    return status;
}

/* With the sums of its pages every change that matters is found; without them
 * it never ends worse than in a message. */
static void damage_is_named(void **state)
{
    (void)state;
    struct og_page_sums sums;
    struct stat st;
    uint64_t expected, seen, seed = 3;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 2000);
    close_documents(db);
    ASSERT_OK(og_page_sums_load(&sums, in("catalogue"), NULL, &story));
    ASSERT_OK(sum_all(&sums, &expected));
    assert_int_equal(stat(in(DATA), &st), 0);
    const size_t len = (size_t)st.st_size;
    char *data = malloc(len);
    FILE *f = fopen(in(DATA), "rb");
    assert_non_null(f);
    assert_int_equal(fread(data, 1, len, f), len);
    fclose(f);
    unsigned n_named = 0;
    for (int i = 0; i < 300; i++) {
        const size_t at = 8192 + og_random_next(&seed) % (len - 8192);
        const char before = data[at];
        data[at] ^= (char)(1 << (og_random_next(&seed) % 8));
        write_file(in(DATA), data, i % 10 == 9 ? at : len);
        data[at] = before;
        (void)sum_all(NULL, &seen);
        const og_status status = sum_all(&sums, &seen);
        n_named += status == OG_ERR_STORE;
        if (status == OG_OK) assert_int_equal(seen, expected);
        if (status == OG_ERR_STORE)
            assert_non_null(strstr(story.message, "data.mdb"));
        if (status != OG_OK) assert_int_equal(status, OG_ERR_STORE);
    }
    assert_true(n_named > 50);
    free(data);
    og_page_sums_release(&sums);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_in_order_from_any),
        TEST(states_last_for_one_more),
        TEST(beside_a_quick_writer),
        TEST(damage_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
