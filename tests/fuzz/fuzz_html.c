/* Any bytes may be a page: in the charset that they say or look like, to text.
 * The text must be readable beyond its end and hold no zeros. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/source/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct og_source_options options = {.fields =
                                                         OG_FIELDS_DEFAULT};
    struct og_readers *const readers = og_readers_new(NULL);
    og_document doc = {.id = {"", 0}, .text = {"", 0}};
    og_error err;
    if (readers == NULL) return 0;
    const og_status status = og_content_read(
        readers, OG_BLOCK_HTML, (og_bytes){(const char *)data, len},
        (og_bytes){"", 0}, &options, &doc, &err);
    if (status != OG_OK && status != OG_ERR_LIMIT) abort();
    if (status == OG_OK) {
        if (doc.text.len > 0 && memchr(doc.text.data, 0, doc.text.len) != NULL)
            abort();
        for (size_t i = 0; i < OG_BLOCK_PADDING; i++)
            if (doc.text.data[doc.text.len + i] != 0) abort();
    }
    og_readers_free(readers);
    return 0;
}
