#ifndef OG_DISK_STORE_LOCK_H
#define OG_DISK_STORE_LOCK_H

/* STORE/lock: the current writer, and what was safe when the last writer closed
 * the store in order.
 *
 *     process 4711 (origo) since 2024-05-01T10:00:00Z
 *     safe 1234 0123456789abcdef
 *
 * The second line is a number of records and a checksum. It distinguishes a
 * journal that somebody truncated from one that a crash interrupted. It is a
 * lower bound, so a stale value is still correct, and without it nothing is
 * lost but that distinction. */

#include "lib/base/status.h"

/* Takes the lock; the descriptor holds it until it is closed. OG_ERR_BUSY:
 * another process is writing, and the message says which. OG_ERR_IO. */
og_status og_store_lock(const char *folder, int *out_fd, og_error *err);
/* The same for another folder with a single writer: `what`, such as "index", is
 * its name in messages. */
og_status og_folder_lock(const char *what, const char *folder, int *out_fd,
                         og_error *err);

/* Whether any process holds the lock right now. */
bool og_store_is_locked(const char *folder);

/* Records up to this one were safe; 0: unknown. */
uint64_t og_store_lock_safe(const char *folder);

/* To be called before record numbers restart: removes the bound durably. */
og_status og_store_lock_forget(int fd, og_error *err);

/* The writer ends in order after this record. */
void og_store_lock_end(int fd, uint64_t safe);

#endif
