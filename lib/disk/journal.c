/* Two buffers: the caller fills one while the thread writes the other.
 *
 *     caller:  append -> filling            (waits while it is full)
 *     thread:  filling <-> writing; sync_first(); write; fdatasync; durable
 *
 * The thread takes what has accumulated as soon as it is idle and either there
 * is enough of it or somebody is waiting for it. A failed sync is final: the
 * system may have dropped the pages and would report success the next time. */

#define _GNU_SOURCE
#include "lib/disk/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/limits.h"
#include "lib/base/packing.h"
#include "lib/disk/journal_format.h"
#include "lib/os/clock.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

/* A batch that is worth a sync of its own, and the most that may be
 * buffered. */
#define LOT_LEN  OG_LIMIT((size_t)1 << 20, (size_t)4 << 10)
#define MOST_LEN ((size_t)4 << 20)

struct og_journal {
    const og_allocator *allocator;
    struct og_journal_options options;
    uint8_t uuid[16];
    char path[4096];
    int fd;
    uint64_t len; /* the caller's: of the file, including what is in buffers */
    pthread_t thread;
    bool has_thread;
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t may_write, may_go_on;
    struct og_pack filling;
    uint64_t next_sequence; /* of the next record to be appended */
    uint64_t durable; /* the last record known to be safe; all are when it is
                         next_sequence - 1 */
    uint64_t wanted;  /* somebody is waiting until this one is durable */
    bool is_writing, stop;
    og_error failure;
    /* The thread's. */
    struct og_pack writing;
};

bool og_journal_path(char *out, size_t out_cap, const char *folder,
                     uint64_t number)
{
    const int n = snprintf(out, out_cap, "%s/journal/%06llu.jnl", folder,
                           (unsigned long long)number);
    return n > 0 && (size_t)n < out_cap;
}

/* ---- the thread ---- */

/* Done here and not where records are packed, because the caller has more to
 * do. */
static void sum_records(const struct og_pack *lot)
{
    size_t next;
    for (size_t at = 0; at < lot->len; at = next) {
        uint8_t *record = lot->data + at;
        const uint32_t len = og_load32(record);
        og_store64(record + 24, og_journal_record_sum(record, len));
        next = at + sizeof(struct og_journal_record) + og_journal_padded(len);
    }
}

static og_status put_on_disk(struct og_journal *j, og_error *err)
{
    if (j->options.sync_first != NULL)
        TRY(j->options.sync_first(j->options.ctx, err));
    sum_records(&j->writing);
    if (j->writing.len > 0 &&
        og_file_write_all(j->fd, j->writing.data, j->writing.len) != 0)
        return og_file_failure(err, "write", j->path, errno);
    if (fdatasync(j->fd) != 0)
        return og_file_failure(err, "sync", j->path, errno);
    return OG_OK;
}

static bool has_work(const struct og_journal *j)
{
    if (j->failure.status != OG_OK) return false;
    return j->wanted > j->durable || j->filling.len >= LOT_LEN;
}

/* Called with the lock held; it is released during disk I/O. */
static void write_lot(struct og_journal *j)
{
    const uint64_t last = j->next_sequence - 1;
    og_error err = {0};
    const struct og_pack lot = j->filling;
    j->filling = j->writing;
    j->filling.len = 0;
    j->writing = lot;
    j->is_writing = true;
    pthread_mutex_unlock(&j->lock);
    const og_status status = put_on_disk(j, &err);
    pthread_mutex_lock(&j->lock);
    j->is_writing = false;
    if (status == OG_OK)
        j->durable = last;
    else
        j->failure = err;
    pthread_cond_broadcast(&j->may_go_on);
}

