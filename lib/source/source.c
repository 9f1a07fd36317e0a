/* Files into blocks: the side of reading that runs on one thread.
 *
 * All threads wait for this one, so it does no more than necessary: read,
 * unpack, find the last newline, count the others (a block must know its first
 * line). What follows the last newline is carried over to the next block, so a
 * byte of a plain file is copied once, by the system, and a second time only if
 * its line crosses two blocks.
 *
 * find_kind.c determines the kind of a file. A line longer than a document may
 * be is skipped without being kept: memory is bounded by block_len plus
 * max_document, whatever the input unpacks to. */

#define _GNU_SOURCE /* memrchr */
#include "lib/source/source_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/source/block.h"
#include "lib/source/json/json.h"
#include "lib/source/json/scan_bytes.h"
#include "lib/source/kind.h"
#include "lib/source/times.h"

/* The most that is read beyond block_len at a time: enough that the last
 * newline of a block usually lies after block_len. */
#define STEP_LEN ((size_t)64 << 10)

og_status og_source_new(const char *const *paths, size_t n_paths,
                        const struct og_source_options *options,
                        const og_allocator *allocator, struct og_source **out,
                        og_error *err)
{
    struct og_source *source = og_allocate_zero(allocator, sizeof(*source));
    if (source == NULL)
        return og_error_memory(err, sizeof(*source), "a source");
    source->allocator = allocator;
    source->options = *options;
    source->options.max_document = og_max_document(options);
    if (options->block_len == 0)
        source->options.block_len = OG_SOURCE_BLOCK_LEN;
    og_walk_init(&source->walk, paths, n_paths, allocator);
    og_walk_take_list(&source->walk, options->reading.files_from);
    og_unpack_init(&source->unpack, allocator);
    og_unpack_init(&source->member, allocator);
    source->unpack.should_stop = options->should_stop;
    source->unpack.stop_ctx = options->stop_ctx;
    source->in = &source->unpack;
    source->archive_name.allocator = allocator;
    source->member_name.allocator = allocator;
    source->names.allocator = allocator;
    const og_status status =
        og_times_new(&options->reading, allocator, &source->times, err);
    if (status != OG_OK) {
        og_source_free(source);
        return status;
    }
    *out = source;
    return OG_OK;
}

void og_source_free(struct og_source *source)
{
    if (source == NULL) return;
    og_times_free(source->times);
    og_members_free(source->members);
    og_unpack_release(&source->member);
    og_unpack_release(&source->unpack);
    og_recode_close(&source->recode);
    og_release(source->allocator, source->raw, OG_SOURCE_RAW_LEN);
    og_pack_release(&source->archive_name);
    og_pack_release(&source->member_name);
    og_pack_release(&source->names);
    og_walk_release(&source->walk);
    OG_UNGROW(source->allocator, source->carry, source->carry_cap);
    og_release(source->allocator, source, sizeof(*source));
}

/* ---- problems of a whole file ---- */

static og_status report_unopened(struct og_block *block, const char *path,
                                 int error, og_error *err)
{
    char text[80];
    const struct og_source_problem problem = {
        .skipped = true, .whole_file = true, .status = OG_ERR_IO};
    og_file_error_text(error, text, sizeof(text));
    return og_block_report(block, &problem, err, "cannot open '%s': %s",
                           og_shown_path(path, 110), text);
}

og_status og_source_report_file(struct og_block *block, uint64_t offset,
                                og_status status, const char *message,
                                og_error *err)
{
    const struct og_source_problem problem = {.offset = offset,
                                              .skipped = true,
                                              .whole_file = true,
                                              .status = status};
    return og_block_report(block, &problem, err, "%s", message);
}

/* ---- opening ---- */

static void set_file_time(struct og_source *source, int fd)
{
    struct stat info;
    source->has_file_time = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    source->is_regular = source->has_file_time;
    source->file_time = 0;
    source->file_len = 0;
    if (source->has_file_time)
        source->file_time = (int64_t)info.st_mtim.tv_sec * 1000000 +
                            info.st_mtim.tv_nsec / 1000;
    if (source->has_file_time) source->file_len = (uint64_t)info.st_size;
}

