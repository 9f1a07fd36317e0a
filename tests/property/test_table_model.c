/* The table against a plain model over random operations: both layouts, all
 * bucket sizes, all policies, all CPU levels.
 *
 * The model keeps arrays of structs and follows section 2.2 of the paper word
 * for word. Where the paper leaves the choice open (R always; CC and LS among
 * equals) or where it is tuned (thin, learn), the model checks which
 * fingerprint the table evicted, whether it was allowed to, and evicts the
 * same. */

#include "tests/sanitized.h"
#include "tests/unit/table_support.h"

#define MAX_SLOTS   256
#define N_BUCKETS   2
#define CC_FULL     10
#define LUCKY_LIMIT 11

struct entry {
    uint64_t id; /* the bits of the mixed fingerprint that a slot keeps */
    uint32_t doc;
    uint16_t offset, near;
    unsigned score; /* CC, LS: the score; S3: sightings */
};

/* In the order of the slots. For LRU that is the queue, for S3-FIFO the small
 * queue and then the main queue, the oldest first. */
struct model_bucket {
    struct entry entry[MAX_SLOTS];
    uint32_t n;
    uint32_t n_small;
    /* Ghosts that left, by number; one that came back is taken out. */
    uint32_t ghost[MAX_SLOTS / 2];
    bool ghost_there[MAX_SLOTS / 2];
    uint32_t n_left;
};

struct model {
    struct og_table table;
    struct model_bucket bucket[N_BUCKETS];
    uint64_t n_evicted;
};

static uint64_t id_mask(const struct og_table *t)
{
    return t->options.layout == OG_LAYOUT_PAPER ? ((uint64_t)1 << 48) - 1
                                                : ((uint64_t)1 << 24) - 1;
}

/* A tag of 0 would mark an empty slot: 0 becomes 1. */
static uint64_t id_of(const struct og_table *t, uint64_t fp)
{
    const uint64_t id = og_mix64(fp) & id_mask(t);
    return (id & 0xff) == 0 ? id | 1 : id;
}

static bool is_tuned(og_evict_kind evict)
{
    return evict == OG_EVICT_THIN || evict == OG_EVICT_LEARN;
}

static uint32_t find_id(const struct model_bucket *b, uint64_t id)
{
    uint32_t i = 0;
    while (i < b->n && b->entry[i].id != id)
        i++;
    return i;
}

static void remove_at(struct model_bucket *b, uint32_t at)
{
    memmove(&b->entry[at], &b->entry[at + 1],
            (b->n - at - 1) * sizeof(b->entry[0]));
    b->n--;
}

static void insert_at(struct model_bucket *b, uint32_t at, struct entry e)
{
    memmove(&b->entry[at + 1], &b->entry[at],
            (b->n - at) * sizeof(b->entry[0]));
    b->entry[at] = e;
    b->n++;
}

/* ---- the table's own bucket ---- */

static struct entry entry_of_slot(const struct og_table *t, uint8_t *bucket,
                                  uint32_t slot)
{
    const uint8_t *p = og_bucket_payload(t, bucket, slot);
    const struct og_table_fields *f = &t->options.fields;
    struct entry e = {.id = og_own_rest(t, p) << 8 | bucket[slot]};
    e.doc = og_own_doc(t, p) - 1;
    e.offset = (uint16_t)og_get_bytes(p + t->offset_off, f->offset_len);
    e.near = (uint16_t)og_get_bytes(p + t->near_off, f->near_len);
    if (og_evict_state_len(t->options.evict) > 0)
        e.score = og_bucket_state(t, bucket)[slot];
    return e;
}

static void check_bucket(const struct model *m, uint64_t number)
{
    const struct og_table *t = &m->table;
    const struct model_bucket *b = &m->bucket[number];
    uint8_t *bucket = og_bucket_at(t, number);
    assert_int_equal(og_bucket_used(t, bucket), b->n);
    for (uint32_t i = 0; i < b->n; i++) {
        const struct entry e = entry_of_slot(t, bucket, i);
        assert_true(e.id == b->entry[i].id);
        assert_int_equal(e.doc, b->entry[i].doc);
        assert_int_equal(e.offset, b->entry[i].offset);
        assert_int_equal(e.near, b->entry[i].near);
        if (!is_tuned(t->options.evict))
            assert_int_equal(e.score, b->entry[i].score);
    }
}

