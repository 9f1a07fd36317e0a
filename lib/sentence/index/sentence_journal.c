/* The journal: sentence_journal.h draws it. */

#define _GNU_SOURCE
#include "lib/sentence/index/sentence_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/sentence/index/sentence_manifest.h"

enum { HEAD_LEN = 64, RECORD_HEAD = 16, BUFFER_MOST = 1 << 20 };

static const char head_text[] = "origo sentences journal 1\n";
static const uint8_t record_tag[4] = {'J', 'R', 'E', 'C'};

/* ---- records ---- */

static void pack_record(struct og_pack *out, const og_document *doc)
{
    const size_t begin = out->len;
    og_pack_bytes(out, record_tag, sizeof(record_tag));
    og_pack_bytes(out, (const uint8_t[RECORD_HEAD - 4]){0}, RECORD_HEAD - 4);
    og_pack_fixed(out, doc->has_time, 1);
    og_pack_fixed(out, (uint64_t)doc->time, 8);
    const og_bytes strings[] = {doc->id, doc->title, doc->text};
    for (unsigned i = 0; i < 3; i++) {
        og_pack_number(out, strings[i].len);
        og_pack_bytes(out, strings[i].data, strings[i].len);
    }
    if (out->failed) return;
    const size_t len = out->len - begin - RECORD_HEAD;
    const uint64_t sum = og_sum_bytes(out->data + begin + RECORD_HEAD, len);
    for (unsigned i = 0; i < 4; i++)
        out->data[begin + 4 + i] = (uint8_t)(len >> 8 * i);
    for (unsigned i = 0; i < 8; i++)
        out->data[begin + 8 + i] = (uint8_t)(sum >> 8 * i);
}

static og_bytes take_string(struct og_unpacker *u)
{
    const uint64_t len = og_take_number(u);
    const uint8_t *data = og_take_bytes(u, len);
    return (og_bytes){(const char *)data, data == NULL ? 0 : (size_t)len};
}

size_t og_journal_parse(const uint8_t *data, size_t len, og_document *out)
{
    if (len < RECORD_HEAD || memcmp(data, record_tag, 4) != 0) return 0;
    struct og_unpacker head = {data + 4, data + RECORD_HEAD, false};
    const uint64_t body = og_take_fixed(&head, 4);
    const uint64_t sum = og_take_fixed(&head, 8);
    if (body > len - RECORD_HEAD ||
        sum != og_sum_bytes(data + RECORD_HEAD, body))
        return 0;
    struct og_unpacker u = {data + RECORD_HEAD, data + RECORD_HEAD + body,
                            false};
    *out = (og_document){.has_time = og_take_fixed(&u, 1) != 0};
    out->time = (int64_t)og_take_fixed(&u, 8);
    out->id = take_string(&u);
    out->title = take_string(&u);
    out->text = take_string(&u);
    if (u.bad || og_unpacker_left(&u) != 0) return 0;
    return RECORD_HEAD + body;
}

/* Whether a right record stands anywhere behind a wrong one. */
static bool goes_on(const uint8_t *data, size_t len)
{
    og_document doc;
    unsigned n_tries = 0; /* each may read all of the rest */
    for (size_t at = 1; at + RECORD_HEAD <= len && n_tries < 1000; n_tries++) {
        const uint8_t *found = memmem(data + at, len - at, record_tag, 4);
        if (found == NULL) return false;
        at = (size_t)(found - data);
        if (og_journal_parse(found, len - at, &doc) != 0) return true;
        at++;
    }
    return false;
}

/* ---- the file ---- */

static void make_head(uint64_t number, uint8_t head[HEAD_LEN])
{
    memset(head, 0, HEAD_LEN);
    memcpy(head, head_text, strlen(head_text));
    for (unsigned i = 0; i < 8; i++)
        head[48 + i] = (uint8_t)(number >> 8 * i);
    const uint64_t sum = og_sum_bytes(head, 56);
    for (unsigned i = 0; i < 8; i++)
        head[56 + i] = (uint8_t)(sum >> 8 * i);
}

static og_status keep_path(struct og_sentence_journal *j, const char *path,
                           og_error *err)
{
    *j = (struct og_sentence_journal){.fd = -1};
    j->path = og_name_copy((const uint8_t *)path, strlen(path));
    return j->path != NULL ? OG_OK : og_error_memory(err, 0, "a path");
}

