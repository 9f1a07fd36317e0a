/* origo similar: which known files share content with a file.
 *
 *     paths -> og_files_walk -> og_files_ask -> one block of lines per file
 *
 * With -s :memory: every file is added after its answer, so that the files are
 * compared with each other; with an index on disk --add does so and saves
 * it. */

#include "options.h"
#include "print_string.h"
#include "say.h"

#include <errno.h>
#include <inttypes.h>
#include <origo/origo.h>
#include <stdlib.h>
#include <string.h>

struct similar_settings {
    const char *index;
    bool add, exit_code, ranges;
    int format; /* 0 text, 1 JSON */
    uint32_t n_samples, n_bits, n_candidates, n_wanted, n_threads;
    uint64_t chunk;
};

static void similar_defaults(void *settings)
{
    const og_files_options options = og_files_options_default();
    struct similar_settings *s = settings;
    s->n_samples = options.n_samples;
    s->n_bits = options.n_bits;
    s->n_candidates = (uint32_t)options.n_candidates;
    s->n_wanted = (uint32_t)options.n_wanted;
    s->chunk = options.cut.average_len;
}

#define AT(member) offsetof(struct similar_settings, member)

static const struct option similar_options[] = {
    {.group = "Index",
     .letter = 's',
     .name = "store",
     .type = &type_string,
     .offset = AT(index),
     .value = "INDEX",
     .unset = "$ORIGO_STORE, else ./origo.store",
     .brief = "the index of known files",
     .more = "A file that --add creates; ':memory:' is an index that lasts as "
             "long as the command."},
    {.group = "Index",
     .letter = 'a',
     .name = "add",
     .type = &type_flag,
     .offset = AT(add),
     .brief = "add each file after answering it",
     .more = "Implied by -s :memory:, where the files are compared with one "
             "another."},
    {.group = "Output",
     .letter = 'n',
     .name = "count",
     .type = &type_count,
     .offset = AT(n_wanted),
     .value = "N",
     .brief = "maximum answers per file"},
    {.group = "Output",
     .name = "chunks",
     .type = &type_flag,
     .offset = AT(ranges),
     .brief = "show the shared byte ranges of the file"},
    {.group = "Output",
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(format),
     .value = "FORM",
     .choices = "text|json",
     .brief = "text or json",
     .more = "json writes one object per file, each on a line."},
    EXIT_CODE_OPTION(AT, exit_code, "something was found"),
    {.group = "A new index",
     .name = "samples",
     .type = &type_count,
     .offset = AT(n_samples),
     .value = "N",
     .brief = "samples per file, 1 to 64"},
    {.group = "A new index",
     .name = "bits",
     .type = &type_count,
     .offset = AT(n_bits),
     .value = "N",
     .brief = "bits per sample, 1 to 16"},
    {.group = "A new index",
     .name = "chunk",
     .type = &type_size,
     .offset = AT(chunk),
     .value = "SIZE",
     .brief = "average length of a chunk"},
    {.group = "Work",
     .name = "candidates",
     .type = &type_count,
     .offset = AT(n_candidates),
     .value = "N",
     .brief = "maximum files whose chunks are compared"},
    THREADS_OPTION(AT, n_threads, "Work", NULL),
};

struct similar_run {
    const struct similar_settings *settings;
    og_files *files;
    const char *path;
    bool add, found, failed;
};

