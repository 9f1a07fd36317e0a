/* Packed ascending values: code_packed.h describes the block.
 *
 * The lengths of the Huffman codes are limited to 12 bits by halving all counts
 * until they fit; with 64 symbols that costs less than a hundredth of a bit per
 * value, and decoding is one look-up in a table that fits into the L1 cache. */

#include "lib/hamming/code_packed.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_index.h"

/* ---- Huffman ---- */

/* The depth of every symbol that occurs, by repeatedly joining the two rarest.
 * 64 symbols: no heap is needed. Returns the greatest depth. */
static unsigned code_lengths(const uint64_t count[64], uint8_t len[64])
{
    uint64_t weight[127];
    int parent[127];
    unsigned n = 0, symbol[64];
    memset(len, 0, 64);
    for (unsigned h = 0; h < 64; h++) {
        if (count[h] == 0) continue;
        weight[n] = count[h];
        symbol[n++] = h;
    }
    if (n == 1) len[symbol[0]] = 1;
    if (n <= 1) return n;
    unsigned n_nodes = n;
    bool joined[127] = {false};
    while (n_nodes < 2 * n - 1) {
        unsigned pick[2];
        for (unsigned i = 0; i < 2; i++) {
            unsigned best = n_nodes;
            for (unsigned node = 0; node < n_nodes; node++)
                if (!joined[node] &&
                    (best == n_nodes || weight[node] < weight[best]))
                    best = node;
            joined[best] = true;
            pick[i] = best;
        }
        weight[n_nodes] = weight[pick[0]] + weight[pick[1]];
        parent[pick[0]] = parent[pick[1]] = (int)n_nodes++;
    }
    unsigned greatest = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned depth = 0;
        for (unsigned node = i; node != n_nodes - 1;
             node = (unsigned)parent[node])
            depth++;
        len[symbol[i]] = (uint8_t)depth;
        if (depth > greatest) greatest = depth;
    }
    return greatest;
}

/* Canonical codes: by length, then by symbol. */
static void assign_codes(struct og_code_packed *p)
{
    unsigned next = 0;
    for (unsigned len = 1; len <= OG_PACKED_CODE_BITS; len++, next <<= 1) {
        for (unsigned h = 0; h < 64; h++) {
            if (p->code_len[h] != len) continue;
            const unsigned spare = OG_PACKED_CODE_BITS - len;
            p->code[h] = (uint16_t)next;
            for (unsigned i = 0; i < 1u << spare; i++)
                p->decode[(next << spare) + i] = (uint16_t)(len * 64 + h);
            next++;
        }
    }
}

static void make_code(struct og_code_packed *p, const uint64_t *values,
                      size_t n)
{
    uint64_t count[64] = {0};
    for (size_t i = 1; i < n; i++)
        count[63 - __builtin_clzll(values[i] ^ values[i - 1])]++;
    while (code_lengths(count, p->code_len) > OG_PACKED_CODE_BITS)
        for (unsigned h = 0; h < 64; h++)
            count[h] = (count[h] + 1) / 2;
    assign_codes(p);
}

/* ---- bits, the first one highest ---- */

static uint64_t swapped(const uint8_t *p)
{
    return __builtin_bswap64(og_load64(p));
}

/* 64 bits from a bit offset on; reads 9 bytes. */
static inline uint64_t peek(const uint8_t *block, size_t bit)
{
    const uint8_t *at = block + bit / 8;
    const unsigned off = bit % 8;
    const uint64_t high = swapped(at);
    return off == 0 ? high : high << off | at[8] >> (8 - off);
}

/* Into zeroed memory; n from 1 to 64. */
static void put(uint8_t *block, size_t bit, uint64_t bits, unsigned n)
{
    while (n != 0) {
        const unsigned room = 8 - bit % 8;
        const unsigned take = n < room ? n : room;
        const uint64_t part = bits >> (n - take) & (0xffu >> (8 - take));
        block[bit / 8] |= (uint8_t)(part << (room - take));
        bit += take;
        n -= take;
    }
}

