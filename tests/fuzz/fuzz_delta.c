/* An untrusted delta: any bytes are refused or give a new file of the length
 * that the head declares, and no copy reads outside its old file. Inputs
 * without a head get one, with a correct checksum, so that the blocks after it
 * are reached. */

#include <stdlib.h>
#include <string.h>

#include "lib/delta/delta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint64_t n_written;

static og_status read_old(void *ctx, uint32_t old, uint64_t off, size_t len,
                          uint8_t *out, og_error *err)
{
    const struct og_delta_head *head = ctx;
    (void)err;
    if (old >= head->n_olds || off > head->olds[old].len ||
        len > head->olds[old].len - off)
        abort();
    memset(out, (int)off, len);
    return OG_OK;
}

static og_status write_new(void *ctx, const uint8_t *data, size_t len,
                           og_error *err)
{
    const struct og_delta_head *head = ctx;
    volatile uint8_t sink = data[0] ^ data[len - 1];
    (void)sink;
    (void)err;
    n_written += len;
    if (n_written > head->new_len) abort();
    /* A small delta may produce a large file: the output is limited. */
    return n_written > (64u << 20) ? OG_ERR_STOPPED : OG_OK;
}

static void play(const uint8_t *data, size_t len)
{
    struct og_delta_source source = {
        .fd = -1, .data = data, .len = len, .name = "fuzz"};
    struct og_delta_head head;
    og_error err = {0};
    if (og_delta_read_head(&source, NULL, &head, &err) != OG_OK) {
        if (err.message[0] == '\0') abort();
        return;
    }
    const struct og_delta_sink sink = {&head, read_old, write_new};
    n_written = 0;
    if (og_delta_read_blocks(&source, &head, &sink, &err) == OG_OK &&
        n_written != head.new_len)
        abort();
    og_delta_head_release(&head);
}

static void put_table(struct og_pack *table, size_t root_len)
{
    const og_cut_options cut = og_cut_options_default(OG_CUT_GEAR, 1024);
    const uint8_t root[OG_HASH_LEN] = {0};
    og_pack_number(table, cut.min_len);
    og_pack_number(table, cut.average_len);
    og_pack_number(table, cut.max_len);
    og_pack_number(table, 65536);
    og_pack_number(table, 2);
    for (int i = 0; i < 2; i++) {
        og_pack_number(table, 1);
        og_pack_bytes(table, "x", 1);
        og_pack_number(table, i == 0 ? 100 : 100000);
        og_pack_bytes(table, root, root_len);
    }
}

/* With the sum of the head in its place, then `data` as the blocks. */
static void finish(struct og_pack *p, size_t checksum_off, const uint8_t *data,
                   size_t len)
{
    uint8_t hash[OG_HASH_LEN] = {0};
    og_bytes_hash(p->data, p->len, hash);
    memcpy(p->data + checksum_off, hash, 4);
    og_pack_bytes(p, data, len);
    if (!p->failed) play(p->data, p->len);
    og_pack_release(p);
}

/* A valid head with two old files, of both versions. */
static void play_blocks(const uint8_t *data, size_t len)
{
    struct og_pack p = {0}, table = {0};
    struct og_delta_header h = {.version = OG_DELTA_VERSION,
                                .flags =
                                    OG_DELTA_HAS_SIZES | OG_DELTA_HAS_NAMES};
    memcpy(h.magic, OG_DELTA_MAGIC, sizeof(h.magic));
    put_table(&table, OG_DELTA_OLD_ROOT);
    og_pack_bytes(&p, &h, sizeof(h));
    og_pack_number(&p, table.len);
    og_pack_bytes(&p, table.data, table.len);
    finish(&p, offsetof(struct og_delta_header, checksum), data, len);
    og_pack_release(&table);
}

static void play_blocks_2(const uint8_t *data, size_t len)
{
    struct og_pack p = {0}, table = {0};
    struct og_delta_header_2 h = {.version = 2};
    memcpy(h.magic, OG_DELTA_MAGIC, sizeof(h.magic));
    put_table(&table, OG_DELTA_OLD_ROOT_2);
    h.table_len[0] = (uint8_t)table.len;
    og_pack_bytes(&p, &h, sizeof(h));
    og_pack_bytes(&p, table.data, table.len);
    finish(&p, offsetof(struct og_delta_header_2, checksum), data, len);
    og_pack_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    play(data, len);
    play_blocks(data, len);
    play_blocks_2(data, len);
    return 0;
}
