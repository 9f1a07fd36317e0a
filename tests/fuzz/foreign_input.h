#ifndef TESTS_FUZZ_FOREIGN_INPUT_H
#define TESTS_FUZZ_FOREIGN_INPUT_H

#include "lib/source/foreign.h"

/* Kinds that are not read, and charsets that nothing declares, are known by the
 * first bytes, as many as the first block has. Of blocks of a few bytes, which
 * only tests have, they may not be known: whether the size of blocks shows is
 * asked of plain ASCII alone. */
static inline bool block_size_may_show(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (data[i] >= 0x80 || data[i] == 0 || data[i] == 0x1b) return true;
    return og_foreign_name((og_bytes){(const char *)data, len}) != NULL;
}

#endif
