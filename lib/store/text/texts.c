/* The writer of texts.
 *
 * Workers pack, one thread appends, another one syncs: the first must not wait
 * for the last. So there are two buffers and two locks. `lock` guards what an
 * append touches: the buffer, the end, the failure; it is held for a copy.
 * `write_lock` guards the file and the other buffer; it is held for a write and
 * for a sync. A thread that needs both takes `write_lock` first.
 *
 * A write that failed may have left half a frame and a sync that failed may
 * have lost pages that the system now believes clean: neither can be repaired
 * by trying again. So the first failure is kept and returned to all callers. */

#include "lib/store/text/texts.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zdict.h>

#include "lib/base/limits.h"
#include "lib/os/new_file.h"
#include "lib/remote/remote_catalogue.h"
#include "lib/store/text/text_files.h"
#include "lib/store/text/text_memory.h"

enum {
    BUFFER_LEN = OG_LIMIT(2 << 20, 8 << 10),
    SAMPLES_LEN = OG_LIMIT(3 << 20, 40 << 10),
    SAMPLE_MAX = 16 << 10, /* of one text: no text becomes the dictionary */
    DICT_LEN = 64 << 10,   /* 110 KiB were 0.1 % better */
    N_SAMPLES_MIN = 16,    /* zdict wants some */
};

/* How far the dictionary is. */
enum { GATHERING, READY, TRAINING, DONE };

struct og_texts {
    struct og_texts_options options;
    const og_allocator *allocator;
    uint8_t uuid[16];
    char *folder;
    size_t folder_cap;

    pthread_mutex_t lock;
    struct og_pack buffer;
    struct og_texts_end end; /* after the last append */
    uint32_t last_segment;   /* the largest number that has a file */
    bool has_segment;        /* the segment at `end` is open */
    bool is_named;           /* the name of that segment is on the disk */
    bool has_unlogged;       /* some of the buffer is not in the log */
    size_t log_left;         /* bytes that may still be logged */
    og_error failure;        /* OG_OK: none */

    pthread_mutex_t write_lock;
    struct og_pack writing; /* taken from the buffer */
    int fd;                 /* of the segment at `end`, or -1 */
    bool is_dirty;          /* written, not synced, and not logged */
    bool is_unsettled;      /* written, perhaps not synced, logged or not */
    bool is_new;            /* its name is not synced */

    pthread_mutex_t sample_lock;
    atomic_int training;
    struct og_pack samples;
    size_t *sample_lens;
    size_t n_samples, sample_lens_cap;
    struct og_dict dict_made;
    _Atomic(const struct og_dict *) dict;

    struct og_text_memory memory; /* if options.memory is not 0 */
};

/* ---- open and close ---- */

static void free_texts(struct og_texts *t)
{
    const og_allocator *allocator = t->allocator;
    if (t->fd >= 0) close(t->fd);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->write_lock);
    pthread_mutex_destroy(&t->sample_lock);
    og_pack_release(&t->buffer);
    og_pack_release(&t->writing);
    og_pack_release(&t->samples);
    OG_UNGROW(allocator, t->sample_lens, t->sample_lens_cap);
    OG_UNGROW(allocator, t->folder, t->folder_cap);
    og_dict_release(&t->dict_made);
    if (t->options.memory > 0) og_text_memory_release(&t->memory);
    og_release(allocator, t, sizeof(*t));
}

static struct og_texts *new_texts(const struct og_texts_options *options)
{
    struct og_texts *t = og_allocate_zero(options->allocator, sizeof(*t));
    if (t == NULL) return NULL;
    t->options = *options;
    if (t->options.segment_len == 0)
        t->options.segment_len = OG_LIMIT(OG_SEGMENT_LEN, 30 << 10);
    if (t->options.buffer_len == 0) t->options.buffer_len = BUFFER_LEN;
    if (t->options.samples_len == 0) t->options.samples_len = SAMPLES_LEN;
    t->allocator = options->allocator;
    t->buffer.allocator = t->writing.allocator = t->allocator;
    t->samples.allocator = t->allocator;
    memcpy(t->uuid, options->uuid, sizeof(t->uuid));
    t->options.uuid = t->uuid;
    t->end = options->end;
    t->log_left = options->log != NULL ? options->log_most : 0;
    /* What an earlier session has logged. */
    t->is_unsettled = options->end.segment != 0;
    t->fd = -1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->write_lock, NULL);
    pthread_mutex_init(&t->sample_lock, NULL);
    return t;
}

