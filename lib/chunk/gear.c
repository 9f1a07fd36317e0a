/* The gear hash: its table, the definition of a scan and the form in lanes.
 *
 * In a scan each hash depends on the previous one, and the two operations of a
 * step take longer than everything else about a byte. Four chains that work in
 * four parts of the data keep the processor busy. A chain that begins inside
 * the data first processes the OG_GEAR_WINDOW bytes before its part: then its
 * hashes are those of the single chain, so nothing depends on where the parts
 * begin. */

#include "lib/chunk/gear.h"

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

const uint32_t og_gear_table[256] = {
    0x706c8d49, 0x0ea9269d, 0xe7223df8, 0x08050a42, 0x0e194177, 0xfd29c3cb,
    0x5037aa25, 0x03fc45b2, 0xc2d81ab2, 0xdf8e7136, 0xb2fa1043, 0xa0aee460,
    0x5a7a1be7, 0x936a2c68, 0x99df83ec, 0xa4970e7b, 0x763a8c39, 0xee239f61,
    0x33f91a11, 0x57a98763, 0x3a850457, 0xb4ffa349, 0x09753427, 0x596a237f,
    0xde7349e6, 0x01590e3c, 0xb587f45d, 0xe8e35951, 0x40013aad, 0x1ab495a3,
    0x01bd4f92, 0x1d6679a4, 0x72de3b5f, 0xd5c122e3, 0xc7b5cd48, 0x015d9040,
    0x222b49a3, 0x20986242, 0x74a7050b, 0x5f917675, 0x0c19116f, 0x379f3f4f,
    0x77200425, 0x463cb500, 0xf71e4a94, 0x5e2f51e4, 0x00eb19ba, 0x7de41ca2,
    0x6506b1a7, 0xe8a38c42, 0xc2e86272, 0x5060839a, 0x8604f142, 0xeb22b221,
    0xbe99bbc8, 0x947dae6b, 0x37da0689, 0xd220fb35, 0xe2d3ce67, 0xa93dca2b,
    0x84762c2e, 0x69b577a3, 0xbd0c550f, 0x0ad96ef2, 0x873d8968, 0x28ed8b32,
    0x45d94845, 0x552e6e43, 0x33f5b3e0, 0xebee0706, 0xb1d2c924, 0x9022ed91,
    0xa6d24f7c, 0x068f4d39, 0x57d14db8, 0x154e1d30, 0xcd2117c1, 0xe07fbd73,
    0x5bf3ef57, 0xa77c1dd4, 0x40935836, 0xfa7cc9e0, 0x693babdf, 0x227b4ac6,
    0x7d970322, 0x7cbe0ebe, 0x7f0f9085, 0x3e20af75, 0xb0b2ac37, 0xb16594e6,
    0x06a2f263, 0xa2d2d886, 0xfe9d0082, 0x64d667e8, 0x0450d1d0, 0xa38cb31e,
    0x0ce26b30, 0xea5f6a86, 0xe136eb03, 0xc57f413c, 0x515ecfcc, 0xfc8564b8,
    0xdcbe7c3f, 0xfe2f1b0b, 0x9b562415, 0x3a258bf9, 0xa89e93fe, 0x70570b9f,
    0xc7dd5dd4, 0x680c4a26, 0x5a0f0279, 0xe4a820ac, 0xa1ea1022, 0x65e68978,
    0x5cc7ce93, 0xc2e90c91, 0xbdebdff3, 0xee52250b, 0x6e3e760a, 0x855d768e,
    0x45d191d6, 0xd1f3f507, 0x9643ef86, 0x89c69be6, 0xbfed6505, 0xd6879e0f,
    0x7600e58a, 0xdc56e85c, 0x8761b423, 0x2a22283a, 0x3e2b62a9, 0x24977898,
    0x3b9b5212, 0xd66934dd, 0xbdc623fd, 0x4da26e18, 0xda8205d1, 0x8dc30940,
    0x8125f6cb, 0x782654f7, 0x8becc621, 0x3e0b2b41, 0x80dcab02, 0xc0aa8d72,
    0x14548980, 0x7b9663f6, 0x73d74d91, 0xd7e91922, 0xac26e1ad, 0xd21e5be6,
    0x66e92644, 0x2c07a264, 0x88c4f52a, 0x7806cf48, 0x48eb5c09, 0x8fc33071,
    0xdc0ca2ab, 0x31fa1f51, 0xa2ae0550, 0xfc25aeef, 0x0a89732d, 0xc302b405,
    0xd1cfa188, 0x00123553, 0x46b49b64, 0x0fddc901, 0x6888f7d0, 0xfe8d92ee,
    0x34252906, 0x4558af80, 0x1953a920, 0x0e2ef746, 0xf7556524, 0x8b4bcd33,
    0x94af0292, 0xa117155f, 0x200ddacc, 0xe528fb99, 0x95bc10fb, 0xfbc64d1f,
    0x547d0e8b, 0x14b2ea4e, 0xaa313a4a, 0x2069ff5e, 0xc1a1dc96, 0xe232880b,
    0xe691f94d, 0xfb5ca4a9, 0x3b3b4547, 0x55a9d0c0, 0xd02e1dd4, 0xb2029aa9,
    0xb4a80f56, 0x5716d19e, 0xb3ea10c3, 0x441a02bd, 0xa191ea5f, 0x257991aa,
    0xb6e138c9, 0x8ad13b59, 0xe29b81e6, 0x1c79f898, 0x1bac8fb7, 0x2f67a3db,
    0x23df29c0, 0x769f20bd, 0xde04a603, 0xf1538139, 0x9587a00b, 0x7525ad9e,
    0x182aae38, 0x14d67e6f, 0xb3143b88, 0x6c741a12, 0x456039f6, 0x4bb0f216,
    0xec4881e9, 0x608589b0, 0xeae40b18, 0xc658df2a, 0x0a8b5bbd, 0x0333507f,
    0x5d048ad6, 0x34cfeda5, 0x2e13345c, 0x4871413a, 0xafafa32d, 0x5e142baa,
    0xaac61c03, 0x7433921e, 0x76c42d4c, 0xe831ed0a, 0x5903dc85, 0xab714adf,
    0x737fee51, 0xbf0d036a, 0x2c47a8e6, 0x34a0c67c, 0x0b37e0e1, 0x55f57d22,
    0xe715b6e4, 0x7846dd63, 0xefbb3da9, 0xb59ee440, 0x51c30eb4, 0x2671dab7,
    0x11501638, 0xb0e71c05, 0x015c880c, 0x9b926a01, 0xdc55c2ed, 0x799d3656,
    0xbd586914, 0x7fe27054, 0x95d66c5d, 0x5c477291,
};

