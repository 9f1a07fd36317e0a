/* Text from XML, by events: no tree is built, so a document costs no more than
 * its text, whatever its size.
 *
 * XML in general does not say which elements are paragraphs. Those of TEI and a
 * few similar formats are known; any other element runs on in the line if text
 * precedes it in the surrounding element, and otherwise begins a line of its
 * own. */

#include "lib/source/xml/xml_text.h"

#include <libxml/SAX2.h>
#include <stdio.h>
#include <string.h>

#include "lib/source/mail/date.h"
#include "lib/source/source.h"
#include "lib/source/spaces.h"
#include "lib/source/web/headers.h"
#include "lib/source/xml/xml_parse.h"

/* The default limit of libxml2, too. */
enum { MAX_DEPTH = 300 };

/* How reliably a date of the header tells when the text was written. */
enum { RANK_RELEASE = 1, RANK_EDITION, RANK_SOURCE, RANK_CREATION, N_RANKS };

enum place { PLACE_TEXT, PLACE_HEADER, PLACE_TITLE, PLACE_SILENT };

/* Longer names are ignored. */
enum { NAME_LEN = 40, CHAIN_LEN = 160 };

struct level {
    bool has_text, is_block, is_heading;
    uint8_t place;                  /* enum place, of its content */
    char n[NAME_LEN], id[NAME_LEN]; /* attributes; "": none */
};

struct reading {
    struct og_xml_parsing parsing; /* must be the first member */
    struct og_xml_text *xml;
    struct level levels[MAX_DEPTH];
    struct og_due_space due;
    /* The position in the header: creation, source, edition or publication. */
    int n_inside[N_RANKS];
    int time_rank;
    char date[48]; /* text inside the current date */
    size_t date_len;
    int date_rank; /* 0: not inside a date */
    struct og_citations *citations;
    bool is_named;  /* some element has n or an xml:id */
    bool cite_next; /* the next word begins another part */
    char milestone[NAME_LEN], page[NAME_LEN];
};

/* ---- names ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static bool is_inline_name(const char *name)
{
    static const char *const names[] = {
        "a",        "abbr",      "add",       "b",         "bold",    "c",
        "choice",   "code",      "corr",      "date",      "del",     "em",
        "emph",     "emphasis",  "expan",     "ext-link",  "foreign", "g",
        "gap",      "hi",        "i",         "italic",    "lb",      "link",
        "literal",  "mentioned", "milestone", "name",      "num",     "orig",
        "pb",       "pc",        "persName",  "placeName", "q",       "quote",
        "ref",      "reg",       "rs",        "s",         "seg",     "sic",
        "small",    "soCalled",  "span",      "strong",    "sub",     "sup",
        "supplied", "term",      "ulink",     "unclear",   "w",       "xref",
        NULL};
    return is_one_of(name, names);
}

static bool is_paragraph_name(const char *name)
{
    static const char *const names[] = {
        "p",    "para", "div",        "div1",    "div2",    "div3",  "head",
        "lg",   "sp",   "sec",        "section", "chapter", "body",  "front",
        "back", "text", "blockquote", "list",    "table",   "title", NULL};
    return is_one_of(name, names);
}

static bool is_heading_name(const char *name)
{
    static const char *const names[] = {"head", "title", "h1", "h2", "h3",
                                        "h4",   "h5",    "h6", NULL};
    return is_one_of(name, names);
}

/* ---- writing ---- */

static void put(struct reading *r, const char *data, size_t len)
{
    og_pack_bytes(&r->xml->text, data, len);
}

static void settle(struct reading *r)
{
    size_t len;
    const char *space = og_due_take(&r->due, r->xml->text.len == 0, &len);
    put(r, space, len);
}

/* ---- citations ---- */

