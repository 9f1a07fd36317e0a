#ifndef PLAIN_CUT_H
#define PLAIN_CUT_H

/* The rules of lib/chunk/cut.h word for word, slow and plain; and data of all
 * sorts to try them on. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/chunk/cut.h"
#include "lib/chunk/gear.h"
#include "lib/fingerprint/rabin.h"
#include "lib/os/cpu.h"

#ifndef LENGTH
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* ---- data ---- */

enum data_kind {
    DATA_RANDOM,
    DATA_ZERO,
    DATA_PERIODIC,   /* 7 bytes again and again */
    DATA_LONG_CYCLE, /* 1,000 bytes again and again */
    DATA_TWO_BYTES,  /* random, of two values */
    DATA_SPARSE,     /* zeros with a byte now and then */
    DATA_MIXED,      /* stretches of the others */
    N_DATA_KINDS
};

static inline void plain_fill(uint8_t *data, size_t len, enum data_kind kind,
                              uint64_t seed)
{
    uint64_t random = seed * 1000003 + kind;
    if (kind == DATA_MIXED) {
        for (size_t i = 0; i < len;) {
            size_t n = og_random_next(&random) % 20000 + 1;
            if (n > len - i) n = len - i;
            plain_fill(data + i, n,
                       (enum data_kind)(og_random_next(&random) % DATA_MIXED),
                       og_random_next(&random));
            i += n;
        }
        return;
    }
    for (size_t i = 0; i < len; i++) {
        const uint64_t r = og_random_next(&random);
        switch (kind) {
        case DATA_RANDOM: data[i] = (uint8_t)r; break;
        case DATA_TWO_BYTES: data[i] = r % 2 ? 'a' : 'b'; break;
        case DATA_SPARSE:
            data[i] = r % 500 == 0 ? (uint8_t)(r >> 32) : 0;
            break;
        case DATA_PERIODIC: data[i] = i < 7 ? (uint8_t)r : data[i - 7]; break;
        case DATA_LONG_CYCLE:
            data[i] = i < 1000 ? (uint8_t)r : data[i - 1000];
            break;
        default: data[i] = 0; break;
        }
    }
}

/* ---- hashes of a place, from scratch ---- */

static inline uint64_t plain_fp(const uint8_t *data, size_t place)
{
    const struct og_rabin *rabin = og_rabin_default();
    return og_rabin_extend_plain(rabin, rabin->empty, data + place - 32, 32);
}

static inline uint32_t plain_gear(const uint8_t *data, size_t place)
{
    uint32_t hash = 0;
    for (unsigned j = 0; j < 32; j++)
        hash += og_gear_table[data[place - 1 - j]] << j;
    return hash;
}

/* ---- the rules ---- */

struct plain_hashes {
    uint64_t *fp; /* by place */
    uint32_t *gear;
};

static inline struct plain_hashes plain_hashes_of(const uint8_t *data,
                                                  size_t len)
{
    struct plain_hashes h = {calloc(len + 1, sizeof(*h.fp)),
                             calloc(len + 1, sizeof(*h.gear))};
    assert_true(h.fp != NULL && h.gear != NULL);
    for (size_t place = 32; place <= len; place++) {
        h.fp[place] = plain_fp(data, place);
        h.gear[place] = plain_gear(data, place);
    }
    return h;
}

static inline void plain_hashes_free(struct plain_hashes *h)
{
    free(h->fp);
    free(h->gear);
}

/* Whether place a comes before place b in the order of a winnowing kind. */
static inline bool plain_is_less(const struct plain_hashes *h, og_cut_kind kind,
                                 size_t a, size_t b)
{
    if (kind == OG_CUT_WINNOW_FAST && h->gear[a] >> 24 != h->gear[b] >> 24)
        return h->gear[a] >> 24 < h->gear[b] >> 24;
    return h->fp[a] < h->fp[b];
}

static inline size_t plain_end_winnow(const struct plain_hashes *h, size_t len,
                                      const og_cut_options *o, size_t begin)
{
    const size_t reach = og_cut_reach(o);
    if (len - begin < reach) return len;
    size_t end = begin + o->min_len;
    for (size_t place = end + 1; place <= begin + reach; place++)
        if (!plain_is_less(h, o->kind, end, place)) end = place;
    return end;
}

static inline size_t plain_end_gear(const struct plain_hashes *h, size_t len,
                                    const og_cut_options *o, size_t begin)
{
    const struct og_gear_rule rule = og_gear_rule_of(o);
    for (size_t n = o->min_len; begin + n <= len; n++) {
        const uint32_t below = n < rule.normal_len ? rule.strict : rule.relaxed;
        if (n == o->max_len || h->gear[begin + n] < below) return begin + n;
    }
    return len;
}

static inline size_t plain_end(const struct plain_hashes *h, size_t len,
                               const og_cut_options *o, size_t begin)
{
    return o->kind == OG_CUT_GEAR ? plain_end_gear(h, len, o, begin)
                                  : plain_end_winnow(h, len, o, begin);
}

static inline void plain_check(const struct plain_hashes *h, size_t len,
                               const og_cut_options *o, const uint64_t *ends,
                               size_t n)
{
    size_t begin = 0, i = 0;
    while (begin < len) {
        const size_t end = plain_end(h, len, o, begin);
        assert_true(i < n);
        assert_int_equal(ends[i], end);
        begin = end;
        i++;
    }
    assert_int_equal(i, n);
}

#endif