/* ---- policies ---- */

static unsigned saturated(unsigned score)
{
    return score > 255 ? 255 : score;
}

static void halve(struct model_bucket *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        b->entry[i].score /= 2;
}

/* "When the counters for 10 shingles in a bucket reach 255" */
static void halve_when_ten_are_full(struct model_bucket *b)
{
    uint32_t n_full = 0;
    for (uint32_t i = 0; i < b->n; i++)
        n_full += b->entry[i].score == 255;
    if (n_full >= CC_FULL) halve(b);
}

/* Rule (e): "the average lucky score of all shingles in a bucket". */
static void halve_when_average_is_high(struct model_bucket *b)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < b->n; i++)
        sum += b->entry[i].score;
    if ((double)sum / b->n >= LUCKY_LIMIT) halve(b);
}

static void seen_again(struct model *m, struct model_bucket *b, uint32_t i,
                       uint8_t weight)
{
    const struct og_table_options *o = &m->table.options;
    struct entry *e = &b->entry[i];
    switch (o->evict) {
    case OG_EVICT_RANDOM:
    case OG_EVICT_THIN:
    case OG_EVICT_LEARN: break;
    case OG_EVICT_LRU: { /* "it is placed at the end of the queue" */
        const struct entry moved = *e;
        remove_at(b, i);
        insert_at(b, b->n, moved);
        break;
    }
    case OG_EVICT_COPY_COUNT:
        e->score = saturated(e->score + 1);
        halve_when_ten_are_full(b);
        break;
    case OG_EVICT_LUCKY:
        e->score = saturated(e->score + weight);
        halve_when_average_is_high(b);
        break;
    case OG_EVICT_S3FIFO:
        if (e->score < 3) e->score++;
        break;
    }
}

/* The slot whose fingerprint the table exchanged. */
static uint32_t given_up(const struct model *m, uint64_t number, uint64_t id)
{
    const struct model_bucket *b = &m->bucket[number];
    uint8_t *bucket = og_bucket_at(&m->table, number);
    for (uint32_t i = 0; i < b->n; i++)
        if (entry_of_slot(&m->table, bucket, i).id == id) return i;
    fail_msg("the table does not hold the new print");
    return 0;
}

static void check_has_smallest_score(const struct model_bucket *b, uint32_t at)
{
    for (uint32_t i = 0; i < b->n; i++)
        assert_true(b->entry[at].score <= b->entry[i].score);
}

static void insert_in_place(struct model *m, uint64_t number, struct entry e)
{
    struct model_bucket *b = &m->bucket[number];
    const struct og_table_options *o = &m->table.options;
    if (b->n < o->bucket_slots) {
        insert_at(b, b->n, e);
    } else {
        const uint32_t at = given_up(m, number, e.id);
        if (o->evict == OG_EVICT_COPY_COUNT || o->evict == OG_EVICT_LUCKY)
            check_has_smallest_score(b, at);
        b->entry[at] = e;
    }
    if (o->evict == OG_EVICT_LUCKY) halve_when_average_is_high(b);
}

static void insert_lru(struct model_bucket *b, uint32_t slots, struct entry e)
{
    if (b->n == slots) remove_at(b, 0);
    insert_at(b, b->n, e);
}

/* ---- S3-FIFO: two queues and the ghosts ---- */

static uint32_t ghost_of(uint64_t id)
{
    return (id & 0xffff) == 0 ? 1 : (uint32_t)(id & 0xffff);
}

static bool take_ghost(struct model_bucket *b, uint32_t n_ghosts, uint64_t id)
{
    for (uint32_t i = 0; i < n_ghosts; i++)
        if (b->ghost_there[i] && b->ghost[i] == ghost_of(id)) {
            b->ghost_there[i] = false;
            return true;
        }
    return false;
}

