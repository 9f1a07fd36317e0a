/* Repeated passages for people.
 *
 *     1,204 documents, 310,022 tokens: 3 passages that 3 or more repeat
 *
 *     812 documents  24 tokens, first in mail-7  1998-05-01
 *         ▁▂▃▄▅▆▇█▇▆
 *         Please do read the posting guide ...
 *
 *     Documents made of them (40 by half or more)
 *     Sources that copy most                                        */

#include <string.h>

#include "lib/report/flow.h"
#include "lib/report/phrases_forms.h"

enum { INDENT = 4, MOST_TEXT = 400 };

static void put_counted(struct og_writer *w, uint64_t n, const char *one,
                        const char *many)
{
    og_writer_number(w, n);
    og_writer_byte(w, ' ');
    og_writer_string(w, n == 1 ? one : many);
}

/* One bar per period, the highest for the largest share of its documents; many
 * periods are merged into 40 bars. */
static void put_bars(struct og_writer *w, const og_phrases *p,
                     const uint64_t *growth)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄",
                                       "▅", "▆", "▇", "█"};
    double shares[40] = {0}, most = 0;
    const size_t n = p->n_periods < 40 ? p->n_periods : 40;
    for (size_t i = 0; i < n; i++) {
        uint64_t held = 0, all = 0;
        for (size_t j = i * p->n_periods / n; j < (i + 1) * p->n_periods / n;
             j++) {
            held += growth[j];
            all += p->periods[j].n_documents;
        }
        if (all != 0) shares[i] = (double)held / (double)all;
        if (shares[i] > most) most = shares[i];
    }
    if (most == 0) return;
    og_writer_string(w, "    ");
    for (size_t i = 0; i < n; i++) {
        const size_t bar = (size_t)(shares[i] / most * 8 + 0.5);
        og_writer_string(w, bars[bar == 0 && shares[i] > 0 ? 1 : bar]);
    }
    og_writer_byte(w, '\n');
}

/* Ends after a word, unless that is too long. */
static size_t shortened(og_bytes text)
{
    const size_t end = og_glyph_before(text.data, MOST_TEXT);
    size_t len = end;
    while (len > MOST_TEXT / 2 && text.data[len] != ' ' &&
           text.data[len] != '\n')
        len--;
    return len > MOST_TEXT / 2 ? len : end;
}

static void put_phrase(struct og_writer *w, const og_phrases *p,
                       const og_phrase *phrase, og_text_style style)
{
    struct og_flow flow;
    size_t len = phrase->text.len;
    og_writer_byte(w, '\n');
    put_counted(w, phrase->n_documents, "document", "documents");
    og_writer_string(w, "  ");
    put_counted(w, phrase->n_tokens, "token", "tokens");
    og_writer_string(w, ", first in ");
    og_show_name(w, phrase->first.id);
    og_show_time(w, phrase->first.time, phrase->first.has_time,
                 phrase->first.time_source);
    og_writer_byte(w, '\n');
    put_bars(w, p, phrase->growth);
    if (len > MOST_TEXT) len = shortened(phrase->text);
    og_flow_init(&flow, w, style.width != 0 ? style.width : 80, INDENT,
                 style.colour);
    og_flow_text(&flow, phrase->text.data, len);
    if (len < phrase->text.len) og_flow_mark(&flow, " ...");
    og_flow_finish(&flow);
}

static void put_percent(struct og_writer *w, uint64_t part, uint64_t whole)
{
    const uint64_t tenths = (part * 2000 + whole) / (2 * whole);
    if (tenths < 1000) og_writer_byte(w, ' ');
    if (tenths < 100) og_writer_byte(w, ' ');
    og_writer_number(w, tenths / 10);
    og_writer_byte(w, '.');
    og_writer_number(w, tenths % 10);
    og_writer_string(w, " %");
}

static void put_documents(struct og_writer *w, const og_phrases *p)
{
    if (p->n_documents_listed == 0) return;
    og_writer_string(w, "\nDocuments made of them (");
    og_writer_number(w, p->n_made);
    og_writer_string(w, " by half or more)\n");
    for (size_t i = 0; i < p->n_documents_listed; i++) {
        const og_phrase_document *d = &p->documents[i];
        og_writer_string(w, "  ");
        put_percent(w, d->n_covered, d->n_tokens);
        og_writer_string(w, " of ");
        put_counted(w, d->n_tokens, "token", "tokens");
        og_writer_string(w, "  ");
        og_show_name(w, d->id);
        og_show_time(w, d->time, d->has_time, d->time_source);
        og_writer_byte(w, '\n');
    }
}

static void put_sources(struct og_writer *w, const og_phrases *p)
{
    if (p->n_sources == 0) return;
    og_writer_string(w, "\nSources that copy most\n");
    for (size_t i = 0; i < p->n_sources; i++) {
        const og_phrase_source *s = &p->sources[i];
        og_writer_string(w, "  ");
        put_counted(w, s->n_tokens, "token", "tokens");
        og_writer_string(w, " in ");
        put_counted(w, s->n_copies, "copy", "copies");
        og_writer_string(w, ", ");
        put_counted(w, s->n_documents, "document", "documents");
        og_writer_string(w, "  ");
        og_show_name(w, s->name);
        og_writer_byte(w, '\n');
    }
}

void og_phrases_as_text(struct og_writer *w, const og_phrases *p,
                        og_text_style style)
{
    put_counted(w, p->n_documents, "document", "documents");
    og_writer_string(w, ", ");
    put_counted(w, p->n_tokens, "token", "tokens");
    og_writer_string(w, ": ");
    put_counted(w, p->n_phrases, "passage", "passages");
    og_writer_string(w, " of ");
    og_writer_number(w, p->min_tokens);
    og_writer_string(w, " tokens or more in ");
    og_writer_number(w, p->min_documents);
    og_writer_string(w, " documents or more\n");
    if (p->n_more != 0) {
        og_writer_string(w, "and ");
        og_writer_number(w, p->n_more);
        og_writer_string(w, " more beyond the limit\n");
    }
    if (p->complete_above >= p->min_documents) {
        og_writer_string(w, "some that are in ");
        og_writer_number(w, p->complete_above);
        og_writer_string(w, " documents or fewer may be missing: the table of "
                            "counts was full\n");
    }
    for (size_t i = 0; i < p->n_phrases; i++)
        put_phrase(w, p, &p->phrases[i], style);
    put_documents(w, p);
    put_sources(w, p);
}
