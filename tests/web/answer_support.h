#ifndef WEB_ANSWER_SUPPORT_H
#define WEB_ANSWER_SUPPORT_H

/* An answer made by hand: begin() with a document, its origins and what was
 * copied of them, finish(), and forget() when it was reported.
 *
 * Passages are given by their first and last words on both sides. Which words
 * between are the same is worked out by the longest common subsequence: the
 * definition, good enough for a page of text. */

#include <origo/origo.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPANS = 8192, MOST_ORIGINS = 16, MOST_WORDS = 600 };

struct fixture {
    og_document doc;
    og_span spans[MOST_SPANS];
    og_origin origins[MOST_ORIGINS];
    og_range novel[MOST_SPANS + 1];
    og_answer answer;
};

static struct fixture f; /* one at a time */

static inline void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "web_fixture: %s\n", what);
    exit(1);
}

static inline og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, s == NULL ? 0 : strlen(s)};
}

static inline int64_t time_of(const char *date)
{
    int64_t time = 0;
    must(og_time_parse(bytes_of(date), &time), date);
    return time;
}

/* ---- words ---- */

struct word {
    size_t begin, end;
};

static inline bool is_word_byte(char c)
{
    return (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') ||
           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Words of bytes; every character of three bytes (here: CJK and Thai) is one
 * of its own. */
static inline size_t words_of(const char *s, size_t begin, size_t end,
                              struct word *out)
{
    size_t n = 0;
    for (size_t i = begin; i < end;) {
        if (!is_word_byte(s[i])) {
            i++;
            continue;
        }
        const size_t from = i;
        if (((unsigned char)s[i] & 0xf0) == 0xe0)
            i += 3;
        else
            while (i < end && is_word_byte(s[i]) &&
                   ((unsigned char)s[i] & 0xf0) != 0xe0)
                i++;
        must(n < MOST_WORDS, "too many words");
        out[n++] = (struct word){from, i};
    }
    return n;
}

static inline bool same_word(const char *a, struct word x, const char *b,
                             struct word y)
{
    return x.end - x.begin == y.end - y.begin &&
           memcmp(a + x.begin, b + y.begin, x.end - x.begin) == 0;
}

static uint16_t common[MOST_WORDS + 1][MOST_WORDS + 1];

static inline size_t match_words(const char *a, const struct word *x, size_t n,
                                 const char *b, const struct word *y, size_t m,
                                 og_match *out, size_t *out_words)
{
    for (size_t i = n + 1; i-- > 0;)
        for (size_t j = m + 1; j-- > 0;) {
            if (i == n || j == m)
                common[i][j] = 0;
            else if (same_word(a, x[i], b, y[j]))
                common[i][j] = (uint16_t)(common[i + 1][j + 1] + 1);
            else
                common[i][j] = common[i + 1][j] > common[i][j + 1]
                                   ? common[i + 1][j]
                                   : common[i][j + 1];
        }
    size_t n_matches = 0, i = 0, j = 0;
    bool joined = false;
    *out_words = common[0][0];
    while (i < n && j < m) {
        if (same_word(a, x[i], b, y[j])) {
            if (!joined)
                out[n_matches++] = (og_match){x[i].begin, 0, y[j].begin, 0};
            out[n_matches - 1].end = x[i++].end;
            out[n_matches - 1].origin_end = y[j++].end;
            joined = true;
        } else {
            joined = false;
            if (common[i + 1][j] >= common[i][j + 1])
                i++;
            else
                j++;
        }
    }
    return n_matches;
}

/* ---- building ---- */

static inline void begin(const char *id, const char *title, const char *url,
                         const char *date, const char *text)
{
    memset(&f, 0, sizeof(f));
    f.doc = (og_document){.id = bytes_of(id),
                          .title = bytes_of(title),
                          .url = bytes_of(url),
                          .text = bytes_of(text)};
    if (date != NULL) {
        f.doc.time = time_of(date);
        f.doc.has_time = true;
    }
    f.answer.spans = f.spans;
    f.answer.origins = f.origins;
}

static inline og_origin *origin(const char *id, const char *title,
                                const char *url, const char *date,
                                const char *text)
{
    must(f.answer.n_origins < MOST_ORIGINS, "too many origins");
    og_origin *o = &f.origins[f.answer.n_origins++];
    *o = (og_origin){.number = f.answer.n_origins,
                     .id = bytes_of(id),
                     .title = bytes_of(title),
                     .url = bytes_of(url),
                     .text = bytes_of(text)};
    if (date != NULL) {
        o->time = time_of(date);
        o->has_time = true;
    }
    return o;
}

static inline og_range find(og_bytes text, const char *first, const char *last,
                            uint64_t from)
{
    const char *a = strstr(text.data + from, first);
    must(a != NULL, first);
    const char *b = strstr(a, last);
    must(b != NULL, last);
    return (og_range){(uint64_t)(a - text.data),
                      (uint64_t)(b - text.data) + strlen(last)};
}

static inline og_span *add_span(og_origin *o, og_range here)
{
    struct word words[MOST_WORDS];
    must(f.answer.n_spans < MOST_SPANS, "too many spans");
    og_span *span = &f.spans[f.answer.n_spans++];
    *span = (og_span){
        .begin = here.begin,
        .end = here.end,
        .n_tokens = words_of(f.doc.text.data, here.begin, here.end, words),
        .how = OG_HOW_HIT,
        .origin = o->number,
        .origin_id = o->id,
        .origin_time = o->time,
        .origin_has_time = o->has_time,
        .origin_begin = OG_UNKNOWN,
        .origin_end = OG_UNKNOWN};
    span->n_matching = span->n_tokens;
    o->n_tokens += span->n_tokens;
    return span;
}

/* A verified passage, by its first and last words here and there. */
static inline void copied(og_origin *o, const char *first, const char *last,
                          const char *first_there, const char *last_there)
{
    static struct word x[MOST_WORDS], y[MOST_WORDS];
    const uint64_t from =
        f.answer.n_spans == 0 ? 0 : f.spans[f.answer.n_spans - 1].end;
    const og_range here = find(f.doc.text, first, last, from);
    const og_range there = find(o->text, first_there, last_there, 0);
    const size_t n = words_of(f.doc.text.data, here.begin, here.end, x);
    const size_t m = words_of(o->text.data, there.begin, there.end, y);
    og_match *matches = calloc(n + 1, sizeof(*matches));
    must(matches != NULL, "no memory");
    size_t equal;
    og_span *span = add_span(o, here);
    span->how = OG_HOW_VERIFIED;
    span->origin_begin = there.begin;
    span->origin_end = there.end;
    span->n_matches =
        match_words(f.doc.text.data, x, n, o->text.data, y, m, matches, &equal);
    span->matches = matches;
    span->n_matching = equal;
    span->score = 2.0 * (double)equal / (double)(n + m);
}

static inline void copiers(og_origin *o, size_t n, ...)
{
    og_copier *list = calloc(n, sizeof(*list));
    va_list args;
    must(list != NULL, "no memory");
    va_start(args, n);
    for (size_t i = 0; i < n; i++) {
        list[i].number = 1000 + i;
        list[i].id = bytes_of(va_arg(args, const char *));
        const char *date = va_arg(args, const char *);
        if (date == NULL) continue;
        list[i].time = time_of(date);
        list[i].has_time = true;
    }
    va_end(args);
    o->copiers = list;
    o->n_copiers = n;
}

/* The words between two spans. */
static inline void add_novel(size_t begin, size_t end)
{
    static struct word words[MOST_WORDS];
    og_answer *a = &f.answer;
    const size_t n = words_of(f.doc.text.data, begin, end, words);
    if (n == 0) return;
    f.novel[a->n_novel++] = (og_range){words[0].begin, words[n - 1].end};
    a->novel = f.novel;
}

/* What is told of the whole, from the spans. */
static inline void finish(uint64_t n_tokens)
{
    static struct word words[MOST_WORDS];
    og_answer *a = &f.answer;
    a->n_tokens = n_tokens != 0
                      ? n_tokens
                      : words_of(f.doc.text.data, 0, f.doc.text.len, words);
    a->n_fresh = a->n_tokens;
    for (size_t i = 0; i < a->n_spans; i++)
        a->n_fresh -= f.spans[i].n_tokens,
            a->n_matching += f.spans[i].n_matching;
    for (size_t i = 0; i <= a->n_spans && n_tokens == 0; i++)
        add_novel(i == 0 ? 0 : f.spans[i - 1].end,
                  i < a->n_spans ? f.spans[i].begin : f.doc.text.len);
    if (a->n_origins == 0) return;
    a->has_dominant = true;
    a->dominant_id = f.origins[0].id;
    a->dominant_share = (double)f.origins[0].n_tokens / (double)a->n_tokens;
}

static inline void forget(void)
{
    for (size_t i = 0; i < f.answer.n_spans; i++)
        free((void *)f.spans[i].matches);
    for (size_t i = 0; i < f.answer.n_origins; i++)
        free((void *)f.origins[i].copiers);
}

#endif
