/* Parses a block into documents: the side of reading that runs on every core. A
 * line becomes a document through jsonl.c, a record of an archive through
 * archive.c, a message or a whole file through content.c. An error is recorded
 * with its position in the file, and parsing resumes at the next record: the
 * reading side cuts only at reliable boundaries (a newline cannot occur inside
 * a JSON string; see measure_record.h), so a broken record never affects its
 * neighbours. */

#include "lib/source/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/source/json/jsonl.h"
#include "lib/source/json/scan_bytes.h"
#include "lib/source/measure_record.h"
#include "lib/source/record_scan.h"
#include "lib/source/table/csv.h"
#include "lib/source/times.h"
#include "lib/source/web/archive.h"

_Static_assert(OG_BLOCK_PADDING >= OG_SCAN_SLACK,
               "unescaping may write into the padding");

/* Readers that hold more are released before the next block. */
#define KEEP_LEN ((size_t)16 << 20)
/* And so are blocks after a long record. */
#define KEEP_BLOCK (2 * OG_SOURCE_BLOCK_LEN)

void og_block_init(struct og_block *block, const og_allocator *allocator)
{
    memset(block, 0, sizeof(*block));
    block->allocator = allocator;
    block->kind = OG_BLOCK_EMPTY;
}

void og_block_release(struct og_block *block)
{
    const og_allocator *const a = block->allocator;
    OG_UNGROW(a, block->data, block->cap);
    OG_UNGROW(a, block->file, block->file_cap);
    OG_UNGROW(a, block->problems, block->problems_cap);
    OG_UNGROW(a, block->unescaped, block->unescaped_cap);
    OG_UNGROW(a, block->extra, block->extra_cap);
    OG_UNGROW(a, block->names, block->names_cap);
    og_readers_free(block->readers);
    og_block_init(block, a);
}

static void release_long(struct og_block *block)
{
    const og_allocator *const a = block->allocator;
    if (block->cap > KEEP_BLOCK) OG_UNGROW(a, block->data, block->cap);
    if (block->unescaped_cap > KEEP_BLOCK)
        OG_UNGROW(a, block->unescaped, block->unescaped_cap);
    if (block->extra_cap > KEEP_BLOCK)
        OG_UNGROW(a, block->extra, block->extra_cap);
}

void og_block_clear(struct og_block *block)
{
    release_long(block);
    const struct og_block old = *block;
    og_block_init(block, old.allocator);
    block->data = old.data;
    block->cap = old.cap;
    block->file = old.file;
    block->file_cap = old.file_cap;
    block->problems = old.problems;
    block->problems_cap = old.problems_cap;
    block->unescaped = old.unescaped;
    block->unescaped_cap = old.unescaped_cap;
    block->extra = old.extra;
    block->extra_cap = old.extra_cap;
    block->names = old.names;
    block->names_cap = old.names_cap;
    block->readers = old.readers;
    if (og_readers_size(block->readers) > KEEP_LEN) {
        og_readers_free(block->readers);
        block->readers = NULL;
    }
}

og_status og_block_reserve(struct og_block *block, size_t len, og_error *err)
{
    const size_t need = len + OG_BLOCK_PADDING;
    if (!OG_GROW(block->allocator, block->data, block->cap, need))
        return og_error_memory(err, need, "a block of the input");
    return OG_OK;
}

/* ---- problems ---- */

og_status og_block_report(struct og_block *block,
                          const struct og_source_problem *problem,
                          og_error *err, const char *format, ...)
{
    if (!OG_GROW(block->allocator, block->problems, block->problems_cap,
                 block->n_problems + 1))
        return og_error_memory(err, block->n_problems * sizeof(*problem),
                               "the problems of the input");
    struct og_source_problem *const added =
        &block->problems[block->n_problems++];
    *added = *problem;
    va_list args;
    va_start(args, format);
    vsnprintf(added->message, sizeof(added->message), format, args);
    va_end(args);
    return OG_OK;
}

og_status og_block_report_long_line(struct og_block *block, uint64_t line,
                                    uint64_t offset, uint64_t max_document,
                                    og_error *err)
{
    const struct og_source_problem problem = {.line = line,
                                              .offset = offset,
                                              .skipped = true,
                                              .status = OG_ERR_LIMIT};
    return og_block_report(block, &problem, err,
                           "the record is longer than %llu bytes",
                           (unsigned long long)max_document);
}

