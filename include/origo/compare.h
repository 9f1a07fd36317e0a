#ifndef ORIGO_COMPARE_H
#define ORIGO_COMPARE_H

/* Comparing two texts, without a store. */

#include <origo/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_compare_options {
    og_token_kind tokens;
    uint32_t min_copy; /* equal tokens that make a copy, 3 at least */
    bool reworded;     /* passages that were reworded, too */
} og_compare_options;
OG_API og_compare_options og_compare_options_default(void);

/* Scratch memory and the last answer. One per thread. */
typedef struct og_comparison og_comparison;
OG_API og_comparison *og_comparison_new(void);             /* NULL: no memory */
OG_API void og_comparison_free(og_comparison *comparison); /* NULL is fine */

/* Finds the parts of `doc` that come from `origin`: verified spans with their
 * matches, and, if there are any, one origin with its text. The number of the
 * origin is 0. `options` may be NULL. The time is bounded for any texts: about
 * linear in their tokens. OG_ERR_LIMIT: a text is longer than 1 GiB;
 * OG_ERR_USAGE, OG_ERR_MEMORY. */
OG_API og_status og_compare(og_comparison *comparison, const og_document *doc,
                            const og_document *origin,
                            const og_compare_options *options, og_error *err);

/* Valid until the next og_compare() with it, and only as long as the bytes of
 * both documents are: ids and the text of the origin belong to the caller. */
OG_API const og_answer *og_comparison_answer(const og_comparison *comparison);

/* Return false to stop (OG_ERR_STOPPED). */
typedef bool og_compare_fn(void *ctx, const og_document *doc,
                           const og_answer *answer);

/* Compares each document of one input with each document of another, which is
 * held in memory. If a file cannot be read, its status is returned. The counts
 * (may be NULL) are for both inputs. */
OG_API og_status og_compare_files(const og_input *input, const og_input *origin,
                                  const og_compare_options *options,
                                  og_compare_fn *on_answer, void *ctx,
                                  og_stream_counts *out_counts, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
