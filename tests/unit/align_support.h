#ifndef OG_TESTS_ALIGN_SUPPORT_H
#define OG_TESTS_ALIGN_SUPPORT_H

/* Two texts on their way to the aligner. */

#include "tests/unit/stage_support.h"

#include "lib/align/align.h"

struct pair {
    struct og_text texts[2];
    struct og_tokens tokens[2];
    struct og_align_side document, origin;
    struct og_aligner *aligner;
    struct og_align_options options;
    struct og_alignment found;
};

static inline void pair_init(struct pair *p)
{
    *p = (struct pair){.options = OG_ALIGN_OPTIONS_DEFAULT};
    for (int i = 0; i < 2; i++) {
        og_text_init(&p->texts[i], NULL);
        og_tokens_init(&p->tokens[i], NULL);
    }
    p->document =
        (struct og_align_side){.text = &p->texts[0], .tokens = &p->tokens[0]};
    p->origin =
        (struct og_align_side){.text = &p->texts[1], .tokens = &p->tokens[1]};
    p->aligner = og_aligner_new(NULL);
    assert_non_null(p->aligner);
}

static inline void pair_release(struct pair *p)
{
    og_aligner_free(p->aligner);
    for (int i = 0; i < 2; i++) {
        og_tokens_release(&p->tokens[i]);
        og_text_release(&p->texts[i]);
    }
}

static inline void pair_read(struct pair *p, const char *document,
                             const char *origin)
{
    const char *sources[2] = {document, origin};
    for (int i = 0; i < 2; i++) {
        const og_bytes source = {sources[i], strlen(sources[i])};
        assert_int_equal(og_text_fold(&p->texts[i], source, NULL), OG_OK);
        assert_int_equal(og_text_tokenise(&p->texts[i], OG_TOKEN_WORDS, 0,
                                          &p->tokens[i], NULL),
                         OG_OK);
    }
}

static inline void pair_align(struct pair *p)
{
    assert_int_equal(og_align(p->aligner, p->document, p->origin, &p->options,
                              &p->found, NULL),
                     OG_OK);
}

/* What every alignment promises. */
static inline void pair_check(const struct pair *p)
{
    uint32_t end = 0;
    for (size_t i = 0; i < p->found.n_passages; i++) {
        const struct og_passage *q = &p->found.passages[i];
        assert_true(q->begin >= end && q->begin < q->end);
        assert_true(q->end <= p->tokens[0].n);
        assert_true(q->origin_begin < q->origin_end);
        assert_true(q->origin_end <= p->tokens[1].n);
        assert_true(q->score >= 0 && q->score <= 1);
        uint32_t run_end = q->begin;
        for (uint32_t k = 0; k < q->n_runs; k++) {
            const struct og_run *run = &p->found.matches[q->first_run + k];
            assert_true(run->len > 0);
            assert_true(run->begin >= run_end);
            assert_true(run->begin + run->len <= q->end);
            assert_true(run->origin_begin >= q->origin_begin);
            assert_true(run->origin_begin + run->len <= q->origin_end);
            assert_memory_equal(p->tokens[0].hash + run->begin,
                                p->tokens[1].hash + run->origin_begin,
                                run->len * sizeof(uint64_t));
            run_end = run->begin + run->len;
        }
        end = q->end;
    }
}

#endif