static void start_file(struct og_source *source, const char *file)
{
    source->is_open = true;
    source->kind = OG_BLOCK_EMPTY;
    source->file = file;
    source->is_ended = false;
    source->is_cut = false;
    source->is_skipping = false;
    source->n_to_skip = 0;
    source->is_archive = false;
    source->line = 1;
    source->offset = 0;
    source->carry_len = 0;
    source->names.len = 0;
    og_recode_close(&source->recode);
}

/* The input broke off: a problem, and the end of the file. Only a lack of
 * memory is a status. */
static og_status end_broken(struct og_source *source, struct og_block *block,
                            og_status status, const og_error *story,
                            og_error *err)
{
    if (status == OG_ERR_MEMORY)
        return og_error_set(err, status, "%s", story->message);
    source->is_ended = true;
    source->is_cut = true;
    const uint64_t offset = source->offset + block->len;
    return og_source_report_file(block, offset, status, story->message, err);
}

static og_status open_file(struct og_source *source, const char *path,
                           bool is_stdin, struct og_block *block, og_error *err)
{
    const int fd = is_stdin ? STDIN_FILENO : og_file_open(path);
    if (fd < 0) return report_unopened(block, path, errno, err);
    og_error story;
    start_file(source, path);
    source->in = &source->unpack;
    source->n_counted = 0;
    set_file_time(source, fd);
    const og_status status =
        og_unpack_open(&source->unpack, fd, !is_stdin, &story);
    if (status == OG_OK) return OG_OK;
    if (status == OG_ERR_STOPPED)
        return og_error_set(err, status, "%s", story.message);
    return end_broken(source, block, status, &story, err);
}

static og_status name_block(struct og_block *block, const char *file,
                            og_error *err)
{
    const size_t need = strlen(file) + 1;
    if (!OG_GROW(block->allocator, block->file, block->file_cap, need))
        return og_error_memory(err, need, "a file name");
    memcpy(block->file, file, need);
    return OG_OK;
}

/* Leaves source->is_open false if there was only a problem. */
static og_status open_next(struct og_source *source, struct og_block *block,
                           og_error *err)
{
    struct og_walk_entry entry;
    TRY(og_walk_next(&source->walk, &entry, err));
    TRY(name_block(block, entry.path, err));
    switch (entry.kind) {
    case OG_WALK_FAILED:
        return report_unopened(block, entry.path, entry.error, err);
    case OG_WALK_LINK:
        return og_block_report(block, &(struct og_source_problem){0}, err,
                               "the link to a folder is not followed");
    case OG_WALK_FILE:
    case OG_WALK_STDIN: break;
    }
    return open_file(source, entry.path, entry.kind == OG_WALK_STDIN, block,
                     err);
}

/* ---- reading ---- */

/* How much to request: up to block_len and a little more, then in steps that
 * grow with what is there, so that a long record takes few of them. */
static size_t step_len(const struct og_source *source,
                       const struct og_block *block)
{
    const size_t block_len = source->options.block_len;
    const size_t missing = block->len < block_len ? block_len - block->len : 0;
    size_t extra = block_len / 4 + 1;
    if (extra < block->len / 4) extra = block->len / 4;
    return missing + (extra < STEP_LEN ? extra : STEP_LEN);
}

/* Reads from a file in UTF-16 or UTF-32. */
static og_status read_recoded(struct og_source *source, struct og_block *block,
                              og_error *story, og_error *err)
{
    const size_t cap = OG_SOURCE_RAW_LEN;
    size_t n = 0;
    if (source->raw == NULL) source->raw = og_allocate(source->allocator, cap);
    if (source->raw == NULL) return og_error_memory(story, cap, "reading");
    TRY(og_block_reserve(block, block->len + og_recode_room(cap), err));
    const og_status status =
        og_unpack_read(source->in, source->raw, cap, &n, story);
    if (status == OG_OK || status == OG_END)
        block->len += og_recode_run(&source->recode, (og_bytes){source->raw, n},
                                    status == OG_END, block->data + block->len);
    return status;
}

static og_status read_plain(struct og_source *source, struct og_block *block,
                            og_error *story, og_error *err)
{
    const size_t step = step_len(source, block);
    size_t n = 0;
    TRY(og_block_reserve(block, block->len + step, err));
    const og_status status =
        og_unpack_read(source->in, block->data + block->len, step, &n, story);
    if (status == OG_OK) block->len += n;
    return status;
}

