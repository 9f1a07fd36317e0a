/* The state of a store, as a few numbers that can be compared; and its
 * behaviour when its bytes are wrong.
 *
 *     probe state STORE QUERIES            one line: all of it
 *     probe checkpoint STORE QUERIES       the same after a checkpoint
 *     probe reference STORE QUERIES OPS    makes STORE; a line for each prefix
 *     probe flips STORE QUERIES STEP FIRST     every STEP-th byte is flipped
 *     probe cuts STORE QUERIES N           every file is cut, N times
 *     probe newer FILE OFF LENGTH          adds 1 to the version at OFF, and to
 *                                          LENGTH bytes their checksum
 *
 * A line is: documents, removed ones, then hashes of the table's bytes, of its
 * state, of the marks and entries (without the places of texts, which depend on
 * when sessions began), of the answers to all of QUERIES, of the export. A file
 * OPS has a line "+FILE" or "-ID" for each step: add all of FILE, remove ID.
 *
 * Flips and cuts are tried one by one, each in a process of its own: a crash or
 * a hang is then detected and counted like a wrong answer. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/store/store_disk.h"
#include "lib/table/table_state.h"

enum { STATUS_SAME = 0, STATUS_TOLD = 4, STATUS_OTHER = 5, STATUS_WRONG = 6 };

struct state {
    uint64_t n_documents, n_removed;
    uint64_t table, counters, catalogue, answers, export;
};

static og_params params(void)
{
    og_params p = og_params_default();
    p.memory = 96 << 10;
    p.key = OG_KEY_PUBLIC; /* the same table in every run */
    return p;
}

/* ---- hashes ---- */

static void hash_table(og_store *store, struct state *out)
{
    struct og_pack pack = {0};
    out->table = og_checksum(store->table.base, og_table_len(&store->table));
    og_table_state_pack(&store->table, &pack);
    out->counters = og_checksum(pack.data, pack.len);
    og_pack_release(&pack);
}

static og_status hash_catalogue(og_store *store, struct state *out,
                                og_error *err)
{
    struct og_pack pack = {0};
    og_trace *trace = og_trace_new(store);
    og_status status = OG_OK;
    for (uint32_t i = 0; i < store->catalogue.n && status == OG_OK; i++) {
        struct og_entry entry;
        og_lookup_clear(&trace->lookup);
        og_pack_bytes(&pack, og_catalogue_get(&store->catalogue, i),
                      sizeof(struct og_mark));
        status = og_lookup_get(&trace->lookup, i, &entry, err);
        entry.place = (struct og_text_place){0};
        if (status == OG_OK) og_entry_pack(&entry, &pack);
    }
    out->catalogue = og_checksum(pack.data, pack.len);
    out->n_documents = store->catalogue.n;
    out->n_removed = store->n_removed;
    og_trace_free(trace);
    og_pack_release(&pack);
    return status;
}

static bool print_answer(void *ctx, const og_document *doc,
                         const og_answer *answer)
{
    og_error err;
    return og_report_json(og_write_file, ctx, doc, answer, OG_OFFSETS_BYTE,
                          &err) == OG_OK;
}

static bool print_document(void *ctx, const og_document *doc)
{
    og_error err;
    return og_report_document(og_write_file, ctx, doc, &err) == OG_OK;
}

static og_status hash_output(og_store *store, const char *queries,
                             uint64_t *out, og_error *err)
{
    char *text = NULL;
    size_t len = 0;
    og_status status;
    FILE *file = open_memstream(&text, &len);
    if (queries != NULL) {
        og_stream_options options = og_stream_options_default();
        options.ctx = file;
        options.on_answer = print_answer;
        og_input input = og_input_default();
        input.paths = &queries;
        input.n_paths = 1;
        input.n_threads = 1;
        status = og_stream_run(store, &input, &options, NULL, err);
    } else {
        status = og_store_export(store, print_document, file, err);
    }
    fclose(file);
    *out = og_checksum(text, len);
    free(text);
    return status;
}

static og_status state_of(og_store *store, const char *queries,
                          struct state *out, og_error *err)
{
    struct og_checkpoint *c = &store->disk->checkpoint;
    if (c->map != NULL) TRY(og_checkpoint_know(c, 0, c->table_len, err));
    hash_table(store, out);
    TRY(hash_catalogue(store, out, err));
    TRY(hash_output(store, queries, &out->answers, err));
    return hash_output(store, NULL, &out->export, err);
}