og_status og_block_failure(const struct og_block *block,
                           const struct og_source_problem *problem,
                           og_error *err)
{
    const bool names_it = strncmp(problem->message, "cannot open", 11) == 0;
    if (names_it)
        og_error_set(err, problem->status, "%s", problem->message);
    else
        og_error_set(err, problem->status, "cannot read '%s': %s", block->file,
                     problem->message);
    return og_error_place(err, problem->status, block->file, problem->line,
                          problem->offset);
}

static og_status report_broken_line(struct og_block *block,
                                    const struct og_record *place,
                                    const struct og_jsonl_problem *why,
                                    og_error *err)
{
    const struct og_source_problem problem = {.line = place->line,
                                              .offset =
                                                  place->offset + why->off,
                                              .skipped = true,
                                              .status = OG_ERR_INPUT};
    if (why->fields[0] != 0)
        return og_block_report(block, &problem, err, "%s; its fields: %s",
                               why->message, why->fields);
    return og_block_report(block, &problem, err, "%s, at byte %zu of the %s",
                           why->message, why->off,
                           block->kind == OG_BLOCK_LINES ? "line" : "record");
}

/* ---- a whole file ---- */

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

static og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static og_status need_readers(struct og_block *block, og_error *err)
{
    if (block->readers == NULL)
        block->readers = og_readers_new(block->allocator);
    if (block->readers == NULL)
        return og_error_memory(err, sizeof(*block->readers), "readers");
    return OG_OK;
}

/* A bad record is a problem of that record; other statuses end the reading. */
static bool is_own_fault(og_status status)
{
    return status == OG_ERR_INPUT || status == OG_ERR_LIMIT;
}

static og_status report_unread(struct og_block *block, uint64_t offset,
                               bool whole_file, og_status status,
                               const og_error *story, og_error *err)
{
    const struct og_source_problem problem = {.offset = offset,
                                              .skipped = true,
                                              .whole_file = whole_file,
                                              .status = status};
    return og_block_report(block, &problem, err, "%.190s", story->message);
}

/* A record that is skipped, in a file of its own; others cannot be read at
 * all. */
static bool is_page_too_large(enum og_block_kind kind, og_status status)
{
    return status == OG_ERR_LIMIT &&
           (kind == OG_BLOCK_HTML || kind == OG_BLOCK_MAIL);
}

static og_status next_whole(struct og_block *block,
                            const struct og_source_options *options,
                            struct og_record *out, og_error *err)
{
    if (block->next_line != block->first_line) return OG_END;
    block->next_line++;
    *out = (struct og_record){
        .line = block->first_line,
        .offset = block->offset,
        .doc = {.id = bytes_of(block->file),
                .title = bytes_of(base_name(block->file)),
                .url = {"", 0},
                .text = {block->data, block->len},
                .time = block->file_time,
                .has_time = block->has_file_time,
                .time_source =
                    block->has_file_time ? OG_TIME_FILE : OG_TIME_UNKNOWN},
    };
    TRY(need_readers(block, err));
    og_error story;
    const og_status status =
        og_content_read(block->readers, block->kind, out->doc.text,
                        (og_bytes){"", 0}, options, &out->doc, &story);
    if (status == OG_OK) return OG_OK;
    if (!is_own_fault(status))
        return og_error_set(err, status, "%s", story.message);
    TRY(report_unread(block, block->offset,
                      !is_page_too_large(block->kind, status), status, &story,
                      err));
    return OG_END;
}

/* ---- lines ---- */

static bool is_blank(og_bytes line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r')
            return false;
    return true;
}

/* Reserves room for the strings of a line and for a generated id. */
static bool take_line(struct og_block *block, og_bytes *out_line,
                      struct og_record *out_place)
{
    if (block->next_off == block->len) return false;
    const char *const begin = block->data + block->next_off;
    const size_t rest = block->len - block->next_off;
    const char *const newline = memchr(begin, '\n', rest);
    const size_t len = newline == NULL ? rest : (size_t)(newline - begin);
    *out_line = (og_bytes){begin, len};
    out_place->line = block->next_line++;
    out_place->offset = block->offset + block->next_off;
    block->next_off += newline == NULL ? len : len + 1;
    return true;
}

/* Room for the strings of a line and for an id that is made up. */
static og_status reserve_strings(struct og_block *block, size_t line_len,
                                 bool wants_extra, og_error *err)
{
    const size_t number_len = 24; /* ':', 20 digits, '\0' */
    const size_t need =
        line_len + strlen(block->file) + number_len + OG_BLOCK_PADDING;
    if (!OG_GROW(block->allocator, block->unescaped, block->unescaped_cap,
                 need))
        return og_error_memory(err, need, "the strings of a record");
    if (wants_extra &&
        !OG_GROW(block->allocator, block->extra, block->extra_cap, line_len))
        return og_error_memory(err, line_len, "the fields of a record");
    return OG_OK;
}

