/* Archives: the members are documents as files are, whatever packs them. */

#include "tests/unit/source_folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>

#include "lib/source/members.h"

struct file {
    const char *name;
    const char *data;
    size_t len;
};

static void add_file(struct archive *a, const struct file *file, int type)
{
    struct archive_entry *const entry = archive_entry_new();
    archive_entry_set_pathname(entry, file->name);
    archive_entry_set_filetype(entry, (unsigned)type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 1000000000, 0);
    if (type == AE_IFLNK) archive_entry_set_symlink(entry, "/etc/passwd");
    archive_entry_set_size(entry, type == AE_IFREG ? (la_int64_t)file->len : 0);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    if (type == AE_IFREG)
        assert_int_equal(archive_write_data(a, file->data, file->len),
                         file->len);
    archive_entry_free(entry);
}

/* Writes an archive with the files, a folder, a link and a hidden file. */
static const char *write_archive(const char *name, int format, int filter,
                                 const struct file *files, size_t n)
{
    const struct file other = {"sub/link", "", 0};
    const struct file hidden = {"sub/.secret", "not to be read", 14};
    struct archive *const a = archive_write_new();
    if (format == ARCHIVE_FORMAT_ZIP)
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_pax_restricted(a);
    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, folder_path(&folder, name)),
                     ARCHIVE_OK);
    for (size_t i = 0; i < n; i++)
        add_file(a, &files[i], AE_IFREG);
    add_file(a, &other, AE_IFLNK);
    add_file(a, &hidden, AE_IFREG);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    return folder_path(&folder, name);
}

static const struct file files[] = {
    {"a.txt", "Some text of its own.", 21},
    {"sub/b.jsonl", "{\"text\":\"x\"}\n{\"id\":\"k\",\"text\":\"y\"}\n", 35},
    {"c.csv", "id,text\n1,z\n", 12},
    {"empty.jsonl", "", 0},
};

static void test_kinds(void **state)
{
    static const struct {
        const char *name;
        int format, filter;
    } cases[] = {
        {"a.tar", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_NONE},
        {"a.tgz", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_GZIP},
        {"a.tar.bz2", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_BZIP2},
        {"a.tar.xz", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_XZ},
        {"a.tar.zst", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_ZSTD},
        {"a.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct run run;
        char path[200], wanted[1200];
        snprintf(path, sizeof(path), "%s",
                 write_archive(cases[i].name, cases[i].format, cases[i].filter,
                               files, 4));
        run_path(path, NULL, &run);
        snprintf(wanted, sizeof(wanted),
                 "%s/a.txt|a.txt||1000000000000000|Some text of its own.|1|0\n"
                 "%s/sub/b.jsonl:1|||-|x|1|0\n"
                 "k|||-|y|2|13\n"
                 "1|||-|z|2|8\n",
                 path, path);
        assert_string_equal(run.documents.data, wanted);
        assert_string_equal(run.problems.data, "");
        assert_int_equal(run.n_files, 4);
        run_release(&run);
    }
}

/* A file that is packed as a whole keeps its name. */
static void test_filters(void **state)
{
    static const int filters[] = {ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ};
    static const char *const names[] = {"p.jsonl.bz2", "p.jsonl.xz"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct archive *const a = archive_write_new();
        struct archive_entry *const entry = archive_entry_new();
        struct run run;
        archive_write_set_format_raw(a);
        archive_write_add_filter(a, filters[i]);
        archive_write_open_filename(a, folder_path(&folder, names[i]));
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_write_header(a, entry);
        archive_write_data(a, files[1].data, files[1].len);
        archive_entry_free(entry);
        assert_int_equal(archive_write_close(a), ARCHIVE_OK);
        archive_write_free(a);
        run_path(folder_path(&folder, names[i]), NULL, &run);
        assert_int_equal(run.n_documents, 2);
        assert_non_null(strstr(run.documents.data, names[i]));
        run_release(&run);
    }
}

/* Packed members are seen through once; an archive in one is named. */
static void test_nested(void **state)
{
    struct string gzip = {0};
    struct run run;
    (void)state;
    pack_gzip(&gzip, files[1].data, files[1].len);
    const struct file packed = {"b.jsonl.gz", gzip.data, gzip.len};
    run_path(write_archive("n.tar", ARCHIVE_FORMAT_TAR, ARCHIVE_FILTER_NONE,
                           &packed, 1),
             NULL, &run);
    assert_int_equal(run.n_documents, 2);
    run_release(&run);
    string_release(&gzip);
    FILE *const file = fopen(folder_path(&folder, "n.tar"), "rb");
    static char bytes[40960];
    const size_t len = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    const struct file inner = {"n.tar", bytes, len};
    run_path(write_archive("o.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE,
                           &inner, 1),
             NULL, &run);
    assert_int_equal(run.n_documents, 0);
    assert_string_equal(run.problems.data,
                        "0:0: packed data in an archive: only gzip and zstd "
                        "are seen through [skipped] [file]\n");
    run_release(&run);
}

/* Everything before the end is kept, and the error is reported. */
static void test_cut(void **state)
{
    struct run run;
    struct stat info;
    (void)state;
    const char *path = write_archive("cut.zip", ARCHIVE_FORMAT_ZIP,
                                     ARCHIVE_FILTER_NONE, files, 4);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
    run_path(path, NULL, &run);
    assert_true(run.n_problems >= 1);
    assert_non_null(strstr(run.problems.data, "[file]"));
    run_release(&run);
}

static void test_bomb(void **state)
{
    static char zeros[1 << 20];
    struct run run;
    (void)state;
    struct archive *const a = archive_write_new();
    struct archive_entry *const entry = archive_entry_new();
    memset(zeros, ' ', sizeof(zeros));
    archive_write_set_format_raw(a);
    archive_write_add_filter(a, ARCHIVE_FILTER_XZ);
    archive_write_set_filter_option(a, "xz", "compression-level", "0");
    archive_write_open_filename(a, folder_path(&folder, "bomb.jsonl.xz"));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(a, entry);
    for (int i = 0; i < 300; i++)
        archive_write_data(a, zeros, sizeof(zeros));
    archive_entry_free(entry);
    archive_write_close(a);
    archive_write_free(a);
    run_path(folder_path(&folder, "bomb.jsonl.xz"), NULL, &run);
    assert_int_equal(run.n_documents, 0);
    assert_non_null(strstr(run.problems.data, "500 times its size"));
    run_release(&run);
}

/* Nothing is taken for an archive that is none. */
static void test_heads(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool is_archive;
    } cases[] = {{"PK\3\4 and so on", 14, true},
                 {"PKZIP is a program", 18, false},
                 {"BZh is no word, at all", 22, false},
                 {"BZh91AY&SYxxxx", 14, true},
                 {"", 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(
            og_members_is_archive((og_bytes){cases[i].bytes, cases[i].len}),
            cases[i].is_archive);
    assert_int_equal(og_members_head_len((og_bytes){"{", 1}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),  cmocka_unit_test(test_filters),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_bomb),   cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
