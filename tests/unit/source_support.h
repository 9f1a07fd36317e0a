#ifndef OG_TESTS_SOURCE_SUPPORT_H
#define OG_TESTS_SOURCE_SUPPORT_H

/* What tests of lib/source share: files in a folder that goes away, packing,
 * and a whole run of a source written down as two strings, its documents and
 * its problems, so that two runs are compared at one stroke. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "lib/source/source.h"

#define UNUSED __attribute__((unused))

/* ---- strings ---- */

struct string {
    char *data; /* zero-terminated once something was added */
    size_t len, cap;
};

static UNUSED void string_add(struct string *s, const char *data, size_t len)
{
    /* Not the library's memory, which a test may let fail. */
    if (s->len + len + 1 > s->cap) {
        s->cap = 2 * (s->len + len + 1);
        s->data = realloc(s->data, s->cap);
        assert_non_null(s->data);
    }
    if (len > 0) memcpy(s->data + s->len, data, len);
    s->len += len;
    s->data[s->len] = 0;
}

static UNUSED void string_fp(struct string *s, const char *format, ...)
{
    char buffer[1024];
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(buffer, sizeof(buffer), format, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof(buffer));
    string_add(s, buffer, (size_t)len);
}

static UNUSED void string_release(struct string *s)
{
    free(s->data);
    *s = (struct string){0};
}

/* ---- a folder of its own ---- */

struct folder {
    char path[64];
    char last[200]; /* what folder_path() gave */
};

static UNUSED void folder_make(struct folder *f)
{
    strcpy(f->path, "/tmp/origo-test-XXXXXX");
    assert_non_null(mkdtemp(f->path));
}

static UNUSED void folder_remove(struct folder *f)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", f->path);
    assert_int_equal(system(command), 0);
}

/* Valid until the next call. */
static UNUSED const char *folder_path(struct folder *f, const char *name)
{
    snprintf(f->last, sizeof(f->last), "%s/%s", f->path, name);
    return f->last;
}

static UNUSED const char *folder_write(struct folder *f, const char *name,
                                       const void *data, size_t len)
{
    FILE *const file = fopen(folder_path(f, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    return f->last;
}

static UNUSED const char *folder_put(struct folder *f, const char *name,
                                     const char *text)
{
    return folder_write(f, name, text, strlen(text));
}

/* ---- packing ---- */

/* Appends one gzip member. */
static UNUSED void pack_gzip(struct string *out, const void *data, size_t len)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0),
                     Z_OK);
    const size_t bound = deflateBound(&z, len);
    unsigned char *const buffer = malloc(bound);
    assert_non_null(buffer);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)len;
    z.next_out = buffer;
    z.avail_out = (uInt)bound;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    string_add(out, (char *)buffer, z.total_out);
    deflateEnd(&z);
    free(buffer);
}

/* Appends one zstd frame; window_log 0: as the level wants. */
static UNUSED void pack_zstd(struct string *out, const void *data, size_t len,
                             int window_log)
{
    ZSTD_CCtx *const c = ZSTD_createCCtx();
    const size_t bound = ZSTD_compressBound(len);
    char *const buffer = malloc(bound);
    assert_non_null(c);
    assert_non_null(buffer);
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    if (window_log > 0) {
        /* As a stream that does not know its length, so that the window is
         * not cut to it. */
        ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
        ZSTD_inBuffer from = {data, len, 0};
        ZSTD_outBuffer to = {buffer, bound, 0};
        assert_false(
            ZSTD_isError(ZSTD_compressStream2(c, &to, &from, ZSTD_e_continue)));
        assert_int_equal(ZSTD_compressStream2(c, &to, &from, ZSTD_e_end), 0);
        string_add(out, buffer, to.pos);
    } else {
        const size_t n = ZSTD_compress2(c, buffer, bound, data, len);
        assert_false(ZSTD_isError(n));
        string_add(out, buffer, n);
    }
    ZSTD_freeCCtx(c);
    free(buffer);
}

/* ---- a run ---- */

struct run {
    struct string documents; /* "id|title|url|time|text|line|offset\n" */
    struct string problems;  /* "line:offset: message [skipped] [file]\n" */
    size_t n_documents, n_problems, n_blocks, n_files;
    size_t max_cap; /* the largest block */
    uint64_t n_input_bytes;
};

static UNUSED void run_release(struct run *run)
{
    string_release(&run->documents);
    string_release(&run->problems);
}

static UNUSED void note_document(struct run *run, const struct og_record *r)
{
    struct string *const s = &run->documents;
    const og_document *const d = &r->doc;
    string_add(s, d->id.data, d->id.len);
    string_fp(s, "|");
    string_add(s, d->title.data, d->title.len);
    string_fp(s, "|");
    string_add(s, d->url.data, d->url.len);
    if (d->has_time)
        string_fp(s, "|%lld|", (long long)d->time);
    else
        string_fp(s, r->bad_time ? "|bad|" : "|-|");
    string_add(s, d->text.data, d->text.len);
    string_fp(s, "|%llu|%llu\n", (unsigned long long)r->line,
              (unsigned long long)r->offset);
    run->n_documents++;
}

static UNUSED void note_problems(struct run *run, const struct og_block *block)
{
    for (size_t i = 0; i < block->n_problems; i++) {
        const struct og_source_problem *const p = &block->problems[i];
        string_fp(&run->problems, "%llu:%llu: %s%s%s\n",
                  (unsigned long long)p->line, (unsigned long long)p->offset,
                  p->message, p->skipped ? " [skipped]" : "",
                  p->whole_file ? " [file]" : "");
        run->n_problems++;
    }
}

static UNUSED void run_source(const char *const *paths, size_t n_paths,
                              const struct og_source_options *options,
                              struct run *run)
{
    struct og_source *source;
    struct og_block block;
    og_error err;
    og_status status;
    memset(run, 0, sizeof(*run));
    string_add(&run->documents, "", 0);
    string_add(&run->problems, "", 0);
    og_block_init(&block, NULL);
    assert_int_equal(
        og_source_new(paths, n_paths, options, NULL, &source, &err), OG_OK);
    while ((status = og_source_next(source, &block, &err)) == OG_OK) {
        struct og_record record;
        assert_int_equal(block.sequence, run->n_blocks++);
        if (block.kind == OG_BLOCK_LINES && !block.ends_file)
            assert_true(block.data[block.len - 1] == '\n');
        while ((status = og_block_next(&block, options, &record, &err)) ==
               OG_OK)
            note_document(run, &record);
        assert_int_equal(status, OG_END);
        note_problems(run, &block);
        run->n_files += block.ends_file;
        run->n_input_bytes += block.n_input_bytes;
        if (block.cap > run->max_cap) run->max_cap = block.cap;
    }
    assert_int_equal(status, OG_END);
    assert_int_equal(og_source_next(source, &block, &err), OG_END);
    og_source_free(source);
    og_block_release(&block);
}

static UNUSED void run_path(const char *path,
                            const struct og_source_options *options,
                            struct run *run)
{
    static const struct og_source_options defaults = {.fields =
                                                          OG_FIELDS_DEFAULT};
    run_source(&path, 1, options == NULL ? &defaults : options, run);
}

#endif
