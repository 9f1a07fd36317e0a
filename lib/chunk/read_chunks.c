/* The chunks of a file, by many threads, the same whatever their number.
 *
 * The data are divided into segments, and each is cut as if a chunk began at
 * its first byte. That is a guess; where the first chunk of a segment really
 * begins is known once the previous segment is done. But where a chunk ends
 * follows from where it begins and from nothing else (cut.h), so as soon as the
 * true cuts meet one of the guessed ones, all that follow are the same.
 * On most data they meet after a chunk or two. Each segment waits for its turn
 * and cuts from the true beginning until they meet; then it admits the next one
 * and hashes its chunks, which is the larger part of the work. On
 * data where they never meet (zeros: every chunk has the maximum length) the
 * segments are cut one after the other; hashing still runs in parallel.
 *
 *     segment     |---------------|---------------|---------------|
 *     guessed     |  |   |    |     | |   |   |     |   |   | |    |
 *     true        |  |   |    |     |  |  |   |     | |     | |    |
 *                                      ^ met: from here on they agree
 *
 * Files are read by pread(2), never mapped: a file that is truncated while it
 * is read is then a short read, which has a message, and not a SIGBUS. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/chunk/chunk_tree.h"
#include "lib/os/cpu.h"
#include "lib/os/file.h"

/* Long enough that few of its cuts are at the seam, short enough that a few
 * segments, whose bytes are still to be hashed, fit into a cache of some MB. */
#define SEGMENT_LEN ((size_t)2 << 20)
/* Longer for large chunks, so that a segment always has cuts of its own. */
#define SEGMENT_CHUNKS 8

struct segment {
    og_chunk *chunks;
    size_t n, cap;
};

struct job {
    const og_cut_options *options;
    const og_allocator *allocator;
    const uint8_t *memory; /* NULL: a file */
    int fd;
    const char *name;
    uint64_t len;
    size_t segment_len;
    struct segment *segments;
    size_t n_segments;

    pthread_mutex_t lock;
    pthread_cond_t turn_came;
    size_t next;    /* the next segment without a worker */
    size_t turn;    /* the segment that may read `begin` */
    uint64_t begin; /* of its first chunk */
    og_status status;
    og_error err;
};

/* ---- one segment ---- */

struct worker {
    struct job *job;
    struct og_cutter guess, truth;
    uint8_t *buffer; /* a segment and the longest chunk after it */
    size_t buffer_cap;
    const uint8_t *data; /* of the segment */
    uint64_t off;        /* of data */
    size_t len;          /* all that is there */
    size_t own_len;      /* where the next segment begins */
    struct og_cuts ends; /* offsets in the file */
};

static og_status read_at(const struct job *job, uint64_t off, uint8_t *out,
                         size_t len, og_error *err)
{
    char buffer[128];
    for (size_t n = 0; n < len;) {
        const ssize_t got = pread(job->fd, out + n, len - n, (off_t)(off + n));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return og_error_set(
                err, OG_ERR_IO, "cannot read '%s': %s", job->name,
                og_file_error_text(errno, buffer, sizeof(buffer)));
        if (got == 0)
            return og_error_set(
                err, OG_ERR_INPUT,
                "'%s' became shorter while it was read: it had %llu bytes, now "
                "it ends at %llu",
                job->name, (unsigned long long)job->len,
                (unsigned long long)off + n);
        n += (size_t)got;
    }
    return OG_OK;
}

static og_status load(struct worker *w, size_t segment, og_error *err)
{
    const struct job *job = w->job;
    const uint64_t left = job->len - segment * job->segment_len;
    w->off = segment * job->segment_len;
    w->own_len = left < job->segment_len ? (size_t)left : job->segment_len;
    w->len = job->segment_len + og_cut_need(job->options);
    if (left < w->len) w->len = (size_t)left;
    if (job->memory != NULL) {
        w->data = job->memory + w->off;
        return OG_OK;
    }
    if (!OG_GROW(job->allocator, w->buffer, w->buffer_cap, w->len))
        return og_error_memory(err, w->len, "a part of a file");
    w->data = w->buffer;
    return read_at(job, w->off, w->buffer, w->len, err);
}

static og_status keep_end(struct worker *w, uint64_t end, og_error *err)
{
    struct og_cuts *ends = &w->ends;
    if (!OG_GROW(ends->allocator, ends->end, ends->cap, ends->n + 1))
        return og_error_memory(err, (ends->n + 1) * sizeof(uint64_t),
                               "the ends of chunks");
    ends->end[ends->n++] = end;
    return OG_OK;
}

