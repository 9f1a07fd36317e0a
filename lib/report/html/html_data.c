/* A document as the script of a page receives it, one line of JSON:
 *
 *     {"id":"...","title":"...","url":"...","time":"2000-03-04T00:00:00Z",
 *      "units":512,"copied":280,"covered":302,"repaired":3,
 *      "best":["courier-7",0.41],"text":"...","new":[[885,901],...],
 *      "passages":[{"s":1,"b":120,"e":884,"n":128,"c":131,"how":"verified",
 *                   "score":0.97,"quote":1,"boiler":1,"o":[10234,10998],
 *                   "at":"1.2","from":"3.1-3.4",
 *                   "m":[[120,187,10234,10301],...]}],
 *      "sources":[{"k":17,"id":"...","title":"...","url":"...","time":"...",
 *                  "n":128,"c":131,"doc":5,"len":90210,
 *                  "text":[[9800,"..."],...],"n_copiers":1,
 *                  "copiers":[{"id":"...","time":"...","n":131}]}]}
 *
 * Positions are UTF-16 units, as the script counts. `n` are words that are in
 * the source, `c` words that the passages cover. A source that is a document of
 * the page itself is referred to by its number (`doc`), and its text is there.
 * Otherwise a short text is included whole; of a long one only what is
 * around its passages, and the total is limited: the report must not be larger
 * than the library it was made from. */

#include "lib/report/escape.h"
#include "lib/report/html/html_parts.h"
#include "lib/report/html/page_json.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WHOLE_LEN = 64 << 10,     /* bytes of a source that is included whole */
    AROUND_LEN = 1500,        /* otherwise, bytes before and after a passage */
    MOST_TEXT_LEN = 16 << 20, /* bytes of all sources of a document */
    MOST_COPIERS = 200,       /* of one source */
};

/* ---- passages ---- */

static void put_pair(struct og_writer *w, uint64_t a, uint64_t b)
{
    og_writer_byte(w, '[');
    og_writer_number(w, a);
    og_writer_byte(w, ',');
    og_writer_number(w, b);
    og_writer_byte(w, ']');
}

static void put_places(struct og_html_report *h, size_t i, struct og_units at)
{
    const og_span *span = &h->answer->spans[i];
    const struct og_sources *sources = &h->sources;
    const uint64_t begin = og_sources_place(sources, i, span->origin_begin);
    const uint64_t end = og_sources_place(sources, i, span->origin_end);
    if (begin == OG_UNKNOWN || end == OG_UNKNOWN) return;
    og_writer_string(h->w, ",\"o\":");
    put_pair(h->w, begin, end);
    if (span->n_matches == 0) return;
    og_writer_string(h->w, ",\"m\":[");
    for (size_t k = 0; k < span->n_matches; k++) {
        const og_match *m = &span->matches[k];
        if (k != 0) og_writer_byte(h->w, ',');
        og_writer_byte(h->w, '[');
        og_writer_number(h->w, og_units_at(&at, m->begin));
        og_writer_byte(h->w, ',');
        og_writer_number(h->w, og_units_at(&at, m->end));
        og_writer_byte(h->w, ',');
        og_writer_number(h->w, og_sources_place(sources, i, m->origin_begin));
        og_writer_byte(h->w, ',');
        og_writer_number(h->w, og_sources_place(sources, i, m->origin_end));
        og_writer_byte(h->w, ']');
    }
    og_writer_byte(h->w, ']');
}

bool og_html_is_boilerplate(const struct og_html_report *h, size_t source)
{
    const og_origin *detail = h->sources.list[source].detail;
    return detail != NULL && detail->n_copiers >= OG_BOILERPLATE_COPIERS;
}

static void put_cited(struct og_writer *w, const char *field,
                      const struct og_cited *cited)
{
    char name[400];
    const bool is_one = cited->to.data == cited->from.data;
    const int len =
        snprintf(name, sizeof(name), "%.*s%s%.*s", (int)cited->from.len,
                 cited->from.data, is_one ? "" : "-",
                 is_one ? 0 : (int)cited->to.len, cited->to.data);
    if (len > 0 && (size_t)len < sizeof(name))
        og_page_text(w, field, (og_bytes){name, (size_t)len});
}

/* Its citation here, and in its source. */
static void put_citations(struct og_html_report *h, size_t i)
{
    const og_span *span = &h->answer->spans[i];
    struct og_cited cited;
    if (og_span_cited(h->doc, span, &cited))
        put_cited(h->w, ",\"at\":", &cited);
    if (og_origin_cited(og_sources_detail(&h->sources, i), span, &cited))
        put_cited(h->w, ",\"from\":", &cited);
}

