/* The last stage: the kept documents of each file, a report of the others, and
 * lists of them in datatrove's form. The removals may also be given by lists of
 * datatrove; nothing is compared then, and the report does not say which
 * documents are copies of which. */

#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dedup/dedup_lists.h"
#include "lib/dedup/dedup_output.h"
#include "lib/dedup/stages/dedup_stages.h"

/* The number of shards of the components: of several numbers one for which all
 * shards exist. */
static og_status find_parts(const struct og_stage *s, unsigned *out_n,
                            og_error *err)
{
    char folder[OG_STAGE_PATH_ROOM], path[OG_STAGE_PATH_ROOM];
    char missing[OG_STAGE_PATH_ROOM] = "";
    og_stage_path(s, folder, "components", 0, 0);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    *out_n = 0;
    while (dir != NULL && *out_n == 0 && (entry = readdir(dir)) != NULL) {
        unsigned shard, n;
        if (sscanf(entry->d_name, "%6u-of-%6u", &shard, &n) != 2 || n == 0)
            continue;
        unsigned i = 0;
        for (; i < n; i++) {
            og_stage_path(s, path, "components/%06u-of-%06u", i, n);
            if (!og_stage_is_there(path)) break;
        }
        if (i == n)
            *out_n = n;
        else
            memcpy(missing, path, sizeof(missing));
    }
    if (dir != NULL) closedir(dir);
    if (*out_n != 0) return OG_OK;
    if (missing[0] == '\0')
        snprintf(missing, sizeof(missing), "%.4000s", folder);
    return og_error_set(err, OG_ERR_INPUT,
                        "'%s' is missing: a shard was not done", missing);
}

struct filtering {
    struct og_stage *stage;
    struct og_dedup_output output;
    struct og_pack removals; /* of the file, in order */
    struct og_pack clusters; /* words: document, cluster; in order */
    size_t n, next, next_cluster;
    uint64_t doc;
};

/* ---- removals ---- */

static struct og_stage_removal removal_at(const struct filtering *f, size_t i)
{
    struct og_stage_removal r;
    memcpy(&r, f->removals.data + i * sizeof(r), sizeof(r));
    return r;
}

