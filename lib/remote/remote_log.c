#include "lib/remote/remote_log.h"

#include "lib/base/packing.h"
#include "lib/remote/catalogue_caller.h"

/* Read at a time, unless a batch is longer. */
#define PIECE_LEN ((uint64_t)1 << 20)
/* Before the records of a batch: their length. And the most that it may be. */
#define HEAD_LEN   4u
#define BATCH_MOST ((uint64_t)64 << 20)

/* ---- requests ---- */

struct log_call {
    const struct og_remote_log *log;
    const char *command;
    uint64_t number;     /* out */
    struct og_pack *out; /* out */
    size_t most;
};

static og_status take_number(void *ctx, size_t request,
                             const struct og_resp *reply, og_error *err)
{
    struct log_call *call = ctx;
    const struct og_resp_item *item = &reply->items[0];
    if (request > 0) return OG_OK;
    if (item->kind != OG_RESP_NUMBER || item->number < 0)
        return og_catalogue_no_answer(call->log->catalogue, call->command, err);
    call->number = (uint64_t)item->number;
    return OG_OK;
}

static og_status take_piece(void *ctx, size_t request,
                            const struct og_resp *reply, og_error *err)
{
    struct log_call *call = ctx;
    const struct og_resp_item *item = &reply->items[0];
    (void)request;
    if (item->kind != OG_RESP_BYTES || item->bytes.len > call->most)
        return og_catalogue_no_answer(call->log->catalogue, call->command, err);
    call->number = item->bytes.len;
    og_pack_bytes(call->out, item->bytes.data, item->bytes.len);
    return call->out->failed ? og_error_memory(err, item->bytes.len, "a log")
                             : OG_OK;
}

/* The newest segment that anyone knows of. */
static og_status take_newest(void *ctx, size_t request,
                             const struct og_resp *reply, og_error *err)
{
    struct log_call *call = ctx;
    uint32_t newest = 0;
    (void)request;
    if (reply->items[0].kind != OG_RESP_NULL &&
        !og_remote_read_number(&reply->items[0], &newest))
        return og_catalogue_no_answer(call->log->catalogue, call->command, err);
    call->number = newest;
    return OG_OK;
}

static og_status ask_newest(struct og_remote_log *log, uint32_t *out,
                            og_error *err)
{
    const char field[] = {'l', 'o', 'g', '-', log->kind, 0};
    struct log_call call = {log, "HGET", 0, NULL, 0};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(log->catalogue, 1, OG_CATALOGUE_KEY, &c, err));
    og_redis_add_word(og_catalogue_ask_head(log->catalogue, c, "HGET", ""),
                      og_redis_word(field));
    TRY(og_catalogue_ask(log->catalogue, c, take_newest, &call, err));
    *out = (uint32_t)call.number;
    return OG_OK;
}

static og_status ask_len(struct og_remote_log *log, uint64_t *out,
                         og_error *err)
{
    struct log_call call = {log, "STRLEN", 0, NULL, 0};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(log->catalogue, 1, OG_CATALOGUE_KEY, &c, err));
    (void)og_catalogue_ask_number(log->catalogue, c, "STRLEN", log->kind,
                                  log->segment);
    TRY(og_catalogue_ask(log->catalogue, c, take_number, &call, err));
    *out = call.number;
    return OG_OK;
}

/* `len` bytes from `off` on, or fewer if there are no more. */
static og_status read_piece(struct og_remote_log *log, uint64_t len,
                            struct og_pack *out, og_error *err)
{
    struct log_call call = {log, "GETRANGE", 0, out, len};
    struct og_catalogue_caller *c;
    out->len = 0;
    TRY(og_catalogue_caller_take(log->catalogue, 1,
                                 OG_CATALOGUE_KEY + 2 * OG_CATALOGUE_NUMBER, &c,
                                 err));
    struct og_redis_request *request = og_catalogue_ask_number(
        log->catalogue, c, "GETRANGE", log->kind, log->segment);
    og_catalogue_add_number(c, request, (int64_t)log->off);
    og_catalogue_add_number(c, request, (int64_t)(log->off + len - 1));
    return og_catalogue_ask(log->catalogue, c, take_piece, &call, err);
}

/* ---- segments ---- */

static og_status is_damaged(const struct og_remote_log *log, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' is damaged: log {%c}:%u at byte %llu",
                        og_remote_catalogue_name(log->catalogue), log->kind,
                        log->segment, (unsigned long long)log->off);
}

/* The batches that are whole in the piece; *out_next: bytes that the first one
 * that is not has, 0: all are. */
static og_status take_batches(struct og_remote_log *log,
                              const struct og_pack *piece, struct og_pack *out,
                              uint64_t *out_next, og_error *err)
{
    size_t at = 0;
    *out_next = 0;
    while (at < piece->len && log->off < log->segment_len) {
        const size_t left = piece->len - at;
        const uint64_t len = left < HEAD_LEN ? 0 : og_load32(piece->data + at);
        *out_next = HEAD_LEN + len;
        if (left < HEAD_LEN || left - HEAD_LEN < len) break;
        if (len == 0 || len % log->record_len != 0) return is_damaged(log, err);
        og_pack_bytes(out, piece->data + at + HEAD_LEN, len);
        if (out->failed) return og_error_memory(err, len, "a log");
        at += HEAD_LEN + len;
        log->off += HEAD_LEN + len;
        *out_next = 0;
    }
    return OG_OK;
}

