/* Files of sketches. Every byte is covered by a checksum; lengths have a
 * checksum of their own that is verified first, and the parts of a block are
 * bounded: a damaged or foreign file is refused with the position and never
 * makes the reader allocate much memory. */

#include "lib/sketch/sketch_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/fingerprint/rabin.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

/* Version 1 had Rabin fingerprints for checksums; it can be read. */
#define VERSION       2
#define VERSION_RABIN 1

static const char magic[8] = {'o', 'r', 'i', 'g', 'o', 's', 'k', '\n'};

enum {
    HEAD_LEN = 64,
    BLOCK_HEAD_LEN = 32,
    /* A block is closed at this many records or bytes. */
    BLOCK_RECORDS = 4096,
    BLOCK_BYTES = 1 << 20,
    ID_MAX = 1 << 20,
    /* One record more than BLOCK_BYTES, each part at its maximum. */
    BODY_MAX = 4 << 20,
};
_Static_assert(BLOCK_BYTES + (int)OG_SKETCH_LEN_MAX + ID_MAX +
                       4 * BLOCK_RECORDS + 8 <=
                   BODY_MAX,
               "a block has room for its longest record");

static uint64_t check_of(uint32_t version, const void *data, size_t len)
{
    const struct og_rabin *rabin = og_rabin_default();
    return version == VERSION_RABIN
               ? og_rabin_extend(rabin, rabin->empty, data, len)
               : og_checksum(data, len);
}

static size_t padded(size_t len)
{
    return (len + 7) & ~(size_t)7;
}

const char *og_sketch_kind_name(enum og_sketch_kind kind)
{
    switch (kind) {
    case OG_SKETCH_SIMHASH: return "simhash";
    case OG_SKETCH_MINHASH: return "minhash";
    case OG_SKETCH_WEIGHTED: return "weighted";
    case OG_SKETCH_SUPERSHINGLE: return "supershingle";
    case OG_SKETCH_KIND_END: break;
    }
    return "unknown";
}

og_status og_sketch_heads_match(const char *name_a,
                                const struct og_sketch_head *a,
                                const char *name_b,
                                const struct og_sketch_head *b, og_error *err)
{
    if (a->kind == b->kind && a->sketch_len == b->sketch_len &&
        strcmp(a->params, b->params) == 0)
        return OG_OK;
    return og_error_set(err, OG_ERR_INPUT,
                        "sketches made with other parameters: '%.60s' has "
                        "'%s %.150s', '%.60s' has '%s %.150s'",
                        name_a, og_sketch_kind_name(a->kind), a->params, name_b,
                        og_sketch_kind_name(b->kind), b->params);
}

/* ---- writing ---- */

struct og_sketch_writer {
    const og_allocator *allocator;
    bool to_stdout;
    struct og_new_file file;
    size_t sketch_len;
    uint64_t n_written; /* records in blocks already written */
    uint32_t n;         /* in the current block */
    struct og_pack sketches, lengths, ids, body, head;
};

static og_status put(struct og_sketch_writer *w, const void *data, size_t len,
                     og_error *err)
{
    if (!w->to_stdout) return og_new_file_write(&w->file, data, len, err);
    if (og_file_write_all(STDOUT_FILENO, data, len) == 0) return OG_OK;
    return og_file_failure(err, "write", "stdout", errno);
}

static og_status write_head(struct og_sketch_writer *w,
                            const struct og_sketch_head *head, og_error *err)
{
    struct og_pack *p = &w->head;
    const size_t params_len = strlen(head->params);
    const uint8_t zeros[HEAD_LEN] = {0};
    uint8_t params[OG_SKETCH_PARAMS_MAX + 8] = {0};
    memcpy(params, head->params, params_len);
    p->len = 0;
    og_pack_bytes(p, magic, sizeof(magic));
    og_pack_fixed(p, VERSION, 4);
    og_pack_fixed(p, (uint64_t)head->kind, 4);
    og_pack_fixed(p, head->sketch_len, 8);
    og_pack_fixed(p, params_len, 8);
    if (!p->failed) og_pack_fixed(p, check_of(VERSION, p->data, p->len), 8);
    og_pack_fixed(p, check_of(VERSION, params, padded(params_len)), 8);
    og_pack_bytes(p, zeros, HEAD_LEN - 48);
    og_pack_bytes(p, params, padded(params_len));
    if (p->failed) return og_error_memory(err, HEAD_LEN, "a head");
    return put(w, p->data, p->len, err);
}

