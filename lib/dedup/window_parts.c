/* Windows in parts on disk.
 *
 * The records of a part are in its buffer until that is full; then they are
 * appended to the file. So parts are interleaved in the file, in an order that
 * depends on the threads, but the chunks of each part are in the order in which
 * they were filled.
 *
 * While parts are marked each thread has a table. A window's slot and its bit
 * are prefetched some windows ahead: neither is in the cache. Bits of one byte
 * belong to windows of many parts, so they are set by atomic operations, unless
 * there is only one thread. */

#include "lib/dedup/window_parts.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/hash_table.h"
#include "lib/os/clock.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"

/* Records of a part before they are written. */
#define BUFFER_LEN ((size_t)1024)

/* Holders of a thread before they go to the sorter. */
#define HOLDERS_LEN ((size_t)1024)

/* Parts between two reports of progress. */
#define ROUND 64

/* How many windows ahead to prefetch. */
#define AHEAD 8

struct slot {
    uint64_t hash;
    uint32_t more, document; /* document: from 1; 0: empty */
};

/* Marks one part after another. */
struct lane {
    struct slot *slots;
    size_t n_slots;
    struct og_window *chunk;
    struct og_window_holder *holders;
    size_t n_holders;
};

struct marking {
    struct og_window_parts *parts;
    const struct og_window_marks *marks;
    struct lane *lanes;
    size_t n_lanes, end; /* parts before `end` may be marked now */
    atomic_size_t next;
    pthread_mutex_t lock; /* of the sorter */
};

/* ---- beginning and end ---- */

/* As many parts as give tables of some megabytes. */
og_status og_window_parts_init(struct og_window_parts *p, uint64_t text_len,
                               const char *folder, og_error *err)
{
    *p = (struct og_window_parts){.folder = folder, .bits = 4};
    while ((1u << p->bits) < OG_WINDOW_PARTS_MAX &&
           text_len >> p->bits > 1 << 20)
        p->bits++;
    p->fd = og_temp_file_open(folder, err);
    if (p->fd < 0) return OG_ERR_IO;
    p->parts = og_allocate_zero(NULL, sizeof(*p->parts) << p->bits);
    if (p->parts == NULL)
        return og_error_memory(err, sizeof(*p->parts) << p->bits, "passages");
    for (size_t i = 0; i < (size_t)1 << p->bits; i++) {
        p->parts[i].buffer =
            og_allocate(NULL, BUFFER_LEN * sizeof(struct og_window));
        if (p->parts[i].buffer == NULL)
            return og_error_memory(err, BUFFER_LEN * sizeof(struct og_window),
                                   "passages");
    }
    return OG_OK;
}

static void release_part(struct og_window_part *part)
{
    og_release(NULL, part->buffer, BUFFER_LEN * sizeof(*part->buffer));
    part->buffer = NULL;
    part->n = part->n_chunks = 0;
    OG_UNGROW(NULL, part->chunks, part->chunks_cap);
}

void og_window_parts_release(struct og_window_parts *p)
{
    for (size_t i = 0; p->parts != NULL && i < (size_t)1 << p->bits; i++)
        release_part(&p->parts[i]);
    og_release(NULL, p->parts, sizeof(*p->parts) << p->bits);
    p->parts = NULL;
    if (p->is_closing) pthread_join(p->closing, NULL);
    p->is_closing = false;
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
}

/* ---- dealing out ---- */

static og_status write_chunk(struct og_window_parts *p,
                             struct og_window_part *part, og_error *err)
{
    const size_t len = BUFFER_LEN * sizeof(*part->buffer);
    if (!OG_GROW(NULL, part->chunks, part->chunks_cap, part->n_chunks + 1))
        return og_error_memory(err, part->n_chunks * 8, "passages");
    const uint64_t off = atomic_fetch_add(&p->file_len, len);
    if (og_file_write_at(p->fd, part->buffer, len, off) != 0)
        return og_file_failure(err, "write a temporary file in", p->folder,
                               errno);
    part->chunks[part->n_chunks++] = off;
    part->n = 0;
    return OG_OK;
}

og_status og_window_parts_add(struct og_window_parts *p, size_t number,
                              const struct og_window *windows, size_t n,
                              uint64_t base, og_error *err)
{
    struct og_window_part *part = &p->parts[number];
    for (size_t i = 0; i < n; i++) {
        part->buffer[part->n++] =
            (struct og_window){windows[i].hash, windows[i].place + base};
        if (part->n == BUFFER_LEN) TRY(write_chunk(p, part, err));
    }
    return OG_OK;
}

/* ---- holders ---- */

