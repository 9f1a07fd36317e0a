/* The indexes of a store: index.h explains. */

#define _GNU_SOURCE
#include "lib/store/index_own.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limits.h"
#include "lib/base/stopping.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/store_disk.h"
#include "lib/store/text/stored_texts.h"
#include "lib/stream/phases.h"

/* A writer updates an index that lags farther behind than this: a reader takes
 * some 50 ms for it. */
#define LAG_BYTES     OG_LIMIT((uint64_t)4 << 20, (uint64_t)8 << 10)
#define LAG_DOCUMENTS 4096u
/* So many documents are sampled to estimate the lag: looking at all of them
 * would cost a small append more than everything else. */
#define LAG_SAMPLES 64u

void og_index_folder(const og_store *store,
                     const struct og_derived_index *index,
                     char out[OG_INDEX_PATH])
{
    snprintf(out, OG_INDEX_PATH, "%s/%s", store->disk->data, index->ops->name);
}

const char *og_index_store_name(const og_store *store)
{
    return store->disk != NULL ? store->disk->folder : ":memory:";
}

bool og_index_is_on(const og_store *store, const struct og_derived_index *index)
{
    return (store->indexes.on & index->ops->bit) != 0;
}

/* NULL: there is none of this kind. */
static struct og_derived_index *find_index(og_store *store, unsigned bit)
{
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if (store->indexes.one[i].ops->bit == bit)
            return &store->indexes.one[i];
    return NULL;
}

/* ---- readers while a writer works ---- */

static void init_lock(struct og_derived_index *index)
{
    pthread_rwlock_init(&index->lock, NULL);
    pthread_mutex_init(&index->gate, NULL);
}

static void destroy_lock(struct og_derived_index *index)
{
    pthread_rwlock_destroy(&index->lock);
    pthread_mutex_destroy(&index->gate);
}

static void begin_change(struct og_derived_index *index)
{
    pthread_mutex_lock(&index->gate);
    pthread_rwlock_wrlock(&index->lock);
}

static void end_change(struct og_derived_index *index)
{
    pthread_rwlock_unlock(&index->lock);
    pthread_mutex_unlock(&index->gate);
}

static void begin_reading(struct og_derived_index *index)
{
    pthread_mutex_lock(&index->gate);
    pthread_rwlock_rdlock(&index->lock);
    pthread_mutex_unlock(&index->gate);
}

/* ---- names ---- */

static const char *const index_names[] = {"passages", "near", "sentences"};
enum { N_NAMES = sizeof(index_names) / sizeof(index_names[0]) };

bool og_indexes_parse(og_bytes list, unsigned *out)
{
    unsigned indexes = 0;
    const char *at = list.data, *end = list.data + list.len;
    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t len = (size_t)((comma != NULL ? comma : end) - at);
        unsigned i = 0;
        while (i < N_NAMES && (strlen(index_names[i]) != len ||
                               memcmp(index_names[i], at, len) != 0))
            i++;
        if (i == N_NAMES) return false;
        indexes |= 1u << i;
        if (comma == NULL) break;
        at = comma + 1;
    }
    *out = indexes;
    return true;
}

void og_indexes_name(unsigned indexes, char out[64])
{
    size_t len = 0;
    out[0] = 0;
    for (unsigned i = 0; i < N_NAMES; i++)
        if ((indexes & 1u << i) != 0)
            len += (size_t)snprintf(out + len, 64 - len, "%s%s",
                                    len > 0 ? "," : "", index_names[i]);
}

unsigned og_store_indexes(const og_store *store)
{
    return store->indexes.on;
}

/* ---- documents for them ---- */

og_status og_store_stored(og_store *store, struct og_stored_texts **out,
                          og_error *err)
{
    if (store->indexes.stored == NULL)
        TRY(og_stored_texts_of(store, &store->indexes.stored, err));
    *out = store->indexes.stored;
    return OG_OK;
}

static og_status add_document(og_store *store, struct og_derived_index *index,
                              uint32_t number, const og_document *doc,
                              og_error *err)
{
    const struct og_mark *mark = og_catalogue_get(&store->catalogue, number);
    TRY(index->ops->add(index->opened, number, doc, mark->time, err));
    index->n_covered = number + 1;
    return OG_OK;
}

