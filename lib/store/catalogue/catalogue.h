#ifndef OG_STORE_CATALOGUE_CATALOGUE_H
#define OG_STORE_CATALOGUE_CATALOGUE_H

/* The order of the documents. They are numbered as they arrive; their order is
 * (time, number). Each has a mark of 24 bytes, in memory or mapped from a
 * checkpoint; ids and the like are elsewhere (lookup.h). One thread writes, any
 * number of threads read meanwhile. */

#include "lib/base/memory.h"
#include "lib/store/table/checkpoint.h"

#include <origo/document.h>

/* Level i holds FIRST << i marks: 23 of them hold all 2^32 numbers, and none is
 * ever moved. */
#define OG_CATALOGUE_FIRST  1024u
#define OG_CATALOGUE_LEVELS 23

/* Marks in pages, pages in folders: 2^12 folders of 2^10 pages of 2^10 marks
 * hold all 2^32 numbers. */
#define OG_CATALOGUE_PAGE    1024u
#define OG_CATALOGUE_PAGES   1024u
#define OG_CATALOGUE_FOLDERS 4096u

struct og_mark_folder {
    struct og_mark *_Atomic pages[OG_CATALOGUE_PAGES];
};

struct og_catalogue {
    const og_allocator *allocator;
    /* The first n_base marks are borrowed. */
    const struct og_mark *base;
    uint32_t n_base;
    struct og_mark *_Atomic levels[OG_CATALOGUE_LEVELS];
    /* Instead, for documents that servers number: folders of pages of marks;
     * only pages with a mark exist. NULL: numbers are our own, without gaps. */
    struct og_mark_folder *_Atomic *folders;
    /* For other threads: documents that are completely in the table. */
    _Atomic uint32_t n_published;
    _Atomic int64_t latest_published;
    /* The writer's. */
    uint32_t n;
    int64_t latest; /* the largest time so far; INT64_MIN: there is none */
};

/* `base` (NULL when n_base is 0) must remain valid until _release; `latest` is
 * the largest time in it, INT64_MIN when it is empty. */
void og_catalogue_init(struct og_catalogue *catalogue,
                       const struct og_mark *base, uint32_t n_base,
                       int64_t latest, const og_allocator *allocator);
void og_catalogue_release(struct og_catalogue *catalogue);

/* ---- documents that servers number ---- */

/* After _init, instead of a base: marks come from servers, in any order. All
 * documents come before a query of another thread. */
og_status og_catalogue_share(struct og_catalogue *catalogue, og_error *err);

/* Any thread; the first mark that is put for a number stays. */
og_status og_catalogue_put(struct og_catalogue *catalogue, uint32_t number,
                           const struct og_mark *mark, og_error *err);
/* Whether its mark was put. Any thread. A number without one has the mark of a
 * removed document. */
bool og_catalogue_knows(const struct og_catalogue *catalogue, uint32_t number);

/* ---- order ---- */

/* The position of a document in the order of the catalogue. */
struct og_doc_place {
    int64_t time;
    uint32_t number;
};

/* The position of a document that arrives now. Without a time it comes last (it
 * takes the largest time so far); the first document comes before all that
 * follow. Writing thread only. */
struct og_doc_place og_catalogue_place(const struct og_catalogue *catalogue,
                                       const og_document *doc);

/* The same for any thread. */
struct og_doc_place
og_catalogue_place_shared(const struct og_catalogue *catalogue,
                          const og_document *doc);

/* Whether all documents of the catalogue come before `place`. Writing thread
 * only. */
bool og_catalogue_is_last(const struct og_catalogue *catalogue,
                          struct og_doc_place place);

/* Whether document `number` comes before `place`. Any thread. */
bool og_catalogue_is_before(const struct og_catalogue *catalogue,
                            uint32_t number, struct og_doc_place place);

/* og_additions.earlier: whether document a comes before b, or b was removed.
 * The catalogue is the context. */
bool og_catalogue_earlier(const void *catalogue, uint32_t a, uint32_t b);

/* ---- documents ---- */

/* Any thread, for a number that was found in the table. */
const struct og_mark *og_catalogue_get(const struct og_catalogue *catalogue,
                                       uint32_t number);

bool og_catalogue_is_removed(const struct og_catalogue *catalogue,
                             uint32_t number);

/* Makes sure that the next append has memory. OG_ERR_MEMORY; OG_ERR_LIMIT when
 * all numbers are in use. */
og_status og_catalogue_reserve(struct og_catalogue *catalogue, og_error *err);

/* Adds a document, for which there must be room, and returns its number. */
uint32_t og_catalogue_append(struct og_catalogue *catalogue,
                             const struct og_mark *mark);

/* Writing thread only: sets how many fingerprints document `number` brought;
 * marks it as removed. */
void og_catalogue_set_new(struct og_catalogue *catalogue, uint32_t number,
                          uint32_t n_new);
void og_catalogue_remove(struct og_catalogue *catalogue, uint32_t number);

/* Makes all appended documents visible to other threads: to be called when the
 * last one is in the table. */
void og_catalogue_publish(struct og_catalogue *catalogue);

#endif
