/* Reading a journal that may be written at the same time, may end in a torn
 * write, or may be damaged. Every length is compared with the length of the
 * file before anything is read, and nothing is trusted without its checksum. */

#define _GNU_SOURCE
#include "lib/disk/journal_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <origo/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/base/checksum.h"
#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

#define HEAD_LEN   sizeof(struct og_journal_head)
#define RECORD_LEN sizeof(struct og_journal_record)
/* Bytes read at a time, unless a record is longer. */
#define READ_LEN ((size_t)1 << 20)

/* ---- which files there are ---- */

static bool number_of_name(const char *name, uint64_t *out)
{
    char *end;
    const unsigned long long number = strtoull(name, &end, 10);
    if (end - name < 6 || strcmp(end, ".jnl") != 0 || number == 0) return false;
    *out = number;
    return true;
}

og_status og_journal_list(const char *folder, uint64_t *out_first,
                          uint64_t *out_last, og_error *err)
{
    char path[4096];
    uint64_t number;
    *out_first = *out_last = 0;
    snprintf(path, sizeof(path), "%s/journal", folder);
    DIR *dir = opendir(path);
    if (dir == NULL) return og_file_failure(err, "read", path, errno);
    const struct dirent *item;
    while ((item = readdir(dir)) != NULL) {
        if (!number_of_name(item->d_name, &number)) continue;
        if (*out_first == 0 || number < *out_first) *out_first = number;
        if (number > *out_last) *out_last = number;
    }
    closedir(dir);
    return OG_OK;
}

/* ---- heads ---- */

static og_status unsound(const struct og_journal_reader *r, uint64_t off,
                         const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged at byte %llu: %s",
                        r->path, (unsigned long long)off, what);
}

static og_status check_head(struct og_journal_reader *r, const uint8_t *head,
                            og_error *err)
{
    if (memcmp(head, OG_JOURNAL_MAGIC, 8) != 0)
        return unsound(r, 0, "it is not a journal", err);
    if (og_load64(head + 56) != og_checksum(head, 56))
        return unsound(r, 0, "the checksum of its head is wrong", err);
    const uint32_t version = og_load32(head + 8);
    if (version == 0 || version > OG_JOURNAL_VERSION ||
        og_load32(head + 12) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is of version %u, features %#x, which this "
                            "version of origo does not support",
                            r->path, og_load32(head + 8), og_load32(head + 12));
    if (memcmp(head + 16, r->uuid, 16) != 0)
        return unsound(r, 16, "it belongs to another store", err);
    if (og_load64(head + 40) != r->number)
        return unsound(r, 40, "it has the number of another file", err);
    return OG_OK;
}

/* A crash can leave a file that has its full length but none of its bytes. */
static bool is_all_zeros(int fd)
{
    uint8_t bytes[4096];
    int64_t n;
    for (uint64_t off = 0;
         (n = og_file_read_at(fd, bytes, sizeof(bytes), off)) > 0;
         off += (uint64_t)n)
        for (int64_t i = 0; i < n; i++)
            if (bytes[i] != 0) return false;
    return n == 0;
}

static bool name_path(struct og_journal_reader *r)
{
    if (!r->is_file)
        return og_journal_path(r->path, sizeof(r->path), r->folder, r->number);
    const int n = snprintf(r->path, sizeof(r->path), "%s", r->folder);
    return n > 0 && (size_t)n < sizeof(r->path);
}

