/* A document with reused sentences as the script of a page receives it:
 *
 *     {"id":"...","title":"...","time":"...","units":12,"copied":3,"covered":3,
 *      "text":"...",
 *      "passages":[{"s":1,"b":0,"e":41,"n":1,"c":1,"l":8,"score":0.93,
 *                   "found":3,"m":[[0,12],[20,41]],
 *                   "alts":[[1,0.93,4,49,7,[0,12,8,17],"So the ..."]]}],
 *      "sources":[{"id":"...","title":"...","time":"...","n":3,"c":3,"doc":5}]}
 *
 * The format is that of copied passages (html_data.c), with these differences:
 * a passage is a sentence, and its units are sentences. `l` is its number of
 * words. `m` are the ranges that the earliest source shares. `alts` are all its
 * sources, the earliest first: number of the source, similarity, begin and end
 * in bytes of that document, shared words, their positions in the sentence
 * (gap, length, gap, length, ... in UTF-16 units), and the sentence: omitted if
 * the page has the document itself, which keeps a page of five Bibles small. */

#include "lib/report/html/quote_data.h"
#include "lib/report/html/page_json.h"
#include "lib/report/units.h"

#include <stdlib.h>
#include <string.h>

struct source {
    const og_quote_match *match; /* one of its matches */
    uint64_t n_first;            /* sentences of which it is the earliest
                                    source */
    uint64_t n_any;              /* sentences that it has */
    uint32_t name, rank;
};

struct sentences {
    struct og_web_page *page;
    struct og_writer *w;
    const og_document *doc;
    const og_quotes *quotes;
    struct og_names names;  /* ids of the sources */
    struct source *sources; /* by name, then by rank */
    size_t cap;
    uint32_t *ranks; /* by name */
    size_t ranks_cap;
};

/* ---- sources ---- */

static og_status take_match(struct sentences *s, const og_quote_match *m,
                            bool is_first, og_error *err)
{
    uint32_t name = 0;
    const size_t n = s->names.n;
    TRY(og_names_add(&s->names, m->id, &name, err));
    if (!OG_GROW(NULL, s->sources, s->cap, s->names.n))
        return og_error_memory(err, sizeof(*s->sources), "sources");
    if (name == n) s->sources[name] = (struct source){.match = m, .name = name};
    s->sources[name].n_any++;
    s->sources[name].n_first += is_first;
    return OG_OK;
}

static int by_sentences(const void *pa, const void *pb)
{
    const struct source *a = pa, *b = pb;
    if (a->n_first != b->n_first) return a->n_first > b->n_first ? -1 : 1;
    if (a->n_any != b->n_any) return a->n_any > b->n_any ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static og_status gather(struct sentences *s, og_error *err)
{
    for (size_t i = 0; i < s->quotes->n_sentences; i++) {
        const og_quote *q = &s->quotes->sentences[i];
        for (size_t k = 0; k < q->n_matches; k++)
            TRY(take_match(s, &q->matches[k], k == 0, err));
    }
    if (s->names.n == 0) return OG_OK;
    if (!OG_GROW(NULL, s->ranks, s->ranks_cap, s->names.n))
        return og_error_memory(err, sizeof(*s->ranks), "sources");
    if (s->names.n > 1)
        qsort(s->sources, s->names.n, sizeof(*s->sources), by_sentences);
    for (size_t i = 0; i < s->names.n; i++)
        s->ranks[s->sources[i].name] = (uint32_t)i + 1;
    return OG_OK;
}

static uint32_t number_of(const struct sentences *s, og_bytes id)
{
    return s->ranks[og_names_find(&s->names, id)];
}

/* ---- sentences ---- */

/* Only spaces and punctuation between two ranges: they are one. */
static bool is_joined(og_bytes text, uint64_t from, uint64_t to)
{
    if (to < from || to > text.len || to - from > 4) return false;
    for (uint64_t i = from; i < to; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x80 || (c >= '0' && c <= '9') ||
            ((c | 32) >= 'a' && (c | 32) <= 'z'))
            return false;
    }
    return true;
}

