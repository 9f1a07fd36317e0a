/* Wraps text for the screen; flow.h states the rules.
 *
 * Only the eight basic colours are used: every terminal has them, and the
 * user's own theme decides how they look, on black or on white. Six of them
 * (not black, not white) appear plain, then bold, then underlined: eighteen
 * sources before one repeats, and the numbers in the text distinguish even
 * those. */

#include "lib/report/flow.h"
#include "lib/text/text.h"

#include <string.h>

#define ESCAPE "\033["
#define RESET  ESCAPE "0m"

const char *og_flow_code(uint32_t colour)
{
    static const char *const codes[] = {
        ESCAPE "36m",   ESCAPE "33m",   ESCAPE "35m",   ESCAPE "32m",
        ESCAPE "34m",   ESCAPE "31m",   ESCAPE "1;36m", ESCAPE "1;33m",
        ESCAPE "1;35m", ESCAPE "1;32m", ESCAPE "1;34m", ESCAPE "1;31m",
        ESCAPE "4;36m", ESCAPE "4;33m", ESCAPE "4;35m", ESCAPE "4;32m",
        ESCAPE "4;34m", ESCAPE "4;31m",
    };
    if (colour == OG_FLOW_PLAIN) return "";
    if (colour == OG_FLOW_DIM) return ESCAPE "2m";
    return codes[(colour - 1) % (sizeof(codes) / sizeof(codes[0]))];
}

void og_flow_init(struct og_flow *flow, struct og_writer *w, unsigned width,
                  unsigned indent, bool colour)
{
    memset(flow, 0, sizeof(*flow));
    flow->writer = w;
    flow->indent = indent;
    /* Under 20 columns nothing is readable, and a wide marker must fit. */
    flow->width = width > indent + 20 ? width - indent : 20;
    flow->colour = colour;
}

/* ---- lines ---- */

static void end_line(struct og_flow *flow)
{
    if (flow->line_colour != OG_FLOW_PLAIN)
        og_writer_string(flow->writer, RESET);
    if (flow->margin != NULL)
        flow->margin(flow->margin_ctx,
                     flow->column > 0 ? flow->indent + flow->column : 0);
    og_writer_byte(flow->writer, '\n');
    flow->column = 0;
}

static void empty_line(struct og_flow *flow)
{
    if (flow->margin != NULL) flow->margin(flow->margin_ctx, 0);
    og_writer_byte(flow->writer, '\n');
}

static void begin_line(struct og_flow *flow)
{
    for (unsigned i = 0; i < flow->indent; i++)
        og_writer_byte(flow->writer, ' ');
    og_writer_string(flow->writer, og_flow_code(flow->line_colour));
}

/* Puts the completed word on the line, or on the next one. */
static void place_word(struct og_flow *flow)
{
    const bool space = flow->space && flow->column > 0;
    if (flow->word_len == 0) return;
    if (flow->column + space + flow->word_columns > flow->width &&
        flow->column > 0)
        end_line(flow);
    else if (space)
        og_writer_byte(flow->writer, ' '), flow->column++;
    if (flow->column == 0) begin_line(flow);
    og_writer_bytes(flow->writer, flow->word, flow->word_len);
    flow->column += flow->word_columns;
    flow->line_colour = flow->word_colour;
    flow->word_len = 0;
    flow->word_columns = 0;
    flow->space = false;
}

/* ---- words ---- */

static void take_space(struct og_flow *flow, uint32_t code_point)
{
    if (flow->word_columns > 0) place_word(flow);
    flow->space = true;
    flow->n_newlines += code_point == '\n' || code_point == 0x2029;
}

static void leave_space(struct og_flow *flow)
{
    if (flow->n_newlines >= 2 && flow->column > 0) {
        end_line(flow);
        empty_line(flow);
    }
    flow->n_newlines = 0;
}

static void append(struct og_flow *flow, const char *data, size_t len,
                   unsigned columns)
{
    const bool full = flow->word_len + len > sizeof(flow->word);
    const bool wide = flow->word_columns + columns > flow->width;
    if (full || (wide && columns > 0)) place_word(flow);
    memcpy(flow->word + flow->word_len, data, len);
    flow->word_len += len;
    flow->word_columns += columns;
}

void og_flow_text(struct og_flow *flow, const char *data, size_t len)
{
    for (size_t i = 0; i < len;) {
        const struct og_glyph g = og_glyph_at(data + i, len - i);
        if (g.valid && og_glyph_is_space(g.code_point)) {
            take_space(flow, g.code_point);
            i += g.len;
            continue;
        }
        leave_space(flow);
        char shown[16];
        unsigned columns;
        const size_t n = og_glyph_show(data + i, g, shown, &columns);
        /* Below U+0E00 every script has spaces. */
        if (g.code_point >= 0x0e00 && flow->word_columns > 0 &&
            og_char_class_of(g.code_point) == OG_CHAR_ALONE)
            place_word(flow);
        append(flow, shown, n, columns);
        i += g.len;
    }
}

void og_flow_mark(struct og_flow *flow, const char *mark)
{
    for (; *mark != '\0'; mark++) {
        if (*mark == ' ') {
            take_space(flow, ' ');
            continue;
        }
        leave_space(flow);
        append(flow, mark, 1, 1);
    }
}

void og_flow_colour(struct og_flow *flow, uint32_t colour)
{
    if (!flow->colour || colour == flow->word_colour) return;
    if (flow->word_colour != OG_FLOW_PLAIN)
        append(flow, RESET, strlen(RESET), 0);
    const char *code = og_flow_code(colour);
    append(flow, code, strlen(code), 0);
    flow->word_colour = colour;
}

void og_flow_finish(struct og_flow *flow)
{
    flow->space = flow->space && flow->word_columns > 0;
    place_word(flow);
    if (flow->column > 0) end_line(flow);
}

/* ---- names and times ---- */

void og_show_name(struct og_writer *w, og_bytes s)
{
    for (size_t i = 0; i < s.len && i < 200;) {
        char shown[16];
        unsigned columns;
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        const size_t len = og_glyph_show(s.data + i, g, shown, &columns);
        og_writer_bytes(w, shown, len);
        i += g.len;
    }
}

void og_show_time(struct og_writer *w, int64_t time, bool has_time,
                  og_time_source source)
{
    char text[40];
    if (!has_time) return;
    size_t len = og_time_format(time, text);
    if (len == 20 && memcmp(text + 10, "T00:00:00Z", 10) == 0) len = 10;
    og_writer_string(w, "  ");
    og_writer_bytes(w, text, len);
    if (source == OG_TIME_FILE) og_writer_byte(w, '?');
}
