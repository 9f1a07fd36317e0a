/* The rules SB1 to SB998, read from left to right in one pass.
 *
 * The state is small: whether there was a stop, then closing marks, then spaces
 * (SB8 to SB11), and which letter preceded the stop (SB7). Only rule SB8 looks
 * ahead, for a lower-case letter before any other letter or stop; a stop ends
 * that search, so all searches together take linear time. */

#include "lib/sentence/split/breaks.h"

#include "lib/sentence/split/sentence_class.h"
#include "lib/text/utf8.h"

struct reader {
    const unsigned char *text;
    size_t len;
    bool joins_lines;
};

struct character {
    enum og_sentence_class class;
    uint32_t len;
};

static struct character read_at(const struct reader *r, size_t at)
{
    const struct og_utf8 c = og_utf8_decode(r->text + at, r->len - at);
    enum og_sentence_class class = og_sentence_class_of(c.code_point);
    if (r->joins_lines && (class == OG_SB_CR || class == OG_SB_LF))
        class = OG_SB_SP;
    return (struct character){class, c.len};
}

static bool is_line_end(enum og_sentence_class class)
{
    return class >= OG_SB_SEP && class <= OG_SB_LF;
}

static bool is_ignored(enum og_sentence_class class)
{
    return class == OG_SB_FORMAT || class == OG_SB_EXTEND;
}

/* SB8: is there a lower-case letter before any other letter, stop or line
 * end? */
static bool continues_in_lower_case(const struct reader *r, size_t at)
{
    while (at < r->len) {
        const struct character c = read_at(r, at);
        switch (c.class) {
        case OG_SB_LOWER: return true;
        case OG_SB_OLETTER:
        case OG_SB_UPPER:
        case OG_SB_SEP:
        case OG_SB_CR:
        case OG_SB_LF:
        case OG_SB_ATERM:
        case OG_SB_STERM: return false;
        default: at += c.len;
        }
    }
    return false;
}

/* What has followed the last stop. */
enum phase { PLAIN, STOPPED, CLOSED, SPACED };

struct state {
    enum phase phase;
    enum og_sentence_class before; /* the last character that counts */
    enum og_sentence_class letter; /* what came before the stop */
    struct og_break found;
};

/* SB6 to SB11, for a character after a stop. */
static bool breaks_before(const struct reader *r, const struct state *s,
                          enum og_sentence_class class, size_t at)
{
    const bool is_full_stop = s->found.is_full_stop;
    if (is_full_stop && s->phase == STOPPED) {
        if (class == OG_SB_NUMERIC) return false;
        if (class == OG_SB_UPPER &&
            (s->letter == OG_SB_UPPER || s->letter == OG_SB_LOWER))
            return false;
    }
    if (class == OG_SB_SCONTINUE || class == OG_SB_ATERM ||
        class == OG_SB_STERM)
        return false;
    if (class == OG_SB_SP || is_line_end(class)) return false;
    if (class == OG_SB_CLOSE && s->phase != SPACED) return false;
    return !(is_full_stop && continues_in_lower_case(r, at));
}

static void step(struct state *s, enum og_sentence_class class, size_t at)
{
    if (class == OG_SB_ATERM || class == OG_SB_STERM) {
        s->letter = s->before;
        s->phase = STOPPED;
        s->found.stop = at;
        s->found.is_full_stop = class == OG_SB_ATERM;
        s->found.is_closed = false;
    } else if (s->phase != PLAIN && class == OG_SB_SP) {
        s->phase = SPACED;
    } else if ((s->phase == STOPPED || s->phase == CLOSED) &&
               class == OG_SB_CLOSE) {
        s->phase = CLOSED;
        s->found.is_closed = true;
    } else {
        s->phase = PLAIN;
    }
    s->before = class;
}

static struct og_break end_at(const struct state *s, size_t end)
{
    struct og_break found = s->found;
    found.end = end;
    if (s->phase == PLAIN) found = (struct og_break){.end = end, .stop = end};
    return found;
}

struct og_break og_break_next(const char *text, size_t len, size_t from,
                              bool joins_lines)
{
    const struct reader r = {(const unsigned char *)text, len, joins_lines};
    struct state s = {.phase = PLAIN, .before = OG_SB_OTHER};
    size_t at = from;
    while (at < len) {
        const struct character c = read_at(&r, at);
        if (is_line_end(c.class)) { /* SB3, SB4 */
            const bool is_pair =
                c.class == OG_SB_CR && at + 1 < len && text[at + 1] == '\n';
            return end_at(&s, at + c.len + is_pair);
        }
        if (is_ignored(c.class) && at != from) { /* SB5 */
            at += c.len;
            continue;
        }
        if (s.phase != PLAIN && breaks_before(&r, &s, c.class, at))
            return end_at(&s, at);
        step(&s, c.class, at);
        at += c.len;
    }
    return end_at(&s, len);
}
