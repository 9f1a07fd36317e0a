/* Writes the parts of a join, and merges them into one answer: code_join.h
 * describes a part. */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <origo/neighbour.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_design.h"
#include "lib/hamming/code_join.h"
#include "lib/os/file.h"

enum { LINE_MOST = 256 };

/* ---- writing ---- */

static og_status put(struct og_part_writer *w, const void *data, size_t len,
                     og_error *err)
{
    if (!w->to_stdout) return og_new_file_write(&w->file, data, len, err);
    if (fwrite(data, 1, len, stdout) == len) return OG_OK;
    char text[128];
    return og_error_set(err, OG_ERR_IO, "cannot write 'stdout': %s",
                        og_file_error_text(errno, text, sizeof(text)));
}

static bool is_part(const struct og_part_writer *w)
{
    return w->head.is_part;
}

og_status og_part_writer_open(struct og_part_writer *w, const char *path,
                              const struct og_part_head *head, og_error *err)
{
    char line[LINE_MOST];
    *w = (struct og_part_writer){.head = *head};
    w->file.fd = -1;
    w->to_stdout = path == NULL || strcmp(path, "-") == 0;
    if (!w->to_stdout) TRY(og_output_open(&w->file, path, false, err));
    if (!is_part(w)) return OG_OK;
    const int n =
        snprintf(line, sizeof(line),
                 "#origo hamming-join 1 bits=%u distance=%u queries=%016" PRIx64
                 " shard=%u/%u\n",
                 head->n_bits, head->max_distance, head->questions,
                 head->shard + 1, head->n_shards);
    const og_status status = put(w, line, (size_t)n, err);
    if (status != OG_OK) og_part_writer_drop(w);
    return status;
}

static uint64_t sum_line(uint64_t sum, const char *at, size_t len)
{
    for (; len >= 8; at += 8, len -= 8)
        sum = og_mix64(sum ^ og_load64(at));
    char rest[8] = {0};
    memcpy(rest, at, len);
    return og_mix64(sum ^ og_load64(rest) ^ (uint64_t)len << 56);
}

static bool has_control(og_bytes s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.data[i] < 0x20 || s.data[i] == 0x7f) return true;
    return false;
}

/* The id as it is written; `room` holds it if it differs from what was read. */
static og_status show_id(struct og_pack *room, og_bytes *id, og_error *err)
{
    if (!has_control(*id)) return OG_OK;
    room->len = 0;
    for (size_t i = 0; i < id->len; i++) {
        char code[8];
        const unsigned char c = (unsigned char)id->data[i];
        if (c < 0x20 || c == 0x7f)
            og_pack_bytes(room, code,
                          (size_t)snprintf(code, sizeof(code), "\\u%04x", c));
        else
            og_pack_bytes(room, &c, 1);
    }
    *id = (og_bytes){(const char *)room->data, room->len};
    return room->failed ? og_error_memory(err, 6 * id->len, "an id") : OG_OK;
}

og_status og_part_writer_pair(struct og_part_writer *w, og_bytes question,
                              og_bytes id, unsigned distance, og_error *err)
{
    char tail[16];
    TRY(show_id(&w->shown[0], &question, err));
    TRY(show_id(&w->shown[1], &id, err));
    const int n = snprintf(tail, sizeof(tail), "\t%u\n", distance);
    w->n_pairs++;
    if (is_part(w)) {
        w->sum = sum_line(w->sum, question.data, question.len);
        w->sum = sum_line(w->sum, id.data, id.len);
        w->sum = sum_line(w->sum, tail, (size_t)n);
    }
    TRY(put(w, question.data, question.len, err));
    TRY(put(w, "\t", 1, err));
    TRY(put(w, id.data, id.len, err));
    return put(w, tail, (size_t)n, err);
}

static void release_shown(struct og_part_writer *w)
{
    og_pack_release(&w->shown[0]);
    og_pack_release(&w->shown[1]);
}