/* The end of the run of ranges that begins at *i, which moves past it. */
static uint64_t join(og_bytes text, const og_range *ranges, size_t n, size_t *i)
{
    uint64_t end = ranges[(*i)++].end;
    while (*i < n && is_joined(text, end, ranges[*i].begin))
        end = ranges[(*i)++].end;
    return end;
}

/* The answer may come from elsewhere: never reads past the text. */
static bool is_sound(og_range r, uint64_t from, uint64_t len)
{
    return r.begin >= from && r.end >= r.begin && r.end <= len;
}

static void put_own(struct sentences *s, const og_quote_match *m,
                    struct og_units at)
{
    uint64_t from = 0;
    const char *comma = "";
    og_writer_string(s->w, ",\"m\":[");
    for (size_t i = 0; i < m->n_own_ranges;) {
        const og_range r = m->own[i];
        const uint64_t end = join(s->doc->text, m->own, m->n_own_ranges, &i);
        if (!is_sound((og_range){r.begin, end}, from, s->doc->text.len))
            continue;
        og_writer_string(s->w, comma);
        og_page_number(s->w, "[", og_units_at(&at, r.begin));
        og_page_number(s->w, ",", og_units_at(&at, end));
        og_writer_byte(s->w, ']');
        comma = ",";
        from = end;
    }
    og_writer_byte(s->w, ']');
}

static void put_shared(struct og_writer *w, const og_quote_match *m)
{
    struct og_units at = {m->text, OG_OFFSETS_UTF16, 0, 0};
    uint64_t from = 0, before = 0;
    const char *comma = "";
    og_writer_string(w, ",[");
    for (size_t i = 0; i < m->n_shared_ranges;) {
        const og_range r = m->shared[i];
        const uint64_t end = join(m->text, m->shared, m->n_shared_ranges, &i);
        if (!is_sound((og_range){r.begin, end}, from, m->text.len)) continue;
        const uint64_t a = og_units_at(&at, r.begin);
        const uint64_t b = og_units_at(&at, end);
        og_page_number(w, comma, a - before);
        og_page_number(w, ",", b - a);
        comma = ",";
        before = b;
        from = end;
    }
    og_writer_byte(w, ']');
}

static void put_match(struct sentences *s, const og_quote_match *m)
{
    struct og_writer *w = s->w;
    uint64_t len = 0;
    og_page_number(w, "[", number_of(s, m->id));
    og_writer_byte(w, ',');
    og_writer_share(w, m->similarity);
    og_page_number(w, ",", m->begin);
    og_page_number(w, ",", m->end);
    og_page_number(w, ",", m->n_shared);
    put_shared(w, m);
    const bool is_here = og_web_page_find_id(s->page, m->id, &len) != 0 &&
                         m->end <= len && m->begin <= m->end &&
                         m->end - m->begin == m->text.len;
    if (!is_here) {
        og_writer_byte(w, ',');
        og_escape_script(w, m->text);
    }
    og_writer_byte(w, ']');
}

static void put_sentence(struct sentences *s, const og_quote *q,
                         struct og_units *at, bool is_first)
{
    struct og_writer *w = s->w;
    og_page_number(
        w, is_first ? "{\"s\":" : ",{\"s\":", number_of(s, q->matches[0].id));
    og_page_number(w, ",\"b\":", og_units_at(at, q->begin));
    const struct og_units begin = *at;
    og_page_number(w, ",\"e\":", og_units_at(at, q->end));
    og_page_number(w, ",\"n\":1,\"c\":1,\"l\":", q->n_words);
    og_writer_string(w, ",\"score\":");
    og_writer_share(w, q->matches[0].similarity);
    if (q->n_found > q->n_matches) og_page_number(w, ",\"found\":", q->n_found);
    put_own(s, &q->matches[0], begin);
    og_writer_string(w, ",\"alts\":[");
    for (size_t i = 0; i < q->n_matches; i++) {
        if (i != 0) og_writer_byte(w, ',');
        put_match(s, &q->matches[i]);
    }
    og_writer_string(w, "]}");
}

