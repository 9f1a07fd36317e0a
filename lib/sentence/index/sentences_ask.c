/* Answers: the sentences of a document, what each takes up, and from where.
 *
 * A form that is found may occur in a million documents. The places of a form
 * are sorted by time in every image, so the earliest of all are among the
 * first of each, and only as many are looked at as are reported. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/c_locale.h"
#include "lib/base/stopping.h"
#include "lib/os/pages.h"
#include "lib/sentence/index/sentences.h"

/* Places of one form that are looked at, in order to count those that are no
 * answer: of the document itself, or of one that was removed. */
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

static og_status check_options(const struct og_sentences *s,
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

/* What is asked, and of which documents. */
struct quote_question {
    const og_document *doc;
    const og_quote_options *options;
    const struct og_quote_scope *scope; /* NULL: all but those of its id */
    bool is_known;                      /* without a scope: its id is here */
};

static const struct og_sentence_segment_document *
document_of(const struct og_sentences *s, uint32_t image, uint32_t sentence,
            const struct og_sentence_segment_sentence **out_sentence)
{
    const bool in_heap = image == s->n_images;
    const struct og_sentence_segment_sentence *all =
        in_heap ? s->heap.sentences : s->image[image].sentences;
    const struct og_sentence_segment_document *documents =
        in_heap ? s->heap.documents : s->image[image].documents;
    *out_sentence = &all[sentence];
    return &documents[all[sentence].document];
}

/* Id and title of a document that this index keeps itself. */
static const char *names_of(const struct og_sentences *s, uint32_t image,
                            const struct og_sentence_segment_document *d)
{
    return (image == s->n_images ? s->heap.names : s->image[image].names) +
           d->name_off;
}

static bool comes_before(const struct og_found_place *a,
                         const struct og_found_place *b)
{
    if (a->time != b->time) return a->time < b->time;
    if (a->image != b->image) return a->image < b->image;
    return a->sentence < b->sentence;
}

/* Keeps the `most` earliest, in order. False: it comes after all of them, and
 * so would what follows it. */
static bool report_place(struct og_sentences *s, size_t most,
                         const struct og_found_place *place)
{
    size_t i = s->n_reported;
    if (i == most) {
        if (most == 0 || !comes_before(place, &s->reported[most - 1]))
            return false;
        i--;
    } else {
        s->n_reported++;
    }
    for (; i > 0 && comes_before(place, &s->reported[i - 1]); i--)
        s->reported[i] = s->reported[i - 1];
    s->reported[i] = *place;
    return true;
}

static bool is_reported(const struct og_sentences *s, uint32_t image,
                        uint32_t sentence, const struct quote_question *q)
{
    const struct og_sentence_segment_sentence *ignored;
    const struct og_sentence_segment_document *d =
        document_of(s, image, sentence, &ignored);
    if (q->scope != NULL)
        return q->scope->is_reported == NULL ||
               q->scope->is_reported(q->scope->ctx, d->number);
    return !q->is_known || d->id_len != q->doc->id.len ||
           memcmp(names_of(s, image, d), q->doc->id.data, d->id_len) != 0;
}

/* Whether the document of a sentence comes before the end of the scope. */
static bool is_before(const struct og_sentences *s, uint32_t image,
                      uint32_t sentence, const struct quote_question *q,
                      int64_t *out_time)
{
    const struct og_sentence_segment_sentence *ignored;
    const struct og_sentence_segment_document *d =
        document_of(s, image, sentence, &ignored);
    const struct og_quote_scope *scope = q->scope;
    *out_time = d->time;
    if (scope == NULL || !scope->has_end) return true;
    return d->time < scope->time ||
           (d->time == scope->time && d->number < scope->number);
}

/* The places of a form are in the order of time: those before the end of the
 * scope are the first of them. */
static uint32_t n_before(const struct og_sentences *s, uint32_t image,
                         const uint32_t *places, uint32_t n,
                         const struct quote_question *q)
{
    uint32_t low = 0, high = n;
    int64_t ignored;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_before(s, image, places[middle], q, &ignored))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The places of a form of an image. Returns how many are an answer; of those
 * beyond the first ones that is taken for granted. */
static uint64_t report_form(struct og_sentences *s, size_t found,
                            const struct quote_question *q)
{
    const struct og_found_form *f = &s->found[found];
    const struct og_sentence_segment *m = &s->image[f->image];
    const uint32_t *places = m->places + m->place_starts[f->form];
    const uint32_t n =
        n_before(s, f->image, places,
                 m->place_starts[f->form + 1] - m->place_starts[f->form], q);
    const bool looks =
        q->scope != NULL ? q->scope->is_reported != NULL : q->is_known;
    uint64_t n_others = 0;
    bool is_open = true;
    for (uint32_t i = 0; i < n; i++) {
        struct og_found_place place = {
            .image = f->image, .sentence = places[i], .found = found};
        if (!is_open && (!looks || i >= OWN_LOOKED_AT)) break;
        (void)is_before(s, f->image, places[i], q, &place.time);
        if (!is_reported(s, f->image, places[i], q))
            n_others++;
        else if (is_open)
            is_open = report_place(s, q->options->max_matches, &place);
    }
    return n - n_others;
}

/* Those of the heap, found[first] and all that follow; a form of the heap does
 * not know its places, so all sentences are gone through once. */
static og_status report_heap_forms(struct og_sentences *s, size_t first,
                                   const struct quote_question *q,
                                   uint64_t *out, og_error *err)
{
    const uint32_t image = (uint32_t)s->n_images;
    if (first == s->n_found) return OG_OK;
    if (!OG_GROW(s->allocator, s->heap_found, s->heap_found_cap,
                 s->heap.n_forms))
        return og_error_memory(err, s->heap.n_forms * 8, "matches");
    memset(s->heap_found, 0, s->heap.n_forms * sizeof(*s->heap_found));
    for (size_t i = first; i < s->n_found; i++)
        s->heap_found[s->found[i].form] = i + 1;
    for (size_t i = 0; i < s->heap.n_sentences; i++) {
        const size_t found = s->heap_found[s->heap.sentences[i].form];
        struct og_found_place place = {
            .image = image, .sentence = (uint32_t)i, .found = found - 1};
        if (found == 0 || !is_before(s, image, (uint32_t)i, q, &place.time) ||
            !is_reported(s, image, (uint32_t)i, q))
            continue;
        report_place(s, q->options->max_matches, &place);
        ++*out;
    }
    return OG_OK;
}

/* ---- matches ---- */

static bool has_word(const struct og_question *q, uint64_t word)
{
    size_t low = 0, high = q->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (q->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < q->n && q->words[low] == word;
}

static og_status add_range(struct og_sentences *s, size_t first, uint64_t begin,
                           uint64_t end, og_error *err)
{
    og_range *last = s->n_ranges > first ? &s->ranges[s->n_ranges - 1] : NULL;
    if (last != NULL && begin <= last->end) {
        if (end > last->end) last->end = end;
        return OG_OK;
    }
    if (!OG_GROW(s->allocator, s->ranges, s->ranges_cap, s->n_ranges + 1))
        return og_error_memory(err, sizeof(*s->ranges), "ranges");
    s->ranges[s->n_ranges++] = (og_range){begin, end};
    return OG_OK;
}

/* Words that both have, in the text of the match and in the question. Pointers
 * are set when nothing grows any more; until then `shared` and `own` contain
 * places. */
static og_status mark_words(struct og_sentences *s, size_t sentence,
                            og_bytes text, og_quote_match *match, og_error *err)
{
    const struct og_word_reader *own = &s->reader;
    const struct og_word_reader *other = &s->match_reader;
    const struct og_read_sentence *q = &own->sentences[sentence];
    TRY(og_word_reader_read_one(&s->match_reader, text, err));
    size_t first = s->n_ranges;
    for (size_t i = 0; i < other->n_places; i++)
        if (has_word(&s->question, other->places[i].word))
            TRY(add_range(s, first, other->places[i].begin,
                          other->places[i].end, err));
    match->n_shared_ranges = s->n_ranges - first;
    first = s->n_ranges;
    for (size_t i = 0; i < q->n_places; i++) {
        const struct og_word_place *p = &own->places[q->first_place + i];
        if (bsearch(&p->word, other->words, other->n_words, sizeof(uint64_t),
                    og_compare_words) != NULL)
            TRY(add_range(s, first, p->begin, p->end, err));
    }
    match->n_own_ranges = s->n_ranges - first;
    return OG_OK;
}

/* How many words of the question the text of the match has. The index keeps
 * half of the hash of a word; the texts have all of it. */
static uint32_t n_read(const struct og_sentences *s)
{
    const struct og_word_reader *other = &s->match_reader;
    uint32_t n = 0;
    for (size_t i = 0; i < s->question.n; i++)
        n += bsearch(&s->question.words[i], other->words, other->n_words,
                     sizeof(uint64_t), og_compare_words) != NULL;
    return n;
}

static og_status copy_bytes(struct og_sentences *s, og_bytes bytes,
                            og_error *err)
{
    if (!OG_GROW(s->allocator, s->texts, s->texts_cap,
                 s->texts_len + bytes.len + 1))
        return og_error_memory(err, bytes.len, "a sentence");
    if (bytes.len != 0) memcpy(s->texts + s->texts_len, bytes.data, bytes.len);
    s->texts_len += bytes.len;
    return OG_OK;
}

/* Id, title and sentence, one after the other, of a document in the store. */
static og_status copy_stored(struct og_sentences *s,
                             const struct og_sentence_segment_document *d,
                             const struct og_sentence_segment_sentence *where,
                             og_quote_match *match, og_error *err)
{
    og_document doc;
    TRY(s->store.document(s->store.ctx, d->number, &doc, err));
    if (where->begin > doc.text.len || where->len > doc.text.len - where->begin)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is damaged: document %u has another text",
                            s->folder, d->number);
    if (match->has_time) match->time_source = doc.time_source;
    match->id.len = doc.id.len;
    match->title.len = doc.title.len;
    TRY(copy_bytes(s, doc.id, err));
    TRY(copy_bytes(s, doc.title, err));
    return copy_bytes(s, (og_bytes){doc.text.data + where->begin, where->len},
                      err);
}

/* The same of a document that is kept here. */
static og_status copy_own(struct og_sentences *s, uint32_t image,
                          const struct og_sentence_segment_document *d,
                          const struct og_sentence_segment_sentence *where,
                          og_quote_match *match, og_error *err)
{
    const uint64_t off = d->text_off + where->begin;
    match->id.len = d->id_len;
    match->title.len = d->title_len;
    TRY(copy_bytes(
        s, (og_bytes){names_of(s, image, d), d->id_len + d->title_len}, err));
    if (image == s->n_images)
        return copy_bytes(s, (og_bytes){s->heap.texts + off, where->len}, err);
    if (!OG_GROW(s->allocator, s->texts, s->texts_cap,
                 s->texts_len + where->len + 1))
        return og_error_memory(err, where->len, "a sentence");
    TRY(og_sentence_segment_text(&s->image[image], &s->cache, off, where->len,
                                 s->texts + s->texts_len, err));
    s->texts_len += where->len;
    return OG_OK;
}

static og_status add_match(struct og_sentences *s, size_t sentence,
                           const struct og_found_place *place, og_error *err)
{
    const struct og_sentence_segment_sentence *where;
    const struct og_sentence_segment_document *d =
        document_of(s, place->image, place->sentence, &where);
    const struct og_found_form *form = &s->found[place->found];
    if (!OG_GROW(s->allocator, s->matches, s->matches_cap, s->n_matches + 1))
        return og_error_memory(err, sizeof(*s->matches), "matches");
    og_quote_match *m = &s->matches[s->n_matches];
    const size_t n_ranges = s->n_ranges, texts_len = s->texts_len;
    *m = (og_quote_match){
        .time = d->time,
        .has_time = d->has_time != 0,
        .begin = where->begin,
        .end = (uint64_t)where->begin + where->len,
        .text = {NULL, where->len},
        .similarity = form->similarity,
        .n_shared = form->n_shared,
    };
    if (s->folder != NULL)
        TRY(copy_stored(s, d, where, m, err));
    else
        TRY(copy_own(s, place->image, d, where, m, err));
    const og_bytes text = {s->texts + s->texts_len - where->len, where->len};
    TRY(mark_words(s, sentence, text, m, err));
    if (n_read(s) < form->n_shared) { /* equal by their keys alone */
        s->n_ranges = n_ranges;
        s->texts_len = texts_len;
        s->quotes[sentence].n_found--;
        return OG_OK;
    }
    s->n_matches++;
    s->quotes[sentence].n_matches++;
    return OG_OK;
}

/* ---- one sentence ---- */

static og_status ask_sentence(struct og_sentences *s, size_t sentence,
                              const struct quote_question *question,
                              og_error *err)
{
    const og_quote_options *options = question->options;
    const struct og_read_sentence *r = &s->reader.sentences[sentence];
    og_quote *q = &s->quotes[sentence];
    *q = (og_quote){.begin = r->begin, .end = r->end, .n_words = r->n_words};
    if (r->n_words < options->min_words || r->n_words == 0) return OG_OK;
    TRY(og_sentences_find(s, s->reader.words + r->first_word, r->n_words,
                          options, err));
    q->n_skipped = s->list.n_skipped;
    s->n_reported = 0;
    if (!OG_GROW(s->allocator, s->reported, s->reported_cap,
                 (size_t)options->max_matches + 1))
        return og_error_memory(err, options->max_matches, "matches");
    size_t i = 0;
    for (; i < s->n_found && s->found[i].image != s->n_images; i++)
        q->n_found += report_form(s, i, question);
    TRY(report_heap_forms(s, i, question, &q->n_found, err));
    for (i = 0; i < s->n_reported; i++)
        TRY(add_match(s, sentence, &s->reported[i], err));
    return OG_OK;
}

/* ---- the whole ---- */

/* Now that the arrays stay where they are. */
static void set_pointers(struct og_sentences *s)
{
    const og_range *range = s->ranges;
    const char *text = s->texts;
    og_quote_match *match = s->matches;
    for (size_t i = 0; i < s->reader.n; i++) {
        s->quotes[i].matches = match;
        for (size_t k = 0; k < s->quotes[i].n_matches; k++, match++) {
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

static void sum_up(struct og_sentences *s)
{
    og_quotes *a = &s->answer;
    *a = (og_quotes){.sentences = s->quotes,
                     .n_sentences = s->reader.n,
                     .n_cut = s->reader.splitter.n_cut,
                     .n_repaired = s->reader.n_repaired};
    for (size_t i = 0; i < s->reader.n; i++) {
        const og_quote *q = &s->quotes[i];
        a->n_words += q->n_words;
        a->n_skipped += q->n_skipped;
        a->n_reused += q->n_found != 0;
        if (q->n_found != 0) a->n_reused_words += q->n_words;
    }
}

/* What questions looked at in files stays within the memory that was given.
 * An answer points into none of them. */
static void forget_files(og_sentences *s)
{
    enum { DOCUMENTS_BETWEEN = 16 };
    if (s->folder == NULL || ++s->n_asked % DOCUMENTS_BETWEEN != 0 ||
        og_mapped_resident() <= s->memory)
        return;
    for (size_t i = 0; i < s->n_images; i++)
        og_sentence_segment_forget(&s->image[i]);
}

og_status og_sentences_ask(og_sentences *s, const og_document *doc,
                           const og_quote_options *options,
                           const struct og_quote_scope *scope,
                           const og_quotes **out, og_error *err)
{
    const og_quote_options standard = og_quote_options_default();
    if (options == NULL) options = &standard;
    *out = NULL;
    s->n_matches = s->n_ranges = s->texts_len = 0;
    TRY(check_options(s, options, err));
    TRY(og_word_reader_read(&s->reader, doc->text, err));
    if (!OG_GROW(s->allocator, s->quotes, s->quotes_cap, s->reader.n + 1))
        return og_error_memory(err, s->reader.n * sizeof(*s->quotes),
                               "an answer");
    const struct quote_question question = {
        .doc = doc,
        .options = options,
        .scope = scope,
        .is_known = scope == NULL && og_sentences_has(s, doc->id)};
    for (size_t i = 0; i < s->reader.n; i++) {
        TRY(og_stop_check(err));
        TRY(ask_sentence(s, i, &question, err));
    }
    set_pointers(s);
    sum_up(s);
    forget_files(s);
    *out = &s->answer;
    return OG_OK;
}

/* ---- what qSign does here ---- */

/* How far signatures are searched, and why so far. */
static void explain_distance(const og_sentences *s,
                             const og_quote_options *options, int d,
                             double false_rate, char *out, size_t out_cap)
{
    if (options->distance >= 0)
        og_text_format(out, out_cap, "as given");
    else if (options->recall > 0 && d < 0)
        og_text_format(out, out_cap,
                       "not known yet: the exact method answers until it has "
                       "found %d forms, %llu so far",
                       OG_RECALL_SAMPLE, (unsigned long long)s->sample.n);
    else if (options->recall > 0)
        og_text_format(out, out_cap,
                       "for a recall of %g: of %llu forms that the exact "
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
        (unsigned long long)info->n_forms, (unsigned long long)info->n_words,
        words, m, l, og_signature_word_bits(m, (double)info->n_words, words),
        options->threshold, n, words, k, d < 0 ? 0 : d, why, recall, false_rate,
        both, false_rate, unrelated, unrelated * (double)info->n_forms);
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
