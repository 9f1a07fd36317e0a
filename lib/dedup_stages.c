/* Deduplication in stages, for arrays of jobs: each is a pure function of
 * files, writes files that appear when they are whole, and does only what is
 * missing.
 *
 *     sketch      the sketches of each input file
 *     bands       for each band, chains of documents with an equal key
 *     components  chains of all bands joined; what hangs together is decided
 *                 on by one shard, in the order of the documents
 *     filter      the kept documents of each input file
 *
 * Documents that share no band, not even over others, cannot be alike as far
 * as bands tell: so components can be decided on apart from each other, and
 * the outcome is that of a single run (lib/dedup_document.c), whatever the
 * number of shards. */

#define _GNU_SOURCE
#include "lib/dedup_stages.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/dedup_decide.h"
#include "lib/dedup_levels.h"
#include "lib/neighbour/components.h"
#include "lib/os/new_file.h"

#define PLACE_LEN 24
#define PATH_ROOM 4096

struct stage {
    const og_stage_options *options;
    const og_dedup_options *dedup;
    const char *const *paths;
    size_t n_paths;
    og_stage_counts *counts;
    uint64_t digest;
    struct og_shingle_key key;
    struct og_band_sketcher sketcher;
    size_t record_len; /* of a sketch file */
    uint64_t *bases;   /* the number of the first document of each file */
};

/* ---- paths, shards, digests ---- */

static bool is_mine(const struct stage *s, uint64_t i)
{
    return i % s->options->n_shards == s->options->shard;
}

static void path_in(const struct stage *s, char out[PATH_ROOM],
                    const char *format, unsigned a, unsigned b)
{
    const int n = snprintf(out, PATH_ROOM, "%s/", s->options->work);
    if (n > 0 && n < PATH_ROOM)
        snprintf(out + n, PATH_ROOM - (size_t)n, format, a, b);
}

static og_status make_folder(const char *path, og_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return OG_OK;
    return og_file_failure(err, "make", path, errno);
}

