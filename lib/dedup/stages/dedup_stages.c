/* Deduplication in stages, for arrays of jobs: each is a pure function of
 * files, writes files that appear when they are complete, and does only what is
 * missing.
 *
 *     sketch      the sketches of each input file       stage_sketch.c
 *     bands       for each band, chains of documents    stage_bands.c
 *                 with an equal key
 *     components  chains of all bands joined; each      stage_decide.c
 *                 component is decided on by one
 *                 shard, in the order of --keep
 *     filter      the kept documents of each file       stage_filter.c
 *
 * Documents that share no band, not even through others, are not candidates: so
 * components can be decided on independently, and the outcome is that of a
 * single run (lib/dedup/level_document.c), whatever the number of shards. */

#include "lib/dedup/stages/dedup_stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/dedup/dedup_levels.h"
#include "lib/os/new_file.h"

/* ---- paths and shards ---- */

bool og_stage_is_mine(const struct og_stage *s, uint64_t i)
{
    return i % s->options->n_shards == s->options->shard;
}

void og_stage_path(const struct og_stage *s, char out[OG_STAGE_PATH_ROOM],
                   const char *format, unsigned a, unsigned b)
{
    const int n = snprintf(out, OG_STAGE_PATH_ROOM, "%s/", s->options->work);
    if (n > 0 && n < OG_STAGE_PATH_ROOM)
        snprintf(out + n, OG_STAGE_PATH_ROOM - (size_t)n, format, a, b);
}

og_status og_stage_make_folder(const char *path, og_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return OG_OK;
    return og_file_failure(err, "make", path, errno);
}

og_status og_stage_make_folders(const struct og_stage *s, const char *name,
                                og_error *err)
{
    char path[OG_STAGE_PATH_ROOM];
    TRY(og_stage_make_folder(s->options->work, err));
    og_stage_path(s, path, name, 0, 0);
    return og_stage_make_folder(path, err);
}

bool og_stage_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- beginning and end ---- */

static uint64_t digest_of(const og_dedup_options *o, const og_input *input)
{
    char text[512];
    snprintf(text, sizeof(text), "%d %u %u %u %.80s %.80s %llu %d %.80s",
             (int)o->tokens, (unsigned)o->shingle_len, (unsigned)o->n_bands,
             (unsigned)o->n_rows, input->fields.id, input->fields.text,
             (unsigned long long)input->max_document, (int)o->keep,
             o->keep == OG_KEEP_FIELD ? o->keep_field : "");
    const size_t len = strlen(text);
    if (input->reading.kind != OG_FILE_AUTO || input->reading.strip_quotes)
        snprintf(text + len, sizeof(text) - len, " %d %d",
                 (int)input->reading.kind, input->reading.strip_quotes);
    return og_token_hash(text, strlen(text), 1);
}

static og_status check_paths(const struct og_stage *s, og_error *err)
{
    struct stat st;
    if (s->input->next != NULL || s->input->reading.files_from != NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "stages take files by their names");
    if (strlen(s->options->work) > OG_STAGE_PATH_ROOM / 2 ||
        (s->options->output != NULL &&
         strlen(s->options->output) > OG_STAGE_PATH_ROOM / 2))
        return og_error_set(err, OG_ERR_USAGE, "the path is too long");
    for (size_t i = 0; i < s->n_paths; i++) {
        if (stat(s->paths[i], &st) != 0)
            return og_file_failure(err, "open", s->paths[i], errno);
        if (!S_ISREG(st.st_mode))
            return og_error_set(err, OG_ERR_USAGE,
                                "'%s' is no file; stages take files",
                                s->paths[i]);
        if (i > 0 && strcmp(s->paths[i], s->paths[i - 1]) == 0)
            return og_error_set(err, OG_ERR_USAGE, "'%s' comes twice",
                                s->paths[i]);
    }
    return OG_OK;
}

