/* Every byte of a store against its checksum, every part against the others. */

#include <stdio.h>
#include <string.h>

#include "lib/disk/journal_read.h"
#include "lib/remote/table_address.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"

struct check {
    og_store *store;
    og_check *out;
    void (*on_step)(void *ctx, const char *what, uint64_t done, uint64_t total);
    void *ctx;
};

static void step(const struct check *c, const char *what, uint64_t done,
                 uint64_t total)
{
    if (c->on_step != NULL) c->on_step(c->ctx, what, done, total);
}

/* In pieces, so that a large table can show how far it is. */
static og_status check_table(struct check *c, og_error *err)
{
    enum { PIECE = 16 << 20 };
    struct og_checkpoint *checkpoint = &c->store->disk->checkpoint;
    const size_t len = checkpoint->map != NULL ? checkpoint->table_len : 0;
    c->out->table_bytes = og_table_len(&c->store->table);
    for (size_t at = 0; at < len; at += PIECE) {
        const size_t end = len - at < PIECE ? len : at + PIECE;
        step(c, "table", at, len);
        TRY(og_checkpoint_know(checkpoint, at, end, err));
    }
    return OG_OK;
}

static og_status wrong_entry(uint32_t number, const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "document %u is damaged: %s", number,
                        what);
}

static bool is_this(void *ctx, uint32_t number)
{
    uint32_t *wanted = ctx;
    if (number != *wanted) return true;
    *wanted = OG_NO_DOC; /* found */
    return false;
}

/* The catalogue must find it under its id, unless it is pending. */
static og_status check_id(struct check *c, struct og_lookup *lookup,
                          uint32_t number, og_bytes id, og_error *err)
{
    uint32_t wanted = number;
    if (number >= og_pending_first(&c->store->pending)) return OG_OK;
    TRY(og_documents_view_begin(&lookup->view, err));
    const og_status status =
        og_documents_with_id(&lookup->view, id, is_this, &wanted, err);
    og_documents_view_end(&lookup->view);
    if (status == OG_OK && wanted != OG_NO_DOC)
        return wrong_entry(number, "it is not found under its id", err);
    return status;
}

static og_status check_document(struct check *c, uint32_t number,
                                struct og_lookup *lookup,
                                struct og_text_reader *reader, og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    const struct og_mark *mark = og_catalogue_get(&c->store->catalogue, number);
    og_lookup_clear(lookup);
    TRY(og_lookup_get(lookup, number, &entry, err));
    if (mark->time != entry.time)
        return wrong_entry(number, "its times differ", err);
    if (entry.is_purged) return OG_OK;
    TRY(check_id(c, lookup, number, entry.id, err));
    if (reader == NULL || entry.place.segment == 0) return OG_OK;
    TRY(og_text_reader_get(reader, &entry.place, entry.text_len, &text, NULL,
                           err));
    if (og_text_hash(text) != entry.text_hash)
        return wrong_entry(number, "its text does not match its hash", err);
    c->out->text_bytes += text.len;
    return OG_OK;
}

static og_status check_documents(struct check *c, og_error *err)
{
    og_store *store = c->store;
    struct og_text_reader *reader = NULL;
    og_trace *trace = og_trace_new(store);
    og_status status =
        trace != NULL ? OG_OK : og_error_memory(err, sizeof(*trace), "names");
    if (status == OG_OK && og_store_has_texts(store))
        status = og_store_text_reader(store, &reader, err);
    for (uint32_t i = 0; i < store->catalogue.n && status == OG_OK; i++) {
        if (i % 1024 == 0) step(c, "documents", i, store->catalogue.n);
        status = check_document(c, i, &trace->lookup, reader, err);
    }
    og_text_reader_close(reader);
    og_trace_free(trace);
    return status;
}

static og_status check_texts(struct check *c, og_error *err)
{
    const struct og_disk *disk = c->store->disk;
    struct og_texts_end end;
    struct og_texts_sums sums;
    if (!og_store_has_texts(c->store)) return OG_OK;
    step(c, "texts", 0, 1);
    TRY(og_disk_texts_end(c->store, &end, err));
    TRY(og_texts_check(disk->texts_folder, disk->conf.uuid, end, &disk->patches,
                       c->store->allocator, &sums, err));
    c->out->packed_bytes = sums.packed_len;
    return OG_OK;
}

/* What was replayed is valid; the catalogue's pages are verified here, however
 * many they are. */
static og_status check_catalogue(const char *path, og_error *err)
{
    char folder[4096];
    char data[4000];
    enum og_sums sums;
    struct og_conf conf;
    TRY(og_conf_read(path, &conf, err));
    (void)og_conf_data_folder(path, conf.generation, data, sizeof(data));
    snprintf(folder, sizeof(folder), "%s/catalogue", data);
    return og_documents_check(folder, false, 0, NULL, &sums, err);
}

static og_status check_all(struct check *c, og_error *err)
{
    const og_store *store = c->store;
    c->out->n_documents = store->catalogue.n;
    c->out->n_removed = store->n_removed;
    c->out->n_records = store->disk->n_records;
    c->out->torn_bytes = store->disk->torn_bytes;
    TRY(check_table(c, err));
    TRY(check_texts(c, err));
    TRY(check_documents(c, err));
    return og_indexes_check(c->store, err);
}

og_status og_store_check(const char *path, og_check *out,
                         void (*on_step)(void *ctx, const char *what,
                                         uint64_t done, uint64_t total),
                         void *ctx, og_error *err)
{
    struct check c = {.out = out, .on_step = on_step, .ctx = ctx};
    *out = (og_check){0};
    if (!og_table_address_is(path)) TRY(check_catalogue(path, err));
    TRY(og_store_open(path, OG_READ, NULL, &c.store, err));
    const og_status status =
        c.store->shared != NULL
            ? og_store_check_shared(c.store, out, on_step, ctx, err)
            : check_all(&c, err);
    og_store_close(c.store, NULL);
    return status;
}
