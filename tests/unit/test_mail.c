/* Mails, single and in an mbox, valid and broken. */

#include "tests/unit/source_support.h"

#include <stdio.h>

#include "lib/source/mail/mail.h"

static struct og_mail mail;
static struct og_charset charset;
static struct og_html html;
static struct folder folder;

static int set_up(void **state)
{
    (void)state;
    og_mail_init(&mail, NULL);
    og_charset_init(&charset, NULL);
    og_html_init(&html, NULL);
    folder_make(&folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_mail_release(&mail);
    og_charset_release(&charset);
    og_html_release(&html);
    folder_remove(&folder);
    return 0;
}

static const char *read_with(const char *message, bool strip_quotes)
{
    static char out[4096];
    const struct og_mail_options options = {.strip_quotes = strip_quotes};
    og_error err;
    const og_status status =
        og_mail_read(&mail, (og_bytes){message, strlen(message)}, &options,
                     &charset, &html, &err);
    if (status != OG_OK) {
        snprintf(out, sizeof(out), "error: %s", err.message);
        return out;
    }
    snprintf(out, sizeof(out), "%.*s", (int)mail.text.len,
             (const char *)mail.text.data);
    return out;
}

static void check(const char *message, const char *expected)
{
    assert_string_equal(read_with(message, false), expected);
}

#define HEAD "From: a@example.org\r\nSubject: s\r\n"

static void test_headers(void **state)
{
    char time[40];
    (void)state;
    check("Message-ID:\r\n <1@example.org>\r\nDate: Tue, 19 Nov 2019 13:03:00 "
          "+0100\r\nSubject: =?utf-8?Q?gr=C3=BC=C3=9Fe?=\r\n "
          "=?iso-8859-1?b?5Pb8?= and\r\n more\r\n\r\nbody\r\n",
          "body");
    assert_int_equal(mail.id.len, 13);
    assert_memory_equal(mail.id.data, "1@example.org", 13);
    static const char title[] = "gr\xc3\xbc\xc3\x9f"
                                "e\xc3\xa4\xc3\xb6\xc3\xbc and more";
    assert_int_equal(mail.title.len, strlen(title));
    assert_memory_equal(mail.title.data, title, strlen(title));
    assert_true(mail.has_time);
    og_time_format(mail.time, time);
    assert_string_equal(time, "2019-11-19T12:03:00Z");
    check("Subject: x\n\n", "");
    check("no header ends here", "error: the mail has no end of its headers");
}

static void test_encodings(void **state)
{
    (void)state;
    check(HEAD "Content-Type: text/plain; charset=iso-8859-1\r\n"
               "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
               "gr=FCn =\r\nund =3D gut =zz=\r\n",
          "gr\xc3\xbcn und = gut =zz");
    check(HEAD "Content-Transfer-Encoding: base64\r\n\r\nb25l\r\nIHR3bw==\r\n",
          "one two");
    check(HEAD "Content-Transfer-Encoding: BASE64\r\n\r\nb2*5l!IHR3b",
          "one tw");
    check(HEAD "Content-Type: text/html\r\n\r\n<p>one<p>two", "one\n\ntwo");
    check(HEAD "Content-Type: image/png\r\n\r\nxxx", "");
}

#define MULTI(kind)                                                            \
    HEAD "Content-Type: multipart/" kind "; boundary=\"b b\"\r\n\r\n"

static void test_parts(void **state)
{
    (void)state;
    check(MULTI("mixed") "for nobody\r\n--b b\r\n\r\none\r\n--b b\r\n"
                         "Content-Type: text/plain\r\n\r\ntwo\r\n--b b\r\n"
                         "Content-Disposition: attachment\r\n\r\nthree\r\n"
                         "--b b--\r\nfor nobody",
          "one\n\ntwo");
    check(MULTI("alternative") "--b b\r\n\r\nplain\r\n--b b\r\n"
                               "Content-Type: text/html\r\n\r\n<b>rich</b>\r\n"
                               "--b b--",
          "plain");
    check(MULTI("alternative") "--b b\r\nContent-Type: image/x\r\n\r\nx\r\n"
                               "--b b\r\nContent-Type: text/html\r\n\r\n"
                               "<b>rich</b>\r\n--b b--",
          "rich");
    check(MULTI("mixed") "--b b\r\nContent-Type: multipart/mixed; "
                         "boundary=in\r\n\r\n--in\r\n\r\none\r\n--in--\r\n"
                         "--b b\r\n\r\ntwo\r\n--b b--",
          "one\n\ntwo");
    check(MULTI("mixed") "--b b\r\nContent-Type: message/rfc822\r\n\r\n"
                         "Subject: inside\r\n\r\nforwarded\r\n--b b--",
          "forwarded");
}

static void test_broken_mime(void **state)
{
    (void)state;
    check(MULTI("mixed") "--b b\r\n\r\nnever closed\r\n", "never closed");
    check(MULTI("mixed") "no part at all\r\n", "");
    check(MULTI("mixed") "--b b\r\n--b b\r\n--b b--", "");
    check(HEAD "Content-Type: multipart/mixed\r\n\r\nno boundary",
          "no boundary");
    check(HEAD "Content-Type: \"\r\n\r\nodd type", "odd type");
    check(HEAD "Content-Type: text/plain; charset=\r\n\r\nodd charset",
          "odd charset");
    check(HEAD "Subject: =?utf-8?Q?never ends\r\n\r\nx", "x");
    check(HEAD "Subject: =?utf-8?X?y?= =??Q?z?=\r\n\r\nx", "x");
}

/* Multiparts in multiparts, and more parts than anybody reads. */
static void test_many_parts(void **state)
{
    struct string s = {0};
    (void)state;
    string_fp(&s, HEAD);
    for (int i = 0; i < 5000; i++)
        string_fp(&s, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n",
                  i, i);
    string_fp(&s, "\ndeep inside\n");
    read_with(s.data, false);
    s.len = 0;
    string_fp(&s, MULTI("mixed"));
    for (int i = 0; i < 50000; i++)
        string_fp(&s, "--b b\r\n\r\nx\r\n");
    read_with(s.data, false);
    assert_true(mail.text.len > 1000 && mail.text.len < 10000);
    string_release(&s);
}

static void test_quotes(void **state)
{
    static const char message[] =
        HEAD "\r\n> > one\r\n>two\r\n>\r\n | three\r\nfour > five\r\n";
    (void)state;
    assert_string_equal(read_with(message, true),
                        "one\ntwo\n\n | three\nfour > five");
    assert_string_equal(read_with(message, false),
                        "> > one\n>two\n>\n | three\nfour > five");
}

/* ---- mbox ---- */

static void test_mbox(void **state)
{
    static const char mbox[] =
        "From a@example.org Tue Nov 19 13:03:00 2019\n"
        "Message-ID: <1>\nSubject: first\n\none\n>From here\n"
        "From nobody, it is a sentence\n\n"
        "From there, too, at noon\n\n"
        "From b@example.org Wed Nov 20 13:03:00 2019\n"
        "Subject: second\n\ntwo\n\n"
        "From c@example.org Wed Nov 20 13:03:01 2019\nno headers\n";
    struct run run;
    char expected[600];
    (void)state;
    const char *const path = folder_put(&folder, "box", mbox);
    run_path(path, NULL, &run);
    snprintf(expected, sizeof(expected),
             "1|first||1574168580000000|one\nFrom here\nFrom nobody, it is a "
             "sentence\n\nFrom there, too, at noon|0|0\n"
             "%s:148|second||1574254980000000|two|0|148\n",
             path);
    assert_string_equal(run.documents.data, expected);
    assert_string_equal(
        run.problems.data,
        "0:214: the mail has no end of its headers [skipped]\n");
    run_release(&run);
}

static void test_mbox_blocks_and_limits(void **state)
{
    struct string s = {0};
    struct run first, other;
    (void)state;
    for (int i = 0; i < 60; i++) {
        string_fp(&s, "From a Tue Nov 19 13:03:00 2019\nSubject: %d\n\n", i);
        for (int k = 0; k < (i == 30 ? 2000 : 5); k++)
            string_fp(&s, "a line of text\n");
        string_fp(&s, "\n");
    }
    const char *const path = folder_write(&folder, "box", s.data, s.len);
    struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    run_path(path, &options, &first);
    assert_int_equal(first.n_documents, 60);
    static const size_t lens[] = {1, 50, 333, 9999};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        options.block_len = lens[i];
        run_path(path, &options, &other);
        assert_string_equal(first.documents.data, other.documents.data);
        run_release(&other);
        options.max_document = 3000;
        run_path(path, &options, &other);
        assert_int_equal(other.n_documents, 59);
        assert_int_equal(other.n_problems, 1);
        assert_non_null(strstr(other.problems.data,
                               "the record is longer than 3000 bytes"));
        run_release(&other);
        options.max_document = 0;
    }
    run_release(&first);
    string_release(&s);
}