static void print_state(const struct state *s)
{
    printf("%" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64
           " %016" PRIx64 " %016" PRIx64 "\n",
           s->n_documents, s->n_removed, s->table, s->counters, s->catalogue,
           s->answers, s->export);
}

/* Verifies, then opens and looks. */
static og_status look(const char *path, const char *queries, og_access access,
                      struct state *out, og_error *err)
{
    og_check check;
    og_store *store;
    *out = (struct state){0};
    TRY(og_store_check(path, &check, NULL, NULL, err));
    TRY(og_store_open(path, access, NULL, &store, err));
    og_status status = OG_OK;
    if (access == OG_WRITE) status = og_disk_checkpoint(store, err);
    if (status == OG_OK) status = state_of(store, queries, out, err);
    og_store_close(store, NULL);
    return status;
}

static int tell(og_status status, const og_error *err)
{
    if (status == OG_OK) return 0;
    fprintf(stderr, "%s\n", err->message);
    return status == OG_ERR_STORE ? STATUS_TOLD : STATUS_OTHER;
}

static int run_state(const char *path, const char *queries, og_access access)
{
    struct state state;
    og_error err = {0};
    const og_status status = look(path, queries, access, &state, &err);
    if (status == OG_OK) print_state(&state);
    return tell(status, &err);
}

/* ---- a run that nobody disturbs ---- */

static og_status do_step(og_store *store, char *line, og_error *err)
{
    line[strcspn(line, "\n")] = 0;
    const char *what = line + 1;
    uint64_t n;
    if (line[0] == '-')
        return og_store_remove(store, (og_bytes){what, strlen(what)}, &n, err);
    og_stream_options options = og_stream_options_default();
    og_input input = og_input_default();
    input.paths = &what;
    input.n_paths = 1;
    input.n_threads = 1;
    options.add = true;
    return og_stream_run(store, &input, &options, NULL, err);
}

static int run_reference(const char *path, const char *queries, const char *ops)
{
    const og_params p = params();
    og_store *store;
    og_error err = {0};
    struct state state;
    char line[4096];
    og_status status = og_store_open(
        path, OG_CREATE, &(og_store_options){.params = &p}, &store, &err);
    FILE *file = fopen(ops, "r");
    if (status != OG_OK || file == NULL) return tell(OG_ERR_IO, &err);
    while (status == OG_OK && fgets(line, sizeof(line), file) != NULL) {
        status = do_step(store, line, &err);
        if (status == OG_OK) status = state_of(store, queries, &state, &err);
        if (status == OG_OK) print_state(&state);
    }
    fclose(file);
    og_store_close(store, NULL);
    return tell(status, &err);
}

/* ---- damage ---- */

static struct {
    const char *path, *queries;
    struct state expected;
    uint64_t n_tried, n_reported, n_same, n_wrong;
} damage;

/* The child's last words are one of the statuses. */
static int try_damaged(const char *file)
{
    struct state state;
    og_error err = {0};
    const og_status status =
        look(damage.path, damage.queries, OG_READ, &state, &err);
    if (status == OG_OK)
        return memcmp(&state, &damage.expected, sizeof(state)) == 0
                   ? STATUS_SAME
                   : STATUS_WRONG;
    if (status == OG_ERR_STORE && strchr(err.message, '\'') != NULL)
        return STATUS_TOLD;
    fprintf(stderr, "%s: status %d, '%s'\n", file, (int)status, err.message);
    return STATUS_OTHER;
}

