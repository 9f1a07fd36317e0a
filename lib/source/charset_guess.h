#ifndef OG_SOURCE_CHARSET_GUESS_H
#define OG_SOURCE_CHARSET_GUESS_H

/* Guesses the charset of text that declares none. */

#include <origo/status.h>
#include <stdbool.h>

/* Writes its label. False: no guess; always so in a library built without a
 * detector. */
bool og_charset_guess(og_bytes bytes, char label[40]);

#endif
