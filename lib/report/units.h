#ifndef OG_REPORT_UNITS_H
#define OG_REPORT_UNITS_H

/*   in:  byte offsets in a text                          (an answer)
 *   out: the same places in characters or units of UTF-16 (the reports)
 *
 * A byte that is not UTF-8 counts as one character: it is one U+FFFD to
 * everybody who reads the repaired text. An offset inside a character is that
 * of its end; one after the text is that of the text's end. */

#include "lib/base/memory.h"

#include <origo/report.h>

/* Walks along a text and never turns back: for offsets that rise. */
struct og_units {
    og_bytes text;
    og_offsets offsets;
    uint64_t byte; /* where it is ... */
    uint64_t unit; /* ... and that place in the units asked for */
};
uint64_t og_units_at(struct og_units *at, uint64_t byte);

/* For offsets in any order: gather them, settle once, then ask. All zero is
 * empty; og_places_release() ends it. */
struct og_places {
    uint64_t *bytes, *units;
    size_t n, bytes_cap, units_cap;
};
og_status og_places_add(struct og_places *places, uint64_t byte, og_error *err);
og_status og_places_settle(struct og_places *places, og_bytes text,
                           og_offsets offsets, og_error *err);
/* Of a byte that was added before the places were settled. */
uint64_t og_places_get(const struct og_places *places, uint64_t byte);
void og_places_release(struct og_places *places);

#endif
