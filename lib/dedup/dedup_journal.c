/* The journal of a run that may be interrupted; dedup_journal.h describes
 * it. */

#define _GNU_SOURCE
#include "lib/dedup/dedup_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"
#include "lib/os/clock.h"
#include "lib/os/new_file.h"
#include "lib/source/json/json_edit.h"

/* The beginning of journals before they had the form of
 * lib/disk/journal_format.h. */
#define OLD_MAGIC "origo dedup journal 1\n"

/* A frame after this many bytes of input, or this much time. */
#define EVERY_BYTES ((uint64_t)256 << 20)

static void pack_string(struct og_pack *p, const char *s)
{
    if (s == NULL) s = "";
    og_pack_bytes(p, s, strlen(s) + 1);
}

/* Everything that determines the outputs, as the uuid of the journal. */
static void digest(const struct og_dedup_run *run, uint8_t out[16])
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
    const uint64_t sum = p.failed ? 0 : og_checksum(p.data, p.len);
    og_store64(out, sum);
    og_store64(out + 8, og_checksum_after(sum, p.data, p.failed ? 0 : p.len));
    og_pack_release(&p);
}

/* ---- marks ---- */

#define AT(member)     offsetof(struct og_dedup_journal_mark, member)
#define COUNT(member)  AT(counts.member)
#define STREAM(member) AT(counts.stream.member)

/* The words of a mark in their order, which is part of the format: counters
 * added later come last, with a record type of their own. */
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

/* Where a journal can be continued; `len` 0: it is new. */
struct journal_end {
    uint64_t len, next_sequence;
};

struct reading {
    const struct og_dedup_journal *j;
    void *ctx;
    og_status (*on_kept)(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err);
    og_status (*on_center)(void *ctx, uint64_t number, og_error *err);
};

/* False: it is not a mark of this run. */
static bool take_record(const struct og_journal_view *record,
                        const struct og_dedup_journal *j,
                        struct og_dedup_journal_mark *mark,
                        struct og_unpacker *body)
{
    if (record->type != OG_JOURNAL_MARK || record->len < MARK_LEN) return false;
    take_mark(record->data, mark);
    *body = (struct og_unpacker){.at = record->data + MARK_LEN,
                                 .end = record->data + record->len};
    const uint64_t left = record->len - MARK_LEN, kept_len = 8 + j->sketch_len;
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

/* *end is the end of the usable records: those after a damaged one are not
 * needed, because the run resumes from the mark before it. */
static og_status read_records(struct og_dedup_journal *j,
                              struct og_journal_reader *from,
                              const struct reading *r, struct journal_end *end,
                              og_error *err)
{
    struct og_journal_view record;
    struct og_dedup_journal_mark mark;
    struct og_unpacker body;
    for (;;) {
        end->len = from->off;
        end->next_sequence = from->next_sequence;
        const og_status status = og_journal_reader_next(from, &record, err);
        if (status == OG_END || status == OG_ERR_STORE) return OG_OK;
        if (status != OG_OK) return status;
        if (!take_record(&record, j, &mark, &body)) return OG_OK;
        TRY(read_body(r, &mark, &body, err));
        j->mark = mark;
        j->is_resumed = true;
    }
}

/* Whether the file begins, as far as it goes, with these bytes. */
static bool begins_with(const char *path, const char *magic, bool *out_is_there)
{
    char head[sizeof(OLD_MAGIC)];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *out_is_there = fd >= 0;
    if (fd < 0) return false;
    const int64_t n = og_file_read_at(fd, head, strlen(magic), 0);
    close(fd);
    return n >= 0 && memcmp(head, magic, (size_t)n) == 0;
}

static bool begins_as_journal(const char *path)
{
    bool is_there;
    return begins_with(path, OG_JOURNAL_MAGIC, &is_there) ||
           begins_with(path, OLD_MAGIC, &is_there);
}

static og_status check_old(const char *path, og_error *err)
{
    bool is_there;
    if (begins_with(path, OG_JOURNAL_MAGIC, &is_there) || !is_there)
        return OG_OK;
    if (begins_with(path, OLD_MAGIC, &is_there))
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is the journal of a run of an earlier "
                            "version; remove it and the parts to begin anew",
                            path);
    return og_error_set(err, OG_ERR_INPUT, "'%s' is no journal", path);
}

