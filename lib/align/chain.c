/* Runs that follow one another in both texts: copies with small edits.
 *
 * The score of a local alignment (Smith and Waterman), on runs instead of
 * tokens as in aligners of genomes (minimap2): the best chain that ends with a
 * run is that run alone, or that run after the best chain that ends with an
 * earlier one, minus the price of the gap between them. Only a limited number
 * of previous runs are tried (`look_back`), and as many of the longer ones,
 * which bounds the work; between two neighbours of a real copy there are few
 * others.
 *
 * Scores count words. A run of n words is worth n - 1, one word being needed to
 * place it. A character of a script without spaces is a token, too, and is
 * worth a
 * third of a word. A word of the longer side of a gap costs GAP_PRICE.
 *
 * Three words in a row match by chance, and after the end of a copy they would
 * move its end. So a run at either end must add END_GAIN to the chain. */

#include <math.h>

#include "lib/align/aligner.h"
#include "lib/align/nearly_sorted.h"
#include "lib/text/utf8.h"

#define NO_LINK   UINT32_MAX
#define GAP_PRICE 0.5f
/* The difference in length of the sides of a gap was inserted or left out. */
#define SHIFT_PRICE 0.1f
#define STRONG      4
#define MAX_GAP     64u
/* A run worth less is insignificant: letters that match everywhere. */
#define MIN_VALUE 1
/* Four words after a changed one. */
#define END_GAIN 2.5f

void og_chainer_init(struct og_chainer *chainer, const og_allocator *allocator)
{
    *chainer = (struct og_chainer){.allocator = allocator};
    og_runs_init(&chainer->runs, allocator);
}

void og_chainer_release(struct og_chainer *chainer)
{
    OG_UNGROW(chainer->allocator, chainer->links, chainer->links_cap);
    OG_UNGROW(chainer->allocator, chainer->ends, chainer->ends_cap);
    OG_UNGROW(chainer->allocator, chainer->strong, chainer->strong_cap);
    og_runs_release(&chainer->runs);
}

bool og_align_is_character(struct og_align_side side, uint32_t token)
{
    if (side.text == NULL) return false;
    const char *data = side.text->data + side.tokens->begin[token];
    const size_t len = side.tokens->end[token] - side.tokens->begin[token];
    if ((unsigned char)data[0] < 0x80) return false;
    const struct og_utf8 c = og_utf8_decode((const unsigned char *)data, len);
    return og_char_class_of(c.code_point) == OG_CHAR_ALONE;
}

/* The worth of a token of a run in words, judged by its first token. */
static float worth_of(struct og_align_side side, const struct og_run *run)
{
    enum { SAMPLE = 8 };
    const uint32_t n = run->len < SAMPLE ? run->len : SAMPLE;
    uint32_t n_characters = 0;
    for (uint32_t i = 0; i < n; i++)
        n_characters += og_align_is_character(side, run->begin + i);
    return 1 - (float)n_characters / (float)n *
                   (1 - 1.0f / OG_CHARACTERS_TO_A_WORD);
}

static float value_of(const struct og_run *run, float worth)
{
    return (float)run->len * worth - 1;
}

/* The gain of the chain to `run` if it follows `before`; minus infinity if it
 * cannot. Runs that overlap by a few tokens may follow one another: the overlap
 * counts once. */
static float gain_after(const struct og_run *before, const struct og_run *run,
                        float worth)
{
    const int64_t gap = (int64_t)run->begin - before->begin - before->len;
    const int64_t origin_gap =
        (int64_t)run->origin_begin - before->origin_begin - before->len;
    const int64_t longer = gap > origin_gap ? gap : origin_gap;
    const int64_t shorter = gap > origin_gap ? origin_gap : gap;
    if (longer > MAX_GAP || run->origin_begin <= before->origin_begin ||
        -shorter >= run->len)
        return -INFINITY;
    const float shared = shorter < 0 ? (float)-shorter : 0;
    const float skipped = longer > 0 ? (float)longer : 0;
    return value_of(run, worth) -
           worth * (shared + GAP_PRICE * skipped +
                    SHIFT_PRICE * (float)(longer - shorter));
}

/* Makes run `i`, which is worth `value` by itself, follow run `j` if that is
 * better than its current predecessor. No gain exceeds the value, so most cases
 * are decided by one comparison. */
static void try_link(struct og_align_link *links, const struct og_run *runs,
                     size_t i, size_t j, float value)
{
    if (links[j].score + value <= links[i].score) return;
    const float gain = gain_after(&runs[j], &runs[i], links[i].worth);
    if (links[j].score + gain <= links[i].score) return;
    links[i].score = links[j].score + gain;
    links[i].previous = (uint32_t)j;
}

/* `strong` are the previous runs that are worth STRONG words or more. */
static void link_run(const struct og_chainer *chainer, size_t i,
                     size_t n_strong)
{
    struct og_align_link *links = chainer->links;
    const struct og_run *runs = chainer->runs.data;
    const uint32_t *strong = chainer->strong;
    const size_t look_back = chainer->look_back;
    const float worth = links[i].worth;
    const float value = value_of(&runs[i], worth);
    links[i] = (struct og_align_link){worth, value, NO_LINK, false};
    for (size_t back = 1; back <= look_back && back <= i; back++)
        try_link(links, runs, i, i - back, value);
    for (size_t back = 1; back <= look_back && back <= n_strong; back++)
        try_link(links, runs, i, strong[n_strong - back], value);
}

