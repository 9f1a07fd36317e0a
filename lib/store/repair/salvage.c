#include "lib/store/repair/salvage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"
#include "lib/disk/store_lock.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/catalogue/documents.h"
#include "lib/store/catalogue/lmdb_format.h"
#include "lib/store/catalogue/lmdb_read.h"

/* ---- results ---- */

void og_salvage_damage(struct og_salvage *s, const char *format, ...)
{
    char reason[600];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    s->report->n_damaged++;
    if (s->on_loss != NULL)
        s->on_loss(
            s->ctx,
            &(og_loss){.id = {"", 0}, .number = UINT64_MAX, .reason = reason});
}

og_bytes og_salvage_entry(const struct og_salvage *s, size_t i)
{
    return (og_bytes){(const char *)s->bytes.data + s->entries[i].off,
                      s->entries[i].len};
}

static void add_entry(struct og_salvage *s, uint32_t number, og_bytes bytes)
{
    struct og_entry entry;
    if (number == OG_NO_DOC || !og_entry_unpack(bytes, &entry)) return;
    if (!OG_GROW(s->allocator, s->entries, s->cap, s->n + 1)) {
        s->failed = true;
        return;
    }
    s->entries[s->n++] = (struct og_salvaged){number, s->bytes.len, bytes.len};
    og_pack_bytes(&s->bytes, bytes.data, bytes.len);
    if (number >= s->n_documents) s->n_documents = number + 1;
    if (entry.is_purged) og_pack_fixed(&s->removed, number, 4);
}

static int compare_entries(const void *a, const void *b)
{
    const struct og_salvaged *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->off < y->off ? -1 : x->off > y->off;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = og_load32(a), y = og_load32(b);
    return x < y ? -1 : x > y;
}

bool og_salvage_is_removed(const struct og_salvage *s, uint32_t number)
{
    uint8_t key[4];
    og_store32(key, number);
    return s->removed.len > 0 &&
           bsearch(key, s->removed.data, s->removed.len / 4, 4,
                   compare_numbers) != NULL;
}

static bool add_removed(void *ctx, uint32_t number)
{
    struct og_salvage *s = ctx;
    og_pack_fixed(&s->removed, number, 4);
    return true;
}

/* ---- the journal ---- */

static void take_document(struct og_salvage *s,
                          const struct og_journal_view *record)
{
    if (record->len < 8) return;
    const uint64_t len = og_load32(record->data);
    const uint64_t padded = og_journal_padded(len);
    if (padded > record->len - 8 || record->len - 8 - padded < 4) return;
    const uint32_t number = og_load32(record->data + 8 + padded);
    add_entry(s, number, (og_bytes){(const char *)record->data + 8, len});
}

static void take_texts(struct og_salvage *s,
                       const struct og_journal_view *record)
{
    if (record->len <= 16) return;
    const og_bytes frames = {(const char *)record->data + 16, record->len - 16};
    if (og_text_patches_add(&s->patches, (uint32_t)og_load64(record->data),
                            og_load64(record->data + 8), frames, NULL) != OG_OK)
        s->failed = true;
}

static void lose_records(struct og_salvage *s, uint64_t first, uint64_t last)
{
    if (last > s->last_lost) s->last_lost = last;
    og_salvage_damage(s, "records %llu to %llu of the journal are missing",
                      (unsigned long long)first, (unsigned long long)last);
}

static void take_record(void *ctx, const struct og_journal_view *record)
{
    struct og_salvage *s = ctx;
    if (s->tail[0] != 0) og_salvage_damage(s, "%s", s->tail);
    s->tail[0] = 0;
    if (s->n_records == 0) s->first_sequence = record->sequence;
    if (s->n_records > 0 && record->sequence > s->last_sequence + 1)
        lose_records(s, s->last_sequence + 1, record->sequence - 1);
    s->last_sequence = record->sequence;
    s->n_records++;
    if (record->type == OG_JOURNAL_DOCUMENT) take_document(s, record);
    if (record->type == OG_JOURNAL_TEXTS) take_texts(s, record);
    if (record->type == OG_JOURNAL_REMOVE && record->len >= 4)
        (void)add_removed(s, og_load32(record->data));
}