/* "mail.jsonl:17" */
static og_bytes make_id(const struct og_block *block, uint64_t place, char *out)
{
    const size_t room = (size_t)(block->unescaped + block->unescaped_cap - out);
    const int len =
        snprintf(out, room, "%s:%llu", block->file, (unsigned long long)place);
    return (og_bytes){out, (size_t)len};
}

static bool is_extra_wanted(const struct og_block *block,
                            const struct og_source_options *options)
{
    return options->reading.extra ||
           (options->extra_of_values && block->kind != OG_BLOCK_LINES);
}

/* The record as JSON or as a row. Like og_jsonl_read(). */
static char *read_fields(struct og_block *block, og_bytes record,
                         const struct og_source_options *options,
                         struct og_record *out,
                         struct og_jsonl_problem *problem)
{
    const bool wants_extra = is_extra_wanted(block, options);
    if (block->kind != OG_BLOCK_CSV)
        return og_jsonl_read(record, &options->fields, block->unescaped,
                             wants_extra ? block->extra : NULL, out, problem);
    struct og_pack extra = {.allocator = block->allocator,
                            .data = (uint8_t *)block->extra,
                            .cap = block->extra_cap};
    char *const after = og_csv_read(record, block->delimiter,
                                    (og_bytes){block->names, block->names_len},
                                    &options->fields, block->unescaped,
                                    wants_extra ? &extra : NULL, out, problem);
    block->extra = (char *)extra.data;
    block->extra_cap = extra.cap;
    return after;
}

/* Several objects of an array may be on one line. */
static og_bytes made_up_id(const struct og_block *block,
                           const struct og_record *place, char *out)
{
    return make_id(
        block, block->kind == OG_BLOCK_JSON ? place->offset : place->line, out);
}

/* *out_is_read is false if the line is not a document. */
static og_status read_line(struct og_block *block, og_bytes line,
                           const struct og_source_options *options,
                           struct og_record *out, bool *out_is_read,
                           og_error *err)
{
    const struct og_record place = *out;
    struct og_jsonl_problem problem;
    *out_is_read = false;
    if (line.len > og_max_document(options))
        return og_block_report_long_line(block, place.line, place.offset,
                                         og_max_document(options), err);
    TRY(reserve_strings(block, line.len, is_extra_wanted(block, options), err));
    char *const after = read_fields(block, line, options, out, &problem);
    if (after == NULL) {
        const bool is_unended = block->next_off == block->len &&
                                block->data[block->len - 1] != '\n';
        if (block->is_cut && is_unended) return OG_OK;
        return report_broken_line(block, &place, &problem, err);
    }
    out->line = place.line;
    out->offset = place.offset;
    if (out->doc.id.len == 0) out->doc.id = made_up_id(block, &place, after);
    *out_is_read = true;
    return OG_OK;
}

static og_status next_line(struct og_block *block,
                           const struct og_source_options *options,
                           struct og_record *out, og_error *err)
{
    og_bytes line;
    while (take_line(block, &line, out)) {
        bool is_read;
        if (line.len <= og_max_document(options) && is_blank(line)) continue;
        TRY(read_line(block, line, options, out, &is_read, err));
        if (is_read) return OG_OK;
    }
    return OG_END;
}

/* ---- objects of an array, rows ---- */

static uint64_t count_lines(const char *data, size_t len)
{
    const struct og_scan_kernels *const kernels =
        og_scan_kernels_of(og_cpu_level());
    return kernels->count_newlines(data, data + len);
}

/* Reports unexpected bytes between two objects. */
static og_status report_between(struct og_block *block, og_bytes between,
                                og_error *err)
{
    size_t n = 0;
    while (n < between.len && between.data[n] != 0 &&
           strchr(" \t\r\n,[]", between.data[n]) != NULL)
        n++;
    if (n == between.len) return OG_OK;
    const struct og_source_problem problem = {
        .line = block->next_line + count_lines(between.data, n),
        .offset = block->offset + block->next_off + n,
        .skipped = true,
        .status = OG_ERR_INPUT};
    return og_block_report(block, &problem, err, "expected an object");
}