/* Cuts from `begin`, a true cut, some chunks at a time until an end is also a
 * guessed one or the segment is finished; then adopts the guessed ones. Leaves
 * in w->ends the ends of all chunks that begin in this segment. */
static og_status join(struct worker *w, uint64_t begin, og_error *err)
{
    const uint64_t own_end = w->off + w->own_len, data_end = w->off + w->len;
    const bool is_last = data_end == w->job->len;
    const size_t some = (size_t)4 * og_cut_need(w->job->options);
    size_t met = 0; /* guessed ends before this one have been passed */
    bool agree = begin == w->off;
    w->ends.n = 0;
    while (!agree && begin < own_end) {
        const uint64_t left = data_end - begin;
        const bool is_rest = left <= some;
        w->truth.n_ends = 0;
        TRY(og_cutter_run(&w->truth, w->data + (begin - w->off),
                          is_rest ? (size_t)left : some, begin,
                          is_rest && is_last, err));
        for (size_t i = 0; i < w->truth.n_ends && begin < own_end && !agree;
             i++) {
            begin = w->truth.ends[i];
            TRY(keep_end(w, begin, err));
            while (met < w->guess.n_ends && w->guess.ends[met] < begin)
                met++;
            agree = met < w->guess.n_ends && w->guess.ends[met] == begin;
        }
    }
    if (agree && begin != w->off) met++;
    for (; agree && begin < own_end; met++) {
        begin = w->guess.ends[met];
        TRY(keep_end(w, begin, err));
    }
    return OG_OK;
}

static og_status hash_chunks(struct worker *w, uint64_t begin,
                             struct segment *out, og_error *err)
{
    if (w->ends.n == 0) return OG_OK;
    if (!OG_GROW(w->job->allocator, out->chunks, out->cap, w->ends.n))
        return og_error_memory(err, w->ends.n * sizeof(*out->chunks), "chunks");
    for (; out->n < w->ends.n; out->n++) {
        og_chunk *chunk = &out->chunks[out->n];
        chunk->offset = begin;
        chunk->len = (uint32_t)(w->ends.end[out->n] - begin);
        og_bytes_hash(w->data + (begin - w->off), chunk->len, chunk->hash);
        begin += chunk->len;
    }
    return OG_OK;
}

/* ---- many ---- */

static bool wait_turn(struct job *job, size_t segment, uint64_t *out_begin)
{
    pthread_mutex_lock(&job->lock);
    while (job->turn != segment && job->status == OG_OK)
        pthread_cond_wait(&job->turn_came, &job->lock);
    *out_begin = job->begin;
    const bool continues = job->status == OG_OK;
    pthread_mutex_unlock(&job->lock);
    return continues;
}

static void pass_turn(struct job *job, uint64_t begin)
{
    pthread_mutex_lock(&job->lock);
    job->turn++;
    job->begin = begin;
    pthread_cond_broadcast(&job->turn_came);
    pthread_mutex_unlock(&job->lock);
}

/* The first failure is the one that is reported. */
static void fail(struct job *job, og_status status, const og_error *err)
{
    pthread_mutex_lock(&job->lock);
    if (job->status == OG_OK) {
        job->status = status;
        job->err = *err;
    }
    pthread_cond_broadcast(&job->turn_came);
    pthread_mutex_unlock(&job->lock);
}

static bool take_segment(struct job *job, size_t *out)
{
    pthread_mutex_lock(&job->lock);
    const bool is_there = job->next < job->n_segments && job->status == OG_OK;
    if (is_there) *out = job->next++;
    pthread_mutex_unlock(&job->lock);
    return is_there;
}

static og_status do_segment(struct worker *w, size_t segment, og_error *err)
{
    uint64_t begin;
    TRY(load(w, segment, err));
    w->guess.n_ends = 0;
    TRY(og_cutter_run(&w->guess, w->data, w->len, w->off,
                      w->off + w->len == w->job->len, err));
    if (!wait_turn(w->job, segment, &begin)) return OG_OK;
    TRY(join(w, begin, err));
    pass_turn(w->job, w->ends.n > 0 ? w->ends.end[w->ends.n - 1] : begin);
    return hash_chunks(w, begin, &w->job->segments[segment], err);
}

static og_status do_segments(struct worker *w, og_error *err)
{
    const struct job *job = w->job;
    size_t segment;
    TRY(og_cutter_init(&w->guess, job->options, job->allocator, err));
    /* The first segment begins with a true cut; often it is the only one. */
    if (job->n_segments > 1)
        TRY(og_cutter_init(&w->truth, job->options, job->allocator, err));
    while (take_segment(w->job, &segment))
        TRY(do_segment(w, segment, err));
    return OG_OK;
}

