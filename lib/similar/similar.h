#ifndef OG_SIMILAR_SIMILAR_H
#define OG_SIMILAR_SIMILAR_H

/*   in:  the chunks of a file                       (lib/chunk/file_chunks.h)
 *   out: the known files that share content with it, best first
 *
 * There is an inverted index per sample, from its value to the files that have
 * it (section 6.2). A query counts in how many indexes each file shares its
 * value, takes the files with the most matches as candidates, and compares
 * their chunks with its own: the matches are an estimate, the chunks are exact.
 * Only the chunks of the candidates are read, so the part that must be in
 * memory for a query is the sketches. */

#include "lib/chunk/file_chunks.h"
#include "lib/similar/file_sketch.h"

#include <origo/files.h>

struct og_similar; /* the index */

og_status og_similar_new(const struct og_file_sketch_options *traits,
                         const og_cut_options *chunking,
                         const og_allocator *allocator, struct og_similar **out,
                         og_error *err);
void og_similar_free(struct og_similar *index); /* NULL is fine */

/* A known file. Pointers go into the index and are valid until something is
 * added or it is freed. */
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

/* A name that is already known gets the new chunks in place of the old ones.
 * Nothing is added if memory runs out. */
og_status og_similar_add(struct og_similar *index, const char *name,
                         const struct og_file_chunks *chunks, og_error *err);

/* The number of the file with this name, or SIZE_MAX. */
size_t og_similar_find(const struct og_similar *index, const char *name);

struct og_similar_match {
    size_t file;
    uint32_t n_matches;     /* samples that agree */
    double estimated;       /* the Jaccard similarity estimated from them */
    double jaccard;         /* of the sets of chunks, exact */
    uint64_t shared_len;    /* bytes of the query that the file also has */
    size_t n_shared_chunks; /* of the query, including repeated ones */
};

struct og_similar_options {
    size_t n_candidates; /* whose chunks are compared */
    size_t n_wanted;     /* the most matches to return */
    size_t without;      /* a file to ignore, or SIZE_MAX */
};
#define OG_SIMILAR_OPTIONS_DEFAULT                                             \
    {                                                                          \
        .n_candidates = 64, .n_wanted = 5, .without = SIZE_MAX                 \
    }

/* Working memory of queries, kept between them. */
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
 * Files that share no chunk are not returned. */
og_status og_similar_ask(const struct og_similar *index,
                         const struct og_file_chunks *chunks,
                         const struct og_similar_options *options,
                         struct og_similar_answer *answer, og_error *err);

/* The share of distinct keys that both have among those that either has. `room`
 * has space for n_a + n_b keys. 0 for two empty sets. */
double og_keys_jaccard(const uint64_t *a, size_t n_a, const uint64_t *b,
                       size_t n_b, uint64_t *room);

/* ---- on disk: docs/format-similar.md ---- */

/* OG_ERR_STORE if the file is not a valid index, with the reason. */
og_status og_similar_read(const char *path, const og_allocator *allocator,
                          struct og_similar **out, og_error *err);

/* The same from bytes; `name` is for messages. */
og_status og_similar_decode(const uint8_t *data, size_t len, const char *name,
                            const og_allocator *allocator,
                            struct og_similar **out, og_error *err);

/* All or nothing. */
og_status og_similar_write(const struct og_similar *index, const char *path,
                           og_error *err);

#endif
