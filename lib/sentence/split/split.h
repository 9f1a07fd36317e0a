#ifndef OG_SENTENCE_SPLIT_SPLIT_H
#define OG_SENTENCE_SPLIT_SPLIT_H

/*   in:  the text of a document                              (lib/source)
 *   out: its sentences: where each begins and ends           (lib/sentence)
 *
 * Unicode's rules (breaks.h), and what they leave to the language and to the
 * form of the text: abbreviations, lines that were wrapped, paragraphs, lists,
 * headings, quoted mail, scripts without stops. */

#include "lib/base/memory.h"

/* Half-open, in bytes of the text; without space around it. */
struct og_sentence_range {
    uint32_t begin, end;
};

struct og_splitter {
    const og_allocator *allocator;
    struct og_sentence_range *ranges; /* rising, apart */
    size_t n, cap;
    size_t n_cut; /* that were too long and were cut */
};

/* A longer sentence is none: it is cut where a line ends, else at a space. */
#define OG_SENTENCE_BYTES_MAX 8192

void og_splitter_init(struct og_splitter *splitter,
                      const og_allocator *allocator);
void og_splitter_release(struct og_splitter *splitter);

/* Replaces what it held by the sentences of `text`, in time that grows with
 * its length and no faster. OG_ERR_LIMIT: longer than OG_TEXT_MAX. */
og_status og_split(struct og_splitter *splitter, og_bytes text, og_error *err);

#endif
