/* The destination of a report; see outlet.h. */

#define _GNU_SOURCE /* fopencookie */

#include "lib/report/outlet.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static og_status hold(struct og_outlet *o, og_error *err)
{
    o->file = open_memstream(&o->held, &o->held_len);
    if (o->file == NULL) return og_error_memory(err, 0, "a report");
    o->own_file = true;
    og_writer_init(&o->w, og_write_file, o->file);
    return OG_OK;
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
    if (o->to_stdout && holds) return hold(o, err);
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

static og_status pass_held(struct og_outlet *o, og_error *err)
{
    const bool is_whole = fclose(o->file) == 0;
    o->file = NULL;
    o->own_file = false;
    if (!is_whole) return og_error_memory(err, o->held_len, "a report");
    const bool is_written =
        fwrite(o->held, 1, o->held_len, stdout) == o->held_len &&
        fflush(stdout) == 0;
    const int error = errno;
    free(o->held);
    o->held = NULL;
    if (is_written) return OG_OK;
    og_file_failure(err, "write", "stdout", error);
    errno = error;
    return OG_ERR_IO;
}

og_status og_outlet_pass(struct og_outlet *o, og_error *err)
{
    if (!o->to_stdout || !o->own_file) return OG_OK;
    TRY(og_writer_finish(&o->w, err));
    TRY(pass_held(o, err));
    return hold(o, err);
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
    TRY(og_writer_finish(&o->w, err));
    if (!o->own_file) return OG_OK;
    if (o->to_stdout) return pass_held(o, err);
    o->own_file = false;
    if (fclose(o->file) != 0)
        return og_file_failure(err, "write", o->path, errno);
    TRY(rename_to(o, path, err));
    return og_new_file_commit(&o->new_file, err);
}

void og_outlet_discard(struct og_outlet *o)
{
    if (o->own_file) fclose(o->file);
    free(o->held);
    free(o->path);
    og_new_file_discard(&o->new_file);
    memset(o, 0, sizeof(*o));
    o->new_file.fd = o->new_file.copy_to = -1;
}
