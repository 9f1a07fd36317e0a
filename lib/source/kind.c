/* Each kind has a signature that no other text begins with: WARC/1.0,
 * filedesc://, From and a clock, headers of a mail (at least two of those that
 * every mail has), a doctype or a tag. */

#define _GNU_SOURCE /* memmem, strcasestr */
#include "lib/source/kind.h"

#include <string.h>
#include <strings.h>

#include "lib/source/web/headers.h"

/* ---- names ---- */

static const char *const kind_names[] = {"auto", "text", "jsonl", "html",
                                         "warc", "arc",  "mbox",  "mail",
                                         "xml",  "json", "csv",   "tsv"};

static const enum og_block_kind block_kinds[] = {
    OG_BLOCK_EMPTY, OG_BLOCK_TEXT, OG_BLOCK_LINES, OG_BLOCK_HTML,
    OG_BLOCK_WARC,  OG_BLOCK_ARC,  OG_BLOCK_MBOX,  OG_BLOCK_MAIL,
    OG_BLOCK_XML,   OG_BLOCK_JSON, OG_BLOCK_CSV,   OG_BLOCK_CSV};

#define N_KINDS (sizeof(kind_names) / sizeof(kind_names[0]))
_Static_assert(N_KINDS == OG_FILE_TSV + 1 &&
                   N_KINDS == sizeof(block_kinds) / sizeof(block_kinds[0]),
               "one name and one block for each");

bool og_file_kind_parse(og_bytes name, og_file_kind *out)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strlen(kind_names[i]) == name.len &&
            memcmp(kind_names[i], name.data, name.len) == 0) {
            *out = (og_file_kind)i;
            return true;
        }
    return false;
}

const char *og_file_kind_name(og_file_kind kind)
{
    return (size_t)kind < N_KINDS ? kind_names[kind] : "?";
}

enum og_block_kind og_kind_of_file_kind(og_file_kind kind)
{
    return (size_t)kind < N_KINDS ? block_kinds[kind] : OG_BLOCK_EMPTY;
}

static bool ends_in(const char *name, size_t *len, const char *ending)
{
    const size_t n = strlen(ending);
    if (*len < n || strncasecmp(name + *len - n, ending, n) != 0) return false;
    *len -= n;
    return true;
}

static size_t unpacked_len(const char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".bz2", ".xz"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (ends_in(name, &len, endings[i])) break;
    return len;
}

bool og_kind_has_ending(const char *name, const char *ending)
{
    size_t len = unpacked_len(name);
    return ends_in(name, &len, ending);
}

bool og_kind_is_jsonl_name(const char *name)
{
    return og_kind_has_ending(name, ".jsonl") ||
           og_kind_has_ending(name, ".ndjson");
}

static bool is_xml_name(const char *name)
{
    return og_kind_has_ending(name, ".xml") || og_kind_has_ending(name, ".tei");
}

static bool is_html_name(const char *name)
{
    return og_kind_has_ending(name, ".html") ||
           og_kind_has_ending(name, ".htm");
}

/* ---- markup ---- */

static og_bytes skip_blank(og_bytes s)
{
    while (s.len > 0 && strchr(" \t\r\n", s.data[0]) != NULL &&
           s.data[0] != 0) {
        s.data++;
        s.len--;
    }
    return s;
}

static og_bytes skip_to(og_bytes s, const char *end)
{
    const char *const found = memmem(s.data, s.len, end, strlen(end));
    if (found == NULL) return (og_bytes){s.data + s.len, 0};
    const size_t n = (size_t)(found - s.data) + strlen(end);
    return (og_bytes){s.data + n, s.len - n};
}

/* "<name" followed by a delimiter. */
static bool is_tag(og_bytes s, const char *name)
{
    const size_t len = strlen(name);
    return s.len > len + 1 && s.data[0] == '<' &&
           strncasecmp(s.data + 1, name, len) == 0 &&
           strchr(" \t\r\n>/", s.data[len + 1]) != NULL && s.data[len + 1] != 0;
}