static void report_step(const og_store *store,
                        const struct og_derived_index *index,
                        const og_store_options *options)
{
    if (options != NULL && options->on_step != NULL)
        options->on_step(options->step_ctx, index->ops->name, index->n_covered,
                         store->catalogue.n);
}

/* From the texts, up to document `end`. */
og_status og_index_catch_up_to(og_store *store, struct og_derived_index *index,
                               uint32_t end, const og_store_options *options,
                               og_error *err)
{
    struct og_stored_texts *stored;
    if (index->n_covered >= end) return OG_OK;
    TRY(og_store_stored(store, &stored, err));
    while (index->n_covered < end) {
        const uint32_t number = index->n_covered;
        og_document doc;
        bool is_there;
        report_step(store, index, options);
        TRY(og_stop_check(err));
        TRY(og_stored_texts_get(stored, number, &doc, &is_there, err));
        if (is_there) {
            TRY(add_document(store, index, number, &doc, err));
        } else {
            index->ops->skip(index->opened, number);
            index->n_covered = number + 1;
        }
    }
    return OG_OK;
}

og_status og_index_catch_up(og_store *store, struct og_derived_index *index,
                            const og_store_options *options, og_error *err)
{
    return og_index_catch_up_to(store, index, store->catalogue.n, options, err);
}

/* ---- opening ---- */

bool og_index_has_files(const og_store *store,
                        const struct og_derived_index *index)
{
    char folder[OG_INDEX_PATH];
    bool found = false;
    og_index_folder(store, index, folder);
    DIR *dir = opendir(folder);
    const struct dirent *item;
    while (dir != NULL && !found && (item = readdir(dir)) != NULL)
        found = index->ops->is_file(item->d_name);
    if (dir != NULL) closedir(dir);
    return found;
}

/* Creating the store was interrupted before its indexes had files: there is
 * nothing to be in them. With documents it would be damage. */
static bool is_unborn(const og_store *store,
                      const struct og_derived_index *index)
{
    return store->disk != NULL && store->catalogue.n == 0 &&
           !og_index_has_files(store, index);
}

og_status og_index_open(og_store *store, struct og_derived_index *index,
                        bool is_new, const og_store_options *options,
                        og_error *err)
{
    char folder[OG_INDEX_PATH];
    if (index->opened != NULL) return OG_OK;
    const bool in_memory =
        store->disk == NULL || (store->is_read_only && is_unborn(store, index));
    if (!in_memory) {
        og_index_folder(store, index, folder);
        if (is_new && mkdir(folder, 0777) != 0 && errno != EEXIST)
            return og_file_failure(err, "create", folder, errno);
    }
    TRY(index->ops->open(store, in_memory ? NULL : folder, is_new, options,
                         &index->opened, &index->n_covered, err));
    index->n_saved = index->n_covered;
    /* A reader that comes after a power loss needs the folder, too. */
    if (is_new && store->disk != NULL && og_file_sync_folder(folder) != 0)
        return og_file_failure(err, "sync", folder, errno);
    /* A reader may be older than the files. */
    if (index->n_covered <= store->catalogue.n || store->is_read_only)
        return OG_OK;
    index->ops->close(index->opened);
    index->opened = NULL;
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' is damaged: it has %u documents, the store %u",
                        folder, index->n_covered, store->catalogue.n);
}

/* Estimates the text that the files of an index lack, up to a bound. A sample
 * is enough: a single text longer than the bound was noticed when it was
 * added. */
static og_status measure_lag(og_store *store, struct og_derived_index *index,
                             og_error *err)
{
    char folder[OG_INDEX_PATH];
    struct og_lookup lookup;
    struct og_entry entry;
    og_index_folder(store, index, folder);
    TRY(index->ops->n_saved(store, folder, &index->n_saved, err));
    index->lag_bytes = 0;
    if (index->n_saved >= store->catalogue.n) return OG_OK;
    if (store->catalogue.n - index->n_saved > LAG_DOCUMENTS) {
        index->lag_bytes = LAG_BYTES + 1;
        return OG_OK;
    }
    og_lookup_init(&lookup, &store->pending, store->disk->documents,
                   store->allocator);
    const uint32_t n = store->catalogue.n - index->n_saved;
    const uint32_t step = (n + LAG_SAMPLES - 1) / LAG_SAMPLES;
    og_status status = OG_OK;
    for (uint32_t i = 0; i < n && status == OG_OK; i += step) {
        const uint32_t n_alike = n - i < step ? n - i : step;
        og_lookup_clear(&lookup);
        status = og_lookup_get(&lookup, index->n_saved + i, &entry, err);
        if (status == OG_OK) index->lag_bytes += n_alike * entry.text_len;
    }
    og_lookup_release(&lookup);
    return status;
}