/* Also the parent learns of it for good. */
static og_status make_folder(const char *folder, og_error *err)
{
    if (mkdir(folder, 0777) == 0) {
        if (og_file_sync_folder(folder) == 0) return OG_OK;
    } else if (errno == EEXIST) {
        return OG_OK;
    }
    return og_file_failure(err, "make the folder", folder, errno);
}

static og_status load_dict(struct og_texts *t, uint32_t number, og_error *err)
{
    struct og_pack bytes = {.allocator = t->allocator};
    og_status status = og_dict_read(t->folder, t->uuid, number, &bytes, err);
    if (status == OG_OK)
        status = og_dict_init(&t->dict_made, number,
                              (og_bytes){(char *)bytes.data, bytes.len}, false,
                              t->allocator, err);
    og_pack_release(&bytes);
    if (status != OG_OK) return status;
    atomic_store(&t->dict, &t->dict_made);
    atomic_store(&t->training, DONE);
    return OG_OK;
}

static og_status open_folder(struct og_texts *t, const char *folder,
                             og_error *err)
{
    const size_t len = strlen(folder) + 1;
    uint32_t dict;
    if (!OG_GROW(t->allocator, t->folder, t->folder_cap, len))
        return og_error_memory(err, len, "texts");
    memcpy(t->folder, folder, len);
    TRY(make_folder(folder, err));
    TRY(og_text_files_last(folder, &t->last_segment, &dict, err));
    if (t->last_segment < t->end.segment) t->last_segment = t->end.segment;
    return dict > 0 ? load_dict(t, dict, err) : OG_OK;
}

og_status og_texts_open(const char *folder,
                        const struct og_texts_options *options,
                        struct og_texts **out, og_error *err)
{
    struct og_texts *t = new_texts(options);
    if (t == NULL) return og_error_memory(err, sizeof(*t), "texts");
    og_status status = OG_OK;
    if (options->memory > 0) {
        og_text_memory_init(&t->memory, options->memory, t->allocator);
        atomic_store(&t->training, DONE);
    } else if (options->elsewhere != NULL) {
        atomic_store(&t->training, DONE);
    } else {
        status = open_folder(t, folder, err);
    }
    if (status != OG_OK) {
        free_texts(t);
        return status;
    }
    *out = t;
    return OG_OK;
}

og_status og_texts_close(struct og_texts *texts, og_error *err)
{
    if (texts == NULL) return OG_OK;
    const og_status status = og_texts_flush(texts, err);
    free_texts(texts);
    return status;
}

/* ---- writing; the caller holds write_lock ---- */

static og_status failure_of(struct og_texts *t, og_error *err)
{
    if (t->failure.status != OG_OK && err != NULL) *err = t->failure;
    return t->failure.status;
}

/* The first failure stays. */
static og_status keep_failure(struct og_texts *t, const og_error *failure,
                              og_error *err)
{
    pthread_mutex_lock(&t->lock);
    if (t->failure.status == OG_OK) t->failure = *failure;
    const og_status status = failure_of(t, err);
    pthread_mutex_unlock(&t->lock);
    return status;
}

static og_status fail(struct og_texts *t, const char *verb, int error,
                      og_error *err)
{
    struct og_text_path path;
    og_error failure;
    og_segment_path(&path, t->folder, t->end.segment);
    og_file_failure(&failure, verb, path.name, error);
    return keep_failure(t, &failure, err);
}

/* After a text of extraordinary length memory is released. */
static void clear_written(struct og_texts *t)
{
    t->writing.len = 0;
    if (t->writing.cap > 4 * t->options.buffer_len)
        og_pack_release(&t->writing);
}

/* Swaps the buffers: the filled one is to be written. */
static og_status take_buffer(struct og_texts *t, struct og_texts_end *out_end,
                             og_error *err)
{
    pthread_mutex_lock(&t->lock);
    const struct og_pack empty = t->writing;
    const og_status status = failure_of(t, err);
    if (status == OG_OK) {
        t->writing = t->buffer;
        t->buffer = empty;
        t->is_dirty |= t->has_unlogged;
        t->has_unlogged = false;
    }
    *out_end = t->end;
    pthread_mutex_unlock(&t->lock);
    return status;
}

