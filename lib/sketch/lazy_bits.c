/* The contest that the book's three forms share: see lazy_bits.h.
 *
 * The book's code loses the loop variable in ResolveBuf, sets `first` too late
 * and would never end on a repeated feature; here a feature that is already in
 * the contest does not enter again. A rival's tail is read from its start
 * whenever the contest is settled, so the outcome does not depend on when that
 * happens. */

#include "lib/sketch/lazy_bits.h"

size_t og_contest_size(void)
{
    return sizeof(struct og_contest);
}

void og_contest_clear(struct og_minhash *m)
{
    for (size_t i = 0; i < m->options.n_samples; i++)
        m->contest[i].rank = m->contest[i].n = 0;
}

static bool is_in(const struct og_contest *c, uint64_t hash)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->rival[i] == hash) return true;
    return false;
}

void og_contest_enter(struct og_minhash *m, size_t sample, uint32_t rank,
                      uint64_t hash, og_contest_settle *settle)
{
    struct og_contest *c = &m->contest[sample];
    if (c->n != 0 && rank < c->rank) return;
    if (rank > c->rank) c->n = 0;
    c->rank = rank;
    if (is_in(c, hash)) return;
    if (c->n == OG_RIVALS) settle(m, c, sample);
    c->rival[c->n++] = hash;
}

void og_contest_finish(struct og_minhash *m, og_contest_settle *settle,
                       uint32_t *out)
{
    for (size_t i = 0; i < m->options.n_samples; i++) {
        if (m->contest[i].n > 1) settle(m, &m->contest[i], i);
        out[i] = og_sample_of(m->contest[i].rival[0] + i);
    }
}

/* Round by round each rival draws a run; those below the longest drop out. */
void og_contest_settle_runs(struct og_minhash *m, struct og_contest *c,
                            size_t sample)
{
    struct og_bit_stream tail[OG_RIVALS];
    for (uint32_t i = 0; i < c->n; i++)
        tail[i] = og_bits_tail(c->rival[i], sample);
    while (c->n > 1) {
        uint32_t n_left = 0, longest = 0;
        for (uint32_t i = 0; i < c->n; i++) {
            const uint64_t n_before = tail[i].n_used;
            const uint32_t run = og_bits_run(&tail[i]);
            m->n_bits_used += tail[i].n_used - n_before;
            if (run > longest) n_left = 0;
            if (run < longest) continue;
            longest = run;
            tail[n_left] = tail[i];
            c->rival[n_left++] = c->rival[i];
        }
        c->n = n_left;
    }
}
