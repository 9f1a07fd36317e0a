/* Compaction: rewrites the remaining documents.
 *
 *     S/origo.conf    generation 2       ->   generation 3
 *     S/g000002/      the current files       removed
 *     S/g000003/      written beside them     the current files
 *
 * The current files do not change while the next generation is written, which
 * becomes valid when the conf names it: a crash leaves one or the other, and
 * the next writer removes the remains of the other.
 *
 * A removed document leaves an entry that says so, with its time, so that the
 * numbers of the others do not change. Its fingerprints remain in the table,
 * where they refer to no document; the text cannot be recovered from them.
 * Texts are repacked, with a new dictionary: the old one was trained with texts
 * that may have been removed. */

#define _GNU_SOURCE
#include "lib/store/store_disk.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/store_lock.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

enum {
    PATH_MOST = 4096,
    DEPTH_MOST = 4,
    /* Documents that are packed together, and go to the catalogue in one
     * transaction. */
    BATCH_DOCUMENTS = 4096,
    BATCH_BYTES = 4 << 20,
};

/* ---- folders ---- */

/* Calls `on_file` for all that is not a folder below `path`, and `on_folder`
 * for folders, the inner ones first. Links are not followed. */
struct tree_walk {
    void (*on_file)(void *ctx, const char *path, const struct stat *st);
    void (*on_folder)(void *ctx, const char *path);
    void *ctx;
};

static void walk_tree(const struct tree_walk *walk, const char *path, int depth)
{
    char inner[PATH_MOST];
    struct stat st;
    if (depth > DEPTH_MOST || lstat(path, &st) != 0) return;
    if (!S_ISDIR(st.st_mode)) {
        walk->on_file(walk->ctx, path, &st);
        return;
    }
    DIR *dir = opendir(path);
    const struct dirent *item;
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        const char *name = item->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (snprintf(inner, sizeof(inner), "%s/%s", path, name) < PATH_MOST)
            walk_tree(walk, inner, depth + 1);
    }
    if (dir != NULL) closedir(dir);
    if (walk->on_folder != NULL) walk->on_folder(walk->ctx, path);
}

static void count_bytes(void *ctx, const char *path, const struct stat *st)
{
    (void)path;
    *(uint64_t *)ctx += (uint64_t)st->st_size;
}

static uint64_t tree_bytes(const char *path)
{
    uint64_t bytes = 0;
    const struct tree_walk walk = {count_bytes, NULL, &bytes};
    walk_tree(&walk, path, 0);
    return bytes;
}

static void remove_file(void *ctx, const char *path, const struct stat *st)
{
    (void)ctx, (void)st;
    (void)unlink(path);
}

static void remove_folder(void *ctx, const char *path)
{
    (void)ctx;
    (void)rmdir(path);
}

/* Whether a name in the folder of a generation is one of its files. */
static bool is_part(const char *name)
{
    static const char *const names[] = {
        "journal",   "texts",         "catalogue",   "near",
        "sentences", "catalogue.sum", "passages.tab"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* What a generation has while it is a store of its own (store_rebuild.c). */
static bool is_own(const char *name)
{
    return strcmp(name, "origo.conf") == 0 || strcmp(name, "lock") == 0;
}

/* A generation that the conf does not name; what else is in its folder stays. A
 * link could lead to anybody's files. */
static void remove_generation(const char *path)
{
    const struct tree_walk walk = {remove_file, remove_folder, NULL};
    char inner[PATH_MOST + 512];
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return;
    DIR *dir = opendir(path);
    const struct dirent *item;
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        if (!is_part(item->d_name) && !is_own(item->d_name) &&
            !og_new_file_is_leftover(item->d_name))
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, item->d_name);
        walk_tree(&walk, inner, 0);
    }
    if (dir != NULL) closedir(dir);
    (void)rmdir(path);
}

/* Only once the conf that does not name them is durable: a power loss could
 * bring back the previous one. */
