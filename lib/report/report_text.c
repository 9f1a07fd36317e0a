/* An answer for people: a head line, the text with its copied passages marked,
 * the list of sources.
 *
 *     gazette-14  2011-03-04  The pier is gone
 *     212 tokens, 55.2 % copied, 41.0 % new, mostly from council-7
 *
 *       Last night the sea took what [1 the council had promised to mend
 *       (... 63 words ...) before the first of May] and more.
 *
 *       [1] council-7  1998-05-01  47.2 %  compared word by word
 *
 * Words are copied if they are in the source as well; what was changed
 * inside a passage is neither copied nor new.
 *
 * On a wide terminal the sources are beside the text instead, each where the
 * text first copies from it.
 *
 * Colour is never the only cue: every passage has the number of its source in
 * brackets. Of a long stretch both ends are shown and the words between are
 * counted: the position and the source of a passage matter here, its middle can
 * be read in the document. The output should fill about one screen, whatever
 * the size of the document; report_json.c is the form for programs. */

#include "lib/report/flow.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"
#include "lib/text/text.h"

#include <stdio.h>
#include <string.h>

enum {
    HEAD_LINES = 3,     /* of a long stretch are shown first ... */
    TAIL_LINES = 2,     /* ... and last, ... */
    LEFT_OUT_LINES = 2, /* ... if that leaves out at least this much */
    MOST_PASSAGES = 40, /* copied ones in the text */
    MOST_SOURCES = 20,  /* in the list */
    MOST_ID_COLUMNS = 40,
    INDENT = 2,
    WIDE = 110,        /* columns from which on sources are at the side ... */
    SIDE_COLUMNS = 36, /* ... in this many columns, ... */
    MOST_TEXT = 90,    /* ... beside text of at most this many */
};

struct report {
    struct og_writer *writer;
    const og_document *doc;
    const og_answer *answer;
    struct og_sources sources;
    bool colour;
    unsigned width;
    /* For a wide report: sources whose note is pending or written, in the order
     * of the text; the number written; lines of the current one. */
    bool wide;
    unsigned text_width;
    uint32_t noted[MOST_PASSAGES];
    size_t n_noted, n_written;
    unsigned note_line;
};

/* ---- small pieces ---- */

/* One character of a name: harmless, and on one line. */
static struct og_glyph name_glyph(og_bytes s, size_t at, char shown[16],
                                  size_t *out_len, unsigned *out_columns)
{
    const struct og_glyph g = og_glyph_at(s.data + at, s.len - at);
    if (g.valid && og_glyph_is_space(g.code_point)) {
        shown[0] = ' ';
        *out_len = *out_columns = 1;
    } else {
        *out_len = og_glyph_show(s.data + at, g, shown, out_columns);
    }
    return g;
}

/* The columns of a name, counted up to `most`; *out_fits says whether that is
 * the whole name. */
static unsigned name_columns(og_bytes s, unsigned most, bool *out_fits)
{
    unsigned used = 0;
    *out_fits = true;
    for (size_t i = 0; i < s.len;) {
        char shown[16];
        size_t len;
        unsigned columns;
        const struct og_glyph g = name_glyph(s, i, shown, &len, &columns);
        if (used + columns > most) {
            *out_fits = false;
            return most;
        }
        used += columns;
        i += g.len;
    }
    return used;
}

/* Writes at most `most` (> 3) columns of a name; returns the columns. */
static unsigned put_clean(struct og_writer *w, og_bytes s, unsigned most)
{
    bool fits;
    name_columns(s, most, &fits);
    const unsigned room = fits ? most : most - 3;
    unsigned used = 0;
    for (size_t i = 0; i < s.len;) {
        char shown[16];
        size_t len;
        unsigned columns;
        const struct og_glyph g = name_glyph(s, i, shown, &len, &columns);
        if (used + columns > room) break;
        og_writer_bytes(w, shown, len);
        used += columns;
        i += g.len;
    }
    if (!fits) og_writer_string(w, "...");
    return fits ? used : used + 3;
}