/* Advances past the next object or row; *out is empty if there is none. */
static og_status take_value(struct og_block *block, og_bytes *out,
                            struct og_record *out_place, og_error *err)
{
    const og_bytes rest = {block->data + block->next_off,
                           block->len - block->next_off};
    struct og_record_scan scan = {.at = 0};
    size_t begin = 0, end = rest.len;
    const bool is_whole =
        og_scan_record(block->kind, block->delimiter, rest, &scan, &end);
    if (block->kind == OG_BLOCK_JSON) {
        begin = is_whole || scan.is_inside ? scan.begin : end;
        TRY(report_between(block, (og_bytes){rest.data, begin}, err));
    }
    out_place->line = block->next_line + count_lines(rest.data, begin);
    out_place->offset = block->offset + block->next_off + begin;
    *out = (og_bytes){rest.data + begin, end - begin};
    block->next_line += count_lines(rest.data, end);
    block->next_off += end;
    return OG_OK;
}

static bool is_empty_row(og_bytes row)
{
    while (row.len > 0 && strchr(" \t\r\n", row.data[row.len - 1]) != NULL)
        row.len--;
    return row.len == 0;
}

static og_status next_value(struct og_block *block,
                            const struct og_source_options *options,
                            struct og_record *out, og_error *err)
{
    while (block->next_off < block->len) {
        og_bytes record;
        bool is_read;
        TRY(take_value(block, &record, out, err));
        if (is_empty_row(record)) continue;
        TRY(read_line(block, record, options, out, &is_read, err));
        if (is_read) return OG_OK;
    }
    return OG_END;
}

/* ---- records of archives, messages ---- */

/* Advances past the next record and the newlines around it. */
static bool take_record(struct og_block *block, og_bytes *out,
                        uint64_t *out_offset)
{
    size_t searched = 0;
    struct og_measure m;
    og_bytes rest = {block->data + block->next_off,
                     block->len - block->next_off};
    if (rest.len == 0) return false;
    og_measure_record(block->kind, rest, true, UINT64_MAX, &searched, &m);
    block->next_off += m.len;
    rest.len = m.len;
    while (rest.len > 0 && (rest.data[0] == '\r' || rest.data[0] == '\n')) {
        rest.data++;
        rest.len--;
    }
    *out_offset = block->offset + (uint64_t)(rest.data - block->data);
    *out = rest;
    return true;
}

static og_status read_record(struct og_block *block, og_bytes record,
                             const struct og_source_options *options,
                             og_document *out, bool *out_is_document,
                             og_error *err)
{
    if (block->kind != OG_BLOCK_MBOX)
        return og_archive_read(block->readers, block->kind, record, options,
                               out, out_is_document, err);
    *out_is_document = true;
    return og_content_read(block->readers, block->kind, record,
                           (og_bytes){"", 0}, options, out, err);
}

static og_status next_record(struct og_block *block,
                             const struct og_source_options *options,
                             struct og_record *out, og_error *err)
{
    static const og_document nothing = {
        .id = {"", 0}, .title = {"", 0}, .url = {"", 0}, .text = {"", 0}};
    og_bytes record;
    uint64_t offset;
    TRY(need_readers(block, err));
    while (take_record(block, &record, &offset)) {
        bool is_document = false;
        og_error story;
        if (record.len == 0) continue;
        *out = (struct og_record){.offset = offset, .doc = nothing};
        const og_status status = read_record(block, record, options, &out->doc,
                                             &is_document, &story);
        if (is_own_fault(status)) {
            TRY(report_unread(block, offset, false, status, &story, err));
            continue;
        }
        if (status != OG_OK)
            return og_error_set(err, status, "%s", story.message);
        if (!is_document) continue;
        TRY(reserve_strings(block, 0, false, err));
        if (out->doc.id.len == 0)
            out->doc.id = make_id(block, offset, block->unescaped);
        return OG_OK;
    }
    return OG_END;
}

static og_status next_document(struct og_block *block,
                               const struct og_source_options *options,
                               struct og_record *out, og_error *err)
{
    switch (block->kind) {
    case OG_BLOCK_LINES: return next_line(block, options, out, err);
    case OG_BLOCK_JSON:
    case OG_BLOCK_CSV: return next_value(block, options, out, err);
    case OG_BLOCK_WARC:
    case OG_BLOCK_ARC:
    case OG_BLOCK_MBOX: return next_record(block, options, out, err);
    case OG_BLOCK_TEXT:
    case OG_BLOCK_HTML:
    case OG_BLOCK_XML:
    case OG_BLOCK_MAIL: return next_whole(block, options, out, err);
    case OG_BLOCK_EMPTY: break;
    }
    return OG_END;
}

og_status og_block_next(struct og_block *block,
                        const struct og_source_options *options,
                        struct og_record *out, og_error *err)
{
    const og_status status = next_document(block, options, out, err);
    if (status != OG_OK) return status;
    block->n_documents++;
    og_times_apply(block->times, block->file, &out->doc);
    if (out->doc.has_time) out->bad_time = false;
    return OG_OK;
}