static og_status write_buffer(struct og_texts *t, struct og_texts_end *out_end,
                              og_error *err)
{
    TRY(take_buffer(t, out_end, err));
    if (t->writing.len == 0) return OG_OK;
    t->is_unsettled = true;
    if (og_file_write_all(t->fd, t->writing.data, t->writing.len) != 0)
        return fail(t, "write", errno, err);
    clear_written(t);
    return OG_OK;
}

static og_status sync_segment(struct og_texts *t, bool logged_too,
                              og_error *err)
{
    struct og_text_path path;
    if (t->is_dirty || (logged_too && t->is_unsettled)) {
        if (fdatasync(t->fd) != 0) return fail(t, "sync", errno, err);
        t->is_dirty = t->is_unsettled = false;
    }
    og_segment_path(&path, t->folder, t->end.segment);
    if (t->is_new && og_file_sync_folder(path.name) != 0)
        return fail(t, "sync", errno, err);
    t->is_new = false;
    pthread_mutex_lock(&t->lock);
    t->is_named = true;
    pthread_mutex_unlock(&t->lock);
    return OG_OK;
}

static bool needs_segment(const struct og_texts *t)
{
    return !t->has_segment || t->end.off >= t->options.segment_len;
}

/* What an earlier session has logged, and this one has not yet come to. */
static og_status settle_older(struct og_texts *t, og_error *err)
{
    struct og_segment_head head;
    og_error failure = {0};
    int fd = -1;
    if (!t->is_unsettled || t->fd >= 0) return OG_OK;
    if (og_segment_amend(t->folder, t->uuid, t->end.segment, &fd, &head,
                         &failure) != OG_OK)
        return keep_failure(t, &failure, err);
    const int error = fdatasync(fd) != 0 ? errno : 0;
    close(fd);
    if (error != 0) return fail(t, "sync", error, err);
    t->is_unsettled = false;
    return OG_OK;
}

/* Continues in the segment of an earlier session. */
static og_status continue_segment(struct og_texts *t, og_error *err)
{
    og_error failure;
    if (og_segment_continue(t->folder, t->uuid, t->end.segment, t->end.off,
                            &t->fd, &failure) != OG_OK)
        return keep_failure(t, &failure, err);
    pthread_mutex_lock(&t->lock);
    t->has_segment = t->is_named = true;
    pthread_mutex_unlock(&t->lock);
    return OG_OK;
}

/* Ends the segment that is open, if there is one, and begins the next. */
static og_status begin_segment(struct og_texts *t, og_error *err)
{
    struct og_texts_end end;
    TRY(write_buffer(t, &end, err));
    TRY(settle_older(t, err));
    if (t->fd >= 0) {
        TRY(sync_segment(t, true, err));
        close(t->fd);
        t->fd = -1;
    }
    const struct og_segment_head head = {end.segment, end.off};
    const uint32_t number = t->last_segment + 1;
    og_error failure;
    if (og_segment_make(t->folder, t->uuid, number, &head, &t->fd, &failure) !=
        OG_OK)
        return keep_failure(t, &failure, err);
    t->is_dirty = t->is_unsettled = t->is_new = true;
    pthread_mutex_lock(&t->lock);
    t->last_segment = number;
    t->end = (struct og_texts_end){number, OG_SEGMENT_HEAD};
    t->has_segment = true;
    t->is_named = false;
    pthread_mutex_unlock(&t->lock);
    return OG_OK;
}

/* ---- append, flush, sync ---- */

/* Holds `lock` when it returns, also after a failure. Appends of other threads
 * must not come between the last write to a segment and the next segment: they
 * wait in here for write_lock, because they too need a segment. */
static og_status lock_with_segment(struct og_texts *t, og_error *err)
{
    og_status status = OG_OK;
    pthread_mutex_lock(&t->lock);
    while (status == OG_OK && (status = failure_of(t, err)) == OG_OK &&
           needs_segment(t)) {
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&t->write_lock);
        pthread_mutex_lock(&t->lock);
        const bool still = needs_segment(t);
        const bool resumes = !t->has_segment && t->options.continues;
        pthread_mutex_unlock(&t->lock);
        if (still)
            status = resumes ? continue_segment(t, err) : begin_segment(t, err);
        pthread_mutex_unlock(&t->write_lock);
        pthread_mutex_lock(&t->lock);
    }
    return status;
}

