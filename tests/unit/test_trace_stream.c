/* Streams: whatever the number of threads, the caller sees the same calls with
 * the same contents in the same order. All of them are written down as one
 * string, the transcript, so that two runs are compared at one stroke. */

#include "tests/unit/input_support.h"
#include "tests/unit/source_support.h"

#include <stdatomic.h>
#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/store/store.h"

/* ---- a run that is written down ---- */

struct transcript {
    struct string calls;
    size_t n_answers, n_rendered, n_problems, n_progress;
    size_t stop_at;    /* this answer says stop; 0: none does */
    bool all_shingles; /* keep every one: short texts are then found too */
};

static void add_bytes(struct string *s, og_bytes bytes)
{
    string_add(s, bytes.data, bytes.len);
}

/* On any thread: something that depends on the document and its answer. */
static size_t render(char out[100], const og_document *doc,
                     const og_answer *answer)
{
    return (size_t)snprintf(out, 100, "%zu %llu %zu", doc->id.len,
                            (unsigned long long)answer->n_fresh,
                            answer->n_spans);
}

static bool on_render(void *ctx, const og_document *doc,
                      const og_answer *answer, og_write_fn *write, void *to)
{
    char line[100];
    const size_t len = render(line, doc, answer);
    (void)ctx;
    if (doc->id.len % 7 == 0) return false; /* as if it could not */
    return write(to, line, len / 2) == 0 &&
           write(to, line + len / 2, len - len / 2) == 0;
}

static void check_rendered(struct transcript *t, const og_document *doc,
                           const og_answer *answer)
{
    char line[100];
    if (answer->rendered.len == 0) return;
    t->n_rendered++;
    assert_int_not_equal(doc->id.len % 7, 0);
    assert_int_equal(answer->rendered.len, render(line, doc, answer));
    assert_memory_equal(answer->rendered.data, line, answer->rendered.len);
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_answer *answer)
{
    struct transcript *t = ctx;
    check_rendered(t, doc, answer);
    struct string *s = &t->calls;
    string_fp(s, "answer ");
    add_bytes(s, doc->id);
    string_fp(s, "|");
    add_bytes(s, doc->title);
    string_fp(s, "|");
    add_bytes(s, doc->url);
    string_fp(s, "|%d %lld|", doc->has_time, (long long)doc->time);
    add_bytes(s, doc->text);
    string_fp(s, "| %llu tokens %llu fresh %llu repaired",
              (unsigned long long)answer->n_tokens,
              (unsigned long long)answer->n_fresh,
              (unsigned long long)answer->n_repaired);
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        assert_true(span->begin < span->end && span->end <= doc->text.len);
        string_fp(s, " [%llu %llu ", (unsigned long long)span->begin,
                  (unsigned long long)span->end);
        add_bytes(s, span->origin_id);
        string_fp(s, " %s %lld]", og_how_name(span->how),
                  (long long)span->origin_time);
    }
    for (size_t i = 0; i < answer->n_novel; i++)
        string_fp(s, " (%llu %llu)", (unsigned long long)answer->novel[i].begin,
                  (unsigned long long)answer->novel[i].end);
    if (answer->has_dominant) {
        string_fp(s, " dominant ");
        add_bytes(s, answer->dominant_id);
        string_fp(s, " %.6f", answer->dominant_share);
    }
    string_fp(s, "\n");
    return ++t->n_answers != t->stop_at;
}

static void on_problem(void *ctx, const og_problem *problem)
{
    struct transcript *t = ctx;
    string_fp(&t->calls, "problem %llu:%llu %s%s\n",
              (unsigned long long)problem->line,
              (unsigned long long)problem->offset, problem->message,
              problem->skipped ? " [skipped]" : "");
    t->n_problems++;
}

static void on_progress(void *ctx, const char *step,
                        const og_stream_counts *counts)
{
    assert_string_equal(step, "documents");
    struct transcript *t = ctx;
    string_fp(&t->calls, "progress %llu %llu\n",
              (unsigned long long)counts->n_documents,
              (unsigned long long)counts->n_input_bytes);
    t->n_progress++;
}

