/* The writer of texts: segments, the chain of them, threads, failures, the
 * dictionary. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "lib/store/text/text_files.h"
#include "tests/unit/texts_support.h"

static int fresh(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", in("texts"));
    return system(command) != 0;
}

static void there_and_back(void **state)
{
    (void)state;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts t = make_texts(500, 3000, 1);
    struct og_texts_end end;
    assert_int_equal(og_texts_end(texts).segment, 0);
    append_all(texts, &t);
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    assert_int_equal(end.segment, 1);
    assert_int_equal(end.off, og_texts_end(texts).off);
    struct og_texts_end last;
    ASSERT_OK(og_texts_end_of(in("texts"), uuid, &t.places[t.n - 1], NULL,
                              &last, &story));
    assert_int_equal(last.off, end.off);
    ASSERT_OK(og_texts_close(texts, &story));
    struct og_text_reader *reader = open_reader(NULL);
    assert_texts(reader, &t);
    og_text_reader_close(reader);
    free_texts(&t);
}

static void a_session_without_texts_leaves_nothing(void **state)
{
    (void)state;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    ASSERT_OK(og_texts_sync(texts, NULL, &story));
    ASSERT_OK(og_texts_close(texts, &story));
    assert_false(exists(in("texts/000001.seg")));
}

/* What a crash left is not counted and not in the way. */
static void sessions_continue_the_segment(void **state)
{
    (void)state;
    struct texts t[3];
    struct og_texts_end end = {0};
    struct og_texts_sums sums;
    for (size_t i = 0; i < 3; i++) {
        struct og_texts *texts = NULL;
        const struct og_texts_options options = {
            .uuid = uuid, .end = end, .continues = i > 0};
        ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
        t[i] = make_texts(20, 2000, i + 1);
        append_all(texts, &t[i]);
        ASSERT_OK(og_texts_sync(texts, &end, &story));
        struct texts lost = make_texts(5, 900, i + 50);
        append_all(texts, &lost); /* never in a record */
        free_texts(&lost);
        ASSERT_OK(og_texts_close(texts, &story));
        const struct og_texts_end known = end;
        bool is_whole;
        ASSERT_OK(og_texts_find_end(in("texts"), uuid, NULL, &end, &is_whole,
                                    &story));
        assert_true(is_whole && end.segment == 1 && end.off > known.off);
        assert_int_equal(t[i].places[0].segment, 1);
        write_file(in(i == 0   ? "texts/000002.seg"
                      : i == 1 ? "texts/000004.seg"
                               : "texts/000006.seg"),
                   "torn", 4);
    }
    assert_int_equal(end.segment, 1);
    ASSERT_OK(
        og_texts_check(in("texts"), uuid, end, NULL, NULL, &sums, &story));
    assert_int_equal(sums.n_segments, 1);
    struct og_text_reader *reader = open_reader(NULL);
    for (size_t i = 0; i < 3; i++) {
        assert_texts(reader, &t[i]);
        free_texts(&t[i]);
    }
    og_text_reader_close(reader);
}

struct logged {
    uint32_t segment;
    uint64_t off;
    uint8_t frames[4096];
    size_t len, n;
};

static og_status keep_log(void *ctx, uint32_t segment, uint64_t off,
                          const void *frames, size_t len, og_error *err)
{
    struct logged *logged = ctx;
    (void)err;
    assert_true(len <= sizeof(logged->frames));
    logged->segment = segment;
    logged->off = off;
    logged->len = len;
    logged->n++;
    memcpy(logged->frames, frames, len);
    return OG_OK;
}

/* A power loss takes the end of a segment, which the log has: a reader sees it
 * all the same, a writer puts it back. */
static void what_was_logged_is_put_back(void **state)
{
    (void)state;
    struct logged logged = {0};
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    struct texts first = make_texts(4, 300, 1), second = make_texts(4, 300, 2);
    struct og_texts_end end;
    struct og_texts_sums sums;
    append_all(texts, &first);
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    ASSERT_OK(og_texts_close(texts, &story));
    const struct og_texts_options options = {.uuid = uuid,
                                             .end = end,
                                             .continues = true,
                                             .log = keep_log,
                                             .ctx = &logged,
                                             .log_most = 1000};
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    append_all(texts, &second);
    struct logged first_log = logged;
    ASSERT_OK(og_texts_sync(texts, NULL, &story)); /* renews the budget */
    struct texts third = make_texts(4, 300, 3);
    append_all(texts, &third);
    free_texts(&third);
    assert_int_equal(logged.n, 2);
    logged = first_log;
    const struct og_texts_end whole = {1, logged.off + logged.len};
    ASSERT_OK(og_texts_close(texts, &story));
    assert_int_equal(logged.n, 1);
    assert_int_equal(logged.off, end.off);
    assert_int_equal(truncate(in("texts/000001.seg"), (off_t)end.off + 9), 0);

    const og_bytes frames = {(const char *)logged.frames, logged.len};
    struct og_text_patches patches;
    for (int writable = 0; writable < 2; writable++) {
        og_text_patches_init(&patches, NULL);
        for (int i = 0; i < 2; i++) /* the second time it may be there */
            ASSERT_OK(og_texts_redo(&patches, in("texts"), uuid, writable == 1,
                                    logged.segment, logged.off, frames,
                                    &story));
        assert_int_equal(patches.n, writable == 1 ? 0 : 2);
        ASSERT_OK(og_texts_check(in("texts"), uuid, whole, &patches, NULL,
                                 &sums, &story));
        struct og_text_reader *reader = open_reader(NULL);
        og_text_reader_patch(reader, &patches);
        assert_texts(reader, &first);
        assert_texts(reader, &second);
        og_text_reader_close(reader);
        og_text_patches_release(&patches);
    }
    free_texts(&first);
    free_texts(&second);
}

