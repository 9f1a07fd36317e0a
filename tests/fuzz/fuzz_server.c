/* The parts of a request to the server: its path, a packed body, JSON, the
 * address of a webhook. The first byte says which. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/http_client.h"
#include "server/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void try_path(const char *uri)
{
    static const char *const methods[] = {"GET", "POST", "DELETE", "HEAD"};
    char *path = malloc(strlen(uri) + 1);
    size_t len = 0;
    if (path_decode(uri, path, &len)) {
        if (len > strlen(uri) || strlen(path) != len) abort();
        for (int i = 0; i < 4; i++) {
            og_bytes rest = {"", 0};
            const char *allow;
            const og_bytes view = {path, len};
            const struct route *r = route_find(methods[i], view, &rest, &allow);
            if (r != NULL && strchr(r->path, '*') != NULL &&
                (rest.len == 0 || rest.data + rest.len != path + len))
                abort();
        }
    }
    free(path);
}

static void try_address(const char *url)
{
    static const char *const allowed[] = {"example.org"};
    const struct serve_list hosts = {allowed, 1};
    struct http_address a;
    const bool is_address = http_address_parse(url, &a);
    if (webhook_check(&hosts, url) == NULL &&
        (!is_address || strcasecmp(a.host, "example.org") != 0))
        abort();
}

/* In one piece and in many: the same comes out, and never too much. */
static void try_unpack(const char *encoding, const char *data, size_t len)
{
    enum { MOST = 100000 };
    struct buffer whole = {0}, pieces = {0};
    struct unpacker u;
    if (!unpacker_init(&u, encoding)) abort();
    const enum unpack_result one = unpacker_feed(&u, data, len, MOST, &whole);
    const bool is_whole = u.is_whole;
    unpacker_release(&u);
    if (!unpacker_init(&u, encoding)) abort();
    enum unpack_result many = UNPACK_FINE;
    for (size_t at = 0; at < len && many == UNPACK_FINE; at += 7)
        many = unpacker_feed(&u, data + at, len - at < 7 ? len - at : 7, MOST,
                             &pieces);
    if (whole.len > MOST || pieces.len > MOST) abort();
    if (one == UNPACK_FINE && many == UNPACK_FINE &&
        (whole.len != pieces.len || is_whole != u.is_whole ||
         (whole.len > 0 && memcmp(whole.data, pieces.data, whole.len) != 0)))
        abort();
    unpacker_release(&u);
    buffer_release(&whole);
    buffer_release(&pieces);
}

static bool pass_over(void *ctx, og_bytes name, og_json_kind kind,
                      og_bytes value)
{
    size_t *n = ctx;
    (void)kind;
    *n += name.len + value.len;
    return true;
}

static void try_json(og_bytes json)
{
    char why[200];
    size_t n = 0;
    og_error err;
    if (og_json_each(json, pass_over, &n, &err) == OG_ERR_INPUT &&
        err.byte > json.len)
        abort();
    (void)watch_is_valid(json, why, sizeof(why));
}

static void try_document(og_bytes bytes, og_file_kind kind)
{
    og_reader *reader = og_reader_new();
    og_document doc = {.text = {"", 0}};
    bool bad_time;
    if (reader == NULL) return;
    if (og_reader_read(reader, bytes, kind, 1 << 20, &doc, &bad_time, NULL) ==
        OG_OK) {
        struct buffer b = {0};
        buffer_string(&b, doc.id);
        buffer_string(&b, doc.text);
        buffer_release(&b);
    }
    og_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0) return 0;
    const char *rest = (const char *)data + 1;
    const og_bytes bytes = {rest, len - 1};
    char *text = copy_of_bytes(bytes);
    if (text == NULL) return 0;
    switch (data[0] % 8) {
    case 0: try_path(text); break;
    case 1: try_address(text); break;
    case 2: try_unpack("gzip", rest, len - 1); break;
    case 3: try_unpack("zstd", rest, len - 1); break;
    case 4: try_unpack(NULL, rest, len - 1); break;
    case 5: try_json(bytes); break;
    case 6: try_document(bytes, OG_FILE_JSONL); break;
    default: try_document(bytes, OG_FILE_HTML); break;
    }
    free(text);
    return 0;
}
