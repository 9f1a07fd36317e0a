/* Frames over a pipe: see the head of sync_wire.h. */

#include "lib/sync/sync_wire.h"

#include "lib/os/file.h"
#include "lib/os/new_file.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_LEN = 1 << 17, GREETING_LEN = 16, FEATURE_PLAIN = 1 };

struct greeting {
    uint8_t magic[8];
    uint8_t version[2];
    uint8_t features[2]; /* 1: requests no compression */
    uint8_t role;        /* 's' or 'r' */
    uint8_t zero[3];
};
_Static_assert(sizeof(struct greeting) == GREETING_LEN, "the drawing says 16");

const char *og_wire_kind_name(enum og_wire_kind kind)
{
    static const char *const names[] = {"?",     "error",  "offer", "have",
                                        "want",  "hashes", "miss",  "pieces",
                                        "holes", "bytes",  "redo",  "done"};
    return kind <= OG_WIRE_DONE ? names[kind] : names[0];
}

/* ---- bytes out ---- */

static og_status write_out(struct og_wire *w, const void *data, size_t len,
                           og_error *err)
{
    char text[128];
    w->n_sent += len;
    if (w->out_fd < 0) return OG_OK;
    if (og_file_write_all(w->out_fd, data, len) == 0) return OG_OK;
    w->is_broken = true;
    return og_error_set(err, OG_ERR_IO, "the connection broke: %s",
                        og_file_error_text(errno, text, sizeof(text)));
}

static og_status pack_out(struct og_wire *w, const void *data, size_t len,
                          ZSTD_EndDirective end, og_error *err)
{
    ZSTD_inBuffer in = {data, len, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {w->out, BUFFER_LEN, w->out_len};
        left = ZSTD_compressStream2(w->packer, &out, &in, end);
        if (ZSTD_isError(left))
            return og_error_set(err, OG_ERR_MEMORY, "cannot compress: %s",
                                ZSTD_getErrorName(left));
        w->out_len = out.pos;
        if (w->out_len == BUFFER_LEN) {
            w->out_len = 0;
            TRY(write_out(w, w->out, BUFFER_LEN, err));
        }
    } while (in.pos < in.size || (end != ZSTD_e_continue && left > 0));
    return OG_OK;
}

static og_status put_raw(struct og_wire *w, const void *data, size_t len,
                         og_error *err)
{
    if (len == 0) return OG_OK;
    if (w->compress) return pack_out(w, data, len, ZSTD_e_continue, err);
    if (w->out_len + len > BUFFER_LEN) {
        const size_t n = w->out_len;
        w->out_len = 0;
        TRY(write_out(w, w->out, n, err));
    }
    if (len > BUFFER_LEN) return write_out(w, data, len, err);
    memcpy(w->out + w->out_len, data, len);
    w->out_len += len;
    return OG_OK;
}

og_status og_wire_put_bytes(struct og_wire *w, enum og_wire_kind kind,
                            const void *data, size_t len, uint64_t n_items,
                            og_error *err)
{
    uint8_t head[11] = {(uint8_t)kind};
    size_t n = 1;
    if (len > OG_WIRE_MAX_MESSAGE)
        return og_error_set(err, OG_ERR_LIMIT,
                            "a message of %zu bytes is too long: use larger "
                            "chunks",
                            len);
    for (uint64_t v = len;; v >>= 7) {
        head[n++] = (uint8_t)((v & 127) | (v >= 128 ? 128 : 0));
        if (v < 128) break;
    }
    w->was_reading = false;
    if (w->on_message != NULL) {
        const og_sync_message m = {w->is_sender, og_wire_kind_name(kind),
                                   n_items, len + n};
        w->on_message(w->ctx, &m);
    }
    TRY(put_raw(w, head, n, err));
    return put_raw(w, data, len, err);
}

og_status og_wire_put(struct og_wire *w, enum og_wire_kind kind,
                      const struct og_pack *payload, uint64_t n_items,
                      og_error *err)
{
    if (payload->failed) return og_error_memory(err, payload->len, "a message");
    return og_wire_put_bytes(w, kind, payload->data, payload->len, n_items,
                             err);
}

og_status og_wire_flush(struct og_wire *w, og_error *err)
{
    if (w->compress) TRY(pack_out(w, NULL, 0, ZSTD_e_flush, err));
    const size_t n = w->out_len;
    w->out_len = 0;
    return n == 0 ? OG_OK : write_out(w, w->out, n, err);
}

/* ---- bytes in ---- */

static og_status broke(og_error *err)
{
    return og_error_set(err, OG_ERR_IO,
                        "the connection broke: the other side went away");
}

