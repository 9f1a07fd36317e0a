/* Repeated passages for programs: docs/phrases.schema.json and lines of
 * tab-separated values,
 *
 *     n_documents  n_tokens  first  first_time  begin  end  growth  text
 *
 * where growth is the counts of all periods with commas between them. */

#include <string.h>

#include "lib/report/escape.h"
#include "lib/report/outlet.h"
#include "lib/report/phrases_forms.h"

const char *og_period_name(og_period period)
{
    static const char *const names[] = {"parts", "day", "month", "year"};
    return names[period];
}

static void put_field(struct og_writer *w, const char *name)
{
    og_writer_string(w, ",\"");
    og_writer_string(w, name);
    og_writer_string(w, "\":");
}

static void put_count(struct og_writer *w, const char *name, uint64_t value)
{
    put_field(w, name);
    og_writer_number(w, value);
}

static void put_time(struct og_writer *w, const char *name, bool has_time,
                     int64_t time)
{
    char form[40];
    if (!has_time) return;
    put_field(w, name);
    og_escape_json(w, (og_bytes){form, og_time_format(time, form)});
}

static void put_time_source(struct og_writer *w, og_time_source source)
{
    const char *name = og_time_source_name(source);
    if (name[0] == '\0') return;
    put_field(w, "time_source");
    og_writer_byte(w, '"');
    og_writer_string(w, name);
    og_writer_byte(w, '"');
}

static void put_string(struct og_writer *w, const char *name, og_bytes s)
{
    if (s.len == 0) return;
    put_field(w, name);
    og_escape_json(w, s);
}

static void put_growth(struct og_writer *w, const og_phrases *p,
                       const uint64_t *growth)
{
    for (size_t i = 0; i < p->n_periods; i++) {
        if (i != 0) og_writer_byte(w, ',');
        og_writer_number(w, growth[i]);
    }
}

static void put_phrase(struct og_writer *w, const og_phrases *p,
                       const og_phrase *phrase)
{
    const og_phrase_holder *first = &phrase->first;
    og_writer_string(w, "{\"n_documents\":");
    og_writer_number(w, phrase->n_documents);
    put_count(w, "n_tokens", phrase->n_tokens);
    put_field(w, "text");
    og_escape_json(w, phrase->text);
    put_field(w, "first");
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, first->id);
    put_time(w, "time", first->has_time, first->time);
    if (first->has_time) put_time_source(w, first->time_source);
    put_string(w, "title", first->title);
    put_string(w, "url", first->url);
    put_count(w, "begin", first->begin);
    put_count(w, "end", first->end);
    og_writer_byte(w, '}');
    put_field(w, "growth");
    og_writer_byte(w, '[');
    put_growth(w, p, phrase->growth);
    og_writer_string(w, "]}");
}

static void put_period(struct og_writer *w, const og_phrase_period *period)
{
    og_writer_string(w, "{\"n_documents\":");
    og_writer_number(w, period->n_documents);
    put_time(w, "first", period->has_times, period->first);
    put_time(w, "last", period->has_times, period->last);
    og_writer_byte(w, '}');
}

static void put_document(struct og_writer *w, const og_phrase_document *d)
{
    og_writer_string(w, "{\"id\":");
    og_escape_json(w, d->id);
    put_time(w, "time", d->has_time, d->time);
    if (d->has_time) put_time_source(w, d->time_source);
    put_count(w, "n_tokens", d->n_tokens);
    put_count(w, "n_covered", d->n_covered);
    put_count(w, "n_phrases", d->n_phrases);
    put_field(w, "share");
    og_writer_share(w, (double)d->n_covered / (double)d->n_tokens);
    og_writer_byte(w, '}');
}

static void put_source(struct og_writer *w, const og_phrase_source *s)
{
    og_writer_string(w, "{\"source\":");
    og_escape_json(w, s->name);
    put_count(w, "n_documents", s->n_documents);
    put_count(w, "n_copies", s->n_copies);
    put_count(w, "n_tokens", s->n_tokens);
    og_writer_byte(w, '}');
}

