/* The third stage: which documents are removed, and of which they are copies.
 *
 * Chains of equal bands are joined to components, and a component is decided on
 * by one shard: its documents in the order of --keep, each compared with those
 * of its candidates that were kept before it, as a single run does.
 *
 * Candidates may also be those of datatrove: .dups of its bands, or .clusters.
 * They only tell which documents are connected, so a document is compared with
 * the first 1,024 kept ones of its component whose samples agree often enough.
 * Nothing is removed without a comparison. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dedup/components.h"
#include "lib/dedup/dedup_decide.h"
#include "lib/dedup/dedup_lists.h"
#include "lib/dedup/stages/dedup_stages.h"
#include "lib/disk/sorter.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

#define SORTER_LEN ((size_t)64 << 20)
#define NONE       UINT32_MAX
/* Kept documents of a foreign component with which one is compared. */
#define FOREIGN_MOST 1024

/* A document in order of --keep; its sketch follows. */
struct waiting {
    uint64_t rank, number;
    struct og_dedup_place place;
    uint64_t doc; /* in its file */
};

/* A kept document of a foreign component. */
struct kept {
    struct og_dedup_entry entry;
    uint32_t next;
};

struct deciding {
    struct og_stage *stage;
    struct og_decider decider;
    struct og_forest forest;
    struct og_sorter *sorter; /* NULL: the order is that of the input */
    char *record;
    size_t record_len;
    struct og_pack removals;
    uint64_t n;
    /* For foreign candidates: */
    struct kept *kept;
    uint8_t *sketches;
    size_t n_kept, kept_cap, sketches_cap;
    uint32_t *first, *last; /* by root */
};

/* ---- joining ---- */

static og_status join(struct deciding *d, const char *path, uint32_t file,
                      uint32_t doc, uint32_t other_file, uint32_t other_doc,
                      og_error *err)
{
    const struct og_stage *s = d->stage;
    const bool is_sound =
        file < s->n_paths && other_file < s->n_paths &&
        doc < s->bases[file + 1] - s->bases[file] &&
        other_doc < s->bases[other_file + 1] - s->bases[other_file];
    if (!is_sound)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' names a document that is not there", path);
    og_forest_join(&d->forest, (uint32_t)(s->bases[file] + doc),
                   (uint32_t)(s->bases[other_file] + other_doc));
    return OG_OK;
}

/* A document similar to one in another data set's index cannot be compared:
 * that text is not available. */
static og_status join_dups(struct deciding *d, const char *path, og_error *err)
{
    struct og_pack list;
    bool is_there;
    TRY(og_list_read(path, 4, &list, &is_there, err));
    if (!is_there)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is missing: a shard was not done", path);
    og_status status = OG_OK;
    for (size_t at = 0; at < list.len && status == OG_OK; at += 16) {
        struct og_list_pair p;
        memcpy(&p, list.data + at, sizeof(p));
        if (p.file == OG_LIST_INDEX && p.doc == OG_LIST_INDEX)
            d->stage->counts->n_passed++;
        else
            status =
                join(d, path, p.file, p.doc, p.other_file, p.other_doc, err);
    }
    og_pack_release(&list);
    return status;
}

/* The first document of each cluster is joined with the others. */
struct clusters {
    uint32_t *file, *doc; /* by cluster; file NONE: none yet */
    size_t cap, doc_cap, n;
};

static og_status join_clusters(struct deciding *d, const char *path,
                               uint32_t file, struct clusters *c, og_error *err)
{
    struct og_pack list;
    bool is_there;
    og_status status = OG_OK;
    TRY(og_list_read(path, 2, &list, &is_there, err));
    for (size_t at = 0; at < list.len && status == OG_OK; at += 8) {
        uint32_t words[2];
        memcpy(words, list.data + at, sizeof(words));
        const size_t id = words[1];
        if (id >= d->forest.n) {
            status = og_error_set(err, OG_ERR_INPUT,
                                  "'%s' has a cluster %zu, more than there are "
                                  "documents",
                                  path, id);
            break;
        }
        if (c->file[id] == NONE) {
            c->file[id] = file;
            c->doc[id] = words[0];
        }
        status = join(d, path, c->file[id], c->doc[id], file, words[0], err);
    }
    og_pack_release(&list);
    return status;
}

