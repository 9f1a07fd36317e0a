/* The exchange: trees become equal, little is sent, and an untrusted peer can
 * do no harm. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "files_support.h"
#include "lib/sync/sync.h"
#include "lib/sync/sync_target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

enum { LEN = 200000 };
static char text[2 * LEN];

struct side {
    const char *tree;
    int fd;
    og_status status;
    og_error err;
};

static void *send_side(void *ctx)
{
    struct side *s = ctx;
    og_sync_options options = og_sync_options_default();
    options.n_threads = 1;
    s->status = og_sync_send(s->tree, s->fd, s->fd, &options, NULL, &s->err);
    shutdown(s->fd, SHUT_RDWR);
    return NULL;
}

static og_sync_counts sync_trees(const char *from, const char *to)
{
    int fds[2];
    pthread_t thread;
    og_error err = {0};
    og_sync_counts counts = {0};
    og_sync_options options = og_sync_options_default();
    options.n_threads = 1;
    options.delete_extra = true;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    struct side sender = {.tree = from, .fd = fds[0]};
    pthread_create(&thread, NULL, send_side, &sender);
    og_sync_receive(to, fds[1], fds[1], &options, &counts, &err);
    pthread_join(thread, NULL);
    assert_string_equal(err.message, "");
    assert_int_equal(sender.status, OG_OK);
    close(fds[0]);
    close(fds[1]);
    return counts;
}

static void assert_same_tree(const char *a, const char *b)
{
    char command[600];
    snprintf(command, sizeof(command), "diff -r --no-dereference %s %s", a, b);
    assert_int_equal(system(command), 0);
}

static void make_tree(const char *name)
{
    char path[64];
    mkdir(in(name), 0755);
    snprintf(path, sizeof(path), "%s/sub", name);
    mkdir(in(path), 0755);
    snprintf(path, sizeof(path), "%s/void", name);
    mkdir(in(path), 0750);
    for (unsigned i = 0; i < 12; i++) {
        const size_t n = make_text(text, i == 0 ? LEN : 20000 * (i % 3), i + 1);
        snprintf(path, sizeof(path), "%s/%sf%u", name, i % 2 ? "sub/" : "", i);
        write_file(in(path), text, n);
    }
    snprintf(path, sizeof(path), "%s/link", name);
    assert_int_equal(symlink("f0", in(path)), 0);
}

static void test_a_new_tree_arrives(void **state)
{
    (void)state;
    make_tree("a");
    const og_sync_counts counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_int_equal(counts.n_redone, 0);
    assert_false(exists(in("b/.origo-parts")));
    /* Again: the list is the same, nothing is requested. */
    const og_sync_counts again = sync_trees(in("a"), in("b"));
    assert_int_equal(again.n_files_changed, 0);
    assert_true(again.n_sent + again.n_received < 200);
}

static void test_an_edit_sends_little(void **state)
{
    (void)state;
    make_tree("a");
    make_tree("b");
    sync_trees(in("a"), in("b")); /* times */
    const size_t n = make_text(text, LEN, 1);
    memmove(text + n / 2 + 3, text + n / 2, n - n / 2);
    memcpy(text + n / 2, "abc", 3);
    write_file(in("a/f0"), text, n + 3);
    const og_sync_counts counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_int_equal(counts.n_files_changed, 1);
    assert_true(counts.n_sent + counts.n_received < 2500);
}

static void test_renamed_and_merged_files_send_little(void **state)
{
    (void)state;
    make_tree("a");
    make_tree("b");
    sync_trees(in("a"), in("b"));
    rename(in("a/f0"), in("a/sub/other"));
    og_sync_counts counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_int_equal(counts.n_files_renamed, 1);
    assert_true(counts.n_sent + counts.n_received < 1500);
    /* Two files one behind the other. */
    size_t n, m;
    uint8_t *x = read_file(in("a/sub/other"), &n);
    uint8_t *y = read_file(in("a/sub/f5"), &m);
    memcpy(text, x, n);
    memcpy(text + n, y, m);
    write_file(in("a/merged"), text, n + m);
    free(x);
    free(y);
    counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_true(counts.literal_len < 10000);
}

static void test_equal_new_files_are_sent_once(void **state)
{
    (void)state;
    mkdir(in("a"), 0755);
    const size_t n = make_text(text, LEN, 77);
    write_file(in("a/1"), text, n);
    write_file(in("a/2"), text, n);
    write_file(in("a/3"), text, n);
    const og_sync_counts counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_true(counts.literal_len < n + 1000);
}

static void test_contents_may_swap(void **state)
{
    (void)state;
    /* The old bytes of each are needed while the other is replaced. */
    make_tree("a");
    make_tree("b");
    sync_trees(in("a"), in("b"));
    rename(in("a/f0"), in("a/x"));
    rename(in("a/f4"), in("a/f0"));
    rename(in("a/x"), in("a/f4"));
    const og_sync_counts counts = sync_trees(in("a"), in("b"));
    assert_same_tree(in("a"), in("b"));
    assert_true(counts.literal_len < 500);
}

/* ---- a connection that breaks ---- */

struct pump {
    int from, to;
    size_t most; /* bytes, then it is cut */
};

