/* A table in partitions is the same table, and each of them is what it was
 * after it went through chunks. */

#include <malloc.h>

#include "tests/unit/table_support.h"

#include "lib/base/checksum.h"
#include "lib/partition/partition.h"
#include "lib/store/store.h"
#include "lib/table/table_state.h"

enum { N = 400, N_DOCUMENTS = 40, BITS = 3 };

static void test_defaults(void **state)
{
    (void)state;
    const og_params params = og_params_default();
    const og_partition_options o = og_partition_options_default();
    const struct og_table_options store = og_store_table_options(&params);
    const struct og_table_options own = og_partition_table_options(&o);
    assert_int_equal(own.layout, store.layout);
    assert_int_equal(own.evict, store.evict);
    assert_int_equal(own.bucket_slots, store.bucket_slots);
    assert_memory_equal(&own.fields, &store.fields, sizeof(own.fields));
}

/* ---- batches ---- */

struct batch {
    uint8_t data[64 + 32 * N];
    size_t len;
};

static void put(struct batch *b, uint64_t v, size_t len)
{
    for (size_t i = 0; i < len; i++)
        b->data[b->len++] = (uint8_t)(v >> 8 * i);
}

/* Those of the fingerprints that belong to the partition; all when n_bits is
 * 0. Offsets are their places in the document. */
static struct batch batch_of(uint32_t doc, const uint64_t *fps, uint32_t number,
                             unsigned n_bits)
{
    struct batch b = {.len = 0};
    uint32_t own[N], n = 0;
    for (uint32_t i = 0; i < N; i++)
        if (og_partition_of(fps[i], n_bits) == number) own[n++] = i;
    put(&b, doc, 4);
    put(&b, n, 4);
    put(&b, 0, 4);
    put(&b, 0, 4);
    for (uint32_t i = 0; i < n; i++)
        put(&b, fps[own[i]], 8);
    for (uint32_t i = 0; i < n; i++)
        put(&b, own[i], 2);
    for (uint32_t i = 0; i < n; i++)
        put(&b, doc + own[i], 2);
    return b;
}

static void draw_fps(uint64_t *fps, uint64_t *random)
{
    for (size_t i = 0; i < N; i++)
        fps[i] = og_mix64(og_random_next(random) % (N * N_DOCUMENTS / 3));
}

static void observe(og_partition *p, const struct batch *b)
{
    og_partition_bytes answer = {0};
    og_partition_counts counts;
    og_error err;
    assert_int_equal(
        og_partition_observe(p, (og_bytes){(const char *)b->data, b->len},
                             false, &answer, &counts, &err),
        OG_OK);
    assert_int_equal(answer.len, 8 * counts.n_fps);
    og_partition_bytes_release(&answer);
}

static og_partition *new_partition(og_partition_options o, uint64_t n_buckets)
{
    og_partition *p;
    const struct og_table_options table = og_partition_table_options(&o);
    o.memory = n_buckets * og_table_bucket_len(&table) + 8;
    assert_int_equal(og_partition_new(&o, &p, NULL), OG_OK);
    assert_int_equal(p->table.n_buckets, n_buckets);
    return p;
}

/* Partition after partition, their buckets are those of a table that was never
 * divided. */
static void test_whole_table(void **state)
{
    (void)state;
    const uint64_t n_buckets = 77;
    og_partition_options o = og_partition_options_default();
    og_partition *whole = new_partition(o, n_buckets << BITS);
    og_partition *parts[1 << BITS];
    o.n_bits = BITS;
    for (size_t i = 0; i < 1 << BITS; i++)
        parts[i] = new_partition(o, n_buckets);
    uint64_t random = 5, fps[N];
    for (uint32_t doc = 0; doc < N_DOCUMENTS; doc++) {
        draw_fps(fps, &random);
        const struct batch all = batch_of(doc, fps, 0, 0);
        observe(whole, &all);
        for (uint32_t i = 0; i < 1 << BITS; i++) {
            const struct batch some = batch_of(doc, fps, i, BITS);
            observe(parts[i], &some);
        }
    }
    assert_int_equal(whole->table.n_evicted, 0);
    for (size_t i = 0; i < 1 << BITS; i++) {
        const size_t len = n_buckets * whole->table.bucket_len;
        assert_memory_equal(parts[i]->table.base, whole->table.base + i * len,
                            len);
        og_partition_free(parts[i]);
    }
    og_partition_free(whole);
}

