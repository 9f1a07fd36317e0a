/* A pull scanner for one JSON object, strictly RFC 8259 with one exception:
 * bytes that are not UTF-8 are accepted inside strings, because the next stage
 * repairs and counts them.
 *
 * It builds no tree. The caller asks for the next key, then for its value. A
 * string without escapes is returned as a view of the input, so a record whose
 * text has none is never copied; nested values that the caller does not ask for
 * are checked and skipped. There is no recursion: open brackets are bits of a
 * fixed stack, so a line of 100,000 brackets costs no more than its bytes.
 *
 * Every read is guarded by `at < end`; there is no sentinel, and the input need
 * not end in a zero. */

#include "lib/source/json/json.h"

#include <string.h>

#include "lib/base/bits.h"

static bool fail_at(struct og_json *json, const char *at, const char *expected)
{
    if (json->expected == NULL) {
        json->expected = expected;
        json->error_off = (size_t)(at - json->data);
    }
    return false;
}

static bool fail(struct og_json *json, const char *expected)
{
    return fail_at(json, json->at, expected);
}

static void skip_space(struct og_json *json)
{
    const char *at = json->at;
    while (at < json->end &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    json->at = at;
}

static bool is_next(const struct og_json *json, char c)
{
    return json->at < json->end && *json->at == c;
}

static bool take(struct og_json *json, char c)
{
    if (!is_next(json, c)) return false;
    json->at++;
    return true;
}

/* ---- strings ---- */

static const signed char hex_values[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
}; /* the value plus one, so that 0 means none */

/* \uXXXX at p. False if it is missing or incomplete. */
static bool read_unit(const char *p, const char *end, uint32_t *out)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return false;
    const int a = hex_values[(unsigned char)p[2]] - 1;
    const int b = hex_values[(unsigned char)p[3]] - 1;
    const int c = hex_values[(unsigned char)p[4]] - 1;
    const int d = hex_values[(unsigned char)p[5]] - 1;
    if ((a | b | c | d) < 0) return false;
    *out = (uint32_t)(a << 12 | b << 8 | c << 4 | d);
    return true;
}

static char *write_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* A character from one \u or, for a surrogate pair, two. A lone surrogate,
 * which UTF-8 cannot represent, becomes U+FFFD. */
static const char *resolve_unit(const char *p, const char *end, uint32_t unit,
                                char **out)
{
    uint32_t low;
    uint32_t c = unit;
    p += 6;
    if (unit >= 0xd800 && unit < 0xe000) {
        const bool is_pair = unit < 0xdc00 && read_unit(p, end, &low) &&
                             low >= 0xdc00 && low < 0xe000;
        if (is_pair) p += 6;
        c = is_pair ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                    : 0xfffd;
    }
    *out = write_utf8(*out, c);
    return p;
}

/* Why a string could not continue at p, which is not a closing quote. */
static bool fail_in_string(struct og_json *json, const char *p)
{
    const char *const end = json->end;
    if (p == end || (*p == '\\' && end - p < 2))
        return fail_at(json, end, "expected '\"' at the end of a string");
    if (*p != '\\')
        return fail_at(json, p, "expected an escape for a control character");
    if (p[1] != 'u')
        return fail_at(json, p + 1, "expected one of \"\\/bfnrtu after '\\'");
    p += 2;
    for (int i = 0; i < 4 && p < end && hex_values[(unsigned char)*p]; i++)
        p++;
    return fail_at(json, p, "expected four hexadecimal digits after '\\u'");
}

/* From the first backslash on; the string began at `begin`. */
static bool unescape_string(struct og_json *json, const char *begin,
                            const char *p, og_bytes *out)
{
    char *const first = json->unescaped;
    char *dest = first;
    memcpy(dest, begin, (size_t)(p - begin));
    dest += p - begin;
    uint32_t unit;
    for (;;) {
        p = json->kernels->unescape(p, json->end, &dest);
        if (!read_unit(p, json->end, &unit)) break;
        do {
            p = resolve_unit(p, json->end, unit, &dest);
        } while (read_unit(p, json->end, &unit));
    }
    if (p == json->end || *p != '"') return fail_in_string(json, p);
    json->at = p + 1;
    json->unescaped = dest;
    *out = (og_bytes){first, (size_t)(dest - first)};
    return true;
}

