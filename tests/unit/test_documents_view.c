/* Views of the catalogue: ids, copiers, removed ones, against a plain walk
 * over all documents; and many threads that look while one writes. */

#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/documents_support.h"

enum { N = 2000 };

struct found {
    uint32_t list[N];
    size_t n, max;
};

static bool find(void *ctx, uint32_t number)
{
    struct found *f = ctx;
    f->list[f->n++] = number;
    return f->n < f->max;
}

static void ids_are_found_newest_first(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 700);
    write_documents(db, 700, N - 700);
    struct og_documents_view view = begin_view(db);
    for (uint32_t i = 0; i < N; i += 7) {
        char id[32], other[32];
        const og_bytes wanted = entry_of(i, id).id;
        struct found f = {.max = N};
        uint32_t latest;
        ASSERT_OK(og_documents_with_id(&view, wanted, find, &f, &story));
        size_t n = 0;
        for (uint32_t j = N; j-- > 0;) {
            const og_bytes have = entry_of(j, other).id;
            if (have.len == wanted.len && memcmp(id, other, have.len) == 0)
                assert_int_equal(f.list[n++], j);
        }
        assert_int_equal(f.n, n);
        ASSERT_OK(og_documents_latest(&view, wanted, &latest, &story));
        assert_int_equal(latest, f.list[0]);
        f = (struct found){.max = 2};
        ASSERT_OK(og_documents_with_id(&view, wanted, find, &f, &story));
        assert_int_equal(f.n, n < 2 ? n : 2);
    }
    uint32_t latest;
    const og_bytes strange[] = {{"", 0}, {"id 7", 4}, {"nobody", 6}};
    for (size_t i = 0; i < LENGTH(strange); i++) {
        ASSERT_OK(og_documents_latest(&view, strange[i], &latest, &story));
        if (i != 1) assert_int_equal(latest, OG_NO_DOC);
    }
    og_documents_view_release(&view);
    close_documents(db);
}

struct copiers {
    uint32_t numbers[N], n_tokens[N];
    size_t n;
};

static bool find_copier(void *ctx, uint32_t copier, uint32_t n_tokens)
{
    struct copiers *c = ctx;
    c->numbers[c->n] = copier;
    c->n_tokens[c->n++] = n_tokens;
    return true;
}

static void copiers_are_those_who_named_it(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 999);
    write_documents(db, 999, N - 999);
    struct og_documents_view view = begin_view(db);
    for (uint32_t origin = 0; origin < N; origin += 3) {
        struct copiers c = {.n = 0};
        char id[32];
        size_t n = 0;
        ASSERT_OK(
            og_documents_copiers(&view, origin, N, find_copier, &c, &story));
        for (uint32_t j = 0; j < N; j++) {
            const struct og_entry e = entry_of(j, id);
            /* In the order of (copier, n_tokens). */
            for (uint32_t k = e.n_origins; k-- > 0;)
                if (e.origins[k].doc == origin) {
                    assert_int_equal(c.numbers[n], j);
                    assert_int_equal(c.n_tokens[n++], e.origins[k].n_tokens);
                }
        }
        assert_int_equal(c.n, n);
        c.n = 0;
        ASSERT_OK(
            og_documents_copiers(&view, origin, 2, find_copier, &c, &story));
        assert_int_equal(c.n, n < 2 ? n : 2);
    }
    og_documents_view_release(&view);
    close_documents(db);
}

static void removed_ones(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 10);
    const uint32_t removed[] = {7, 3, 7};
    struct og_documents_batch batch = {10, NULL, 0, removed, 3, 11};
    ASSERT_OK(og_documents_write(db, &batch, &story));
    batch.sequence = 12;
    ASSERT_OK(og_documents_write(db, &batch, &story)); /* once more */
    struct og_documents_view view = begin_view(db);
    struct found f = {.max = N};
    ASSERT_OK(og_documents_removed(&view, find, &f, &story));
    assert_int_equal(f.n, 2);
    assert_int_equal(f.list[0], 3);
    assert_int_equal(f.list[1], 7);
    for (uint32_t i = 0; i < 10; i++) {
        bool is_removed;
        ASSERT_OK(og_documents_is_removed(&view, i, &is_removed, &story));
        assert_int_equal(is_removed, i == 3 || i == 7);
    }
    assert_int_equal(og_documents_view_sequence(&view), 12);
    og_documents_view_release(&view);
    close_documents(db);
}

static void a_view_stays_as_it_was(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    struct og_documents_view view, old;
    write_documents(db, 0, 10);
    old = begin_view(db);
    og_documents_view_init(&view, db);
    write_documents(db, 10, 10);
    ASSERT_OK(og_documents_view_begin(&view, &story));
    og_bytes bytes;
    assert_int_equal(og_documents_view_count(&old), 10);
    assert_int_equal(og_documents_view_count(&view), 20);
    ASSERT_OK(og_documents_get(&old, 15, &bytes, &story));
    assert_int_equal(bytes.len, 0);
    ASSERT_OK(og_documents_view_begin(&old, &story)); /* without an end */
    assert_int_equal(og_documents_view_count(&old), 20);
    og_documents_view_end(&view);
    og_documents_view_end(&view);
    og_documents_view_release(&view);
    og_documents_view_release(&old);
    close_documents(db);
}

/* ---- threads ---- */

struct looker {
    pthread_t thread;
    struct og_documents *db;
    atomic_bool *stop;
    unsigned seed;
};

static void *look(void *arg)
{
    struct looker *l = arg;
    struct og_documents_view view;
    uint64_t seed = l->seed;
    og_documents_view_init(&view, l->db);
    while (!atomic_load(l->stop)) {
        ASSERT_OK(og_documents_view_begin(&view, &story));
        for (int i = 0; i < 10; i++) {
            const uint32_t number =
                (uint32_t)(og_random_next(&seed) % view.count);
            char id[32];
            uint32_t latest;
            const struct og_entry e = entry_of(number, id);
            ASSERT_OK(og_documents_latest(&view, e.id, &latest, &story));
            assert_true(latest >= number && latest < view.count);
        }
        og_documents_view_end(&view);
    }
    og_documents_view_release(&view);
    return NULL;
}

/* With a map so short that it grows under the views. */
static void threads_look_while_one_writes(void **state)
{
    (void)state;
    struct og_documents *db = NULL;
    const struct og_documents_options options = {
        .uuid = uuid, .writable = true, .map_len = 1 << 17};
    atomic_bool stop = false;
    struct looker lookers[3];
    ASSERT_OK(og_documents_open(in("catalogue"), &options, &db, &story));
    write_documents(db, 0, 100);
    for (unsigned i = 0; i < LENGTH(lookers); i++) {
        lookers[i] = (struct looker){0, db, &stop, i};
        assert_int_equal(
            pthread_create(&lookers[i].thread, NULL, look, &lookers[i]), 0);
    }
    for (uint32_t i = 100; i < 5000; i += 100)
        write_documents(db, i, 100);
    atomic_store(&stop, true);
    for (size_t i = 0; i < LENGTH(lookers); i++)
        pthread_join(lookers[i].thread, NULL);
    close_documents(db);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ids_are_found_newest_first),
        TEST(copiers_are_those_who_named_it),
        TEST(removed_ones),
        TEST(a_view_stays_as_it_was),
        TEST(threads_look_while_one_writes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
