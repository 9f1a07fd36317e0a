/* Learn: origo's own eviction, and the default.
 *
 * Which fingerprint will be seen again soon? In one stream those of the last
 * days (people answer mail), in another those that were copied before
 * (boilerplate in standards). Instead of taking a side, this policy counts. The
 * state byte of a slot is its class: how often the fingerprint was seen again
 * (3 bits) and how long ago it was last seen (5 bits, on a scale of half
 * octaves). For each of the 256 classes the table counts how much time its
 * slots spent in it and how many of them were seen again then; the quotient is
 * the rate at which a slot of that class earns its place. The slot with the
 * lowest rate is evicted; among equals a random one.
 *
 * Fingerprints of one passage are worth less together than apart: one or two of
 * them find the copy, and the estimation fills the gaps. So a rate is divided
 * by a random number that belongs to the fingerprint, its tag (externally: its
 * rank): as in thin.c, a passage that is not seen again loses its fingerprints
 * one by one, those of high rank first. For fingerprints that were seen again,
 * usually with their whole passage, it is the square root of that number; both
 * have the same mean. The estimation (lib/estimate/context.c) allows for this:
 * a missing fingerprint of high rank means little.
 *
 * This is the idea of LHD (Beckmann, Chen, Cidon: least hit density, NSDI 2018)
 * reduced to one byte per slot and one small table. Compared with R, LRU, CC,
 * LS, S3-FIFO and thin in docs/evaluation.md.
 *
 * Time is measured per bucket: a tick is TICK_FPS fingerprints added to it
 * while it is full. At a tick one random number is drawn, and all slots up to
 * an age advance to the next class, the older the less often: the probability
 * halves with every octave, so that 32 classes span any age without a clock in
 * the slot. A bucket that has just become full takes the ages from the order in
 * which it was filled. All numbers are integers and the random numbers come
 * from the table's generator: the same run gives the same table. */

#include <string.h>

#include "lib/base/packing.h"
#include "lib/os/cpu.h"
#include "lib/table/bucket.h"
#include "lib/table/byte_vectors.h"

#define N_CLASSES 256
#define N_AGES    32
#define N_SEEN    8
#define AGE_ONE   N_SEEN /* class = age * N_SEEN + seen */
/* Finer ticks cost time and win nothing; coarser ones lose quality from 16. */
#define TICK_FPS 4
/* Examining all slots of a bucket takes a while: only one tick in this many
 * does, and counts for all. */
#define TICKS_PER_COUNT 4
/* The mean of level_of_tag. */
#define MEAN_ROOT 26
/* How often rates become levels: after this many additions, at the end of a
 * document. Ticks do not count for this, because they are known only after the
 * additions, and additions between two lessons are made by several threads. */
#define FPS_PER_LESSON 8192
/* When this much slot time has been counted, old counts lose half their weight,
 * so that the policy follows a stream that changes. */
#define TIME_LIMIT 1000000

struct og_learning {
    uint64_t n_ticks;
    uint64_t time[N_CLASSES]; /* slots found in the class, at all ticks */
    uint64_t seen[N_CLASSES]; /* slots of the class that were seen again */
    /* How little a class is worth, in steps of 1/8 octave. */
    uint8_t level[N_CLASSES];
    /* Slots of this age advance if the random number, of 16 bits, is below.
     * Never increases with age; 0 for the last. */
    uint32_t move_on[N_AGES];
    /* Half the logarithm of a tag, in steps of 1/8 octave: that of the square
     * root. */
    uint8_t level_of_tag[256];
};

static unsigned age_of(unsigned class)
{
    return class / N_SEEN;
}

static unsigned seen_of(unsigned class)
{
    return class % N_SEEN;
}

/* 2^(n/2) in 16.16 fixed point. */
static uint64_t half_octaves(unsigned n)
{
    const uint64_t sqrt2 = 92682;
    return (n % 2 != 0 ? sqrt2 : 65536) << n / 2;
}

/* Age classes 0 to 4 last one tick each, then each lasts sqrt(2) times as long
 * as the one before; the last has no end. */
static void set_pace(struct og_learning *learning)
{
    enum { EVEN_AGES = 4 };
    for (unsigned age = 0; age < N_AGES; age++)
        learning->move_on[age] =
            age <= EVEN_AGES ? 65536
                             : (uint32_t)(((uint64_t)65536 << 16) /
                                          half_octaves(age - EVEN_AGES));
    learning->move_on[N_AGES - 1] = 0;
}

/* 8 log2(x) of a number in 16.16 fixed point, rounded down; x > 0. The part
 * after the point is a straight line between octaves. */
static int log2_times_8(uint64_t x)
{
    const int octave = 63 - __builtin_clzll(x);
    const uint64_t rest = octave >= 3 ? x >> (octave - 3) : x << (3 - octave);
    return 8 * (octave - 16) + (int)(rest & 7);
}

