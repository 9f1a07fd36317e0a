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

/* Replaces the manifest by one that names the images and the journal at hand.
 */
og_status og_sentences_write_manifest(struct og_sentences *s, og_error *err);

/* An empty journal with the next number; the manifest is still to be written.
 */
og_status og_sentences_new_journal(struct og_sentences *s,
                                   struct og_sentence_journal *out,
                                   og_error *err);

/* Takes in a document of the journal; ctx is the og_sentences. */
og_status og_sentences_take_record(void *ctx, const og_document *doc,
                                   og_error *err);

/* Everything in memory becomes a file. */
og_status og_sentences_write_images(struct og_sentences *s, og_error *err);

#endif
