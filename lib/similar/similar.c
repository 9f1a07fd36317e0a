/* The index of similar files, in memory: see the head of similar.h.
 *
 * Files are numbered in order of arrival. Each has its name, its chunks and its
 * sketch in one block of memory. The inverted index is a list of numbers for
 * each (sample, value): 12 x 64 lists by default. A million files make lists of
 * 16,000 numbers; a query reads twelve of them and counts in one byte per file,
 * which is a merge of sorted lists without the bookkeeping. A name that is
 * added again leaves its old number as a hole (no name), which the file on disk
 * omits. */

#include "lib/similar/similar.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/hash_table.h"

struct entry {
    char *name; /* NULL: a hole */
    void *block;
    size_t block_len;
    struct og_similar_file file;
};

struct posting {
    uint32_t *files;
    size_t n, cap;
};

struct og_similar {
    const og_allocator *allocator;
    struct og_file_sketch_options traits;
    og_cut_options chunking;
    struct entry *entries;
    size_t n, entries_cap;
    struct posting *postings; /* [sample << n_bits | value] */
    size_t n_postings;
    struct og_hash_table names; /* of entries */
};

og_status og_similar_new(const struct og_file_sketch_options *traits,
                         const og_cut_options *chunking,
                         const og_allocator *allocator, struct og_similar **out,
                         og_error *err)
{
    TRY(og_file_sketch_check(traits, err));
    struct og_similar *index = og_allocate_zero(allocator, sizeof(*index));
    if (index == NULL)
        return og_error_memory(err, sizeof(*index), "an index of files");
    index->allocator = allocator;
    index->traits = *traits;
    index->chunking = *chunking;
    og_hash_table_init(&index->names, allocator);
    index->n_postings = (size_t)traits->n_samples << traits->n_bits;
    const size_t len = index->n_postings * sizeof(*index->postings);
    index->postings = og_allocate_zero(allocator, len);
    if (index->postings == NULL) {
        og_similar_free(index);
        return og_error_memory(err, len, "an index of files");
    }
    *out = index;
    return OG_OK;
}

void og_similar_free(struct og_similar *index)
{
    if (index == NULL) return;
    const og_allocator *a = index->allocator;
    for (size_t i = 0; i < index->n; i++)
        og_release(a, index->entries[i].block, index->entries[i].block_len);
    for (size_t i = 0; index->postings != NULL && i < index->n_postings; i++)
        OG_UNGROW(a, index->postings[i].files, index->postings[i].cap);
    if (index->postings != NULL)
        og_release(a, index->postings,
                   index->n_postings * sizeof(*index->postings));
    OG_UNGROW(a, index->entries, index->entries_cap);
    og_hash_table_release(&index->names);
    og_release(a, index, sizeof(*index));
}

size_t og_similar_n_files(const struct og_similar *index)
{
    return index->n;
}

struct og_similar_file og_similar_file_at(const struct og_similar *index,
                                          size_t number)
{
    return index->entries[number].file;
}

const struct og_file_sketch_options *
og_similar_sketches(const struct og_similar *i)
{
    return &i->traits;
}

const og_cut_options *og_similar_chunking(const struct og_similar *i)
{
    return &i->chunking;
}

/* ---- names ---- */

static uint64_t hash_name(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name != '\0'; name++)
        h = (h ^ (uint8_t)*name) * 0x100000001b3u;
    return og_mix64(h);
}

/* The slot of the name, or the free one for it. */
static struct og_hash_slot *name_slot(const struct og_similar *index,
                                      const char *name)
{
    struct og_hash_slot *slot;
    OG_HASH_FIND(&index->names, hash_name(name), slot)
    if (strcmp(index->entries[slot->number - 1].file.name, name) == 0) break;
    return slot;
}

size_t og_similar_find(const struct og_similar *index, const char *name)
{
    if (index->names.n == 0) return SIZE_MAX;
    const struct og_hash_slot *slot = name_slot(index, name);
    return slot->number == 0 ? SIZE_MAX : (size_t)slot->number - 1;
}

/* ---- adding ---- */

