/* The tokens of a text as three arrays in one piece of memory:
 *
 *     hash  [cap + 8]    8 bytes each; the last 8 are the readable tail
 *     begin [cap]        4 bytes each
 *     end   [cap]
 *
 * Stages that follow walk one array at a time, so they are kept apart; one
 * allocation means that growing either works for all three or for none. */

#include "lib/token/tokens.h"

#include <assert.h>
#include <string.h>

#include "lib/token/token_hash.h"
#include "lib/token/tokenise.h"

void og_tokens_init(struct og_tokens *tokens, const og_allocator *allocator)
{
    *tokens = (struct og_tokens){.allocator = allocator};
}

static size_t bytes_for(size_t cap)
{
    return (cap + OG_TOKENS_TAIL) * sizeof(uint64_t) +
           2 * cap * sizeof(uint32_t);
}

static void release_arrays(struct og_tokens *tokens)
{
    if (tokens->hash != NULL)
        og_release(tokens->allocator, tokens->hash, bytes_for(tokens->cap));
}

void og_tokens_release(struct og_tokens *tokens)
{
    if (tokens == NULL) return;
    release_arrays(tokens);
    OG_UNGROW(tokens->allocator, tokens->line, tokens->line_cap);
    og_tokens_init(tokens, tokens->allocator);
}

static void use_arrays(struct og_tokens *tokens, uint64_t *memory, size_t cap)
{
    uint32_t *const begin = (uint32_t *)(memory + cap + OG_TOKENS_TAIL);
    if (tokens->hash != NULL) {
        memcpy(memory, tokens->hash, tokens->cap * sizeof(*memory));
        memcpy(begin, tokens->begin, tokens->cap * sizeof(*begin));
        memcpy(begin + cap, tokens->end, tokens->cap * sizeof(*begin));
    }
    release_arrays(tokens);
    tokens->hash = memory;
    tokens->begin = begin;
    tokens->end = begin + cap;
    tokens->cap = cap;
}

og_status og_tokens_reserve(struct og_tokens *tokens, size_t need,
                            og_error *err)
{
    if (need <= tokens->cap) return OG_OK;
    size_t cap = tokens->cap < 1024 ? 1024 : tokens->cap;
    while (cap < need)
        cap *= 2; /* a text has less than 2^32 bytes: no overflow */
    uint64_t *memory = og_allocate(tokens->allocator, bytes_for(cap));
    if (memory == NULL) return og_error_memory(err, bytes_for(cap), "tokens");
    use_arrays(tokens, memory, cap);
    return OG_OK;
}

static og_status tokenise(const struct og_text *text, og_token_kind kind,
                          uint64_t key, struct og_tokens *tokens, og_error *err)
{
    TRY(og_tokens_reserve(tokens, 1, err));
    if (kind == OG_TOKEN_LINES)
        return og_tokenise_lines(text, key, tokens, err);
    return og_tokenise_runs(text, kind, key, tokens, err);
}

og_status og_text_tokenise(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err)
{
    assert(text->len <= UINT32_MAX);
    tokens->n = 0;
    const og_status status = tokenise(text, kind, key, tokens, err);
    if (status != OG_OK) {
        tokens->n = 0;
        return status;
    }
    memset(tokens->hash + tokens->n, 0, OG_TOKENS_TAIL * sizeof(*tokens->hash));
    return OG_OK;
}

og_status og_tokens_rehash(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err)
{
    if (kind == OG_TOKEN_LINES)
        return og_text_tokenise(text, kind, key, tokens, err);
    og_token_hash_choose()(text->data, tokens->begin, tokens->end, tokens->n,
                           key, tokens->hash);
    return OG_OK;
}

/* ---- the words themselves ---- */

/* The byte at `at`, a run of blanks as one space; moves on. */
static char next_byte(const char *data, size_t len, size_t *at)
{
    const char c = data[(*at)++];
    if (!og_is_blank(c)) return c;
    while (*at < len && og_is_blank(data[*at]))
        (*at)++;
    return ' ';
}

static bool is_same_line(const char *a, size_t a_len, const char *b,
                         size_t b_len)
{
    size_t i = 0, j = 0;
    while (i < a_len && j < b_len)
        if (next_byte(a, a_len, &i) != next_byte(b, b_len, &j)) return false;
    return i == a_len && j == b_len;
}

bool og_tokens_same(const struct og_text *text, const struct og_tokens *tokens,
                    size_t token, const struct og_text *other_text,
                    const struct og_tokens *other, size_t other_token)
{
    const char *a = text->data + tokens->begin[token];
    const char *b = other_text->data + other->begin[other_token];
    const size_t a_len = tokens->end[token] - tokens->begin[token];
    const size_t b_len = other->end[other_token] - other->begin[other_token];
    return (a_len == b_len && memcmp(a, b, a_len) == 0) ||
           is_same_line(a, a_len, b, b_len);
}