static int by_doc(const void *a, const void *b)
{
    const struct og_stage_removal *x = a, *y = b;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

struct member { /* of a cluster */
    uint32_t doc, cluster;
};

static int by_member(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static void add_member(struct og_pack *out, uint32_t doc, uint64_t cluster)
{
    const struct member m = {doc, (uint32_t)cluster};
    og_pack_bytes(out, &m, sizeof(m));
}

/* A kept document occurs once for each copy of it. */
static void sort_members(struct og_pack *p)
{
    struct member m, last = {0};
    size_t n = 0;
    if (p->len == 0) return;
    qsort(p->data, p->len / sizeof(m), sizeof(m), by_member);
    for (size_t at = 0; at < p->len; at += sizeof(m)) {
        memcpy(&m, p->data + at, sizeof(m));
        if (n > 0 && m.doc == last.doc) continue;
        memcpy(p->data + n++ * sizeof(m), &m, sizeof(m));
        last = m;
    }
    p->len = n * sizeof(m);
}

/* The removals of one file from all parts, and the members of clusters. */
static og_status gather(struct filtering *f, unsigned n_parts, uint32_t file,
                        og_error *err)
{
    const struct og_stage *s = f->stage;
    const size_t len = sizeof(struct og_stage_removal);
    for (unsigned i = 0; i < n_parts; i++) {
        char path[OG_STAGE_PATH_ROOM];
        struct og_stage_file part;
        og_stage_path(s, path, "components/%06u-of-%06u", i, n_parts);
        TRY(og_stage_file_read(path, OG_STAGE_COMPONENTS, s->digest, len, &part,
                               err));
        for (uint64_t j = 0; j < part.n; j++) {
            struct og_stage_removal r;
            memcpy(&r, part.body + j * len, len);
            if (r.of_file >= s->n_paths) continue;
            const uint64_t cluster = s->bases[r.of_file] + r.of_doc;
            if (r.of_file == file) add_member(&f->clusters, r.of_doc, cluster);
            if (r.file != file) continue;
            add_member(&f->clusters, r.doc, cluster);
            og_pack_bytes(&f->removals, &r, len);
        }
        og_stage_file_release(&part);
    }
    if (f->removals.failed || f->clusters.failed)
        return og_error_memory(err, f->removals.len, "removals");
    f->n = f->removals.len / len;
    if (f->n > 1) qsort(f->removals.data, f->n, len, by_doc);
    sort_members(&f->clusters);
    return OG_OK;
}

/* The same, from datatrove's lists. */
static og_status read_lists(struct filtering *f, uint32_t file, og_error *err)
{
    char path[OG_STAGE_PATH_ROOM];
    const char *folder = f->stage->options->remove;
    struct og_pack list;
    bool is_there;
    snprintf(path, sizeof(path), "%.4000s/%06u.clusters", folder, file);
    TRY(og_list_read(path, 2, &f->clusters, &is_there, err));
    snprintf(path, sizeof(path), "%.4000s/%06u.remove", folder, file);
    TRY(og_list_read(path, 1, &list, &is_there, err));
    for (size_t at = 0; at < list.len; at += 4) {
        struct og_stage_removal r = {.file = file, .similarity = -1};
        memcpy(&r.doc, list.data + at, sizeof(r.doc));
        og_pack_bytes(&f->removals, &r, sizeof(r));
        f->n++;
    }
    og_pack_release(&list);
    return f->removals.failed ? og_error_memory(err, f->n * 48, "removals")
                              : OG_OK;
}

/* ---- writing ---- */

/* From 1; 0: in none. Documents are requested in order. */
static uint64_t cluster_of(struct filtering *f, uint64_t doc)
{
    struct member m;
    while (f->next_cluster + sizeof(m) <= f->clusters.len) {
        memcpy(&m, f->clusters.data + f->next_cluster, sizeof(m));
        if (m.doc >= doc) return m.doc == doc ? (uint64_t)m.cluster + 1 : 0;
        f->next_cluster += sizeof(m);
    }
    return 0;
}

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct filtering *f = ctx;
    struct og_stage *s = f->stage;
    const uint64_t doc = f->doc++;
    s->counts->n_documents++;
    const bool goes = f->next < f->n && removal_at(f, f->next).doc == doc;
    if (!goes) {
        s->counts->n_kept++;
        return og_dedup_write_kept(&f->output, d, err);
    }
    const struct og_stage_removal r = removal_at(f, f->next++);
    struct og_removal removal = {.id = d->doc.id,
                                 .of_id = {"", 0},
                                 .similarity = r.similarity,
                                 .cluster = cluster_of(f, doc),
                                 .of_number = OG_NOT_OF_INPUT,
                                 .file = d->block->file,
                                 .line = d->line};
    if (s->options->remove == NULL) {
        const struct og_known_document *known;
        const struct og_dedup_place place = {.offset = r.of_offset,
                                             .file = r.of_file,
                                             .len = r.of_len,
                                             .line = r.of_line};
        TRY(og_dedup_texts_fetch(s->texts, s->bases[r.of_file] + r.of_doc,
                                 &place, &known, err));
        removal.of_id = (og_bytes){known->id, known->id_len};
    }
    s->counts->n_removed++;
    return og_dedup_write_removed(&f->output, d, &removal, err);
}

static og_status write_lists(const struct filtering *f, size_t file,
                             og_error *err)
{
    const char *folder = f->stage->options->output;
    char path[OG_STAGE_PATH_ROOM];
    struct og_pack remove = {0}, clusters = {0};
    for (size_t i = 0; i < f->n; i++)
        og_pack_fixed(&remove, removal_at(f, i).doc, 4);
    for (size_t at = 0; at < f->clusters.len; at += sizeof(struct member)) {
        struct member m;
        memcpy(&m, f->clusters.data + at, sizeof(m));
        og_pack_fixed(&clusters, m.doc, 4);
        og_pack_fixed(&clusters, m.cluster, 4);
    }
    snprintf(path, sizeof(path), "%.4000s/%06u.remove", folder, (unsigned)file);
    og_status status = og_list_write(path, &remove, err);
    snprintf(path, sizeof(path), "%.4000s/%06u.clusters", folder,
             (unsigned)file);
    if (status == OG_OK) status = og_list_write(path, &clusters, err);
    og_pack_release(&remove);
    og_pack_release(&clusters);
    return status;
}

static og_status stream_file(struct filtering *f, size_t i, og_error *err)
{
    struct og_stage *s = f->stage;
    struct og_dedup_source source;
    og_stream_counts counts = {0};
    og_stage_source(s, &s->paths[i], &source);
    source.ctx = f;
    source.take = take;
    source.input.n_threads = 1;
    TRY(og_dedup_stream(&source, &counts, err));
    s->counts->n_skipped += counts.n_skipped;
    if (f->next == f->n) return OG_OK;
    return og_error_set(err, OG_ERR_INPUT,
                        "'%s' has %llu documents; of document %u it is said "
                        "that it goes: is it another file?",
                        s->paths[i], (unsigned long long)f->doc,
                        removal_at(f, f->next).doc);
}

static og_status filter_file(struct og_stage *s, unsigned n_parts, size_t i,
                             og_error *err)
{
    char kept[OG_STAGE_PATH_ROOM], report[OG_STAGE_PATH_ROOM];
    og_dedup_options o = *s->dedup;
    snprintf(kept, sizeof(kept), "%.4000s/%06u.jsonl", s->options->output,
             (unsigned)i);
    snprintf(report, sizeof(report), "%.4000s/%06u.tsv", s->options->output,
             (unsigned)i);
    if (og_stage_is_there(kept)) {
        s->counts->n_there++;
        return OG_OK;
    }
    o.output = kept;
    o.report = report;
    const struct og_output_lens from = {0};
    struct filtering f = {.stage = s};
    og_dedup_output_init(&f.output, &o, s->input);
    og_status status = s->options->remove != NULL
                           ? read_lists(&f, (uint32_t)i, err)
                           : gather(&f, n_parts, (uint32_t)i, err);
    if (status == OG_OK) status = write_lists(&f, i, err);
    if (status == OG_OK) status = og_dedup_output_lock(&f.output, err);
    if (status == OG_OK)
        status = og_dedup_output_open(&f.output, OG_PART_NEW, &from, err);
    if (status == OG_OK) status = stream_file(&f, i, err);
    if (status == OG_OK) status = og_dedup_output_commit(&f.output, err);
    og_dedup_output_close(&f.output, false);
    og_pack_release(&f.removals);
    og_pack_release(&f.clusters);
    s->counts->n_made += status == OG_OK;
    return status;
}

static og_status start(struct og_stage *s, unsigned *out_n_parts, og_error *err)
{
    if (s->options->output == NULL)
        return og_error_set(err, OG_ERR_USAGE, "no folder for the output");
    TRY(og_stage_make_folder(s->options->output, err));
    if (s->options->remove != NULL) return OG_OK;
    TRY(og_stage_count(s, err));
    TRY(find_parts(s, out_n_parts, err));
    return og_stage_open_texts(s, err);
}

og_status og_stage_filter(const og_input *input,
                          const og_stage_options *options,
                          og_stage_counts *counts, og_error *err)
{
    struct og_stage s;
    unsigned n_parts = 0;
    og_status status = og_stage_start(&s, input, options, counts, err);
    if (status == OG_OK) status = start(&s, &n_parts, err);
    for (size_t i = 0; status == OG_OK && i < input->n_paths; i++)
        if (og_stage_is_mine(&s, i)) status = filter_file(&s, n_parts, i, err);
    og_stage_finish(&s);
    return status;
}
