/* Every allocation of a deduplication fails once, at every level: the status
 * says so, nothing leaks (ASan), and no output has its name.
 *
 * These paths ask malloc itself, so the linker puts the functions below in its
 * place (-Wl,--wrap). */

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <origo/origo.h>

static atomic_size_t n_calls, fail_at; /* 0: none fails */

static bool fails(void)
{
    return atomic_fetch_add(&n_calls, 1) + 1 == atomic_load(&fail_at);
}

void *__real_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__real_realloc(void *ptr, size_t len);
void *__real_aligned_alloc(size_t align, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__wrap_realloc(void *ptr, size_t len);
void *__wrap_aligned_alloc(size_t align, size_t len);

void *__wrap_malloc(size_t len)
{
    return fails() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
    return fails() ? NULL : __real_calloc(n, len);
}

void *__wrap_realloc(void *ptr, size_t len)
{
    return fails() ? NULL : __real_realloc(ptr, len);
}

void *__wrap_aligned_alloc(size_t align, size_t len)
{
    return fails() ? NULL : __real_aligned_alloc(align, len);
}

/* ---- a run ---- */

static char folder[] = "/tmp/origo-oom-dedup-XXXXXX";
static char input[64], store[64], output[64], report[64], rejects[64];

static void write_input(void)
{
    FILE *f = fopen(input, "w");
    assert_non_null(f);
    for (int i = 0; i < 12; i++) {
        fprintf(f, "{\"id\":\"d%d\",\"text\":\"", i);
        for (int j = 0; j < 60; j++)
            fprintf(f, "%sw%d", j > 0 ? (j % 20 ? " " : ".\\n") : "",
                    i % 3 * 100 + j);
        fprintf(f, " n%d\"}\n%s", i, i == 5 ? "no json\n" : "");
    }
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(input, sizeof(input), "%s/in.jsonl", folder);
    snprintf(store, sizeof(store), "%s/store", folder);
    snprintf(output, sizeof(output), "%s/out", folder);
    snprintf(report, sizeof(report), "%s/report", folder);
    snprintf(rejects, sizeof(rejects), "%s/rejects", folder);
    write_input();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static og_status run(const og_dedup_options *options, uint64_t *out_sum)
{
    const char *paths[] = {input};
    og_input in = og_input_default();
    in.paths = paths;
    in.n_paths = 1;
    in.n_threads = 1;
    og_dedup_counts counts = {0};
    og_error err = {0};
    const og_status status = og_dedup_run(&in, options, &counts, &err);
    if (status != OG_OK) {
        assert_true(err.message[0] != '\0');
        assert_int_not_equal(access(output, F_OK), 0);
    }
    *out_sum = counts.n_kept * 1000 + counts.n_removed * 100 + counts.n_cut;
    return status;
}

static void unlink_all(void)
{
    unlink(output);
    unlink(report);
    unlink(rejects);
}

/* All n, until a run does not come to its n-th call. */
static void try_all(const og_dedup_options *options)
{
    uint64_t expected, sum;
    size_t n_failed = 0;
    unlink_all();
    atomic_store(&fail_at, 0);
    assert_int_equal(run(options, &expected), OG_OK);
    for (size_t n = 1;; n++) {
        unlink_all();
        atomic_store(&n_calls, 0);
        atomic_store(&fail_at, n);
        const og_status status = run(options, &sum);
        const bool reached = atomic_load(&n_calls) >= n;
        atomic_store(&fail_at, 0);
        if (status == OG_OK)
            assert_int_equal(sum, expected);
        else
            assert_int_equal(status, OG_ERR_MEMORY);
        n_failed += status != OG_OK;
        if (!reached) break;
    }
    assert_true(n_failed > 20);
}

static og_dedup_options options_of(og_dedup_level level)
{
    og_dedup_options o = og_dedup_options_default();
    o.level = level;
    o.output = output;
    o.report = report;
    o.rejects = rejects;
    return o;
}

static void documents(void **state)
{
    (void)state;
    og_dedup_options o = options_of(OG_LEVEL_DOCUMENT);
    try_all(&o);
    o.keep = OG_KEEP_LONGEST;
    o.memory = 1 << 20;
    try_all(&o);
    o.cluster = OG_CLUSTER_COMPONENTS;
    try_all(&o);
}

static void documents_resumed(void **state)
{
    (void)state;
    og_dedup_options o = options_of(OG_LEVEL_DOCUMENT);
    o.resume = true;
    o.journal_seconds = 0;
    try_all(&o);
}

static void pieces(void **state)
{
    (void)state;
    og_dedup_options o = options_of(OG_LEVEL_LINE);
    try_all(&o);
    o.memory = 1 << 20;
    try_all(&o);
    o = options_of(OG_LEVEL_SENTENCE);
    try_all(&o);
    o = options_of(OG_LEVEL_PASSAGE);
    o.least_tokens = 10;
    try_all(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),
        cmocka_unit_test(documents_resumed),
        cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
