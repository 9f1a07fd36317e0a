/* Any bytes, declared to be in any charset or in none, become text of a bounded
 * length that ends in readable bytes; and text in UTF-16 or UTF-32 comes out
 * the same in however many pieces it arrives. The first byte chooses. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/source/charset.h"
#include "lib/source/recode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void convert(const char *declared, og_bytes bytes)
{
    struct og_charset charset;
    og_bytes out;
    og_error err;
    og_charset_init(&charset, NULL);
    if (og_charset_convert(&charset, bytes,
                           (og_bytes){declared, strlen(declared)}, &out,
                           &err) != OG_OK)
        abort();
    if (out.len > 4 * bytes.len + 64) abort();
    const bool is_view =
        out.data >= bytes.data && out.data + out.len <= bytes.data + bytes.len;
    for (size_t i = 0; !is_view && i < 64; i++)
        if (out.data[out.len + i] != 0) abort();
    og_charset_release(&charset);
}

static size_t recode(const char *charset, og_bytes bytes, size_t step,
                     char *out)
{
    struct og_recode recode = {.charset = NULL};
    size_t len = 0;
    og_error err;
    if (og_recode_open(&recode, charset, &err) != OG_OK) return 0;
    for (size_t at = 0; at < bytes.len; at += step) {
        const size_t n = bytes.len - at < step ? bytes.len - at : step;
        len += og_recode_run(&recode, (og_bytes){bytes.data + at, n},
                             at + n == bytes.len, out + len);
    }
    og_recode_close(&recode);
    return len;
}

static void compare_pieces(const char *charset, og_bytes bytes, size_t step)
{
    const size_t room = 2 * og_recode_room(bytes.len + 16);
    char *const whole = malloc(room), *const pieces = malloc(room);
    if (whole != NULL && pieces != NULL && bytes.len > 0) {
        const size_t len = recode(charset, bytes, bytes.len, whole);
        if (recode(charset, bytes, step, pieces) != len ||
            memcmp(whole, pieces, len) != 0)
            abort();
    }
    free(whole);
    free(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const declared[] = {
        "",        "utf-8",       "iso-8859-1", "shift_jis",
        "gb2312",  "iso-2022-jp", "big5",       "euc-kr",
        "utf-7",   "euc-jp",      "koi8-r",     "hz-gb-2312",
        "tis-620", "none/such",   "UTF-16",     "iso-2022-kr"};
    static const char *const wide[] = {"UTF-16LE", "UTF-16BE", "UTF-32LE",
                                       "UTF-32BE"};
    if (len == 0) return 0;
    const og_bytes bytes = {(const char *)data + 1, len - 1};
    convert(declared[data[0] & 15], bytes);
    compare_pieces(wide[data[0] >> 4 & 3], bytes, 1 + (data[0] >> 6) * 3);
    og_charset_of_html(bytes);
    og_charset_language_of_html(bytes);
    og_charset_of_xml(bytes);
    og_charset_of_type(bytes);
    og_recode_guess(bytes);
    return 0;
}