/* A new store has none yet. Derived as it is, it can be made at any time. */
static bool is_missing(const og_store *store,
                       const struct og_derived_index *index)
{
    char folder[OG_INDEX_PATH];
    struct stat st;
    og_index_folder(store, index, folder);
    if (store->is_read_only) return false;
    return (stat(folder, &st) != 0 && errno == ENOENT) ||
           is_unborn(store, index);
}

og_status og_indexes_open(og_store *store, const og_store_options *options,
                          og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    /* All of them first: closing calls each, even if one cannot be opened. */
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        all->one[i].ops = og_index_kinds[i];
        init_lock(&all->one[i]);
    }
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        if (!og_index_is_on(store, index)) continue;
        if (store->disk == NULL || is_missing(store, index))
            TRY(og_index_open(store, index, true, options, err));
        else if (!store->is_read_only)
            TRY(measure_lag(store, index, err));
    }
    return OG_OK;
}

void og_indexes_close(og_store *store)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        if (all->one[i].opened != NULL)
            all->one[i].ops->close(all->one[i].opened);
        all->one[i].opened = NULL;
    }
    og_stored_texts_close(all->stored);
    all->stored = NULL;
}

void og_indexes_release(og_store *store)
{
    og_indexes_close(store);
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        destroy_lock(&store->indexes.one[i]);
}

/* ---- writing ---- */

og_status og_index_flush(og_store *store, struct og_derived_index *index,
                         const struct og_phases *phases, og_error *err)
{
    TRY(og_store_commit(store, err));
    TRY(index->ops->flush(index->opened, phases, err));
    index->n_saved = index->n_covered;
    index->lag_bytes = 0;
    return OG_OK;
}

og_status og_index_flush_alone(og_store *store, struct og_derived_index *index,
                               og_error *err)
{
    const struct og_phases alone = og_phases_alone(NULL);
    return og_index_flush(store, index, &alone, err);
}

/* An index that lags far behind catches up; from then on it is kept up to
 * date. */
static og_status bring_up(og_store *store, struct og_derived_index *index,
                          og_error *err)
{
    TRY(og_index_open(store, index, false, NULL, err));
    TRY(og_index_catch_up(store, index, NULL, err));
    return og_index_flush_alone(store, index, err);
}

static og_status note(og_store *store, struct og_derived_index *index,
                      uint32_t number, const og_document *doc,
                      uint64_t text_len, og_error *err)
{
    index->lag_bytes += text_len;
    if (index->opened == NULL) {
        if (index->lag_bytes <= LAG_BYTES) return OG_OK;
        return bring_up(store, index, err);
    }
    /* Without its text it is read again when the index is queried. */
    if (index->n_covered != number || doc->text.len != text_len) return OG_OK;
    return add_document(store, index, number, doc, err);
}

og_status og_indexes_note(og_store *store, uint32_t number,
                          const og_document *doc, uint64_t text_len,
                          og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS && !all->is_stopped; i++) {
        if (!og_index_is_on(store, &all->one[i])) continue;
        begin_change(&all->one[i]);
        const og_status status =
            note(store, &all->one[i], number, doc, text_len, err);
        end_change(&all->one[i]);
        /* The document is in the store all the same. */
        if (status == OG_ERR_STOPPED)
            og_indexes_stop(store);
        else
            TRY(status);
    }
    return OG_OK;
}

/* ---- runs ---- */

