/* Any bytes may be a file of document frequencies. Either it is refused, or
 * every query has an answer: least <= most, and a weight above 0. */

#include <stdint.h>
#include <stdlib.h>

#include "lib/sketch/features/idf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    og_idf *idf = NULL;
    og_error err = {0};
    const og_status status =
        og_idf_read((og_bytes){(const char *)data, len}, "fuzz", &idf, &err);
    if (status != OG_OK) {
        if (status != OG_ERR_INPUT || err.message[0] == '\0') abort();
        return 0;
    }
    for (uint64_t i = 0; i < 64; i++) {
        const uint64_t hash = i * UINT64_C(0x0410410410410411) - 1;
        uint64_t least, most;
        og_idf_find(idf, hash, &least, &most);
        if (least > most || !(og_idf_weight(idf, hash) > 0)) abort();
    }
    og_idf_close(idf);
    return 0;
}
