#ifndef OG_DEDUP_SET_SUMMARIES_H
#define OG_DEDUP_SET_SUMMARIES_H

/*   in:  the shingles of documents that were compared once   (lib/dedup)
 *   out: some bytes of each that avoid most other comparisons
 *                                            (lib/dedup/dedup_decide.c)
 *
 * Dissimilar documents that share most of their text are candidates of each
 * other, by the hundred, and their texts would be read again each time. When
 * such a document is first read, its wide parity is stored: 136 bytes for up to
 * 128 shingles, two bits per shingle beyond. Pairs that it rejects are below
 * the threshold for certain. */

#include "lib/base/arena.h"
#include "lib/sketch/shingle_set.h"
#include "lib/sketch/wide_parity.h"

/* A summary that is not stored yet. */
struct og_set_summary {
    struct og_wide_parity *parity;
    size_t len; /* bytes */
};

struct og_summary_slot {
    const struct og_wide_parity *parity; /* NULL: none */
};

struct og_set_summaries {
    struct og_summary_slot *of; /* by entry */
    size_t of_cap;
    struct og_arena arena;
    size_t memory; /* bytes of the arena, 0: no limit */
};

/* Replaces its content; arguments as for og_wide_parity_make(). */
og_status og_set_summary_make(struct og_set_summary *summary,
                              const uint64_t *fps, size_t n_fps, size_t n,
                              og_error *err);
void og_set_summary_release(struct og_set_summary *summary);

void og_set_summaries_init(struct og_set_summaries *s, size_t memory);
void og_set_summaries_release(struct og_set_summaries *s);
/* Forgets all entries. */
void og_set_summaries_clear(struct og_set_summaries *s);

/* NULL: unknown. */
static inline const struct og_wide_parity *
og_set_summaries_of(const struct og_set_summaries *s, uint32_t entry)
{
    return entry < s->of_cap ? s->of[entry].parity : NULL;
}

/* Prefetches one, in two steps some time apart. */
static inline void og_set_summaries_expect(const struct og_set_summaries *s,
                                           uint32_t entry)
{
    if (entry < s->of_cap) __builtin_prefetch(&s->of[entry]);
}
static inline void
og_set_summaries_expect_bits(const struct og_set_summaries *s, uint32_t entry)
{
    const struct og_wide_parity *bits = og_set_summaries_of(s, entry);
    if (bits != NULL) __builtin_prefetch(bits->words);
}

/* Stores a copy for an entry; no effect if there is no room. */
og_status og_set_summaries_keep(struct og_set_summaries *s, uint32_t entry,
                                const struct og_wide_parity *summary,
                                og_error *err);

#endif