og_status og_sentence_journal_create(struct og_sentence_journal *j,
                                     const char *path, uint64_t number,
                                     og_error *err)
{
    uint8_t head[HEAD_LEN];
    make_head(number, head);
    TRY(keep_path(j, path, err));
    j->fd = og_file_open_own(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    j->len = HEAD_LEN;
    if (j->fd >= 0 && og_file_write_all(j->fd, head, HEAD_LEN) == 0 &&
        fsync(j->fd) == 0 && og_file_sync_folder(path) == 0)
        return OG_OK;
    const og_status status = og_file_failure(err, "write", path, errno);
    og_sentence_journal_close(j);
    return status;
}

void og_sentence_journal_close(struct og_sentence_journal *j)
{
    if (j->fd >= 0) close(j->fd);
    free(j->path);
    og_pack_release(&j->buffer);
    *j = (struct og_sentence_journal){.fd = -1};
}

static og_status
read_records(struct og_sentence_journal *j, const uint8_t *data, size_t len,
             uint64_t number, void *ctx,
             og_status (*take)(void *, const og_document *, og_error *),
             og_error *err)
{
    uint8_t head[HEAD_LEN];
    make_head(number, head);
    if (len < HEAD_LEN || memcmp(data, head, HEAD_LEN) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not sound: its head is not that of "
                            "journal %llu",
                            j->path, (unsigned long long)number);
    size_t at = HEAD_LEN;
    while (at < len) {
        og_document doc;
        const size_t taken = og_journal_parse(data + at, len - at, &doc);
        if (taken == 0) break;
        TRY(take(ctx, &doc, err));
        at += taken;
    }
    j->len = at;
    if (at < len && goes_on(data + at, len - at))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is damaged: the record at byte %zu is not "
                            "sound",
                            j->path, at);
    return OG_OK;
}

static og_status
read_all(struct og_sentence_journal *j, uint64_t number, void *ctx,
         og_status (*take)(void *, const og_document *, og_error *),
         og_error *err)
{
    struct stat info;
    if (fstat(j->fd, &info) != 0)
        return og_file_failure(err, "read", j->path, errno);
    const size_t len = (size_t)info.st_size;
    if (len == 0) return read_records(j, NULL, 0, number, ctx, take, err);
    void *data = mmap(NULL, len, PROT_READ, MAP_SHARED, j->fd, 0);
    if (data == MAP_FAILED) return og_file_failure(err, "map", j->path, errno);
    const og_status status = read_records(j, data, len, number, ctx, take, err);
    munmap(data, len);
    return status;
}

og_status og_sentence_journal_open(
    struct og_sentence_journal *j, const char *path, uint64_t number,
    bool writable, void *ctx,
    og_status (*take)(void *ctx, const og_document *doc, og_error *err),
    og_error *err)
{
    TRY(keep_path(j, path, err));
    j->fd = og_file_open_own(path, writable ? O_RDWR : O_RDONLY, 0);
    og_status status = j->fd < 0 ? og_file_failure(err, "open", path, errno)
                                 : read_all(j, number, ctx, take, err);
    if (status == OG_OK && writable &&
        (ftruncate(j->fd, (off_t)j->len) != 0 ||
         lseek(j->fd, (off_t)j->len, SEEK_SET) < 0))
        status = og_file_failure(err, "write", path, errno);
    if (status != OG_OK || !writable) {
        if (j->fd >= 0) close(j->fd);
        j->fd = -1;
    }
    return status;
}

static og_status write_buffer(struct og_sentence_journal *j, og_error *err)
{
    if (j->buffer.len == 0) return OG_OK;
    if (og_file_write_all(j->fd, j->buffer.data, j->buffer.len) != 0) {
        const int error = errno;
        /* What is half written would hide what comes behind it. */
        if (ftruncate(j->fd, (off_t)j->len) == 0)
            (void)lseek(j->fd, (off_t)j->len, SEEK_SET);
        return og_file_failure(err, "write", j->path, error);
    }
    j->len += j->buffer.len;
    j->buffer.len = 0;
    j->is_dirty = true;
    return OG_OK;
}

og_status og_sentence_journal_add(struct og_sentence_journal *j,
                                  const og_document *doc, og_error *err)
{
    const size_t before = j->buffer.len;
    if (doc->text.len + doc->id.len + doc->title.len > UINT32_MAX - 64)
        return og_error_set(err, OG_ERR_LIMIT, "a document of %zu bytes",
                            doc->text.len);
    pack_record(&j->buffer, doc);
    if (j->buffer.failed) {
        j->buffer.failed = false;
        j->buffer.len = before;
        return og_error_memory(err, doc->text.len, "the journal");
    }
    return OG_OK;
}

og_status og_journal_drain(struct og_sentence_journal *j, og_error *err)
{
    return j->buffer.len > BUFFER_MOST ? write_buffer(j, err) : OG_OK;
}

og_status og_journal_sync(struct og_sentence_journal *j, og_error *err)
{
    if (j->fd < 0) return OG_OK;
    TRY(write_buffer(j, err));
    if (!j->is_dirty) return OG_OK;
    if (fdatasync(j->fd) != 0)
        return og_file_failure(err, "write", j->path, errno);
    j->is_dirty = false;
    return OG_OK;
}
