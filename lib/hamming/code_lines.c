/* Reads codes: code_lines.h. A shard of text is a range of bytes; a line
 * belongs to the range of its first byte. A shard of a binary file is a range
 * of records, counted in a previous pass. */

#define _GNU_SOURCE
#include "lib/hamming/code_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_design.h"
#include "lib/os/file.h"
#include "lib/sketch/sketch_file.h"

static bool parse_digits(const char *s, size_t len, uint64_t *out)
{
    uint64_t code = 0;
    for (size_t i = 0; i < len; i++) {
        const char c = s[i];
        if (c >= '0' && c <= '9')
            code = code << 4 | (uint64_t)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            code = code << 4 | (uint64_t)((c | 32) - 'a' + 10);
        else
            return false;
    }
    *out = code;
    return true;
}

bool og_code_parse(og_bytes s, uint64_t *out)
{
    return s.len >= 1 && s.len <= 16 && parse_digits(s.data, s.len, out);
}

bool og_wide_code_parse(og_bytes s, og_wide_code *out, unsigned *out_n_bits)
{
    og_wide_code code = {0};
    const bool is_wide = s.len == 32;
    if (is_wide ? !parse_digits(s.data, 16, &code.high) ||
                      !parse_digits(s.data + 16, 16, &code.low)
                : !og_code_parse(s, &code.low))
        return false;
    *out = code;
    *out_n_bits = is_wide ? OG_CODE_BITS_WIDE : OG_CODE_BITS;
    return true;
}

/* ---- text ---- */

struct lines {
    const char *path;
    FILE *file;
    uint64_t begin, end; /* bytes where lines of this part may begin */
    uint64_t at;         /* of the current line */
    uint64_t line;       /* its number, if begin is 0 */
    char *text;
    size_t text_cap;
    unsigned n_bits; /* of all codes; 0: the first decides */
    void *ctx;
    og_on_wide_code on_code;
};

static og_status bad_line(const struct lines *l, const char *what,
                          og_error *err)
{
    const char *path = strcmp(l->path, "-") == 0 ? "stdin" : l->path;
    if (l->begin == 0)
        return og_error_set(err, OG_ERR_INPUT, "'%s' line %llu: %s", path,
                            (unsigned long long)l->line, what);
    return og_error_set(err, OG_ERR_INPUT, "'%s' at byte %llu: %s", path,
                        (unsigned long long)l->at, what);
}

static og_status other_width(const struct lines *l, unsigned n_bits,
                             og_error *err)
{
    char what[64];
    snprintf(what, sizeof(what), "a code of %u bits, this takes %u", n_bits,
             l->n_bits);
    return bad_line(l, what, err);
}

static og_status take_line(struct lines *l, size_t len, og_error *err)
{
    og_wide_code code;
    unsigned n_bits;
    while (len != 0 && (l->text[len - 1] == '\n' || l->text[len - 1] == '\r'))
        len--;
    if (len == 0) return OG_OK;
    const char *tab = memchr(l->text, '\t', len);
    if (tab == NULL || tab == l->text)
        return bad_line(l, "no id and code with a tab between them", err);
    const size_t id_len = (size_t)(tab - l->text);
    const og_bytes hex = {tab + 1, len - id_len - 1};
    if (id_len > 65535)
        return bad_line(l, "an id of more than 65535 bytes", err);
    if (!og_wide_code_parse(hex, &code, &n_bits))
        return bad_line(l, "no code of 1 to 16 or of 32 hexadecimal digits",
                        err);
    if (l->n_bits == 0) l->n_bits = n_bits;
    if (l->n_bits != n_bits) return other_width(l, n_bits, err);
    if (!l->on_code(l->ctx, (og_bytes){l->text, id_len}, code, n_bits))
        return og_error_set(err, OG_ERR_STOPPED, "stopped");
    return OG_OK;
}

static og_status cannot_read(const char *path, og_error *err)
{
    char text[128];
    return og_error_set(err, OG_ERR_IO, "cannot read '%s': %s", path,
                        og_file_error_text(errno, text, sizeof(text)));
}

/* Moves to the first line that begins at `begin` or later. */
static og_status find_first_line(struct lines *l, og_error *err)
{
    if (l->begin == 0) return OG_OK;
    if (fseeko(l->file, (off_t)(l->begin - 1), SEEK_SET) != 0)
        return cannot_read(l->path, err);
    l->at = l->begin - 1;
    const ssize_t n = getline(&l->text, &l->text_cap, l->file);
    l->at += n > 0 ? (uint64_t)n : 1;
    return OG_OK;
}

static og_status read_text(struct lines *l, og_error *err)
{
    TRY(find_first_line(l, err));
    while (l->at < l->end) {
        errno = 0;
        const ssize_t n = getline(&l->text, &l->text_cap, l->file);
        if (n < 0 && (ferror(l->file) || errno == ENOMEM))
            return cannot_read(l->path, err);
        if (n < 0) return OG_OK;
        l->line++;
        TRY(take_line(l, (size_t)n, err));
        l->at += (uint64_t)n;
    }
    return OG_OK;
}

static uint64_t share_of(uint64_t n, uint32_t i, uint32_t n_shards)
{
    return (uint64_t)((unsigned __int128)n * i / n_shards);
}

/* ---- binary ---- */

