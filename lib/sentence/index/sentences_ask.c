/* Answers: the sentences of a document, what each takes up, and from where.
 *
 * A form that is found may stand in a million documents. The places of a form
 * are sorted by time in every image, so the earliest of all are among the
 * first of each, and only as many are looked at as are told. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sentence/index/sentences.h"

/* Places of one form that are looked at for those of the document itself,
 * which are no answer. */
enum { OWN_LOOKED_AT = 4096 };

const char *og_quote_method_name(og_quote_method method)
{
    static const char *const names[] = {"exact", "qsign", "scan"};
    return names[method];
}

og_quote_options og_quote_options_default(void)
{
    return (og_quote_options){.threshold = 0.5,
                              .min_words = 4,
                              .max_matches = 10,
                              .max_candidates = 1000000,
                              .distance = -1,
                              .max_false = 0.05};
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
    return OG_OK;
}

/* ---- places ---- */

static const struct og_sentence_segment_document *
document_of(const struct og_sentences *s, uint32_t image, uint32_t sentence,
            const struct og_sentence_segment_sentence **out_sentence,
            og_bytes *out_names)
{
    const bool in_heap = image == s->n_images;
    const struct og_sentence_segment_sentence *all =
        in_heap ? s->heap.sentences : s->image[image].sentences;
    *out_sentence = &all[sentence];
    const struct og_sentence_segment_document *documents =
        in_heap ? s->heap.documents : s->image[image].documents;
    const struct og_sentence_segment_document *d =
        &documents[all[sentence].document];
    *out_names = (og_bytes){(in_heap ? s->heap.names : s->image[image].names) +
                                d->name_off,
                            d->id_len + d->title_len};
    return d;
}

static bool comes_before(const struct og_found_place *a,
                         const struct og_found_place *b)
{
    if (a->time != b->time) return a->time < b->time;
    if (a->image != b->image) return a->image < b->image;
    return a->sentence < b->sentence;
}

/* Keeps the `most` earliest, in order. False: it comes behind all of them, and
 * so would what follows it. */
static bool tell_place(struct og_sentences *s, size_t most,
                       const struct og_found_place *place)
{
    size_t i = s->n_told;
    if (i == most) {
        if (most == 0 || !comes_before(place, &s->told[most - 1])) return false;
        i--;
    } else {
        s->n_told++;
    }
    for (; i > 0 && comes_before(place, &s->told[i - 1]); i--)
        s->told[i] = s->told[i - 1];
    s->told[i] = *place;
    return true;
}

static bool is_own(const struct og_sentences *s, uint32_t image,
                   uint32_t sentence, og_bytes id, int64_t *out_time)
{
    const struct og_sentence_segment_sentence *ignored;
    og_bytes names;
    const struct og_sentence_segment_document *d =
        document_of(s, image, sentence, &ignored, &names);
    *out_time = d->time;
    return d->id_len == id.len && memcmp(names.data, id.data, id.len) == 0;
}

/* The places of a form of an image, which are in order of time. Returns how
 * many there are without those of the document itself. */
static uint64_t tell_form(struct og_sentences *s, size_t found, size_t most,
                          og_bytes id, bool is_known)
{
    const struct og_found_form *f = &s->found[found];
    const struct og_sentence_segment *m = &s->image[f->image];
    const uint32_t start = m->place_starts[f->form];
    const uint32_t n = m->place_starts[f->form + 1] - start;
    uint64_t n_own = 0;
    bool is_open = true;
    for (uint32_t i = 0; i < n; i++) {
        struct og_found_place place = {.image = f->image,
                                       .sentence = m->places[start + i],
                                       .found = found};
        if (!is_open && (!is_known || i >= OWN_LOOKED_AT)) break;
        if (is_own(s, f->image, place.sentence, id, &place.time))
            n_own++;
        else if (is_open)
            is_open = tell_place(s, most, &place);
    }
    return n - n_own;
}

