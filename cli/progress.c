/* The progress bar, the problems and the summary; see progress.h.
 *
 * The bar is drawn at most five times a second, only on a terminal, and erased
 * before anything else is written there. It counts bytes of text; its share,
 * and so the remaining time, is of bytes on disk: compressed files count by
 * their compressed length, so no file need be read twice. */

#define _GNU_SOURCE /* nftw */

#include "progress.h"

#include "say.h"

#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROBLEMS = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the size of the input ---- */

static uint64_t walked_bytes; /* nftw() has no argument for its callback */

static int add_size(const char *path, const struct stat *st, int kind,
                    struct FTW *ftw)
{
    (void)path, (void)ftw;
    if (kind == FTW_F && S_ISREG(st->st_mode))
        walked_bytes += (uint64_t)st->st_size;
    return 0;
}

/* 0 if one of them is a pipe, whose length is unknown. */
static uint64_t input_bytes(const char *const *paths, size_t n_paths)
{
    walked_bytes = 0;
    for (size_t i = 0; i < n_paths; i++) {
        struct stat st;
        if (strcmp(paths[i], "-") == 0) return 0;
        if (stat(paths[i], &st) != 0) continue;
        if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return 0;
        nftw(paths[i], add_size, 16, 0);
    }
    return walked_bytes;
}

void progress_start(struct progress *p, const char *const *paths,
                    size_t n_paths, bool quiet, bool verbose)
{
    memset(p, 0, sizeof(*p));
    p->bar = !quiet && isatty(STDERR_FILENO);
    p->verbose = verbose;
    p->start = p->step_start = p->pass_start = now();
    if (p->bar) p->total_bytes = input_bytes(paths, n_paths);
}

void progress_prints(struct progress *p)
{
    if (isatty(STDOUT_FILENO)) p->bar = false;
}

double progress_seconds(const struct progress *p)
{
    return now() - p->start;
}

/* ---- the bar ---- */

/* Not at once: short runs need none. */
static const double FIRST_SECONDS = 0.3, SECONDS = 0.2;

static void wipe_bar(struct progress *p)
{
    if (p->bar_is_shown) fputs("\r\033[K", stderr);
    p->bar_is_shown = false;
}

/* Whether it is time to draw it, at `at`. */
static bool begin_bar(struct progress *p, double at)
{
    if (!p->bar || at - p->last_shown < SECONDS ||
        at - p->start < FIRST_SECONDS)
        return false;
    p->last_shown = at;
    wipe_bar(p);
    p->bar_is_shown = true;
    return true;
}

static void draw_bar(double share)
{
    enum { CELLS = 24 };
    const int full = (int)(share * CELLS);
    char cells[CELLS + 1];
    for (int i = 0; i < CELLS; i++)
        cells[i] = i < full ? '#' : '.';
    cells[CELLS] = '\0';
    fprintf(stderr, "[%s] %3d %%  ", cells, (int)(share * 100));
}