/* "1.2.3": the n of the surrounding elements, and of the last milestone. */
static void chain_of(const struct reading *r, char out[CHAIN_LEN], og_bytes *id)
{
    size_t len = 0;
    *id = (og_bytes){NULL, 0};
    out[0] = 0;
    for (int i = 1; i <= r->parsing.depth + 1; i++) {
        const struct level *level = &r->levels[i];
        const char *n = i <= r->parsing.depth ? level->n : r->milestone;
        if (n[0] != 0 && len + NAME_LEN + 2 < CHAIN_LEN)
            len += (size_t)snprintf(out + len, CHAIN_LEN - len, "%s%s",
                                    len > 0 ? "." : "", n);
        if (i <= r->parsing.depth && level->id[0] != 0)
            *id = (og_bytes){level->id, strlen(level->id)};
    }
    if (len == 0 && r->page[0] != 0) snprintf(out, CHAIN_LEN, "p. %s", r->page);
}

static void cite(struct reading *r)
{
    char name[CHAIN_LEN];
    og_bytes id;
    r->cite_next = false;
    chain_of(r, name, &id);
    if (!r->is_named)
        snprintf(name, sizeof(name), "line %d",
                 xmlSAX2GetLineNumber(r->parsing.context));
    if (name[0] == 0 && id.len > 0)
        snprintf(name, sizeof(name), "#%.*s", (int)id.len, id.data);
    if (name[0] == 0) return;
    og_citations_add(r->citations, r->xml->text.len,
                     (og_bytes){name, strlen(name)}, id);
}

static void copy_attribute(char out[NAME_LEN], const xmlChar **attribute)
{
    const size_t len = (size_t)(attribute[4] - attribute[3]);
    if (len == 0 || len >= NAME_LEN) return;
    memcpy(out, attribute[3], len);
    out[len] = 0;
}

/* The n and the id of an element; in P4 the id has no prefix. */
static void take_names(struct reading *r, const char *name, int n_attributes,
                       const xmlChar **attributes)
{
    struct level *const level = &r->levels[r->parsing.depth];
    const bool is_page = strcmp(name, "pb") == 0;
    const bool is_milestone =
        strcmp(name, "milestone") == 0 || strcmp(name, "lb") == 0;
    for (int i = 0; i < n_attributes; i++) {
        const xmlChar **attribute = attributes + i * 5;
        const char *what = (const char *)attribute[0];
        const bool is_id = strcmp(what, "id") == 0;
        if (!is_id && strcmp(what, "n") != 0) continue;
        if (!r->is_named) og_citations_clear(r->citations); /* lines */
        r->is_named = r->cite_next = true;
        if (is_id)
            copy_attribute(level->id, attribute);
        else if (is_page)
            copy_attribute(r->page, attribute);
        else
            copy_attribute(is_milestone ? r->milestone : level->n, attribute);
        if (!is_id && !is_page && !is_milestone) r->milestone[0] = 0;
    }
}

/* Begins a heading's line when its first word comes. */
static void write_words(struct reading *r, const char *p, size_t len)
{
    struct level *const level = &r->levels[r->parsing.depth];
    const char *const end = p + len;
    while (p < end) {
        const char *word = p;
        while (word < end && og_is_space(*word))
            word++;
        if (word > p) r->due.has_space = true;
        p = word;
        p = og_words_end(p, end);
        if (p == word) break;
        settle(r);
        if (r->cite_next) cite(r);
        if (level->is_heading && !level->has_text) put(r, "## ", 3);
        level->has_text = true;
        put(r, word, (size_t)(p - word));
    }
}

static void add_to_date(struct reading *r, const char *data, size_t len);

static void on_text(void *ctx, const xmlChar *data, int len)
{
    struct reading *const r = ctx;
    const char *const text = (const char *)data;
    switch ((enum place)r->levels[r->parsing.depth].place) {
    case PLACE_TEXT: write_words(r, text, (size_t)len); break;
    case PLACE_TITLE: og_pack_bytes(&r->xml->title, text, (size_t)len); break;
    case PLACE_HEADER: add_to_date(r, text, (size_t)len); break;
    case PLACE_SILENT: break;
    }
}