static void free_writer(struct og_sketch_writer *w)
{
    og_pack_release(&w->sketches);
    og_pack_release(&w->lengths);
    og_pack_release(&w->ids);
    og_pack_release(&w->body);
    og_pack_release(&w->head);
    og_release(w->allocator, w, sizeof(*w));
}

static og_status check_head(const struct og_sketch_head *head, og_error *err)
{
    if (head->sketch_len >= 1 && head->sketch_len <= OG_SKETCH_LEN_MAX &&
        memchr(head->params, '\0', sizeof(head->params)) != NULL)
        return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "a sketch of %zu bytes does not fit a sketch file, "
                        "1 to %zu do",
                        head->sketch_len, OG_SKETCH_LEN_MAX);
}

og_status og_sketch_writer_open(const char *path,
                                const struct og_sketch_head *head,
                                const og_allocator *allocator,
                                struct og_sketch_writer **out, og_error *err)
{
    TRY(check_head(head, err));
    struct og_sketch_writer *w = og_allocate_zero(allocator, sizeof(*w));
    if (w == NULL) return og_error_memory(err, sizeof(*w), "a sketch file");
    w->allocator = allocator;
    w->sketch_len = head->sketch_len;
    w->to_stdout = strcmp(path, "-") == 0;
    w->sketches.allocator = w->lengths.allocator = allocator;
    w->ids.allocator = w->body.allocator = w->head.allocator = allocator;
    og_status status = OG_OK;
    if (!w->to_stdout) status = og_output_open(&w->file, path, false, err);
    if (status != OG_OK) {
        free_writer(w);
        return status;
    }
    status = write_head(w, head, err);
    if (status == OG_OK)
        *out = w;
    else
        og_sketch_writer_drop(w);
    return status;
}

static void make_body(struct og_sketch_writer *w)
{
    const uint8_t zeros[8] = {0};
    struct og_pack *p = &w->body;
    p->len = 0;
    og_pack_bytes(p, w->sketches.data, w->sketches.len);
    og_pack_bytes(p, w->lengths.data, w->lengths.len);
    og_pack_bytes(p, w->ids.data, w->ids.len);
    og_pack_bytes(p, zeros, padded(p->len) - p->len);
}

static void make_block_head(struct og_sketch_writer *w)
{
    struct og_pack *p = &w->head;
    p->len = 0;
    og_pack_fixed(p, w->n, 4);
    og_pack_fixed(p, w->ids.len, 4);
    og_pack_fixed(p, w->n_written, 8);
    og_pack_fixed(p, check_of(VERSION, w->body.data, w->body.len), 8);
    if (!p->failed) og_pack_fixed(p, check_of(VERSION, p->data, p->len), 8);
}

/* Without records it is the end. */
static og_status write_block(struct og_sketch_writer *w, og_error *err)
{
    make_body(w);
    make_block_head(w);
    if (w->body.failed || w->head.failed || w->sketches.failed ||
        w->lengths.failed || w->ids.failed)
        return og_error_memory(err, w->body.len, "a block of sketches");
    TRY(put(w, w->head.data, w->head.len, err));
    TRY(put(w, w->body.data, w->body.len, err));
    w->n_written += w->n;
    w->n = 0;
    w->sketches.len = w->lengths.len = w->ids.len = 0;
    return OG_OK;
}

og_status og_sketch_writer_add(struct og_sketch_writer *w, og_bytes id,
                               const void *sketch, og_error *err)
{
    if (id.len > ID_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "an id of %zu bytes does not fit a sketch file, "
                            "%d do",
                            id.len, ID_MAX);
    og_pack_bytes(&w->sketches, sketch, w->sketch_len);
    og_pack_fixed(&w->lengths, id.len, 4);
    og_pack_bytes(&w->ids, id.data, id.len);
    w->n++;
    if (w->n < BLOCK_RECORDS && w->sketches.len + w->ids.len < BLOCK_BYTES)
        return OG_OK;
    return write_block(w, err);
}

og_status og_sketch_writer_close(struct og_sketch_writer *w, og_error *err)
{
    og_status status = OG_OK;
    if (w->n > 0) status = write_block(w, err);
    if (status == OG_OK) status = write_block(w, err);
    if (status == OG_OK && !w->to_stdout)
        status = og_new_file_commit(&w->file, err);
    og_sketch_writer_drop(w);
    return status;
}

