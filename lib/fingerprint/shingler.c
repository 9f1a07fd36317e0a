/* From text to fingerprints, with a rule for short documents. */

#include "lib/fingerprint/shingler.h"

/* Bytes of a document without tokens are hashed with a key of their own, so
 * that they never equal a token. */
#define BYTES_KEY 0x627974657320u

void og_shingler_init(struct og_shingler *s, og_token_kind kind,
                      const struct og_shingle_factors *key,
                      const og_allocator *allocator)
{
    s->kind = kind;
    s->key = key;
    s->token_key = 0;
    og_text_init(&s->text, allocator);
    og_tokens_init(&s->tokens, allocator);
    og_fps_init(&s->fps, allocator);
}

void og_shingler_release(struct og_shingler *s)
{
    og_fps_release(&s->fps);
    og_tokens_release(&s->tokens);
    og_text_release(&s->text);
}

static uint64_t hash_of_bytes(og_bytes text, uint64_t key)
{
    return og_token_hash(text.data, text.len, key ^ BYTES_KEY);
}

static og_status print_one(struct og_shingler *s, uint64_t fp, og_error *err)
{
    struct og_fps *p = &s->fps;
    if (!OG_GROW(p->allocator, p->data, p->cap, 1))
        return og_error_memory(err, sizeof(*p->data), "a fingerprint");
    p->data[0] = fp;
    p->n = 1;
    return OG_OK;
}

og_status og_shingler_run(struct og_shingler *s, og_bytes text, og_error *err)
{
    TRY(og_text_fold(&s->text, text, err));
    TRY(og_text_tokenise(&s->text, s->kind, s->token_key, &s->tokens, err));
    if (s->tokens.n == 0)
        return print_one(s, hash_of_bytes(text, s->token_key), err);
    return og_shingler_reprint(s, s->tokens.hash, s->tokens.n, err);
}

og_status og_shingler_rekey(struct og_shingler *s, og_bytes text, uint64_t key,
                            og_error *err)
{
    TRY(og_tokens_rehash(&s->text, s->kind, key, &s->tokens, err));
    if (s->tokens.n == 0) s->tokens.hash[0] = hash_of_bytes(text, key);
    return OG_OK;
}

og_status og_shingler_reprint(struct og_shingler *s, const uint64_t *words,
                              size_t n_tokens, og_error *err)
{
    if (n_tokens == 0) return print_one(s, words[0], err);
    if (n_tokens < s->key->shingle_len)
        return print_one(s, og_rabin_words(s->key->rabin, words, n_tokens),
                         err);
    return og_words_fingerprint(words, n_tokens, s->key, &s->fps, err);
}

void og_shingler_trim(struct og_shingler *s)
{
    if (s->text.cap <= OG_TEXT_KEEP) return;
    const og_allocator *allocator = s->text.allocator;
    const uint64_t token_key = s->token_key;
    og_shingler_release(s);
    og_shingler_init(s, s->kind, s->key, allocator);
    s->token_key = token_key;
}
