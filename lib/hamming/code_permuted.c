/* Sorted permuted tables: code_permuted.h. */

#include "lib/hamming/code_permuted.h"

#include "lib/hamming/code_index.h"

/* ---- the permutation: the mask leads, the rest follows, each in order ---- */

static uint64_t permute(const struct og_code_permuted_table *t, uint64_t code)
{
    if (t->lead.n_bits == 0 || t->rest.n_bits == 0) return code;
    return og_code_key(&t->lead, code) << t->rest.n_bits |
           og_code_key(&t->rest, code);
}

static uint64_t permute_back(const struct og_code_permuted_table *t,
                             uint64_t value)
{
    if (t->lead.n_bits == 0 || t->rest.n_bits == 0) return value;
    return og_code_spread(&t->lead, value >> t->rest.n_bits) |
           og_code_spread(&t->rest, value);
}

/* ---- making ---- */

static og_status make_table(struct og_code_permuted_table *t,
                            const uint64_t *codes, size_t n, uint64_t *spare,
                            bool packed, const og_allocator *allocator,
                            og_error *err)
{
    TRY(og_pages_init(&t->pages, n * sizeof(*codes) + 1, allocator, err));
    uint64_t *values = t->pages.data;
    for (size_t i = 0; i < n; i++)
        values[i] = permute(t, codes[i]);
    og_code_sort_all(values, spare, n);
    if (!packed) return OG_OK;
    const og_status status =
        og_code_packed_init(&t->packed, values, n, allocator, err);
    og_pages_release(&t->pages);
    return status;
}

og_status og_code_permuted_init(struct og_code_permuted *permuted,
                                const struct og_code_design *design,
                                const uint64_t *codes, size_t n, bool packed,
                                const og_allocator *allocator, og_error *err)
{
    struct og_pages spare;
    og_status status = OG_OK;
    *permuted = (struct og_code_permuted){
        .design = *design, .n = n, .is_packed = packed};
    for (unsigned t = 0; t < design->n_tables; t++)
        if (design->radius[t] != 0)
            return og_error_set(err, OG_ERR_USAGE,
                                "sorted tables find a radius of 0 only");
    TRY(og_pages_init(&spare, n * sizeof(*codes) + 1, allocator, err));
    for (unsigned t = 0; t < design->n_tables && status == OG_OK; t++) {
        struct og_code_permuted_table *table = &permuted->table[t];
        og_code_runs_init(&table->lead, design->mask[t]);
        og_code_runs_init(&table->rest, ~design->mask[t]);
        status =
            make_table(table, codes, n, spare.data, packed, allocator, err);
    }
    og_pages_release(&spare);
    if (status != OG_OK) og_code_permuted_release(permuted);
    return status;
}

void og_code_permuted_release(struct og_code_permuted *permuted)
{
    for (unsigned t = 0; t < permuted->design.n_tables; t++) {
        og_pages_release(&permuted->table[t].pages);
        og_code_packed_release(&permuted->table[t].packed);
    }
    *permuted = (struct og_code_permuted){0};
}

uint64_t og_code_permuted_bytes(const struct og_code_permuted *permuted)
{
    uint64_t len = 0;
    for (unsigned t = 0; t < permuted->design.n_tables; t++)
        len += permuted->is_packed
                   ? og_code_packed_bytes(&permuted->table[t].packed)
                   : permuted->n * sizeof(uint64_t);
    return len;
}

/* ---- queries ---- */

struct permuted_ask {
    const struct og_code_permuted *permuted;
    const struct og_code_permuted_table *table;
    unsigned table_no;
    unsigned max_distance;
    uint64_t question, value; /* unchanged and permuted */
    size_t question_no;
    void *ctx;
    bool (*on_match)(void *ctx, size_t question, uint64_t code);
};

/* Permuting both codes preserves their distance. */
static bool compare(void *ctx, uint64_t value)
{
    const struct permuted_ask *a = ctx;
    if ((unsigned)__builtin_popcountll(value ^ a->value) > a->max_distance)
        return true;
    const uint64_t code = permute_back(a->table, value);
    if (og_code_design_found_before(&a->permuted->design, a->table_no,
                                    code ^ a->question))
        return true;
    return a->on_match(a->ctx, a->question_no, code);
}

static bool ask_table(struct permuted_ask *a)
{
    const unsigned n_free = a->table->rest.n_bits;
    const uint64_t free_bits = n_free == 0 ? 0 : UINT64_MAX >> (64 - n_free);
    const uint64_t first = a->value & ~free_bits;
    const uint64_t last = a->value | free_bits;
    if (a->permuted->is_packed)
        return og_code_packed_walk(&a->table->packed, first, last, a, compare);
    const uint64_t *values = a->table->pages.data;
    const size_t n = a->permuted->n;
    for (size_t i = og_code_search(values, n, first);
         i < n && values[i] <= last; i++)
        if (!compare(a, values[i])) return false;
    return true;
}

bool og_code_permuted_ask(const struct og_code_permuted *permuted,
                          const uint64_t *questions, size_t n_questions,
                          unsigned max_distance, void *ctx,
                          bool (*on_match)(void *ctx, size_t question,
                                           uint64_t code))
{
    struct permuted_ask a = {.permuted = permuted,
                             .max_distance = max_distance,
                             .ctx = ctx,
                             .on_match = on_match};
    for (size_t q = 0; q < n_questions; q++) {
        a.question = questions[q];
        a.question_no = q;
        for (unsigned t = 0; t < permuted->design.n_tables; t++) {
            a.table = &permuted->table[t];
            a.table_no = t;
            a.value = permute(a.table, a.question);
            if (!ask_table(&a)) return false;
        }
    }
    return true;
}
