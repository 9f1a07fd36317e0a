/* The files of an index of near-duplicates; near_files.h draws them. */

#define _GNU_SOURCE
#include "lib/near/near_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"

#define MAGIC_INDEX   "origoNI1"
#define MAGIC_JOURNAL "origoNJ1"
#define OPTIONS_LEN   40
#define HEAD_LEN      (8 + OPTIONS_LEN + 8)
#define FRAME_HEAD    8
#define HASH_KEY      0x6e656172u

/* The journal becomes an index when it has this many entries, and a quarter as
 * many as there are. */
#define MERGE_LEAST 4096

static og_status damaged(const char *path, uint64_t off, const char *what,
                         og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged at byte %llu: %s",
                        path, (unsigned long long)off, what);
}

static char *path_of(const og_near *near, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", near->folder, name) < 0 ? NULL : path;
}

/* ---- the head ---- */

/* In the number of the method: simhashes are those of og_simhash_stream(). An
 * index from before has others, and keeps them. */
#define WITH_FEATURES 0x100u

static uint64_t method_number(const og_near *near)
{
    const og_near_method method = near->options.method;
    const bool has_new = method != OG_NEAR_MINHASH && !near->has_old_simhash;
    return (uint64_t)method | (has_new ? WITH_FEATURES : 0);
}

static void pack_head(struct og_pack *p, const char *magic, const og_near *near)
{
    const og_near_options *o = &near->options;
    const size_t begin = p->len;
    og_pack_bytes(p, magic, 8);
    og_pack_fixed(p, method_number(near), 8);
    og_pack_fixed(p, (uint64_t)o->tokens, 8);
    og_pack_fixed(p, o->shingle_len, 8);
    og_pack_fixed(p, (uint64_t)o->n_bands << 32 | o->n_rows, 8);
    og_pack_fixed(p, o->memory, 8);
    if (p->failed) return;
    og_pack_fixed(
        p,
        og_token_hash((const char *)p->data + begin, p->len - begin, HASH_KEY),
        8);
}

static og_status take_head(const char *path, const char *magic,
                           struct og_unpacker *u, og_near_options *out,
                           bool *out_has_old_simhash, og_error *err)
{
    const uint8_t *head = og_take_bytes(u, HEAD_LEN);
    if (head == NULL) return damaged(path, 0, "it is too short", err);
    if (memcmp(head, magic, 8) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is no index of near-duplicates", path);
    const size_t hashed = HEAD_LEN - 8;
    if (og_load64(head + hashed) !=
        og_token_hash((const char *)head, hashed, HASH_KEY))
        return damaged(path, 0, "its head has another checksum", err);
    const uint64_t design = og_load64(head + 32);
    const uint64_t method = og_load64(head + 8);
    *out_has_old_simhash =
        method != OG_NEAR_MINHASH && (method & WITH_FEATURES) == 0;
    *out = (og_near_options){.method = (og_near_method)(method & 0xff),
                             .tokens = (og_token_kind)og_load64(head + 16),
                             .shingle_len = (uint32_t)og_load64(head + 24),
                             .n_bands = (uint32_t)(design >> 32),
                             .n_rows = (uint32_t)design,
                             .memory = og_load64(head + 40)};
    return OG_OK;
}

/* ---- frames ---- */

static uint32_t frame_hash(const void *body, size_t len)
{
    return (uint32_t)og_token_hash(body, len, HASH_KEY);
}

static void pack_frame(struct og_pack *p, const struct og_near_entry *e,
                       size_t sketch_len)
{
    struct og_pack body = {0};
    og_pack_fixed(&body, (uint64_t)e->time, 8);
    og_pack_fixed(&body, e->has_time, 1);
    og_pack_bytes(&body, e->sketch, sketch_len);
    og_pack_bytes(&body, e->id.data, e->id.len);
    og_pack_fixed(p, body.len, 4);
    og_pack_fixed(p, body.failed ? 0 : frame_hash(body.data, body.len), 4);
    og_pack_bytes(p, body.data, body.len);
    p->failed |= body.failed;
    og_pack_release(&body);
}

/* False: what is there is no frame, *why says so. */
static bool take_frame(struct og_unpacker *u, size_t sketch_len,
                       struct og_near_entry *out, const char **why)
{
    const uint64_t len = og_take_fixed(u, 4), hash = og_take_fixed(u, 4);
    const uint8_t *body = u->bad ? NULL : og_take_bytes(u, len);
    *why = "an entry is cut";
    if (body == NULL) return false;
    *why = "an entry has another checksum";
    if (frame_hash(body, (size_t)len) != hash) return false;
    *why = "an entry of a wrong length";
    if (len < 9 + sketch_len || len > 9 + sketch_len + UINT16_MAX) return false;
    *out = (struct og_near_entry){
        .time = (int64_t)og_load64(body),
        .has_time = body[8] != 0,
        .sketch = body + 9,
        .id = {(const char *)body + 9 + sketch_len, len - 9 - sketch_len}};
    return true;
}

/* ---- reading ---- */

/* NULL data: there is no such file. */
static og_status read_all(const char *path, uint8_t **out, size_t *out_len,
                          og_error *err)
{
    struct stat st;
    *out = NULL;
    *out_len = 0;
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) return OG_OK;
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    og_status status = OG_OK;
    if (fstat(fd, &st) != 0)
        status = og_file_failure(err, "read", path, errno);
    else {
        *out_len = (size_t)st.st_size;
        *out = malloc(*out_len + 1);
        if (*out == NULL)
            status = og_error_memory(err, *out_len, "an index");
        else if (og_file_read_at(fd, *out, *out_len, 0) != (int64_t)*out_len)
            status = og_file_failure(err, "read", path, errno);
    }
    close(fd);
    return status;
}

