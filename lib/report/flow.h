#ifndef OG_REPORT_FLOW_H
#define OG_REPORT_FLOW_H

/*   in:  text with colours, in pieces of any size        (report_text)
 *   out: lines of a given width that a terminal can show (writer)
 *
 * Words are gathered and put on the line when they are whole. Scripts without
 * spaces break before any of their characters. Runs of space become one space,
 * an empty line stays an empty line. Colour is switched off before each line
 * end and on again after the indent: pagers forget it there. */

#include <origo/document.h>

#include "lib/report/glyph.h"
#include "lib/report/writer.h"

/* What a piece of text looks like: 0 is plain, n the n-th source's colour. */
#define OG_FLOW_PLAIN 0
#define OG_FLOW_DIM   UINT32_MAX

struct og_flow {
    struct og_writer *writer;
    bool colour;
    unsigned width;      /* columns between indent and the right edge */
    unsigned indent;     /* columns left free on the left */
    unsigned column;     /* used on the line at hand; 0: nothing is on it yet */
    unsigned n_newlines; /* in the run of space that was seen last */
    bool space;          /* a space is due before the word */
    /* NULL, or called before a line ends, with the columns that are on it:
     * what is beside the text is written there. */
    void (*margin)(void *ctx, unsigned column);
    void *margin_ctx;
    uint32_t line_colour;  /* what the terminal has been sent ... */
    uint32_t word_colour;  /* ... and what it will be sent after the word */
    unsigned word_columns; /* of the word being gathered */
    size_t word_len;
    char word[512];
};

void og_flow_init(struct og_flow *flow, struct og_writer *w, unsigned width,
                  unsigned indent, bool colour);

/* Text of strangers: made harmless character by character. */
void og_flow_text(struct og_flow *flow, const char *data, size_t len);

/* Our own marks, plain ASCII. A space in them is a place to break. */
void og_flow_mark(struct og_flow *flow, const char *mark);

/* For what follows. Nothing is written unless the flow has colours. */
void og_flow_colour(struct og_flow *flow, uint32_t colour);

/* Ends the line, when there is one. */
void og_flow_finish(struct og_flow *flow);

/* A name of strangers on one line, up to 200 bytes of it. */
void og_show_name(struct og_writer *w, og_bytes name);
/* Two blanks and the time, a day when it is midnight; nothing when there is
 * none. The time of a file is a guess, and has a question mark. */
void og_show_time(struct og_writer *w, int64_t time, bool has_time,
                  og_time_source source);

/* The terminal's code for a colour, "" for plain. Never NULL. */
const char *og_flow_code(uint32_t colour);

#endif
