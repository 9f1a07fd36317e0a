/* Answers: the sentences of a document, and the matches of each.
 *
 * A wordset that is found may occur in a million documents. The places of a
 * wordset are sorted by time in every segment, so the earliest of all are among
 * the first of each, and only as many are examined as are reported. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/c_locale.h"
#include "lib/base/stopping.h"
#include "lib/os/pages.h"
#include "lib/sentence/index/sentences.h"

/* Places of one wordset that are examined in order to subtract those that are
 * not reported: of the document itself, or of one that was removed. */
enum { OWN_LOOKED_AT = 4096 };

og_quote_options og_quote_options_default(void)
{
    return (og_quote_options){.threshold = 0.5,
                              .min_words = 4,
                              .max_matches = 10,
                              .max_candidates = 1000000,
                              .distance = -1,
                              .max_false = 0.05,
                              .max_compared = 2048};
}

og_status og_quote_options_check(const struct og_sentences *s,
                                 const og_quote_options *o, og_error *err)
{
    if (!(o->threshold > 0) || o->threshold > 1)
        return og_error_set(err, OG_ERR_USAGE,
                            "the threshold is more than 0 and at most 1, not "
                            "%g",
                            o->threshold);
    if (o->method == OG_QUOTE_QSIGN && s->manifest.signature_bits == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the sentences were kept without signatures, so "
                            "the method is exact");
    if (!(o->recall >= 0) || o->recall > 1)
        return og_error_set(err, OG_ERR_USAGE, "the recall is 0 to 1, not %g",
                            o->recall);
    return OG_OK;
}

/* ---- places ---- */

/* What is searched for, and among which documents. */
struct quote_question {
    const og_document *doc;
    const og_quote_options *options;
    const struct og_quote_scope *scope; /* NULL: all but those of its id */
    bool is_known;                      /* without a scope: its id is in the
                                           index */
};

static const struct og_sentence_segment_document *
document_of(const struct og_quote_asker *a, uint32_t segment, uint32_t sentence,
            const struct og_sentence_segment_sentence **out_sentence)
{
    const bool in_memtable = segment == a->s->n_segments;
    const struct og_sentence_segment_sentence *all =
        in_memtable ? a->s->memtable.sentences
                    : a->s->segment[segment].sentences;
    const struct og_sentence_segment_document *documents =
        in_memtable ? a->s->memtable.documents
                    : a->s->segment[segment].documents;
    *out_sentence = &all[sentence];
    return &documents[all[sentence].document];
}

/* Id and title of a document that this index keeps itself. */
static const char *names_of(const struct og_quote_asker *a, uint32_t segment,
                            const struct og_sentence_segment_document *d)
{
    return (segment == a->s->n_segments ? a->s->memtable.names
                                        : a->s->segment[segment].names) +
           d->name_off;
}

static bool comes_before(const struct og_found_place *a,
                         const struct og_found_place *b)
{
    if (a->time != b->time) return a->time < b->time;
    if (a->segment != b->segment) return a->segment < b->segment;
    return a->sentence < b->sentence;
}

/* Keeps the `most` earliest, in order. False: it comes after all of them, and
 * so would the following ones. */
static bool report_place(struct og_quote_asker *a, size_t most,
                         const struct og_found_place *place)
{
    size_t i = a->n_reported;
    if (i == most) {
        if (most == 0 || !comes_before(place, &a->reported[most - 1]))
            return false;
        i--;
    } else {
        a->n_reported++;
    }
    for (; i > 0 && comes_before(place, &a->reported[i - 1]); i--)
        a->reported[i] = a->reported[i - 1];
    a->reported[i] = *place;
    return true;
}

static bool is_reported(const struct og_quote_asker *a, uint32_t segment,
                        uint32_t sentence, const struct quote_question *q)
{
    const struct og_sentence_segment_sentence *ignored;
    const struct og_sentence_segment_document *d =
        document_of(a, segment, sentence, &ignored);
    if (q->scope != NULL)
        return q->scope->is_reported == NULL ||
               q->scope->is_reported(q->scope->ctx, d->number);
    return !q->is_known || d->id_len != q->doc->id.len ||
           memcmp(names_of(a, segment, d), q->doc->id.data, d->id_len) != 0;
}

