#ifndef OG_DEDUP_DEDUP_TEXTS_H
#define OG_DEDUP_DEDUP_TEXTS_H

/*   in:  the place of a document                       (lib/dedup/dedup.c)
 *   out: its distinct shingles and its id            (lib/dedup/dedup_decide.c)
 *
 * Sketches say which documents to compare; to compare them, the shingles of an
 * earlier document are needed again. Keeping the shingles of all would take
 * more memory than the texts themselves, and few are ever needed: so the text
 * is read again from its source, and shingled again at some hundred megabytes a
 * second. Recently used ones are cached. A line of a plain file is read from
 * that file; documents from a pipe, an archive or a packed file are first
 * copied to a temporary file; a store returns its texts. */

#include "lib/fingerprint/shingler.h"
#include "lib/sketch/shingle_set.h"
#include "lib/store/text/stored_texts.h"

#include <origo/params.h>
#include <origo/reading.h>

struct og_dedup_place {
    uint64_t offset;
    uint32_t file; /* OG_PLACE_SPOOL: the temporary file; OG_PLACE_STORE: a
                      store, whose number is len; offset is the document's */
    uint32_t len;
    uint64_t line; /* for the id of a record that has none */
};
#define OG_PLACE_SPOOL UINT32_MAX
#define OG_PLACE_STORE (UINT32_MAX - 1)

struct og_known_document {
    uint64_t *fps;   /* distinct, under the secret key of the run */
    uint16_t *tags;  /* of the fingerprints */
    size_t n, n_fps; /* n_fps: the capacity */
    char *id;
    size_t id_len;
};

struct og_dedup_texts;

/* `folder` is for the temporary file; the strings must outlive the object. */
og_status og_dedup_texts_new(const og_fields *fields, og_token_kind tokens,
                             const struct og_shingle_factors *key,
                             size_t memory, const char *folder,
                             struct og_dedup_texts **out, og_error *err);
void og_dedup_texts_free(struct og_dedup_texts *texts); /* NULL is fine */

/* A reader of the texts of `base`, for another thread, with a cache of its own.
 * Texts added to `base` since are readable only after og_dedup_texts_flush();
 * those in a store cannot be read through it. */
og_status og_dedup_texts_reader(const struct og_dedup_texts *base,
                                size_t memory, struct og_dedup_texts **out,
                                og_error *err);
og_status og_dedup_texts_flush(struct og_dedup_texts *texts, og_error *err);

/* The stores by the numbers in places; they must outlive it. */
void og_dedup_texts_stores(struct og_dedup_texts *texts,
                           struct og_stored_texts *const *stores);

/* The number of a file by its name; *out_is_plain if its lines can be read
 * again from it. */
og_status og_dedup_texts_file(struct og_dedup_texts *texts, const char *path,
                              uint32_t *out_file, bool *out_is_plain,
                              og_error *err);

/* Whether the lines of a file can be read again from it: a file, not packed. */
bool og_dedup_is_plain(const char *path);

/* Writes a document to the temporary file. */
og_status og_dedup_texts_spool(struct og_dedup_texts *texts, og_bytes id,
                               og_bytes text, struct og_dedup_place *out,
                               og_error *err);

/* Lends a document that is in memory for a while, as words (document_stream.h):
 * until it is called back it is not read again. Numbers are ascending; the
 * memory must remain valid until then. */
og_status og_dedup_texts_lend(struct og_dedup_texts *texts, uint64_t number,
                              const uint64_t *words, size_t n_tokens,
                              og_bytes id, og_error *err);
/* Ends the lending of all of them. */
void og_dedup_texts_call_back(struct og_dedup_texts *texts);

/* The fingerprints of words, all of them; valid until the next call. */
og_status og_dedup_texts_print(struct og_dedup_texts *texts,
                               const uint64_t *words, size_t n_tokens,
                               const struct og_fps **out, og_error *err);

/* `number` identifies the document in the cache. Valid until the next call.
 * OG_ERR_INPUT: the file was changed meanwhile. */
og_status og_dedup_texts_fetch(struct og_dedup_texts *texts, uint64_t number,
                               const struct og_dedup_place *place,
                               const struct og_known_document **out,
                               og_error *err);

/* Only the id: nothing is shingled. */
og_status og_dedup_texts_id(struct og_dedup_texts *texts, uint64_t number,
                            const struct og_dedup_place *place, og_bytes *out,
                            og_error *err);

/* Prefetches the cached data of a document, in two steps some time apart. */
void og_dedup_texts_expect(const struct og_dedup_texts *texts, uint64_t number);
void og_dedup_texts_expect_tags(const struct og_dedup_texts *texts,
                                uint64_t number);

/* Whether any of the files has changed since it was first read. */
og_status og_dedup_texts_check(struct og_dedup_texts *texts, og_error *err);

#endif
