/* Queries of an og_hamming: near codes are looked up in every run and in the
 * memtable; the codes are sorted, and for each the entries of all places are
 * merged, the newest counting. Memory: 16 bytes per distinct near code; ids are
 * reported as they are read, so a million of them at one code need no more. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hamming/code_plan.h"
#include "lib/hamming/code_scan.h"
#include "lib/hamming/hamming.h"

/* ---- near codes ---- */

struct gather {
    struct og_hamming *h;
    size_t run;
};

static bool keep_hit(struct og_hamming *h, struct og_code_hit hit)
{
    if (!OG_GROW(h->allocator, h->hits, h->hits_cap, h->n_hits + 1)) {
        h->no_memory = true;
        return false;
    }
    h->hits[h->n_hits++] = hit;
    return true;
}

static bool on_run_match(void *ctx, size_t question, uint64_t code)
{
    const struct gather *g = ctx;
    const struct og_code_index *index = &g->h->run[g->run].index;
    const size_t place = og_code_search(index->codes, index->n, code);
    (void)question;
    /* The table of a manipulated file may contain another code. */
    if (place == index->n || index->codes[place] != code) return true;
    return keep_hit(
        g->h, (struct og_code_hit){code, (uint32_t)g->run, (uint32_t)place});
}

static bool gather_waiting(struct og_hamming *h, uint64_t code,
                           unsigned max_distance)
{
    uint32_t places[256];
    for (size_t from = 0; from < h->n_waiting;) {
        const size_t n = og_code_scan(h->waiting_codes, h->n_waiting, code,
                                      max_distance, &from, places, 256);
        for (size_t i = 0; i < n; i++)
            if (!keep_hit(h,
                          (struct og_code_hit){h->waiting_codes[places[i]],
                                               (uint32_t)h->n_runs, places[i]}))
                return false;
    }
    return true;
}

static og_status gather(struct og_hamming *h, uint64_t code,
                        unsigned max_distance, og_error *err)
{
    h->n_hits = 0;
    h->no_memory = false;
    for (size_t i = 0; i < h->n_runs && !h->no_memory; i++) {
        struct gather g = {h, i};
        if (max_distance == 0) /* the sorted codes suffice for that */
            on_run_match(&g, 0, code);
        else
            og_code_index_ask(&h->run[i].index, &code, 1, max_distance, &g,
                              on_run_match);
    }
    if (h->no_memory || !gather_waiting(h, code, max_distance))
        return og_error_memory(err, h->n_hits * sizeof(*h->hits), "an answer");
    return OG_OK;
}

static int compare_hits(const void *a, const void *b)
{
    const struct og_code_hit *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* ---- their entries ---- */

struct telling {
    uint64_t code;
    unsigned distance;
    void *ctx;
    bool (*on_match)(void *ctx, const og_hamming_match *match);
};

static bool report_entry(void *ctx, const struct og_code_entry *entry)
{
    const struct telling *t = ctx;
    if (entry->removed) return true;
    const og_hamming_match match = {entry->id, t->code, t->distance, 0};
    return t->on_match(t->ctx, &match);
}

/* Memtable entries of one code, encoded like those of a run. */
static og_status encode_waiting(struct og_hamming *h,
                                const struct og_code_hit *hits, size_t n,
                                struct og_code_cursor *cursor, og_error *err)
{
    size_t len = 0;
    if (!OG_GROW(h->allocator, h->sorted, h->sorted_cap, n))
        return og_error_memory(err, 4 * n, "an answer");
    for (size_t i = 0; i < n; i++)
        h->sorted[i] = hits[i].place;
    n = og_waiting_sort(h, h->sorted, n);
    for (size_t i = 0; i < n; i++) {
        const og_bytes id = og_waiting_id(h, h->sorted[i]);
        uint64_t number = id.len * 2 + h->waiting[h->sorted[i]].removed;
        if (!OG_GROW(h->allocator, h->encoded, h->encoded_cap,
                     len + id.len + 4))
            return og_error_memory(err, len + id.len, "an answer");
        for (; number >= 128; number >>= 7)
            h->encoded[len++] = (uint8_t)(number | 128);
        h->encoded[len++] = (uint8_t)number;
        memcpy(h->encoded + len, id.data, id.len);
        len += id.len;
    }
    og_code_cursor_init(cursor, h->encoded, h->encoded + len);
    return OG_OK;
}

/* One code: hits[0 .. n) have it. *out_more is false if on_match was. */
static og_status report_code(struct og_hamming *h,
                             const struct og_code_hit *hits, size_t n,
                             struct telling *t, bool *out_more, og_error *err)
{
    struct og_code_cursor cursors[OG_CODE_RUNS_MOST + 1];
    size_t n_cursors = 0;
    for (size_t i = 0; i < n; i++) {
        if (hits[i].run == h->n_runs) { /* these are the last */
            TRY(encode_waiting(h, hits + i, n - i, &cursors[n_cursors++], err));
            break;
        }
        const struct og_code_segment *run = &h->run[hits[i].run];
        og_code_cursor_init(&cursors[n_cursors++],
                            run->ids + run->offsets[hits[i].place],
                            run->ids + run->offsets[hits[i].place + 1]);
    }
    *out_more = og_code_entries_merge(cursors, n_cursors, t, report_entry);
    return OG_OK;
}

og_status og_hamming_check_ask(const struct og_hamming *h, unsigned n_bits,
                               unsigned max_distance, og_error *err)
{
    if (n_bits == h->n_bits && max_distance <= h->max_distance) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "the index was made for %u bits and distance %u, "
                        "asked for %u bits and distance %u",
                        h->n_bits, h->max_distance, n_bits, max_distance);
}

