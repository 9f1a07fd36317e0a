#ifndef OG_SKETCH_FEATURES_FEATURE_LIST_H
#define OG_SKETCH_FEATURES_FEATURE_LIST_H

/* Functions that features.c and extract.c share. */

#include "lib/sketch/features/features.h"

/* Words past the last hash that vectors may read. */
#define OG_FEATURE_SLACK 8

/* Room for `need` features in all, with weights if they are weighted. */
og_status og_features_reserve(struct og_features *features, size_t need,
                              og_error *err);

/* Merges equal hashes; their weights are added, or the largest one is kept. */
og_status og_features_join(struct og_features *features, bool by_largest,
                           og_error *err);

#endif
