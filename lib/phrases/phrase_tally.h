#ifndef OG_PHRASES_PHRASE_TALLY_H
#define OG_PHRASES_PHRASE_TALLY_H

/*   in:  the passages of each document, in order of arrival
 *   out: first holders, growth, documents and sources       (og_phrases) */

#include "lib/base/hash_table.h"
#include "lib/phrases/phrase_periods.h"

#include <origo/phrases.h>

struct og_phrase_found {
    uint32_t phrase, n_tokens;
    uint64_t begin, end; /* bytes of the document */
};

/* A document with its passages. */
struct og_phrase_holding {
    const og_document *doc;
    og_bytes source; /* len 0: none */
    uint64_t number; /* among the documents read, from 0 */
    size_t n_tokens, n_covered;
    const struct og_phrase_found *found;
    size_t n_found;
};

struct og_phrase_tally;
/* For n passages; `n_documents` will be read. `periods` must outlive it. */
og_status og_phrase_tally_new(size_t n, size_t limit, uint64_t n_documents,
                              const struct og_phrase_periods *periods,
                              struct og_phrase_tally **out, og_error *err);
void og_phrase_tally_free(struct og_phrase_tally *t); /* NULL is fine */
og_status og_phrase_tally_add(struct og_phrase_tally *t,
                              const struct og_phrase_holding *holding,
                              og_error *err);
/* The result: views until og_phrase_tally_free(). The passages that are in
 * `least` documents or more, those in most documents first. */
void og_phrase_tally_finish(struct og_phrase_tally *t, uint64_t least,
                            og_phrases *out);

#endif
