/* How fast is each arrow of the flow, and how near to what the machine can do?
 *
 *     bench_stages [--cpu LEVEL] [--memory SIZE] [--limit SIZE] [--runs N]
 *                  FILE...
 *
 * Documents go through the stages one by one, as they do in the real flow, so
 * that each stage finds its input where the one before left it: in the cache.
 * A clock runs between the stages; what it costs itself is taken off. It counts
 * the time of the processor, so that other work on the machine does not; only
 * the streams, which use several threads, take elapsed time. Every figure is
 * the fastest of N runs after a warm-up, on one pinned processor.
 * The checksums say that two runs did the same work: they are equal for every
 * level of the processor, compiler and machine. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/machine.h"
#include "lib/estimate/estimate.h"
#include "lib/fingerprint/fingerprint.h"
#include "lib/os/cpu.h"
#include "lib/select/select.h"
#include "lib/source/source.h"
#include "lib/table/table.h"
#include "lib/text/text.h"
#include "lib/token/token_hash.h"
#include "lib/token/tokens.h"

enum stage {
    STAGE_UNPACK,
    STAGE_RECORDS,
    STAGE_FOLD,
    STAGE_TOKENISE,
    STAGE_HASH,
    STAGE_PRINT,
    STAGE_SELECT,
    STAGE_NOTE,
    STAGE_FIND,
    STAGE_ESTIMATE,
    STAGE_ADD,
    N_STAGES
};

/* The aims come from small experiments with each step alone, on one core of a
 * 2.95 GHz x86-64 with AVX-512: another machine moves them. */
static const struct {
    const char *name, *aim;
} stages[N_STAGES] = {
    {"unpack, cut", ""},
    {"records", ""},
    {"fold", ""},
    {"tokenise", "5800 MB/s with fold, without hash"},
    {"  of it: hash", "1.0 ns a token"},
    {"print", "0.9 ns a token"},
    {"select", "0.3 ns a token"},
    {"note", ""},
    {"table: find", "19 ns a print in 1 GB"},
    {"estimate", ""},
    {"table: add", ""},
};

struct options {
    uint64_t memory; /* of the table */
    uint64_t limit;  /* bytes of text to take from the files */
    unsigned n_runs;
    const char *const *paths;
    size_t n_paths;
};

struct corpus {
    og_document *docs;
    size_t n, cap;
    uint64_t n_bytes;
};

struct totals {
    double seconds[N_STAGES];
    uint64_t n_tokens, n_fps, n_selected, n_labelled;
    uint64_t sum_fps, sum_selected, sum_labels;
};

struct scratch {
    struct og_text text;
    struct og_tokens tokens;
    struct og_fps fps;
    struct og_selection selection;
    struct og_labels labels;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_stages: %s\n", what);
    exit(3);
}

static void must(og_status status, const og_error *err)
{
    if (status != OG_OK) die(err->message);
}

static void *must_have(void *memory)
{
    if (memory == NULL) die("out of memory");
    return memory;
}

static og_bytes keep(og_bytes bytes)
{
    char *copy = must_have(malloc(bytes.len + 1));
    if (bytes.len > 0) memcpy(copy, bytes.data, bytes.len);
    return (og_bytes){copy, bytes.len};
}

/* ---- reading ---- */

static void corpus_keep(struct corpus *corpus, const og_document *doc)
{
    if (!OG_GROW(NULL, corpus->docs, corpus->cap, corpus->n + 1))
        die("out of memory");
    og_document *kept = &corpus->docs[corpus->n++];
    *kept = *doc;
    kept->id = keep(doc->id);
    kept->text = keep(doc->text);
    kept->title = kept->url = (og_bytes){NULL, 0};
}

/* Reads until there is `limit` of text. Keeps the documents in `corpus` unless
 * that is NULL. Returns the bytes of text. */
