/* The entries of RSS (0.9x, 1.0, 2.0) and Atom as documents.
 *
 * The children of an entry's element have different names in each format; they
 * are recognised by their local names alone, since feeds declare namespaces as
 * they like. The best value of an entry counts: its content before its summary,
 * the day of publication before that of its change. */

#include <libxml/SAX2.h>
#include <origo/reading.h>
#include <string.h>

#include "lib/source/charset.h"
#include "lib/source/mail/date.h"
#include "lib/source/source.h"
#include "lib/source/web/headers.h"
#include "lib/source/web/html.h"
#include "lib/source/xml/xml_parse.h"

enum { MAX_DEPTH = 300 }; /* as in xml_text.c */

enum field {
    FIELD_NONE,
    FIELD_TITLE,
    FIELD_LINK,
    FIELD_ID,
    FIELD_TIME,   /* of its publication */
    FIELD_CHANGE, /* of its last change */
    FIELD_SUMMARY,
    FIELD_CONTENT,
    N_FIELDS
};

/* The format of a field's characters. */
enum form { FORM_HTML, FORM_TEXT, FORM_MARKUP };

struct feed_value {
    struct og_pack bytes;
    enum form form;
    bool is_there;
};

struct feed_reading {
    struct og_xml_parsing parsing; /* must be the first member */
    struct feed_value values[N_FIELDS];
    struct og_html html;
    struct og_pack text, title; /* of the current entry */
    enum field field;           /* the open one */
    int entry_depth, field_depth;
    bool is_feed, is_atom;
    og_document_fn *on_entry;
    void *ctx;
    uint64_t n_skipped;
    og_status status;
    og_error *err;
};

/* ---- names ---- */

static bool is_entry(const char *name)
{
    return strcmp(name, "item") == 0 || strcmp(name, "entry") == 0;
}

static bool is_root(const char *name)
{
    return strcmp(name, "rss") == 0 || strcmp(name, "feed") == 0 ||
           strcmp(name, "RDF") == 0;
}

static enum field field_of(const char *name, const char *prefix)
{
    static const struct {
        const char *name;
        enum field field;
    } known[] = {
        {"title", FIELD_TITLE},      {"link", FIELD_LINK},
        {"guid", FIELD_ID},          {"id", FIELD_ID},
        {"pubDate", FIELD_TIME},     {"date", FIELD_TIME},
        {"published", FIELD_TIME},   {"issued", FIELD_TIME},
        {"updated", FIELD_CHANGE},   {"modified", FIELD_CHANGE},
        {"summary", FIELD_SUMMARY},  {"description", FIELD_SUMMARY},
        {"content", FIELD_CONTENT},  {"encoded", FIELD_CONTENT},
        {"subtitle", FIELD_SUMMARY},
    };
    /* Pictures and players have titles and descriptions of their own. */
    if (prefix != NULL &&
        (strcmp(prefix, "media") == 0 || strcmp(prefix, "itunes") == 0))
        return FIELD_NONE;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(name, known[i].name) == 0) return known[i].field;
    return FIELD_NONE;
}

static og_bytes attribute_of(const char *name, int n, const xmlChar **attrs)
{
    for (int i = 0; i < n; i++)
        if (strcmp((const char *)attrs[i * 5], name) == 0)
            return (og_bytes){
                (const char *)attrs[i * 5 + 3],
                (size_t)(attrs[i * 5 + 4] - attrs[i * 5 + 3]),
            };
    return (og_bytes){"", 0};
}

static bool says(og_bytes s, const char *word)
{
    return s.len == strlen(word) && memcmp(s.data, word, s.len) == 0;
}

/* ---- an entry ---- */

static og_bytes view_of(const struct og_pack *p)
{
    return og_trim((og_bytes){p->data != NULL ? (const char *)p->data : "",
                              p->data != NULL ? p->len : 0});
}

static void clear_entry(struct feed_reading *f)
{
    for (int i = 0; i < N_FIELDS; i++) {
        f->values[i].bytes.len = 0;
        f->values[i].is_there = false;
    }
}

/* The text of a value, copied to `out`, since the next one reuses the HTML
 * reader. */
