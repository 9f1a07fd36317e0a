/* The journal of a run that may be stopped; dedup_journal.h draws it. */

#define _GNU_SOURCE
#include "lib/dedup/dedup_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/clock.h"
#include "lib/os/new_file.h"
#include "lib/source/json/json_edit.h"

#define MAGIC     "origo dedup journal 1\n"
#define MAGIC_LEN (sizeof(MAGIC) - 1)
#define HEAD_LEN  (MAGIC_LEN + 8)
#define FRAME_LEN 16
#define HASH_KEY  0x6a6f75726e616c20u

/* A frame when so much was read, or so much time has passed. */
#define EVERY_BYTES ((uint64_t)256 << 20)

static uint64_t hash_of(const void *data, size_t len)
{
    return og_token_hash(data, len, HASH_KEY);
}

static void pack_string(struct og_pack *p, const char *s)
{
    if (s == NULL) s = "";
    og_pack_bytes(p, s, strlen(s) + 1);
}

/* All that decides what the outputs are. */
static uint64_t digest(const struct og_dedup_run *run)
{
    const og_dedup_options *o = run->options;
    const og_input *input = run->input;
    const size_t n_paths = input->n_paths;
    struct og_pack p = {0};
    const uint32_t numbers[] = {(uint32_t)o->level,
                                (uint32_t)o->tokens,
                                o->shingle_len,
                                o->n_bands,
                                o->n_rows,
                                (uint32_t)o->measure,
                                (uint32_t)o->cluster,
                                (uint32_t)o->keep,
                                o->least_tokens,
                                o->annotate,
                                o->format == OG_FORMAT_JSON,
                                o->report != NULL,
                                o->rejects != NULL,
                                o->keep_known};
    og_pack_bytes(&p, numbers, sizeof(numbers));
    og_pack_bytes(&p, &o->threshold, sizeof(o->threshold));
    og_pack_bytes(&p, &input->max_document, sizeof(input->max_document));
    og_pack_fixed(&p, (uint64_t)input->reading.kind, 4);
    og_pack_fixed(&p, input->reading.strip_quotes, 1);
    pack_string(&p, input->fields.id);
    pack_string(&p, input->fields.text);
    pack_string(&p, o->keep_field);
    pack_string(&p, input->reading.files_from);
    pack_string(&p, o->report);
    pack_string(&p, o->rejects);
    for (size_t i = 0; i < n_paths + o->n_against; i++) {
        const char *path =
            i < n_paths ? input->paths[i] : o->against[i - n_paths];
        struct stat st;
        pack_string(&p, path);
        if (stat(path, &st) != 0) continue;
        og_pack_fixed(&p, (uint64_t)st.st_size, 8);
        og_pack_fixed(&p, (uint64_t)st.st_mtim.tv_sec, 8);
        og_pack_fixed(&p, (uint64_t)st.st_mtim.tv_nsec, 8);
    }
    og_pack_fixed(&p, run->counts->n_against, 8); /* a store may grow */
    const uint64_t hash = p.failed ? 0 : hash_of(p.data, p.len);
    og_pack_release(&p);
    return hash;
}

/* ---- marks ---- */

#define AT(member)     offsetof(struct og_dedup_journal_mark, member)
#define COUNT(member)  AT(counts.member)
#define STREAM(member) AT(counts.stream.member)

/* The words of a mark in their order, which is part of the format: what is
 * counted from now on comes last, with a new MAGIC. */
static const size_t words[] = {
    AT(n_blocks),
    AT(n_documents),
    AT(lens.kept),
    AT(lens.report),
    AT(lens.rejects),
    STREAM(n_documents),
    STREAM(n_skipped),
    STREAM(n_short),
    STREAM(n_repaired),
    STREAM(n_added),
    STREAM(n_repeated_ids),
    STREAM(n_known),
    STREAM(n_bad_times),
    STREAM(n_text_bytes),
    STREAM(n_tokens),
    STREAM(n_files),
    STREAM(n_files_failed),
    STREAM(n_input_bytes),
    SIZE_MAX /* unused, 0 */,
    COUNT(n_against),
    COUNT(n_kept),
    COUNT(n_removed),
    COUNT(n_clusters),
    COUNT(n_without),
    COUNT(n_candidates),
    COUNT(n_compared),
    COUNT(n_rounds),
    COUNT(n_cut),
    COUNT(cut_len),
    COUNT(kept_len),
    COUNT(n_resumed),
    AT(n_kept),
    AT(n_centers),
};
enum { N_WORDS = sizeof(words) / sizeof(words[0]), MARK_LEN = 8 * N_WORDS };
_Static_assert(MARK_LEN == 264, "33 words: dedup_journal.h");