og_status
og_hamming_ask(og_hamming *h, uint64_t code, unsigned max_distance, void *ctx,
               bool (*on_match)(void *ctx, const og_hamming_match *match),
               og_error *err)
{
    TRY(og_hamming_check_ask(h, OG_CODE_BITS, max_distance, err));
    return og_hamming_ask_runs(h, code, max_distance, ctx, on_match, err);
}

og_status og_hamming_ask_runs(
    struct og_hamming *h, uint64_t code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err)
{
    bool more = true;
    TRY(gather(h, code, max_distance, err));
    if (h->n_hits == 0) return OG_OK;
    qsort(h->hits, h->n_hits, sizeof(*h->hits), compare_hits);
    for (size_t i = 0, n; i < h->n_hits && more; i += n) {
        const uint64_t near = h->hits[i].code;
        for (n = 1; i + n < h->n_hits && h->hits[i + n].code == near; n++)
            ;
        struct telling t = {near, (unsigned)__builtin_popcountll(near ^ code),
                            ctx, on_match};
        TRY(report_code(h, h->hits + i, n, &t, &more, err));
    }
    return OG_OK;
}

/* A wide index contains the halves of its codes, twice as many 64-bit codes
 * (hamming_wide.c), and queries two of them. */
static size_t explain_halves(uint64_t n_codes, const og_hamming_options *o,
                             char *out, size_t out_cap)
{
    const int n = snprintf(
        out, out_cap,
        "%llu codes of %d bits, distance %u: both halves of each in one index, "
        "two questions within %d and %d bits\n",
        (unsigned long long)n_codes, OG_CODE_BITS_WIDE, o->max_distance,
        og_half_distance(o->max_distance, false),
        og_half_distance(o->max_distance, true));
    return n > 0 && (size_t)n < out_cap ? (size_t)n : out_cap;
}

og_status og_hamming_explain(uint64_t n_codes,
                             const og_hamming_options *options, char *out,
                             size_t out_cap, og_error *err)
{
    struct og_code_plan plan;
    unsigned max_distance = options->max_distance;
    size_t len = 0;
    TRY(og_hamming_check_options(options, err));
    if (options->n_bits == OG_CODE_BITS_WIDE) {
        len = explain_halves(n_codes, options, out, out_cap);
        max_distance = (unsigned)og_half_distance(max_distance, false);
        n_codes *= 2;
    }
    const struct og_code_choice choice = {options->memory, options->n_tables,
                                          (enum og_code_form)options->design};
    TRY(og_code_plan(&plan, n_codes, max_distance, &choice, err));
    og_code_plan_explain(&plan, n_codes, &choice, out + len, out_cap - len);
    return OG_OK;
}
