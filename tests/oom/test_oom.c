/* Every single allocation fails once, in every stage: the status says so,
 * nothing is lost, and the same objects then do the same work as ever. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/oom/oom_support.h"

#include "lib/estimate/estimate.h"
#include "lib/fingerprint/fingerprint.h"
#include "lib/select/select.h"
#include "lib/source/source.h"
#include "lib/store/store_disk.h"
#include "lib/table/table.h"
#include "lib/text/text.h"
#include "lib/token/tokens.h"

static uint64_t sum_words(uint64_t sum, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = og_mix64(sum ^ words[i]);
    return sum;
}

/* A text of all kinds: plain, accents, ligatures, Chinese, broken bytes. */
static og_bytes sample_text(void)
{
    static char text[16384];
    static const char *const pieces[] = {
        "The harbour master said ",
        "that the old lighthouse ",
        "caf\xc3\xa9 na\xc3\xafve ",
        "\xef\xac\x81sh e\xcc\x81t\xc3\xa9, ",
        "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97 ",
        "GATTACA\n",
        "\xff broken \xe4\xb8 ",
        "\xce\xa3\xce\xaf\xcf\x83\xcf\x85 42.\n",
    };
    size_t len = 0;
    uint64_t random = 7;
    while (len < sizeof(text) - 64) {
        const char *piece = pieces[og_random_next(&random) % 8];
        len += (size_t)sprintf(text + len, "%s%d ", piece,
                               (int)(og_random_next(&random) % 50));
    }
    return (og_bytes){text, len};
}

/* ---- fold, tokenise, fingerprint, select ---- */

struct flow_case {
    og_token_kind tokens;
    og_select_options select;
};

struct flow_objects {
    struct og_text text;
    struct og_tokens tokens;
    struct og_fps fps;
    struct og_selection selection;
    struct og_shingle_factors key;
};

static void *flow_init(struct work *w)
{
    static struct flow_objects o;
    og_text_init(&o.text, &w->allocator);
    og_tokens_init(&o.tokens, &w->allocator);
    og_fps_init(&o.fps, &w->allocator);
    og_selection_init(&o.selection, &w->allocator);
    og_shingle_factors_init(&o.key, og_rabin_default(), 8);
    return &o;
}

static og_status flow_run(struct work *w, uint64_t *out_sum)
{
    const struct flow_case *c = w->what;
    struct flow_objects *o = w->objects;
    og_error err;
    TRY(og_text_fold(&o->text, sample_text(), &err));
    TRY(og_text_tokenise(&o->text, c->tokens, 0, &o->tokens, &err));
    TRY(og_tokens_fingerprint(&o->tokens, &o->key, &o->fps, &err));
    TRY(og_fps_select(&o->tokens, &o->fps, &o->key, &c->select, &o->selection,
                      &err));
    *out_sum = sum_words(0, o->fps.data, o->fps.n);
    *out_sum = sum_words(*out_sum, o->selection.fp, o->selection.n);
    return OG_OK;
}

static void flow_release(struct work *w)
{
    struct flow_objects *o = w->objects;
    og_selection_release(&o->selection);
    og_fps_release(&o->fps);
    og_tokens_release(&o->tokens);
    og_text_release(&o->text);
}

static const struct scenario flow = {flow_init, flow_run, flow_release};

static void test_every_kind_of_token(void **state)
{
    (void)state;
    for (int kind = OG_TOKEN_WORDS; kind <= OG_TOKEN_DNA; kind++)
        try_all_failures(&flow, &(struct flow_case){(og_token_kind)kind,
                                                    {.kind = OG_SELECT_ALL}});
}

