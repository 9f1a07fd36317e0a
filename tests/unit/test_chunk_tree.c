/* The tree over the chunks: it covers the file, its hashes are those that the
 * header defines, and a change of one chunk changes one path. */

#include "lib/chunk/chunk_tree.h"
#include "lib/chunk/sha256.h"
#include "tests/property/plain_cut.h"

/* SHA-256 of "abc", from the standard. */
static void sha256_is_the_standard_one(void **state)
{
    (void)state;
    static const uint8_t expected[OG_HASH_LEN] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
        0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
        0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    uint8_t hash[OG_HASH_LEN];
    og_bytes_hash("abc", 3, hash);
    assert_memory_equal(hash, expected, OG_HASH_LEN);
}

/* Chunks of 100 bytes whose hashes are drawn by lot. */
static void make_tree(struct og_chunk_tree *tree, size_t n)
{
    uint64_t random = 4;
    og_error err;
    og_chunk_tree_init(tree, NULL);
    assert_true(OG_GROW(NULL, tree->chunks, tree->chunks_cap, n));
    tree->n_chunks = n;
    for (size_t i = 0; i < n; i++) {
        tree->chunks[i] = (og_chunk){.offset = 100 * i, .len = 100};
        for (size_t j = 0; j < OG_HASH_LEN; j++)
            tree->chunks[i].hash[j] = (uint8_t)og_random_next(&random);
    }
    assert_int_equal(og_chunk_tree_build(tree, &err), OG_OK);
}

static size_t n_below(const struct og_chunk_tree *tree, unsigned level)
{
    return level == 0 ? tree->n_chunks : tree->levels[level - 1].n;
}

static const uint8_t *hash_below(const struct og_chunk_tree *tree,
                                 unsigned level, size_t i)
{
    return level == 0 ? tree->chunks[i].hash
                      : tree->levels[level - 1].nodes[i].hash;
}

static void check_node_hash(const struct og_chunk_tree *tree, unsigned level,
                            const og_chunk_node *node)
{
    uint8_t text[12 + OG_TREE_MAX_CHILDREN * OG_HASH_LEN] = "origo node\n";
    uint8_t hash[OG_HASH_LEN];
    text[11] = (uint8_t)(level + 1);
    for (size_t i = 0; i < node->n_children; i++)
        memcpy(text + 12 + i * OG_HASH_LEN,
               hash_below(tree, level, node->first_child + i), OG_HASH_LEN);
    og_bytes_hash(text, 12 + (size_t)node->n_children * OG_HASH_LEN, hash);
    assert_memory_equal(hash, node->hash, OG_HASH_LEN);
}

/* The rule, from the header: the rightmost minimum of children 8 .. 32. */
static void check_run(const struct og_chunk_tree *tree, unsigned level,
                      const og_chunk_node *node)
{
    const size_t first = node->first_child, n = n_below(tree, level);
    if (n - first < OG_TREE_MAX_CHILDREN) {
        assert_int_equal(node->n_children, n - first);
        return;
    }
    size_t best = OG_TREE_MIN_CHILDREN;
    for (size_t i = best; i <= OG_TREE_MAX_CHILDREN; i++)
        if (og_load64(hash_below(tree, level, first + i - 1)) <=
            og_load64(hash_below(tree, level, first + best - 1)))
            best = i;
    assert_int_equal(node->n_children, best);
}

static void check_level(const struct og_chunk_tree *tree, unsigned level)
{
    uint64_t offset = 0;
    size_t child = 0;
    for (size_t i = 0; i < tree->levels[level].n; i++) {
        const og_chunk_node *node = &tree->levels[level].nodes[i];
        assert_int_equal(node->offset, offset);
        assert_int_equal(node->first_child, child);
        check_run(tree, level, node);
        check_node_hash(tree, level, node);
        offset += node->len;
        child += node->n_children;
    }
    assert_int_equal(offset, tree->file_len);
    assert_int_equal(child, n_below(tree, level));
}

static void check_root(const struct og_chunk_tree *tree)
{
    uint8_t text[20 + OG_TREE_TOP * OG_HASH_LEN] = "origo root\n";
    uint8_t hash[OG_HASH_LEN];
    const size_t n = n_below(tree, tree->n_levels);
    assert_true(n <= OG_TREE_TOP);
    for (int i = 0; i < 8; i++)
        text[11 + i] = (uint8_t)(tree->file_len >> 8 * i);
    text[19] = (uint8_t)tree->n_levels;
    for (size_t i = 0; i < n; i++)
        memcpy(text + 20 + i * OG_HASH_LEN, hash_below(tree, tree->n_levels, i),
               OG_HASH_LEN);
    og_bytes_hash(text, 20 + n * OG_HASH_LEN, hash);
    assert_memory_equal(hash, tree->root, OG_HASH_LEN);
}

static void the_tree_is_as_the_header_tells(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 31, 32, 33, 64, 65, 1000, 50000};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct og_chunk_tree tree;
        make_tree(&tree, sizes[i]);
        assert_int_equal(tree.file_len, 100 * sizes[i]);
        assert_int_equal(tree.n_levels == 0, sizes[i] <= OG_TREE_TOP);
        for (unsigned level = 0; level < tree.n_levels; level++)
            check_level(&tree, level);
        check_root(&tree);
        og_chunk_tree_release(&tree);
    }
}

static void runs_have_21_children_on_average(void **state)
{
    (void)state;
    struct og_chunk_tree tree;
    make_tree(&tree, 200000);
    const double mean = 200000.0 / (double)tree.levels[0].n;
    assert_true(mean > 20.5 && mean < 22);
    og_chunk_tree_release(&tree);
}

static void one_chunk_changes_one_path(void **state)
{
    (void)state;
    struct og_chunk_tree old, new;
    og_error err;
    make_tree(&old, 50000);
    make_tree(&new, 50000);
    assert_memory_equal(old.root, new.root, OG_HASH_LEN);
    new.chunks[25000].hash[31] ^= 1; /* not part of its value */
    assert_int_equal(og_chunk_tree_build(&new, &err), OG_OK);
    assert_memory_not_equal(old.root, new.root, OG_HASH_LEN);
    size_t n_changed = 0;
    assert_int_equal(old.levels[0].n, new.levels[0].n);
    for (size_t i = 0; i < old.levels[0].n; i++)
        n_changed += memcmp(old.levels[0].nodes[i].hash,
                            new.levels[0].nodes[i].hash, OG_HASH_LEN) != 0;
    assert_int_equal(n_changed, 1);
    og_chunk_tree_release(&old);
    og_chunk_tree_release(&new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_is_the_standard_one),
        cmocka_unit_test(the_tree_is_as_the_header_tells),
        cmocka_unit_test(runs_have_21_children_on_average),
        cmocka_unit_test(one_chunk_changes_one_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
