#define _GNU_SOURCE /* memmem */
#include "lib/source/charset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/source/charset_guess.h"
#include "lib/source/recode.h"

/* The bytes examined to guess a charset or to find a declaration. */
#define GUESS_LEN   ((size_t)64 << 10)
#define DECLARE_LEN ((size_t)4 << 10)

void og_charset_init(struct og_charset *c, const og_allocator *allocator)
{
    memset(c, 0, sizeof(*c));
    c->iconv = (iconv_t)-1;
    c->text.allocator = allocator;
}

void og_charset_release(struct og_charset *c)
{
    if (c->iconv != (iconv_t)-1) iconv_close(c->iconv);
    og_pack_release(&c->text);
    og_charset_init(c, c->text.allocator);
}

/* ---- labels ---- */

static const struct {
    const char *label, *name; /* the name that iconv uses */
} known_labels[] = {
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"unicode-1-1-utf-8", "UTF-8"},
    {"utf-16", "UTF-8"}, /* if a declaration is readable, it is not UTF-16 */
    {"utf-16le", "UTF-8"},
    {"utf-16be", "UTF-8"},
    {"iso-8859-1", "CP1252"},
    {"iso8859-1", "CP1252"},
    {"iso_8859-1", "CP1252"},
    {"latin1", "CP1252"},
    {"latin-1", "CP1252"},
    {"l1", "CP1252"},
    {"ascii", "CP1252"},
    {"us-ascii", "CP1252"},
    {"ansi_x3.4-1968", "CP1252"},
    {"x-user-defined", "CP1252"},
    {"x-cp1252", "CP1252"},
    {"iso-8859-9", "CP1254"},
    {"latin5", "CP1254"},
    {"iso-8859-11", "CP874"},
    {"tis-620", "CP874"},
    {"windows-874", "CP874"},
    {"gb2312", "GB18030"},
    {"gb_2312-80", "GB18030"},
    {"gbk", "GB18030"},
    {"x-gbk", "GB18030"},
    {"hz-gb-2312", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"x-x-big5", "BIG5-HKSCS"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"x-sjis", "CP932"},
    {"ms_kanji", "CP932"},
    {"windows-31j", "CP932"},
    {"x-euc-jp", "EUC-JP"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
    {"ksc5601", "CP949"},
    {"korean", "CP949"},
    {"macintosh", "MACINTOSH"},
    {"x-mac-roman", "MACINTOSH"},
    {"x-mac-cyrillic", "MAC-CYRILLIC"},
    {"koi8-r", "KOI8-R"},
};

/* Only characters of a label: iconv takes instructions after a slash. */
static bool is_label(og_bytes s)
{
    if (s.len == 0 || s.len >= 40) return false;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.data[i];
        const bool is_fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                             (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
                             c == '.' || c == ':' || c == '+';
        if (!is_fine) return false;
    }
    return true;
}

/* The name by which iconv knows it. */
static bool resolve(og_bytes label, char out[40])
{
    if (!is_label(label)) return false;
    snprintf(out, 40, "%.*s", (int)label.len, label.data);
    const size_t n = sizeof(known_labels) / sizeof(known_labels[0]);
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(known_labels[i].label, out) == 0) {
            snprintf(out, 40, "%s", known_labels[i].name);
            break;
        }
    return true;
}

static bool is_utf8_name(const char *name)
{
    return strcasecmp(name, "UTF-8") == 0;
}

/* Charsets whose text consists of ASCII bytes with another meaning. */
static bool is_seven_bit(const char *name)
{
    return strncasecmp(name, "iso-2022", 8) == 0 ||
           strncasecmp(name, "utf-7", 5) == 0;
}

/* Charsets of two-byte characters, a few of which may happen to be valid
 * UTF-8. */
