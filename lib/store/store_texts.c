/* The texts that a store keeps: on disk in files, in memory in segments of
 * which the oldest go.
 *
 * A store in memory has its cap for all that it keeps: half for the table,
 * which takes of it what it needs, and what the table does not take for the
 * texts and the catalogue. The catalogue stays; texts give way to it and to the
 * table as they grow. A document whose text is gone is still found by its
 * fingerprints. */

#include "lib/store/store_texts.h"

#include "lib/store/store_disk.h"
#include "lib/store/text/text_memory.h"

static og_status no_texts(const og_store *store, og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE, "store '%s' keeps no texts",
                        store->disk != NULL ? store->disk->folder : ":memory:");
}

bool og_store_has_texts(const og_store *store)
{
    return !store->params.no_texts &&
           (store->disk != NULL || store->keeping.texts != NULL);
}

og_status og_store_text_reader(og_store *store, struct og_text_reader **out,
                               og_error *err)
{
    static const uint8_t no_uuid[16];
    const struct og_disk *disk = store->disk;
    if (!og_store_has_texts(store)) return no_texts(store, err);
    TRY(og_text_reader_open(disk != NULL            ? disk->texts_folder
                            : store->shared != NULL ? og_store_table(store)
                                                    : ":memory:",
                            disk != NULL ? disk->conf.uuid : no_uuid,
                            store->keeping.texts, store->allocator, out, err));
    if (disk != NULL) og_text_reader_patch(*out, &disk->patches);
    return OG_OK;
}

og_document og_entry_document(const struct og_entry *entry, og_bytes text)
{
    return (og_document){
        .id = entry->id,
        .title = entry->title,
        .url = entry->url,
        .text = text,
        .time = entry->has_time ? entry->time : 0,
        .has_time = entry->has_time,
        .time_source = entry->time_source,
        .extra = entry->extra,
    };
}

void og_keeping_close(struct og_keeping *keeping)
{
    og_text_reader_close(keeping->reader);
    (void)og_texts_close(keeping->texts, NULL);
    if (keeping->framer.packer != NULL) og_framer_release(&keeping->framer);
    *keeping = (struct og_keeping){0};
}

/* ---- new ones ---- */

static og_status pack_alone(og_store *store, struct og_subject *subject,
                            og_bytes text, og_error *err)
{
    struct og_keeping *k = &store->keeping;
    struct og_pack frames = {.allocator = store->allocator};
    uint32_t segment;
    uint64_t base;
    og_texts_offer(k->texts, &text, 1);
    og_status status = og_framer_pack(&k->framer, og_texts_dict(k->texts),
                                      &text, 1, &frames, &subject->text, err);
    if (status == OG_OK)
        status = og_texts_append(k->texts, frames.data, frames.len, &segment,
                                 &base, err);
    if (status == OG_OK) og_text_place_move(&subject->text, segment, base);
    og_pack_release(&frames);
    return status;
}

/* What versions share is kept once. OG_END: the older one is gone. */
static og_status pack_version(og_store *store, struct og_subject *subject,
                              og_bytes text, const struct og_entry *older,
                              og_error *err)
{
    struct og_keeping *k = &store->keeping;
    if (k->reader == NULL) TRY(og_store_text_reader(store, &k->reader, err));
    return og_texts_append_version(k->texts, &k->framer, k->reader, text,
                                   &older->place, older->text_len,
                                   &subject->text, err);
}

og_status og_store_keep_text(og_store *store, struct og_subject *subject,
                             og_bytes text, struct og_lookup *lookup,
                             og_error *err)
{
    struct og_entry older;
    if (store->keeping.texts == NULL) return OG_OK;
    /* A remote text is not based on another: each would be another request. */
    if (subject->latest == OG_NO_DOC || store->shared != NULL)
        return pack_alone(store, subject, text, err);
    TRY(og_lookup_get(lookup, subject->latest, &older, err));
    if (older.place.segment == 0) return pack_alone(store, subject, text, err);
    const og_status status = pack_version(store, subject, text, &older, err);
    return status == OG_END ? pack_alone(store, subject, text, err) : status;
}

/* ---- in memory ---- */

/* Of the cap, for the table. */
#define TABLE_SHARE 2

uint64_t og_memory_table_share(const og_params *params)
{
    return params->no_texts ? params->memory : params->memory / TABLE_SHARE;
}

og_status og_memory_texts_open(og_store *store, og_error *err)
{
    static const uint8_t no_uuid[16];
    const struct og_texts_options options = {
        .uuid = no_uuid,
        .memory = store->params.memory,
        .allocator = store->allocator,
    };
    if (store->params.no_texts) return OG_OK;
    TRY(og_framer_init(&store->keeping.framer, store->allocator, err));
    const og_status status =
        og_texts_open(NULL, &options, &store->keeping.texts, err);
    if (status != OG_OK) og_keeping_close(&store->keeping);
    return status;
}

uint64_t og_memory_used(const og_store *store)
{
    return og_table_len(&store->table) + store->table.options.common_len +
           store->catalogue.n * sizeof(struct og_mark) +
           og_pending_memory(&store->pending);
}

void og_memory_texts_count(const og_store *store, uint64_t *out_kept,
                           uint64_t *out_gone)
{
    struct og_text_memory *memory = store->keeping.texts != NULL
                                        ? og_texts_memory(store->keeping.texts)
                                        : NULL;
    *out_kept = *out_gone = 0;
    if (memory == NULL) return;
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->n; i++)
        *out_kept += memory->segments[i].len;
    *out_gone = memory->gone;
    pthread_mutex_unlock(&memory->lock);
}

void og_memory_texts_limit(og_store *store)
{
    const uint64_t used = og_memory_used(store);
    const uint64_t memory = store->params.memory;
    if (store->disk == NULL && store->keeping.texts != NULL)
        og_texts_limit(store->keeping.texts, used < memory ? memory - used : 0);
}
