#ifndef OG_CATALOGUE_H
#define OG_CATALOGUE_H

/* What is known of every document beside its prints: id and time. Documents
 * are numbered as they arrive; their order is (time, number). One thread
 * writes, any number look up meanwhile. */

#include "lib/arena.h"

struct og_catalogue_entry {
    const char *id; /* in the arena: valid until _release */
    int64_t time;   /* that orders it; see og_catalogue_place() */
    uint32_t id_len;
    bool has_time;
};

/* Level i holds FIRST << i entries: 23 of them hold all 2^32 numbers, and none
 * is ever moved. */
#define OG_CATALOGUE_FIRST  1024u
#define OG_CATALOGUE_LEVELS 23

struct og_catalogue {
    const og_allocator *allocator;
    struct og_catalogue_entry *_Atomic levels[OG_CATALOGUE_LEVELS];
    /* What other threads may know of: documents that are in the table whole. */
    _Atomic uint32_t n_published;
    _Atomic int64_t latest_published;
    /* The writer's. */
    uint32_t n;
    int64_t latest; /* the largest time so far; INT64_MIN: there was none */
    struct og_arena ids;
    uint64_t *hashes; /* of all ids; 0: an empty place */
    size_t n_hashes, hashes_cap;
};

void og_catalogue_init(struct og_catalogue *catalogue,
                       const og_allocator *allocator);
void og_catalogue_release(struct og_catalogue *catalogue);

/* ---- order ---- */

/* Where a document stands among those of the catalogue. */
struct og_place {
    int64_t time;
    uint32_t number;
};

/* The place of a document that would arrive now. Without a time it comes last
 * (it takes the largest time so far); a first one comes before all that
 * follow. The writer's thread. */
struct og_place og_catalogue_place(const struct og_catalogue *catalogue,
                                   const og_document *doc);

/* The same for any thread. */
struct og_place og_catalogue_place_shared(const struct og_catalogue *catalogue,
                                          const og_document *doc);

/* Whether all documents of the catalogue come before `place`. The writer's
 * thread. */
bool og_catalogue_is_last(const struct og_catalogue *catalogue,
                          struct og_place place);

/* Whether document `number` comes before `place`. Any thread. */
bool og_catalogue_is_before(const struct og_catalogue *catalogue,
                            uint32_t number, struct og_place place);

/* og_additions.earlier: whether document a comes before b. The catalogue is
 * the context. */
bool og_catalogue_earlier(const void *catalogue, uint32_t a, uint32_t b);

/* ---- documents ---- */

/* Any thread, for a number that was found in the table. */
const struct og_catalogue_entry *
og_catalogue_get(const struct og_catalogue *catalogue, uint32_t number);

/* Whether a document with this id was appended. The writer's thread. */
bool og_catalogue_has(const struct og_catalogue *catalogue, og_bytes id);

/* Adds a document, whose number is then catalogue->n - 1. Changes nothing on
 * failure: OG_ERR_MEMORY, OG_ERR_LIMIT when all numbers are given away. */
og_status og_catalogue_append(struct og_catalogue *catalogue,
                              const og_document *doc, og_error *err);

/* Tells other threads of all documents that were appended: call it when the
 * last one is in the table. */
void og_catalogue_publish(struct og_catalogue *catalogue);

#endif
