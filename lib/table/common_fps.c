#include "lib/table/common_fps.h"

#include "lib/base/bits.h"

enum { TAG_OFF = 0, DOC_OFF = 4, COUNT_OFF = 8, CELL_LEN = 12 };

/* Other bits than those that choose the bucket and the tag of the table. */
static uint64_t remix(uint64_t mixed)
{
    return og_mix64(mixed ^ 0x9e3779b97f4a7c15u);
}

uint64_t og_common_fps_off(uint64_t n_lines, uint64_t mixed)
{
    return og_mul_high(remix(mixed), n_lines) * OG_COMMON_LINE;
}

/* 0 marks an empty cell. */
static uint32_t tag_of(uint64_t mixed)
{
    const uint32_t tag = (uint32_t)remix(mixed);
    return tag != 0 ? tag : 1;
}

/* Readers read while the writer writes: each number is accessed whole. */
static uint32_t get(const uint8_t *cell, size_t off)
{
    return og_le32(
        __atomic_load_n((const uint32_t *)(cell + off), __ATOMIC_RELAXED));
}

static void put(uint8_t *cell, size_t off, uint32_t value)
{
    __atomic_store_n((uint32_t *)(cell + off), og_le32(value),
                     __ATOMIC_RELAXED);
}

static uint8_t *find(const uint8_t *line, uint32_t tag)
{
    for (size_t i = 0; i < OG_COMMON_CELLS; i++)
        if (get(line + i * CELL_LEN, TAG_OFF) == tag)
            return (uint8_t *)line + i * CELL_LEN;
    return NULL;
}

static uint8_t *smallest(uint8_t *line)
{
    uint8_t *least = line;
    for (size_t i = 1; i < OG_COMMON_CELLS; i++) {
        uint8_t *cell = line + i * CELL_LEN;
        if (get(cell, COUNT_OFF) < get(least, COUNT_OFF)) least = cell;
    }
    return least;
}

void og_common_fps_count(uint8_t *lines, uint64_t n_lines, uint64_t mixed,
                         uint32_t doc)
{
    uint8_t *line = lines + og_common_fps_off(n_lines, mixed);
    const uint32_t tag = tag_of(mixed);
    uint8_t *cell = find(line, tag);
    if (cell != NULL) {
        if (get(cell, DOC_OFF) == doc + 1) return;
        put(cell, DOC_OFF, doc + 1);
        put(cell, COUNT_OFF, get(cell, COUNT_OFF) + 1);
        return;
    }
    cell = smallest(line);
    if (get(cell, COUNT_OFF) > 1) {
        put(cell, COUNT_OFF, get(cell, COUNT_OFF) - 1);
        return;
    }
    put(cell, TAG_OFF, tag);
    put(cell, DOC_OFF, doc + 1);
    put(cell, COUNT_OFF, 1);
}

uint32_t og_common_fps_get(const uint8_t *lines, uint64_t n_lines,
                           uint64_t mixed)
{
    const uint8_t *cell =
        find(lines + og_common_fps_off(n_lines, mixed), tag_of(mixed));
    return cell != NULL ? get(cell, COUNT_OFF) : 0;
}

uint64_t og_common_fps_over(const uint8_t *lines, uint64_t n_lines,
                            uint32_t least)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < n_lines; i++)
        for (size_t j = 0; j < OG_COMMON_CELLS; j++)
            n += get(lines + i * OG_COMMON_LINE + j * CELL_LEN, COUNT_OFF) >=
                 least;
    return n;
}
