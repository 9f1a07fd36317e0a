/* Which pieces of a new file are in old ones.
 *
 *     new    ....[chunk]........[chunk][chunk]...
 *     old  ..[chunk]...      ...[chunk][chunk]..
 *               <== ==>   each match grows in both directions, byte by byte
 *
 * Chunks only find the places: every match is compared byte for byte and
 * extended until the bytes differ or it reaches a neighbour. So a delta is
 * precise to the byte with an index of chunks, and equal keys of different
 * chunks do no harm. A match that extends over the next chunks makes their
 * look-up unnecessary, hence an unchanged file is one copy.
 *
 * The old files are those that the caller names; of folders, those files that
 * are similar (similar.h), as in section 6.2. */

#include "lib/delta/delta.h"

#include "lib/chunk/known.h"
#include "lib/os/file.h"
#include "lib/similar/similar.h"
#include "lib/source/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A copy costs some 6 bytes and ends a literal: shorter ones are not worth
 * it. */
enum { LEAST_COPY = 32 };

/* ---- old files ---- */

void og_delta_olds_release(struct og_delta_olds *olds)
{
    for (size_t i = 0; i < olds->n; i++) {
        if (olds->files[i].fd >= 0) close(olds->files[i].fd);
        og_name_release(olds->allocator, olds->files[i].path);
        og_file_window_release(&olds->files[i].window);
    }
    OG_UNGROW(olds->allocator, olds->files, olds->cap);
    olds->n = 0;
}

static og_status open_regular(const char *path, int *out_fd, uint64_t *out_len,
                              og_error *err)
{
    struct stat st;
    const int fd = og_file_open(path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is not a regular file: a delta needs to read "
                            "it at any place",
                            path);
    }
    *out_fd = fd;
    *out_len = (uint64_t)st.st_size;
    return OG_OK;
}

og_status og_delta_olds_add(struct og_delta_olds *olds, const char *path,
                            og_error *err)
{
    struct og_delta_old old = {.number = UINT32_MAX};
    if (!OG_GROW(olds->allocator, olds->files, olds->cap, olds->n + 1))
        return og_error_memory(err, sizeof(old), "an old file");
    TRY(open_regular(path, &old.fd, &old.len, err));
    old.path = og_name_new(olds->allocator, path, strlen(path));
    if (old.path == NULL) {
        close(old.fd);
        return og_error_memory(err, strlen(path), "an old file");
    }
    olds->files[olds->n++] = old;
    struct og_delta_old *added = &olds->files[olds->n - 1];
    return og_file_window_init(&added->window, added->fd, added->path,
                               added->len, olds->allocator, err);
}

static og_status chunk_old(struct og_delta_olds *olds, size_t i,
                           const og_cut_options *cut, unsigned n_threads,
                           struct og_known_chunks *known, og_error *err)
{
    struct og_delta_old *old = &olds->files[i];
    struct og_chunk_tree tree;
    og_chunk_tree_init(&tree, olds->allocator);
    og_status status =
        og_chunks_of_fd(old->fd, old->path, cut, n_threads, &tree, err);
    for (size_t c = 0; status == OG_OK && c < tree.n_chunks; c++)
        if (!og_known_chunks_add(known, og_hash_key(tree.chunks[c].hash),
                                 (uint32_t)i, tree.chunks[c].offset,
                                 tree.chunks[c].len))
            status = og_error_memory(err, known->cap, "known chunks");
    old->len = old->window.file_len = tree.file_len;
    memcpy(old->root, tree.root, OG_HASH_LEN);
    og_chunk_tree_release(&tree);
    return status;
}

/* ---- matching ---- */

struct matcher {
    struct og_delta_olds *olds;
    struct og_known_chunks known;
    struct og_file_window *new_file;
    struct og_delta_pieces *pieces;
    uint64_t end; /* of the last piece */
};

static size_t common_prefix(const uint8_t *a, const uint8_t *b, size_t len)
{
    size_t i = 0;
    while (i + 8 <= len && og_load64(a + i) == og_load64(b + i))
        i += 8;
    while (i < len && a[i] == b[i])
        i++;
    return i;
}

