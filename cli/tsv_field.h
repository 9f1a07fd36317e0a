#ifndef CLI_TSV_FIELD_H
#define CLI_TSV_FIELD_H

/* A field of a line of tab-separated values. */

#include <origo/origo.h>
#include <stdio.h>

/* An id comes from a stranger: what would break the line is written as JSON
 * does it. */
static inline void field_print(og_bytes id)
{
    for (size_t i = 0; i < id.len; i++) {
        const unsigned char c = (unsigned char)id.data[i];
        if (c < 0x20 || c == '\\' || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
}

#endif