static void leave_ghost(struct model_bucket *b, uint32_t n_ghosts, uint64_t id)
{
    const uint32_t place = b->n_left++ % n_ghosts;
    b->ghost[place] = ghost_of(id);
    b->ghost_there[place] = true;
}

/* The oldest of the small queue: out, or on to the main queue. */
static bool small_gives_up(struct model_bucket *b, uint32_t n_ghosts)
{
    struct entry oldest = b->entry[0];
    remove_at(b, 0);
    b->n_small--;
    if (oldest.score == 0) {
        leave_ghost(b, n_ghosts, oldest.id);
        return true;
    }
    oldest.score = 0;
    insert_at(b, b->n, oldest);
    return false;
}

/* The oldest of the main queue: out, or one more round for a sighting. */
static bool main_gives_up(struct model_bucket *b)
{
    struct entry oldest = b->entry[b->n_small];
    remove_at(b, b->n_small);
    if (oldest.score == 0) return true;
    oldest.score--;
    insert_at(b, b->n, oldest);
    return false;
}

static void insert_s3fifo(struct model_bucket *b, uint32_t slots,
                          struct entry e)
{
    const uint32_t n_ghosts = slots / 2;
    const uint32_t small_share = slots >= 20 ? slots / 10 : 1;
    bool to_main = take_ghost(b, n_ghosts, e.id);
    bool has_room = b->n < slots;
    while (!has_room)
        has_room = b->n_small >= small_share ? small_gives_up(b, n_ghosts)
                                             : main_gives_up(b);
    if (b->n_small == 255) to_main = true; /* as far as a byte counts */
    if (to_main)
        insert_at(b, b->n, e);
    else
        insert_at(b, b->n_small++, e);
}

/* ---- operations ---- */

static unsigned first_score(og_evict_kind evict, uint8_t weight)
{
    if (evict == OG_EVICT_COPY_COUNT) return 1;
    return evict == OG_EVICT_LUCKY ? weight : 0;
}

/* To be called when the table has taken the fingerprint in. */
static void model_add(struct model *m, uint64_t fp, struct entry e,
                      uint8_t weight)
{
    const struct og_table_options *o = &m->table.options;
    const uint64_t number = og_bucket_of(&m->table, og_mix64(fp));
    struct model_bucket *b = &m->bucket[number];
    const uint32_t at = find_id(b, e.id);
    if (at < b->n) {
        e.score = b->entry[at].score;
        if (e.doc < b->entry[at].doc) b->entry[at] = e;
        seen_again(m, b, at, weight);
    } else {
        m->n_evicted += b->n == o->bucket_slots;
        e.score = first_score(o->evict, weight);
        if (o->evict == OG_EVICT_LRU)
            insert_lru(b, o->bucket_slots, e);
        else if (o->evict == OG_EVICT_S3FIFO)
            insert_s3fifo(b, o->bucket_slots, e);
        else
            insert_in_place(m, number, e);
    }
    check_bucket(m, number);
}

/* A few fingerprints are frequent, most are not; documents come in any order.
 */
static void add_one(struct model *m, uint32_t n_fps, uint64_t *seed)
{
    const struct og_table_fields *f = &m->table.options.fields;
    const uint64_t fp =
        lot_below(seed, lot_below(seed, 3) ? n_fps : n_fps / 8 + 1);
    const uint8_t weight =
        (uint8_t)lot_below(seed, lot_below(seed, 9) ? 5 : 60);
    struct entry e = {.id = id_of(&m->table, fp)};
    e.doc = lot_below(seed, 1000000);
    e.offset = (uint16_t)og_random_next(seed);
    e.near = (uint16_t)og_random_next(seed);
    table_add(&m->table, e.doc, fp, e.offset, e.near, weight);
    e.offset &= (uint16_t)((1u << 8 * f->offset_len) - 1);
    e.near &= (uint16_t)((1u << 8 * f->near_len) - 1);
    model_add(m, fp, e, weight);
}