static void pack_mark(struct og_pack *p, const struct og_dedup_journal_mark *m)
{
    for (size_t i = 0; i < N_WORDS; i++) {
        uint64_t word = 0;
        if (words[i] != SIZE_MAX)
            memcpy(&word, (const char *)m + words[i], sizeof(word));
        og_pack_fixed(p, word, 8);
    }
}

static void take_mark(const uint8_t *data, struct og_dedup_journal_mark *out)
{
    *out = (struct og_dedup_journal_mark){0};
    for (size_t i = 0; i < N_WORDS; i++) {
        const uint64_t word = og_load64(data + 8 * i);
        if (words[i] != SIZE_MAX)
            memcpy((char *)out + words[i], &word, sizeof(word));
    }
}

/* ---- reading ---- */

struct reading {
    const struct og_dedup_journal *j;
    void *ctx;
    og_status (*on_kept)(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err);
    og_status (*on_center)(void *ctx, uint64_t number, og_error *err);
};

/* False: what is there is no frame. */
static bool take_frame(struct og_unpacker *u, const struct og_dedup_journal *j,
                       struct og_dedup_journal_mark *mark,
                       struct og_unpacker *body)
{
    const uint64_t len = og_take_fixed(u, 8), hash = og_take_fixed(u, 8);
    if (u->bad || len < MARK_LEN || len > og_unpacker_left(u)) return false;
    const uint8_t *data = og_take_bytes(u, len);
    if (data == NULL || hash_of(data, (size_t)len) != hash) return false;
    take_mark(data, mark);
    *body = (struct og_unpacker){.at = data + MARK_LEN, .end = data + len};
    const uint64_t left = len - MARK_LEN, kept_len = 8 + j->sketch_len;
    return mark->n_kept <= left / kept_len &&
           left - mark->n_kept * kept_len == mark->n_centers * 8 &&
           (j->has_kept || left == 0);
}

static og_status read_body(const struct reading *r,
                           const struct og_dedup_journal_mark *mark,
                           struct og_unpacker *body, og_error *err)
{
    for (uint64_t i = 0; i < mark->n_kept; i++) {
        const uint64_t number = og_take_fixed(body, 8);
        const uint8_t *sketch = og_take_bytes(body, r->j->sketch_len);
        TRY(r->on_kept(r->ctx, number, sketch, err));
    }
    for (uint64_t i = 0; i < mark->n_centers; i++)
        TRY(r->on_center(r->ctx, og_take_fixed(body, 8), err));
    return OG_OK;
}

/* Where the sound frames end goes to *out_end. */
static og_status read_frames(struct og_dedup_journal *j, const uint8_t *data,
                             size_t len, const struct reading *r,
                             size_t *out_end, og_error *err)
{
    struct og_unpacker u = {.at = data + HEAD_LEN, .end = data + len}, body;
    struct og_dedup_journal_mark mark;
    *out_end = HEAD_LEN;
    while (og_unpacker_left(&u) > 0 && take_frame(&u, j, &mark, &body)) {
        TRY(read_body(r, &mark, &body, err));
        j->mark = mark;
        j->goes_on = true;
        *out_end = (size_t)(u.at - data);
    }
    return OG_OK;
}

static bool is_magic(const void *data, size_t len)
{
    return memcmp(data, MAGIC, len < MAGIC_LEN ? len : MAGIC_LEN) == 0;
}

static bool begins_as_journal(const char *path)
{
    char head[MAGIC_LEN];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    const int64_t n = og_file_read_at(fd, head, sizeof(head), 0);
    close(fd);
    return n >= 0 && is_magic(head, (size_t)n);
}