static void put_padded(struct og_writer *w, og_bytes s, unsigned columns)
{
    for (unsigned used = put_clean(w, s, columns); used < columns; used++)
        og_writer_byte(w, ' ');
}

/* "47.2 %" of a whole. */
static void put_percent(struct og_writer *w, uint64_t part, uint64_t whole)
{
    const double share = whole == 0 ? 0 : (double)part / (double)whole;
    const unsigned tenths = (unsigned)(share * 1000 + 0.5);
    og_writer_number(w, tenths / 10);
    og_writer_byte(w, '.');
    og_writer_byte(w, (char)('0' + tenths % 10));
    og_writer_string(w, " %");
}

/* Only the day at midnight, which is the time of most documents. */
static size_t format_time(int64_t time, char out[40])
{
    static const char midnight[] = "T00:00:00Z";
    const size_t tail = sizeof(midnight) - 1;
    size_t len = og_time_format(time, out);
    if (len > tail && memcmp(out + len - tail, midnight, tail) == 0)
        out[len -= tail] = '\0';
    return len;
}

/* The longest: 40 and " (metadata)". */
enum { TIME_LEN = 56 };

/* The time of a file is a guess and gets a question mark; one that is not a
 * field of a record says where it was found. */
static size_t format_known_time(int64_t time, og_time_source source,
                                char out[TIME_LEN])
{
    size_t len = format_time(time, out);
    if (source == OG_TIME_FILE)
        strcpy(out + len++, "?");
    else if (source != OG_TIME_RECORD && source != OG_TIME_UNKNOWN)
        len += (size_t)snprintf(out + len, TIME_LEN - len, " (%s)",
                                og_time_source_name(source));
    return len;
}

static size_t format_origin_time(const og_span *span, char out[TIME_LEN])
{
    return format_known_time(span->origin_time, span->origin_time_source, out);
}

static void put_code(struct report *r, const char *code)
{
    if (r->colour) og_writer_string(r->writer, code);
}

/* ---- the head ---- */

static void write_names(struct report *r)
{
    struct og_writer *w = r->writer;
    put_code(r, "\033[1m");
    unsigned used = put_clean(w, r->doc->id, r->width);
    put_code(r, "\033[0m");
    if (r->doc->has_time) {
        char time[TIME_LEN];
        used += (unsigned)format_known_time(r->doc->time, r->doc->time_source,
                                            time) +
                2;
        og_writer_string(w, "  ");
        og_writer_string(w, time);
    }
    if (r->doc->title.len != 0 && used + 2 + 8 <= r->width) {
        og_writer_string(w, "  ");
        put_clean(w, r->doc->title, r->width - used - 2);
    }
    og_writer_byte(w, '\n');
}

static void write_figures(struct report *r)
{
    struct og_writer *w = r->writer;
    const og_answer *a = r->answer;
    og_writer_number(w, a->n_tokens);
    og_writer_string(w, a->n_tokens == 1 ? " token" : " tokens");
    if (a->n_tokens != 0) {
        og_writer_string(w, ", ");
        put_percent(w, a->n_matching, a->n_tokens);
        og_writer_string(w, " copied, ");
        put_percent(w, a->n_fresh, a->n_tokens);
        og_writer_string(w, " new");
    }
    if (a->has_dominant) {
        og_writer_string(w, ", mostly from ");
        put_clean(w, a->dominant_id, MOST_ID_COLUMNS);
    }
    if (a->n_repaired != 0) {
        og_writer_string(w, ", ");
        og_writer_number(w, a->n_repaired);
        og_writer_string(w, " bytes not UTF-8");
    }
    og_writer_byte(w, '\n');
}

/* ---- the text ---- */

static bool is_gap(const struct og_glyph g)
{
    return og_glyph_is_space(g.code_point) ||
           (g.code_point >= 0x0e00 &&
            og_char_class_of(g.code_point) == OG_CHAR_ALONE);
}