static og_status read_old(struct og_dedup_journal *j, const struct reading *r,
                          struct journal_end *end, og_error *err)
{
    struct og_journal_reader from;
    *end = (struct journal_end){0, 1};
    TRY(check_old(j->path, err));
    og_status status =
        og_journal_reader_open_file(&from, j->path, j->uuid, NULL, err);
    if (status == OG_END) return OG_OK; /* none, or killed before its head */
    if (status == OG_ERR_STORE)
        return og_error_set(
            err, OG_ERR_INPUT,
            "'%s' is the journal of a run with other options or inputs; remove "
            "it and the parts to begin anew",
            j->path);
    if (status != OG_OK) return status;
    status = read_records(j, &from, r, end, err);
    og_journal_reader_close(&from);
    return status;
}

/* OUTPUT.journal or OUTPUT.part, with links at OUTPUT resolved; for free(). */
static og_status name_beside(const char *output, const char *ending, char **out,
                             og_error *err)
{
    bool in_place;
    char *target = og_output_target(output, &in_place);
    if (target == NULL) return og_file_failure(err, "write", output, errno);
    og_status status = OG_OK;
    if (in_place)
        status = og_error_set(err, OG_ERR_USAGE,
                              "'%s' is not a file: a run that writes it cannot "
                              "be resumed",
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

/* A run that was interrupted after its output got its name left a journal
 * without a part, which is of no more use. Parts without a journal are not
 * ours. */
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
    *j = (struct og_dedup_journal){.sketch_len = sketch_len,
                                   .has_kept = on_kept != NULL,
                                   .every = options->journal_seconds};
    if (!options->resume) return OG_OK;
    TRY(name_beside(options->output, ".journal", &j->path, err));
    TRY(check_parts(j, options, err));
    digest(run, j->uuid);
    const struct reading r = {j, ctx, on_kept, on_center};
    struct journal_end end;
    TRY(read_old(j, &r, &end, err));
    const struct og_journal_options log = {.folder = j->path,
                                           .is_file = true,
                                           .number = 1,
                                           .first_sequence = end.next_sequence,
                                           .continued_len = end.len,
                                           .durable = end.next_sequence - 1,
                                           .uuid = j->uuid};
    TRY(og_journal_new(&log, NULL, &j->log, err));
    if (end.len > 0) j->parts = j->is_resumed ? OG_PART_RESUMED : OG_PART_OURS;
    j->is_on = true;
    j->last = og_clock_seconds();
    return OG_OK;
}

void og_dedup_journal_close(struct og_dedup_journal *j, bool is_done)
{
    og_journal_free(j->log);
    if (is_done && j->path != NULL) unlink(j->path);
    free(j->path);
    og_pack_release(&j->kept);
    og_pack_release(&j->centers);
    *j = (struct og_dedup_journal){0};
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
    struct og_pack words_of_mark = {0};
    pack_mark(&words_of_mark, &mark);
    const struct og_journal_part parts[] = {
        {words_of_mark.data, words_of_mark.len},
        {j->kept.data, j->kept.len},
        {j->centers.data, j->centers.len},
    };
    uint64_t sequence;
    og_status status = OG_OK;
    if (words_of_mark.failed || j->kept.failed || j->centers.failed)
        status = og_error_memory(err, j->kept.len, "a journal");
    else
        status = og_journal_append(j->log, OG_JOURNAL_MARK, parts, 3, &sequence,
                                   err);
    if (status == OG_OK) status = og_journal_commit(j->log, err);
    og_pack_release(&words_of_mark);
    j->kept.len = j->centers.len = 0;
    j->last = now;
    j->last_bytes = bytes;
    return status;
}
