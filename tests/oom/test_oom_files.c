/* Every single allocation fails once while a file is cut, a delta is made and
 * applied: no half of a file stays, and the next try is as good as ever. */

#include "tests/oom/oom_support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/delta/delta.h"

static char name[4][64]; /* old, new, delta, out */

static int write_files(void **state)
{
    static const char *const kinds[] = {"old", "new", "delta", "out"};
    uint64_t random = 5;
    (void)state;
    for (int i = 0; i < 4; i++)
        snprintf(name[i], sizeof(name[i]), "oom-%d-%s", (int)getpid(),
                 kinds[i]);
    FILE *old = fopen(name[0], "w"), *new = fopen(name[1], "w");
    if (old == NULL || new == NULL) return 1;
    for (int i = 0; i < 900; i++) {
        const unsigned long long line = og_random_next(&random) % 5000;
        fprintf(old, "line %llu\n", line);
        if (i % 90 == 7) fprintf(new, "another line\n");
        fprintf(new, "line %llu\n", line);
    }
    return fclose(old) != 0 || fclose(new) != 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        unlink(name[i]);
    return 0;
}

static uint64_t sum_file(const char *path)
{
    uint64_t sum = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        sum = og_mix64(sum ^ (uint64_t)c);
    fclose(f);
    return sum;
}

static void *delta_init(struct work *w)
{
    (void)w;
    return NULL;
}

static og_status delta_run(struct work *w, uint64_t *out_sum)
{
    const char *olds[] = {name[0]};
    (void)w;
    og_delta_options options = og_delta_options_default();
    options.n_threads = 1;
    options.level = 1;
    unlink(name[2]);
    unlink(name[3]);
    og_status status =
        og_delta_make(olds, 1, name[1], name[2], &options, NULL, NULL);
    if (status != OG_OK) assert_int_not_equal(access(name[2], F_OK), 0);
    if (status != OG_OK) return status;
    status = og_delta_apply(olds, 1, name[2], name[3], &options, NULL, NULL);
    if (status != OG_OK) assert_int_not_equal(access(name[3], F_OK), 0);
    if (status != OG_OK) return status;
    assert_true(sum_file(name[3]) == sum_file(name[1]));
    *out_sum = sum_file(name[2]);
    return OG_OK;
}

static void delta_release(struct work *w)
{
    (void)w;
}

static const struct scenario deltas = {delta_init, delta_run, delta_release};

static void test_deltas(void **state)
{
    (void)state;
    try_all_failures(&deltas, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_deltas, write_files, remove_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
