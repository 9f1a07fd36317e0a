/* A Bloom filter in which all bits of an id are in one 64-bit word. The number
 * of ids need not be known in advance: when a layer is full, one of twice the
 * size is added, and nothing has to be inserted again. A lookup checks all
 * layers, of which there are few. */

#include "lib/store/catalogue/bloom.h"

#include <string.h>

#include "lib/base/bits.h"

/* Four ids a word, four bits an id: a quarter of the bits are set. */
#define FIRST_WORDS  ((size_t)1 << 14)
#define IDS_PER_WORD 4

void og_bloom_init(struct og_bloom *bloom, const og_allocator *allocator)
{
    *bloom = (struct og_bloom){.allocator = allocator, .is_on = true};
}

void og_bloom_release(struct og_bloom *bloom)
{
    for (unsigned i = 0; i < bloom->n_layers; i++)
        og_release(bloom->allocator, bloom->layers[i].words,
                   bloom->layers[i].n_words * sizeof(uint64_t));
    *bloom = (struct og_bloom){0};
}

/* The bits come from the low bits of the hash, the word from the high ones. */
static uint64_t bits_of(uint64_t hash)
{
    return (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) |
           (uint64_t)1 << (hash >> 12 & 63) | (uint64_t)1 << (hash >> 18 & 63);
}

static bool add_layer(struct og_bloom *bloom)
{
    const size_t n_words = FIRST_WORDS << bloom->n_layers;
    if (bloom->n_layers == OG_BLOOM_LAYERS) return false;
    uint64_t *words =
        og_allocate_zero(bloom->allocator, n_words * sizeof(*words));
    if (words == NULL) return false;
    bloom->layers[bloom->n_layers].words = words;
    bloom->layers[bloom->n_layers++].n_words = n_words;
    bloom->n_left = IDS_PER_WORD * n_words;
    return true;
}

void og_bloom_add(struct og_bloom *bloom, uint64_t hash)
{
    if (!bloom->is_on) return;
    if (bloom->n_left == 0 && !add_layer(bloom)) {
        og_bloom_release(bloom);
        return;
    }
    const unsigned last = bloom->n_layers - 1;
    const size_t place = og_mul_high(hash, bloom->layers[last].n_words);
    bloom->layers[last].words[place] |= bits_of(hash);
    bloom->n_left--;
}

bool og_bloom_may_have(const struct og_bloom *bloom, uint64_t hash)
{
    const uint64_t bits = bits_of(hash);
    for (unsigned i = 0; i < bloom->n_layers; i++) {
        const size_t place = og_mul_high(hash, bloom->layers[i].n_words);
        if ((bloom->layers[i].words[place] & bits) == bits) return true;
    }
    return !bloom->is_on;
}