/* ---- the header ---- */

/* The edition and the publication of the source are dates of the source. */
static int rank_of_element(const char *name)
{
    if (strcmp(name, "creation") == 0) return RANK_CREATION;
    if (strcmp(name, "sourceDesc") == 0) return RANK_SOURCE;
    if (strcmp(name, "editionStmt") == 0) return RANK_EDITION;
    if (strcmp(name, "publicationStmt") == 0) return RANK_RELEASE;
    return 0;
}

/* 0: not a date of the text, but of a change to its file or the like. */
static int rank_here(const struct reading *r)
{
    for (int rank = N_RANKS - 1; rank > 0; rank--)
        if (r->n_inside[rank] > 0) return rank;
    return 0;
}

static bool offer_date(struct reading *r, int rank, og_bytes s)
{
    int64_t time;
    if (rank <= r->time_rank || !og_date_of_field(s, false, &time))
        return false;
    r->xml->time = time;
    r->xml->has_time = true;
    r->xml->time_source =
        rank == RANK_RELEASE ? OG_TIME_FILE : OG_TIME_METADATA;
    r->time_rank = rank;
    return true;
}

static bool is_date_attribute(const char *name)
{
    return strncmp(name, "when", 4) == 0 || strcmp(name, "value") == 0 ||
           strncmp(name, "notBefore", 9) == 0 || strncmp(name, "from", 4) == 0;
}

/* An attribute is meant for machines and takes precedence over the words. */
static void begin_date(struct reading *r, int n_attributes,
                       const xmlChar **attributes)
{
    const int rank = rank_here(r);
    bool is_found = false;
    for (int i = 0; i < n_attributes && !is_found; i++) {
        const char *const begin = (const char *)attributes[i * 5 + 3];
        const char *const end = (const char *)attributes[i * 5 + 4];
        if (is_date_attribute((const char *)attributes[i * 5]))
            is_found =
                offer_date(r, rank, (og_bytes){begin, (size_t)(end - begin)});
    }
    r->date_rank = is_found ? 0 : rank;
    r->date_len = 0;
}

static void end_date(struct reading *r)
{
    if (r->date_rank > 0)
        offer_date(r, r->date_rank, og_trim((og_bytes){r->date, r->date_len}));
    r->date_rank = 0;
}

/* Text that does not fit is not a date. */
static void add_to_date(struct reading *r, const char *data, size_t len)
{
    if (r->date_rank == 0) return;
    if (len > sizeof(r->date) - r->date_len) {
        r->date_rank = 0;
        return;
    }
    memcpy(r->date + r->date_len, data, len);
    r->date_len += len;
}

static enum place place_inside(struct reading *r, const char *name,
                               enum place outer)
{
    if (strcmp(name, "teiHeader") == 0) return PLACE_HEADER;
    if (strcmp(name, "fw") == 0) return PLACE_SILENT;
    if (outer == PLACE_HEADER && strcmp(name, "title") == 0 &&
        r->xml->title.len == 0)
        return PLACE_TITLE;
    return outer;
}

/* ---- events ---- */

/* Of the root, or of the text, which takes precedence. */
static void take_language(struct reading *r, const char *name, int n_attributes,
                          const xmlChar **attributes)
{
    if (r->parsing.depth != 1 && strcmp(name, "text") != 0) return;
    for (int i = 0; i < n_attributes; i++) {
        const xmlChar *const begin = attributes[i * 5 + 3];
        const size_t len = (size_t)(attributes[i * 5 + 4] - begin);
        if (strcmp((const char *)attributes[i * 5], "lang") == 0 && len > 0 &&
            len < sizeof(r->xml->language))
            snprintf(r->xml->language, sizeof(r->xml->language), "%.*s",
                     (int)len, (const char *)begin);
    }
}

