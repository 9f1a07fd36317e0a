#include "lib/source/json_string.h"

#include <stdio.h>

static void put(struct og_pack *out, const char *s)
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
        case '\n': put(out, "\\n"); continue;
        case '\t': put(out, "\\t"); continue;
        case '\r': put(out, "\\r"); continue;
        case '"': put(out, "\\\""); continue;
        case '\\': put(out, "\\\\"); continue;
        default: snprintf(escape, sizeof(escape), "\\u%04x", c);
        }
        put(out, escape);
    }
    og_pack_bytes(out, s.data + done, s.len - done);
    og_pack_bytes(out, "\"", 1);
}