static uint64_t read_files(const struct options *o, struct corpus *corpus,
                           double seconds[N_STAGES])
{
    const struct og_source_options how = {.fields = OG_FIELDS_DEFAULT,
                                          .max_document = (uint64_t)64 << 20};
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    og_error err;
    uint64_t n_bytes = 0;
    must(og_source_new(o->paths, o->n_paths, &how, NULL, &source, &err), &err);
    og_block_init(&block, NULL);
    while (n_bytes < o->limit) {
        const double t0 = machine_cpu_seconds();
        const og_status status = og_source_next(source, &block, &err);
        const double t1 = machine_cpu_seconds();
        if (status == OG_END) break;
        must(status, &err);
        double copying = 0;
        while (og_block_next(&block, &how, &record, &err) == OG_OK) {
            n_bytes += record.doc.text.len;
            if (corpus == NULL) continue;
            const double began = machine_cpu_seconds();
            corpus_keep(corpus, &record.doc);
            copying += machine_cpu_seconds() - began;
        }
        seconds[STAGE_UNPACK] += t1 - t0;
        seconds[STAGE_RECORDS] += machine_cpu_seconds() - t1 - copying;
        if (block.n_problems > 0) die(block.problems[0].message);
    }
    og_block_release(&block);
    og_source_free(source);
    return n_bytes;
}

/* ---- the stages ---- */

static void scratch_init(struct scratch *s)
{
    og_text_init(&s->text, NULL);
    og_tokens_init(&s->tokens, NULL);
    og_fps_init(&s->fps, NULL);
    og_selection_init(&s->selection, NULL);
    og_labels_init(&s->labels, NULL);
}

static void scratch_release(struct scratch *s)
{
    og_text_release(&s->text);
    og_tokens_release(&s->tokens);
    og_fps_release(&s->fps);
    og_selection_release(&s->selection);
    og_labels_release(&s->labels);
}

/* Tokenising did it already: the same values once more. */
static void hash_tokens(struct scratch *s, uint64_t key)
{
    og_token_hash_choose()(s->text.data, s->tokens.begin, s->tokens.end,
                           s->tokens.n, key, s->tokens.hash);
}

static uint64_t checksum(uint64_t sum, const uint64_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = og_mix64(sum ^ data[i]);
    return sum;
}

static void count(struct totals *t, const struct scratch *s, uint32_t doc)
{
    t->n_tokens += s->tokens.n;
    t->n_fps += s->fps.n;
    t->n_selected += s->selection.n;
    t->sum_fps = checksum(t->sum_fps, s->fps.data, s->fps.n);
    t->sum_selected =
        checksum(t->sum_selected, s->selection.fp, s->selection.n);
    for (size_t i = 0; i < s->selection.n; i++) {
        const uint32_t origin = s->labels.data[i].doc;
        if (origin == OG_NO_DOC) continue;
        t->n_labelled++;
        t->sum_labels =
            og_mix64(t->sum_labels ^ origin ^ (uint64_t)doc << 32 ^ i);
    }
}

/* One document all the way, a clock after each stage. */
static void run_document(const og_params *params,
                         const struct og_shingle_factors *key,
                         struct og_table *table, const og_document *doc,
                         uint32_t number, struct scratch *s, struct totals *t)
{
    const struct og_estimate_options how = {params->estimate,
                                            params->bridge_limit, number};
    og_error err;
    double at[N_STAGES + 1];
    at[STAGE_FOLD] = machine_cpu_seconds();
    must(og_text_fold(&s->text, doc->text, &err), &err);
    at[STAGE_TOKENISE] = machine_cpu_seconds();
    must(og_text_tokenise(&s->text, params->tokens, params->key, &s->tokens,
                          &err),
         &err);
    at[STAGE_HASH] = machine_cpu_seconds();
    hash_tokens(s, params->key);
    at[STAGE_PRINT] = machine_cpu_seconds();
    must(og_tokens_fingerprint(&s->tokens, key, &s->fps, &err), &err);
    at[STAGE_SELECT] = machine_cpu_seconds();
    must(og_fps_select(&s->tokens, &s->fps, key, &params->select, &s->selection,
                       &err),
         &err);
    at[STAGE_NOTE] = machine_cpu_seconds();
    og_selection_add_context(&s->selection, &s->tokens,
                             og_estimate_context_kind(params->estimate));
    must(og_labels_reserve(&s->labels, s->selection.n, &err), &err);
    at[STAGE_FIND] = machine_cpu_seconds();
    og_table_find_many(table, s->selection.fp, s->selection.n, s->labels.hits);
    at[STAGE_ESTIMATE] = machine_cpu_seconds();
    must(og_estimate(&s->selection, &how, &s->labels, &err), &err);
    const struct og_additions additions =
        og_labels_additions(&s->labels, &s->selection, table, number);
    at[STAGE_ADD] = machine_cpu_seconds();
    og_table_add_many(table, &additions);
    at[N_STAGES] = machine_cpu_seconds();
    for (int i = STAGE_FOLD; i < N_STAGES; i++)
        t->seconds[i] += at[i + 1] - at[i];
    count(t, s, number);
}

