/* Random JSON written by the test, so that it knows what must come out; then
 * the same with random damage, where the oracle is a second, recursive reader
 * that follows the grammar of RFC 8259 rule by rule. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/source/json/json.h"

#define MAX_LEN 8192

/* ---- the grammar, word for word ---- */

static const char *value_end(const char *p, const char *end);

static const char *space_end(const char *p, const char *end)
{
    while (p < end && memchr(" \t\n\r", *p, 4) != NULL)
        p++;
    return p;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

/* Behind the string at p, or NULL. */
static const char *string_end(const char *p, const char *end)
{
    if (p == end || *p++ != '"') return NULL;
    while (p < end && *p != '"') {
        if ((unsigned char)*p < 0x20) return NULL;
        if (*p++ != '\\') continue;
        if (p == end || memchr("\"\\/bfnrtu", *p, 9) == NULL) return NULL;
        if (*p++ != 'u') continue;
        for (int i = 0; i < 4; i++)
            if (p == end || !is_hex(*p++)) return NULL;
    }
    return p == end ? NULL : p + 1;
}

static const char *digits_end(const char *p, const char *end)
{
    const char *const first = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p == first ? NULL : p;
}

static const char *number_end(const char *p, const char *end)
{
    if (p < end && *p == '-') p++;
    if (p < end && *p == '0')
        p++;
    else if ((p = digits_end(p, end)) == NULL)
        return NULL;
    if (p < end && *p == '.' && (p = digits_end(p + 1, end)) == NULL)
        return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        p = digits_end(p, end);
    }
    return p;
}

