/* Any bytes may be the index of near-duplicates. Once as they are; once with a
 * head and with blocks whose checksums are right, so that what lies behind them
 * is reached. What is opened is asked, and its answers are in order. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>

#include "lib/base/checksum.h"
#include "lib/near/near_files.h"

enum { OPTION_BYTES = 8 };
static const uint8_t uuid[16] = "0123456789abcde";

static void must(bool holds)
{
    if (!holds) abort();
}

static og_status name(void *ctx, uint32_t number, og_near_match *match,
                      bool *out_is_reported, og_error *err)
{
    (void)ctx, (void)number, (void)match, (void)err;
    *out_is_reported = true;
    return OG_OK;
}

static void open_and_ask(void)
{
    const og_bytes text = OG_LITERAL("one two three four five six seven");
    const struct og_near_scope scope = {NULL, name};
    const og_near_query query = {.threshold = 0.01, .max_distance = 3};
    const og_near_match *matches;
    char folder[128];
    og_near *near = NULL;
    size_t n;
    og_error err = {0};
    snprintf(folder, sizeof(folder), "%s/near", fuzz_folder);
    const struct og_near_place place = {.folder = folder, .uuid = uuid};
    const og_status status = og_near_open(&place, NULL, &near, &err);
    if (status != OG_OK) {
        must(status == OG_ERR_STORE && strstr(err.message, "/near/") != NULL);
        return;
    }
    must(og_near_index_n(near->index) <= og_near_index_room(near->index));
    must(og_near_find(near, NULL, text, &query, &scope, &matches, &n, &err) ==
         OG_OK);
    for (size_t i = 0; i < n; i++) {
        must(matches[i].similarity <= 1);
        must(i == 0 || matches[i].similarity <= matches[i - 1].similarity);
    }
    og_near_close(near);
}

/* Options that are nearly always sound, and a small table. */
static void put_head(struct og_pack *out, const uint8_t options[OPTION_BYTES])
{
    og_pack_bytes(out, "origoNI2", 8);
    og_pack_bytes(out, uuid, 16);
    og_pack_fixed(out, 1u << options[6] % 32, 8);
    og_pack_fixed(out, options[0] % 4, 8);
    og_pack_fixed(out, options[1] % 5, 8);
    og_pack_fixed(out, options[2] % 34, 8);
    og_pack_fixed(out, (uint64_t)(options[3] % 70) << 32 | options[4] % 30, 8);
    og_pack_fixed(out, (uint64_t)options[5] << 10, 8);
    must(!out->failed);
    og_pack_fixed(out, og_checksum(out->data, out->len), 8);
}

/* Each block: two bytes of length, then so many bytes of it. */
static void put_blocks(struct og_pack *out, const uint8_t *data, size_t len)
{
    for (size_t at = 0; at + 2 < len;) {
        size_t n = (size_t)(data[at] | data[at + 1] << 8) % 1024;
        at += 2;
        if (n > len - at) n = len - at;
        og_pack_fixed(out, n, 8);
        og_pack_fixed(out, og_checksum(data + at, n), 8);
        og_pack_bytes(out, data + at, n);
        at += n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_pack index = {0};
    char path[128];
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/near", fuzz_folder);
    mkdir(path, 0700);
    write_fuzz_file("near/index", data, len);
    open_and_ask();
    if (len < OPTION_BYTES) return 0;
    put_head(&index, data);
    put_blocks(&index, data + OPTION_BYTES, len - OPTION_BYTES);
    if (data[7] % 2 == 0) {
        og_pack_fixed(&index, 0, 8);
        og_pack_fixed(&index, 0, 8);
    }
    must(!index.failed);
    write_fuzz_file("near/index", index.data, index.len);
    og_pack_release(&index);
    open_and_ask();
    return 0;
}
