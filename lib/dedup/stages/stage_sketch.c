/* The first stage: the sketch of every document, with its place.
 *
 * Later stages read texts again, by place. Lines of a plain file are read from
 * that file; of any other (packed, an archive, a text) ids and texts are stored
 * beside the sketches. */

#include <string.h>

#include "lib/dedup/stages/dedup_stages.h"
#include "lib/os/new_file.h"
#include "lib/source/json/json_edit.h"

struct sketching {
    const struct og_stage *stage;
    const char *copy_path;
    struct og_pack records, line;
    uint64_t n;
    bool is_plain, has_copy;
    struct og_new_file copy;
    uint64_t copy_len;
};

/* {"id":...,"text":...}, with the names of the fields. */
static og_status write_copy(struct sketching *s, const struct og_dedup_doc *d,
                            og_error *err)
{
    const og_fields *fields = &s->stage->input->fields;
    og_bytes raw, text = d->doc.text;
    if (!s->has_copy) TRY(og_new_file_open(&s->copy, s->copy_path, 0666, err));
    s->has_copy = true;
    s->line.len = 0;
    og_pack_text(&s->line, "{");
    og_pack_json_string(&s->line, (og_bytes){fields->id, strlen(fields->id)});
    og_pack_text(&s->line, ":");
    og_pack_json_string(&s->line, d->doc.id);
    og_pack_text(&s->line, ",");
    og_pack_json_string(&s->line,
                        (og_bytes){fields->text, strlen(fields->text)});
    og_pack_text(&s->line, ":");
    if (d->record.len == 0) {
        og_pack_json_string(&s->line, text);
    } else {
        /* As in its record, with escapes. */
        struct og_pack scratch = {0};
        if (OG_GROW(NULL, scratch.data, scratch.cap,
                    d->record.len + OG_BLOCK_PADDING) &&
            og_json_member(d->record, fields->text, (char *)scratch.data, &raw))
            og_pack_bytes(&s->line, raw.data, raw.len);
        else
            s->line.failed = true;
        og_pack_release(&scratch);
    }
    og_pack_text(&s->line, "}\n");
    if (s->line.failed) return og_error_memory(err, s->line.len, "a text");
    return og_new_file_write(&s->copy, s->line.data, s->line.len, err);
}

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct sketching *s = ctx;
    uint64_t offset = d->offset, len = d->record.len;
    if (!s->is_plain || d->record.len == 0) {
        TRY(write_copy(s, d, err));
        offset = s->copy_len;
        len = s->line.len - 1;
        s->copy_len += s->line.len;
    }
    if (len >= UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT, "'%s': a record of 4 GiB",
                            d->block->file);
    og_pack_fixed(&s->records, offset, 8);
    og_pack_fixed(&s->records, d->line, 8);
    og_pack_fixed(&s->records, len, 8);
    og_pack_fixed(&s->records, d->rank, 8);
    og_pack_bytes(&s->records, d->sketch, s->stage->sketcher.n_samples);
    s->n++;
    return s->records.failed ? og_error_memory(err, s->records.len, "sketches")
                             : OG_OK;
}

static og_status sketch_file(struct og_stage *s, size_t i, og_error *err)
{
    char path[OG_STAGE_PATH_ROOM], copy[OG_STAGE_PATH_ROOM];
    struct og_dedup_source source;
    og_stream_counts counts = {0};
    og_stage_path(s, path, "sketch/%06u", (unsigned)i, 0);
    og_stage_path(s, copy, "sketch/%06u.texts", (unsigned)i, 0);
    if (og_stage_is_there(path)) {
        s->counts->n_there++;
        return OG_OK;
    }
    struct sketching work = {.stage = s,
                             .copy_path = copy,
                             .is_plain = og_dedup_is_plain(s->paths[i])};
    og_stage_source(s, &s->paths[i], &source);
    source.sketcher = &s->sketcher;
    source.ctx = &work;
    source.take = take;
    og_status status = og_dedup_stream(&source, &counts, err);
    if (work.has_copy) {
        if (status == OG_OK) status = og_new_file_commit(&work.copy, err);
        og_new_file_discard(&work.copy);
    }
    if (status == OG_OK)
        status = og_stage_file_write(path, OG_STAGE_SKETCH, s->digest, work.n,
                                     &work.records, err);
    og_pack_release(&work.records);
    og_pack_release(&work.line);
    s->counts->n_made += status == OG_OK;
    s->counts->n_documents += work.n;
    s->counts->n_skipped += counts.n_skipped;
    return status;
}

og_status og_stage_sketch(const og_input *input,
                          const og_stage_options *options,
                          og_stage_counts *counts, og_error *err)
{
    struct og_stage s;
    og_status status = og_stage_start(&s, input, options, counts, err);
    if (status == OG_OK) status = og_stage_make_folders(&s, "sketch", err);
    for (size_t i = 0; status == OG_OK && i < input->n_paths; i++)
        if (og_stage_is_mine(&s, i)) status = sketch_file(&s, i, err);
    og_stage_finish(&s);
    return status;
}