/* ---- chunks ---- */

static og_status load_all(const og_partition *from, og_partition **to,
                          void (*spoil)(og_partition_bytes *, size_t),
                          og_error *err)
{
    og_partition_bytes chunk = {0};
    og_status status = OG_OK;
    *to = NULL;
    for (size_t i = 0; i < og_partition_n_chunks(from) && status == OG_OK;
         i++) {
        assert_int_equal(og_partition_save_chunk(from, i, &chunk, err), OG_OK);
        if (spoil != NULL) spoil(&chunk, i);
        const og_bytes bytes = {chunk.data, chunk.len};
        if (i == 0) status = og_partition_new_for(bytes, to, err);
        if (status == OG_OK) status = og_partition_load_chunk(*to, bytes, err);
    }
    og_partition_bytes_release(&chunk);
    return status;
}

static void check_same(const og_partition *a, const og_partition *b)
{
    og_partition_bytes x = {0}, y = {0};
    assert_int_equal(og_partition_n_chunks(a), og_partition_n_chunks(b));
    for (size_t i = 0; i < og_partition_n_chunks(a); i++) {
        og_partition_save_chunk(a, i, &x, NULL);
        og_partition_save_chunk(b, i, &y, NULL);
        assert_int_equal(x.len, y.len);
        assert_memory_equal(x.data, y.data, x.len);
    }
    og_partition_bytes_release(&x);
    og_partition_bytes_release(&y);
}

static og_partition *full_partition(og_evict_kind evict, uint32_t slots)
{
    og_partition_options o = og_partition_options_default();
    o.evict = evict;
    o.bucket_slots = slots;
    og_partition *p = new_partition(o, 3000 / slots);
    uint64_t random = 9, fps[N];
    for (uint32_t doc = 0; doc < N_DOCUMENTS; doc++) {
        draw_fps(fps, &random);
        const struct batch b = batch_of(doc, fps, 0, 0);
        observe(p, &b);
    }
    assert_true(p->table.n_evicted > 0);
    return p;
}

static void check_cleared(og_partition *p)
{
    og_partition *fresh;
    og_table_clear(&p->table);
    assert_int_equal(og_partition_new(&p->options, &fresh, NULL), OG_OK);
    check_same(p, fresh);
    og_partition_free(fresh);
}

static void test_chunks_of_every_policy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(every_policy) / sizeof(*every_policy); i++)
        for (uint32_t slots = 4; slots <= 256; slots *= 4) {
            og_partition *p = full_partition(every_policy[i], slots), *copy;
            og_error err;
            assert_int_equal(load_all(p, &copy, NULL, &err), OG_OK);
            check_same(p, copy);
            uint64_t random = 77, fps[N];
            draw_fps(fps, &random);
            const struct batch b = batch_of(1000, fps, 0, 0);
            observe(p, &b);
            observe(copy, &b);
            check_same(p, copy);
            check_cleared(copy);
            og_partition_free(p);
            og_partition_free(copy);
        }
}

/* A partition that is there needs no memory but for its answers; what it could
 * not answer it has not observed. */
static void *scarce_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    long *n_left = ctx;
    (void)old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    return (*n_left)-- > 0 ? realloc(ptr, new_len) : NULL;
}