/* What one look at the clock costs. */
static double clock_cost(void)
{
    const int n = 100000;
    const double began = machine_cpu_seconds();
    for (int i = 0; i < n; i++)
        machine_cpu_seconds();
    return (machine_cpu_seconds() - began) / n;
}

/* It starts small and grows, as that of a store does: the first touch of its
 * memory and the splitting of buckets count. */
static void table_init(struct og_table *table, const og_params *params)
{
    const struct og_table_options how = {
        .layout = params->layout,
        .evict = params->evict,
        .fields = og_estimate_fields(params->estimate),
        .bucket_slots = params->bucket_slots,
        .memory = params->memory};
    og_error err;
    must(og_table_init(table, &how, NULL, &err), &err);
}

static struct totals run_stages(const struct options *o,
                                const struct corpus *corpus)
{
    struct totals t = {{0}, 0, 0, 0, 0, 0, 0, 0};
    struct og_shingle_factors key;
    struct og_table table;
    struct scratch s;
    og_params params = og_params_default();
    params.memory = o->memory;
    og_shingle_factors_init(&key, og_rabin_default(), params.shingle_len);
    table_init(&table, &params);
    scratch_init(&s);
    read_files(o, NULL, t.seconds);
    for (size_t i = 0; i < corpus->n; i++)
        run_document(&params, &key, &table, &corpus->docs[i], (uint32_t)i, &s,
                     &t);
    scratch_release(&s);
    og_table_release(&table);
    const double clock = clock_cost() * (double)corpus->n;
    for (int i = STAGE_FOLD; i < N_STAGES; i++)
        t.seconds[i] -= t.seconds[i] > clock ? clock : 0;
    return t;
}

/* ---- the whole way ---- */

static og_store *open_store(const struct options *o, bool keeps_texts)
{
    og_params params = og_params_default();
    og_store *store;
    og_error err;
    params.memory = o->memory;
    params.no_texts = !keeps_texts;
    must(og_store_open(":memory:", OG_CREATE,
                       &(og_store_options){.params = &params}, &store, &err),
         &err);
    og_store_warm(store); /* the machine's paging is not the question */
    return store;
}

/* From documents in memory: each added, and queried before if requested. */
static double run_documents(const struct options *o,
                            const struct corpus *corpus, bool answer,
                            bool keeps_texts)
{
    og_store *store = open_store(o, keeps_texts);
    og_trace *trace = must_have(og_trace_new(store));
    og_error err;
    const double began = machine_cpu_seconds();
    for (size_t i = 0; i < corpus->n; i++)
        must(og_store_add(store, &corpus->docs[i], answer ? trace : NULL, &err),
             &err);
    const double took = machine_cpu_seconds() - began;
    og_trace_free(trace);
    og_store_close(store, NULL);
    return took;
}

/* From files, as the command does it. The limit does not hold here. */
static double run_stream(const struct options *o, unsigned n_threads,
                         og_stream_counts *counts)
{
    og_store *store = open_store(o, false);
    og_stream_options how = og_stream_options_default();
    og_error err;
    og_input input = og_input_default();
    input.paths = o->paths;
    input.n_paths = o->n_paths;
    input.n_threads = n_threads;
    how.add = true;
    const double began = machine_seconds();
    must(og_stream_run(store, &input, &how, counts, &err), &err);
    const double took = machine_seconds() - began;
    og_store_close(store, NULL);
    return took;
}