/* OG_END: it does not exist, or its head was never finished. */
static og_status open_number(struct og_journal_reader *r, uint64_t number,
                             og_error *err)
{
    uint8_t head[HEAD_LEN];
    r->number = number;
    if (!name_path(r))
        return og_error_set(err, OG_ERR_USAGE, "'%s' is too long a name",
                            r->folder);
    const int fd = og_file_open_own(r->path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) return OG_END;
    if (fd < 0) return og_file_failure(err, "open", r->path, errno);
    const int64_t n = og_file_read_at(fd, head, HEAD_LEN, 0);
    og_status status = OG_OK;
    if (n < 0)
        status = og_file_failure(err, "read", r->path, errno);
    else if ((size_t)n < HEAD_LEN || is_all_zeros(fd))
        status = OG_END;
    else
        status = check_head(r, head, err);
    if (status != OG_OK) {
        close(fd);
        return status;
    }
    if (r->fd >= 0) close(r->fd);
    r->fd = fd;
    r->version = og_load32(head + 8);
    r->first_sequence = og_load64(head + 32);
    r->next_sequence = r->first_sequence;
    r->off = HEAD_LEN;
    r->buffer_len = 0;
    r->torn_off = OG_UNKNOWN;
    return OG_OK;
}

/* The newest file whose first record is not newer than `sequence`. A last file
 * whose head was never finished is skipped. */
static og_status find_file(struct og_journal_reader *r, uint64_t sequence,
                           og_error *err)
{
    uint64_t first;
    uint64_t last;
    TRY(og_journal_list(r->folder, &first, &last, err));
    if (first == 0) return OG_END;
    for (uint64_t number = last; number >= first; number--) {
        const og_status status = open_number(r, number, err);
        if (status == OG_END && number == last) continue;
        if (status == OG_END)
            return og_error_set(err, OG_ERR_STORE,
                                "'%s' is damaged: it is missing or has no "
                                "head",
                                r->path);
        if (status != OG_OK) return status;
        if (r->first_sequence <= sequence) return OG_OK;
    }
    if (r->fd < 0) return OG_END;
    return og_error_set(err, OG_ERR_STORE,
                        "the journal of store '%s' begins with record %llu, "
                        "but record %llu is needed",
                        r->folder, (unsigned long long)r->first_sequence,
                        (unsigned long long)sequence);
}

static og_status skip_to(struct og_journal_reader *r, uint64_t sequence,
                         og_error *err)
{
    struct og_journal_view view;
    while (r->next_sequence < sequence) {
        const og_status status = og_journal_reader_next(r, &view, err);
        if (status == OG_END)
            return og_error_set(err, OG_ERR_STORE,
                                "'%s' ends before record %llu, which was safe "
                                "on disk",
                                r->path, (unsigned long long)sequence - 1);
        if (status != OG_OK) return status;
    }
    return OG_OK;
}

og_status og_journal_reader_open(struct og_journal_reader *reader,
                                 const char *folder, const uint8_t *uuid,
                                 uint64_t sequence,
                                 const og_allocator *allocator, og_error *err)
{
    *reader = (struct og_journal_reader){.allocator = allocator,
                                         .folder = folder,
                                         .uuid = uuid,
                                         .n_types = OG_JOURNAL_TYPES,
                                         .fd = -1,
                                         .torn_off = OG_UNKNOWN};
    og_status status = find_file(reader, sequence, err);
    if (status == OG_OK) status = skip_to(reader, sequence, err);
    if (status != OG_OK) og_journal_reader_close(reader);
    return status;
}

og_status og_journal_reader_open_file(struct og_journal_reader *reader,
                                      const char *path, const uint8_t *uuid,
                                      const og_allocator *allocator,
                                      og_error *err)
{
    *reader = (struct og_journal_reader){.allocator = allocator,
                                         .folder = path,
                                         .is_file = true,
                                         .uuid = uuid,
                                         .n_types = OG_JOURNAL_FILE_TYPES,
                                         .fd = -1,
                                         .torn_off = OG_UNKNOWN};
    return open_number(reader, 1, err);
}

void og_journal_reader_close(struct og_journal_reader *reader)
{
    if (reader->fd >= 0) close(reader->fd);
    reader->fd = -1;
    OG_UNGROW(reader->allocator, reader->buffer, reader->buffer_cap);
    reader->buffer_len = 0;
}

/* ---- records ---- */

/* Bytes off .. off + len of the file in the buffer; *out NULL: the file ends
 * before that. */
