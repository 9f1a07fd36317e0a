/* Untrusted parameters of a sketch file, and its sketches: options that are
 * accepted are valid, and a sketch of their length can be compared without
 * reading past it. */

#include <stdlib.h>
#include <string.h>

#include "lib/sketch/minhash_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct og_sketch_head head = {.kind = OG_SKETCH_MINHASH};
    const uint8_t *end = memchr(data, '\n', size);
    og_minhash_options options;
    double norm_a, norm_b;
    if (end == NULL) return 0;
    const size_t len = (size_t)(end - data);
    if (len >= sizeof(head.params)) return 0;
    memcpy(head.params, data, len);
    size -= len + 1;
    head.sketch_len = size / 2;
    if (og_minhash_file_options(&head, "fuzz", &options, NULL) != OG_OK)
        return 0;
    uint8_t *a = malloc(head.sketch_len + 1), *b = malloc(head.sketch_len + 1);
    if (a != NULL && b != NULL) {
        memcpy(a, end + 1, head.sketch_len);
        memcpy(b, end + 1 + head.sketch_len, head.sketch_len);
        const double j =
            og_minhash_file_similarity(&options, a, b, &norm_a, &norm_b);
        if (!(j <= 1)) abort();
    }
    free(a);
    free(b);
    return 0;
}
