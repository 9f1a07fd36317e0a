/* The tree over the chunks of a file: runs of hashes, cut by their values.
 *
 * A hash is random already, so its first 8 bytes are its value; no fingerprints
 * of windows of hashes are needed. The rule is winnow's: a run that begins at b
 * ends after the rightmost minimum among the children b + 7 .. b + 31, so it
 * has 8 to 32 of them. A changed chunk moves cuts only in its own
 * neighbourhood, on every level. */

#include "lib/chunk/chunk_tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/chunk/sha256.h"

void og_chunk_tree_init(struct og_chunk_tree *tree,
                        const og_allocator *allocator)
{
    memset(tree, 0, sizeof(*tree));
    tree->allocator = allocator;
}

static void drop_levels(struct og_chunk_tree *tree)
{
    for (unsigned i = 0; i < OG_TREE_MAX_LEVELS; i++) {
        struct og_chunk_level *level = &tree->levels[i];
        OG_UNGROW(tree->allocator, level->nodes, level->cap);
        level->n = 0;
    }
    tree->n_levels = 0;
}

void og_chunk_tree_release(struct og_chunk_tree *tree)
{
    drop_levels(tree);
    OG_UNGROW(tree->allocator, tree->chunks, tree->chunks_cap);
    og_chunk_tree_init(tree, tree->allocator);
}

/* ---- hashes ---- */

static void add_hashes(struct og_sha256 *strong, const void *hashes, size_t n,
                       size_t stride)
{
    const uint8_t *hash = hashes;
    for (size_t i = 0; i < n; i++)
        og_sha256_add(strong, hash + i * stride, OG_HASH_LEN);
}

void og_node_hash(unsigned level, const void *hashes, size_t n, size_t stride,
                  uint8_t out[OG_HASH_LEN])
{
    static const char tag[] = "origo node\n";
    const uint8_t level_byte = (uint8_t)level;
    struct og_sha256 strong;
    og_sha256_init(&strong);
    og_sha256_add(&strong, tag, sizeof(tag) - 1);
    og_sha256_add(&strong, &level_byte, 1);
    add_hashes(&strong, hashes, n, stride);
    og_sha256_end(&strong, out);
}

/* ---- one level ---- */

/* What the next level is built from: chunks, or nodes. */
struct children {
    const uint8_t *hash; /* of the first one */
    size_t stride;
    size_t n;
};

static struct children children_of(const struct og_chunk_tree *tree,
                                   unsigned n_levels)
{
    if (n_levels == 0)
        return (struct children){tree->n_chunks > 0 ? tree->chunks[0].hash
                                                    : NULL,
                                 sizeof(*tree->chunks), tree->n_chunks};
    const struct og_chunk_level *top = &tree->levels[n_levels - 1];
    return (struct children){top->nodes[0].hash, sizeof(*top->nodes), top->n};
}

/* The number of children of the run that begins at `begin`. */
static size_t run_len(const struct children *children, size_t begin)
{
    const size_t left = children->n - begin;
    size_t end = 0;
    uint64_t min = 0;
    if (left < OG_TREE_MAX_CHILDREN) return left;
    for (size_t i = OG_TREE_MIN_CHILDREN; i <= OG_TREE_MAX_CHILDREN; i++) {
        const uint64_t value =
            og_load64(children->hash + (begin + i - 1) * children->stride);
        if (end != 0 && value > min) continue;
        min = value;
        end = i;
    }
    return end;
}

static void child_range(const struct og_chunk_tree *tree, unsigned level,
                        size_t i, uint64_t *out_begin, uint64_t *out_end)
{
    if (level == 0) {
        *out_begin = tree->chunks[i].offset;
        *out_end = *out_begin + tree->chunks[i].len;
    } else {
        const og_chunk_node *node = &tree->levels[level - 1].nodes[i];
        *out_begin = node->offset;
        *out_end = *out_begin + node->len;
    }
}

