/* The index that changes: against a plain list, in memory and on disk, with
 * heaps and buffers so small that everything is merged all the time. */

#include "tests/unit/code_support.h"

#include <dirent.h>
#include <origo/origo.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/hamming/hamming.h"

/* ---- a folder of its own ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "hamming-test-%d", (int)getpid());
    return 0;
}

static int remove_folder(void **state)
{
    char path[512];
    DIR *d = opendir(folder);
    (void)state;
    if (d == NULL) return 0;
    for (struct dirent *f; (f = readdir(d)) != NULL;) {
        snprintf(path, sizeof(path), "%s/%s", folder, f->d_name);
        unlink(path);
    }
    closedir(d);
    rmdir(folder);
    return 0;
}

/* ---- the plain twin ---- */

enum { CODES = 60, IDS = 40 };
static uint64_t code_of[CODES];
static bool is_there[CODES][IDS];

static og_bytes id_of(size_t i, char out[16])
{
    const int n = snprintf(out, 16, "id-%zu", i);
    return (og_bytes){out, (size_t)n};
}

struct seen {
    uint64_t n, sum, asked;
    char before[16];
    uint64_t code_before;
};

static bool see(void *ctx, const og_hamming_match *m)
{
    struct seen *s = ctx;
    char id[16] = {0};
    memcpy(id, m->id.data, m->id.len);
    assert_int_equal(m->distance, distance_of(m->code, s->asked));
    if (s->n != 0) /* by code, then by id */
        assert_true(s->code_before < m->code ||
                    (s->code_before == m->code && strcmp(s->before, id) < 0));
    memcpy(s->before, id, sizeof(id));
    s->code_before = m->code;
    s->n++;
    s->sum += og_mix64(m->code ^ og_mix64(strtoull(id + 3, NULL, 10)));
    return true;
}

static void compare(og_hamming *h, uint64_t asked, unsigned k)
{
    struct seen truth = {0}, seen = {.asked = asked};
    og_error err;
    for (size_t c = 0; c < CODES; c++)
        for (size_t i = 0; i < IDS; i++)
            if (is_there[c][i] && distance_of(code_of[c], asked) <= k) {
                truth.n++;
                truth.sum += og_mix64(code_of[c] ^ og_mix64(i));
            }
    assert_int_equal(og_hamming_ask(h, asked, k, &seen, see, &err), OG_OK);
    assert_int_equal(seen.n, truth.n);
    assert_true(seen.sum == truth.sum);
}

static void start_codes(uint64_t *seed)
{
    memset(is_there, 0, sizeof(is_there));
    for (size_t i = 0; i < CODES; i++)
        code_of[i] = i % 6 == 0 ? og_random_next(seed)
                                : flip_lots(code_of[i - 1], 1, seed) ^
                                      UINT64_C(1) << (i & 63);
    for (size_t i = 0; i < CODES; i++) /* all different */
        for (size_t j = 0; j < i; j++)
            if (code_of[i] == code_of[j]) code_of[i] = og_random_next(seed);
}

static void change(og_hamming *h, uint64_t *seed)
{
    char text[16];
    const size_t c = og_random_next(seed) % CODES;
    const size_t i = og_random_next(seed) % IDS;
    const bool adds = og_random_next(seed) % 3 != 0;
    og_error err;
    is_there[c][i] = adds;
    assert_int_equal((adds ? og_hamming_add : og_hamming_remove)(
                         h, code_of[c], id_of(i, text), &err),
                     OG_OK);
}

static void answers_follow_every_change(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (unsigned k = 0; k <= 64; k = k < 4 ? k + 1 : k * 2) {
        og_hamming_options options = og_hamming_options_default();
        og_hamming *h;
        options.max_distance = k;
        options.n_waiting = 1 + 7 * k;
        assert_int_equal(
            og_hamming_open(":memory:", OG_CREATE, &options, &h, NULL), OG_OK);
        start_codes(&seed);
        for (int i = 0; i < 1500; i++) {
            change(h, &seed);
            if (i % 5 == 0)
                compare(h, flip_lots(code_of[i % CODES], i % 4, &seed),
                        i % 2 == 0 ? k : k / 2);
        }
        assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    }
}