/* Its simhashes have n_bits bits; 0: 64 or 128. */
static og_status open_sketches(const char *path, unsigned n_bits,
                               const og_allocator *allocator,
                               struct og_sketch_reader **out, og_error *err)
{
    char widths[16] = "64- or 128";
    TRY(og_sketch_reader_open(path, allocator, out, err));
    const struct og_sketch_head *head = og_sketch_reader_head(*out);
    const size_t found = head->sketch_len * 8;
    if (head->kind == OG_SKETCH_SIMHASH &&
        (n_bits == 0 ? found == OG_CODE_BITS || found == OG_CODE_BITS_WIDE
                     : found == n_bits))
        return OG_OK;
    if (n_bits != 0) snprintf(widths, sizeof(widths), "%u", n_bits);
    og_error_set(err, OG_ERR_INPUT,
                 "'%s' has %zu-bit sketches of the kind '%s', this takes "
                 "%s-bit simhashes",
                 path, found, og_sketch_kind_name(head->kind), widths);
    og_sketch_reader_close(*out);
    return OG_ERR_INPUT;
}

static og_status count_sketches(const char *path, const og_allocator *allocator,
                                uint64_t *out, og_error *err)
{
    struct og_sketch_reader *reader;
    og_bytes id;
    const void *sketch;
    og_status status;
    TRY(open_sketches(path, 0, allocator, &reader, err));
    *out = 0;
    while ((status = og_sketch_reader_next(reader, &id, &sketch, err)) == OG_OK)
        ++*out;
    og_sketch_reader_close(reader);
    return status == OG_END ? OG_OK : status;
}

static og_wide_code sketch_code(const void *sketch, size_t len)
{
    const char *at = sketch;
    if (len == 8) return (og_wide_code){0, og_load64(at)};
    return (og_wide_code){og_load64(at + 8), og_load64(at)};
}

static og_status read_sketches(const struct lines *l, struct og_code_part part,
                               const og_allocator *allocator, og_error *err)
{
    struct og_sketch_reader *reader;
    og_bytes id;
    const void *sketch;
    og_status status;
    uint64_t begin = 0, end = UINT64_MAX, n = 0;
    if (part.n_shards > 1) {
        TRY(count_sketches(l->path, allocator, &n, err));
        begin = share_of(n, part.shard, part.n_shards);
        end = share_of(n, part.shard + 1, part.n_shards);
    }
    TRY(open_sketches(l->path, l->n_bits, allocator, &reader, err));
    const size_t len = og_sketch_reader_head(reader)->sketch_len;
    for (uint64_t i = 0;
         (status = og_sketch_reader_next(reader, &id, &sketch, err)) == OG_OK;
         i++) {
        if (i < begin || i >= end) continue;
        if (l->on_code(l->ctx, id, sketch_code(sketch, len), (unsigned)len * 8))
            continue;
        status = og_error_set(err, OG_ERR_STOPPED, "stopped");
        break;
    }
    og_sketch_reader_close(reader);
    return status == OG_END ? OG_OK : status;
}

/* ---- both ---- */

static bool is_sketch_file(FILE *file)
{
    char magic[8];
    const size_t n = fread(magic, 1, sizeof(magic), file);
    rewind(file);
    return n == sizeof(magic) && memcmp(magic, "origosk\n", 8) == 0;
}

/* A seekable file of either kind. */
static og_status read_file(struct lines *l, struct og_code_part part,
                           uint64_t *out_identity,
                           const og_allocator *allocator, og_error *err)
{
    struct stat info;
    if (fstat(fileno(l->file), &info) != 0) return cannot_read(l->path, err);
    if (!S_ISREG(info.st_mode)) {
        if (part.n_shards > 1)
            return og_error_set(err, OG_ERR_USAGE,
                                "'%s' is not a file that can be read in shards",
                                l->path);
        return read_text(l, err);
    }
    const uint64_t len = (uint64_t)info.st_size;
    if (out_identity != NULL) *out_identity = len;
    if (is_sketch_file(l->file)) return read_sketches(l, part, allocator, err);
    l->begin = share_of(len, part.shard, part.n_shards);
    l->end = share_of(len, part.shard + 1, part.n_shards);
    if (part.n_shards == 1) l->end = UINT64_MAX;
    return read_text(l, err);
}

og_status og_code_lines_read(const char *path, struct og_code_part part,
                             unsigned n_bits, void *ctx,
                             og_on_wide_code on_code, uint64_t *out_identity,
                             const og_allocator *allocator, og_error *err)
{
    struct lines l = {.path = path,
                      .end = UINT64_MAX,
                      .n_bits = n_bits,
                      .ctx = ctx,
                      .on_code = on_code};
    og_status status;
    if (out_identity != NULL) *out_identity = 0;
    if (strcmp(path, "-") == 0) {
        l.file = stdin;
        status = read_file(&l, part, out_identity, allocator, err);
    } else {
        l.file = fopen(path, "re");
        if (l.file == NULL) {
            char text[128];
            return og_error_set(err, OG_ERR_IO, "cannot open '%s': %s", path,
                                og_file_error_text(errno, text, sizeof(text)));
        }
        status = read_file(&l, part, out_identity, allocator, err);
        fclose(l.file);
    }
    free(l.text);
    return status;
}

og_status og_wide_codes_read(const char *path, unsigned n_bits, void *ctx,
                             og_on_wide_code on_code, og_error *err)
{
    return og_code_lines_read(path, (struct og_code_part){0, 1}, n_bits, ctx,
                              on_code, NULL, NULL, err);
}

struct narrow {
    void *ctx;
    bool (*on_code)(void *ctx, og_bytes id, uint64_t code);
};

static bool on_narrow(void *ctx, og_bytes id, og_wide_code code,
                      unsigned n_bits)
{
    const struct narrow *n = ctx;
    (void)n_bits;
    return n->on_code(n->ctx, id, code.low);
}

og_status og_codes_read(const char *path, void *ctx,
                        bool (*on_code)(void *ctx, og_bytes id, uint64_t code),
                        og_error *err)
{
    struct narrow n = {ctx, on_code};
    return og_wide_codes_read(path, OG_CODE_BITS, &n, on_narrow, err);
}
