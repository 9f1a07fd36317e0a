/* Which indexes a store has: they are built from its texts, dropped, upgraded,
 * and copied when the store is compacted. */

#define _GNU_SOURCE
#include "lib/store/index_own.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/store_disk.h"
#include "lib/stream/phases.h"

/* ---- on and off ---- */

static og_status check_writable(const og_store *store, og_error *err)
{
    if (store->is_read_only || store->disk == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "the indexes of store '%s' can only be changed on "
                            "disk, by who has opened it for writing",
                            og_index_store_name(store));
    return OG_OK;
}

static void remove_files(const og_store *store, struct og_derived_index *index)
{
    char folder[OG_INDEX_PATH];
    char path[OG_INDEX_PATH + 256];
    og_index_folder(store, index, folder);
    DIR *dir = opendir(folder);
    const struct dirent *item;
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        const char *name = item->d_name;
        if (!index->ops->is_file(name) && !og_new_file_is_leftover(name))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        (void)unlink(path);
    }
    if (dir != NULL) closedir(dir);
    (void)rmdir(folder);
}

/* What a build of this store has left may be replaced. Files of an earlier
 * version, which had documents of their own, or of another store may not: what
 * they know may be nowhere else. */
static bool is_old(const og_store *store, const struct og_derived_index *index)
{
    char folder[OG_INDEX_PATH];
    uint32_t n;
    og_index_folder(store, index, folder);
    return og_index_has_files(store, index) &&
           index->ops->n_saved(store, folder, &n, NULL) != OG_OK;
}

static og_status check_replaceable(const og_store *store,
                                   const struct og_derived_index *index,
                                   og_error *err)
{
    char folder[OG_INDEX_PATH];
    if (!is_old(store, index)) return OG_OK;
    og_index_folder(store, index, folder);
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' holds an index that was not made from the "
                        "documents of this store; move the folder away, then "
                        "the index can be built",
                        folder);
}

unsigned og_store_old_indexes(const og_store *store)
{
    unsigned old = 0;
    for (unsigned i = 0; i < OG_INDEX_KINDS && store->disk != NULL; i++)
        if (is_old(store, &store->indexes.one[i]))
            old |= store->indexes.one[i].ops->bit;
    return old;
}

static void close_index(struct og_derived_index *index)
{
    if (index->opened != NULL) index->ops->close(index->opened);
    index->opened = NULL;
    index->n_covered = index->n_saved = 0;
    index->lag_bytes = 0;
}

static og_status write_conf(og_store *store, unsigned indexes, og_error *err)
{
    struct og_conf conf = store->disk->conf;
    conf.indexes = indexes;
    if (conf.table[0] != 0) conf.indexes &= ~(unsigned)OG_INDEX_PASSAGES;
    TRY(og_conf_write(&conf, store->disk->folder, err));
    store->disk->conf = conf;
    store->indexes.on = indexes;
    return OG_OK;
}

/* Its files first, then the conf names it; whatever a build that was stopped
 * has left is rebuilt. */
static og_status build(og_store *store, struct og_derived_index *index,
                       const og_store_options *options, og_error *err)
{
    TRY(check_replaceable(store, index, err));
    close_index(index);
    remove_files(store, index);
    TRY(og_index_open(store, index, true, options, err));
    TRY(write_conf(store, store->indexes.on | index->ops->bit, err));
    TRY(og_index_catch_up(store, index, options, err));
    return og_index_flush_alone(store, index, err);
}

og_status og_store_index_add(og_store *store, unsigned indexes,
                             const og_store_options *options, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    TRY(check_writable(store, err));
    if ((indexes & ~all->on & OG_INDEX_PASSAGES) != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the passages of store '%s' were left out when it "
                            "was made; a new store can be made of its export",
                            og_index_store_name(store));
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        if ((indexes & index->ops->bit) == 0 || og_index_is_on(store, index))
            continue;
        if (!og_store_has_texts(store))
            return og_error_set(err, OG_ERR_USAGE,
                                "store '%s' keeps no texts, so it can have no "
                                "index of %s",
                                og_index_store_name(store), index->ops->name);
        TRY(build(store, index, options, err));
    }
    return OG_OK;
}

