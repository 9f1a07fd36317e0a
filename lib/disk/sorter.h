#ifndef OG_DISK_SORTER_H
#define OG_DISK_SORTER_H

/* Records of one length, sorted by their first words, within fixed memory: what
 * does not fit goes to a temporary file in sorted runs, which are merged when
 * they are read.
 *
 *     og_sorter_new(sizeof(r), 2, 64 << 20, "/tmp", &sorter, &err);
 *     og_sorter_add(sorter, &r, &err); ...
 *     og_sorter_finish(sorter, &err);
 *     while ((status = og_sorter_next(sorter, &record, &err)) == OG_OK) ...
 *     og_sorter_free(sorter); */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct og_sorter;

/* `record_len` is a multiple of 8; the first `n_keys` (1 or 2) 64-bit words of
 * a record are its key, the first word being the most significant. Records with
 * equal keys keep the order in which they were added. `folder` must outlive the
 * sorter. */
og_status og_sorter_new(size_t record_len, unsigned n_keys, size_t memory,
                        const char *folder, struct og_sorter **out,
                        og_error *err);
void og_sorter_free(struct og_sorter *sorter); /* NULL is fine */

og_status og_sorter_add(struct og_sorter *sorter, const void *record,
                        og_error *err);
uint64_t og_sorter_count(const struct og_sorter *sorter);

/* Ends adding; reading begins at the smallest record. May be called again to
 * read from the beginning once more. */
og_status og_sorter_finish(struct og_sorter *sorter, og_error *err);

/* Valid until the next call. OG_END after the last. */
og_status og_sorter_next(struct og_sorter *sorter, const void **out,
                         og_error *err);

#endif
