/* A growing file of JSON lines.
 *
 * The position is the file's inode, the offset after the last whole line, a
 * hash of the bytes before it, and the number of that line. The hash detects
 * what an inode does not: a file that was truncated and has grown again, an
 * inode reused for a new file. A file with another inode was rotated: the old
 * one is read to its end, also after a restart if it is still in the same
 * folder, then the new one from its beginning. An incomplete line at the end is
 * left until it is complete. */

#include "following.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 << 10, CHECKED = 64 };

struct lines {
    struct follow_source base;
    char *path, *key;
    int fd;
    uint64_t inode, offset, line; /* of the first byte in `data` */
    char *data;
    size_t len, cap;
    bool is_discarding; /* the rest of a line that is too long */
    bool is_missed;     /* the missing file was reported */
    bool has_rotated;   /* the open file now has another name */
    uint64_t next_look; /* ms */
};

static uint64_t max_line(const struct lines *l)
{
    const uint64_t most = l->base.following->options->max_document;
    return most > 0 ? most : (uint64_t)64 << 20;
}

/* ---- positions ---- */

/* Of the bytes before `offset`. */
static uint64_t check_before(int fd, uint64_t offset)
{
    unsigned char bytes[CHECKED];
    const size_t wanted = offset < CHECKED ? (size_t)offset : CHECKED;
    const ssize_t n = pread(fd, bytes, wanted, (off_t)(offset - wanted));
    uint64_t hash = 0xcbf29ce484222325u;
    for (ssize_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

struct place {
    uint64_t inode, offset, check, line;
};

static bool place_of(const struct lines *l, struct place *out)
{
    const char *const value =
        positions_get(&l->base.following->positions, l->key);
    return value != NULL &&
           sscanf(value, "%" SCNu64 " %" SCNu64 " %" SCNx64 " %" SCNu64,
                  &out->inode, &out->offset, &out->check, &out->line) == 4;
}

static og_status mark_place(struct lines *l, og_error *err)
{
    char value[100];
    if (l->fd < 0) return OG_OK;
    snprintf(value, sizeof(value),
             "%" PRIu64 " %" PRIu64 " %" PRIx64 " %" PRIu64, l->inode,
             l->offset, check_before(l->fd, l->offset), l->line);
    return follow_mark(l->base.following, l->key, value, err);
}

static bool is_at(int fd, const struct place *place, uint64_t *out_inode)
{
    struct stat about;
    if (fstat(fd, &about) != 0) return false;
    *out_inode = about.st_ino;
    return about.st_ino == place->inode &&
           (uint64_t)about.st_size >= place->offset &&
           check_before(fd, place->offset) == place->check;
}

/* ---- opening ---- */

static void begin_at(struct lines *l, uint64_t offset, uint64_t line)
{
    l->offset = offset;
    l->line = line;
    l->len = 0;
    l->is_discarding = false;
}

static void drop_file(struct lines *l)
{
    if (l->fd >= 0) close(l->fd);
    l->fd = -1;
    l->has_rotated = false;
    begin_at(l, 0, 0);
}

/* The renamed file, in the same folder; -1: not found. */
static int find_rotated(const struct lines *l, const struct place *place)
{
    char *const copy = strdup(l->path);
    DIR *const folder = copy != NULL ? opendir(dirname(copy)) : NULL;
    const struct dirent *entry;
    int found = -1;
    while (folder != NULL && found < 0 && (entry = readdir(folder)) != NULL) {
        uint64_t inode;
        if (entry->d_ino != place->inode) continue;
        found = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (found >= 0 && !is_at(found, place, &inode)) {
            close(found);
            found = -1;
        }
    }
    if (folder != NULL) closedir(folder);
    free(copy);
    return found;
}

/* Continues where the last run ended, if that can be found. */
static void resume(struct lines *l)
{
    struct place place;
    if (!place_of(l, &place)) return;
    if (is_at(l->fd, &place, &l->inode)) {
        begin_at(l, place.offset, place.line);
        return;
    }
    const int rotated = find_rotated(l, &place);
    if (rotated < 0) {
        follow_problem(l->base.following, l->base.name, 0, false,
                       "was replaced; reading from the beginning");
        return;
    }
    close(l->fd);
    l->fd = rotated;
    l->inode = place.inode;
    l->has_rotated = true;
    begin_at(l, place.offset, place.line);
}

static og_status open_file(struct lines *l, bool is_first, og_error *err)
{
    struct stat about;
    l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
    if (l->fd < 0 || fstat(l->fd, &about) != 0) {
        const bool waits = errno == ENOENT && !l->base.following->options->once;
        if (!waits)
            return follow_fail(err, OG_ERR_IO, "cannot open '%s': %s",
                               l->base.name, strerror(errno));
        if (!l->is_missed)
            follow_problem(l->base.following, l->base.name, 0, false,
                           "does not exist yet");
        l->is_missed = true;
        return OG_OK;
    }
    l->is_missed = false;
    l->inode = about.st_ino;
    begin_at(l, 0, 0);
    if (is_first) resume(l);
    return OG_OK;
}

/* ---- reading ---- */

static bool is_space(og_bytes s)
{
    for (size_t i = 0; i < s.len; i++)
        if (strchr(" \t\r", s.data[i]) == NULL || s.data[i] == 0) return false;
    return true;
}

static og_status take_line(struct lines *l, og_bytes line, og_error *err)
{
    l->line++;
    if (l->is_discarding) {
        l->is_discarding = false;
        return OG_OK;
    }
    if (is_space(line)) return OG_OK;
    return follow_take_json(l->base.following, l->base.name, l->line, line,
                            err);
}

/* Discards the bytes of lines that were taken. */
static void drop_bytes(struct lines *l, size_t n)
{
    memmove(l->data, l->data + n, l->len - n);
    l->len -= n;
    l->offset += n;
}

/* All whole lines, until the batch was written. */
static og_status take_lines(struct lines *l, uint64_t n_writes, og_error *err)
{
    size_t at = 0;
    const char *newline;
    og_status status = OG_OK;
    if (l->len == 0) return OG_OK; /* there may be no buffer yet */
    while (status == OG_OK && l->base.following->n_writes == n_writes &&
           (newline = memchr(l->data + at, '\n', l->len - at)) != NULL) {
        const size_t end = (size_t)(newline - l->data);
        status = take_line(l, (og_bytes){l->data + at, end - at}, err);
        at = end + 1;
    }
    if (at > 0) drop_bytes(l, at);
    if (at > 0 || l->len <= max_line(l)) return status;
    if (!l->is_discarding)
        follow_problem(l->base.following, l->base.name, l->line + 1, true,
                       "the line is longer than %" PRIu64 " bytes",
                       max_line(l));
    l->is_discarding = true;
    drop_bytes(l, l->len);
    return status;
}

static og_status read_piece(struct lines *l, size_t *out_n, og_error *err)
{
    if (l->cap - l->len < PIECE) {
        const size_t cap = l->len + PIECE + l->len / 2;
        char *const data = realloc(l->data, cap);
        if (data == NULL)
            return follow_fail(
                err, OG_ERR_MEMORY,
                "out of memory: cannot allocate %zu bytes for a line of '%s'",
                cap, l->base.name);
        l->data = data;
        l->cap = cap;
    }
    const ssize_t n =
        pread(l->fd, l->data + l->len, PIECE, (off_t)(l->offset + l->len));
    if (n < 0)
        return follow_fail(err, OG_ERR_IO, "cannot read '%s': %s", l->base.name,
                           strerror(errno));
    *out_n = (size_t)n;
    l->len += (size_t)n;
    l->base.following->counts.n_input_bytes += (uint64_t)n;
    return OG_OK;
}

static bool note_nothing(void *ctx, og_bytes name, og_json_kind kind,
                         og_bytes value)
{
    (void)ctx, (void)name, (void)kind, (void)value;
    return true;
}

/* A last line without its newline: it is complete if it is an object. */
static og_status take_rest(struct lines *l, bool is_final, og_error *err)
{
    const og_bytes rest = {l->data, l->len};
    og_error wrong = {0};
    if (l->len == 0 || is_space(rest)) return OG_OK;
    const bool is_whole =
        !l->is_discarding &&
        og_json_each(rest, note_nothing, NULL, &wrong) == OG_OK;
    if (!is_whole && !is_final) return OG_OK;
    const og_status status = take_line(l, rest, err);
    drop_bytes(l, l->len);
    return status;
}

/* At the end of the available data: has another file taken the name? */
static og_status look_at_end(struct lines *l, bool *out_any, og_error *err)
{
    struct stat here, there;
    const bool once = l->base.following->options->once;
    if (fstat(l->fd, &here) != 0) return OG_OK;
    const bool is_there = stat(l->path, &there) == 0;
    if (is_there && (here.st_ino != there.st_ino || l->has_rotated)) {
        /* Data that arrived in between is read first. */
        if ((uint64_t)here.st_size > l->offset + l->len) {
            *out_any = true;
            return OG_OK;
        }
        const og_status status = take_rest(l, true, err);
        if (status != OG_OK) return status;
        drop_file(l);
        *out_any = true;
        return open_file(l, false, err);
    }
    return once ? take_rest(l, false, err) : OG_OK;
}

/* Shorter, or other bytes before the position: rewritten under its inode. */
static void look_for_truncation(struct lines *l, uint64_t check)
{
    struct stat about;
    if (fstat(l->fd, &about) != 0 ||
        ((uint64_t)about.st_size >= l->offset + l->len &&
         check_before(l->fd, l->offset) == check))
        return;
    follow_problem(l->base.following, l->base.name, 0, false,
                   "was truncated; reading from the beginning");
    begin_at(l, 0, 0);
}

static og_status read_on(struct lines *l, bool *out_any, og_error *err)
{
    const uint64_t n_writes = l->base.following->n_writes;
    size_t n = 1;
    og_status status = take_lines(l, n_writes, err);
    while (status == OG_OK && n > 0 &&
           l->base.following->n_writes == n_writes &&
           !follow_should_stop(l->base.following)) {
        status = read_piece(l, &n, err);
        if (status == OG_OK) status = take_lines(l, n_writes, err);
        *out_any |= n > 0;
    }
    *out_any |= l->base.following->n_writes != n_writes;
    if (status == OG_OK && n == 0) status = look_at_end(l, out_any, err);
    return status;
}

static og_status poll_lines(struct follow_source *source, unsigned wait_ms,
                            bool *out_any, og_error *err)
{
    struct lines *const l = (struct lines *)source;
    struct following *const f = source->following;
    struct place place;
    og_status status = OG_OK;
    (void)wait_ms;
    if (follow_now_ms() < l->next_look) return OG_OK;
    if (l->fd < 0)
        status = open_file(l, true, err);
    else if (place_of(l, &place) && place.offset == l->offset)
        look_for_truncation(l, place.check);
    if (status == OG_OK && l->fd >= 0) status = read_on(l, out_any, err);
    if (status == OG_OK) status = mark_place(l, err);
    if (!*out_any && !f->options->once)
        l->next_look = follow_now_ms() + (uint64_t)f->options->interval * 1000;
    return status;
}

static void close_lines(struct follow_source *source)
{
    struct lines *const l = (struct lines *)source;
    if (l->fd >= 0) close(l->fd);
    free(l->path);
    free(l->key);
    free(l->data);
    free(l);
}

/* The absolute path of a file that need not exist yet. */
static char *absolute(const char *path)
{
    char *whole = realpath(path, NULL);
    char *folder = NULL;
    if (whole != NULL || path[0] == '/')
        return whole != NULL ? whole : strdup(path);
    folder = getcwd(NULL, 0);
    if (folder != NULL && asprintf(&whole, "%s/%s", folder, path) < 0)
        whole = NULL;
    free(folder);
    return whole;
}

og_status source_lines_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err)
{
    static const struct follow_source_kind kind = {.poll = poll_lines,
                                                   .close = close_lines};
    struct lines *l;
    const og_status status = follow_allocate(sizeof(*l), &l, err);
    if (status != OG_OK) return status;
    l->base = (struct follow_source){&kind, f, name};
    l->fd = -1;
    *out = &l->base;
    l->path = absolute(name);
    if (l->path == NULL || asprintf(&l->key, "file:%s", l->path) < 0) {
        l->key = NULL;
        return follow_fail(err, OG_ERR_MEMORY, "cannot open '%s'", name);
    }
    return OG_OK;
}
