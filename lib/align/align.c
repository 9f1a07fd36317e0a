/* The two entry points of the aligner, see align.h. */

#include "lib/align/align.h"

#include "lib/align/nearly_sorted.h"
#include "lib/align/reworded.h"

struct og_aligner *og_aligner_new(const og_allocator *allocator)
{
    struct og_aligner *a = og_allocate_zero(allocator, sizeof(*a));
    if (a == NULL) return NULL;
    a->allocator = allocator;
    og_run_finder_init(&a->finder, allocator);
    og_chainer_init(&a->chainer, allocator);
    og_matcher_init(&a->matcher, allocator);
    og_reworder_init(&a->reworder, allocator);
    og_near_seeds_init(&a->near, allocator);
    og_runs_init(&a->runs, allocator);
    og_runs_init(&a->chained, allocator);
    og_runs_init(&a->matches, allocator);
    og_passages_init(&a->passages, allocator);
    return a;
}

void og_aligner_free(struct og_aligner *a)
{
    if (a == NULL) return;
    og_passages_release(&a->passages);
    og_runs_release(&a->matches);
    og_runs_release(&a->chained);
    og_runs_release(&a->runs);
    og_near_seeds_release(&a->near);
    og_reworder_release(&a->reworder);
    og_matcher_release(&a->matcher);
    og_chainer_release(&a->chainer);
    og_run_finder_release(&a->finder);
    og_release(a->allocator, a, sizeof(*a));
}

void og_aligner_set_thresholds(struct og_aligner *a,
                               const struct og_align_thresholds *thresholds)
{
    a->reworder.thresholds = *thresholds;
}

static struct og_hashes hashes_of(struct og_align_side side)
{
    return (struct og_hashes){side.tokens->hash, (uint32_t)side.tokens->n};
}

/* The number of previous runs that a run may follow. Around seeds there are few
 * that do not belong to the copy. */
enum { LOOK_BACK = 32, LOOK_BACK_SEEDED = 8 };

/* From runs to copies that do not overlap. */
static og_status join_runs(struct og_aligner *a, struct og_align_side document,
                           const struct og_align_options *options,
                           og_error *err)
{
    og_runs_sort(&a->runs);
    a->passages.n = 0;
    TRY(og_runs_chain(&a->chainer, document, &a->runs, (float)options->min_copy,
                      &a->chained, &a->passages, err));
    og_passages_settle(&a->passages);
    return OG_OK;
}

/* What many runs needed, for texts of few words. */
static void trim(struct og_aligner *a)
{
    enum { KEEP_RUNS = 1 << 17 };
    if (a->runs.cap <= KEEP_RUNS) return;
    og_runs_release(&a->runs);
    og_runs_release(&a->chained);
    og_chainer_release(&a->chainer);
}

/* Before the decision: hashes brought the two texts together, words decide.
 * Without a text on either side there are only hashes. */
static og_status finish(struct og_aligner *a, struct og_align_side document,
                        struct og_align_side origin, uint32_t min_copy,
                        struct og_alignment *out, og_error *err)
{
    TRY(og_passages_match(&a->matcher, &a->passages, &a->chained, &a->runs,
                          hashes_of(document), hashes_of(origin), &a->matches,
                          err));
    if (document.text != NULL && origin.text != NULL)
        TRY(og_passages_read(&a->passages, document, origin, min_copy,
                             &a->matches, err));
    trim(a);
    *out = (struct og_alignment){.passages = a->passages.data,
                                 .n_passages = a->passages.n,
                                 .matches = a->matches.data};
    return OG_OK;
}

og_status og_align(struct og_aligner *a, struct og_align_side document,
                   struct og_align_side origin,
                   const struct og_align_options *options,
                   struct og_alignment *out, og_error *err)
{
    const struct og_hashes d = hashes_of(document), o = hashes_of(origin);
    *out = (struct og_alignment){0};
    a->runs.n = 0;
    TRY(og_runs_find(&a->finder, d, o, (struct og_align_window){0, d.n, 0, o.n},
                     &a->runs, err));
    a->chainer.look_back = LOOK_BACK;
    TRY(join_runs(a, document, options, err));
    if (options->reworded) {
        TRY(og_reworded_find(&a->reworder, document, origin,
                             options->min_tokens, &a->passages, err));
        og_passages_settle(&a->passages);
        og_passages_join_drawn(&a->passages, &a->reworder.thresholds);
    }
    return finish(a, document, origin, options->min_copy, out, err);
}

/* ---- with seeds ---- */

/* Seeds within this distance are processed together, and the copy is searched
 * for within this distance around them. */
