/* Times and order.
 *
 * Readers follow a number they found in the table. The writer wrote the mark
 * before it put the number there, and the locks of the table's stripes preserve
 * that order, so a mark needs no lock as long as it is never moved. Hence
 * levels that double in size, instead of one array that is copied when it
 * grows.
 *
 * A reader must also know the position of its query in the order. It takes the
 * latest time and the number of documents that were *published*, that is, are
 * completely in the table. A document that is just being added comes after that
 * position, so its fingerprints are skipped, and the answer is that of the
 * moment before; unless it is an older document that takes over origins, in
 * which case it comes before the query and is the better answer. */

#include "lib/store/catalogue/catalogue.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

#include "lib/table/table.h"

void og_catalogue_init(struct og_catalogue *catalogue,
                       const struct og_mark *base, uint32_t n_base,
                       int64_t latest, const og_allocator *allocator)
{
    *catalogue = (struct og_catalogue){.allocator = allocator,
                                       .base = base,
                                       .n_base = n_base,
                                       .n_published = n_base,
                                       .latest_published = latest,
                                       .n = n_base,
                                       .latest = latest};
}

static size_t level_len(unsigned level)
{
    return ((size_t)OG_CATALOGUE_FIRST << level) * sizeof(struct og_mark);
}

#define PAGE_LEN    (OG_CATALOGUE_PAGE * sizeof(struct og_mark))
#define FOLDERS_LEN (OG_CATALOGUE_FOLDERS * sizeof(struct og_mark_folder *))

static void release_folder(const og_allocator *a, struct og_mark_folder *folder)
{
    if (folder == NULL) return;
    for (size_t i = 0; i < OG_CATALOGUE_PAGES; i++)
        og_release(a, atomic_load(&folder->pages[i]), PAGE_LEN);
    og_release(a, folder, sizeof(*folder));
}

static void release_folders(struct og_catalogue *catalogue)
{
    const og_allocator *a = catalogue->allocator;
    if (catalogue->folders == NULL) return;
    for (size_t i = 0; i < OG_CATALOGUE_FOLDERS; i++)
        release_folder(a, atomic_load(&catalogue->folders[i]));
    og_release(a, (void *)catalogue->folders, FOLDERS_LEN);
    catalogue->folders = NULL;
}

void og_catalogue_release(struct og_catalogue *catalogue)
{
    const og_allocator *a = catalogue->allocator;
    release_folders(catalogue);
    for (unsigned i = 0; i < OG_CATALOGUE_LEVELS; i++)
        og_release(a, atomic_load(&catalogue->levels[i]), level_len(i));
    og_catalogue_init(catalogue, NULL, 0, INT64_MIN, a);
}

/* ---- marks ---- */

struct seat {
    unsigned level;
    size_t index;
};

/* Numbers after the base: the first FIRST are on level 0, the next 2 * FIRST on
 * level 1. */
static struct seat seat_of(const struct og_catalogue *catalogue,
                           uint32_t number)
{
    const uint64_t shifted =
        (uint64_t)(number - catalogue->n_base) + OG_CATALOGUE_FIRST;
    const unsigned level = (unsigned)(63 - __builtin_clzll(shifted)) -
                           (unsigned)__builtin_ctz(OG_CATALOGUE_FIRST);
    return (struct seat){level,
                         shifted - ((uint64_t)OG_CATALOGUE_FIRST << level)};
}

/* ---- marks from servers ---- */

og_status og_catalogue_share(struct og_catalogue *catalogue, og_error *err)
{
    catalogue->folders = (struct og_mark_folder * _Atomic *)og_allocate_zero(
        catalogue->allocator, FOLDERS_LEN);
    if (catalogue->folders == NULL)
        return og_error_memory(err, FOLDERS_LEN, "the catalogue");
    atomic_store(&catalogue->n_published, OG_NO_DOC - 1);
    atomic_store(&catalogue->latest_published, INT64_MAX);
    return OG_OK;
}

static uint32_t flags_of(const struct og_mark *mark)
{
    return __atomic_load_n(&mark->flags, __ATOMIC_ACQUIRE);
}