/* Whether the document of a sentence precedes the end of the scope. */
static bool is_before(const struct og_quote_asker *a, uint32_t segment,
                      uint32_t sentence, const struct quote_question *q,
                      int64_t *out_time)
{
    const struct og_sentence_segment_sentence *ignored;
    const struct og_sentence_segment_document *d =
        document_of(a, segment, sentence, &ignored);
    const struct og_quote_scope *scope = q->scope;
    *out_time = d->time;
    if (scope == NULL || !scope->has_end) return true;
    return d->time < scope->time ||
           (d->time == scope->time && d->number < scope->number);
}

/* Whether all documents of a segment precede the end of the scope, as they do
 * while documents arrive in order of time: then it need not be searched for in
 * each wordset. */
static bool is_before_all(const struct og_sentence_segment *m,
                          const struct og_quote_scope *scope)
{
    if (scope == NULL || !scope->has_end || m->totals.n_documents == 0)
        return true;
    return m->totals.latest < scope->time ||
           (m->totals.latest == scope->time &&
            m->documents[m->totals.n_documents - 1].number < scope->number);
}

/* The places of a wordset are in order of time: those before the end of the
 * scope come first. */
static uint32_t n_before(const struct og_quote_asker *a, uint32_t segment,
                         const uint32_t *places, uint32_t n,
                         const struct quote_question *q)
{
    uint32_t low = 0, high = n;
    int64_t ignored;
    if (is_before_all(&a->s->segment[segment], q->scope)) return n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_before(a, segment, places[middle], q, &ignored))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first place of a wordset and its document are random places in memory:
 * they are prefetched, each with the address that the previous prefetch
 * provides. */
static void expect_places(const struct og_quote_asker *a, size_t found,
                          size_t end)
{
    enum { PLACES_AHEAD = 24, SENTENCES_AHEAD = 16, DOCUMENTS_AHEAD = 8 };
    const struct og_found_wordset *f = &a->found[found];
    const struct og_sentence_segment *m = &a->s->segment[f->segment];
    if (end - found <= PLACES_AHEAD || f[PLACES_AHEAD].segment != f->segment)
        return;
    const uint32_t *starts = m->place_starts;
    __builtin_prefetch(m->places + starts[f[PLACES_AHEAD].wordset]);
    __builtin_prefetch(m->sentences +
                       m->places[starts[f[SENTENCES_AHEAD].wordset]]);
    const uint32_t place = m->places[starts[f[DOCUMENTS_AHEAD].wordset]];
    __builtin_prefetch(m->documents + m->sentences[place].document);
}

/* The places of a wordset of a segment. Returns how many may be reported;
 * beyond the first ones that is assumed. */
static uint64_t report_wordset(struct og_quote_asker *a, size_t found,
                               const struct quote_question *q)
{
    const struct og_found_wordset *f = &a->found[found];
    const struct og_sentence_segment *m = &a->s->segment[f->segment];
    const uint32_t *places = m->places + m->place_starts[f->wordset];
    const uint32_t n = n_before(
        a, f->segment, places,
        m->place_starts[f->wordset + 1] - m->place_starts[f->wordset], q);
    const bool looks =
        q->scope != NULL ? q->scope->is_reported != NULL : q->is_known;
    uint64_t n_others = 0;
    bool is_open = true;
    for (uint32_t i = 0; i < n; i++) {
        struct og_found_place place = {
            .segment = f->segment, .sentence = places[i], .found = found};
        if (!is_open && (!looks || i >= OWN_LOOKED_AT)) break;
        (void)is_before(a, f->segment, places[i], q, &place.time);
        if (!is_reported(a, f->segment, places[i], q))
            n_others++;
        else if (is_open)
            is_open = report_place(a, q->options->max_matches, &place);
    }
    return n - n_others;
}

/* Those of the memtable, found[first] and all that follow; a wordset of the
 * memtable does not know its places, so all sentences are scanned once. */
