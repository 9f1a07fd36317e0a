#ifndef OG_SOURCE_SOURCE_STATE_H
#define OG_SOURCE_SOURCE_STATE_H

/* The internals of a source, for source.c and cut_records.c. */

#include "lib/base/packing.h"
#include "lib/source/members.h"
#include "lib/source/recode.h"
#include "lib/source/source.h"
#include "lib/source/unpack.h"
#include "lib/source/walk.h"

struct og_source {
    const og_allocator *allocator;
    struct og_source_options options;
    struct og_walk walk;
    struct og_times *times;
    struct og_unpack unpack;
    /* The current archive, its name and that of the current member; a member
     * may be packed itself. */
    struct og_members *members;
    struct og_unpack member;
    struct og_pack archive_name, member_name;
    struct og_unpack *in; /* where bytes come from: unpack or member */
    bool is_archive;      /* find_kind() found that it is an archive */
    struct og_recode recode;
    char *raw; /* bytes to recode */
    uint64_t sequence;
    /* The current file. */
    bool is_open;
    enum og_block_kind kind; /* OG_BLOCK_EMPTY: not known yet */
    const char *file;
    int64_t file_time;
    bool has_file_time;
    bool is_regular;    /* on a disk: a read never waits for a writer */
    uint64_t file_len;  /* on disk, when has_file_time */
    bool is_ended;      /* no more can be read from it ... */
    bool is_cut;        /* ... because it broke off */
    bool is_skipping;   /* inside a record that is too long, or that is not a
                           record */
    uint64_t n_to_skip; /* remaining bytes of a record that is too long */
    uint64_t line;      /* from 1: of the next byte to return */
    uint64_t offset;    /* of the same byte, in the unpacked file */
    uint64_t n_counted; /* bytes read from disk that were reported to blocks */
    char *carry;        /* the beginning of the next record */
    size_t carry_len, carry_cap;
    char delimiter; /* for CSV; the names of its columns */
    struct og_pack names;
};

/* The number of bytes read at a time before recoding. */
#define OG_SOURCE_RAW_LEN ((size_t)64 << 10)

/* Appends to the block, or sets is_ended. */
og_status og_source_read_more(struct og_source *source, struct og_block *block,
                              og_error *err);

/* Drops n unwanted bytes from the front. */
void og_source_drop_front(struct og_source *source, struct og_block *block,
                          size_t n);

/* Keeps the bytes from `from` on for the next block. */
og_status og_source_carry(struct og_source *source, struct og_block *block,
                          size_t from, og_error *err);

/* Determines the kind of the file: source->kind, or is_archive. */
og_status og_source_find_kind(struct og_source *source, struct og_block *block,
                              og_error *err);

/* Fills a block with whole records of an archive or an mbox. */
og_status og_source_cut_records(struct og_source *source,
                                struct og_block *block, og_error *err);

/* The same for JSON and CSV. */
og_status og_source_cut_values(struct og_source *source, struct og_block *block,
                               og_error *err);

/* Reports a problem of the whole file. */
og_status og_source_report_file(struct og_block *block, uint64_t offset,
                                og_status status, const char *message,
                                og_error *err);

/* The same, and ends the reading of the file. */
og_status og_source_give_up(struct og_source *source, struct og_block *block,
                            og_status status, const char *message,
                            og_error *err);

#endif
