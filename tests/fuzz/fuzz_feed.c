/* Any bytes may be a feed; its entries have no more text than it has bytes,
 * but for what a charset and entities make of them. */

#include <origo/reading.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool take_entry(void *ctx, const og_document *doc)
{
    size_t *const total = ctx;
    if (doc->text.len == 0) abort();
    *total += doc->text.len + doc->title.len + doc->url.len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t total = 0;
    og_error err = {0};
    const og_status status = og_feed_read((og_bytes){(const char *)data, len},
                                          take_entry, &total, NULL, &err);
    if (status != OG_OK && status != OG_ERR_INPUT && status != OG_ERR_LIMIT)
        abort();
    if (total > 300 * len + 64) abort();
    return 0;
}
