#ifndef OG_ALIGN_NEARLY_SORTED_H
#define OG_ALIGN_NEARLY_SORTED_H

/*   in:  runs, seeds and ends of chains, mostly in order    (lib/align)
 *   out: the same, in order                                 (lib/align)
 *
 * They were found from one end of a text to the other, so few are out of place,
 * and a document of a few sentences has few of them. Insertion moves only
 * those; qsort() would allocate, copy all of them and call back for each pair.
 * When more than a few moves are needed for each of them, qsort() does the
 * rest. Equal ones keep their order as long as it is stable, which glibc's is.
 *
 * OG_SORT_NEARLY defines a function `name` for arrays of `type`. */

#include <stdlib.h>

enum { OG_NEARLY_MOVES = 8 };

#define OG_SORT_NEARLY(name, type, compare)                                    \
    static void name(type *list, size_t n)                                     \
    {                                                                          \
        size_t moves_left = n * OG_NEARLY_MOVES;                               \
        for (size_t i = 1; i < n; i++) {                                       \
            const type one = list[i];                                          \
            size_t at = i;                                                     \
            for (; at > 0 && compare(&one, &list[at - 1]) < 0; at--)           \
                list[at] = list[at - 1];                                       \
            list[at] = one;                                                    \
            if (moves_left < i - at) {                                         \
                qsort(list, n, sizeof(*list), compare);                        \
                return;                                                        \
            }                                                                  \
            moves_left -= i - at;                                              \
        }                                                                      \
    }

#endif
