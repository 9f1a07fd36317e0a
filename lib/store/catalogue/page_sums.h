#ifndef OG_STORE_CATALOGUE_PAGE_SUMS_H
#define OG_STORE_CATALOGUE_PAGE_SUMS_H

/* The sums of the pages of an LMDB file, in a file next to it; documents.h
 * shows the layout. og_documents_check() compares them. */

#include "lib/base/packing.h"

/* Sums data.mdb in `folder` and writes "`folder`.sum", completely or not at
 * all. The catalogue must have no writer meanwhile. */
og_status og_page_sums_write(const char *folder, const og_allocator *allocator,
                             og_error *err);

bool og_page_sums_exist(const char *folder);

/* In memory, to compare pages as they are read: 8 bytes for each. */
struct og_page_sums {
    uint64_t txnid; /* of their state */
    uint64_t n_pages;
    struct og_pack bytes; /* the file */
};

/* n_pages is 0 when there are none. OG_ERR_STORE: they are damaged. */
og_status og_page_sums_load(struct og_page_sums *sums, const char *folder,
                            const og_allocator *allocator, og_error *err);
void og_page_sums_release(struct og_page_sums *sums);

/* Whether `len` bytes from `off` on (multiples of 4 KiB) are unchanged. */
bool og_page_sums_fit(const struct og_page_sums *sums, uint64_t off,
                      const uint8_t *data, size_t len);

/* Removes them before the catalogue is changed for the first time. */
og_status og_page_sums_remove(const char *folder, og_error *err);

#endif