static void put_passage(struct og_html_report *h, size_t i, struct og_units *at,
                        size_t *quote_at)
{
    struct og_writer *w = h->w;
    const og_span *span = &h->answer->spans[i];
    og_page_number(
        w, i == 0 ? "{\"s\":" : ",{\"s\":", h->sources.number_of_span[i]);
    og_page_number(w, ",\"b\":", og_units_at(at, span->begin));
    const struct og_units begin = *at; /* matches start from here */
    og_page_number(w, ",\"e\":", og_units_at(at, span->end));
    og_page_number(w, ",\"n\":", span->n_matching);
    og_page_number(w, ",\"c\":", span->n_tokens);
    og_writer_string(w, ",\"how\":\"");
    og_writer_string(w, og_how_name(span->how));
    og_writer_byte(w, '"');
    if (span->n_matches != 0) {
        og_writer_string(w, ",\"score\":");
        og_writer_share(w, span->score);
    }
    const og_range range = {span->begin, span->end};
    if (og_quoted_hold(&h->quotes, range, quote_at))
        og_writer_string(w, ",\"quote\":1");
    if (og_html_is_boilerplate(h, h->sources.number_of_span[i] - 1))
        og_writer_string(w, ",\"boiler\":1");
    put_citations(h, i);
    put_places(h, i, begin);
    og_writer_byte(w, '}');
}

/* ---- the texts of the sources ---- */

