#!/usr/bin/env python3
"""Prints lib/table/thin_levels.h: the logarithms that lib/table/thin.c adds."""

from math import log2

STEPS = 12  # an octave


def state_level(state):
    age, hits = state >> 3, state & 7
    # 8 hits at age 0 is the least worth giving up: level 0.
    return round(STEPS * (log2(1 + age) + 2 * (log2(8) - log2(1 + hits))))


def tag_level(tag):
    return round(STEPS * log2(1 + tag))


def table(name, level):
    rows = [f"static const uint8_t {name}[256] = {{"]
    for first in range(0, 256, 12):
        cells = ", ".join(str(level(i)) for i in range(first, min(first + 12, 256)))
        rows.append(f"    {cells},")
    return "\n".join(rows + ["};"])


print("""#ifndef OG_TABLE_THIN_LEVELS_H
#define OG_TABLE_THIN_LEVELS_H

/* Made by tools/thin_levels.py; see thin.c. */

#include <stdint.h>

/* clang-format off */""")
print(table("og_level_of_state", state_level))
print()
print(table("og_level_of_tag", tag_level))
print("""/* clang-format on */

#endif""")