static void answers_survive_on_disk(void **state)
{
    (void)state;
    uint64_t seed = 29;
    og_hamming_options options = og_hamming_options_default();
    og_hamming *h, *reader;
    og_error err;
    options.n_waiting = 10;
    options.buffer = 4096;
    start_codes(&seed);
    assert_int_equal(og_hamming_open(folder, OG_CREATE, &options, &h, &err),
                     OG_OK);
    for (int i = 0; i < 3000; i++) {
        change(h, &seed);
        if (i % 50 == 0) compare(h, code_of[i % CODES], 3);
        if (i % 500 != 499) continue;
        assert_int_equal(og_hamming_commit(h, &err), OG_OK);
        assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &reader, &err),
                         OG_OK);
        for (size_t c = 0; c < CODES; c++)
            compare(reader, code_of[c], 3);
        assert_int_equal(og_hamming_close(reader, NULL), OG_OK);
        assert_int_equal(og_hamming_close(h, NULL), OG_OK);
        assert_int_equal(og_hamming_open(folder, OG_WRITE, &options, &h, &err),
                         OG_OK);
    }
    og_hamming_info info;
    og_hamming_info_get(h, &info);
    assert_true(info.n_runs <= 8);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
}

static bool stop_at_first(void *ctx, const og_hamming_match *match)
{
    (void)match;
    *(bool *)ctx = true;
    return false;
}

static bool is_known(og_hamming *h, uint64_t code)
{
    bool is_known = false;
    assert_int_equal(og_hamming_ask(h, code, 0, &is_known, stop_at_first, NULL),
                     OG_OK);
    return is_known;
}

/* What was added is there again after closing, whatever way it is opened. */
static void closing_commits(void **state)
{
    static const og_access accesses[] = {OG_CREATE, OG_WRITE, OG_READ};
    og_hamming *h;
    og_error err;
    (void)state;
    for (size_t i = 0; i < LENGTH(accesses); i++) {
        assert_int_equal(og_hamming_open(folder, accesses[i], NULL, &h, &err),
                         OG_OK);
        for (uint64_t code = 1; code <= i; code++)
            assert_true(is_known(h, code));
        if (accesses[i] != OG_READ)
            assert_int_equal(og_hamming_add(h, i + 1, (og_bytes){"a", 1}, &err),
                             OG_OK);
        assert_int_equal(og_hamming_close(h, &err), OG_OK);
    }
    assert_int_equal(og_hamming_close(NULL, &err), OG_OK);
}

/* A folder in the place of the manifest, which then cannot be replaced. */
static void block_manifest(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void a_failed_commit_is_reported_and_made_up_for(void **state)
{
    char path[512];
    og_hamming *h;
    og_error err;
    (void)state;
    snprintf(path, sizeof(path), "%s/manifest", folder);
    assert_int_equal(og_hamming_open(folder, OG_CREATE, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_add(h, 1, (og_bytes){"a", 1}, &err), OG_OK);
    block_manifest(path);
    assert_int_equal(og_hamming_commit(h, &err), OG_ERR_IO);
    assert_int_equal(og_hamming_commit(h, &err), OG_ERR_IO);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(og_hamming_close(h, &err), OG_OK);
    assert_int_equal(og_hamming_open(folder, OG_WRITE, NULL, &h, &err), OG_OK);
    assert_true(is_known(h, 1));
    assert_int_equal(og_hamming_add(h, 2, (og_bytes){"b", 1}, &err), OG_OK);
    block_manifest(path);
    assert_int_equal(og_hamming_close(h, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "manifest"));
    assert_int_equal(rmdir(path), 0);
}

static void only_creating_makes_an_index(void **state)
{
    char path[512];
    og_hamming *h;
    og_error err;
    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof(path), "%s/lock", folder);
    for (og_access how = OG_READ; how <= OG_WRITE; how++) {
        assert_int_equal(og_hamming_open(folder, how, NULL, &h, &err),
                         OG_ERR_NO_STORE);
        assert_non_null(strstr(err.message, "there is no index of codes in"));
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

static void one_writer_at_a_time(void **state)
{
    og_hamming_options new_only = og_hamming_options_default();
    (void)state;
    new_only.must_be_new = true;
    og_hamming *h, *other;
    og_error err;
    assert_int_equal(og_hamming_open(folder, OG_CREATE, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_open(folder, OG_WRITE, NULL, &other, &err),
                     OG_ERR_BUSY);
    assert_non_null(strstr(err.message, "is in use by process "));
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    assert_int_equal(og_hamming_open(folder, OG_CREATE, &new_only, &h, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "there is an index in"));
    assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_add(h, 1, (og_bytes){"a", 1}, &err),
                     OG_ERR_USAGE);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
}

static void deleting_leaves_nothing(void **state)
{
    (void)state;
    og_hamming *h;
    og_error err;
    assert_int_equal(og_hamming_open(folder, OG_CREATE, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_add(h, 1, (og_bytes){"a", 1}, &err), OG_OK);
    assert_int_equal(og_hamming_commit(h, &err), OG_OK);
    og_hamming_delete(h);
    assert_int_not_equal(access(folder, F_OK), 0);
    og_hamming_delete(NULL);
}

static void other_parameters_are_refused(void **state)
{
    (void)state;
    og_hamming_options options = og_hamming_options_default();
    og_hamming *h;
    og_error err;
    options.max_distance = 65;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_ERR_USAGE);
    options.max_distance = 3;
    options.n_tables = 17;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, &options, &h, &err),
                     OG_ERR_USAGE);
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, NULL, &h, &err),
                     OG_OK);
    assert_int_equal(og_hamming_ask(h, 0, 4, NULL, see, &err), OG_ERR_USAGE);
    assert_string_equal(err.message,
                        "the index was made for 64 bits and distance 3, asked "
                        "for 64 bits and distance 4");
    assert_int_equal(og_hamming_add(h, 0, (og_bytes){"", 0}, &err),
                     OG_ERR_INPUT);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
}