/* Advances over `columns` of text from `begin`, then to the end of the word if
 * that is near. */
static uint64_t head_end(const char *text, uint64_t begin, uint64_t end,
                         unsigned columns)
{
    unsigned used = 0;
    while (begin < end && used < columns + 24) {
        const struct og_glyph g = og_glyph_at(text + begin, end - begin);
        if (used >= columns && is_gap(g)) break;
        char shown[16];
        unsigned width;
        og_glyph_show(text + begin, g, shown, &width);
        used += width == 0 ? 1 : width; /* so that it ends for any text */
        begin += g.len;
    }
    return begin;
}

/* The same from the end backwards. */
static uint64_t tail_begin(const char *text, uint64_t begin, uint64_t end,
                           unsigned columns)
{
    unsigned used = 0;
    while (begin < end && used < columns + 24) {
        const uint64_t before = og_glyph_before(text, end);
        const struct og_glyph g = og_glyph_at(text + before, end - before);
        if (used >= columns && is_gap(g)) break;
        char shown[16];
        unsigned width;
        og_glyph_show(text + before, g, shown, &width);
        used += width == 0 ? 1 : width;
        end = before;
    }
    return end;
}

static uint64_t count_words(const char *text, uint64_t begin, uint64_t end)
{
    uint64_t n = 0;
    bool inside = false;
    while (begin < end) {
        const struct og_glyph g = og_glyph_at(text + begin, end - begin);
        const enum og_char_class class = og_char_class_of(g.code_point);
        n += class == OG_CHAR_ALONE || (class == OG_CHAR_WORD && !inside);
        inside = class == OG_CHAR_WORD;
        begin += g.len;
    }
    return n;
}

static void write_note(struct og_flow *flow, uint64_t n, const char *what,
                       uint32_t colour)
{
    char note[64];
    snprintf(note, sizeof(note), " (... %llu %s%s ...) ", (unsigned long long)n,
             what, n == 1 ? "" : "s");
    og_flow_colour(flow, OG_FLOW_DIM);
    og_flow_mark(flow, note);
    og_flow_colour(flow, colour);
}

/* A stretch of one kind, with its middle left out if it is long. */
static void write_stretch(struct report *r, struct og_flow *flow,
                          uint64_t begin, uint64_t end, uint32_t colour)
{
    const char *text = r->doc->text.data;
    if (begin >= end) return;
    const uint64_t head = head_end(text, begin, end, HEAD_LINES * flow->width);
    const uint64_t tail = tail_begin(text, head, end, TAIL_LINES * flow->width);
    if (tail - head < LEFT_OUT_LINES * flow->width) {
        og_flow_text(flow, text + begin, end - begin);
        return;
    }
    og_flow_text(flow, text + begin, head - begin);
    write_note(flow, count_words(text, head, tail), "word", colour);
    og_flow_text(flow, text + tail, end - tail);
}

/* ---- the sources at the side ---- */

static void put_spaces(struct og_writer *w, unsigned n)
{
    while (n-- > 0)
        og_writer_byte(w, ' ');
}

/* How the passages of a source are known; abbreviated at the side. */
static void write_hows(struct og_writer *w, unsigned mask, bool at_side)
{
    const unsigned compared = 1u << OG_HOW_VERIFIED;
    og_writer_string(w, "  ");
    if (mask == compared)
        og_writer_string(w, at_side ? "compared" : "compared word by word");
    else if ((mask & compared) != 0)
        og_writer_string(w, "partly compared");
    else
        og_writer_string(w,
                         at_side ? "by fingerprint" : "found by fingerprint");
}

