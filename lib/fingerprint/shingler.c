/* From text to fingerprints, and what is done about short documents. */

#include "lib/fingerprint/shingler.h"

#define KEEP_TEXT_LEN ((size_t)1 << 20)

/* Bytes of a document without tokens are hashed with a key of their own, so
 * that they are no token of another one. */
#define BYTES_KEY 0x627974657320u

void og_shingler_init(struct og_shingler *s, og_token_kind kind,
                      const struct og_shingle_factors *key,
                      const og_allocator *allocator)
{
    s->kind = kind;
    s->key = key;
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

static og_status print_short(struct og_shingler *s, og_bytes text,
                             og_error *err)
{
    struct og_fps *p = &s->fps;
    if (!OG_GROW(p->allocator, p->data, p->cap, 1))
        return og_error_memory(err, sizeof(*p->data), "a fingerprint");
    p->data[0] =
        s->tokens.n > 0
            ? og_rabin_words(s->key->rabin, s->tokens.hash, s->tokens.n)
            : og_token_hash(text.data, text.len, BYTES_KEY);
    p->n = 1;
    return OG_OK;
}

og_status og_shingler_run(struct og_shingler *s, og_bytes text, og_error *err)
{
    TRY(og_text_fold(&s->text, text, err));
    TRY(og_text_tokenise(&s->text, s->kind, 0, &s->tokens, err));
    TRY(og_tokens_fingerprint(&s->tokens, s->key, &s->fps, err));
    return s->fps.n == 0 ? print_short(s, text, err) : OG_OK;
}

void og_shingler_trim(struct og_shingler *s)
{
    if (s->text.cap <= 2 * KEEP_TEXT_LEN) return;
    const og_allocator *allocator = s->text.allocator;
    og_shingler_release(s);
    og_shingler_init(s, s->kind, s->key, allocator);
}