static og_status text_of(struct feed_reading *f, const struct feed_value *v,
                         struct og_pack *out)
{
    og_bytes text = view_of(&v->bytes);
    out->len = 0;
    const bool is_plain =
        v->form == FORM_TEXT || (memchr(text.data, '<', text.len) == NULL &&
                                 memchr(text.data, '&', text.len) == NULL);
    if (text.len > 0 && !is_plain) {
        TRY(og_html_read(&f->html, text, true, f->err));
        text = og_trim(f->html.text);
    }
    og_pack_bytes(out, text.data, text.len);
    return out->failed ? og_error_memory(f->err, text.len, "a feed") : OG_OK;
}

/* A globally unique id has a scheme ("urn:", "https:"); otherwise the address
 * is the better name. */
static og_bytes id_of(og_bytes id, og_bytes link)
{
    const bool is_global = id.len > 0 && memchr(id.data, ':', id.len) != NULL;
    return is_global || link.len == 0 ? id : link;
}

static void take_time(const struct feed_reading *f, enum field field,
                      og_document *doc)
{
    if (doc->has_time) return;
    doc->has_time =
        og_date_of_field(view_of(&f->values[field].bytes), false, &doc->time);
    if (doc->has_time) doc->time_source = OG_TIME_RECORD;
}

static og_status give_entry(struct feed_reading *f)
{
    og_document doc = {.id = {"", 0}};
    const struct feed_value *const values = f->values;
    const og_bytes link = view_of(&values[FIELD_LINK].bytes);
    TRY(text_of(f, &values[FIELD_CONTENT], &f->text));
    if (f->text.len == 0) TRY(text_of(f, &values[FIELD_SUMMARY], &f->text));
    TRY(text_of(f, &values[FIELD_TITLE], &f->title));
    if (f->text.len == 0) {
        f->n_skipped++;
        return OG_OK;
    }
    doc.text = (og_bytes){(const char *)f->text.data, f->text.len};
    doc.title = view_of(&f->title);
    doc.url = link;
    doc.id = id_of(view_of(&values[FIELD_ID].bytes), link);
    take_time(f, FIELD_TIME, &doc);
    take_time(f, FIELD_CHANGE, &doc);
    return f->on_entry(f->ctx, &doc) ? OG_OK : OG_ERR_STOPPED;
}

/* ---- events ---- */

static void put(struct feed_reading *f, const char *data, size_t len)
{
    og_pack_bytes(&f->values[f->field].bytes, data, len);
}

/* Markup inside a field is written out again for the HTML reader. */
static void put_tag(struct feed_reading *f, const char *name, const char *open)
{
    if (f->values[f->field].form != FORM_MARKUP) {
        put(f, " ", 1);
        return;
    }
    put(f, open, strlen(open));
    put(f, name, strlen(name));
    put(f, ">", 1);
}

static void put_escaped(struct feed_reading *f, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '<')
            put(f, "&lt;", 4);
        else if (data[i] == '&')
            put(f, "&amp;", 5);
        else
            put(f, data + i, 1);
    }
}

static enum form form_of(const struct feed_reading *f, enum field field,
                         og_bytes type)
{
    if (field != FIELD_TITLE && field != FIELD_SUMMARY &&
        field != FIELD_CONTENT)
        return FORM_TEXT;
    if (says(type, "xhtml") || says(type, "application/xhtml+xml"))
        return FORM_MARKUP;
    if (says(type, "html") || says(type, "text/html")) return FORM_HTML;
    return f->is_atom ? FORM_TEXT : FORM_HTML;
}

/* Atom gives the address as an attribute; it may be that of a comment. */
static void take_link(struct feed_reading *f, int n, const xmlChar **attrs)
{
    const og_bytes href = attribute_of("href", n, attrs);
    const og_bytes rel = attribute_of("rel", n, attrs);
    struct feed_value *const link = &f->values[FIELD_LINK];
    if (href.len == 0 || link->is_there) return;
    if (rel.len > 0 && !says(rel, "alternate")) return;
    link->is_there = true;
    og_pack_bytes(&link->bytes, href.data, href.len);
}

static void open_field(struct feed_reading *f, const char *name,
                       const char *prefix, int n, const xmlChar **attrs)
{
    const enum field field = field_of(name, prefix);
    if (field == FIELD_LINK) take_link(f, n, attrs);
    /* The first of a kind counts. */
    if (field == FIELD_NONE || f->values[field].is_there ||
        (field == FIELD_LINK && attribute_of("href", n, attrs).len > 0))
        return;
    f->field = field;
    f->field_depth = f->parsing.depth;
    f->values[field].is_there = true;
    f->values[field].form = form_of(f, field, attribute_of("type", n, attrs));
}

