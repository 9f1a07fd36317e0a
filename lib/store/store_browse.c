/* Documents of a store, by number and by id, readable while a writer is at
 * work. */

#include <origo/browse.h>
#include <stdatomic.h>

#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"

struct og_browser {
    og_store *store;
    struct og_lookup lookup;
    struct og_text_reader *reader; /* NULL: not needed yet, or none */
};

/* Others may have added documents; 0 when the servers do not answer. */
static uint64_t count_elsewhere(const og_store *store)
{
    struct og_remote_tally tally;
    return og_remote_catalogue_count(store->shared->remote, &tally, NULL) ==
                   OG_OK
               ? tally.n_numbers
               : 0;
}

uint64_t og_store_n_numbers(const og_store *store)
{
    if (store->shared != NULL) return count_elsewhere(store);
    return atomic_load(&store->catalogue.n_published);
}

uint64_t og_store_n_documents(const og_store *store)
{
    if (store->shared != NULL) return store->shared->n_documents;
    return store->catalogue.n - store->n_removed;
}

og_status og_browser_open(og_store *store, og_browser **out, og_error *err)
{
    og_browser *browser = og_allocate_zero(store->allocator, sizeof(*browser));
    *out = browser;
    if (browser == NULL)
        return og_error_memory(err, sizeof(*browser), "a browser");
    browser->store = store;
    og_lookup_init(&browser->lookup, &store->pending,
                   store->disk != NULL ? store->disk->documents : NULL,
                   store->allocator);
    browser->lookup.shared = store->shared;
    return OG_OK;
}

void og_browser_close(og_browser *browser)
{
    if (browser == NULL) return;
    og_text_reader_close(browser->reader);
    og_lookup_release(&browser->lookup);
    og_release(browser->store->allocator, browser, sizeof(*browser));
}

static og_status read_text(og_browser *browser, const struct og_entry *entry,
                           og_card *out, og_error *err)
{
    og_bytes text = {"", 0};
    if (!og_store_has_texts(browser->store)) return OG_OK;
    if (browser->reader == NULL)
        TRY(og_store_text_reader(browser->store, &browser->reader, err));
    const og_status status = og_text_reader_get(
        browser->reader, &entry->place, entry->text_len, &text, NULL, err);
    if (status == OG_END) return OG_OK; /* no longer in memory */
    if (status != OG_OK) return status;
    out->doc.text = text;
    out->has_text = true;
    return OG_OK;
}

static og_status fill_card(og_browser *browser, uint32_t number, bool with_text,
                           og_card *out, og_error *err)
{
    struct og_entry entry;
    TRY(og_lookup_get(&browser->lookup, number, &entry, err));
    *out = (og_card){
        .number = number,
        .doc = og_entry_document(&entry, (og_bytes){"", 0}),
        .text_len = entry.text_len,
        .n_tokens = entry.n_tokens,
    };
    if (browser->store->shared != NULL)
        TRY(og_shared_know_origins(browser->store->shared, &entry, err));
    for (uint32_t i = 0; i < entry.n_origins && i < OG_CARD_ORIGINS; i++) {
        const uint32_t origin = entry.origins[i].doc;
        /* Later ones, whose place it took, are in the same list. */
        if (!og_catalogue_earlier(&browser->store->catalogue, origin, number))
            continue;
        out->origins[out->n_origins].number = origin;
        out->origins[out->n_origins++].n_tokens = entry.origins[i].n_tokens;
    }
    return with_text ? read_text(browser, &entry, out, err) : OG_OK;
}

og_status og_browser_get(og_browser *browser, uint64_t number, bool with_text,
                         bool *out_found, og_card *out, og_error *err)
{
    og_store *store = browser->store;
    const uint32_t one = number < OG_NO_DOC ? (uint32_t)number : OG_NO_DOC;
    if (store->shared != NULL)
        TRY(og_shared_look_for(store->shared, &one, 1, err));
    *out_found = (store->shared != NULL ? number < OG_NO_DOC
                                        : number < og_store_n_numbers(store)) &&
                 !og_catalogue_is_removed(&store->catalogue, (uint32_t)number);
    if (!*out_found) return OG_OK;
    og_lookup_clear(&browser->lookup);
    return fill_card(browser, (uint32_t)number, with_text, out, err);
}

og_status og_browser_find(og_browser *browser, og_bytes id, bool with_text,
                          bool *out_found, og_card *out, og_error *err)
{
    og_store *store = browser->store;
    uint32_t number = OG_NO_DOC;
    *out_found = false;
    og_lookup_clear(&browser->lookup);
    const uint32_t end = atomic_load(&store->catalogue.n_published);
    TRY(og_lookup_latest(&browser->lookup, id, end, &number, err));
    if (number == OG_NO_DOC ||
        og_catalogue_is_removed(&store->catalogue, number))
        return OG_OK;
    *out_found = true;
    return fill_card(browser, number, with_text, out, err);
}
