/* The folder of an index of near-duplicates; near_files.h describes its
 * content. */

#define _GNU_SOURCE
#include "lib/near/near_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/disk/merge_policy.h"
#include "lib/disk/segment_file.h"
#include "lib/near/near_engine.h"

#define PREFIX "segment"

enum { ENTRY_HEAD = 8, OPEN_TRIES = 20 };

static const struct og_manifest_kind manifest_kind = {.name = "near",
                                                      .version = 1};
/* Sketches are bytes, so numbers are converted one by one where they are
 * read. */
static const struct og_segment_kind segment_kind = {.name = "near",
                                                    .version = 1};

bool og_near_files_has(const char *name)
{
    static const char *const names[] = {"manifest", "index", "journal", "lock"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return strncmp(name, PREFIX "-", sizeof(PREFIX)) == 0;
}

/* ---- the manifest ---- */

static const char *const method_names[] = {"minhash", "simhash", "both"};
enum { N_METHODS = sizeof(method_names) / sizeof(method_names[0]) };

static void set_fields(og_near *near)
{
    struct og_manifest *m = &near->files.list;
    const og_near_options *o = &near->options;
    og_manifest_set_uuid(m, "uuid", near->uuid);
    og_manifest_set_number(m, "documents", near->n_documents);
    og_manifest_set(m, "method", method_names[o->method]);
    og_manifest_set(m, "tokens", og_token_name(o->tokens));
    og_manifest_set_number(m, "shingle", o->shingle_len);
    og_manifest_set_number(m, "bands", o->n_bands);
    og_manifest_set_number(m, "rows", o->n_rows);
    og_manifest_set_number(m, "memory", o->memory);
    og_manifest_set_number(m, "hand", og_near_index_hand(near->index));
}

static bool take_u32(const struct og_manifest *m, const char *key,
                     uint32_t *out)
{
    uint64_t n;
    if (!og_manifest_get_number(m, key, UINT32_MAX - 1, &n)) return false;
    *out = (uint32_t)n;
    return true;
}

static bool take_method(const char *name, og_near_method *out)
{
    unsigned i = 0;
    while (i < N_METHODS && name != NULL && strcmp(method_names[i], name) != 0)
        i++;
    *out = (og_near_method)i;
    return name != NULL && i < N_METHODS;
}

static bool take_tokens(const char *name, og_token_kind *out)
{
    return name != NULL && og_token_parse((og_bytes){name, strlen(name)}, out);
}

/* NULL: all are valid. Otherwise the field that is missing or invalid. */
static const char *take_options(const struct og_manifest *m, og_near_options *o)
{
    if (!take_method(og_manifest_get(m, "method"), &o->method)) return "method";
    if (!take_tokens(og_manifest_get(m, "tokens"), &o->tokens)) return "tokens";
    if (!take_u32(m, "shingle", &o->shingle_len)) return "shingle";
    if (!take_u32(m, "bands", &o->n_bands)) return "bands";
    if (!take_u32(m, "rows", &o->n_rows)) return "rows";
    if (!og_manifest_get_number(m, "memory", UINT64_MAX, &o->memory))
        return "memory";
    return NULL;
}

/* OG_ERR_NO_STORE: there is none. */
static og_status read_manifest(const char *folder, const uint8_t *uuid,
                               struct og_near_files *out, og_error *err)
{
    uint8_t of[OG_MANIFEST_UUID_LEN];
    struct og_manifest *m = &out->list;
    TRY(og_manifest_read(m, &manifest_kind, folder, err));
    if (!og_manifest_get_uuid(m, "uuid", of))
        return og_manifest_bad_field(m, folder, "uuid", err);
    if (memcmp(of, uuid, sizeof(of)) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s/manifest' belongs to another store", folder);
    if (!take_u32(m, "documents", &out->n_documents))
        return og_manifest_bad_field(m, folder, "documents", err);
    return OG_OK;
}

static og_status missing(const char *folder, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s/manifest' is missing", folder);
}

og_status og_near_files_documents(const char *folder, const uint8_t *uuid,
                                  uint32_t *out, og_error *err)
{
    struct og_near_files files = {0};
    const og_status status = read_manifest(folder, uuid, &files, err);
    if (status == OG_ERR_NO_STORE)
        return og_old_near_file_is_there(folder)
                   ? og_old_near_file_documents(folder, uuid, out, err)
                   : missing(folder, err);
    TRY(status);
    *out = files.n_documents;
    return OG_OK;
}

/* ---- reading ---- */

static const char *put_entries(og_near *near, const struct og_segment_file *f,
                               uint8_t layer)
{
    const size_t each = ENTRY_HEAD + near->sketch_len;
    const uint8_t *data = og_segment_section(f, 0);
    uint64_t least = 0;
    if (f->n_sections != 1 || f->section[0].len % each != 0)
        return "its length is not one of entries";
    for (uint64_t at = 0; at < f->section[0].len; at += each) {
        const uint32_t place = og_load32(data + at);
        const struct og_near_entry e = {.document = og_load32(data + at + 4),
                                        .sketch = data + at + ENTRY_HEAD};
        if (place < least || place >= og_near_index_room(near->index))
            return "the places of its entries";
        if (e.document >= near->n_documents)
            return "an entry refers to no document";
        og_near_index_put(near->index, place, &e, layer);
        least = (uint64_t)place + 1;
    }
    near->files.sizes[layer] = f->section[0].len / each;
    return NULL;
}

static og_status read_segment(og_near *near, size_t i, og_error *err)
{
    char path[OG_MANIFEST_PATH_MOST];
    struct og_segment_file file;
    TRY(og_manifest_open_segment(&near->files.list, i, near->folder, PREFIX,
                                 &segment_kind, &file, path, err));
    const char *wrong = put_entries(near, &file, (uint8_t)i);
    og_segment_file_release(&file);
    return wrong == NULL ? OG_OK : og_segment_file_damaged(path, wrong, err);
}

static og_status make_index(og_near *near, og_error *err)
{
    const struct og_manifest *m = &near->files.list;
    const char *wrong = take_options(m, &near->options);
    if (wrong != NULL)
        return og_manifest_bad_field(m, near->folder, wrong, err);
    const og_status status = og_near_index_make(near, err);
    if (status != OG_ERR_USAGE) return status;
    return og_error_set(err, OG_ERR_STORE,
                        "'%s/manifest' is damaged: its options are invalid",
                        near->folder);
}

static og_status read_segments(og_near *near, og_error *err)
{
    const struct og_manifest *m = &near->files.list;
    uint32_t hand;
    TRY(make_index(near, err));
    near->n_documents = near->files.n_documents;
    for (size_t i = 0; i < m->n_segments; i++)
        TRY(read_segment(near, i, err));
    if (take_u32(m, "hand", &hand) &&
        og_near_index_chain_all(near->index, hand))
        return OG_OK;
    return og_manifest_bad_field(m, near->folder, "hand", err);
}

static void delete_unnamed(const og_near *near)
{
    const struct og_manifest *m = &near->files.list;
    uint64_t numbers[OG_SEGMENTS_MOST];
    for (size_t i = 0; i < m->n_segments; i++)
        numbers[i] = m->segment[i].number;
    og_segments_delete_unnamed(near->folder, PREFIX, numbers, m->n_segments);
}

static og_status open_old(og_near *near, og_error *err)
{
    if (!og_old_near_file_is_there(near->folder))
        return missing(near->folder, err);
    near->files = (struct og_near_files){.list = {.next = 1}};
    TRY(og_old_near_file_open(near, err));
    near->files.n_documents = near->n_documents;
    return OG_OK;
}

/* A writer may replace files after the manifest was read; then there is a newer
 * manifest, too. */
og_status og_near_files_open(og_near *near, og_error *err)
{
    og_status status = OG_OK;
    for (unsigned i = 0; i < OPEN_TRIES; i++) {
        status = read_manifest(near->folder, near->uuid, &near->files, err);
        if (status == OG_ERR_NO_STORE) return open_old(near, err);
        if (status == OG_OK) status = read_segments(near, err);
        if (status != OG_ERR_IO || near->is_writable) break;
        og_near_index_unmake(near);
    }
    if (status == OG_OK && near->is_writable) delete_unnamed(near);
    return status;
}

/* ---- writing ---- */

struct saving {
    const og_near *near;
    struct og_segment_writer *out;
};

static og_status save_entry(void *ctx, uint32_t place,
                            const struct og_near_entry *e, og_error *err)
{
    const struct saving *s = ctx;
    (void)err;
    og_segment_write_u32(s->out, og_le32(place));
    og_segment_write_u32(s->out, og_le32(e->document));
    og_segment_write(s->out, e->sketch, s->near->sketch_len);
    return OG_OK;
}

/* Entries from layer `first` on; *out_sum is that of the file. */
static og_status write_segment(const og_near *near, uint8_t first,
                               uint64_t number, uint64_t *out_sum,
                               og_error *err)
{
    char path[OG_MANIFEST_PATH_MOST];
    struct saving s = {.near = near};
    struct og_segment_file file;
    TRY(og_segment_number_path(near->folder, PREFIX, number, path, err));
    TRY(og_segment_writer_new(path, &segment_kind, NULL, &s.out, err));
    og_near_index_walk(near->index, first, &s, save_entry, NULL);
    og_segment_end_section(s.out);
    TRY(og_segment_writer_end(s.out, &file, err));
    *out_sum = file.sum;
    og_segment_file_release(&file);
    return OG_OK;
}

/* Merges the entries since the last flush and the segments that are due into
 * one. */
static og_status save_entries(og_near *near, struct og_near_files *to,
                              uint8_t *out_layer, og_error *err)
{
    struct og_manifest *m = &to->list;
    const size_t n = m->n_segments;
    uint64_t sizes[OG_SEGMENTS_MOST + 1];
    memcpy(sizes, to->sizes, n * sizeof(*sizes));
    sizes[n] = og_near_index_n_since(near->index, OG_NEAR_UNSAVED);
    *out_layer = OG_NEAR_UNSAVED;
    if (sizes[n] == 0) return OG_OK;
    size_t first = og_merge_first(sizes, n + 1, n, 0);
    if (first == OG_SEGMENTS_MOST) first--;
    TRY(write_segment(near, (uint8_t)first, m->next, &m->segment[first].sum,
                      err));
    m->segment[first].number = m->next++;
    m->n_segments = first + 1;
    to->sizes[first] = og_near_index_n_since(near->index, (uint8_t)first);
    *out_layer = (uint8_t)first;
    return OG_OK;
}

/* The order: the segment, then the manifest that names it; only then the files
 * it replaces are deleted. After a failure everything is as before, in memory,
 * too. */
og_status og_near_flush(og_near *near, og_error *err)
{
    if (near->folder == NULL || !near->is_writable) return OG_OK;
    struct og_near_files *files = &near->files;
    const struct og_near_files before = *files;
    uint8_t layer;
    if (files->list.generation != 0 && files->n_documents == near->n_documents)
        return OG_OK;
    og_status status = save_entries(near, files, &layer, err);
    set_fields(near);
    if (status == OG_OK)
        status =
            og_manifest_write(&files->list, &manifest_kind, near->folder, err);
    if (status != OG_OK) {
        *files = before;
        return status;
    }
    files->n_documents = near->n_documents;
    og_near_index_set_layer(near->index, layer);
    delete_unnamed(near);
    og_old_near_file_delete(near->folder);
    return OG_OK;
}