static void *work(void *job)
{
    struct worker w = {.job = job};
    og_error err;
    og_cuts_init(&w.ends, w.job->allocator);
    const og_status status = do_segments(&w, &err);
    if (status != OG_OK) fail(job, status, &err);
    og_cuts_release(&w.ends);
    OG_UNGROW(w.job->allocator, w.buffer, w.buffer_cap);
    og_cutter_release(&w.truth);
    og_cutter_release(&w.guess);
    return NULL;
}

enum { MAX_THREADS = 64 };

/* The caller works too; threads that cannot be created are not needed. */
static void run_threads(struct job *job, unsigned n_threads)
{
    pthread_t threads[MAX_THREADS];
    unsigned n = 0;
    if (n_threads == 0) n_threads = job->n_segments > 1 ? og_cpu_count() : 1;
    if (n_threads > job->n_segments) n_threads = (unsigned)job->n_segments;
    if (n_threads > MAX_THREADS) n_threads = MAX_THREADS;
    while (n + 1 < n_threads &&
           pthread_create(&threads[n], NULL, work, job) == 0)
        n++;
    work(job);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

/* The chunks of all segments, one after the other. */
static og_status collect(const struct job *job, struct og_chunk_tree *tree,
                         og_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < job->n_segments; i++)
        n += job->segments[i].n;
    if (!OG_GROW(tree->allocator, tree->chunks, tree->chunks_cap, n))
        return og_error_memory(err, n * sizeof(og_chunk), "chunks");
    for (size_t i = 0; i < job->n_segments; i++) {
        const struct segment *segment = &job->segments[i];
        if (segment->n == 0) continue;
        memcpy(tree->chunks + tree->n_chunks, segment->chunks,
               segment->n * sizeof(og_chunk));
        tree->n_chunks += segment->n;
    }
    return og_chunk_tree_build(tree, err);
}

static og_status run_job(struct job *job, unsigned n_threads,
                         struct og_chunk_tree *tree, og_error *err)
{
    const size_t longest = (size_t)SEGMENT_CHUNKS * og_cut_need(job->options);
    job->segment_len = longest > SEGMENT_LEN ? longest : SEGMENT_LEN;
    job->n_segments = (size_t)(job->len / job->segment_len +
                               (job->len % job->segment_len != 0));
    job->segments = og_allocate_zero(
        job->allocator, (job->n_segments + 1) * sizeof(*job->segments));
    if (job->segments == NULL)
        return og_error_memory(err, job->n_segments * sizeof(*job->segments),
                               "chunks");
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->turn_came, NULL);
    run_threads(job, n_threads);
    og_status status = job->status;
    if (status != OG_OK)
        og_error_set(err, status, "%s", job->err.message);
    else
        status = collect(job, tree, err);
    pthread_cond_destroy(&job->turn_came);
    pthread_mutex_destroy(&job->lock);
    for (size_t i = 0; i < job->n_segments; i++)
        OG_UNGROW(job->allocator, job->segments[i].chunks,
                  job->segments[i].cap);
    og_release(job->allocator, job->segments,
               (job->n_segments + 1) * sizeof(*job->segments));
    return status;
}

/* ---- the doors ---- */

static og_status start(struct og_chunk_tree *tree,
                       const og_cut_options *options, og_error *err)
{
    og_chunk_tree_release(tree);
    TRY(og_cut_options_check(options, err));
    tree->options = *options;
    return OG_OK;
}

static og_status finish(struct og_chunk_tree *tree, og_status status)
{
    if (status != OG_OK) og_chunk_tree_release(tree);
    return status;
}

og_status og_chunks_of_memory(const void *data, size_t len,
                              const og_cut_options *options, unsigned n_threads,
                              struct og_chunk_tree *tree, og_error *err)
{
    TRY(start(tree, options, err));
    struct job job = {.options = options,
                      .allocator = tree->allocator,
                      .memory = len > 0 ? data : (const void *)"",
                      .name = "",
                      .len = len};
    return finish(tree, run_job(&job, n_threads, tree, err));
}

/* A pipe: its length is unknown, and it can be read only once. */
struct pipe_reader {
    struct og_chunk_tree *tree;
    struct og_cutter cutter;
    int fd;
    const char *name;
    uint8_t *buffer; /* from the beginning of the open chunk on */
    size_t n, cap;
    uint64_t begin; /* of buffer in the stream */
};

