/* One pass over the lines of the folded text, with the previous and the next
 * line in view. Folding keeps line ends and ASCII punctuation. */

#include "lib/sketch/features/heading.h"

#include <string.h>

struct line {
    const char *begin, *end; /* without its line end */
};

static struct line line_at(const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && *stop != '\n' && *stop != '\r')
        stop++;
    return (struct line){at, stop};
}

/* Where the next line begins. */
static const char *next_line(struct line line, const char *end)
{
    const char *at = line.end;
    if (at < end && *at == '\r') at++;
    if (at < end && *at == '\n' && (at == line.end || at[-1] == '\r')) at++;
    return at;
}

static bool is_blank(struct line line)
{
    for (const char *p = line.begin; p < line.end; p++)
        if (*p != ' ' && *p != '\t' && *p != '\f' && *p != '\v') return false;
    return true;
}

static bool is_hash_heading(struct line line)
{
    const char *p = line.begin;
    while (p < line.end && *p == '#')
        p++;
    const size_t n = (size_t)(p - line.begin);
    return n >= 1 && n <= 6 && p < line.end && (*p == ' ' || *p == '\t');
}

static bool is_rule(struct line line)
{
    const char *p = line.begin;
    if (p == line.end || strchr("=-~^", *p) == NULL || *p == '\0') return false;
    while (p < line.end && *p == *line.begin)
        p++;
    const size_t n = (size_t)(p - line.begin);
    return n >= 3 && is_blank((struct line){p, line.end});
}

/* "3", "3.", "3.1", "3.1." followed by a blank and text. */
static bool is_numbered(struct line line)
{
    const char *p = line.begin;
    if (line.end - line.begin > 80) return false;
    bool any_digit = false, any_dot = false;
    for (; p < line.end && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
        if (*p == '.' && !any_digit) return false;
        any_digit = any_digit || *p != '.';
        any_dot = any_dot || *p == '.';
    }
    return any_dot && p < line.end && (*p == ' ' || *p == '\t') &&
           !is_blank((struct line){p, line.end});
}

static bool is_heading(struct line before, struct line line, struct line after)
{
    if (is_blank(line) || is_rule(line)) return false;
    return is_hash_heading(line) || is_rule(after) ||
           (is_numbered(line) && is_blank(before) && is_blank(after));
}

void og_headings_weigh(const struct og_text *text,
                       const struct og_tokens *tokens, float heading_weight,
                       float *weight)
{
    if (text->len == 0) return;
    const char *const end = text->data + text->len;
    struct line before = {text->data, text->data};
    struct line line = line_at(text->data, end);
    size_t i = 0;
    for (;;) {
        const char *const next = next_line(line, end);
        const struct line after = line_at(next, end);
        const bool weighs = is_heading(before, line, after);
        for (; i < tokens->n && text->data + tokens->begin[i] < line.end; i++)
            if (weighs) weight[i] *= heading_weight;
        if (next == end) return;
        before = line;
        line = after;
    }
}
