/* Any bytes may be a file of deduplication: the journal of a run, a file of a
 * stage, a list of datatrove, an index of near. The first byte says which, and
 * whether heads and checksums are corrected first, so that the parts after them
 * are reached as well. Everything returned is within the file. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/dedup/dedup_journal.h"
#include "lib/dedup/dedup_lists.h"
#include "lib/dedup/stages/dedup_stages.h"
#include "lib/disk/journal_format.h"
#include "lib/near/near_engine.h"

#define SKETCH_LEN 112

static void must_say_why(og_status status, const og_error *err)
{
    if (status != OG_OK && err->message[0] == '\0') abort();
}

static uint64_t hash(const uint8_t *data, size_t len, uint64_t key)
{
    return og_token_hash((const char *)data, len, key);
}

/* ---- the journal of a run ---- */

static og_status on_kept(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err)
{
    volatile uint8_t sink = 0;
    (void)number;
    (void)err;
    for (size_t i = 0; i < SKETCH_LEN; i++)
        sink ^= sketch[i];
    (void)sink;
    ++*(size_t *)ctx;
    return OG_OK;
}

static og_status on_center(void *ctx, uint64_t number, og_error *err)
{
    (void)number;
    (void)err;
    ++*(size_t *)ctx;
    return OG_OK;
}

/* Records: the lengths found there, modulo the remaining length. */
static void mend_records(uint8_t *data, size_t len, size_t head)
{
    enum { RECORD = sizeof(struct og_journal_record), MARK_LEN = 33 * 8 };
    uint64_t sequence = 1;
    for (size_t off = head; off + RECORD + MARK_LEN <= len; sequence++) {
        const size_t left = (len - off - RECORD) / 8 * 8 - MARK_LEN;
        const size_t n_kept = left < 8 + SKETCH_LEN ? 0 : data[off] % 2;
        const size_t more = left - n_kept * (8 + SKETCH_LEN);
        const size_t n_centers = more / 8 == 0 ? 0 : data[off + 1] % (more / 8);
        const size_t body =
            MARK_LEN + n_kept * (8 + SKETCH_LEN) + n_centers * 8;
        uint8_t *record = data + off;
        og_store64(record + RECORD + MARK_LEN - 16, n_kept);
        og_store64(record + RECORD + MARK_LEN - 8, n_centers);
        og_store32(record, (uint32_t)body);
        og_store32(record + 4, OG_JOURNAL_MARK);
        og_store64(record + 8, sequence);
        og_store64(record + 16, sequence - 1);
        og_store64(record + 24, og_journal_record_sum(record, body));
        off += RECORD + og_journal_padded(body);
    }
}

static void open_journal(struct og_dedup_journal *j, const char *output,
                         bool has_kept, size_t *n, og_error *err,
                         og_status *out)
{
    og_dedup_options options = og_dedup_options_default();
    og_dedup_counts counts = {0};
    options.output = output;
    options.resume = true;
    const og_input input = og_input_default();
    const struct og_dedup_run run = {
        .options = &options, .input = &input, .counts = &counts};
    *out = og_dedup_journal_open(j, &run, has_kept ? SKETCH_LEN : 0, n,
                                 has_kept ? on_kept : NULL,
                                 has_kept ? on_center : NULL, err);
}

static void try_journal(uint8_t *data, size_t len, bool is_mended,
                        bool has_kept)
{
    struct og_dedup_journal j;
    og_error err = {0};
    og_status status;
    size_t n = 0, head = 0;
    char output[128], path[160], part[160];
    snprintf(output, sizeof(output), "%s/out", fuzz_folder);
    snprintf(path, sizeof(path), "%s.journal", output);
    snprintf(part, sizeof(part), "%s.part", output);
    unlink(path);
    unlink(part); /* without a journal it would be somebody else's */
    if (is_mended) {
        /* The head of a new one. */
        open_journal(&j, output, has_kept, &n, &err, &status);
        if (status != OG_OK) abort();
        og_dedup_journal_close(&j, false);
        FILE *f = fopen(path, "rb");
        if (f == NULL) abort();
        uint8_t fresh[256];
        head = fread(fresh, 1, sizeof(fresh), f);
        fclose(f);
        if (head > len) return;
        memcpy(data, fresh, head);
        mend_records(data, len, head);
    }
    write_fuzz_file("out.part", data, 0);
    write_fuzz_file("out.journal", data, len);
    open_journal(&j, output, has_kept, &n, &err, &status);
    must_say_why(status, &err);
    if (n > len) abort();
    if (status == OG_OK && j.is_resumed && !has_kept && n != 0) abort();
    og_dedup_journal_close(&j, true);
}

/* ---- files of stages ---- */

static void try_stage(uint8_t *data, size_t len, bool is_mended, bool is_sketch)
{
    const size_t record_len = is_sketch ? OG_STAGE_PLACE_LEN + SKETCH_LEN
                                        : sizeof(struct og_stage_removal);
    const char *magic = is_sketch ? OG_STAGE_SKETCH : OG_STAGE_COMPONENTS;
    og_error err = {0};
    char path[128];
    if (is_mended && len >= 32) {
        memcpy(data, magic, 8);
        og_store64(data + 8, 7);
        if (data[16] & 1) og_store64(data + 16, (len - 32) / record_len);
        og_store64(data + len - 8, hash(data, len - 8, 0x7374616765u));
    }
    write_fuzz_file("stage", data, len);
    snprintf(path, sizeof(path), "%s/stage", fuzz_folder);
    struct og_stage_file f;
    const og_status status =
        og_stage_file_read(path, magic, 7, record_len, &f, &err);
    must_say_why(status, &err);
    if (status != OG_OK) return;
    volatile uint8_t sink = 0;
    for (size_t i = 0; i < f.n * record_len; i++)
        sink ^= f.body[i];
    (void)sink;
    og_stage_file_release(&f);
}

/* ---- lists ---- */

static void try_list(const uint8_t *data, size_t len, unsigned width)
{
    struct og_pack list;
    og_error err = {0};
    bool is_there;
    char path[128];
    write_fuzz_file("list", data, len);
    snprintf(path, sizeof(path), "%s/list", fuzz_folder);
    const og_status status = og_list_read(path, width, &list, &is_there, &err);
    must_say_why(status, &err);
    if (status != OG_OK) return;
    if (!is_there || list.len != len || len % (4 * width) != 0) abort();
    og_pack_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 1 || len > 1 << 16) return 0;
    make_fuzz_folder();
    uint8_t *copy = malloc(len);
    if (copy == NULL) return 0;
    memcpy(copy, data + 1, len - 1);
    const bool is_mended = data[0] & 8;
    switch (data[0] % 8) {
    case 0: try_journal(copy, len - 1, is_mended, true); break;
    case 1: try_journal(copy, len - 1, is_mended, false); break;
    case 2: try_stage(copy, len - 1, is_mended, true); break;
    case 3: try_stage(copy, len - 1, is_mended, false); break;
    case 4: try_list(copy, len - 1, 4); break;
    case 5: try_list(copy, len - 1, 1 + (data[0] >> 4 & 1)); break;
    default: break; /* were files of near: fuzz_near.c */
    }
    free(copy);
    return 0;
}
