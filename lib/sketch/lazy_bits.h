#ifndef OG_SKETCH_LAZY_BITS_H
#define OG_SKETCH_LAZY_BITS_H

/* Random bits that are counted, and a contest that consumes few of them.
 *
 * A stream yields the bits of a random binary fraction, the highest first. A
 * contest holds, for one sample, the features that share the best rank so far.
 * Their tails are read only if more than one is left at the end, or if the room
 * is full. */

#include "lib/sketch/minhash.h"

#include <origo/sketch.h>

struct og_bit_stream {
    uint64_t state, word, next;
    unsigned n_taken; /* of `word` */
    uint64_t n_used;
};

static inline struct og_bit_stream og_bits_start(uint64_t seed)
{
    struct og_bit_stream s = {.state = seed};
    s.word = og_random_next(&s.state);
    s.next = og_random_next(&s.state);
    return s;
}

/* The next 64 bits, without consuming them. */
static inline uint64_t og_bits_peek(const struct og_bit_stream *s)
{
    if (s->n_taken == 0) return s->word;
    return s->word << s->n_taken | s->next >> (64 - s->n_taken);
}

static inline void og_bits_skip(struct og_bit_stream *s, unsigned n)
{
    s->n_used += n;
    s->n_taken += n;
    while (s->n_taken >= 64) {
        s->n_taken -= 64;
        s->word = s->next;
        s->next = og_random_next(&s->state);
    }
}

/* The number of zeros before the next one; consumes the one as well. Two bits
 * on average. */
static inline uint32_t og_bits_run(struct og_bit_stream *s)
{
    uint32_t run = 0;
    uint64_t bits;
    while ((bits = og_bits_peek(s)) == 0) {
        run += 64;
        og_bits_skip(s, 64);
    }
    const unsigned zeros = (unsigned)__builtin_clzll(bits);
    og_bits_skip(s, zeros + 1);
    return run + zeros;
}

/* The stream of a feature for one sample only, which breaks ties. */
static inline struct og_bit_stream og_bits_tail(uint64_t hash, size_t sample)
{
    return og_bits_start(og_mix64(hash ^ 0x7461696c73747265u) +
                         0xd1342543de82ef95u * (sample + 1));
}

/* The book expects more than m rivals with probability 2^-m. */
#define OG_RIVALS 16

struct og_contest {
    uint32_t rank; /* higher is better */
    uint32_t n;    /* 0: none yet */
    uint64_t rival[OG_RIVALS];
};

/* Leaves one rival. */
typedef void og_contest_settle(struct og_minhash *m, struct og_contest *c,
                               size_t sample);

void og_contest_clear(struct og_minhash *m);
void og_contest_enter(struct og_minhash *m, size_t sample, uint32_t rank,
                      uint64_t hash, og_contest_settle *settle);
void og_contest_finish(struct og_minhash *m, og_contest_settle *settle,
                       uint32_t *out);

/* Settles by tails of runs (4.1); the better feature has more zeros. */
og_contest_settle og_contest_settle_runs;

#endif