/* Two lines: number and id, then date, share and how it is known. */
static void write_note_line(struct report *r, uint32_t number, unsigned line)
{
    struct og_writer *w = r->writer;
    const struct og_source_share *source = &r->sources.list[number - 1];
    const og_span *span = &r->answer->spans[source->first_span];
    put_code(r, og_flow_code(number));
    og_writer_string(w, "| ");
    if (line == 0) {
        og_writer_byte(w, '[');
        og_writer_number(w, number);
        og_writer_string(w, "] ");
        put_clean(w, span->origin_id, SIDE_COLUMNS - 10);
    } else {
        char time[41] = "no date"; /* the margin has no more room */
        if (span->origin_has_time) format_time(span->origin_time, time);
        if (span->origin_has_time && span->origin_time_source == OG_TIME_FILE)
            strcat(time, "?");
        og_writer_string(w, time);
        og_writer_string(w, "  ");
        put_percent(w, source->n_matching, r->answer->n_tokens);
        write_hows(w, source->how_mask, true);
    }
    put_code(r, "\033[0m");
}

static void write_margin(void *ctx, unsigned column)
{
    struct report *r = ctx;
    if (r->n_written == r->n_noted) return;
    const unsigned place = r->text_width + 3;
    put_spaces(r->writer, column < place ? place - column : 1);
    write_note_line(r, r->noted[r->n_written], r->note_line);
    if (++r->note_line < 2) return;
    r->note_line = 0;
    r->n_written++;
}

/* Each source once, where the text first copies from it. */
static void note_source(struct report *r, size_t i)
{
    const uint32_t number = r->sources.number_of_span[i];
    if (!r->wide || r->sources.list[number - 1].first_span != i) return;
    r->noted[r->n_noted++] = number;
}

static void write_notes_left(struct report *r)
{
    while (r->n_written < r->n_noted) {
        write_margin(r, 0);
        og_writer_byte(r->writer, '\n');
    }
}

/* ---- the passages ---- */

static void write_passage(struct report *r, struct og_flow *flow, size_t i)
{
    const og_span *span = &r->answer->spans[i];
    const uint32_t number = r->sources.number_of_span[i];
    char mark[24];
    snprintf(mark, sizeof(mark), "[%u ", (unsigned)number);
    og_flow_colour(flow, number);
    og_flow_mark(flow, mark);
    note_source(r, i); /* the mark has ended the paragraph before */
    write_stretch(r, flow, span->begin, span->end, number);
    og_flow_mark(flow, "]");
    og_flow_colour(flow, OG_FLOW_PLAIN);
}

static void write_body(struct report *r)
{
    struct og_flow flow;
    if (r->doc->text.len == 0) return;
    og_writer_byte(r->writer, '\n');
    og_flow_init(&flow, r->writer, r->text_width, INDENT, r->colour);
    flow.margin = r->wide ? write_margin : NULL;
    flow.margin_ctx = r;
    const og_answer *a = r->answer;
    const size_t shown =
        a->n_spans <= MOST_PASSAGES ? a->n_spans : MOST_PASSAGES;
    uint64_t at = 0;
    for (size_t i = 0; i < shown; i++) {
        write_stretch(r, &flow, at, a->spans[i].begin, OG_FLOW_PLAIN);
        write_passage(r, &flow, i);
        at = a->spans[i].end;
    }
    if (shown < a->n_spans) {
        write_note(&flow, a->n_spans - shown, "more passage", OG_FLOW_PLAIN);
        at = a->spans[a->n_spans - 1].end;
    }
    write_stretch(r, &flow, at, r->doc->text.len, OG_FLOW_PLAIN);
    og_flow_finish(&flow);
    write_notes_left(r);
}

/* ---- the sources ---- */