static og_params small_params(void)
{
    og_params params = og_params_default();
    params.min_tokens = 8; /* so that some are too short */
    params.memory = 1 << 18;
    params.key = OG_KEY_PUBLIC; /* what is evicted shall be the same */
    return params;
}

static og_store *open_store(bool all_shingles)
{
    og_params params = small_params();
    if (all_shingles)
        params.select = (og_select_options){.kind = OG_SELECT_ALL};
    og_store *store;
    og_error err;
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_OK);
    return store;
}

static og_stream_options options_for(struct transcript *t)
{
    og_stream_options options = og_stream_options_default();
    options.add = true;
    options.ctx = t;
    options.on_answer = on_answer;
    options.on_render = on_render;
    return options;
}

static og_input input_for(struct transcript *t, const char *const *paths,
                          size_t n_paths, unsigned n_threads)
{
    og_input input = input_of(paths, n_paths, n_threads);
    input.ctx = t;
    input.on_problem = on_problem;
    input.on_progress = on_progress;
    return input;
}

/* With its counts at the end of the transcript. */
static og_status run_stream(const og_input *input, og_stream_counts *counts,
                            og_error *err)
{
    struct transcript *t = input->ctx;
    const og_stream_options options = options_for(t);
    og_store *store = open_store(t->all_shingles);
    const og_status status = og_stream_run(store, input, &options, counts, err);
    string_fp(&t->calls,
              "%s: %llu answered %llu skipped %llu short %llu repaired "
              "%llu repeated %llu bad times %llu bytes %llu tokens "
              "%llu files %llu failed %llu read\n",
              og_status_name(status), (unsigned long long)counts->n_documents,
              (unsigned long long)counts->n_skipped,
              (unsigned long long)counts->n_short,
              (unsigned long long)counts->n_repaired,
              (unsigned long long)counts->n_repeated_ids,
              (unsigned long long)counts->n_bad_times,
              (unsigned long long)counts->n_text_bytes,
              (unsigned long long)counts->n_tokens,
              (unsigned long long)counts->n_files,
              (unsigned long long)counts->n_files_failed,
              (unsigned long long)counts->n_input_bytes);
    og_store_close(store, NULL);
    return status;
}

/* ---- a stream that is made up ---- */

static void add_words(struct string *s, uint64_t *random, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        string_fp(s, "w%llx%s ",
                  (unsigned long long)(og_random_next(random) & 0xffff),
                  i % 37 == 5 ? "\\n\\u00e9" : "");
}

/* Passages that documents draw from, so that there is something to find. */
static void add_passage(struct string *s, uint64_t number)
{
    uint64_t random = og_mix64(number);
    add_words(s, &random, 40);
}

/* One record in ten has something wrong with it. */
static void add_record(struct string *s, uint64_t *random, int i)
{
    const uint64_t wrong = og_random_next(random) % 50;
    if (wrong == 0) string_fp(s, "{\"id\":\"broken %d\"\n", i);
    if (wrong == 1) string_fp(s, "{\"id\":\"no text %d\"}\n", i);
    string_fp(s, "{\"id\":\"d%d\",", wrong == 2 ? i / 2 : i);
    if (wrong == 3)
        string_fp(s, "\"time\":\"some day\",");
    else if (i % 7 != 0)
        string_fp(s, "\"time\":%d,", wrong == 4 ? i - 300 : i);
    string_fp(s, "\"title\":\"Number \\\"%d\\\"\",\"text\":\"", i);
    if (wrong == 5) string_fp(s, "\xff\xfe ");
    if (wrong == 6) string_fp(s, "few words\"}\n");
    if (wrong == 6) return;
    add_words(s, random, og_random_next(random) % 100);
    add_passage(s, og_random_next(random) % 200);
    add_words(s, random, og_random_next(random) % 30);
    string_fp(s, "\"}\n");
}

