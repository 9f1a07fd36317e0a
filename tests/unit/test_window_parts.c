/* Windows that an earlier document has, against the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/dedup/window_parts.h"

/* Enough that parts go to the file. */
enum { N_DOCS = 400, N = 120000, N_KINDS = 50000 };

static uint64_t bases[N_DOCS + 1];
static struct og_window windows[N]; /* by place */
static uint32_t first[N];           /* document, from 1; 0: not copied */

static void make_windows(void)
{
    static uint32_t holder[N_KINDS];
    uint64_t random = 9;
    memset(holder, 0, sizeof(holder));
    for (size_t i = 0; i <= N_DOCS; i++)
        bases[i] = (uint64_t)i * N / N_DOCS;
    for (uint32_t doc = 0; doc < N_DOCS; doc++)
        for (uint64_t place = bases[doc]; place < bases[doc + 1]; place++) {
            const uint64_t kind = og_random_next(&random) % N_KINDS;
            /* Pairs of kinds differ in the bits of the other hash alone. */
            windows[place] = (struct og_window){
                og_mix64(kind / 2), (kind & 1) << OG_WINDOW_PLACE_BITS | place};
            first[place] = 0;
            if (holder[kind] == 0) holder[kind] = doc + 1;
            if (holder[kind] != doc + 1) first[place] = holder[kind];
        }
}

/* In pieces of varying numbers of documents, as blocks provide them. */
static void deal_out(struct og_window_parts *parts)
{
    static struct og_window some[N];
    for (size_t begin = 0; begin < N_DOCS; begin += 100)
        for (size_t part = 0; part < (size_t)1 << parts->bits; part++) {
            const uint64_t base = bases[begin];
            size_t n = 0;
            for (uint64_t i = base; i < bases[begin + 100]; i++) {
                if (og_window_part_of(parts, windows[i].hash) != part) continue;
                some[n] = windows[i];
                some[n++].place -= base;
            }
            assert_int_equal(
                og_window_parts_add(parts, part, some, n, base, NULL), OG_OK);
        }
}

/* ---- threads ---- */

static og_status start_worker(void *ctx, void *worker, og_error *err)
{
    (void)ctx, (void)worker, (void)err;
    return OG_OK;
}

static void stop_worker(void *ctx, void *worker)
{
    (void)ctx, (void)worker;
}

static void release_job(void *ctx, void *job)
{
    (void)ctx, (void)job;
}

static bool read_job(void *ctx, void *job, size_t *out_len)
{
    (void)ctx, (void)job;
    *out_len = 1;
    return false;
}

static void prepare(void *ctx, void *worker, void *job)
{
    (void)ctx, (void)worker, (void)job;
}

static og_status share(const struct og_phases *phases, size_t n,
                       og_piece_fn *piece, void *ctx, og_error *err)
{
    return og_ring_share((struct og_ring *)phases->ctx, n, piece, ctx, err);
}

/* ---- the checks ---- */

static void check_bits(const _Atomic uint8_t *copied)
{
    for (size_t i = 0; i < N; i++)
        assert_int_equal(copied[i / 8] >> i % 8 & 1, first[i] != 0);
}

/* Of the documents from `asked` on, by place. */
static void check_holders(struct og_sorter *holders, uint32_t asked)
{
    const void *record;
    assert_int_equal(og_sorter_finish(holders, NULL), OG_OK);
    for (uint64_t i = bases[asked]; i < N; i++) {
        struct og_window_holder h;
        if (first[i] == 0) continue;
        assert_int_equal(og_sorter_next(holders, &record, NULL), OG_OK);
        memcpy(&h, record, sizeof(h));
        assert_int_equal(h.place, i);
        assert_int_equal(h.document, first[i]);
    }
    assert_int_equal(og_sorter_next(holders, &record, NULL), OG_END);
}

static void count_parts(void *ctx, size_t n_done)
{
    size_t *n = ctx;
    assert_true(n_done > *n);
    *n = n_done;
}

static void check(unsigned n_threads, size_t memory)
{
    static const struct og_ring_work work = {.job_len = 8,
                                             .worker_len = 8,
                                             .start_worker = start_worker,
                                             .stop_worker = stop_worker,
                                             .release_job = release_job,
                                             .read = read_job,
                                             .prepare = prepare};
    struct og_window_parts parts;
    struct og_ring *ring;
    struct og_sorter *holders;
    _Atomic uint8_t *copied = calloc(N / 8 + 1, 1);
    size_t n_marked = 0;
    assert_non_null(copied);
    assert_int_equal(og_ring_new(&work, n_threads, NULL, &ring, NULL), OG_OK);
    const struct og_phases phases = {
        .ctx = ring, .n_threads = n_threads, .share = share};
    assert_int_equal(og_window_parts_init(&parts, 1000, "/tmp", NULL), OG_OK);
    assert_int_equal(og_sorter_new(sizeof(struct og_window_holder), 1, 1 << 20,
                                   "/tmp", &holders, NULL),
                     OG_OK);
    deal_out(&parts);
    const struct og_window_marks marks = {.bases = bases,
                                          .copied = copied,
                                          .holders = holders,
                                          .first_asked = 7,
                                          .memory = memory};
    assert_int_equal(og_window_parts_mark(&parts, &marks, &phases, count_parts,
                                          &n_marked, NULL),
                     OG_OK);
    assert_int_equal(n_marked, 1 << parts.bits);
    check_bits(copied);
    check_holders(holders, 7);
    og_sorter_free(holders);
    og_window_parts_release(&parts);
    og_ring_free(ring);
    free((void *)copied);
}

static void test_one_thread(void **state)
{
    (void)state;
    check(1, 0);
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    check(2, 0);
    check(7, 0);
}

/* Threads beyond what the tables may take have nothing to do. */
static void test_memory(void **state)
{
    (void)state;
    check(7, 1);
    check(7, 1 << 20);
}

static void test_a_folder_that_is_not_there(void **state)
{
    (void)state;
    struct og_window_parts parts;
    og_error err = {0};
    assert_int_not_equal(
        og_window_parts_init(&parts, 1000, "/nonexistent/folder", &err), OG_OK);
    og_window_parts_release(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_a_folder_that_is_not_there),
    };
    make_windows();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
