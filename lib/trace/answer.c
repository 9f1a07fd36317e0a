/* From runs of tokens to places in the document's own text.
 *
 * Tokens belong to the folded text, and one character of the source may fold to
 * several tokens (one half is "1" and "2"). So two adjacent runs of tokens may
 * claim the same character. The first span keeps it, spans take precedence over
 * novel ranges, and whatever then has no byte of its own left is joined to the
 * preceding span (a copy) or not shown (a novel range). */

#include "lib/trace/answer.h"

void og_answering_init(struct og_answering *a, const og_allocator *allocator)
{
    *a = (struct og_answering){.allocator = allocator};
    og_copies_init(&a->copies, allocator);
}

void og_answering_release(struct og_answering *a)
{
    og_copies_release(&a->copies);
    OG_UNGROW(a->allocator, a->pieces, a->pieces_cap);
    OG_UNGROW(a->allocator, a->matches, a->matches_cap);
    OG_UNGROW(a->allocator, a->spans, a->spans_cap);
    OG_UNGROW(a->allocator, a->novel, a->novel_cap);
    a->answer = (og_answer){0};
}

/* The bytes of the tokens begin .. end, of which there is at least one. */
static og_range source_range(const struct og_prepared *p, size_t begin,
                             size_t end)
{
    return (og_range){
        og_text_source_begin(&p->text, p->tokens.begin[begin]),
        og_text_source_end(&p->text, p->tokens.end[end - 1]),
    };
}

/* ---- pieces ---- */

/* A copy that lost a part to a confirmed passage keeps its count, limited to
 * the tokens that it still has. */
static void add_copy(struct og_answering *a, const struct og_copy *copy)
{
    const uint32_t n = copy->end - copy->begin;
    a->pieces[a->n_pieces++] = (struct og_answer_piece){
        .begin = copy->begin,
        .end = copy->end,
        .doc = copy->doc,
        .how = copy->how,
        .n_matching = copy->n_matching < n ? copy->n_matching : n};
}

static void add_confirmed(struct og_answering *a, const struct og_confirmed *c,
                          const struct og_run *runs)
{
    const uint32_t n = c->end - c->begin;
    uint32_t n_equal = 0;
    for (size_t i = 0; i < c->n_runs; i++)
        n_equal += runs[c->first_run + i].len;
    a->pieces[a->n_pieces++] =
        (struct og_answer_piece){.begin = c->begin,
                                 .end = c->end,
                                 .doc = c->doc,
                                 .how = OG_HOW_VERIFIED,
                                 .n_matching = n_equal < n ? n_equal : n,
                                 .confirmed = c};
}

/* The two lists do not overlap; they are merged in the order of the text. */
static og_status make_pieces(struct og_answering *a,
                             const struct og_copies *copies,
                             const struct og_confirming *confirming,
                             og_error *err)
{
    const size_t n_confirmed = confirming != NULL ? confirming->n : 0;
    const size_t n_runs = confirming != NULL ? confirming->n_runs : 0;
    size_t next = 0;
    a->n_pieces = a->n_matches = 0;
    if (!OG_GROW(a->allocator, a->pieces, a->pieces_cap,
                 copies->n + n_confirmed) ||
        !OG_GROW(a->allocator, a->matches, a->matches_cap, n_runs))
        return og_error_memory(err, n_runs * sizeof(*a->matches), "an answer");
    for (size_t i = 0; i < copies->n; i++) {
        while (next < n_confirmed &&
               confirming->data[next].begin < copies->data[i].begin)
            add_confirmed(a, &confirming->data[next++], confirming->runs);
        add_copy(a, &copies->data[i]);
    }
    while (next < n_confirmed)
        add_confirmed(a, &confirming->data[next++], confirming->runs);
    return OG_OK;
}