void og_disk_remove_others(const char *folder, uint32_t generation)
{
    const struct tree_walk walk = {remove_file, remove_folder, NULL};
    char conf[PATH_MOST + 32];
    char path[PATH_MOST + 256];
    bool is_safe = false;
    snprintf(conf, sizeof(conf), "%s/origo.conf", folder);
    DIR *dir = opendir(folder);
    const struct dirent *item;
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        const uint32_t other = og_conf_generation_of(item->d_name);
        const bool is_old_part = generation > 0 && is_part(item->d_name);
        if (!is_old_part && (other == 0 || other == generation)) continue;
        if (!is_safe && og_file_sync_folder(conf) != 0) break;
        is_safe = true;
        snprintf(path, sizeof(path), "%s/%s", folder, item->d_name);
        if (is_old_part)
            walk_tree(&walk, path, 0);
        else
            remove_generation(path);
    }
    if (dir != NULL) closedir(dir);
    if (is_safe) (void)og_file_sync_folder(conf);
}

/* It must not exist: the remains of a killed compaction have been removed, so
 * it would belong to somebody else, or be a link. */
static og_status make_folder(const char *path, og_error *err)
{
    if (mkdir(path, 0777) != 0)
        return og_file_failure(err, "create", path, errno);
    if (og_file_sync_folder(path) != 0)
        return og_file_failure(err, "sync", path, errno);
    return OG_OK;
}

/* ---- a batch of documents ---- */

struct moved_document {
    struct og_entry entry; /* its strings stay in the lookup */
    size_t text_at;        /* in `raw` */
    uint32_t older;        /* the version before it; OG_NO_DOC: none */
    bool is_left;
};

struct compaction {
    og_store *store;
    const og_allocator *allocator;
    char folder[PATH_MOST]; /* of the next generation */
    void (*on_step)(void *ctx, const char *what, uint64_t done, uint64_t total);
    void *ctx;
    og_trace *trace;               /* for its lookup */
    struct og_text_reader *reader; /* of the texts of now; NULL: none */
    struct og_documents *documents;
    struct og_texts *texts;
    struct og_framer framer;
    struct og_text_reader *older; /* of the new texts */
    /* The current batch. */
    uint32_t first;
    struct moved_document *docs;
    size_t n, cap;
    struct og_pack raw;     /* the texts */
    struct og_pack packed;  /* frames */
    struct og_pack entries; /* one after the other */
    og_bytes *list;         /* of texts, then of entries */
    struct og_text_place *places;
    uint32_t *removed;
    size_t list_cap, places_cap, removed_cap;
};

static void step(const struct compaction *c, const char *what, uint64_t done,
                 uint64_t total)
{
    if (c->on_step != NULL) c->on_step(c->ctx, what, done, total);
}

/* The versions come newest first. */
struct version_before {
    const struct og_catalogue *catalogue;
    uint32_t number, found;
};

static bool is_not_before(void *ctx, uint32_t number)
{
    struct version_before *v = ctx;
    if (number >= v->number || og_catalogue_is_removed(v->catalogue, number))
        return true;
    v->found = number;
    return false;
}

static og_status find_older(struct compaction *c, uint32_t number,
                            struct moved_document *doc, og_error *err)
{
    struct og_lookup *lookup = &c->trace->lookup;
    struct version_before v = {&c->store->catalogue, number, OG_NO_DOC};
    doc->older = OG_NO_DOC;
    if (doc->entry.series == OG_NO_DOC) return OG_OK;
    TRY(og_documents_view_begin(&lookup->view, err));
    const og_status status = og_documents_with_id(&lookup->view, doc->entry.id,
                                                  is_not_before, &v, err);
    og_documents_view_end(&lookup->view);
    doc->older = v.found;
    return status;
}