/* ---- answers ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void print_json(const struct similar_run *run, const char *path,
                       const og_files_answer *a)
{
    printf("{\"origo\":1,\"file\":");
    print_json_string(stdout, (og_bytes){path, strlen(path)});
    printf(",\"bytes\":%" PRIu64 ",\"chunks\":%zu,\"similar\":[", a->file_len,
           a->n_chunks);
    for (size_t i = 0; i < a->n_matches; i++) {
        const og_files_match *m = &a->matches[i];
        printf("%s{\"file\":", i == 0 ? "" : ",");
        print_json_string(stdout, (og_bytes){m->name, strlen(m->name)});
        printf(",\"matches\":%u,\"samples\":%u,\"estimated\":%.4f,"
               "\"jaccard\":%.4f,\"shared_bytes\":%" PRIu64
               ",\"shared_chunks\":%zu",
               m->n_matches, m->n_samples, m->estimated, m->jaccard,
               m->shared_len, m->n_shared_chunks);
        if (run->settings->ranges) {
            printf(",\"shared\":[");
            for (size_t k = 0; k < m->n_shared; k++)
                printf("%s[%" PRIu64 ",%" PRIu64 "]", k == 0 ? "" : ",",
                       m->shared[k].begin, m->shared[k].end);
            putchar(']');
        }
        putchar('}');
    }
    printf("]}\n");
}

static void print_text(const struct similar_run *run, const char *path,
                       const og_files_answer *a)
{
    print_name(path);
    printf(": %" PRIu64 " bytes, %zu chunks\n", a->file_len, a->n_chunks);
    if (a->n_matches == 0) printf("  nothing known is similar\n");
    for (size_t i = 0; i < a->n_matches; i++) {
        const og_files_match *m = &a->matches[i];
        printf("  %5.1f %%  ", 100 * share(m->shared_len, a->file_len));
        print_name(m->name);
        printf("  (%" PRIu64 " bytes, %zu chunks; Jaccard %.2f, "
               "estimated %.2f from %u of %u)\n",
               m->shared_len, m->n_shared_chunks, m->jaccard, m->estimated,
               m->n_matches, m->n_samples);
        for (size_t k = 0; run->settings->ranges && k < m->n_shared; k++)
            printf("           %" PRIu64 "-%" PRIu64 "\n", m->shared[k].begin,
                   m->shared[k].end);
    }
}

static bool on_file(void *ctx, const char *path)
{
    struct similar_run *run = ctx;
    const og_files_answer *answer;
    og_error err = {0};
    const og_status status =
        og_files_ask(run->files, path, run->add, &answer, &err);
    if (status != OG_OK) {
        say("%s", err.message);
        run->failed = true;
        return status == OG_ERR_INPUT || status == OG_ERR_IO;
    }
    run->found = run->found || answer->n_matches > 0;
    if (run->settings->format == 1)
        print_json(run, path, answer);
    else
        print_text(run, path, answer);
    if (ferror(stdout)) stdout_failed(errno);
    return !ferror(stdout);
}

static bool on_failed(void *ctx, const char *path, const char *why)
{
    struct similar_run *run = ctx;
    say("cannot read '%s': %s", path, why);
    run->failed = true;
    return true;
}

/* ---- the command ---- */

static const char *index_path(const struct similar_settings *s)
{
    const char *path = s->index != NULL ? s->index : getenv("ORIGO_STORE");
    return path != NULL && path[0] != '\0' ? path : "./origo.store";
}

static int ask_all(struct similar_run *run, const char *const *paths, size_t n)
{
    og_error err = {0};
    const og_status status =
        og_files_walk(paths, n, run, on_file, on_failed, &err);
    if (status != OG_OK && status != OG_ERR_STOPPED)
        return say_error("files similar", &err);
    if (run->failed) return EXIT_IO;
    return run->settings->exit_code && run->found ? EXIT_FOUND : EXIT_DONE;
}

static int similar_run(const void *settings, const char *const *paths, size_t n)
{
    const struct similar_settings *s = settings;
    struct similar_run run = {.settings = s, .path = index_path(s)};
    og_files_options options = og_files_options_default();
    og_error err = {0};
    if (s->chunk > UINT32_MAX)
        return say_usage("files similar",
                         "--chunk: a chunk has less than 4 GiB");
    run.add = s->add || strcmp(run.path, ":memory:") == 0;
    options.cut = og_cut_options_default(OG_CUT_GEAR, (uint32_t)s->chunk);
    options.n_samples = s->n_samples;
    options.n_bits = s->n_bits;
    options.n_candidates = s->n_candidates;
    options.n_wanted = s->n_wanted;
    options.n_threads = s->n_threads;
    if (og_files_open(run.path, run.add ? OG_CREATE : OG_READ, &options,
                      &run.files, &err) != OG_OK)
        return say_error("files similar", &err);
    const int status = ask_all(&run, paths, n);
    if (og_files_close(run.files, &err) != OG_OK)
        return say_error("files similar", &err);
    return status;
}

const struct command command_similar = {
    .name = "files similar",
    .alias = "similar",
    .operands = "FILE...",
    .brief = "find known files that share content with a file",
    .about =
        "Cuts each FILE (or the files of a folder) into content-defined chunks "
        "and lists the known files that share them, under whatever name, with "
        "the similarity that samples estimate and the exact one.\n\n"
        "Each answer begins with the share of the bytes of the file that the "
        "other file also has. Jaccard is the number of common chunks divided "
        "by the number of chunks in either file.",
    .examples = "  origo files similar -s :memory: drafts/\n"
                "  origo files similar -s files.index --add archive/\n"
                "  origo files similar -s files.index --chunks report.odt\n",
    .options = similar_options,
    .n_options = sizeof(similar_options) / sizeof(similar_options[0]),
    .settings_len = sizeof(struct similar_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; a folder means all its files",
    .defaults = similar_defaults,
    .run = similar_run,
};