static og_status load_index(og_near *near, const char *path,
                            const uint8_t *data, size_t len, og_error *err)
{
    struct og_unpacker u = {.at = data, .end = data + len};
    struct og_near_entry e;
    const char *why;
    TRY(take_head(path, MAGIC_INDEX, &u, &near->options, &near->has_old_simhash,
                  err));
    const og_status status = og_near_index_make(near, err);
    if (status == OG_ERR_USAGE)
        return damaged(path, 8, "its options make no sense", err);
    TRY(status);
    for (;;) {
        const uint64_t off = (uint64_t)(u.at - data);
        if (og_unpacker_left(&u) == 4 && og_load32(u.at) == 0) return OG_OK;
        if (!take_frame(&u, near->sketch_len, &e, &why))
            return damaged(path, off, why, err);
        TRY(og_near_index_add(near->index, &e, err));
    }
}

static bool same_options(const og_near_options *a, const og_near_options *b)
{
    return a->method == b->method && a->tokens == b->tokens &&
           a->shingle_len == b->shingle_len && a->n_bands == b->n_bands &&
           a->n_rows == b->n_rows && a->memory == b->memory;
}

/* *out_end is where the sound part ends. */
static og_status load_journal(og_near *near, const char *path,
                              const uint8_t *data, size_t len, size_t *out_end,
                              og_error *err)
{
    struct og_unpacker u = {.at = data, .end = data + len};
    struct og_near_entry e;
    og_near_options options;
    const char *why;
    *out_end = 0;
    if (len < HEAD_LEN) return OG_OK; /* stopped while it was made */
    bool has_old_simhash;
    TRY(take_head(path, MAGIC_JOURNAL, &u, &options, &has_old_simhash, err));
    if (!same_options(&options, &near->options) ||
        has_old_simhash != near->has_old_simhash)
        return damaged(path, 8, "its options are not those of the index", err);
    *out_end = HEAD_LEN;
    while (og_unpacker_left(&u) > 0 &&
           take_frame(&u, near->sketch_len, &e, &why)) {
        TRY(og_near_index_add(near->index, &e, err));
        near->n_journal++;
        *out_end = (size_t)(u.at - data);
    }
    return OG_OK;
}

/* ---- writing ---- */

static og_status start_journal(og_near *near, size_t end, og_error *err)
{
    char *path = path_of(near, "journal");
    struct og_pack head = {0};
    og_status status = OG_OK;
    if (path == NULL) return og_error_memory(err, 1, "a file name");
    if (near->journal_fd < 0)
        near->journal_fd = og_file_open_own(path, O_RDWR | O_CREAT, 0666);
    if (end == 0) pack_head(&head, MAGIC_JOURNAL, near);
    if (near->journal_fd < 0 || ftruncate(near->journal_fd, (off_t)end) != 0 ||
        lseek(near->journal_fd, (off_t)end, SEEK_SET) < 0 ||
        og_file_write_all(near->journal_fd, head.data, head.len) != 0 ||
        fsync(near->journal_fd) != 0 || og_file_sync_folder(path) != 0)
        status = og_file_failure(err, "write", path, errno);
    og_pack_release(&head);
    free(path);
    return status;
}

struct saving {
    const og_near *near;
    struct og_new_file file;
    struct og_pack buffer;
};

static og_status save_entry(void *ctx, const struct og_near_entry *e,
                            og_error *err)
{
    struct saving *s = ctx;
    if (e->origin != 0) return OG_OK; /* the store has it */
    s->buffer.len = 0;
    pack_frame(&s->buffer, e, s->near->sketch_len);
    if (s->buffer.failed) return og_error_memory(err, e->id.len, "an entry");
    return og_new_file_write(&s->file, s->buffer.data, s->buffer.len, err);
}

/* The index anew; the journal is empty then. A stop between the two leaves
 * entries in both, which does no harm: they are known twice. */
