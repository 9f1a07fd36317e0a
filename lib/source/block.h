#ifndef OG_SOURCE_BLOCK_H
#define OG_SOURCE_BLOCK_H

/* What both sides share: how a block is cleared, how it grows and how a problem
 * is recorded in it. */

#include <string.h>

#include "lib/source/source.h"

#define OG_SOURCE_BLOCK_LEN    ((size_t)256 << 10)
#define OG_SOURCE_MAX_DOCUMENT ((uint64_t)64 << 20)
#define OG_SOURCE_WORK_FACTOR  16

/* Empties the block but keeps its memory. */
void og_block_clear(struct og_block *block);

/* Reserves `len` bytes of data and the padding. */
og_status og_block_reserve(struct og_block *block, size_t len, og_error *err);

/* Adds a copy of `problem` with this message. */
og_status og_block_report(struct og_block *block,
                          const struct og_source_problem *problem,
                          og_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A line that is longer than a document may be. Both sides can encounter one:
 * the reader if it does not fit into a block, the parser if it does. */
og_status og_block_report_long_line(struct og_block *block, uint64_t line,
                                    uint64_t offset, uint64_t max_document,
                                    og_error *err);

/* The tail of a long path, which says more than its head. */
static inline const char *og_shown_path(const char *path, size_t max_len)
{
    const size_t len = strlen(path);
    return len <= max_len ? path : path + len - max_len;
}

/* 0 in the options means the default. */
static inline uint64_t og_max_document(const struct og_source_options *options)
{
    return options->max_document != 0 ? options->max_document
                                      : OG_SOURCE_MAX_DOCUMENT;
}

/* The longest document allowed with this much memory. Processing a document
 * takes memory in proportion to its length: 20 times as a rule, 53 times if its
 * words are single letters. A few kilobytes of compressed blanks must not cost
 * gigabytes when little memory was granted. */
static inline uint64_t og_longest_document(uint64_t memory)
{
    const uint64_t least = (uint64_t)2 << 20;
    const uint64_t share = memory / 16;
    if (share > OG_SOURCE_MAX_DOCUMENT) return OG_SOURCE_MAX_DOCUMENT;
    return share > least ? share : least;
}

/* The most memory that making one document may take, whatever it is made of,
 * and that is shared by those that take much: 16 times the longest document. */
static inline uint64_t og_most_work(const struct og_source_options *options)
{
    const uint64_t most = og_max_document(options);
    const uint64_t least = (uint64_t)16 << 20;
    if (most > UINT64_MAX / OG_SOURCE_WORK_FACTOR) return UINT64_MAX;
    return most * OG_SOURCE_WORK_FACTOR > least ? most * OG_SOURCE_WORK_FACTOR
                                                : least;
}

/* The memory that is assumed where none is granted: that of a store. */
#define OG_SOURCE_MEMORY ((uint64_t)512 << 20)

/* The input with the limit that `memory` implies, unless it has its own. */
static inline og_input og_limited_input(const og_input *input, uint64_t memory)
{
    og_input limited = *input;
    if (limited.max_document == 0)
        limited.max_document = og_longest_document(memory);
    return limited;
}

#endif
