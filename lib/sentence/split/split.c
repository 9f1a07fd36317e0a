/* Paragraphs first, then lines, then sentences.
 *
 * Unicode's rules end a sentence at every line end. In mail, RFCs and most
 * typed text, lines are wrapped and their ends mean nothing; in verse,
 * addresses, lists and headings they are significant. The lines themselves
 * tell: wrapping puts as many words on each line as fit. So a line end is a
 * hard break if the first word of the next line would have fitted well before
 * the right edge. The edge is the longest line of the paragraph. Other signs of
 * a hard break: a list marker, another quoting depth, more indent, a line of
 * dashes only.
 *
 * Thai and Lao have no full stops; there a space serves as a comma or a stop,
 * and ends the sentence. */

#include "lib/sentence/split/split.h"

#include <string.h>

#include "lib/sentence/split/abbreviations.h"
#include "lib/sentence/split/breaks.h"
#include "lib/sentence/split/sentence_class.h"
#include "lib/text/text.h"
#include "lib/text/utf8.h"

enum {
    EDGE_MOST = 160,  /* columns; longer lines were not wrapped */
    EDGE_LEAST = 50,  /* nobody wraps at a smaller width */
    SLACK_LEAST = 10, /* columns that a ragged edge may leave free */
};

void og_splitter_init(struct og_splitter *s, const og_allocator *allocator)
{
    *s = (struct og_splitter){.allocator = allocator};
}

void og_splitter_release(struct og_splitter *s)
{
    OG_UNGROW(s->allocator, s->ranges, s->cap);
    s->n = 0;
}

/* ---- lines ---- */

struct line {
    size_t begin, end, next; /* text without the line end; the next line */
    size_t word;             /* its first word, after indent and quote marks */
    unsigned columns, indent, depth;
    unsigned word_columns; /* of its first word */
    bool is_blank, is_ruler, is_item;
    bool begins_small;
};

static enum og_sentence_class class_at(og_bytes text, size_t at)
{
    return og_sentence_class_of(
        og_utf8_decode((const unsigned char *)text.data + at, text.len - at)
            .code_point);
}