static og_status make_folders(const struct stage *s, const char *name,
                              og_error *err)
{
    char path[PATH_ROOM];
    if (strlen(s->options->work) > PATH_ROOM / 2)
        return og_error_set(err, OG_ERR_USAGE, "the path is too long");
    TRY(make_folder(s->options->work, err));
    path_in(s, path, name, 0, 0);
    return make_folder(path, err);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static uint64_t digest_of(const og_dedup_options *o)
{
    char text[256];
    snprintf(text, sizeof(text), "%d %u %u %u %s %s %llu", (int)o->tokens,
             (unsigned)o->shingle_len, (unsigned)o->n_bands,
             (unsigned)o->n_rows, o->fields.id, o->fields.text,
             (unsigned long long)o->max_document);
    return og_token_hash(text, strlen(text), 1);
}

static og_status check_paths(const struct stage *s, og_error *err)
{
    struct stat st;
    for (size_t i = 0; i < s->n_paths; i++) {
        if (stat(s->paths[i], &st) != 0)
            return og_file_failure(err, "open", s->paths[i], errno);
        if (!S_ISREG(st.st_mode))
            return og_error_set(err, OG_ERR_USAGE,
                                "'%s' is no file; stages take files",
                                s->paths[i]);
    }
    return OG_OK;
}

static og_status start(struct stage *s, const char *const *paths,
                       size_t n_paths, const og_stage_options *o,
                       og_stage_counts *counts, og_error *err)
{
    const struct og_band_design design = {o->dedup.n_bands, o->dedup.n_rows};
    *s = (struct stage){.options = o,
                        .dedup = &o->dedup,
                        .paths = paths,
                        .n_paths = n_paths,
                        .counts = counts,
                        .digest = digest_of(&o->dedup)};
    TRY(og_dedup_options_check(&o->dedup, err));
    if (o->dedup.keep != OG_KEEP_FIRST || o->dedup.cluster != OG_CLUSTER_STAR ||
        o->dedup.level != OG_LEVEL_DOCUMENT)
        return og_error_set(err, OG_ERR_USAGE,
                            "stages keep the first of documents, in stars");
    if (o->n_shards == 0 || o->shard >= o->n_shards)
        return og_error_set(err, OG_ERR_USAGE, "no such shard");
    TRY(check_paths(s, err));
    og_shingle_key_init(&s->key, og_rabin_default(), o->dedup.shingle_len);
    TRY(og_band_sketcher_init(&s->sketcher, &design, NULL, err));
    s->record_len = PLACE_LEN + s->sketcher.n_samples;
    return OG_OK;
}

static void finish(struct stage *s)
{
    og_band_sketcher_release(&s->sketcher);
    free(s->bases);
}

static void source_of(const struct stage *s, const char *const *path,
                      struct og_dedup_source *out)
{
    const og_dedup_options *o = s->dedup;
    *out = (struct og_dedup_source){.paths = path,
                                    .n_paths = 1,
                                    .fields = o->fields,
                                    .max_document = o->max_document,
                                    .n_threads = o->n_threads,
                                    .tokens = o->tokens,
                                    .key = &s->key,
                                    .on_problem = o->on_problem,
                                    .report_ctx = o->ctx};
}

/* ---- sketch ---- */

struct sketching {
    const struct stage *stage;
    struct og_pack records;
    uint64_t n;
};

static og_status take_sketch(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct sketching *s = ctx;
    if (d->record.len == 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is no JSONL; stages take JSONL",
                            d->block->file);
    og_pack_fixed(&s->records, d->offset, 8);
    og_pack_fixed(&s->records, d->line, 8);
    og_pack_fixed(&s->records, d->record.len, 8);
    og_pack_bytes(&s->records, d->sketch, s->stage->sketcher.n_samples);
    s->n++;
    return s->records.failed ? og_error_memory(err, s->records.len, "sketches")
                             : OG_OK;
}

static og_status sketch_file(struct stage *s, size_t i, og_error *err)
{
    char path[PATH_ROOM];
    struct og_dedup_source source;
    struct sketching work = {.stage = s};
    og_stream_counts counts = {0};
    path_in(s, path, "sketch/%06u", (unsigned)i, 0);
    if (exists(path)) {
        s->counts->n_there++;
        return OG_OK;
    }
    source_of(s, &s->paths[i], &source);
    source.sketcher = &s->sketcher;
    source.ctx = &work;
    source.take = take_sketch;
    og_status status = og_dedup_stream(&source, &counts, err);
    if (status == OG_OK)
        status = og_stage_file_write(path, OG_STAGE_SKETCH, s->digest, work.n,
                                     &work.records, err);
    og_pack_release(&work.records);
    s->counts->n_made += status == OG_OK;
    s->counts->n_documents += work.n;
    return status;
}

og_status og_stage_sketch(const char *const *paths, size_t n_paths,
                          const og_stage_options *options,
                          og_stage_counts *counts, og_error *err)
{
    struct stage s;
    og_status status = start(&s, paths, n_paths, options, counts, err);
    if (status == OG_OK) status = make_folders(&s, "sketch", err);
    for (size_t i = 0; status == OG_OK && i < n_paths; i++)
        if (is_mine(&s, i)) status = sketch_file(&s, i, err);
    finish(&s);
    return status;
}

static og_status read_sketches(const struct stage *s, size_t i,
                               struct og_stage_file *out, og_error *err)
{
    char path[PATH_ROOM];
    path_in(s, path, "sketch/%06u", (unsigned)i, 0);
    return og_stage_file_read(path, OG_STAGE_SKETCH, s->digest, s->record_len,
                              out, err);
}

/* ---- bands ---- */

struct keyed {
    uint64_t key, place; /* file << 32 | document */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static og_status read_band(const struct stage *s, uint32_t band,
                           struct keyed **out, size_t *out_n, og_error *err)
{
    const uint32_t n_rows = s->dedup->n_rows;
    struct keyed *keys = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < s->n_paths; i++) {
        struct og_stage_file f;
        og_status status = read_sketches(s, i, &f, err);
        if (status == OG_OK && !OG_GROW(NULL, keys, cap, n + f.n))
            status = og_error_memory(err, n * sizeof(*keys), "a band");
        for (uint64_t j = 0; status == OG_OK && j < f.n; j++)
            keys[n++] = (struct keyed){og_band_key(f.body + j * s->record_len +
                                                       PLACE_LEN +
                                                       (size_t)band * n_rows,
                                                   n_rows),
                                       (uint64_t)i << 32 | j};
        og_stage_file_release(&f);
        if (status != OG_OK) {
            OG_UNGROW(NULL, keys, cap);
            return status;
        }
    }
    *out = keys;
    *out_n = n;
    return OG_OK;
}

static og_status write_band(struct stage *s, uint32_t band, og_error *err)
{
    char path[PATH_ROOM];
    struct og_new_file file;
    struct keyed *keys = NULL;
    size_t n = 0;
    path_in(s, path, "bands/%05u_%02u.dups", band, 0);
    if (exists(path)) {
        s->counts->n_there++;
        return OG_OK;
    }
    TRY(read_band(s, band, &keys, &n, err));
    if (n > 1) qsort(keys, n, sizeof(*keys), by_key);
    og_status status = og_new_file_open(&file, path, 0666, err);
    if (status != OG_OK) {
        free(keys);
        return status;
    }
    for (size_t i = 1; i < n && status == OG_OK; i++) {
        if (keys[i].key != keys[i - 1].key) continue;
        struct og_pack pair = {0};
        og_pack_fixed(&pair, keys[i - 1].place >> 32, 4);
        og_pack_fixed(&pair, (uint32_t)keys[i - 1].place, 4);
        og_pack_fixed(&pair, keys[i].place >> 32, 4);
        og_pack_fixed(&pair, (uint32_t)keys[i].place, 4);
        status = og_new_file_write(&file, pair.data, pair.len, err);
        og_pack_release(&pair);
        s->counts->n_pairs++;
    }
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    s->counts->n_made += status == OG_OK;
    free(keys);
    return status;
}

og_status og_stage_bands(const char *const *paths, size_t n_paths,
                         const og_stage_options *options,
                         og_stage_counts *counts, og_error *err)
{
    struct stage s;
    og_status status = start(&s, paths, n_paths, options, counts, err);
    if (status == OG_OK) status = make_folders(&s, "bands", err);
    for (uint32_t b = 0; status == OG_OK && b < options->dedup.n_bands; b++)
        if (is_mine(&s, b)) status = write_band(&s, b, err);
    finish(&s);
    return status;
}

/* ---- components ---- */

/* Numbers of documents through all files. */
static og_status count_documents(struct stage *s, og_error *err)
{
    s->bases = calloc(s->n_paths + 1, sizeof(*s->bases));
    if (s->bases == NULL) return og_error_memory(err, s->n_paths, "files");
    for (size_t i = 0; i < s->n_paths; i++) {
        struct og_stage_file f;
        TRY(read_sketches(s, i, &f, err));
        s->bases[i + 1] = s->bases[i] + f.n;
        og_stage_file_release(&f);
    }
    return OG_OK;
}

static og_status join_band(const struct stage *s, uint32_t band,
                           struct og_forest *forest, og_error *err)
{
    char path[PATH_ROOM];
    uint8_t pair[16];
    path_in(s, path, "bands/%05u_%02u.dups", band, 0);
    FILE *f = fopen(path, "rbe");
    if (f == NULL)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is missing: a shard was not done", path);
    og_status status = OG_OK;
    size_t n;
    while (status == OG_OK && (n = fread(pair, 1, sizeof(pair), f)) != 0) {
        const uint32_t fa = og_load32(pair), a = og_load32(pair + 4);
        const uint32_t fb = og_load32(pair + 8), b = og_load32(pair + 12);
        const bool is_sound = n == sizeof(pair) && fa < s->n_paths &&
                              fb < s->n_paths &&
                              a < s->bases[fa + 1] - s->bases[fa] &&
                              b < s->bases[fb + 1] - s->bases[fb];
        if (is_sound)
            og_forest_join(forest, (uint32_t)(s->bases[fa] + a),
                           (uint32_t)(s->bases[fb] + b));
        else
            status =
                og_error_set(err, OG_ERR_INPUT,
                             "'%s' names a document that is not there", path);
    }
    fclose(f);
    return status;
}

struct deciding {
    struct og_dedup_texts *texts;
    struct og_decider decider;
    struct og_forest forest;
    struct og_pack removals;
    uint64_t n;
};

static og_status decide_one(struct stage *s, struct deciding *d, size_t file,
                            uint64_t doc, const uint8_t *record, og_error *err)
{
    struct og_verdict v;
    const struct og_decide_doc question = {
        .number = s->bases[file] + doc,
        .place = {.offset = og_load64(record),
                  .line = og_load64(record + 8),
                  .len = (uint32_t)og_load64(record + 16),
                  .file = (uint32_t)file},
        .sketch = record + PLACE_LEN};
    TRY(og_decide(&d->decider, &question, &v, err));
    if (v.kind != OG_VERDICT_COPY) return OG_OK;
    const struct og_stage_removal r = {
        .file = (uint32_t)file,
        .doc = (uint32_t)doc,
        .of_file = v.of.place.file,
        .of_doc = (uint32_t)(v.of.number - s->bases[v.of.place.file]),
        .similarity = v.similarity,
        .of_offset = v.of.place.offset,
        .of_line = v.of.place.line,
        .of_len = v.of.place.len};
    og_pack_bytes(&d->removals, &r, sizeof(r));
    d->n++;
    return OG_OK;
}

/* The documents of components whose root is this shard's, in order. Which are
 * not alone shows once all are joined: a root that others point to. */
static og_status decide_mine(struct stage *s, struct deciding *d, og_error *err)
{
    const size_t n = d->forest.n;
    uint8_t *is_shared = calloc(n + 1, 1);
    og_status status = OG_OK;
    if (is_shared == NULL) return og_error_memory(err, n, "components");
    for (size_t i = 0; i < n; i++) {
        const uint32_t root = og_forest_root(&d->forest, (uint32_t)i);
        if (root != i) is_shared[root] = 1;
    }
    for (size_t f = 0; f < s->n_paths && status == OG_OK; f++) {
        struct og_stage_file sketches;
        status = read_sketches(s, f, &sketches, err);
        for (uint64_t j = 0; status == OG_OK && j < sketches.n; j++) {
            const uint32_t root =
                og_forest_root(&d->forest, (uint32_t)(s->bases[f] + j));
            if (!is_shared[root] || !is_mine(s, og_mix64(root))) continue;
            status =
                decide_one(s, d, f, j, sketches.body + j * s->record_len, err);
        }
        og_stage_file_release(&sketches);
    }
    free(is_shared);
    return status;
}

static og_status open_texts(struct stage *s, struct deciding *d, og_error *err)
{
    const og_dedup_options *o = s->dedup;
    const struct og_decide_options decide = {.design = {o->n_bands, o->n_rows},
                                             .measure = o->measure,
                                             .threshold = o->threshold,
                                             .cluster = OG_CLUSTER_STAR};
    TRY(og_dedup_texts_new(&o->fields, o->tokens, &s->key, (size_t)32 << 20,
                           s->options->work, &d->texts, err));
    for (size_t i = 0; i < s->n_paths; i++) {
        uint32_t file;
        bool is_plain;
        TRY(og_dedup_texts_file(d->texts, s->paths[i], &file, &is_plain, err));
        if (!is_plain || file != i)
            return og_error_set(err, OG_ERR_USAGE,
                                "'%s' is packed or comes twice: stages read "
                                "plain files again",
                                s->paths[i]);
    }
    return og_decider_init(&d->decider, &decide, d->texts, err);
}

static og_status decide_shard(struct stage *s, const char *path, og_error *err)
{
    struct deciding d = {0};
    og_forest_init(&d.forest, NULL);
    og_status status = count_documents(s, err);
    if (status == OG_OK)
        status = og_forest_reach(&d.forest, s->bases[s->n_paths], err);
    for (uint32_t b = 0; status == OG_OK && b < s->dedup->n_bands; b++)
        status = join_band(s, b, &d.forest, err);
    if (status == OG_OK) status = open_texts(s, &d, err);
    if (status == OG_OK) status = decide_mine(s, &d, err);
    if (status == OG_OK)
        status = og_stage_file_write(path, OG_STAGE_COMPONENTS, s->digest, d.n,
                                     &d.removals, err);
    s->counts->n_removed += d.n;
    s->counts->n_made += status == OG_OK;
    og_pack_release(&d.removals);
    og_forest_release(&d.forest);
    if (d.decider.texts != NULL) og_decider_release(&d.decider);
    og_dedup_texts_free(d.texts);
    return status;
}

og_status og_stage_components(const char *const *paths, size_t n_paths,
                              const og_stage_options *options,
                              og_stage_counts *counts, og_error *err)
{
    struct stage s;
    char path[PATH_ROOM];
    og_status status = start(&s, paths, n_paths, options, counts, err);
    if (status == OG_OK) status = make_folders(&s, "components", err);
    if (status == OG_OK) {
        path_in(&s, path, "components/%06u-of-%06u", options->shard,
                options->n_shards);
        if (exists(path))
            counts->n_there++;
        else
            status = decide_shard(&s, path, err);
    }
    finish(&s);
    return status;
}

/* ---- filter ---- */

/* How many shards the components were made in: of several numbers one of
 * which all are there. *out_n 0: there are none. */
static og_status find_parts(const struct stage *s, unsigned *out_n,
                            og_error *err)
{
    char folder[PATH_ROOM], path[PATH_ROOM], missing[PATH_ROOM] = "";
    path_in(s, folder, "components", 0, 0);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    *out_n = 0;
    while (dir != NULL && *out_n == 0 && (entry = readdir(dir)) != NULL) {
        unsigned shard, n;
        if (sscanf(entry->d_name, "%6u-of-%6u", &shard, &n) != 2 || n == 0)
            continue;
        unsigned i = 0;
        for (; i < n; i++) {
            path_in(s, path, "components/%06u-of-%06u", i, n);
            if (!exists(path)) break;
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
    struct stage *stage;
    struct og_dedup_texts *texts;
    struct og_dedup_output output;
    const struct og_stage_removal *removals; /* of the file, in order */
    size_t n, next;
    uint64_t doc;
};

static og_status take_filter(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct filtering *f = ctx;
    struct stage *s = f->stage;
    const struct og_known *known;
    const uint64_t doc = f->doc++;
    s->counts->n_documents++;
    if (f->next == f->n || f->removals[f->next].doc != doc) {
        s->counts->n_kept++;
        return og_dedup_write_kept(&f->output, d, err);
    }
    const struct og_stage_removal *r = &f->removals[f->next++];
    const struct og_place place = {.offset = r->of_offset,
                                   .file = r->of_file,
                                   .len = r->of_len,
                                   .line = r->of_line};
    const uint64_t number = s->bases[r->of_file] + r->of_doc;
    TRY(og_dedup_texts_fetch(f->texts, number, &place, &known, err));
    s->counts->n_removed++;
    return og_dedup_write_removed(
        &f->output, d,
        &(struct og_removal){.id = d->doc.id,
                             .of_id = {known->id, known->id_len},
                             .similarity = r->similarity,
                             .cluster = number + 1,
                             .file = d->block->file,
                             .line = d->line},
        err);
}

static int by_doc(const void *a, const void *b)
{
    const struct og_stage_removal *x = a, *y = b;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* The removals of one file out of all parts. */
static og_status gather(const struct stage *s, unsigned n_parts, uint32_t file,
                        struct og_pack *out, og_error *err)
{
    char path[PATH_ROOM];
    const size_t len = sizeof(struct og_stage_removal);
    for (unsigned i = 0; i < n_parts; i++) {
        struct og_stage_file part;
        path_in(s, path, "components/%06u-of-%06u", i, n_parts);
        TRY(og_stage_file_read(path, OG_STAGE_COMPONENTS, s->digest, len, &part,
                               err));
        for (uint64_t j = 0; j < part.n; j++) {
            struct og_stage_removal r;
            memcpy(&r, part.body + j * len, len);
            if (r.file == file && r.of_file < s->n_paths)
                og_pack_bytes(out, &r, len);
        }
        og_stage_file_release(&part);
    }
    if (out->failed) return og_error_memory(err, out->len, "removals");
    if (out->len > len) qsort(out->data, out->len / len, len, by_doc);
    return OG_OK;
}

/* datatrove's lists of a file: documents that go, and clusters. */
static og_status write_lists(const struct stage *s, const struct filtering *f,
                             size_t file, og_error *err)
{
    static const char *const endings[] = {"remove", "clusters"};
    for (int kind = 0; kind < 2; kind++) {
        char path[PATH_ROOM];
        struct og_new_file out;
        struct og_pack list = {0};
        snprintf(path, sizeof(path), "%s/%06u.%s", s->options->output,
                 (unsigned)file, endings[kind]);
        for (size_t i = 0; i < f->n; i++) {
            const struct og_stage_removal *r = &f->removals[i];
            og_pack_fixed(&list, r->doc, 4);
            if (kind == 1)
                og_pack_fixed(&list, s->bases[r->of_file] + r->of_doc, 4);
        }
        og_status status = og_new_file_open(&out, path, 0666, err);
        if (status == OG_OK) {
            status = og_new_file_write(&out, list.data, list.len, err);
            if (status == OG_OK) status = og_new_file_commit(&out, err);
            og_new_file_discard(&out);
        }
        og_pack_release(&list);
        TRY(status);
    }
    return OG_OK;
}

static og_status filter_file(struct stage *s, struct og_dedup_texts *texts,
                             unsigned n_parts, size_t i, og_error *err)
{
    char kept[PATH_ROOM], report[PATH_ROOM];
    struct og_pack removals = {0};
    og_dedup_options o = *s->dedup;
    struct og_dedup_source source;
    og_stream_counts counts = {0};
    snprintf(kept, sizeof(kept), "%s/%06u.jsonl", s->options->output,
             (unsigned)i);
    snprintf(report, sizeof(report), "%s/%06u.tsv", s->options->output,
             (unsigned)i);
    if (exists(kept)) {
        s->counts->n_there++;
        return OG_OK;
    }
    o.output = kept;
    o.report = report;
    struct filtering f = {.stage = s, .texts = texts};
    f.output.kept.fd = f.output.report.fd = f.output.rejects.fd = -1;
    og_status status = gather(s, n_parts, (uint32_t)i, &removals, err);
    f.removals = (const struct og_stage_removal *)(void *)removals.data;
    f.n = removals.len / sizeof(*f.removals);
    if (status == OG_OK) status = write_lists(s, &f, i, err);
    if (status == OG_OK)
        status = og_dedup_output_open(&f.output, &o, s->paths, s->n_paths, NULL,
                                      err);
    source_of(s, &s->paths[i], &source);
    source.ctx = &f;
    source.take = take_filter;
    source.n_threads = 1;
    if (status == OG_OK) status = og_dedup_stream(&source, &counts, err);
    if (status == OG_OK && f.next != f.n)
        status =
            og_error_set(err, OG_ERR_INPUT,
                         "'%s' was changed since it was sketched", s->paths[i]);
    if (status == OG_OK) status = og_dedup_output_commit(&f.output, err);
    og_dedup_output_close(&f.output, false);
    og_pack_release(&removals);
    s->counts->n_made += status == OG_OK;
    return status;
}

og_status og_stage_filter(const char *const *paths, size_t n_paths,
                          const og_stage_options *options,
                          og_stage_counts *counts, og_error *err)
{
    struct stage s;
    struct deciding d = {0};
    unsigned n_parts = 0;
    og_status status = start(&s, paths, n_paths, options, counts, err);
    if (status == OG_OK && options->output == NULL)
        status = og_error_set(err, OG_ERR_USAGE, "no folder for the output");
    if (status == OG_OK) status = make_folder(options->output, err);
    if (status == OG_OK) status = count_documents(&s, err);
    if (status == OG_OK) status = find_parts(&s, &n_parts, err);
    if (status == OG_OK) status = open_texts(&s, &d, err);
    for (size_t i = 0; status == OG_OK && i < n_paths; i++)
        if (is_mine(&s, i)) status = filter_file(&s, d.texts, n_parts, i, err);
    if (d.decider.texts != NULL) og_decider_release(&d.decider);
    og_dedup_texts_free(d.texts);
    finish(&s);
    return status;
}
