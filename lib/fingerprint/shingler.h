#ifndef OG_FINGERPRINT_SHINGLER_H
#define OG_FINGERPRINT_SHINGLER_H

/*   in:  the text of a document                            (lib/source)
 *   out: the fingerprints of all its shingles, at least one        (lib/dedup)
 *
 * For comparing whole documents. One per thread. */

#include "lib/fingerprint/fingerprint.h"

#include <origo/params.h>

struct og_shingler {
    og_token_kind kind;
    const struct og_shingle_factors *key;
    uint64_t token_key; /* 0 after _init */
    struct og_text text;
    struct og_tokens tokens;
    struct og_fps fps;
};

void og_shingler_init(struct og_shingler *s, og_token_kind kind,
                      const struct og_shingle_factors *key,
                      const og_allocator *allocator);
void og_shingler_release(struct og_shingler *s);

/* Fills s->fingerprints. A document of fewer tokens than a shingle is one
 * shingle of all of them; one without tokens is a shingle of its bytes. So
 * short documents are similar only if they are equal. OG_ERR_LIMIT: the text is
 * too long. */
og_status og_shingler_run(struct og_shingler *s, og_bytes text, og_error *err);

/* The tokens of the last text again under another key: s->tokens.hash, with
 * zeros after it. One word of all bytes if there are no tokens. `text` is that
 * text. */
og_status og_shingler_rekey(struct og_shingler *s, og_bytes text, uint64_t key,
                            og_error *err);

/* s->fps from words that _rekey() made from a text of n_tokens: the result of
 * _run() under that key. 64 bytes of zeros follow the words. */
og_status og_shingler_reprint(struct og_shingler *s, const uint64_t *words,
                              size_t n_tokens, og_error *err);

/* Frees memory after a very long document. */
void og_shingler_trim(struct og_shingler *s);

#endif
