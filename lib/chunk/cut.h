#ifndef OG_CHUNK_CUT_H
#define OG_CHUNK_CUT_H

/*   in:  the bytes of a file, in pieces of any size
 *   out: where its chunks end: places determined by the content
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
 * The rules have one form: where a chunk ends follows from where it begins and
 * from the bytes after that place, and from nothing else. So a file has the
 * same chunks whatever the size of reads and the number of threads; and two
 * chunkings of the same bytes that share one end share all later ones. For a
 * chunk that begins at b:
 *
 *     winnow       The end is the place e in b + min_len .. b + reach with the
 *                  smallest Rabin fingerprint of the OG_CUT_WINDOW bytes before
 *                  e, the rightmost one if equal. reach is og_cut_reach(), at
 *                  most max_len.
 *     winnow-fast  The same, but places are ordered by (lead, fingerprint),
 *                  where the lead is the high byte of the gear hash of the same
 *                  bytes.
 *     gear         The end is the first place e in b + min_len .. b + max_len
 *                  whose gear hash of the OG_CUT_WINDOW bytes before e is below
 *                  a threshold, a low one before the normal point and a high
 *                  one after it; b + max_len if there is none.
 *
 * If the data end before the rule can be satisfied (winnow: fewer than `reach`
 * bytes are left), the rest is the last chunk. So every chunk has min_len to
 * max_len bytes, except the last, which has 1 to max_len. */

#include "lib/base/memory.h"

#include <origo/files.h>

/* The number of bytes that the hash of a place covers. 32: a 32-bit gear hash
 * depends on no more, and equal runs of 32 bytes are rarely a coincidence. */
#define OG_CUT_WINDOW 32

/* og_cut_kind, og_cut_options, og_cut_options_default(kind, average_len) and
 * og_cut_options_check() are public: origo/files.h. */

/* min_len is at least this, so that no rule reads bytes before a chunk. */
#define OG_CUT_LEAST 64

/* winnow, winnow-fast: how far from its beginning a chunk can end at most. It
 * makes average_len the average. */
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
    /* The ends found by the last og_cutter_feed() or _end(): offsets in the
     * stream, ascending; valid until the next call. A chunk's end may be
     * reported up to max_len bytes after it was fed. */
    uint64_t *ends;
    size_t n_ends, ends_cap;
    uint64_t begin; /* of the unfinished chunk */
    /* Its bytes so far, fewer than max_len. */
    uint8_t *pending;
    size_t n_pending, pending_cap;
    struct og_cut_work *work; /* working memory of a kind */
};

/* The options must satisfy og_cut_options_check(). After a failure
 * og_cutter_release() is not needed but does no harm. */
og_status og_cutter_init(struct og_cutter *cutter,
                         const og_cut_options *options,
                         const og_allocator *allocator, og_error *err);
void og_cutter_release(struct og_cutter *cutter);

/* The state after _init, with its memory kept: for the next file, or to resume
 * at a known end. */
void og_cutter_clear(struct og_cutter *cutter);

og_status og_cutter_feed(struct og_cutter *cutter, const void *data, size_t len,
                         og_error *err);
/* Reports the last chunk's end, if there is one. Then only _clear or _release
 * may follow. */
og_status og_cutter_end(struct og_cutter *cutter, og_error *err);

/* The ends of chunks, in order; the last one is the length of the data. */
struct og_cuts {
    const og_allocator *allocator;
    uint64_t *end;
    size_t n, cap;
};
void og_cuts_init(struct og_cuts *cuts, const og_allocator *allocator);
void og_cuts_release(struct og_cuts *cuts);

/* All data at once; replaces the content of `cuts`. No data, no cuts. */
og_status og_cut_all(const void *data, size_t len,
                     const og_cut_options *options, struct og_cuts *cuts,
                     og_error *err);

/* The common core. data[0] is the first byte of a chunk that begins at offset
 * `begin` of the stream. Appends to cutter->ends the ends that follow from the
 * data; with `is_last` the stream ends with the data, and so does the last
 * chunk. Data of og_cut_need() bytes contain at least one end. */
og_status og_cutter_run(struct og_cutter *cutter, const uint8_t *data,
                        size_t len, uint64_t begin, bool is_last,
                        og_error *err);

/* No rule reads farther than this from the beginning of a chunk. */
uint32_t og_cut_need(const og_cut_options *options);

#endif