static og_chunk_node make_node(const struct og_chunk_tree *tree, unsigned level,
                               const struct children *children, size_t first,
                               size_t n)
{
    og_chunk_node node = {.first_child = first, .n_children = (uint32_t)n};
    uint64_t end, ignored;
    child_range(tree, level, first, &node.offset, &end);
    child_range(tree, level, first + n - 1, &ignored, &end);
    node.len = end - node.offset;
    og_node_hash(level + 1, children->hash + first * children->stride, n,
                 children->stride, node.hash);
    return node;
}

static og_status build_level(struct og_chunk_tree *tree, og_error *err)
{
    const unsigned level = tree->n_levels;
    const struct children children = children_of(tree, level);
    struct og_chunk_level *out = &tree->levels[level];
    for (size_t first = 0; first < children.n;) {
        const size_t n = run_len(&children, first);
        if (!OG_GROW(tree->allocator, out->nodes, out->cap, out->n + 1))
            return og_error_memory(err, (out->n + 1) * sizeof(*out->nodes),
                                   "a tree of chunks");
        out->nodes[out->n++] = make_node(tree, level, &children, first, n);
        first += n;
    }
    tree->n_levels++;
    return OG_OK;
}

/* ---- the tree ---- */

static void make_root(struct og_chunk_tree *tree)
{
    static const char tag[] = "origo root\n";
    const struct children top = children_of(tree, tree->n_levels);
    const uint8_t n_levels = (uint8_t)tree->n_levels;
    struct og_sha256 strong;
    og_sha256_init(&strong);
    og_sha256_add(&strong, tag, sizeof(tag) - 1);
    og_sha256_add_u64(&strong, tree->file_len);
    og_sha256_add(&strong, &n_levels, 1);
    add_hashes(&strong, top.hash, top.n, top.stride);
    og_sha256_end(&strong, tree->root);
}

og_status og_chunk_tree_build(struct og_chunk_tree *tree, og_error *err)
{
    drop_levels(tree);
    tree->file_len = 0;
    if (tree->n_chunks > 0) {
        const og_chunk *last = &tree->chunks[tree->n_chunks - 1];
        tree->file_len = last->offset + last->len;
    }
    while (children_of(tree, tree->n_levels).n > OG_TREE_TOP) {
        const og_status status = build_level(tree, err);
        if (status == OG_OK) continue;
        og_chunk_tree_release(tree);
        return status;
    }
    make_root(tree);
    return OG_OK;
}

/* ---- the public form ---- */

og_status og_chunk_tree_read(const char *path, const og_cut_options *options,
                             unsigned n_threads, og_chunk_tree **out,
                             og_error *err)
{
    const og_cut_options standard = og_cut_options_default(OG_CUT_GEAR, 0);
    struct og_chunk_tree *tree = og_allocate(NULL, sizeof(*tree));
    *out = NULL;
    if (tree == NULL)
        return og_error_memory(err, sizeof(*tree), "a tree of chunks");
    og_chunk_tree_init(tree, NULL);
    const og_status status = og_chunks_of_file(
        path, options != NULL ? options : &standard, n_threads, tree, err);
    if (status == OG_OK)
        *out = tree;
    else
        og_chunk_tree_free(tree);
    return status;
}

void og_chunk_tree_free(og_chunk_tree *tree)
{
    if (tree == NULL) return;
    og_chunk_tree_release(tree);
    og_release(tree->allocator, tree, sizeof(*tree));
}

uint64_t og_chunk_tree_file_len(const og_chunk_tree *tree)
{
    return tree->file_len;
}

const og_chunk *og_chunk_tree_chunks(const og_chunk_tree *tree, size_t *out_n)
{
    *out_n = tree->n_chunks;
    return tree->chunks;
}

unsigned og_chunk_tree_n_levels(const og_chunk_tree *tree)
{
    return tree->n_levels;
}

const og_chunk_node *og_chunk_tree_level(const og_chunk_tree *tree,
                                         unsigned level, size_t *out_n)
{
    *out_n = level < tree->n_levels ? tree->levels[level].n : 0;
    return level < tree->n_levels ? tree->levels[level].nodes : NULL;
}

const uint8_t *og_chunk_tree_root(const og_chunk_tree *tree)
{
    return tree->root;
}