static bool read_string(struct og_json *json, og_bytes *out)
{
    const char *const begin = ++json->at;
    const char *const p = json->kernels->find_special(begin, json->end);
    if (p < json->end && *p == '\\')
        return unescape_string(json, begin, p, out);
    if (p == json->end || *p != '"') return fail_in_string(json, p);
    json->at = p + 1;
    *out = (og_bytes){begin, (size_t)(p - begin)};
    return true;
}

static bool skip_string(struct og_json *json)
{
    const char *p = json->at + 1;
    for (;;) {
        uint32_t unit;
        p = json->kernels->find_special(p, json->end);
        if (p == json->end || *p != '\\') break;
        if (json->end - p >= 2 && og_scan_escapes[(unsigned char)p[1]] != 0)
            p += 2;
        else if (read_unit(p, json->end, &unit))
            p += 6;
        else
            break;
    }
    if (p == json->end || *p != '"') return fail_in_string(json, p);
    json->at = p + 1;
    return true;
}

/* ---- numbers and names ---- */

static bool skip_digits(struct og_json *json)
{
    const char *const first = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
        json->at++;
    if (json->at == first) return fail(json, "expected a digit in a number");
    return true;
}

static bool skip_number(struct og_json *json)
{
    take(json, '-');
    if (!take(json, '0') && !skip_digits(json)) return false;
    if (take(json, '.') && !skip_digits(json)) return false;
    if (take(json, 'e') || take(json, 'E')) {
        if (!take(json, '+')) take(json, '-');
        return skip_digits(json);
    }
    return true;
}

static bool skip_name(struct og_json *json, const char *name)
{
    for (; *name != 0; name++)
        if (!take(json, *name))
            return fail(json, "expected true, false or null");
    return true;
}

static bool skip_scalar(struct og_json *json, enum og_json_kind *out)
{
    if (json->at == json->end) return fail(json, "expected a value");
    switch (*json->at) {
    case '"': *out = OG_JSON_STRING; return skip_string(json);
    case 't': *out = OG_JSON_TRUE; return skip_name(json, "true");
    case 'f': *out = OG_JSON_FALSE; return skip_name(json, "false");
    case 'n': *out = OG_JSON_NULL; return skip_name(json, "null");
    default: break;
    }
    if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
        return fail(json, "expected a value");
    *out = OG_JSON_NUMBER;
    return skip_number(json);
}

/* ---- nested values ---- */

/* The open brackets: a bit tells an object from an array. */
struct nest {
    uint64_t is_object[OG_JSON_MAX_DEPTH / 64];
    size_t depth;
};

static const char too_deep[] = "expected at most 1024 levels of nesting";

static bool nest_open(struct og_json *json, struct nest *nest, bool is_object)
{
    if (nest->depth == OG_JSON_MAX_DEPTH) return fail(json, too_deep);
    uint64_t *const word = &nest->is_object[nest->depth / 64];
    const uint64_t bit = (uint64_t)1 << (nest->depth % 64);
    *word = is_object ? *word | bit : *word & ~bit;
    nest->depth++;
    json->at++;
    return true;
}

static bool nest_is_object(const struct nest *nest)
{
    const size_t top = nest->depth - 1;
    return (nest->is_object[top / 64] >> (top % 64) & 1) != 0;
}

static bool expect_colon(struct og_json *json)
{
    skip_space(json);
    return take(json, ':') || fail(json, "expected ':' after a key");
}

static bool skip_key(struct og_json *json)
{
    skip_space(json);
    if (!is_next(json, '"')) return fail(json, "expected a key in quotes");
    return skip_string(json) && expect_colon(json);
}

/* Advances to the next value of an open bracket. *out_is_value is false if the
 * last bracket was closed instead. */
static bool skip_to_value(struct og_json *json, struct nest *nest,
                          bool *out_is_value)
{
    while (nest->depth > 0) {
        const bool is_object = nest_is_object(nest);
        skip_space(json);
        if (take(json, ',')) {
            *out_is_value = true;
            return !is_object || skip_key(json);
        }
        if (!take(json, is_object ? '}' : ']'))
            return fail(json, is_object ? "expected ',' or '}' in an object"
                                        : "expected ',' or ']' in an array");
        nest->depth--;
    }
    *out_is_value = false;
    return true;
}

/* After an opening bracket: either it is closed at once, or a value follows. */
static bool skip_to_first_value(struct og_json *json, struct nest *nest,
                                bool *out_is_value)
{
    const bool is_object = nest_is_object(nest);
    skip_space(json);
    if (!take(json, is_object ? '}' : ']')) {
        *out_is_value = true;
        return !is_object || skip_key(json);
    }
    nest->depth--;
    return skip_to_value(json, nest, out_is_value);
}

