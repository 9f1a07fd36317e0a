/* og_text_fold() against its definition: repair the bytes one by one, then let
 * utf8proc fold the whole string at once. Every CPU level must give these
 * bytes, and the mapping to the source must be consistent. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <utf8proc.h>

#include "lib/os/cpu.h"
#include "lib/text/text.h"
#include "lib/text/utf8.h"
#include "tests/property/random_text.h"
#include "tests/sanitized.h"

#define MAX_LEN  700
#define N_ROUNDS OG_IF_SANITIZED(2000, 6000)

/* ---- the definition ---- */

static size_t repair(const char *source, size_t len, char *out,
                     size_t *out_n_repaired)
{
    size_t n = 0;
    *out_n_repaired = 0;
    for (size_t at = 0; at < len;) {
        const struct og_utf8 u =
            og_utf8_decode((const unsigned char *)source + at, len - at);
        const bool broken = u.code_point == OG_UTF8_INVALID;
        n += og_utf8_encode(broken ? OG_UTF8_REPLACEMENT : u.code_point,
                            (unsigned char *)out + n);
        if (broken) *out_n_repaired += u.len;
        at += u.len;
    }
    return n;
}

static utf8proc_uint8_t *fold_whole(const char *valid, size_t len,
                                    size_t *out_len)
{
    utf8proc_uint8_t *folded;
    const utf8proc_ssize_t n = utf8proc_map(
        (const utf8proc_uint8_t *)valid, (utf8proc_ssize_t)len, &folded,
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
            UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
    assert_true(n >= 0);
    *out_len = (size_t)n;
    return folded;
}

/* ---- what must hold ---- */

static void check_folded(const struct og_text *text, const char *source,
                         size_t len)
{
    char *valid = malloc(3 * len + 1);
    size_t n_repaired, folded_len;
    const size_t valid_len = repair(source, len, valid, &n_repaired);
    utf8proc_uint8_t *folded = fold_whole(valid, valid_len, &folded_len);
    assert_int_equal(text->n_repaired, n_repaired);
    assert_int_equal(text->len, folded_len);
    assert_memory_equal(text->data, folded, folded_len);
    for (size_t i = 0; i < OG_TEXT_PADDING; i++)
        assert_int_equal(text->data[text->len + i], 0);
    free(folded);
    free(valid);
}

static bool is_boundary(const char *source, size_t len, size_t at)
{
    return at == len || !og_utf8_is_tail((unsigned char)source[at]);
}

static void check_map(const struct og_text *text, const char *source,
                      size_t len)
{
    size_t last_begin = 0, last_end = 0;
    for (size_t i = 0; i <= text->len; i++) {
        const size_t begin = og_text_source_begin(text, i);
        const size_t end = og_text_source_end(text, i);
        assert_true(begin >= last_begin && begin <= len);
        assert_true(end >= last_end && end <= len);
        if (text->n_repaired == 0) {
            assert_true(is_boundary(source, len, begin));
            assert_true(is_boundary(source, len, end));
        }
        if (i > 0) /* each byte comes from a piece that is not empty */
            assert_true(og_text_source_begin(text, i - 1) < end);
        last_begin = begin;
        last_end = end;
    }
    for (size_t i = 1; i < text->n_steps; i++) {
        assert_true(text->steps[i - 1].folded < text->steps[i].folded);
        assert_true(text->steps[i - 1].source < text->steps[i].source);
    }
}

/* The piece that folded byte i came from, folded alone together with all that
 * maps to the same piece, gives the same bytes: the map is exact. Holds where
 * nothing was dropped at the edges of the piece, which does not matter. */
static void check_pieces(const struct og_text *text, const char *source,
                         struct og_text *scratch)
{
    for (size_t i = 0, end; i < text->len; i = end) {
        const size_t from = og_text_source_begin(text, i);
        end = i + 1;
        while (end < text->len && og_text_source_begin(text, end) == from)
            end++;
        const size_t to = og_text_source_end(text, end);
        const og_bytes piece = {source + from, to - from};
        assert_int_equal(og_text_fold(scratch, piece, NULL), OG_OK);
        assert_int_equal(scratch->len, end - i);
        assert_memory_equal(scratch->data, text->data + i, end - i);
    }
}

static void check_level(og_cpu level, uint64_t seed)
{
    struct og_text text, scratch;
    og_text_init(&text, NULL);
    og_text_init(&scratch, NULL);
    if (og_cpu_force(level) != level) return;
    for (int round = 0; round < N_ROUNDS; round++) {
        char buffer[MAX_LEN];
        const size_t len = random_text(&seed, buffer, sizeof(buffer));
        char *source = malloc(len); /* exact: reading past it is seen */
        memcpy(source, buffer, len);
        assert_int_equal(og_text_fold(&text, (og_bytes){source, len}, NULL),
                         OG_OK);
        check_folded(&text, source, len);
        check_map(&text, source, len);
        if (round % 8 == 0) check_pieces(&text, source, &scratch);
        free(source);
    }
    og_text_release(&text);
    og_text_release(&scratch);
}

static void every_level_folds_like_utf8proc(void **state)
{
    (void)state;
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++)
        check_level(level, 2009);
    og_cpu_force(OG_CPU_AVX512);
}

/* All code points: alone, after a letter, before and between marks. */
static void every_code_point_folds_like_utf8proc(void **state)
{
    (void)state;
    static const char *const before[] = {"", "e", "\xe1\x84\x80", "\xcc\xa3"};
    static const char *const after[] = {"", "\xcc\x81", "\xcc\xa3\xcc\x81",
                                        "\xe1\x85\xa1", "\xe0\xa6\xbe"};
    struct og_text text;
    og_text_init(&text, NULL);
    for (uint32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        if (c > 0x33000 && c < 0xe0000) continue;
        if (c > 0xe0fff) break;
        for (size_t i = 0; i < 4 * 5; i++) {
            char source[16];
            size_t len = strlen(before[i % 4]);
            memcpy(source, before[i % 4], len);
            len += og_utf8_encode(c, (unsigned char *)source + len);
            memcpy(source + len, after[i / 4], strlen(after[i / 4]));
            len += strlen(after[i / 4]);
            assert_int_equal(og_text_fold(&text, (og_bytes){source, len}, NULL),
                             OG_OK);
            check_folded(&text, source, len);
        }
    }
    og_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_folds_like_utf8proc),
        cmocka_unit_test(every_code_point_folds_like_utf8proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