og_status og_part_writer_end(struct og_part_writer *w, og_error *err)
{
    char line[LINE_MOST];
    if (is_part(w)) {
        const int n = snprintf(line, sizeof(line),
                               "#end %" PRIu64 " pairs of a file of %" PRIu64
                               " bytes, sum %016" PRIx64 "\n",
                               w->n_pairs, w->head.file, w->sum);
        TRY(put(w, line, (size_t)n, err));
    }
    if (!w->to_stdout) TRY(og_new_file_commit(&w->file, err));
    release_shown(w);
    return OG_OK;
}

void og_part_writer_drop(struct og_part_writer *w)
{
    release_shown(w);
    if (!w->to_stdout) og_new_file_discard(&w->file);
}

/* ---- merging ---- */

struct part {
    const char *path;
    struct og_part_head head;
    uint64_t n_pairs, sum; /* as the last line states */
};

static og_status cannot_read(const char *path, og_error *err)
{
    return og_file_failure(err, "read", path, errno);
}

static bool parse_head(const char *line, struct og_part_head *head)
{
    int n = -1;
    if (sscanf(line,
               "#origo hamming-join 1 bits=%u distance=%u queries=%16" SCNx64
               " shard=%u/%u%n",
               &head->n_bits, &head->max_distance, &head->questions,
               &head->shard, &head->n_shards, &n) != 5 ||
        n <= 0 || line[n] != '\n' ||
        (head->n_bits != OG_CODE_BITS && head->n_bits != OG_CODE_BITS_WIDE))
        return false;
    if (head->shard == 0 || head->shard > head->n_shards) return false;
    head->shard--;
    return true;
}

static bool parse_end(const char *line, struct part *part)
{
    int n = -1;
    return sscanf(line,
                  "#end %" SCNu64 " pairs of a file of %" SCNu64
                  " bytes, sum %16" SCNx64 "%n",
                  &part->n_pairs, &part->head.file, &part->sum, &n) == 3 &&
           n > 0 && line[n] == '\n';
}

/* Splits "query<TAB>id<TAB>distance\n"; false if it has another form. */
static bool split_pair(const char *line, size_t len, og_bytes *question,
                       og_bytes *id, unsigned *distance)
{
    const char *end = line + len - 1;
    const char *first = memchr(line, '\t', len);
    if (first == NULL || *end != '\n') return false;
    const char *last = memrchr(line, '\t', len);
    if (last == first || end - last < 2 || end - last > 4) return false;
    *question = (og_bytes){line, (size_t)(first - line)};
    *id = (og_bytes){first + 1, (size_t)(last - first) - 1};
    *distance = (unsigned)atoi(last + 1);
    return *distance <= OG_CODE_BITS_WIDE;
}

static og_status bad_part(const struct part *part, uint64_t line,
                          const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_INPUT, "'%s' line %" PRIu64 ": %s",
                        part->path, line, what);
}

/* Reads a whole part, and with `out` passes its pairs on. A line is known to be
 * the last only once no other follows. */
static og_status walk_part(struct part *part, FILE *file, char **line,
                           size_t *line_cap, struct og_part_writer *out,
                           og_error *err)
{
    struct og_part_writer seen = {.n_pairs = 0};
    og_bytes question, id;
    unsigned distance;
    uint64_t n_lines = 1;
    bool ended = false;
    ssize_t n = getline(line, line_cap, file);
    if (n <= 0 || !parse_head(*line, &part->head))
        return bad_part(part, 1, "no part of a hamming-join", err);
    while ((n = getline(line, line_cap, file)) > 0) {
        n_lines++;
        if (ended)
            return bad_part(part, n_lines, "it continues after its end", err);
        if (parse_end(*line, part)) {
            ended = true;
            continue;
        }
        if (!split_pair(*line, (size_t)n, &question, &id, &distance))
            return bad_part(part, n_lines, "no pair of ids and distance", err);
        char tail[16];
        const int tail_len = snprintf(tail, sizeof(tail), "\t%u\n", distance);
        seen.n_pairs++;
        seen.sum = sum_line(seen.sum, question.data, question.len);
        seen.sum = sum_line(seen.sum, id.data, id.len);
        seen.sum = sum_line(seen.sum, tail, (size_t)tail_len);
        if (out != NULL)
            TRY(og_part_writer_pair(out, question, id, distance, err));
    }
    if (ferror(file)) return cannot_read(part->path, err);
    if (!ended)
        return bad_part(part, n_lines, "it is truncated: the end is missing",
                        err);
    if (seen.n_pairs != part->n_pairs || seen.sum != part->sum)
        return bad_part(part, n_lines,
                        "its pairs do not have the sum that its end states",
                        err);
    return OG_OK;
}