static void test_every_selection(void **state)
{
    (void)state;
    static const og_select_options selects[] = {
        {.kind = OG_SELECT_EVERY, .param = 4},
        {.kind = OG_SELECT_MODULO, .param = 4},
        {.kind = OG_SELECT_MODULO, .param = 3, .no_overlap = true},
        {.kind = OG_SELECT_WINNOW, .param = 8},
        {.kind = OG_SELECT_WINNOW, .param = 8, .no_overlap = true},
        {.kind = OG_SELECT_HASH_BREAK, .param = 3},
        {.kind = OG_SELECT_DCT, .param = 8},
        {.kind = OG_SELECT_HAILSTORM},
        {.kind = OG_SELECT_HAILSTORM, .no_overlap = true},
        {.kind = OG_SELECT_SYNCMER, .param = 3},
    };
    for (size_t i = 0; i < sizeof(selects) / sizeof(*selects); i++)
        try_all_failures(&flow,
                         &(struct flow_case){OG_TOKEN_WORDS, selects[i]});
}

/* ---- the table ---- */

static void *table_init(struct work *w)
{
    (void)w;
    return NULL;
}

static og_status table_run(struct work *w, uint64_t *out_sum)
{
    enum { N = 500 };
    struct og_table table;
    uint64_t fps[N];
    struct og_hit hits[N];
    uint64_t random = 3;
    og_error err;
    for (size_t i = 0; i < N; i++)
        fps[i] = og_random_next(&random);
    TRY(og_table_init(&table, w->what, &w->allocator, &err));
    const uint16_t zero[N] = {0};
    og_table_add_many(
        &table, &(struct og_additions){
                    .doc = 1, .fp = fps, .offset = zero, .near = zero, .n = N});
    og_table_find_many(&table, fps, N, hits);
    *out_sum = 0;
    for (size_t i = 0; i < N; i++)
        *out_sum = og_mix64(*out_sum ^ hits[i].doc);
    og_table_release(&table);
    return OG_OK;
}

static void table_release(struct work *w)
{
    (void)w;
}

static const struct scenario in_table = {table_init, table_run, table_release};

static void test_every_table(void **state)
{
    (void)state;
    for (int layout = OG_LAYOUT_PACKED; layout <= OG_LAYOUT_PAPER; layout++)
        for (int evict = OG_EVICT_RANDOM; evict <= OG_EVICT_LEARN; evict++)
            try_all_failures(&in_table, &(struct og_table_options){
                                            .layout = (og_layout_kind)layout,
                                            .evict = (og_evict_kind)evict,
                                            .bucket_slots = 16,
                                            .memory = 1 << 14});
}

/* ---- labels and copies
 * -------------------------------------------------------
 */

enum { N_SELECTED = 400 };

struct label_objects {
    struct og_labels labels;
    struct og_copies copies;
};

static void *label_init(struct work *w)
{
    static struct label_objects o;
    og_labels_init(&o.labels, &w->allocator);
    og_copies_init(&o.copies, &w->allocator);
    return &o;
}

/* Runs of hits of a few origins, with holes. */
static void make_up_hits(struct og_hit *hits)
{
    uint64_t random = 11;
    for (size_t i = 0; i < N_SELECTED; i++) {
        const uint64_t r = og_random_next(&random);
        hits[i] = (struct og_hit){.doc = (uint32_t)(i / 50 % 3),
                                  .offset = (uint16_t)(i + 3)};
        if (r % 3 == 0) hits[i].doc = OG_NO_DOC;
    }
}