static bool skip_nested(struct og_json *json)
{
    struct nest nest;
    nest.depth = 0;
    bool is_value = true;
    while (is_value) {
        enum og_json_kind kind;
        skip_space(json);
        if (is_next(json, '{') || is_next(json, '[')) {
            if (!nest_open(json, &nest, *json->at == '{') ||
                !skip_to_first_value(json, &nest, &is_value))
                return false;
        } else if (!skip_scalar(json, &kind) ||
                   !skip_to_value(json, &nest, &is_value)) {
            return false;
        }
    }
    return true;
}

/* ---- the object ---- */

void og_json_init(struct og_json *json, og_bytes data, char *unescaped)
{
    json->data = data.data;
    json->at = data.data;
    json->end = data.data + data.len;
    json->unescaped = unescaped;
    json->key = data.data;
    json->kernels = og_scan_kernels_of(og_cpu_level());
    json->is_first = true;
    json->expected = NULL;
    json->error_off = 0;
}

bool og_json_open(struct og_json *json)
{
    skip_space(json);
    return take(json, '{') || fail(json, "expected '{'");
}

/* True if a key is next: after '{' it may be missing, after ',' not. */
static bool is_at_key(struct og_json *json)
{
    if (json->expected != NULL) return false;
    skip_space(json);
    if (is_next(json, '}')) return false;
    if (!json->is_first && !take(json, ','))
        return fail(json, "expected ',' or '}' in an object");
    json->is_first = false;
    skip_space(json);
    json->key = json->at;
    return is_next(json, '"') || fail(json, "expected a key in quotes");
}

bool og_json_next_key(struct og_json *json, og_bytes *out)
{
    return is_at_key(json) && read_string(json, out) && expect_colon(json);
}

bool og_json_next_value(struct og_json *json, struct og_json_value *out)
{
    if (json->expected != NULL) return false;
    skip_space(json);
    if (is_next(json, '"')) {
        out->kind = OG_JSON_STRING;
        return read_string(json, &out->bytes);
    }
    const char *const begin = json->at;
    const bool is_nested = is_next(json, '{') || is_next(json, '[');
    if (is_nested) {
        out->kind = *begin == '{' ? OG_JSON_OBJECT : OG_JSON_ARRAY;
        if (!skip_nested(json)) return false;
    } else if (!skip_scalar(json, &out->kind)) {
        return false;
    }
    out->bytes = (og_bytes){begin, (size_t)(json->at - begin)};
    return true;
}

bool og_json_skip_value(struct og_json *json)
{
    return json->expected == NULL && skip_nested(json);
}

bool og_json_close(struct og_json *json)
{
    if (json->expected != NULL) return false;
    skip_space(json);
    if (!take(json, '}')) return fail(json, "expected ',' or '}' in an object");
    skip_space(json);
    return json->at == json->end ||
           fail(json, "expected nothing after the object");
}

/* ---- the array ---- */

bool og_json_open_array(struct og_json *json)
{
    skip_space(json);
    return take(json, '[') || fail(json, "expected '['");
}

bool og_json_next_item(struct og_json *json, struct og_json_value *out)
{
    if (json->expected != NULL) return false;
    skip_space(json);
    if (is_next(json, ']') && json->is_first) return false;
    if (!json->is_first && !take(json, ',')) return false;
    json->is_first = false;
    return og_json_next_value(json, out);
}

bool og_json_close_array(struct og_json *json)
{
    if (json->expected != NULL) return false;
    skip_space(json);
    if (!take(json, ']')) return fail(json, "expected ',' or ']' in an array");
    skip_space(json);
    return json->at == json->end ||
           fail(json, "expected nothing after the array");
}

bool og_json_is_object(og_bytes data, bool *out_is_cut)
{
    /* Nothing is unescaped, so no room is needed for it. */
    struct og_json json;
    og_json_init(&json, data, NULL);
    skip_space(&json);
    const bool is_object =
        (is_next(&json, '{') || fail(&json, "expected '{'")) &&
        skip_nested(&json);
    if (is_object) skip_space(&json);
    *out_is_cut = !is_object && json.error_off == data.len;
    return is_object && json.at == json.end;
}

bool og_json_is_too_deep(og_bytes data)
{
    struct og_json json;
    og_json_init(&json, data, NULL);
    skip_space(&json);
    return is_next(&json, '{') && !skip_nested(&json) &&
           json.expected == too_deep;
}
