#ifndef OG_SELECT_PREPARE_H
#define OG_SELECT_PREPARE_H

/*   in:  the text of a document                             (lib/source)
 *   out: its tokens and its selection                       (lib/table)
 *
 * The stages that need no table, one after the other, and the buffers between
 * them. One per thread, used again for every document. */

#include "lib/fingerprint/shingle_key.h"
#include "lib/select/select.h"

#include <origo/params.h>

/* A document when all is done that can be done without the table. */
struct og_prepared {
    struct og_text text;
    struct og_tokens tokens;
    struct og_selection selection;
};

struct og_scratch {
    struct og_prepared prepared;
    struct og_fps fps;
};

void og_scratch_init(struct og_scratch *scratch, const og_allocator *allocator);
void og_scratch_release(struct og_scratch *scratch);

/* What the stages must know. */
struct og_prepare_options {
    og_token_kind tokens;
    uint64_t token_key;
    const struct og_shingle_factors *shingle_factors;
    const struct og_shingle_key *shingle_key; /* NULL: selected shingles keep
                                                 their public fingerprint */
    og_select_options select;
    og_context_kind note;
    uint32_t fold; /* of og_params */
    bool no_fps;   /* only text and tokens: the selection stays empty */
};

/* Fills scratch->prepared. OG_ERR_LIMIT: the text is longer than OG_TEXT_MAX;
 * OG_ERR_MEMORY. */
og_status og_scratch_prepare(struct og_scratch *scratch, og_bytes text,
                             const struct og_prepare_options *options,
                             og_error *err);

/* The second half of it, for tokens that are available: fills only the
 * selection. OG_ERR_MEMORY. */
og_status og_scratch_select(struct og_scratch *scratch,
                            const struct og_tokens *tokens,
                            const struct og_prepare_options *options,
                            og_error *err);

/* Frees memory after a very long document. */
void og_scratch_trim(struct og_scratch *scratch);

#endif
