/* The features of a document as a list: growing, merging, checking.
 *
 * Merging passes over the list once with a table of positions. The first
 * position of a hash is kept, so the result depends on the text alone, and
 * weights are added in the order of the text, so their sum has the same bits on
 * every machine. */

#include "lib/sketch/features/features.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lib/base/hash_table.h"
#include "lib/sketch/features/feature_list.h"

void og_features_init(struct og_features *features,
                      const og_allocator *allocator)
{
    *features = (struct og_features){.allocator = allocator};
}

void og_features_release(struct og_features *f)
{
    OG_UNGROW(f->allocator, f->hash, f->cap);
    OG_UNGROW(f->allocator, f->weight, f->weight_cap);
    OG_UNGROW(f->allocator, f->slot, f->slot_cap);
    og_features_clear(f);
}

void og_features_clear(struct og_features *f)
{
    f->n = 0;
    f->is_weighted = false;
    f->is_merged = false;
}

og_status og_features_reserve(struct og_features *f, size_t need, og_error *err)
{
    if (OG_GROW(f->allocator, f->hash, f->cap, need + OG_FEATURE_SLACK) &&
        (!f->is_weighted ||
         OG_GROW(f->allocator, f->weight, f->weight_cap, need + 1)))
        return OG_OK;
    return og_error_memory(err, need * sizeof(*f->hash), "features");
}

/* All earlier features have weight 1. */
static og_status begin_weights(struct og_features *f, og_error *err)
{
    if (!OG_GROW(f->allocator, f->weight, f->weight_cap, f->n + 1))
        return og_error_memory(err, f->n * sizeof(*f->weight), "weights");
    for (size_t i = 0; i < f->n; i++)
        f->weight[i] = 1;
    f->is_weighted = true;
    return OG_OK;
}

og_status og_features_add(struct og_features *f, uint64_t hash, float weight,
                          og_error *err)
{
    if (weight != 1 && !f->is_weighted) TRY(begin_weights(f, err));
    TRY(og_features_reserve(f, f->n + 1, err));
    f->hash[f->n] = hash;
    if (f->is_weighted) f->weight[f->n] = weight;
    f->n++;
    f->is_merged = false;
    return OG_OK;
}

/* ---- merging ---- */

/* Positions plus one in a table with open addressing; 0 is free. It is at most
 * half full. */
static og_status clear_slots(struct og_features *f, size_t *out_mask,
                             og_error *err)
{
    const size_t n_slots = og_hash_slots_for(f->n, 16);
    if (!OG_GROW(f->allocator, f->slot, f->slot_cap, n_slots))
        return og_error_memory(err, n_slots * sizeof(*f->slot), "features");
    memset(f->slot, 0, n_slots * sizeof(*f->slot));
    *out_mask = n_slots - 1;
    return OG_OK;
}

/* The slot of this hash, or a free one. */
static uint32_t *find_slot(struct og_features *f, uint64_t hash, size_t mask)
{
    size_t at;
    OG_PROBE(at, hash, mask + 1,
             f->slot[at] == 0 || f->hash[f->slot[at] - 1] == hash)
    return &f->slot[at];
}

static float joined(float a, float b, bool by_largest)
{
    if (!by_largest) return a + b;
    return a > b ? a : b;
}

og_status og_features_join(struct og_features *f, bool by_largest,
                           og_error *err)
{
    size_t mask = 0, n = 0;
    if (f->is_merged) return OG_OK;
    assert(f->n < UINT32_MAX);
    if (!by_largest && !f->is_weighted) TRY(begin_weights(f, err));
    TRY(clear_slots(f, &mask, err));
    for (size_t i = 0; i < f->n; i++) {
        uint32_t *slot = find_slot(f, f->hash[i], mask);
        if (*slot != 0) {
            if (f->is_weighted)
                f->weight[*slot - 1] =
                    joined(f->weight[*slot - 1], f->weight[i], by_largest);
            continue;
        }
        f->hash[n] = f->hash[i];
        if (f->is_weighted) f->weight[n] = f->weight[i];
        *slot = (uint32_t)++n;
    }
    f->n = n;
    f->is_merged = true;
    return OG_OK;
}

og_status og_features_merge(struct og_features *f, og_error *err)
{
    return og_features_join(f, false, err);
}

/* ---- checking ---- */

static const char *fault_of(float weight)
{
    if (isnan(weight)) return "is not a number";
    if (isinf(weight)) return "is infinite";
    if (weight < 0) return "is negative";
    return weight == 0 ? "is zero" : NULL;
}

og_status og_features_check(const struct og_features *f, og_error *err)
{
    if (!f->is_weighted) return OG_OK;
    for (size_t i = 0; i < f->n; i++) {
        /* One comparison for nearly all weights. */
        if (f->weight[i] > 0 && f->weight[i] <= 3e38f) continue;
        const char *fault = fault_of(f->weight[i]);
        if (fault == NULL) continue;
        return og_error_set(err, OG_ERR_INPUT,
                            "the weight of feature %zu %s: weights are more "
                            "than 0 and finite",
                            i, fault);
    }
    return OG_OK;
}