static og_status report_memtable_wordsets(struct og_quote_asker *a,
                                          size_t first,
                                          const struct quote_question *q,
                                          uint64_t *out, og_error *err)
{
    const uint32_t segment = (uint32_t)a->s->n_segments;
    if (first == a->n_found) return OG_OK;
    if (!OG_GROW(a->s->allocator, a->memtable_found, a->memtable_found_cap,
                 a->at.n_memtable_wordsets))
        return og_error_memory(err, a->at.n_memtable_wordsets * 8, "matches");
    memset(a->memtable_found, 0,
           a->at.n_memtable_wordsets * sizeof(*a->memtable_found));
    for (size_t i = first; i < a->n_found; i++)
        a->memtable_found[a->found[i].wordset] = i + 1;
    for (size_t i = 0; i < a->at.n_memtable_sentences; i++) {
        const size_t found =
            a->memtable_found[a->s->memtable.sentences[i].wordset];
        struct og_found_place place = {
            .segment = segment, .sentence = (uint32_t)i, .found = found - 1};
        if (found == 0 || !is_before(a, segment, (uint32_t)i, q, &place.time) ||
            !is_reported(a, segment, (uint32_t)i, q))
            continue;
        report_place(a, q->options->max_matches, &place);
        ++*out;
    }
    return OG_OK;
}

/* ---- matches ---- */

/* A word among ascending ones. */
static bool has_word(const uint64_t *words, size_t n, uint64_t word)
{
    return n != 0 && bsearch(&word, words, n, sizeof(word), og_compare_words);
}

static bool is_asked(const struct og_question *q, uint64_t word)
{
    return q->factor != 0 ? og_question_find(q, word) != 0
                          : has_word(q->words, q->n, word);
}

/* The words of the query that the text of a match has, as it was read: bit i
 * for word i + 1, if the query has a table. The index keeps half of a word's
 * hash; the texts have all of it. */
static uint64_t words_in_match(const struct og_quote_asker *a)
{
    const struct og_word_reader *other = &a->match_reader;
    uint64_t here = 0;
    if (a->question.factor == 0) return 0;
    for (size_t i = 0; i < other->n_words; i++)
        here |= (uint64_t)1 << og_question_find(&a->question, other->words[i]);
    return here >> 1;
}

static bool is_in_match(const struct og_quote_asker *a, uint64_t here,
                        uint64_t word)
{
    const struct og_word_reader *other = &a->match_reader;
    if (a->question.factor == 0)
        return has_word(other->words, other->n_words, word);
    const unsigned at = og_question_find(&a->question, word);
    return at != 0 && (here >> (at - 1) & 1) != 0;
}

static og_status add_range(struct og_quote_asker *a, size_t first,
                           uint64_t begin, uint64_t end, og_error *err)
{
    og_range *last = a->n_ranges > first ? &a->ranges[a->n_ranges - 1] : NULL;
    if (last != NULL && begin <= last->end) {
        if (end > last->end) last->end = end;
        return OG_OK;
    }
    if (!OG_GROW(a->s->allocator, a->ranges, a->ranges_cap, a->n_ranges + 1))
        return og_error_memory(err, sizeof(*a->ranges), "ranges");
    a->ranges[a->n_ranges++] = (og_range){begin, end};
    return OG_OK;
}

/* The words that both share, in the text of the match and in the queried
 * document. Pointers are set once the arrays no longer grow; until then
 * `shared` and `own` hold indices. */
static og_status mark_words(struct og_quote_asker *a, size_t sentence,
                            og_bytes text, og_quote_match *match, og_error *err)
{
    const struct og_words_read *own = &a->read;
    const struct og_word_reader *other = &a->match_reader;
    const struct og_read_sentence *q = &own->sentences[sentence];
    TRY(og_word_reader_read_one(&a->match_reader, text, err));
    const uint64_t here = words_in_match(a);
    size_t first = a->n_ranges;
    for (size_t i = 0; i < other->n_places; i++)
        if (is_asked(&a->question, other->places[i].word))
            TRY(add_range(a, first, other->places[i].begin,
                          other->places[i].end, err));
    match->n_shared_ranges = a->n_ranges - first;
    first = a->n_ranges;
    for (size_t i = 0; i < q->n_places; i++) {
        const struct og_word_place *p = &own->places[q->first_place + i];
        if (is_in_match(a, here, p->word))
            TRY(add_range(a, first, p->begin, p->end, err));
    }
    match->n_own_ranges = a->n_ranges - first;
    return OG_OK;
}

/* How many words of the query the text of the match contains. */
static uint32_t n_read(const struct og_quote_asker *a)
{
    const struct og_word_reader *other = &a->match_reader;
    uint32_t n = 0;
    if (a->question.factor != 0)
        return (uint32_t)__builtin_popcountll(words_in_match(a));
    for (size_t i = 0; i < a->question.n; i++)
        n += has_word(other->words, other->n_words, a->question.words[i]);
    return n;
}