static void full_segments_are_followed_by_others(void **state)
{
    (void)state;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {
        .uuid = uuid, .segment_len = 4096, .buffer_len = 1000};
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    struct texts t[30];
    struct og_text_reader *reader = open_reader(texts);
    for (size_t i = 0; i < LENGTH(t); i++) {
        t[i] = make_texts(4, 3000, i + 1);
        append_all(texts, &t[i]);
        assert_texts(reader, &t[i / 2]);
    }
    assert_true(t[29].places[0].segment > 5);
    struct og_texts_end end;
    struct og_texts_sums sums;
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    ASSERT_OK(
        og_texts_check(in("texts"), uuid, end, NULL, NULL, &sums, &story));
    assert_int_equal(sums.n_segments, end.segment);
    assert_int_equal(sums.n_frames, LENGTH(t));
    for (size_t i = 0; i < LENGTH(t); i++)
        assert_texts(reader, &t[i]);
    for (size_t i = 0; i < LENGTH(t); i++)
        free_texts(&t[i]);
    og_text_reader_close(reader);
    ASSERT_OK(og_texts_close(texts, &story));
}

/* ---- threads ---- */

struct worker {
    pthread_t thread;
    struct og_texts *texts;
    struct og_text_reader *reader;
    uint64_t seed;
};

static void *append_and_read(void *arg)
{
    struct worker *w = arg;
    struct texts t[20];
    for (size_t i = 0; i < LENGTH(t); i++) {
        t[i] = make_texts(10, 2000, w->seed * 100 + i);
        og_texts_offer(w->texts, t[i].list, t[i].n);
        append_all(w->texts, &t[i]);
        assert_texts(w->reader, &t[i * 7 % (i + 1)]);
    }
    for (size_t i = 0; i < LENGTH(t); i++) {
        assert_texts(w->reader, &t[i]);
        free_texts(&t[i]);
    }
    return NULL;
}

static void *sync_often(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 50; i++) {
        struct og_texts_end end;
        ASSERT_OK(og_texts_sync(w->texts, &end, &story));
        ASSERT_OK(og_texts_train(w->texts, &story));
    }
    return NULL;
}

static void threads_append_and_sync(void **state)
{
    (void)state;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid,
                                             .segment_len = 30000,
                                             .buffer_len = 5000,
                                             .samples_len = 100000};
    struct worker workers[4];
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    for (size_t i = 0; i < LENGTH(workers); i++) {
        workers[i] = (struct worker){0, texts, open_reader(texts), i + 1};
        assert_int_equal(pthread_create(&workers[i].thread, NULL,
                                        i == 0 ? sync_often : append_and_read,
                                        &workers[i]),
                         0);
    }
    for (size_t i = 0; i < LENGTH(workers); i++)
        pthread_join(workers[i].thread, NULL);
    for (size_t i = 0; i < LENGTH(workers); i++)
        og_text_reader_close(workers[i].reader);
    struct og_texts_end end;
    struct og_texts_sums sums;
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    ASSERT_OK(
        og_texts_check(in("texts"), uuid, end, NULL, NULL, &sums, &story));
    assert_int_equal(sums.n_frames, 60);
    ASSERT_OK(og_texts_close(texts, &story));
}

/* ---- failures ---- */

