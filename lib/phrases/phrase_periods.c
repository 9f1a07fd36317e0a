/* Days, months and years. */

#include "lib/phrases/phrase_periods.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"

void og_phrase_periods_init(struct og_phrase_periods *p, og_period kind,
                            size_t most)
{
    *p = (struct og_phrase_periods){.kind = kind, .most = most};
    og_hash_table_init(&p->by_begin, NULL);
}

void og_phrase_periods_release(struct og_phrase_periods *p)
{
    OG_UNGROW(NULL, p->begins, p->cap);
    og_hash_table_release(&p->by_begin);
}

/* The beginning of the period of a time: the day, month or year of its text
 * form. */
static int64_t begin_of(og_period kind, int64_t time)
{
    char form[40];
    size_t len = og_time_format(time, form);
    const char *t = memchr(form, 'T', len);
    if (t == NULL) return time;
    len = (size_t)(t - form);
    if (kind == OG_PERIOD_MONTH) len -= 3;
    if (kind == OG_PERIOD_YEAR) len -= 6;
    (void)og_time_parse((og_bytes){form, len}, &time);
    return time;
}

static og_status add_begin(struct og_phrase_periods *p, int64_t begin,
                           og_error *err)
{
    const uint64_t hash = og_mix64((uint64_t)begin);
    struct og_hash_slot *slot;
    if (!og_hash_table_reserve(&p->by_begin) ||
        !OG_GROW(NULL, p->begins, p->cap, p->n + 1))
        return og_error_memory(err, p->n * 8, "periods");
    OG_HASH_FIND(&p->by_begin, hash, slot)
    if (p->begins[slot->number - 1] == begin) return OG_OK;
    p->begins[p->n++] = begin;
    og_hash_table_put(&p->by_begin, slot, hash, p->n);
    return OG_OK;
}

/* Days become months, or months years. */
static og_status coarsen(struct og_phrase_periods *p, og_error *err)
{
    const size_t n = p->n;
    p->kind++;
    p->n = 0;
    og_hash_table_empty(&p->by_begin);
    for (size_t i = 0; i < n; i++) /* never ahead of the reading position */
        TRY(add_begin(p, begin_of(p->kind, p->begins[i]), err));
    return OG_OK;
}

og_status og_phrase_periods_add(struct og_phrase_periods *p, int64_t time,
                                og_error *err)
{
    if (p->kind == OG_PERIOD_PARTS) return OG_OK;
    TRY(add_begin(p, begin_of(p->kind, time), err));
    while (p->n > p->most && p->kind != OG_PERIOD_YEAR)
        TRY(coarsen(p, err));
    return OG_OK;
}

static int by_begin(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void og_phrase_periods_finish(struct og_phrase_periods *p)
{
    if (p->n > 1) qsort(p->begins, p->n, sizeof(*p->begins), by_begin);
    if (p->n > p->most) p->n = p->most;
}

size_t og_phrase_periods_find(const struct og_phrase_periods *p, int64_t time)
{
    size_t low = 0, high = p->n; /* the last one that began by then */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->begins[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}