static og_status label_run(struct work *w, uint64_t *out_sum)
{
    static uint64_t fp[N_SELECTED];
    static uint32_t pos[N_SELECTED], len[N_SELECTED];
    static uint16_t offset[N_SELECTED], near[N_SELECTED];
    static uint8_t spare[N_SELECTED];
    struct label_objects *o = w->objects;
    struct og_dominant dominant;
    og_error err;
    for (size_t i = 0; i < N_SELECTED; i++) {
        fp[i] = og_mix64(i);
        pos[i] = (uint32_t)i * 3;
        len[i] = 8;
        offset[i] = (uint16_t)i;
    }
    const struct og_selection sel = {.fp = fp,
                                     .pos = pos,
                                     .len = len,
                                     .offset = offset,
                                     .near = near,
                                     .spare = spare,
                                     .n = N_SELECTED,
                                     .n_shingles = N_SELECTED * 3,
                                     .shingle_len = 8};
    TRY(og_labels_reserve(&o->labels, sel.n, &err));
    make_up_hits(o->labels.hits);
    TRY(og_estimate(&sel, w->what, &o->labels, &err));
    static uint8_t full[8] = {1, 1, 1, 1};
    const struct og_table table = {
        .options = {.evict = OG_EVICT_LUCKY, .bucket_slots = 4},
        .base = full,
        .n_buckets = 1};
    const struct og_additions additions =
        og_labels_additions(&o->labels, &sel, &table, 3);
    assert_int_equal(additions.n, sel.n);
    TRY(og_labels_join(&sel, &o->labels, &o->copies, &err));
    TRY(og_labels_dominant(&o->labels, &dominant, &err));
    *out_sum = dominant.doc;
    for (size_t i = 0; i < o->copies.n; i++)
        *out_sum = og_mix64(*out_sum ^ o->copies.data[i].begin ^
                            (uint64_t)o->copies.data[i].end << 32);
    return OG_OK;
}

static void label_release(struct work *w)
{
    struct label_objects *o = w->objects;
    og_copies_release(&o->copies);
    og_labels_release(&o->labels);
}

static const struct scenario labelling = {label_init, label_run, label_release};

static void test_every_estimation(void **state)
{
    (void)state;
    for (int kind = OG_ESTIMATE_NONE; kind <= OG_ESTIMATE_CONTEXT; kind++)
        try_all_failures(&labelling, &(struct og_estimate_options){
                                         (og_estimate_kind)kind, 20, 0});
}

/* ---- reading ---- */

/* The same records, plain and packed. */
static char folder[] = "/tmp/origo-test-oom-XXXXXX";
enum { N_SOURCES = 8 };
static char paths[N_SOURCES][64];

static void write_bytes(const char *path, const char *data, size_t len)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static size_t make_up_records(char *out)
{
    size_t len = 0;
    for (int i = 0; i < 200; i++)
        len += (size_t)sprintf(
            out + len,
            "{\"id\":\"d%d\",\"time\":\"1999-06-01\",\"x\":[1,{}],"
            "\"text\":\"line\\nof \\u00e9t\\u00e9 number %d\"}\n",
            i, i);
    return len + (size_t)sprintf(out + len, "{\"id\": broken\n");
}

/* A file for every other reader. */
static void write_other_sources(void)
{
    static const char *const files[][2] = {
        {"a.html",
         "<title>T</title><meta charset=latin1><body><nav>n</nav><article><p>"
         "gr\xfcn, one, two, three, four, five, six, seven, eight</article>"},
        {"a.warc",
         "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http"
         "\r\nContent-Length: 101\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: "
         "text/html\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<p>one two "
         "three.\r\n0\r\n\r\n\r\n\r\njunk\r\n"},
        {"a.mbox",
         "From a Tue Nov 19 13:03:00 2019\nSubject: =?latin1?Q?=FC?=\n"
         "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
         "Content-Transfer-Encoding: base64\n\nb25lIHR3bw==\n--b\n"
         "Content-Type: text/html\n\n<p>x\n--b--\n\n"
         "From b Tue Nov 19 13:03:00 2019\nSubject: s\n\ntwo\n"},
        {"a.txt", "Gr\xfc\xdf"
                  "e aus K\xf6ln, sch\xf6n war's in M\xfcnchen\n"},
        {"a.xml", "<?xml version='1.0'?><TEI><teiHeader><title>T</title>"
                  "</teiHeader><text><p>one</p><p>two</p></text></TEI>"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char *const path = paths[3 + i];
        snprintf(path, sizeof(paths[0]), "%s/%s", folder, files[i][0]);
        write_bytes(path, files[i][1], strlen(files[i][1]));
    }
}

static int write_sources(void **state)
{
    (void)state;
    static char plain[1 << 16], packed[1 << 16];
    const size_t len = make_up_records(plain);
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = {"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"};
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
    write_bytes(paths[0], plain, len);
    gzFile gz = gzopen(paths[1], "w");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, plain, (unsigned)len), len);
    assert_int_equal(gzclose(gz), Z_OK);
    write_bytes(paths[2], packed,
                ZSTD_compress(packed, sizeof(packed), plain, len, 1));
    write_other_sources();
    return 0;
}