/* One block: keys, lengths, sketch, name. */
static bool fill_entry(const struct og_similar *index, struct entry *e,
                       const char *name, const struct og_file_chunks *chunks)
{
    const size_t n = chunks->n, n_samples = index->traits.n_samples;
    const size_t name_len = strlen(name) + 1;
    *e = (struct entry){0};
    e->block_len = n * (sizeof(uint64_t) + sizeof(uint32_t)) +
                   n_samples * sizeof(uint16_t) + name_len;
    e->block = og_allocate(index->allocator, e->block_len);
    if (e->block == NULL) return false;
    uint64_t *keys = e->block;
    uint32_t *lens = (uint32_t *)(keys + n);
    uint16_t *traits = (uint16_t *)(lens + n);
    e->name = (char *)(traits + n_samples);
    if (n > 0) memcpy(keys, chunks->keys, n * sizeof(*keys));
    if (n > 0) memcpy(lens, chunks->lens, n * sizeof(*lens));
    memcpy(e->name, name, name_len);
    og_file_sketch_make(keys, n, &index->traits, traits);
    e->file = (struct og_similar_file){.name = e->name,
                                       .len = chunks->file_len,
                                       .keys = keys,
                                       .lens = lens,
                                       .n_chunks = n,
                                       .traits = traits};
    memcpy(e->file.hash, chunks->hash, OG_HASH_LEN);
    return true;
}

static struct posting *posting_of(const struct og_similar *index, uint32_t t,
                                  uint16_t value)
{
    return &index->postings[((size_t)t << index->traits.n_bits) | value];
}

static bool reserve_postings(struct og_similar *index, const uint16_t *traits)
{
    for (uint32_t t = 0; t < index->traits.n_samples; t++) {
        struct posting *p = posting_of(index, t, traits[t]);
        if (!OG_GROW(index->allocator, p->files, p->cap, p->n + 1))
            return false;
    }
    return true;
}

og_status og_similar_add(struct og_similar *index, const char *name,
                         const struct og_file_chunks *chunks, og_error *err)
{
    struct entry e;
    const size_t known = og_similar_find(index, name);
    if (known != SIZE_MAX &&
        memcmp(index->entries[known].file.hash, chunks->hash, OG_HASH_LEN) == 0)
        return OG_OK;
    if (index->n >= UINT32_MAX - 1)
        return og_error_set(err, OG_ERR_LIMIT, "an index holds 2^32 files");
    if (!fill_entry(index, &e, name, chunks))
        return og_error_memory(err, e.block_len, "a file of the index");
    if (!OG_GROW(index->allocator, index->entries, index->entries_cap,
                 index->n + 1) ||
        !og_hash_table_reserve(&index->names) ||
        !reserve_postings(index, e.file.traits)) {
        og_release(index->allocator, e.block, e.block_len);
        return og_error_memory(err, sizeof(e), "a file of the index");
    }
    struct og_hash_slot *slot = name_slot(index, e.name);
    index->entries[index->n] = e;
    for (uint32_t t = 0; e.file.n_chunks > 0 && t < index->traits.n_samples;
         t++) {
        struct posting *p = posting_of(index, t, e.file.traits[t]);
        p->files[p->n++] = (uint32_t)index->n;
    }
    index->n++;
    if (known == SIZE_MAX) {
        og_hash_table_put(&index->names, slot, hash_name(e.name), index->n);
    } else {
        slot->number = index->n;
        index->entries[known].file.name = NULL;
    }
    return OG_OK;
}

/* ---- queries ---- */

void og_similar_answer_init(struct og_similar_answer *answer,
                            const og_allocator *allocator)
{
    *answer = (struct og_similar_answer){.allocator = allocator};
}

void og_similar_answer_release(struct og_similar_answer *answer)
{
    OG_UNGROW(answer->allocator, answer->matches, answer->matches_cap);
    OG_UNGROW(answer->allocator, answer->counts, answer->counts_cap);
    OG_UNGROW(answer->allocator, answer->sorted, answer->sorted_cap);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(const uint64_t *keys, size_t n, uint64_t *out)
{
    size_t n_out = 0;
    if (n == 0) return 0;
    memcpy(out, keys, n * sizeof(*keys));
    qsort(out, n, sizeof(*out), compare_keys);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1]) out[n_out++] = out[i];
    return n_out;
}

static size_t count_common(const uint64_t *a, size_t n_a, const uint64_t *b,
                           size_t n_b)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        n += a[i] == b[j];
        const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
        i += step_a;
        j += step_b;
    }
    return n;
}

double og_keys_jaccard(const uint64_t *a, size_t n_a, const uint64_t *b,
                       size_t n_b, uint64_t *room)
{
    const size_t u_a = sort_unique(a, n_a, room);
    const size_t u_b = sort_unique(b, n_b, room + u_a);
    const size_t common = count_common(room, u_a, room + u_a, u_b);
    const size_t either = u_a + u_b - common;
    return either == 0 ? 0 : (double)common / (double)either;
}

static void count_matches(const struct og_similar *index,
                          const uint16_t *traits, uint8_t *counts)
{
    memset(counts, 0, index->n);
    for (uint32_t t = 0; t < index->traits.n_samples; t++) {
        const struct posting *p = posting_of(index, t, traits[t]);
        for (size_t i = 0; i < p->n; i++)
            counts[p->files[i]]++;
    }
}

