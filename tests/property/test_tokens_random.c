/* og_text_tokenise() against its definition, character by character, on
 * random folded text, for every kind and every level of the machine. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/os/cpu.h"
#include "lib/text/utf8.h"
#include "lib/token/tokens.h"
#include "tests/property/random_text.h"

#define MAX_LEN 10000 /* more than two chunks */

struct expected {
    uint32_t begin[MAX_LEN * 4], end[MAX_LEN * 4];
    uint64_t hash[MAX_LEN * 4];
    size_t n;
};

static void expect_token(struct expected *e, size_t begin, size_t end)
{
    e->begin[e->n] = (uint32_t)begin;
    e->end[e->n++] = (uint32_t)end;
}

/* ---- the definitions ---- */

enum within { NOTHING, WORD, ALONE };

static enum within expect_character(struct expected *e, enum within in,
                                    enum og_char_class class, size_t at,
                                    size_t end)
{
    if (class == OG_CHAR_OTHER) return NOTHING;
    const bool goes_on = (class == OG_CHAR_WORD && in == WORD) ||
                         (class == OG_CHAR_MARK && in != NOTHING);
    if (goes_on)
        e->end[e->n - 1] = (uint32_t)end;
    else
        expect_token(e, at, end);
    if (class == OG_CHAR_ALONE) return ALONE;
    return goes_on ? in : WORD;
}

static void expect_runs(struct expected *e, const struct og_text *text,
                        bool by_character)
{
    enum within in = NOTHING;
    for (size_t at = 0; at < text->len;) {
        const struct og_utf8 u =
            og_utf8_decode_valid((const unsigned char *)text->data + at);
        enum og_char_class class = og_char_class_of(u.code_point);
        if (by_character && class == OG_CHAR_WORD) class = OG_CHAR_ALONE;
        in = expect_character(e, in, class, at, at + u.len);
        at += u.len;
    }
}

static void expect_bases(struct expected *e, const struct og_text *text)
{
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != 0 && strchr("acgtu", text->data[i]) != NULL)
            expect_token(e, i, i + 1);
}

static bool is_one_of(char c, const char *set)
{
    return c != 0 && strchr(set, c) != NULL;
}

static void expect_lines(struct expected *e, const struct og_text *text,
                         uint64_t key)
{
    size_t at = 0;
    while (at < text->len) {
        size_t n = 0, first = 0, last = 0;
        char *line = malloc(text->len + 1);
        for (; at < text->len && !is_one_of(text->data[at], "\r\n"); at++) {
            if (is_one_of(text->data[at], " \t\v\f")) {
                if (n > 0 && line[n - 1] != ' ') line[n++] = ' ';
                continue;
            }
            if (n == 0) first = at;
            line[n++] = text->data[at];
            last = at;
        }
        if (n > 0 && line[n - 1] == ' ') n--;
        if (n > 0) {
            e->hash[e->n] = og_token_hash(line, n, key);
            expect_token(e, first, last + 1);
        }
        free(line);
        at++;
    }
}

static void expect(struct expected *e, const struct og_text *text,
                   og_token_kind kind, uint64_t key)
{
    e->n = 0;
    if (kind == OG_TOKEN_LINES) {
        expect_lines(e, text, key);
        return;
    }
    if (kind == OG_TOKEN_DNA)
        expect_bases(e, text);
    else
        expect_runs(e, text, kind == OG_TOKEN_CHARS);
    for (size_t i = 0; i < e->n; i++)
        e->hash[i] = og_token_hash(text->data + e->begin[i],
                                   e->end[i] - e->begin[i], key);
}

/* ---- the comparison ---- */

static void check_text(const struct og_text *text, struct og_tokens *tokens,
                       struct expected *e, uint64_t key)
{
    for (og_token_kind kind = OG_TOKEN_WORDS; kind <= OG_TOKEN_DNA; kind++) {
        assert_int_equal(og_text_tokenise(text, kind, key, tokens, NULL),
                         OG_OK);
        expect(e, text, kind, key);
        assert_int_equal(tokens->n, e->n);
        assert_memory_equal(tokens->begin, e->begin, e->n * 4);
        assert_memory_equal(tokens->end, e->end, e->n * 4);
        assert_memory_equal(tokens->hash, e->hash, e->n * 8);
        for (size_t i = 0; i < 8; i++)
            assert_true(tokens->hash[tokens->n + i] == 0);
    }
}

static void check_level(og_cpu level, uint64_t seed)
{
    if (og_cpu_force(level) != level) return;
    static char source[MAX_LEN];
    static struct expected e;
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    for (int round = 0; round < 1500; round++) {
        const size_t cap = round % 10 == 0 ? MAX_LEN : 8 + (size_t)round / 3;
        const size_t len = random_text(&seed, source, cap);
        assert_int_equal(og_text_fold(&text, (og_bytes){source, len}, NULL),
                         OG_OK);
        assert_true(text.len < MAX_LEN * 4);
        check_text(&text, &tokens, &e, round % 2 ? seed : 0);
    }
    og_text_release(&text);
    og_tokens_release(&tokens);
}

static void every_level_cuts_like_the_definition(void **state)
{
    (void)state;
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++)
        check_level(level, 1997);
    og_cpu_force(OG_CPU_AVX512);
}

/* One character that is special slides over the edges of blocks and chunks,
 * through a text of one word and through a text of gaps. */
static void edges_of_blocks_do_not_show(void **state)
{
    (void)state;
    static const char *const special[] = {
        " ",
        "a",
        "\xd0\xb6",
        "\xe0\xb8\x81\xe0\xb9\x89",
        "\xe4\xb8\xad",
        "\xf0\xa0\x80\x80",
        "\xe2\x80\x99",
        "q\xcc\x81",
        "\r\n",
    };
    static struct expected e;
    static char source[4500];
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        if (og_cpu_force(level) != level) continue;
        for (size_t at = 0; at < 4200; at += at == 300 ? 3700 : 1) {
            const char *s = special[at % 9];
            memset(source, at / 9 % 2 ? 'x' : '-', sizeof(source));
            memcpy(source + at, s, strlen(s));
            const size_t len = at < 300 ? 300 : sizeof(source);
            og_text_fold(&text, (og_bytes){source, len}, NULL);
            check_text(&text, &tokens, &e, 7);
        }
    }
    og_text_release(&text);
    og_tokens_release(&tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_cuts_like_the_definition),
        cmocka_unit_test(edges_of_blocks_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