static og_status take_document(struct compaction *c, uint32_t number,
                               og_error *err)
{
    struct moved_document *doc = &c->docs[c->n];
    og_bytes text = {"", 0};
    *doc = (struct moved_document){.text_at = c->raw.len, .older = OG_NO_DOC};
    doc->is_left = !og_catalogue_is_removed(&c->store->catalogue, number);
    TRY(og_lookup_get(&c->trace->lookup, number, &doc->entry, err));
    if (!doc->is_left) og_entry_purge(&doc->entry);
    c->n++;
    if (!doc->is_left || c->reader == NULL) return OG_OK;
    TRY(find_older(c, number, doc, err));
    TRY(og_text_reader_get(c->reader, &doc->entry.place, doc->entry.text_len,
                           &text, NULL, err));
    if (og_text_hash(text) != doc->entry.text_hash)
        return og_error_set(
            err, OG_ERR_STORE,
            "document %u is damaged: its text does not match its hash", number);
    og_pack_bytes(&c->raw, text.data, text.len);
    return c->raw.failed ? og_error_memory(err, text.len, "texts") : OG_OK;
}

static og_bytes text_of(const struct compaction *c,
                        const struct moved_document *doc)
{
    return (og_bytes){(const char *)c->raw.data + doc->text_at,
                      doc->entry.text_len};
}

static bool is_whole_text(const struct moved_document *doc)
{
    return doc->is_left && doc->entry.place.segment != 0 &&
           doc->older == OG_NO_DOC;
}

static og_status pack_alone(struct compaction *c, og_error *err)
{
    size_t n = 0;
    uint32_t segment = 0;
    uint64_t base = 0;
    for (size_t i = 0; i < c->n; i++)
        if (is_whole_text(&c->docs[i])) c->list[n++] = text_of(c, &c->docs[i]);
    if (n == 0) return OG_OK;
    og_texts_offer(c->texts, c->list, n);
    TRY(og_texts_train(c->texts, err));
    c->packed.len = 0;
    TRY(og_framer_pack(&c->framer, og_texts_dict(c->texts), c->list, n,
                       &c->packed, c->places, err));
    TRY(og_texts_append(c->texts, c->packed.data, c->packed.len, &segment,
                        &base, err));
    n = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct moved_document *doc = &c->docs[i];
        if (!is_whole_text(doc)) continue;
        doc->entry.place = c->places[n++];
        og_text_place_move(&doc->entry.place, segment, base);
    }
    return OG_OK;
}

/* Where the text of an earlier document is now. */
static og_status new_place(struct compaction *c, uint32_t number,
                           struct og_text_place *out, uint64_t *out_len,
                           og_error *err)
{
    struct og_documents_view view;
    struct og_entry entry = {0};
    og_bytes bytes = {NULL, 0};
    if (number >= c->first) {
        entry = c->docs[number - c->first].entry;
        *out = entry.place;
        *out_len = entry.text_len;
        return OG_OK;
    }
    og_documents_view_init(&view, c->documents);
    og_status status = og_documents_view_begin(&view, err);
    if (status == OG_OK) status = og_documents_get(&view, number, &bytes, err);
    if (status == OG_OK && !og_entry_unpack(bytes, &entry))
        status = og_error_set(err, OG_ERR_STORE,
                              "document %u is damaged: its entry", number);
    *out = entry.place;
    *out_len = entry.text_len;
    og_documents_view_release(&view);
    return status;
}

static og_status pack_versions(struct compaction *c, og_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        struct moved_document *doc = &c->docs[i];
        struct og_text_place place;
        struct og_text_place older;
        uint64_t older_len;
        if (!doc->is_left || doc->older == OG_NO_DOC) continue;
        TRY(new_place(c, doc->older, &older, &older_len, err));
        TRY(og_texts_append_version(c->texts, &c->framer, c->older,
                                    text_of(c, doc), &older, older_len, &place,
                                    err));
        doc->entry.place = place;
    }
    return OG_OK;
}

static og_status write_entries(struct compaction *c, uint64_t sequence,
                               og_error *err)
{
    size_t n_removed = 0;
    size_t at = 0;
    c->entries.len = 0;
    for (size_t i = 0; i < c->n; i++) {
        const size_t before = c->entries.len;
        og_entry_pack(&c->docs[i].entry, &c->entries);
        c->list[i].len = c->entries.len - before;
        if (!c->docs[i].is_left)
            c->removed[n_removed++] = c->first + (uint32_t)i;
    }
    if (c->entries.failed)
        return og_error_memory(err, c->entries.len, "entries");
    for (size_t i = 0; i < c->n; i++) {
        c->list[i].data = (const char *)c->entries.data + at;
        at += c->list[i].len;
    }
    const struct og_documents_batch batch = {.first = c->first,
                                             .entries = c->list,
                                             .n_entries = c->n,
                                             .removed = c->removed,
                                             .n_removed = n_removed,
                                             .sequence = sequence};
    return og_documents_write(c->documents, &batch, err);
}