og_status og_source_read_more(struct og_source *source, struct og_block *block,
                              og_error *err)
{
    og_error story = {0};
    const og_status status = source->recode.charset != NULL
                                 ? read_recoded(source, block, &story, err)
                                 : read_plain(source, block, &story, err);
    if (status == OG_END) source->is_ended = true;
    if (status == OG_OK || status == OG_END) return OG_OK;
    if (story.status == OG_OK) return status; /* err has it */
    if (status == OG_ERR_STOPPED)
        return og_error_set(err, status, "%s", story.message);
    return end_broken(source, block, status, &story, err);
}

void og_source_drop_front(struct og_source *source, struct og_block *block,
                          size_t n)
{
    block->len -= n;
    memmove(block->data, block->data + n, block->len);
    source->offset += n;
}

/* ---- a file that is one document ---- */

og_status og_source_give_up(struct og_source *source, struct og_block *block,
                            og_status status, const char *message,
                            og_error *err)
{
    block->len = 0;
    source->is_ended = true;
    source->kind = OG_BLOCK_TEXT;
    return og_source_report_file(block, 0, status, message, err);
}

/* A zero byte does not occur in text. */
static bool is_binary(const struct og_block *block)
{
    const size_t head =
        block->len < OG_KIND_HEAD_LEN ? block->len : OG_KIND_HEAD_LEN;
    return head > 0 && memchr(block->data, 0, head) != NULL;
}

/* A broken input from which nothing came, or an empty pipe: the export of an
 * empty store has no document. An empty file is a document. */
static bool is_nothing(const struct og_source *source,
                       const struct og_block *block)
{
    const bool is_lost = block->n_problems > 0 &&
                         block->problems[block->n_problems - 1].whole_file;
    return block->len == 0 &&
           (source->is_cut || is_lost || strcmp(source->file, "-") == 0);
}

static og_status read_text(struct og_source *source, struct og_block *block,
                           og_error *err)
{
    if (source->kind == OG_BLOCK_TEXT && is_binary(block))
        return og_source_give_up(source, block, OG_ERR_INPUT, "binary file",
                                 err);
    while (!source->is_ended && block->len <= source->options.max_document)
        TRY(og_source_read_more(source, block, err));
    if (block->len > source->options.max_document) {
        char message[80];
        snprintf(message, sizeof(message), "the file is longer than %llu bytes",
                 (unsigned long long)source->options.max_document);
        return og_source_give_up(source, block, OG_ERR_LIMIT, message, err);
    }
    if (is_nothing(source, block)) return OG_OK;
    block->kind = source->kind;
    return OG_OK;
}

/* ---- lines ---- */

/* on_passed receives the bytes of a skipped line; it is the last problem of the
 * block. */
static og_status pass_bytes(const struct og_source *source,
                            struct og_block *block, size_t len, og_error *err)
{
    if (source->options.on_passed == NULL || len == 0) return OG_OK;
    if (block->n_problems > 0)
        block->problems[block->n_problems - 1].passed_len += len;
    return source->options.on_passed(source->options.passed_ctx,
                                     (og_bytes){block->data, len}, err);
}

/* Inside a line that is too long: drops everything up to its newline. */
static og_status skip_long_line(struct og_source *source,
                                struct og_block *block, og_error *err)
{
    const char *const newline =
        block->len == 0 ? NULL : memchr(block->data, '\n', block->len);
    if (newline == NULL) {
        TRY(pass_bytes(source, block, block->len, err));
        source->offset += block->len;
        block->len = 0;
        return OG_OK;
    }
    const size_t len = (size_t)(newline - block->data);
    TRY(pass_bytes(source, block, len, err));
    og_source_drop_front(source, block, len + 1);
    source->line++;
    source->is_skipping = false;
    return OG_OK;
}

static size_t whole_lines_len(const struct og_block *block, size_t known,
                              size_t searched)
{
    if (searched == block->len) return known;
    const char *const newline =
        memrchr(block->data + searched, '\n', block->len - searched);
    return newline == NULL ? known : (size_t)(newline - block->data) + 1;
}

