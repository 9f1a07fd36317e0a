/* The kinds of indexes that are derived from the documents of a store. */

#include "lib/index/index_kinds.h"

const struct og_index_ops *const og_index_kinds[OG_INDEX_KINDS] = {
    &og_index_near, &og_index_sentences};
