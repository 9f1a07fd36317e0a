/* The location of partitions: which one has a fingerprint, and under which key.
 *
 * A cluster assigns a key to one of its slots by a checksum of the text between
 * the first '{' and the '}' after it. Slots are assigned to nodes in long runs,
 * so partitions whose slots are evenly spaced are distributed evenly over any
 * number of nodes. A tag for each slot is found by trying numbers: the smallest
 * one whose checksum is that slot. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/partition/partition.h"

#define N_SLOTS 16384

uint32_t og_partition_of(uint64_t fp, unsigned n_bits)
{
    return n_bits == 0 ? 0 : (uint32_t)(og_mix64(fp) >> (64 - n_bits));
}

/* CRC-16/XMODEM: the polynomial x^16 + x^12 + x^5 + 1, from 0. The eight
 * steps of a byte come down to a few shifts, since the polynomial has so few
 * terms. */
static uint16_t crc16(og_bytes text)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned x = (crc >> 8 ^ (uint8_t)text.data[i]) & 0xff;
        x ^= x >> 4;
        crc = (uint16_t)(crc << 8 ^ x << 12 ^ x << 5 ^ x);
    }
    return crc;
}

static uint32_t tags[N_SLOTS]; /* of each slot, and 1 more */
static pthread_once_t tags_once = PTHREAD_ONCE_INIT;

static void find_tags(void)
{
    unsigned n_found = 0;
    for (uint32_t number = 0; n_found < N_SLOTS; number++) {
        char text[16];
        const int len = snprintf(text, sizeof(text), "%u", number);
        uint32_t *tag = &tags[crc16((og_bytes){text, (size_t)len}) % N_SLOTS];
        if (*tag != 0) continue;
        *tag = number + 1;
        n_found++;
    }
}

static bool is_name(og_bytes name)
{
    if (name.len == 0 || name.len > OG_PARTITION_NAME_MAX) return false;
    for (size_t i = 0; i < name.len; i++) {
        const uint8_t c = (uint8_t)name.data[i];
        if (c < ' ' || c == 127 || c == '{' || c == '}') return false;
    }
    return true;
}

/* The middle of its share of the slots. */
unsigned og_partition_slot(uint32_t number, unsigned n_bits)
{
    return (unsigned)(((2 * (uint64_t)number + 1) * N_SLOTS) >> (n_bits + 1));
}

/* The checksum of the text between the first '{' and the '}' after it; of the
 * whole key if there is none. */
unsigned og_partition_key_slot(og_bytes key)
{
    const char *end = key.data + key.len;
    const char *open = memchr(key.data, '{', key.len);
    const char *close =
        open != NULL ? memchr(open, '}', (size_t)(end - open)) : NULL;
    if (close != NULL && close > open + 1)
        key = (og_bytes){open + 1, (size_t)(close - open - 1)};
    return crc16(key) % N_SLOTS;
}

og_status og_partition_key(og_bytes name, uint32_t number, unsigned n_bits,
                           char out[OG_PARTITION_KEY_LEN], og_error *err)
{
    if (!is_name(name))
        return og_error_set(err, OG_ERR_USAGE,
                            "the name of a table has 1 to %d characters, none "
                            "of them '{', '}' or a control character",
                            OG_PARTITION_NAME_MAX);
    if (n_bits > OG_PARTITION_BITS_MAX || number >> n_bits != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "a table of 2^%u partitions has no partition %u",
                            n_bits, number);
    pthread_once(&tags_once, find_tags);
    snprintf(out, OG_PARTITION_KEY_LEN, "origo:{%u}:%.*s:%u",
             tags[og_partition_slot(number, n_bits)] - 1, (int)name.len,
             name.data, number);
    return OG_OK;
}