/* The files with the most matches, starting with the highest count, until there
 * are enough; of the last count the files that were added first. */
static size_t pick_candidates(const struct og_similar *index,
                              const struct og_similar_options *options,
                              const uint8_t *counts,
                              struct og_similar_match *out, size_t n_most)
{
    size_t n = 0;
    for (uint32_t m = index->traits.n_samples; m >= 1 && n < n_most; m--)
        for (size_t i = 0; i < index->n && n < n_most; i++)
            if (counts[i] == m && i != options->without &&
                index->entries[i].file.name != NULL)
                out[n++] = (struct og_similar_match){.file = i, .n_matches = m};
    return n;
}

/* Fills in the exact values from the chunks. `own` are the query's keys, sorted
 * and distinct; `room` is scratch for the file's. */
static void verify(const struct og_similar *index,
                   const struct og_file_chunks *chunks, const uint64_t *own,
                   size_t n_own, uint64_t *room, struct og_similar_match *m)
{
    const struct og_similar_file *f = &index->entries[m->file].file;
    const size_t n_room = sort_unique(f->keys, f->n_chunks, room);
    const size_t common = count_common(own, n_own, room, n_room);
    m->estimated = og_file_sketch_jaccard(m->n_matches, &index->traits);
    m->jaccard = (double)common / (double)(n_own + n_room - common);
    for (size_t i = 0; common > 0 && i < chunks->n; i++)
        if (bsearch(&chunks->keys[i], room, n_room, sizeof(*room),
                    compare_keys) != NULL) {
            m->shared_len += chunks->lens[i];
            m->n_shared_chunks++;
        }
}

static int compare_matches(const void *a, const void *b)
{
    const struct og_similar_match *x = a, *y = b;
    if (x->shared_len != y->shared_len)
        return x->shared_len < y->shared_len ? 1 : -1;
    if (x->jaccard != y->jaccard) return x->jaccard < y->jaccard ? 1 : -1;
    return (x->file > y->file) - (x->file < y->file);
}

static og_status reserve_answer(const struct og_similar *index,
                                const struct og_file_chunks *chunks,
                                size_t n_candidates,
                                struct og_similar_answer *answer, og_error *err)
{
    const og_allocator *a = answer->allocator;
    if (!OG_GROW(a, answer->counts, answer->counts_cap, index->n + 1) ||
        !OG_GROW(a, answer->matches, answer->matches_cap, n_candidates + 1) ||
        !OG_GROW(a, answer->sorted, answer->sorted_cap, chunks->n + 1))
        return og_error_memory(err, index->n, "similar files");
    return OG_OK;
}

static og_status verify_all(const struct og_similar *index,
                            const struct og_file_chunks *chunks,
                            struct og_similar_answer *answer, size_t n,
                            og_error *err)
{
    size_t n_most = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t file = answer->matches[i].file;
        const size_t n_chunks = index->entries[file].file.n_chunks;
        if (n_chunks > n_most) n_most = n_chunks;
    }
    if (!OG_GROW(answer->allocator, answer->sorted, answer->sorted_cap,
                 chunks->n + n_most))
        return og_error_memory(err, n_most * 8, "similar files");
    const size_t n_own = sort_unique(chunks->keys, chunks->n, answer->sorted);
    for (size_t i = 0; i < n; i++)
        verify(index, chunks, answer->sorted, n_own, answer->sorted + n_own,
               &answer->matches[i]);
    return OG_OK;
}

og_status og_similar_ask(const struct og_similar *index,
                         const struct og_file_chunks *chunks,
                         const struct og_similar_options *options,
                         struct og_similar_answer *answer, og_error *err)
{
    uint16_t traits[OG_FILE_SKETCH_MAX_SAMPLES];
    size_t n_most = options->n_candidates;
    if (n_most > index->n) n_most = index->n;
    answer->n = 0;
    if (chunks->n == 0 || index->n == 0) return OG_OK;
    TRY(reserve_answer(index, chunks, n_most, answer, err));
    og_file_sketch_make(chunks->keys, chunks->n, &index->traits, traits);
    count_matches(index, traits, answer->counts);
    const size_t n = pick_candidates(index, options, answer->counts,
                                     answer->matches, n_most);
    TRY(verify_all(index, chunks, answer, n, err));
    qsort(answer->matches, n, sizeof(*answer->matches), compare_matches);
    while (answer->n < n && answer->n < options->n_wanted &&
           answer->matches[answer->n].n_shared_chunks > 0)
        answer->n++;
    return OG_OK;
}