static int remove_sources(void **state)
{
    (void)state;
    for (int i = 0; i < N_SOURCES; i++)
        unlink(paths[i]);
    return rmdir(folder);
}

struct source_objects {
    struct og_block block;
};

static void *source_init(struct work *w)
{
    static struct source_objects o;
    og_block_init(&o.block, &w->allocator);
    return &o;
}

static og_status read_blocks(struct og_source *source, struct og_block *block,
                             const struct og_source_options *how, uint64_t *sum)
{
    og_error err;
    struct og_record record;
    for (;;) {
        og_status status = og_source_next(source, block, &err);
        if (status == OG_END) return OG_OK;
        TRY(status);
        while ((status = og_block_next(block, how, &record, &err)) == OG_OK)
            for (size_t i = 0; i < record.doc.text.len; i++)
                *sum = og_mix64(*sum ^ (uint8_t)record.doc.text.data[i]);
        if (status != OG_END) return status;
        *sum += block->n_problems;
    }
}

static og_status source_run(struct work *w, uint64_t *out_sum)
{
    struct source_objects *o = w->objects;
    const char *path = w->what;
    const struct og_source_options how = {.fields = OG_FIELDS_DEFAULT,
                                          .max_document = 1 << 20,
                                          .block_len = 1024};
    struct og_source *source;
    og_error err;
    *out_sum = 0;
    TRY(og_source_new(&path, 1, &how, &w->allocator, &source, &err));
    const og_status status = read_blocks(source, &o->block, &how, out_sum);
    og_source_free(source);
    return status;
}

static void source_release(struct work *w)
{
    struct source_objects *o = w->objects;
    og_block_release(&o->block);
}

static const struct scenario reading = {source_init, source_run,
                                        source_release};

static void test_reading(void **state)
{
    (void)state;
    for (int i = 0; i < N_SOURCES; i++)
        try_all_failures(&reading, paths[i]);
}

/* ---- the store ---- */

/* A store that survives the failure, and one that could not even be made. */
struct store_objects {
    og_store *store;
    og_trace *trace;
};

static void *store_init(struct work *w)
{
    static struct store_objects o;
    (void)w;
    o = (struct store_objects){NULL, NULL};
    return &o;
}

static og_status open_once(struct work *w)
{
    struct store_objects *o = w->objects;
    if (o->store == NULL) {
        og_params params = og_params_default();
        params.memory = 1 << 16;
        params.estimate = *(const og_estimate_kind *)w->what;
        TRY(og_store_open(":memory:", OG_CREATE,
                          &(og_store_options){.params = &params}, &o->store,
                          NULL));
    }
    if (o->trace == NULL) o->trace = og_trace_new(o->store);
    return o->trace != NULL ? OG_OK : OG_ERR_MEMORY;
}

/* What was added stays added, so the sum is that of the last answer: the whole
 * text is known by then. */
static og_status store_run(struct work *w, uint64_t *out_sum)
{
    struct store_objects *o = w->objects;
    const og_bytes text = sample_text();
    const og_document docs[] = {
        {.id = OG_LITERAL("a"), .text = text},
        {.id = OG_LITERAL("b"), .text = {text.data + 500, 1500}},
        {.id = OG_LITERAL("c"), .text = {text.data + 100, 3000}},
    };
    TRY(open_once(w));
    for (size_t i = 0; i < 3; i++)
        TRY(og_store_add(o->store, &docs[i], i == 1 ? NULL : o->trace, NULL));
    TRY(og_store_trace(o->store, &docs[1], o->trace, NULL));
    const og_answer *answer = og_trace_answer(o->trace);
    *out_sum = answer->n_tokens << 32 | answer->n_fresh;
    for (size_t i = 0; i < answer->n_spans; i++)
        *out_sum =
            og_mix64(*out_sum ^ answer->spans[i].begin) ^ answer->spans[i].end;
    return OG_OK;
}

