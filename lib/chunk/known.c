#include "lib/chunk/known.h"

static bool grow_table(struct og_known_chunks *known)
{
    struct og_known_chunks larger = *known;
    larger.cap = known->cap == 0 ? 1024 : known->cap * 2;
    larger.places =
        og_allocate_zero(known->allocator, larger.cap * sizeof(*larger.places));
    if (larger.places == NULL) return false;
    for (size_t i = 0; i < known->cap; i++)
        if (known->places[i].len != 0)
            *og_known_chunks_slot(&larger, known->places[i].key) =
                known->places[i];
    og_release(known->allocator, known->places,
               known->cap * sizeof(*known->places));
    *known = larger;
    return true;
}

bool og_known_chunks_add(struct og_known_chunks *known, uint64_t key,
                         uint32_t file, uint64_t off, uint64_t len)
{
    if (len == 0) return true;
    if ((known->n + 1) * 2 > known->cap && !grow_table(known)) return false;
    struct og_chunk_place *place = og_known_chunks_slot(known, key);
    if (place->len != 0) return true;
    *place = (struct og_chunk_place){key, off, len, file};
    known->n++;
    return true;
}