struct count {
    uint64_t n, most;
};

static bool count_match(void *ctx, const og_hamming_match *m)
{
    struct count *c = ctx;
    (void)m;
    return ++c->n != c->most;
}

/* A code that a million documents share, queried in between. */
static void a_million_equal_codes(void **state)
{
    (void)state;
    char text[16];
    og_hamming *h;
    og_error err;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, NULL, &h, &err),
                     OG_OK);
    for (size_t i = 0; i < 1000000; i++) {
        assert_int_equal(og_hamming_add(h, 77, id_of(i, text), &err), OG_OK);
        if (i % 1000 != 0) continue;
        struct count first = {.most = 5};
        assert_int_equal(og_hamming_ask(h, 76, 3, &first, count_match, &err),
                         OG_OK);
        assert_int_equal(first.n, i < 5 ? i + 1 : 5);
    }
    struct count all = {0};
    assert_int_equal(og_hamming_ask(h, 77, 0, &all, count_match, &err), OG_OK);
    assert_int_equal(all.n, 1000000);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
}

/* ---- damage ---- */

static uint8_t *make_run(size_t *out_len)
{
    struct og_code_writer *w;
    struct og_code_segment segment;
    char text[16];
    assert_int_equal(og_code_writer_new(NULL, NULL, &w, NULL), OG_OK);
    for (size_t i = 0; i < 300; i++) {
        const struct og_code_entry entry = {id_of(i, text), i % 7 == 0};
        assert_int_equal(og_code_writer_add(w,
                                            i / 2 * UINT64_C(0x123456789abcdef),
                                            &entry, NULL),
                         OG_OK);
    }
    assert_int_equal(
        og_code_writer_end(w, 3, &(struct og_code_choice){UINT64_MAX, 4, 0},
                           &segment, NULL),
        OG_OK);
    uint8_t *copy = malloc(segment.file.len);
    memcpy(copy, segment.file.data, segment.file.len);
    *out_len = segment.file.len;
    og_code_segment_release(&segment);
    return copy;
}

static og_status look(const uint8_t *data, size_t len, og_error *err)
{
    struct og_segment_file file = {0};
    struct og_code_segment segment;
    uint8_t *copy = malloc(len + 1);
    memcpy(copy, data, len);
    og_status status = og_segment_file_take(&file, copy, len, len + 1, NULL,
                                            &og_code_segment_kind, "x", err);
    if (status == OG_OK)
        status = og_code_segment_take(&segment, &file, "x", err);
    if (status != OG_OK)
        free(copy);
    else
        og_code_segment_release(&segment);
    return status;
}