/* Reads until the block contains enough whole lines, or until no more can be
 * read without waiting: the process feeding a stream may be waiting for the
 * answers. A line that is too long ends the block before it; if it comes first,
 * it is skipped. */
static og_status gather_lines(struct og_source *source, struct og_block *block,
                              size_t *out_len, og_error *err)
{
    const uint64_t max_document = source->options.max_document;
    size_t whole = 0, searched = 0;
    for (;;) {
        if (source->is_skipping) TRY(skip_long_line(source, block, err));
        if (!source->is_skipping) {
            whole = whole_lines_len(block, whole, searched);
            searched = block->len;
        }
        const bool is_too_long =
            !source->is_skipping && block->len - whole > max_document;
        if (whole >= source->options.block_len || (whole > 0 && is_too_long) ||
            source->is_ended || (whole > 0 && og_unpack_must_wait(source->in)))
            break;
        if (is_too_long) {
            TRY(og_block_report_long_line(block, source->line, source->offset,
                                          max_document, err));
            TRY(pass_bytes(source, block, block->len, err));
            source->is_skipping = true;
            source->offset += block->len;
            block->len = searched = 0;
        }
        TRY(og_source_read_more(source, block, err));
    }
    *out_len = source->is_ended ? block->len : whole;
    return OG_OK;
}

og_status og_source_carry(struct og_source *source, struct og_block *block,
                          size_t from, og_error *err)
{
    source->carry_len = block->len - from;
    if (!OG_GROW(source->allocator, source->carry, source->carry_cap,
                 source->carry_len))
        return og_error_memory(err, source->carry_len, "a record of the input");
    if (source->carry_len > 0)
        memcpy(source->carry, block->data + from, source->carry_len);
    block->len = from;
    return OG_OK;
}

static og_status read_lines(struct og_source *source, struct og_block *block,
                            og_error *err)
{
    size_t len = 0;
    TRY(gather_lines(source, block, &len, err));
    TRY(og_source_carry(source, block, len, err));
    block->first_line = source->line;
    block->offset = source->offset;
    block->is_cut = source->is_cut;
    if (len == 0) return OG_OK;
    block->kind = OG_BLOCK_LINES;
    const struct og_scan_kernels *const kernels =
        og_scan_kernels_of(og_cpu_level());
    source->line += kernels->count_newlines(block->data, block->data + len);
    source->offset += len;
    return OG_OK;
}

/* ---- blocks ---- */

static og_status take_carry(struct og_source *source, struct og_block *block,
                            og_error *err)
{
    if (source->carry_len == 0) return OG_OK;
    TRY(og_block_reserve(block, source->carry_len, err));
    memcpy(block->data, source->carry, source->carry_len);
    block->len = source->carry_len;
    source->carry_len = 0;
    return OG_OK;
}

static og_status read_block(struct og_source *source, struct og_block *block,
                            og_error *err)
{
    TRY(name_block(block, source->file, err));
    TRY(take_carry(source, block, err));
    if (source->kind == OG_BLOCK_EMPTY)
        TRY(og_source_find_kind(source, block, err));
    if (source->is_archive) return OG_OK;
    block->first_line = source->line;
    block->offset = source->offset;
    block->file_time = source->file_time;
    block->has_file_time = source->has_file_time;
    if (og_block_is_whole(source->kind)) return read_text(source, block, err);
    switch (source->kind) {
    case OG_BLOCK_LINES: return read_lines(source, block, err);
    case OG_BLOCK_JSON:
    case OG_BLOCK_CSV: return og_source_cut_values(source, block, err);
    default: return og_source_cut_records(source, block, err);
    }
}

static og_status finish_block(struct og_source *source, struct og_block *block,
                              og_error *err)
{
    TRY(og_block_reserve(block, block->len, err));
    memset(block->data + block->len, 0, OG_BLOCK_PADDING);
    block->times = source->times;
    block->sequence = source->sequence++;
    block->next_off = 0;
    block->next_line = block->first_line;
    /* An archive may be read by seeking. */
    if (source->unpack.n_read > source->n_counted) {
        block->n_input_bytes = source->unpack.n_read - source->n_counted;
        source->n_counted = source->unpack.n_read;
    }
    block->ends_file = source->is_ended && source->carry_len == 0;
    if (block->ends_file) {
        if (source->members == NULL) og_unpack_close(&source->unpack);
        source->is_open = false;
    }
    return OG_OK;
}