static og_status look(struct og_journal_reader *r, uint64_t off, size_t len,
                      const uint8_t **out, og_error *err)
{
    *out = NULL;
    if (r->buffer_len == 0 || off < r->buffer_off ||
        off + len > r->buffer_off + r->buffer_len) {
        const size_t want = len > READ_LEN ? len : READ_LEN;
        if (!OG_GROW(r->allocator, r->buffer, r->buffer_cap, want))
            return og_error_memory(err, want, "a record of the journal");
        const int64_t n = og_file_read_at(r->fd, r->buffer, want, off);
        if (n < 0) return og_file_failure(err, "read", r->path, errno);
        r->buffer_off = off;
        r->buffer_len = (size_t)n;
    }
    if (off + len <= r->buffer_off + r->buffer_len)
        *out = r->buffer + (off - r->buffer_off);
    return OG_OK;
}

/* The record at `off`, whatever its sequence; *out NULL: there is none. */
static og_status record_at(struct og_journal_reader *r, uint64_t off,
                           uint64_t file_len, const uint8_t **out,
                           og_error *err)
{
    const uint8_t *record;
    *out = NULL;
    /* The file may have grown since its length was taken. */
    if (off > file_len || file_len - off < RECORD_LEN) return OG_OK;
    TRY(look(r, off, RECORD_LEN, &record, err));
    if (record == NULL) return OG_OK;
    const uint64_t len = og_load32(record);
    const uint32_t type = og_load32(record + 4);
    if (type == 0 || type >= r->n_types) return OG_OK;
    if (og_journal_padded(len) > file_len - off - RECORD_LEN) return OG_OK;
    TRY(look(r, off, RECORD_LEN + og_journal_padded(len), &record, err));
    if (record == NULL ||
        og_load64(record + 24) != og_journal_record_sum(record, len))
        return OG_OK;
    *out = record;
    return OG_OK;
}

/* Was the bad record at r->off safe once? A later one may say so. In bytes made
 * to look like records at every offset, the same bytes would be summed again
 * and again. A crash leaves no such file, so beyond a limit it counts as
 * damaged. */
static og_status look_past_end(struct og_journal_reader *r, uint64_t file_len,
                               bool *out_was_safe, og_error *err)
{
    const uint64_t sequence = r->next_sequence;
    uint64_t left = 4 * file_len + READ_LEN; /* bytes to sum */
    const uint8_t *record;
    *out_was_safe = false;
    for (uint64_t off = r->off + 8; off + RECORD_LEN <= file_len; off += 8) {
        TRY(look(r, off, RECORD_LEN, &record, err));
        if (record == NULL) return OG_OK;
        const uint64_t durable = og_load64(record + 16);
        if (durable < sequence || og_load64(record + 8) <= durable) continue;
        const uint64_t len = RECORD_LEN + og_journal_padded(og_load32(record));
        if (len > file_len - off) continue;
        *out_was_safe = len > left;
        if (*out_was_safe) return OG_OK;
        left -= len;
        TRY(record_at(r, off, file_len, &record, err));
        if (record == NULL) continue;
        *out_was_safe = true;
        return OG_OK;
    }
    return OG_OK;
}

/* Nothing more in this file. In the next one? */
static og_status next_file(struct og_journal_reader *r, og_error *err)
{
    if (r->is_file) return OG_END;
    const uint64_t number = r->number;
    const uint64_t off = r->off;
    const uint64_t expected = r->next_sequence;
    char path[sizeof(r->path)];
    memcpy(path, r->path, sizeof(path));
    const og_status status = open_number(r, number + 1, err);
    if (status == OG_END) {
        r->number = number;
        memcpy(r->path, path, sizeof(path));
        return OG_END;
    }
    if (status != OG_OK || r->first_sequence == expected) return status;
    memcpy(r->path, path, sizeof(path));
    return unsound(r, off, "records that were safe on disk are missing", err);
}

static og_status file_length(struct og_journal_reader *r, uint64_t *out,
                             og_error *err)
{
    struct stat st;
    if (fstat(r->fd, &st) != 0)
        return og_file_failure(err, "read", r->path, errno);
    *out = (uint64_t)st.st_size;
    return OG_OK;
}

