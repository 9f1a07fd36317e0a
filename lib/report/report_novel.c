/* Only what is new in each document: the parts that no span covers, or the best
 * sentences of them.
 *
 *     {"origo":1,"id":"q7","n_tokens":512,"novel":0.41,
 *      "novel_spans":[{"begin":0,"end":119,"text":"..."}]}
 *
 * and "snippets" instead of "novel_spans". A sentence is new if nearly all of
 * it is. The best ones share words with the others: a word counts for each
 * other new sentence that contains it, unless a third of them do, which means
 * nothing ("the"); scores are independent of length. The output is in the order
 * of the text. */

#include "lib/report/report_novel.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/hash_table.h"
#include "lib/base/memory.h"
#include "lib/report/escape.h"
#include "lib/report/glyph.h"
#include "lib/report/units.h"
#include "lib/sentence/split/sentence_words.h"

enum {
    FEWEST_WORDS = 5, /* of a snippet, unless no sentence has as many */
    FEW = 9,          /* with fewer sentences a third means little */
};

/* ---- the best sentences ---- */

struct scored {
    og_range range;
    double score;
    size_t number; /* of the sentence */
};

struct choosing {
    struct og_word_reader reader;
    struct og_hash_table words; /* new sentences that have each of them */
    struct scored *list;
    size_t n, cap;
};

/* Bytes of a range that are new; *at advances past what precedes it. */
static uint64_t n_new_bytes(const og_answer *answer, og_range range, size_t *at)
{
    uint64_t n = 0;
    while (*at < answer->n_novel && answer->novel[*at].end <= range.begin)
        ++*at;
    for (size_t i = *at;
         i < answer->n_novel && answer->novel[i].begin < range.end; i++) {
        const og_range r = answer->novel[i];
        n += (r.end < range.end ? r.end : range.end) -
             (r.begin > range.begin ? r.begin : range.begin);
    }
    return n;
}

static og_status count_words(struct choosing *c,
                             const struct og_read_sentence *s, og_error *err)
{
    for (uint32_t i = 0; i < s->n_words; i++) {
        const uint64_t word = c->reader.words[s->first_word + i];
        if (!og_hash_table_reserve(&c->words))
            return og_error_memory(err, c->words.n, "words");
        struct og_hash_slot *slot = og_hash_table_next(&c->words, word, word);
        if (slot->number == 0)
            og_hash_table_put(&c->words, slot, word, 1);
        else
            slot->number++;
    }
    return OG_OK;
}

static og_status find_new(struct choosing *c, const og_answer *answer,
                          og_error *err)
{
    size_t at = 0;
    if (!OG_GROW(NULL, c->list, c->cap, c->reader.n))
        return og_error_memory(err, c->reader.n, "sentences");
    for (size_t i = 0; i < c->reader.n; i++) {
        const struct og_read_sentence *s = &c->reader.sentences[i];
        const og_range range = {s->begin, s->end};
        if (10 * n_new_bytes(answer, range, &at) <
            9 * (range.end - range.begin))
            continue;
        c->list[c->n++] = (struct scored){range, 0, i};
        TRY(count_words(c, s, err));
    }
    return OG_OK;
}

static double score_of(const struct choosing *c,
                       const struct og_read_sentence *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n_words; i++) {
        const uint64_t word = c->reader.words[s->first_word + i];
        const uint64_t n = og_hash_table_next(&c->words, word, word)->number;
        if (c->n < FEW || 3 * n < c->n) sum += (double)(n - 1);
    }
    if (s->n_words < FEWEST_WORDS) return -1 / (1.0 + s->n_words);
    return sum / sqrt((double)s->n_words);
}

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Leaves the best `most` in c->list. */
static og_status choose_best(struct choosing *c, const og_document *doc,
                             const og_answer *answer, size_t most,
                             og_error *err)
{
    TRY(og_word_reader_read(&c->reader, doc->text, err));
    TRY(find_new(c, answer, err));
    for (size_t i = 0; i < c->n; i++)
        c->list[i].score = score_of(c, &c->reader.sentences[c->list[i].number]);
    if (c->n > 1) qsort(c->list, c->n, sizeof(*c->list), by_score);
    if (c->n > most) c->n = most;
    if (c->n > 1) qsort(c->list, c->n, sizeof(*c->list), by_number);
    return OG_OK;
}

/* ---- all forms ---- */

void og_novel_release(struct og_novel *novel)
{
    OG_UNGROW(NULL, novel->list, novel->cap);
    novel->n = 0;
}

static og_status set_parts(struct og_novel *novel, size_t n, og_error *err)
{
    if (!OG_GROW(NULL, novel->list, novel->cap, n))
        return og_error_memory(err, n * sizeof(*novel->list), "what is new");
    novel->n = n;
    return OG_OK;
}