static unsigned digits_of(uint64_t n)
{
    unsigned digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

struct columns {
    unsigned number, id, time;
};

static struct columns measure(const struct report *r, size_t n_shown)
{
    struct columns c = {digits_of(n_shown), 0, 0};
    for (size_t i = 0; i < n_shown; i++) {
        const og_span *span = &r->answer->spans[r->sources.list[i].first_span];
        bool fits;
        const unsigned id =
            name_columns(span->origin_id, MOST_ID_COLUMNS, &fits);
        char time[TIME_LEN];
        const unsigned len = !span->origin_has_time
                                 ? 1
                                 : (unsigned)format_origin_time(span, time);
        if (id > c.id) c.id = id;
        if (len > c.time) c.time = len;
    }
    return c;
}

/* "2.1 from 1.1-1.3": how the first passage of a source is cited. */
static void write_cited(struct report *r, const og_origin *detail,
                        const og_span *span)
{
    struct og_cited cited;
    const bool is_own = og_span_cited(r->doc, span, &cited);
    if (is_own) {
        og_writer_string(r->writer, "  ");
        og_writer_cited(r->writer, &cited);
    }
    if (!og_origin_cited(detail, span, &cited)) return;
    og_writer_string(r->writer, is_own ? " from " : "  from ");
    og_writer_cited(r->writer, &cited);
}

static void write_source(struct report *r, size_t i, struct columns c)
{
    struct og_writer *w = r->writer;
    const struct og_source_share *source = &r->sources.list[i];
    const og_span *span = &r->answer->spans[source->first_span];
    char time[TIME_LEN] = "-";
    if (span->origin_has_time) format_origin_time(span, time);
    put_spaces(w, INDENT + c.number - digits_of(i + 1));
    put_code(r, og_flow_code((uint32_t)(i + 1)));
    og_writer_byte(w, '[');
    og_writer_number(w, i + 1);
    og_writer_byte(w, ']');
    put_code(r, "\033[0m");
    og_writer_byte(w, ' ');
    put_padded(w, span->origin_id, c.id);
    og_writer_string(w, "  ");
    put_padded(w, (og_bytes){time, strlen(time)}, c.time);
    const uint64_t whole = r->answer->n_tokens;
    const double share =
        whole == 0 ? 0 : (double)source->n_matching / (double)whole;
    put_spaces(w, share < 0.0995 ? 4 : share < 0.9995 ? 3 : 2);
    put_percent(w, source->n_matching, whole);
    write_hows(w, source->how_mask, false);
    write_cited(r, source->detail, span);
    og_writer_byte(w, '\n');
}

static void write_sources(struct report *r)
{
    if (r->sources.n == 0 || r->n_written == r->sources.n) return;
    const size_t shown =
        r->sources.n <= MOST_SOURCES ? r->sources.n : MOST_SOURCES;
    const struct columns c = measure(r, shown);
    og_writer_byte(r->writer, '\n');
    for (size_t i = 0; i < shown; i++)
        write_source(r, i, c);
    if (shown == r->sources.n) return;
    put_spaces(r->writer, INDENT);
    og_writer_string(r->writer, "and ");
    og_writer_number(r->writer, r->sources.n - shown);
    og_writer_string(r->writer, " more\n");
}

og_status og_write_text(struct og_writer *w, const og_document *doc,
                        const og_answer *answer, og_text_style style,
                        og_error *err)
{
    struct report r = {
        .writer = w, .doc = doc, .answer = answer, .colour = style.colour};
    r.width = style.width == 0 ? 80 : style.width;
    r.wide = r.width >= WIDE;
    r.text_width = r.wide ? r.width - SIDE_COLUMNS - 3 : r.width;
    if (r.wide && r.text_width > MOST_TEXT) r.text_width = MOST_TEXT;
    TRY(og_sources_gather(answer, &r.sources, err));
    write_names(&r);
    write_figures(&r);
    write_body(&r);
    write_sources(&r);
    og_writer_byte(r.writer, '\n');
    og_sources_release(&r.sources);
    return OG_OK;
}

og_status og_report_text(og_write_fn *write, void *ctx, const og_document *doc,
                         const og_answer *answer, og_text_style style,
                         og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    TRY(og_write_text(&w, doc, answer, style, err));
    return og_writer_finish(&w, err);
}
