/* A text as sentences, and a sentence as a bag of stems.
 *
 * A sentence ends at a full stop, a question or exclamation mark with a blank
 * or a quotation mark after it, at the marks of other scripts, at an empty
 * line, and after MAX_TOKENS tokens (lists and tables have no sentences, nor
 * have all scripts). Very short ones are joined with the next.
 *
 * A stem is the first STEM_LEN characters of a word. That is cruder than
 * stemming by the rules of a language, but works for all languages that inflect
 * the ends of words, without knowing the language. In scripts without spaces a
 * token is a character, and single characters are in every sentence; there a
 * stem is a character with the following ones, one in Chinese and Japanese, two
 * in Thai and its neighbours, and its weight is reduced in proportion.
 *
 * A stem in few sentences of the two texts is more significant: its weight is
 * the logarithm of the number of sentences per sentence that contains it. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/align/reworded.h"
#include "lib/base/bits.h"
#include "lib/text/utf8.h"

#define MIN_TOKENS 3
#define MAX_TOKENS 40
#define STEM_LEN   5

void og_bags_init(struct og_bags *bags, const og_allocator *allocator)
{
    *bags = (struct og_bags){.allocator = allocator};
}

void og_bags_release(struct og_bags *bags)
{
    OG_UNGROW(bags->allocator, bags->data, bags->cap);
    OG_UNGROW(bags->allocator, bags->items, bags->items_cap);
    OG_UNGROW(bags->allocator, bags->stems, bags->stems_cap);
    bags->n = bags->n_items = 0;
}

void og_stems_init(struct og_stems *stems, const og_allocator *allocator)
{
    *stems = (struct og_stems){.allocator = allocator};
    og_hash_table_init(&stems->numbers, allocator);
}

void og_stems_release(struct og_stems *stems)
{
    og_hash_table_release(&stems->numbers);
    OG_UNGROW(stems->allocator, stems->weight, stems->weight_cap);
    OG_UNGROW(stems->allocator, stems->n_bags, stems->n_bags_cap);
    OG_UNGROW(stems->allocator, stems->mark, stems->mark_cap);
    stems->n = 0;
}

/* ---- stems ---- */

/* Below are Thai, Lao, Khmer and Burmese; above Han and kana. */
#define LETTERS_END 0x2000

/* The tokens of a stem if `token` is a character, otherwise 0. */
static size_t n_characters(const struct og_align_side *side, size_t token)
{
    const struct og_tokens *t = side->tokens;
    const char *data = side->text->data + t->begin[token];
    const size_t len = t->end[token] - t->begin[token];
    if ((unsigned char)data[0] < 0x80) return 0;
    const struct og_utf8 c = og_utf8_decode((const unsigned char *)data, len);
    if (og_char_class_of(c.code_point) != OG_CHAR_ALONE) return 0;
    const size_t n = c.code_point < LETTERS_END ? 3 : 2;
    return token + n <= t->n ? n : 1;
}

static uint64_t stem_hash(const struct og_align_side *side, size_t token,
                          bool *out_is_character)
{
    const size_t n = n_characters(side, token);
    *out_is_character = n > 0;
    if (n > 0) {
        uint64_t hash = 0;
        for (size_t i = 0; i < n; i++)
            hash = og_mix64(hash + side->tokens->hash[token + i]);
        return hash;
    }
    const char *data = side->text->data + side->tokens->begin[token];
    const uint32_t len = side->tokens->end[token] - side->tokens->begin[token];
    uint32_t stem_len = 0;
    for (int k = 0; k < STEM_LEN && stem_len < len; k++)
        stem_len += og_utf8_len((unsigned char)data[stem_len]);
    return og_token_hash(data, stem_len < len ? stem_len : len, 0);
}

static uint32_t stem_number(struct og_stems *stems, uint64_t hash)
{
    struct og_hash_slot *slot = og_hash_table_next(&stems->numbers, hash, hash);
    if (slot->number == 0)
        og_hash_table_put(&stems->numbers, slot, hash, ++stems->n);
    return (uint32_t)slot->number - 1;
}

static og_status reserve_stems(struct og_stems *stems, size_t n_tokens,
                               og_error *err)
{
    const og_allocator *a = stems->allocator;
    if (!og_hash_table_clear(&stems->numbers, n_tokens) ||
        !OG_GROW(a, stems->weight, stems->weight_cap, n_tokens) ||
        !OG_GROW(a, stems->n_bags, stems->n_bags_cap, n_tokens) ||
        !OG_GROW(a, stems->mark, stems->mark_cap, n_tokens))
        return og_error_memory(err, n_tokens * sizeof(struct og_hash_slot),
                               "stems");
    stems->n = 0;
    return OG_OK;
}

/* ---- sentences ---- */

static bool follows_mark(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == '\'' ||
           c == ')' || c == ']';
}

/* Marks beyond ASCII that end a sentence: Chinese and Japanese, Devanagari,
 * Arabic, Urdu, Ethiopic, Armenian, Burmese, Khmer. */
