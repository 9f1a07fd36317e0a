/* A folder into which files are put.
 *
 * The positions are the files that were read, each with its length and the time
 * of its last change: a changed file is read again, as a new version. A file
 * that was just written may be incomplete, so it is left for the next scan;
 * names that begin with a dot or end like those of unfinished files are
 * skipped. */

#include "following.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SETTLED = 2 }; /* seconds since its last change */

struct folder {
    struct follow_source base;
    char *path;
    uint64_t next_look; /* ms */
    og_error err;       /* of the current file */
    og_status status;
};

static bool has_ending(const char *name, const char *ending)
{
    const size_t len = strlen(name), n = strlen(ending);
    return len >= n && strcmp(name + len - n, ending) == 0;
}

static bool is_unfinished(const char *name)
{
    return name[0] == '.' || has_ending(name, ".tmp") ||
           has_ending(name, ".part") || has_ending(name, "~");
}

/* A time in the future is due to a wrong clock and not waited for. */
static bool is_settled(const struct stat *about)
{
    const time_t now = time(NULL);
    return about->st_mtime <= now - SETTLED || about->st_mtime > now + 60;
}

static void name_state(const struct stat *about, char out[64])
{
    snprintf(out, 64, "%jd %jd.%09ld", (intmax_t)about->st_size,
             (intmax_t)about->st_mtim.tv_sec, about->st_mtim.tv_nsec);
}

/* ---- one file ---- */

static bool take_document(void *ctx, const og_document *doc)
{
    struct folder *const folder = ctx;
    folder->status = follow_take(folder->base.following, doc, &folder->err);
    return folder->status == OG_OK;
}

static void pass_problem(void *ctx, const og_problem *problem)
{
    struct folder *const folder = ctx;
    char file[512];
    snprintf(file, sizeof(file), "%.*s", (int)problem->file.len,
             problem->file.data);
    follow_problem(folder->base.following, file, problem->line,
                   problem->skipped, "%s", problem->message);
}

static bool should_stop(void *ctx)
{
    const struct folder *const folder = ctx;
    return follow_should_stop(folder->base.following);
}

/* A file that cannot be read was reported as a problem; it is tried again once
 * it has changed. *out_is_read is false if we were stopped in the middle. */
static og_status read_file(struct folder *folder, const char *path,
                           bool *out_is_read, og_error *err)
{
    const struct follow_options *const o = folder->base.following->options;
    og_input input = og_input_default();
    og_stream_counts counts = {0};
    og_error wrong = {0};
    input.paths = &path;
    input.n_paths = 1;
    input.fields = *o->fields;
    input.reading = o->reading;
    input.reading.extra = true;
    input.max_document = o->max_document;
    input.n_threads = o->n_threads;
    input.ctx = folder;
    input.on_problem = pass_problem;
    input.should_stop = should_stop;
    folder->status = OG_OK;
    const og_status status =
        og_input_read(&input, take_document, folder, &counts, &wrong);
    folder->base.following->counts.n_files++;
    folder->base.following->counts.n_input_bytes += counts.n_input_bytes;
    folder->base.following->counts.n_files_failed += counts.n_files_failed;
    if (folder->status != OG_OK) {
        *err = folder->err;
        return folder->status;
    }
    *out_is_read = status != OG_ERR_STOPPED;
    if (!*out_is_read) return OG_OK;
    if (status == OG_OK || counts.is_reported) return OG_OK;
    *err = wrong;
    return status;
}

static og_status take_file(struct folder *folder, const FTSENT *entry,
                           bool *out_any, og_error *err)
{
    struct following *const f = folder->base.following;
    char state[64], *key = NULL;
    og_status status = OG_OK;
    if (!f->options->once && !is_settled(entry->fts_statp)) return OG_OK;
    if (asprintf(&key, "folder:%s", entry->fts_path) < 0)
        return follow_fail(err, OG_ERR_MEMORY, "cannot build the path of '%s'",
                           entry->fts_path);
    name_state(entry->fts_statp, state);
    const char *const known = positions_get(&f->positions, key);
    if (known == NULL || strcmp(known, state) != 0) {
        bool is_read = false;
        *out_any = true;
        status = read_file(folder, entry->fts_path, &is_read, err);
        if (status == OG_OK && is_read)
            status = follow_mark(f, key, state, err);
    }
    free(key);
    return status;
}

/* ---- all of them ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static og_status walk(struct folder *folder, FTS *tree, bool *out_any,
                      og_error *err)
{
    struct following *const f = folder->base.following;
    FTSENT *entry;
    og_status status = OG_OK;
    while (status == OG_OK && !follow_should_stop(f) &&
           (entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
            follow_problem(f, entry->fts_path, 0, false, "%s",
                           strerror(entry->fts_errno));
        else if (entry->fts_level > 0 && is_unfinished(entry->fts_name))
            (void)fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F)
            status = take_file(folder, entry, out_any, err);
    }
    return status;
}

static og_status poll_folder(struct follow_source *source, unsigned wait_ms,
                             bool *out_any, og_error *err)
{
    struct folder *const folder = (struct folder *)source;
    const struct follow_options *const o = source->following->options;
    char *const roots[] = {folder->path, NULL};
    (void)wait_ms;
    if (follow_now_ms() < folder->next_look) return OG_OK;
    FTS *const tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (tree == NULL)
        return follow_fail(err, OG_ERR_IO, "cannot read '%s': %s", folder->path,
                           strerror(errno));
    const og_status status = walk(folder, tree, out_any, err);
    fts_close(tree);
    if (!*out_any && !o->once)
        folder->next_look = follow_now_ms() + (uint64_t)o->interval * 1000;
    return status;
}

static void close_folder(struct follow_source *source)
{
    struct folder *const folder = (struct folder *)source;
    free(folder->path);
    free(folder);
}

og_status source_folder_open(struct following *f, const char *name,
                             struct follow_source **out, og_error *err)
{
    static const struct follow_source_kind kind = {.poll = poll_folder,
                                                   .close = close_folder};
    struct folder *folder;
    const og_status status = follow_allocate(sizeof(*folder), &folder, err);
    if (status != OG_OK) return status;
    folder->base = (struct follow_source){&kind, f, name};
    *out = &folder->base;
    folder->path = realpath(name, NULL);
    if (folder->path == NULL)
        return follow_fail(err, OG_ERR_IO, "cannot open '%s': %s", name,
                           strerror(errno));
    return OG_OK;
}