static og_status join_all_clusters(struct deciding *d, const char *folder,
                                   size_t *n_files, og_error *err)
{
    const size_t n = d->forest.n;
    const size_t len = (n + 1) * sizeof(uint32_t);
    struct clusters c = {.file = og_allocate(NULL, len),
                         .doc = og_allocate(NULL, len)};
    og_status status = OG_OK;
    if (c.file == NULL || c.doc == NULL)
        status = og_error_memory(err, n * 8, "clusters");
    else
        memset(c.file, 0xff, len);
    for (size_t i = 0; i < d->stage->n_paths && status == OG_OK; i++) {
        char path[OG_STAGE_PATH_ROOM];
        snprintf(path, sizeof(path), "%.4000s/%06u.clusters", folder,
                 (unsigned)i);
        if (!og_stage_is_there(path)) continue;
        (*n_files)++;
        status = join_clusters(d, path, (uint32_t)i, &c, err);
    }
    og_release(NULL, c.file, len);
    og_release(NULL, c.doc, len);
    return status;
}

static og_status join_foreign(struct deciding *d, og_error *err)
{
    const char *folder = d->stage->options->candidates;
    size_t n_files = 0;
    og_status status = OG_OK;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    if (dir == NULL) return og_file_failure(err, "open", folder, errno);
    while (status == OG_OK && (entry = readdir(dir)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[OG_STAGE_PATH_ROOM];
        if (dot == NULL || strcmp(dot, ".dups") != 0) continue;
        snprintf(path, sizeof(path), "%.3000s/%.255s", folder, entry->d_name);
        n_files++;
        status = join_dups(d, path, err);
    }
    closedir(dir);
    if (status == OG_OK) status = join_all_clusters(d, folder, &n_files, err);
    if (status == OG_OK && n_files == 0)
        status = og_error_set(err, OG_ERR_INPUT,
                              "'%s' has no .dups and no .clusters", folder);
    return status;
}

static og_status join_bands(struct deciding *d, og_error *err)
{
    for (uint32_t b = 0; b < d->stage->dedup->n_bands; b++) {
        char path[OG_STAGE_PATH_ROOM];
        og_stage_path(d->stage, path, "bands/%05u_%02u.dups", b, 0);
        TRY(join_dups(d, path, err));
    }
    return OG_OK;
}

/* ---- foreign components ---- */

static og_status keep(struct deciding *d, uint32_t root,
                      const struct og_decide_doc *doc, og_error *err)
{
    const size_t n_samples = d->stage->sketcher.n_samples;
    if (d->n_kept >= NONE ||
        !OG_GROW(NULL, d->kept, d->kept_cap, d->n_kept + 1) ||
        !OG_GROW(NULL, d->sketches, d->sketches_cap,
                 (d->n_kept + 1) * n_samples))
        return og_error_memory(err, d->n_kept * n_samples, "sketches");
    d->kept[d->n_kept] = (struct kept){{doc->number, doc->place}, NONE};
    memcpy(d->sketches + d->n_kept * n_samples, doc->sketch, n_samples);
    if (d->first[root] == NONE)
        d->first[root] = (uint32_t)d->n_kept;
    else
        d->kept[d->last[root]].next = (uint32_t)d->n_kept;
    d->last[root] = (uint32_t)d->n_kept++;
    return OG_OK;
}

static og_status decide_foreign(struct deciding *d, uint32_t root,
                                const struct og_decide_doc *doc,
                                struct og_verdict *out, og_error *err)
{
    const size_t n_samples = d->stage->sketcher.n_samples;
    const struct og_dedup_entry self = {doc->number, doc->place};
    uint32_t at = d->first[root];
    *out = (struct og_verdict){.kind = OG_VERDICT_KEPT};
    for (size_t n = 0; at != NONE && n < FOREIGN_MOST; n++) {
        const struct kept *k = &d->kept[at];
        const uint8_t *sketch = d->sketches + (size_t)at * n_samples;
        at = k->next;
        if (og_band_agreement(sketch, doc->sketch, n_samples) <
            d->decider.filter.least_equal)
            continue;
        double similarity;
        TRY(og_decide_similarity(&d->decider, &k->entry, &self, &similarity,
                                 err));
        if (similarity < d->decider.options.threshold) continue;
        *out = (struct og_verdict){
            .kind = OG_VERDICT_COPY, .of = k->entry, .similarity = similarity};
        return OG_OK;
    }
    return keep(d, root, doc, err);
}

/* ---- deciding ---- */

static og_status decide(struct deciding *d, const struct waiting *w,
                        const uint8_t *sketch, og_error *err)
{
    const struct og_stage *s = d->stage;
    struct og_verdict v;
    const struct og_decide_doc question = {
        .number = w->number, .place = w->place, .sketch = sketch};
    if (s->options->candidates != NULL)
        TRY(decide_foreign(d, og_forest_root(&d->forest, (uint32_t)w->number),
                           &question, &v, err));
    else
        TRY(og_decide(&d->decider, &question, &v, err));
    if (v.kind != OG_VERDICT_COPY) return OG_OK;
    const struct og_stage_removal r = {
        .file = w->place.file,
        .doc = (uint32_t)w->doc,
        .of_file = v.of.place.file,
        .of_doc = (uint32_t)(v.of.number - s->bases[v.of.place.file]),
        .similarity = v.similarity,
        .of_offset = v.of.place.offset,
        .of_line = v.of.place.line,
        .of_len = v.of.place.len};
    og_pack_bytes(&d->removals, &r, sizeof(r));
    d->n++;
    return d->removals.failed
               ? og_error_memory(err, d->removals.len, "removals")
               : OG_OK;
}

/* At once, or when all are there and sorted. */
static og_status take(struct deciding *d, size_t file, uint64_t doc,
                      const uint8_t *record, og_error *err)
{
    const struct og_stage *s = d->stage;
    const uint8_t *sketch = record + OG_STAGE_PLACE_LEN;
    struct waiting w = {.number = s->bases[file] + doc,
                        .place = {.offset = og_load64(record),
                                  .line = og_load64(record + 8),
                                  .len = (uint32_t)og_load64(record + 16),
                                  .file = (uint32_t)file},
                        .rank = og_load64(record + 24),
                        .doc = doc};
    if (d->sorter == NULL) return decide(d, &w, sketch, err);
    if (s->dedup->keep == OG_KEEP_LAST) w.rank = UINT64_MAX - w.number;
    memcpy(d->record, &w, sizeof(w));
    memcpy(d->record + sizeof(w), sketch, s->sketcher.n_samples);
    return og_sorter_add(d->sorter, d->record, err);
}

static og_status decide_sorted(struct deciding *d, og_error *err)
{
    const void *record;
    og_status status;
    if (d->sorter == NULL) return OG_OK;
    TRY(og_sorter_finish(d->sorter, err));
    while ((status = og_sorter_next(d->sorter, &record, err)) == OG_OK) {
        struct waiting w;
        memcpy(&w, record, sizeof(w));
        TRY(decide(d, &w, (const uint8_t *)record + sizeof(w), err));
    }
    return status == OG_END ? OG_OK : status;
}

/* The documents of components whose root belongs to this shard. Documents that
 * are not alone are known once all are joined: a root that others point to. */
static og_status decide_mine(struct deciding *d, og_error *err)
{
    const struct og_stage *s = d->stage;
    const size_t n = d->forest.n;
    uint8_t *is_shared = og_allocate_zero(NULL, n + 1);
    og_status status = OG_OK;
    if (is_shared == NULL) return og_error_memory(err, n, "components");
    for (size_t i = 0; i < n; i++) {
        const uint32_t root = og_forest_root(&d->forest, (uint32_t)i);
        if (root != i) is_shared[root] = 1;
    }
    for (size_t f = 0; f < s->n_paths && status == OG_OK; f++) {
        struct og_stage_file sketches;
        status = og_stage_read_sketches(s, f, &sketches, err);
        for (uint64_t j = 0; status == OG_OK && j < sketches.n; j++) {
            const uint32_t root =
                og_forest_root(&d->forest, (uint32_t)(s->bases[f] + j));
            if (!is_shared[root] || !og_stage_is_mine(s, og_mix64(root)))
                continue;
            status = take(d, f, j, sketches.body + j * s->record_len, err);
        }
        og_stage_file_release(&sketches);
    }
    og_release(NULL, is_shared, n + 1);
    return status == OG_OK ? decide_sorted(d, err) : status;
}

/* Bytes of `first` and of `last`. */
static size_t chains_len(const struct deciding *d)
{
    return (d->forest.n + 1) * sizeof(*d->first);
}

static og_status start(struct deciding *d, og_error *err)
{
    struct og_stage *s = d->stage;
    const og_dedup_options *o = s->dedup;
    const struct og_decide_options decide = {.design = {o->n_bands, o->n_rows},
                                             .measure = o->measure,
                                             .threshold = o->threshold,
                                             .cluster = OG_CLUSTER_STAR};
    TRY(og_stage_count(s, err));
    TRY(og_forest_reach(&d->forest, s->bases[s->n_paths], err));
    TRY(og_stage_open_texts(s, err));
    TRY(og_decider_init(&d->decider, &decide, s->texts, err));
    if (s->options->candidates != NULL) {
        const size_t len = chains_len(d);
        d->first = og_allocate(NULL, len);
        d->last = og_allocate(NULL, len);
        if (d->first == NULL || d->last == NULL)
            return og_error_memory(err, len, "components");
        memset(d->first, 0xff, len);
    }
    if (o->keep == OG_KEEP_FIRST) return OG_OK;
    d->record_len =
        (sizeof(struct waiting) + s->sketcher.n_samples + 7) / 8 * 8;
    d->record = og_allocate_zero(NULL, d->record_len);
    if (d->record == NULL)
        return og_error_memory(err, d->record_len, "a sketch");
    return og_sorter_new(d->record_len, 2, SORTER_LEN, s->options->work,
                         &d->sorter, err);
}

static og_status decide_shard(struct og_stage *s, const char *path,
                              og_error *err)
{
    struct deciding d = {.stage = s};
    og_forest_init(&d.forest, NULL);
    og_status status = start(&d, err);
    if (status == OG_OK)
        status = s->options->candidates != NULL ? join_foreign(&d, err)
                                                : join_bands(&d, err);
    if (status == OG_OK) status = decide_mine(&d, err);
    if (status == OG_OK)
        status = og_stage_file_write(path, OG_STAGE_COMPONENTS, s->digest, d.n,
                                     &d.removals, err);
    s->counts->n_removed += d.n;
    s->counts->n_made += status == OG_OK;
    og_release(NULL, d.first, chains_len(&d));
    og_release(NULL, d.last, chains_len(&d));
    og_release(NULL, d.record, d.record_len);
    og_pack_release(&d.removals);
    og_forest_release(&d.forest);
    if (d.decider.reader.texts != NULL) og_decider_release(&d.decider);
    og_sorter_free(d.sorter);
    OG_UNGROW(NULL, d.kept, d.kept_cap);
    OG_UNGROW(NULL, d.sketches, d.sketches_cap);
    return status;
}

og_status og_stage_components(const og_input *input,
                              const og_stage_options *options,
                              og_stage_counts *counts, og_error *err)
{
    struct og_stage s;
    char path[OG_STAGE_PATH_ROOM];
    og_status status = og_stage_start(&s, input, options, counts, err);
    if (status == OG_OK) status = og_stage_make_folders(&s, "components", err);
    if (status == OG_OK) {
        og_stage_path(&s, path, "components/%06u-of-%06u", options->shard,
                      options->n_shards);
        if (og_stage_is_there(path))
            counts->n_there++;
        else
            status = decide_shard(&s, path, err);
    }
    og_stage_finish(&s);
    return status;
}
