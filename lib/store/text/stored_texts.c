/* The documents of a store, one at a time. */

#include "lib/store/text/stored_texts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/remote/table_address.h"
#include "lib/store/store_disk.h"

struct og_stored_texts {
    og_store *store;
    bool is_own;     /* the store is closed with it */
    og_trace *trace; /* for its naming */
    struct og_text_reader *reader;
};

bool og_is_store(const char *path)
{
    char name[4096];
    const int len = snprintf(name, sizeof(name), "%s/origo.conf", path);
    return len > 0 && (size_t)len < sizeof(name) && access(name, F_OK) == 0;
}

og_status og_stored_texts_of(og_store *store, struct og_stored_texts **out,
                             og_error *err)
{
    struct og_stored_texts *s = og_allocate_zero(NULL, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "a store");
    s->store = store;
    og_status status = og_store_text_reader(s->store, &s->reader, err);
    if (status == OG_OK) {
        s->trace = og_trace_new(s->store);
        if (s->trace == NULL)
            status = og_error_memory(err, sizeof(*s->trace), "names");
    }
    if (status != OG_OK) {
        og_stored_texts_close(s);
        return status;
    }
    *out = s;
    return OG_OK;
}

og_status og_stored_texts_open(const char *path, struct og_stored_texts **out,
                               og_error *err)
{
    og_store *store;
    if (og_table_address_is(path))
        return og_error_set(err, OG_ERR_USAGE,
                            "the documents of a store on servers cannot be "
                            "read one after the other");
    TRY(og_store_open(path, OG_READ, NULL, &store, err));
    const og_status status = og_stored_texts_of(store, out, err);
    if (status == OG_OK)
        (*out)->is_own = true;
    else
        (void)og_store_close(store, NULL);
    return status;
}

void og_stored_texts_close(struct og_stored_texts *s)
{
    if (s == NULL) return;
    og_trace_free(s->trace);
    og_text_reader_close(s->reader);
    if (s->is_own) (void)og_store_close(s->store, NULL);
    og_release(NULL, s, sizeof(*s));
}

uint32_t og_stored_texts_n(const struct og_stored_texts *s)
{
    return atomic_load(&s->store->catalogue.n_published);
}

const char *og_stored_texts_path(const struct og_stored_texts *s)
{
    return s->store->disk != NULL ? s->store->disk->folder : ":memory:";
}

og_status og_stored_texts_get(struct og_stored_texts *s, uint32_t number,
                              og_document *out, bool *out_is_there,
                              og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    *out_is_there = number < og_stored_texts_n(s) &&
                    !og_catalogue_is_removed(&s->store->catalogue, number);
    if (!*out_is_there) return OG_OK;
    og_lookup_clear(&s->trace->lookup);
    TRY(og_lookup_get(&s->trace->lookup, number, &entry, err));
    const og_status status = og_text_reader_get(
        s->reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END) *out_is_there = false;
    if (status != OG_OK) return status == OG_END ? OG_OK : status;
    *out = og_entry_document(&entry, text);
    return OG_OK;
}

og_status og_stored_texts_has(struct og_stored_texts *s, const og_document *doc,
                              bool *out, og_error *err)
{
    struct og_entry entry;
    struct og_subject subject = {.doc = doc,
                                 .text_hash = og_text_hash(doc->text),
                                 .text_len = doc->text.len};
    *out = false;
    og_lookup_clear(&s->trace->lookup);
    TRY(og_store_identify(s->store, &subject, true, s->trace, err));
    if (!subject.is_known) return OG_OK;
    TRY(og_lookup_get(&s->trace->lookup, subject.latest, &entry, err));
    *out = !doc->has_time || !entry.has_time || doc->time == entry.time;
    return OG_OK;
}
