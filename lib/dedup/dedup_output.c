/* The outputs of a run. */

#include "lib/dedup/dedup_output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/os/temp_file.h"
#include "lib/source/json/json_edit.h"

/* A list that held more copies than this frees them. */
#define LIST_KEEP_LEN ((size_t)256 << 10)

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Whether `path` is in the folder `folder`, at any depth. */
static bool is_inside(const char *folder, const char *path)
{
    struct stat st;
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) return false;
    char *parent = og_folder_of(path);
    char *real_folder = realpath(folder, NULL);
    char *real_parent = parent != NULL ? realpath(parent, NULL) : NULL;
    bool inside = false;
    if (real_folder != NULL && real_parent != NULL) {
        const size_t len = strlen(real_folder);
        inside =
            strncmp(real_folder, real_parent, len) == 0 &&
            (real_parent[len] == '\0' || real_parent[len] == '/' || len == 1);
    }
    free(parent);
    free(real_folder);
    free(real_parent);
    return inside;
}

static og_status check_path(const char *what, const char *output,
                            const char *const *paths, size_t n_paths,
                            og_error *err)
{
    for (size_t i = 0; output != NULL && i < n_paths; i++) {
        if (is_same_file(output, paths[i]))
            return og_error_set(err, OG_ERR_USAGE,
                                "the %s '%s' is one of the inputs", what,
                                output);
        if (is_inside(paths[i], output))
            return og_error_set(err, OG_ERR_USAGE,
                                "the %s '%s' is in the folder '%s' that is "
                                "read",
                                what, output, paths[i]);
    }
    return OG_OK;
}

static og_status check_paths(const og_dedup_options *o,
                             const char *const *paths, size_t n_paths,
                             og_error *err)
{
    const char *const outputs[] = {o->output, o->report, o->rejects};
    static const char *const names[] = {"output", "report", "file of rejects"};
    for (size_t i = 0; i < 3; i++) {
        TRY(check_path(names[i], outputs[i], paths, n_paths, err));
        TRY(check_path(names[i], outputs[i], o->against, o->n_against, err));
        for (size_t j = 0; j < i; j++)
            if (outputs[i] != NULL && outputs[j] != NULL &&
                (strcmp(outputs[i], outputs[j]) == 0 ||
                 is_same_file(outputs[i], outputs[j])))
                return og_error_set(err, OG_ERR_USAGE,
                                    "the %s and the %s are the same file '%s'",
                                    names[j], names[i], outputs[i]);
    }
    return OG_OK;
}

void og_dedup_output_init(struct og_dedup_output *out,
                          const og_dedup_options *options,
                          const og_input *input)
{
    *out =
        (struct og_dedup_output){.options = options,
                                 .input = input,
                                 .locks = {{.fd = -1}, {.fd = -1}, {.fd = -1}},
                                 .report.fd = -1,
                                 .rejects.fd = -1};
}

static og_status lock_outputs(struct og_dedup_output *out,
                              const og_dedup_options *o, og_error *err)
{
    const char *const outputs[] = {o->output, o->report, o->rejects};
    TRY(check_paths(o, out->input->paths, out->input->n_paths, err));
    for (size_t i = 0; i < 3; i++)
        if (outputs[i] != NULL)
            TRY(og_output_lock(&out->locks[i], outputs[i], err));
    return OG_OK;
}

og_status og_dedup_output_lock(struct og_dedup_output *out, og_error *err)
{
    og_dedup_options o = *out->options;
    if (o.output == NULL) return lock_outputs(out, &o, err);
    char *name = og_shards_name(o.output);
    if (name == NULL) return og_error_memory(err, 1, "a file name");
    o.output = name;
    const og_status status = lock_outputs(out, &o, err);
    free(name);
    return status;
}

static og_status open_one(const struct og_dedup_output *out,
                          struct og_new_file *file, const char *path,
                          enum og_part_state state, uint64_t len, og_error *err)
{
    TRY(out->options->resume ? og_output_open_part(file, path, state, len, err)
                             : og_output_open(file, path, false, err));
    return og_new_file_pack(file, OG_PACKING_AUTO, path, err);
}

static og_status open_kept(struct og_dedup_output *out,
                           enum og_part_state state, uint64_t len,
                           og_error *err)
{
    const og_dedup_options *o = out->options;
    const og_output_options shards = {.packing = o->packing,
                                      .n_shards = o->n_shards,
                                      .shard_len = o->shard_len};
    return o->resume ? og_shards_open_part(&out->kept, o->output, o->packing,
                                           state, len, err)
                     : og_shards_open(&out->kept, o->output, &shards, err);
}

