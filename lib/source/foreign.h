#ifndef OG_SOURCE_FOREIGN_H
#define OG_SOURCE_FOREIGN_H

/*   in:  the first bytes of a file
 *   out: what it is, when it is nothing to read        (lib/source/source.c) */

#include "lib/base/status.h"

/* "a PDF file: not read; ..." or NULL: nothing that is known. */
const char *og_foreign_name(og_bytes head);

#endif