static void every_damage_of_a_run_is_seen(void **state)
{
    (void)state;
    if (OG_BIG_ENDIAN) skip(); /* a run in memory is not as in the file */
    size_t len;
    og_error err;
    uint8_t *run = make_run(&len);
    assert_int_equal(look(run, len, &err), OG_OK);
    for (size_t i = 0; i < len; i += i < 2100 || len - i < 100 ? 1 : 37) {
        run[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(look(run, len, &err), OG_ERR_STORE);
        assert_non_null(strstr(err.message, "'x'"));
        run[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(look(run, i, &err), OG_ERR_STORE);
    }
    assert_int_equal(look(run, len - 64, &err), OG_ERR_STORE);
    assert_string_equal(err.message, "'x' is damaged: it is truncated");
    memcpy(run, "PK\3\4abcd", 8);
    assert_int_equal(look(run, len, &err), OG_ERR_STORE);
    assert_string_equal(err.message, "'x' is not a file of codes");
    free(run);
}

static void put_file(const char *name, const char *text, size_t len)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, len, f);
    fclose(f);
}

static void a_damaged_folder_is_refused(void **state)
{
    (void)state;
    og_hamming *h;
    og_error err;
    static const struct og_manifest_kind kind = {.name = "hamming",
                                                 .version = 3};
    struct og_manifest m;
    assert_int_equal(og_hamming_open("no-such-folder", OG_READ, NULL, &h, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(og_hamming_open(folder, OG_CREATE, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_add(h, 7, (og_bytes){"a", 1}, &err), OG_OK);
    assert_int_equal(og_hamming_commit(h, &err), OG_OK);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    assert_int_equal(og_manifest_read(&m, &kind, folder, &err), OG_OK);
    assert_int_equal(m.n_segments, 1);
    assert_int_equal(m.generation, 2); /* made, then committed */

    put_file("run-9", "left behind", 11); /* goes when a writer comes */
    assert_int_equal(og_hamming_open(folder, OG_WRITE, NULL, &h, &err), OG_OK);
    assert_int_equal(og_hamming_close(h, NULL), OG_OK);
    char path[512];
    snprintf(path, sizeof(path), "%s/run-9", folder);
    assert_int_not_equal(access(path, F_OK), 0);

    put_file("run-1", "origoham", 8);
    assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &h, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "run-1"));
    put_file("run-1", "", 0);
    assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &h, &err),
                     OG_ERR_STORE);
    put_file("manifest", "", 0);
    assert_int_equal(og_hamming_open(folder, OG_READ, NULL, &h, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "line 1"));
}

/* Fields of a manifest whose checksum is right. */
static void wrong_fields_are_refused(void **state)
{
    static const char *const fields[] = {"bits", "distance", "memory", "tables",
                                         "design"};
    static const char *const right[] = {"64", "3", "1", "-1", "sorted"};
    static const char *const wrong[] = {"96", "65", "x", "4x", "tree"};
    static const char *const told[] = {"96 bits, not 64 or 128", "line 4",
                                       "line 5", "line 6", "line 7"};
    const struct og_manifest_kind kind = {.name = "hamming", .version = 3};
    og_hamming *h;
    og_error err;
    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t bad = 0; bad <= LENGTH(fields); bad++) {
        struct og_manifest m = {.next = 1};
        for (size_t i = 0; i < LENGTH(fields); i++)
            og_manifest_set(&m, fields[i], i == bad ? wrong[i] : right[i]);
        assert_int_equal(og_manifest_write(&m, &kind, folder, &err), OG_OK);
        const og_status status =
            og_hamming_open(folder, OG_READ, NULL, &h, &err);
        if (bad == LENGTH(fields)) {
            assert_int_equal(status, OG_OK);
            assert_int_equal(og_hamming_close(h, NULL), OG_OK);
            break;
        }
        assert_int_equal(status, OG_ERR_STORE);
        assert_non_null(strstr(err.message, told[bad]));
    }
}

#define ON_DISK(f)                                                             \
    cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_follow_every_change),
        ON_DISK(answers_survive_on_disk),
        ON_DISK(closing_commits),
        ON_DISK(a_failed_commit_is_reported_and_made_up_for),
        ON_DISK(only_creating_makes_an_index),
        ON_DISK(one_writer_at_a_time),
        ON_DISK(deleting_leaves_nothing),
        cmocka_unit_test(other_parameters_are_refused),
        cmocka_unit_test(a_million_equal_codes),
        cmocka_unit_test(every_damage_of_a_run_is_seen),
        ON_DISK(a_damaged_folder_is_refused),
        ON_DISK(wrong_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