/* The number of equal bytes from the two positions on. */
static og_status grow_forward(struct og_file_window *a, uint64_t a_off,
                              struct og_file_window *b, uint64_t b_off,
                              uint64_t *out, og_error *err)
{
    *out = 0;
    while (a_off < a->file_len && b_off < b->file_len) {
        const uint8_t *p, *q;
        size_t len = OG_WINDOW_LEN;
        TRY(og_file_window_at(a, a_off, &len, &p, err));
        TRY(og_file_window_at(b, b_off, &len, &q, err));
        const size_t n = common_prefix(p, q, len);
        *out += n;
        a_off += n;
        b_off += n;
        if (n < len) break;
    }
    return OG_OK;
}

/* The number of equal bytes before them, at most `most`. */
static og_status grow_backward(struct og_file_window *a, uint64_t a_off,
                               struct og_file_window *b, uint64_t b_off,
                               uint64_t most, uint64_t *out, og_error *err)
{
    *out = 0;
    while (*out < most && a_off > 0 && b_off > 0) {
        const uint8_t *p, *q;
        size_t p_len = OG_WINDOW_LEN, n = 0;
        if (p_len > most - *out) p_len = (size_t)(most - *out);
        TRY(og_file_window_before(a, a_off, &p_len, &p, err));
        size_t q_len = p_len;
        TRY(og_file_window_before(b, b_off, &q_len, &q, err));
        while (n < q_len && p[p_len - 1 - n] == q[q_len - 1 - n])
            n++;
        *out += n;
        a_off -= n;
        b_off -= n;
        if (n < q_len) break;
    }
    return OG_OK;
}

static og_status add_piece(struct matcher *m, uint32_t old, uint64_t old_off,
                           uint64_t len, og_error *err)
{
    struct og_delta_pieces *p = m->pieces;
    if (len == 0) return OG_OK;
    if (!OG_GROW(m->olds->allocator, p->data, p->cap, p->n + 1))
        return og_error_memory(err, sizeof(*p->data), "pieces of a delta");
    p->data[p->n++] = (struct og_delta_piece){old, old_off, m->end, len};
    m->end += len;
    return OG_OK;
}

/* Tries to extend a copy around a position that the key of a chunk suggests. */
static og_status try_match(struct matcher *m, uint64_t new_off,
                           const struct og_chunk_place *place, og_error *err)
{
    struct og_file_window *old = &m->olds->files[place->file].window;
    uint64_t before, after;
    TRY(grow_forward(m->new_file, new_off, old, place->off, &after, err));
    if (after == 0) return OG_OK;
    TRY(grow_backward(m->new_file, new_off, old, place->off, new_off - m->end,
                      &before, err));
    if (before + after < LEAST_COPY) return OG_OK;
    TRY(add_piece(m, UINT32_MAX, 0, new_off - before - m->end, err));
    return add_piece(m, place->file, place->off - before, before + after, err);
}

/* After a change of equal length both files continue in step: worth trying
 * before the table, since a repeated chunk may be known at another position. */
static bool is_in_step(const struct matcher *m, uint64_t new_off,
                       const struct og_chunk_place *found,
                       struct og_chunk_place *out)
{
    if (m->pieces->n == 0) return false;
    const struct og_delta_piece *last = &m->pieces->data[m->pieces->n - 1];
    if (last->old == UINT32_MAX) return false;
    *out = *found;
    out->file = last->old;
    out->off = last->old_off + (new_off - last->new_off);
    return out->off < m->olds->files[last->old].len;
}

static og_status match_chunk(struct matcher *m, const og_chunk *chunk,
                             og_error *err)
{
    uint64_t off = chunk->offset;
    struct og_chunk_place in_step;
    const struct og_chunk_place *found =
        og_known_chunks_find(&m->known, og_hash_key(chunk->hash));
    if (found == NULL || off + chunk->len <= m->end) return OG_OK;
    if (is_in_step(m, off < m->end ? m->end : off, found, &in_step)) {
        const uint64_t end = m->end;
        TRY(try_match(m, off < m->end ? m->end : off, &in_step, err));
        if (m->end > end) return OG_OK;
    }
    struct og_chunk_place place = *found;
    if (off < m->end) {
        place.off += m->end - off;
        off = m->end;
    }
    return try_match(m, off, &place, err);
}

static og_status find_pieces(struct matcher *m,
                             const struct og_chunk_tree *tree, og_error *err)
{
    for (size_t i = 0; i < tree->n_chunks; i++)
        TRY(match_chunk(m, &tree->chunks[i], err));
    return add_piece(m, UINT32_MAX, 0, tree->file_len - m->end, err);
}

