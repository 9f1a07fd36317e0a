/* UTF-16 can be recognised without a mark: blanks, line ends, digits and the
 * punctuation of Chinese and Japanese are in every text, and with the bytes of
 * each pair swapped they are other characters, or none. */

#include "lib/source/recode.h"

#include <errno.h>
#include <string.h>
#include <utf8proc.h>

#include "lib/base/status.h"

static bool has_mark(og_bytes s, const char *mark, size_t len)
{
    return s.len >= len && memcmp(s.data, mark, len) == 0;
}

const char *og_recode_of_mark(og_bytes head, size_t *out_len)
{
    *out_len = 4;
    if (has_mark(head, "\xff\xfe\0\0", 4)) return "UTF-32LE";
    if (has_mark(head, "\0\0\xfe\xff", 4)) return "UTF-32BE";
    *out_len = 2;
    if (has_mark(head, "\xff\xfe", 2)) return "UTF-16LE";
    if (has_mark(head, "\xfe\xff", 2)) return "UTF-16BE";
    *out_len = 0;
    return NULL;
}

/* ---- without a mark ---- */

struct look {
    size_t n, n_bad, n_usual;
};

static bool is_usual(unsigned c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t' ||
           (c >= 0x3001 && c < 0x3100) || c == 0xff0c;
}

static bool is_bad(unsigned c)
{
    if (c == '\n' || c == '\r' || c == '\t') return false;
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return category == UTF8PROC_CATEGORY_CN ||
           category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CO;
}

static struct look look_at(og_bytes s, bool is_little)
{
    struct look look = {0, 0, 0};
    unsigned high = 0; /* the first half of a pair */
    for (size_t i = 0; i + 1 < s.len; i += 2) {
        const unsigned a = (unsigned char)s.data[i];
        const unsigned b = (unsigned char)s.data[i + 1];
        const unsigned c = is_little ? b << 8 | a : a << 8 | b;
        const bool is_low = c >= 0xdc00 && c < 0xe000;
        const bool is_high = c >= 0xd800 && c < 0xdc00;
        look.n++;
        look.n_usual += is_usual(c);
        look.n_bad += is_low != (high != 0);
        if (!is_low && !is_high) look.n_bad += is_bad(c);
        high = is_high ? c : 0;
    }
    return look;
}

/* Nearly all are characters, and some are those of every text. */
static bool is_text(const struct look *look)
{
    return look->n_bad * 50 <= look->n && look->n_usual * 40 >= look->n;
}

const char *og_recode_guess(og_bytes head)
{
    if (head.len < 4) return NULL;
    const struct look little = look_at(head, true);
    const struct look big = look_at(head, false);
    const bool may_little = is_text(&little), may_big = is_text(&big);
    if (may_little && (!may_big || little.n_usual > 4 * big.n_usual))
        return "UTF-16LE";
    if (may_big && (!may_little || big.n_usual > 4 * little.n_usual))
        return "UTF-16BE";
    return NULL;
}

/* ---- converting ---- */

og_status og_recode_open(struct og_recode *r, const char *charset,
                         og_error *err)
{
    og_recode_close(r);
    r->iconv = iconv_open("UTF-8", charset);
    if (r->iconv == (iconv_t)-1)
        return og_error_set(err, OG_ERR_INPUT, "this system cannot read %s",
                            charset);
    r->charset = charset;
    return OG_OK;
}

void og_recode_close(struct og_recode *r)
{
    if (r->charset != NULL) iconv_close(r->iconv);
    *r = (struct og_recode){.charset = NULL};
}

/* Two bytes become at most three; a broken sequence becomes three of U+FFFD. */
size_t og_recode_room(size_t len)
{
    return 3 * (len + sizeof(((struct og_recode *)0)->rest));
}

static char *put_unknown(char *out)
{
    memcpy(out, "\xef\xbf\xbd", 3);
    return out + 3;
}

/* Returns the end of the output; the rest of `in` is the beginning of a
 * character. */
static char *convert(struct og_recode *r, og_bytes *in, char *out)
{
    const size_t unit = strncmp(r->charset, "UTF-32", 6) == 0 ? 4 : 2;
    char *from = (char *)in->data;
    size_t left = in->len;
    while (left > 0) {
        size_t room = og_recode_room(left);
        const size_t result = iconv(r->iconv, &from, &left, &out, &room);
        if (result != (size_t)-1 || errno != EILSEQ || left < unit) break;
        out = put_unknown(out);
        from += unit;
        left -= unit;
    }
    *in = (og_bytes){from, left};
    return out;
}

size_t og_recode_run(struct og_recode *r, og_bytes in, bool is_last, char *out)
{
    char *at = out;
    while (r->rest_len > 0 && in.len > 0) {
        r->rest[r->rest_len++] = *in.data++;
        in.len--;
        og_bytes whole = {r->rest, r->rest_len};
        at = convert(r, &whole, at);
        /* An unpaired half may be followed by half of another pair. */
        memmove(r->rest, whole.data, whole.len);
        r->rest_len = whole.len < sizeof(r->rest) ? whole.len : 0;
    }
    if (r->rest_len == 0) {
        at = convert(r, &in, at);
        r->rest_len = in.len < sizeof(r->rest) ? in.len : 0;
        memcpy(r->rest, in.data, r->rest_len);
    }
    if (is_last && r->rest_len > 0) at = put_unknown(at);
    if (is_last) r->rest_len = 0;
    return (size_t)(at - out);
}
