/* SHA-256 without allocation and without failure: libcrypto's older functions,
 * which its newer ones call. */

/* Requests the functions of version 1.1 from openssl. */
#define OPENSSL_API_COMPAT 0x10100000L
#include "lib/chunk/sha256.h"

#include "lib/chunk/chunk_tree.h"

void og_sha256_init(struct og_sha256 *strong)
{
    SHA256_Init(&strong->state);
}

void og_sha256_add(struct og_sha256 *strong, const void *data, size_t len)
{
    SHA256_Update(&strong->state, data, len);
}

void og_sha256_add_u64(struct og_sha256 *strong, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    og_sha256_add(strong, bytes, sizeof(bytes));
}

void og_sha256_end(struct og_sha256 *strong, uint8_t out[OG_HASH_LEN])
{
    SHA256_Final(out, &strong->state);
}

void og_bytes_hash(const void *data, size_t len, uint8_t out[OG_HASH_LEN])
{
    struct og_sha256 strong;
    og_sha256_init(&strong);
    og_sha256_add(&strong, data, len);
    og_sha256_end(&strong, out);
}
