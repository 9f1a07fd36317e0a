/* The second stage: for each band, chains of documents with an equal key, in
 * the form of datatrove's .dups files. */

#include <stdlib.h>

#include "lib/dedup/dedup_lists.h"
#include "lib/dedup/stages/dedup_stages.h"

struct keyed {
    uint64_t key, place; /* file << 32 | document */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static og_status read_band(const struct og_stage *s, uint32_t band,
                           struct keyed **out, size_t *out_n, size_t *out_cap,
                           og_error *err)
{
    const uint32_t n_rows = s->dedup->n_rows;
    const size_t at = OG_STAGE_PLACE_LEN + (size_t)band * n_rows;
    struct keyed *keys = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < s->n_paths; i++) {
        struct og_stage_file f;
        og_status status = og_stage_read_sketches(s, i, &f, err);
        if (status == OG_OK && !OG_GROW(NULL, keys, cap, n + f.n))
            status = og_error_memory(err, n * sizeof(*keys), "a band");
        for (uint64_t j = 0; status == OG_OK && j < f.n; j++)
            keys[n++] = (struct keyed){
                og_band_key(f.body + j * s->record_len + at, n_rows),
                (uint64_t)i << 32 | j};
        og_stage_file_release(&f);
        if (status != OG_OK) {
            OG_UNGROW(NULL, keys, cap);
            return status;
        }
    }
    *out = keys;
    *out_n = n;
    *out_cap = cap;
    return OG_OK;
}

static og_status write_band(struct og_stage *s, uint32_t band, og_error *err)
{
    char path[OG_STAGE_PATH_ROOM];
    struct keyed *keys = NULL;
    struct og_pack pairs = {0};
    size_t n = 0, cap = 0;
    og_stage_path(s, path, "bands/%05u_%02u.dups", band, 0);
    if (og_stage_is_there(path)) {
        s->counts->n_there++;
        return OG_OK;
    }
    TRY(read_band(s, band, &keys, &n, &cap, err));
    if (n > 1) qsort(keys, n, sizeof(*keys), by_key);
    for (size_t i = 1; i < n; i++) {
        if (keys[i].key != keys[i - 1].key) continue;
        og_list_pack_pair(&pairs,
                          &(struct og_list_pair){
                              .file = (uint32_t)(keys[i - 1].place >> 32),
                              .doc = (uint32_t)keys[i - 1].place,
                              .other_file = (uint32_t)(keys[i].place >> 32),
                              .other_doc = (uint32_t)keys[i].place});
        s->counts->n_pairs++;
    }
    OG_UNGROW(NULL, keys, cap);
    const og_status status = og_list_write(path, &pairs, err);
    og_pack_release(&pairs);
    s->counts->n_made += status == OG_OK;
    return status;
}

og_status og_stage_bands(const og_input *input, const og_stage_options *options,
                         og_stage_counts *counts, og_error *err)
{
    struct og_stage s;
    og_status status = og_stage_start(&s, input, options, counts, err);
    if (status == OG_OK) status = og_stage_make_folders(&s, "bands", err);
    for (uint32_t b = 0; status == OG_OK && b < options->dedup.n_bands; b++)
        if (og_stage_is_mine(&s, b)) status = write_band(&s, b, err);
    og_stage_finish(&s);
    return status;
}
