#ifndef OG_PHRASES_PHRASE_PERIODS_H
#define OG_PHRASES_PHRASE_PERIODS_H

/*   in:  the times of all documents
 *   out: the days, months or years in which there are any, in order
 *        (lib/phrases/phrase_tally.h) */

#include "lib/base/hash_table.h"

#include <origo/phrases.h>

#define OG_PHRASE_PERIODS_MAX 4096

struct og_phrase_periods {
    og_period kind;
    size_t most;
    int64_t *begins; /* sorted after _finish */
    size_t n, cap;
    struct og_hash_table by_begin;
};

/* At most `most` periods: too many days become months, too many months years,
 * and further years are merged into the last one. */
void og_phrase_periods_init(struct og_phrase_periods *p, og_period kind,
                            size_t most);
void og_phrase_periods_release(struct og_phrase_periods *p);
og_status og_phrase_periods_add(struct og_phrase_periods *p, int64_t time,
                                og_error *err);
void og_phrase_periods_finish(struct og_phrase_periods *p);
/* The index of the period of a time. */
size_t og_phrase_periods_find(const struct og_phrase_periods *p, int64_t time);

#endif