static og_status write_batch(struct compaction *c, og_error *err)
{
    if (c->texts != NULL) {
        TRY(pack_alone(c, err));
        TRY(pack_versions(c, err));
    }
    TRY(write_entries(c, c->store->disk->next_sequence - 1, err));
    c->first += (uint32_t)c->n;
    c->n = 0;
    c->raw.len = 0;
    og_lookup_clear(&c->trace->lookup);
    return OG_OK;
}

static og_status write_documents(struct compaction *c, og_error *err)
{
    const uint32_t n = c->store->catalogue.n;
    if (!OG_GROW(c->allocator, c->docs, c->cap, BATCH_DOCUMENTS) ||
        !OG_GROW(c->allocator, c->list, c->list_cap, BATCH_DOCUMENTS) ||
        !OG_GROW(c->allocator, c->places, c->places_cap, BATCH_DOCUMENTS) ||
        !OG_GROW(c->allocator, c->removed, c->removed_cap, BATCH_DOCUMENTS))
        return og_error_memory(err, BATCH_DOCUMENTS, "a batch");
    for (uint32_t i = 0; i < n; i++) {
        if (i % 1024 == 0) step(c, "documents", i, n);
        TRY(take_document(c, i, err));
        if (c->n == BATCH_DOCUMENTS || c->raw.len >= BATCH_BYTES)
            TRY(write_batch(c, err));
    }
    /* Also an empty one: it says up to which record it is complete. */
    return write_batch(c, err);
}

/* ---- the parts of a generation ---- */

static og_status open_parts(struct compaction *c, og_error *err)
{
    og_store *store = c->store;
    char path[PATH_MOST + 32];
    const struct og_documents_options options = {.uuid = store->disk->conf.uuid,
                                                 .writable = true,
                                                 .allocator = c->allocator};
    const struct og_texts_options text_options = {
        .uuid = store->disk->conf.uuid, .allocator = c->allocator};
    c->trace = og_trace_new(store);
    if (c->trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "names");
    snprintf(path, sizeof(path), "%s/catalogue", c->folder);
    TRY(og_documents_open(path, &options, &c->documents, err));
    if (!og_store_has_texts(store)) return OG_OK;
    TRY(og_store_text_reader(store, &c->reader, err));
    TRY(og_framer_init(&c->framer, c->allocator, err));
    snprintf(path, sizeof(path), "%s/texts", c->folder);
    TRY(og_texts_open(path, &text_options, &c->texts, err));
    return og_text_reader_open(path, store->disk->conf.uuid, c->texts,
                               c->allocator, &c->older, err);
}

static og_status close_parts(struct compaction *c, og_status status,
                             og_error *err)
{
    og_text_reader_close(c->older);
    og_text_reader_close(c->reader);
    if (c->framer.packer != NULL) og_framer_release(&c->framer);
    if (c->texts != NULL && status == OG_OK)
        status = og_texts_sync(c->texts, NULL, err);
    (void)og_texts_close(c->texts, NULL);
    const og_status closed =
        og_documents_close(c->documents, status == OG_OK ? err : NULL);
    og_trace_free(c->trace);
    og_pack_release(&c->raw);
    og_pack_release(&c->packed);
    og_pack_release(&c->entries);
    OG_UNGROW(c->allocator, c->docs, c->cap);
    OG_UNGROW(c->allocator, c->list, c->list_cap);
    OG_UNGROW(c->allocator, c->places, c->places_cap);
    OG_UNGROW(c->allocator, c->removed, c->removed_cap);
    return status == OG_OK ? closed : status;
}