static og_status copy_bytes(struct og_quote_asker *a, og_bytes bytes,
                            og_error *err)
{
    if (!OG_GROW(a->s->allocator, a->texts, a->texts_cap,
                 a->texts_len + bytes.len + 1))
        return og_error_memory(err, bytes.len, "a sentence");
    if (bytes.len != 0) memcpy(a->texts + a->texts_len, bytes.data, bytes.len);
    a->texts_len += bytes.len;
    return OG_OK;
}

/* Id, title and sentence, concatenated, of a document in the store. */
static og_status copy_stored(struct og_quote_asker *a,
                             const struct og_sentence_segment_document *d,
                             const struct og_sentence_segment_sentence *where,
                             og_quote_match *match, og_error *err)
{
    og_document doc;
    TRY(a->document(a->document_ctx, d->number, &doc, err));
    if (where->begin > doc.text.len || where->len > doc.text.len - where->begin)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is damaged: document %u has another text",
                            a->s->folder, d->number);
    if (match->has_time) match->time_source = doc.time_source;
    match->id.len = doc.id.len;
    match->title.len = doc.title.len;
    TRY(copy_bytes(a, doc.id, err));
    TRY(copy_bytes(a, doc.title, err));
    return copy_bytes(a, (og_bytes){doc.text.data + where->begin, where->len},
                      err);
}

/* The same for a document that is kept here. */
static og_status copy_own(struct og_quote_asker *a, uint32_t segment,
                          const struct og_sentence_segment_document *d,
                          const struct og_sentence_segment_sentence *where,
                          og_quote_match *match, og_error *err)
{
    const uint64_t off = d->text_off + where->begin;
    match->id.len = d->id_len;
    match->title.len = d->title_len;
    TRY(copy_bytes(
        a, (og_bytes){names_of(a, segment, d), d->id_len + d->title_len}, err));
    if (segment == a->s->n_segments)
        return copy_bytes(a, (og_bytes){a->s->memtable.texts + off, where->len},
                          err);
    if (!OG_GROW(a->s->allocator, a->texts, a->texts_cap,
                 a->texts_len + where->len + 1))
        return og_error_memory(err, where->len, "a sentence");
    TRY(og_sentence_segment_text(&a->s->segment[segment], &a->cache, off,
                                 where->len, a->texts + a->texts_len, err));
    a->texts_len += where->len;
    return OG_OK;
}

static og_status add_match(struct og_quote_asker *a, size_t sentence,
                           const struct og_found_place *place, og_error *err)
{
    const struct og_sentence_segment_sentence *where;
    const struct og_sentence_segment_document *d =
        document_of(a, place->segment, place->sentence, &where);
    const struct og_found_wordset *wordset = &a->found[place->found];
    if (!OG_GROW(a->s->allocator, a->matches, a->matches_cap, a->n_matches + 1))
        return og_error_memory(err, sizeof(*a->matches), "matches");
    og_quote_match *m = &a->matches[a->n_matches];
    const size_t n_ranges = a->n_ranges, texts_len = a->texts_len;
    *m = (og_quote_match){
        .time = d->time,
        .has_time = d->has_time != 0,
        .begin = where->begin,
        .end = (uint64_t)where->begin + where->len,
        .text = {NULL, where->len},
        .similarity = wordset->similarity,
        .n_shared = wordset->n_shared,
    };
    if (a->s->folder != NULL)
        TRY(copy_stored(a, d, where, m, err));
    else
        TRY(copy_own(a, place->segment, d, where, m, err));
    const og_bytes text = {a->texts + a->texts_len - where->len, where->len};
    TRY(mark_words(a, sentence, text, m, err));
    if (n_read(a) < wordset->n_shared) { /* equal only by their keys */
        a->n_ranges = n_ranges;
        a->texts_len = texts_len;
        a->quotes[sentence].n_found--;
        return OG_OK;
    }
    a->n_matches++;
    a->quotes[sentence].n_matches++;
    return OG_OK;
}

/* ---- one sentence ---- */

