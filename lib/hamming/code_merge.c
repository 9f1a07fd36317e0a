/* Merging runs: code_merge.h. */

#include "lib/hamming/code_merge.h"

#include <assert.h>
#include <string.h>

int og_code_id_compare(og_bytes a, og_bytes b)
{
    const size_t len = a.len < b.len ? a.len : b.len;
    const int order = len == 0 ? 0 : memcmp(a.data, b.data, len);
    if (order != 0) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

void og_code_cursor_init(struct og_code_cursor *cursor, const uint8_t *at,
                         const uint8_t *end)
{
    *cursor = (struct og_code_cursor){.at = at, .end = end};
    cursor->live = og_code_entry_next(&cursor->at, end, &cursor->entry);
}

static void move_on(struct og_code_cursor *c)
{
    c->live = og_code_entry_next(&c->at, c->end, &c->entry);
}

/* The smallest id; of equal ones the newest. -1 when all are exhausted. */
static int find_next(const struct og_code_cursor *cursors, size_t n)
{
    int best = -1;
    for (size_t i = 0; i < n; i++) {
        if (!cursors[i].live) continue;
        if (best < 0 || og_code_id_compare(cursors[i].entry.id,
                                           cursors[best].entry.id) <= 0)
            best = (int)i;
    }
    return best;
}

bool og_code_entries_merge(struct og_code_cursor *cursors, size_t n, void *ctx,
                           bool (*on_entry)(void *ctx,
                                            const struct og_code_entry *entry))
{
    for (int next; (next = find_next(cursors, n)) >= 0;) {
        const struct og_code_entry entry = cursors[next].entry;
        for (size_t i = 0; i < n; i++)
            if (cursors[i].live &&
                og_code_id_compare(cursors[i].entry.id, entry.id) == 0)
                move_on(&cursors[i]);
        if (!on_entry(ctx, &entry)) return false;
    }
    return true;
}

/* ---- whole runs ---- */

struct merge {
    struct og_code_writer *writer;
    uint64_t code;
    bool drops_removed;
    og_status status;
    og_error *err;
};

static bool write_entry(void *ctx, const struct og_code_entry *entry)
{
    struct merge *m = ctx;
    if (entry->removed && m->drops_removed) return true;
    m->status = og_code_writer_add(m->writer, m->code, entry, m->err);
    return m->status == OG_OK;
}

/* The smallest code that any run has next. */
static bool next_code(const struct og_code_segment *const *segments,
                      const size_t *place, size_t n, uint64_t *out)
{
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        if (place[i] == segments[i]->index.n) continue;
        const uint64_t code = segments[i]->index.codes[place[i]];
        if (!found || code < *out) *out = code;
        found = true;
    }
    return found;
}

og_status og_code_segments_merge(const struct og_code_segment *const *segments,
                                 size_t n, bool drops_removed,
                                 struct og_code_writer *writer, og_error *err)
{
    struct og_code_cursor cursors[OG_CODE_RUNS_MOST];
    size_t place[OG_CODE_RUNS_MOST] = {0};
    struct merge m = {writer, 0, drops_removed, OG_OK, err};
    assert(n <= OG_CODE_RUNS_MOST);
    while (next_code(segments, place, n, &m.code)) {
        size_t n_cursors = 0;
        for (size_t i = 0; i < n; i++) {
            const struct og_code_segment *segment = segments[i];
            if (place[i] == segment->index.n ||
                segment->index.codes[place[i]] != m.code)
                continue;
            og_code_cursor_init(&cursors[n_cursors++],
                                segment->ids + segment->offsets[place[i]],
                                segment->ids + segment->offsets[place[i] + 1]);
            place[i]++;
        }
        if (!og_code_entries_merge(cursors, n_cursors, &m, write_entry))
            return m.status;
    }
    return OG_OK;
}