/* A full disk, as far as this process sees: no file may be longer. */
static void a_failed_write_is_for_good(void **state)
{
    (void)state;
    struct rlimit before, limit;
    og_error err;
    struct texts t = make_texts(20, 3000, 1);
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    append_all(texts, &t);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(og_texts_flush(texts, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "000001.seg': file too large"));
    setrlimit(RLIMIT_FSIZE, &before);
    char first[sizeof(err.message)];
    strcpy(first, err.message);
    uint32_t segment;
    uint64_t base;
    assert_int_equal(og_texts_append(texts, "x", 1, &segment, &base, &err),
                     OG_ERR_IO);
    assert_string_equal(err.message, first);
    assert_int_equal(og_texts_flush(texts, &err), OG_ERR_IO);
    assert_int_equal(og_texts_sync(texts, NULL, &err), OG_ERR_IO);
    assert_int_equal(og_texts_close(texts, &err), OG_ERR_IO);
    assert_string_equal(err.message, first);
    free_texts(&t);
}

static void a_segment_that_cannot_be_made(void **state)
{
    (void)state;
    og_error err;
    uint32_t segment;
    uint64_t base;
    struct og_texts *texts = open_texts((struct og_texts_end){0});
    write_file(in("texts/000001.seg"), "", 0); /* made behind its back */
    assert_int_equal(og_texts_append(texts, "x", 1, &segment, &base, &err),
                     OG_ERR_IO);
    assert_non_null(strstr(err.message, "000001.seg': file exists"));
    assert_int_equal(og_texts_close(texts, &err), OG_ERR_IO);
}

/* ---- the dictionary ---- */

static void train_on(struct og_texts *texts, struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        og_texts_offer(texts, &t->list[i], 1);
    ASSERT_OK(og_texts_train(texts, &story));
}

static void a_dictionary_is_trained_once(void **state)
{
    (void)state;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid,
                                             .samples_len = 300000};
    struct texts t = make_texts(400, 3000, 1);
    struct texts few = {t.list, t.places, 1};
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    assert_null(og_texts_dict(texts));
    ASSERT_OK(og_texts_train(texts, &story)); /* nothing was offered */
    append_all(texts, &few);
    const struct og_text_place plain = t.places[0];
    train_on(texts, &t);
    const struct og_dict *dict = og_texts_dict(texts);
    assert_non_null(dict);
    assert_int_equal(dict->number, 1);
    train_on(texts, &t);
    assert_ptr_equal(og_texts_dict(texts), dict);
    append_all(texts, &t);
    assert_int_equal(og_texts_end(texts).segment, 1);
    struct og_texts_end end;
    ASSERT_OK(og_texts_sync(texts, &end, &story));
    ASSERT_OK(og_texts_close(texts, &story));
    texts = open_texts(end); /* the next session has it too */
    assert_int_equal(og_texts_dict(texts)->number, 1);
    struct og_text_reader *reader = open_reader(texts);
    assert_texts(reader, &t);
    assert_text(reader, &plain, t.list[0]);
    og_text_reader_close(reader);
    ASSERT_OK(og_texts_close(texts, &story));
    free_texts(&t);
}

static void samples_that_teach_nothing(void **state)
{
    (void)state;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid, .samples_len = 200};
    const og_bytes same = {"aaaaaaaaaaaaaaaa", 16};
    ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
    for (int i = 0; i < 100; i++)
        og_texts_offer(texts, &same, 1);
    ASSERT_OK(og_texts_train(texts, &story));
    if (og_texts_dict(texts) == NULL)
        assert_false(exists(in("texts/000001.dict")));
    ASSERT_OK(og_texts_close(texts, &story));
}

static void a_damaged_dictionary_is_refused(void **state)
{
    (void)state;
    og_error err;
    size_t len;
    struct og_texts *texts = NULL;
    const struct og_texts_options options = {.uuid = uuid};
    assert_int_equal(mkdir(in("texts"), 0777), 0);
    ASSERT_OK(og_dict_write(in("texts"), uuid, 1,
                            (og_bytes){"any bytes can be one", 20}, &story));
    uint8_t *bytes = read_file(in("texts/000001.dict"), &len);
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= 4;
        write_file(in("texts/000001.dict"), bytes, len);
        assert_int_equal(og_texts_open(in("texts"), &options, &texts, &err),
                         OG_ERR_STORE);
        assert_non_null(strstr(err.message, "000001.dict"));
        bytes[i] ^= 4;
    }
    for (size_t cut = 0; cut < len; cut++) {
        write_file(in("texts/000001.dict"), bytes, cut);
        assert_int_equal(og_texts_open(in("texts"), &options, &texts, &err),
                         OG_ERR_STORE);
    }
    free(bytes);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(there_and_back),
        TEST(a_session_without_texts_leaves_nothing),
        TEST(sessions_continue_the_segment),
        TEST(what_was_logged_is_put_back),
        TEST(full_segments_are_followed_by_others),
        TEST(threads_append_and_sync),
        TEST(a_failed_write_is_for_good),
        TEST(a_segment_that_cannot_be_made),
        TEST(a_dictionary_is_trained_once),
        TEST(samples_that_teach_nothing),
        TEST(a_damaged_dictionary_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
