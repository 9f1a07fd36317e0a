/* An answer as one line of JSON: the contract that other programs read.
 *
 *     {"origo":1,"id":"q7","n_tokens":512,"novel":0.41,
 *      "dominant":{"id":"RFC2616","share":0.47},
 *      "spans":[{"begin":120,"end":884,"n_tokens":131,"how":"verified",
 *                "origin":{"id":"RFC2616","time":"1999-06-01T00:00:00Z",
 *                          "begin":10234,"end":10998}}],
 *      "novel_spans":[{"begin":0,"end":119}]}
 *
 * The line is valid JSON whatever the input was: ids are escaped, and bytes
 * that are not UTF-8 become U+FFFD. The same answer gives the same bytes in
 * every locale.
 *
 * Offsets are counted by bytes inside origo. For characters or UTF-16 units a
 * cursor walks along the text: spans rise, so each list costs one forward pass
 * and no memory. A byte that is not UTF-8 counts as one character, for it is
 * one U+FFFD to everybody who reads the repaired text. */

#include "lib/report/glyph.h"
#include "lib/report/json_text.h"
#include "lib/report/writer.h"

/* ---- strings ---- */

static void write_escape(struct og_writer *w, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    const char *short_forms = "\bb\ff\nn\rr\tt\"\"\\\\";
    og_writer_byte(w, '\\');
    for (const char *s = short_forms; *s != '\0'; s += 2) {
        if ((unsigned char)s[0] != c) continue;
        og_writer_byte(w, s[1]);
        return;
    }
    og_writer_string(w, "u00");
    og_writer_byte(w, hex[c >> 4]);
    og_writer_byte(w, hex[c & 15]);
}

void og_write_json_text(struct og_writer *w, og_bytes s)
{
    og_writer_byte(w, '"');
    for (size_t i = 0; i < s.len;) {
        const struct og_glyph g = og_glyph_at(s.data + i, s.len - i);
        const uint32_t c = g.code_point;
        if (!g.valid)
            og_writer_string(w, "\xef\xbf\xbd");
        else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
            write_escape(w, (unsigned char)c);
        else
            og_writer_bytes(w, s.data + i, g.len);
        i += g.len;
    }
    og_writer_byte(w, '"');
}

/* ---- offsets ---- */

struct cursor {
    og_bytes text;
    og_offsets offsets;
    uint64_t byte; /* where it stands ... */
    uint64_t unit; /* ... and that place in the units asked for */
};

/* Rising calls only: a cursor never turns back. */
static uint64_t units_at(struct cursor *at, uint64_t byte)
{
    if (at->offsets == OG_OFFSETS_BYTE) return byte;
    while (at->byte < byte && at->byte < at->text.len) {
        const struct og_glyph g =
            og_glyph_at(at->text.data + at->byte, at->text.len - at->byte);
        const bool pair = at->offsets == OG_OFFSETS_UTF16;
        at->unit += pair && g.code_point > 0xffff ? 2 : 1;
        at->byte += g.len;
    }
    return at->unit;
}

static void write_range(struct og_writer *w, struct cursor *at, uint64_t begin,
                        uint64_t end)
{
    og_writer_string(w, "{\"begin\":");
    og_writer_number(w, units_at(at, begin));
    og_writer_string(w, ",\"end\":");
    og_writer_number(w, units_at(at, end));
}

/* ---- the parts of the object ---- */

static void write_time(struct og_writer *w, const og_span *span)
{
    if (!span->origin_has_time) {
        og_writer_string(w, "null");
        return;
    }
    char time[40];
    const size_t len = og_time_format(span->origin_time, time);
    og_write_json_text(w, (og_bytes){time, len});
}

/* Known in bytes of a text that is not at hand: in other units, unknown. */
static void write_origin_offset(struct og_writer *w, uint64_t offset,
                                og_offsets offsets)
{
    if (offset == OG_UNKNOWN || offsets != OG_OFFSETS_BYTE)
        og_writer_string(w, "null");
    else
        og_writer_number(w, offset);
}

static void write_span(struct og_writer *w, struct cursor *at,
                       const og_span *span)
{
    write_range(w, at, span->begin, span->end);
    og_writer_string(w, ",\"n_tokens\":");
    og_writer_number(w, span->n_tokens);
    og_writer_string(w, ",\"how\":\"");
    og_writer_string(w, og_how_name(span->how));
    og_writer_string(w, "\",\"origin\":{\"id\":");
    og_write_json_text(w, span->origin_id);
    og_writer_string(w, ",\"time\":");
    write_time(w, span);
    og_writer_string(w, ",\"begin\":");
    write_origin_offset(w, span->origin_begin, at->offsets);
    og_writer_string(w, ",\"end\":");
    write_origin_offset(w, span->origin_end, at->offsets);
    og_writer_string(w, "}}");
}

static void write_spans(struct og_writer *w, const og_answer *answer,
                        struct cursor at)
{
    for (size_t i = 0; i < answer->n_spans; i++) {
        if (i != 0) og_writer_byte(w, ',');
        write_span(w, &at, &answer->spans[i]);
    }
}

static void write_novel(struct og_writer *w, const og_answer *answer,
                        struct cursor at)
{
    for (size_t i = 0; i < answer->n_novel; i++) {
        if (i != 0) og_writer_byte(w, ',');
        write_range(w, &at, answer->novel[i].begin, answer->novel[i].end);
        og_writer_byte(w, '}');
    }
}

static void write_dominant(struct og_writer *w, const og_answer *answer)
{
    if (!answer->has_dominant) {
        og_writer_string(w, "null");
        return;
    }
    og_writer_string(w, "{\"id\":");
    og_write_json_text(w, answer->dominant_id);
    og_writer_string(w, ",\"share\":");
    og_writer_share(w, answer->dominant_share);
    og_writer_byte(w, '}');
}

/* A document without tokens has nothing new in it. */
static double novel_share(const og_answer *answer)
{
    if (answer->n_tokens == 0) return 0;
    return (double)answer->n_fresh / (double)answer->n_tokens;
}

og_status og_report_json(FILE *out, const og_document *doc,
                         const og_answer *answer, og_offsets offsets,
                         og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, out);
    const struct cursor start = {doc->text, offsets, 0, 0};
    og_writer_string(&w, "{\"origo\":1,\"id\":");
    og_write_json_text(&w, doc->id);
    og_writer_string(&w, ",\"n_tokens\":");
    og_writer_number(&w, answer->n_tokens);
    og_writer_string(&w, ",\"novel\":");
    og_writer_share(&w, novel_share(answer));
    og_writer_string(&w, ",\"dominant\":");
    write_dominant(&w, answer);
    og_writer_string(&w, ",\"spans\":[");
    write_spans(&w, answer, start);
    og_writer_string(&w, "],\"novel_spans\":[");
    write_novel(&w, answer, start);
    og_writer_string(&w, "]}\n");
    return og_writer_finish(&w, err);
}
