#ifndef OG_SENTENCE_SPLIT_SPLIT_H
#define OG_SENTENCE_SPLIT_SPLIT_H

/*   in:  the text of a document                              (lib/source)
 *   out: its sentences: where each begins and ends           (lib/sentence)
 *
 * Unicode's rules (breaks.h), and what they leave to the language and the
 * layout of the text: abbreviations, wrapped lines, paragraphs, lists,
 * headings, quoted mail, scripts without stops. */

#include "lib/base/memory.h"

/* Half-open, in bytes of the text; without surrounding space. */
struct og_sentence_range {
    uint32_t begin, end;
};

struct og_splitter {
    const og_allocator *allocator;
    struct og_sentence_range *ranges; /* ascending, disjoint */
    size_t n, cap;
    size_t n_cut; /* that were too long and were cut */
};

/* A longer sentence is cut: where a line ends, otherwise at a space. */
#define OG_SENTENCE_BYTES_MAX 8192

void og_splitter_init(struct og_splitter *splitter,
                      const og_allocator *allocator);
void og_splitter_release(struct og_splitter *splitter);

/* Replaces the content by the sentences of `text`, in linear time.
 * OG_ERR_LIMIT: longer than OG_TEXT_MAX. */
og_status og_split(struct og_splitter *splitter, og_bytes text, og_error *err);

#endif