/* ---- printing ---- */

static void print_line(const char *name, double seconds, double n_bytes,
                       double n_tokens, const char *note)
{
    printf("%-22s %9.0f %9.2f   %s\n", name, n_bytes / seconds / 1e6,
           seconds / n_tokens * 1e9, note);
    fflush(stdout);
}

static void print_stages(const struct totals *best, const struct corpus *corpus)
{
    const double n_bytes = (double)corpus->n_bytes;
    const double n_tokens = (double)best->n_tokens;
    double sum = 0;
    printf("%-22s %9s %9s   %s\n", "stage", "MB/s", "ns/token", "aim");
    for (int i = 0; i < N_STAGES; i++) {
        char note[96];
        if (i == STAGE_FIND || i == STAGE_ADD)
            snprintf(note, sizeof(note), "%s%s(%.1f ns a print here)",
                     stages[i].aim, stages[i].aim[0] ? " " : "",
                     best->seconds[i] / (double)best->n_selected * 1e9);
        else
            snprintf(note, sizeof(note), "%s", stages[i].aim);
        print_line(stages[i].name, best->seconds[i], n_bytes, n_tokens, note);
        if (i >= STAGE_FOLD && i <= STAGE_SELECT && i != STAGE_HASH)
            sum += best->seconds[i];
    }
    print_line("fold to select", sum, n_bytes, n_tokens,
               "2000 to 2400 MB/s, fused");
}

static void print_work(const struct totals *t)
{
    printf(
        "work: prints %llu (%016llx), selected %llu (%016llx), "
        "labelled %llu (%016llx)\n",
        (unsigned long long)t->n_fps, (unsigned long long)t->sum_fps,
        (unsigned long long)t->n_selected, (unsigned long long)t->sum_selected,
        (unsigned long long)t->n_labelled, (unsigned long long)t->sum_labels);
}

static void bench_whole(const struct options *o, const struct corpus *corpus,
                        uint64_t n_tokens, bool answer, bool keeps_texts)
{
    static const char *const names[2][2] = {
        {"whole way into table", "  and its texts"},
        {"answer + add", "  compared with texts"}};
    double best = run_documents(o, corpus, answer, keeps_texts);
    for (unsigned run = 0; run < o->n_runs; run++) {
        const double took = run_documents(o, corpus, answer, keeps_texts);
        if (run == 0 || took < best) best = took;
    }
    print_line(names[answer][keeps_texts], best, (double)corpus->n_bytes,
               (double)n_tokens,
               answer || keeps_texts ? "from memory, one thread"
                                     : "450 MB/s; from memory, one thread");
}

static void bench_stages(const struct options *o, const struct corpus *corpus)
{
    struct totals best = run_stages(o, corpus);
    for (unsigned run = 0; run < o->n_runs; run++) {
        const struct totals t = run_stages(o, corpus);
        if (t.sum_fps != best.sum_fps || t.sum_labels != best.sum_labels)
            die("two runs did not do the same work");
        for (int i = 0; i < N_STAGES; i++)
            if (run == 0 || t.seconds[i] < best.seconds[i])
                best.seconds[i] = t.seconds[i];
    }
    print_stages(&best, corpus);
    for (int i = 0; i < 4; i++)
        bench_whole(o, corpus, best.n_tokens, i / 2 == 1, i % 2 == 1);
    print_work(&best);
}

static void bench_streams(const struct options *o)
{
    og_stream_counts counts;
    const unsigned all = og_cpu_count();
    for (unsigned n_threads = 1;; n_threads = all) {
        char name[64];
        const double took = run_stream(o, n_threads, &counts);
        snprintf(name, sizeof(name), "stream, %u thread%s", n_threads,
                 n_threads == 1 ? "" : "s");
        print_line(name, took, (double)counts.n_text_bytes,
                   (double)counts.n_tokens, "from the files, all of them");
        if (n_threads == all) break;
    }
}

