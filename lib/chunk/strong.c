/* SHA-256 without allocation and without failure: libcrypto's older calls,
 * which its newer ones end up in. */

/* Asks openssl for the calls of version 1.1. */
#define OPENSSL_API_COMPAT 0x10100000L
#include "lib/chunk/strong.h"

#include "lib/chunk/chunk_tree.h"

void og_strong_init(struct og_strong *strong)
{
    SHA256_Init(&strong->state);
}

void og_strong_add(struct og_strong *strong, const void *data, size_t len)
{
    SHA256_Update(&strong->state, data, len);
}

void og_strong_add_u64(struct og_strong *strong, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    og_strong_add(strong, bytes, sizeof(bytes));
}

void og_strong_end(struct og_strong *strong, uint8_t out[OG_HASH_LEN])
{
    SHA256_Final(out, &strong->state);
}

void og_bytes_hash(const void *data, size_t len, uint8_t out[OG_HASH_LEN])
{
    struct og_strong strong;
    og_strong_init(&strong);
    og_strong_add(&strong, data, len);
    og_strong_end(&strong, out);
}
