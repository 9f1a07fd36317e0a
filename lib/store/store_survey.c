/* What a store still remembers, by the age of the documents.
 *
 * Two things are counted: how many fingerprints of each tenth of the documents
 * are still in the table, by one pass over it; and what that means for a copy:
 * some documents of each tenth are queried as if they were added again today,
 * under another id. Both come from the store's own documents, nothing is
 * assumed. */

#include <stdatomic.h>
#include <string.h>

#include "lib/store/store_disk.h"
#include "lib/table/bucket.h"

/* Documents of each age that are queried again. */
#define ASKED 25

/* Documents of age i are first_of(i) .. first_of(i + 1). */
static uint32_t first_of(uint32_t n, size_t n_ages, size_t age)
{
    return (uint32_t)((uint64_t)n * age / n_ages);
}

static size_t age_of(uint32_t n, size_t n_ages, uint32_t number)
{
    size_t age = (size_t)((uint64_t)number * n_ages / n);
    while (age + 1 < n_ages && first_of(n, n_ages, age + 1) <= number)
        age++;
    while (age > 0 && first_of(n, n_ages, age) > number)
        age--;
    return age;
}

static void count_born(const og_store *store, uint32_t n, og_survey *out)
{
    for (size_t age = 0; age < out->n_ages; age++) {
        og_age *a = &out->ages[age];
        const uint32_t end = first_of(n, out->n_ages, age + 1);
        for (uint32_t i = first_of(n, out->n_ages, age); i < end; i++) {
            const struct og_mark *mark = og_catalogue_get(&store->catalogue, i);
            if (a->n_documents == 0) a->first_time = a->last_time = mark->time;
            if (mark->time < a->first_time) a->first_time = mark->time;
            if (mark->time > a->last_time) a->last_time = mark->time;
            a->n_documents++;
            a->n_born += mark->n_new;
        }
    }
}

/* The documents of a bucket's slots, 0 for an empty one, as a reader in any
 * thread sees them: one by one they are whole. */
static void count_kept(const og_store *store, uint32_t n, og_survey *out)
{
    const struct og_table *t = &store->table;
    const struct og_table_view view = og_table_view(t);
    const uint64_t n_buckets = og_level_buckets(t->n_full, view.level);
    for (uint64_t b = 0; b < n_buckets; b++) {
        const uint8_t *bucket = view.base + b * view.bucket_len;
        for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
            if (og_get8(bucket + slot) == 0) break;
            const uint8_t *payload =
                bucket + t->payload_off + slot * view.payload_len;
            const uint64_t doc = og_get_bytes(payload + t->doc_off, 4);
            if (doc == 0 || doc - 1 >= n) continue;
            const uint32_t number = (uint32_t)doc - 1;
            const int64_t time =
                og_catalogue_get(&store->catalogue, number)->time;
            out->ages[age_of(n, out->n_ages, number)].n_kept++;
            if (!out->has_oldest || time < out->oldest) out->oldest = time;
            out->has_oldest = true;
        }
    }
}

/* ---- queries by the store's own documents ---- */

static og_status ask_one(og_store *store, uint32_t number, og_trace *trace,
                         struct og_text_reader *reader, og_age *age,
                         og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    if (og_catalogue_is_removed(&store->catalogue, number)) return OG_OK;
    og_lookup_clear(&trace->lookup);
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    const og_status status = og_text_reader_get(
        reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END) return OG_OK; /* it is not kept any more */
    if (status != OG_OK) return status;
    const og_document doc = {
        .id = OG_LITERAL("\xff survey"), /* no document's id is so */
        .text = text,
    };
    TRY(og_store_trace(store, &doc, trace, err));
    const og_answer *answer = &trace->answering.answer;
    if (answer->n_tokens == 0) return OG_OK;
    age->recall += 1 - (double)answer->n_fresh / (double)answer->n_tokens;
    age->n_asked++;
    return OG_OK;
}

static og_status ask_ages(og_store *store, uint32_t n, og_trace *trace,
                          struct og_text_reader *reader, og_survey *out,
                          og_error *err)
{
    for (size_t age = 0; age < out->n_ages; age++) {
        const uint32_t first = first_of(n, out->n_ages, age);
        const uint32_t end = first_of(n, out->n_ages, age + 1);
        const uint32_t step = (end - first + ASKED - 1) / ASKED;
        for (uint32_t i = first; i < end; i += step)
            TRY(ask_one(store, i, trace, reader, &out->ages[age], err));
        if (out->ages[age].n_asked > 0)
            out->ages[age].recall /= (double)out->ages[age].n_asked;
    }
    return OG_OK;
}

static og_status ask_again(og_store *store, uint32_t n, og_survey *out,
                           og_error *err)
{
    struct og_text_reader *reader;
    TRY(og_store_text_reader(store, &reader, err));
    og_trace *trace = og_trace_new(store);
    const og_status status =
        trace != NULL ? ask_ages(store, n, trace, reader, out, err)
                      : og_error_memory(err, sizeof(*trace), "a trace");
    og_trace_free(trace);
    og_text_reader_close(reader);
    return status;
}

og_status og_store_survey(og_store *store, og_survey *out, og_error *err)
{
    const uint32_t n = atomic_load(&store->catalogue.n_published);
    *out = (og_survey){.n_ages = n < OG_AGES ? n : OG_AGES};
    if (store->remote != NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "a table on a server cannot be surveyed");
    if (n == 0) return OG_OK;
    count_born(store, n, out);
    count_kept(store, n, out);
    const bool answers = og_store_has_texts(store) &&
                         (store->indexes.on & OG_INDEX_PASSAGES) != 0;
    return answers ? ask_again(store, n, out, err) : OG_OK;
}
