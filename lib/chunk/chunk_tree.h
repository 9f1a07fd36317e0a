#ifndef OG_CHUNK_CHUNK_TREE_H
#define OG_CHUNK_CHUNK_TREE_H

/*   in:  the bytes of a file, its cuts                      (lib/chunk/cut.h)
 *   out: the hash of every chunk, of runs of chunks, of the whole file
 *                                   (similar files, deltas, the exchange)
 *
 * The sequence of the chunks' hashes is cut again, by winnowing over the hashes
 * themselves: each run of them is a node of the lowest level, whose hash is
 * that of the run; and so on, until a level has no more than OG_TREE_TOP nodes.
 * The root is the hash of that level. Two files that differ in one place differ
 * in one path of the tree, and the exchange of send/receive walks down that
 * path.
 *
 *     level 2   [ . . . . . . ]                  n_levels == 2: nodes above
 *     level 1   [. . . .] [. . . . . .] ...      the chunks
 *     chunks    ........  ............
 *
 * Hashes: a chunk's is the plain SHA-256 of its bytes (sha256sum prints the
 * same). A node's is SHA-256 of "origo node\n", its level (1 byte), and the
 * hashes of its children. The root's is SHA-256 of "origo root\n", the length
 * of the file (8 bytes, low first), the number of levels (1 byte) and the
 * hashes of the top level. So no chunk can be mistaken for a node. */

#include "lib/chunk/cut.h"

#include <origo/files.h>

/* og_chunk {offset, len, hash[OG_HASH_LEN]} and og_chunk_node {offset, len,
 * first_child, n_children, hash} are public: origo/files.h. */

/* Runs of hashes are cut by the winnow rule with these in place of bytes, and
 * the first 8 bytes of each hash, low first, in place of fingerprints: 8 to 32
 * children, 21 on average (the derivation is that of og_cut_reach()). A change
 * of one chunk then sends about 21 hashes per level. b hashes per level cost b
 * / ln b per file: 2.7 would be best for the bytes, more saves round trips. */
#define OG_TREE_MIN_CHILDREN 8
#define OG_TREE_MAX_CHILDREN 32
/* A level with no more nodes than this is the top one. */
#define OG_TREE_TOP 32
/* A file has less than 2^59 chunks (of 32 bytes), and each level has at most
 * an eighth, rounded up, of the one below: 20 would do. */
#define OG_TREE_MAX_LEVELS 20

struct og_chunk_level {
    og_chunk_node *nodes; /* in order, together they cover the file */
    size_t n, cap;
};

/* The typedef og_chunk_tree is public. */
struct og_chunk_tree {
    const og_allocator *allocator;
    og_cut_options options;
    uint64_t file_len;
    og_chunk *chunks; /* in order, together they cover the file */
    size_t n_chunks, chunks_cap;
    /* levels[0] is built on the chunks, levels[i] on levels[i - 1]. */
    struct og_chunk_level levels[OG_TREE_MAX_LEVELS];
    unsigned n_levels;
    uint8_t root[OG_HASH_LEN];
};

void og_chunk_tree_init(struct og_chunk_tree *tree,
                        const og_allocator *allocator);
void og_chunk_tree_release(struct og_chunk_tree *tree);

/* Each replaces the content of `tree`. n_threads 0: one per core; the result
 * does not depend on it. A failure leaves the tree empty. */
og_status og_chunks_of_memory(const void *data, size_t len,
                              const og_cut_options *options, unsigned n_threads,
                              struct og_chunk_tree *tree, og_error *err);
/* `name` is for messages. A regular file is read from offset 0 (the offset of
 * fd does not change), anything else from its current position to the end. A
 * file that shrinks meanwhile is OG_ERR_INPUT; of one that grows, the original
 * length is read. */
og_status og_chunks_of_fd(int fd, const char *name,
                          const og_cut_options *options, unsigned n_threads,
                          struct og_chunk_tree *tree, og_error *err);
/* "-" is stdin. */
og_status og_chunks_of_file(const char *path, const og_cut_options *options,
                            unsigned n_threads, struct og_chunk_tree *tree,
                            og_error *err);

/* Builds levels, file_len and root from the chunks in tree->chunks (which may
 * have come over a pipe). */
og_status og_chunk_tree_build(struct og_chunk_tree *tree, og_error *err);

/* The node hash of `n` hashes, `stride` bytes apart. */
void og_node_hash(unsigned level, const void *hashes, size_t n, size_t stride,
                  uint8_t out[OG_HASH_LEN]);

/* SHA-256 of bytes. */
void og_bytes_hash(const void *data, size_t len, uint8_t out[OG_HASH_LEN]);

#endif