static void test_no_memory(void **state)
{
    (void)state;
    long n_left = 0;
    const og_allocator scarce = {&n_left, scarce_resize};
    og_partition_options o = og_partition_options_default();
    og_partition *p, *untouched;
    og_partition_bytes answer = {0};
    uint64_t random = 3, fps[N];
    o.memory = 100000;
    draw_fps(fps, &random);
    const struct batch b = batch_of(1, fps, 0, 0);
    const og_bytes bytes = {(const char *)b.data, b.len};
    og_allocator_set(&scarce);
    long n = 0;
    for (; n_left = n, og_partition_new(&o, &p, NULL) != OG_OK; n++)
        ;
    assert_true(n > 1);
    n_left = 10;
    assert_int_equal(og_partition_new(&o, &untouched, NULL), OG_OK);
    n_left = 0;
    assert_int_equal(og_partition_observe(p, bytes, true, &answer, NULL, NULL),
                     OG_ERR_MEMORY);
    assert_int_equal(og_partition_look_up(p, (og_bytes){bytes.data, 80},
                                          &answer, NULL, NULL),
                     OG_ERR_MEMORY);
    assert_int_equal(og_partition_save_chunk(p, 0, &answer, NULL),
                     OG_ERR_MEMORY);
    n_left = 100;
    check_same(p, untouched);
    observe(p, &b);
    og_partition_bytes_release(&answer);
    og_partition_free(p);
    og_partition_free(untouched);
    og_allocator_set(NULL);
}

/* Bytes with the right checksum may still not be a table. */
static void sign(og_partition_bytes *chunk)
{
    og_store64(chunk->data + chunk->len - 8,
               og_checksum(chunk->data, chunk->len - 8));
}

static size_t spoiled_byte;

static void spoil_bucket(og_partition_bytes *chunk, size_t number)
{
    if (number == 0) return;
    chunk->data[16 + spoiled_byte] = 0;
    sign(chunk);
}

static void spoil_count(og_partition_bytes *chunk, size_t number)
{
    enum { N_USED_OFF = 16 + 8 + 1 + 1 + 4 + 1 + 1 + 1 + 8 };
    if (number > 0) return;
    chunk->data[N_USED_OFF]++;
    sign(chunk);
}

/* Nothing of the refused chunk is there, and the right one is taken. */
static void check_last_chunk_again(const og_partition *from, og_partition *to)
{
    og_partition_bytes chunk = {0};
    const size_t last = og_partition_n_chunks(from) - 1;
    const struct og_table *t = &to->table;
    for (size_t i = to->n_loaded; i < og_table_len(t); i++)
        assert_int_equal(t->base[i], 0);
    assert_int_equal(og_partition_save_chunk(from, last, &chunk, NULL), OG_OK);
    const og_bytes bytes = {chunk.data, chunk.len};
    assert_int_equal(og_partition_load_chunk(to, bytes, NULL), OG_OK);
    check_same(from, to);
    og_partition_bytes_release(&chunk);
}

static void test_spoiled(void **state)
{
    (void)state;
    og_partition *p = full_partition(OG_EVICT_S3FIFO, 16), *copy;
    og_error err;
    spoiled_byte = 3; /* a tag before others */
    assert_int_equal(load_all(p, &copy, spoil_bucket, &err), OG_ERR_STORE);
    assert_string_equal(err.message,
                        "the chunks are no table: bucket 0 of 187");
    assert_true(og_partition_get_info(copy).is_loading);
    assert_int_equal(og_partition_n_chunks(copy), 1);
    check_last_chunk_again(p, copy);
    og_partition_free(copy);
    assert_int_equal(load_all(p, &copy, spoil_count, &err), OG_ERR_STORE);
    og_partition_free(copy);
    og_partition_free(p);
}

static void test_validity(void **state)
{
    (void)state;
    uint64_t bucket;
    og_partition *p = full_partition(OG_EVICT_S3FIFO, 16);
    struct og_table *t = &p->table;
    assert_true(og_table_is_valid(t, &bucket));
    const size_t bad[] = {0, t->state_off + 1, t->ring_off, t->ring_off + 1};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        uint8_t *byte = og_bucket_at(t, 7) + bad[i];
        const uint8_t before = *byte;
        *byte = i == 0 ? 0 : 200;
        assert_false(og_table_is_valid(t, &bucket));
        assert_int_equal(bucket, 7);
        *byte = before;
    }
    t->n_used--;
    assert_false(og_table_is_valid(t, &bucket));
    assert_int_equal(bucket, t->n_buckets);
    og_partition_free(p);
}

/* ---- blocks that move ---- */

struct moving {
    size_t n, n_stay; /* of the next ones so many stay where they are */
};

