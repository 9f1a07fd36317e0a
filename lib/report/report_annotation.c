/* Copied spans as W3C Web Annotations, in JSON-LD: one AnnotationCollection
 * with one page that contains them all.
 *
 * The target of an annotation is the passage, its body the place in the origin.
 * Both have a TextPositionSelector, which counts code points; the target also
 * has a TextQuoteSelector, so that the passage is found in a text that was
 * edited. A quote longer than LONGEST_QUOTE bytes is omitted: the position
 * suffices, and the page stays small.
 *
 * A document is identified by its url, or else by an address made from its id:
 * urn:x-origo:ID. */

#include "lib/report/escape.h"
#include "lib/report/report.h"
#include "lib/report/shares.h"

enum {
    LONGEST_QUOTE = 2000, /* bytes */
    AROUND = 32,          /* characters of prefix and suffix, as in the
                             specification's examples */
};

static void begin_annotation(struct og_writer *w,
                             const og_report_options *options,
                             const og_document *first, bool many)
{
    (void)options, (void)first, (void)many;
    og_writer_string(
        w, "{\"@context\":\"http://www.w3.org/ns/anno.jsonld\",\n"
           "\"id\":\"urn:x-origo:report\",\n"
           "\"type\":\"AnnotationCollection\",\n"
           "\"label\":\"passages that were copied\",\n"
           "\"creator\":{\"type\":\"Software\",\"name\":\"origo\"},\n"
           "\"first\":{\"id\":\"urn:x-origo:report:1\","
           "\"type\":\"AnnotationPage\",\"startIndex\":0,\n\"items\":[");
}

static void end_annotation(struct og_writer *w,
                           const struct og_progress *progress)
{
    og_writer_string(w, "\n]},\n\"total\":");
    og_writer_number(w, progress->n_items);
    og_writer_string(w, "}\n");
}

static void write_address(struct og_writer *w, og_bytes url, og_bytes id)
{
    if (url.len != 0) {
        og_escape_json(w, url);
        return;
    }
    og_writer_string(w, "\"urn:x-origo:");
    og_escape_address(w, id);
    og_writer_byte(w, '"');
}

static void write_position(struct og_writer *w, uint64_t begin, uint64_t end)
{
    og_writer_string(w, "{\"type\":\"TextPositionSelector\",\"start\":");
    og_writer_number(w, begin);
    og_writer_string(w, ",\"end\":");
    og_writer_number(w, end);
    og_writer_byte(w, '}');
}

static og_bytes before(og_bytes text, uint64_t begin)
{
    uint64_t at = begin;
    for (unsigned n = 0; n < AROUND && at > 0; n++)
        at = og_glyph_before(text.data, at);
    return (og_bytes){text.data + at, begin - at};
}

static og_bytes text_after(og_bytes text, uint64_t end)
{
    uint64_t at = end;
    for (unsigned n = 0; n < AROUND && at < text.len; n++)
        at += og_glyph_at(text.data + at, text.len - at).len;
    return (og_bytes){text.data + end, at - end};
}

static void write_quote(struct og_writer *w, og_bytes text, const og_span *span)
{
    const og_bytes exact = {text.data + span->begin, span->end - span->begin};
    og_writer_string(w, ",{\"type\":\"TextQuoteSelector\",\"exact\":");
    og_escape_json(w, exact);
    og_writer_string(w, ",\"prefix\":");
    og_escape_json(w, before(text, span->begin));
    og_writer_string(w, ",\"suffix\":");
    og_escape_json(w, text_after(text, span->end));
    og_writer_byte(w, '}');
}

static void write_target(struct og_writer *w, const og_document *doc,
                         const og_span *span, struct og_units *at)
{
    og_writer_string(w, "\"target\":{\"source\":");
    write_address(w, doc->url, doc->id);
    og_writer_string(w, ",\"selector\":[");
    const uint64_t begin = og_units_at(at, span->begin);
    write_position(w, begin, og_units_at(at, span->end));
    if (span->end <= doc->text.len && span->end - span->begin <= LONGEST_QUOTE)
        write_quote(w, doc->text, span);
    og_writer_string(w, "]}");
}

static void write_body(struct og_writer *w, const og_span *span, size_t i,
                       const struct og_sources *sources)
{
    const og_origin *detail =
        sources->list[sources->number_of_span[i] - 1].detail;
    const og_bytes none = {NULL, 0};
    const uint64_t begin = og_sources_place(sources, i, span->origin_begin);
    const uint64_t end = og_sources_place(sources, i, span->origin_end);
    og_writer_string(w, "\"body\":{\"type\":\"SpecificResource\","
                        "\"purpose\":\"linking\",\"source\":");
    write_address(w, detail != NULL ? detail->url : none, span->origin_id);
    if (begin != OG_UNKNOWN && end != OG_UNKNOWN) {
        og_writer_string(w, ",\"selector\":");
        write_position(w, begin, end);
    }
    og_writer_string(w, "},");
}

static void write_item(struct og_writer *w, const og_document *doc,
                       uint64_t number)
{
    og_writer_string(w, number == 1 ? "\n" : ",\n");
    og_writer_string(w, "{\"id\":\"urn:x-origo:");
    og_escape_address(w, doc->id);
    og_writer_byte(w, ':');
    og_writer_number(w, number);
    og_writer_string(w, "\",\"type\":\"Annotation\","
                        "\"motivation\":\"linking\",");
}

static og_status add_annotation(struct og_writer *w, const og_document *doc,
                                const og_answer *answer,
                                const og_report_options *options,
                                struct og_progress *progress, og_error *err)
{
    (void)options;
    struct og_sources sources;
    TRY(og_sources_gather(answer, &sources, err));
    const og_status status =
        og_sources_locate(&sources, answer, OG_OFFSETS_CHAR, false, err);
    struct og_units at = {doc->text, OG_OFFSETS_CHAR, 0, 0};
    for (size_t i = 0; status == OG_OK && i < answer->n_spans; i++) {
        write_item(w, doc, ++progress->n_items);
        write_body(w, &answer->spans[i], i, &sources);
        write_target(w, doc, &answer->spans[i], &at);
        og_writer_byte(w, '}');
    }
    og_sources_release(&sources);
    return status;
}

const struct og_report_form og_report_as_annotation = {
    .begin = begin_annotation, .add = add_annotation, .end = end_annotation};
