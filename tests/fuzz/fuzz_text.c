/* Any bytes may be a document. What must hold for all of them: the folded text
 * is valid UTF-8, tokens rise and lie inside it, and the way back to the
 * source rises and stays inside the source. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text/utf8.h"
#include "lib/token/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Not assert(): this must also hold in a release build. */
static void require(bool holds)
{
    if (!holds) abort();
}

static void require_valid(const struct og_text *text)
{
    for (size_t at = 0; at < text->len;) {
        const struct og_utf8 u = og_utf8_decode(
            (const unsigned char *)text->data + at, text->len - at);
        require(u.code_point != OG_UTF8_INVALID);
        at += u.len;
    }
    for (size_t i = 0; i < OG_TEXT_PADDING; i++)
        require(text->data[text->len + i] == 0);
}

/* Each place of a short text, of a long one some thousand: each is a search. */
static void require_map(const struct og_text *text)
{
    size_t last_begin = 0, last_end = 0;
    const size_t step = 1 + text->len / 2048;
    for (size_t i = 0; i <= text->len; i += step) {
        const size_t begin = og_text_source_begin(text, i);
        const size_t end = og_text_source_end(text, i);
        require(begin >= last_begin && begin <= text->source_len);
        require(end >= last_end && end <= text->source_len);
        last_begin = begin;
        last_end = end;
    }
}

static void require_tokens(const struct og_text *text,
                           const struct og_tokens *tokens, og_token_kind kind)
{
    size_t last_end = 0;
    for (size_t i = 0; i < tokens->n; i++) {
        const size_t begin = tokens->begin[i], end = tokens->end[i];
        require(begin >= last_end && begin < end && end <= text->len);
        require(og_text_source_begin(text, begin) <
                og_text_source_end(text, end));
        if (kind != OG_TOKEN_LINES)
            require(tokens->hash[i] ==
                    og_token_hash(text->data + begin, end - begin, 1));
        last_end = end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    const og_bytes source = {(const char *)data, len};
    if (og_text_fold(&text, source, NULL) == OG_OK) {
        require_valid(&text);
        require_map(&text);
        for (og_token_kind kind = OG_TOKEN_WORDS; kind <= OG_TOKEN_DNA; kind++)
            if (og_text_tokenise(&text, kind, 1, &tokens, NULL) == OG_OK)
                require_tokens(&text, &tokens, kind);
    }
    og_tokens_release(&tokens);
    og_text_release(&text);
    return 0;
}