static void on_start(void *ctx, const xmlChar *local, const xmlChar *prefix,
                     const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct feed_reading *const f = ctx;
    const char *const name = (const char *)local;
    (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    if (f->parsing.depth + 1 == MAX_DEPTH) {
        og_xml_refuse(&f->parsing, "the feed is nested too deep, at", name);
        return;
    }
    f->parsing.depth++;
    if (f->parsing.depth == 1) {
        f->is_feed = is_root(name);
        f->is_atom = strcmp(name, "feed") == 0;
        if (!f->is_feed)
            og_xml_refuse(&f->parsing, "no feed of RSS or Atom, but", name);
    } else if (f->field != FIELD_NONE) {
        put_tag(f, name, "<");
    } else if (f->entry_depth == 0 && is_entry(name)) {
        f->entry_depth = f->parsing.depth;
        clear_entry(f);
    } else if (f->entry_depth > 0 && f->parsing.depth == f->entry_depth + 1) {
        open_field(f, name, (const char *)prefix, n_attributes, attributes);
    }
}

static void close_entry(struct feed_reading *f)
{
    f->entry_depth = 0;
    f->status = give_entry(f);
    if (f->status != OG_OK) xmlStopParser(f->parsing.context);
}

static void on_end(void *ctx, const xmlChar *local, const xmlChar *prefix,
                   const xmlChar *uri)
{
    struct feed_reading *const f = ctx;
    (void)prefix, (void)uri;
    if (f->parsing.depth == 0 || f->status != OG_OK) return;
    const int depth = f->parsing.depth--;
    if (f->field != FIELD_NONE && depth == f->field_depth)
        f->field = FIELD_NONE;
    else if (f->field != FIELD_NONE)
        put_tag(f, (const char *)local, "</");
    else if (depth == f->entry_depth)
        close_entry(f);
}

static void on_text(void *ctx, const xmlChar *data, int len)
{
    struct feed_reading *const f = ctx;
    if (f->field == FIELD_NONE) return;
    if (f->values[f->field].form == FORM_MARKUP)
        put_escaped(f, (const char *)data, (size_t)len);
    else
        put(f, (const char *)data, (size_t)len);
}

/* ---- the whole ---- */

static og_status status_of(const struct feed_reading *f, og_status parsed,
                           og_error *err)
{
    for (int i = 0; i < N_FIELDS; i++)
        if (f->values[i].bytes.failed)
            return og_error_memory(err, f->values[i].bytes.len, "a feed");
    if (f->status == OG_ERR_STOPPED)
        return og_error_set(err, OG_ERR_STOPPED, "the caller asked to stop");
    return f->status != OG_OK ? f->status : parsed;
}

static og_status read_entries(struct feed_reading *f, og_bytes data,
                              og_error *err)
{
    xmlSAXHandler handler = {.startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text,
                             .ignorableWhitespace = on_text,
                             .cdataBlock = on_text};
    return status_of(f, og_xml_parse(&f->parsing, &handler, data, err), err);
}

og_status og_feed_read(og_bytes bytes, og_document_fn *on_entry, void *ctx,
                       uint64_t *out_n_skipped, og_error *err)
{
    struct og_charset charset;
    struct feed_reading *const f = og_allocate_zero(NULL, sizeof(*f));
    og_bytes data;
    if (f == NULL) return og_error_memory(err, sizeof(*f), "a feed");
    f->on_entry = on_entry;
    f->ctx = ctx;
    f->err = err;
    og_html_init(&f->html, NULL);
    og_charset_init(&charset, NULL);
    og_status status = og_charset_convert(&charset, bytes,
                                          og_charset_of_xml(bytes), &data, err);
    if (status == OG_OK) status = read_entries(f, data, err);
    if (out_n_skipped != NULL) *out_n_skipped = f->n_skipped;
    for (int i = 0; i < N_FIELDS; i++)
        og_pack_release(&f->values[i].bytes);
    og_pack_release(&f->text);
    og_pack_release(&f->title);
    og_html_release(&f->html);
    og_charset_release(&charset);
    og_release(NULL, f, sizeof(*f));
    return status;
}