/* A new segment has a name to be synced anyway. The caller holds `lock` and
 * logs after releasing it: the log may wait for a thread that syncs. */
static bool will_log(struct og_texts *t, size_t len)
{
    if (len == 0 || len > t->log_left || !t->is_named) return false;
    t->log_left -= len;
    return true;
}

og_status og_texts_append(struct og_texts *texts, const void *frames,
                          size_t len, uint32_t *out_segment, uint64_t *out_base,
                          og_error *err)
{
    bool is_logged = false;
    if (texts->options.elsewhere != NULL) {
        *out_base = OG_SEGMENT_HEAD; /* as in a file */
        return og_remote_catalogue_put_text(texts->options.elsewhere,
                                            (og_bytes){frames, len},
                                            out_segment, err);
    }
    if (texts->options.memory > 0)
        return og_text_memory_append(&texts->memory, frames, len, out_segment,
                                     out_base, err);
    og_status status = lock_with_segment(texts, err);
    if (status == OG_OK) {
        og_pack_bytes(&texts->buffer, frames, len);
        if (texts->buffer.failed) {
            texts->buffer.failed = false; /* it is as it was */
            status = og_error_memory(err, len, "texts");
        }
    }
    if (status == OG_OK) {
        is_logged = will_log(texts, len);
        texts->has_unlogged |= !is_logged && len > 0;
        *out_segment = texts->end.segment;
        *out_base = texts->end.off;
        texts->end.off += len;
    }
    const bool is_full = texts->buffer.len >= texts->options.buffer_len;
    pthread_mutex_unlock(&texts->lock);
    if (is_logged)
        status = texts->options.log(texts->options.ctx, *out_segment, *out_base,
                                    frames, len, err);
    return status == OG_OK && is_full ? og_texts_flush(texts, err) : status;
}

og_status og_texts_append_version(struct og_texts *texts,
                                  struct og_framer *framer,
                                  struct og_text_reader *reader, og_bytes text,
                                  const struct og_text_place *older,
                                  uint64_t older_len, struct og_text_place *out,
                                  og_error *err)
{
    struct og_text_prefix prefix;
    struct og_pack frame = {.allocator = texts->allocator};
    TRY(og_text_reader_prefix(reader, older, older_len, &prefix, err));
    og_status status = og_framer_pack_version(framer, og_texts_dict(texts),
                                              text, &prefix, &frame, out, err);
    uint32_t segment = 0;
    uint64_t base = 0;
    if (status == OG_OK)
        status =
            og_texts_append(texts, frame.data, frame.len, &segment, &base, err);
    if (status == OG_OK) og_text_place_move(out, segment, base);
    og_pack_release(&frame);
    return status;
}

og_status og_texts_flush(struct og_texts *texts, og_error *err)
{
    struct og_texts_end end;
    pthread_mutex_lock(&texts->write_lock);
    const og_status status = write_buffer(texts, &end, err);
    pthread_mutex_unlock(&texts->write_lock);
    return status;
}

/* If little is added between two syncs, logging continues; once much was added,
 * the segment is synced from then on, and nothing is written twice. */
static void renew_log(struct og_texts *t)
{
    pthread_mutex_lock(&t->lock);
    if (t->options.log != NULL) t->log_left = t->options.log_most;
    pthread_mutex_unlock(&t->lock);
}

og_status og_texts_sync(struct og_texts *texts, struct og_texts_end *out_end,
                        og_error *err)
{
    struct og_texts_end end;
    pthread_mutex_lock(&texts->write_lock);
    og_status status = write_buffer(texts, &end, err);
    if (status == OG_OK && !texts->is_dirty) renew_log(texts);
    if (status == OG_OK && texts->fd >= 0)
        status = sync_segment(texts, false, err);
    pthread_mutex_unlock(&texts->write_lock);
    if (status == OG_OK && out_end != NULL) *out_end = end;
    return status;
}

og_status og_texts_settle(struct og_texts *texts, og_error *err)
{
    struct og_texts_end end;
    pthread_mutex_lock(&texts->write_lock);
    og_status status = write_buffer(texts, &end, err);
    if (status == OG_OK) status = settle_older(texts, err);
    if (status == OG_OK && texts->fd >= 0)
        status = sync_segment(texts, true, err);
    pthread_mutex_unlock(&texts->write_lock);
    return status;
}

