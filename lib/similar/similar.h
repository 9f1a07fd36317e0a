#ifndef OG_SIMILAR_SIMILAR_H
#define OG_SIMILAR_SIMILAR_H

/*   in:  the chunks of a file                       (lib/chunk/file_chunks.h)
 *   out: the known files that share content with it, best first
 *
 * For each of the samples an inverted index from its value to the files that
 * have it (section 6.2). A question counts in how many indexes each file
 * is with the question's value, takes the files with the most matches as
 * candidates, and compares their chunks with its own: the matches are an
 * estimate, the chunks are proof. Only the lists of the candidates are read,
 * so the part that must be in memory for a question is the traits. */

#include "lib/chunk/file_chunks.h"
#include "lib/similar/file_sketch.h"

#include <origo/files.h>

struct og_similar; /* the index */

og_status og_similar_new(const struct og_file_sketch_options *traits,
                         const og_cut_options *chunking,
                         const og_allocator *allocator, struct og_similar **out,
                         og_error *err);
void og_similar_free(struct og_similar *index); /* NULL is fine */

/* A file that is known. Pointers go into the index and are valid until
 * something is added or it is freed. */
struct og_similar_file {
    const char *name; /* zero-terminated */
    uint64_t len;
    uint8_t hash[OG_HASH_LEN];
    const uint64_t *keys; /* of its chunks, in order */
    const uint32_t *lens;
    size_t n_chunks;
    const uint16_t *traits;
};

size_t og_similar_n_files(const struct og_similar *index);
struct og_similar_file og_similar_file_at(const struct og_similar *index,
                                          size_t number);
const struct og_file_sketch_options *
og_similar_sketches(const struct og_similar *index);
const og_cut_options *og_similar_chunking(const struct og_similar *index);

/* A name that is known already gets the new chunks; the old ones go. Nothing
 * is added when there is no memory. */
og_status og_similar_add(struct og_similar *index, const char *name,
                         const struct og_file_chunks *chunks, og_error *err);

/* The number of the file with this name, or SIZE_MAX. */
size_t og_similar_find(const struct og_similar *index, const char *name);

struct og_similar_match {
    size_t file;
    uint32_t n_matches;     /* samples that agree */
    double estimated;       /* the Jaccard similarity that they suggest */
    double jaccard;         /* of the sets of chunks, exact */
    uint64_t shared_len;    /* bytes of the question that the file has too */
    size_t n_shared_chunks; /* of the question, repeated ones too */
};

struct og_similar_options {
    size_t n_candidates; /* whose chunks are compared */
    size_t n_wanted;     /* of those that share something, at most */
    size_t without;      /* a file that does not count, or SIZE_MAX */
};
#define OG_SIMILAR_OPTIONS_DEFAULT                                             \
    {                                                                          \
        .n_candidates = 64, .n_wanted = 5, .without = SIZE_MAX                 \
    }

/* Room for what a question needs; keeps its memory between questions. */
struct og_similar_answer {
    const og_allocator *allocator;
    struct og_similar_match *matches;
    size_t n, matches_cap;
    uint8_t *counts; /* of every file */
    size_t counts_cap;
    uint64_t *sorted; /* two sets of keys */
    size_t sorted_cap;
};
void og_similar_answer_init(struct og_similar_answer *answer,
                            const og_allocator *allocator);
void og_similar_answer_release(struct og_similar_answer *answer);

/* Best first: more shared bytes, then more matches, then the smaller number.
 * Files that share no chunk are no answer. */
og_status og_similar_ask(const struct og_similar *index,
                         const struct og_file_chunks *chunks,
                         const struct og_similar_options *options,
                         struct og_similar_answer *answer, og_error *err);

/* The share of distinct keys that both have among those that either has.
 * `room` has place for n_a + n_b keys. Two empty sets have 0. */
double og_keys_jaccard(const uint64_t *a, size_t n_a, const uint64_t *b,
                       size_t n_b, uint64_t *room);

/* ---- on disk: docs/format-similar.md ---- */

/* OG_ERR_STORE when the file is not a sound index, with the reason. */
og_status og_similar_read(const char *path, const og_allocator *allocator,
                          struct og_similar **out, og_error *err);

/* The same from bytes; `name` is in the messages. */
og_status og_similar_decode(const uint8_t *data, size_t len, const char *name,
                            const og_allocator *allocator,
                            struct og_similar **out, og_error *err);

/* Whole or not at all. */
og_status og_similar_write(const struct og_similar *index, const char *path,
                           og_error *err);

#endif
