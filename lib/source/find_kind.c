/* The kind of a file is determined from its first bytes: 8 KiB, or one record
 * if it may be JSON or CSV. Nothing here depends on the size of a read: the
 * same bytes have the same kind on disk and in a pipe. From a pipe no more is
 * awaited than is needed, because its writer may be waiting for an answer; of a
 * file, everything that these checks can use is read. */

#include <stdio.h>
#include <string.h>

#include "lib/source/block.h"
#include "lib/source/foreign.h"
#include "lib/source/json/json.h"
#include "lib/source/kind.h"
#include "lib/source/record_scan.h"
#include "lib/source/source_state.h"
#include "lib/source/table/csv.h"

static og_bytes bytes_of(const struct og_block *block)
{
    return (og_bytes){block->len == 0 ? "" : block->data, block->len};
}

static og_bytes head_of(const struct og_block *block)
{
    og_bytes head = bytes_of(block);
    if (head.len > OG_KIND_HEAD_LEN) head.len = OG_KIND_HEAD_LEN;
    return head;
}

static og_status read_up_to(struct og_source *source, struct og_block *block,
                            size_t len, og_error *err)
{
    while (!source->is_ended && block->len < len)
        TRY(og_source_read_more(source, block, err));
    return OG_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t blank_len(const struct og_block *block)
{
    const og_bytes head = head_of(block);
    size_t n = 0;
    while (n < head.len && is_blank(head.data[n]))
        n++;
    return n;
}

/* ---- charsets of two and four bytes ---- */

static og_status start_recoding(struct og_source *source,
                                struct og_block *block, const char *charset,
                                og_error *err)
{
    TRY(og_recode_open(&source->recode, charset, err));
    const size_t len = block->len, room = og_recode_room(len);
    char *const raw = og_allocate(source->allocator, len + 1);
    og_status status = OG_OK;
    if (raw == NULL) return og_error_memory(err, len, "text to recode");
    if (len > 0) memcpy(raw, block->data, len);
    status = og_block_reserve(block, room, err);
    if (status == OG_OK)
        block->len = og_recode_run(&source->recode, (og_bytes){raw, len},
                                   source->is_ended, block->data);
    og_release(source->allocator, raw, len + 1);
    return status;
}

static bool has_zero(og_bytes head)
{
    return head.len > 0 && memchr(head.data, 0, head.len) != NULL;
}

static og_status take_mark(struct og_source *source, struct og_block *block,
                           og_error *err)
{
    enum { MARK_LEN = 3 };
    size_t len;
    if (block->len >= MARK_LEN &&
        memcmp(block->data, "\xef\xbb\xbf", MARK_LEN) == 0)
        og_source_drop_front(source, block, MARK_LEN);
    const char *const charset = og_recode_of_mark(bytes_of(block), &len);
    if (charset == NULL) return OG_OK;
    og_source_drop_front(source, block, len);
    return start_recoding(source, block, charset, err);
}

/* A zero byte occurs only in these charsets; `look`: the bytes to search for
 * one. */
static og_status guess_charset(struct og_source *source, struct og_block *block,
                               size_t look, og_error *err)
{
    og_bytes front = bytes_of(block);
    if (front.len > look) front.len = look;
    if (source->recode.charset != NULL || !has_zero(front)) return OG_OK;
    TRY(read_up_to(source, block, OG_KIND_HEAD_LEN, err));
    const og_bytes head = head_of(block);
    const char *const charset =
        head.len % 2 == 0 ? og_recode_guess(head) : NULL;
    return charset == NULL ? OG_OK
                           : start_recoding(source, block, charset, err);
}

/* ---- packed and unreadable files ---- */

static og_status look_for_archive(struct og_source *source,
                                  struct og_block *block, og_error *err)
{
    TRY(read_up_to(source, block, og_members_head_len(bytes_of(block)), err));
    if (!og_members_is_archive(bytes_of(block))) return OG_OK;
    const char *const name = og_foreign_name(head_of(block));
    if (name != NULL)
        return og_source_give_up(source, block, OG_ERR_INPUT, name, err);
    if (source->members != NULL)
        return og_source_give_up(
            source, block, OG_ERR_INPUT,
            "packed data in an archive: only gzip and zstd are seen through",
            err);
    source->is_archive = true;
    return OG_OK;
}

/* ---- JSON ---- */

/* The line at `begin`, read to its end. If the end is out of reach (the line is
 * longer than a document may be, or the input broke off), the beginning of an
 * object suffices. */
static og_status looks_like_jsonl(struct og_source *source,
                                  struct og_block *block, size_t begin,
                                  bool *out, og_error *err)
{
    const uint64_t max_document = source->options.max_document;
    size_t searched = begin;
    const char *newline = NULL;
    while (newline == NULL && searched - begin <= max_document) {
        if (searched == block->len) {
            if (source->is_ended) break;
            TRY(og_source_read_more(source, block, err));
        }
        const size_t unsearched = block->len - searched;
        if (unsearched > 0)
            newline = memchr(block->data + searched, '\n', unsearched);
        searched = block->len;
    }
    const char *const end = newline != NULL ? newline : block->data + searched;
    og_bytes line = {block->data + begin, (size_t)(end - block->data) - begin};
    const bool is_long = line.len > max_document;
    if (is_long) line.len = (size_t)max_document;
    bool is_beginning;
    *out = og_json_is_object(line, &is_beginning) ||
           (is_beginning && (is_long || (newline == NULL && source->is_cut))) ||
           og_json_is_too_deep(line);
    return OG_OK;
}

/* Whether only objects follow `at`. */
static bool is_before_object(og_bytes data, size_t at)
{
    while (at < data.len && is_blank(data.data[at]))
        at++;
    return at < data.len && data.data[at] == '{';
}

/* An object over several lines, or an array of objects: the first one must be
 * valid. One that is longer than a document may be is accepted. */
static og_status looks_like_json(struct og_source *source,
                                 struct og_block *block, size_t begin,
                                 bool *out, og_error *err)
{
    struct og_record_scan scan = {.at = begin};
    size_t end;
    bool is_beginning;
    *out = false;
    TRY(read_up_to(source, block, OG_KIND_HEAD_LEN, err));
    if (block->data[begin] == '[' &&
        !is_before_object(bytes_of(block), begin + 1))
        return OG_OK;
    while (!og_scan_record(OG_BLOCK_JSON, 0, bytes_of(block), &scan, &end)) {
        *out = block->len - begin > source->options.max_document;
        if (*out || source->is_ended) return OG_OK;
        TRY(og_source_read_more(source, block, err));
    }
    *out = og_json_is_object(
        (og_bytes){block->data + scan.begin, end - scan.begin}, &is_beginning);
    return OG_OK;
}

/* ---- CSV ---- */

/* The first row that is not empty; its end is 0 if it is too long. */
static og_status find_header(struct og_source *source, struct og_block *block,
                             size_t *out_begin, size_t *out_end, og_error *err)
{
    struct og_record_scan scan = {.at = 0};
    *out_begin = *out_end = 0;
    for (;;) {
        size_t end;
        if (og_scan_record(OG_BLOCK_CSV, ',', bytes_of(block), &scan, &end)) {
            *out_begin = *out_end;
            *out_end = end;
            for (size_t i = *out_begin; i < end; i++)
                if (!is_blank(block->data[i])) return OG_OK;
            continue;
        }
        if (source->is_ended || block->len > OG_CSV_HEADER_MAX) break;
        TRY(og_source_read_more(source, block, err));
    }
    *out_begin = *out_end;
    *out_end = source->is_ended ? block->len : 0;
    return OG_OK;
}

static og_status report_columns(struct og_source *source,
                                struct og_block *block, og_error *err)
{
    struct og_jsonl_problem problem = {.message = NULL};
    char message[200];
    const char *const end =
        (const char *)source->names.data + source->names.len;
    for (const char *p = (const char *)source->names.data; p < end;
         p += strlen(p) + 1)
        og_jsonl_list_field(&problem, (og_bytes){p, strlen(p)});
    snprintf(message, sizeof(message),
             "no column is named '%.30s'; the first row has: %s",
             source->options.fields.text, problem.fields);
    return og_source_give_up(source, block, OG_ERR_INPUT, message, err);
}

/* Takes the names of the columns from the front. `is_certain`: the file name or
 * the user says it is CSV; otherwise it is only if it has a column for the
 * text. */
static og_status try_csv(struct og_source *source, struct og_block *block,
                         bool is_certain, bool is_tsv, og_error *err)
{
    const char *const text = source->options.fields.text;
    size_t begin, end;
    bool has_text;
    TRY(find_header(source, block, &begin, &end, err));
    og_bytes row = {"", 0};
    if (end > begin) row = (og_bytes){block->data + begin, end - begin};
    if (row.len == 0 && is_certain && block->len > OG_CSV_HEADER_MAX)
        return og_source_give_up(source, block, OG_ERR_LIMIT,
                                 "the first row is too long to be a header",
                                 err);
    if (row.len == 0 && !is_certain) return OG_OK;
    source->delimiter =
        is_tsv ? '\t'
               : og_csv_delimiter(row, text, &has_text, source->allocator);
    if (!is_tsv && !has_text && !is_certain) return OG_OK;
    source->names.failed = false;
    og_csv_read_header(row, source->delimiter, &source->names);
    if (source->names.failed)
        return og_error_memory(err, row.len, "names of columns");
    const og_bytes names = {(const char *)source->names.data,
                            source->names.len};
    if (row.len > 0 && text != NULL && !og_csv_has_column(names, text))
        return report_columns(source, block, err);
    for (size_t i = 0; i < end; i++)
        source->line += block->data[i] == '\n';
    og_source_drop_front(source, block, end);
    source->kind = OG_BLOCK_CSV;
    return OG_OK;
}

/* ---- the kind ---- */

static og_status find_records(struct og_source *source, struct og_block *block,
                              og_error *err)
{
    bool is_it = og_kind_is_jsonl_name(source->file);
    size_t begin = blank_len(block);
    while (!source->is_ended && begin == block->len &&
           begin < OG_KIND_HEAD_LEN) {
        TRY(og_source_read_more(source, block, err));
        begin = blank_len(block);
    }
    const char first = begin < block->len ? block->data[begin] : 0;
    if (!is_it && first == '{')
        TRY(looks_like_jsonl(source, block, begin, &is_it, err));
    if (is_it) source->kind = OG_BLOCK_LINES;
    if (is_it || (first != '{' && first != '[')) return OG_OK;
    is_it = og_kind_has_ending(source->file, ".json");
    if (!is_it) TRY(looks_like_json(source, block, begin, &is_it, err));
    if (is_it) source->kind = OG_BLOCK_JSON;
    return OG_OK;
}

static og_status find_table(struct og_source *source, struct og_block *block,
                            og_error *err)
{
    const og_file_kind given = source->options.reading.kind;
    const bool is_auto = given == OG_FILE_AUTO;
    const bool is_tsv = given == OG_FILE_TSV ||
                        (is_auto && (og_kind_has_ending(source->file, ".tsv") ||
                                     og_kind_has_ending(source->file, ".tab")));
    const bool is_csv = given == OG_FILE_CSV ||
                        (is_auto && og_kind_has_ending(source->file, ".csv"));
    return try_csv(source, block, is_csv || is_tsv, is_tsv, err);
}

/* The first bytes as the checks see them: without a byte order mark, and in
 * UTF-8. */
static og_status read_front(struct og_source *source, struct og_block *block,
                            og_error *err)
{
    enum { FRONT = 4 };
    const size_t len = source->is_regular ? OG_KIND_HEAD_LEN : FRONT;
    TRY(read_up_to(source, block, len, err));
    TRY(take_mark(source, block, err));
    if (source->recode.charset == NULL) {
        TRY(look_for_archive(source, block, err));
        if (source->is_archive) return OG_OK;
        TRY(guess_charset(source, block, FRONT, err));
    }
    /* The mark has been removed, and recoded text is shorter or longer. */
    return read_up_to(source, block, len, err);
}

og_status og_source_find_kind(struct og_source *source, struct og_block *block,
                              og_error *err)
{
    const og_file_kind given = source->options.reading.kind;
    TRY(read_front(source, block, err));
    if (source->is_archive || source->kind != OG_BLOCK_EMPTY) return OG_OK;
    const char *const foreign = og_foreign_name(head_of(block));
    if (foreign != NULL)
        return og_source_give_up(source, block, OG_ERR_INPUT, foreign, err);
    source->kind = og_kind_of_file_kind(given);
    if (source->kind == OG_BLOCK_CSV) {
        source->kind = OG_BLOCK_EMPTY;
        return find_table(source, block, err);
    }
    if (given == OG_FILE_AUTO) TRY(find_records(source, block, err));
    /* The first record of a stream is enough to recognise it; other kinds are
     * examined further. */
    if (source->kind != OG_BLOCK_EMPTY && !og_block_is_whole(source->kind))
        return OG_OK;
    TRY(read_up_to(source, block, OG_KIND_HEAD_LEN, err));
    if (source->kind != OG_BLOCK_EMPTY) return OG_OK;
    /* Arabic or Chinese in UTF-16 has its first zero at the first blank. A few
     * bytes with a zero may be anything. */
    enum { LEAST_WIDE = 32 };
    if (block->len >= LEAST_WIDE)
        TRY(guess_charset(source, block, OG_KIND_HEAD_LEN, err));
    source->kind = og_kind_of(head_of(block), source->file);
    if (source->kind == OG_BLOCK_TEXT) {
        source->kind = OG_BLOCK_EMPTY;
        TRY(find_table(source, block, err));
        if (source->kind == OG_BLOCK_EMPTY) source->kind = OG_BLOCK_TEXT;
    }
    return OG_OK;
}