/* Formulae do not matter for a longer piece: it has enough evidence anyway. */
static bool is_weighed(const struct og_answer_piece *piece,
                       const struct og_filter *filter)
{
    return filter->formulae != NULL &&
           piece->end - piece->begin < OG_FORMULA_WEIGHT * filter->min_tokens;
}

/* Whether the piece is more than phrases that occur everywhere. */
static bool has_evidence(const struct og_answer_piece *piece,
                         const struct og_run *runs,
                         const struct og_filter *filter)
{
    const struct og_confirmed *c = piece->confirmed;
    if (filter->rare == NULL || c == NULL) return true;
    for (size_t i = 0; i < c->n_runs; i++)
        if (runs[c->first_run + i].len >= filter->long_run) return true;
    for (uint32_t t = piece->begin; t < piece->end; t++)
        if (filter->rare[t] != 0) return true;
    return false;
}

/* A piece is dropped when most of it does not count: a sentence of boilerplate
 * in a copied page stays with the page. */
static bool is_reported(const struct og_answer_piece *piece,
                        const struct og_filter *filter)
{
    const uint32_t len = piece->end - piece->begin;
    uint32_t n_masked = 0;
    if (len < filter->min_tokens) return false;
    if (is_weighed(piece, filter) &&
        og_formulae_weight(filter->formulae, piece->begin, piece->end) <
            filter->min_tokens)
        return false;
    if (filter->is_barred != NULL && filter->is_barred(filter->ctx, piece->doc))
        return false;
    for (uint32_t t = piece->begin; filter->mask != NULL && t < piece->end; t++)
        n_masked += filter->mask[t];
    return 2 * n_masked <= len;
}

static og_status drop_pieces(struct og_answering *a,
                             const struct og_prepared *p,
                             const struct og_run *runs,
                             const struct og_filter *filter, og_error *err)
{
    size_t n = 0;
    while (n < a->n_pieces && !is_weighed(&a->pieces[n], filter))
        n++;
    if (n < a->n_pieces)
        TRY(og_formulae_find(
            filter->formulae,
            (struct og_align_side){.text = &p->text, .tokens = &p->tokens},
            err));
    n = 0;
    for (size_t i = 0; i < a->n_pieces; i++)
        if (is_reported(&a->pieces[i], filter) &&
            has_evidence(&a->pieces[i], runs, filter))
            a->pieces[n++] = a->pieces[i];
    a->n_pieces = n;
    return OG_OK;
}

/* ---- spans ---- */

static og_span span_of(const struct og_answer_piece *piece, og_range range,
                       const struct og_entry *origin)
{
    return (og_span){
        .begin = range.begin,
        .end = range.end,
        .n_tokens = piece->end - piece->begin,
        .n_matching = piece->n_matching,
        .how = piece->how,
        .origin = piece->doc,
        .origin_id = origin->id,
        .origin_time = origin->has_time ? origin->time : 0,
        .origin_has_time = origin->has_time,
        .origin_time_source = origin->time_source,
        .origin_begin = OG_UNKNOWN,
        .origin_end = OG_UNKNOWN,
    };
}

static og_range side_range(const struct og_origin_side *side, size_t begin,
                           size_t end)
{
    return (og_range){
        og_text_source_begin(&side->text, side->tokens.begin[begin]),
        og_text_source_end(&side->text, side->tokens.end[end - 1]),
    };
}