/* Tags that begin a page or a fragment of one. */
static bool is_html_tag(og_bytes s)
{
    static const char *const names[] = {
        "html",     "head", "body",   "title", "meta",   "link",    "script",
        "style",    "div",  "p",      "table", "center", "article", "section",
        "main",     "h1",   "h2",     "h3",    "ul",     "ol",      "font",
        "frameset", "base", "header", "span",  "br",     "hr",      NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (is_tag(s, names[i])) return true;
    return false;
}

static enum og_block_kind kind_of_markup(og_bytes s, const char *name)
{
    bool is_xml = is_xml_name(name);
    for (;;) {
        s = skip_blank(s);
        if (og_begins_with(s, "<?xml")) is_xml = true;
        if (og_begins_with(s, "<?")) {
            s = skip_to(s, "?>");
        } else if (og_begins_with(s, "<!--")) {
            s = skip_to(s, "-->");
        } else if (og_begins_with(s, "<!doctype")) {
            const og_bytes type = skip_blank((og_bytes){s.data + 9, s.len - 9});
            return og_begins_with(type, "html") ? OG_BLOCK_HTML : OG_BLOCK_XML;
        } else {
            break;
        }
    }
    if (is_tag(s, "html")) return OG_BLOCK_HTML;
    if (is_xml && s.len > 0 && s.data[0] == '<') return OG_BLOCK_XML;
    if (is_tag(s, "TEI") || is_tag(s, "TEI.2") || is_tag(s, "teiCorpus"))
        return OG_BLOCK_XML;
    return is_html_tag(s) || is_html_name(name) ? OG_BLOCK_HTML : OG_BLOCK_TEXT;
}

/* ---- mails ---- */

static bool is_field_name(og_bytes line, size_t *out_len)
{
    size_t n = 0;
    while (n < line.len && line.data[n] > ' ' && line.data[n] != ':' &&
           line.data[n] != 127)
        n++;
    *out_len = n;
    return n > 0 && n < line.len && line.data[n] == ':';
}

/* Headers down to an empty line, at least two of them typical of mail. */
static bool is_mail(og_bytes head)
{
    static const char *const names[] = {
        "Received:",     "Return-Path:", "Message-ID:", "MIME-Version:",
        "From:",         "To:",          "Subject:",    "Date:",
        "Delivered-To:", "Cc:",          "Reply-To:",   "X-Mailer:"};
    enum { N_NAMES = sizeof(names) / sizeof(names[0]) };
    bool seen[N_NAMES] = {false};
    size_t pos = 0, n_known = 0, name_len;
    og_bytes line;
    while (og_next_line(head, &pos, &line) && line.len > 0) {
        const bool is_continuation =
            line.data[0] == ' ' || line.data[0] == '\t';
        if (is_continuation && n_known > 0) continue;
        if (!is_field_name(line, &name_len)) return false;
        for (size_t i = 0; i < N_NAMES; i++)
            if (!seen[i] && og_begins_with(line, names[i])) {
                seen[i] = true;
                n_known++;
            }
    }
    return n_known >= 2;
}

static bool is_mbox(og_bytes head)
{
    size_t pos = 0, name_len;
    og_bytes line;
    if (head.len < 5 || memcmp(head.data, "From ", 5) != 0) return false;
    og_next_line(head, &pos, &line);
    return og_next_line(head, &pos, &line) && is_field_name(line, &name_len);
}

/* ---- the kind ---- */

/* Every second byte of UTF-16: enough to see a tag. */
static og_bytes narrow(og_bytes head, char *out, size_t cap)
{
    const bool is_little = (unsigned char)head.data[0] == 0xff;
    size_t n = 0;
    for (size_t i = is_little ? 2 : 3; i < head.len && n < cap; i += 2)
        out[n++] = head.data[i];
    return (og_bytes){out, n};
}

enum og_block_kind og_kind_of(og_bytes head, const char *name)
{
    char narrowed[1024];
    if (head.len >= 2 && (memcmp(head.data, "\xff\xfe", 2) == 0 ||
                          memcmp(head.data, "\xfe\xff", 2) == 0))
        head = narrow(head, narrowed, sizeof(narrowed));
    if (og_begins_with(head, "WARC/") && head.len > 6 && head.data[6] == '.')
        return OG_BLOCK_WARC;
    if (og_begins_with(head, "filedesc:")) return OG_BLOCK_ARC;
    if (is_mbox(head)) return OG_BLOCK_MBOX;
    if (is_mail(head)) return OG_BLOCK_MAIL;
    const og_bytes s = skip_blank(head);
    if (s.len > 0 && s.data[0] == '<') return kind_of_markup(s, name);
    return OG_BLOCK_TEXT;
}
