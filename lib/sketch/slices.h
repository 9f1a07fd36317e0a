/* Counts, for each of 64 bit positions, how many of n words have it set: the
 * carry-save counters of simhash. No include guard: included once per width,
 * after these are defined:
 *
 *     SLICES(name)   the name for this width
 *     SLICES_TARGET  the attribute of its functions
 *     VEC            LANES words of 64 bits
 *     LOAD(p)        VEC from unaligned memory
 *     SUM(a, b, c)   a ^ b ^ c
 *     CARRY(a, b, c) the majority of three
 *     SWAP(v, half)  lane i + half of v in lane i, for i < half
 *
 * A counter of one position is a column of bits, one bit in each of several
 * planes; one logic instruction works on 64 * LANES columns. A full adder turns
 * three planes of value v into one of value v and one of value 2v, so fifteen
 * adders turn sixteen words into one plane of value 16. These planes are
 * accumulated in the same way, two of value v with the total of value v, like
 * the digits of a binary counter: less than one additional adder per sixteen
 * words. So a word costs one adder, two instructions with ternary logic, and
 * LANES words are added at once. */

#define FULL_ADD(high, low, a, b)                                              \
    do {                                                                       \
        const VEC fa_l = (low), fa_a = (a), fa_b = (b);                        \
        (high) = CARRY(fa_l, fa_a, fa_b);                                      \
        (low) = SUM(fa_l, fa_a, fa_b);                                         \
    } while (0)

/* Adds 16 vectors at p to the planes of value 1, 2, 4, 8; returns the plane of
 * value 16. */
SLICES_TARGET static inline VEC SLICES(add16)(const uint64_t *p, VEC plane[4])
{
    VEC two_a, two_b, four_a, four_b, eight_a, eight_b, sixteen;
    VEC one = plane[0], two = plane[1], four = plane[2], eight = plane[3];
#define AT(i) LOAD(p + (i)*LANES)
    FULL_ADD(two_a, one, AT(0), AT(1));
    FULL_ADD(two_b, one, AT(2), AT(3));
    FULL_ADD(four_a, two, two_a, two_b);
    FULL_ADD(two_a, one, AT(4), AT(5));
    FULL_ADD(two_b, one, AT(6), AT(7));
    FULL_ADD(four_b, two, two_a, two_b);
    FULL_ADD(eight_a, four, four_a, four_b);
    FULL_ADD(two_a, one, AT(8), AT(9));
    FULL_ADD(two_b, one, AT(10), AT(11));
    FULL_ADD(four_a, two, two_a, two_b);
    FULL_ADD(two_a, one, AT(12), AT(13));
    FULL_ADD(two_b, one, AT(14), AT(15));
    FULL_ADD(four_b, two, two_a, two_b);
    FULL_ADD(eight_b, four, four_a, four_b);
    FULL_ADD(sixteen, eight, eight_a, eight_b);
#undef AT
    plane[0] = one, plane[1] = two, plane[2] = four, plane[3] = eight;
    return sixteen;
}

/* Adds up the lanes of `n` planes by halving: one half is added to the other,
 * column by column, which may need one more plane, and so on. The sums are in
 * lane 0. Returns the number of planes. */
SLICES_TARGET static inline unsigned SLICES(fold)(VEC *plane, unsigned n)
{
    for (unsigned half = LANES / 2; half > 0; half /= 2) {
        VEC carry = (VEC){0};
        for (unsigned i = 0; i < n; i++) {
            const VEC other = SWAP(plane[i], half);
            VEC next;
            FULL_ADD(next, plane[i], other, carry);
            carry = next;
        }
        plane[n++] = carry;
    }
    return n;
}

/* Writes the counts as columns of bits: bit j of out[i] is bit i of the count
 * of position j. Returns the number of words written. */
SLICES_TARGET static unsigned SLICES(columns)(const uint64_t *hash, size_t n,
                                              uint64_t out[OG_SLICE_PLANES])
{
    enum { STEP = 16 * LANES };
    const VEC zero = (VEC){0};
    /* total: planes of value 2^i. wait: a plane of that value awaiting a second
     * one. */
    VEC total[OG_SLICE_PLANES], wait[OG_SLICE_PLANES];
    unsigned depth = 4;
    total[0] = total[1] = total[2] = total[3] = zero;
    uint64_t n_blocks = 0;
    uint64_t last[STEP];
    for (size_t i = 0; i < n; i += STEP, n_blocks++) {
        const uint64_t *block = hash + i;
        if (n - i < STEP) {
            memcpy(last, block, (n - i) * sizeof(*last));
            memset(last + (n - i), 0, (STEP - (n - i)) * sizeof(*last));
            block = last;
        }
        VEC carry = SLICES(add16)(block, total);
        unsigned level = 4;
        for (uint64_t b = n_blocks; b & 1; b >>= 1, level++) {
            if (level == depth) total[depth++] = zero;
            FULL_ADD(carry, total[level], wait[level], carry);
        }
        wait[level] = carry;
    }
    /* The waiting planes are added with a carry that ripples up. */
    VEC plane[OG_SLICE_PLANES + 4];
    VEC carry = zero;
    for (unsigned i = 0; i < depth || n_blocks >> (i - 4) != 0; i++) {
        const VEC other = i >= 4 && (n_blocks >> (i - 4) & 1) ? wait[i] : zero;
        VEC next;
        plane[i] = i < depth ? total[i] : zero;
        FULL_ADD(next, plane[i], other, carry);
        carry = next;
        if (i + 1 > depth) depth = i + 1;
    }
    plane[depth] = carry;
    const unsigned n_planes = SLICES(fold)(plane, depth + 1);
    for (unsigned i = 0; i < n_planes; i++)
        memcpy(&out[i], &plane[i], sizeof(out[i]));
    return n_planes;
}

static uint64_t SLICES(sign)(const uint64_t *hash, size_t n)
{
    uint64_t column[OG_SLICE_PLANES];
    const unsigned n_planes = SLICES(columns)(hash, n, column);
    return og_slices_above(column, n_planes, n / 2);
}

static void SLICES(count)(const uint64_t *hash, size_t n, uint64_t ones[64])
{
    uint64_t column[OG_SLICE_PLANES];
    const unsigned n_planes = SLICES(columns)(hash, n, column);
    og_slices_spread(column, n_planes, ones);
}

#undef FULL_ADD
#undef SLICES
#undef SLICES_TARGET
#undef VEC
#undef LANES
#undef LOAD
#undef SUM
#undef CARRY
#undef SWAP