/* `seconds` were needed for this share. */
static void draw_time_left(double seconds, double share)
{
    const unsigned long s = (unsigned long)(seconds / share * (1 - share));
    fprintf(stderr, ", %lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
}

static double share_of(uint64_t done, uint64_t total)
{
    if (total == 0) return 0;
    return done < total ? (double)done / (double)total : 1;
}

/* A second pass over the input counts from 0 again. */
static void note_pass(struct progress *p, const og_stream_counts *counts,
                      double at)
{
    if (counts->n_documents < p->n_shown) p->pass_start = at;
    p->n_shown = counts->n_documents;
}

void progress_show(struct progress *p, const char *step,
                   const og_stream_counts *counts)
{
    const double at = now();
    note_pass(p, counts, at);
    if (!begin_bar(p, at)) return;
    const double seconds = at - p->pass_start;
    const double text = (double)counts->n_text_bytes;
    /* The reference input has a length of its own. */
    const uint64_t total = strcmp(step, "against") == 0 ? 0 : p->total_bytes;
    const double share = share_of(counts->n_input_bytes, total);
    if (total != 0) draw_bar(share);
    if (strcmp(step, "documents") != 0) fprintf(stderr, "%s: ", step);
    fprintf(stderr, "%llu documents, %.1f MB of text",
            (unsigned long long)counts->n_documents, text / 1e6);
    if (seconds > 0) fprintf(stderr, ", %.1f MB/s", text / 1e6 / seconds);
    if (share > 0 && seconds > 0) draw_time_left(seconds, share);
    fflush(stderr);
}

void progress_step(struct progress *p, const char *what, uint64_t done,
                   uint64_t total)
{
    const double at = now();
    if (done == 0) p->step_start = at;
    if (!begin_bar(p, at)) return;
    const double share = share_of(done, total);
    if (total != 0) draw_bar(share);
    fprintf(stderr, "%s", what);
    if (total == 0 && done != 0)
        fprintf(stderr, " %llu", (unsigned long long)done);
    if (share > 0) draw_time_left(at - p->step_start, share);
    fflush(stderr);
}

/* ---- problems ---- */

/* "cannot open 'a.jsonl': ..." needs no file name before it. */
static bool names_its_file(const og_problem *problem)
{
    char quoted[512];
    snprintf(quoted, sizeof(quoted), "'%.*s'", (int)problem->file.len,
             problem->file.data);
    return strstr(problem->message, quoted) != NULL;
}

/* The library does not know about options. */
static bool is_too_long(const og_problem *problem)
{
    return strncmp(problem->message, "the record is longer than", 25) == 0 ||
           strncmp(problem->message, "the page needs more than", 24) == 0;
}

void progress_problem(struct progress *p, const og_problem *problem)
{
    if (p->n_problems++ >= MOST_PROBLEMS && !p->verbose) return;
    wipe_bar(p);
    const char *skipped = !problem->skipped ? ""
                          : is_too_long(problem)
                              ? " (skipped; --max-document sets the limit)"
                              : " (skipped)";
    const int len = (int)problem->file.len;
    const char *file = problem->file.data;
    if (problem->line != 0)
        say("%.*s:%llu: %s%s", len, file, (unsigned long long)problem->line,
            problem->message, skipped);
    else if (problem->offset != 0)
        say("%.*s: byte %llu: %s%s", len, file,
            (unsigned long long)problem->offset, problem->message, skipped);
    else if (names_its_file(problem))
        say("%s", problem->message);
    else
        say("%.*s: %s%s", len, file, problem->message, skipped);
}

void progress_end(struct progress *p)
{
    wipe_bar(p);
    if (p->n_problems > MOST_PROBLEMS && !p->verbose)
        say("%llu more problems, -v shows them all",
            (unsigned long long)(p->n_problems - MOST_PROBLEMS));
}

/* ---- an input that reports on itself ---- */

static void on_problem(void *ctx, const og_problem *problem)
{
    progress_problem(ctx, problem);
}

/* Steps that read no bytes are counted. */
static void on_progress(void *ctx, const char *step,
                        const og_stream_counts *counts)
{
    if (counts->n_input_bytes != 0)
        progress_show(ctx, step, counts);
    else
        progress_step(ctx, step, counts->n_documents, 0);
}

og_input progress_input(struct progress *p, const char *const *paths,
                        size_t n_paths, bool quiet, bool verbose)
{
    og_input input = og_input_default();
    progress_start(p, paths, n_paths, quiet, verbose);
    input.paths = paths;
    input.n_paths = n_paths;
    input.ctx = p;
    input.on_problem = on_problem;
    input.on_progress = on_progress;
    return input;
}

/* ---- the summary ---- */

struct line {
    char text[512];
    size_t len;
};

static void add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t room = sizeof(line->text) - line->len;
    const int n = vsnprintf(line->text + line->len, room, format, args);
    va_end(args);
    if (n > 0) line->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void add_count(struct line *line, uint64_t n, const char *one,
                      const char *many)
{
    if (n == 0) return;
    add(line, ", %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static double table_fill(const og_store_info *info)
{
    if (info->n_slots == 0) return 0;
    return 100 * (double)info->n_slots_used / (double)info->n_slots;
}

static void say_texts_gone(const og_store_info *info)
{
    if (info->text_bytes_gone == 0) return;
    say("%.1f MB of compressed texts did not fit into --memory; their "
        "documents were matched by fingerprint alone",
        (double)info->text_bytes_gone / 1e6);
}

void progress_summary(const struct progress *p, const og_stream_counts *c,
                      const og_store *store)
{
    struct line line = {.len = 0};
    struct rusage usage = {0};
    og_store_info info = {0};
    /* If both go to one place, results come first. An error remains with stdout
     * and is reported when the command ends. */
    fflush(stdout);
    getrusage(RUSAGE_SELF, &usage);
    const double seconds = now() - p->start;
    const double bytes = (double)c->n_text_bytes;
    add(&line, "%llu %s, %llu %s", (unsigned long long)c->n_documents,
        c->n_documents == 1 ? "document" : "documents",
        (unsigned long long)c->n_tokens, c->n_tokens == 1 ? "token" : "tokens");
    add_count(&line, c->n_skipped, "skipped", "skipped");
    add_count(&line, c->n_short, "too short to keep", "too short to keep");
    add_count(&line, c->n_known, "there already", "there already");
    add_count(&line, c->n_repaired, "repaired", "repaired");
    add_count(&line, c->n_repeated_ids, "repeated id", "repeated ids");
    add_count(&line, c->n_bad_times, "bad time", "bad times");
    add_count(&line, c->n_files_failed, "file failed", "files failed");
    /* A rate for less would be meaningless. */
    if (bytes >= 1e6 && seconds > 0)
        add(&line, ", %.1f MB/s", bytes / 1e6 / seconds);
    add(&line, ", peak memory %.0f MB", (double)usage.ru_maxrss * 1024 / 1e6);
    if (store != NULL) og_store_info_get(store, &info);
    if (store != NULL) add(&line, ", table %.1f %% full", table_fill(&info));
    say("%s", line.text);
    say_texts_gone(&info);
}