/* Where the span is in its origin, and which words are equal. */
static void add_matches(struct og_answering *a, const struct og_prepared *p,
                        const struct og_answer_piece *piece,
                        const struct og_evidence *evidence, og_span *span)
{
    const struct og_confirmed *c = piece->confirmed;
    const struct og_origin_side *side = evidence->origins->places[c->side];
    const og_range whole = side_range(side, c->origin_begin, c->origin_end);
    uint64_t from = span->begin;
    uint64_t n_equal = 0;
    span->origin_begin = whole.begin;
    span->origin_end = whole.end;
    span->matches = a->matches + a->n_matches;
    for (size_t i = 0; i < c->n_runs; i++) {
        const struct og_run *run =
            &evidence->confirming->runs[c->first_run + i];
        og_range here = source_range(p, run->begin, run->begin + run->len);
        const og_range there =
            side_range(side, run->origin_begin, run->origin_begin + run->len);
        n_equal += run->len;
        if (here.begin < from) here.begin = from;
        if (here.begin >= here.end) continue;
        a->matches[a->n_matches++] =
            (og_match){here.begin, here.end, there.begin, there.end};
        span->n_matches++;
        from = here.end;
    }
    const uint64_t both = c->end - c->begin + c->origin_end - c->origin_begin;
    span->score = 2.0 * (double)n_equal / (double)both;
    if (span->score > 1) span->score = 1; /* reordered parts count twice */
}

static og_status add_span(struct og_answering *a, const struct og_prepared *p,
                          const struct og_answer_piece *piece,
                          struct og_lookup *lookup,
                          const struct og_evidence *evidence, og_error *err)
{
    struct og_entry origin;
    og_span *last =
        a->answer.n_spans > 0 ? &a->spans[a->answer.n_spans - 1] : NULL;
    og_range range = source_range(p, piece->begin, piece->end);
    if (last != NULL && range.begin < last->end) range.begin = last->end;
    if (range.begin >= range.end) {
        if (last == NULL) return OG_OK;
        last->n_tokens += piece->end - piece->begin;
        last->n_matching += piece->n_matching;
        return OG_OK;
    }
    TRY(og_lookup_get(lookup, piece->doc, &origin, err));
    og_span *span = &a->spans[a->answer.n_spans++];
    *span = span_of(piece, range, &origin);
    if (piece->confirmed != NULL) add_matches(a, p, piece, evidence, span);
    return OG_OK;
}

/* Tokens begin .. end are fresh; `between` is the text between the spans around
 * them. */
static void add_novel(struct og_answering *a, const struct og_prepared *p,
                      size_t begin, size_t end, og_range between)
{
    if (begin >= end) return;
    og_range range = source_range(p, begin, end);
    if (range.begin < between.begin) range.begin = between.begin;
    if (range.end > between.end) range.end = between.end;
    if (range.begin < range.end) a->novel[a->answer.n_novel++] = range;
}

/* A copy whose span was joined to the one before it ends where that one ends,
 * so it is enough to compute its range in the text again. */
static void add_novels(struct og_answering *a, const struct og_prepared *p)
{
    size_t begin = 0;
    og_range between = {0, 0};
    for (size_t i = 0; i < a->n_pieces; i++) {
        const struct og_answer_piece *piece = &a->pieces[i];
        const og_range range = source_range(p, piece->begin, piece->end);
        between.end = range.begin;
        add_novel(a, p, begin, piece->begin, between);
        begin = piece->end;
        between.begin = range.end;
    }
    between.end = p->text.source_len;
    add_novel(a, p, begin, p->tokens.n, between);
}

static og_status add_dominant(og_answer *answer, struct og_labels *labels,
                              struct og_lookup *lookup, og_error *err)
{
    struct og_dominant dominant;
    struct og_entry origin;
    TRY(og_labels_dominant(labels, &dominant, err));
    answer->has_dominant = dominant.doc != OG_NO_DOC;
    if (!answer->has_dominant) return OG_OK;
    TRY(og_lookup_get(lookup, dominant.doc, &origin, err));
    answer->dominant_id = origin.id;
    answer->dominant_share = (double)dominant.n / (double)dominant.total;
    return OG_OK;
}

