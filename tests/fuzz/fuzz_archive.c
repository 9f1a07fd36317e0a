/* Archives and mailboxes through the source: the first byte chooses the kind,
 * the length of a block and the limit. Small and large blocks must give the
 * same documents. */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/source/source.h"
#include "tests/fuzz/foreign_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct outcome {
    uint64_t n_documents, n_problems, hash;
};

static void note(struct outcome *out, og_bytes s)
{
    for (size_t i = 0; i < s.len; i++)
        out->hash = og_mix64(out->hash ^ (unsigned char)s.data[i]);
    out->hash = og_mix64(out->hash + 1);
}

static void run(const char *path, const struct og_source_options *options,
                struct outcome *out)
{
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    og_status status;
    og_block_init(&block, NULL);
    *out = (struct outcome){0};
    if (og_source_new(&path, 1, options, NULL, &source, NULL) != OG_OK) abort();
    while (og_source_next(source, &block, NULL) == OG_OK) {
        while ((status = og_block_next(&block, options, &record, NULL)) ==
               OG_OK) {
            out->n_documents++;
            note(out, record.doc.id);
            note(out, record.doc.title);
            note(out, record.doc.url);
            note(out, record.doc.text);
            out->hash = og_mix64(out->hash ^ record.offset);
        }
        if (status != OG_END) abort();
        out->n_problems += block.n_problems;
    }
    og_source_free(source);
    og_block_release(&block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const og_file_kind kinds[] = {OG_FILE_WARC, OG_FILE_ARC,
                                         OG_FILE_MBOX, OG_FILE_AUTO};
    char path[64];
    struct outcome small, large;
    if (len == 0) return 0;
    const int fd = memfd_create("x", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data + 1, len - 1) != (ssize_t)(len - 1)) return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .max_document = (uint64_t)1 << (data[0] >> 2 & 0xf),
        .block_len = (size_t)1 << (data[0] >> 6) * 3,
        .reading = {.kind = kinds[data[0] & 3]},
    };
    run(path, &options, &small);
    options.block_len = 0;
    run(path, &options, &large);
    if (!block_size_may_show(data + 1, len - 1) &&
        (small.n_documents != large.n_documents ||
         small.n_problems != large.n_problems || small.hash != large.hash))
        abort();
    close(fd);
    return 0;
}
