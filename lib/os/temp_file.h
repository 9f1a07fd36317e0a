#ifndef OG_OS_TEMP_FILE_H
#define OG_OS_TEMP_FILE_H

/* Files for one run. A temporary file has no name: it disappears with the
 * process, however that ends. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* In `folder`. -1 with the error in err. */
int og_temp_file_open(const char *folder, og_error *err);

/* The folder for temporary files that belong beside no output: TMPDIR, or
 * /tmp. */
const char *og_temp_folder(void);

/* The folder that `path` is in, to be freed with free(); NULL: no memory.
 */
char *og_folder_of(const char *path);

#endif
