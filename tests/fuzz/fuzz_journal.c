/* Any bytes may be a journal. The first one says how much is made right: the
 * head, the checksums of what looks like records. Whatever comes out is within
 * the file, in order, and there is an end. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"

static const uint8_t uuid[16] = {1};

static void mend_head(uint8_t *data, size_t len)
{
    if (len < 64) return;
    memcpy(data, OG_JOURNAL_MAGIC, 8);
    memset(data + 8, 0, 56);
    data[8] = OG_JOURNAL_VERSION;
    memcpy(data + 16, uuid, 16);
    data[32] = data[40] = 1;
    og_store64(data + 56, og_checksum(data, 56));
}

/* Uses the lengths found there, modulo the remaining length. */
static void mend_records(uint8_t *data, size_t len)
{
    uint64_t sequence = 1;
    for (size_t off = 64; off + 32 <= len;) {
        uint8_t *record = data + off;
        const size_t left = len - off - 32;
        const size_t body =
            og_load32(record) % 64 <= left ? og_load32(record) % 64 : 0;
        og_store32(record, (uint32_t)body);
        og_store32(record + 4, 1 + og_load32(record + 4) % 3);
        og_store64(record + 8, sequence++);
        const size_t padded = og_journal_padded(body);
        if (padded > left) return;
        XXH3_state_t state;
        XXH3_64bits_reset(&state);
        XXH3_64bits_update(&state, record, 24);
        XXH3_64bits_update(&state, record + 32, padded);
        og_store64(record + 24, XXH3_64bits_digest(&state));
        off += 32 + padded;
    }
}

static void read_all(size_t len)
{
    struct og_journal_reader reader;
    struct og_journal_view view;
    og_error err = {0};
    uint64_t expected = 1;
    og_status status =
        og_journal_reader_open(&reader, fuzz_folder, uuid, 1, NULL, &err);
    if (status == OG_ERR_STORE && err.message[0] == '\0') abort();
    if (status != OG_OK) return;
    while ((status = og_journal_reader_next(&reader, &view, &err)) == OG_OK) {
        volatile uint8_t sink = 0;
        if (view.sequence != expected++ || view.len > len) abort();
        for (size_t i = 0; i < view.len; i++)
            sink ^= view.data[i];
        (void)sink;
    }
    if (status != OG_END && err.message[0] == '\0') abort();
    if (og_journal_reader_torn(&reader) > len) abort();
    og_journal_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char path[80];
    if (len < 1 || len > 1 << 16) return 0;
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/journal", fuzz_folder);
    mkdir(path, 0777);
    uint8_t *copy = malloc(len);
    if (copy == NULL) return 0;
    memcpy(copy, data + 1, len - 1);
    if (data[0] & 1) mend_head(copy, len - 1);
    if (data[0] & 2) mend_records(copy, len - 1);
    write_fuzz_file("journal/000001.jnl", copy, len - 1);
    read_all(len);
    free(copy);
    return 0;
}