og_status og_index_asker(og_trace *trace, const struct og_index_ops *ops,
                         void *index, void **out, og_error *err)
{
    unsigned i = 0;
    while (og_index_kinds[i] != ops)
        i++;
    if (trace->askers[i] == NULL)
        TRY(ops->new_asker(index, trace, &trace->askers[i], err));
    *out = trace->askers[i];
    return OG_OK;
}

void og_index_askers_free(og_trace *trace)
{
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if (trace->askers[i] != NULL)
            og_index_kinds[i]->free_asker(trace->askers[i]);
}

static og_status take_run(struct og_derived_index *index,
                          const struct og_index_run *run, og_error *err)
{
    const struct og_index_ops *ops = index->ops;
    void *opened = index->opened;
    TRY(ops->begin_run(opened, run, err));
    for (size_t i = 0; i < run->n; i++)
        ops->put_run_doc(opened, i, &run->docs[i]);
    const og_status status = ops->take_run(opened, run, err);
    index->n_covered = ops->n_documents(opened);
    TRY(status);
    for (size_t i = 0; i < run->n; i++)
        ops->get_answer(opened, i, &run->docs[i]);
    return OG_OK;
}

og_status og_index_ask_run(og_store *store, unsigned bit,
                           const struct og_index_run *run, og_error *err)
{
    struct og_derived_index *index = find_index(store, bit);
    begin_change(index);
    const og_status status = take_run(index, run, err);
    end_change(index);
    return status;
}

/* Those that the index does not have yet, while their texts are available. */
static og_status note_run(og_store *store, struct og_derived_index *index,
                          const struct og_index_run *run, og_error *err)
{
    struct og_index_run rest = *run;
    if (store->shared != NULL)
        return (run->asked & index->ops->bit) != 0 ? OG_OK
                                                   : take_run(index, run, err);
    for (size_t i = 0; i < run->n; i++)
        if (run->docs[i].number != OG_NO_DOC)
            index->lag_bytes += run->docs[i].subject->text_len;
    if (index->opened == NULL) {
        if (index->lag_bytes <= LAG_BYTES) return OG_OK;
        return bring_up(store, index, err);
    }
    while (rest.n > 0 && rest.docs->number != index->n_covered)
        rest.docs++, rest.n--;
    for (size_t i = 0; i < rest.n; i++)
        if (rest.docs[i].doc->text.len != rest.docs[i].subject->text_len)
            rest.n = i;
    return rest.n > 0 ? take_run(index, &rest, err) : OG_OK;
}

og_status og_indexes_note_run(og_store *store, const struct og_index_run *run,
                              og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS && !all->is_stopped; i++) {
        if (!og_index_is_on(store, &all->one[i])) continue;
        begin_change(&all->one[i]);
        const og_status status = note_run(store, &all->one[i], run, err);
        end_change(&all->one[i]);
        /* The documents are in the store all the same. */
        if (status == OG_ERR_STOPPED)
            og_indexes_stop(store);
        else
            TRY(status);
    }
    return OG_OK;
}

void og_indexes_stop(og_store *store)
{
    store->indexes.is_stopped = true;
}

og_status og_indexes_finish(og_store *store, const struct og_phases *phases,
                            og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        if (!og_index_is_on(store, index) || index->opened == NULL ||
            index->lag_bytes <= LAG_BYTES || all->is_stopped)
            continue;
        TRY(og_index_catch_up(store, index, NULL, err));
        TRY(og_index_flush(store, index, phases, err));
    }
    return OG_OK;
}

/* ---- queries ---- */

static og_status is_off(const og_store *store, const char *name, og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE,
                        "store '%s' has no index of %s; it can be built from "
                        "the texts",
                        og_index_store_name(store), name);
}

og_status og_index_need_passages(const og_store *store, og_error *err)
{
    if ((store->indexes.on & OG_INDEX_PASSAGES) != 0) return OG_OK;
    if (store->disk != NULL && store->disk->conf.table[0] != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the passages of store '%s' are in table '%s' on "
                            "a server",
                            og_index_store_name(store),
                            store->disk->conf.table);
    return is_off(store, "passages", err);
}

static og_status find_on(og_store *store, unsigned bit,
                         struct og_derived_index **out, og_error *err)
{
    *out = find_index(store, bit);
    if (*out == NULL)
        return og_error_set(err, OG_ERR_USAGE, "there is no such index");
    return og_index_is_on(store, *out) ? OG_OK
                                       : is_off(store, (*out)->ops->name, err);
}