static void make_up_stream(struct string *s, int n_records)
{
    uint64_t random = 1;
    for (int i = 0; i < n_records; i++)
        add_record(s, &random, i);
}

/* ---- the same for any number of threads ---- */

/* It says where they part, which is what one wants to know. */
static void assert_same_calls(const struct string *a, const struct string *b,
                              unsigned n_threads)
{
    size_t at = 0, line = 0;
    while (at < a->len && at < b->len && a->data[at] == b->data[at])
        if (a->data[at++] == '\n') line = at;
    if (at == a->len && at == b->len) return;
    fail_msg("%u threads, call at %zu, byte %zu: '%.100s' for '%.100s'",
             n_threads, line, at, b->data + at, a->data + at);
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    static const unsigned n_threads[] = {1, 2, 3, 8, 0};
    struct folder folder;
    struct string stream = {0};
    struct transcript first = {.calls = {0}};
    folder_make(&folder);
    make_up_stream(&stream, 6000);
    folder_write(&folder, "a.jsonl", stream.data, stream.len);
    folder_put(&folder, "b.txt", "A text file of its own, with few words.");
    folder_write(&folder, "c.bin", "\0\1\2", 3);
    folder_write(&folder, "d.jsonl", stream.data, stream.len / 3);
    const char *const path = folder.path;
    for (size_t i = 0; i < sizeof(n_threads) / sizeof(*n_threads); i++) {
        struct transcript t = {.calls = {0}};
        og_stream_counts counts;
        og_error err;
        assert_int_equal(
            run_stream((og_input[]){input_for(&t, &path, 1, n_threads[i])},
                       &counts, &err),
            OG_ERR_INPUT);
        assert_int_equal(counts.n_files, 4);
        assert_int_equal(counts.n_files_failed, 1);
        assert_true(counts.n_skipped > 100 && counts.n_bad_times > 50);
        assert_true(counts.n_repaired > 50 && counts.n_repeated_ids > 100);
        assert_true(counts.n_short > 50 && counts.n_known > 1000);
        assert_true(t.n_progress > 8);
        assert_int_equal(counts.n_documents, t.n_answers);
        if (i == 0) {
            first = t;
            continue;
        }
        assert_same_calls(&first.calls, &t.calls, n_threads[i]);
        assert_true(t.n_rendered > 0);
        string_release(&t.calls);
    }
    assert_non_null(strstr(first.calls.data, " hit "));
    string_release(&first.calls);
    string_release(&stream);
    folder_remove(&folder);
}