static int by_score(const void *a, const void *b)
{
    const struct og_chain_end *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->run < y->run ? -1 : 1;
}

OG_SORT_NEARLY(sort_ends, struct og_chain_end, by_score)

static void reverse_ends(struct og_chain_end *ends, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct og_chain_end kept = ends[i];
        ends[i] = ends[n - 1 - i];
        ends[n - 1 - i] = kept;
    }
}

static void reverse(struct og_run *runs, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct og_run kept = runs[i];
        runs[i] = runs[n - 1 - i];
        runs[n - 1 - i] = kept;
    }
}

/* The runs of the chain that ends with `last`, in order, as far as no better
 * chain has taken them. Returns their total score. */
static og_status collect(struct og_align_link *links, const struct og_run *runs,
                         uint32_t last, struct og_runs *chained,
                         float *out_score, og_error *err)
{
    const size_t first = chained->n;
    uint32_t at = last;
    while (at != NO_LINK && !links[at].used) {
        links[at].used = true;
        TRY(og_runs_add(chained, runs[at], err));
        at = links[at].previous;
    }
    *out_score = links[last].score - (at == NO_LINK ? 0 : links[at].score);
    reverse(chained->data + first, chained->n - first);
    return OG_OK;
}

/* Removes runs from both ends that add too little; returns the remaining score.
 * `worth` is that of the chain. */
static float trim(struct og_run **first, size_t *n, float score, float worth)
{
    while (*n > 1) {
        const struct og_run *end = &(*first)[*n - 1];
        const float gain = gain_after(end - 1, end, worth);
        if (gain >= END_GAIN) break;
        score -= gain;
        --*n;
    }
    while (*n > 1) {
        const struct og_run *run = *first;
        const float gain = value_of(run, worth) +
                           gain_after(run, run + 1, worth) -
                           value_of(run + 1, worth);
        if (gain >= END_GAIN) break;
        score -= gain;
        ++*first;
        --*n;
    }
    return score;
}

static og_status take_chain(struct og_align_link *links,
                            const struct og_run *runs, uint32_t last,
                            float min_score, struct og_runs *chained,
                            struct og_passages *out, og_error *err)
{
    const size_t start = chained->n;
    float score;
    TRY(collect(links, runs, last, chained, &score, err));
    struct og_run *first = chained->data + start;
    size_t n = chained->n - start;
    score = trim(&first, &n, score, links[last].worth);
    const struct og_run *end = &first[n - 1];
    const struct og_passage p = {
        .begin = first->begin,
        .end = end->begin + end->len,
        .origin_begin = first->origin_begin,
        .origin_end = end->origin_begin + end->len,
        .kind = OG_PASSAGE_COPY,
        .weight = score,
        .first_run = (uint32_t)(first - chained->data),
        .n_runs = (uint32_t)n,
    };
    if (score >= min_score) return og_passages_add(out, p, err);
    chained->n = start;
    return OG_OK;
}

/* Selects the runs that are worth something, with links that hold their
 * worth. */
static og_status pick_runs(struct og_chainer *chainer,
                           struct og_align_side document,
                           const struct og_runs *runs, og_error *err)
{
    const size_t n = runs->n;
    if (!OG_GROW(chainer->allocator, chainer->links, chainer->links_cap, n) ||
        !OG_GROW(chainer->allocator, chainer->ends, chainer->ends_cap, n) ||
        !OG_GROW(chainer->allocator, chainer->strong, chainer->strong_cap, n))
        return og_error_memory(err, n * sizeof(*chainer->links), "chains");
    chainer->runs.n = 0;
    for (size_t i = 0; i < n; i++) {
        const float worth = worth_of(document, &runs->data[i]);
        if (value_of(&runs->data[i], worth) < MIN_VALUE) continue;
        chainer->links[chainer->runs.n].worth = worth;
        TRY(og_runs_add(&chainer->runs, runs->data[i], err));
    }
    return OG_OK;
}

og_status og_runs_chain(struct og_chainer *chainer,
                        struct og_align_side document,
                        const struct og_runs *runs, float min_score,
                        struct og_runs *chained, struct og_passages *out,
                        og_error *err)
{
    size_t n_ends = 0, n_strong = 0;
    chained->n = 0;
    TRY(pick_runs(chainer, document, runs, err));
    const struct og_run *picked = chainer->runs.data;
    for (size_t i = 0; i < chainer->runs.n; i++) {
        link_run(chainer, i, n_strong);
        if (value_of(&picked[i], chainer->links[i].worth) >= STRONG)
            chainer->strong[n_strong++] = (uint32_t)i;
        if (chainer->links[i].score < min_score) continue;
        chainer->ends[n_ends++] =
            (struct og_chain_end){chainer->links[i].score, (uint32_t)i};
    }
    /* Along a chain the score rises: from the last to the first they are nearly
     * in order. */
    reverse_ends(chainer->ends, n_ends);
    sort_ends(chainer->ends, n_ends);
    for (size_t i = 0; i < n_ends; i++) {
        const uint32_t last = chainer->ends[i].run;
        if (chainer->links[last].used) continue;
        TRY(take_chain(chainer->links, picked, last, min_score, chained, out,
                       err));
    }
    return OG_OK;
}
