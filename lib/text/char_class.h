#ifndef OG_TEXT_CHAR_CLASS_H
#define OG_TEXT_CHAR_CLASS_H

/* og_char_class_of() for inner loops: one load once a character is known. */

#include <stdatomic.h>

#include "lib/text/text.h"

/* Above are private use, tags and variation selectors: rare, and not cached. */
#define OG_CHAR_CLASSES 0x34000

#define OG_CHAR_LEARNT 4 /* set in the bytes that are filled in */

extern _Atomic uint8_t og_char_classes[OG_CHAR_CLASSES];

enum og_char_class og_char_class_learn(uint32_t code_point);

static inline enum og_char_class og_char_class_find(uint32_t code_point)
{
    if (code_point < OG_CHAR_CLASSES) {
        const uint8_t known = atomic_load_explicit(&og_char_classes[code_point],
                                                   memory_order_relaxed);
        if (known != 0) return (enum og_char_class)(known & 3);
    }
    return og_char_class_learn(code_point);
}

#endif