static void *pump_bytes(void *ctx)
{
    struct pump *p = ctx;
    char buffer[4096];
    ssize_t n;
    while (p->most > 0 && (n = read(p->from, buffer, sizeof(buffer))) > 0) {
        if ((size_t)n > p->most) n = (ssize_t)p->most;
        if (write(p->to, buffer, (size_t)n) != n) break;
        p->most -= (size_t)n;
    }
    shutdown(p->from, SHUT_RDWR);
    shutdown(p->to, SHUT_RDWR);
    return NULL;
}

/* Sender and receiver through a pump that lets `most` bytes pass. */
static og_status cut_after(size_t most, uint64_t *literal_len)
{
    int s[2], r[2];
    pthread_t threads[3];
    og_error err = {0};
    og_sync_counts counts = {0};
    og_sync_options options = og_sync_options_default();
    options.n_threads = 1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, r), 0);
    struct side sender = {.tree = in("a"), .fd = s[0]};
    struct pump there = {s[1], r[1], most}, back = {r[1], s[1], SIZE_MAX};
    pthread_create(&threads[0], NULL, send_side, &sender);
    pthread_create(&threads[1], NULL, pump_bytes, &there);
    pthread_create(&threads[2], NULL, pump_bytes, &back);
    const og_status status =
        og_sync_receive(in("b"), r[0], r[0], &options, &counts, &err);
    shutdown(r[0], SHUT_RDWR);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        close(s[i]), close(r[i]);
    if (status != OG_OK) assert_non_null(strstr(err.message, "connection"));
    *literal_len = counts.literal_len;
    return status;
}

static void test_a_broken_connection_continues(void **state)
{
    (void)state;
    static uint8_t noise[8 * LEN];
    uint64_t random = 3, first, second;
    signal(SIGPIPE, SIG_IGN);
    mkdir(in("a"), 0755);
    for (size_t i = 0; i < sizeof(noise); i += 8) {
        const uint64_t v = og_random_next(&random);
        memcpy(noise + i, &v, 8);
    }
    write_file(in("a/large"), noise, sizeof(noise));
    assert_int_equal(cut_after(1000000, &first), OG_ERR_IO);
    assert_false(exists(in("b/large")));
    assert_true(exists(in("b/.origo-parts")));
    assert_true(first > 500000);
    assert_int_equal(cut_after(SIZE_MAX, &second), OG_OK);
    assert_same_tree(in("a"), in("b"));
    /* What arrived was not sent again, but for the last chunks. */
    assert_true(second < sizeof(noise) - first + 20000);
    assert_false(exists(in("b/.origo-parts")));
}

/* ---- strangers ---- */

static void test_paths_that_lead_out_are_refused(void **state)
{
    (void)state;
    const char *const bad[] = {
        "",   "/etc/passwd", "..",  "../x", "a/../../x",    "a//b",
        "a/", "./a",         "a/.", "a/..", ".origo-parts", ".origo-parts/x"};
    const char *const good[] = {"a",       "a/b",    "..a",          "a..",
                                ".hidden", "a b/ c", ".origo-parts2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(og_sync_path_is_safe(bad[i], strlen(bad[i])));
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_true(og_sync_path_is_safe(good[i], strlen(good[i])));
    assert_false(og_sync_path_is_safe("a\0b", 3));
    /* In a list: the entry is named, the list is refused. */
    struct og_sync_entry evil = {
        .path = (char *)"../evil", .kind = OG_SYNC_FOLDER, .mode = 0755};
    const struct og_sync_list list = {&evil, 1, 1, NULL};
    struct og_sync_list parsed = {0};
    struct og_pack packed = {0};
    og_error err = {0};
    og_sync_list_pack(&list, &packed);
    assert_int_equal(og_sync_list_parse(&parsed, packed.data, packed.len, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "refused"));
    og_pack_release(&packed);
    og_sync_list_release(&parsed);
}

static void test_no_link_is_followed(void **state)
{
    (void)state;
    /* b/sub leads out of b: a file sub/f must not go there. */
    struct og_sync_target target;
    struct og_sync_entry e = {
        .path = (char *)"sub/f", .kind = OG_SYNC_FILE, .mode = 0644};
    char name[OG_SYNC_PART_NAME];
    int fd;
    og_error err = {0};
    mkdir(in("outside"), 0755);
    mkdir(in("b"), 0755);
    assert_int_equal(symlink(in("outside"), in("b/sub")), 0);
    assert_int_equal(og_sync_target_open(&target, in("b"), true, NULL), OG_OK);
    og_sync_part_name(e.root, 0, name);
    assert_int_equal(og_sync_part_open(&target, name, &fd, NULL), OG_OK);
    close(fd);
    assert_int_equal(og_sync_target_publish(&target, &e, name, &err),
                     OG_ERR_INPUT);
    assert_false(exists(in("outside/f")));
    og_sync_target_close(&target);
}

static void test_hash_lengths(void **state)
{
    (void)state;
    assert_int_equal(og_sync_hash_len(0, 0), 4);
    assert_int_equal(og_sync_hash_len(1000, 1000), 5);
    assert_int_equal(og_sync_hash_len(1u << 30, 1u << 30), 8);
}

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_new_tree_arrives),
        CASE(test_an_edit_sends_little),
        CASE(test_renamed_and_merged_files_send_little),
        CASE(test_equal_new_files_are_sent_once),
        CASE(test_contents_may_swap),
        CASE(test_a_broken_connection_continues),
        CASE(test_paths_that_lead_out_are_refused),
        CASE(test_no_link_is_followed),
        CASE(test_hash_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