static og_status find_snippets(struct og_novel *novel, const og_document *doc,
                               const og_answer *answer, size_t most,
                               og_error *err)
{
    struct choosing c = {.n = 0};
    TRY(og_word_reader_init(&c.reader, NULL, NULL, NULL, err));
    og_hash_table_init(&c.words, NULL);
    og_status status = choose_best(&c, doc, answer, most, err);
    if (status == OG_OK) status = set_parts(novel, c.n, err);
    for (size_t i = 0; i < c.n && status == OG_OK; i++)
        novel->list[i] = c.list[i].range;
    OG_UNGROW(NULL, c.list, c.cap);
    og_hash_table_release(&c.words);
    og_word_reader_release(&c.reader);
    return status;
}

og_status og_novel_find(struct og_novel *novel, const og_document *doc,
                        const og_answer *answer,
                        const og_report_options *options, og_error *err)
{
    novel->n = 0;
    if (options->n_snippets > 0)
        return find_snippets(novel, doc, answer, options->n_snippets, err);
    TRY(set_parts(novel, answer->n_novel, err));
    for (size_t i = 0; i < answer->n_novel; i++)
        novel->list[i] = answer->novel[i];
    return OG_OK;
}

typedef void write_part_fn(struct og_writer *w, const og_document *doc,
                           og_range range, struct og_units *at, bool is_first);

static og_status write_parts(struct og_writer *w, const og_document *doc,
                             const og_answer *answer,
                             const og_report_options *options,
                             write_part_fn *write_part, og_error *err)
{
    struct og_units at = {doc->text, options->offsets, 0, 0};
    struct og_novel novel = {.n = 0};
    const og_status status = og_novel_find(&novel, doc, answer, options, err);
    for (size_t i = 0; i < novel.n && status == OG_OK; i++)
        write_part(w, doc, novel.list[i], &at, i == 0);
    og_novel_release(&novel);
    return status;
}

static og_bytes text_of(const og_document *doc, og_range range)
{
    return (og_bytes){doc->text.data + range.begin,
                      (size_t)(range.end - range.begin)};
}

/* ---- JSON ---- */

static void write_json_part(struct og_writer *w, const og_document *doc,
                            og_range range, struct og_units *at, bool is_first)
{
    if (!is_first) og_writer_byte(w, ',');
    og_writer_string(w, "{\"begin\":");
    og_writer_number(w, og_units_at(at, range.begin));
    og_writer_string(w, ",\"end\":");
    og_writer_number(w, og_units_at(at, range.end));
    og_writer_string(w, ",\"text\":");
    og_escape_json(w, text_of(doc, range));
    og_writer_byte(w, '}');
}

static og_status add_json(struct og_writer *w, const og_document *doc,
                          const og_answer *answer,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    (void)progress;
    og_writer_string(w, "{\"origo\":1,\"id\":");
    og_escape_json(w, doc->id);
    og_writer_string(w, ",\"n_tokens\":");
    og_writer_number(w, answer->n_tokens);
    og_writer_string(w, ",\"novel\":");
    og_writer_share(w, og_share(answer->n_fresh, answer->n_tokens));
    og_writer_string(w, options->n_snippets > 0 ? ",\"snippets\":["
                                                : ",\"novel_spans\":[");
    TRY(write_parts(w, doc, answer, options, write_json_part, err));
    og_writer_string(w, "]}\n");
    return OG_OK;
}

const struct og_report_form og_novel_as_json = {.add = add_json};

/* ---- text ---- */

/* White space becomes one space if it `flows`, otherwise it is kept. */
static void write_shown(struct og_writer *w, og_bytes text, bool flows)
{
    bool is_space = false;
    for (size_t i = 0; i < text.len;) {
        const struct og_glyph g = og_glyph_at(text.data + i, text.len - i);
        char shown[16];
        unsigned columns;
        if (g.valid && og_glyph_is_space(g.code_point)) {
            if (!flows)
                og_writer_bytes(w, text.data + i, g.len);
            else if (!is_space)
                og_writer_byte(w, ' ');
            is_space = true;
        } else {
            og_writer_bytes(w, shown,
                            og_glyph_show(text.data + i, g, shown, &columns));
            is_space = false;
        }
        i += g.len;
    }
}

static void write_text_part(struct og_writer *w, const og_document *doc,
                            og_range range, struct og_units *at, bool is_first)
{
    (void)at, (void)is_first;
    og_writer_byte(w, '\n');
    write_shown(w, text_of(doc, range), false);
    og_writer_byte(w, '\n');
}

static og_status add_text(struct og_writer *w, const og_document *doc,
                          const og_answer *answer,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    if (progress->number > 1) og_writer_byte(w, '\n');
    write_shown(w, doc->id, true);
    og_writer_string(w, ": ");
    og_writer_number(w, answer->n_fresh);
    og_writer_string(w, " of ");
    og_writer_number(w, answer->n_tokens);
    og_writer_string(w, " tokens are new\n");
    return write_parts(w, doc, answer, options, write_text_part, err);
}

const struct og_report_form og_novel_as_text = {.add = add_text};
