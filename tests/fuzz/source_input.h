#ifndef TESTS_FUZZ_SOURCE_INPUT_H
#define TESTS_FUZZ_SOURCE_INPUT_H

/* A file in memory, read through the source. Whatever its bytes are, small and
 * large blocks must give the same documents. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* An unpack bomb ends at this many blocks. */
#define MAX_BLOCKS 100000
/* All of an input, mostly; the usual megabyte is slow to have under a
 * sanitizer. */
#define ONE_BLOCK ((size_t)1 << 17)
/* Short blocks of a long input are longer: a run is a few hundred of them. */
#define MOST_SHORT 512

struct outcome {
    uint64_t n_documents, n_problems, hash;
    bool is_whole; /* it came to the end */
};

static inline void note_bytes(struct outcome *out, og_bytes s)
{
    for (size_t i = 0; i < s.len; i++)
        out->hash = og_mix64(out->hash ^ (unsigned char)s.data[i]);
    out->hash = og_mix64(out->hash + 1);
}

static inline void note_record(struct outcome *out,
                               const struct og_record *record)
{
    out->n_documents++;
    if (record->doc.id.len == 0) abort();
    note_bytes(out, record->doc.id);
    note_bytes(out, record->doc.title);
    note_bytes(out, record->doc.url);
    note_bytes(out, record->doc.text);
    out->hash = og_mix64(out->hash ^ record->line ^ record->offset << 20);
}

static inline void read_source(const char *path,
                               const struct og_source_options *options,
                               struct outcome *out)
{
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    og_status status;
    og_block_init(&block, NULL);
    *out = (struct outcome){0};
    if (og_source_new(&path, 1, options, NULL, &source, NULL) != OG_OK) abort();
    for (int i = 0; i < MAX_BLOCKS; i++) {
        out->is_whole = og_source_next(source, &block, NULL) != OG_OK;
        if (out->is_whole) break;
        while ((status = og_block_next(&block, options, &record, NULL)) ==
               OG_OK)
            note_record(out, &record);
        if (status != OG_END) abort();
        out->n_problems += block.n_problems;
    }
    og_source_free(source);
    og_block_release(&block);
}

static inline void compare_block_lengths(const char *path,
                                         struct og_source_options options)
{
    struct outcome small, large;
    read_source(path, &options, &small);
    options.block_len = ONE_BLOCK;
    read_source(path, &options, &large);
    if (small.is_whole && large.is_whole &&
        (small.n_documents != large.n_documents ||
         small.n_problems != large.n_problems || small.hash != large.hash))
        abort();
}

static inline size_t short_block(size_t wanted, size_t len)
{
    return wanted > len / MOST_SHORT ? wanted : len / MOST_SHORT;
}

/* The first byte of `data` chooses one of four kinds, the length of a block and
 * the limit. */
static inline int read_as_kinds(const og_file_kind kinds[4],
                                const uint8_t *data, size_t len)
{
    char path[64];
    if (len == 0) return 0;
    const int fd = memfd_create("x", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data + 1, len - 1) != (ssize_t)(len - 1)) return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .max_document = (uint64_t)1 << (data[0] >> 2 & 0xf),
        .block_len = short_block((size_t)1 << (data[0] >> 6) * 3, len),
        .reading = {.kind = kinds[data[0] & 3]},
    };
    compare_block_lengths(path, options);
    close(fd);
    return 0;
}

#endif