/* All batches before `end`, or before the end of the segment. */
static og_status read_before(struct og_remote_log *log, uint64_t end,
                             struct og_pack *out, og_error *err)
{
    struct og_pack piece = {.allocator = out->allocator};
    uint64_t wanted = PIECE_LEN, next = 0;
    og_status status = OG_OK;
    while (status == OG_OK && log->off < end && log->off < log->segment_len) {
        const uint64_t len = end - log->off < wanted ? end - log->off : wanted;
        status = read_piece(log, len, &piece, err);
        if (status == OG_OK)
            status = take_batches(log, &piece, out, &next, err);
        if (status != OG_OK || (piece.len < len && next == 0)) break;
        if (piece.len < len || next > BATCH_MOST) {
            status = is_damaged(log, err);
            break;
        }
        wanted = next > PIECE_LEN ? next : PIECE_LEN;
    }
    og_pack_release(&piece);
    return status;
}

/* A segment that is short though there are newer ones was lost. */
static bool is_full(const struct og_remote_log *log)
{
    return log->off >= log->segment_len || log->segment < log->newest;
}

static void begin_segment(struct og_remote_log *log)
{
    log->segment++;
    log->off = 0;
}

og_status og_remote_log_open(struct og_remote_log *log, bool at_end,
                             og_error *err)
{
    if (log->segment_len == 0) log->segment_len = OG_REMOTE_LOG_SEGMENT;
    log->segment = 0;
    log->off = 0;
    TRY(ask_newest(log, &log->newest, err));
    if (at_end) {
        log->segment = log->newest;
        return ask_len(log, &log->off, err);
    }
    if (log->n_kept > 0 && log->newest >= log->n_kept)
        log->segment = log->newest - log->n_kept + 1;
    return OG_OK;
}

og_status og_remote_log_read(struct og_remote_log *log, struct og_pack *out,
                             og_error *err)
{
    for (;;) {
        TRY(read_before(log, INT64_MAX, out, err));
        if (!is_full(log)) return OG_OK;
        begin_segment(log);
    }
}

/* The first one in a segment says so, and removes one that is too old. */
static og_status note_segment(struct og_remote_log *log, og_error *err)
{
    const char field[] = {'l', 'o', 'g', '-', log->kind, 0};
    struct og_catalogue_caller *c;
    if (log->segment == 0) return OG_OK;
    TRY(og_catalogue_caller_take(log->catalogue, 2,
                                 2 * OG_CATALOGUE_KEY + OG_CATALOGUE_NUMBER, &c,
                                 err));
    struct og_redis_request *request =
        og_catalogue_ask_head(log->catalogue, c, "HSET", "");
    og_redis_add_word(request, og_redis_word(field));
    og_catalogue_add_number(c, request, log->segment);
    if (log->n_kept > 0 && log->segment >= log->n_kept)
        (void)og_catalogue_ask_number(log->catalogue, c, "UNLINK", log->kind,
                                      log->segment - log->n_kept);
    return og_catalogue_ask(log->catalogue, c, og_catalogue_take_nothing, NULL,
                            err);
}

static og_status append_here(struct og_remote_log *log, og_bytes batch,
                             uint64_t *out_begin, og_error *err)
{
    struct log_call call = {log, "APPEND", 0, NULL, 0};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(log->catalogue, 1, OG_CATALOGUE_KEY, &c, err));
    og_redis_add_word(og_catalogue_ask_number(log->catalogue, c, "APPEND",
                                              log->kind, log->segment),
                      batch);
    TRY(og_catalogue_write(log->catalogue, c, take_number, &call, err));
    if (call.number < batch.len)
        return og_catalogue_no_answer(log->catalogue, "APPEND", err);
    *out_begin = call.number - batch.len;
    return OG_OK;
}

/* In the first segment that is not full. */
static og_status append_batch(struct og_remote_log *log, og_bytes batch,
                              struct og_pack *before, og_error *err)
{
    uint64_t begin = 0;
    for (;;) {
        TRY(append_here(log, batch, &begin, err));
        /* A master was lost, and with it what no replica had. */
        if (begin < log->off) log->off = 0;
        TRY(read_before(log, begin, before, err));
        if (begin < log->segment_len) break;
        begin_segment(log);
    }
    log->off = begin + batch.len;
    return begin == 0 ? note_segment(log, err) : OG_OK;
}

og_status og_remote_log_append(struct og_remote_log *log, og_bytes records,
                               struct og_pack *before, og_error *err)
{
    struct og_pack batch = {.allocator = before->allocator};
    if (records.len == 0) return og_remote_log_read(log, before, err);
    if (records.len > BATCH_MOST)
        return og_error_set(err, OG_ERR_LIMIT,
                            "a batch of %zu bytes is too long", records.len);
    /* Where nothing was read yet there may be more segments. */
    if (is_full(log)) TRY(og_remote_log_read(log, before, err));
    og_pack_fixed(&batch, records.len, HEAD_LEN);
    og_pack_bytes(&batch, records.data, records.len);
    const og_status status =
        batch.failed
            ? og_error_memory(err, records.len, "a batch")
            : append_batch(log, (og_bytes){(const char *)batch.data, batch.len},
                           before, err);
    og_pack_release(&batch);
    return status;
}
