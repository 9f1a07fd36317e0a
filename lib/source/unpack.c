/* The bytes of a file; gzip and zstd are unpacked.
 *
 * The magic bytes decide, not the name. Both formats may be concatenated (many
 * gzip members from bgzip or `cat a.gz b.gz`; many zstd frames from pzstd), and
 * both end only where a member ends and the file does too: anything else is a
 * truncated file. Plain bytes go from the system straight to the caller's
 * buffer, except for the first ones, which are examined, and for small reads.
 *
 * What is returned before an error is correct as far as the format can tell:
 * the checksums of both come at the end of a member. */

#include "lib/source/unpack.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zstd_errors.h>

#include "lib/base/bits.h"
#include "lib/os/file.h"

/* The largest zstd block; smaller plain reads go through the buffer, so that a
 * caller who takes a few bytes at a time does not cause a system call for
 * each. */
#define IN_CAP ((size_t)128 << 10)

#define MAGIC_LEN 4

/* How often should_stop is called while a stream is silent, and how long a
 * stream may pause before the bytes so far are passed on. */
enum { STOP_MS = 100, MOMENT_MS = 5 };

void og_unpack_init(struct og_unpack *unpack, const og_allocator *allocator)
{
    memset(unpack, 0, sizeof(*unpack));
    unpack->allocator = allocator;
    unpack->fd = -1;
}

void og_unpack_release(struct og_unpack *unpack)
{
    og_unpack_close(unpack);
    if (unpack->has_gzip) inflateEnd(&unpack->gzip);
    ZSTD_freeDCtx(unpack->zstd);
    og_release(unpack->allocator, unpack->in, IN_CAP);
    og_unpack_init(unpack, unpack->allocator);
}

void og_unpack_close(struct og_unpack *unpack)
{
    if (unpack->owns_fd && unpack->fd >= 0) close(unpack->fd);
    unpack->fd = -1;
}

/* ---- the packed side ---- */

/* A stream may be silent for hours: its reader must still notice a request to
 * stop. */
static og_status wait_for_file(const struct og_unpack *unpack, og_error *err)
{
    struct pollfd file = {.fd = unpack->fd, .events = POLLIN};
    while (unpack->should_stop != NULL && poll(&file, 1, STOP_MS) == 0)
        if (unpack->should_stop(unpack->stop_ctx))
            return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
    return OG_OK;
}

static og_status read_file(struct og_unpack *unpack, char *out, size_t cap,
                           size_t *out_len, og_error *err)
{
    if (unpack->pull != NULL) {
        const og_status status =
            unpack->pull(unpack->pull_ctx, out, cap, out_len, err);
        if (status != OG_OK && status != OG_END) return status;
        if (status == OG_END) *out_len = 0;
        unpack->in_ended = status == OG_END;
        unpack->n_read += *out_len;
        return OG_OK;
    }
    TRY(wait_for_file(unpack, err));
    const ssize_t n = og_file_read(unpack->fd, out, cap);
    if (n < 0) {
        char text[80];
        og_file_error_text(errno, text, sizeof(text));
        return og_error_set(err, OG_ERR_IO, "cannot read: %s", text);
    }
    unpack->in_ended = n == 0;
    unpack->n_read += (uint64_t)n;
    *out_len = (size_t)n;
    return OG_OK;
}

/* Adds to the buffer, which must not be full. */
static og_status fill(struct og_unpack *unpack, og_error *err)
{
    if (unpack->in_pos == unpack->in_len) unpack->in_pos = unpack->in_len = 0;
    size_t n = 0;
    TRY(read_file(unpack, unpack->in + unpack->in_len, IN_CAP - unpack->in_len,
                  &n, err));
    unpack->in_len += n;
    return OG_OK;
}

static size_t n_waiting(const struct og_unpack *unpack)
{
    return unpack->in_len - unpack->in_pos;
}

bool og_unpack_must_wait(const struct og_unpack *unpack)
{
    struct pollfd file = {.fd = unpack->fd, .events = POLLIN};
    return unpack->pull == NULL && n_waiting(unpack) == 0 &&
           !unpack->in_ended && poll(&file, 1, MOMENT_MS) == 0;
}

