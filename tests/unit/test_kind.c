#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/kind.h"

static void check_named(const char *head, const char *name,
                        enum og_block_kind expected)
{
    assert_int_equal(og_kind_of((og_bytes){head, strlen(head)}, name),
                     expected);
}

static void check(const char *head, enum og_block_kind expected)
{
    check_named(head, "file", expected);
}

static void test_markup(void **state)
{
    (void)state;
    check("<!DOCTYPE html><p>", OG_BLOCK_HTML);
    check(" \n<html lang=en>", OG_BLOCK_HTML);
    check("<!-- a comment --><!doctype HTML PUBLIC>", OG_BLOCK_HTML);
    check("<?xml version='1.0'?><!DOCTYPE html><html>", OG_BLOCK_HTML);
    check("<?xml version='1.0'?>\n<html>", OG_BLOCK_HTML);
    check("<div>", OG_BLOCK_HTML);
    check("<?xml version='1.0'?><r>", OG_BLOCK_XML);
    check("<TEI xmlns='x'>", OG_BLOCK_XML);
    check("<!DOCTYPE article SYSTEM 'x'>", OG_BLOCK_XML);
    check_named("<r>", "a.xml.gz", OG_BLOCK_XML);
    check_named("<b>x", "a.html", OG_BLOCK_HTML);
    check_named("<b>x", "a.HTM.gz", OG_BLOCK_HTML);
    check_named("no tag", "a.html", OG_BLOCK_TEXT);
    check("<r>", OG_BLOCK_TEXT);
    check("<pin> is a word here", OG_BLOCK_TEXT);
    check("< 5", OG_BLOCK_TEXT);
    check("<", OG_BLOCK_TEXT);
    check("<!--", OG_BLOCK_TEXT);
}

static void test_mails(void **state)
{
    (void)state;
    check("From: a\nSubject: b\n\nx", OG_BLOCK_MAIL);
    check("Received: a\n b\n\tc\nDate: b\n", OG_BLOCK_MAIL);
    check("Return-Path: <>\r\nMIME-Version: 1.0\r\n", OG_BLOCK_MAIL);
    check("Subject: a letter\n\nDate: today", OG_BLOCK_TEXT);
    check("From: a\nnot a header\nSubject: b\n", OG_BLOCK_TEXT);
    check("Title: a\nAuthor: b\n\nx", OG_BLOCK_TEXT);
    check("From a@b Tue Nov 19 13:03:00 2019\nSubject: x\n", OG_BLOCK_MBOX);
    check("From here to there\nit is far\n", OG_BLOCK_TEXT);
}

static void test_archives(void **state)
{
    (void)state;
    check("WARC/1.0\r\n", OG_BLOCK_WARC);
    check("WARC/1.1\r\n", OG_BLOCK_WARC);
    check("WARC/ware", OG_BLOCK_TEXT);
    check("filedesc://x.arc 0.0.0.0 20140216050221 text/plain 3\n",
          OG_BLOCK_ARC);
    check("", OG_BLOCK_TEXT);
    check("words", OG_BLOCK_TEXT);
}

static void test_utf16(void **state)
{
    static const char page[] = "\xff\xfe<\0h\0t\0m\0l\0>\0";
    (void)state;
    assert_int_equal(og_kind_of((og_bytes){page, sizeof(page) - 1}, ""),
                     OG_BLOCK_HTML);
}

static void test_names(void **state)
{
    og_file_kind kind;
    (void)state;
    for (int i = OG_FILE_AUTO; i <= OG_FILE_XML; i++) {
        const char *const name = og_file_kind_name((og_file_kind)i);
        assert_true(og_file_kind_parse((og_bytes){name, strlen(name)}, &kind));
        assert_int_equal(kind, i);
    }
    assert_false(og_file_kind_parse((og_bytes){"pdf", 3}, &kind));
    assert_true(og_kind_is_jsonl_name("a.JSONL.gz"));
    assert_false(og_kind_is_jsonl_name("a.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup), cmocka_unit_test(test_mails),
        cmocka_unit_test(test_archives), cmocka_unit_test(test_utf16),
        cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
