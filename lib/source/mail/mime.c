#include "lib/source/mail/mime.h"

#include <string.h>

#include "lib/source/web/headers.h"

/* ---- base64 ---- */

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

void og_mime_base64(og_bytes s, struct og_pack *out)
{
    uint32_t bits = 0;
    int n_bits = 0;
    uint8_t piece[256];
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        const int value = base64_value(s.data[i]);
        if (s.data[i] == '=') n_bits = 0; /* another encoded block may follow */
        if (value < 0) continue;
        bits = bits << 6 | (uint32_t)value;
        n_bits += 6;
        if (n_bits < 8) continue;
        n_bits -= 8;
        piece[n++] = (uint8_t)(bits >> n_bits);
        if (n < sizeof(piece)) continue;
        og_pack_bytes(out, piece, n);
        n = 0;
    }
    og_pack_bytes(out, piece, n);
}

/* ---- quoted-printable ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* The byte of "=41"; -1: not an escape. */
static int quoted_byte(og_bytes s, size_t at)
{
    if (s.len - at < 3) return -1;
    const int high = hex_value(s.data[at + 1]);
    const int low = hex_value(s.data[at + 2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* After "=" and the newline that it removes; `at` if it removes none. */
static size_t soft_break(og_bytes s, size_t at)
{
    size_t next = at + 1;
    while (next < s.len && (s.data[next] == ' ' || s.data[next] == '\t'))
        next++;
    if (next < s.len && s.data[next] == '\r') next++;
    if (next < s.len && s.data[next] == '\n') return next + 1;
    return next == s.len ? next : at;
}

void og_mime_quoted(og_bytes s, struct og_pack *out)
{
    size_t at = 0;
    while (at < s.len) {
        const char *const equals = memchr(s.data + at, '=', s.len - at);
        const size_t end = equals == NULL ? s.len : (size_t)(equals - s.data);
        og_pack_bytes(out, s.data + at, end - at);
        at = end;
        if (at == s.len) break;
        const size_t next = soft_break(s, at);
        const int byte = quoted_byte(s, at);
        if (next != at) {
            at = next;
        } else if (byte >= 0) {
            og_pack_bytes(out, &(char){(char)byte}, 1);
            at += 3;
        } else {
            og_pack_bytes(out, "=", 1);
            at++;
        }
    }
}

/* ---- headers ---- */

struct encoded {
    og_bytes charset, text;
    char how; /* 'q' or 'b' */
    size_t len;
};

/* =?charset?Q?text?= at the beginning of s. */
static bool read_encoded(og_bytes s, struct encoded *out)
{
    if (s.len < 8 || memcmp(s.data, "=?", 2) != 0) return false;
    const char *const end = s.data + s.len;
    const char *const charset = s.data + 2;
    const char *const mark = memchr(charset, '?', (size_t)(end - charset));
    if (mark == NULL || end - mark < 4 || mark[2] != '?') return false;
    const char *const text = mark + 3;
    const char *p = text;
    while (end - p >= 2 && !(p[0] == '?' && p[1] == '=')) {
        if (*p == '\n' && end - p > 1 && p[1] != ' ' && p[1] != '\t')
            return false;
        p++;
    }
    if (end - p < 2) return false;
    size_t charset_len = (size_t)(mark - charset);
    const char *const star = memchr(charset, '*', charset_len);
    if (star != NULL) charset_len = (size_t)(star - charset);
    *out = (struct encoded){.charset = {charset, charset_len},
                            .text = {text, (size_t)(p - text)},
                            .how = (char)(mark[1] | 0x20),
                            .len = (size_t)(p + 2 - s.data)};
    return out->how == 'q' || out->how == 'b';
}

static og_status decode_word(const struct encoded *word,
                             struct og_charset *charset,
                             struct og_pack *scratch, struct og_pack *out,
                             og_error *err)
{
    scratch->len = 0;
    if (word->how == 'b') {
        og_mime_base64(word->text, scratch);
    } else {
        og_mime_quoted(word->text, scratch);
        for (size_t i = 0; i < scratch->len; i++)
            if (scratch->data[i] == '_') scratch->data[i] = ' ';
    }
    og_bytes text;
    TRY(og_charset_convert(
        charset, (og_bytes){(const char *)scratch->data, scratch->len},
        word->charset, &text, err));
    og_pack_bytes(out, text.data, text.len);
    return OG_OK;
}

/* Space between two encoded words is dropped. */
static size_t space_before_word(og_bytes s, size_t at)
{
    size_t next = at;
    while (next < s.len && strchr(" \t\r\n", s.data[next]) != NULL &&
           s.data[next] != 0)
        next++;
    struct encoded word;
    const og_bytes rest = {s.data + next, s.len - next};
    return read_encoded(rest, &word) ? next : at;
}

og_status og_mime_header(og_bytes s, struct og_charset *charset,
                         struct og_pack *scratch, struct og_pack *out,
                         og_error *err)
{
    struct encoded word;
    size_t at = 0;
    const size_t begin = out->len;
    while (at < s.len) {
        const og_bytes rest = {s.data + at, s.len - at};
        if (read_encoded(rest, &word)) {
            TRY(decode_word(&word, charset, scratch, out, err));
            at = space_before_word(s, at + word.len);
            continue;
        }
        if (s.data[at] != '\r' && s.data[at] != '\n')
            og_pack_bytes(out, s.data + at, 1);
        at++;
    }
    /* A single line, whatever was decoded. */
    for (size_t i = begin; i < out->len; i++)
        if (out->data[i] < ' ') out->data[i] = ' ';
    return OG_OK;
}
