#ifndef OG_SKETCH_FEATURES_HEADING_H
#define OG_SKETCH_FEATURES_HEADING_H

/* The headings of a plain text: lines that were meant as headings. */

#include "lib/token/tokens.h"

/* weight[i] *= heading_weight for every token in a heading.
 *
 *   # Title           one to six # and a blank
 *
 *   Title             above a line that consists of three or more = - ~ ^
 *   =====
 *
 *   3.1.  Title       a section number, at the left edge, at most
 *                     80 bytes, an empty line (or none) above and below */
void og_headings_weigh(const struct og_text *text,
                       const struct og_tokens *tokens, float heading_weight,
                       float *weight);

#endif
