#ifndef OG_SOURCE_WEB_ARCHIVE_H
#define OG_SOURCE_WEB_ARCHIVE_H

/*   in:  one record of a WARC (also WET) or ARC file
 *   out: a document, when it contains one              (lib/source/block.c)
 *
 * Documents are pages and texts that were found (response with a status of 200
 * to 299, resource) or derived from them (conversion: WET). Requests, metadata,
 * pictures and the like are skipped. The record's id, address and date are the
 * document's. */

#include "lib/source/content.h"

#include <origo/document.h>

/* *out_is_document is false for a record that contains none. Statuses as for
 * og_content_read(). */
og_status og_archive_read(struct og_readers *readers, enum og_block_kind kind,
                          og_bytes record,
                          const struct og_source_options *options,
                          og_document *out, bool *out_is_document,
                          og_error *err);

#endif
