/* Lines of JSONL with one value changed. A record may have any fields, in any
 * order and spelling. They belong to the user, so they are never parsed and
 * rewritten: the bytes before and after the value are copied unchanged. */

#include "lib/source/json/json_edit.h"
#include "lib/base/c_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/source/json/json.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static og_bytes trimmed(const char *begin, const char *end)
{
    while (begin < end && is_space(*begin))
        begin++;
    while (end > begin && is_space(end[-1]))
        end--;
    return (og_bytes){begin, (size_t)(end - begin)};
}

/* The depth is the number of dots in the name. */
bool og_json_member(og_bytes line, const char *name, char *scratch,
                    og_bytes *out_raw)
{
    struct og_json json;
    og_bytes key, raw = {NULL, 0};
    og_json_init(&json, line, scratch);
    og_json_open(&json);
    while (og_json_next_key(&json, &key)) {
        const bool is_it =
            strlen(name) >= key.len && memcmp(key.data, name, key.len) == 0;
        const char border = is_it ? name[key.len] : 'x';
        const char *begin = json.at;
        if (!og_json_skip_value(&json)) return false;
        const og_bytes value = trimmed(begin, json.at);
        if (border == 0) raw = value;
        if (border == '.' && value.len > 0 && value.data[0] == '{')
            og_json_member(value, name + key.len + 1, scratch, &raw);
    }
    if (!og_json_close(&json) || raw.data == NULL) return false;
    *out_raw = raw;
    return true;
}

/* The bits of a double, ordered like the numbers. */
static uint64_t order_of(double value)
{
    uint64_t bits;
    if (value == 0) value = 0; /* -0 */
    memcpy(&bits, &value, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

bool og_json_rank(og_bytes raw, char *scratch, uint64_t *out)
{
    int64_t time;
    if (raw.len == 0) return false;
    if (raw.data[0] == '"') {
        const og_bytes inside = {raw.data + 1, raw.len - 2};
        if (raw.len < 2 || (!og_time_parse_seconds(inside, &time) &&
                            !og_time_parse(inside, &time)))
            return false;
        *out = order_of((double)time);
        return true;
    }
    if (raw.data[0] != '-' && (raw.data[0] < '0' || raw.data[0] > '9'))
        return false;
    memcpy(scratch, raw.data, raw.len);
    scratch[raw.len] = '\0';
    const double value = og_parse_number(scratch, NULL);
    if (isnan(value)) return false;
    *out = order_of(value);
    return true;
}

/* ---- writing ---- */

void og_pack_text(struct og_pack *out, const char *s)
{
    og_pack_bytes(out, s, strlen(s));
}

void og_pack_json_string(struct og_pack *out, og_bytes s)
{
    og_pack_bytes(out, "\"", 1);
    size_t done = 0;
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        og_pack_bytes(out, s.data + done, i - done);
        done = i + 1;
        char escape[8];
        switch (c) {
        case '\n': og_pack_text(out, "\\n"); continue;
        case '\t': og_pack_text(out, "\\t"); continue;
        case '\r': og_pack_text(out, "\\r"); continue;
        case '"': og_pack_text(out, "\\\""); continue;
        case '\\': og_pack_text(out, "\\\\"); continue;
        default: snprintf(escape, sizeof(escape), "\\u%04x", c);
        }
        og_pack_text(out, escape);
    }
    og_pack_bytes(out, s.data + done, s.len - done);
    og_pack_bytes(out, "\"", 1);
}

void og_pack_share(struct og_pack *out, double value)
{
    char digits[16];
    /* By hand: printf would use the decimal comma of the locale. */
    const unsigned n = (unsigned)(value * 10000 + 0.5);
    snprintf(digits, sizeof(digits), "%u.%04u", n / 10000, n % 10000);
    size_t len = strlen(digits);
    while (digits[len - 1] == '0')
        len--;
    if (digits[len - 1] == '.') len--;
    og_pack_bytes(out, digits, len);
}

void og_pack_field(struct og_pack *out, og_bytes s)
{
    size_t done = 0;
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c >= 0x20 && c != '\\' && c != 0x7f) continue;
        char escape[8];
        og_pack_bytes(out, s.data + done, i - done);
        done = i + 1;
        snprintf(escape, sizeof(escape), "\\u%04x", c);
        og_pack_text(out, escape);
    }
    og_pack_bytes(out, s.data + done, s.len - done);
}

void og_pack_decimal(struct og_pack *out, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    og_pack_text(out, digits);
}

static void pack_member(struct og_pack *out, const char *name, og_bytes value)
{
    if (value.len == 0) return;
    og_pack_text(out, ",\"");
    og_pack_text(out, name);
    og_pack_text(out, "\":");
    og_pack_json_string(out, value);
}

void og_pack_document(struct og_pack *out, const og_document *doc)
{
    char time[40];
    og_pack_text(out, "{\"id\":");
    og_pack_json_string(out, doc->id);
    if (doc->has_time)
        pack_member(out, "time",
                    (og_bytes){time, og_time_format(doc->time, time)});
    pack_member(out, "title", doc->title);
    pack_member(out, "url", doc->url);
    og_pack_text(out, ",\"text\":");
    og_pack_json_string(out, doc->text);
    if (doc->extra.len > 0) og_pack_text(out, ",");
    og_pack_bytes(out, doc->extra.data, doc->extra.len);
    og_pack_text(out, "}\n");
}

void og_pack_replaced(struct og_pack *out, og_bytes line, og_bytes raw,
                      og_bytes value)
{
    const size_t before = (size_t)(raw.data - line.data);
    og_pack_bytes(out, line.data, before);
    og_pack_bytes(out, value.data, value.len);
    og_pack_bytes(out, raw.data + raw.len, line.len - before - raw.len);
}

void og_pack_extended(struct og_pack *out, og_bytes line, const char *name,
                      og_bytes value)
{
    size_t end = line.len;
    while (end > 0 && line.data[end - 1] != '}')
        end--;
    og_pack_bytes(out, line.data, end > 0 ? end - 1 : 0);
    og_pack_text(out, ",\"");
    og_pack_text(out, name);
    og_pack_text(out, "\":");
    og_pack_bytes(out, value.data, value.len);
    og_pack_text(out, "}");
}
