#include "lib/source/web/http.h"

#include <string.h>
#include <strings.h>

#include "lib/source/source.h"
#include "lib/source/web/headers.h"

void og_http_init(struct og_http *http, const og_allocator *allocator)
{
    memset(http, 0, sizeof(*http));
    http->unchunked.allocator = http->unpacked.allocator = allocator;
}

void og_http_release(struct og_http *http)
{
    if (http->has_inflate) inflateEnd(&http->inflate);
    og_pack_release(&http->unchunked);
    og_pack_release(&http->unpacked);
    og_http_init(http, http->unpacked.allocator);
}

/* "HTTP/1.1 200 OK"; 0: not a status line. */
static int status_of(og_bytes line)
{
    if (!og_begins_with(line, "HTTP/")) return 0;
    const char *const space = memchr(line.data, ' ', line.len);
    if (space == NULL) return 0;
    const size_t left = (size_t)(line.data + line.len - space);
    int status = 0;
    for (size_t i = 1; i < left && i < 4; i++) {
        if (space[i] < '0' || space[i] > '9') return 0;
        status = status * 10 + (space[i] - '0');
    }
    return status;
}

/* The output, with readable bytes after it, like all text. */
static og_bytes seal(struct og_pack *p)
{
    const size_t len = p->len;
    og_pack_bytes(p, (char[OG_BLOCK_PADDING]){0}, OG_BLOCK_PADDING);
    p->len = len;
    return (og_bytes){(const char *)p->data, len};
}

/* ---- chunks ---- */

static bool read_chunk_len(og_bytes line, uint64_t *out)
{
    *out = 0;
    size_t i = 0;
    for (; i < line.len && i < 16; i++) {
        const char c = line.data[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) break;
        *out = *out << 4 | (uint64_t)digit;
    }
    if (i == 0 || i == 16) return false;
    return i == line.len || line.data[i] == ';' || line.data[i] == ' ';
}

/* False if the body has no chunks at all. */
static bool unchunk(struct og_http *http, og_bytes body, og_bytes *out)
{
    struct og_pack *const to = &http->unchunked;
    size_t pos = 0;
    og_bytes line;
    to->len = 0;
    while (og_next_line(body, &pos, &line)) {
        uint64_t len;
        if (!read_chunk_len(line, &len)) {
            if (to->len == 0) return false;
            break; /* what came before is correct */
        }
        if (len == 0) break;
        const size_t left = body.len - pos;
        const size_t n = len < left ? (size_t)len : left;
        og_pack_bytes(to, body.data + pos, n);
        pos += n;
        if (!og_next_line(body, &pos, &line)) break;
        if (line.len != 0) break;
    }
    *out = seal(to);
    return true;
}

/* ---- packing ---- */

enum packing { PACKING_NONE, PACKING_ZLIB, PACKING_UNKNOWN };

static enum packing packing_of(og_bytes encoding)
{
    if (encoding.len == 0 || og_begins_with(encoding, "identity"))
        return PACKING_NONE;
    if (og_begins_with(encoding, "gzip") ||
        og_begins_with(encoding, "x-gzip") ||
        og_begins_with(encoding, "deflate"))
        return PACKING_ZLIB;
    return PACKING_UNKNOWN;
}

static bool is_zlib(og_bytes s)
{
    if (s.len < 2) return false;
    const unsigned a = (unsigned char)s.data[0], b = (unsigned char)s.data[1];
    return (a == 0x1f && b == 0x8b) ||
           ((a & 15) == 8 && (a << 8 | b) % 31 == 0);
}

/* gzip, zlib, or the bare deflate that some servers send. */
static bool start_inflate(struct og_http *http, og_bytes body)
{
    const int bits = is_zlib(body) ? 32 + MAX_WBITS : -MAX_WBITS;
    const int result = http->has_inflate ? inflateReset2(&http->inflate, bits)
                                         : inflateInit2(&http->inflate, bits);
    http->has_inflate = http->has_inflate || result == Z_OK;
    return result == Z_OK;
}

static og_status unpack(struct og_http *http, og_bytes body, uint64_t max_len,
                        og_bytes *out, og_error *err)
{
    unsigned char piece[16384];
    z_stream *const z = &http->inflate;
    struct og_pack *const to = &http->unpacked;
    int result = Z_OK;
    to->len = 0;
    to->failed = false;
    if (!start_inflate(http, body))
        return og_error_memory(err, (size_t)1 << MAX_WBITS, "gzip");
    z->next_in = (Bytef *)body.data;
    z->avail_in = (uInt)body.len;
    while (result == Z_OK) {
        z->next_out = piece;
        z->avail_out = sizeof(piece);
        result = inflate(z, Z_NO_FLUSH);
        og_pack_bytes(to, piece, sizeof(piece) - z->avail_out);
        if (to->failed || result == Z_MEM_ERROR)
            return og_error_memory(err, to->len, "a packed body");
        if (to->len > max_len)
            return og_error_set(err, OG_ERR_LIMIT,
                                "the body unpacks to more than %llu bytes",
                                (unsigned long long)max_len);
    }
    if (to->len == 0 && result != Z_STREAM_END)
        return og_error_set(err, OG_ERR_INPUT,
                            "the packed body of the record is broken");
    *out = seal(to);
    if (to->failed) return og_error_memory(err, to->len, "a packed body");
    return OG_OK;
}

og_status og_http_read(struct og_http *http, og_bytes message, uint64_t max_len,
                       struct og_http_response *out, og_error *err)
{
    size_t pos = 0;
    og_bytes line = {"", 0};
    og_next_line(message, &pos, &line);
    *out = (struct og_http_response){.status = status_of(line),
                                     .body = message,
                                     .headers = {"", 0},
                                     .type = {"", 0}};
    if (out->status == 0) return OG_OK;
    const og_bytes rest = {message.data + pos, message.len - pos};
    const size_t headers_len = og_headers_len(rest);
    out->headers = (og_bytes){rest.data, headers_len};
    out->body = (og_bytes){rest.data + headers_len, rest.len - headers_len};
    if (headers_len == 0) { /* a truncated response: headers only */
        out->headers = rest;
        out->body = (og_bytes){"", 0};
    }
    out->type = og_headers_find(out->headers, "Content-Type");
    const og_bytes transfer =
        og_headers_find(out->headers, "Transfer-Encoding");
    const og_bytes encoding = og_headers_find(out->headers, "Content-Encoding");
    if (og_begins_with(transfer, "chunked"))
        unchunk(http, out->body, &out->body);
    if (http->unchunked.failed) {
        http->unchunked.failed = false;
        return og_error_memory(err, message.len, "a body in chunks");
    }
    switch (packing_of(encoding)) {
    case PACKING_NONE: return OG_OK;
    case PACKING_UNKNOWN:
        return og_error_set(
            err, OG_ERR_INPUT,
            "the record is compressed with '%.*s', which is not supported",
            (int)(encoding.len < 20 ? encoding.len : 20), encoding.data);
    case PACKING_ZLIB: break;
    }
    /* Archives often keep the header and store the body unpacked. */
    if (!is_zlib(out->body) && !og_begins_with(encoding, "deflate"))
        return OG_OK;
    return unpack(http, out->body, max_len, &out->body, err);
}