static og_status fill_in(struct og_wire *w, og_error *err)
{
    char text[128];
    ssize_t n;
    if (w->in_fd < 0) {
        n = (ssize_t)(w->memory_len < BUFFER_LEN ? w->memory_len : BUFFER_LEN);
        if (n > 0) memcpy(w->in, w->memory, (size_t)n);
        w->memory += n;
        w->memory_len -= (size_t)n;
    } else {
        n = og_file_read(w->in_fd, w->in, BUFFER_LEN);
    }
    w->is_broken = w->is_broken || n <= 0;
    if (n < 0)
        return og_error_set(err, OG_ERR_IO, "the connection broke: %s",
                            og_file_error_text(errno, text, sizeof(text)));
    if (n == 0) return broke(err);
    w->in_at = 0;
    w->in_len = (size_t)n;
    w->n_received += (uint64_t)n;
    return OG_OK;
}

/* zstd may hold back output when the buffer is full: it is called once more
 * before waiting for more input, which may never come. */
static og_status unpack_in(struct og_wire *w, og_error *err)
{
    w->plain_at = w->plain_len = 0;
    for (;;) {
        ZSTD_inBuffer in = {w->in, w->in_len, w->in_at};
        ZSTD_outBuffer out = {w->plain, BUFFER_LEN, 0};
        const size_t n = ZSTD_decompressStream(w->unpacker, &out, &in);
        if (ZSTD_isError(n))
            return og_error_set(err, OG_ERR_INPUT,
                                "the other side sends nonsense: %s",
                                ZSTD_getErrorName(n));
        w->in_at = in.pos;
        w->plain_len = out.pos;
        if (w->plain_len > 0) return OG_OK;
        if (w->in_at == w->in_len) TRY(fill_in(w, err));
    }
}

static og_status get_raw(struct og_wire *w, uint8_t *out, size_t len,
                         og_error *err)
{
    while (len > 0) {
        uint8_t *from = w->compress ? w->plain : w->in;
        size_t *at = w->compress ? &w->plain_at : &w->in_at;
        size_t *end = w->compress ? &w->plain_len : &w->in_len;
        if (*at == *end) TRY(w->compress ? unpack_in(w, err) : fill_in(w, err));
        const size_t have = *end - *at, n = len < have ? len : have;
        memcpy(out, from + *at, n);
        *at += n;
        out += n;
        len -= n;
    }
    return OG_OK;
}

/* Grows as the bytes arrive: a length is only a claim. */
static og_status get_payload(struct og_wire *w, uint64_t len, og_error *err)
{
    struct og_pack *m = &w->message;
    m->len = 0;
    if (!OG_GROW(m->allocator, m->data, m->cap, 1))
        return og_error_memory(err, 1, "a message");
    while (len > 0) {
        const size_t n = len < BUFFER_LEN ? (size_t)len : BUFFER_LEN;
        if (!OG_GROW(m->allocator, m->data, m->cap, m->len + n))
            return og_error_memory(err, m->len + n, "a message");
        TRY(get_raw(w, m->data + m->len, n, err));
        m->len += n;
        len -= n;
    }
    return OG_OK;
}

static og_status other_side_says(const struct og_unpacker *u, og_error *err)
{
    char text[300];
    size_t n = og_unpacker_left(u);
    if (n > sizeof(text) - 1) n = sizeof(text) - 1;
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(u->at[i] < 32 || u->at[i] == 127 ? '?' : u->at[i]);
    text[n] = '\0';
    return og_error_set(err, OG_ERR_IO, "the other side says: %s", text);
}

og_status og_wire_get_any(struct og_wire *w, enum og_wire_kind *kind,
                          struct og_unpacker *out, og_error *err)
{
    uint8_t byte;
    uint64_t len = 0;
    if (!w->was_reading) {
        TRY(og_wire_flush(w, err));
        w->n_round_trips++;
        w->was_reading = true;
    }
    TRY(get_raw(w, &byte, 1, err));
    *kind = byte;
    for (unsigned shift = 0;; shift += 7) {
        TRY(get_raw(w, &byte, 1, err));
        len |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) break;
        if (shift >= 28) len = UINT64_MAX; /* refused below */
        if (shift >= 28) break;
    }
    if (len > OG_WIRE_MAX_MESSAGE || *kind < OG_WIRE_ERROR ||
        *kind > OG_WIRE_DONE)
        return og_error_set(err, OG_ERR_INPUT,
                            "the other side sends nonsense: a message of kind "
                            "%d and %llu bytes",
                            *kind, (unsigned long long)len);
    TRY(get_payload(w, len, err));
    *out = (struct og_unpacker){w->message.data, w->message.data + len, false};
    if (*kind != OG_WIRE_ERROR) return OG_OK;
    w->is_broken = true;
    return other_side_says(out, err);
}

