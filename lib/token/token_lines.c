/* Lines as tokens: for program text, logs, lists, verse.
 *
 * A line counts for what it says, not for how it is indented or wrapped in
 * blanks: its hash is that of the line without blanks at its ends and with
 * each run of blanks inside as one space. Most lines are like that already and
 * are hashed where they are; the others are copied to a scratch line
 * first. Line ends are LF, CR LF and CR alone; since blank lines give no
 * token, CR LF needs no care: it is an end and an empty line. */

#include "lib/token/tokenise.h"

#include <string.h>

/* The next byte `wanted` at or after `at`, else text->len. */
static size_t find_byte(const struct og_text *text, size_t at, char wanted)
{
    const char *hit = memchr(text->data + at, wanted, text->len - at);
    return hit == NULL ? text->len : (size_t)(hit - text->data);
}

/* Two blanks in a row, or one that is not a space. No early exit, so that the
 * compiler can vectorise it. */
static bool needs_squeeze(const char *line, size_t len)
{
    unsigned found = 0;
    for (size_t i = 0; i + 1 < len; i++) {
        const unsigned char c = (unsigned char)line[i];
        found |= (unsigned)((c == ' ') & (line[i + 1] == ' '));
        found |= (unsigned)((c >= '\t') & (c <= '\f'));
    }
    return found != 0;
}

/* Copies the line to tokens->line, a space for each run of blanks. */
static og_status squeeze(struct og_tokens *tokens, const char *line, size_t len,
                         size_t *out_len, og_error *err)
{
    if (!OG_GROW(tokens->allocator, tokens->line, tokens->line_cap, len))
        return og_error_memory(err, len, "a line");
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (!og_is_blank(line[i]))
            tokens->line[n++] = line[i];
        else if (!og_is_blank(line[i - 1])) /* the first byte is not blank */
            tokens->line[n++] = ' ';
    }
    *out_len = n;
    return OG_OK;
}

/* `begin` < `end`, no blank at either. */
static og_status add_line(struct og_tokens *tokens, const struct og_text *text,
                          size_t begin, size_t end, uint64_t key, og_error *err)
{
    TRY(og_tokens_reserve(tokens, tokens->n + 1, err));
    const char *line = text->data + begin;
    size_t len = end - begin;
    if (needs_squeeze(line, len)) {
        TRY(squeeze(tokens, line, len, &len, err));
        line = tokens->line;
    }
    tokens->begin[tokens->n] = (uint32_t)begin;
    tokens->end[tokens->n] = (uint32_t)end;
    tokens->hash[tokens->n] = og_token_hash(line, len, key);
    tokens->n++;
    return OG_OK;
}

og_status og_tokenise_lines(const struct og_text *text, uint64_t key,
                            struct og_tokens *tokens, og_error *err)
{
    size_t next_lf = 0, next_cr = 0; /* searched again when passed */
    for (size_t at = 0, stop; at < text->len; at = stop + 1) {
        if (at == 0 || next_lf < at) next_lf = find_byte(text, at, '\n');
        if (at == 0 || next_cr < at) next_cr = find_byte(text, at, '\r');
        stop = next_lf < next_cr ? next_lf : next_cr;
        size_t begin = at, end = stop;
        while (begin < end && og_is_blank(text->data[begin]))
            begin++;
        while (end > begin && og_is_blank(text->data[end - 1]))
            end--;
        if (begin < end) TRY(add_line(tokens, text, begin, end, key, err));
    }
    return OG_OK;
}