/* A write that a crash broke off leaves such bytes, too: they are reported when
 * something follows them or is missing after them. */
static void take_gap(void *ctx, const char *path, uint64_t begin, uint64_t end)
{
    struct og_salvage *s = ctx;
    snprintf(s->tail, sizeof(s->tail),
             "'%.200s', bytes %llu to %llu: no record is sound there", path,
             (unsigned long long)begin, (unsigned long long)end);
}

static og_status search_journal(struct og_salvage *s, og_error *err)
{
    uint64_t first = 0, last = 0;
    const uint64_t safe = og_store_lock_safe(s->folder);
    if (og_journal_list(s->data, &first, &last, err) != OG_OK)
        og_salvage_damage(s, "%s", err->message);
    for (uint64_t i = first; i != 0 && i <= last; i++)
        TRY(og_journal_salvage(s->data, i, s->allocator, take_record, take_gap,
                               s, err));
    if (s->last_sequence >= safe) return OG_OK;
    if (s->tail[0] != 0) og_salvage_damage(s, "%s", s->tail);
    lose_records(s, s->last_sequence + 1, safe);
    return OG_OK;
}

/* ---- the checkpoint ---- */

/* The marks show which documents were removed; *out: there is a checkpoint, and
 * it is readable. */
static void search_checkpoint(struct og_salvage *s, uint64_t *out_sequence,
                              bool *out)
{
    og_error err = {0};
    struct og_checkpoint c;
    const struct og_table_options options =
        og_store_table_options(&s->conf.params);
    *out = false;
    *out_sequence = 0;
    if (!s->report->has_params) return;
    const og_status status =
        og_checkpoint_open(&c, s->data, s->conf.uuid, og_table_bytes(&options),
                           s->allocator, &err);
    if (status != OG_OK && status != OG_END)
        og_salvage_damage(s, "%s", err.message);
    if (status != OG_OK) return;
    for (uint32_t i = 0; i < c.n_documents; i++)
        if ((c.marks[i].flags & OG_MARK_REMOVED) != 0) (void)add_removed(s, i);
    if (c.n_documents > s->n_documents) s->n_documents = c.n_documents;
    *out_sequence = c.sequence;
    *out = true;
    og_checkpoint_close(&c);
}

/* ---- the catalogue ---- */

static bool take_key(void *ctx, og_bytes key, og_bytes value)
{
    if (key.len == 4) add_entry(ctx, og_lmdb_u32(key.data), value);
    return true;
}

/* How many documents there were, and which were removed, if its pages are
 * unchanged. */
static og_status ask_catalogue(struct og_salvage *s, const char *folder,
                               bool wants_removed, uint64_t *out_sequence,
                               og_error *err)
{
    enum og_sums sums;
    struct og_documents *db;
    struct og_documents_view view;
    const struct og_documents_options options = {.uuid = s->conf.uuid,
                                                 .allocator = s->allocator};
    TRY(og_documents_check(folder, false, 0, s->allocator, &sums, err));
    if (sums != OG_SUMS_EQUAL)
        TRY(og_documents_walk(folder, false, s->allocator, err));
    TRY(og_documents_open(folder, &options, &db, err));
    og_documents_view_init(&view, db);
    og_status status = og_documents_view_begin(&view, err);
    if (status == OG_OK && view.count > s->n_documents)
        s->n_documents = view.count;
    *out_sequence = view.sequence;
    if (status == OG_OK && wants_removed)
        status = og_documents_removed(&view, add_removed, s, err);
    og_documents_view_release(&view);
    (void)og_documents_close(db, NULL);
    return status;
}

