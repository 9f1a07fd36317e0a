#ifndef OG_NEAR_NEAR_VERIFY_H
#define OG_NEAR_NEAR_VERIFY_H

/*   in:  a store with texts, and documents that may be near   (lib/near/near.c)
 *   out: the sketches of its documents; exact similarities
 *
 * An index in the folder of a store that `origo add` made knows the documents
 * of the store as well. They are sketched when it is opened, come before all
 * others, and are not written to the files of the index: the store has them. */

#include "lib/near/near_files.h"

/* Does nothing when `path` is no store or one without texts. */
og_status og_near_verify_open(og_near *near, const char *path, og_error *err);
void og_near_verify_close(og_near *near);

/* Takes in the documents of the store, if there is one. */
og_status og_near_verify_load(og_near *near, og_error *err);

/* The Jaccard similarity of the question, whose shingles were opened by
 * og_near_verify_ask(), with the document of the store. */
og_status og_near_verify_ask(og_near *near, const uint64_t *fps, size_t n,
                             og_error *err);
og_status og_near_verify(og_near *near, uint32_t number, double *out,
                         og_error *err);

/* What is packed of a text: its sketch; with texts to compare with, its
 * fingerprints behind it, from og_near_fps_at() on. */
og_status og_near_sketch(const og_near *near, struct og_dedup_worker *hand,
                         og_bytes text, og_error *err);
static inline size_t og_near_fps_at(const og_near *near)
{
    return (near->sketch_len + 7) / 8 * 8;
}

#endif
