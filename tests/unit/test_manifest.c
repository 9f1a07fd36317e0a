/* A manifest: what was written is read, older forms are read, and every damage
 * is reported with its line. */

#include "tests/unit/source_folder.h"

#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/manifest.h"
#include "lib/disk/old_sum.h"

static const struct og_manifest_kind kind = {
    .name = "thing", .version = 3, .old_sum_until = 1};

static void fill(struct og_manifest *m)
{
    *m = (struct og_manifest){.next = 8, .n_segments = 2};
    og_manifest_set(m, "colour", "blue and green");
    og_manifest_set_number(m, "size", UINT64_MAX);
    m->segment[0].number = 5;
    m->segment[0].sum = 0x0123456789abcdef;
    m->segment[1].number = 7;
    m->segment[1].sum = 1;
}

static void what_was_written_is_read(void **state)
{
    struct og_manifest m, back;
    uint64_t n;
    (void)state;
    fill(&m);
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(og_manifest_write(&m, &kind, folder.path, NULL),
                         OG_OK);
        assert_int_equal(og_manifest_read(&back, &kind, folder.path, NULL),
                         OG_OK);
        assert_int_equal(back.generation, i);
    }
    assert_int_equal(back.version, 3);
    assert_int_equal(back.next, 8);
    assert_string_equal(og_manifest_get(&back, "colour"), "blue and green");
    assert_true(og_manifest_get_number(&back, "size", UINT64_MAX, &n));
    assert_true(n == UINT64_MAX);
    assert_false(og_manifest_get_number(&back, "size", 100, &n));
    assert_false(og_manifest_get_number(&back, "colour", 100, &n));
    assert_false(og_manifest_get_number(&back, "none", 100, &n));
    assert_null(og_manifest_get(&back, "none"));
    assert_int_equal(back.n_segments, 2);
    assert_int_equal(back.segment[1].number, 7);
    assert_true(back.segment[0].sum == 0x0123456789abcdef);
    og_manifest_set(&back, "colour", "red"); /* replaces */
    assert_int_equal(back.n_fields, 2);
    assert_string_equal(og_manifest_get(&back, "colour"), "red");
}

static og_status parse(const char *text, struct og_manifest *m, og_error *err)
{
    return og_manifest_parse(m, &kind, (og_bytes){text, strlen(text)}, "x",
                             err);
}

/* Text with its last line. */
static const char *with_sum(const char *text, bool is_old)
{
    static char out[1024];
    const size_t len = strlen(text);
    snprintf(out, sizeof(out), "%ssum %016llx\n", text,
             (unsigned long long)(is_old ? og_old_sum_text(text, len)
                                         : og_checksum(text, len)));
    return out;
}

static void older_forms_are_read(void **state)
{
    struct og_manifest m;
    (void)state;
    assert_int_equal(
        parse(with_sum("origo thing 1\nnext 3\nrun 2 00ff\n", true), &m, NULL),
        OG_OK);
    assert_int_equal(m.version, 1);
    assert_int_equal(m.generation, 0);
    assert_int_equal(m.segment[0].sum, 255);
    assert_int_equal(
        parse(with_sum("origo thing 2\nimage 2 00ff\nnext 3\n", false), &m,
              NULL),
        OG_OK);
    assert_int_equal(m.n_segments, 1);
    assert_int_equal(parse(with_sum("origo thing 2\nnext 3\n", true), &m, NULL),
                     OG_ERR_STORE);
}

static void damage_is_reported(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "line 1"},
        {"origo other 3\nnext 1\n", "line 1"},
        {"origo thing 4\nnext 1\n", "line 1"},
        {"origo thing 0\nnext 1\n", "line 1"},
        {"origo thing 3\nnext x\n", "line 2"},
        {"origo thing 3\nnext\n", "line 2"},
        {"origo thing 3\n next\n", "line 2"},
        {"origo thing 3\nnext 99999999999999999999\n", "line 2"},
        {"origo thing 3\nnext 1\na b\na c\n", "line 4"},
        {"origo thing 3\nnext 1\nsegment 5\n", "line 3"},
        {"origo thing 3\nnext 1\nsegment 0 1\n", "line 3"},
        {"origo thing 3\nnext 1\nsegment 5 xyz\n", "line 3"},
        {"origo thing 3\ngeneration 1\n", "line 3"}, /* no next */
        {"origo thing 3\nlonger-than-sixteen-characters 1\n", "line 2"},
    };
    struct og_manifest m;
    og_error err;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(with_sum(bad[i].text, false), &m, &err),
                         OG_ERR_STORE);
        assert_non_null(strstr(err.message, "'x'"));
        assert_non_null(strstr(err.message, bad[i].words));
    }
    assert_int_equal(parse("origo thing 3\nnext 1\n", &m, &err), OG_ERR_STORE);
}

