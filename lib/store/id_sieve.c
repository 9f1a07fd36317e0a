/* A Bloom filter whose bits of an id all stand in one word of 64. It need not
 * know beforehand how many ids will come: when a layer has its fill, one of
 * twice the size is put on top, and nothing has to be put in again. To ask
 * means to look at all layers, of which there are few. */

#include "lib/store/id_sieve.h"

#include <string.h>

#include "lib/base/bits.h"

/* Four ids a word, four bits an id: a quarter of the bits is set. */
#define FIRST_WORDS  ((size_t)1 << 14)
#define IDS_PER_WORD 4

void og_id_sieve_init(struct og_id_sieve *sieve, const og_allocator *allocator)
{
    *sieve = (struct og_id_sieve){.allocator = allocator, .is_on = true};
}

void og_id_sieve_release(struct og_id_sieve *sieve)
{
    for (unsigned i = 0; i < sieve->n_layers; i++)
        og_release(sieve->allocator, sieve->layers[i].words,
                   sieve->layers[i].n_words * sizeof(uint64_t));
    *sieve = (struct og_id_sieve){0};
}

/* Of the low bits of the hash; its place is of the high ones. */
static uint64_t bits_of(uint64_t hash)
{
    return (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) |
           (uint64_t)1 << (hash >> 12 & 63) | (uint64_t)1 << (hash >> 18 & 63);
}

static bool add_layer(struct og_id_sieve *sieve)
{
    const size_t n_words = FIRST_WORDS << sieve->n_layers;
    if (sieve->n_layers == OG_SIEVE_LAYERS) return false;
    uint64_t *words =
        og_allocate_zero(sieve->allocator, n_words * sizeof(*words));
    if (words == NULL) return false;
    sieve->layers[sieve->n_layers].words = words;
    sieve->layers[sieve->n_layers++].n_words = n_words;
    sieve->n_left = IDS_PER_WORD * n_words;
    return true;
}

void og_id_sieve_add(struct og_id_sieve *sieve, uint64_t hash)
{
    if (!sieve->is_on) return;
    if (sieve->n_left == 0 && !add_layer(sieve)) {
        og_id_sieve_release(sieve);
        return;
    }
    const unsigned last = sieve->n_layers - 1;
    const size_t place = og_mul_high(hash, sieve->layers[last].n_words);
    sieve->layers[last].words[place] |= bits_of(hash);
    sieve->n_left--;
}

bool og_id_sieve_may_have(const struct og_id_sieve *sieve, uint64_t hash)
{
    const uint64_t bits = bits_of(hash);
    for (unsigned i = 0; i < sieve->n_layers; i++) {
        const size_t place = og_mul_high(hash, sieve->layers[i].n_words);
        if ((sieve->layers[i].words[place] & bits) == bits) return true;
    }
    return !sieve->is_on;
}