static og_status ask_sentence(struct og_quote_asker *a, size_t sentence,
                              const struct quote_question *question,
                              og_error *err)
{
    const og_quote_options *options = question->options;
    const struct og_read_sentence *r = &a->read.sentences[sentence];
    og_quote *q = &a->quotes[sentence];
    *q = (og_quote){.begin = r->begin, .end = r->end, .n_words = r->n_words};
    if (r->n_words < options->min_words || r->n_words == 0) return OG_OK;
    TRY(og_quote_find(a, a->read.words + r->first_word, r->n_words, options,
                      err));
    q->n_skipped = a->list.n_skipped;
    a->n_reported = 0;
    if (!OG_GROW(a->s->allocator, a->reported, a->reported_cap,
                 (size_t)options->max_matches + 1))
        return og_error_memory(err, options->max_matches, "matches");
    size_t i = 0;
    for (; i < a->n_found && a->found[i].segment != a->s->n_segments; i++) {
        expect_places(a, i, a->n_found);
        q->n_found += report_wordset(a, i, question);
    }
    TRY(report_memtable_wordsets(a, i, question, &q->n_found, err));
    for (i = 0; i < a->n_reported; i++)
        TRY(add_match(a, sentence, &a->reported[i], err));
    return OG_OK;
}

/* ---- the whole ---- */

/* Now that the arrays no longer move. */
static void set_pointers(og_quote *quotes, size_t n, og_quote_match *match,
                         const og_range *range, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        quotes[i].matches = match;
        for (size_t k = 0; k < quotes[i].n_matches; k++, match++) {
            match->shared = range;
            match->own = range + match->n_shared_ranges;
            range += match->n_shared_ranges + match->n_own_ranges;
            match->id.data = text;
            match->title.data = match->id.data + match->id.len;
            match->text.data = match->title.data + match->title.len;
            text = match->text.data + match->text.len;
        }
    }
}

og_status og_quote_keep(const struct og_quote_asker *a, struct og_arena *arena,
                        const og_quotes **out, og_error *err)
{
    enum { ALIGN = _Alignof(uint64_t) };
    const size_t n = a->read.n;
    og_quote *quotes =
        og_arena_copy(arena, a->quotes, n * sizeof(*quotes), ALIGN);
    og_quote_match *matches = og_arena_copy(
        arena, a->matches, a->n_matches * sizeof(*matches), ALIGN);
    const og_range *ranges =
        og_arena_copy(arena, a->ranges, a->n_ranges * sizeof(*ranges), ALIGN);
    const char *texts = og_arena_copy(arena, a->texts, a->texts_len, 1);
    og_quotes *kept =
        og_arena_copy(arena, &a->answer, sizeof(a->answer), ALIGN);
    if (quotes == NULL || matches == NULL || ranges == NULL || texts == NULL ||
        kept == NULL)
        return og_error_memory(err, a->texts_len, "an answer");
    kept->sentences = quotes;
    set_pointers(quotes, n, matches, ranges, texts);
    *out = kept;
    return OG_OK;
}

static void sum_up(struct og_quote_asker *a)
{
    og_quotes *sum = &a->answer;
    *sum = (og_quotes){.sentences = a->quotes,
                       .n_sentences = a->read.n,
                       .n_cut = a->read.n_cut,
                       .n_repaired = a->read.n_repaired};
    for (size_t i = 0; i < a->read.n; i++) {
        const og_quote *q = &a->quotes[i];
        sum->n_words += q->n_words;
        sum->n_skipped += q->n_skipped;
        sum->n_reused += q->n_found != 0;
        if (q->n_found != 0) sum->n_reused_words += q->n_words;
    }
}

/* Keeps the file pages that queries read within the memory limit. An answer
 * points into none of them. */
static void forget_files(struct og_quote_asker *a)
{
    enum { DOCUMENTS_BETWEEN = 16 };
    if (a->s->folder == NULL ||
        atomic_fetch_add(&a->s->n_asked, 1) % DOCUMENTS_BETWEEN != 0 ||
        og_mapped_resident() <= a->s->memory)
        return;
    for (size_t i = 0; i < a->s->n_segments; i++)
        og_sentence_segment_forget(&a->s->segment[i]);
}

/* ---- queries ---- */

