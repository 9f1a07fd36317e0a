/* Any bytes may be a sketch file. Either it is refused, or every record lies
 * inside what was read and there are as many as the end says. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sketch/sketch_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_sketch_reader *r = NULL;
    og_error err = {0};
    og_bytes id;
    const void *sketch;
    og_status status = og_sketch_reader_view(
        (og_bytes){(const char *)data, len}, "fuzz", NULL, &r, &err);
    if (status != OG_OK) {
        if (status != OG_ERR_INPUT || err.message[0] == '\0') abort();
        return 0;
    }
    const size_t sketch_len = og_sketch_reader_head(r)->sketch_len;
    volatile unsigned char sum = 0;
    while ((status = og_sketch_reader_next(r, &id, &sketch, &err)) == OG_OK) {
        sum += ((const unsigned char *)sketch)[sketch_len - 1];
        if (id.len > 0) sum += (unsigned char)id.data[id.len - 1];
    }
    (void)sum;
    if (status != OG_END && status != OG_ERR_INPUT) abort();
    og_sketch_reader_close(r);
    return 0;
}
