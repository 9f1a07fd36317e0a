#ifndef OG_STORE_CATALOGUE_ENTRY_H
#define OG_STORE_CATALOGUE_ENTRY_H

/* What a store keeps of a document besides its fingerprints. The same bytes are
 * in the journal, in the catalogue, and in memory until they are there:
 *
 *     checksum 8 | flags 1 | time 8 | text_hash 8 | text_len | n_tokens |
 *     series | same 4 | place | lengths | id title url extra | origins
 *
 * Numbers without a size are of variable length (base/packing.h). */

#include "lib/base/packing.h"

#include <origo/document.h>

/* The location of a text: in a frame of a segment. */
struct og_text_place {
    uint32_t segment; /* from 1; 0: the store does not have the text */
    uint64_t frame_off;
    uint32_t text_off; /* in the unpacked frame */
};

/* How much of the document comes from another one. */
struct og_entry_origin {
    uint32_t doc;
    uint32_t n_tokens;
};

#define OG_ENTRY_ORIGINS 16

struct og_entry {
    og_bytes id, title, url,
        extra;     /* point into the bytes it was unpacked from */
    int64_t time;  /* its position in the order */
    bool has_time; /* false: the time of its arrival */
    og_time_source time_source;
    bool is_purged;     /* removed, and nothing else is left of it */
    uint64_t text_hash; /* to recognise the same document */
    uint64_t text_len;
    uint64_t n_tokens;
    uint32_t series; /* the first document with this id; itself: OG_NO_DOC */
    uint32_t same;   /* hash of what params.same names; 0: nothing */
    struct og_text_place place;
    struct og_entry_origin origins[OG_ENTRY_ORIGINS]; /* most tokens first */
    uint32_t n_origins;
};

#define OG_NO_DOC UINT32_MAX

/* Appends the packed entry; out->failed reports missing memory. */
void og_entry_pack(const struct og_entry *entry, struct og_pack *out);

/* `bytes` must be exactly one entry. False: it is not an entry, or its checksum
 * is wrong. */
bool og_entry_unpack(og_bytes bytes, struct og_entry *out);

/* Only the time is left of one that was removed: it orders the others. */
void og_entry_purge(struct og_entry *entry);

/* n more tokens come from `doc`. If there are more than OG_ENTRY_ORIGINS
 * documents, those with the most tokens are kept. */
void og_entry_count_origin(struct og_entry_origin *list, uint32_t *n_list,
                           uint32_t doc, uint32_t n);

/* Most tokens first; equal ones in the order in which they were counted. */
void og_entry_sort_origins(struct og_entry_origin *list, uint32_t n);

#endif
