/* Union-find whose root is the smallest number, with path halving. */

#include "lib/dedup/components.h"

void og_forest_init(struct og_forest *f, const og_allocator *allocator)
{
    *f = (struct og_forest){.allocator = allocator};
}

void og_forest_release(struct og_forest *f)
{
    OG_UNGROW(f->allocator, f->parent, f->cap);
    f->n = 0;
}

og_status og_forest_reach(struct og_forest *f, size_t n, og_error *err)
{
    if (n <= f->n) return OG_OK;
    if (n > UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT, "more than 2^32 documents");
    if (!OG_GROW(f->allocator, f->parent, f->cap, n))
        return og_error_memory(err, n * sizeof(*f->parent), "components");
    for (size_t i = f->n; i < n; i++)
        f->parent[i] = (uint32_t)i;
    f->n = n;
    return OG_OK;
}

uint32_t og_forest_root(struct og_forest *f, uint32_t i)
{
    while (f->parent[i] != i) {
        f->parent[i] = f->parent[f->parent[i]];
        i = f->parent[i];
    }
    return i;
}

void og_forest_join(struct og_forest *f, uint32_t a, uint32_t b)
{
    a = og_forest_root(f, a);
    b = og_forest_root(f, b);
    if (a < b)
        f->parent[b] = a;
    else
        f->parent[a] = b;
}

og_status og_forest_merge(struct og_forest *f, const struct og_forest *other,
                          og_error *err)
{
    TRY(og_forest_reach(f, other->n, err));
    for (size_t i = 0; i < other->n; i++)
        if (other->parent[i] != i)
            og_forest_join(f, (uint32_t)i, other->parent[i]);
    return OG_OK;
}
