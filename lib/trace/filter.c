/* Boilerplate, known text, documents of one group.
 *
 * Selected shingles that are common, or that occur in the text to be ignored,
 * mask the tokens under them. Selection depends on content alone, so the same
 * shingles are selected in the ignored text and in the document. */

#include "lib/trace/filter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/store/store_texts.h"
#include "lib/table/common_fps.h"

void og_filter_rules_init(struct og_filter_rules *filter,
                          const og_allocator *allocator)
{
    *filter = (struct og_filter_rules){.allocator = allocator};
    og_formulae_init(&filter->formulae, allocator);
}

void og_filter_rules_release(struct og_filter_rules *filter)
{
    OG_UNGROW(filter->allocator, filter->ignored, filter->ignored_cap);
    OG_UNGROW(filter->allocator, filter->mask, filter->mask_cap);
    OG_UNGROW(filter->allocator, filter->rare, filter->rare_cap);
    og_formulae_release(&filter->formulae);
    filter->n_ignored = 0;
}

/* ---- the ignored text ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

og_status og_trace_configure(og_trace *trace, const og_trace_options *asking,
                             og_error *err)
{
    struct og_filter_rules *filter = &trace->filter;
    const struct og_selection *sel = &trace->scratch.prepared.selection;
    filter->asking = asking != NULL ? *asking : (og_trace_options){0};
    filter->n_ignored = 0;
    if (filter->asking.reworded && filter->asking.no_verify)
        return og_error_set(err, OG_ERR_USAGE,
                            "reworded passages cannot be found without a look "
                            "at the texts");
    if (filter->asking.reworded && !og_store_can_confirm(trace->store))
        return og_error_set(err, OG_ERR_USAGE,
                            "reworded passages are found in texts, and this "
                            "store keeps none");
    if (filter->asking.since_last && !og_store_has_texts(trace->store))
        return og_error_set(err, OG_ERR_USAGE,
                            "what is new since the last version is found in "
                            "texts, and this store keeps none");
    if (trace->store->remote != NULL &&
        (filter->asking.boilerplate_documents > 0 ||
         filter->asking.boilerplate_share > 0))
        return og_error_set(err, OG_ERR_USAGE,
                            "a table on a server does not count the documents "
                            "that have a passage");
    if (filter->asking.ignored.len == 0) return OG_OK;
    TRY(og_scratch_prepare(&trace->scratch, filter->asking.ignored,
                           &trace->store->prepare, err));
    if (!OG_GROW(filter->allocator, filter->ignored, filter->ignored_cap,
                 sel->n))
        return og_error_memory(err, 8 * sel->n, "the ignored text");
    if (sel->n > 0) {
        memcpy(filter->ignored, sel->fp, sel->n * sizeof(uint64_t));
        qsort(filter->ignored, sel->n, sizeof(uint64_t), by_value);
    }
    filter->n_ignored = sel->n;
    return OG_OK;
}

static bool is_ignored(const struct og_filter_rules *filter, uint64_t fp)
{
    return filter->n_ignored > 0 &&
           bsearch(&fp, filter->ignored, filter->n_ignored, sizeof(fp),
                   by_value) != NULL;
}

/* ---- the mask ---- */

/* A fingerprint in more documents than this is boilerplate; UINT32_MAX: none
 * is. The count does not include the first document. */
static uint32_t boilerplate_limit(const struct og_filter_rules *filter,
                                  uint32_t n_documents)
{
    const og_trace_options *asking = &filter->asking;
    uint64_t limit = UINT32_MAX;
    if (asking->boilerplate_documents > 0)
        limit = asking->boilerplate_documents;
    if (asking->boilerplate_share > 0) {
        const double share = asking->boilerplate_share * (double)n_documents;
        if (share < (double)limit) limit = (uint64_t)share;
    }
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

static bool is_boilerplate(const struct og_table *table, uint64_t fp,
                           uint32_t limit)
{
    return limit != UINT32_MAX && table->n_common_lines > 0 &&
           og_common_fps_get(table->common, table->n_common_lines,
                             og_mix64(fp)) >= limit;
}

static og_status make_mask(struct og_filter_rules *filter,
                           const og_store *store, const struct og_prepared *p,
                           uint32_t limit, og_error *err)
{
    const struct og_selection *sel = &p->selection;
    if (!OG_GROW(filter->allocator, filter->mask, filter->mask_cap,
                 p->tokens.n + 1))
        return og_error_memory(err, p->tokens.n, "a mask");
    memset(filter->mask, 0, p->tokens.n + 1);
    for (size_t i = 0; i < sel->n; i++)
        if (is_boilerplate(&store->table, sel->fp[i], limit) ||
            is_ignored(filter, sel->fp[i]))
            memset(filter->mask + sel->pos[i], 1, sel->len[i]);
    return OG_OK;
}

/* ---- rare evidence ---- */

/* A shingle in more than LEAST_COMMON documents, and in more than one of
 * COMMON_SHARE, is a phrase that occurs everywhere. */
enum { LEAST_COMMON = 8, COMMON_SHARE = 64 };

static og_status mark_rare(struct og_filter_rules *filter,
                           const og_store *store, const struct og_prepared *p,
                           const struct og_labels *labels, uint32_t n_documents,
                           og_error *err)
{
    const struct og_selection *sel = &p->selection;
    const uint32_t share = n_documents / COMMON_SHARE;
    const uint32_t limit = share > LEAST_COMMON ? share : LEAST_COMMON;
    if (!OG_GROW(filter->allocator, filter->rare, filter->rare_cap,
                 p->tokens.n + 1))
        return og_error_memory(err, p->tokens.n, "rare shingles");
    memset(filter->rare, 0, p->tokens.n + 1);
    for (size_t i = 0; i < sel->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC &&
            !is_boilerplate(&store->table, sel->fp[i], limit))
            memset(filter->rare + sel->pos[i], 1, sel->len[i]);
    return OG_OK;
}

/* ---- groups ---- */

static bool is_of_its_group(const void *ctx, uint32_t doc)
{
    const struct og_filter_rules *filter = ctx;
    return og_catalogue_get(filter->catalogue, doc)->same == filter->same;
}

static uint32_t hash_of(og_bytes value)
{
    if (value.len == 0) return 0;
    const uint32_t hash = (uint32_t)og_checksum(value.data, value.len);
    return hash != 0 ? hash : 1;
}

/* "https://user@Example.org:80/x" has the host "Example.org:80"; case counts,
 * as addresses of one crawl are written alike. */
static og_bytes host_of(og_bytes url)
{
    const char *end = url.data + url.len;
    const char *at = url.data;
    for (const char *p = url.data; p + 2 < end; p++)
        if (memcmp(p, "://", 3) == 0) {
            at = p + 3;
            break;
        }
    const char *stop = at;
    while (stop < end && *stop != '/' && *stop != '?' && *stop != '#') {
        if (*stop == '@') at = stop + 1;
        stop++;
    }
    return (og_bytes){at, (size_t)(stop - at)};
}

/* After the string that begins at `at` (a quote); `end` if it is not closed. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

/* The end of the value at `at`: a comma outside of all brackets, or the end. */
static const char *value_end(const char *at, const char *end)
{
    int depth = 0;
    while (at < end && (depth > 0 || *at != ',')) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    }
    return at;
}