/* ---- which old files ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Every file of the folders, except the new one. A file that cannot be read is
 * not a candidate, and not a failure. */
static og_status index_folders(const char *const *paths, size_t n_paths,
                               const char *new_path, struct og_similar *index,
                               const og_delta_options *options, og_error *err)
{
    struct og_walk walk;
    struct og_walk_entry entry;
    struct og_file_chunks chunks;
    og_status status;
    og_file_chunks_init(&chunks, NULL);
    og_walk_init(&walk, paths, n_paths, NULL);
    while ((status = og_walk_next(&walk, &entry, err)) == OG_OK) {
        if (entry.kind != OG_WALK_FILE || is_same_file(entry.path, new_path))
            continue;
        status = og_file_chunks_read(&chunks, entry.path, &options->cut,
                                     options->n_threads, err);
        if (status == OG_ERR_IO || status == OG_ERR_INPUT) continue;
        if (status == OG_OK)
            status = og_similar_add(index, entry.path, &chunks, err);
        if (status != OG_OK) break;
    }
    og_walk_release(&walk);
    og_file_chunks_release(&chunks);
    return status == OG_END ? OG_OK : status;
}

static og_status add_similar(const char *const *folders, size_t n_folders,
                             const char *new_path,
                             const struct og_chunk_tree *tree,
                             const og_delta_options *options,
                             struct og_delta_olds *olds, og_error *err)
{
    const struct og_file_sketch_options traits = OG_FILE_SKETCH_OPTIONS_DEFAULT;
    struct og_similar_options ask = OG_SIMILAR_OPTIONS_DEFAULT;
    struct og_similar_answer answer;
    struct og_file_chunks chunks;
    struct og_similar *index = NULL;
    og_similar_answer_init(&answer, NULL);
    og_file_chunks_init(&chunks, NULL);
    ask.n_wanted = options->n_similar;
    ask.n_candidates = 4 * options->n_similar + 64;
    og_status status =
        og_similar_new(&traits, &options->cut, NULL, &index, err);
    if (status == OG_OK)
        status =
            index_folders(folders, n_folders, new_path, index, options, err);
    if (status == OG_OK) status = og_file_chunks_take(&chunks, tree, err);
    if (status == OG_OK)
        status = og_similar_ask(index, &chunks, &ask, &answer, err);
    for (size_t i = 0; status == OG_OK && i < answer.n; i++)
        status = og_delta_olds_add(
            olds, og_similar_file_at(index, answer.matches[i].file).name, err);
    og_similar_free(index);
    og_similar_answer_release(&answer);
    og_file_chunks_release(&chunks);
    return status;
}

static og_status gather_olds(const char *const *paths, size_t n_paths,
                             const char *new_path,
                             const struct og_chunk_tree *tree,
                             const og_delta_options *options,
                             struct og_delta_olds *olds, og_error *err)
{
    const char **folders = NULL;
    size_t n_folders = 0, folders_cap = 0;
    og_status status = OG_GROW(NULL, folders, folders_cap, n_paths + 1)
                           ? OG_OK
                           : og_error_memory(err, n_paths * 8, "paths");
    for (size_t i = 0; status == OG_OK && i < n_paths; i++)
        if (is_folder(paths[i]))
            folders[n_folders++] = paths[i];
        else
            status = og_delta_olds_add(olds, paths[i], err);
    if (status == OG_OK && n_folders > 0)
        status =
            add_similar(folders, n_folders, new_path, tree, options, olds, err);
    OG_UNGROW(NULL, folders, folders_cap);
    return status;
}

/* ---- making ---- */

og_delta_options og_delta_options_default(void)
{
    return (og_delta_options){.cut.kind = OG_CUT_GEAR, .n_similar = 8};
}

/* Twice the chunk for twice the bytes: matches grow byte by byte, so longer
 * chunks only miss pieces that are shorter than they are. */
og_cut_options og_delta_cut(const og_delta_options *options, uint64_t n_bytes)
{
    uint32_t average_len = OG_DELTA_USUAL_CHUNK;
    if (options->cut.average_len != 0) return options->cut;
    while (n_bytes / average_len > OG_DELTA_MOST_CHUNKS &&
           average_len < UINT32_C(1) << 26)
        average_len *= 2;
    return og_cut_options_default(options->cut.kind, average_len);
}

/* Bytes of all files; those of folders are about as long as the new one. A path
 * that cannot be read is reported when it is opened. */
