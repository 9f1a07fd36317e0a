/* Every single allocation of one side of the exchange fails once, while the
 * other side works: the failing side reports it, the other one ends, the old
 * file is unchanged, and the next attempt transfers all files. Then the same
 * for an index of similar files that is read. */

#define _GNU_SOURCE
#include "tests/oom/oom_support.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/similar/similar.h"

static char new_tree[64], old_tree[64], index_path[64];

static void put_file(const char *tree, const char *name, int changed)
{
    char path[160];
    uint64_t random = 5;
    snprintf(path, sizeof(path), "%s/%s", tree, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 400; i++) {
        if (changed != 0 && i % 200 == changed) fprintf(f, "another line\n");
        fprintf(f, "line %u\n", (unsigned)(og_random_next(&random) % 5000));
    }
    assert_int_equal(fclose(f), 0);
}

static uint64_t sum_file(const char *tree, const char *name)
{
    char path[160];
    uint64_t sum = 0;
    snprintf(path, sizeof(path), "%s/%s", tree, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        sum = og_mix64(sum ^ (uint64_t)c);
    fclose(f);
    return sum;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void remove_tree(const char *tree)
{
    nftw(tree, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* What the receiver has before: one file that will change, one whose name
 * will, and what a session that broke has left. */
static void make_old_tree(void)
{
    char parts[128];
    remove_tree(old_tree);
    assert_int_equal(mkdir(old_tree, 0755), 0);
    put_file(old_tree, "changes", 0);
    put_file(old_tree, "moves", 20);
    snprintf(parts, sizeof(parts), "%s/.origo-parts", old_tree);
    assert_int_equal(mkdir(parts, 0755), 0);
    put_file(parts, "left", 30);
}

static int make_trees(void **state)
{
    char path[128];
    (void)state;
    snprintf(new_tree, sizeof(new_tree), "oom-%d-new", (int)getpid());
    snprintf(old_tree, sizeof(old_tree), "oom-%d-old", (int)getpid());
    snprintf(index_path, sizeof(index_path), "oom-%d-index", (int)getpid());
    if (mkdir(new_tree, 0755) != 0) return 1;
    put_file(new_tree, "changes", 10);
    put_file(new_tree, "moved", 20);
    put_file(new_tree, "new", 40);
    put_file(new_tree, "twin", 40);
    snprintf(path, sizeof(path), "%s/link", new_tree);
    return symlink("changes", path);
}

static int remove_trees(void **state)
{
    (void)state;
    remove_tree(new_tree);
    remove_tree(old_tree);
    unlink(index_path);
    return 0;
}

/* ---- the exchange ---- */

struct side {
    bool sends;
    int fd;
    og_sync_options options;
    og_status status;
};

static void *run_side(void *ctx)
{
    struct side *s = ctx;
    s->status =
        s->sends
            ? og_sync_send(new_tree, s->fd, s->fd, &s->options, NULL, NULL)
            : og_sync_receive(old_tree, s->fd, s->fd, &s->options, NULL, NULL);
    shutdown(s->fd, SHUT_RDWR);
    return NULL;
}

static const char *const names[] = {"changes", "moved", "new", "twin", "link"};

static void check_arrived(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(sum_file(old_tree, names[i]) ==
                    sum_file(new_tree, names[i]));
}

static _Thread_local bool is_the_failing_side;

/* Both sides hold memory of it; only that of one fails. */
static void *failing_side_resize(void *ctx, void *ptr, size_t old_len,
                                 size_t new_len)
{
    struct failing *f = ctx;
    if (is_the_failing_side) return failing_resize(f, ptr, old_len, new_len);
    f->n_held += new_len - old_len;
    if (new_len != 0) return realloc(ptr, new_len);
    free(ptr);
    return NULL;
}

/* Two threads, two descriptors: the side whose memory fails is this one. */
static og_status exchange(bool sender_fails, og_status *out_other)
{
    struct side failing = {.sends = sender_fails,
                           .options = og_sync_options_default()};
    struct side well = {.sends = !sender_fails,
                        .options = og_sync_options_default()};
    pthread_t thread;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    failing.options.n_threads = well.options.n_threads = 1;
    failing.fd = fds[0];
    well.fd = fds[1];
    assert_int_equal(pthread_create(&thread, NULL, run_side, &well), 0);
    is_the_failing_side = true;
    run_side(&failing);
    is_the_failing_side = false;
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    *out_other = well.status;
    return failing.status;
}

/* False: it did not come to its n-th allocation. */
static bool try_exchange(bool sender_fails, size_t n)
{
    struct failing failing = {.fail_at = n};
    const og_allocator allocator = {&failing, failing_side_resize};
    og_status other;
    make_old_tree();
    const uint64_t before = sum_file(old_tree, "changes");
    og_allocator_set(&allocator);
    const og_status status = exchange(sender_fails, &other);
    og_allocator_set(NULL);
    assert_int_equal(failing.n_held, 0);
    if (status == OG_OK) {
        check_arrived();
        return failing.n_calls >= n;
    }
    assert_int_equal(status, OG_ERR_MEMORY);
    assert_int_not_equal(other, OG_OK);
    assert_true(sum_file(old_tree, "changes") == before);
    return true;
}

/* Not with try_all_failures(): a session takes 20 ms, and it would run four of
 * them for each allocation. */
static void try_side(bool sender_fails)
{
    og_status other;
    size_t n = 1;
    while (try_exchange(sender_fails, n))
        n++;
    assert_true(n > 50);
    /* On what a session that failed has left. */
    try_exchange(sender_fails, n - 20);
    assert_int_equal(exchange(sender_fails, &other), OG_OK);
    check_arrived();
}

static void test_sender(void **state)
{
    (void)state;
    try_side(true);
}

static void test_receiver(void **state)
{
    (void)state;
    try_side(false);
}

/* ---- an index of similar files ---- */

static void make_index(void)
{
    char path[128];
    og_files *files = NULL;
    const og_files_answer *answer;
    assert_int_equal(og_files_open(index_path, OG_CREATE, NULL, &files, NULL),
                     OG_OK);
    snprintf(path, sizeof(path), "%s/new", new_tree);
    assert_int_equal(og_files_ask(files, path, true, &answer, NULL), OG_OK);
    snprintf(path, sizeof(path), "%s/changes", new_tree);
    assert_int_equal(og_files_ask(files, path, true, &answer, NULL), OG_OK);
    assert_int_equal(og_files_close(files, NULL), OG_OK);
}

static void *init(struct work *w)
{
    (void)w;
    return NULL;
}

static void release(struct work *w)
{
    (void)w;
}

static og_status index_run(struct work *w, uint64_t *out_sum)
{
    struct og_similar *index = NULL;
    const og_status status =
        og_similar_read(index_path, &w->allocator, &index, NULL);
    if (status != OG_OK) return status;
    *out_sum = og_similar_n_files(index);
    og_similar_free(index);
    return OG_OK;
}

static const struct scenario reading = {init, index_run, release};

static void test_index(void **state)
{
    (void)state;
    make_index();
    try_all_failures(&reading, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sender),
        cmocka_unit_test(test_receiver),
        cmocka_unit_test(test_index),
    };
    signal(SIGPIPE, SIG_IGN); /* the other side may be gone */
    return cmocka_run_group_tests(tests, make_trees, remove_trees);
}
