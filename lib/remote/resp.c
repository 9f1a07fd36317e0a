#include "lib/remote/resp.h"

#include <string.h>

void og_resp_release(struct og_resp *reply)
{
    OG_UNGROW(reply->allocator, reply->items, reply->cap);
    reply->n = 0;
}

/* ---- numbers and lines ---- */

/* The whole of it, in decimal, with a sign or none. */
static bool read_number(og_bytes text, int64_t *out)
{
    const bool is_negative = text.len > 0 && text.data[0] == '-';
    uint64_t value = 0;
    if (text.len == (size_t)is_negative || text.len > 19) return false;
    for (size_t i = is_negative; i < text.len; i++) {
        const unsigned digit = (unsigned)(uint8_t)text.data[i] - '0';
        if (digit > 9 || value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Up to \r\n, from `at` on; *out_next is after it. */
static bool take_line(og_bytes data, size_t at, og_bytes *out, size_t *out_next)
{
    const char *begin = data.data + at;
    const char *newline = memchr(begin, '\n', data.len - at);
    if (newline == NULL) return false;
    const size_t len = (size_t)(newline - begin);
    *out = (og_bytes){begin, len};
    *out_next = at + len + 1;
    return true;
}

/* ---- items ---- */

static enum og_resp_state take_string(og_bytes data, int64_t len, size_t *at,
                                      struct og_resp_item *out)
{
    if (len == -1) {
        out->kind = OG_RESP_NULL;
        return OG_RESP_WHOLE;
    }
    if (len < 0 || (uint64_t)len > OG_RESP_BYTES_MAX) return OG_RESP_BAD;
    if (data.len - *at < (size_t)len + 2) return OG_RESP_CUT;
    if (memcmp(data.data + *at + len, "\r\n", 2) != 0) return OG_RESP_BAD;
    out->kind = OG_RESP_BYTES;
    out->bytes = (og_bytes){data.data + *at, (size_t)len};
    *at += (size_t)len + 2;
    return OG_RESP_WHOLE;
}

static enum og_resp_state take_item(og_bytes data, size_t *at,
                                    struct og_resp_item *out)
{
    og_bytes line;
    size_t next;
    *out = (struct og_resp_item){.kind = OG_RESP_NULL, .bytes = {"", 0}};
    if (!take_line(data, *at, &line, &next))
        return data.len - *at > OG_RESP_ITEMS_MAX ? OG_RESP_BAD : OG_RESP_CUT;
    if (line.len < 2 || line.data[line.len - 1] != '\r') return OG_RESP_BAD;
    const char kind = line.data[0];
    const og_bytes rest = {line.data + 1, line.len - 2};
    *at = next;
    if (kind == '+' || kind == '-') {
        out->kind = kind == '+' ? OG_RESP_LINE : OG_RESP_ERROR;
        out->bytes = rest;
        return OG_RESP_WHOLE;
    }
    if (!read_number(rest, &out->number)) return OG_RESP_BAD;
    if (kind == '$') return take_string(data, out->number, at, out);
    if (kind == ':') out->kind = OG_RESP_NUMBER;
    if (kind == '*' && out->number != -1) out->kind = OG_RESP_LIST;
    const bool is_known = kind == ':' || kind == '*';
    const bool has_room =
        kind != '*' ||
        (out->number >= -1 && (uint64_t)(out->number + 1) <= OG_RESP_ITEMS_MAX);
    return is_known && has_room ? OG_RESP_WHOLE : OG_RESP_BAD;
}

enum og_resp_state og_resp_parse(og_bytes data, struct og_resp *reply,
                                 size_t *out_len)
{
    size_t at = 0;
    reply->n = 0;
    for (size_t n_left = 1; n_left > 0; n_left--) {
        if (reply->n == OG_RESP_ITEMS_MAX) return OG_RESP_BAD;
        if (!OG_GROW(reply->allocator, reply->items, reply->cap, reply->n + 1))
            return OG_RESP_NO_MEMORY;
        struct og_resp_item *item = &reply->items[reply->n++];
        const enum og_resp_state state = take_item(data, &at, item);
        if (state != OG_RESP_WHOLE) return state;
        if (item->kind == OG_RESP_LIST) n_left += (size_t)item->number;
    }
    *out_len = at;
    return OG_RESP_WHOLE;
}

size_t og_resp_after(const struct og_resp *reply, size_t item)
{
    size_t n_left = 1;
    for (; n_left > 0 && item < reply->n; n_left--, item++)
        if (reply->items[item].kind == OG_RESP_LIST)
            n_left += (size_t)reply->items[item].number;
    return item;
}

/* ---- errors ---- */

bool og_resp_is(og_bytes error, const char *word)
{
    const size_t len = strlen(word);
    return error.len >= len && memcmp(error.data, word, len) == 0 &&
           (error.len == len || error.data[len] == ' ');
}

static og_bytes take_word(og_bytes *from)
{
    const char *space = memchr(from->data, ' ', from->len);
    const size_t len = space != NULL ? (size_t)(space - from->data) : from->len;
    const og_bytes word = {from->data, len};
    const size_t past = space != NULL ? len + 1 : len;
    *from = (og_bytes){from->data + past, from->len - past};
    return word;
}

bool og_resp_redirect(og_bytes error, struct og_resp_redirect *out)
{
    int64_t slot, port;
    const bool is_ask = og_resp_is(error, "ASK");
    if (!is_ask && !og_resp_is(error, "MOVED")) return false;
    (void)take_word(&error);
    if (!read_number(take_word(&error), &slot)) return false;
    const og_bytes place = take_word(&error);
    size_t colon = place.len;
    while (colon > 0 && place.data[colon - 1] != ':')
        colon--;
    if (colon == 0) return false;
    const og_bytes port_text = {place.data + colon, place.len - colon};
    if (!read_number(port_text, &port) || slot < 0 || slot >= 16384 ||
        port < 1 || port > 65535)
        return false;
    *out = (struct og_resp_redirect){.is_ask = is_ask,
                                     .slot = (unsigned)slot,
                                     .host = {place.data, colon - 1},
                                     .port = (unsigned)port};
    return true;
}