void og_phrases_as_json(struct og_writer *w, const og_phrases *p)
{
    og_writer_string(w, "{\"origo\":1");
    put_count(w, "n_documents", p->n_documents);
    put_count(w, "n_tokens", p->n_tokens);
    put_count(w, "min_documents", p->min_documents);
    put_count(w, "min_tokens", p->min_tokens);
    put_count(w, "complete_above", p->complete_above);
    put_count(w, "n_more", p->n_more);
    put_count(w, "n_made", p->n_made);
    const char *period = og_period_name(p->period);
    put_string(w, "period", (og_bytes){period, strlen(period)});
    og_writer_string(w, ",\"phrases\":[");
    for (size_t i = 0; i < p->n_phrases; i++) {
        if (i != 0) og_writer_byte(w, ',');
        put_phrase(w, p, &p->phrases[i]);
    }
    og_writer_string(w, "],\"periods\":[");
    for (size_t i = 0; i < p->n_periods; i++) {
        if (i != 0) og_writer_byte(w, ',');
        put_period(w, &p->periods[i]);
    }
    og_writer_string(w, "],\"documents\":[");
    for (size_t i = 0; i < p->n_documents_listed; i++) {
        if (i != 0) og_writer_byte(w, ',');
        put_document(w, &p->documents[i]);
    }
    og_writer_string(w, "],\"sources\":[");
    for (size_t i = 0; i < p->n_sources; i++) {
        if (i != 0) og_writer_byte(w, ',');
        put_source(w, &p->sources[i]);
    }
    og_writer_string(w, "]}\n");
}

void og_phrases_as_tsv(struct og_writer *w, const og_phrases *p)
{
    og_writer_string(w, "n_documents\tn_tokens\tfirst\tfirst_time\tbegin\tend\t"
                        "growth\ttext\n");
    for (size_t i = 0; i < p->n_phrases; i++) {
        const og_phrase *phrase = &p->phrases[i];
        char form[40];
        og_writer_number(w, phrase->n_documents);
        og_writer_byte(w, '\t');
        og_writer_number(w, phrase->n_tokens);
        og_writer_byte(w, '\t');
        og_escape_tsv(w, phrase->first.id);
        og_writer_byte(w, '\t');
        if (phrase->first.has_time)
            og_writer_bytes(w, form, og_time_format(phrase->first.time, form));
        og_writer_byte(w, '\t');
        og_writer_number(w, phrase->first.begin);
        og_writer_byte(w, '\t');
        og_writer_number(w, phrase->first.end);
        og_writer_byte(w, '\t');
        put_growth(w, p, phrase->growth);
        og_writer_byte(w, '\t');
        og_escape_tsv(w, phrase->text);
        og_writer_byte(w, '\n');
    }
}

/* ---- every form ---- */

og_status og_phrases_write(const og_phrases *phrases, og_format format,
                           og_text_style style, og_write_fn *write, void *ctx,
                           og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    switch (format) {
    case OG_FORMAT_TEXT: og_phrases_as_text(&w, phrases, style); break;
    case OG_FORMAT_JSON: og_phrases_as_json(&w, phrases); break;
    case OG_FORMAT_TSV: og_phrases_as_tsv(&w, phrases); break;
    case OG_FORMAT_HTML: og_phrases_as_page(&w, phrases); break;
    case OG_FORMAT_PAN:
    case OG_FORMAT_ANNOTATION:
    case OG_FORMAT_TEI:
    case OG_FORMAT_CSV:
    case OG_FORMAT_GRAPHML:
    case OG_FORMAT_SVG:
        return og_error_set(err, OG_ERR_USAGE,
                            "repeated passages have no format '%s'",
                            og_format_name(format));
    }
    return og_writer_finish(&w, err);
}

og_status og_phrases_save(const og_phrases *phrases, og_format format,
                          og_text_style style, const char *path, og_error *err)
{
    struct og_outlet outlet;
    og_status status = og_outlet_open(&outlet, path, false, err);
    if (status == OG_OK)
        status = og_phrases_write(phrases, format, style, outlet.w.write,
                                  outlet.w.ctx, err);
    if (status == OG_OK) status = og_outlet_commit(&outlet, NULL, err);
    og_outlet_discard(&outlet);
    return status;
}