og_status og_quote_asker_init(struct og_quote_asker *a, struct og_sentences *s,
                              og_error *err)
{
    const struct og_sentence_manifest *m = &s->manifest;
    const char *stop = m->stop[0] != '\0' ? m->stop : NULL;
    const char *stem = m->stem[0] != '\0' ? m->stem : NULL;
    a->s = s;
    a->list.allocator = s->allocator;
    a->reader.allocator = a->match_reader.allocator = s->allocator;
    a->document = s->store.document;
    a->document_ctx = s->store.ctx;
    og_question_init(&a->question, s->allocator);
    og_text_cache_init(&a->cache, s->allocator);
    TRY(og_word_reader_init(&a->reader, stop, stem, s->allocator, err));
    return og_word_reader_init(&a->match_reader, stop, stem, s->allocator, err);
}

void og_quote_asker_release(struct og_quote_asker *a)
{
    if (a->s == NULL) return;
    const og_allocator *allocator = a->s->allocator;
    og_word_reader_release(&a->reader);
    og_word_reader_release(&a->match_reader);
    og_question_release(&a->question);
    og_text_cache_release(&a->cache);
    OG_UNGROW(allocator, a->places, a->places_cap);
    OG_UNGROW(allocator, a->list.wordsets, a->list.cap);
    OG_UNGROW(allocator, a->found, a->found_cap);
    OG_UNGROW(allocator, a->reported, a->reported_cap);
    OG_UNGROW(allocator, a->memtable_found, a->memtable_found_cap);
    OG_UNGROW(allocator, a->quotes, a->quotes_cap);
    OG_UNGROW(allocator, a->matches, a->matches_cap);
    OG_UNGROW(allocator, a->ranges, a->ranges_cap);
    OG_UNGROW(allocator, a->texts, a->texts_cap);
}

/* ---- the whole query ---- */

og_status og_quote_ask(struct og_quote_asker *a, const og_document *doc,
                       const struct og_words_read *read,
                       const struct og_quote_mark *at,
                       const uint64_t *memtable_df,
                       const og_quote_options *options,
                       const struct og_quote_scope *scope,
                       const og_quotes **out, og_error *err)
{
    a->n_matches = a->n_ranges = a->texts_len = 0;
    a->read = *read;
    a->at = *at;
    a->memtable_df = memtable_df;
    /* The segments have been replaced. */
    if (a->n_merges != a->s->n_merges) a->cache.segment = NULL;
    a->n_merges = a->s->n_merges;
    if (!OG_GROW(a->s->allocator, a->quotes, a->quotes_cap, a->read.n + 1))
        return og_error_memory(err, a->read.n * sizeof(*a->quotes),
                               "an answer");
    const struct quote_question question = {
        .doc = doc,
        .options = options,
        .scope = scope,
        .is_known = scope == NULL && og_sentences_has(a->s, doc->id)};
    for (size_t i = 0; i < a->read.n; i++) {
        TRY(og_stop_check(err));
        TRY(ask_sentence(a, i, &question, err));
    }
    set_pointers(a->quotes, a->read.n, a->matches, a->ranges, a->texts);
    sum_up(a);
    forget_files(a);
    *out = &a->answer;
    return OG_OK;
}

struct og_quote_mark og_sentences_mark(const struct og_sentences *s)
{
    return (struct og_quote_mark){.n_sentences = s->n_sentences,
                                  .n_memtable_wordsets = s->memtable.n_wordsets,
                                  .n_memtable_sentences =
                                      s->memtable.n_sentences};
}

bool og_quote_has_to_sample(const og_quote_options *o)
{
    return o->method == OG_QUOTE_QSIGN && o->recall > 0 && o->distance < 0;
}

og_status og_quote_ask_now(struct og_quote_asker *a, const og_document *doc,
                           const og_quote_options *options,
                           const struct og_quote_scope *scope,
                           const og_quotes **out, og_error *err)
{
    const struct og_quote_mark now = og_sentences_mark(a->s);
    *out = NULL;
    TRY(og_quote_options_check(a->s, options, err));
    TRY(og_sentences_count(a->s, err));
    TRY(og_word_reader_read(&a->reader, doc->text, err));
    const struct og_words_read read = og_word_reader_view(&a->reader);
    return og_quote_ask(a, doc, &read, &now, NULL, options, scope, out, err);
}