static const char *list_end(const char *p, const char *end, bool is_object)
{
    const char close = is_object ? '}' : ']';
    p = space_end(p + 1, end);
    if (p < end && *p == close) return p + 1;
    for (;;) {
        p = space_end(p, end);
        if (is_object) {
            if ((p = string_end(p, end)) == NULL) return NULL;
            p = space_end(p, end);
            if (p == end || *p++ != ':') return NULL;
        }
        if ((p = value_end(p, end)) == NULL) return NULL;
        p = space_end(p, end);
        if (p == end) return NULL;
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

static const char *name_end(const char *p, const char *end, const char *name)
{
    const size_t len = strlen(name);
    const bool is_there = (size_t)(end - p) >= len && memcmp(p, name, len) == 0;
    return is_there ? p + len : NULL;
}

static const char *value_end(const char *p, const char *end)
{
    p = space_end(p, end);
    if (p == end) return NULL;
    switch (*p) {
    case '{': return list_end(p, end, true);
    case '[': return list_end(p, end, false);
    case '"': return string_end(p, end);
    case 't': return name_end(p, end, "true");
    case 'f': return name_end(p, end, "false");
    case 'n': return name_end(p, end, "null");
    default: return number_end(p, end);
    }
}

static bool is_object_by_grammar(const char *p, size_t len)
{
    const char *const end = p + len;
    p = space_end(p, end);
    if (p == end || *p != '{') return false;
    p = list_end(p, end, true);
    return p != NULL && space_end(p, end) == end;
}

/* ---- random JSON ---- */

struct writer {
    char data[MAX_LEN];
    size_t len;
    uint64_t random;
};

static uint64_t roll(struct writer *w, uint64_t n)
{
    return og_random_next(&w->random) % n;
}

static void put(struct writer *w, const char *s)
{
    const size_t len = strlen(s);
    assert_true(w->len + len <= sizeof(w->data));
    memcpy(w->data + w->len, s, len);
    w->len += len;
}

static void put_space(struct writer *w)
{
    static const char *const spaces[] = {"", "", "", " ", "\t", "\n", "\r\n "};
    put(w, spaces[roll(w, 7)]);
}

/* A string as it is written, and in `out` what it means. */
static void put_string(struct writer *w, char *out, size_t *out_len)
{
    static const char *const pieces[][2] = {
        {"a", "a"},
        {"word ", "word "},
        {"a run of letters that is longer than a vector of 64 bytes can hold. ",
         "a run of letters that is longer than a vector of 64 bytes can "
         "hold. "},
        {"\\n", "\n"},
        {"\\\"", "\""},
        {"\\\\", "\\"},
        {"\\/", "/"},
        {"\\t", "\t"},
        {"\\u0041", "A"},
        {"\\u00E9", "\xc3\xa9"},
        {"\\u20ac", "\xe2\x82\xac"},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
        {"\\udc00", "\xef\xbf\xbd"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\xff", "\xff"},
        {"/", "/"},
    };
    const uint64_t n = roll(w, 4) == 0 ? roll(w, 20) : roll(w, 4);
    *out_len = 0;
    put(w, "\"");
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t piece = roll(w, sizeof(pieces) / sizeof(*pieces));
        put(w, pieces[piece][0]);
        memcpy(out + *out_len, pieces[piece][1], strlen(pieces[piece][1]));
        *out_len += strlen(pieces[piece][1]);
    }
    put(w, "\"");
}

static void put_value(struct writer *w, int depth)
{
    static const char *const scalars[] = {"true", "false",   "null", "0",
                                          "-1",   "12.5e-3", "1E+9"};
    char meaning[2048];
    size_t len;
    const uint64_t kind = roll(w, depth > 3 || w->len > MAX_LEN / 4 ? 2 : 4);
    if (kind == 0) {
        put(w, scalars[roll(w, 7)]);
    } else if (kind == 1) {
        put_string(w, meaning, &len);
    } else {
        const uint64_t n = roll(w, 4);
        put(w, kind == 2 ? "{" : "[");
        put_space(w);
        for (uint64_t i = 0; i < n; i++) {
            if (i > 0) put(w, ",");
            put_space(w);
            if (kind == 2) {
                put_string(w, meaning, &len);
                put_space(w);
                put(w, ":");
            }
            put_space(w);
            put_value(w, depth + 1);
            put_space(w);
        }
        put(w, kind == 2 ? "}" : "]");
    }
}

/* {"": value, "text": string, ...}; the last text is in `out`. */
static void put_record(struct writer *w, char *out, size_t *out_len)
{
    put_space(w);
    put(w, "{");
    const uint64_t n = 1 + roll(w, 3);
    for (uint64_t i = 0; i < n; i++) {
        put_space(w);
        put(w, "\"\":");
        put_space(w);
        put_value(w, 0);
        put(w, ",");
        put_space(w);
        put(w, roll(w, 2) ? "\"text\"" : "\"t\\u0065xt\"");
        put_space(w);
        put(w, ":");
        put_space(w);
        put_string(w, out, out_len);
        put_space(w);
        if (i + 1 < n) put(w, ",");
    }
    put(w, "}");
    put_space(w);
}

/* ---- the properties ---- */

/* Reads from a copy of exact length. True when it is an object; the last text
 * is then compared, unless NULL. */
static bool read_object(const char *data, size_t len, const char *text,
                        size_t text_len)
{
    char *const copy = malloc(len == 0 ? 1 : len);
    char *const unescaped = malloc(len + OG_SCAN_SLACK);
    struct og_json json;
    struct og_json_value value, last = {0};
    og_bytes key;
    assert_true(copy != NULL && unescaped != NULL);
    memcpy(copy, data, len);
    og_json_init(&json, (og_bytes){copy, len}, unescaped);
    og_json_open(&json);
    while (og_json_next_key(&json, &key)) {
        if (key.len == 0)
            og_json_skip_value(&json);
        else if (og_json_next_value(&json, &value))
            last = value;
    }
    const bool is_object = og_json_close(&json);
    assert_int_equal(is_object, json.expected == NULL);
    assert_true(json.error_off <= len);
    assert_true(json.unescaped <= unescaped + len);
    if (is_object && text != NULL) {
        assert_int_equal(last.kind, OG_JSON_STRING);
        assert_int_equal(last.bytes.len, text_len);
        if (text_len > 0) assert_memory_equal(last.bytes.data, text, text_len);
    }
    free(copy);
    free(unescaped);
    return is_object;
}

static void check_both_doors(const char *data, size_t len)
{
    bool is_cut;
    const bool expected = is_object_by_grammar(data, len);
    assert_int_equal(read_object(data, len, NULL, 0), expected);
    assert_int_equal(og_json_is_object((og_bytes){data, len}, &is_cut),
                     expected);
}

static void damage(struct writer *w)
{
    static const char bytes[] = "{}[]\",:\\u\n\t 0-.e1tfn\x1f\xff";
    const size_t at = roll(w, w->len);
    const char c = bytes[roll(w, sizeof(bytes))];
    switch (roll(w, 4)) {
    case 0: w->data[at] = c; break;
    case 1: /* one byte less */
        memmove(w->data + at, w->data + at + 1, w->len - at - 1);
        w->len--;
        break;
    case 2: /* one more */
        if (w->len == MAX_LEN) break;
        memmove(w->data + at + 1, w->data + at, w->len - at);
        w->data[at] = c;
        w->len++;
        break;
    default: w->len = at; break;
    }
}

static void check_level(og_cpu level)
{
    struct writer w = {.random = 31};
    char text[4096];
    size_t text_len;
    const og_cpu before = og_cpu_level();
    if (og_cpu_force(level) != level) skip();
    for (int i = 0; i < 20000; i++) {
        w.len = 0;
        put_record(&w, text, &text_len);
        assert_true(is_object_by_grammar(w.data, w.len));
        assert_true(read_object(w.data, w.len, text, text_len));
        for (int j = 0; j < 3 && w.len > 0; j++) {
            damage(&w);
            check_both_doors(w.data, w.len);
        }
    }
    og_cpu_force(before);
}

static void test_plain(void **state)
{
    (void)state;
    check_level(OG_CPU_PLAIN);
}

static void test_neon(void **state)
{
    (void)state;
    check_level(OG_CPU_NEON);
}

static void test_avx2(void **state)
{
    (void)state;
    check_level(OG_CPU_AVX2);
}

static void test_avx512(void **state)
{
    (void)state;
    check_level(OG_CPU_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_neon),
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