static void *write_lots(void *ctx)
{
    struct og_journal *j = ctx;
    pthread_mutex_lock(&j->lock);
    while (!j->stop) {
        if (has_work(j))
            write_lot(j);
        else
            pthread_cond_wait(&j->may_write, &j->lock);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* ---- the caller ---- */

static og_status failure_of(const struct og_journal *j, og_error *err)
{
    if (j->failure.status == OG_OK) return OG_OK;
    return og_error_set(err, j->failure.status, "%s", j->failure.message);
}

static void pack_record(struct og_journal *j, uint32_t type,
                        const struct og_journal_part *parts, size_t n_parts,
                        size_t len)
{
    static const uint8_t zeros[8] = {0};
    struct og_pack *out = &j->filling;
    const size_t begin = out->len;
    og_pack_fixed(out, len, 4);
    og_pack_fixed(out, type, 4);
    og_pack_fixed(out, j->next_sequence, 8);
    og_pack_fixed(out, j->durable, 8);
    og_pack_fixed(out, 0, 8); /* the sum, see sum_records() */
    for (size_t i = 0; i < n_parts; i++)
        og_pack_bytes(out, parts[i].data, parts[i].len);
    og_pack_bytes(out, zeros, og_journal_padded(len) - len);
    if (!out->failed) return;
    out->failed = false;
    out->len = begin;
}

static og_status append(struct og_journal *j, uint32_t type,
                        const struct og_journal_part *parts, size_t n_parts,
                        uint64_t *out_sequence, og_error *err)
{
    size_t len = 0;
    for (size_t i = 0; i < n_parts; i++)
        len += parts[i].len;
    if (len > UINT32_MAX / 2)
        return og_error_set(err, OG_ERR_LIMIT,
                            "a record of %zu bytes is too long for the journal",
                            len);
    while (j->filling.len > MOST_LEN && j->failure.status == OG_OK)
        pthread_cond_wait(&j->may_go_on, &j->lock);
    TRY(failure_of(j, err));
    const size_t before = j->filling.len;
    pack_record(j, type, parts, n_parts, len);
    if (j->filling.len == before)
        return og_error_memory(err, len, "the journal");
    *out_sequence = j->next_sequence++;
    j->len += j->filling.len - before;
    if (has_work(j) && !j->is_writing) pthread_cond_signal(&j->may_write);
    return OG_OK;
}

og_status og_journal_append(struct og_journal *journal, uint32_t type,
                            const struct og_journal_part *parts, size_t n_parts,
                            uint64_t *out_sequence, og_error *err)
{
    pthread_mutex_lock(&journal->lock);
    const og_status status =
        append(journal, type, parts, n_parts, out_sequence, err);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

og_status og_journal_commit(struct og_journal *journal, og_error *err)
{
    struct og_journal *j = journal;
    pthread_mutex_lock(&j->lock);
    const uint64_t last = j->next_sequence - 1;
    if (j->wanted < last) j->wanted = last;
    while (j->durable < last && j->failure.status == OG_OK) {
        pthread_cond_signal(&j->may_write);
        pthread_cond_wait(&j->may_go_on, &j->lock);
    }
    const og_status status = failure_of(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

og_status og_journal_write_out(struct og_journal *journal, og_error *err)
{
    struct og_journal *j = journal;
    og_error failure = {0};
    pthread_mutex_lock(&j->lock);
    while (j->is_writing)
        pthread_cond_wait(&j->may_go_on, &j->lock);
    if (j->failure.status == OG_OK && j->filling.len > 0) {
        sum_records(&j->filling);
        if (og_file_write_all(j->fd, j->filling.data, j->filling.len) != 0) {
            og_file_failure(&failure, "write", j->path, errno);
            j->failure = failure;
        }
        j->filling.len = 0;
    }
    const og_status status = failure_of(j, err);
    pthread_mutex_unlock(&j->lock);
    return status;
}

uint64_t og_journal_number(const struct og_journal *journal)
{
    return journal->options.number;
}

/* ---- files ---- */

static og_status write_head(struct og_journal *j, og_error *err)
{
    uint8_t head[sizeof(struct og_journal_head)] = {0};
    memcpy(head, OG_JOURNAL_MAGIC, 8);
    og_store32(head + 8, OG_JOURNAL_VERSION);
    memcpy(head + 16, j->uuid, 16);
    og_store64(head + 32, j->options.first_sequence);
    og_store64(head + 40, j->options.number);
    og_store64(head + 56, og_checksum(head, 56));
    if (og_file_write_all(j->fd, head, sizeof(head)) != 0)
        return og_file_failure(err, "write", j->path, errno);
    if (fdatasync(j->fd) != 0 || og_file_sync_folder(j->path) != 0)
        return og_file_failure(err, "sync", j->path, errno);
    j->len = sizeof(head);
    return OG_OK;
}

/* Continues after the last valid record. What a crash left after it is removed
 * durably before anything takes its place. */
static og_status continue_file(struct og_journal *j, og_error *err)
{
    struct stat st;
    const uint64_t len = j->options.continued_len;
    j->fd = og_file_open_own(j->path, O_WRONLY, 0);
    if (j->fd < 0 || fstat(j->fd, &st) != 0)
        return og_file_failure(err, "open", j->path, errno);
    if ((uint64_t)st.st_size > len &&
        (ftruncate(j->fd, (off_t)len) != 0 || fdatasync(j->fd) != 0))
        return og_file_failure(err, "write", j->path, errno);
    if (lseek(j->fd, (off_t)len, SEEK_SET) < 0)
        return og_file_failure(err, "write", j->path, errno);
    j->len = len;
    return OG_OK;
}

static bool name_file(struct og_journal *j)
{
    const int n = snprintf(j->path, sizeof(j->path), "%s", j->options.folder);
    return n > 0 && (size_t)n < sizeof(j->path);
}

/* If a file of that name exists already, its writer died before its first
 * record was safe: nothing in it was promised. */
static og_status open_file(struct og_journal *j, og_error *err)
{
    if (!(j->options.is_file
              ? name_file(j)
              : og_journal_path(j->path, sizeof(j->path), j->options.folder,
                                j->options.number)))
        return og_error_set(err, OG_ERR_USAGE, "the name '%s' is too long",
                            j->options.folder);
    if (j->options.continued_len > 0) return continue_file(j, err);
    j->fd = og_file_open_own(j->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (j->fd < 0) return og_file_failure(err, "create", j->path, errno);
    const og_status status = write_head(j, err);
    if (status == OG_OK) return OG_OK;
    close(j->fd);
    j->fd = -1;
    unlink(j->path);
    return status;
}

og_status og_journal_rotate(struct og_journal *journal, og_error *err)
{
    struct og_journal *j = journal;
    TRY(og_journal_commit(j, err));
    const int old = j->fd;
    j->options.number++;
    j->options.first_sequence = j->next_sequence;
    j->options.continued_len = 0;
    const og_status status = open_file(j, err);
    if (status == OG_OK) {
        close(old);
        return OG_OK;
    }
    pthread_mutex_lock(&j->lock);
    j->fd = old;
    if (err != NULL) j->failure = *err;
    j->failure.status = status;
    pthread_mutex_unlock(&j->lock);
    return status;
}

og_status og_journal_new(const struct og_journal_options *options,
                         const og_allocator *allocator, struct og_journal **out,
                         og_error *err)
{
    struct og_journal *j = og_allocate_zero(allocator, sizeof(*j));
    if (j == NULL) return og_error_memory(err, sizeof(*j), "a journal");
    j->allocator = allocator;
    j->options = *options;
    j->fd = -1;
    memcpy(j->uuid, options->uuid, 16);
    j->filling.allocator = j->writing.allocator = allocator;
    j->next_sequence = options->first_sequence;
    j->durable = options->continued_len > 0 ? options->durable
                                            : options->first_sequence - 1;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->may_write, NULL);
    pthread_cond_init(&j->may_go_on, NULL);
    og_status status = open_file(j, err);
    if (status == OG_OK) {
        const int error = pthread_create(&j->thread, NULL, write_lots, j);
        j->has_thread = error == 0;
        if (error != 0) {
            char text[128];
            status =
                og_error_set(err, OG_ERR_IO, "cannot start a thread: %s",
                             og_file_error_text(error, text, sizeof(text)));
        }
    }
    if (status != OG_OK)
        og_journal_free(j);
    else
        *out = j;
    return status;
}

double og_journal_seconds(const struct og_journal *journal)
{
    return journal->has_thread ? og_clock_of_thread(journal->thread) : 0;
}

void og_journal_free(struct og_journal *journal)
{
    struct og_journal *j = journal;
    if (j == NULL) return;
    if (j->has_thread) {
        pthread_mutex_lock(&j->lock);
        j->stop = true;
        pthread_cond_signal(&j->may_write);
        pthread_mutex_unlock(&j->lock);
        pthread_join(j->thread, NULL);
    }
    if (j->fd >= 0) close(j->fd);
    pthread_cond_destroy(&j->may_go_on);
    pthread_cond_destroy(&j->may_write);
    pthread_mutex_destroy(&j->lock);
    og_pack_release(&j->filling);
    og_pack_release(&j->writing);
    og_release(j->allocator, j, sizeof(*j));
}
