/* Finds quotations by their marks.
 *
 * Marks that open and close differently (“ ”, „ “, « », 「 」, 『 』) may be
 * left open at the end of a paragraph: a speech of several paragraphs opens
 * each of them and closes the last. Straight marks (") do not show which they
 * are, so one without a partner in its paragraph does not begin a quotation.
 * Single marks are apostrophes too often to be used. A line that begins with
 * '>' is a quotation, as in mail. */

#include "lib/report/html/quoted.h"
#include "lib/report/glyph.h"

struct scan {
    og_bytes text;
    uint64_t open;   /* where the quotation began */
    uint32_t closer; /* what ends it; 0: none open */
    uint32_t other;  /* ends it as well, or 0 */
};

static void open_at(struct scan *s, uint64_t at, uint32_t c)
{
    s->open = at;
    s->other = 0;
    switch (c) {
    case '"': s->closer = '"'; break;
    case 0x201c: s->closer = 0x201d; break;
    case 0x201e: s->closer = 0x201c, s->other = 0x201d; break;
    case 0xab: s->closer = 0xbb; break;
    case 0x300c: s->closer = 0x300d; break;
    case 0x300e: s->closer = 0x300f; break;
    default: break;
    }
}

static og_status take(struct og_quoted *quotes, uint64_t begin, uint64_t end,
                      og_error *err)
{
    if (begin >= end) return OG_OK;
    if (!OG_GROW(NULL, quotes->list, quotes->cap, quotes->n + 1))
        return og_error_memory(err, sizeof(og_range), "quotations");
    quotes->list[quotes->n++] = (og_range){begin, end};
    return OG_OK;
}

static uint64_t line_end(og_bytes text, uint64_t at)
{
    while (at < text.len && text.data[at] != '\n')
        at++;
    return at;
}

static bool is_blank(og_bytes text, uint64_t at)
{
    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t' ||
                             text.data[at] == '\r'))
        at++;
    return at == text.len || text.data[at] == '\n';
}

static og_status end_paragraph(struct og_quoted *quotes, struct scan *s,
                               uint64_t at, og_error *err)
{
    const bool counts = s->closer != 0 && s->closer != '"';
    s->closer = 0;
    return counts ? take(quotes, s->open, at, err) : OG_OK;
}

static og_status scan_line(struct og_quoted *quotes, struct scan *s,
                           uint64_t at, uint64_t end, og_error *err)
{
    while (at < end) {
        const struct og_glyph g = og_glyph_at(s->text.data + at, end - at);
        if (s->closer == 0) {
            open_at(s, at, g.code_point);
        } else if (g.code_point == s->closer ||
                   (s->other != 0 && g.code_point == s->other)) {
            s->closer = 0;
            TRY(take(quotes, s->open, at + g.len, err));
        }
        at += g.len;
    }
    return OG_OK;
}

og_status og_quoted_find(struct og_quoted *quotes, og_bytes text, og_error *err)
{
    struct scan s = {.text = text};
    for (uint64_t at = 0; at < text.len;) {
        const uint64_t end = line_end(text, at);
        if (text.data[at] == '>') {
            TRY(end_paragraph(quotes, &s, at, err));
            TRY(take(quotes, at, end, err));
        } else if (is_blank(text, at)) {
            TRY(end_paragraph(quotes, &s, at, err));
        } else {
            TRY(scan_line(quotes, &s, at, end, err));
        }
        at = end + 1;
    }
    return end_paragraph(quotes, &s, text.len, err);
}

void og_quoted_release(struct og_quoted *quotes)
{
    OG_UNGROW(NULL, quotes->list, quotes->cap);
    quotes->n = 0;
}

bool og_quoted_hold(const struct og_quoted *quotes, og_range range, size_t *at)
{
    uint64_t inside = 0;
    while (*at < quotes->n && quotes->list[*at].end <= range.begin)
        ++*at;
    for (size_t i = *at; i < quotes->n; i++) {
        const og_range q = quotes->list[i];
        if (q.begin >= range.end) break;
        const uint64_t begin = q.begin > range.begin ? q.begin : range.begin;
        const uint64_t end = q.end < range.end ? q.end : range.end;
        inside += end - begin;
    }
    return range.end > range.begin &&
           inside >= (range.end - range.begin) / 5 * 4 && inside > 0;
}
