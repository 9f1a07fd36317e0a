/* Changes the indexes of a store by adding its documents again.
 *
 * The table of passages is written together with the documents, and entries say
 * whom they copied from, so neither can be added to existing files. All files
 * are written again, as the next generation (store_compact.c describes those):
 * a store of its own while it is built, and the files of this one once its conf
 * replaces the conf of this one. */

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/disk/store_lock.h"
#include "lib/os/new_file.h"
#include "lib/store/store_disk.h"

struct rebuild {
    og_store *from, *to;
    og_store_options options;
    og_params params;
    struct og_index_making making[OG_INDEX_KINDS];
    uint64_t n_done;
    og_error *err;
};

static void remove_file(const char *folder, const char *name)
{
    char path[4200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    (void)unlink(path);
}

static bool add_one(void *ctx, const og_document *doc)
{
    struct rebuild *r = ctx;
    const og_store_options *o = &r->options;
    if (o->on_step != NULL && r->n_done % 256 == 0)
        o->on_step(o->step_ctx, "documents", r->n_done,
                   r->from->catalogue.n - r->from->n_removed);
    r->n_done++;
    return og_store_add(r->to, doc, NULL, r->err) == OG_OK;
}

/* Those that stay are as they were. */
static og_status describe_indexes(struct rebuild *r, og_error *err)
{
    for (unsigned i = 0; i < OG_INDEX_KINDS; i++) {
        const struct og_index_ops *ops = r->from->indexes.one[i].ops;
        void *index;
        if ((r->from->indexes.on & r->options.indexes & ops->bit) == 0)
            continue;
        TRY(og_index_get(r->from, ops->bit, &index, err));
        ops->describe(index, &r->making[i]);
        if (ops->bit == OG_INDEX_NEAR)
            r->options.near_options = &r->making[i].near;
        if (ops->bit == OG_INDEX_SENTENCES)
            r->options.sentence_options = &r->making[i].sentences;
    }
    return OG_OK;
}

static og_status write_anew(struct rebuild *r, const char *folder,
                            og_error *err)
{
    r->err = err;
    TRY(describe_indexes(r, err));
    TRY(og_store_open(folder, OG_CREATE, &r->options, &r->to, err));
    og_status status = og_store_export(r->from, add_one, r, err);
    const og_status closed =
        og_store_close(r->to, status == OG_OK ? err : NULL);
    /* og_store_add() has reported why. */
    if (status == OG_ERR_STOPPED && err != NULL && err->status != OG_OK)
        status = err->status;
    return status == OG_OK ? closed : status;
}

/* From here on the files in `folder` count. */
static og_status switch_to(struct rebuild *r, const char *folder,
                           uint32_t generation, og_error *err)
{
    struct og_disk *disk = r->from->disk;
    struct og_conf conf;
    const uint64_t safe = og_store_lock_safe(folder);
    TRY(og_conf_read(folder, &conf, err));
    conf.generation = generation;
    /* The records of the new files begin with 1: what was safe of the old ones
     * says nothing about them. */
    TRY(og_store_lock_forget(disk->lock_fd, err));
    if (og_file_sync_folder(folder) != 0) /* it must be there before the conf */
        return og_file_failure(err, "sync", disk->folder, errno);
    TRY(og_conf_write(&conf, disk->folder, err));
    disk->next_generation = generation;
    og_store_lock_end(disk->lock_fd, safe);
    remove_file(folder, "origo.conf");
    remove_file(folder, "lock");
    return OG_OK;
}

static og_status rebuild(struct rebuild *r, og_error *err)
{
    struct og_disk *disk = r->from->disk;
    const uint32_t generation = disk->conf.generation + 1;
    char folder[4096];
    if (!og_conf_data_folder(disk->folder, generation, folder,
                             sizeof(folder) - 64))
        return og_error_set(err, OG_ERR_USAGE,
                            "the name of store '%s' is too long", disk->folder);
    /* Of one that was killed. */
    remove_file(folder, "origo.conf");
    remove_file(folder, "lock");
    TRY(og_disk_flush(r->from, err));
    og_status status = write_anew(r, folder, err);
    og_indexes_close(r->from);
    if (status == OG_OK) {
        status = switch_to(r, folder, generation, err);
        /* A conf that could not be written may be there all the same: both
         * generations stay, nothing more is written to either, and the next
         * writer sees which one counts. */
        disk->has_failed = status != OG_OK;
        return status;
    }
    og_disk_remove_others(disk->folder, generation - 1);
    return status;
}

og_status og_store_rebuild(const char *path, const og_store_options *options,
                           og_error *err)
{
    og_error own = {0};
    struct rebuild r = {.options = *options};
    if (err == NULL) err = &own;
    TRY(og_store_open(path, OG_WRITE, NULL, &r.from, err));
    og_status status = OG_OK;
    if (r.from->disk != NULL && r.from->disk->conf.table[0] != 0) {
        status = og_error_set(err, OG_ERR_USAGE,
                              "store '%s' is the catalogue of table '%s', "
                              "whose numbers would be wrong then",
                              path, r.from->disk->conf.table);
    } else if (!og_store_has_texts(r.from)) {
        status =
            og_error_set(err, OG_ERR_USAGE,
                         "store '%s' keeps no texts to build it from", path);
    } else {
        r.params = r.from->params;
        /* Without passages it had next to no table. */
        if ((r.from->indexes.on & OG_INDEX_PASSAGES) == 0)
            r.params.memory = og_params_default().memory;
        if (options->params == NULL) r.options.params = &r.params;
        status = rebuild(&r, err);
    }
    const og_status closed =
        og_store_close(r.from, status == OG_OK ? err : NULL);
    return status == OG_OK ? closed : status;
}