static void check_look_ups(const struct model *m, uint32_t n_fps)
{
    enum { AT_ONCE = 50 };
    const struct og_table *t = &m->table;
    for (uint64_t first = 0; first < n_fps; first += AT_ONCE) {
        uint64_t fp[AT_ONCE];
        struct og_hit many[AT_ONCE], shared[AT_ONCE];
        for (uint64_t i = 0; i < AT_ONCE; i++)
            fp[i] = first + i;
        og_table_find_many(t, fp, AT_ONCE, many);
        og_table_find_shared(t, fp, AT_ONCE, shared);
        for (uint64_t i = 0; i < AT_ONCE; i++) {
            const uint64_t mixed = og_mix64(fp[i]);
            const struct model_bucket *b = &m->bucket[og_bucket_of(t, mixed)];
            const uint32_t at = find_id(b, id_of(t, fp[i]));
            assert_int_equal(many[i].doc,
                             at < b->n ? b->entry[at].doc : OG_NO_DOC);
            assert_int_equal(many[i].doc, shared[i].doc);
            assert_int_equal(many[i].offset, shared[i].offset);
            assert_int_equal(many[i].near, shared[i].near);
        }
    }
}

static void check_table(struct og_table_options options, uint64_t seed)
{
    static struct model m;
    memset(&m, 0, sizeof(m));
    table_of(&m.table, options, N_BUCKETS);
    const uint32_t n_fps = 5 * options.bucket_slots;
    const uint32_t n_rounds =
        400 + OG_IF_SANITIZED(6, 20) * options.bucket_slots;
    for (uint32_t i = 0; i < n_rounds; i++)
        add_one(&m, n_fps, &seed);
    check_look_ups(&m, n_fps);
    check_used_first(&m.table);
    assert_int_equal(m.table.n_evicted, m.n_evicted);
    assert_int_equal(m.table.n_added, n_rounds);
    assert_true(m.table.pages.len <= m.table.options.memory);
    og_table_release(&m.table);
}

static void check_policy(og_evict_kind evict)
{
    static const struct og_table_fields fields[] = {
        {0, 0}, {1, 0}, {0, 2}, {1, 2}, {2, 2}};
    uint64_t seed = (uint64_t)evict * 1000;
    FOR_EACH_LEVEL(level)
    for (int layout = 0; layout < 2; layout++)
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
            check_table(
                (struct og_table_options){.layout = (og_layout_kind)layout,
                                          .evict = evict,
                                          .fields = fields[seed % 5],
                                          .bucket_slots = every_bucket_size[b]},
                seed);
            seed++;
        }
    og_cpu_force(OG_CPU_AVX512);
}

static void random_eviction(void **state)
{
    (void)state;
    check_policy(OG_EVICT_RANDOM);
}

static void least_recently_used(void **state)
{
    (void)state;
    check_policy(OG_EVICT_LRU);
}

static void copy_count(void **state)
{
    (void)state;
    check_policy(OG_EVICT_COPY_COUNT);
}

static void lucky(void **state)
{
    (void)state;
    check_policy(OG_EVICT_LUCKY);
}

static void s3fifo(void **state)
{
    (void)state;
    check_policy(OG_EVICT_S3FIFO);
}

static void thin(void **state)
{
    (void)state;
    check_policy(OG_EVICT_THIN);
}

static void learn(void **state)
{
    (void)state;
    check_policy(OG_EVICT_LEARN);
}

/* Few fingerprints, seen over and over: counters fill up and are halved. */
static void copy_counters_that_fill_up(void **state)
{
    (void)state;
    static struct model m;
    uint64_t seed = 5;
    for (uint32_t slots = 16; slots <= 64; slots *= 2) {
        memset(&m, 0, sizeof(m));
        table_of(&m.table,
                 (struct og_table_options){.evict = OG_EVICT_COPY_COUNT,
                                           .bucket_slots = slots},
                 N_BUCKETS);
        for (uint32_t i = 0; i < 20000; i++)
            add_one(&m, 40, &seed);
        og_table_release(&m.table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_eviction),
        cmocka_unit_test(least_recently_used),
        cmocka_unit_test(copy_count),
        cmocka_unit_test(lucky),
        cmocka_unit_test(s3fifo),
        cmocka_unit_test(thin),
        cmocka_unit_test(learn),
        cmocka_unit_test(copy_counters_that_fill_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