static og_status read_old(struct og_dedup_journal *j, uint64_t wanted,
                          const struct reading *r, size_t *out_end,
                          og_error *err)
{
    struct stat st;
    *out_end = 0;
    if (fstat(j->fd, &st) != 0)
        return og_file_failure(err, "read", j->path, errno);
    const size_t len = (size_t)st.st_size;
    if (len == 0) return OG_OK;
    uint8_t *data = og_allocate(NULL, len);
    if (data == NULL) return og_error_memory(err, len, "a journal");
    og_status status = OG_OK;
    if (og_file_read_at(j->fd, data, len, 0) != (int64_t)len)
        status = og_file_failure(err, "read", j->path, errno);
    else if (!is_magic(data, len))
        status = og_error_set(err, OG_ERR_INPUT, "'%s' is no journal", j->path);
    else if (len < HEAD_LEN) /* killed before its head was whole */
        *out_end = 0;
    else if (og_load64(data + MAGIC_LEN) != wanted)
        status = og_error_set(
            err, OG_ERR_INPUT,
            "'%s' is the journal of a run with other options or inputs; remove "
            "it and the parts to begin anew",
            j->path);
    else
        status = read_frames(j, data, len, r, out_end, err);
    og_release(NULL, data, len);
    return status;
}

static og_status start_file(struct og_dedup_journal *j, uint64_t wanted,
                            size_t end, og_error *err)
{
    if (end == 0) {
        uint8_t head[HEAD_LEN];
        memcpy(head, MAGIC, MAGIC_LEN);
        for (size_t i = 0; i < 8; i++)
            head[MAGIC_LEN + i] = (uint8_t)(wanted >> 8 * i);
        if (ftruncate(j->fd, 0) != 0 || lseek(j->fd, 0, SEEK_SET) != 0 ||
            og_file_write_all(j->fd, head, sizeof(head)) != 0 ||
            fsync(j->fd) != 0 || og_file_sync_folder(j->path) != 0)
            return og_file_failure(err, "write", j->path, errno);
        return OG_OK;
    }
    if (ftruncate(j->fd, (off_t)end) != 0 ||
        lseek(j->fd, (off_t)end, SEEK_SET) < 0)
        return og_file_failure(err, "write", j->path, errno);
    return OG_OK;
}

/* OUTPUT.journal or OUTPUT.part, behind the links at OUTPUT; for free(). */
static og_status name_beside(const char *output, const char *ending, char **out,
                             og_error *err)
{
    bool in_place;
    char *target = og_output_target(output, &in_place);
    if (target == NULL) return og_file_failure(err, "write", output, errno);
    og_status status = OG_OK;
    if (in_place)
        status = og_error_set(err, OG_ERR_USAGE,
                              "'%s' is no file: a run that writes it cannot be "
                              "gone on with",
                              output);
    else if (asprintf(out, "%s%s", target, ending) < 0)
        status = og_error_memory(err, strlen(target), "a file name");
    free(target);
    return status;
}

static og_status has_part(const char *output, bool *out, og_error *err)
{
    struct stat st;
    char *path = NULL;
    *out = false;
    if (output == NULL || strcmp(output, "-") == 0) return OG_OK;
    TRY(name_beside(output, ".part", &path, err));
    *out = lstat(path, &st) == 0;
    free(path);
    return OG_OK;
}

/* A run that was stopped after its output got its name left a journal without
 * a part: it is of no use any more. Parts without a journal are not ours. */
static og_status check_parts(struct og_dedup_journal *j,
                             const og_dedup_options *o, og_error *err)
{
    const char *const outputs[] = {o->output, o->report, o->rejects};
    struct stat st;
    bool is_there;
    TRY(has_part(o->output, &is_there, err));
    const bool is_stale = !is_there && lstat(j->path, &st) == 0;
    if (is_stale && begins_as_journal(j->path)) unlink(j->path);
    if (lstat(j->path, &st) == 0) return OG_OK;
    for (size_t i = 0; i < 3; i++) {
        TRY(has_part(outputs[i], &is_there, err));
        if (is_there)
            return og_error_set(err, OG_ERR_IO,
                                "'%s.part' is in the way: there is no journal "
                                "of the run that it would be a part of",
                                outputs[i]);
    }
    return OG_OK;
}

