#include "lib/trace/formulae.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

/* The page headers of a standard are repeated as well, but are a small part of
 * it; chains of transmitters are a third of a book of reports. */
enum {
    PHRASE = 4,      /* words of a phrase, */
    CHARACTERS = 12, /* or characters in a script without spaces */
    REPEATED = 6,    /* least number of times that it occurs in the document */
    LONG = 20000,    /* least tokens of a document that has formulae: a book */
    FORMULAIC = 3,   /* at least one in this many is in repeated phrases */
    SAMPLE = 64,     /* tokens sampled to detect the script */
};

struct og_formula_slot {
    uint32_t tag; /* of the phrase; phrases with equal tags count as one */
    uint32_t n;   /* times; 0: free */
};

void og_formulae_init(struct og_formulae *formulae,
                      const og_allocator *allocator)
{
    *formulae = (struct og_formulae){.allocator = allocator};
}

void og_formulae_release(struct og_formulae *formulae)
{
    const og_allocator *a = formulae->allocator;
    OG_UNGROW(a, formulae->slots, formulae->slots_cap);
    OG_UNGROW(a, formulae->is_repeated, formulae->is_repeated_cap);
}

static uint32_t phrase_len(struct og_align_side document)
{
    const uint32_t n = (uint32_t)document.tokens->n;
    uint32_t n_characters = 0;
    for (uint32_t i = 0; i < SAMPLE; i++)
        n_characters += og_align_is_character(
            document, (uint32_t)((uint64_t)n * i / SAMPLE));
    return 2 * n_characters > SAMPLE ? CHARACTERS : PHRASE;
}

static uint64_t phrase_hash(const uint64_t *tokens, uint32_t k)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < k; i++)
        hash = og_mix64(hash ^ tokens[i]);
    return hash;
}

static struct og_formula_slot *find_slot(const struct og_formulae *formulae,
                                         size_t n_slots, uint64_t hash)
{
    const uint32_t tag = (uint32_t)(hash >> 32);
    const struct og_formula_slot *slots = formulae->slots;
    size_t at;
    OG_PROBE(at, hash, n_slots, slots[at].n == 0 || slots[at].tag == tag)
    return &formulae->slots[at];
}

static bool is_formulaic(const struct og_formulae *formulae, size_t n)
{
    size_t n_repeated = 0;
    for (size_t t = 0; t < n; t++)
        n_repeated += formulae->is_repeated[t];
    return n_repeated >= n / FORMULAIC;
}

og_status og_formulae_find(struct og_formulae *formulae,
                           struct og_align_side document, og_error *err)
{
    const struct og_tokens *tokens = document.tokens;
    const size_t n = tokens->n;
    const size_t n_slots = og_hash_slots_for(n, 64);
    if (!OG_GROW(formulae->allocator, formulae->slots, formulae->slots_cap,
                 n_slots) ||
        !OG_GROW(formulae->allocator, formulae->is_repeated,
                 formulae->is_repeated_cap, n + 1))
        return og_error_memory(err, n_slots * sizeof(*formulae->slots),
                               "phrases");
    memset(formulae->is_repeated, 0, n + 1);
    if (n < LONG) return OG_OK;
    const uint32_t k = phrase_len(document);
    memset(formulae->slots, 0, n_slots * sizeof(*formulae->slots));
    for (size_t i = 0; i + k <= n; i++) {
        const uint64_t hash = phrase_hash(tokens->hash + i, k);
        struct og_formula_slot *slot = find_slot(formulae, n_slots, hash);
        slot->tag = (uint32_t)(hash >> 32);
        slot->n++;
    }
    for (size_t i = 0; i + k <= n; i++) {
        const uint64_t hash = phrase_hash(tokens->hash + i, k);
        if (find_slot(formulae, n_slots, hash)->n >= REPEATED)
            memset(formulae->is_repeated + i, 1, k);
    }
    if (!is_formulaic(formulae, n)) memset(formulae->is_repeated, 0, n);
    return OG_OK;
}

uint32_t og_formulae_weight(const struct og_formulae *formulae, uint32_t begin,
                            uint32_t end)
{
    uint32_t n_repeated = 0;
    for (uint32_t t = begin; t < end; t++)
        n_repeated += formulae->is_repeated[t];
    return end - begin - n_repeated + n_repeated / OG_FORMULA_WEIGHT;
}