void og_sketch_writer_drop(struct og_sketch_writer *w)
{
    if (w == NULL) return;
    if (!w->to_stdout) og_new_file_discard(&w->file);
    free_writer(w);
}

/* ---- reading ---- */

struct og_sketch_reader {
    const og_allocator *allocator;
    char *name;
    size_t name_len;
    int fd; /* -1: from memory */
    og_bytes view;
    uint64_t off; /* offset of the next byte */
    uint32_t version;
    struct og_sketch_head head;
    uint64_t n_read; /* records of earlier blocks */
    uint8_t *body;
    size_t body_cap;
    uint32_t n, at; /* records of the block, and those already returned */
    size_t id_off;
    bool ended;
};

static og_status broken(const struct og_sketch_reader *r, uint64_t off,
                        const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_INPUT, "'%.200s', byte %llu: %s", r->name,
                        (unsigned long long)off, what);
}

/* Fewer than `len` bytes only at the end of the file. */
static og_status get_some(struct og_sketch_reader *r, uint8_t *out, size_t len,
                          size_t *out_n, og_error *err)
{
    size_t n = 0;
    if (r->fd < 0) {
        n = r->view.len < len ? r->view.len : len;
        if (n > 0) memcpy(out, r->view.data, n);
        r->view.data += n;
        r->view.len -= n;
    }
    while (r->fd >= 0 && n < len) {
        const ssize_t got = og_file_read(r->fd, out + n, len - n);
        if (got < 0) return og_file_failure(err, "read", r->name, errno);
        if (got == 0) break;
        n += (size_t)got;
    }
    r->off += n;
    *out_n = n;
    return OG_OK;
}

static og_status get(struct og_sketch_reader *r, uint8_t *out, size_t len,
                     og_error *err)
{
    size_t n;
    TRY(get_some(r, out, len, &n, err));
    if (n == len) return OG_OK;
    return broken(r, r->off, "the sketch file is truncated here", err);
}

static og_status read_params(struct og_sketch_reader *r, size_t len,
                             uint64_t check, og_error *err)
{
    const uint64_t off = r->off;
    uint8_t params[OG_SKETCH_PARAMS_MAX + 8];
    TRY(get(r, params, padded(len), err));
    if (check_of(r->version, params, padded(len)) != check ||
        memchr(params, '\0', len) != NULL)
        return broken(r, off, "the parameters are damaged", err);
    memcpy(r->head.params, params, len);
    r->head.params[len] = '\0';
    return OG_OK;
}

static og_status read_head(struct og_sketch_reader *r, og_error *err)
{
    uint8_t head[HEAD_LEN];
    size_t n;
    TRY(get_some(r, head, HEAD_LEN, &n, err));
    if (n < sizeof(magic) || memcmp(head, magic, sizeof(magic)) != 0)
        return broken(r, 0, "this is not a sketch file", err);
    if (n < HEAD_LEN)
        return broken(r, n, "the sketch file is truncated here", err);
    r->version = og_load32(head + 8);
    if (r->version != VERSION && r->version != VERSION_RABIN)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%.200s', byte 8: a sketch file of version %u, "
                            "this origo reads versions %d and %d",
                            r->name, r->version, VERSION_RABIN, VERSION);
    const uint64_t kind = og_load32(head + 12);
    const uint64_t sketch_len = og_load64(head + 16);
    const uint64_t params_len = og_load64(head + 24);
    if (check_of(r->version, head, 32) != og_load64(head + 32) ||
        (og_load64(head + 48) | og_load64(head + 56)) != 0 || kind == 0 ||
        kind >= OG_SKETCH_KIND_END || sketch_len == 0 ||
        sketch_len > OG_SKETCH_LEN_MAX || params_len >= OG_SKETCH_PARAMS_MAX)
        return broken(r, 8, "the head is damaged", err);
    r->head.kind = (enum og_sketch_kind)kind;
    r->head.sketch_len = (size_t)sketch_len;
    return read_params(r, (size_t)params_len, og_load64(head + 40), err);
}

static og_status start(struct og_sketch_reader *r, const char *name,
                       og_error *err)
{
    r->name_len = strlen(name) + 1;
    r->name = og_allocate(r->allocator, r->name_len);
    if (r->name == NULL) return og_error_memory(err, r->name_len, "a name");
    memcpy(r->name, name, r->name_len);
    return read_head(r, err);
}