static og_status search_pages(struct og_salvage *s, const char *folder,
                              og_error *err)
{
    char path[4200];
    snprintf(path, sizeof(path), "%s/data.mdb", folder);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return OG_OK; /* reported by ask_catalogue() */
    const og_status status =
        og_lmdb_salvage(fd, path, s->allocator, take_key, s, err);
    close(fd);
    return status;
}

/* ---- the whole ---- */

static void read_conf(struct og_salvage *s)
{
    og_error err = {0};
    s->report->has_params = og_conf_read(s->folder, &s->conf, &err) == OG_OK;
    if (!s->report->has_params) {
        og_salvage_damage(s, "%s", err.message);
        return;
    }
    s->report->params = s->conf.params;
    s->report->indexes = s->conf.indexes;
}

/* Without a conf: the last generation that has its files. */
static uint32_t last_generation(const char *folder)
{
    uint32_t last = 0;
    const struct dirent *item;
    DIR *dir = opendir(folder);
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        const uint32_t generation = og_conf_generation_of(item->d_name);
        if (generation > last) last = generation;
    }
    if (dir != NULL) closedir(dir);
    return last;
}

/* A store whose conf is gone still has its uuid in every file. */
static void guess_uuid(struct og_salvage *s)
{
    uint8_t head[32];
    char path[4200];
    snprintf(path, sizeof(path), "%s/passages.tab", s->data);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return;
    if (og_file_read_at(fd, head, sizeof(head), 0) == (int64_t)sizeof(head))
        memcpy(s->conf.uuid, head + 16, sizeof(s->conf.uuid));
    close(fd);
}

/* Records that checkpoint or catalogue have and the journal has not; those that
 * both have may be gone. */
static void check_reach(struct og_salvage *s, uint64_t in_table,
                        uint64_t in_catalogue)
{
    const uint64_t least = in_table < in_catalogue ? in_table : in_catalogue;
    const uint64_t most = in_table < in_catalogue ? in_catalogue : in_table;
    if (s->n_records > 0 && s->first_sequence > least + 1)
        lose_records(s, least + 1, s->first_sequence - 1);
    if (s->last_sequence < most && s->last_lost < most)
        lose_records(s, s->last_sequence + 1, most);
}

og_status og_salvage_find(struct og_salvage *s, og_error *err)
{
    char folder[4096];
    og_error damage = {0};
    uint64_t in_table = 0, in_catalogue = 0;
    bool has_marks;
    read_conf(s);
    if (!s->report->has_params) s->conf.generation = last_generation(s->folder);
    (void)og_conf_data_folder(s->folder, s->conf.generation, s->data,
                              sizeof(s->data) - 32);
    if (!s->report->has_params) guess_uuid(s);
    snprintf(folder, sizeof(folder), "%.4060s/catalogue", s->data);
    search_checkpoint(s, &in_table, &has_marks);
    TRY(search_journal(s, err));
    const bool is_sound =
        ask_catalogue(s, folder, !has_marks, &in_catalogue, &damage) == OG_OK;
    if (!is_sound) og_salvage_damage(s, "%s", damage.message);
    TRY(search_pages(s, folder, err));
    if (is_sound && s->report->has_params)
        check_reach(s, has_marks ? in_table : 0, in_catalogue);
    s->report->is_certain = is_sound && s->last_lost <= in_catalogue;
    if (s->failed || s->bytes.failed || s->removed.failed)
        return og_error_memory(err, s->bytes.len, "entries");
    if (s->n > 0)
        qsort(s->entries, s->n, sizeof(s->entries[0]), compare_entries);
    if (s->removed.len > 0)
        qsort(s->removed.data, s->removed.len / 4, 4, compare_numbers);
    return OG_OK;
}

void og_salvage_release(struct og_salvage *s)
{
    OG_UNGROW(s->allocator, s->entries, s->cap);
    og_pack_release(&s->bytes);
    og_pack_release(&s->removed);
    og_text_patches_release(&s->patches);
}