static void every_byte_counts(void **state)
{
    struct og_manifest m;
    char path[300], text[1024];
    og_error err;
    (void)state;
    fill(&m);
    assert_int_equal(og_manifest_write(&m, &kind, folder.path, &err), OG_OK);
    snprintf(path, sizeof(path), "%s/manifest", folder.path);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t len = fread(text, 1, sizeof(text), f);
    fclose(f);
    const og_bytes all = {text, len};
    assert_int_equal(og_manifest_parse(&m, &kind, all, "x", &err), OG_OK);
    for (size_t i = 0; i < len; i++) {
        const og_bytes cut = {text, i};
        text[i] ^= 1;
        assert_int_equal(og_manifest_parse(&m, &kind, all, "x", &err),
                         OG_ERR_STORE);
        text[i] ^= 1;
        assert_int_equal(og_manifest_parse(&m, &kind, cut, "x", &err),
                         OG_ERR_STORE);
    }
}

static void more_than_there_is_room_for(void **state)
{
    struct og_manifest m = {.next = 1};
    og_error err;
    (void)state;
    m.n_segments = OG_SEGMENTS_MOST;
    for (size_t i = 0; i < OG_SEGMENTS_MOST; i++)
        m.segment[i].number = m.segment[i].sum = UINT64_MAX - i;
    for (size_t i = 0; i < OG_MANIFEST_FIELDS_MOST; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%zu", i);
        og_manifest_set(&m, key,
                        "a value of forty-seven characters, the most....");
    }
    assert_int_equal(og_manifest_write(&m, &kind, folder.path, &err), OG_OK);
    assert_int_equal(og_manifest_read(&m, &kind, folder.path, &err), OG_OK);
    assert_int_equal(m.n_segments, OG_SEGMENTS_MOST);
    assert_int_equal(m.n_fields, OG_MANIFEST_FIELDS_MOST);
}

static void no_manifest(void **state)
{
    struct og_manifest m;
    og_error err;
    char long_name[5000];
    (void)state;
    assert_int_equal(og_manifest_read(&m, &kind, folder.path, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(err.status, OG_ERR_NO_STORE);
    memset(long_name, 'a', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    assert_int_equal(og_manifest_read(&m, &kind, long_name, &err),
                     OG_ERR_USAGE);
}

static void put(const char *name)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder.path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static bool is_there(const char *name)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder.path, name);
    return access(path, F_OK) == 0;
}

static void unnamed_files_go(void **state)
{
    const uint64_t numbers[] = {3, 12};
    char path[OG_MANIFEST_PATH_MOST];
    (void)state;
    static const char *const stay[] = {"run-3",   "run-12", "run-x",    "run-",
                                       "image-1", "runs-4", "manifest", "lock"};
    static const char *const go[] = {"run-1", "run-4", "run-4.new",
                                     ".run-5.new-abc"};
    for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++)
        put(stay[i]);
    for (size_t i = 0; i < sizeof(go) / sizeof(go[0]); i++)
        put(go[i]);
    og_segments_delete_unnamed(folder.path, "run", numbers, 2);
    for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++)
        assert_true(is_there(stay[i]));
    for (size_t i = 0; i < sizeof(go) / sizeof(go[0]); i++)
        assert_false(is_there(go[i]));
    assert_int_equal(og_segment_number_path("f", "run", 12, path, NULL), OG_OK);
    assert_string_equal(path, "f/run-12");
}

#define ON_DISK(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(what_was_written_is_read),
        cmocka_unit_test(older_forms_are_read),
        cmocka_unit_test(damage_is_reported),
        ON_DISK(every_byte_counts),
        ON_DISK(more_than_there_is_room_for),
        ON_DISK(no_manifest),
        ON_DISK(unnamed_files_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
