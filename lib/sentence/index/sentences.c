/* Sentences of documents, which may be added and queried at any time.
 *
 * New documents go to a memtable of some thousand sentences, which a query
 * scans. A full one becomes a segment in memory; segments of similar size are
 * merged, so that there are few of them and each sentence is copied a
 * logarithmic number of times. When those in memory exceed a share of the
 * memory limit, they become one file. Files are merged by the same rule. (A
 * log-structured merge tree, as in lib/hamming/hamming.c; its log is that of
 * the store.)
 *
 * The state after a crash is that of the segments named by the manifest. The
 * writer of the store is the only one here; readers hold mapped files, which
 * stay valid when it deletes them. */

#define _GNU_SOURCE
#include "lib/sentence/index/sentences.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "lib/disk/merge_policy.h"
#include "lib/sentence/index/segment_merge.h"
#include "lib/sentence/index/sentences_files.h"

enum {
    HEAP_SENTENCES = 4096, /* scanned by each query: some microseconds */
    HEAP_UNASKED = 16384,  /* while documents are added and none is queried:
                              fewer segments to merge */
    HEAP_TEXT = 4 << 20,
    HEAP_WORDS = 1 << 18, /* building a segment takes 50 bytes for each */
};

/* ---- segments ---- */

static size_t n_on_disk(const struct og_sentences *s)
{
    return og_segments_on_disk(s->number, s->n_segments);
}

/* Merges segments [first, n_segments) into one, in memory or as the file
 * `number`. */
static og_status merge_segments(struct og_sentences *s, size_t first,
                                uint64_t number, og_error *err)
{
    const struct og_sentence_segment *segments[OG_SENTENCE_SEGMENTS_MOST];
    struct og_sentence_segment merged;
    char path[OG_MANIFEST_PATH_MOST];
    if (number != 0)
        TRY(og_segment_number_path(s->folder, OG_SENTENCE_SEGMENT_PREFIX,
                                   number, path, err));
    for (size_t i = first; i < s->n_segments; i++)
        segments[i - first] = &s->segment[i];
    TRY(og_sentence_segments_merge(segments, s->n_segments - first,
                                   number != 0 ? path : NULL, s->phases,
                                   s->allocator, &merged, err));
    for (size_t i = first; i < s->n_segments; i++)
        og_sentence_segment_release(&s->segment[i]);
    s->segment[first] = merged;
    s->number[first] = number;
    s->n_segments = first + 1;
    s->n_merges++;
    return OG_OK;
}

/* The first of the segments to be merged with those from `last` on. */
static size_t first_to_merge(const struct og_sentences *s, size_t last,
                             size_t from)
{
    uint64_t sizes[OG_SENTENCE_SEGMENTS_MOST];
    for (size_t i = 0; i < s->n_segments; i++)
        sizes[i] = og_sentence_segment_size(&s->segment[i]);
    return og_merge_first(sizes, s->n_segments, last, from);
}

static og_status flush_memtable(struct og_sentences *s, og_error *err)
{
    if (s->memtable.n_documents == 0) return OG_OK;
    TRY(og_memtable_build(&s->memtable, s->phases, &s->segment[s->n_segments],
                          err));
    s->number[s->n_segments++] = 0;
    og_memtable_clear(&s->memtable);
    const size_t first = first_to_merge(s, s->n_segments - 1, n_on_disk(s));
    return first + 1 == s->n_segments ? OG_OK
                                      : merge_segments(s, first, 0, err);
}

og_status og_sentences_settle(struct og_sentences *s, og_error *err)
{
    TRY(flush_memtable(s, err));
    return s->n_segments < 2 ? OG_OK : merge_segments(s, 0, 0, err);
}

/* ---- the disk ---- */

og_status og_sentences_write_manifest(struct og_sentences *s, og_error *err)
{
    const uint32_t before = s->manifest.n_documents;
    s->manifest.n_documents = s->n_documents;
    s->manifest.list.n_segments = s->n_segments;
    for (size_t i = 0; i < s->n_segments; i++) {
        s->manifest.list.segment[i].number = s->number[i];
        s->manifest.list.segment[i].sum = s->segment[i].file.sum;
    }
    const og_status status =
        og_sentence_manifest_write(&s->manifest, s->folder, err);
    if (status != OG_OK) s->manifest.n_documents = before;
    return status;
}

