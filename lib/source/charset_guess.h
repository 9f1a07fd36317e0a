#ifndef OG_SOURCE_CHARSET_GUESS_H
#define OG_SOURCE_CHARSET_GUESS_H

/* The charset that bytes look like, for text that declares none. */

#include <origo/status.h>
#include <stdbool.h>

/* Writes its label. False: nothing is known; so always in a library that was
 * built without a detector. */
bool og_charset_guess(og_bytes bytes, char label[40]);

#endif
