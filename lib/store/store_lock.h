#ifndef OG_STORE_STORE_LOCK_H
#define OG_STORE_STORE_LOCK_H

/* One writer. The lock is the system's and ends with the process, however that
 * ends; the file only tells who holds it. */

#include "lib/base/status.h"

/* STORE/lock. *out_fd holds the lock until it is closed. OG_ERR_STORE with who
 * has it, if somebody has. */
og_status og_store_lock(const char *folder, int *out_fd, og_error *err);

#endif