static size_t step(og_bytes text, size_t at)
{
    return at +
           og_utf8_decode((const unsigned char *)text.data + at, text.len - at)
               .len;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "- x", "* x", "• x", "1. x", "12) x", "(a) x". */
static bool begins_item(og_bytes text, size_t at, size_t end)
{
    static const char bullet[] = "\xe2\x80\xa2"; /* U+2022 */
    const char *s = text.data;
    if (at >= end) return false;
    if (end - at > 3 && memcmp(s + at, bullet, 3) == 0) return true;
    if (end - at > 2 && strchr("-*+o", s[at]) != NULL &&
        (s[at + 1] == ' ' || s[at + 1] == '\t'))
        return s[at] != 'o' || s[at + 1] == '\t' || s[at + 2] == ' ';
    const bool is_open = s[at] == '(';
    size_t i = at + is_open;
    while (i < end && i - at < 4 && is_digit(s[i]))
        i++;
    if (i == at + is_open && i < end && is_letter(s[i])) i++;
    if (i == at + is_open || i + 1 >= end) return false;
    if (s[i] != ')' && (is_open || s[i] != '.')) return false;
    return s[i + 1] == ' ' || s[i + 1] == '\t';
}

/* Indent and the marks of quoted mail. */
static void read_margin(og_bytes text, struct line *l)
{
    size_t at = l->begin;
    for (; at < l->end; at++) {
        const char c = text.data[at];
        if (c == '>' || c == '|')
            l->depth++;
        else if (c != ' ' && c != '\t')
            break;
        l->indent += c == '\t' ? 8 - l->indent % 8 : 1;
    }
    l->word = at;
    l->is_blank = at == l->end;
}

static void read_columns(og_bytes text, struct line *l)
{
    bool has_word = false, in_first = true;
    size_t at = l->word;
    l->columns = l->indent;
    while (at < l->end && l->columns < 4 * EDGE_MOST) {
        const struct og_utf8 c = og_utf8_decode(
            (const unsigned char *)text.data + at, text.len - at);
        const enum og_sentence_class class = og_sentence_class_of(c.code_point);
        has_word = has_word || (class >= OG_SB_LOWER && class <= OG_SB_NUMERIC);
        in_first = in_first && class != OG_SB_SP;
        const unsigned width =
            class == OG_SB_EXTEND                                      ? 0
            : c.code_point >= 0x1100 && c.code_point < OG_UTF8_INVALID ? 2
                                                                       : 1;
        l->columns += width;
        if (in_first) l->word_columns += width;
        at += c.len;
    }
    l->is_ruler = !has_word && !l->is_blank && at == l->end;
}

static struct line read_line(og_bytes text, size_t begin)
{
    const char *found = memchr(text.data + begin, '\n', text.len - begin);
    struct line l = {.begin = begin};
    l.end = found != NULL ? (size_t)(found - text.data) : text.len;
    l.next = found != NULL ? l.end + 1 : text.len;
    if (l.end > begin && text.data[l.end - 1] == '\r') l.end--;
    read_margin(text, &l);
    read_columns(text, &l);
    if (l.is_blank) return l;
    l.is_item = begins_item(text, l.word, l.end);
    l.begins_small = class_at(text, l.word) == OG_SB_LOWER;
    return l;
}

/* ---- paragraphs ---- */

/* Lines up to a blank one, and the edge at which they were wrapped. */
struct paragraph {
    size_t begin, end, next;
    unsigned edge;
};

static struct paragraph read_paragraph(og_bytes text, size_t begin)
{
    struct paragraph p = {.begin = begin, .end = begin, .edge = EDGE_LEAST};
    for (size_t at = begin; at < text.len;) {
        const struct line l = read_line(text, at);
        p.next = at = l.next;
        if (l.is_blank) return p;
        p.end = l.end;
        if (l.columns > p.edge && l.columns <= EDGE_MOST) p.edge = l.columns;
    }
    return p;
}

/* Whether the end of line a, followed by b, is a hard break. */
static bool is_hard_break(const struct line *a, const struct line *b,
                          unsigned edge)
{
    const unsigned slack = edge / 5 > SLACK_LEAST ? edge / 5 : SLACK_LEAST;
    if (a->depth != b->depth || b->is_item) return true;
    if (a->is_ruler || b->is_ruler) return true;
    if (a->columns > EDGE_MOST || b->columns > EDGE_MOST) return true;
    if (b->begins_small) return false;
    if (b->indent > a->indent + 1 && !a->is_item) return true;
    return a->columns + 1 + b->word_columns + slack <= edge;
}

/* ---- sentences ---- */

static bool is_margin(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
           c == '\v' || c == '>' || c == '|';
}

/* U+00A0, U+3000, U+FEFF and the like. */
static bool is_blank_at(og_bytes text, size_t at)
{
    const enum og_sentence_class class = class_at(text, at);
    return class == OG_SB_SP || (class >= OG_SB_SEP && class <= OG_SB_LF) ||
           class == OG_SB_FORMAT;
}

static og_status keep(struct og_splitter *s, og_bytes text, size_t begin,
                      size_t end, og_error *err)
{
    while (begin < end &&
           (is_margin(text.data[begin]) || is_blank_at(text, begin)))
        begin = step(text, begin);
    while (end > begin) {
        size_t last = end - 1;
        while (last > begin && og_utf8_is_tail((unsigned char)text.data[last]))
            last--;
        if (!is_blank_at(text, last)) break;
        end = last;
    }
    if (begin >= end) return OG_OK;
    if (!OG_GROW(s->allocator, s->ranges, s->cap, s->n + 1))
        return og_error_memory(err, sizeof(*s->ranges), "a sentence");
    s->ranges[s->n++] =
        (struct og_sentence_range){(uint32_t)begin, (uint32_t)end};
    return OG_OK;
}

/* The last position in (begin, limit] where a cut does least harm. */
static size_t cut_place(og_bytes text, size_t begin, size_t limit)
{
    size_t space = 0;
    for (size_t at = limit; at > begin + OG_SENTENCE_BYTES_MAX / 2; at--) {
        if (text.data[at - 1] == '\n') return at;
        if (space == 0 && text.data[at - 1] == ' ') space = at;
    }
    if (space != 0) return space;
    while (limit > begin + 4 &&
           og_utf8_is_tail((unsigned char)text.data[limit]))
        limit--;
    return limit;
}

static og_status keep_cut(struct og_splitter *s, og_bytes text, size_t begin,
                          size_t end, og_error *err)
{
    if (end - begin > OG_SENTENCE_BYTES_MAX) s->n_cut++;
    while (end - begin > OG_SENTENCE_BYTES_MAX) {
        const size_t at = cut_place(text, begin, begin + OG_SENTENCE_BYTES_MAX);
        TRY(keep(s, text, begin, at, err));
        begin = at;
    }
    return keep(s, text, begin, end, err);
}

/* Whether a break of Unicode's rules is one in this language. */
static bool is_kept(og_bytes text, size_t begin, const struct og_break *b)
{
    size_t next = b->end;
    while (next < text.len && is_margin(text.data[next]))
        next++;
    if (next >= text.len) return true;
    if (b->is_full_stop && !b->is_closed && text.data[b->stop] == '.')
        return !og_stop_is_abbreviation(text.data, text.len, begin, b->stop,
                                        next);
    /* "Stop!" he said. */
    return !(b->is_closed && !b->is_full_stop &&
             class_at(text, next) == OG_SB_LOWER);
}

static bool is_thai(og_bytes text, size_t at)
{
    const uint32_t c =
        og_utf8_decode((const unsigned char *)text.data + at, text.len - at)
            .code_point;
    return c >= 0x0e01 && c <= 0x0eff; /* Thai and Lao */
}

/* Thai and Lao: a space between two of their characters. */
static og_status split_spaces(struct og_splitter *s, og_bytes text,
                              size_t begin, size_t end, og_error *err)
{
    size_t from = begin, previous = begin;
    for (size_t at = begin; at < end; at = step(text, at)) {
        if (text.data[at] != ' ') {
            previous = at;
            continue;
        }
        if (at + 1 >= end || !is_thai(text, previous) || !is_thai(text, at + 1))
            continue;
        TRY(keep_cut(s, text, from, at, err));
        from = at + 1;
    }
    return keep_cut(s, text, from, end, err);
}

/* One run of lines that belong together: text[begin, end). */
static og_status split_run(struct og_splitter *s, og_bytes whole, size_t begin,
                           size_t end, og_error *err)
{
    const og_bytes text = {whole.data, end};
    size_t from = begin, at = begin;
    while (at < end) {
        const struct og_break b = og_break_next(text.data, end, at, true);
        at = b.end;
        if (at < end && !is_kept(text, from, &b)) continue;
        TRY(split_spaces(s, text, from, at, err));
        from = at;
    }
    return OG_OK;
}

static og_status split_paragraph(struct og_splitter *s, og_bytes text,
                                 const struct paragraph *p, og_error *err)
{
    size_t from = p->begin;
    if (p->begin == p->end) return OG_OK;
    struct line line = read_line(text, p->begin);
    while (line.next < p->end) {
        const struct line next = read_line(text, line.next);
        if (is_hard_break(&line, &next, p->edge)) {
            TRY(split_run(s, text, from, line.end, err));
            from = next.begin;
        }
        line = next;
    }
    return split_run(s, text, from, p->end, err);
}

og_status og_split(struct og_splitter *s, og_bytes text, og_error *err)
{
    s->n = s->n_cut = 0;
    if (text.len > OG_TEXT_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "the text is longer than %zu bytes", OG_TEXT_MAX);
    for (size_t at = 0; at < text.len;) {
        const struct paragraph p = read_paragraph(text, at);
        TRY(split_paragraph(s, text, &p, err));
        at = p.next;
    }
    return OG_OK;
}
