#include "lib/sentence/index/sentences_run.h"

#include <string.h>

#define NOT_ADDED UINT32_MAX

void og_quote_run_release(struct og_quote_run *r)
{
    OG_UNGROW(NULL, r->docs, r->docs_cap);
}

og_status og_quote_run_begin(struct og_quote_run *r, size_t n, og_error *err)
{
    if (!OG_GROW(NULL, r->docs, r->docs_cap, n))
        return og_error_memory(err, n * sizeof(*r->docs), "a run");
    if (n > 0) memset(r->docs, 0, n * sizeof(*r->docs));
    r->n = n;
    return OG_OK;
}

/* ---- words ---- */

#define KEEP(arena, pointer, n)                                                \
    (((pointer) = og_arena_copy((arena), (pointer), (n) * sizeof(*(pointer)),  \
                                _Alignof(uint64_t))) != NULL)

static og_status keep_words(const struct og_quote_run *r,
                            const struct og_quote_thread *t,
                            struct og_quote_run_doc *d, og_error *err)
{
    d->read = og_word_reader_view(&t->asker->reader);
    const bool is_asked = r->options != NULL;
    /* Places tell what matches share; counts are added in order. */
    if (!is_asked) d->read.n_places = 0;
    const uint64_t *df = d->read.words;
    if (!KEEP(t->arena, d->read.sentences, d->read.n) ||
        !KEEP(t->arena, d->read.words, d->read.n_words) ||
        !KEEP(t->arena, d->read.places, d->read.n_places) ||
        (is_asked && !KEEP(t->arena, df, d->read.n_words)))
        return og_error_memory(err, d->doc->text.len, "a document");
    d->memtable_df = is_asked ? (uint64_t *)df : NULL;
    return OG_OK;
}

static og_status read_words(void *ctx, void *worker, size_t i, og_error *err)
{
    struct og_quote_run *r = ctx;
    struct og_quote_run_doc *d = &r->docs[i];
    struct og_quote_thread t;
    TRY(r->thread_of(r->ctx, worker, i, &t, err));
    struct og_word_reader *reader = &t.asker->reader;
    og_status status = og_word_reader_read(reader, d->doc->text, err);
    if (status == OG_OK) status = keep_words(r, &t, d, err);
    og_word_reader_trim(reader);
    return status;
}

/* ---- in order ---- */

static og_status place_document(struct og_quote_run *r,
                                struct og_quote_run_doc *d, og_error *err)
{
    og_sentences *s = r->sentences;
    const bool is_asked = r->options != NULL;
    d->at = og_sentences_mark(s);
    for (size_t k = 0; is_asked && k < d->read.n_words; k++)
        d->memtable_df[k] = og_memtable_df(&s->memtable, d->read.words[k]);
    if (d->number == NOT_ADDED) return OG_OK;
    /* Before it is placed: then it is there as a whole or not at all. */
    if (is_asked) TRY(og_memtable_count_room(&s->memtable, &d->read, err));
    TRY(og_sentences_place(s, d->number, d->doc, d->time, &d->read, &d->first,
                           err));
    if (is_asked) og_memtable_count_placed(&s->memtable, &d->read);
    r->n_placed = (size_t)(d - r->docs) + 1;
    return OG_OK;
}

static og_status place_all(struct og_quote_run *r, og_error *err)
{
    og_sentences *s = r->sentences;
    TRY(og_sentences_reserve(s, r->options != NULL, err));
    if (r->options != NULL) TRY(og_sentences_count(s, err));
    for (size_t i = 0; i < r->n; i++)
        TRY(place_document(r, &r->docs[i], err));
    return OG_OK;
}

static og_status fill_document(void *ctx, void *worker, size_t i, og_error *err)
{
    struct og_quote_run *r = ctx;
    const struct og_quote_run_doc *d = &r->docs[i];
    (void)worker;
    (void)err;
    if (d->number != NOT_ADDED)
        og_memtable_fill(&r->sentences->memtable, d->first, &d->read);
    return OG_OK;
}

/* Documents placed before a failure are in the index. */
static og_status put_all(struct og_quote_run *r, og_error *err)
{
    r->n_placed = 0;
    const og_status status = place_all(r, err);
    const og_status filled =
        og_phases_step(r->phases, "words", r->n_placed, fill_document, r,
                       status == OG_OK ? err : NULL);
    return status != OG_OK ? status : filled;
}

/* ---- queries ---- */

static og_status ask_document(void *ctx, void *worker, size_t i, og_error *err)
{
    struct og_quote_run *r = ctx;
    struct og_quote_run_doc *d = &r->docs[i];
    struct og_quote_thread t;
    const og_quotes *answer;
    TRY(r->thread_of(r->ctx, worker, i, &t, err));
    TRY(og_quote_ask(t.asker, d->doc, &d->read, &d->at, d->memtable_df,
                     r->options, &t.scope, &answer, err));
    return og_quote_keep(t.asker, t.arena, &d->answer, err);
}

static og_status ask_in_order(void *ctx, void *worker, size_t piece,
                              og_error *err)
{
    const struct og_quote_run *r = ctx;
    (void)piece;
    for (size_t i = 0; i < r->n; i++)
        TRY(ask_document(ctx, worker, i, err));
    return OG_OK;
}

og_status og_quote_run_take(struct og_quote_run *r, og_sentences *s,
                            og_error *err)
{
    const struct og_phases *phases = r->phases;
    r->sentences = s;
    if (r->options != NULL) TRY(og_quote_options_check(s, r->options, err));
    TRY(og_phases_step(phases, "words", r->n, read_words, r, err));
    s->phases = phases;
    const og_status status = put_all(r, err);
    s->phases = &s->alone;
    TRY(status);
    if (r->options == NULL) return OG_OK;
    if (og_quote_has_to_sample(r->options))
        return og_phases_step(phases, "ask", 1, ask_in_order, r, err);
    return og_phases_step(phases, "ask", r->n, ask_document, r, err);
}