og_status og_stage_start(struct og_stage *s, const og_input *input,
                         const og_stage_options *o, og_stage_counts *counts,
                         og_error *err)
{
    const struct og_band_design design = {o->dedup.n_bands, o->dedup.n_rows};
    *s = (struct og_stage){.options = o,
                           .dedup = &o->dedup,
                           .input = input,
                           .paths = input->paths,
                           .n_paths = input->n_paths,
                           .counts = counts};
    TRY(og_dedup_options_check(&o->dedup, err));
    if (o->dedup.cluster != OG_CLUSTER_STAR ||
        o->dedup.level != OG_LEVEL_DOCUMENT)
        return og_error_set(err, OG_ERR_USAGE,
                            "stages are for whole documents, in stars");
    if (o->n_shards == 0 || o->shard >= o->n_shards)
        return og_error_set(err, OG_ERR_USAGE, "no such shard");
    TRY(check_paths(s, err));
    s->digest = digest_of(&o->dedup, input);
    og_shingle_factors_init(&s->key, og_rabin_default(), o->dedup.shingle_len);
    TRY(og_band_sketcher_init(&s->sketcher, &design, NULL, err));
    s->record_len = OG_STAGE_PLACE_LEN + s->sketcher.n_samples;
    return OG_OK;
}

void og_stage_finish(struct og_stage *s)
{
    og_dedup_texts_free(s->texts);
    og_band_sketcher_release(&s->sketcher);
    og_release(NULL, s->bases, (s->n_paths + 1) * sizeof(*s->bases));
}

void og_stage_source(const struct og_stage *s, const char *const *path,
                     struct og_dedup_source *out)
{
    const og_dedup_options *o = s->dedup;
    *out = (struct og_dedup_source){.input = *s->input,
                                    .tokens = o->tokens,
                                    .key = &s->key,
                                    .keep = o->keep,
                                    .keep_field = o->keep_field};
    out->input.paths = path;
    out->input.n_paths = 1;
}

/* ---- results of the first stage ---- */

og_status og_stage_read_sketches(const struct og_stage *s, size_t i,
                                 struct og_stage_file *out, og_error *err)
{
    char path[OG_STAGE_PATH_ROOM];
    og_stage_path(s, path, "sketch/%06u", (unsigned)i, 0);
    return og_stage_file_read(path, OG_STAGE_SKETCH, s->digest, s->record_len,
                              out, err);
}

og_status og_stage_count(struct og_stage *s, og_error *err)
{
    s->bases = og_allocate_zero(NULL, (s->n_paths + 1) * sizeof(*s->bases));
    if (s->bases == NULL) return og_error_memory(err, s->n_paths, "files");
    for (size_t i = 0; i < s->n_paths; i++) {
        struct og_stage_file f;
        TRY(og_stage_read_sketches(s, i, &f, err));
        s->bases[i + 1] = s->bases[i] + f.n;
        og_stage_file_release(&f);
    }
    return OG_OK;
}

og_status og_stage_open_texts(struct og_stage *s, og_error *err)
{
    const og_dedup_options *o = s->dedup;
    TRY(og_dedup_texts_new(&s->input->fields, o->tokens, &s->key,
                           (size_t)32 << 20, s->options->work, &s->texts, err));
    for (size_t i = 0; i < s->n_paths; i++) {
        char copy[OG_STAGE_PATH_ROOM];
        uint32_t file;
        bool is_plain;
        og_stage_path(s, copy, "sketch/%06u.texts", (unsigned)i, 0);
        const bool has_copy = og_stage_is_there(copy);
        TRY(og_dedup_texts_file(s->texts, has_copy ? copy : s->paths[i], &file,
                                &is_plain, err));
        const bool is_empty =
            s->bases != NULL && s->bases[i] == s->bases[i + 1];
        if (!is_plain && !is_empty)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%s' is missing: a shard was not done", copy);
    }
    return OG_OK;
}