static void judge(const char *file, uint64_t off, const char *what)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(try_damaged(file));
    }
    waitpid(child, &status, 0);
    damage.n_tried++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_TOLD) {
        damage.n_reported++;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SAME) {
        damage.n_same++;
    } else {
        damage.n_wrong++;
        printf("%s at %s byte %" PRIu64 ": %s %d\n", what, file, off,
               WIFEXITED(status) ? "status" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
}

static uint64_t step, next_byte, n_cuts;

/* LMDB's own, made anew by whoever opens first. */
static bool is_lmdb_lock(const char *file, const struct FTW *ftw)
{
    return strcmp(file + ftw->base, "lock.mdb") == 0;
}

static int flip_file(const char *file, const struct stat *st, int type,
                     struct FTW *ftw)
{
    if (type != FTW_F || is_lmdb_lock(file, ftw)) return 0;
    const int fd = open(file, O_RDWR);
    for (; next_byte < (uint64_t)st->st_size; next_byte += step) {
        uint8_t byte;
        uint8_t flipped;
        if (pread(fd, &byte, 1, (off_t)next_byte) != 1) break;
        flipped = byte ^ (uint8_t)(1u << (next_byte + next_byte / 8) % 8);
        if (pwrite(fd, &flipped, 1, (off_t)next_byte) != 1) return 1;
        judge(file, next_byte, "flip");
        if (pwrite(fd, &byte, 1, (off_t)next_byte) != 1) return 1;
    }
    next_byte -= (uint64_t)st->st_size; /* the files are one row of bytes */
    close(fd);
    return 0;
}

static int cut_file(const char *file, const struct stat *st, int type,
                    struct FTW *ftw)
{
    (void)ftw;
    const size_t len = (size_t)st->st_size;
    if (type != FTW_F || len == 0) return 0;
    uint8_t *bytes = malloc(len);
    const int fd = open(file, O_RDWR);
    if (bytes == NULL || pread(fd, bytes, len, 0) != (ssize_t)len) return 1;
    for (uint64_t i = 0; i < n_cuts; i++) {
        const uint64_t at = i == 0 ? 0 : len - 1 - (len - 1) * (i - 1) / n_cuts;
        if (ftruncate(fd, (off_t)at) != 0) return 1;
        judge(file, at, "cut");
        if (pwrite(fd, bytes, len, 0) != (ssize_t)len ||
            ftruncate(fd, (off_t)len) != 0)
            return 1;
    }
    close(fd);
    free(bytes);
    return 0;
}

static int run_damage(const char *path, const char *queries,
                      int (*visit)(const char *, const struct stat *, int,
                                   struct FTW *))
{
    og_error err = {0};
    damage.path = path;
    damage.queries = queries;
    if (look(path, queries, OG_READ, &damage.expected, &err) != OG_OK)
        return tell(OG_ERR_STORE, &err);
    if (nftw(path, visit, 16, FTW_PHYS) != 0) return 1;
    printf("%" PRIu64 " tried, %" PRIu64 " told, %" PRIu64 " harmless, %" PRIu64
           " wrong\n",
           damage.n_tried, damage.n_reported, damage.n_same, damage.n_wrong);
    return damage.n_wrong == 0 ? 0 : 1;
}

/* ---- what a later version would write ---- */

static int run_newer(const char *path, long off, long len)
{
    uint8_t head[256] = {0};
    const int fd = open(path, O_RDWR);
    if (fd < 0 || pread(fd, head, sizeof(head), 0) < len) return 1;
    head[off]++;
    if (len > 0) og_store64(head + len, og_checksum(head, (size_t)len));
    const size_t n = (size_t)(len > 0 ? len + 8 : off + 1);
    const bool done = pwrite(fd, head, n, 0) == (ssize_t)n;
    close(fd);
    return done ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *mode = argc >= 4 ? argv[1] : "";
    if (strcmp(mode, "state") == 0) return run_state(argv[2], argv[3], OG_READ);
    if (strcmp(mode, "checkpoint") == 0)
        return run_state(argv[2], argv[3], OG_WRITE);
    if (strcmp(mode, "reference") == 0 && argc == 5)
        return run_reference(argv[2], argv[3], argv[4]);
    if (strcmp(mode, "flips") == 0 && argc == 6) {
        step = strtoull(argv[4], NULL, 10);
        next_byte = strtoull(argv[5], NULL, 10);
        return run_damage(argv[2], argv[3], flip_file);
    }
    if (strcmp(mode, "cuts") == 0 && argc == 5) {
        n_cuts = strtoull(argv[4], NULL, 10);
        return run_damage(argv[2], argv[3], cut_file);
    }
    if (strcmp(mode, "newer") == 0 && argc == 5)
        return run_newer(argv[2], atol(argv[3]), atol(argv[4]));
    fputs("usage: see the head of probe.c\n", stderr);
    return 2;
}