og_status og_sentences_ask(og_sentences *s, const og_document *doc,
                           const og_quote_options *options,
                           const struct og_quote_scope *scope,
                           const og_quotes **out, og_error *err)
{
    const og_quote_options standard = og_quote_options_default();
    return og_quote_ask_now(&s->own, doc, options != NULL ? options : &standard,
                            scope, out, err);
}

/* ---- qSign for this index ---- */

/* How far signatures are searched, and why. */
static void explain_distance(const og_sentences *s,
                             const og_quote_options *options, int d,
                             double false_rate, char *out, size_t out_cap)
{
    if (options->distance >= 0)
        og_text_format(out, out_cap, "as given");
    else if (options->recall > 0 && d < 0)
        og_text_format(out, out_cap,
                       "not known yet: the exact method answers until it has "
                       "found %d sets of words, %llu so far",
                       OG_RECALL_SAMPLE, (unsigned long long)s->sample.n);
    else if (options->recall > 0)
        og_text_format(out, out_cap,
                       "for a recall of %g: of %llu sets of words that the "
                       "exact "
                       "method found %.4f are within it",
                       options->recall, (unsigned long long)s->sample.n,
                       og_recall_sample_share(&s->sample, d));
    else if (false_rate > options->max_false)
        og_text_format(out, out_cap,
                       "the least there is; the bound of %g on false positives "
                       "is exceeded",
                       options->max_false);
    else
        og_text_format(out, out_cap, "the most within the bound of %g",
                       options->max_false);
}

/* Sentences at the threshold have between k and k + 1 other words. */
static void explain_prediction(const og_sentences *s,
                               const og_sentences_info *info,
                               const og_quote_options *options, char *out,
                               size_t out_cap)
{
    const uint32_t m = info->signature_bits, l = info->word_bits;
    const double words = info->mean_words;
    const double k = floor(words * (1 - sqrt(options->threshold)));
    const double n = words - k;
    const int d = og_sentences_distance(s, (size_t)(words + 0.5), options);
    const uint32_t within = d < 0 ? m : (uint32_t)d;
    const double recall =
        og_max_bit_diff(m, og_bit_switch(m, l, n, k, 0), within);
    const double false_rate =
        og_max_bit_diff(m, og_bit_switch(m, l, n, k + 1, 0), within);
    const double both =
        og_max_bit_diff(m, og_bit_switch(m, l, n, k + 1, k + 1), within);
    const double unrelated =
        og_max_bit_diff(m, og_bit_switch(m, l, 0, words, words), within);
    char why[256];
    explain_distance(s, options, d, false_rate, why, sizeof(why));
    og_text_format(
        out, out_cap,
        "sentences   %llu, %llu different sets of words, %llu words, %.1f "
        "words each\n"
        "m           %u bits of a signature\n"
        "l           %u bits a word; for this dictionary and length %u\n"
        "threshold   %g\n"
        "n           %.1f words that a sentence of %.1f shares at the "
        "threshold\n"
        "k           %.0f words that it does not\n"
        "d           %d bits of difference are searched, %s\n"
        "recall      %.4f predicted, of sentences with k other words; %.4f of "
        "k + 1\n"
        "            (the false ones below); %.4f when both have k + 1\n"
        "false       %.4f predicted, of sentences with k + 1 other words\n"
        "unrelated   %.3g predicted, of sentences without a common word: %.1f "
        "of these here\n"
        "assumed     all words weigh the same, sentences have the mean length, "
        "bits are\n"
        "            drawn alone. Rare words weigh more: sentences that are "
        "alike may\n"
        "            have more other words than k, and fewer are found\n",
        (unsigned long long)info->n_sentences,
        (unsigned long long)info->n_wordsets, (unsigned long long)info->n_words,
        words, m, l, og_signature_word_bits(m, (double)info->n_words, words),
        options->threshold, n, words, k, d < 0 ? 0 : d, why, recall, false_rate,
        both, false_rate, unrelated, unrelated * (double)info->n_wordsets);
}

void og_sentences_explain(const og_sentences *s,
                          const og_quote_options *options, char *out,
                          size_t out_cap)
{
    og_sentences_info info;
    og_sentences_info_get(s, &info);
    if (info.signature_bits == 0) {
        snprintf(out, out_cap, "no signatures are kept; the method is exact\n");
        return;
    }
    explain_prediction(s, &info, options, out, out_cap);
}