og_status og_dedup_output_open(struct og_dedup_output *out,
                               enum og_part_state state,
                               const struct og_output_lens *from, og_error *err)
{
    const og_dedup_options *o = out->options;
    if (o->output != NULL) {
        TRY(open_kept(out, state, from->kept, err));
        out->has_kept = true;
    }
    if (o->report != NULL) {
        TRY(open_one(out, &out->report, o->report, state, from->report, err));
        out->has_report = true;
        out->has_header = out->report.len != 0;
    }
    if (o->rejects != NULL) {
        TRY(open_one(out, &out->rejects, o->rejects, state, from->rejects,
                     err));
        out->has_rejects = true;
    }
    return OG_OK;
}

/* The kept documents last: once they are there, everything else is. */
og_status og_dedup_output_commit(struct og_dedup_output *out, og_error *err)
{
    if (out->has_rejects) TRY(og_new_file_commit(&out->rejects, err));
    if (out->has_report) TRY(og_new_file_commit(&out->report, err));
    if (out->has_kept) TRY(og_shards_commit(&out->kept, err));
    return OG_OK;
}

void og_dedup_output_close(struct og_dedup_output *out, bool are_kept)
{
    struct og_new_file *files[] = {&out->report, &out->rejects};
    if (are_kept)
        og_shards_leave(&out->kept);
    else
        og_shards_discard(&out->kept);
    for (size_t i = 0; i < 2; i++) {
        if (are_kept)
            og_new_file_leave(files[i]);
        else
            og_new_file_discard(files[i]);
    }
    for (size_t i = 0; i < 3; i++)
        og_output_unlock(&out->locks[i]);
    og_pack_release(&out->line);
    og_pack_release(&out->record);
}

og_status og_dedup_output_sync(struct og_dedup_output *out,
                               struct og_output_lens *lens, og_error *err)
{
    if (out->batch != NULL) TRY(og_stream_wait_written(out->batch, err));
    if (out->list != NULL) TRY(og_dedup_output_write(out, out->list, err));
    if (out->has_kept) TRY(og_shards_sync(&out->kept, err));
    if (out->has_report) TRY(og_new_file_sync(&out->report, err));
    if (out->has_rejects) TRY(og_new_file_sync(&out->rejects, err));
    *lens = (struct og_output_lens){
        og_shards_len(&out->kept), out->report.file_len, out->rejects.file_len};
    return OG_OK;
}

/* ---- decisions ---- */

static og_status report_decision(struct og_dedup_output *out,
                                 og_dedup_decision *decision, og_error *err)
{
    const og_dedup_options *o = out->options;
    decision->number = out->n_decided++;
    if (o->on_decision == NULL || o->on_decision(o->ctx, decision))
        return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped");
}

static og_status report_kept(struct og_dedup_output *out, og_bytes id,
                             const og_bytes *cut, og_error *err)
{
    og_dedup_decision decision = {
        .id = id, .is_kept = true, .of_number = OG_NOT_OF_INPUT};
    if (cut != NULL) {
        decision.is_cut = true;
        decision.text = *cut;
    }
    return report_decision(out, &decision, err);
}

static og_status report_removed(struct og_dedup_output *out,
                                const struct og_removal *r, og_error *err)
{
    og_dedup_decision decision = {.id = r->id,
                                  .of_id = r->of_id,
                                  .of_number = r->of_number,
                                  .similarity = r->similarity};
    return report_decision(out, &decision, err);
}

/* ---- items ---- */

void og_output_list_clear(struct og_output_list *list)
{
    list->n = 0;
    list->bytes.len = 0;
    if (list->bytes.cap > LIST_KEEP_LEN) og_pack_release(&list->bytes);
}

void og_output_list_release(struct og_output_list *list)
{
    OG_UNGROW(NULL, list->items, list->cap);
    og_pack_release(&list->bytes);
    list->n = 0;
}

static og_status file_of(struct og_dedup_output *out, enum og_output_kind kind,
                         struct og_new_file **to, og_error *err)
{
    *to = kind == OG_OUTPUT_REPORT ? &out->report : &out->rejects;
    return kind == OG_OUTPUT_KEPT ? og_shards_next(&out->kept, to, err) : OG_OK;
}

/* The line of a document that is no record, or those about the pieces of one.
 */
static og_status make_lines(struct og_dedup_output *out,
                            const struct og_output_item *item, og_bytes *line,
                            og_error *err)
{
    struct og_pack *record = &out->record;
    record->len = 0;
    if (item->document != NULL)
        og_pack_document(record, item->document);
    else
        TRY(out->pack_rows(out->rows_ctx, item->cut, *line, record, err));
    *line = (og_bytes){(const char *)record->data, record->len};
    if (!record->failed) return OG_OK;
    record->failed = false;
    return og_error_memory(err, record->len, "a line of the output");
}