static int by_begin(const void *pa, const void *pb)
{
    const og_range *a = pa, *b = pb;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The beginning of the character that contains `at`. */
static uint64_t settle(og_bytes text, uint64_t at)
{
    unsigned steps = 0;
    while (at > 0 && at < text.len && steps++ < 3 &&
           ((unsigned char)text.data[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* The parts of a text to show, in order and not overlapping. Returns their
 * number. */
static size_t choose_pieces(const struct og_html_report *h, size_t source,
                            og_range *pieces)
{
    const struct og_source_share *s = &h->sources.list[source];
    const og_bytes text = s->detail->text;
    size_t n = 0, kept = 0;
    for (size_t k = 0; k < s->n_spans; k++) {
        const og_span *span =
            &h->answer->spans[h->sources.by_source[s->at + k]];
        if (og_sources_text(&h->sources, span, source + 1).len == 0) continue;
        const uint64_t begin = span->origin_begin, end = span->origin_end;
        pieces[n++] = (og_range){
            begin > AROUND_LEN ? settle(text, begin - AROUND_LEN) : 0,
            text.len - end > AROUND_LEN ? settle(text, end + AROUND_LEN)
                                        : text.len};
    }
    if (n == 0) return 0;
    qsort(pieces, n, sizeof(*pieces), by_begin);
    if (text.len <= WHOLE_LEN) {
        pieces[0] = (og_range){0, text.len};
        return 1;
    }
    for (size_t k = 1; k < n; k++) {
        if (pieces[k].begin > pieces[kept].end)
            pieces[++kept] = pieces[k];
        else if (pieces[k].end > pieces[kept].end)
            pieces[kept].end = pieces[k].end;
    }
    return kept + 1;
}

static uint64_t put_pieces(struct og_html_report *h, og_bytes text,
                           const og_range *pieces, size_t n, uint64_t room)
{
    struct og_units at = {text, OG_OFFSETS_UTF16, 0, 0};
    uint64_t used = 0;
    og_writer_string(h->w, ",\"text\":[");
    for (size_t k = 0; k < n; k++) {
        const uint64_t len = pieces[k].end - pieces[k].begin;
        if (used + len > room) break;
        used += len;
        og_page_number(h->w, k == 0 ? "[" : ",[",
                       og_units_at(&at, pieces[k].begin));
        og_writer_byte(h->w, ',');
        og_escape_script(h->w, (og_bytes){text.data + pieces[k].begin, len});
        og_writer_byte(h->w, ']');
    }
    og_page_number(h->w, "],\"len\":", og_units_at(&at, text.len));
    return used;
}

/* ---- sources ---- */

static void put_copiers(struct og_writer *w, const og_origin *origin)
{
    const size_t n =
        origin->n_copiers < MOST_COPIERS ? origin->n_copiers : MOST_COPIERS;
    og_page_number(w, ",\"n_copiers\":", origin->n_copiers);
    og_writer_string(w, ",\"copiers\":[");
    for (size_t i = 0; i < n; i++) {
        const og_copier *copier = &origin->copiers[i];
        og_page_number(w, i == 0 ? "{\"n\":" : ",{\"n\":", copier->n_tokens);
        og_page_text(w, ",\"id\":", copier->id);
        og_page_time(w, copier->has_time, copier->time);
        og_writer_byte(w, '}');
    }
    og_writer_byte(w, ']');
}

static void put_source_text(struct og_html_report *h, size_t i,
                            og_range *pieces, uint64_t *room)
{
    const struct og_source_share *source = &h->sources.list[i];
    const og_span *span = &h->answer->spans[source->first_span];
    const og_bytes text = source->detail->text;
    const uint64_t number =
        text.len != 0 ? og_web_page_find(h->page, span->origin_id, text) : 0;
    if (number != 0) {
        og_page_number(h->w, ",\"doc\":", number);
        return;
    }
    const size_t n = choose_pieces(h, i, pieces);
    if (n != 0) *room -= put_pieces(h, text, pieces, n, *room);
}

static void put_source(struct og_html_report *h, size_t i, og_range *pieces,
                       uint64_t *room)
{
    struct og_writer *w = h->w;
    const struct og_source_share *source = &h->sources.list[i];
    const og_span *span = &h->answer->spans[source->first_span];
    const og_origin *detail = source->detail;
    og_page_number(w, i == 0 ? "{\"k\":" : ",{\"k\":", source->origin);
    og_page_number(w, ",\"n\":", source->n_matching);
    og_page_number(w, ",\"c\":", source->n_tokens);
    og_page_text(w, ",\"id\":", span->origin_id);
    og_page_time(w, span->origin_has_time, span->origin_time);
    if (detail != NULL) {
        og_page_text(w, ",\"title\":", detail->title);
        og_page_text(w, ",\"url\":", detail->url);
        put_source_text(h, i, pieces, room);
        put_copiers(w, detail);
    }
    og_writer_byte(w, '}');
}

/* ---- the document ---- */

static void put_head(struct og_html_report *h)
{
    struct og_writer *w = h->w;
    const og_document *doc = h->doc;
    const og_answer *a = h->answer;
    og_page_number(w, "{\"units\":", a->n_tokens);
    og_page_number(w, ",\"copied\":", a->n_matching);
    og_page_number(w, ",\"covered\":", a->n_tokens - a->n_fresh);
    og_page_text(w, ",\"id\":", doc->id);
    og_page_text(w, ",\"title\":", doc->title);
    og_page_text(w, ",\"url\":", doc->url);
    og_page_time(w, doc->has_time, doc->time);
    if (a->n_repaired != 0) og_page_number(w, ",\"repaired\":", a->n_repaired);
    if (a->best_id.len != 0) {
        og_page_text(w, ",\"best\":[", a->best_id);
        og_writer_byte(w, ',');
        og_writer_share(w, a->best_share);
        og_writer_byte(w, ']');
    }
    og_writer_string(w, ",\"text\":");
    og_escape_script(w, doc->text);
}

static void put_novel(struct og_html_report *h)
{
    struct og_units at = {h->doc->text, OG_OFFSETS_UTF16, 0, 0};
    if (h->novel.n == 0) return;
    og_writer_string(h->w, ",\"new\":[");
    for (size_t i = 0; i < h->novel.n; i++) {
        const uint64_t begin = og_units_at(&at, h->novel.list[i].begin);
        if (i != 0) og_writer_byte(h->w, ',');
        put_pair(h->w, begin, og_units_at(&at, h->novel.list[i].end));
    }
    og_writer_byte(h->w, ']');
}

og_status og_html_data(struct og_html_report *h, og_error *err)
{
    struct og_writer *w = h->w;
    const size_t n_spans = h->answer->n_spans;
    struct og_units at = {h->doc->text, OG_OFFSETS_UTF16, 0, 0};
    size_t quote_at = 0;
    uint64_t room = MOST_TEXT_LEN;
    const size_t len = (n_spans + 1) * sizeof(og_range);
    og_range *pieces = og_allocate(NULL, len);
    if (pieces == NULL) return og_error_memory(err, len, "places");
    put_head(h);
    put_novel(h);
    og_writer_string(w, ",\"passages\":[");
    for (size_t i = 0; i < n_spans; i++)
        put_passage(h, i, &at, &quote_at);
    og_writer_string(w, "],\"sources\":[");
    for (size_t i = 0; i < h->sources.n; i++)
        put_source(h, i, pieces, &room);
    og_writer_string(w, "]}");
    og_release(NULL, pieces, len);
    return OG_OK;
}