static void set_levels_of_tags(struct og_learning *learning)
{
    for (unsigned tag = 1; tag < 256; tag++)
        learning->level_of_tag[tag] =
            (uint8_t)(log2_times_8((uint64_t)tag << 16) / 2);
}

/* The rate of a class, in 16.16 fixed point times 2^16. Counts of the ages on
 * either side weigh half. A class with little data falls back to the rate of
 * its row (seen equally often, any age), falling with age. */
static uint64_t rate_of(const struct og_learning *learning, unsigned class,
                        uint64_t row_seen, uint64_t row_time)
{
    enum { LEAN = 20 };
    const unsigned age = age_of(class);
    uint64_t seen = 2 * learning->seen[class];
    uint64_t time = 2 * learning->time[class];
    if (age > 0) {
        seen += learning->seen[class - AGE_ONE];
        time += learning->time[class - AGE_ONE];
    }
    if (age + 1 < N_AGES) {
        seen += learning->seen[class + AGE_ONE];
        time += learning->time[class + AGE_ONE];
    }
    const uint64_t row_rate = ((row_seen + 1) << 32) / (row_time + 100);
    const uint64_t fall = 65536 + half_octaves(age) / 8;
    const uint64_t expected = (row_rate << 16) / fall;
    return ((seen << 32) + 2 * LEAN * expected) / (time + 2 * LEAN);
}

static void learn_row(struct og_learning *learning, unsigned seen)
{
    uint64_t row_seen = 0;
    uint64_t row_time = 0;
    for (unsigned class = seen; class < N_CLASSES; class += AGE_ONE) {
        row_seen += learning->seen[class];
        row_time += learning->time[class];
    }
    for (unsigned class = seen; class < N_CLASSES; class += AGE_ONE) {
        const uint64_t rate = rate_of(learning, class, row_seen, row_time);
        /* A rate of 2^2 a tick is level 0, of 2^-29 and below level 255. */
        const int level = 8 * 18 - log2_times_8(rate | 1);
        learning->level[class] = (uint8_t)(level < 0     ? 0
                                           : level > 255 ? 255
                                                         : level);
    }
}

static void learn(struct og_learning *learning)
{
    uint64_t time = 0;
    for (unsigned seen = 0; seen < N_SEEN; seen++)
        learn_row(learning, seen);
    for (unsigned class = 0; class < N_CLASSES; class ++)
        time += learning->time[class];
    if (time < TIME_LIMIT) return;
    for (unsigned class = 0; class < N_CLASSES; class ++) {
        learning->time[class] /= 2;
        learning->seen[class] /= 2;
    }
}

og_status og_learning_new(const og_allocator *allocator,
                          struct og_learning **out, og_error *err)
{
    *out = og_allocate_zero(allocator, sizeof(**out));
    if (*out == NULL)
        return og_error_memory(err, sizeof(**out), "an eviction policy");
    og_learning_clear(*out);
    return OG_OK;
}

void og_learning_clear(struct og_learning *learning)
{
    memset(learning, 0, sizeof(*learning));
    set_pace(learning);
    set_levels_of_tags(learning);
    learn(learning);
}

size_t og_learning_len(void)
{
    return sizeof(struct og_learning);
}

void og_learning_free(struct og_learning *learning,
                      const og_allocator *allocator)
{
    og_release(allocator, learning, sizeof(*learning));
}

void og_learning_pack(const struct og_learning *learning, struct og_pack *out)
{
    og_pack_fixed(out, learning->n_ticks, 8);
    for (unsigned class = 0; class < N_CLASSES; class ++) {
        og_pack_fixed(out, learning->time[class], 8);
        og_pack_fixed(out, learning->seen[class], 8);
        og_pack_fixed(out, learning->level[class], 1);
    }
}

void og_learning_unpack(struct og_learning *learning, struct og_unpacker *from)
{
    /* No run counts as far, and sums of larger ones could overflow. */
    const uint64_t most_time = (uint64_t)1 << 48;
    learning->n_ticks = og_take_fixed(from, 8);
    for (unsigned class = 0; class < N_CLASSES; class ++) {
        learning->time[class] = og_take_fixed(from, 8);
        if (learning->time[class] > most_time) from->bad = true;
        learning->seen[class] = og_take_fixed(from, 8);
        learning->level[class] = (uint8_t)og_take_fixed(from, 1);
    }
}

/* How many ages advance. */
static unsigned ages_that_move(const struct og_learning *learning, uint32_t lot)
{
    unsigned age = 0;
    while (lot < learning->move_on[age])
        age++;
    return age;
}

static void grow_older(uint8_t *state, uint32_t n, unsigned n_ages)
{
    const unsigned end = n_ages * AGE_ONE;
    for (uint32_t i = 0; i < n; i++)
        og_put8(state + i, state[i] < end ? state[i] + AGE_ONE : state[i]);
}

/* Only a bucket without ticks has no slot that has aged: all age at the first
 * tick. Its slots are in order of arrival. */