/* The value of a field as written in "name":value,"name":value, which the
 * scanner of the source has validated. */
static og_bytes field_of(og_bytes extra, const char *name)
{
    const size_t len = strlen(name);
    const char *at = extra.data;
    const char *end = extra.data + extra.len;
    while (at < end) {
        while (at < end && *at != '"')
            at++;
        if (at >= end) break;
        const char *name_end = string_end(at, end);
        const char *value = name_end;
        while (value < end && (*value == ':' || *value == ' '))
            value++;
        const char *stop = value_end(value, end);
        if ((size_t)(name_end - at) == len + 2 &&
            memcmp(at + 1, name, len) == 0)
            return (og_bytes){value, (size_t)(stop - value)};
        at = stop + 1;
    }
    return (og_bytes){"", 0};
}

og_bytes og_same_value(const char *field, const og_document *doc)
{
    static const og_bytes none = {"", 0};
    if (field[0] == 0) return none;
    if (strcmp(field, "id") == 0) return doc->id;
    if (strcmp(field, "host") == 0 && doc->url.len > 0)
        return host_of(doc->url);
    return doc->extra.len != 0 ? field_of(doc->extra, field) : none;
}

uint32_t og_same_of(const char *field, const og_document *doc)
{
    return hash_of(og_same_value(field, doc));
}

/* ---- all of it ---- */

enum { LEAST_WORDS = 8 }; /* fewer match by chance: "the end of the" */

/* Whether a shingle is too short to be significant. */
static bool has_short_shingles(const og_params *params)
{
    return params->tokens == OG_TOKEN_WORDS &&
           params->shingle_len < LEAST_WORDS;
}

uint32_t og_filter_min_span(const struct og_filter_rules *filter,
                            const og_params *params, size_t n_tokens)
{
    const uint32_t asked = filter->asking.min_span;
    if (asked > 0) return asked;
    if (!has_short_shingles(params)) return params->shingle_len;
    if (n_tokens >= LEAST_WORDS) return LEAST_WORDS;
    return n_tokens > params->shingle_len ? (uint32_t)n_tokens
                                          : params->shingle_len;
}

og_status og_filter_apply(struct og_filter_rules *filter, const og_store *store,
                          const struct og_subject *subject,
                          const struct og_labels *labels, struct og_filter *out,
                          og_error *err)
{
    const uint32_t n = atomic_load(&store->catalogue.n_published);
    const uint32_t limit = boilerplate_limit(filter, n);
    *out = (struct og_filter){
        .min_tokens = og_filter_min_span(filter, &store->params,
                                         subject->prepared->tokens.n),
        .ctx = filter};
    /* If the caller gave a minimum length, nothing but the length counts. */
    if (filter->asking.min_span == 0 && store->params.tokens == OG_TOKEN_WORDS)
        out->formulae = &filter->formulae;
    if (filter->asking.min_span == 0 && !filter->asking.reworded &&
        has_short_shingles(&store->params)) {
        TRY(mark_rare(filter, store, subject->prepared, labels, n, err));
        out->rare = filter->rare;
        out->long_run = LEAST_WORDS;
    }
    filter->catalogue = &store->catalogue;
    filter->same = subject->same;
    if (subject->same != 0 && !filter->asking.compare_same)
        out->is_barred = is_of_its_group;
    if (limit == UINT32_MAX && filter->n_ignored == 0) return OG_OK;
    TRY(make_mask(filter, store, subject->prepared, limit, err));
    out->mask = filter->mask;
    return OG_OK;
}
