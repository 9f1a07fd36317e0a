#ifndef OG_CHUNK_GEAR_H
#define OG_CHUNK_GEAR_H

/* The gear hash of the OG_GEAR_WINDOW bytes before a place: each byte is turned
 * into a random word, and a byte that is j bytes older is shifted j bits
 * higher,
 *
 *     g = sum over j of  table[byte j before the last] << j     modulo 2^32,
 *
 * so that the next hash is 2 g + table[next byte], and a byte is shifted out at
 * the top after 32 steps. High bits depend on more bytes than low ones, so only
 * they are used, by comparing g with a threshold. */

#include <stddef.h>
#include <stdint.h>

#define OG_GEAR_WINDOW 32

/* Frozen: cuts, and with them hashes of chunks that were stored, depend on
 * it. og_mix64(seed * 256 + byte) >> 32, where the seed is the first one from 1
 * on for which no run of equal bytes has a hash with a zero lead byte: such a
 * run (zeros!) would be cut to pieces of the least length. */
extern const uint32_t og_gear_table[256];
#define OG_GEAR_SEED 4

/* `end` points after the last of the bytes. */
uint32_t og_gear_hash(const uint8_t *end);

/* Writes every place e in 1 .. len where the hash of the OG_GEAR_WINDOW bytes
 * before data + e is less than `below`, in order; returns their number. The
 * bytes data[-OG_GEAR_WINDOW] .. data[len - 1] are read; `places` has room for
 * len. _plain is the definition; _lanes works in four parts of the data at a
 * time, because a single chain of hashes is limited by latency; _avx512 at
 * sixteen. */
size_t og_gear_scan_plain(const uint8_t *data, size_t len, uint32_t below,
                          uint32_t *places);
size_t og_gear_scan_lanes(const uint8_t *data, size_t len, uint32_t below,
                          uint32_t *places);
#if defined(__x86_64__)
size_t og_gear_scan_avx512(const uint8_t *data, size_t len, uint32_t below,
                           uint32_t *places);
#endif
/* The fastest of them on this machine. */
size_t og_gear_scan(const uint8_t *data, size_t len, uint32_t below,
                    uint32_t *places);

/* A good length for a scan: 16 lanes of 4,160 bytes. It fits into the L2 cache,
 * and the lanes do not share an L1 cache set, as they would 4,096 bytes
 * apart. */
#define OG_GEAR_BLOCK ((size_t)16 * 4160)

#endif
