/* A run of codes from a stranger: bytes with the right sums, so that all the
 * other checks are reached; what is opened is asked. And the list of runs. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_manifest.h"
#include "lib/hamming/segment_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool count(void *ctx, size_t question, uint64_t code)
{
    (void)question, (void)code;
    return ++*(size_t *)ctx < 100000;
}

static bool count_entry(void *ctx, const struct og_code_entry *entry)
{
    *(size_t *)ctx += entry->id.len;
    return true;
}

static void use_image(const struct og_code_image *image)
{
    const uint64_t questions[] = {0, UINT64_MAX, 0x123456789abcdef};
    size_t n = 0;
    if (image->index.design.n_tables <= 4)
        og_code_index_ask(&image->index, questions, 3, image->max_distance % 3,
                          &n, count);
    for (size_t i = 0; i < image->index.n; i++) {
        struct og_code_cursor cursor;
        og_code_cursor_init(&cursor, image->ids + image->offsets[i],
                            image->ids + image->offsets[i + 1]);
        og_code_entries_merge(&cursor, 1, &n, count_entry);
    }
}

static void set_sums(uint8_t *image, size_t len)
{
    struct image_head *h = (struct image_head *)(void *)image;
    struct og_code_sum sum;
    memcpy(h->magic, IMAGE_MAGIC, 8);
    h->version = IMAGE_VERSION;
    h->n_bits = OG_CODE_BITS;
    h->file_len = len;
    for (unsigned t = 0; t < OG_CODE_TABLES; t++)
        h->table[t].radius %= 3;
    og_code_sum_init(&sum);
    og_code_sum_add(&sum, image + sizeof(*h), len - sizeof(*h));
    h->body_sum = og_code_sum_end(&sum);
    h->head_sum = og_code_segment_sum(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_code_manifest manifest;
    struct og_code_image image;
    og_error err;
    og_code_manifest_parse(&manifest, (og_bytes){(const char *)data, len},
                           "fuzz", &err);
    if (og_code_image_take(&image, data, 0, "fuzz", NULL, &err) == OG_OK)
        abort();
    if (len < sizeof(struct image_head) || len > 1 << 20) return 0;
    const size_t copy_len = len / 64 * 64;
    uint8_t *copy = malloc(copy_len);
    if (copy == NULL) return 0;
    memcpy(copy, data, copy_len);
    set_sums(copy, copy_len);
    if (og_code_image_take(&image, copy, copy_len, "fuzz", NULL, &err) ==
        OG_OK) {
        use_image(&image);
        og_code_image_release(&image);
    } else {
        free(copy);
    }
    return 0;
}
