#ifndef OG_REPORT_UNITS_H
#define OG_REPORT_UNITS_H

/*   in:  byte offsets in a text                          (an answer)
 *   out: the same offsets in characters or UTF-16 units  (the reports)
 *
 * A byte that is not UTF-8 counts as one character, because it is one U+FFFD in
 * the repaired text. An offset inside a character is mapped to its end; one
 * past the text to the text's end. */

#include "lib/base/memory.h"

#include <origo/report.h>

/* Walks along a text, forwards only: for ascending offsets. */
struct og_units {
    og_bytes text;
    og_offsets offsets;
    uint64_t byte; /* the byte offset reached ... */
    uint64_t unit; /* ... and the same offset in the requested units */
};
uint64_t og_units_at(struct og_units *at, uint64_t byte);

/* For offsets in any order: add them, settle once, then get them. All zero is
 * empty; og_places_release() frees it. */
struct og_places {
    uint64_t *bytes, *units;
    size_t n, bytes_cap, units_cap;
};
og_status og_places_add(struct og_places *places, uint64_t byte, og_error *err);
og_status og_places_settle(struct og_places *places, og_bytes text,
                           og_offsets offsets, og_error *err);
/* For a byte that was added before the places were settled. */
uint64_t og_places_get(const struct og_places *places, uint64_t byte);
void og_places_release(struct og_places *places);

#endif