/* A store on disk that contains the stream, to be queried with the stream. */
static og_store *open_filled(const struct folder *folder, const char *stream)
{
    char path[4096];
    og_params params = small_params();
    og_store *store;
    og_error err;
    snprintf(path, sizeof(path), "%s/asked.store", folder->path);
    assert_int_equal(og_store_open(path, OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_OK);
    og_stream_options options = og_stream_options_default();
    options.add = true;
    assert_int_equal(
        og_stream_run(store, FILES(&stream, 1), &options, NULL, &err), OG_OK);
    return store;
}

/* When nothing is added the workers ask, each with texts of its own. */
static void test_asked_by_any_number_of_threads(void **state)
{
    (void)state;
    static const unsigned n_threads[] = {1, 2, 5};
    struct folder folder;
    struct string stream = {0};
    struct transcript first = {.calls = {0}};
    folder_make(&folder);
    make_up_stream(&stream, 2000);
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    og_store *store = open_filled(&folder, path);
    for (size_t i = 0; i < sizeof(n_threads) / sizeof(*n_threads); i++) {
        struct transcript t = {.calls = {0}};
        og_stream_options options = options_for(&t);
        options.add = false;
        assert_int_equal(
            og_stream_run(store,
                          (og_input[]){input_for(&t, &path, 1, n_threads[i])},
                          &options, NULL, NULL),
            OG_OK);
        assert_true(t.n_answers > 1000);
        if (i == 0) {
            first = t;
            continue;
        }
        assert_same_calls(&first.calls, &t.calls, n_threads[i]);
        assert_true(t.n_rendered > 0);
        string_release(&t.calls);
    }
    assert_non_null(strstr(first.calls.data, " verified "));
    og_store_close(store, NULL);
    string_release(&first.calls);
    string_release(&stream);
    folder_remove(&folder);
}

/* Without callbacks the same work is done: the counts and the table agree. */
static void test_nobody_listens(void **state)
{
    (void)state;
    struct folder folder;
    struct string stream = {0};
    struct transcript t = {.calls = {0}};
    og_stream_counts heard, unheard;
    og_store_info infos[2];
    folder_make(&folder);
    make_up_stream(&stream, 3000);
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    for (int i = 0; i < 2; i++) {
        og_store *store = open_store(false);
        og_stream_options options = options_for(&t);
        og_input input = input_for(&t, &path, 1, 2);
        if (i == 1) {
            options.on_answer = NULL;
            input.on_problem = NULL;
            input.on_progress = NULL;
        }
        assert_int_equal(og_stream_run(store, &input, &options,
                                       i == 0 ? &heard : &unheard, NULL),
                         OG_OK);
        og_store_info_get(store, &infos[i]);
        og_store_close(store, NULL);
    }
    assert_memory_equal(&heard, &unheard, sizeof(heard));
    assert_memory_equal(&infos[0], &infos[1], sizeof(infos[0]));
    assert_int_equal(infos[0].n_documents,
                     heard.n_added + heard.n_repeated_ids);
    assert_int_equal(heard.n_documents, heard.n_added + heard.n_repeated_ids +
                                            heard.n_known + heard.n_short);
    assert_true(infos[0].table_bytes <= small_params().memory);
    string_release(&t.calls);
    string_release(&stream);
    folder_remove(&folder);
}

static void test_without_adding_nothing_changes(void **state)
{
    (void)state;
    struct folder folder;
    struct transcript t = {.calls = {0}};
    og_stream_counts counts;
    og_store_info info;
    folder_make(&folder);
    const char *const path = folder_put(
        &folder, "a.jsonl",
        "{\"id\":\"a\",\"text\":\"one two three four five six seven eight\"}\n"
        "{\"id\":\"a\",\"text\":\"one two three four five six seven eight\"}"
        "\n");
    og_store *store = open_store(false);
    og_stream_options options = options_for(&t);
    options.add = false;
    assert_int_equal(og_stream_run(store,
                                   (og_input[]){input_for(&t, &path, 1, 1)},
                                   &options, &counts, NULL),
                     OG_OK);
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 0);
    assert_int_equal(info.n_slots_used, 0);
    assert_int_equal(counts.n_documents, 2);
    assert_int_equal(counts.n_repeated_ids, 0);
    og_store_close(store, NULL);
    string_release(&t.calls);
    folder_remove(&folder);
}

/* ---- what is told ---- */

