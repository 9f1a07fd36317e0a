#ifndef OG_SENTENCE_INDEX_SENTENCES_FILES_H
#define OG_SENTENCE_INDEX_SENTENCES_FILES_H

/* The files of an og_sentences: sentences.c writes them, sentences_open.c finds
 * them again. */

#include "lib/sentence/index/sentences.h"

enum { OG_SENTENCES_PATH_MOST = 4096 };

/* "FOLDER/name", "FOLDER/kind-number"; false: too long. */
bool og_sentences_path(const struct og_sentences *s, const char *name,
                       char out[OG_SENTENCES_PATH_MOST]);
bool og_sentences_numbered_path(const struct og_sentences *s, const char *kind,
                                uint64_t number,
                                char out[OG_SENTENCES_PATH_MOST]);
og_status og_sentences_path_too_long(const struct og_sentences *s,
                                     og_error *err);

/* Replaces the manifest by one that names the images at hand. */
og_status og_sentences_write_manifest(struct og_sentences *s, og_error *err);

#endif