static void delete_segment(const struct og_sentences *s, uint64_t number)
{
    char path[OG_MANIFEST_PATH_MOST];
    if (og_segment_number_path(s->folder, OG_SENTENCE_SEGMENT_PREFIX, number,
                               path, NULL) == OG_OK)
        unlink(path);
}

/* Everything in memory, and the files that are due for merging, become one
 * file. The order: the documents are safe in the store, the segment, the
 * manifest that names it; only then the files it replaces are deleted. */
static og_status write_segments(struct og_sentences *s, og_error *err)
{
    uint64_t old[OG_SENTENCE_SEGMENTS_MOST];
    const size_t n_old = n_on_disk(s);
    const size_t first = first_to_merge(s, n_old, 0);
    memcpy(old, s->number, sizeof(old));
    TRY(merge_segments(s, first, s->manifest.list.next++, err));
    TRY(og_sentences_write_manifest(s, err));
    for (size_t i = first; i < n_old; i++)
        delete_segment(s, old[i]);
    return OG_OK;
}

og_status og_sentences_flush(og_sentences *s, og_error *err)
{
    if (s->folder == NULL || !s->is_writable ||
        s->manifest.n_documents == s->n_documents)
        return OG_OK;
    TRY(s->store.settle(s->store.ctx, err));
    TRY(flush_memtable(s, err));
    if (n_on_disk(s) == s->n_segments)
        return og_sentences_write_manifest(s, err);
    return write_segments(s, err);
}

/* ---- adding ---- */

/* A third of the memory for segments, as much for the result of a merge, the
 * rest for the memtable and the like. */
static og_status make_room(struct og_sentences *s, og_error *err)
{
    uint64_t len = 0;
    TRY(flush_memtable(s, err));
    for (size_t i = n_on_disk(s); i < s->n_segments; i++)
        len += og_sentence_segment_size(&s->segment[i]);
    if (len <= s->memory / 3) return OG_OK;
    if (s->folder != NULL)
        return s->is_writable ? og_sentences_flush(s, err) : OG_OK;
    return og_error_set(
        err, OG_ERR_LIMIT,
        "more sentences than %" PRIu64 " bytes of memory can hold", s->memory);
}

static bool memtable_is_full(const struct og_sentences *s, size_t most)
{
    return s->memtable.n_sentences >= most || s->memtable.n_documents >= most ||
           s->memtable.texts_len >= HEAP_TEXT ||
           s->memtable.n_words >= HEAP_WORDS;
}

og_status og_sentences_reserve(og_sentences *s, bool is_asked, og_error *err)
{
    const size_t most = is_asked ? HEAP_SENTENCES : HEAP_UNASKED;
    return memtable_is_full(s, most) ? make_room(s, err) : OG_OK;
}

og_status og_sentences_place(og_sentences *s, uint32_t number,
                             const og_document *doc, int64_t time,
                             const struct og_words_read *read,
                             size_t *out_first, og_error *err)
{
    TRY(og_memtable_place(&s->memtable, number, doc, time, read, out_first,
                          err));
    s->n_sentences += s->memtable.n_sentences - *out_first;
    s->n_documents = number + 1;
    return OG_OK;
}

og_status og_sentences_count(og_sentences *s, og_error *err)
{
    if (atomic_load(&s->memtable.n_sentences_counted) ==
        s->memtable.n_sentences)
        return OG_OK;
    pthread_mutex_lock(&s->counting);
    const og_status status = og_memtable_count(&s->memtable, err);
    pthread_mutex_unlock(&s->counting);
    return status;
}

og_status og_sentences_add(og_sentences *s, uint32_t number,
                           const og_document *doc, int64_t time, og_error *err)
{
    TRY(og_sentences_reserve(s, true, err));
    const size_t before = s->memtable.n_sentences;
    TRY(og_word_reader_read(&s->own.reader, doc->text, err));
    const struct og_words_read read = og_word_reader_view(&s->own.reader);
    const og_status status =
        og_memtable_add(&s->memtable, number, doc, time, &read, err);
    og_word_reader_trim(&s->own.reader);
    TRY(status);
    s->n_sentences += s->memtable.n_sentences - before;
    s->n_documents = number + 1;
    return OG_OK;
}

bool og_sentences_has(const og_sentences *s, og_bytes id)
{
    const uint64_t hash = og_id_hash(id);
    for (size_t i = 0; i < s->n_segments; i++)
        if (og_sentence_segment_has_id(&s->segment[i], hash)) return true;
    return og_memtable_has_id(&s->memtable, id);
}
