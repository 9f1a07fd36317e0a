/* Any bytes may be a mail. The first one chooses the options. The text must
 * not be much longer than the mail: parts are taken once. */

#include <stdint.h>
#include <stdlib.h>

#include "lib/source/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0) return 0;
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .reading = {.strip_quotes = (data[0] & 1) != 0}};
    const enum og_block_kind kind =
        (data[0] & 2) != 0 ? OG_BLOCK_MBOX : OG_BLOCK_MAIL;
    struct og_readers *const readers = og_readers_new(NULL);
    og_document doc = {.id = {"", 0}, .text = {"", 0}};
    og_error err;
    if (readers == NULL) return 0;
    const og_status status = og_content_read(
        readers, kind, (og_bytes){(const char *)data + 1, len - 1},
        (og_bytes){"", 0}, &options, &doc, &err);
    if (status != OG_OK && status != OG_ERR_INPUT) abort();
    if (status == OG_OK && doc.text.len > 16 * len + 4096) abort();
    og_readers_free(readers);
    return 0;
}