uint32_t og_gear_hash(const uint8_t *end)
{
    uint32_t hash = 0;
    for (const uint8_t *p = end - OG_GEAR_WINDOW; p < end; p++)
        hash = (hash << 1) + og_gear_table[*p];
    return hash;
}

size_t og_gear_scan_plain(const uint8_t *data, size_t len, uint32_t below,
                          uint32_t *places)
{
    size_t n = 0;
    uint32_t hash = og_gear_hash(data);
    for (size_t i = 0; i < len; i++) {
        hash = (hash << 1) + og_gear_table[data[i]];
        if (hash < below) places[n++] = (uint32_t)(i + 1);
    }
    return n;
}

enum { N_LANES = 4 };

/* Each lane wrote to its own part of `places`: closes the gaps. */
static size_t join_lanes(uint32_t *places, size_t lane_len,
                         uint32_t *const lane_end[N_LANES])
{
    size_t n = (size_t)(lane_end[0] - places);
    for (size_t lane = 1; lane < N_LANES; lane++) {
        const uint32_t *from = places + lane * lane_len;
        const size_t n_lane = (size_t)(lane_end[lane] - from);
        memmove(places + n, from, n_lane * sizeof(*places));
        n += n_lane;
    }
    return n;
}

size_t og_gear_scan_lanes(const uint8_t *data, size_t len, uint32_t below,
                          uint32_t *places)
{
    const size_t lane_len = len / N_LANES;
    const uint8_t *const d0 = data, *const d1 = d0 + lane_len;
    const uint8_t *const d2 = d1 + lane_len, *const d3 = d2 + lane_len;
    if (lane_len < OG_GEAR_WINDOW)
        return og_gear_scan_plain(data, len, below, places);
    uint32_t h0 = og_gear_hash(d0), h1 = og_gear_hash(d1);
    uint32_t h2 = og_gear_hash(d2), h3 = og_gear_hash(d3);
    uint32_t *p0 = places, *p1 = p0 + lane_len;
    uint32_t *p2 = p1 + lane_len, *p3 = p2 + lane_len;
    const uint32_t len1 = (uint32_t)lane_len;
    for (size_t i = 0; i < lane_len; i++) {
        const uint32_t place = (uint32_t)(i + 1);
        h0 = (h0 << 1) + og_gear_table[d0[i]];
        h1 = (h1 << 1) + og_gear_table[d1[i]];
        h2 = (h2 << 1) + og_gear_table[d2[i]];
        h3 = (h3 << 1) + og_gear_table[d3[i]];
        if (OG_UNLIKELY(h0 < below)) *p0++ = place;
        if (OG_UNLIKELY(h1 < below)) *p1++ = place + len1;
        if (OG_UNLIKELY(h2 < below)) *p2++ = place + 2 * len1;
        if (OG_UNLIKELY(h3 < below)) *p3++ = place + 3 * len1;
    }
    /* The remainder of the division, in the last lane. */
    for (size_t i = N_LANES * lane_len; i < len; i++) {
        h3 = (h3 << 1) + og_gear_table[data[i]];
        if (h3 < below) *p3++ = (uint32_t)(i + 1);
    }
    uint32_t *const lane_end[N_LANES] = {p0, p1, p2, p3};
    return join_lanes(places, lane_len, lane_end);
}

size_t og_gear_scan(const uint8_t *data, size_t len, uint32_t below,
                    uint32_t *places)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512)
        return og_gear_scan_avx512(data, len, below, places);
#endif
    return og_gear_scan_lanes(data, len, below, places);
}
