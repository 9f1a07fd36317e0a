/* How long a record of an archive or an mbox is, whatever is cut off. */

#include "tests/unit/stage_support.h"

#include "lib/source/measure_record.h"
#include <string.h>

#define WARC_HEAD "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\n"
#define WARC      WARC_HEAD "hello\r\n\r\n"

static og_bytes bytes_of(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static struct og_measure measure(enum og_block_kind kind, const char *text,
                                 size_t len, bool is_ended, uint64_t most)
{
    size_t searched = 0;
    struct og_measure m = {0};
    og_measure_record(kind, (og_bytes){text, len}, is_ended, most, &searched,
                      &m);
    return m;
}

static void a_warc_header(void **state)
{
    uint64_t len = 0;
    const char *why = NULL;
    (void)state;
    assert_int_equal(
        og_measure_warc_header((og_bytes){WARC, strlen(WARC)}, &len, &why),
        strlen(WARC_HEAD));
    assert_int_equal(len, 5);
    assert_int_equal(
        og_measure_warc_header(bytes_of("WARC/1.0\r\nWARC-Type: x\r\n\r\n"),
                               &len, &why),
        0);
    assert_non_null(why);
}

static void a_whole_record(void **state)
{
    static const char two[] = WARC WARC;
    (void)state;
    const struct og_measure m =
        measure(OG_BLOCK_WARC, two, sizeof(two) - 1, true, 1000);
    assert_int_equal(m.verdict, OG_MEASURED_RECORD);
    assert_int_equal(m.len, strlen(WARC));
}

/* As long as more may come, a record that is cut is not judged; and no prefix
 * gives another record than the whole. */
static void every_prefix(void **state)
{
    static const char two[] = WARC WARC;
    (void)state;
    for (size_t len = 1; len < sizeof(two); len++) {
        const struct og_measure m =
            measure(OG_BLOCK_WARC, two, len, false, 1000);
        if (m.verdict == OG_MEASURED_RECORD)
            assert_int_equal(m.len, strlen(WARC));
        else
            assert_int_equal(m.verdict, OG_MEASURED_MORE);
        if (m.verdict == OG_MEASURED_MORE) assert_true(m.len > len);
    }
}

static void what_is_no_record(void **state)
{
    static const char text[] = "this is no archive\r\n" WARC;
    (void)state;
    const struct og_measure m =
        measure(OG_BLOCK_WARC, text, sizeof(text) - 1, true, 1000);
    assert_int_equal(m.verdict, OG_MEASURED_JUNK);
    assert_int_equal(m.len, strlen("this is no archive\r\n"));
    assert_non_null(m.why);
}

static void a_record_that_is_too_long(void **state)
{
    static const char text[] =
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5000\r\n\r\nhell";
    (void)state;
    const struct og_measure m =
        measure(OG_BLOCK_WARC, text, sizeof(text) - 1, false, 100);
    assert_int_equal(m.verdict, OG_MEASURED_LONG);
    assert_true(m.claimed >= 5000);
}

static void a_line_of_an_arc(void **state)
{
    static const char text[] =
        "http://a.example/ 1.2.3.4 19990101000000 text/html 12\nhello world\n";
    struct og_arc_line line;
    (void)state;
    assert_true(og_measure_arc_line((og_bytes){text, sizeof(text) - 1}, &line));
    assert_int_equal(line.len, 12);
    assert_int_equal(line.line_len, strchr(text, '\n') + 1 - text);
    assert_memory_equal(line.url.data, "http://a.example/", line.url.len);
    assert_memory_equal(line.date.data, "19990101000000", line.date.len);
    assert_memory_equal(line.type.data, "text/html", line.type.len);
    assert_false(og_measure_arc_line(bytes_of("just words\n"), &line));
}

static void messages_of_an_mbox(void **state)
{
    static const char text[] = "From a@b Mon Jan  1 00:00:00 2001\n"
                               "Subject: x\n\nOne.\n\n"
                               "From c@d Mon Jan  1 00:00:00 2001\n"
                               "Subject: y\n\nTwo.\n";
    (void)state;
    const struct og_measure m =
        measure(OG_BLOCK_MBOX, text, sizeof(text) - 1, true, 1000);
    assert_int_equal(m.verdict, OG_MEASURED_RECORD);
    assert_memory_equal(text + m.len, "From c@d", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warc_header),
        cmocka_unit_test(a_whole_record),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(what_is_no_record),
        cmocka_unit_test(a_record_that_is_too_long),
        cmocka_unit_test(a_line_of_an_arc),
        cmocka_unit_test(messages_of_an_mbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