void og_texts_limit(struct og_texts *texts, uint64_t memory)
{
    if (texts->options.memory > 0) og_text_memory_limit(&texts->memory, memory);
}

struct og_text_memory *og_texts_memory(struct og_texts *texts)
{
    return texts->options.memory > 0 ? &texts->memory : NULL;
}

struct og_remote_catalogue *og_texts_elsewhere(struct og_texts *texts)
{
    return texts->options.elsewhere;
}

struct og_texts_end og_texts_end(struct og_texts *texts)
{
    pthread_mutex_lock(&texts->lock);
    const struct og_texts_end end = texts->end;
    pthread_mutex_unlock(&texts->lock);
    return end;
}

/* ---- the dictionary ---- */

const struct og_dict *og_texts_dict(struct og_texts *texts)
{
    return atomic_load_explicit(&texts->dict, memory_order_acquire);
}

/* The caller holds sample_lock. */
static bool keep_sample(struct og_texts *t, og_bytes text)
{
    const size_t len = text.len < SAMPLE_MAX ? text.len : SAMPLE_MAX;
    if (len < 8) return true; /* zdict has no use for less */
    if (!OG_GROW(t->allocator, t->sample_lens, t->sample_lens_cap,
                 t->n_samples + 1))
        return false;
    og_pack_bytes(&t->samples, text.data, len);
    if (t->samples.failed) {
        t->samples.failed = false;
        return false;
    }
    t->sample_lens[t->n_samples++] = len;
    return true;
}

static bool has_enough(const struct og_texts *t)
{
    return t->samples.len >= t->options.samples_len &&
           t->n_samples >= N_SAMPLES_MIN;
}

void og_texts_offer(struct og_texts *texts, const og_bytes *list, size_t n)
{
    if (atomic_load(&texts->training) != GATHERING) return;
    pthread_mutex_lock(&texts->sample_lock);
    for (size_t i = 0; i < n && atomic_load(&texts->training) == GATHERING;
         i++) {
        if (!keep_sample(texts, list[i])) break;
        if (has_enough(texts)) atomic_store(&texts->training, READY);
    }
    pthread_mutex_unlock(&texts->sample_lock);
}

/* The samples are no longer needed. */
static void drop_samples(struct og_texts *t)
{
    og_pack_release(&t->samples);
    OG_UNGROW(t->allocator, t->sample_lens, t->sample_lens_cap);
    t->n_samples = 0;
}

/* OG_END: the samples have nothing in common. */
static og_status train(struct og_texts *t, og_error *err)
{
    const uint32_t number = 1;
    uint8_t *bytes = og_allocate(t->allocator, DICT_LEN);
    if (bytes == NULL) return og_error_memory(err, DICT_LEN, "a dictionary");
    const size_t len =
        ZDICT_trainFromBuffer(bytes, DICT_LEN, t->samples.data, t->sample_lens,
                              (unsigned)t->n_samples);
    const og_bytes dict = {(const char *)bytes, len};
    og_status status = OG_END;
    if (!ZDICT_isError(len)) {
        status =
            og_dict_init(&t->dict_made, number, dict, false, t->allocator, err);
        if (status == OG_OK)
            status = og_dict_write(t->folder, t->uuid, number, dict, err);
    }
    og_release(t->allocator, bytes, DICT_LEN);
    return status;
}

og_status og_texts_train(struct og_texts *texts, og_error *err)
{
    int ready = READY;
    if (!atomic_compare_exchange_strong(&texts->training, &ready, TRAINING))
        return OG_OK;
    /* The lock orders us after the last offer. */
    pthread_mutex_lock(&texts->sample_lock);
    const og_status status = train(texts, err);
    if (status == OG_ERR_MEMORY) {
        og_dict_release(&texts->dict_made);
        atomic_store(&texts->training, READY);
    } else {
        drop_samples(texts);
        atomic_store(&texts->training, DONE);
    }
    pthread_mutex_unlock(&texts->sample_lock);
    if (status == OG_OK)
        atomic_store_explicit(&texts->dict, &texts->dict_made,
                              memory_order_release);
    return status == OG_END ? OG_OK : status;
}