/* The same text, one document after the other, for wc. */
static void bench_wc(const struct corpus *corpus)
{
    static const char *const locales[] = {"C", "C.UTF-8"};
    char path[] = "/tmp/bench_stages-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file == NULL) die("cannot write a file below /tmp");
    for (size_t i = 0; i < corpus->n; i++)
        fwrite(corpus->docs[i].text.data, 1, corpus->docs[i].text.len, file);
    if (fclose(file) != 0) die("cannot write a file below /tmp");
    for (size_t i = 0; i < 2; i++) {
        const double took = machine_measure_wc(path, locales[i]);
        if (took > 0)
            printf("limit: wc -w, LC_ALL=%s: %.0f MB/s\n", locales[i],
                   (double)corpus->n_bytes / took / 1e6);
    }
    unlink(path);
}

/* As much memory as the table has: what its look-ups could cost at best. */
static void bench_memory(const struct options *o)
{
    const struct machine_memory m = machine_measure_memory(o->memory);
    if (m.sequential == 0) return;
    printf("limit: memory, %.0f MB: %.0f MB/s in order, %.1f ns a random line "
           "in batches\n",
           (double)o->memory / 1e6, m.sequential / 1e6, m.random_line * 1e9);
}

/* ---- the command ---- */

static void usage(void)
{
    fprintf(stderr, "usage: bench_stages [--cpu plain|sse42|avx2|avx512] "
                    "[--memory 1Gi]\n"
                    "                    [--limit 64M] [--runs 5] FILE...\n");
    exit(2);
}

static uint64_t parse_size(const char *s)
{
    char *end;
    const double number = strtod(s, &end);
    const double unit = end[0] != '\0' && end[1] == 'i' ? 1024 : 1000;
    double scale = 1;
    switch (end[0]) {
    case 'G': scale *= unit; /* fall through */
    case 'M': scale *= unit; /* fall through */
    case 'k':
    case 'K': scale *= unit; break;
    case '\0': break;
    default: usage();
    }
    if (!(number * scale >= 1)) usage();
    return (uint64_t)(number * scale);
}

static void force_level(const char *name)
{
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        if (strcmp(name, og_cpu_name(level)) != 0) continue;
        if (og_cpu_force(level) != level) die("this machine has not got it");
        return;
    }
    usage();
}

static struct options parse(int argc, char **argv)
{
    struct options o = {
        .memory = (uint64_t)1 << 30, .limit = 64000000, .n_runs = 5};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--cpu") == 0)
            force_level(argv[i + 1]);
        else if (strcmp(argv[i], "--memory") == 0)
            o.memory = parse_size(argv[i + 1]);
        else if (strcmp(argv[i], "--limit") == 0)
            o.limit = parse_size(argv[i + 1]);
        else if (strcmp(argv[i], "--runs") == 0)
            o.n_runs = (unsigned)parse_size(argv[i + 1]);
        else
            usage();
    }
    if (i >= argc || argv[i][0] == '-') usage();
    o.paths = (const char *const *)argv + i;
    o.n_paths = (size_t)(argc - i);
    return o;
}

int main(int argc, char **argv)
{
    const struct options o = parse(argc, argv);
    struct corpus corpus = {NULL, 0, 0, 0};
    double ignored[N_STAGES] = {0};
    machine_print(OG_BENCH_FLAGS);
    printf("question: how fast is each arrow of the flow, on one core?\n");
    corpus.n_bytes = read_files(&o, &corpus, ignored);
    printf("input: %s%s, %zu documents, %.1f MB of text; table of %.0f MB at "
           "most; "
           "fastest of %u\n",
           basename(o.paths[0]), o.n_paths > 1 ? " ..." : "", corpus.n,
           (double)corpus.n_bytes / 1e6, (double)o.memory / 1e6, o.n_runs);
    machine_pin();
    bench_memory(&o);
    bench_wc(&corpus);
    bench_stages(&o, &corpus);
    machine_unpin();
    bench_streams(&o);
    for (size_t i = 0; i < corpus.n; i++) {
        free((void *)corpus.docs[i].id.data);
        free((void *)corpus.docs[i].text.data);
    }
    OG_UNGROW(NULL, corpus.docs, corpus.cap);
    return 0;
}