static uint64_t total_len(const char *const *old_paths, size_t n_old,
                          uint64_t new_len, size_t n_similar)
{
    uint64_t total = new_len;
    bool has_folder = false;
    struct stat st;
    for (size_t i = 0; i < n_old; i++) {
        if (stat(old_paths[i], &st) != 0) continue;
        if (S_ISREG(st.st_mode)) total += (uint64_t)st.st_size;
        has_folder |= S_ISDIR(st.st_mode);
    }
    return has_folder ? total + n_similar * new_len : total;
}

static void fill_info(const struct og_delta_olds *olds,
                      const struct og_delta_pieces *pieces, uint64_t new_len,
                      uint64_t delta_len, og_delta_info *out)
{
    *out = (og_delta_info){.new_len = new_len, .delta_len = delta_len};
    for (size_t i = 0; i < olds->n; i++)
        out->n_old += olds->files[i].number != UINT32_MAX;
    for (size_t i = 0; i < pieces->n; i++) {
        if (pieces->data[i].old == UINT32_MAX) {
            out->literal_len += pieces->data[i].len;
        } else {
            out->copied_len += pieces->data[i].len;
            out->n_copies++;
        }
    }
}

/* With all files open: match, write, report. */
static og_status make_delta(struct og_delta_olds *olds,
                            struct og_file_window *new_file,
                            const struct og_chunk_tree *tree,
                            const char *out_path,
                            const og_delta_options *options,
                            og_delta_info *out_info, og_error *err)
{
    struct og_delta_pieces pieces = {0};
    struct matcher m = {.olds = olds, .new_file = new_file, .pieces = &pieces};
    struct og_new_file out;
    og_known_chunks_init(&m.known, NULL);
    og_status status = OG_OK;
    for (size_t i = 0; status == OG_OK && i < olds->n; i++)
        status = chunk_old(olds, i, &options->cut, options->n_threads, &m.known,
                           err);
    if (status == OG_OK) status = find_pieces(&m, tree, err);
    if (status == OG_OK) status = og_output_open(&out, out_path, false, err);
    if (status == OG_OK) {
        status = og_delta_write(olds, &pieces, new_file, tree, options->level,
                                &out, err);
        const uint64_t delta_len = out.len;
        if (status == OG_OK) status = og_new_file_commit(&out, err);
        og_new_file_discard(&out);
        if (status == OG_OK && out_info != NULL)
            fill_info(olds, &pieces, tree->file_len, delta_len, out_info);
    }
    og_known_chunks_release(&m.known);
    OG_UNGROW(NULL, pieces.data, pieces.cap);
    return status;
}

og_status og_delta_make(const char *const *old_paths, size_t n_old,
                        const char *new_path, const char *out_path,
                        const og_delta_options *options,
                        og_delta_info *out_info, og_error *err)
{
    og_delta_options chosen =
        options != NULL ? *options : og_delta_options_default();
    struct og_delta_olds olds = {0};
    struct og_chunk_tree tree;
    struct og_file_window window = {.fd = -1};
    int fd = -1;
    uint64_t len = 0;
    if (chosen.cut.average_len != 0)
        TRY(og_cut_options_check(&chosen.cut, err));
    if (chosen.level < 0 || chosen.level > 19)
        return og_error_set(err, OG_ERR_USAGE, "level must be 1 to 19, not %d",
                            chosen.level);
    olds.allocator = NULL;
    og_chunk_tree_init(&tree, NULL);
    og_status status = open_regular(new_path, &fd, &len, err);
    if (status == OG_OK) {
        chosen.cut = og_delta_cut(
            &chosen, total_len(old_paths, n_old, len, chosen.n_similar));
        status = og_chunks_of_fd(fd, new_path, &chosen.cut, chosen.n_threads,
                                 &tree, err);
    }
    if (status == OG_OK)
        status = og_file_window_init(&window, fd, new_path, tree.file_len, NULL,
                                     err);
    if (status == OG_OK)
        status =
            gather_olds(old_paths, n_old, new_path, &tree, &chosen, &olds, err);
    if (status == OG_OK)
        status =
            make_delta(&olds, &window, &tree, out_path, &chosen, out_info, err);
    og_delta_olds_release(&olds);
    og_file_window_release(&window);
    og_chunk_tree_release(&tree);
    if (fd >= 0) close(fd);
    return status;
}