static struct og_mark_folder *_Atomic *
folder_place(const struct og_catalogue *catalogue, uint32_t number)
{
    return &catalogue
                ->folders[number / (OG_CATALOGUE_PAGE * OG_CATALOGUE_PAGES)];
}

static struct og_mark *_Atomic *page_place(struct og_mark_folder *folder,
                                           uint32_t number)
{
    return &folder->pages[number / OG_CATALOGUE_PAGE % OG_CATALOGUE_PAGES];
}

/* NULL: no mark of this page was put. */
static struct og_mark *page_of(const struct og_catalogue *catalogue,
                               uint32_t number)
{
    struct og_mark_folder *folder = atomic_load_explicit(
        folder_place(catalogue, number), memory_order_acquire);
    return folder != NULL ? atomic_load_explicit(page_place(folder, number),
                                                 memory_order_acquire)
                          : NULL;
}

/* If several threads try, one of them makes it. NULL: no memory. */
static struct og_mark_folder *make_folder(struct og_catalogue *catalogue,
                                          uint32_t number)
{
    const og_allocator *a = catalogue->allocator;
    struct og_mark_folder *known = NULL;
    struct og_mark_folder *folder = og_allocate_zero(a, sizeof(*folder));
    if (folder == NULL) return NULL;
    if (atomic_compare_exchange_strong(folder_place(catalogue, number), &known,
                                       folder))
        return folder;
    og_release(a, folder, sizeof(*folder));
    return known;
}

static struct og_mark *make_page(struct og_catalogue *catalogue,
                                 uint32_t number)
{
    const og_allocator *a = catalogue->allocator;
    struct og_mark *known = NULL;
    struct og_mark_folder *folder =
        atomic_load(folder_place(catalogue, number));
    if (folder == NULL) folder = make_folder(catalogue, number);
    if (folder == NULL) return NULL;
    struct og_mark *page = og_allocate_zero(a, PAGE_LEN);
    if (page == NULL) return NULL;
    if (atomic_compare_exchange_strong(page_place(folder, number), &known,
                                       page))
        return page;
    og_release(a, page, PAGE_LEN);
    return known;
}

/* A mark is complete before its flags are set. All threads put the same mark,
 * so it does not matter whose bytes they are, but only one thread may write
 * them: the one that sets this bit first. */
enum { MARK_IS_BEING_PUT = 8 };

og_status og_catalogue_put(struct og_catalogue *catalogue, uint32_t number,
                           const struct og_mark *mark, og_error *err)
{
    struct og_mark *page = page_of(catalogue, number);
    if (page == NULL) page = make_page(catalogue, number);
    if (page == NULL) return og_error_memory(err, PAGE_LEN, "the catalogue");
    struct og_mark *to = &page[number % OG_CATALOGUE_PAGE];
    const uint32_t before =
        __atomic_fetch_or(&to->flags, MARK_IS_BEING_PUT, __ATOMIC_ACQ_REL);
    if ((before & MARK_IS_BEING_PUT) != 0) {
        while ((flags_of(to) & OG_MARK_KNOWN) == 0)
            sched_yield();
        return OG_OK;
    }
    to->time = mark->time;
    to->same = mark->same;
    to->n_new = mark->n_new;
    __atomic_or_fetch(&to->flags, mark->flags | OG_MARK_KNOWN,
                      __ATOMIC_RELEASE);
    return OG_OK;
}

bool og_catalogue_knows(const struct og_catalogue *catalogue, uint32_t number)
{
    const struct og_mark *page = page_of(catalogue, number);
    return page != NULL &&
           (flags_of(&page[number % OG_CATALOGUE_PAGE]) & OG_MARK_KNOWN) != 0;
}

static const struct og_mark *get_shared(const struct og_catalogue *catalogue,
                                        uint32_t number)
{
    static const struct og_mark nobody = {.time = INT64_MAX,
                                          .flags = OG_MARK_REMOVED};
    return og_catalogue_knows(catalogue, number)
               ? &page_of(catalogue, number)[number % OG_CATALOGUE_PAGE]
               : &nobody;
}

