/* One document from bytes in memory: an object by the JSONL reader, everything
 * else as a block of its own, like a file. */

#include <origo/reading.h>
#include <string.h>

#include "lib/source/block.h"
#include "lib/source/json/jsonl.h"
#include "lib/source/json/scan_bytes.h"
#include "lib/source/kind.h"

struct og_reader {
    struct og_block block;
    og_fields fields;
};

void og_reader_set_fields(og_reader *reader, const og_fields *fields)
{
    static const og_fields usual = OG_FIELDS_DEFAULT;
    reader->fields = fields != NULL ? *fields : usual;
}

og_reader *og_reader_new(void)
{
    og_reader *reader = og_allocate_zero(NULL, sizeof(*reader));
    if (reader == NULL) return NULL;
    og_block_init(&reader->block, NULL);
    og_reader_set_fields(reader, NULL);
    return reader;
}

void og_reader_free(og_reader *reader)
{
    if (reader == NULL) return;
    og_block_release(&reader->block);
    og_release(NULL, reader, sizeof(*reader));
}

static og_status fill_block(struct og_block *block, og_bytes bytes,
                            og_error *err)
{
    og_block_clear(block);
    TRY(og_block_reserve(block, bytes.len, err));
    if (!OG_GROW(block->allocator, block->file, block->file_cap, 1))
        return og_error_memory(err, 1, "a name");
    block->file[0] = 0;
    if (bytes.len > 0) memcpy(block->data, bytes.data, bytes.len);
    memset(block->data + bytes.len, 0, OG_BLOCK_PADDING);
    block->len = bytes.len;
    return OG_OK;
}

static og_status read_object(struct og_block *block, const og_fields *fields,
                             struct og_record *out, og_error *err)
{
    const og_bytes bytes = {block->data, block->len};
    struct og_jsonl_problem problem;
    if (!OG_GROW(block->allocator, block->unescaped, block->unescaped_cap,
                 bytes.len + OG_BLOCK_PADDING) ||
        !OG_GROW(block->allocator, block->extra, block->extra_cap,
                 bytes.len + 1))
        return og_error_memory(err, 2 * bytes.len, "the strings of a record");
    if (og_jsonl_read(bytes, fields, block->unescaped, block->extra, out,
                      &problem) != NULL)
        return OG_OK;
    if (problem.fields[0] != 0)
        og_error_set(err, OG_ERR_INPUT, "%s; its fields: %s", problem.message,
                     problem.fields);
    else
        og_error_set(err, OG_ERR_INPUT, "%s, at byte %zu", problem.message,
                     problem.off);
    return og_error_place(err, OG_ERR_INPUT, "", 0, problem.off);
}

static og_status read_whole(struct og_block *block, og_file_kind kind,
                            const struct og_source_options *options,
                            struct og_record *out, og_error *err)
{
    block->kind = og_kind_of_file_kind(kind);
    const og_status status = og_block_next(block, options, out, err);
    if (status != OG_END) {
        /* The name it was given is not that of a file. */
        if (out->doc.id.data == block->file) out->doc.id.len = 0;
        return status;
    }
    if (block->n_problems == 0)
        return og_error_set(err, OG_ERR_INPUT, "there is no document");
    const struct og_source_problem *problem = &block->problems[0];
    return og_error_set(err, problem->status, "%s", problem->message);
}

og_status og_reader_read(og_reader *reader, og_bytes bytes, og_file_kind kind,
                         uint64_t max_len, og_document *out, bool *out_bad_time,
                         og_error *err)
{
    struct og_block *block = &reader->block;
    const struct og_source_options options = {.fields = reader->fields,
                                              .max_document = max_len};
    struct og_record record = {.bad_time = false};
    if (kind != OG_FILE_TEXT && kind != OG_FILE_HTML && kind != OG_FILE_XML &&
        kind != OG_FILE_MAIL && kind != OG_FILE_JSONL)
        return og_error_set(err, OG_ERR_USAGE,
                            "bytes of kind %s are not one document",
                            og_file_kind_name(kind));
    if (bytes.len > og_max_document(&options))
        return og_error_set(err, OG_ERR_LIMIT,
                            "the document is longer than %llu bytes",
                            (unsigned long long)og_max_document(&options));
    TRY(fill_block(block, bytes, err));
    TRY(kind == OG_FILE_JSONL
            ? read_object(block, &reader->fields, &record, err)
            : read_whole(block, kind, &options, &record, err));
    *out = record.doc;
    if (out_bad_time != NULL) *out_bad_time = record.bad_time;
    return OG_OK;
}
