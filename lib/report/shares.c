/* Who the sources of a document are, and which of them gave most.
 *
 * Spans are sorted by origin, equal ones are put together, and the groups are
 * sorted by what they gave. Ties go to the source that the text meets first,
 * so that the numbers are the same on every machine (qsort is not stable). */

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

og_status og_sources_gather(const og_answer *answer, struct og_sources *out,
                            og_error *err)
{
    memset(out, 0, sizeof(*out));
    const size_t n = answer->n_spans;
    if (n == 0) return OG_OK;
    out->n_spans = n;
    struct entry *entries = og_allocate(NULL, n * sizeof(*entries));
    out->list = og_allocate(NULL, n * sizeof(*out->list));
    out->number_of_span = og_allocate(NULL, n * sizeof(*out->number_of_span));
    const bool have_memory =
        entries != NULL && out->list != NULL && out->number_of_span != NULL;
    if (have_memory) {
        for (size_t i = 0; i < n; i++)
            entries[i] = (struct entry){answer->spans[i].origin, i};
        qsort(entries, n, sizeof(*entries), by_origin);
        group(answer, entries, out);
        qsort(out->list, out->n, sizeof(*out->list), by_share);
        number_spans(answer, entries, out);
    }
    og_release(NULL, entries, n * sizeof(*entries));
    if (have_memory) return OG_OK;
    og_sources_release(out);
    return og_error_memory(err, n * sizeof(*out->list), "sources");
}

void og_sources_release(struct og_sources *sources)
{
    og_release(NULL, sources->list, sources->n_spans * sizeof(*sources->list));
    og_release(NULL, sources->number_of_span,
               sources->n_spans * sizeof(*sources->number_of_span));
    memset(sources, 0, sizeof(*sources));
}