static og_status sort_holders(struct marking *m, struct lane *lane,
                              og_error *err)
{
    og_status status = OG_OK;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < lane->n_holders && status == OG_OK; i++)
        status = og_sorter_add(m->marks->holders, &lane->holders[i], err);
    pthread_mutex_unlock(&m->lock);
    lane->n_holders = 0;
    return status;
}

static og_status note_holder(struct marking *m, struct lane *lane,
                             uint64_t place, uint64_t document, og_error *err)
{
    lane->holders[lane->n_holders++] =
        (struct og_window_holder){place, document};
    return lane->n_holders == HOLDERS_LEN ? sort_holders(m, lane, err) : OG_OK;
}

/* ---- one part ---- */

static size_t slots_for(const struct og_window_part *part)
{
    const size_t n_windows = part->n_chunks * BUFFER_LEN + part->n;
    size_t n_slots = 1024;
    while (n_slots < n_windows + n_windows / 2)
        n_slots *= 2;
    return n_slots;
}

static og_status clear_table(struct lane *lane, size_t n_slots, og_error *err)
{
    if (n_slots > lane->n_slots) {
        og_release(NULL, lane->slots, lane->n_slots * sizeof(*lane->slots));
        lane->slots = og_allocate(NULL, n_slots * sizeof(*lane->slots));
        lane->n_slots = lane->slots != NULL ? n_slots : 0;
        if (lane->slots == NULL)
            return og_error_memory(err, n_slots * sizeof(*lane->slots),
                                   "passages");
    }
    memset(lane->slots, 0, n_slots * sizeof(*lane->slots));
    return OG_OK;
}

static void set_bit(struct marking *m, uint64_t place)
{
    _Atomic uint8_t *byte = &m->marks->copied[place / 8];
    const uint8_t bit = (uint8_t)(1u << place % 8);
    if (m->n_lanes > 1)
        atomic_fetch_or_explicit(byte, bit, memory_order_relaxed);
    else
        atomic_store_explicit(
            byte, atomic_load_explicit(byte, memory_order_relaxed) | bit,
            memory_order_relaxed);
}

static og_status look_up(struct marking *m, struct lane *lane,
                         const struct og_window *w, size_t n_slots,
                         uint32_t document, og_error *err)
{
    const uint32_t more = (uint32_t)(w->place >> OG_WINDOW_PLACE_BITS);
    struct slot *slots = lane->slots;
    size_t at;
    OG_PROBE(at, w->hash, n_slots,
             slots[at].document == 0 ||
                 (slots[at].hash == w->hash && slots[at].more == more))
    if (slots[at].document == 0) {
        slots[at] = (struct slot){w->hash, more, document};
    } else if (slots[at].document != document) {
        const uint64_t place = w->place & OG_WINDOW_PLACE_MASK;
        set_bit(m, place);
        if (m->marks->holders != NULL && document > m->marks->first_asked)
            return note_holder(m, lane, place, slots[at].document, err);
    }
    return OG_OK;
}

static void fetch_ahead(const struct marking *m, const struct lane *lane,
                        const struct og_window *w, size_t n_slots)
{
    __builtin_prefetch(&lane->slots[w->hash & (n_slots - 1)], 1);
    __builtin_prefetch(
        (const void *)&m->marks->copied[(w->place & OG_WINDOW_PLACE_MASK) / 8],
        1);
}

static og_status mark_windows(struct marking *m, struct lane *lane,
                              const struct og_window *windows, size_t n,
                              size_t n_slots, size_t *document, og_error *err)
{
    const uint64_t *bases = m->marks->bases;
    for (size_t i = 0; i < n && i < AHEAD; i++)
        fetch_ahead(m, lane, &windows[i], n_slots);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) fetch_ahead(m, lane, &windows[i + AHEAD], n_slots);
        while (bases[*document + 1] <=
               (windows[i].place & OG_WINDOW_PLACE_MASK))
            ++*document;
        TRY(look_up(m, lane, &windows[i], n_slots, (uint32_t)*document + 1,
                    err));
    }
    return OG_OK;
}

static og_status read_chunk(const struct og_window_parts *p, struct lane *lane,
                            uint64_t off, og_error *err)
{
    const size_t len = BUFFER_LEN * sizeof(*lane->chunk);
    if (og_file_read_at(p->fd, lane->chunk, len, off) == (int64_t)len)
        return OG_OK;
    return og_file_failure(err, "read a temporary file in", p->folder, errno);
}

