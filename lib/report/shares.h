#ifndef OG_REPORT_SHARES_H
#define OG_REPORT_SHARES_H

/*   in:  the spans of an answer, in the order of the text   (estimate)
 *   out: its sources, the largest first, each with a number (the reports) */

#include "lib/report/units.h"
#include "lib/report/writer.h"
#include "lib/source/citations.h"

#include <origo/report.h>

struct og_source_share {
    uint64_t origin;
    uint64_t n_tokens;   /* covered by its spans ... */
    uint64_t n_matching; /* ... and also found in the source */
    size_t first_span;   /* its first occurrence in the text */
    size_t n_spans;
    unsigned how_mask;       /* 1 << og_how of all its spans */
    const og_origin *detail; /* of the answer; NULL: only id and time, in the
                                spans, are known */
    size_t at;               /* its spans are at by_source[at], in order */
};

struct og_sources {
    struct og_source_share *list; /* number n is at list[n - 1] */
    size_t n;
    uint32_t *number_of_span; /* 1.. for each span of the answer */
    size_t *by_source;        /* all spans, those of one source together */
    size_t n_spans;
    og_offsets offsets; /* of og_sources_place() */
    struct og_places *places;
};

/* OG_ERR_MEMORY, or a value that og_sources_release() must free. It borrows
 * from the answer. */
og_status og_sources_gather(const og_answer *answer, struct og_sources *out,
                            og_error *err);
void og_sources_release(struct og_sources *sources);

/* Computes the positions of spans (and, if requested, of their matches) in
 * their origins, in units other than bytes. Without it positions are in
 * bytes. */
og_status og_sources_locate(struct og_sources *sources, const og_answer *answer,
                            og_offsets offsets, bool matches, og_error *err);

/* A position in the origin of span number `span` (from 0). OG_UNKNOWN if it is
 * not known: for a span that is not verified, and in units other than bytes if
 * the text of the origin is not available. */
uint64_t og_sources_place(const struct og_sources *sources, size_t span,
                          uint64_t byte);

/* Details of the origin of span number `span`; NULL: only id and time are
 * known. */
static inline const og_origin *
og_sources_detail(const struct og_sources *sources, size_t span)
{
    return sources->list[sources->number_of_span[span] - 1].detail;
}

/* The citation of a passage, on either side; false: its document has no such
 * names, or the position is unknown. */
static inline bool og_span_cited(const og_document *doc, const og_span *span,
                                 struct og_cited *out)
{
    return og_citations_find(doc->extra, span->begin, span->end, out);
}
static inline bool og_origin_cited(const og_origin *detail, const og_span *span,
                                   struct og_cited *out)
{
    return detail != NULL && span->origin_begin != OG_UNKNOWN &&
           og_citations_find(detail->extra, span->origin_begin,
                             span->origin_end, out);
}

/* "1.1", or "1.1-1.3" for several parts. */
static inline void og_writer_cited(struct og_writer *w,
                                   const struct og_cited *cited)
{
    og_writer_bytes(w, cited->from.data, cited->from.len);
    if (cited->to.data == cited->from.data) return;
    og_writer_byte(w, '-');
    og_writer_bytes(w, cited->to.data, cited->to.len);
}

/* The text, if it contains the range of the span; otherwise len 0. */
og_bytes og_sources_text(const struct og_sources *sources, const og_span *span,
                         size_t number);

#endif