static og_status build(struct og_answering *a, const struct og_prepared *p,
                       struct og_labels *labels, struct og_lookup *lookup,
                       const struct og_evidence *evidence,
                       const struct og_filter *filter, og_error *err)
{
    og_answer *answer = &a->answer;
    uint64_t n_old = 0;
    TRY(og_labels_join(&p->selection, labels, &a->copies, err));
    struct og_confirming *c = evidence != NULL ? evidence->confirming : NULL;
    if (c != NULL) TRY(og_confirm_rest(c, &a->copies, p->tokens.n, err));
    TRY(make_pieces(a, c != NULL ? &c->rest : &a->copies, c, err));
    if (filter != NULL)
        TRY(drop_pieces(a, p, c != NULL ? c->runs : NULL, filter, err));
    const size_t n = a->n_pieces;
    if (!OG_GROW(a->allocator, a->spans, a->spans_cap, n) ||
        !OG_GROW(a->allocator, a->novel, a->novel_cap, n + 1))
        return og_error_memory(err, n * sizeof(*a->spans), "an answer");
    for (size_t i = 0; i < n; i++) {
        TRY(add_span(a, p, &a->pieces[i], lookup, evidence, err));
        n_old += a->pieces[i].end - a->pieces[i].begin;
        answer->n_matching += a->pieces[i].n_matching;
    }
    add_novels(a, p);
    answer->spans = a->spans;
    answer->novel = a->novel;
    answer->n_tokens = p->tokens.n;
    answer->n_fresh = p->tokens.n - n_old;
    answer->n_repaired = p->text.n_repaired;
    return add_dominant(answer, labels, lookup, err);
}

og_status og_answering_build(struct og_answering *a,
                             const struct og_prepared *prepared,
                             struct og_labels *labels, struct og_lookup *lookup,
                             const struct og_evidence *evidence,
                             const struct og_filter *filter, og_error *err)
{
    a->answer = (og_answer){0};
    const og_status status =
        build(a, prepared, labels, lookup, evidence, filter, err);
    if (status != OG_OK) a->answer = (og_answer){0};
    return status;
}

/* ---- copies ---- */

/* Sets the pointer to a copy of n elements of what it points to. */
#define KEEP(arena, pointer, n)                                                \
    (((pointer) = og_arena_copy((arena), (pointer), (n) * sizeof(*(pointer)),  \
                                _Alignof(uint64_t))) != NULL)

static bool keep_bytes(struct og_arena *arena, og_bytes *bytes)
{
    return KEEP(arena, bytes->data, bytes->len);
}

static bool keep_span(struct og_arena *arena, og_span *span)
{
    return keep_bytes(arena, &span->origin_id) &&
           KEEP(arena, span->matches, span->n_matches);
}

static bool keep_copiers(struct og_arena *arena, og_origin *origin)
{
    if (!KEEP(arena, origin->copiers, origin->n_copiers)) return false;
    og_copier *copiers = (og_copier *)origin->copiers;
    for (size_t i = 0; i < origin->n_copiers; i++)
        if (!keep_bytes(arena, &copiers[i].id)) return false;
    return true;
}

static bool keep_origin(struct og_arena *arena, og_origin *origin)
{
    return keep_bytes(arena, &origin->id) &&
           keep_bytes(arena, &origin->title) &&
           keep_bytes(arena, &origin->url) &&
           keep_bytes(arena, &origin->text) &&
           keep_bytes(arena, &origin->extra) && keep_copiers(arena, origin);
}

bool og_answer_keep(const og_answer *answer, struct og_arena *arena,
                    og_answer *out)
{
    *out = *answer;
    if (!KEEP(arena, out->spans, out->n_spans) ||
        !KEEP(arena, out->novel, out->n_novel) ||
        !KEEP(arena, out->origins, out->n_origins) ||
        !keep_bytes(arena, &out->dominant_id) ||
        !keep_bytes(arena, &out->best_id))
        return false;
    og_span *spans = (og_span *)out->spans;
    for (size_t i = 0; i < out->n_spans; i++)
        if (!keep_span(arena, &spans[i])) return false;
    og_origin *origins = (og_origin *)out->origins;
    for (size_t i = 0; i < out->n_origins; i++)
        if (!keep_origin(arena, &origins[i])) return false;
    return true;
}
