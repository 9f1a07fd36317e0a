/* What the stages of deduplication share: shards, paths, checks, and texts. */

#include "tests/unit/input_support.h"
#include "tests/unit/store_support.h"

#include "lib/dedup/stages/dedup_stages.h"

static og_stage_options options_of(const char *work)
{
    return (og_stage_options){
        .dedup = og_dedup_options_default(), .work = work, .n_shards = 1};
}

static og_status start(struct og_stage *s, const og_input *input,
                       const og_stage_options *options)
{
    og_stage_counts counts;
    const og_status status = og_stage_start(s, input, options, &counts, &story);
    og_stage_finish(s);
    return status;
}

static void options_are_checked(void **state)
{
    struct og_stage s;
    const char *paths[] = {in("a"), in("b")};
    const char *twice[] = {in("a"), in("a")};
    const char *gone[] = {in("none")};
    const char *folders[] = {folder};
    og_input input = input_of(paths, 2, 1);
    og_stage_options o = options_of(in("work"));
    (void)state;
    write_file(in("a"), "{}\n", 3);
    write_file(in("b"), "{}\n", 3);
    ASSERT_OK(start(&s, &input, &o));
    o.shard = 1;
    assert_int_equal(start(&s, &input, &o), OG_ERR_USAGE);
    o = options_of(in("work"));
    o.n_shards = 0;
    assert_int_equal(start(&s, &input, &o), OG_ERR_USAGE);
    o = options_of(in("work"));
    o.dedup.level = OG_LEVEL_LINE;
    assert_int_equal(start(&s, &input, &o), OG_ERR_USAGE);
    o = options_of(in("work"));
    input.paths = twice;
    assert_int_equal(start(&s, &input, &o), OG_ERR_USAGE);
    assert_non_null(strstr(story.message, "twice"));
    input = input_of(gone, 1, 1);
    assert_int_equal(start(&s, &input, &o), OG_ERR_IO);
    input = input_of(folders, 1, 1);
    assert_int_equal(start(&s, &input, &o), OG_ERR_USAGE);
}

/* Files of other options are refused: the digest is of what decides. */
static void the_digest(void **state)
{
    struct og_stage a, b;
    og_input input = input_of(NULL, 0, 1);
    og_stage_options o = options_of(in("work"));
    (void)state;
    ASSERT_OK(start(&a, &input, &o));
    input.n_threads = 7;
    o.n_shards = 5;
    ASSERT_OK(start(&b, &input, &o));
    assert_true(a.digest == b.digest);
    o.dedup.shingle_len++;
    ASSERT_OK(start(&b, &input, &o));
    assert_true(a.digest != b.digest);
    o = options_of(in("work"));
    input.fields.text = "body";
    ASSERT_OK(start(&b, &input, &o));
    assert_true(a.digest != b.digest);
}

/* Every piece is of one shard. */
static void shards_and_paths(void **state)
{
    char path[OG_STAGE_PATH_ROOM];
    og_stage_options o = options_of("work");
    const struct og_stage s = {.options = &o};
    (void)state;
    o.n_shards = 3;
    for (uint64_t i = 0; i < 20; i++) {
        int n = 0;
        for (o.shard = 0; o.shard < 3; o.shard++)
            n += og_stage_is_mine(&s, i);
        assert_int_equal(n, 1);
    }
    og_stage_path(&s, path, "bands/%05u_%02u.dups", 7, 0);
    assert_string_equal(path, "work/bands/00007_00.dups");
}

static void folders_may_be_there(void **state)
{
    const og_stage_options o = options_of(in("new"));
    const struct og_stage s = {.options = &o};
    (void)state;
    assert_false(og_stage_is_there(in("new")));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(og_stage_make_folders(&s, "sketch", &story));
    assert_true(og_stage_is_there(in("new/sketch")));
    assert_int_equal(og_stage_make_folder(in("no/such"), &story), OG_ERR_IO);
}

/* The first stage leaves files that the others count and read texts by. */
static void what_the_first_stage_left(void **state)
{
    static const char lines[] =
        "{\"id\":\"x\",\"text\":\"one two three four\"}\n"
        "{\"id\":\"y\",\"text\":\"five six seven\"}\n";
    const char *paths[] = {in("c"), in("d")};
    const og_input input = input_of(paths, 2, 1);
    const og_stage_options o = options_of(in("done"));
    og_stage_counts counts;
    struct og_stage s;
    struct og_stage_file file;
    const struct og_known_document *known;
    (void)state;
    write_file(in("c"), lines, sizeof(lines) - 1);
    write_file(in("d"), lines, sizeof(lines) - 1);
    ASSERT_OK(og_stage_sketch(&input, &o, &counts, &story));
    ASSERT_OK(og_stage_start(&s, &input, &o, &counts, &story));
    ASSERT_OK(og_stage_count(&s, &story));
    assert_int_equal(s.bases[1], 2);
    assert_int_equal(s.bases[2], 4);
    ASSERT_OK(og_stage_open_texts(&s, &story));
    ASSERT_OK(og_stage_read_sketches(&s, 1, &file, &story));
    const uint8_t *second = file.body + s.record_len;
    const struct og_dedup_place place = {.offset = og_load64(second),
                                         .line = og_load64(second + 8),
                                         .len =
                                             (uint32_t)og_load64(second + 16),
                                         .file = 1};
    ASSERT_OK(og_dedup_texts_fetch(s.texts, 3, &place, &known, &story));
    assert_int_equal(known->id_len, 1);
    assert_int_equal(known->id[0], 'y');
    og_stage_file_release(&file);
    og_stage_finish(&s);
    /* A shard that was not done is named. */
    unlink(in("done/sketch/000001"));
    ASSERT_OK(og_stage_start(&s, &input, &o, &counts, &story));
    assert_int_equal(og_stage_count(&s, &story), OG_ERR_INPUT);
    assert_non_null(strstr(story.message, "000001"));
    og_stage_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(the_digest),
        cmocka_unit_test(shards_and_paths),
        cmocka_unit_test(folders_may_be_there),
        cmocka_unit_test(what_the_first_stage_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
