/* Any two texts: what they are said to have in common, they have. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <origo/origo.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
    if (!holds) abort();
}

static void check_matches(const og_span *span)
{
    uint64_t end = span->begin;
    for (size_t i = 0; i < span->n_matches; i++) {
        const og_match *m = &span->matches[i];
        must(m->begin >= end && m->begin < m->end && m->end <= span->end);
        must(m->origin_begin < m->origin_end);
        must(m->origin_begin >= span->origin_begin);
        must(m->origin_end <= span->origin_end);
        end = m->end;
    }
}

static void check_answer(const og_document *doc, const og_document *origin,
                         const og_answer *answer)
{
    uint64_t end = 0, n_old = 0;
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        must(span->begin >= end && span->begin < span->end);
        must(span->end <= doc->text.len);
        must(span->origin_begin < span->origin_end);
        must(span->origin_end <= origin->text.len);
        must(span->how == OG_HOW_VERIFIED);
        must(span->score >= 0 && span->score <= 1);
        check_matches(span);
        end = span->end;
        n_old += span->n_tokens;
    }
    must(n_old + answer->n_fresh == answer->n_tokens);
    must(answer->n_origins == (answer->n_spans > 0));
    end = 0;
    for (size_t i = 0; i < answer->n_novel; i++) {
        must(answer->novel[i].begin >= end);
        must(answer->novel[i].begin < answer->novel[i].end);
        must(answer->novel[i].end <= doc->text.len);
        end = answer->novel[i].end;
    }
}

/* Bytes 0 to 3 choose: the kind of token, the shortest copy, where the second
 * text begins and how much of the first it repeats. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 4) return 0;
    const char *text = (const char *)data + 4;
    const size_t text_len = len - 4;
    const size_t cut = text_len * data[2] / 256;
    const size_t begin = cut * data[3] / 256;
    const og_document doc = {.id = OG_LITERAL("a"), .text = {text, cut}};
    const og_document origin = {.id = OG_LITERAL("b"),
                                .text = {text + begin, text_len - begin}};
    og_compare_options options = og_compare_options_default();
    options.tokens = (og_token_kind)(data[0] % 4);
    options.min_copy = 3 + data[1] % 16;
    options.reworded = data[1] < 128;
    og_comparison *comparison = og_comparison_new();
    must(comparison != NULL);
    must(og_compare(comparison, &doc, &origin, &options, NULL) == OG_OK);
    check_answer(&doc, &origin, og_comparison_answer(comparison));
    must(og_compare(comparison, &origin, &doc, &options, NULL) == OG_OK);
    check_answer(&origin, &doc, og_comparison_answer(comparison));
    og_comparison_free(comparison);
    return 0;
}
