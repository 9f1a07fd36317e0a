/* Untrusted lists: of files (--files-from), of codes of documents, and a part
 * of a join to be merged. Paths are those that a plain split gives; codes read
 * in shards are those of the whole, in order. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_lines.h"
#include "lib/source/file_list.h"

static char path[128];

static void must(bool holds)
{
    if (!holds) abort();
}

/* ---- files ---- */

/* As file_list.h defines it. Returns the rest of the bytes after the next path,
 * which is not empty; NULL: there is none. */
static const uint8_t *next_path(const uint8_t *at, const uint8_t *end,
                                char separator, size_t *out_len)
{
    while (at < end && *at == (uint8_t)separator)
        at++;
    if (at == end) return NULL;
    const uint8_t *stop = memchr(at, separator, (size_t)(end - at));
    *out_len = (size_t)((stop == NULL ? end : stop) - at);
    return at;
}

static void check_files(const uint8_t *data, size_t len)
{
    const size_t window = len < 65536 ? len : 65536;
    const char separator =
        window > 0 && memchr(data, 0, window) != NULL ? '\0' : '\n';
    const uint8_t *at = data, *end = data + len;
    struct og_file_list list;
    const char *name = NULL;
    int error = 0;
    og_file_list_init(&list, path, NULL);
    while (og_file_list_next(&list, &name, &error, NULL) == OG_OK) {
        size_t expected = 0;
        const uint8_t *p =
            len == 0 ? NULL : next_path(at, end, separator, &expected);
        must(p != NULL);
        if (error != 0) {
            must(expected > OG_FILE_LIST_PATH_MAX);
            break;
        }
        /* With newlines a zero far behind ends the string early. */
        must(strlen(name) <= expected && memcmp(name, p, strlen(name)) == 0);
        at = p + expected;
    }
    og_file_list_release(&list);
}

/* ---- codes ---- */

struct seen {
    uint64_t n, sum;
};

static bool on_code(void *ctx, og_bytes id, og_wide_code code, unsigned n_bits)
{
    struct seen *s = ctx;
    must(n_bits == 64 || n_bits == 128);
    must(n_bits == 128 || code.high == 0);
    must(id.len > 0);
    s->n++;
    s->sum = og_mix64(s->sum ^ code.high ^ og_mix64(code.low ^ id.len));
    s->sum = og_mix64(s->sum ^ (uint8_t)id.data[0]);
    return true;
}

static void check_codes(unsigned n_bits)
{
    struct seen whole = {0}, parts = {0};
    const struct og_code_part all = {0, 1};
    og_error err = {0};
    const og_status status = og_code_lines_read(path, all, n_bits, &whole,
                                                on_code, NULL, NULL, &err);
    must(status == OG_OK || (status == OG_ERR_INPUT && err.message[0] != 0));
    if (status != OG_OK) return;
    for (uint32_t i = 0; i < 3; i++) {
        const struct og_code_part part = {i, 3};
        must(og_code_lines_read(path, part, n_bits, &parts, on_code, NULL, NULL,
                                &err) == OG_OK);
    }
    must(parts.n == whole.n && parts.sum == whole.sum);
}

/* ---- a part of a join ---- */

static void check_merge(void)
{
    const char *const paths[] = {path};
    char out[160];
    uint64_t n_pairs = 0;
    og_error err = {0};
    snprintf(out, sizeof(out), "%s/merged", fuzz_folder);
    const og_status status = og_hamming_merge(paths, 1, out, &n_pairs, &err);
    must(status == OG_OK || (status == OG_ERR_INPUT && err.message[0] != 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/list", fuzz_folder);
    write_fuzz_file("list", data, len);
    check_files(data, len);
    check_codes(0);
    check_codes(64);
    check_codes(128);
    check_merge();
    return 0;
}
