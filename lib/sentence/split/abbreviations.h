#ifndef OG_SENTENCE_SPLIT_ABBREVIATIONS_H
#define OG_SENTENCE_SPLIT_ABBREVIATIONS_H

/* Words that end with a full stop without ending the sentence. */

#include <stdbool.h>
#include <stddef.h>

/* `text`[`begin`, `stop`) is a sentence up to a full stop at `stop`, and
 * text[next, len) follows after the spaces. True if the full stop belongs to
 * the word before it, so that the sentence continues. */
bool og_stop_is_abbreviation(const char *text, size_t len, size_t begin,
                             size_t stop, size_t next);

#endif
