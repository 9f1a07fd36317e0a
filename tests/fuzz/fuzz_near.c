/* Any bytes may be the index of near-duplicates and its journal. Once as they
 * are; once with a head and with frames whose checksums are right, so that
 * what lies behind them is reached. What is opened is asked, and its answers
 * are in order. */

#include "tests/fuzz/fuzz_support.h"

#include "lib/base/packing.h"
#include "lib/token/tokens.h"

enum { HASH_KEY = 0x6e656172, OPTION_BYTES = 8 };

static void must(bool holds)
{
    if (!holds) abort();
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_near_match *matches, size_t n)
{
    (void)ctx, (void)doc;
    for (size_t i = 0; i < n; i++) {
        must(matches[i].similarity <= 1);
        must(i == 0 || matches[i].similarity <= matches[i - 1].similarity);
    }
    return true;
}

static void open_and_ask(void)
{
    static const char text[] =
        "{\"id\":\"a\",\"text\":\"one two three four five six seven\"}\n";
    char path[128];
    const char *paths[] = {path};
    og_near *near = NULL;
    og_near_info info;
    og_error err = {0};
    og_stream_counts counts;
    const og_status status =
        og_near_open(fuzz_folder, false, NULL, &near, &err);
    if (status != OG_OK) {
        must(status == OG_ERR_STORE && strstr(err.message, "/near/") != NULL);
        return;
    }
    write_fuzz_file("question.jsonl", (const uint8_t *)text, sizeof(text) - 1);
    snprintf(path, sizeof(path), "%s/question.jsonl", fuzz_folder);
    og_near_info_get(near, &info);
    must(info.n_documents <= info.n_room);
    og_near_ask ask = og_near_ask_default();
    og_input input = og_input_default();
    input.paths = paths;
    input.n_paths = 1;
    input.n_threads = 1;
    ask.threshold = 0.01;
    ask.on_answer = on_answer;
    must(og_near_stream(near, &input, &ask, &counts, &err) == OG_OK);
    og_near_close(near);
}

/* Options that are nearly always sound, and a small table. */
static void put_head(struct og_pack *out, const char *magic,
                     const uint8_t options[OPTION_BYTES])
{
    og_pack_bytes(out, magic, 8);
    og_pack_fixed(out, options[0] % 4, 8);
    og_pack_fixed(out, options[1] % 5, 8);
    og_pack_fixed(out, options[2] % 34, 8);
    og_pack_fixed(out, (uint64_t)(options[3] % 70) << 32 | options[4] % 30, 8);
    og_pack_fixed(out, (uint64_t)options[5] << 10, 8);
    must(!out->failed);
    og_pack_fixed(
        out, og_token_hash((const char *)out->data, out->len, HASH_KEY), 8);
}

/* Each frame: two bytes of length, then so many bytes of it. */
static void put_frames(struct og_pack *out, const uint8_t *data, size_t len)
{
    for (size_t at = 0; at + 2 < len;) {
        size_t n = (size_t)(data[at] | data[at + 1] << 8) % 1024;
        at += 2;
        if (n > len - at) n = len - at;
        og_pack_fixed(out, n, 4);
        og_pack_fixed(
            out, (uint32_t)og_token_hash((const char *)data + at, n, HASH_KEY),
            4);
        og_pack_bytes(out, data + at, n);
        at += n;
    }
}

static void write_pack(const char *name, struct og_pack *pack)
{
    must(!pack->failed);
    write_fuzz_file(name, pack->data, pack->len);
    og_pack_release(pack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_pack index = {0}, journal = {0};
    char path[128];
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/near", fuzz_folder);
    mkdir(path, 0700);
    write_fuzz_file("near/index", data, len);
    write_fuzz_file("near/journal", data, len);
    open_and_ask();
    if (len < OPTION_BYTES) return 0;
    const uint8_t *options = data;
    data += OPTION_BYTES;
    len -= OPTION_BYTES;
    const size_t half = len * options[6] / 256;
    put_head(&index, "origoNI1", options);
    put_frames(&index, data, half);
    og_pack_fixed(&index, 0, 4);
    put_head(&journal, "origoNJ1", options);
    put_frames(&journal, data + half, len - half);
    og_pack_bytes(&journal, data, options[7] % 32 < len ? options[7] % 32 : 0);
    write_pack("near/index", &index);
    write_pack("near/journal", &journal);
    open_and_ask();
    return 0;
}
