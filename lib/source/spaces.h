#ifndef OG_SOURCE_SPACES_H
#define OG_SOURCE_SPACES_H

/* White space of markup: what HTML and XML run together to one blank. */

#include <stdbool.h>

static inline bool og_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The end of the words from `p` on that have one blank between them: they are
 * copied as one. */
static inline const char *og_words_end(const char *p, const char *end)
{
    while (p < end && (!og_is_space(*p) ||
                       (*p == ' ' && end - p > 1 && !og_is_space(p[1]))))
        p++;
    return p;
}

#endif