/* The chunks on disk are all full; the rest is still in the buffer. */
static og_status mark_part(struct marking *m, struct lane *lane,
                           struct og_window_part *part, og_error *err)
{
    const size_t n_slots = slots_for(part);
    size_t document = 0;
    TRY(clear_table(lane, n_slots, err));
    for (size_t i = 0; i < part->n_chunks; i++) {
        TRY(read_chunk(m->parts, lane, part->chunks[i], err));
        TRY(mark_windows(m, lane, lane->chunk, BUFFER_LEN, n_slots, &document,
                         err));
    }
    TRY(mark_windows(m, lane, part->buffer, part->n, n_slots, &document, err));
    release_part(part);
    return OG_OK;
}

/* ---- all parts ---- */

static og_status run_lane(void *ctx, void *worker, size_t number, og_error *err)
{
    struct marking *m = ctx;
    (void)worker;
    for (;;) {
        const size_t part = atomic_fetch_add(&m->next, 1);
        if (part >= m->end) return OG_OK;
        TRY(mark_part(m, &m->lanes[number], &m->parts->parts[part], err));
    }
}

static og_status init_lanes(struct marking *m, og_error *err)
{
    for (size_t i = 0; i < m->n_lanes; i++) {
        struct lane *lane = &m->lanes[i];
        lane->chunk = og_allocate(NULL, BUFFER_LEN * sizeof(*lane->chunk));
        lane->holders = og_allocate(NULL, HOLDERS_LEN * sizeof(*lane->holders));
        if (lane->chunk == NULL || lane->holders == NULL)
            return og_error_memory(err, BUFFER_LEN * sizeof(*lane->chunk),
                                   "passages");
    }
    return OG_OK;
}

static void release_lanes(struct marking *m)
{
    for (size_t i = 0; i < m->n_lanes; i++) {
        struct lane *lane = &m->lanes[i];
        og_release(NULL, lane->slots, lane->n_slots * sizeof(*lane->slots));
        og_release(NULL, lane->chunk, BUFFER_LEN * sizeof(*lane->chunk));
        og_release(NULL, lane->holders, HOLDERS_LEN * sizeof(*lane->holders));
    }
    og_release(NULL, m->lanes, m->n_lanes * sizeof(*m->lanes));
}

/* One per thread, as far as there is memory for their tables. */
static size_t lanes_for(const struct og_window_parts *p, size_t memory,
                        unsigned n_threads)
{
    size_t most = 0;
    for (size_t i = 0; i < (size_t)1 << p->bits; i++)
        if (slots_for(&p->parts[i]) > most) most = slots_for(&p->parts[i]);
    const size_t n = memory / (most * sizeof(struct slot));
    if (memory == 0 || n > n_threads) return n_threads;
    return n > 0 ? n : 1;
}

static og_status mark_parts(struct marking *m, const struct og_phases *phases,
                            void (*on_part)(void *ctx, size_t n_done),
                            void *ctx, og_error *err)
{
    const size_t n_parts = (size_t)1 << m->parts->bits;
    TRY(init_lanes(m, err));
    for (size_t done = 0; done < n_parts; done = m->end) {
        m->end = done + ROUND < n_parts ? done + ROUND : n_parts;
        atomic_store(&m->next, done);
        TRY(og_phases_step(phases, "mark", m->n_lanes, run_lane, m, err));
        if (on_part != NULL) on_part(ctx, m->end);
    }
    for (size_t i = 0; i < m->n_lanes && m->marks->holders != NULL; i++)
        TRY(sort_holders(m, &m->lanes[i], err));
    return OG_OK;
}

static void *close_file(void *ctx)
{
    struct og_window_parts *p = ctx;
    const double begin = og_clock_thread();
    close(p->fd);
    p->fd = -1;
    p->closing_seconds = og_clock_thread() - begin;
    return NULL;
}

og_status og_window_parts_mark(struct og_window_parts *p,
                               const struct og_window_marks *marks,
                               const struct og_phases *phases,
                               void (*on_part)(void *ctx, size_t n_done),
                               void *ctx, og_error *err)
{
    struct marking m = {.parts = p,
                        .marks = marks,
                        .n_lanes =
                            lanes_for(p, marks->memory, phases->n_threads)};
    m.lanes = og_allocate_zero(NULL, m.n_lanes * sizeof(*m.lanes));
    if (m.lanes == NULL)
        return og_error_memory(err, m.n_lanes * sizeof(*m.lanes), "passages");
    pthread_mutex_init(&m.lock, NULL);
    const og_status status = mark_parts(&m, phases, on_part, ctx, err);
    pthread_mutex_destroy(&m.lock);
    release_lanes(&m);
    p->is_closing = p->fd >= 0 && !p->is_closing &&
                    pthread_create(&p->closing, NULL, close_file, p) == 0;
    return status;
}