og_status og_dedup_journal_open(
    struct og_dedup_journal *j, const struct og_dedup_run *run,
    size_t sketch_len, void *ctx,
    og_status (*on_kept)(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err),
    og_status (*on_center)(void *ctx, uint64_t number, og_error *err),
    og_error *err)
{
    const og_dedup_options *options = run->options;
    *j = (struct og_dedup_journal){.fd = -1,
                                   .sketch_len = sketch_len,
                                   .has_kept = on_kept != NULL,
                                   .every = options->journal_seconds};
    if (!options->resume) return OG_OK;
    TRY(name_beside(options->output, ".journal", &j->path, err));
    TRY(check_parts(j, options, err));
    j->fd = open(j->path,
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (j->fd < 0) return og_file_failure(err, "write", j->path, errno);
    const uint64_t wanted = digest(run);
    const struct reading r = {j, ctx, on_kept, on_center};
    size_t end;
    TRY(read_old(j, wanted, &r, &end, err));
    TRY(start_file(j, wanted, end, err));
    if (end > 0) j->parts = j->goes_on ? OG_PART_GOES_ON : OG_PART_OURS;
    j->is_on = true;
    j->last = og_clock_seconds();
    return OG_OK;
}

void og_dedup_journal_close(struct og_dedup_journal *j, bool is_done)
{
    if (j->fd >= 0) close(j->fd);
    if (is_done && j->path != NULL) unlink(j->path);
    free(j->path);
    og_pack_release(&j->kept);
    og_pack_release(&j->centers);
    *j = (struct og_dedup_journal){.fd = -1};
}

/* ---- writing ---- */

void og_dedup_journal_keep(struct og_dedup_journal *j, uint64_t number,
                           const uint8_t *sketch)
{
    if (!j->is_on) return;
    og_pack_fixed(&j->kept, number, 8);
    og_pack_bytes(&j->kept, sketch, j->sketch_len);
}

void og_dedup_journal_center(struct og_dedup_journal *j, uint64_t number)
{
    if (j->is_on) og_pack_fixed(&j->centers, number, 8);
}

og_status og_dedup_journal_mark(struct og_dedup_journal *j, uint64_t n_blocks,
                                uint64_t n_documents,
                                const og_dedup_counts *counts,
                                struct og_dedup_output *output, og_error *err)
{
    if (!j->is_on) return OG_OK;
    const double now = og_clock_seconds();
    const uint64_t bytes = counts->stream.n_text_bytes;
    if (now - j->last < j->every && bytes - j->last_bytes < EVERY_BYTES)
        return OG_OK;
    struct og_dedup_journal_mark mark = {.n_blocks = n_blocks,
                                         .n_documents = n_documents,
                                         .counts = *counts,
                                         .n_kept =
                                             j->kept.len / (8 + j->sketch_len),
                                         .n_centers = j->centers.len / 8};
    TRY(og_dedup_output_sync(output, &mark.lens, err));
    struct og_pack body = {0}, frame = {0};
    pack_mark(&body, &mark);
    og_pack_bytes(&body, j->kept.data, j->kept.len);
    og_pack_bytes(&body, j->centers.data, j->centers.len);
    og_pack_fixed(&frame, body.len, 8);
    og_pack_fixed(&frame, body.failed ? 0 : hash_of(body.data, body.len), 8);
    og_pack_bytes(&frame, body.data, body.len);
    og_status status = OG_OK;
    if (body.failed || frame.failed || j->kept.failed || j->centers.failed)
        status = og_error_memory(err, frame.len, "a journal");
    else if (og_file_write_all(j->fd, frame.data, frame.len) != 0 ||
             fdatasync(j->fd) != 0)
        status = og_file_failure(err, "write", j->path, errno);
    og_pack_release(&body);
    og_pack_release(&frame);
    j->kept.len = j->centers.len = 0;
    j->last = now;
    j->last_bytes = bytes;
    return status;
}
