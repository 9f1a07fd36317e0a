/* Outputs of one file or of many; see output.h. */

#define _GNU_SOURCE /* fopencookie */

#include "lib/disk/output.h"

#include "lib/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARD_LEN ((uint64_t)256 << 20)

/* All are open at the same time, and a process has 1,024 descriptors. */
enum { MOST_SHARDS = 512 };

bool og_is_shards(const char *path)
{
    const size_t len = path != NULL ? strlen(path) : 0;
    return len > 0 && path[len - 1] == '/';
}

char *og_shards_name(const char *path)
{
    char *name = strdup(path);
    size_t len = name != NULL ? strlen(name) : 0;
    while (len > 1 && name[len - 1] == '/')
        name[--len] = '\0';
    return name;
}

/* ---- opening ---- */

static og_status open_file(struct og_shards *s, const char *path, og_error *err)
{
    struct og_new_file file;
    if (!OG_GROW(NULL, s->files, s->files_cap, s->n_files + 1))
        return og_error_memory(err, sizeof(file), "an output");
    if (s->is_private)
        TRY(og_output_open_private(&file, path, err));
    else
        TRY(og_output_open(&file, path, false, err));
    TRY(og_new_file_pack(&file, s->packing, path, err));
    s->files[s->n_files++] = file;
    return OG_OK;
}

static og_status open_shard(struct og_shards *s, og_error *err)
{
    static const char *const endings[] = {
        [OG_PACKING_NONE] = "",
        [OG_PACKING_GZIP] = ".gz",
        [OG_PACKING_ZSTD] = ".zst",
    };
    char *path;
    if (asprintf(&path, "%spart-%05zu.jsonl%s", s->folder, s->n_files,
                 endings[s->packing]) < 0)
        return og_error_memory(err, strlen(s->folder), "a file name");
    const og_status status = open_file(s, path, err);
    free(path);
    return status;
}

/* Shards of another run would be taken for shards of this one. */
static og_status check_folder(const char *folder, og_error *err)
{
    og_status status = OG_OK;
    const struct dirent *item;
    DIR *dir = opendir(folder);
    if (dir == NULL) return og_file_failure(err, "write", folder, errno);
    while (status == OG_OK && (item = readdir(dir)) != NULL)
        if (strncmp(item->d_name, "part-", 5) == 0)
            status = og_error_set(err, OG_ERR_IO,
                                  "'%s' holds parts already ('%.200s'); name "
                                  "another folder, or remove them",
                                  folder, item->d_name);
    closedir(dir);
    return status;
}

static og_status open_folder(struct og_shards *s, og_error *err)
{
    s->made_folder = mkdir(s->folder, 0777) == 0;
    if (!s->made_folder && errno != EEXIST)
        return og_file_failure(err, "make", s->folder, errno);
    TRY(check_folder(s->folder, err));
    const uint32_t n = s->n_shards != 0 ? s->n_shards : 1;
    for (uint32_t i = 0; i < n; i++)
        TRY(open_shard(s, err));
    return OG_OK;
}

static og_status open_shards(struct og_shards *s, const char *path,
                             og_error *err)
{
    if (!og_is_shards(path))
        return s->n_shards == 0
                   ? open_file(s, path, err)
                   : og_error_set(err, OG_ERR_USAGE,
                                  "shards need a folder: '%s/', not '%s'", path,
                                  path);
    if (s->n_shards > MOST_SHARDS)
        return og_error_set(err, OG_ERR_USAGE, "%u shards: must be 1 to %d",
                            (unsigned)s->n_shards, MOST_SHARDS);
    if (s->packing == OG_PACKING_AUTO) s->packing = OG_PACKING_NONE;
    s->folder = strdup(path);
    if (s->folder == NULL)
        return og_error_memory(err, strlen(path), "a file name");
    return open_folder(s, err);
}

og_status og_shards_open(struct og_shards *s, const char *path,
                         const og_output_options *options, og_error *err)
{
    const uint64_t len = options->shard_len;
    *s = (struct og_shards){.packing = options->packing,
                            .is_private = options->is_private,
                            .n_shards = options->n_shards,
                            .shard_len = len != 0 ? len : SHARD_LEN};
    const og_status status = open_shards(s, path, err);
    if (status != OG_OK) og_shards_discard(s);
    return status;
}

og_status og_shards_open_part(struct og_shards *s, const char *path,
                              og_packing packing, enum og_part_state state,
                              uint64_t len, og_error *err)
{
    struct og_new_file file;
    *s = (struct og_shards){.packing = packing};
    if (og_is_shards(path))
        return og_error_set(
            err, OG_ERR_USAGE,
            "a run that writes the folder '%s' cannot be resumed", path);
    if (!OG_GROW(NULL, s->files, s->files_cap, 1))
        return og_error_memory(err, sizeof(file), "an output");
    og_status status = og_output_open_part(&file, path, state, len, err);
    if (status == OG_OK) status = og_new_file_pack(&file, packing, path, err);
    if (status == OG_OK)
        s->files[s->n_files++] = file;
    else
        og_shards_discard(s);
    return status;
}

/* ---- records ---- */

