/* A whole file through the source, from memory: plain, gzip or zstd as its
 * bytes say. The first byte chooses the length of a block, the limit and
 * whether the name says JSONL. Small and large blocks must give the same. */

#include "tests/fuzz/source_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0) return 0;
    const uint8_t choice = data[0];
    const bool is_jsonl = (choice & 0x80) != 0;
    const int fd = memfd_create(is_jsonl ? "x.jsonl" : "x", MFD_CLOEXEC);
    char path[64];
    if (fd < 0 || write(fd, data + 1, len - 1) != (ssize_t)(len - 1)) return 0;
    /* A name that ends in .jsonl, or not, for the same file. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    char link[64];
    snprintf(link, sizeof(link), "/tmp/origo-fuzz-%d%s", (int)getpid(),
             is_jsonl ? ".jsonl" : "");
    unlink(link);
    if (symlink(path, link) != 0) return 0;
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .max_document = (uint64_t)1 << (choice >> 3 & 0xf),
        .block_len = short_block((size_t)1 << (choice & 7), len),
    };
    compare_block_lengths(link, options);
    unlink(link);
    close(fd);
    return 0;
}
