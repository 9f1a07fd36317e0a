#ifndef OG_SOURCE_SOURCE_STATE_H
#define OG_SOURCE_SOURCE_STATE_H

/* The inside of a source, for source.c and cut_records.c. */

#include "lib/source/source.h"
#include "lib/source/unpack.h"
#include "lib/source/walk.h"

struct og_source {
    const og_allocator *allocator;
    struct og_source_options options;
    struct og_walk walk;
    struct og_unpack unpack;
    uint64_t sequence;
    /* The file at hand. */
    bool is_open;
    enum og_block_kind kind; /* OG_BLOCK_EMPTY: not known yet */
    const char *file;
    int64_t file_time;
    bool has_file_time;
    uint64_t file_len;  /* on disk, when has_file_time */
    bool is_ended;      /* there is no more to read of it ... */
    bool is_cut;        /* ... because it broke off */
    bool is_skipping;   /* inside a record that is too long, or that is none */
    uint64_t n_to_skip; /* bytes of a record that is too long */
    uint64_t line;      /* from 1: of the next byte to give out */
    uint64_t offset;    /* in the unpacked file: of the same byte */
    uint64_t n_counted; /* bytes of the disk that blocks were told of */
    char *carry;        /* the beginning of the next record */
    size_t carry_len, carry_cap;
};

/* Appends to the block, or sets is_ended. */
og_status og_source_read_more(struct og_source *source, struct og_block *block,
                              og_error *err);

/* Takes n bytes off the front: they were looked at and are not wanted. */
void og_source_drop_front(struct og_source *source, struct og_block *block,
                          size_t n);

/* Keeps what stands from `from` on for the next block. */
og_status og_source_carry(struct og_source *source, struct og_block *block,
                          size_t from, og_error *err);

/* Fills a block with whole records of an archive or an mbox. */
og_status og_source_cut_records(struct og_source *source,
                                struct og_block *block, og_error *err);

#endif
