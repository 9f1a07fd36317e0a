/* A document as TEI P5: its text untouched, its copied passages beside it.
 *
 *     <TEI>  <teiHeader/>
 *            <standOff>  <listBibl>  one <bibl> a source, with a <citedRange>
 *                                    for each passage
 *                        <spanGrp>   one <span> a passage: target is the place
 *                                    in the text, corresp the <citedRange>
 *            <text>  <body>  <ab>    the text
 *
 * Targets are pointers of the TEI's own scheme, string-range(id, offset,
 * length), in characters of the <ab>. If a document is a TEI file whose
 * elements have ids, pointers also lead into it, FILE.xml#id, and it is cited
 * by their n. A character that XML cannot represent is one
 * U+FFFD there, so the offsets are right. Several documents are a teiCorpus. */

#include "lib/report/escape.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"

#include <string.h>

#define TEI_NAMESPACE " xmlns=\"http://www.tei-c.org/ns/1.0\""

static void write_header(struct og_writer *w, og_bytes title)
{
    og_writer_string(w, "<teiHeader><fileDesc><titleStmt><title>");
    og_escape_xml(w, title);
    og_writer_string(w, "</title></titleStmt><publicationStmt><p>written by "
                        "origo</p></publicationStmt><sourceDesc>");
}

static void write_header_end(struct og_writer *w)
{
    og_writer_string(w, "</sourceDesc></fileDesc></teiHeader>\n");
}

