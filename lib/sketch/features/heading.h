#ifndef OG_SKETCH_FEATURES_HEADING_H
#define OG_SKETCH_FEATURES_HEADING_H

/* The headings of a plain text: lines that somebody meant as headings. */

#include "lib/token/tokens.h"

/* weight[i] *= heading_weight for every token that is in one.
 *
 *   # Title           one to six # and a blank
 *
 *   Title             and below it a line of three or more = - ~ ^ alone
 *   =====
 *
 *   3.1.  Title       a number that counts sections, at the left edge, at most
 *                     80 bytes, an empty line (or none) above and below */
void og_headings_weigh(const struct og_text *text,
                       const struct og_tokens *tokens, float heading_weight,
                       float *weight);

#endif