og_status og_wire_get(struct og_wire *w, enum og_wire_kind kind,
                      struct og_unpacker *out, og_error *err)
{
    enum og_wire_kind is;
    TRY(og_wire_get_any(w, &is, out, err));
    if (is == kind) return OG_OK;
    return og_error_set(err, OG_ERR_INPUT,
                        "the other side says '%s' where '%s' is due",
                        og_wire_kind_name(is), og_wire_kind_name(kind));
}

/* ---- errors over the wire ---- */

void og_wire_send_error(struct og_wire *w, const og_error *err)
{
    if (w->out == NULL) return;
    if (og_wire_put_bytes(w, OG_WIRE_ERROR, err->message, strlen(err->message),
                          1, NULL) == OG_OK)
        (void)og_wire_flush(w, NULL);
}

void og_wire_hear_error(struct og_wire *w, og_error *err)
{
    struct og_unpacker u;
    enum og_wire_kind kind;
    og_error last = {0};
    w->was_reading = true; /* nothing more can be flushed */
    for (int i = 0; i < 64; i++)
        if (og_wire_get_any(w, &kind, &u, &last) != OG_OK) break;
    if (strncmp(last.message, "the other side says", 19) == 0 && err != NULL)
        *err = last;
}

/* ---- hello and goodbye ---- */

static og_status exchange_greetings(struct og_wire *w, bool wants_plain,
                                    og_error *err)
{
    struct greeting mine = {.magic = "origoSYN",
                            .version = {OG_WIRE_VERSION, 0},
                            .features = {wants_plain ? FEATURE_PLAIN : 0, 0},
                            .role = w->is_sender ? 's' : 'r'};
    struct greeting theirs;
    TRY(put_raw(w, &mine, sizeof(mine), err));
    TRY(og_wire_flush(w, err));
    TRY(get_raw(w, (uint8_t *)&theirs, sizeof(theirs), err));
    if (memcmp(theirs.magic, mine.magic, sizeof(mine.magic)) != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "the other side does not speak origo's exchange");
    if (theirs.version[0] != OG_WIRE_VERSION || theirs.version[1] != 0 ||
        (theirs.features[0] & ~FEATURE_PLAIN) != 0 || theirs.features[1] != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "the other side speaks version %d of the exchange, "
                            "this one version %d",
                            theirs.version[0], OG_WIRE_VERSION);
    if (theirs.role == mine.role)
        return og_error_set(err, OG_ERR_INPUT, "the other side is a %s too",
                            w->is_sender ? "sender" : "receiver");
    w->compress = !wants_plain && (theirs.features[0] & FEATURE_PLAIN) == 0;
    return OG_OK;
}

static og_status wire_init(struct og_wire *w, bool is_sender,
                           const og_sync_options *options, og_error *err)
{
    w->is_sender = is_sender;
    w->ctx = options->ctx;
    w->on_message = options->on_message;
    w->allocator = w->message.allocator = NULL;
    w->in = og_allocate(w->allocator, 3 * BUFFER_LEN);
    w->packer = ZSTD_createCCtx();
    w->unpacker = ZSTD_createDCtx();
    if (w->in == NULL || w->packer == NULL || w->unpacker == NULL)
        return og_error_memory(err, 3 * BUFFER_LEN, "a connection");
    w->plain = w->in + BUFFER_LEN;
    w->out = w->plain + BUFFER_LEN;
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_compressionLevel, 6);
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_windowLog, OG_WIRE_WINDOW_LOG);
    ZSTD_DCtx_setParameter(w->unpacker, ZSTD_d_windowLogMax,
                           OG_WIRE_WINDOW_LOG);
    return exchange_greetings(w, options->no_compress, err);
}

og_status og_wire_open(struct og_wire *w, int in_fd, int out_fd, bool is_sender,
                       const og_sync_options *options, og_error *err)
{
    *w = (struct og_wire){.in_fd = in_fd, .out_fd = out_fd};
    return wire_init(w, is_sender, options, err);
}

og_status og_wire_open_memory(struct og_wire *w, const uint8_t *data,
                              size_t len, bool is_sender,
                              const og_sync_options *options, og_error *err)
{
    *w = (struct og_wire){
        .in_fd = -1, .out_fd = -1, .memory = data, .memory_len = len};
    return wire_init(w, is_sender, options, err);
}

void og_wire_close(struct og_wire *w)
{
    og_release(w->allocator, w->in, 3 * BUFFER_LEN);
    ZSTD_freeCCtx(w->packer);
    ZSTD_freeDCtx(w->unpacker);
    og_pack_release(&w->message);
    *w = (struct og_wire){.in_fd = -1, .out_fd = -1};
}
