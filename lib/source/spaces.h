#ifndef OG_SOURCE_SPACES_H
#define OG_SOURCE_SPACES_H

/* White space in markup, which HTML and XML collapse to one blank. */

#include <stdbool.h>
#include <stddef.h>

static inline bool og_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The end of the words from `p` on that are separated by single blanks: they
 * can be copied in one piece. */
static inline const char *og_words_end(const char *p, const char *end)
{
    while (p < end && (!og_is_space(*p) ||
                       (*p == ' ' && end - p > 1 && !og_is_space(p[1]))))
        p++;
    return p;
}

/* Space that is pending before the next word of a text: newlines or a blank. */
struct og_due_space {
    int n_breaks;
    bool has_space;
};

static inline void og_due_break(struct og_due_space *due, int n)
{
    if (n > due->n_breaks) due->n_breaks = n;
}

/* The pending bytes, *out_len of them; none before the first word of a text.
 * Afterwards nothing is pending. */
static inline const char *og_due_take(struct og_due_space *due, bool is_first,
                                      size_t *out_len)
{
    const struct og_due_space was = *due;
    *due = (struct og_due_space){0};
    *out_len = is_first           ? 0
               : was.n_breaks > 0 ? (size_t)was.n_breaks
                                  : (size_t)was.has_space;
    return was.n_breaks > 0 ? "\n\n" : " ";
}

#endif