static void put_sentences(struct sentences *s)
{
    struct og_units at = {s->doc->text, OG_OFFSETS_UTF16, 0, 0};
    bool is_first = true;
    og_writer_string(s->w, ",\"passages\":[");
    for (size_t i = 0; i < s->quotes->n_sentences; i++) {
        const og_quote *q = &s->quotes->sentences[i];
        if (q->n_matches == 0) continue;
        put_sentence(s, q, &at, is_first);
        is_first = false;
    }
    og_writer_byte(s->w, ']');
}

/* ---- the document and its row ---- */

static void put_sources(struct sentences *s)
{
    struct og_writer *w = s->w;
    og_writer_string(w, ",\"sources\":[");
    for (size_t i = 0; i < s->names.n; i++) {
        const struct source *source = &s->sources[i];
        const og_quote_match *m = source->match;
        uint64_t len = 0;
        og_page_number(w, i == 0 ? "{\"n\":" : ",{\"n\":", source->n_first);
        og_page_number(w, ",\"c\":", source->n_first);
        og_page_number(w, ",\"any\":", source->n_any);
        og_page_text(w, ",\"id\":", m->id);
        og_page_text(w, ",\"title\":", m->title);
        og_page_time(w, m->has_time, m->time);
        const uint64_t number = og_web_page_find_id(s->page, m->id, &len);
        if (number != 0) og_page_number(w, ",\"doc\":", number);
        og_writer_byte(w, '}');
    }
    og_writer_byte(w, ']');
}

static void put_document(struct sentences *s)
{
    struct og_writer *w = s->w;
    const og_document *doc = s->doc;
    const og_quotes *quotes = s->quotes;
    og_page_number(w, "{\"units\":", quotes->n_sentences);
    og_page_number(w, ",\"copied\":", quotes->n_reused);
    og_page_number(w, ",\"covered\":", quotes->n_reused);
    og_page_text(w, ",\"id\":", doc->id);
    og_page_text(w, ",\"title\":", doc->title);
    og_page_text(w, ",\"url\":", doc->url);
    og_page_time(w, doc->has_time, doc->time);
    if (quotes->n_repaired != 0)
        og_page_number(w, ",\"repaired\":", quotes->n_repaired);
    if (quotes->n_skipped != 0)
        og_page_number(w, ",\"skipped\":", quotes->n_skipped);
    og_writer_string(w, ",\"text\":");
    og_escape_script(w, doc->text);
    put_sentences(s);
    put_sources(s);
    og_writer_byte(w, '}');
}

static void put_row(const struct sentences *s)
{
    const og_quotes *quotes = s->quotes;
    const struct og_web_page_row row = {.doc = s->doc,
                                        .n_units = quotes->n_sentences,
                                        .n_copied = quotes->n_reused,
                                        .n_covered = quotes->n_reused,
                                        .n_passages = quotes->n_reused,
                                        .n_sources = s->names.n};
    og_web_page_row_begin(s->page, &row);
    for (size_t i = 0; i < s->names.n; i++) {
        const struct source *source = &s->sources[i];
        const og_quote_match *m = source->match;
        const struct og_web_page_row_source one = {.id = m->id,
                                                   .title = m->title,
                                                   .time = m->time,
                                                   .has_time = m->has_time,
                                                   .n_copied = source->n_first,
                                                   .n_covered = source->n_first,
                                                   .n_passages =
                                                       source->n_first};
        og_web_page_row_source(s->page, &one);
    }
}

og_status og_quote_data(struct og_web_page *page, struct og_writer *w,
                        const og_document *doc, const og_quotes *quotes,
                        og_error *err)
{
    struct sentences s = {.page = page, .w = w, .doc = doc, .quotes = quotes};
    const og_status status = gather(&s, err);
    if (status == OG_OK) {
        put_document(&s);
        put_row(&s);
    }
    OG_UNGROW(NULL, s.sources, s.cap);
    OG_UNGROW(NULL, s.ranks, s.ranks_cap);
    og_names_release(&s.names);
    return status;
}