/* ---- upgrades ---- */

/* To the first name that is free. */
static og_status put_aside(const og_store *store,
                           const struct og_derived_index *index, og_error *err)
{
    char folder[OG_INDEX_PATH], other[OG_INDEX_PATH + 16];
    struct stat st;
    og_index_folder(store, index, folder);
    snprintf(other, sizeof(other), "%s.old", folder);
    for (int i = 2; lstat(other, &st) == 0; i++)
        snprintf(other, sizeof(other), "%s.old-%d", folder, i);
    if (rename(folder, other) != 0 || og_file_sync_folder(folder) != 0)
        return og_file_failure(err, "rename", folder, errno);
    return OG_OK;
}

og_status og_store_upgrade(og_store *store, unsigned *out, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    *out = 0;
    TRY(check_writable(store, err));
    const unsigned old = og_store_old_indexes(store);
    if (old != 0 && !og_store_has_texts(store))
        return og_error_set(err, OG_ERR_USAGE,
                            "store '%s' keeps no texts to build indexes from",
                            og_index_store_name(store));
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        if ((old & index->ops->bit) == 0) continue;
        close_index(index);
        TRY(put_aside(store, index, err));
        TRY(build(store, index, NULL, err));
        *out |= index->ops->bit;
    }
    return OG_OK;
}

og_status og_store_index_drop(og_store *store, unsigned indexes, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    TRY(check_writable(store, err));
    if ((indexes & OG_INDEX_PASSAGES) != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the passages of a store cannot be dropped");
    if ((all->on & ~indexes) == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "a store needs at least one index");
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        if ((indexes & index->ops->bit) == 0 || !og_index_is_on(store, index))
            continue;
        TRY(write_conf(store, all->on & ~index->ops->bit, err));
        close_index(index);
        remove_files(store, index);
    }
    return OG_OK;
}

/* All documents that are left, into an index that is empty. */
static og_status fill(og_store *store, struct og_derived_index *index,
                      void (*on_step)(void *ctx, const char *what,
                                      uint64_t done, uint64_t total),
                      void *ctx, og_error *err)
{
    const struct og_phases alone = og_phases_alone(NULL);
    const uint32_t n = store->catalogue.n;
    while (index->n_covered < n) {
        uint32_t end = index->n_covered + 1024;
        if (on_step != NULL)
            on_step(ctx, index->ops->name, index->n_covered, n);
        if (end > n) end = n;
        TRY(og_index_catch_up_to(store, index, end, NULL, err));
    }
    return index->ops->flush(index->opened, &alone, err);
}

og_status og_indexes_copy(og_store *store, const char *folder,
                          void (*on_step)(void *ctx, const char *what,
                                          uint64_t done, uint64_t total),
                          void *ctx, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        struct og_derived_index *index = &all->one[i];
        struct og_derived_index copy = {.ops = index->ops};
        struct og_index_making making;
        char path[OG_INDEX_PATH];
        if (!og_index_is_on(store, index)) continue;
        TRY(og_index_open(store, index, false, NULL, err));
        index->ops->describe(index->opened, &making);
        const og_store_options options = {.near_options = &making.near,
                                          .sentence_options =
                                              &making.sentences};
        snprintf(path, sizeof(path), "%s/%s", folder, index->ops->name);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return og_file_failure(err, "create", path, errno);
        if (og_file_sync_folder(path) != 0)
            return og_file_failure(err, "sync", path, errno);
        TRY(copy.ops->open(store, path, true, &options, &copy.opened,
                           &copy.n_covered, err));
        /* An index whose files are still empty stays so: it does not lag far
         * behind. */
        og_status status = OG_OK;
        if (index->n_saved > 0) status = fill(store, &copy, on_step, ctx, err);
        copy.ops->close(copy.opened);
        if (status != OG_OK) return status;
    }
    return OG_OK;
}

og_status og_indexes_check_own(og_store *store, og_error *err)
{
    struct og_derived_indexes *all = &store->indexes;
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++)
        if (!og_index_is_on(store, &all->one[i]))
            TRY(check_replaceable(store, &all->one[i], err));
    return OG_OK;
}