static og_status new_reader(int fd, og_bytes view, const char *name,
                            const og_allocator *allocator,
                            struct og_sketch_reader **out, og_error *err)
{
    struct og_sketch_reader *r = og_allocate_zero(allocator, sizeof(*r));
    if (r == NULL) {
        if (fd > STDIN_FILENO) close(fd);
        return og_error_memory(err, sizeof(*r), "a sketch file");
    }
    r->allocator = allocator;
    r->fd = fd;
    r->view = view;
    const og_status status = start(r, name, err);
    if (status == OG_OK)
        *out = r;
    else
        og_sketch_reader_close(r);
    return status;
}

og_status og_sketch_reader_open(const char *path, const og_allocator *allocator,
                                struct og_sketch_reader **out, og_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : og_file_open(path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    return new_reader(fd, (og_bytes){NULL, 0}, is_stdin ? "stdin" : path,
                      allocator, out, err);
}

og_status og_sketch_reader_view(og_bytes file, const char *name,
                                const og_allocator *allocator,
                                struct og_sketch_reader **out, og_error *err)
{
    return new_reader(-1, file, name, allocator, out, err);
}

void og_sketch_reader_close(struct og_sketch_reader *r)
{
    if (r == NULL) return;
    if (r->fd > STDIN_FILENO) close(r->fd);
    OG_UNGROW(r->allocator, r->body, r->body_cap);
    og_release(r->allocator, r->name, r->name_len);
    og_release(r->allocator, r, sizeof(*r));
}

const struct og_sketch_head *
og_sketch_reader_head(const struct og_sketch_reader *reader)
{
    return &reader->head;
}

static og_status check_end(struct og_sketch_reader *r, og_error *err)
{
    uint8_t more;
    size_t n;
    const uint64_t off = r->off;
    TRY(get_some(r, &more, 1, &n, err));
    if (n != 0)
        return broken(r, off, "something follows the end of the file", err);
    r->ended = true;
    return OG_END;
}

/* The lengths of the ids must add up to what the block states. */
static bool ids_fit(const struct og_sketch_reader *r, uint32_t n,
                    uint64_t ids_len)
{
    const uint8_t *lengths = r->body + n * r->head.sketch_len;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += og_load32(lengths + 4 * (size_t)i);
    return sum == ids_len;
}

static og_status read_block(struct og_sketch_reader *r, og_error *err)
{
    uint8_t head[BLOCK_HEAD_LEN];
    const uint64_t off = r->off;
    TRY(get(r, head, sizeof(head), err));
    const uint32_t n = og_load32(head);
    const uint32_t ids_len = og_load32(head + 4);
    const uint64_t len = padded(n * (r->head.sketch_len + 4) + (size_t)ids_len);
    if (check_of(r->version, head, 24) != og_load64(head + 24) ||
        n > BLOCK_RECORDS || len > BODY_MAX || og_load64(head + 8) != r->n_read)
        return broken(r, off, "the head of a block is damaged", err);
    if (n == 0) return check_end(r, err);
    if (!OG_GROW(r->allocator, r->body, r->body_cap, (size_t)len))
        return og_error_memory(err, (size_t)len, "a block of sketches");
    TRY(get(r, r->body, (size_t)len, err));
    if (check_of(r->version, r->body, (size_t)len) != og_load64(head + 16) ||
        !ids_fit(r, n, ids_len))
        return broken(r, off, "a block of sketches is damaged", err);
    r->n_read += n;
    r->n = n;
    r->at = 0;
    r->id_off = n * (r->head.sketch_len + 4);
    return OG_OK;
}

og_status og_sketch_reader_next(struct og_sketch_reader *r, og_bytes *id,
                                const void **sketch, og_error *err)
{
    if (r->ended) return OG_END;
    if (r->at == r->n) TRY(read_block(r, err));
    const uint8_t *lengths = r->body + r->n * r->head.sketch_len;
    const uint32_t len = og_load32(lengths + 4 * (size_t)r->at);
    *sketch = r->body + r->at * r->head.sketch_len;
    *id = (og_bytes){(const char *)r->body + r->id_off, len};
    r->id_off += len;
    r->at++;
    return OG_OK;
}