static bool is_first_tick(const uint8_t *state, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (state[i] >= AGE_ONE) return false;
    return true;
}

static void set_ages_by_order(const struct og_learning *learning,
                              uint8_t *state, uint32_t n)
{
    unsigned age = 0;
    uint64_t end = 0; /* of this age, in fingerprints, 16.16 */
    for (uint32_t i = n; i-- > 0;) {
        while (end < (uint64_t)(n - 1 - i) << 16 && age + 1 < N_AGES)
            end += ((uint64_t)TICK_FPS << 32) / learning->move_on[age++];
        og_put8(state + i, (uint8_t)(age * AGE_ONE + state[i]));
    }
}

static void count_time(struct og_learning *learning, const uint8_t *state,
                       uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        learning->time[state[i]] += TICKS_PER_COUNT;
}

void og_learning_tick(struct og_learning *learning, uint8_t *state, uint32_t n,
                      uint64_t *random)
{
    const uint64_t lots = og_random_next(random);
    if (lots % TICK_FPS != 0) return;
    if (is_first_tick(state, n)) set_ages_by_order(learning, state, n);
    if (lots / TICK_FPS % TICKS_PER_COUNT == 0) count_time(learning, state, n);
    grow_older(state, n, ages_that_move(learning, lots >> 16 & 0xffff));
    learning->n_ticks++;
}

uint64_t og_learning_next(uint64_t n_added)
{
    return (n_added / FPS_PER_LESSON + 1) * FPS_PER_LESSON;
}

void og_learning_lesson(struct og_learning *learning)
{
    if (learning->n_ticks > 0) learn(learning);
}

void og_learning_part(struct og_learning *part, const struct og_learning *whole)
{
    *part = *whole;
    part->n_ticks = 0;
    memset(part->time, 0, sizeof(part->time));
    memset(part->seen, 0, sizeof(part->seen));
}

void og_learning_join(struct og_learning *whole, const struct og_learning *part)
{
    whole->n_ticks += part->n_ticks;
    for (unsigned class = 0; class < N_CLASSES; class ++) {
        whole->time[class] += part->time[class];
        whole->seen[class] += part->seen[class];
    }
}

uint8_t og_learning_renewed(struct og_learning *learning, uint8_t state)
{
    const unsigned seen = seen_of(state);
    learning->seen[state]++;
    return (uint8_t)(seen + 1 < N_SEEN ? seen + 1 : seen);
}

static unsigned level_of(const struct og_learning *learning, uint8_t tag,
                         uint8_t state)
{
    const unsigned root = learning->level_of_tag[tag];
    const unsigned level = learning->level[state] + root +
                           (seen_of(state) == 0 ? root : MEAN_ROOT);
    return level < 255 ? level : 255;
}

static uint32_t worst_plain(const struct og_learning *learning,
                            const uint8_t *tag, const uint8_t *state,
                            uint32_t n, uint32_t start)
{
    uint32_t worst = start;
    unsigned largest = level_of(learning, tag[start], state[start]);
    for (uint32_t step = 1; step < n; step++) {
        const uint32_t i = start + step < n ? start + step : start + step - n;
        const unsigned here = level_of(learning, tag[i], state[i]);
        if (here <= largest) continue;
        largest = here;
        worst = i;
    }
    return worst;
}

#if defined(OG_X86)
/* The first of the worst from `start` on, wrapping around. */
OG_TARGET_AVX512 static uint32_t worst_of_64(const struct og_learning *learning,
                                             const uint8_t *tag,
                                             const uint8_t *state,
                                             uint32_t start)
{
    const __m512i states = _mm512_loadu_si512(state);
    const __m512i root =
        og_bytes_look_up(learning->level_of_tag, _mm512_loadu_si512(tag));
    const __mmask64 seen =
        _mm512_test_epi8_mask(states, _mm512_set1_epi8(N_SEEN - 1));
    const __m512i spread = _mm512_adds_epu8(
        root, _mm512_mask_blend_epi8(seen, root, _mm512_set1_epi8(MEAN_ROOT)));
    const __m512i levels =
        _mm512_adds_epu8(og_bytes_look_up(learning->level, states), spread);
    const uint8_t largest = og_bytes_largest(levels);
    const uint64_t equal =
        _mm512_cmpeq_epi8_mask(levels, _mm512_set1_epi8((char)largest));
    const uint64_t turned =
        start == 0 ? equal : equal >> start | equal << (64 - start);
    return (start + (uint32_t)__builtin_ctzll(turned)) % 64;
}
#endif

uint32_t og_learning_worst(const struct og_learning *learning,
                           const uint8_t *tag, const uint8_t *state, uint32_t n,
                           uint64_t *random)
{
    const uint32_t start = (uint32_t)og_mul_high(og_random_next(random), n);
#if defined(OG_X86)
    if (n == 64 && og_cpu_level() >= OG_CPU_AVX512)
        return worst_of_64(learning, tag, state, start);
#endif
    return worst_plain(learning, tag, state, n, start);
}
