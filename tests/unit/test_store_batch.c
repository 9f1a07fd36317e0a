/* A stream, which takes blocks of documents in together, against og_store_add()
 * of one document after another: the same answers, the same store. Documents
 * quote each other; some are late, some come again, some are other versions,
 * and one was removed. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <origo/origo.h>

#include "lib/base/bits.h"
#include "tests/unit/source_support.h"

enum { N_DOCUMENTS = 700, TEXT_CAP = 4096 };

static struct made {
    char id[16];
    char text[TEXT_CAP];
    int64_t time;
    bool has_time;
} made[N_DOCUMENTS];

static void make_documents(void)
{
    uint64_t random = 11;
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        struct made *m = &made[i];
        const unsigned lot = (unsigned)(og_random_next(&random) % 40);
        size_t at = 0;
        if (i > 20 && lot == 0) { /* the same again */
            *m = made[i - 3];
            continue;
        }
        sprintf(m->id, "d%u", i > 20 && lot == 1 ? i - 2 : i);
        m->has_time = lot % 5 != 2;
        m->time = 1000 + (lot == 3 ? i / 2 : i);
        for (unsigned part = 0; part < 3; part++) {
            const unsigned from = (unsigned)(og_random_next(&random) % (i + 1));
            for (unsigned n = 0; n < 40; n++)
                at += (size_t)sprintf(
                    m->text + at, "w%x ",
                    (unsigned)(og_random_next(&random) & 0xfff));
            if (from == i || at >= TEXT_CAP - 700) continue;
            const size_t len = strnlen(made[from].text, 600);
            memcpy(m->text + at, made[from].text, len);
            at += len;
            at += (size_t)sprintf(m->text + at, " ");
        }
    }
}

static og_document document(unsigned i)
{
    return (og_document){.id = {made[i].id, strlen(made[i].id)},
                         .text = {made[i].text, strlen(made[i].text)},
                         .time = made[i].time,
                         .has_time = made[i].has_time};
}

struct transcript {
    FILE *out;
    unsigned next;
};

static bool print_answer(void *ctx, const og_document *doc, const og_answer *a)
{
    FILE *out = ((struct transcript *)ctx)->out;
    fprintf(out, "%.*s: %d fresh, %.*s %f\n", (int)doc->id.len, doc->id.data,
            (int)a->n_fresh, (int)a->dominant_id.len, a->dominant_id.data,
            a->dominant_share);
    for (size_t i = 0; i < a->n_spans; i++) {
        const og_span *s = &a->spans[i];
        fprintf(out, " %d-%d %s %.*s %lld-%lld\n", (int)s->begin, (int)s->end,
                og_how_name(s->how), (int)s->origin_id.len, s->origin_id.data,
                (long long)s->origin_begin, (long long)s->origin_end);
    }
    for (size_t i = 0; i < a->n_origins; i++) {
        fprintf(out, " %.*s %d:", (int)a->origins[i].id.len,
                a->origins[i].id.data, (int)a->origins[i].n_tokens);
        for (size_t j = 0; j < a->origins[i].n_copiers; j++)
            fprintf(out, " %llu/%llu",
                    (unsigned long long)a->origins[i].copiers[j].number,
                    (unsigned long long)a->origins[i].copiers[j].n_tokens);
        fprintf(out, "\n");
    }
    return true;
}

static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    struct transcript *t = ctx;
    (void)err;
    if (t->next == N_DOCUMENTS) return OG_END;
    *out = document(t->next++);
    return OG_OK;
}

static og_store *open_store(const char *path, bool no_texts)
{
    og_params params = og_params_default();
    og_store *store;
    og_error err;
    params.key = OG_KEY_PUBLIC;
    params.memory = 64 << 20;
    params.no_texts = no_texts;
    assert_int_equal(og_store_open(path, OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_OK);
    return store;
}

/* The first half is added in any case one by one; then one is removed. */
static void add_some(og_store *store, unsigned begin, unsigned end,
                     struct transcript *t)
{
    og_trace *trace = og_trace_new(store);
    og_error err;
    for (unsigned i = begin; i < end; i++) {
        const og_document doc = document(i);
        assert_int_equal(og_store_add(store, &doc, trace, &err), OG_OK);
        if (t != NULL) (void)print_answer(t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
}

static void remove_one(og_store *store)
{
    uint64_t n;
    og_error err;
    assert_int_equal(og_store_remove(store, (og_bytes){"d5", 2}, &n, &err),
                     OG_OK);
    assert_int_equal(n, 1);
}

static char *finish(og_store *store, struct transcript *t, char **text)
{
    og_store_info info;
    og_error err;
    og_store_info_get(store, &info);
    fprintf(t->out, "%llu documents, %llu slots, %llu common\n",
            (unsigned long long)info.n_documents,
            (unsigned long long)info.n_slots_used,
            (unsigned long long)info.n_noise);
    fclose(t->out);
    assert_int_equal(og_store_close(store, &err), OG_OK);
    return *text;
}

static char *one_by_one(const char *path, unsigned first, bool removes,
                        bool no_texts)
{
    char *text = NULL;
    size_t len = 0;
    og_store *store = open_store(path, no_texts);
    struct transcript t = {.out = open_memstream(&text, &len)};
    add_some(store, 0, first, NULL);
    if (removes) remove_one(store);
    add_some(store, first, N_DOCUMENTS, &t);
    return finish(store, &t, &text);
}

static char *streamed(const char *path, unsigned n_threads, unsigned first,
                      bool removes, bool no_texts)
{
    char *text = NULL;
    size_t len = 0;
    og_store *store = open_store(path, no_texts);
    struct transcript t = {.out = open_memstream(&text, &len), .next = first};
    og_stream_options options = og_stream_options_default();
    og_input input = og_input_default();
    og_error err;
    add_some(store, 0, first, NULL);
    if (removes) remove_one(store);
    input.next = next_document;
    input.ctx = &t;
    input.n_threads = n_threads;
    options.add = true;
    options.ctx = &t;
    options.on_answer = print_answer;
    assert_int_equal(og_stream_run(store, &input, &options, NULL, &err), OG_OK);
    return finish(store, &t, &text);
}

static void check_streams(bool on_disk, unsigned first, bool removes,
                          bool no_texts)
{
    static const unsigned n_threads[] = {1, 2, 7};
    struct folder folder;
    char path[512];
    folder_make(&folder);
    sprintf(path, "%s/single", folder.path);
    char *expected =
        one_by_one(on_disk ? path : ":memory:", first, removes, no_texts);
    for (size_t i = 0; i < sizeof(n_threads) / sizeof(*n_threads); i++) {
        sprintf(path, "%s/stream%zu", folder.path, i);
        char *got = streamed(on_disk ? path : ":memory:", n_threads[i], first,
                             removes, no_texts);
        assert_string_equal(got, expected);
        free(got);
    }
    free(expected);
    folder_remove(&folder);
}

static void in_memory(void **state)
{
    (void)state;
    check_streams(false, 0, false, false);
}

static void without_texts(void **state)
{
    (void)state;
    check_streams(false, 0, false, true);
}

static void on_disk(void **state)
{
    (void)state;
    check_streams(true, 0, false, false);
}

static void after_a_removal(void **state)
{
    (void)state;
    check_streams(true, 100, true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(without_texts),
        cmocka_unit_test(on_disk),
        cmocka_unit_test(after_a_removal),
    };
    make_documents();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