static og_status write_item(struct og_dedup_output *out,
                            const struct og_output_item *item, og_error *err)
{
    struct og_new_file *file;
    og_bytes line = {item->data, item->len};
    TRY(file_of(out, item->kind, &file, err));
    if (item->document != NULL || item->cut != NULL)
        TRY(make_lines(out, item, &line, err));
    TRY(og_new_file_write(file, line.data, line.len, err));
    return item->ends_line ? og_new_file_write(file, "\n", 1, err) : OG_OK;
}

og_status og_dedup_output_write(struct og_dedup_output *out,
                                struct og_output_list *list, og_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct og_output_item item = list->items[i];
        if (item.data == NULL && list->bytes.data != NULL)
            item.data = (const char *)list->bytes.data + item.at;
        TRY(write_item(out, &item, err));
    }
    og_output_list_clear(list);
    return OG_OK;
}

static og_status put(struct og_dedup_output *out,
                     const struct og_output_item *item, og_error *err)
{
    struct og_output_list *list = out->list;
    if (list == NULL) return write_item(out, item, err);
    if (!OG_GROW(NULL, list->items, list->cap, list->n + 1))
        return og_error_memory(err, sizeof(*item), "a line of the output");
    list->items[list->n++] = *item;
    return OG_OK;
}

/* Bytes that do not stay. */
static og_status put_copy(struct og_dedup_output *out,
                          struct og_output_item item, og_error *err)
{
    struct og_output_list *list = out->list;
    if (list == NULL) return write_item(out, &item, err);
    item.at = list->bytes.len;
    og_pack_bytes(&list->bytes, item.data, item.len);
    item.data = NULL;
    if (!list->bytes.failed) return put(out, &item, err);
    list->bytes.failed = false;
    return og_error_memory(err, item.len, "a line of the output");
}

static og_status put_line(struct og_dedup_output *out, enum og_output_kind kind,
                          og_error *err)
{
    struct og_pack *line = &out->line;
    if (line->failed) {
        line->failed = false;
        return og_error_memory(err, line->len, "a line of the output");
    }
    return put_copy(out,
                    (struct og_output_item){.kind = kind,
                                            .data = (const char *)line->data,
                                            .len = line->len},
                    err);
}

og_status og_dedup_write_kept(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_error *err)
{
    const struct og_output_item item = {
        .kind = OG_OUTPUT_KEPT,
        .ends_line = doc->record.len != 0,
        .document = doc->record.len != 0 ? NULL : &doc->doc,
        .data = doc->record.data,
        .len = doc->record.len};
    TRY(report_kept(out, doc->doc.id, NULL, err));
    return out->has_kept ? put(out, &item, err) : OG_OK;
}

static void pack_tsv(struct og_pack *line, const struct og_removal *r)
{
    og_pack_field(line, r->id);
    og_pack_text(line, "\t");
    og_pack_field(line, r->of_id);
    og_pack_text(line, "\t");
    if (r->similarity >= 0) og_pack_share(line, r->similarity);
    og_pack_text(line, "\t");
    if (r->cluster != 0) og_pack_decimal(line, r->cluster);
    og_pack_text(line, "\t");
    og_pack_field(line, (og_bytes){r->file, strlen(r->file)});
    og_pack_text(line, "\t");
    og_pack_decimal(line, r->line);
    og_pack_text(line, "\n");
}

static void pack_match(struct og_pack *line, const struct og_removal *r)
{
    og_pack_text(line, "\"duplicate_of\":");
    og_pack_json_string(line, r->of_id);
    og_pack_text(line, ",\"similarity\":");
    og_pack_share(line, r->similarity);
    og_pack_text(line, ",\"cluster\":");
    og_pack_decimal(line, r->cluster);
}

static void pack_jsonl(struct og_pack *line, const struct og_removal *r)
{
    og_pack_text(line, "{\"id\":");
    og_pack_json_string(line, r->id);
    og_pack_text(line, ",");
    pack_match(line, r);
    og_pack_text(line, ",\"file\":");
    og_pack_json_string(line, (og_bytes){r->file, strlen(r->file)});
    og_pack_text(line, ",\"line\":");
    og_pack_decimal(line, r->line);
    og_pack_text(line, "}\n");
}

/* The record with an "origo" field; a document that is not a record becomes
 * one. */
