#ifndef OG_INDEX_INDEX_KINDS_H
#define OG_INDEX_INDEX_KINDS_H

/*   in:  the documents of a store                            (lib/store)
 *   out: questions to it: near ones, reused sentences        (include/origo)
 *
 * What the engines of lib/near and lib/sentence need of a store, and what the
 * store needs of them (lib/store/index.h). */

#include "lib/store/index.h"

extern const struct og_index_ops og_index_near;
extern const struct og_index_ops og_index_sentences;

#endif
