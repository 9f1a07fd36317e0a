/* Any bytes may be the index of near-duplicates: its manifest and a segment, or
 * the single file of earlier versions. Each once unchanged, and once with
 * correct checksums, so that the parts after them are reached. If it opens, it
 * is queried, and its answers are in order. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/manifest.h"
#include "lib/near/near_engine.h"

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
    const struct og_near_scope scope = {.name = name};
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

/* Options that are nearly always valid, and a small table. */
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

/* Each block: two bytes of length, then that many bytes. */
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

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/near/%s", fuzz_folder, name);
    unlink(path);
}

static void try_old_file(const uint8_t *data, size_t len)
{
    struct og_pack index = {0};
    remove_file("manifest");
    write_fuzz_file("near/index", data, len);
    open_and_ask();
    if (len < OPTION_BYTES) return;
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
}

/* A segment whose section is the bytes; its sum. Entries of it have two bytes
 * for a place and a document, which become eight, and a sketch. */
static uint64_t write_segment(const uint8_t *data, size_t len,
                              size_t sketch_len)
{
    const struct og_segment_kind kind = {.name = "near", .version = 1};
    struct og_segment_writer *w;
    struct og_segment_file file;
    char path[128];
    snprintf(path, sizeof(path), "%s/near/segment-1", fuzz_folder);
    must(og_segment_writer_new(path, &kind, NULL, &w, NULL) == OG_OK);
    for (size_t at = 0; at + 2 + sketch_len <= len; at += 2 + sketch_len) {
        og_segment_write_u32(w, og_le32(data[at]));
        og_segment_write_u32(w, og_le32(data[at + 1]));
        og_segment_write(w, data + at + 2, sketch_len);
    }
    og_segment_end_section(w);
    must(og_segment_writer_end(w, &file, NULL) == OG_OK);
    const uint64_t sum = file.sum;
    og_segment_file_release(&file);
    return sum;
}

static void try_segment(const uint8_t options[OPTION_BYTES],
                        const uint8_t *data, size_t len)
{
    static const char *const methods[] = {"minhash", "simhash", "both", "no"};
    const struct og_manifest_kind kind = {.name = "near", .version = 1};
    struct og_manifest m = {.next = 2, .n_segments = 1};
    const unsigned n_bands = options[3] % 70, n_rows = options[4] % 30;
    const unsigned method = options[0] % 4;
    char folder[128];
    og_manifest_set_uuid(&m, "uuid", uuid);
    og_manifest_set_number(&m, "documents", 1u << options[6] % 9);
    og_manifest_set(&m, "method", methods[method]);
    og_manifest_set(&m, "tokens", options[1] % 8 == 0 ? "stones" : "words");
    og_manifest_set_number(&m, "shingle", options[2] % 34);
    og_manifest_set_number(&m, "bands", n_bands);
    og_manifest_set_number(&m, "rows", n_rows);
    og_manifest_set_number(&m, "memory", (uint64_t)options[5] << 10);
    og_manifest_set_number(&m, "hand", options[7]);
    m.segment[0].number = 1;
    m.segment[0].sum = write_segment(
        data, len,
        (size_t)(method == 1 ? 0 : n_bands * n_rows) + (method == 0 ? 0 : 8));
    snprintf(folder, sizeof(folder), "%s/near", fuzz_folder);
    must(og_manifest_write(&m, &kind, folder, NULL) == OG_OK);
    open_and_ask();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char path[128];
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/near", fuzz_folder);
    mkdir(path, 0700);
    try_old_file(data, len);
    remove_file("index");
    write_fuzz_file("near/manifest", data, len);
    open_and_ask();
    if (len >= OPTION_BYTES)
        try_segment(data, data + OPTION_BYTES, len - OPTION_BYTES);
    return 0;
}
