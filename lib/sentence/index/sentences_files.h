#ifndef OG_SENTENCE_INDEX_SENTENCES_FILES_H
#define OG_SENTENCE_INDEX_SENTENCES_FILES_H

/* The files of an og_sentences, "manifest" and "image-N": sentences.c writes
 * them, sentences_open.c finds them again. */

#include "lib/sentence/index/sentences.h"

#define OG_SENTENCE_SEGMENT_PREFIX "image"

/* Replaces the manifest by one that names the current segments. */
og_status og_sentences_write_manifest(struct og_sentences *s, og_error *err);

#endif
