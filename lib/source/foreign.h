#ifndef OG_SOURCE_FOREIGN_H
#define OG_SOURCE_FOREIGN_H

/*   in:  the first bytes of a file
 *   out: its format, if it is one that is not read     (lib/source/source.c) */

#include "lib/base/status.h"

/* "a PDF file: not read; ..." or NULL: not a known format. */
const char *og_foreign_name(og_bytes head);

#endif
