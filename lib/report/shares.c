/* The sources of a document, and their shares.
 *
 * Spans are sorted by origin, those of one origin are summed, and the sources
 * are sorted by their contribution. Ties are resolved in favour of the source
 * that occurs first in the text, so that the numbers are the same on every
 * machine (qsort is not stable). */

#include "lib/report/shares.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t origin;
    size_t span;
};

static int by_origin(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    return a->span < b->span ? -1 : 1;
}

static int by_share(const void *pa, const void *pb)
{
    const struct og_source_share *a = pa, *b = pb;
    if (a->n_tokens != b->n_tokens) return a->n_tokens > b->n_tokens ? -1 : 1;
    return a->first_span < b->first_span ? -1 : 1;
}

static void group(const og_answer *answer, const struct entry *entries,
                  struct og_sources *out)
{
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[entries[i].span];
        if (i == 0 || entries[i].origin != entries[i - 1].origin)
            out->list[out->n++] = (struct og_source_share){
                .origin = span->origin, .first_span = entries[i].span};
        struct og_source_share *source = &out->list[out->n - 1];
        source->n_tokens += span->n_tokens;
        source->n_matching += span->n_matching;
        source->n_spans++;
        source->how_mask |= 1u << span->how;
    }
}

static int origin_order(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    return (a->origin > b->origin) - (a->origin < b->origin);
}

/* `entries` are reused: origin and rank of each source, sorted by origin. */
static void number_spans(const og_answer *answer, struct entry *entries,
                         struct og_sources *out)
{
    for (size_t i = 0; i < out->n; i++)
        entries[i] = (struct entry){out->list[i].origin, i + 1};
    qsort(entries, out->n, sizeof(*entries), origin_order);
    for (size_t i = 0; i < answer->n_spans; i++) {
        const struct entry key = {answer->spans[i].origin, 0};
        const struct entry *found =
            bsearch(&key, entries, out->n, sizeof(*entries), origin_order);
        out->number_of_span[i] = (uint32_t)found->span;
    }
}

/* The index of each source among the answer's origins. */
static void find_details(const og_answer *answer, struct entry *entries,
                         struct og_sources *out)
{
    for (size_t i = 0; i < out->n; i++)
        entries[i] = (struct entry){out->list[i].origin, i};
    qsort(entries, out->n, sizeof(*entries), origin_order);
    for (size_t i = 0; i < answer->n_origins; i++) {
        const struct entry key = {answer->origins[i].number, 0};
        const struct entry *found =
            bsearch(&key, entries, out->n, sizeof(*entries), origin_order);
        if (found != NULL) out->list[found->span].detail = &answer->origins[i];
    }
}

static void order_spans(struct og_sources *out)
{
    size_t at = 0;
    for (size_t i = 0; i < out->n; i++) {
        out->list[i].at = at;
        at += out->list[i].n_spans;
    }
    for (size_t i = 0; i < out->n_spans; i++)
        out->by_source[out->list[out->number_of_span[i] - 1].at++] = i;
    for (size_t i = 0; i < out->n; i++)
        out->list[i].at -= out->list[i].n_spans;
}

static bool make_room(struct og_sources *out, size_t n)
{
    out->n_spans = n;
    out->list = og_allocate(NULL, n * sizeof(*out->list));
    out->number_of_span = og_allocate(NULL, n * sizeof(*out->number_of_span));
    out->by_source = og_allocate(NULL, n * sizeof(*out->by_source));
    return out->list != NULL && out->number_of_span != NULL &&
           out->by_source != NULL;
}

og_status og_sources_gather(const og_answer *answer, struct og_sources *out,
                            og_error *err)
{
    memset(out, 0, sizeof(*out));
    const size_t n = answer->n_spans;
    if (n == 0) return OG_OK;
    struct entry *entries = og_allocate(NULL, n * sizeof(*entries));
    const bool have_memory = make_room(out, n) && entries != NULL;
    if (have_memory) {
        for (size_t i = 0; i < n; i++)
            entries[i] = (struct entry){answer->spans[i].origin, i};
        qsort(entries, n, sizeof(*entries), by_origin);
        group(answer, entries, out);
        qsort(out->list, out->n, sizeof(*out->list), by_share);
        number_spans(answer, entries, out);
        find_details(answer, entries, out);
        order_spans(out);
    }
    og_release(NULL, entries, n * sizeof(*entries));
    if (have_memory) return OG_OK;
    og_sources_release(out);
    return og_error_memory(err, n * sizeof(*out->list), "sources");
}

void og_sources_release(struct og_sources *sources)
{
    const size_t n = sources->n_spans;
    if (sources->places != NULL)
        for (size_t i = 0; i < sources->n; i++)
            og_places_release(&sources->places[i]);
    og_release(NULL, sources->places, sources->n * sizeof(*sources->places));
    og_release(NULL, sources->list, n * sizeof(*sources->list));
    og_release(NULL, sources->number_of_span,
               n * sizeof(*sources->number_of_span));
    og_release(NULL, sources->by_source, n * sizeof(*sources->by_source));
    memset(sources, 0, sizeof(*sources));
}

/* ---- places in the origins ---- */

og_bytes og_sources_text(const struct og_sources *sources, const og_span *span,
                         size_t number)
{
    const og_bytes none = {NULL, 0};
    const og_origin *detail = sources->list[number - 1].detail;
    if (detail == NULL || span->origin_begin == OG_UNKNOWN ||
        span->origin_begin > span->origin_end ||
        span->origin_end > detail->text.len)
        return none;
    return detail->text;
}

static og_status add_span(struct og_places *places, const og_span *span,
                          bool matches, og_error *err)
{
    TRY(og_places_add(places, span->origin_begin, err));
    TRY(og_places_add(places, span->origin_end, err));
    if (!matches) return OG_OK;
    for (size_t i = 0; i < span->n_matches; i++) {
        TRY(og_places_add(places, span->matches[i].origin_begin, err));
        TRY(og_places_add(places, span->matches[i].origin_end, err));
    }
    return OG_OK;
}

static og_status locate_source(struct og_sources *sources, size_t i,
                               const og_answer *answer, bool matches,
                               og_error *err)
{
    const struct og_source_share *source = &sources->list[i];
    og_bytes text = {NULL, 0};
    for (size_t k = 0; k < source->n_spans; k++) {
        const og_span *span =
            &answer->spans[sources->by_source[source->at + k]];
        const og_bytes found = og_sources_text(sources, span, i + 1);
        if (found.len == 0) continue;
        text = found;
        TRY(add_span(&sources->places[i], span, matches, err));
    }
    return og_places_settle(&sources->places[i], text, sources->offsets, err);
}

og_status og_sources_locate(struct og_sources *sources, const og_answer *answer,
                            og_offsets offsets, bool matches, og_error *err)
{
    sources->offsets = offsets;
    if (offsets == OG_OFFSETS_BYTE || sources->n == 0) return OG_OK;
    const size_t len = sources->n * sizeof(*sources->places);
    sources->places = og_allocate_zero(NULL, len);
    if (sources->places == NULL)
        return og_error_memory(err, len, "places in the sources");
    for (size_t i = 0; i < sources->n; i++)
        TRY(locate_source(sources, i, answer, matches, err));
    return OG_OK;
}

uint64_t og_sources_place(const struct og_sources *sources, size_t span,
                          uint64_t byte)
{
    if (byte == OG_UNKNOWN || sources->offsets == OG_OFFSETS_BYTE) return byte;
    const uint32_t number = sources->number_of_span[span];
    return og_places_get(&sources->places[number - 1], byte);
}