static void store_release(struct work *w)
{
    struct store_objects *o = w->objects;
    og_trace_free(o->trace);
    og_store_close(o->store, NULL);
}

static const struct scenario storing = {store_init, store_run, store_release};

static void test_the_store(void **state)
{
    (void)state;
    for (int kind = OG_ESTIMATE_NONE; kind <= OG_ESTIMATE_CONTEXT; kind++)
        try_all_failures(&storing, &(og_estimate_kind){(og_estimate_kind)kind});
}

/* ---- a store on disk ---- */

static char disk_path[64];

/* A folder of its own for each failure. */
static void *disk_init(struct work *w)
{
    char command[128];
    (void)w;
    snprintf(command, sizeof(command), "rm -rf '%s'", disk_path);
    if (disk_path[0] != 0) assert_int_equal(system(command), 0);
    strcpy(disk_path, "/dev/shm/origo-oom-XXXXXX");
    if (mkdtemp(disk_path) == NULL) {
        strcpy(disk_path, "/tmp/origo-oom-XXXXXX");
        assert_non_null(mkdtemp(disk_path));
    }
    return NULL;
}

static og_status use_disk(og_store *store, og_trace *trace, uint64_t *out_sum)
{
    const og_bytes text = sample_text();
    const og_document docs[] = {
        {.id = OG_LITERAL("a"), .text = {text.data, 2000}},
        {.id = OG_LITERAL("b"), .text = {text.data + 500, 1000}},
        {.id = OG_LITERAL("b"), .text = {text.data + 500, 1100}},
    };
    uint64_t n;
    for (size_t i = 0; i < 3; i++) {
        TRY(og_store_add(store, &docs[i], i == 1 ? NULL : trace, NULL));
        if (i == 1) TRY(og_disk_checkpoint(store, NULL));
    }
    TRY(og_store_remove(store, (og_bytes)OG_LITERAL("b"), &n, NULL));
    TRY(og_store_commit(store, NULL));
    TRY(og_store_trace(store, &docs[1], trace, NULL));
    const og_answer *answer = og_trace_answer(trace);
    *out_sum = answer->n_tokens << 32 | answer->n_fresh;
    return OG_OK;
}

/* Opened, used and closed: after a failure the store is opened again, as a
 * user would do it, and nothing is wrong with it. */
static og_status disk_run(struct work *w, uint64_t *out_sum)
{
    og_store *store;
    og_params params = og_params_default();
    (void)w;
    params.memory = 1 << 16;
    TRY(og_store_open(disk_path, OG_CREATE,
                      &(og_store_options){.params = &params}, &store, NULL));
    og_trace *trace = og_trace_new(store);
    const og_status status =
        trace != NULL ? use_disk(store, trace, out_sum) : OG_ERR_MEMORY;
    og_trace_free(trace);
    og_store_close(store, NULL);
    return status;
}

static void disk_release(struct work *w)
{
    og_check check;
    (void)w;
    assert_int_equal(og_store_check(disk_path, &check, NULL, NULL, NULL),
                     OG_OK);
}

static const struct scenario on_disk = {disk_init, disk_run, disk_release};

static void test_the_store_on_disk(void **state)
{
    struct work none = {0};
    (void)state;
    try_all_failures(&on_disk, NULL);
    disk_init(&none);
    assert_int_equal(rmdir(disk_path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_token),
        cmocka_unit_test(test_every_selection),
        cmocka_unit_test(test_every_table),
        cmocka_unit_test(test_every_estimation),
        cmocka_unit_test(test_the_store),
        cmocka_unit_test(test_the_store_on_disk),
        cmocka_unit_test_setup_teardown(test_reading, write_sources,
                                        remove_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