static void test_what_is_reported(void **state)
{
    (void)state;
#define EIGHT "one two three four five six seven eight"
    static const char expected[] =
        "answer a|||1 1000000|" EIGHT "| 8 tokens 8 fresh 0 repaired (0 39)\n"
        "problem 2:78 expected ',' or '}' in an object, at byte 9 of the line "
        "[skipped]\n"
        "problem 3:79 the time is no date that is known: taken as a document "
        "without a time\n"
        "answer b|||0 0|x| 1 tokens 1 fresh 0 repaired (0 1)\n"
        "problem 5:116 2 bytes are not UTF-8: read as U+FFFD\n"
        "problem 5:116 id 'a' was seen before: taken as another version\n"
        "answer a|||0 0|" EIGHT " \xff\xff| 8 tokens 0 fresh 2 repaired "
        "[0 39 a verified 1000000] dominant a 1.000000\n"
        "problem 6:179 1 byte is not UTF-8: read as U+FFFD\n"
        "answer c|||0 0|\xc3| 0 tokens 0 fresh 1 repaired\n"
        "problem 7:201 the record has no text; its fields: id "
        "[skipped]\n";
    struct folder folder;
    og_error err;
    og_stream_counts counts;
    folder_make(&folder);
    const char *const path =
        folder_put(&folder, "a.jsonl",
                   "{\"id\":\"a\",\"time\":1,\"text\":\"" EIGHT "\"}\n"
                   "{\"id\":\"x\"\n"
                   "{\"id\":\"b\",\"time\":\"soon\",\"text\":\"x\"}\n"
                   "\n"
                   "{\"id\":\"a\",\"text\":\"" EIGHT " \xff\xff\"}\n"
                   "{\"id\":\"c\",\"text\":\"\xc3\"}\n"
                   "{\"id\":\"d\"}\n");
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        struct transcript t = {.calls = {0}, .all_shingles = true};
        og_input input = input_for(&t, &path, 1, n_threads);
        input.on_progress = NULL;
        assert_int_equal(run_stream(&input, &counts, &err), OG_OK);
        t.calls.data[sizeof(expected) - 1] = 0;
        assert_string_equal(t.calls.data, expected);
        assert_int_equal(counts.n_documents, 4);
        assert_int_equal(counts.n_skipped, 2);
        assert_int_equal(counts.n_short, 2);
        assert_int_equal(counts.n_repaired, 2);
        assert_int_equal(counts.n_repeated_ids, 1);
        assert_int_equal(counts.n_bad_times, 1);
        string_release(&t.calls);
    }
    folder_remove(&folder);
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    struct folder folder;
    char good[200], missing[200], binary[200];
    folder_make(&folder);
    strcpy(missing, folder_path(&folder, "missing"));
    strcpy(binary, folder_write(&folder, "binary", "\0\1", 2));
    strcpy(good, folder_put(&folder, "good.txt", "all is well"));
    const char *const paths[] = {missing, good, binary};
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        struct transcript t = {.calls = {0}};
        og_stream_counts counts;
        og_error err;
        char message[300];
        assert_int_equal(
            run_stream((og_input[]){input_for(&t, paths, 3, n_threads)},
                       &counts, &err),
            OG_ERR_IO);
        snprintf(message, sizeof(message),
                 "cannot open '%s': no such file or directory", missing);
        assert_string_equal(err.message, message);
        assert_int_equal(err.status, OG_ERR_IO);
        assert_int_equal(counts.n_documents, 1);
        assert_int_equal(counts.n_files, 3);
        assert_int_equal(counts.n_files_failed, 2);
        assert_int_equal(counts.n_skipped, 0);
        assert_int_equal(
            run_stream((og_input[]){input_for(&t, paths + 1, 2, n_threads)},
                       &counts, &err),
            OG_ERR_INPUT);
        snprintf(message, sizeof(message), "cannot read '%s': binary file",
                 binary);
        assert_string_equal(err.message, message);
        string_release(&t.calls);
    }
    folder_remove(&folder);
}

static void test_no_files(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        struct transcript t = {.calls = {0}};
        og_stream_counts counts;
        og_error err;
        assert_int_equal(
            run_stream((og_input[]){input_for(&t, NULL, 0, n_threads)}, &counts,
                       &err),
            OG_OK);
        assert_int_equal(counts.n_files, 0);
        string_release(&t.calls);
    }
}

/* Long documents: their buffers are freed, and later documents are answered as
 * before. */
static void test_giants_between_dwarfs(void **state)
{
    (void)state;
    struct folder folder;
    struct string stream = {0}, first = {0};
    uint64_t random = 5;
    folder_make(&folder);
    for (int i = 0; i < 30; i++) {
        string_fp(&stream, "{\"id\":\"g%d\",\"text\":\"", i);
        add_words(&stream, &random, i % 5 == 0 ? 400000 : 50);
        string_fp(&stream, "\"}\n");
    }
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    for (unsigned n_threads = 1; n_threads <= 4; n_threads += 3) {
        struct transcript t = {.calls = {0}};
        og_stream_counts counts;
        og_error err;
        og_input input = input_for(&t, &path, 1, n_threads);
        input.max_document = (uint64_t)64 << 20; /* more than its memory says */
        assert_int_equal(run_stream(&input, &counts, &err), OG_OK);
        assert_int_equal(counts.n_documents, 30);
        if (n_threads == 1) {
            first = t.calls;
            continue;
        }
        assert_int_equal(t.calls.len, first.len);
        assert_true(memcmp(t.calls.data, first.data, first.len) == 0);
        string_release(&t.calls);
    }
    string_release(&first);
    string_release(&stream);
    folder_remove(&folder);
}