static void begin_tei(struct og_writer *w, const og_report_options *options,
                      const og_document *first, bool many)
{
    (void)options, (void)first;
    static const og_bytes title = OG_LITERAL("documents and their origins");
    og_writer_string(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (!many) return;
    og_writer_string(w, "<teiCorpus" TEI_NAMESPACE ">\n");
    write_header(w, title);
    og_writer_string(w, "<p>the documents below</p>");
    write_header_end(w);
}

static void end_tei(struct og_writer *w, const struct og_progress *progress)
{
    if (progress->number > 1) og_writer_string(w, "</teiCorpus>\n");
    if (progress->number == 0)
        og_writer_string(w, "<teiCorpus" TEI_NAMESPACE " />\n");
}

/* ---- names: d1 is a document, d1s2 its second source, ... ---- */

static void write_name(struct og_writer *w, uint64_t doc, char kind, size_t n)
{
    og_writer_byte(w, 'd');
    og_writer_number(w, doc);
    if (kind == 0) return;
    og_writer_byte(w, kind);
    og_writer_number(w, n);
}

static void write_bibl_parts(struct og_writer *w, og_bytes id, og_bytes title,
                             og_bytes url, bool has_time, int64_t time)
{
    og_writer_string(w, "<idno>");
    og_escape_xml(w, id);
    og_writer_string(w, "</idno>");
    if (title.len != 0) {
        og_writer_string(w, "<title>");
        og_escape_xml(w, title);
        og_writer_string(w, "</title>");
    }
    if (has_time) {
        char text[40];
        og_time_format(time, text);
        og_writer_string(w, "<date when=\"");
        og_writer_string(w, text);
        og_writer_string(w, "\" />");
    }
    if (url.len != 0) {
        og_writer_string(w, "<idno type=\"URI\">");
        og_escape_xml(w, url);
        og_writer_string(w, "</idno>");
    }
}

/* ---- pointers into the files that the texts came from ---- */

static bool is_xml_file(og_bytes id)
{
    return id.len > 4 && memcmp(id.data + id.len - 4, ".xml", 4) == 0;
}

/* FILE.xml#id, if there is such an element; blanks end a pointer. */
static void write_pointer(struct og_writer *w, og_bytes file,
                          const struct og_cited *cited)
{
    for (size_t i = 0; i < file.len; i++) {
        const og_bytes one = {file.data + i, 1};
        if (file.data[i] == ' ')
            og_writer_string(w, "%20");
        else
            og_escape_xml(w, one);
    }
    og_writer_byte(w, '#');
    og_escape_xml(w, cited->id);
}

static void write_cited_name(struct og_writer *w, const struct og_cited *cited)
{
    og_writer_string(w, " n=\"");
    og_escape_xml(w, cited->from);
    if (cited->to.data != cited->from.data) {
        og_writer_byte(w, '-');
        og_escape_xml(w, cited->to);
    }
    og_writer_byte(w, '"');
}

/* ---- the sources ---- */

struct tei {
    struct og_writer *w;
    const og_document *doc;
    const og_answer *answer;
    struct og_sources sources;
    uint64_t number;
};

static void write_cited(struct tei *t, size_t span)
{
    struct og_writer *w = t->w;
    const og_span *s = &t->answer->spans[span];
    const uint64_t begin = og_sources_place(&t->sources, span, s->origin_begin);
    const uint64_t end = og_sources_place(&t->sources, span, s->origin_end);
    og_writer_string(w, "<citedRange xml:id=\"");
    write_name(w, t->number, 'c', span + 1);
    og_writer_string(w, "\" unit=\"character\"");
    if (begin != OG_UNKNOWN && end != OG_UNKNOWN) {
        og_writer_string(w, " from=\"");
        og_writer_number(w, begin);
        og_writer_string(w, "\" to=\"");
        og_writer_number(w, end);
        og_writer_byte(w, '"');
    }
    struct og_cited cited;
    if (og_origin_cited(og_sources_detail(&t->sources, span), s, &cited)) {
        write_cited_name(w, &cited);
        if (cited.id.len > 0 && is_xml_file(s->origin_id)) {
            og_writer_string(w, " target=\"");
            write_pointer(w, s->origin_id, &cited);
            og_writer_byte(w, '"');
        }
    }
    og_writer_string(w, " />");
}

static void write_source(struct tei *t, size_t i)
{
    struct og_writer *w = t->w;
    const struct og_source_share *source = &t->sources.list[i];
    const og_origin *detail = source->detail;
    const og_span *span = &t->answer->spans[source->first_span];
    const og_bytes none = {NULL, 0};
    og_writer_string(w, "<bibl xml:id=\"");
    write_name(w, t->number, 's', i + 1);
    og_writer_string(w, "\">");
    write_bibl_parts(w, span->origin_id, detail ? detail->title : none,
                     detail ? detail->url : none, span->origin_has_time,
                     span->origin_time);
    for (size_t k = 0; k < source->n_spans; k++)
        write_cited(t, t->sources.by_source[source->at + k]);
    og_writer_string(w, "</bibl>\n");
}

/* ---- the passages ---- */

static void write_passage(struct tei *t, size_t i, struct og_units *at)
{
    struct og_writer *w = t->w;
    const og_span *span = &t->answer->spans[i];
    const uint64_t begin = og_units_at(at, span->begin);
    const uint64_t end = og_units_at(at, span->end);
    og_writer_string(w, "<span xml:id=\"");
    write_name(w, t->number, 'p', i + 1);
    og_writer_string(w, "\" target=\"#string-range(");
    write_name(w, t->number, 0, 0);
    og_writer_byte(w, ',');
    og_writer_number(w, begin);
    og_writer_byte(w, ',');
    og_writer_number(w, end - begin);
    og_writer_byte(w, ')');
    struct og_cited cited;
    const bool is_cited = og_span_cited(t->doc, span, &cited);
    if (is_cited && cited.id.len > 0 && is_xml_file(t->doc->id)) {
        og_writer_byte(w, ' ');
        write_pointer(w, t->doc->id, &cited);
    }
    og_writer_byte(w, '"');
    if (is_cited) write_cited_name(w, &cited);
    og_writer_string(w, " corresp=\"#");
    write_name(w, t->number, 'c', i + 1);
    og_writer_string(w, "\" type=\"");
    og_writer_string(w, og_how_name(span->how));
    og_writer_string(w, "\" />\n");
}

static void write_stand_off(struct tei *t, const og_document *doc)
{
    struct og_units at = {doc->text, OG_OFFSETS_CHAR, 0, 0};
    if (t->answer->n_spans == 0) return;
    og_writer_string(t->w, "<standOff>\n<listBibl>\n");
    for (size_t i = 0; i < t->sources.n; i++)
        write_source(t, i);
    og_writer_string(t->w, "</listBibl>\n<spanGrp type=\"copied\">\n");
    for (size_t i = 0; i < t->answer->n_spans; i++)
        write_passage(t, i, &at);
    og_writer_string(t->w, "</spanGrp>\n</standOff>\n");
}

static void write_document(struct tei *t, const og_document *doc)
{
    struct og_writer *w = t->w;
    og_writer_string(w, "<TEI" TEI_NAMESPACE ">\n");
    write_header(w, doc->title.len != 0 ? doc->title : doc->id);
    og_writer_string(w, "<bibl>");
    write_bibl_parts(w, doc->id, doc->title, doc->url, doc->has_time,
                     doc->time);
    og_writer_string(w, "</bibl>");
    write_header_end(w);
    write_stand_off(t, doc);
    og_writer_string(w, "<text><body><ab xml:space=\"preserve\" xml:id=\"");
    write_name(w, t->number, 0, 0);
    og_writer_string(w, "\">");
    og_escape_xml(w, doc->text);
    og_writer_string(w, "</ab></body></text>\n</TEI>\n");
}

static og_status add_tei(struct og_writer *w, const og_document *doc,
                         const og_answer *answer,
                         const og_report_options *options,
                         struct og_progress *progress, og_error *err)
{
    (void)options;
    struct tei t = {
        .w = w, .doc = doc, .answer = answer, .number = progress->number};
    TRY(og_sources_gather(answer, &t.sources, err));
    const og_status status =
        og_sources_locate(&t.sources, answer, OG_OFFSETS_CHAR, false, err);
    if (status == OG_OK) write_document(&t, doc);
    og_sources_release(&t.sources);
    return status;
}

const struct og_report_form og_report_as_tei = {
    .begin = begin_tei, .add = add_tei, .end = end_tei, .holds_first = true};