static og_status load(og_store *store, struct og_derived_index *index,
                      og_error *err)
{
    TRY(og_index_open(store, index, false, NULL, err));
    if (index->ops->refresh != NULL)
        TRY(index->ops->refresh(index->opened, err));
    return og_index_catch_up(store, index, NULL, err);
}

/* Before others ask it, all at the same time. */
static og_status refresh(const og_store *store, struct og_derived_index *index,
                         og_error *err)
{
    og_status status = OG_OK;
    if (store->shared == NULL || index->ops->refresh == NULL) return OG_OK;
    begin_change(index);
    if (index->opened != NULL) status = index->ops->refresh(index->opened, err);
    end_change(index);
    return status;
}

og_status og_index_get(og_store *store, unsigned bit, void **out, og_error *err)
{
    struct og_derived_index *index;
    TRY(find_on(store, bit, &index, err));
    begin_change(index);
    const og_status status = load(store, index, err);
    *out = index->opened;
    end_change(index);
    return status;
}

og_status og_store_index_load(og_store *store, unsigned indexes, og_error *err)
{
    void *index;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if ((indexes & og_index_kinds[i]->bit) != 0)
            TRY(og_index_get(store, og_index_kinds[i]->bit, &index, err));
    return OG_OK;
}

og_status og_index_enter(og_store *store, unsigned bit, bool alone, void **out,
                         og_error *err)
{
    struct og_derived_index *index;
    TRY(find_on(store, bit, &index, err));
    TRY(refresh(store, index, err));
    if (alone)
        begin_change(index);
    else
        begin_reading(index);
    *out = index->opened;
    if (*out != NULL) return OG_OK;
    og_index_leave(store, bit, alone);
    return og_error_set(err, OG_ERR_USAGE,
                        "the index of %s of store '%s' is not loaded",
                        index->ops->name, og_index_store_name(store));
}

void og_index_leave(og_store *store, unsigned bit, bool alone)
{
    struct og_derived_index *index = find_index(store, bit);
    if (alone)
        end_change(index);
    else
        pthread_rwlock_unlock(&index->lock);
}

og_status og_indexes_check(og_store *store, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if (og_index_is_on(store, &all->one[i]))
            TRY(og_index_open(store, &all->one[i], false, NULL, err));
    return OG_OK;
}

/* ---- existing indexes ---- */

static uint64_t bytes_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
                                                        : 0;
}

static uint64_t bytes_in(const char *folder)
{
    uint64_t bytes = 0;
    char path[OG_INDEX_PATH + 256];
    const struct dirent *item;
    DIR *dir = opendir(folder);
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        snprintf(path, sizeof(path), "%s/%s", folder, item->d_name);
        bytes += bytes_of(path);
    }
    if (dir != NULL) closedir(dir);
    return bytes;
}

static void passages_info(const og_store *store, og_index_info *out)
{
    char path[OG_INDEX_PATH];
    snprintf(path, sizeof(path), "%s/passages.tab", store->disk->data);
    out->bytes = bytes_of(path);
    if (store->disk->checkpoint.map != NULL)
        out->n_documents = store->disk->checkpoint.n_documents;
}

static void derived_info(const og_store *store,
                         const struct og_derived_index *index,
                         og_index_info *out)
{
    char folder[OG_INDEX_PATH];
    uint32_t n;
    og_index_folder(store, index, folder);
    out->bytes = bytes_in(folder);
    if (index->ops->n_saved(store, folder, &n, NULL) == OG_OK)
        out->n_documents = n;
}

void og_store_index_info(const og_store *store, og_index index,
                         og_index_info *out)
{
    *out = (og_index_info){.is_on = (store->indexes.on & index) != 0};
    for (unsigned i = 0; i < N_NAMES; i++)
        if (index == (og_index)(1u << i)) out->name = index_names[i];
    if (store->disk == NULL || !out->is_on) return;
    if (index == OG_INDEX_PASSAGES) passages_info(store, out);
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if (store->indexes.one[i].ops->bit == (unsigned)index)
            derived_info(store, &store->indexes.one[i], out);
}
