/* Any bytes may be XML; nothing but what the document itself holds may come
 * out, so the text is bounded by it. */

#include <stdint.h>
#include <stdlib.h>

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
        readers, OG_BLOCK_XML, (og_bytes){(const char *)data, len},
        (og_bytes){"", 0}, &options, &doc, &err);
    if (status != OG_OK && status != OG_ERR_INPUT) abort();
    if (status == OG_OK && doc.text.len > 8 * len + 64) abort();
    og_readers_free(readers);
    return 0;
}