static og_status write_annotated(struct og_dedup_output *out,
                                 const struct og_dedup_doc *doc,
                                 const struct og_removal *r, og_error *err)
{
    struct og_pack match = {0}, record = {0};
    og_pack_text(&match, "{");
    pack_match(&match, r);
    og_pack_text(&match, "}");
    og_bytes line = doc->record;
    if (line.len == 0) {
        og_pack_document(&record, &doc->doc);
        line = (og_bytes){(const char *)record.data, record.len};
    }
    out->line.len = 0;
    og_pack_extended(&out->line, line, "origo",
                     (og_bytes){(const char *)match.data, match.len});
    og_pack_text(&out->line, "\n");
    out->line.failed |= match.failed || record.failed;
    og_pack_release(&match);
    og_pack_release(&record);
    return put_line(out, OG_OUTPUT_KEPT, err);
}

og_status og_dedup_write_removed(struct og_dedup_output *out,
                                 const struct og_dedup_doc *doc,
                                 const struct og_removal *removal,
                                 og_error *err)
{
    TRY(report_removed(out, removal, err));
    if (out->options->annotate && out->has_kept)
        TRY(write_annotated(out, doc, removal, err));
    if (!out->has_report) return OG_OK;
    out->line.len = 0;
    if (out->options->format == OG_FORMAT_JSON) {
        pack_jsonl(&out->line, removal);
    } else {
        if (og_dedup_begins_report(out))
            og_pack_text(&out->line, "id\tduplicate_of\tsimilarity\tcluster\t"
                                     "file\tline\n");
        pack_tsv(&out->line, removal);
    }
    return put_line(out, OG_OUTPUT_REPORT, err);
}

og_status og_dedup_write_gone(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_error *err)
{
    const struct og_removal removal = {.id = doc->doc.id,
                                       .of_id = {"", 0},
                                       .of_number = OG_NOT_OF_INPUT,
                                       .similarity = 1};
    return report_removed(out, &removal, err);
}

og_status og_dedup_pack_cut(const og_fields *fields,
                            const struct og_dedup_doc *doc, og_bytes text,
                            struct og_pack *line, og_error *err)
{
    struct og_pack value = {0};
    if (doc->record.len == 0) {
        og_document changed = doc->doc;
        changed.text = text;
        og_pack_document(line, &changed);
        return line->failed ? og_error_memory(err, line->len, "a record")
                            : OG_OK;
    }
    const size_t scratch_len = doc->record.len + OG_BLOCK_PADDING;
    char *scratch = og_allocate(NULL, scratch_len);
    og_bytes raw;
    if (scratch == NULL)
        return og_error_memory(err, doc->record.len, "a record");
    /* It was read as a document before: the field exists. */
    if (og_json_member(doc->record, fields->text, scratch, &raw)) {
        og_pack_json_string(&value, text);
        og_pack_replaced(line, doc->record, raw,
                         (og_bytes){(const char *)value.data, value.len});
    }
    og_pack_text(line, "\n");
    const bool is_made = !line->failed && !value.failed;
    og_release(NULL, scratch, scratch_len);
    og_pack_release(&value);
    return is_made ? OG_OK : og_error_memory(err, doc->record.len, "a record");
}

og_status og_dedup_write_cut(struct og_dedup_output *out,
                             const struct og_dedup_doc *doc, og_bytes text,
                             og_bytes line, bool stays, og_error *err)
{
    const struct og_output_item item = {
        .kind = OG_OUTPUT_KEPT, .data = line.data, .len = line.len};
    TRY(report_kept(out, doc->doc.id, &text, err));
    if (!out->has_kept) return OG_OK;
    return stays ? put(out, &item, err) : put_copy(out, item, err);
}

og_status og_dedup_write_reject(struct og_dedup_output *out, og_bytes record,
                                bool more, og_error *err)
{
    if (!out->has_rejects) return OG_OK;
    return put_copy(out,
                    (struct og_output_item){.kind = OG_OUTPUT_REJECTS,
                                            .ends_line = !more,
                                            .data = record.data,
                                            .len = record.len},
                    err);
}

bool og_dedup_begins_report(struct og_dedup_output *out)
{
    const bool begins = !out->has_header;
    out->has_header = true;
    return begins;
}

og_status og_dedup_write_rows(struct og_dedup_output *out,
                              const struct og_dedup_doc *doc, og_bytes pieces,
                              og_error *err)
{
    if (!out->has_report) return OG_OK;
    return put_copy(out,
                    (struct og_output_item){.kind = OG_OUTPUT_REPORT,
                                            .cut = doc,
                                            .data = pieces.data,
                                            .len = pieces.len},
                    err);
}