static uint64_t tell_heap_form(struct og_sentences *s, size_t found,
                               size_t most, og_bytes id)
{
    const struct og_found_form *f = &s->found[found];
    uint64_t n = 0;
    for (size_t i = 0; i < s->heap.n_sentences; i++) {
        struct og_found_place place = {
            .image = f->image, .sentence = (uint32_t)i, .found = found};
        if (s->heap.sentences[i].form != f->form) continue;
        if (is_own(s, f->image, place.sentence, id, &place.time)) continue;
        tell_place(s, most, &place);
        n++;
    }
    return n;
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
 * are set when nothing grows any more; until then `shared` and `own` hold
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

static og_status copy_text(struct og_sentences *s, uint32_t image, uint64_t off,
                           size_t len, og_error *err)
{
    if (!OG_GROW(s->allocator, s->texts, s->texts_cap, s->texts_len + len + 1))
        return og_error_memory(err, len, "a sentence");
    char *out = s->texts + s->texts_len;
    if (image == s->n_images)
        memcpy(out, s->heap.texts + off, len);
    else
        TRY(og_sentence_segment_text(&s->image[image], &s->cache, off, len, out,
                                     err));
    s->texts_len += len;
    return OG_OK;
}

static og_status add_match(struct og_sentences *s, size_t sentence,
                           const struct og_found_place *place, og_error *err)
{
    const struct og_sentence_segment_sentence *where;
    og_bytes names;
    const struct og_sentence_segment_document *d =
        document_of(s, place->image, place->sentence, &where, &names);
    const struct og_found_form *form = &s->found[place->found];
    if (!OG_GROW(s->allocator, s->matches, s->matches_cap, s->n_matches + 1))
        return og_error_memory(err, sizeof(*s->matches), "matches");
    const size_t text = s->texts_len;
    TRY(copy_text(s, place->image, d->text_off + where->begin, where->len,
                  err));
    og_quote_match *m = &s->matches[s->n_matches];
    *m = (og_quote_match){
        .id = {names.data, d->id_len},
        .title = {names.data + d->id_len, d->title_len},
        .time = d->time,
        .has_time = d->has_time != 0,
        .begin = where->begin,
        .end = (uint64_t)where->begin + where->len,
        .text = {NULL, where->len},
        .similarity = form->similarity,
        .n_shared = form->n_shared,
    };
    TRY(mark_words(s, sentence, (og_bytes){s->texts + text, where->len}, m,
                   err));
    s->n_matches++;
    return OG_OK;
}

/* ---- one sentence ---- */

static og_status ask_sentence(struct og_sentences *s, size_t sentence,
                              og_bytes id, bool is_known,
                              const og_quote_options *options, og_error *err)
{
    const struct og_read_sentence *r = &s->reader.sentences[sentence];
    og_quote *q = &s->quotes[sentence];
    *q = (og_quote){.begin = r->begin, .end = r->end, .n_words = r->n_words};
    if (r->n_words < options->min_words || r->n_words == 0) return OG_OK;
    TRY(og_sentences_find(s, s->reader.words + r->first_word, r->n_words,
                          options, err));
    q->n_skipped = s->list.n_skipped;
    s->n_told = 0;
    if (!OG_GROW(s->allocator, s->told, s->told_cap,
                 (size_t)options->max_matches + 1))
        return og_error_memory(err, options->max_matches, "matches");
    for (size_t i = 0; i < s->n_found; i++)
        q->n_found += s->found[i].image == s->n_images
                          ? tell_heap_form(s, i, options->max_matches, id)
                          : tell_form(s, i, options->max_matches, id, is_known);
    for (size_t i = 0; i < s->n_told; i++)
        TRY(add_match(s, sentence, &s->told[i], err));
    q->n_matches = s->n_told;
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
            match->text.data = text;
            text += match->text.len;
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

og_status og_sentences_ask(og_sentences *s, const og_document *doc,
                           const og_quote_options *options,
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
    const bool is_known = og_sentences_has(s, doc->id);
    for (size_t i = 0; i < s->reader.n; i++)
        TRY(ask_sentence(s, i, doc->id, is_known, options, err));
    set_pointers(s);
    sum_up(s);
    *out = &s->answer;
    return OG_OK;
}

/* ---- what qSign does here ---- */

void og_sentences_explain(const og_sentences *s,
                          const og_quote_options *options, char *out,
                          size_t out_cap)
{
    og_sentences_info info;
    og_sentences_info_get(s, &info);
    const uint32_t m = info.signature_bits, l = info.word_bits;
    if (m == 0) {
        snprintf(out, out_cap, "no signatures are kept; the method is exact\n");
        return;
    }
    const double words = info.mean_words;
    const double k = floor(words * (1 - sqrt(options->threshold)));
    const double n = words - k;
    const int d = og_sentences_distance(s, (size_t)(words + 0.5), options);
    const double recall =
        og_max_bit_diff(m, og_bit_switch(m, l, n, k, 0), (uint32_t)d);
    const double false_rate =
        og_max_bit_diff(m, og_bit_switch(m, l, n, k + 1, 0), (uint32_t)d);
    const double unrelated =
        og_max_bit_diff(m, og_bit_switch(m, l, 0, words, words), (uint32_t)d);
    snprintf(
        out, out_cap,
        "sentences   %llu, %llu different sets of words, %llu words, %.1f "
        "words each\n"
        "m           %u bits of a signature\n"
        "l           %u bits a word; for this dictionary and length %u\n"
        "threshold   %g\n"
        "n           %.1f words that a sentence of %.1f shares at the "
        "threshold\n"
        "k           %.0f words that it does not\n"
        "d           %d bits of difference are searched%s\n"
        "recall      %.4f predicted, of sentences with k other words\n"
        "false       %.4f predicted, of sentences with k + 1 other words\n"
        "unrelated   %.3g predicted, of sentences without a common word: %.1f "
        "of these here\n",
        (unsigned long long)info.n_sentences, (unsigned long long)info.n_forms,
        (unsigned long long)info.n_words, words, m, l,
        og_signature_word_bits(m, (double)info.n_words, words),
        options->threshold, n, words, k, d,
        options->distance >= 0 ? ", as told" : "", recall, false_rate,
        unrelated, unrelated * (double)info.n_forms);
}