#define NEAR 64u

static int by_place(const void *a, const void *b)
{
    const struct og_run *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->origin_begin > y->origin_begin) -
           (x->origin_begin < y->origin_begin);
}

OG_SORT_NEARLY(sort_seeds, struct og_run, by_place)

static bool is_inside(const struct og_run *seed,
                      const struct og_align_window *bounds)
{
    return seed->begin >= bounds->begin && seed->begin < bounds->end &&
           seed->origin_begin < bounds->origin_end;
}

/* Extends `window` by the seed if it is near; false if it is not. */
static bool take_seed(struct og_align_window *window, const struct og_run *seed)
{
    const uint32_t far = window->origin_end + NEAR;
    if (seed->begin > window->end + NEAR || seed->origin_begin > far ||
        seed->origin_begin + NEAR < window->origin_begin)
        return false;
    const uint32_t end = seed->begin + seed->len;
    const uint32_t origin_end = seed->origin_begin + seed->len;
    if (end > window->end) window->end = end;
    if (origin_end > window->origin_end) window->origin_end = origin_end;
    if (seed->origin_begin < window->origin_begin)
        window->origin_begin = seed->origin_begin;
    return true;
}

static struct og_align_window widened(struct og_align_window w,
                                      const struct og_align_window *bounds)
{
    w.begin = w.begin - bounds->begin > NEAR ? w.begin - NEAR : bounds->begin;
    w.end = bounds->end > w.end && bounds->end - w.end > NEAR ? w.end + NEAR
                                                              : bounds->end;
    w.origin_begin = w.origin_begin > NEAR ? w.origin_begin - NEAR : 0;
    w.origin_end = bounds->origin_end > w.origin_end &&
                           bounds->origin_end - w.origin_end > NEAR
                       ? w.origin_end + NEAR
                       : bounds->origin_end;
    return w;
}

/* The first seeds that are close together; their window, and their number. */
static size_t next_window(const struct og_run *seeds, size_t n,
                          const struct og_align_window *bounds,
                          struct og_align_window *out)
{
    size_t i = 0;
    while (i < n && !is_inside(&seeds[i], bounds))
        i++;
    if (i == n) {
        *out = (struct og_align_window){0};
        return n;
    }
    *out =
        (struct og_align_window){seeds[i].begin, seeds[i].begin,
                                 seeds[i].origin_begin, seeds[i].origin_begin};
    while (i < n &&
           (!is_inside(&seeds[i], bounds) || take_seed(out, &seeds[i])))
        i++;
    *out = widened(*out, bounds);
    return i;
}

/* The tokens in the windows of all seeds. */
static uint64_t windows_len(const struct og_run *seeds, size_t n_seeds,
                            const struct og_align_window *bounds)
{
    uint64_t len = 0;
    for (size_t i = 0; i < n_seeds;) {
        struct og_align_window w;
        i += next_window(seeds + i, n_seeds - i, bounds, &w);
        len += (w.end - w.begin) + (w.origin_end - w.origin_begin);
    }
    return len;
}

static og_status find_near_seeds(struct og_aligner *a, struct og_hashes d,
                                 struct og_hashes o, const struct og_run *seeds,
                                 size_t n_seeds, og_error *err)
{
    const struct og_align_window all = {0, d.n, 0, o.n};
    if (windows_len(seeds, n_seeds, &all) > (uint64_t)d.n + o.n)
        return og_runs_find(&a->finder, d, o, all, &a->runs, err);
    for (size_t i = 0; i < n_seeds;) {
        struct og_align_window window;
        i += next_window(seeds + i, n_seeds - i, &all, &window);
        TRY(og_runs_find(&a->finder, d, o, window, &a->runs, err));
    }
    return OG_OK;
}

og_status og_verify(struct og_aligner *a, struct og_align_side document,
                    struct og_align_side origin, struct og_run *seeds,
                    size_t n_seeds, const struct og_align_options *options,
                    struct og_alignment *out, og_error *err)
{
    const struct og_hashes d = hashes_of(document), o = hashes_of(origin);
    *out = (struct og_alignment){0};
    a->runs.n = 0;
    sort_seeds(seeds, n_seeds);
    TRY(find_near_seeds(a, d, o, seeds, n_seeds, err));
    TRY(og_near_seeds_keep(&a->near, seeds, n_seeds, &a->runs, err));
    a->chainer.look_back = LOOK_BACK_SEEDED;
    TRY(join_runs(a, document, options, err));
    return finish(a, document, origin, options->min_copy, out, err);
}
