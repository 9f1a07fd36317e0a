#ifndef OG_SENTENCE_INDEX_SEGMENT_OUTPUT_H
#define OG_SENTENCE_INDEX_SEGMENT_OUTPUT_H

/*   in:  the totals of a segment, then its parts, in shares   (lib/sentence)
 *   out: the segment, in memory or as a file                  (lib/sentence)
 *
 * The totals determine where every part lies. A share of a part, from one
 * element to another, is a list: its numbers are put one after the other, in
 * memory directly into their place, for a file through a buffer. Shares of all
 * parts are written by all threads at the same time. */

#include <string.h>

#include "lib/disk/segment_placed.h"
#include "lib/sentence/index/sentence_segment.h"
#include "lib/stream/phases.h"

/* ---- the whole ---- */

struct og_segment_output {
    struct og_placed_segment placed;
    struct og_sentence_totals totals;
    bool has_parts; /* tables of the signatures */
    const struct og_phases *phases;
};

/* A segment in memory has tables of its signatures only from this number of
 * wordsets on: fewer signatures are scanned faster than 64 KiB tables are
 * written. */
enum { OG_SIGNATURE_TABLES_FROM = 1 << 16 };

/* `path` NULL: in memory. `phases` outlive it. After a failure there is nothing
 * to end. */
og_status og_segment_output_init(struct og_segment_output *out,
                                 const char *path,
                                 const struct og_sentence_totals *totals,
                                 uint64_t names_len, uint64_t packed_len,
                                 const struct og_phases *phases,
                                 const og_allocator *allocator, og_error *err);

/* All parts but the tables of signatures and the totals are complete: writes
 * these. If `status` is a failure, drops everything and returns it. */
og_status og_segment_output_end(struct og_segment_output *out, og_status status,
                                struct og_sentence_segment *segment,
                                og_error *err);

/* The bits of a directory of n words. */
unsigned og_directory_bits(uint64_t n_words);

/* ---- shares of a part ---- */

struct og_part_list {
    struct og_placed_segment *to;
    unsigned part;
    uint8_t *room, *at, *end; /* what is put next; its free part */
    uint8_t *buffer;          /* of a file; NULL: in memory */
    size_t buffer_len;        /* also its capacity */
    uint64_t off, last;       /* bytes of the part: of the room's begin; of the
                                 share's end */
    bool is_over;             /* more was put than there is room for */
    og_status status;
    _Alignas(8) uint8_t spill[16]; /* takes what is too much */
};

/* Bytes [begin, end) of a part. OG_ERR_MEMORY is reported by _finish. */
void og_part_list_init(struct og_part_list *list, struct og_segment_output *out,
                       unsigned part, uint64_t begin, uint64_t end);
/* The room is used up: makes more. */
void og_part_list_turn(struct og_part_list *list);
/* Whether exactly the share was put; OG_ERR_STORE: other numbers than the
 * segments promised. Passes `status` on if it is a failure. */
og_status og_part_list_finish(struct og_part_list *list, og_status status,
                              og_error *err);

static inline void og_part_put32(struct og_part_list *list, uint32_t v)
{
    if (list->at == list->end) og_part_list_turn(list);
    memcpy(list->at, &v, sizeof(v));
    list->at += sizeof(v);
}
static inline void og_part_put64(struct og_part_list *list, uint64_t v)
{
    if (list->at == list->end) og_part_list_turn(list);
    memcpy(list->at, &v, sizeof(v));
    list->at += sizeof(v);
}
/* The bytes that may be put at list->at, at least one number: then the caller
 * moves it. */
static inline size_t og_part_list_room(struct og_part_list *list)
{
    if (list->at == list->end) og_part_list_turn(list);
    return (size_t)(list->end - list->at);
}
void og_part_put_bytes(struct og_part_list *list, const void *data, size_t len);
/* The bytes of the part that precede what is put next. */
uint64_t og_part_list_off(const struct og_part_list *list);

/* ---- the directory of words ---- */

/* The words of a share have the prefixes [at, end) of the directory. */
struct og_directory_share {
    struct og_part_list list;
    unsigned bits;
    uint64_t at, end;
};
void og_directory_share_init(struct og_directory_share *share,
                             struct og_segment_output *out, uint64_t begin,
                             uint64_t end);
/* Words come in ascending order with their numbers in the segment. */
static inline void og_directory_share_put(struct og_directory_share *share,
                                          uint64_t word, uint64_t number)
{
    const uint64_t prefix = share->bits == 0 ? 0 : word >> (64 - share->bits);
    for (; share->at <= prefix && share->at < share->end; share->at++)
        og_part_put32(&share->list, (uint32_t)number);
}
/* `number`: of the word after the share. */
og_status og_directory_share_finish(struct og_directory_share *share,
                                    uint64_t number, og_status status,
                                    og_error *err);

#endif
