/* Every single allocation fails once: sentences that are added, become
 * segments, are merged and queried in every way, in memory and on disk. */

#include "tests/oom/oom_support.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/sentence/index/sentences_files.h"

static void *no_objects(struct work *w)
{
    (void)w;
    return NULL;
}

static void nothing_held(struct work *w)
{
    (void)w;
}

static og_status add(og_sentences *s, const char *id, og_bytes text,
                     int64_t time)
{
    const og_document doc = {.id = {id, strlen(id)},
                             .title = OG_LITERAL("a title"),
                             .text = text,
                             .time = time,
                             .has_time = true};
    return og_sentences_add(s, s->n_documents, &doc, time, NULL);
}

static og_status ask(og_sentences *s, og_quote_method method, uint64_t *sum)
{
    static const char text[] =
        "The old lighthouse of the harbour was sold to a baker. Nobody was "
        "asked by the harbour master of the village at all.\n\n"
        "\xe4\xbb\x8a\xe5\xa4\xa9\xe5\x8e\xbb\xe5\xad\xa6\xe6\xa0\xa1.";
    const og_document doc = {.id = OG_LITERAL("q"),
                             .text = {text, sizeof(text) - 1}};
    const og_quotes *answer;
    og_quote_options options = og_quote_options_default();
    options.method = method;
    options.distance = 40;
    options.threshold = 0.3;
    TRY(og_sentences_ask(s, &doc, &options, NULL, &answer, NULL));
    for (size_t i = 0; i < answer->n_sentences; i++) {
        const og_quote *q = &answer->sentences[i];
        *sum = og_mix64(*sum + q->n_found);
        for (size_t k = 0; k < q->n_matches; k++)
            *sum = og_mix64(*sum + q->matches[k].begin +
                            q->matches[k].n_own_ranges + q->matches[k].id.len);
    }
    return OG_OK;
}

static og_status ask_all(og_sentences *s, uint64_t *sum)
{
    TRY(ask(s, OG_QUOTE_EXACT, sum));
    TRY(ask(s, OG_QUOTE_QSIGN, sum));
    return ask(s, OG_QUOTE_SCAN, sum);
}

static const char first[] =
    "The old lighthouse of the harbour was sold. The boats of the village pay "
    "for the light of the new one. The harbour master was not asked.";
static const char second[] =
    "Nobody was asked. The old lighthouse was sold to a baker of the village, "
    "and the harbour master of the village was not asked at all. Sold!";

static og_status add_and_ask(og_sentences *s, uint64_t *sum)
{
    *sum = 1;
    TRY(add(s, "a", (og_bytes){first, sizeof(first) - 1}, 5));
    TRY(ask_all(s, sum));
    TRY(og_sentences_settle(s, NULL));
    TRY(add(s, "b", (og_bytes){second, sizeof(second) - 1}, 3));
    TRY(ask_all(s, sum));
    TRY(og_sentences_settle(s, NULL)); /* merges */
    TRY(add(s, "c", (og_bytes){first, sizeof(first) - 1}, 1));
    return ask_all(s, sum);
}

static const struct og_sentences_place memory = {.is_writable = true};

static og_status memory_run(struct work *w, uint64_t *out_sum)
{
    og_sentences_options options = *(const og_sentences_options *)w->what;
    og_sentences *s;
    TRY(og_sentences_open(&memory, &options, &s, NULL));
    const og_status status = add_and_ask(s, out_sum);
    og_sentences_close(s);
    return status;
}

static const struct scenario in_memory = {no_objects, memory_run, nothing_held};

static void test_in_memory(void **state)
{
    (void)state;
    og_sentences_options options = og_sentences_options_default();
    options.signature_bits = 16; /* the shortest tables of signatures */
    try_all_failures(&in_memory, &options);
    options.stop = "en";
    options.stem = "en";
    options.signature_bits = 32;
    try_all_failures(&in_memory, &options);
}

/* ---- on disk ---- */

static char folder[64], store[80];

/* The store has the documents: a, b, c. */
static og_status get_document(void *ctx, uint32_t number, og_document *out,
                              og_error *err)
{
    (void)ctx, (void)err;
    *out = (og_document){.id = {&"abc"[number], 1},
                         .text = {first, sizeof(first) - 1}};
    if (number == 1) out->text = (og_bytes){second, sizeof(second) - 1};
    return OG_OK;
}

static og_status settle(void *ctx, og_error *err)
{
    (void)ctx, (void)err;
    return OG_OK;
}

/* A file, then one of it and of what came later; the rest in memory. */
static og_status write_and_ask(og_sentences *s, uint64_t *sum)
{
    TRY(add(s, "a", (og_bytes){first, sizeof(first) - 1}, 5));
    TRY(og_sentences_flush(s, NULL));
    TRY(add(s, "b", (og_bytes){second, sizeof(second) - 1}, 3));
    TRY(og_sentences_flush(s, NULL));
    TRY(add(s, "c", (og_bytes){first, sizeof(first) - 1}, 1));
    return ask_all(s, sum);
}

static og_status open_and(struct work *w, bool writable, uint64_t *sum,
                          og_status (*what)(og_sentences *, uint64_t *))
{
    og_sentences_options options = og_sentences_options_default();
    og_sentences *s;
    (void)w;
    options.signature_bits = 16;
    const struct og_sentences_store of = {
        .uuid = (const uint8_t *)"0123456789abcdef",
        .document = get_document,
        .settle = settle};
    const struct og_sentences_place place = {.folder = store,
                                             .is_writable = writable,
                                             .is_new = writable,
                                             .store = &of};
    TRY(og_sentences_open(&place, &options, &s, NULL));
    const og_status status = what(s, sum);
    og_sentences_close(s);
    return status;
}

static void empty_store(void)
{
    char path[512];
    DIR *files = opendir(store);
    if (files == NULL) return;
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        snprintf(path, sizeof(path), "%s/%s", store, file->d_name);
        unlink(path); /* not "." nor ".." */
    }
    closedir(files);
}

static og_status disk_run(struct work *w, uint64_t *out_sum)
{
    empty_store();
    *out_sum = 1;
    TRY(open_and(w, true, out_sum, write_and_ask));
    return open_and(w, false, out_sum, ask_all);
}

static const struct scenario on_disk = {no_objects, disk_run, nothing_held};

static void test_on_disk(void **state)
{
    (void)state;
    try_all_failures(&on_disk, NULL);
}

static int make_folder(void **state)
{
    (void)state;
    /* Memory, where there is such a folder: a thousand runs sync files. */
    strcpy(folder, "/dev/shm/origo-oom-sentences-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "/tmp/origo-oom-sentences-XXXXXX");
        if (mkdtemp(folder) == NULL) return 1;
    }
    snprintf(store, sizeof(store), "%s/s", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test_setup_teardown(test_on_disk, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