static void on_start(void *ctx, const xmlChar *local, const xmlChar *prefix,
                     const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct reading *const r = ctx;
    const char *const name = (const char *)local;
    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces;
    (void)n_defaulted;
    if (r->parsing.depth + 1 == MAX_DEPTH) {
        og_xml_refuse(&r->parsing, "the document is nested too deep, at", name);
        return;
    }
    const struct level *const outer = &r->levels[r->parsing.depth++];
    struct level *const level = &r->levels[r->parsing.depth];
    *level = (struct level){
        .place = (uint8_t)place_inside(r, name, (enum place)outer->place),
        .is_block = !outer->has_text && !is_inline_name(name),
        .is_heading = is_heading_name(name)};
    if (is_paragraph_name(name)) level->is_block = true;
    if (level->place != PLACE_HEADER)
        take_language(r, name, n_attributes, attributes);
    if (level->place == PLACE_HEADER) {
        r->n_inside[rank_of_element(name)]++;
        if (strcmp(name, "date") == 0) begin_date(r, n_attributes, attributes);
    }
    if (level->place != PLACE_TEXT) return;
    if (level->is_block && !r->is_named) r->cite_next = true;
    take_names(r, name, n_attributes, attributes);
    if (level->is_block) og_due_break(&r->due, is_paragraph_name(name) ? 2 : 1);
    if (strcmp(name, "lb") == 0 || strcmp(name, "br") == 0)
        og_due_break(&r->due, 1);
    /* A heading within running text is a title that is mentioned. */
    if (outer->has_text) level->is_heading = false;
}

static void on_end(void *ctx, const xmlChar *local, const xmlChar *prefix,
                   const xmlChar *uri)
{
    struct reading *const r = ctx;
    const char *const name = (const char *)local;
    (void)prefix, (void)uri;
    if (r->parsing.depth == 0) return;
    const struct level *const level = &r->levels[r->parsing.depth--];
    if (level->place == PLACE_HEADER) {
        r->n_inside[rank_of_element(name)]--;
        if (strcmp(name, "date") == 0) end_date(r);
    }
    if (level->place != PLACE_TEXT) return;
    if (level->n[0] != 0 || level->id[0] != 0) r->cite_next = true;
    if (level->is_block) og_due_break(&r->due, is_paragraph_name(name) ? 2 : 1);
    if (!level->is_block && level->has_text)
        r->levels[r->parsing.depth].has_text = true;
}

/* ---- the whole ---- */

void og_xml_text_init(struct og_xml_text *xml, const og_allocator *allocator)
{
    memset(xml, 0, sizeof(*xml));
    xml->text.allocator = xml->title.allocator = allocator;
}

void og_xml_text_release(struct og_xml_text *xml)
{
    og_pack_release(&xml->text);
    og_pack_release(&xml->title);
}

static og_status check_memory(const struct og_xml_text *xml, og_error *err)
{
    if (!xml->text.failed && !xml->title.failed) return OG_OK;
    return og_error_memory(err, xml->text.len, "the text of XML");
}

og_status og_xml_text_read(struct og_xml_text *xml, og_bytes data,
                           struct og_citations *citations, og_error *err)
{
    struct reading r = {.xml = xml, .citations = citations};
    xmlSAXHandler handler = {.startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text,
                             .ignorableWhitespace = on_text,
                             .cdataBlock = on_text};
    xml->text.len = xml->title.len = 0;
    xml->text.failed = xml->title.failed = false;
    xml->has_time = false;
    xml->language[0] = 0;
    og_citations_clear(citations);
    const og_status status = og_xml_parse(&r.parsing, &handler, data, err);
    TRY(check_memory(xml, err));
    if (status != OG_OK) return status;
    const size_t len = xml->text.len;
    og_pack_bytes(&xml->text, (char[OG_BLOCK_PADDING]){0}, OG_BLOCK_PADDING);
    if (xml->text.failed) return og_error_memory(err, len, "the text of XML");
    xml->text.len = len;
    return OG_OK;
}
