#ifndef OG_REPORT_PACKED_H
#define OG_REPORT_PACKED_H

/*   in:  data for the script of a page, in any number of pieces  (the reports)
 *   out: a script element that contains it, compressed             (writer)
 *
 *     <script type="application/zlib" class="docs" data-first="17">
 *     eJzT0yMAAGTvBe8...</script>
 *
 * The data is deflated (RFC 1950, which browsers call "deflate") and written in
 * base64 as it arrives: only the window of zlib is kept. A browser does not
 * parse an element of this type, so a page of thousands of documents opens as
 * fast as its bytes are read; the script unpacks what it shows. */

#include "lib/report/writer.h"

struct og_packed;

/* `level` of zlib: 1 to 9. OG_ERR_MEMORY. */
og_status og_packed_new(int level, struct og_packed **out, og_error *err);
void og_packed_free(struct og_packed *packed); /* NULL is fine */

/* Begins an element in `page`; returns the writer for its data. Until
 * og_packed_end() nothing else may be written to `page`. */
struct og_writer *og_packed_begin(struct og_packed *packed,
                                  struct og_writer *page, const char *class,
                                  uint64_t first);
/* That writer, while an element is open. */
struct og_writer *og_packed_data(struct og_packed *packed);
bool og_packed_is_open(const struct og_packed *packed);
/* Bytes of data so far, excluding those still in the writer's buffer. */
uint64_t og_packed_len(const struct og_packed *packed);
void og_packed_end(struct og_packed *packed);

#endif