/* ---- packing ---- */

/* How many values fit into the block that begins with values[0], and their
 * bits. */
static size_t measure_block(const struct og_code_packed *p,
                            const uint64_t *values, size_t n, size_t *out_bits)
{
    size_t bits = 64, i = 1;
    for (; i < n; i++) {
        const unsigned h =
            63 - (unsigned)__builtin_clzll(values[i] ^ values[i - 1]);
        if (bits + p->code_len[h] + h > 8 * OG_PACKED_BLOCK) break;
        bits += p->code_len[h] + h;
    }
    *out_bits = bits;
    return i;
}

static void pack_block(const struct og_code_packed *p, const uint64_t *values,
                       size_t n, uint8_t *block)
{
    size_t bit = 64;
    put(block, 0, values[0], 64);
    for (size_t i = 1; i < n; i++) {
        const uint64_t other = values[i] ^ values[i - 1];
        const unsigned h = 63 - (unsigned)__builtin_clzll(other);
        put(block, bit, p->code[h], p->code_len[h]);
        bit += p->code_len[h];
        if (h != 0) put(block, bit, other, h);
        bit += h;
    }
}

og_status og_code_packed_init(struct og_code_packed *p, const uint64_t *values,
                              size_t n, const og_allocator *allocator,
                              og_error *err)
{
    size_t bits;
    *p = (struct og_code_packed){0};
    make_code(p, values, n);
    for (size_t i = 0; i < n; p->n_blocks++) {
        i += measure_block(p, values + i, n - i, &bits);
        p->n_bits += bits;
    }
    /* 64 bytes more, so that the last block can be read past its end. */
    const size_t blocks_len = p->n_blocks * OG_PACKED_BLOCK + 64;
    TRY(og_pages_init(&p->pages, blocks_len + p->n_blocks * sizeof(uint64_t),
                      allocator, err));
    uint8_t *block = p->pages.data;
    uint64_t *keys = (uint64_t *)(void *)(block + blocks_len);
    p->keys = keys;
    for (size_t i = 0; i < n; block += OG_PACKED_BLOCK) {
        const size_t here = measure_block(p, values + i, n - i, &bits);
        pack_block(p, values + i, here, block);
        i += here;
        *keys++ = values[i - 1];
    }
    return OG_OK;
}

void og_code_packed_release(struct og_code_packed *p)
{
    og_pages_release(&p->pages);
    p->n_blocks = 0;
}

uint64_t og_code_packed_bytes(const struct og_code_packed *p)
{
    return p->n_blocks * (OG_PACKED_BLOCK + sizeof(uint64_t));
}

/* ---- unpacking ---- */

static inline uint64_t next_value(const struct og_code_packed *p,
                                  const uint8_t *block, size_t *bit,
                                  uint64_t value)
{
    const unsigned entry =
        p->decode[peek(block, *bit) >> (64 - OG_PACKED_CODE_BITS)];
    const unsigned h = entry % 64;
    *bit += entry / 64;
    const uint64_t below = h == 0 ? 0 : peek(block, *bit) >> (64 - h);
    *bit += h;
    return value ^ (UINT64_C(1) << h | below);
}

bool og_code_packed_walk(const struct og_code_packed *p, uint64_t first,
                         uint64_t last, void *ctx,
                         bool (*on_value)(void *ctx, uint64_t value))
{
    const uint8_t *blocks = p->pages.data;
    for (size_t b = og_code_search(p->keys, p->n_blocks, first);
         b < p->n_blocks; b++) {
        const uint8_t *block = blocks + b * OG_PACKED_BLOCK;
        uint64_t value = swapped(block);
        for (size_t bit = 64; value <= last;) {
            if (value >= first && !on_value(ctx, value)) return false;
            if (value == p->keys[b]) break;
            value = next_value(p, block, &bit, value);
        }
        if (value > last || p->keys[b] >= last) return true;
    }
    return true;
}