const struct og_mark *og_catalogue_get(const struct og_catalogue *catalogue,
                                       uint32_t number)
{
    if (catalogue->folders != NULL) return get_shared(catalogue, number);
    if (number < catalogue->n_base) return catalogue->base + number;
    const struct seat seat = seat_of(catalogue, number);
    const struct og_mark *level = atomic_load_explicit(
        &catalogue->levels[seat.level], memory_order_acquire);
    assert(level != NULL);
    return level + seat.index;
}

bool og_catalogue_is_removed(const struct og_catalogue *catalogue,
                             uint32_t number)
{
    const struct og_mark *mark = og_catalogue_get(catalogue, number);
    return (__atomic_load_n(&mark->flags, __ATOMIC_RELAXED) &
            OG_MARK_REMOVED) != 0;
}

og_status og_catalogue_reserve(struct og_catalogue *catalogue, og_error *err)
{
    if (catalogue->n == OG_NO_DOC)
        return og_error_set(err, OG_ERR_LIMIT,
                            "the store is full: it has %u documents",
                            catalogue->n);
    const unsigned number = seat_of(catalogue, catalogue->n).level;
    if (atomic_load_explicit(&catalogue->levels[number],
                             memory_order_relaxed) != NULL)
        return OG_OK;
    struct og_mark *level =
        og_allocate(catalogue->allocator, level_len(number));
    if (level == NULL)
        return og_error_memory(err, level_len(number), "the catalogue");
    atomic_store_explicit(&catalogue->levels[number], level,
                          memory_order_release);
    return OG_OK;
}

/* The writer may change its marks, also those of a checkpoint, whose mapping is
 * private. */
static struct og_mark *own_mark(struct og_catalogue *catalogue, uint32_t number)
{
    return (struct og_mark *)og_catalogue_get(catalogue, number);
}

uint32_t og_catalogue_append(struct og_catalogue *catalogue,
                             const struct og_mark *mark)
{
    const uint32_t number = catalogue->n;
    *own_mark(catalogue, number) = *mark;
    if (mark->time > catalogue->latest) catalogue->latest = mark->time;
    catalogue->n++;
    return number;
}

void og_catalogue_set_new(struct og_catalogue *catalogue, uint32_t number,
                          uint32_t n_new)
{
    own_mark(catalogue, number)->n_new = n_new;
}

void og_catalogue_remove(struct og_catalogue *catalogue, uint32_t number)
{
    __atomic_or_fetch(&own_mark(catalogue, number)->flags, OG_MARK_REMOVED,
                      __ATOMIC_RELAXED);
}

/* ---- order ---- */

struct og_doc_place og_catalogue_place(const struct og_catalogue *catalogue,
                                       const og_document *doc)
{
    return (struct og_doc_place){doc->has_time ? doc->time : catalogue->latest,
                                 catalogue->n};
}

/* The time is read first and published first, so a document published between
 * the two reads is skipped completely. */
struct og_doc_place
og_catalogue_place_shared(const struct og_catalogue *catalogue,
                          const og_document *doc)
{
    const int64_t latest = atomic_load_explicit(&catalogue->latest_published,
                                                memory_order_acquire);
    const uint32_t n =
        atomic_load_explicit(&catalogue->n_published, memory_order_acquire);
    return (struct og_doc_place){doc->has_time ? doc->time : latest, n};
}

bool og_catalogue_is_last(const struct og_catalogue *catalogue,
                          struct og_doc_place place)
{
    return place.time >= catalogue->latest;
}

bool og_catalogue_is_before(const struct og_catalogue *catalogue,
                            uint32_t number, struct og_doc_place place)
{
    const int64_t time = og_catalogue_get(catalogue, number)->time;
    if (time != place.time) return time < place.time;
    return number < place.number;
}

bool og_catalogue_earlier(const void *catalogue, uint32_t a, uint32_t b)
{
    const struct og_doc_place place = {og_catalogue_get(catalogue, b)->time, b};
    return og_catalogue_is_removed(catalogue, b) ||
           og_catalogue_is_before(catalogue, a, place);
}

void og_catalogue_publish(struct og_catalogue *catalogue)
{
    atomic_store_explicit(&catalogue->latest_published, catalogue->latest,
                          memory_order_release);
    atomic_store_explicit(&catalogue->n_published, catalogue->n,
                          memory_order_release);
}