static og_status at_a_gap(struct og_journal_reader *r, uint64_t file_len,
                          og_error *err)
{
    bool was_safe = false;
    const og_status status = next_file(r, err);
    if (status != OG_END) return status;
    if (r->off == file_len) return OG_END;
    TRY(look_past_end(r, file_len, &was_safe, err));
    if (was_safe) return unsound(r, r->off, "a record is damaged", err);
    r->torn_off = r->off;
    r->buffer_len =
        0; /* the writer may still be writing it: read it again next time */
    return OG_END;
}

og_status og_journal_reader_next(struct og_journal_reader *reader,
                                 struct og_journal_view *out, og_error *err)
{
    struct og_journal_reader *r = reader;
    uint64_t file_len = 0;
    const uint8_t *record;
    for (;;) {
        TRY(file_length(r, &file_len, err));
        TRY(record_at(r, r->off, file_len, &record, err));
        if (record != NULL && og_load64(record + 8) == r->next_sequence) break;
        TRY(at_a_gap(r, file_len, err));
    }
    const size_t len = og_load32(record);
    *out = (struct og_journal_view){.type = og_load32(record + 4),
                                    .sequence = r->next_sequence,
                                    .durable = og_load64(record + 16),
                                    .data = record + RECORD_LEN,
                                    .len = len};
    r->off += RECORD_LEN + og_journal_padded(len);
    r->next_sequence++;
    return OG_OK;
}

uint64_t og_journal_reader_torn(const struct og_journal_reader *reader)
{
    struct stat st;
    if (reader->torn_off == OG_UNKNOWN || fstat(reader->fd, &st) != 0) return 0;
    return (uint64_t)st.st_size - reader->torn_off;
}

/* ---- a damaged journal ---- */

static og_status salvage_records(struct og_journal_reader *r, uint64_t file_len,
                                 og_journal_visit *visit, og_journal_gap *gap,
                                 void *ctx, og_error *err)
{
    uint64_t bad = OG_UNKNOWN; /* where a gap begins */
    uint64_t off = HEAD_LEN;
    while (off < file_len) {
        const uint8_t *record;
        TRY(record_at(r, off, file_len, &record, err));
        if (record == NULL && bad == OG_UNKNOWN) bad = off;
        if (record == NULL) {
            off += 8;
            continue;
        }
        if (bad != OG_UNKNOWN) gap(ctx, r->path, bad, off);
        bad = OG_UNKNOWN;
        const struct og_journal_view view = {
            .type = og_load32(record + 4),
            .sequence = og_load64(record + 8),
            .durable = og_load64(record + 16),
            .data = record + RECORD_LEN,
            .len = og_load32(record),
        };
        visit(ctx, &view);
        off += RECORD_LEN + og_journal_padded(view.len);
    }
    if (bad != OG_UNKNOWN) gap(ctx, r->path, bad, file_len);
    return OG_OK;
}

og_status og_journal_salvage(const char *folder, uint64_t number,
                             const og_allocator *allocator,
                             og_journal_visit *visit, og_journal_gap *gap,
                             void *ctx, og_error *err)
{
    struct og_journal_reader r = {.allocator = allocator,
                                  .folder = folder,
                                  .number = number,
                                  .n_types = OG_JOURNAL_TYPES,
                                  .fd = -1};
    struct stat st;
    if (!og_journal_path(r.path, sizeof(r.path), folder, number))
        return og_error_set(err, OG_ERR_USAGE, "'%s' is too long a name",
                            folder);
    r.fd = og_file_open_own(r.path, O_RDONLY, 0);
    if (r.fd < 0 && errno == ENOENT) return OG_OK;
    if (r.fd < 0) return og_file_failure(err, "open", r.path, errno);
    const og_status status =
        fstat(r.fd, &st) == 0
            ? salvage_records(&r, (uint64_t)st.st_size, visit, gap, ctx, err)
            : og_file_failure(err, "read", r.path, errno);
    og_journal_reader_close(&r);
    return status;
}
