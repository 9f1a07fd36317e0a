#ifndef OG_OS_TEMP_FILE_H
#define OG_OS_TEMP_FILE_H

/* Files for one run. A temporary file has no name: it is gone with the
 * process, however that ends. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* In `folder`. -1 with the story in err. */
int og_temp_file_open(const char *folder, og_error *err);

/* Where temporary files go that belong beside nothing: TMPDIR, or /tmp. */
const char *og_temp_folder(void);

/* The folder that `path` is in, to be freed with free(); NULL: no memory.
 */
char *og_folder_of(const char *path);

#endif
