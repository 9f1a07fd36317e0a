#ifndef OG_STORE_CATALOGUE_PAGE_SUMS_H
#define OG_STORE_CATALOGUE_PAGE_SUMS_H

/* The sums of the pages of an LMDB file, beside it; drawn in documents.h.
 * og_documents_check() compares them. */

#include "lib/base/memory.h"

/* Sums data.mdb in `folder` and writes "`folder`.sum", whole or not at all.
 * Nobody may be writing to the catalogue. */
og_status og_page_sums_write(const char *folder, const og_allocator *allocator,
                             og_error *err);

bool og_page_sums_exist(const char *folder);

/* Removes them before the catalogue is changed for the first time. */
og_status og_page_sums_remove(const char *folder, og_error *err);

#endif
