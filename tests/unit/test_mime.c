/* Base64 and quoted-printable, and words of other charsets in headers. */

#include "tests/unit/stage_support.h"

#include "lib/source/mail/mime.h"
#include <string.h>

static og_bytes bytes(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void expect(struct og_pack *out, const char *expected)
{
    assert_false(out->failed);
    assert_int_equal(out->len, strlen(expected));
    assert_memory_equal(out->data, expected, out->len);
    out->len = 0;
}

/* RFC 4648, section 10; line ends and bad digits are skipped. */
static void base64(void **state)
{
    struct og_pack out = {0};
    (void)state;
    og_mime_base64(bytes("Zg=="), &out);
    expect(&out, "f");
    og_mime_base64(bytes("Zm9v\r\nYmFy"), &out);
    expect(&out, "foobar");
    og_mime_base64(bytes("Zm!9v*YmE="), &out);
    expect(&out, "fooba");
    og_pack_release(&out);
}

static void quoted(void **state)
{
    struct og_pack out = {0};
    (void)state;
    og_mime_quoted(bytes("a=3Db=\r\nc =C3=A9"), &out);
    expect(&out, "a=bc \xc3\xa9");
    og_mime_quoted(bytes("100=% of it"), &out); /* no digits: as it is */
    expect(&out, "100=% of it");
    og_pack_release(&out);
}

static void header(struct og_charset *charset, const char *s,
                   const char *expected)
{
    struct og_pack scratch = {0}, out = {0};
    assert_int_equal(og_mime_header(bytes(s), charset, &scratch, &out, NULL),
                     OG_OK);
    expect(&out, expected);
    og_pack_release(&scratch);
    og_pack_release(&out);
}

static void headers(void **state)
{
    struct og_charset charset;
    (void)state;
    og_charset_init(&charset, NULL);
    header(&charset, "plain", "plain");
    header(&charset, "=?utf-8?Q?caf=C3=A9_au_lait?=", "caf\xc3\xa9 au lait");
    header(&charset, "=?ISO-8859-1?B?6Q==?= x", "\xc3\xa9 x");
    header(&charset, "=?utf-8?q?a?= =?utf-8?q?b?=", "ab"); /* no blank */
    og_charset_release(&charset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64),
        cmocka_unit_test(quoted),
        cmocka_unit_test(headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
