#ifndef OG_REPORT_FLOW_H
#define OG_REPORT_FLOW_H

/*   in:  text with colours, in pieces of any size        (report_text)
 *   out: lines of a given width that a terminal can show (writer)
 *
 * Words are collected and put on the line when they are complete. Scripts
 * without spaces break before any of their characters. Runs of space become one
 * space, an empty line remains an empty line. Colour is switched off before
 * each line end and on again after the indent, because pagers reset it
 * there. */

#include <origo/document.h>

#include "lib/report/glyph.h"
#include "lib/report/writer.h"

/* The look of a piece of text: 0 is plain, n the n-th source's colour. */
#define OG_FLOW_PLAIN 0
#define OG_FLOW_DIM   UINT32_MAX

struct og_flow {
    struct og_writer *writer;
    bool colour;
    unsigned width;      /* columns between indent and the right edge */
    unsigned indent;     /* columns left free on the left */
    unsigned column;     /* used on the current line; 0: it is empty */
    unsigned n_newlines; /* in the latest run of space */
    bool space;          /* a space is pending before the word */
    /* NULL, or called before a line ends, with the columns in use: writes what
     * is beside the text. */
    void (*margin)(void *ctx, unsigned column);
    void *margin_ctx;
    uint32_t line_colour;  /* the colour the terminal is set to ... */
    uint32_t word_colour;  /* ... and the one for after the word */
    unsigned word_columns; /* of the word being collected */
    size_t word_len;
    char word[512];
};

void og_flow_init(struct og_flow *flow, struct og_writer *w, unsigned width,
                  unsigned indent, bool colour);

/* Untrusted text: made harmless character by character. */
void og_flow_text(struct og_flow *flow, const char *data, size_t len);

/* Our own markers, plain ASCII. The line may break at a space in them. */
void og_flow_mark(struct og_flow *flow, const char *mark);

/* For what follows. Nothing is written unless the flow has colours. */
void og_flow_colour(struct og_flow *flow, uint32_t colour);

/* Ends the line, if there is one. */
void og_flow_finish(struct og_flow *flow);

/* An untrusted name on one line, up to 200 bytes of it. */
void og_show_name(struct og_writer *w, og_bytes name);
/* Two blanks and the time, or only the day at midnight; nothing if there is
 * none. The time of a file is a guess and gets a question mark. */
void og_show_time(struct og_writer *w, int64_t time, bool has_time,
                  og_time_source source);

/* The terminal's code for a colour, "" for plain. Never NULL. */
const char *og_flow_code(uint32_t colour);

#endif