static void *move_block(void *ctx, void *block)
{
    struct moving *m = ctx;
    const size_t len = malloc_usable_size(block);
    if (m->n_stay > 0) {
        m->n_stay--;
        return NULL;
    }
    void *moved = malloc(len);
    assert_non_null(moved);
    memcpy(moved, block, len);
    memset(block, 0xdd, len); /* who still looks there finds nothing */
    free(block);
    m->n++;
    return moved;
}

/* Wherever its blocks are, it is the same partition. */
static void check_moves(og_evict_kind evict, size_t n_stay)
{
    const size_t n_blocks = evict == OG_EVICT_LEARN ? 3 : 2;
    og_partition *p = full_partition(evict, 16);
    og_partition *still = full_partition(evict, 16);
    struct moving m = {.n_stay = n_stay};
    uint64_t random = 77, fps[N];
    p = og_partition_move(p, move_block, &m);
    assert_int_equal(m.n, n_stay < n_blocks ? n_blocks - n_stay : 0);
    draw_fps(fps, &random);
    const struct batch b = batch_of(1000, fps, 0, 0);
    observe(p, &b);
    observe(still, &b);
    check_same(p, still);
    og_partition_free(p);
    og_partition_free(still);
}

static void test_moves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(every_policy) / sizeof(*every_policy); i++)
        for (size_t n_stay = 0; n_stay < 4; n_stay++)
            check_moves(every_policy[i], n_stay);
}

/* ---- keys ---- */

/* As the specification of clusters has it. */
static unsigned slot_of(const char *key)
{
    unsigned crc = 0;
    for (const char *c = strchr(key, '{') + 1; *c != '}'; c++)
        for (int bit = 7; bit >= 0; bit--) {
            const unsigned in = (unsigned)*c >> bit & 1;
            crc = (crc << 1 ^ ((crc >> 15 & 1) != in ? 0x1021 : 0)) & 0xffff;
        }
    return crc % 16384;
}

/* Examples of the specification, and the checksum of its appendix. */
static void test_key_slot(void **state)
{
    (void)state;
#define SLOT(text) og_partition_key_slot((og_bytes)OG_LITERAL(text))
    assert_int_equal(SLOT("123456789"), 0x31c3);
    assert_int_equal(SLOT("{user1000}.following"), SLOT("user1000"));
    assert_int_equal(SLOT("foo{{bar}}zap"), SLOT("{bar"));
    assert_int_equal(SLOT("foo{bar}{zap}"), SLOT("bar"));
    assert_int_not_equal(SLOT("foo{}{bar}"), SLOT("bar"));
    assert_int_not_equal(SLOT("foo{bar"), SLOT("bar"));
    assert_int_equal(SLOT("origo:{8209}:news:0"), og_partition_slot(0, 0));
#undef SLOT
}

static void test_key_spread(void **state)
{
    (void)state;
    char key[OG_PARTITION_KEY_LEN];
    const og_bytes name = OG_LITERAL("news");
    for (unsigned bits = 0; bits <= 15; bits++)
        for (uint32_t i = 0; i < 1u << bits; i++) {
            assert_int_equal(og_partition_key(name, i, bits, key, NULL), OG_OK);
            const unsigned expected =
                (unsigned)((2ull * i + 1) * 16384 / (2ull << bits));
            assert_int_equal(slot_of(key), expected);
        }
    /* These are the names of keys in clusters: they must not change. */
    og_partition_key(name, 0, 0, key, NULL);
    assert_string_equal(key, "origo:{8209}:news:0");
    og_partition_key(name, 5, 4, key, NULL);
    assert_string_equal(key, "origo:{11199}:news:5");
    const og_bytes bad[] = {OG_LITERAL(""), OG_LITERAL("a{b"), OG_LITERAL("a}"),
                            OG_LITERAL("a\n")};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(og_partition_key(bad[i], 0, 0, key, NULL),
                         OG_ERR_USAGE);
    assert_int_equal(og_partition_key(name, 16, 4, key, NULL), OG_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_whole_table),
        cmocka_unit_test(test_chunks_of_every_policy),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_spoiled),
        cmocka_unit_test(test_validity),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_key_slot),
        cmocka_unit_test(test_key_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