og_status og_shards_next(struct og_shards *s, struct og_new_file **out,
                         og_error *err)
{
    if (s->n_shards != 0) {
        s->current = (size_t)(s->n_records++ % s->n_shards);
    } else if (s->folder != NULL && s->files[s->current].len >= s->shard_len) {
        TRY(open_shard(s, err));
        s->current++;
    }
    *out = &s->files[s->current];
    return OG_OK;
}

og_status og_shards_sync(struct og_shards *s, og_error *err)
{
    for (size_t i = 0; i < s->n_files; i++)
        TRY(og_new_file_sync(&s->files[i], err));
    return OG_OK;
}

uint64_t og_shards_len(const struct og_shards *s)
{
    return s->n_files > 0 ? s->files[0].file_len : 0;
}

/* ---- the end ---- */

static void release_shards(struct og_shards *s)
{
    OG_UNGROW(NULL, s->files, s->files_cap);
    free(s->folder);
    *s = (struct og_shards){0};
}

og_status og_shards_commit(struct og_shards *s, og_error *err)
{
    for (size_t i = 0; i < s->n_files; i++)
        TRY(og_new_file_commit(&s->files[i], err));
    release_shards(s);
    return OG_OK;
}

void og_shards_discard(struct og_shards *s)
{
    for (size_t i = 0; i < s->n_files; i++)
        og_new_file_discard(&s->files[i]);
    if (s->made_folder) (void)rmdir(s->folder);
    release_shards(s);
}

void og_shards_leave(struct og_shards *s)
{
    for (size_t i = 0; i < s->n_files; i++)
        og_new_file_leave(&s->files[i]);
    release_shards(s);
}

/* ---- public API ---- */

struct og_output {
    struct og_shards shards;
    struct og_new_file *current;
    FILE *file;   /* stdout, or one whose bytes go to `current` */
    og_error err; /* the first failure: after it nothing is written */
    int err_errno;
};

static void note_failure(og_output *o)
{
    o->err_errno = errno != 0 ? errno : EIO;
}

static ssize_t write_bytes(void *ctx, const char *data, size_t len)
{
    og_output *o = ctx;
    /* After the end, the remaining bytes are discarded. */
    if (o->current == NULL) return (ssize_t)len;
    if (o->err.status == OG_OK) {
        errno = 0;
        if (og_new_file_write(o->current, data, len, &o->err) == OG_OK)
            return (ssize_t)len;
        note_failure(o);
    }
    errno = o->err_errno; /* for the message of whoever prints */
    return 0;
}

static og_status open_stream(og_output *o, const char *path,
                             const og_output_options *options, og_error *err)
{
    const cookie_io_functions_t functions = {.write = write_bytes};
    TRY(og_shards_open(&o->shards, path, options, err));
    o->current = &o->shards.files[0];
    o->file = fopencookie(o, "w", functions);
    return o->file != NULL ? OG_OK : og_error_memory(err, 1, "an output");
}

og_status og_output_new(const char *path, const og_output_options *options,
                        og_output **out, og_error *err)
{
    const og_output_options none = {0};
    if (options == NULL) options = &none;
    if (path == NULL) path = "-";
    og_output *o = og_allocate_zero(NULL, sizeof(*o));
    if (o == NULL) return og_error_memory(err, sizeof(*o), "an output");
    if (strcmp(path, "-") == 0 && options->packing <= OG_PACKING_NONE &&
        options->n_shards == 0) {
        o->file = stdout;
        *out = o;
        return OG_OK;
    }
    const og_status status = open_stream(o, path, options, err);
    if (status == OG_OK)
        *out = o;
    else
        og_output_free(o);
    return status;
}

FILE *og_output_file(og_output *output)
{
    return output->file;
}

/* Everything printed so far to the file. A write that failed before is a
 * failure here, too: what fflush() finds in the buffer is not all of it. */
static og_status flush_stream(og_output *o, og_error *err)
{
    errno = 0;
    if (fflush(o->file) == 0 && !ferror(o->file)) return OG_OK;
    if (o->err.status == OG_OK) {
        note_failure(o);
        og_file_failure(&o->err, "write",
                        o->file == stdout ? "stdout" : o->current->path,
                        o->err_errno);
    }
    return og_error_pass(err, &o->err);
}

og_status og_output_next(og_output *o, og_error *err)
{
    if (o->shards.folder == NULL) return OG_OK;
    TRY(flush_stream(o, err));
    const og_status status = og_shards_next(&o->shards, &o->current, &o->err);
    if (status == OG_OK) return OG_OK;
    /* A shard is missing: the others must not get their names. */
    note_failure(o);
    o->current = &o->shards.files[o->shards.current];
    return og_error_pass(err, &o->err);
}

og_status og_output_commit(og_output *o, og_error *err)
{
    TRY(flush_stream(o, err));
    if (o->file == stdout) return OG_OK;
    if (o->err.status != OG_OK) return og_error_pass(err, &o->err);
    return og_shards_commit(&o->shards, err);
}

void og_output_free(og_output *o)
{
    if (o == NULL) return;
    if (o->file != NULL && o->file != stdout) {
        o->current = NULL;
        (void)fclose(o->file);
    }
    og_shards_discard(&o->shards);
    og_release(NULL, o, sizeof(*o));
}
