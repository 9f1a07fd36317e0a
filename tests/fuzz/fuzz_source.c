/* A whole file through the source, from memory: plain, gzip or zstd as its
 * bytes say. The first byte chooses the length of a block, the limit and
 * whether the name says JSONL. Small and large blocks must give the same. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/source/source.h"
#include "tests/fuzz/foreign_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* An unpack bomb ends at this many blocks. */
#define MAX_BLOCKS 100000

struct outcome {
    uint64_t n_documents, n_problems, n_text_bytes, hash;
    bool is_whole; /* it came to the end */
};

static void note(struct outcome *out, const struct og_record *record)
{
    const og_bytes text = record->doc.text;
    out->n_documents++;
    out->n_text_bytes += text.len;
    for (size_t i = 0; i < text.len; i++)
        out->hash = og_mix64(out->hash ^ (unsigned char)text.data[i]);
    out->hash = og_mix64(out->hash ^ record->line ^ record->offset << 20);
    if (record->doc.id.len == 0) abort();
}

static void run(const char *path, const struct og_source_options *options,
                struct outcome *out)
{
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    og_block_init(&block, NULL);
    *out = (struct outcome){0};
    if (og_source_new(&path, 1, options, NULL, &source, NULL) != OG_OK) abort();
    for (int i = 0; i < MAX_BLOCKS; i++) {
        out->is_whole = og_source_next(source, &block, NULL) != OG_OK;
        if (out->is_whole) break;
        while (og_block_next(&block, options, &record, NULL) == OG_OK)
            note(out, &record);
        out->n_problems += block.n_problems;
    }
    og_source_free(source);
    og_block_release(&block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0) return 0;
    const uint8_t choice = data[0];
    const bool is_jsonl = (choice & 0x80) != 0;
    const int fd = memfd_create(is_jsonl ? "x.jsonl" : "x", MFD_CLOEXEC);
    char path[64];
    struct outcome small, large;
    if (fd < 0 || write(fd, data + 1, len - 1) != (ssize_t)(len - 1)) return 0;
    /* A name that ends in .jsonl, or not, for the same file. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    char link[64];
    snprintf(link, sizeof(link), "/tmp/origo-fuzz-%d%s", (int)getpid(),
             is_jsonl ? ".jsonl" : "");
    unlink(link);
    if (symlink(path, link) != 0) return 0;
    struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .max_document = (uint64_t)1 << (choice >> 3 & 0xf),
        .block_len = (size_t)1 << (choice & 7),
    };
    run(link, &options, &small);
    options.block_len = 0;
    run(link, &options, &large);
    if (!block_size_may_show(data + 1, len - 1) && small.is_whole &&
        large.is_whole &&
        (small.n_documents != large.n_documents ||
         small.n_problems != large.n_problems || small.hash != large.hash))
        abort();
    unlink(link);
    close(fd);
    return 0;
}