/* ---- archives ---- */

static void leave_archive(struct og_source *source)
{
    og_members_free(source->members);
    source->members = NULL;
    og_unpack_close(&source->unpack);
    source->is_open = false;
}

static og_status lose_archive(struct og_source *source, struct og_block *block,
                              og_status status, const og_error *story,
                              og_error *err)
{
    TRY(name_block(block, (const char *)source->archive_name.data, err));
    leave_archive(source);
    if (status == OG_ERR_STOPPED || status == OG_ERR_MEMORY)
        return og_error_set(err, status, "%s", story->message);
    return og_source_report_file(block, 0, status, story->message, err);
}

/* What was read so far is the front of an archive. */
static og_status enter_archive(struct og_source *source, struct og_block *block,
                               og_error *err)
{
    og_error story = {0};
    const og_bytes head = {block->data, block->len};
    source->archive_name.len = 0;
    og_pack_bytes(&source->archive_name, source->file,
                  strlen(source->file) + 1);
    if (source->archive_name.failed)
        return og_error_memory(err, strlen(source->file), "a file name");
    const og_status status = og_members_open(
        &source->unpack, head, source->allocator, &source->members, &story);
    block->len = 0;
    source->is_open = false;
    if (status == OG_OK) return OG_OK;
    return lose_archive(source, block, status, &story, err);
}

/* "archive.tar/member"; a file that is compressed as a whole keeps its name. */
static og_status name_member(struct og_source *source, const char *name,
                             og_error *err)
{
    struct og_pack *const out = &source->member_name;
    const char *const archive = (const char *)source->archive_name.data;
    out->len = 0;
    og_pack_bytes(out, archive, strlen(archive));
    if (name != NULL) {
        og_pack_bytes(out, "/", 1);
        og_pack_bytes(out, name, strlen(name));
    }
    og_pack_bytes(out, "", 1);
    if (out->failed) return og_error_memory(err, out->len, "a file name");
    return OG_OK;
}

static og_status open_member(struct og_source *source, struct og_block *block,
                             og_error *err)
{
    struct og_member member;
    og_error story = {0};
    const og_status status = og_members_next(source->members, &member, &story);
    if (status == OG_END) {
        leave_archive(source);
        return OG_OK;
    }
    if (status != OG_OK)
        return lose_archive(source, block, status, &story, err);
    TRY(name_member(source, member.name, err));
    start_file(source, (const char *)source->member_name.data);
    TRY(name_block(block, source->file, err));
    if (member.name != NULL) {
        source->has_file_time = member.has_time;
        source->file_time = member.time;
    }
    source->in = &source->member;
    source->member.pull = og_members_read;
    source->member.pull_ctx = source->members;
    source->member.should_stop = source->options.should_stop;
    source->member.stop_ctx = source->options.stop_ctx;
    const og_status opened = og_unpack_open(&source->member, -1, false, &story);
    if (opened == OG_OK) return OG_OK;
    if (opened == OG_ERR_STOPPED)
        return og_error_set(err, opened, "%s", story.message);
    return end_broken(source, block, opened, &story, err);
}

/* Leaves is_open false if there was only a problem, or if an archive ended. */
static og_status open_something(struct og_source *source,
                                struct og_block *block, og_error *err)
{
    if (source->members != NULL) {
        TRY(open_member(source, block, err));
        if (source->members != NULL || block->n_problems > 0) return OG_OK;
    }
    return open_next(source, block, err);
}

og_status og_source_next(struct og_source *source, struct og_block *block,
                         og_error *err)
{
    og_block_clear(block);
    for (;;) {
        if (!source->is_open) TRY(open_something(source, block, err));
        if (!source->is_open) break;
        TRY(read_block(source, block, err));
        if (!source->is_archive) return finish_block(source, block, err);
        TRY(enter_archive(source, block, err));
        if (source->members == NULL) break;
    }
    block->sequence = source->sequence++;
    block->ends_file = block->n_problems > 0 && block->problems[0].whole_file;
    return OG_OK;
}