static og_status save_index(og_near *near, og_error *err)
{
    static const uint8_t end[4] = {0};
    struct saving s = {.near = near};
    char *path = path_of(near, "index");
    if (path == NULL) return og_error_memory(err, 1, "a file name");
    og_status status = og_new_file_open(&s.file, path, 0666, err);
    if (status == OG_OK) {
        pack_head(&s.buffer, MAGIC_INDEX, near);
        status = og_new_file_write(&s.file, s.buffer.data, s.buffer.len, err);
        if (status == OG_OK)
            status = og_near_index_walk(near->index, &s, save_entry, err);
        if (status == OG_OK)
            status = og_new_file_write(&s.file, end, sizeof(end), err);
        if (status == OG_OK) status = og_new_file_commit(&s.file, err);
        og_new_file_discard(&s.file);
    }
    og_pack_release(&s.buffer);
    free(path);
    TRY(status);
    near->n_journal = 0;
    return start_journal(near, 0, err);
}

og_status og_near_files_add(og_near *near, const struct og_near_entry *entry,
                            og_error *err)
{
    if (near->folder == NULL) return OG_OK;
    pack_frame(&near->waiting, entry, near->sketch_len);
    if (near->waiting.failed)
        return og_error_memory(err, entry->id.len, "an entry");
    near->n_journal++;
    return near->waiting.len < 1 << 20 ? OG_OK
                                       : og_near_files_commit(near, err);
}

og_status og_near_files_commit(og_near *near, og_error *err)
{
    if (near->folder == NULL || near->waiting.len == 0) return OG_OK;
    if (og_file_write_all(near->journal_fd, near->waiting.data,
                          near->waiting.len) != 0 ||
        fdatasync(near->journal_fd) != 0)
        return og_file_failure(err, "write", near->folder, errno);
    near->waiting.len = 0;
    if (near->n_journal < MERGE_LEAST ||
        near->n_journal < og_near_index_n(near->index) / 4)
        return OG_OK;
    return save_index(near, err);
}

/* ---- opening ---- */

static og_status lock(og_near *near, og_error *err)
{
    char *path = path_of(near, "lock");
    if (path == NULL) return og_error_memory(err, 1, "a file name");
    near->lock_fd = og_file_open_own(path, O_RDWR | O_CREAT, 0666);
    og_status status = OG_OK;
    if (near->lock_fd < 0)
        status = og_file_failure(err, "write", path, errno);
    else if (flock(near->lock_fd, LOCK_EX | LOCK_NB) != 0)
        status = og_error_set(err, OG_ERR_STORE,
                              "'%s' is being written by another process",
                              near->folder);
    free(path);
    return status;
}

static og_status load_files(og_near *near, const char *index_path,
                            const char *journal_path, og_error *err)
{
    uint8_t *data = NULL;
    size_t len, end = 0;
    og_status status = read_all(index_path, &data, &len, err);
    const bool is_new = status == OG_OK && data == NULL;
    if (status == OG_OK && !is_new)
        status = load_index(near, index_path, data, len, err);
    free(data);
    data = NULL;
    TRY(status);
    if (is_new && !near->is_writable && near->stored == NULL)
        return og_error_set(
            err, OG_ERR_IO, "cannot open '%s': no such index%s", near->folder,
            near->is_store ? ", and the store keeps no texts" : "");
    if (is_new) TRY(og_near_index_make(near, err));
    if (is_new) return near->is_writable ? save_index(near, err) : OG_OK;
    status = read_all(journal_path, &data, &len, err);
    if (status == OG_OK && data != NULL)
        status = load_journal(near, journal_path, data, len, &end, err);
    free(data);
    if (status != OG_OK || !near->is_writable) return status;
    return start_journal(near, end, err);
}

og_status og_near_files_open(og_near *near, const char *store, og_error *err)
{
    if (asprintf(&near->folder, "%s/near", store) < 0) {
        near->folder = NULL;
        return og_error_memory(err, strlen(store), "a file name");
    }
    if (og_file_is_link(near->folder))
        return og_error_set(err, OG_ERR_STORE, "'%s' is a link", near->folder);
    if (near->is_writable) {
        if ((mkdir(store, 0777) != 0 && errno != EEXIST) ||
            (mkdir(near->folder, 0777) != 0 && errno != EEXIST))
            return og_file_failure(err, "make", near->folder, errno);
        TRY(lock(near, err));
    }
    char *index = path_of(near, "index"), *journal = path_of(near, "journal");
    og_status status = OG_ERR_MEMORY;
    if (index == NULL || journal == NULL)
        og_error_memory(err, 1, "a file name");
    else
        status = load_files(near, index, journal, err);
    free(index);
    free(journal);
    return status;
}

void og_near_files_close(og_near *near)
{
    if (near->journal_fd >= 0) close(near->journal_fd);
    if (near->lock_fd >= 0) close(near->lock_fd);
    og_pack_release(&near->waiting);
    free(near->folder);
}
