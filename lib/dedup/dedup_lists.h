#ifndef OG_DEDUP_DEDUP_LISTS_H
#define OG_DEDUP_DEDUP_LISTS_H

/* The lists that datatrove's stages exchange, read and written. All numbers are
 * 32 bits, little-endian; there is no header. Documents are numbered from 0 in
 * their file, files from 0.
 *
 *     BBBBB_WW.dups    of band B, by worker W: two documents, each as
 *                      [file][document], for every two successive ones with an
 *                      equal band; both numbers of the first are 2^32 - 1 if it
 *                      is in an index of another data set
 *     FFFFFF.remove    of file F: [document] for each removed one, ascending
 *     FFFFFF.clusters  of file F: [document][cluster] for each one in a
 *                      cluster, ascending, including those that are kept
 */

#include "lib/base/packing.h"

#define OG_LIST_INDEX UINT32_MAX

struct og_list_pair {
    uint32_t file, doc, other_file, other_doc;
};

void og_list_pack_pair(struct og_pack *out, const struct og_list_pair *pair);

/* A whole list under its name. */
og_status og_list_write(const char *path, const struct og_pack *list,
                        og_error *err);

/* Words of a list, `width` to a record: 4, 1 or 2. *out_is_there is false if
 * there is no such file. To be freed with og_pack_release(); the words are in
 * native byte order. OG_ERR_INPUT: it is truncated, or with width 1 or 2 its
 * documents are not ascending. */
og_status og_list_read(const char *path, unsigned width, struct og_pack *out,
                       bool *out_is_there, og_error *err);
/* The same for bytes in memory; converts them to native byte order. */
og_status og_list_check(const char *name, unsigned width, struct og_pack *list,
                        og_error *err);

#endif
