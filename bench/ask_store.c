/* How long does a store on disk take to open, and to answer? Uses only the
 * public headers, like a server; bench_store.py reads the output.
 *
 *     ask_store open STORE            milliseconds to open it for reading, and
 *                                     the number of its documents
 *     ask_store ask STORE FILE N      microseconds of a trace: the median, the
 *                                     99th of 100 and the longest, over the
 *                                     first N documents of FILE; first in
 *                                     order, then all of them again
 *
 *     ask_store least STORE FILE N    microseconds of a trace: of each document
 *                                     the smallest of some rounds, and the mean
 * of these, which a busy machine hardly affects ask_store run COMMAND...
 * seconds and bytes of the largest resident set of a command, on stderr
 *
 * The documents are read before timing starts. A command is run from here
 * because the system also counts the memory of its parent. */

#define _GNU_SOURCE
#include <origo/origo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static og_error err;

static void must(og_status status)
{
    if (status == OG_OK) return;
    fprintf(stderr, "ask_store: %s\n", err.message);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the questions ---- */

struct questions {
    og_document *list;
    size_t n, most;
};

static og_bytes copy(og_bytes bytes)
{
    char *data = malloc(bytes.len + 1);
    if (data == NULL) exit(1);
    memcpy(data, bytes.data, bytes.len);
    return (og_bytes){data, bytes.len};
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_answer *answer)
{
    struct questions *q = ctx;
    (void)answer;
    q->list[q->n++] = (og_document){.id = copy(doc->id),
                                    .text = copy(doc->text),
                                    .time = doc->time,
                                    .has_time = doc->has_time};
    return q->n < q->most;
}

/* A small store in memory reads the file for us. */
static void read_questions(const char *path, struct questions *q)
{
    og_params params = og_params_default();
    og_stream_options options = og_stream_options_default();
    og_input input = og_input_default();
    input.paths = &path;
    input.n_paths = 1;
    og_store *store;
    params.memory = 1 << 20;
    options.ctx = q;
    options.on_answer = on_answer;
    q->list = calloc(q->most, sizeof(*q->list));
    if (q->list == NULL) exit(1);
    must(og_store_open(":memory:", OG_CREATE,
                       &(og_store_options){.params = &params}, &store, &err));
    const og_status status = og_stream_run(store, &input, &options, NULL, &err);
    if (status != OG_ERR_STOPPED) must(status);
    og_store_close(store, NULL);
}

/* ---- the clock ---- */

static og_store *open_store(const char *path, double *out_seconds)
{
    og_store *store;
    const double begin = seconds();
    must(og_store_open(path, OG_READ, NULL, &store, &err));
    *out_seconds = seconds() - begin;
    return store;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void ask_all(og_store *store, const struct questions *q)
{
    og_trace *trace = og_trace_new(store);
    double *taken = calloc(q->n, sizeof(*taken));
    size_t n_spans = 0;
    if (trace == NULL || taken == NULL) exit(1);
    for (size_t i = 0; i < q->n; i++) {
        const double begin = seconds();
        must(og_store_trace(store, &q->list[i], trace, &err));
        taken[i] = 1e6 * (seconds() - begin);
        n_spans += og_trace_answer(trace)->n_spans;
    }
    qsort(taken, q->n, sizeof(*taken), compare);
    printf("%.0f %.0f %.0f %zu\n", taken[q->n / 2], taken[q->n * 99 / 100],
           taken[q->n - 1], n_spans);
    free(taken);
    og_trace_free(trace);
}

#define ROUNDS 9

static void ask_least(og_store *store, const struct questions *q)
{
    og_trace *trace = og_trace_new(store);
    double sum = 0;
    if (trace == NULL) exit(1);
    for (size_t i = 0; i < q->n; i++) {
        double least = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            const double begin = seconds();
            must(og_store_trace(store, &q->list[i], trace, &err));
            const double taken = 1e6 * (seconds() - begin);
            least = taken < least ? taken : least;
        }
        sum += least;
    }
    printf("%.1f\n", sum / (double)q->n);
    og_trace_free(trace);
}

static int run_command(char **command)
{
    struct rusage usage;
    int status = 0;
    const double begin = seconds();
    const pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
    fprintf(stderr, "%.6f %ld\n", seconds() - begin, 1024 * usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "run") == 0) return run_command(argv + 2);
    const bool least = argc == 5 && strcmp(argv[1], "least") == 0;
    const bool asks = least || (argc == 5 && strcmp(argv[1], "ask") == 0);
    struct questions q = {0};
    double opening;
    if (!asks && (argc != 3 || strcmp(argv[1], "open") != 0)) {
        fprintf(stderr, "usage: ask_store open STORE\n"
                        "       ask_store ask|least STORE FILE N\n"
                        "       ask_store run COMMAND...\n");
        return 2;
    }
    if (asks) q.most = strtoul(argv[4], NULL, 10);
    if (asks && q.most > 0) read_questions(argv[3], &q);
    og_store *store = open_store(argv[2], &opening);
    if (least && q.n > 0) {
        ask_least(store, &q);
    } else if (asks && q.n > 0) {
        ask_all(store, &q);
        ask_all(store, &q);
    } else {
        og_store_info info;
        og_store_info_get(store, &info);
        printf("%.2f %llu\n", 1e3 * opening,
               (unsigned long long)info.n_documents);
    }
    og_store_close(store, NULL);
    for (size_t i = 0; i < q.n; i++) {
        free((char *)q.list[i].id.data);
        free((char *)q.list[i].text.data);
    }
    free(q.list);
    return 0;
}
