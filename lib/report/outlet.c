/* The destination of a report; see outlet.h. */

#define _GNU_SOURCE /* fopencookie */

#include "lib/report/outlet.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than this is freed when it has been passed on. Less is kept: the answers
 * of one block are about as long as those of the next one, and fresh memory
 * costs more than copying into it. */
#define KEEP_HELD ((size_t)8 << 20)

static int hold_bytes(void *ctx, const char *data, size_t len)
{
    struct og_pack *held = ctx;
    og_pack_bytes(held, data, len);
    return held->failed ? ENOMEM : 0;
}

static ssize_t write_bytes(void *ctx, const char *data, size_t len)
{
    struct og_new_file *file = ctx;
    og_error err = {0};
    errno = 0;
    if (og_new_file_write(file, data, len, &err) == OG_OK) return (ssize_t)len;
    if (errno == 0) errno = EIO;
    return 0;
}

og_status og_outlet_reopen(struct og_outlet *o, og_error *err)
{
    const cookie_io_functions_t functions = {.write = write_bytes};
    TRY(og_output_open(&o->new_file, o->path, false, err));
    TRY(og_new_file_pack(&o->new_file, OG_PACKING_AUTO, o->path, err));
    o->file = fopencookie(&o->new_file, "w", functions);
    o->own_file = o->file != NULL;
    og_writer_init(&o->w, og_write_file, o->file);
    return o->file != NULL ? OG_OK : og_error_memory(err, 1, "a report");
}

og_status og_outlet_open(struct og_outlet *o, const char *path, bool holds,
                         og_error *err)
{
    memset(o, 0, sizeof(*o));
    o->new_file.fd = o->new_file.copy_to = -1;
    o->to_stdout = path == NULL || strcmp(path, "-") == 0;
    o->holds = o->to_stdout && holds;
    if (o->holds) {
        og_writer_init(&o->w, hold_bytes, &o->held);
        return OG_OK;
    }
    if (o->to_stdout) {
        o->file = stdout;
        og_writer_init(&o->w, og_write_file, o->file);
        return OG_OK;
    }
    o->path = strdup(path);
    if (o->path == NULL) return og_error_memory(err, strlen(path), "a report");
    return og_outlet_reopen(o, err);
}

void og_outlet_use(struct og_outlet *o, og_write_fn *write, void *ctx)
{
    memset(o, 0, sizeof(*o));
    o->new_file.fd = o->new_file.copy_to = -1;
    og_writer_init(&o->w, write, ctx);
}

og_status og_outlet_pass(struct og_outlet *o, og_error *err)
{
    struct og_pack *held = &o->held;
    if (!o->holds) return OG_OK;
    if (og_writer_finish(&o->w, err) != OG_OK)
        return og_error_memory(err, held->len, "a report");
    const bool is_written = (held->len == 0 || fwrite(held->data, 1, held->len,
                                                      stdout) == held->len) &&
                            fflush(stdout) == 0;
    const int error = errno;
    held->len = 0;
    if (held->cap > KEEP_HELD) og_pack_release(held);
    if (is_written) return OG_OK;
    og_file_failure(err, "write", "stdout", error);
    errno = error;
    return OG_ERR_IO;
}

const char *og_outlet_target(const struct og_outlet *o)
{
    return o->new_file.temp_path != NULL ? o->new_file.path : NULL;
}

/* The file being written gets another name than it was opened for. */
static og_status rename_to(struct og_outlet *o, const char *path, og_error *err)
{
    char *copy = path != NULL ? strdup(path) : NULL;
    if (path == NULL) return OG_OK;
    if (copy == NULL) return og_error_memory(err, strlen(path), "a report");
    free(o->new_file.path);
    o->new_file.path = copy;
    return OG_OK;
}

og_status og_outlet_commit(struct og_outlet *o, const char *path, og_error *err)
{
    if (o->holds) return og_outlet_pass(o, err);
    TRY(og_writer_finish(&o->w, err));
    if (!o->own_file) return OG_OK;
    o->own_file = false;
    if (fclose(o->file) != 0)
        return og_file_failure(err, "write", o->path, errno);
    TRY(rename_to(o, path, err));
    return og_new_file_commit(&o->new_file, err);
}

void og_outlet_discard(struct og_outlet *o)
{
    if (o->own_file) fclose(o->file);
    og_pack_release(&o->held);
    free(o->path);
    og_new_file_discard(&o->new_file);
    memset(o, 0, sizeof(*o));
    o->new_file.fd = o->new_file.copy_to = -1;
}