static og_status write_table(struct compaction *c, og_error *err)
{
    struct og_new_file file;
    step(c, "table", 0, 1);
    TRY(og_disk_write_table(c->store, c->folder, &file, err));
    return og_new_file_commit(&file, err);
}

/* Nothing but that it was closed. */
static og_status write_journal(struct compaction *c, og_error *err)
{
    const struct og_disk *disk = c->store->disk;
    struct og_journal *journal;
    const struct og_journal_part nothing = {"", 0};
    const struct og_journal_options options = {.folder = c->folder,
                                               .number = 1,
                                               .first_sequence =
                                                   disk->next_sequence,
                                               .uuid = disk->conf.uuid};
    char path[PATH_MOST + 32];
    uint64_t sequence;
    snprintf(path, sizeof(path), "%s/journal", c->folder);
    TRY(make_folder(path, err));
    TRY(og_journal_new(&options, c->allocator, &journal, err));
    og_status status = og_journal_append(journal, OG_JOURNAL_CLOSED, &nothing,
                                         1, &sequence, err);
    if (status == OG_OK) status = og_journal_commit(journal, err);
    og_journal_free(journal);
    return status;
}

static og_status write_generation(struct compaction *c, og_error *err)
{
    TRY(make_folder(c->folder, err));
    og_status status = open_parts(c, err);
    if (status == OG_OK) status = write_documents(c, err);
    TRY(close_parts(c, status, err));
    TRY(og_indexes_copy(c->store, c->folder, c->on_step, c->ctx, err));
    TRY(write_table(c, err));
    return write_journal(c, err);
}

/* From here on the next generation counts. */
static og_status switch_over(struct compaction *c, uint32_t generation,
                             og_error *err)
{
    struct og_disk *disk = c->store->disk;
    struct og_conf conf = disk->conf;
    conf.generation = generation;
    TRY(og_conf_write(&conf, disk->folder, err));
    disk->next_generation = generation;
    og_store_lock_end(disk->lock_fd, disk->next_sequence - 1);
    return OG_OK;
}

static og_status compact(og_store *store, struct compaction *c, og_error *err)
{
    struct og_disk *disk = store->disk;
    const uint32_t generation = disk->conf.generation + 1;
    c->store = store;
    c->allocator = store->allocator;
    c->raw.allocator = c->packed.allocator = c->entries.allocator =
        c->allocator;
    if (!og_conf_data_folder(disk->folder, generation, c->folder,
                             sizeof(c->folder) - 64))
        return og_error_set(err, OG_ERR_USAGE,
                            "the name of store '%s' is too long", disk->folder);
    TRY(og_indexes_check_own(store, err));
    /* Everything in one place: the catalogue on disk. */
    TRY(og_disk_flush(store, err));
    const og_status status = write_generation(c, err);
    og_indexes_close(store);
    /* A conf that could not be written may be there all the same: then both
     * generations stay, and the next writer sees which one counts. */
    if (status == OG_OK) return switch_over(c, generation, err);
    og_disk_remove_others(disk->folder, generation - 1);
    return status;
}

og_status og_store_compact(const char *path, og_compaction *out,
                           void (*on_step)(void *ctx, const char *what,
                                           uint64_t done, uint64_t total),
                           void *ctx, og_error *err)
{
    struct compaction c = {.on_step = on_step, .ctx = ctx};
    og_store *store;
    *out = (og_compaction){0};
    TRY(og_store_open(path, OG_WRITE, NULL, &store, err));
    if (store->disk == NULL) {
        (void)og_store_close(store, NULL);
        return og_error_set(err, OG_ERR_USAGE,
                            "a store in memory has no files to compact");
    }
    out->bytes_before = tree_bytes(path);
    out->n_removed = store->n_removed;
    out->n_documents = store->catalogue.n - store->n_removed;
    og_status status = compact(store, &c, err);
    const og_status closed =
        og_store_close(store, status == OG_OK ? err : NULL);
    if (status == OG_OK) status = closed;
    out->bytes_after = tree_bytes(path);
    return status;
}