static bool ends_sentence(const char *s, size_t len)
{
    static const char *const marks[] = {
        "\u3002", "\u0964", "\u0965", "\u061f", "\u06d4",
        "\u1362", "\u0589", "\u104b", "\u17d4",
    };
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const size_t n = strlen(marks[i]);
        if (n <= len && memcmp(s, marks[i], n) == 0) return true;
    }
    return false;
}

/* Whether a sentence ends between two tokens. */
static bool is_break(const char *gap, size_t len)
{
    int n_lines = 0;
    if (len == 1) return false;
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)gap[i];
        n_lines += c == '\n';
        if ((c == '.' || c == '!' || c == '?') && i + 1 < len &&
            follows_mark((unsigned char)gap[i + 1]))
            return true;
        if (c >= 0xc0 && ends_sentence(gap + i, len - i)) return true;
    }
    return n_lines >= 2;
}

static bool breaks_after(const struct og_align_side *side, size_t token)
{
    const struct og_tokens *t = side->tokens;
    return is_break(side->text->data + t->end[token],
                    t->begin[token + 1] - t->end[token]);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* There is room for one item per token. */
static void add_bag(struct og_bags *bags, struct og_stems *stems,
                    uint32_t begin, uint32_t end)
{
    uint32_t sorted[MAX_TOKENS + MIN_TOKENS];
    const uint32_t n = end - begin;
    struct og_bag bag = {.begin = begin, .end = end};
    memcpy(sorted, bags->stems + begin, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_value);
    bag.first = (uint32_t)bags->n_items;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) {
            bags->items[bags->n_items - 1].n++;
            continue;
        }
        bags->items[bags->n_items++] = (struct og_bag_item){sorted[i], 1};
        stems->n_bags[sorted[i]]++;
    }
    bag.n_items = (uint32_t)bags->n_items - bag.first;
    bags->data[bags->n++] = bag;
}

static void cut(struct og_bags *bags, struct og_stems *stems,
                const struct og_align_side *side)
{
    const size_t n = side->tokens->n;
    size_t begin = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t len = i + 1 - begin;
        if (i + 1 < n && len < MAX_TOKENS &&
            (len < MIN_TOKENS || !breaks_after(side, i)))
            continue;
        add_bag(bags, stems, (uint32_t)begin, (uint32_t)i + 1);
        begin = i + 1;
    }
}

static og_status reserve(struct og_bags *bags, size_t n_tokens, og_error *err)
{
    const og_allocator *a = bags->allocator;
    const size_t n_bags = n_tokens / MIN_TOKENS + 1;
    bags->n = bags->n_items = 0;
    if (!OG_GROW(a, bags->stems, bags->stems_cap, n_tokens) ||
        !OG_GROW(a, bags->items, bags->items_cap, n_tokens) ||
        !OG_GROW(a, bags->data, bags->cap, n_bags))
        return og_error_memory(err, n_tokens * sizeof(*bags->items),
                               "sentences");
    return OG_OK;
}

static void number_tokens(struct og_bags *bags, struct og_stems *stems,
                          const struct og_align_side *side)
{
    for (size_t i = 0; i < side->tokens->n; i++) {
        bool is_character;
        const uint64_t hash = stem_hash(side, i, &is_character);
        bags->stems[i] = stem_number(stems, hash);
        stems->weight[bags->stems[i]] =
            is_character ? 1.0f / OG_CHARACTERS_TO_A_WORD : 1;
    }
}

static void set_norms(struct og_bags *bags, const struct og_stems *stems)
{
    for (size_t i = 0; i < bags->n; i++) {
        struct og_bag *bag = &bags->data[i];
        float sum = 0;
        for (uint32_t k = 0; k < bag->n_items; k++) {
            const struct og_bag_item *item = &bags->items[bag->first + k];
            const float w = stems->weight[item->stem] * (float)item->n;
            sum += w * w;
        }
        bag->norm = sqrtf(sum);
    }
}

og_status og_bags_make(struct og_bags *document, struct og_bags *origin,
                       struct og_stems *stems, struct og_align_side here,
                       struct og_align_side there, og_error *err)
{
    TRY(reserve(document, here.tokens->n, err));
    TRY(reserve(origin, there.tokens->n, err));
    TRY(reserve_stems(stems, here.tokens->n + there.tokens->n, err));
    number_tokens(document, stems, &here);
    number_tokens(origin, stems, &there);
    memset(stems->n_bags, 0, stems->n * sizeof(*stems->n_bags));
    memset(stems->mark, 0, stems->n * sizeof(*stems->mark));
    cut(document, stems, &here);
    cut(origin, stems, &there);
    const float n = (float)(document->n + origin->n);
    for (uint32_t i = 0; i < stems->n; i++)
        stems->weight[i] *= logf(n / (float)stems->n_bags[i]);
    set_norms(document, stems);
    set_norms(origin, stems);
    return OG_OK;
}
