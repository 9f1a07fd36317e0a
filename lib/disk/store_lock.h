#ifndef OG_DISK_STORE_LOCK_H
#define OG_DISK_STORE_LOCK_H

/* STORE/lock: who writes, and what was safe when the last writer ended well.
 *
 *     process 4711 (origo) since 2024-05-01T10:00:00Z
 *     safe 1234 0123456789abcdef
 *
 * The second line is a number of records and a checksum. It tells a journal
 * that somebody cut off from one that a crash broke off. It is a bound from
 * below, so it can never be too old, and without it nothing is lost but that
 * distinction. */

#include "lib/base/status.h"

/* Takes the lock; the descriptor holds it until it is closed. OG_ERR_BUSY:
 * another process writes, and the message says which. OG_ERR_IO. */
og_status og_store_lock(const char *folder, int *out_fd, og_error *err);
/* The same for another folder that has one writer: `what`, "index", is its name
 * in messages. */
og_status og_folder_lock(const char *what, const char *folder, int *out_fd,
                         og_error *err);

/* Whether somebody holds the lock right now. */
bool og_store_is_locked(const char *folder);

/* Records up to this one were safe; 0: it does not say. */
uint64_t og_store_lock_safe(const char *folder);

/* Before records are numbered anew: the bound is gone, also after a power
 * loss. */
og_status og_store_lock_forget(int fd, og_error *err);

/* The writer ends well after this record. */
void og_store_lock_end(int fd, uint64_t safe);

#endif