/* "gzip data is cut short, after byte 4711 of the file" */
static og_status broken(const struct og_unpack *unpack, og_error *err,
                        const char *what, const char *why)
{
    const uint64_t place = unpack->n_read - n_waiting(unpack);
    return og_error_set(err, OG_ERR_INPUT, "%s data is %s, at packed byte %llu",
                        what, why, (unsigned long long)place);
}

/* ---- gzip ---- */

static bool is_gzip(const char *p, size_t len)
{
    return len >= 3 && memcmp(p, "\x1f\x8b\x08", 3) == 0;
}

static og_status start_gzip(struct og_unpack *unpack, og_error *err)
{
    const int gzip_only = 16 + MAX_WBITS;
    const int result = unpack->has_gzip
                           ? inflateReset(&unpack->gzip)
                           : inflateInit2(&unpack->gzip, gzip_only);
    if (result != Z_OK)
        return og_error_memory(err, (size_t)1 << MAX_WBITS, "gzip");
    unpack->has_gzip = true;
    return OG_OK;
}

/* After a member: another one, zeros that pad a tape block, or the end. */
static og_status next_member(struct og_unpack *unpack, og_error *err)
{
    for (;;) {
        const char *const p = unpack->in + unpack->in_pos;
        if (n_waiting(unpack) > 0 && *p == 0) {
            unpack->in_pos++;
        } else if (n_waiting(unpack) >= 3 || unpack->in_ended) {
            break;
        } else {
            if (unpack->in_len == IN_CAP) {
                memmove(unpack->in, p, n_waiting(unpack));
                unpack->in_len = n_waiting(unpack);
                unpack->in_pos = 0;
            }
            TRY(fill(unpack, err));
        }
    }
    if (n_waiting(unpack) == 0) return OG_END;
    if (!is_gzip(unpack->in + unpack->in_pos, n_waiting(unpack)))
        return broken(unpack, err, "gzip", "followed by something else");
    unpack->is_between = false;
    return start_gzip(unpack, err);
}

static og_status inflate_some(struct og_unpack *unpack, char *out, size_t cap,
                              size_t *out_len, og_error *err)
{
    z_stream *const z = &unpack->gzip;
    z->next_in = (Bytef *)(unpack->in + unpack->in_pos);
    z->avail_in = (uInt)n_waiting(unpack);
    z->next_out = (Bytef *)out;
    z->avail_out = cap < IN_CAP ? (uInt)cap : (uInt)IN_CAP;
    const size_t room = z->avail_out;
    const int result = inflate(z, Z_NO_FLUSH);
    unpack->in_pos = unpack->in_len - z->avail_in;
    *out_len = room - z->avail_out;
    if (result == Z_STREAM_END) unpack->is_between = true;
    if (result == Z_MEM_ERROR)
        return og_error_memory(err, (size_t)1 << MAX_WBITS, "gzip");
    const bool is_well = result == Z_OK || result == Z_STREAM_END ||
                         result == Z_BUF_ERROR; /* it needs more input */
    /* What came out before the error is returned first; the next call runs into
     * the error again, because inflate stays in its bad state. */
    if (is_well || *out_len > 0) return OG_OK;
    return broken(unpack, err, "gzip", "broken");
}

static og_status read_gzip(struct og_unpack *unpack, char *out, size_t cap,
                           size_t *out_len, og_error *err)
{
    for (*out_len = 0; *out_len == 0;) {
        if (unpack->is_between) TRY(next_member(unpack, err));
        if (n_waiting(unpack) == 0 && !unpack->in_ended) TRY(fill(unpack, err));
        const bool had_input = n_waiting(unpack) > 0;
        TRY(inflate_some(unpack, out, cap, out_len, err));
        if (*out_len == 0 && !had_input && !unpack->is_between)
            return broken(unpack, err, "gzip", "truncated");
    }
    return OG_OK;
}

/* ---- zstd ---- */

static bool is_zstd(const char *p, size_t len)
{
    if (len < MAGIC_LEN) return false;
    const uint32_t magic = og_load32(p);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & 0xfffffff0u) == 0x184d2a50u; /* a skippable frame */
}