static og_status read_part(struct part *part, struct og_part_writer *out,
                           og_error *err)
{
    char *line = NULL;
    size_t line_cap = 0;
    FILE *file = fopen(part->path, "re");
    if (file == NULL) return og_file_failure(err, "open", part->path, errno);
    const og_status status = walk_part(part, file, &line, &line_cap, out, err);
    fclose(file);
    free(line);
    return status;
}

static og_status compare_parts(const struct part *a, const struct part *b,
                               og_error *err)
{
    const struct og_part_head *x = &a->head, *y = &b->head;
    if (x->n_bits == y->n_bits && x->max_distance == y->max_distance &&
        x->questions == y->questions && x->n_shards == y->n_shards &&
        x->file == y->file)
        return OG_OK;
    return og_error_set(
        err, OG_ERR_INPUT,
        "parts of different joins: '%s' has bits=%u distance=%u "
        "queries=%016" PRIx64 " file=%" PRIu64
        " shards=%u, '%s' has bits=%u distance=%u queries=%016" PRIx64
        " file=%" PRIu64 " shards=%u",
        a->path, x->n_bits, x->max_distance, x->questions, x->file, x->n_shards,
        b->path, y->n_bits, y->max_distance, y->questions, y->file,
        y->n_shards);
}

static int compare_shards(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return x->head.shard < y->head.shard ? -1 : x->head.shard > y->head.shard;
}

static og_status check_shards(const struct part *parts, size_t n, og_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (i != 0 && parts[i].head.shard == parts[i - 1].head.shard)
            return og_error_set(
                err, OG_ERR_INPUT, "'%s' and '%s' are both shard %u of %u",
                parts[i - 1].path, parts[i].path, parts[i].head.shard + 1,
                parts[i].head.n_shards);
        if (parts[i].head.shard != i) break;
        if (i + 1 == n && n == parts[0].head.n_shards) return OG_OK;
    }
    size_t missing = 0;
    while (missing < n && parts[missing].head.shard == missing)
        missing++;
    return og_error_set(err, OG_ERR_INPUT, "shard %zu of %u is missing",
                        missing + 1, parts[0].head.n_shards);
}

static og_status merge_parts(struct part *parts, size_t n, const char *output,
                             uint64_t *out_n_pairs, og_error *err)
{
    struct og_part_writer out;
    og_status status = OG_OK;
    for (size_t i = 0; i < n; i++) {
        TRY(read_part(&parts[i], NULL, err));
        TRY(compare_parts(&parts[0], &parts[i], err));
    }
    qsort(parts, n, sizeof(*parts), compare_shards);
    TRY(check_shards(parts, n, err));
    const struct og_part_head whole = {.n_shards = 1};
    TRY(og_part_writer_open(&out, output, &whole, err));
    for (size_t i = 0; i < n && status == OG_OK; i++)
        status = read_part(&parts[i], &out, err);
    if (status == OG_OK) status = og_part_writer_end(&out, err);
    if (status != OG_OK) og_part_writer_drop(&out);
    if (out_n_pairs != NULL) *out_n_pairs = out.n_pairs;
    return status;
}

og_status og_hamming_merge(const char *const *paths, size_t n_paths,
                           const char *output, uint64_t *out_n_pairs,
                           og_error *err)
{
    if (n_paths == 0)
        return og_error_set(err, OG_ERR_USAGE, "no parts to merge");
    struct part *parts = og_allocate_zero(NULL, n_paths * sizeof(*parts));
    if (parts == NULL)
        return og_error_memory(err, n_paths * sizeof(*parts), "parts");
    for (size_t i = 0; i < n_paths; i++)
        parts[i].path = paths[i];
    const og_status status =
        merge_parts(parts, n_paths, output, out_n_pairs, err);
    og_release(NULL, parts, n_paths * sizeof(*parts));
    return status;
}