static og_status add_chunks(struct pipe_reader *r, bool is_last, og_error *err)
{
    struct og_chunk_tree *tree = r->tree;
    const uint64_t from = r->begin;
    r->cutter.n_ends = 0;
    if (r->n == 0) return OG_OK;
    TRY(og_cutter_run(&r->cutter, r->buffer, r->n, from, is_last, err));
    const size_t need = tree->n_chunks + r->cutter.n_ends;
    if (!OG_GROW(tree->allocator, tree->chunks, tree->chunks_cap, need))
        return og_error_memory(err, need * sizeof(og_chunk), "chunks");
    for (size_t i = 0; i < r->cutter.n_ends; i++) {
        og_chunk *chunk = &tree->chunks[tree->n_chunks++];
        chunk->offset = r->begin;
        chunk->len = (uint32_t)(r->cutter.ends[i] - r->begin);
        og_bytes_hash(r->buffer + (r->begin - from), chunk->len, chunk->hash);
        r->begin = r->cutter.ends[i];
    }
    const size_t n_done = (size_t)(r->begin - from);
    memmove(r->buffer, r->buffer + n_done, r->n - n_done);
    r->n -= n_done;
    return OG_OK;
}

/* Fills the buffer, so that few bytes are cut twice. *out_ended: the stream has
 * ended. */
static og_status fill(struct pipe_reader *r, bool *out_ended, og_error *err)
{
    char text[128];
    *out_ended = false;
    while (r->n < r->cap && !*out_ended) {
        const ssize_t got =
            og_file_read(r->fd, r->buffer + r->n, r->cap - r->n);
        if (got < 0)
            return og_error_set(err, OG_ERR_IO, "cannot read '%s': %s", r->name,
                                og_file_error_text(errno, text, sizeof(text)));
        r->n += (size_t)got;
        *out_ended = got == 0;
    }
    return OG_OK;
}

static og_status read_pipe(struct pipe_reader *r, og_error *err)
{
    const size_t longest =
        (size_t)SEGMENT_CHUNKS * og_cut_need(&r->tree->options);
    const size_t cap = longest > SEGMENT_LEN ? longest : SEGMENT_LEN;
    if (!OG_GROW(r->tree->allocator, r->buffer, r->cap, cap))
        return og_error_memory(err, cap, "a part of a file");
    for (bool ended = false; !ended;) {
        TRY(fill(r, &ended, err));
        TRY(add_chunks(r, ended, err));
    }
    return og_chunk_tree_build(r->tree, err);
}

static og_status chunks_of_pipe(int fd, const char *name,
                                struct og_chunk_tree *tree, og_error *err)
{
    struct pipe_reader r = {.tree = tree, .fd = fd, .name = name};
    TRY(og_cutter_init(&r.cutter, &tree->options, tree->allocator, err));
    const og_status status = read_pipe(&r, err);
    OG_UNGROW(tree->allocator, r.buffer, r.cap);
    og_cutter_release(&r.cutter);
    return status;
}

og_status og_chunks_of_fd(int fd, const char *name,
                          const og_cut_options *options, unsigned n_threads,
                          struct og_chunk_tree *tree, og_error *err)
{
    struct stat st;
    char text[128];
    TRY(start(tree, options, err));
    if (fstat(fd, &st) != 0)
        return og_error_set(err, OG_ERR_IO, "cannot read '%s': %s", name,
                            og_file_error_text(errno, text, sizeof(text)));
    if (S_ISDIR(st.st_mode))
        return og_error_set(err, OG_ERR_IO, "cannot read '%s': it is a folder",
                            name);
    /* Files of /proc have a length of 0 but contain bytes. */
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return finish(tree, chunks_of_pipe(fd, name, tree, err));
    struct job job = {.options = options,
                      .allocator = tree->allocator,
                      .fd = fd,
                      .name = name,
                      .len = (uint64_t)st.st_size};
    return finish(tree, run_job(&job, n_threads, tree, err));
}

og_status og_chunks_of_file(const char *path, const og_cut_options *options,
                            unsigned n_threads, struct og_chunk_tree *tree,
                            og_error *err)
{
    char text[128];
    if (strcmp(path, "-") == 0)
        return og_chunks_of_fd(STDIN_FILENO, "-", options, n_threads, tree,
                               err);
    const int fd = og_file_open(path);
    if (fd < 0) {
        og_chunk_tree_release(tree);
        return og_error_set(err, OG_ERR_IO, "cannot open '%s': %s", path,
                            og_file_error_text(errno, text, sizeof(text)));
    }
    const og_status status =
        og_chunks_of_fd(fd, path, options, n_threads, tree, err);
    close(fd);
    return status;
}