static bool is_multibyte(const char *name)
{
    static const char *const names[] = {"GB18030", "BIG5", "CP932", "CP949",
                                        "EUC",     "GB",   "Johab"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncasecmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* ---- is it UTF-8? ---- */

struct census {
    size_t n_sequences, n_bad;
};

/* The length of a valid sequence of two or more bytes at p; 0: none. */
static size_t sequence_len(const unsigned char *p, size_t left)
{
    const unsigned char c = p[0];
    const size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || left < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ||
        (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static struct census take_census(og_bytes s)
{
    struct census census = {0, 0};
    const unsigned char *const p = (const unsigned char *)s.data;
    size_t i = 0;
    while (i < s.len) {
        while (s.len - i >= 8 && (og_load64(p + i) & 0x8080808080808080u) == 0)
            i += 8;
        if (i == s.len) break;
        if (p[i] < 0x80) {
            i++;
            continue;
        }
        const size_t len = sequence_len(p + i, s.len - i);
        census.n_sequences += len > 0;
        census.n_bad += len == 0;
        i += len > 0 ? len : 1;
    }
    return census;
}

/* ---- guessing ---- */

static bool guess(og_bytes bytes, char out[40])
{
    if (bytes.len > GUESS_LEN) bytes.len = GUESS_LEN;
    char name[40];
    return og_charset_guess(bytes, name) &&
           resolve((og_bytes){name, strlen(name)}, out);
}

/* ---- converting ---- */

static bool open_label(struct og_charset *c, const char *name)
{
    if (c->iconv != (iconv_t)-1 && strcmp(c->label, name) == 0) {
        iconv(c->iconv, NULL, NULL, NULL, NULL);
        return true;
    }
    if (c->iconv != (iconv_t)-1) iconv_close(c->iconv);
    c->iconv = iconv_open("UTF-8", name);
    snprintf(c->label, sizeof(c->label), "%s", name);
    return c->iconv != (iconv_t)-1;
}

static og_status run_iconv(struct og_charset *c, og_bytes bytes, og_bytes *out,
                           og_error *err)
{
    char piece[16384];
    char *in = (char *)bytes.data;
    size_t in_len = bytes.len;
    c->text.len = 0;
    while (in_len > 0) {
        char *to = piece;
        size_t room = sizeof(piece);
        const size_t result = iconv(c->iconv, &in, &in_len, &to, &room);
        const int error = result == (size_t)-1 ? errno : 0;
        og_pack_bytes(&c->text, piece, (size_t)(to - piece));
        if (error == EINVAL || error == EILSEQ) {
            og_pack_bytes(&c->text, "\xef\xbf\xbd", 3);
            in++;
            in_len--;
            iconv(c->iconv, NULL, NULL, NULL, NULL);
        }
    }
    /* Readable past the end, like all text. */
    const size_t len = c->text.len;
    og_pack_bytes(&c->text, (char[64]){0}, 64);
    c->text.len = len;
    if (c->text.failed) {
        c->text.failed = false;
        return og_error_memory(err, bytes.len, "a text in another charset");
    }
    *out = (og_bytes){(const char *)c->text.data, len};
    return OG_OK;
}

static bool has_mark(og_bytes s, const char *mark, size_t len)
{
    return s.len >= len && memcmp(s.data, mark, len) == 0;
}

/* The iconv name of a byte order mark, and its length. */
static const char *mark_of(og_bytes s, size_t *out_len)
{
    *out_len = 4;
    if (has_mark(s, "\xff\xfe\0\0", 4)) return "UTF-32LE";
    if (has_mark(s, "\0\0\xfe\xff", 4)) return "UTF-32BE";
    *out_len = 2;
    if (has_mark(s, "\xff\xfe", 2)) return "UTF-16LE";
    if (has_mark(s, "\xfe\xff", 2)) return "UTF-16BE";
    *out_len = 3;
    if (has_mark(s, "\xef\xbb\xbf", 3)) return "UTF-8";
    *out_len = 0;
    return NULL;
}

/* ISO 2022 switches character sets by escape sequences, which ASCII text does
 * not contain. */
static bool is_escaped(og_bytes s, char name[40])
{
    static const struct {
        const char *escape, *name;
    } sets[] = {{"\x1b$B", "ISO-2022-JP"},
                {"\x1b$@", "ISO-2022-JP"},
                {"\x1b$)C", "ISO-2022-KR"}};
    if (s.len > GUESS_LEN) s.len = GUESS_LEN;
    if (memchr(s.data, 0x1b, s.len) == NULL) return false;
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        if (memmem(s.data, s.len, sets[i].escape, strlen(sets[i].escape)) !=
            NULL) {
            snprintf(name, 40, "%s", sets[i].name);
            return true;
        }
    return false;
}

/* Determines the charset of the bytes; false: UTF-8, valid or not. */
static bool decide(og_bytes bytes, og_bytes declared, char name[40])
{
    const og_bytes head = {bytes.data,
                           bytes.len < GUESS_LEN ? bytes.len : GUESS_LEN};
    const struct census census = take_census(bytes);
    const bool is_declared = resolve(declared, name);
    if (census.n_sequences == 0 && census.n_bad == 0)
        return (is_declared && is_seven_bit(name)) || is_escaped(bytes, name);
    if (census.n_bad == 0)
        return is_declared && is_multibyte(name) && census.n_sequences < 4;
    if (is_declared && !is_utf8_name(name)) return true;
    /* UTF-8 with a few invalid bytes is still UTF-8. */
    if (census.n_sequences > census.n_bad) return false;
    const char *const wide = is_declared ? NULL : og_recode_guess(head);
    if (wide != NULL) {
        snprintf(name, 40, "%s", wide);
        return true;
    }
    if (!guess(bytes, name)) snprintf(name, 40, "CP1252");
    return !is_utf8_name(name);
}

og_status og_charset_convert(struct og_charset *c, og_bytes bytes,
                             og_bytes declared, og_bytes *out, og_error *err)
{
    static const char nothing[64]; /* readable past its end, too */
    char name[40];
    size_t mark_len;
    *out = (og_bytes){nothing, 0};
    if (bytes.len == 0) return OG_OK;
    const char *const mark = mark_of(bytes, &mark_len);
    bytes.data += mark_len;
    bytes.len -= mark_len;
    *out = bytes;
    if (mark != NULL) {
        if (is_utf8_name(mark)) return OG_OK;
        snprintf(name, sizeof(name), "%s", mark);
    } else if (!decide(bytes, declared, name)) {
        return OG_OK;
    }
    if (!open_label(c, name)) {
        /* Declared but unknown: guess from the bytes. */
        if (!guess(bytes, name) || is_utf8_name(name) || !open_label(c, name))
            return OG_OK;
    }
    return run_iconv(c, bytes, out, err);
}

/* ---- declarations ---- */

static const char *find_label(const char *p, const char *end, const char *word)
{
    const size_t len = strlen(word);
    for (; (size_t)(end - p) >= len; p++)
        if (strncasecmp(p, word, len) == 0) return p;
    return NULL;
}

/* The value after `word` and an equals sign, in quotes or not. */
static og_bytes value_of(const char *p, const char *end, const char *word)
{
    p = find_label(p, end, word);
    if (p == NULL) return (og_bytes){"", 0};
    p += strlen(word);
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == end || *p != '=') return (og_bytes){"", 0};
    p++;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '"' || *p == '\''))
        p++;
    const char *const begin = p;
    while (p < end && strchr(" \t\r\n\"';/>?,", *p) == NULL)
        p++;
    return (og_bytes){begin, (size_t)(p - begin)};
}

og_bytes og_charset_of_xml(og_bytes xml)
{
    const size_t len = xml.len < 512 ? xml.len : 512;
    const char *p = memmem(xml.data, len, "<?xml", 5);
    if (p == NULL) return (og_bytes){"", 0};
    const char *const end = memchr(p, '>', (size_t)(xml.data + len - p)) != NULL
                                ? memchr(p, '>', (size_t)(xml.data + len - p))
                                : xml.data + len;
    return value_of(p, end, "encoding");
}

og_bytes og_charset_of_html(og_bytes html)
{
    const size_t len = html.len < DECLARE_LEN ? html.len : DECLARE_LEN;
    const char *const end = html.data + len;
    const char *p = html.data;
    while ((p = find_label(p, end, "<meta")) != NULL) {
        const char *const tag_end = memchr(p, '>', (size_t)(end - p));
        const og_bytes value =
            value_of(p, tag_end == NULL ? end : tag_end, "charset");
        if (value.len > 0) return value;
        p += 5;
    }
    return og_charset_of_xml(html);
}

og_bytes og_charset_of_type(og_bytes content_type)
{
    return value_of(content_type.data, content_type.data + content_type.len,
                    "charset");
}

og_bytes og_charset_language_of_html(og_bytes html)
{
    const size_t len = html.len < DECLARE_LEN ? html.len : DECLARE_LEN;
    const char *const end = html.data + len;
    const char *const tag = find_label(html.data, end, "<html");
    if (tag == NULL) return (og_bytes){"", 0};
    const char *const tag_end = memchr(tag, '>', (size_t)(end - tag));
    const og_bytes value =
        value_of(tag, tag_end == NULL ? end : tag_end, "lang");
    return is_label(value) ? value : (og_bytes){"", 0};
}
