/* The public interface of similar files: an index, queries by path, and answers
 * with the shared ranges of the queried file. */

#include "lib/similar/similar.h"

#include "lib/base/packing.h"
#include "lib/os/file.h"
#include "lib/os/output_lock.h"
#include "lib/source/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct og_files {
    struct og_similar *index;
    char *path; /* NULL: in memory */
    bool is_writable, is_changed;
    struct og_output_lock lock; /* held by the writer */
    og_files_options options;
    struct og_similar_answer found;
    struct og_file_chunks chunks;
    uint64_t *sorted; /* keys of one known file */
    size_t sorted_cap;
    og_files_match *matches;
    size_t matches_cap;
    og_range *ranges;
    size_t n_ranges, ranges_cap;
    og_files_answer answer;
};

og_files_options og_files_options_default(void)
{
    const struct og_file_sketch_options traits = OG_FILE_SKETCH_OPTIONS_DEFAULT;
    const struct og_similar_options ask = OG_SIMILAR_OPTIONS_DEFAULT;
    return (og_files_options){
        .cut = og_cut_options_default(OG_CUT_GEAR, 1024),
        .n_samples = traits.n_samples,
        .n_bits = traits.n_bits,
        .n_candidates = ask.n_candidates,
        .n_wanted = ask.n_wanted,
    };
}

/* An empty index, or the one in the file. */
static og_status open_index(og_files *files, og_access access, og_error *err)
{
    const struct og_file_sketch_options traits = {files->options.n_samples,
                                                  files->options.n_bits};
    struct stat st;
    const bool is_there = files->path != NULL && stat(files->path, &st) == 0;
    TRY(og_cut_options_check(&files->options.cut, err));
    if (is_there && S_ISDIR(st.st_mode))
        return og_error_set(err, OG_ERR_USAGE,
                            "'%s' is a folder: stores do not keep files "
                            "yet, give the file of an index",
                            files->path);
    if (files->path != NULL && !is_there && access != OG_CREATE)
        return og_error_set(err, OG_ERR_NO_STORE,
                            "there is no index of files '%s'", files->path);
    if (files->path != NULL && files->is_writable)
        TRY(og_output_lock(&files->lock, files->path, err));
    /* It may have appeared just before the lock was taken. */
    if (is_there || (files->path != NULL && stat(files->path, &st) == 0))
        return og_similar_read(files->path, NULL, &files->index, err);
    return og_similar_new(&traits, &files->options.cut, NULL, &files->index,
                          err);
}

static void free_files(og_files *files)
{
    og_output_unlock(&files->lock);
    og_name_release(NULL, files->path);
    og_similar_free(files->index);
    og_similar_answer_release(&files->found);
    og_file_chunks_release(&files->chunks);
    OG_UNGROW(NULL, files->sorted, files->sorted_cap);
    OG_UNGROW(NULL, files->matches, files->matches_cap);
    OG_UNGROW(NULL, files->ranges, files->ranges_cap);
    og_release(NULL, files, sizeof(*files));
}

og_status og_files_open(const char *path, og_access access,
                        const og_files_options *options, og_files **out,
                        og_error *err)
{
    const bool is_memory = strcmp(path, ":memory:") == 0;
    og_status status;
    og_files *files = og_allocate_zero(NULL, sizeof(*files));
    if (files == NULL)
        return og_error_memory(err, sizeof(*files), "an index of files");
    files->options = options == NULL ? og_files_options_default() : *options;
    files->is_writable = is_memory || access != OG_READ;
    files->lock.fd = -1;
    og_similar_answer_init(&files->found, NULL);
    og_file_chunks_init(&files->chunks, NULL);
    if (!is_memory) files->path = og_name_new(NULL, path, strlen(path));
    status = is_memory || files->path != NULL
                 ? open_index(files, access, err)
                 : og_error_memory(err, strlen(path), "a path");
    if (status == OG_OK)
        *out = files;
    else
        free_files(files);
    return status;
}

og_status og_files_commit(og_files *files, og_error *err)
{
    if (!files->is_changed || files->path == NULL) return OG_OK;
    TRY(og_similar_write(files->index, files->path, err));
    files->is_changed = false;
    return OG_OK;
}

og_status og_files_close(og_files *files, og_error *err)
{
    if (files == NULL) return OG_OK;
    const og_status status = og_files_commit(files, err);
    free_files(files);
    return status;
}

size_t og_files_count(const og_files *files)
{
    size_t n = 0;
    for (size_t i = 0; i < og_similar_n_files(files->index); i++)
        n += og_similar_file_at(files->index, i).name != NULL;
    return n;
}

/* ---- queries ---- */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The chunks that both have, with adjacent ones merged; appended to
 * `ranges`. */