#define TYPE(type) "Content-Type: " type "\r\n\r\n"

/* A page that is too large is an error, unless another alternative is there. */
static void test_page_too_large(void **state)
{
    enum { N = 20000 };
    static char cells[N * 5 + 1], message[N * 5 + 500];
    static const char refused[] =
        "error: the page needs more than 655360 bytes of memory";
    (void)state;
    for (size_t i = 0; i < N; i++)
        memcpy(cells + i * 5, "<td>a", 6);
    html.most = 1 << 20;
    snprintf(message, sizeof(message), HEAD TYPE("text/html") "%s", cells);
    check(message, refused);
    for (int is_alternative = 0; is_alternative < 2; is_alternative++) {
        const char *const kind = is_alternative ? "alternative" : "mixed";
        snprintf(message, sizeof(message),
                 HEAD "Content-Type: multipart/%s; boundary=x\r\n\r\n"
                      "--x\r\n" TYPE("text/html") "%s\r\n--x\r\n" TYPE(
                          "text/plain") "plain\r\n--x--\r\n",
                 kind, cells);
        if (is_alternative)
            assert_non_null(strstr(read_with(message, false), "plain"));
        else
            check(message, refused);
        snprintf(message, sizeof(message),
                 HEAD "Content-Type: multipart/%s; boundary=x\r\n\r\n"
                      "--x\r\n" TYPE("text/html") "%s\r\n--x--\r\n",
                 kind, cells);
        check(message, refused);
    }
    html.most = SIZE_MAX;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_headers),        TEST(test_encodings),
        TEST(test_parts),          TEST(test_broken_mime),
        TEST(test_many_parts),     TEST(test_quotes),
        TEST(test_mbox),           TEST(test_mbox_blocks_and_limits),
        TEST(test_page_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
