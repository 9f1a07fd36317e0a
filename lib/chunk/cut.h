#ifndef OG_CHUNK_CUT_H
#define OG_CHUNK_CUT_H

/*   in:  the bytes of a file, in pieces of any size
 *   out: where its chunks end: places that the content decides on
 *                                                  (lib/chunk/chunk_tree.h)
 *
 *     struct og_cutter cutter;
 *     og_cutter_init(&cutter, &options, allocator, &err);
 *     while (... reads data, len ...) {
 *         og_cutter_feed(&cutter, data, len, &err);
 *         for (size_t i = 0; i < cutter.n_ends; i++) ... cutter.ends[i] ...
 *     }
 *     og_cutter_end(&cutter, &err);           the last chunk, if any
 *     og_cutter_release(&cutter);
 *
 * The rules. All are of one form: where a chunk ends follows from where it
 * begins and from the bytes after that place, from nothing else. So the same
 * file has the same chunks whatever the size of reads and the number of
 * threads; and two chunkings of the same bytes that share one end share all
 * that come after it. With a chunk that begins at b:
 *
 *   winnow       the end is that place e in b + min_len .. b + reach with the
 *                smallest Rabin fingerprint of the OG_CUT_WINDOW bytes before
 * e, the rightmost one of equals. reach is what og_cut_reach() says, at most
 * max_len. winnow-fast the same, but places are ordered by (lead, fingerprint),
 * where the lead is the high byte of the gear hash of the same bytes. gear the
 * end is the first place e in b + min_len .. b + max_len whose gear hash of the
 * OG_CUT_WINDOW bytes before e is below a threshold, a low one before the
 * normal point and a high one after it; b + max_len when there is none.
 *
 * In each, when the data end before the rule can be satisfied (winnow: less
 * than `reach` bytes are left), the rest is the last chunk. So every chunk has
 * min_len to max_len bytes, but the last, which has 1 to max_len. */

#include "lib/base/memory.h"

#include <origo/files.h>

/* Bytes that the hash of a place looks back on. 32: a 32-bit gear hash knows
 * no more, and equal runs of 32 bytes are rarely an accident. */
#define OG_CUT_WINDOW 32

/* og_cut_kind, og_cut_options, og_cut_options_default(kind, average_len) and
 * og_cut_options_check() are public: origo/files.h. */

/* min_len is at least this, so that no rule looks at bytes before a chunk. */
#define OG_CUT_LEAST 64

/* winnow, winnow-fast: how far from its beginning a chunk can end: the
 * distance that is guaranteed, and what makes average_len the average. */
uint32_t og_cut_reach(const og_cut_options *options);

/* gear: the normal point and the two thresholds, cut_gear.c. */
struct og_gear_rule {
    uint32_t normal_len;      /* up to here a cut must be below `strict` */
    uint32_t strict, relaxed; /* gear hash < threshold */
};
struct og_gear_rule og_gear_rule_of(const og_cut_options *options);

struct og_cut_work; /* cut_kinds.h */

struct og_cutter {
    const og_allocator *allocator;
    og_cut_options options;
    /* What the last og_cutter_feed() or _end() found: offsets in the stream,
     * increasing; valid until the next call. A chunk's end may be reported up
     * to max_len bytes after it was fed. */
    uint64_t *ends;
    size_t n_ends, ends_cap;
    uint64_t begin; /* of the chunk that has no end yet */
    /* Its bytes so far, less than max_len of them. */
    uint8_t *pending;
    size_t n_pending, pending_cap;
    struct og_cut_work *work; /* what a kind works with */
};

/* Options as og_cut_options_check() accepts them. After a failure
 * og_cutter_release() is not needed but does no harm. */
og_status og_cutter_init(struct og_cutter *cutter,
                         const og_cut_options *options,
                         const og_allocator *allocator, og_error *err);
void og_cutter_release(struct og_cutter *cutter);

/* As after _init, memory kept: for the next file, or from a known end on. */
void og_cutter_clear(struct og_cutter *cutter);

og_status og_cutter_feed(struct og_cutter *cutter, const void *data, size_t len,
                         og_error *err);
/* Gives the last chunk's end when there is one. Then only _clear or
 * _release. */
og_status og_cutter_end(struct og_cutter *cutter, og_error *err);

/* Ends of chunks, in order; the last one is the length of the data. */
struct og_cuts {
    const og_allocator *allocator;
    uint64_t *end;
    size_t n, cap;
};
void og_cuts_init(struct og_cuts *cuts, const og_allocator *allocator);
void og_cuts_release(struct og_cuts *cuts);

/* All of it at once; replaces what `cuts` held. No data, no cuts. */
og_status og_cut_all(const void *data, size_t len,
                     const og_cut_options *options, struct og_cuts *cuts,
                     og_error *err);

/* What both are made of. data[0] is the first byte of a chunk that begins at
 * offset `begin` of the stream. Appends to cutter->ends the ends that follow
 * from the data; with `is_last` the data end the stream, and the last end is
 * theirs. Data of og_cut_need() bytes have at least one end. */
og_status og_cutter_run(struct og_cutter *cutter, const uint8_t *data,
                        size_t len, uint64_t begin, bool is_last,
                        og_error *err);

/* No rule looks farther than this from the beginning of a chunk. */
uint32_t og_cut_need(const og_cut_options *options);

#endif