/* ---- ends before the end ---- */

static void test_stop_by_the_caller(void **state)
{
    (void)state;
    struct folder folder;
    struct string stream = {0};
    folder_make(&folder);
    make_up_stream(&stream, 5000);
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    for (unsigned n_threads = 1; n_threads <= 8; n_threads *= 2)
        for (size_t stop_at = 1; stop_at < 5000; stop_at *= 8) {
            struct transcript t = {.calls = {0}, .stop_at = stop_at};
            og_stream_counts counts;
            og_error err;
            assert_int_equal(
                run_stream((og_input[]){input_for(&t, &path, 1, n_threads)},
                           &counts, &err),
                OG_ERR_STOPPED);
            assert_int_equal(err.status, OG_ERR_STOPPED);
            assert_int_equal(t.n_answers, stop_at);
            assert_int_equal(counts.n_documents, stop_at);
            string_release(&t.calls);
        }
    string_release(&stream);
    folder_remove(&folder);
}

/* Used by several threads. */
struct failing {
    atomic_size_t n_calls, n_held;
    size_t fail_at;
};

static void *failing_resize(void *ctx, void *ptr, size_t old_len,
                            size_t new_len)
{
    struct failing *f = ctx;
    if (new_len == 0) {
        atomic_fetch_sub(&f->n_held, old_len);
        free(ptr);
        return NULL;
    }
    if (atomic_fetch_add(&f->n_calls, 1) + 1 == f->fail_at) return NULL;
    atomic_fetch_add(&f->n_held, new_len - old_len);
    return realloc(ptr, new_len);
}

/* Returns false when nothing failed. */
static bool try_with_failure(const char *path, unsigned n_threads, size_t n)
{
    struct failing failing = {.fail_at = n};
    og_allocator_set(&(og_allocator){&failing, failing_resize});
    const og_params params = small_params();
    struct transcript t = {.calls = {0}};
    const og_stream_options options = options_for(&t);
    og_store *store;
    og_error err;
    og_status status =
        og_store_open(":memory:", OG_CREATE,
                      &(og_store_options){.params = &params}, &store, &err);
    if (status == OG_OK)
        status = og_stream_run(store,
                               (og_input[]){input_for(&t, &path, 1, n_threads)},
                               &options, NULL, &err);
    og_store_close(store, NULL);
    string_release(&t.calls);
    if (status != OG_OK) {
        assert_int_equal(status, OG_ERR_MEMORY);
        assert_int_equal(err.status, OG_ERR_MEMORY);
    }
    og_allocator_set(NULL);
    assert_int_equal(failing.n_held, 0);
    return failing.n_calls >= n;
}

/* Each of the first 200, and a sample of those that follow: they are of the
 * same kinds. */
static void test_allocations_fail_once(void **state)
{
    (void)state;
    struct folder folder;
    struct string stream = {0};
    folder_make(&folder);
    make_up_stream(&stream, 300);
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        size_t n = 1;
        while (try_with_failure(path, n_threads, n))
            n += n < 200 ? 1 : n / 16;
        assert_true(n > 20);
    }
    string_release(&stream);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_asked_by_any_number_of_threads),
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_without_adding_nothing_changes),
        cmocka_unit_test(test_what_is_reported),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_no_files),
        cmocka_unit_test(test_giants_between_dwarfs),
        cmocka_unit_test(test_stop_by_the_caller),
        cmocka_unit_test(test_allocations_fail_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