static og_status start_zstd(struct og_unpack *unpack, og_error *err)
{
    if (unpack->zstd == NULL) unpack->zstd = ZSTD_createDCtx();
    if (unpack->zstd == NULL)
        return og_error_memory(err, (size_t)128 << 10, "zstd");
    ZSTD_DCtx_reset(unpack->zstd, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax,
                           OG_UNPACK_WINDOW_LOG);
    unpack->zstd_wants = MAGIC_LEN;
    unpack->zstd_is_full = false;
    return OG_OK;
}

/* Archives of many small records keep a common dictionary at the front: a frame
 * that other readers skip, plain or packed itself. */
static bool is_dictionary_frame(const struct og_unpack *unpack)
{
    return unpack->in_len >= MAGIC_LEN &&
           og_load32(unpack->in) == OG_UNPACK_DICTIONARY_MAGIC;
}

/* The next `len` bytes of the file. */
static og_status read_exactly(struct og_unpack *unpack, char *out, size_t len,
                              og_error *err)
{
    while (len > 0) {
        if (n_waiting(unpack) == 0 && !unpack->in_ended) TRY(fill(unpack, err));
        if (n_waiting(unpack) == 0)
            return broken(unpack, err, "zstd", "truncated");
        const size_t n = n_waiting(unpack) < len ? n_waiting(unpack) : len;
        memcpy(out, unpack->in + unpack->in_pos, n);
        unpack->in_pos += n;
        out += n;
        len -= n;
    }
    return OG_OK;
}

/* Passes it to the decoder; a packed one is unpacked first. */
static og_status load_dictionary(struct og_unpack *unpack, const char *data,
                                 size_t len, og_error *err)
{
    const og_allocator *const a = unpack->allocator;
    const size_t cap = OG_UNPACK_DICTIONARY_MAX;
    char *plain = NULL;
    size_t result = len;
    if (is_zstd(data, len)) {
        plain = og_allocate(a, cap);
        if (plain == NULL) return og_error_memory(err, cap, "a dictionary");
        result = ZSTD_decompressDCtx(unpack->zstd, plain, cap, data, len);
    }
    if (!ZSTD_isError(result))
        result = ZSTD_DCtx_loadDictionary(unpack->zstd,
                                          plain != NULL ? plain : data, result);
    og_release(a, plain, cap);
    return ZSTD_isError(result)
               ? broken(unpack, err, "zstd", "packed with a broken dictionary")
               : OG_OK;
}

static og_status take_dictionary(struct og_unpack *unpack, og_error *err)
{
    char header[8];
    TRY(read_exactly(unpack, header, sizeof(header), err));
    const size_t len = og_load32(header + 4);
    if (len > OG_UNPACK_DICTIONARY_MAX)
        return broken(unpack, err, "zstd",
                      "packed with a dictionary of more than 16 MiB");
    char *const data = og_allocate(unpack->allocator, len + 1);
    if (data == NULL) return og_error_memory(err, len, "a dictionary");
    og_status status = read_exactly(unpack, data, len, err);
    if (status == OG_OK) status = load_dictionary(unpack, data, len, err);
    og_release(unpack->allocator, data, len + 1);
    return status;
}

static og_status zstd_error(const struct og_unpack *unpack, size_t result,
                            og_error *err)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return og_error_memory(err, (size_t)1 << OG_UNPACK_WINDOW_LOG, "zstd");
    case ZSTD_error_frameParameter_windowTooLarge:
        return broken(unpack, err, "zstd",
                      "packed with a window of more than 128 MiB");
    case ZSTD_error_prefix_unknown:
        return broken(unpack, err, "zstd", "followed by something else");
    default: return broken(unpack, err, "zstd", "broken");
    }
}

/* The decoder says what it wants next: a block and the header of the one after
 * it. It gets the block alone, and nothing while it may still have output,
 * because a call that fails does not say what it had written before: so all
 * blocks before a broken one are kept. */