static og_status find_ranges(og_files *files, const struct og_similar_file *f,
                             og_error *err)
{
    const struct og_file_chunks *own = &files->chunks;
    uint64_t off = 0;
    const size_t first = files->n_ranges;
    if (!OG_GROW(NULL, files->sorted, files->sorted_cap, f->n_chunks) ||
        !OG_GROW(NULL, files->ranges, files->ranges_cap,
                 files->n_ranges + own->n))
        return og_error_memory(err, own->n, "shared chunks");
    memcpy(files->sorted, f->keys, f->n_chunks * sizeof(*f->keys));
    qsort(files->sorted, f->n_chunks, sizeof(*f->keys), compare_keys);
    for (size_t i = 0; i < own->n; off += own->lens[i++]) {
        if (bsearch(&own->keys[i], files->sorted, f->n_chunks, sizeof(*f->keys),
                    compare_keys) == NULL)
            continue;
        if (files->n_ranges > first &&
            files->ranges[files->n_ranges - 1].end == off)
            files->ranges[files->n_ranges - 1].end += own->lens[i];
        else
            files->ranges[files->n_ranges++] =
                (og_range){off, off + own->lens[i]};
    }
    return OG_OK;
}

static og_status fill_answer(og_files *files, og_error *err)
{
    const size_t n = files->found.n;
    files->n_ranges = 0;
    if (!OG_GROW(NULL, files->matches, files->matches_cap, n + 1))
        return og_error_memory(err, n * sizeof(*files->matches), "an answer");
    for (size_t i = 0; i < n; i++) {
        const struct og_similar_match *m = &files->found.matches[i];
        const struct og_similar_file f =
            og_similar_file_at(files->index, m->file);
        const size_t first = files->n_ranges;
        TRY(find_ranges(files, &f, err));
        files->matches[i] = (og_files_match){
            .name = f.name,
            .file_len = f.len,
            .n_matches = m->n_matches,
            .n_samples = og_similar_sketches(files->index)->n_samples,
            .estimated = m->estimated,
            .jaccard = m->jaccard,
            .shared_len = m->shared_len,
            .n_shared = files->n_ranges - first,
            .n_shared_chunks = m->n_shared_chunks};
    }
    /* The array may have moved while it grew, so the pointers are set at the
     * end. */
    for (size_t i = 0, first = 0; i < n; first += files->matches[i++].n_shared)
        files->matches[i].shared = files->ranges + first;
    files->answer = (og_files_answer){.file_len = files->chunks.file_len,
                                      .n_chunks = files->chunks.n,
                                      .matches = files->matches,
                                      .n_matches = n};
    return OG_OK;
}

og_status og_files_ask(og_files *files, const char *path, bool add,
                       const og_files_answer **out, og_error *err)
{
    if (add && !files->is_writable)
        return og_error_set(err, OG_ERR_USAGE,
                            "the index '%s' is open for reading only",
                            files->path);
    TRY(og_file_chunks_read(&files->chunks, path,
                            og_similar_chunking(files->index),
                            files->options.n_threads, err));
    const struct og_similar_options ask = {
        .n_candidates = files->options.n_candidates,
        .n_wanted = files->options.n_wanted,
        .without = og_similar_find(files->index, path)};
    TRY(og_similar_ask(files->index, &files->chunks, &ask, &files->found, err));
    TRY(fill_answer(files, err));
    *out = &files->answer;
    if (!add) return OG_OK;
    files->is_changed = true;
    return og_similar_add(files->index, path, &files->chunks, err);
}

og_status og_files_walk(const char *const *paths, size_t n_paths, void *ctx,
                        bool (*on_file)(void *ctx, const char *path),
                        bool (*on_failed)(void *ctx, const char *path,
                                          const char *why),
                        og_error *err)
{
    struct og_walk walk;
    struct og_walk_entry entry;
    char text[128];
    og_status status;
    bool continues = true;
    og_walk_init(&walk, paths, n_paths, NULL);
    while (continues && (status = og_walk_next(&walk, &entry, err)) == OG_OK) {
        if (entry.kind == OG_WALK_FILE)
            continues = on_file(ctx, entry.path);
        else if (entry.kind == OG_WALK_STDIN)
            continues = on_file(ctx, "-");
        else if (entry.kind == OG_WALK_FAILED && on_failed != NULL)
            continues =
                on_failed(ctx, entry.path,
                          og_file_error_text(entry.error, text, sizeof(text)));
    }
    og_walk_release(&walk);
    if (!continues) return og_error_set(err, OG_ERR_STOPPED, "stopped");
    return status == OG_END ? OG_OK : status;
}