static size_t zstd_portion(const struct og_unpack *unpack)
{
    if (unpack->zstd_is_full) return 0;
    const size_t header_len = 3;
    const size_t wanted = unpack->zstd_wants > header_len
                              ? unpack->zstd_wants - header_len
                              : unpack->zstd_wants;
    return n_waiting(unpack) < wanted ? n_waiting(unpack) : wanted;
}

static og_status read_zstd(struct og_unpack *unpack, char *out, size_t cap,
                           size_t *out_len, og_error *err)
{
    ZSTD_outBuffer to = {out, cap, 0};
    while (to.pos == 0) {
        if (n_waiting(unpack) == 0 && !unpack->in_ended) TRY(fill(unpack, err));
        if (n_waiting(unpack) == 0 && unpack->is_between) return OG_END;
        const bool is_starved = n_waiting(unpack) == 0 && !unpack->zstd_is_full;
        ZSTD_inBuffer from = {unpack->in + unpack->in_pos, zstd_portion(unpack),
                              0};
        const size_t result = ZSTD_decompressStream(unpack->zstd, &to, &from);
        unpack->in_pos += from.pos;
        if (ZSTD_isError(result)) return zstd_error(unpack, result, err);
        unpack->is_between = result == 0;
        unpack->zstd_wants = result == 0 ? MAGIC_LEN : result;
        unpack->zstd_is_full = result != 0 && to.pos == to.size;
        if (to.pos == 0 && is_starved)
            return broken(unpack, err, "zstd", "truncated");
    }
    *out_len = to.pos;
    return OG_OK;
}

/* ---- plain ---- */

static og_status read_plain(struct og_unpack *unpack, char *out, size_t cap,
                            size_t *out_len, og_error *err)
{
    if (n_waiting(unpack) == 0 && !unpack->in_ended) {
        if (cap >= IN_CAP / 4) {
            TRY(read_file(unpack, out, cap, out_len, err));
            return unpack->in_ended ? OG_END : OG_OK;
        }
        TRY(fill(unpack, err));
    }
    if (n_waiting(unpack) == 0) return OG_END;
    *out_len = n_waiting(unpack) < cap ? n_waiting(unpack) : cap;
    memcpy(out, unpack->in + unpack->in_pos, *out_len);
    unpack->in_pos += *out_len;
    return OG_OK;
}

/* ---- the door ---- */

bool og_unpack_is_packed(og_bytes head)
{
    return is_gzip(head.data, head.len) || is_zstd(head.data, head.len);
}

og_status og_unpack_open(struct og_unpack *unpack, int fd, bool owns_fd,
                         og_error *err)
{
    unpack->fd = fd;
    unpack->owns_fd = owns_fd;
    unpack->kind = OG_UNPACK_PLAIN;
    unpack->in_pos = unpack->in_len = 0;
    unpack->in_ended = false;
    unpack->is_between = true;
    unpack->n_read = 0;
    if (unpack->in == NULL) unpack->in = og_allocate(unpack->allocator, IN_CAP);
    if (unpack->in == NULL) return og_error_memory(err, IN_CAP, "reading");
    while (unpack->in_len < MAGIC_LEN && !unpack->in_ended)
        TRY(fill(unpack, err));
    if (is_gzip(unpack->in, unpack->in_len)) {
        unpack->kind = OG_UNPACK_GZIP;
    } else if (is_zstd(unpack->in, unpack->in_len)) {
        unpack->kind = OG_UNPACK_ZSTD;
        TRY(start_zstd(unpack, err));
        if (is_dictionary_frame(unpack)) return take_dictionary(unpack, err);
    }
    return OG_OK;
}

og_status og_unpack_read(struct og_unpack *unpack, char *out, size_t cap,
                         size_t *out_len, og_error *err)
{
    *out_len = 0;
    switch (unpack->kind) {
    case OG_UNPACK_GZIP: return read_gzip(unpack, out, cap, out_len, err);
    case OG_UNPACK_ZSTD: return read_zstd(unpack, out, cap, out_len, err);
    case OG_UNPACK_PLAIN: break;
    }
    return read_plain(unpack, out, cap, out_len, err);
}
