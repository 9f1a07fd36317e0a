/* Sentences on disk, added at any time, asked at any time.
 *
 * New documents go to the journal and to a heap of some thousand sentences,
 * which a question looks through. A full heap becomes an image in memory;
 * images of like size are merged, so that there are few of them and each
 * sentence is copied a logarithmic number of times. When those in memory are
 * more than a share of the memory given, they become one file, and a new
 * journal begins. Files are merged by the same rule. (A log-structured merge
 * tree, as in lib/neighbour/hamming.c.)
 *
 * What a process that is killed leaves behind is in the images that the
 * manifest names and in the journal it names. One writer at a time has the
 * file "lock" locked; readers hold mapped files, which stay valid when a
 * writer deletes them. */

#define _GNU_SOURCE
#include "lib/sentence/sentences.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/new_file.h"

enum {
    PATH_MOST = 4096,
    GROWTH = 3,
    HEAP_SENTENCES = 4096, /* a question looks at each: some microseconds */
    HEAP_TEXT = 4 << 20,
    OPEN_TRIES = 20,
    SMALL_JOURNAL = 1 << 20, /* is left as it is when a writer closes */
};

og_sentences_options og_sentences_options_default(void)
{
    return (og_sentences_options){.memory = UINT64_C(256) << 20,
                                  .signature_bits = 64};
}

/* What the rule of the paper gives for a dictionary and sentences of usual
 * size: it is fixed when an index is made, before its dictionary is known. */
static uint32_t usual_word_bits(uint32_t signature_bits)
{
    return og_signature_word_bits(signature_bits, 200000, 10);
}

/* ---- names ---- */

static bool path_of(const struct og_sentences *s, const char *name,
                    char out[PATH_MOST])
{
    const int n = snprintf(out, PATH_MOST, "%s/%s", s->folder, name);
    return n > 0 && n < PATH_MOST;
}

static bool numbered_path(const struct og_sentences *s, const char *kind,
                          uint64_t number, char out[PATH_MOST])
{
    char name[48];
    snprintf(name, sizeof(name), "%s-%" PRIu64, kind, number);
    return path_of(s, name, out);
}

static og_status too_long(const struct og_sentences *s, og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE, "the path '%.80s...' is too long",
                        s->folder);
}

static og_status failed(og_error *err, const char *what, const char *path)
{
    return og_file_failure(err, what, path, errno);
}

/* ---- images ---- */

static uint64_t size_of_image(const struct og_sentences *s, size_t i)
{
    return s->image[i].len;
}

static size_t n_on_disk(const struct og_sentences *s)
{
    size_t n = 0;
    while (n < s->n_images && s->number[n] != 0)
        n++;
    return n;
}

/* Images [first, n_images) become one, in memory or as the file `number`. */
static og_status merge_images(struct og_sentences *s, size_t first,
                              uint64_t number, og_error *err)
{
    const struct og_image *images[OG_IMAGES_MOST];
    struct og_image merged;
    char path[PATH_MOST];
    if (number != 0 && !numbered_path(s, "image", number, path))
        return too_long(s, err);
    for (size_t i = first; i < s->n_images; i++)
        images[i - first] = &s->image[i];
    TRY(og_images_merge(images, s->n_images - first, number != 0 ? path : NULL,
                        s->allocator, &merged, err));
    for (size_t i = first; i < s->n_images; i++)
        og_image_release(&s->image[i]);
    s->image[first] = merged;
    s->number[first] = number;
    s->n_images = first + 1;
    s->cache.image = NULL;
    return OG_OK;
}

/* The first of the images that should be one with the last, not before
 * `from`: sizes stay apart by a factor. */
static size_t first_to_merge(const struct og_sentences *s, size_t from)
{
    size_t first = s->n_images - 1;
    uint64_t size = size_of_image(s, first);
    while (first > from && size_of_image(s, first - 1) < GROWTH * size)
        size += size_of_image(s, --first);
    return first;
}

static og_status flush_heap(struct og_sentences *s, og_error *err)
{
    if (s->heap.n_documents == 0) return OG_OK;
    TRY(og_heap_build(&s->heap, &s->image[s->n_images], err));
    s->number[s->n_images++] = 0;
    og_heap_clear(&s->heap);
    const size_t first = first_to_merge(s, n_on_disk(s));
    return first + 1 == s->n_images ? OG_OK : merge_images(s, first, 0, err);
}

og_status og_sentences_settle(struct og_sentences *s, og_error *err)
{
    TRY(flush_heap(s, err));
    return s->n_images < 2 ? OG_OK : merge_images(s, 0, 0, err);
}

/* ---- the disk ---- */

static og_status write_manifest(struct og_sentences *s, og_error *err)
{
    char path[PATH_MOST];
    if (!path_of(s, "manifest", path)) return too_long(s, err);
    s->manifest.n_images = s->n_images;
    for (size_t i = 0; i < s->n_images; i++) {
        s->manifest.image[i].number = s->number[i];
        s->manifest.image[i].sum = s->image[i].foot.foot_sum;
    }
    return og_sentence_manifest_write(&s->manifest, path, err);
}

static void delete_file(const struct og_sentences *s, const char *kind,
                        uint64_t number)
{
    char path[PATH_MOST];
    if (numbered_path(s, kind, number, path)) unlink(path);
}

/* The journal is at its end: all it has is in images. */
static og_status new_journal(struct og_sentences *s,
                             struct og_sentence_journal *out, og_error *err)
{
    char path[PATH_MOST];
    const uint64_t number = s->manifest.next++;
    if (!numbered_path(s, "journal", number, path)) return too_long(s, err);
    TRY(og_journal_create(out, path, number, err));
    s->manifest.journal = number;
    return OG_OK;
}

/* Everything in memory, and the files that are due, become one file. The
 * order: the image, an empty journal, the manifest that names both; only then
 * what it replaces goes. */
static og_status write_images(struct og_sentences *s, og_error *err)
{
    uint64_t old[OG_IMAGES_MOST];
    struct og_sentence_journal journal;
    TRY(flush_heap(s, err));
    const size_t n_old = n_on_disk(s);
    if (n_old == s->n_images) return OG_OK;
    uint64_t size = 0;
    size_t first = n_old;
    for (size_t i = n_old; i < s->n_images; i++)
        size += size_of_image(s, i);
    while (first > 0 && size_of_image(s, first - 1) < GROWTH * size)
        size += size_of_image(s, --first);
    memcpy(old, s->number, sizeof(old));
    const uint64_t old_journal = s->manifest.journal;
    TRY(merge_images(s, first, s->manifest.next++, err));
    TRY(new_journal(s, &journal, err));
    og_status status = write_manifest(s, err);
    if (status != OG_OK) {
        og_journal_close(&journal);
        s->manifest.journal = old_journal;
        return status;
    }
    og_journal_close(&s->journal);
    s->journal = journal;
    for (size_t i = first; i < n_old; i++)
        delete_file(s, "image", old[i]);
    delete_file(s, "journal", old_journal);
    return OG_OK;
}

og_status og_sentences_commit(og_sentences *s, og_error *err)
{
    if (!s->is_writable || s->folder == NULL) return OG_OK;
    return og_journal_sync(&s->journal, err);
}

/* ---- adding ---- */

/* A third of the memory for images, as much for the one that they are merged
 * into, the rest for the heap and the like. */
static og_status make_room(struct og_sentences *s, og_error *err)
{
    uint64_t len = 0;
    TRY(flush_heap(s, err));
    for (size_t i = n_on_disk(s); i < s->n_images; i++)
        len += s->image[i].len;
    if (len <= s->memory / 3) return OG_OK;
    if (s->folder != NULL) return write_images(s, err);
    return og_error_set(
        err, OG_ERR_LIMIT,
        "more sentences than %" PRIu64 " bytes of memory can hold", s->memory);
}

static bool heap_is_full(const struct og_sentences *s)
{
    return s->heap.n_sentences >= HEAP_SENTENCES ||
           s->heap.n_documents >= HEAP_SENTENCES ||
           s->heap.texts_len >= HEAP_TEXT;
}

static og_status take_document(struct og_sentences *s, const og_document *doc,
                               og_error *err)
{
    const int64_t time = doc->has_time            ? doc->time
                         : s->latest == INT64_MIN ? 0
                                                  : s->latest;
    TRY(og_word_reader_read(&s->reader, doc->text, err));
    const size_t before = s->heap.n_sentences;
    TRY(og_heap_add(&s->heap, doc, time, &s->reader, err));
    s->n_sentences += s->heap.n_sentences - before;
    if (time > s->latest) s->latest = time;
    return OG_OK;
}

/* From the journal, which is being read and must stay as it is. */
static og_status take_record(void *ctx, const og_document *doc, og_error *err)
{
    struct og_sentences *s = ctx;
    if (heap_is_full(s)) TRY(flush_heap(s, err));
    return take_document(s, doc, err);
}

og_status og_sentences_add(og_sentences *s, const og_document *doc,
                           og_error *err)
{
    if (!s->is_writable)
        return og_error_set(err, OG_ERR_USAGE,
                            "the sentences '%s' are open for reading only",
                            s->folder);
    if (heap_is_full(s)) TRY(make_room(s, err)); /* may change the journal */
    if (s->folder == NULL) return take_document(s, doc, err);
    const size_t before = s->journal.buffer.len;
    TRY(og_journal_add(&s->journal, doc, err));
    const og_status status = take_document(s, doc, err);
    if (status != OG_OK) {
        s->journal.buffer.len = before;
        return status;
    }
    return og_journal_drain(&s->journal, err);
}

bool og_sentences_has(const og_sentences *s, og_bytes id)
{
    const uint64_t hash = og_id_hash(id);
    for (size_t i = 0; i < s->n_images; i++)
        if (og_image_has_id(&s->image[i], hash)) return true;
    return og_heap_has_id(&s->heap, id);
}

/* ---- opening ---- */

static og_status open_image(struct og_sentences *s, size_t i, og_error *err)
{
    char path[PATH_MOST];
    const uint64_t number = s->manifest.image[i].number;
    if (!numbered_path(s, "image", number, path)) return too_long(s, err);
    TRY(og_image_open(&s->image[i], path, err));
    s->number[i] = number;
    s->n_images = i + 1;
    const struct og_image_foot *foot = &s->image[i].foot;
    if (foot->foot_sum != s->manifest.image[i].sum)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not the image that its manifest names",
                            path);
    if (foot->signature_bits != s->manifest.signature_bits ||
        foot->word_bits != s->manifest.word_bits)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has other signatures than its manifest says",
                            path);
    s->n_sentences += foot->n_sentences;
    if (foot->latest > s->latest) s->latest = foot->latest;
    return OG_OK;
}

static og_status open_files(struct og_sentences *s, og_error *err)
{
    char path[PATH_MOST];
    for (size_t i = 0; i < s->manifest.n_images; i++)
        TRY(open_image(s, i, err));
    if (s->manifest.journal == 0) return OG_OK;
    if (!numbered_path(s, "journal", s->manifest.journal, path))
        return too_long(s, err);
    return og_journal_open(&s->journal, path, s->manifest.journal,
                           s->is_writable, s, take_record, err);
}

static void close_files(struct og_sentences *s)
{
    for (size_t i = 0; i < s->n_images; i++)
        og_image_release(&s->image[i]);
    s->n_images = 0;
    s->n_sentences = 0;
    s->latest = INT64_MIN;
    og_heap_clear(&s->heap);
    og_journal_close(&s->journal);
}

static og_status start_readers(struct og_sentences *s, og_error *err)
{
    const struct og_sentence_manifest *m = &s->manifest;
    const char *stop = m->stop[0] != '\0' ? m->stop : NULL;
    const char *stem = m->stem[0] != '\0' ? m->stem : NULL;
    TRY(og_word_reader_init(&s->reader, stop, stem, s->allocator, err));
    TRY(og_word_reader_init(&s->match_reader, stop, stem, s->allocator, err));
    s->heap.signature_bits = m->signature_bits;
    s->heap.word_bits = m->word_bits;
    return OG_OK;
}

static og_status take_options(struct og_sentences *s,
                              const og_sentences_options *o, og_error *err)
{
    struct og_sentence_manifest *m = &s->manifest;
    if (o->signature_bits != 0 && !og_signature_bits_are(o->signature_bits))
        return og_error_set(err, OG_ERR_USAGE,
                            "signatures have 16, 32, 64 or 128 bits, not %u",
                            o->signature_bits);
    if (o->word_bits > o->signature_bits / 2)
        return og_error_set(err, OG_ERR_USAGE,
                            "a word sets 1 to %u bits of a signature, not %u",
                            o->signature_bits / 2, o->word_bits);
    if (o->stop != NULL && !og_stop_language_is(o->stop))
        return og_error_set(err, OG_ERR_USAGE,
                            "no stop words of '%s', only of: %s", o->stop,
                            og_stop_languages());
    if (o->stem != NULL && !og_stem_language_is(o->stem))
        return og_error_set(err, OG_ERR_USAGE, "no stems of '%s', only of: %s",
                            o->stem, og_stem_languages());
    if (o->stop != NULL) snprintf(m->stop, sizeof(m->stop), "%s", o->stop);
    if (o->stem != NULL) snprintf(m->stem, sizeof(m->stem), "%s", o->stem);
    m->signature_bits = o->signature_bits;
    m->word_bits = o->signature_bits == 0 ? 0
                   : o->word_bits != 0    ? o->word_bits
                                          : usual_word_bits(o->signature_bits);
    m->next = 1;
    return OG_OK;
}

static bool has_manifest(const struct og_sentences *s)
{
    char path[PATH_MOST];
    return path_of(s, "manifest", path) && access(path, F_OK) == 0;
}

static og_status lock_folder(struct og_sentences *s, og_error *err)
{
    char path[PATH_MOST];
    if (!path_of(s, "lock", path)) return too_long(s, err);
    s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock_fd < 0) return failed(err, "open", path);
    if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0) return OG_OK;
    return og_error_set(err, OG_ERR_IO,
                        "the sentences '%s' are being written by another "
                        "process",
                        s->folder);
}

/* Files of a writer that was stopped in the middle. */
static void delete_unnamed(const struct og_sentences *s)
{
    DIR *folder = opendir(s->folder);
    if (folder == NULL) return;
    for (struct dirent *file; (file = readdir(folder)) != NULL;) {
        const char *name = file->d_name;
        const bool is_image = strncmp(name, "image-", 6) == 0;
        if (!is_image && strncmp(name, "journal-", 8) != 0) continue;
        char *end;
        const char *digits = name + (is_image ? 6 : 8);
        const uint64_t number = strtoull(digits, &end, 10);
        bool is_named = end != digits && *end == '\0';
        if (is_named && is_image) {
            is_named = false;
            for (size_t i = 0; i < s->n_images; i++)
                is_named = is_named || s->number[i] == number;
        } else if (is_named) {
            is_named = number == s->manifest.journal;
        }
        char path[PATH_MOST];
        if (!is_named && end != digits && path_of(s, name, path)) unlink(path);
    }
    closedir(folder);
}

static og_status make_folders(struct og_sentences *s, const char *store,
                              og_error *err)
{
    if (mkdir(store, 0777) != 0 && errno != EEXIST)
        return failed(err, "make", store);
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return failed(err, "make", s->folder);
    return OG_OK;
}

static og_status open_writer(struct og_sentences *s, const char *store,
                             og_error *err)
{
    char path[PATH_MOST];
    TRY(make_folders(s, store, err));
    TRY(lock_folder(s, err));
    if (!path_of(s, "manifest", path)) return too_long(s, err);
    if (has_manifest(s)) {
        TRY(og_sentence_manifest_read(&s->manifest, path, err));
        TRY(start_readers(s, err));
        TRY(open_files(s, err));
        delete_unnamed(s);
    } else {
        TRY(start_readers(s, err));
    }
    if (s->manifest.journal != 0) return OG_OK;
    TRY(new_journal(s, &s->journal, err));
    return write_manifest(s, err);
}

static og_status no_sentences(const char *store, og_error *err)
{
    if (access(store, F_OK) != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "there is no store '%s'; 'origo quote -s %s --add "
                            "FILE...' makes one",
                            store, store);
    return og_error_set(err, OG_ERR_INPUT,
                        "the store '%s' was made without sentences; 'origo "
                        "quote -s %s --add FILE...' adds them",
                        store, store);
}

/* A writer may replace files between the manifest and them; then there is a
 * newer manifest, too. */
static og_status open_reader(struct og_sentences *s, const char *store,
                             og_error *err)
{
    char path[PATH_MOST];
    og_status status = OG_OK;
    if (!path_of(s, "manifest", path)) return too_long(s, err);
    if (!has_manifest(s)) return no_sentences(store, err);
    for (unsigned i = 0; i < OPEN_TRIES; i++) {
        TRY(og_sentence_manifest_read(&s->manifest, path, err));
        if (i == 0) TRY(start_readers(s, err));
        status = open_files(s, err);
        if (status != OG_ERR_IO) break;
        close_files(s);
    }
    og_journal_close(&s->journal);
    return status;
}

static og_status open_all(struct og_sentences *s, const char *store,
                          const og_sentences_options *o, og_error *err)
{
    TRY(take_options(s, o, err));
    if (strcmp(store, ":memory:") == 0) return start_readers(s, err);
    const size_t len = strlen(store) + sizeof("/sentences");
    s->folder = og_allocate(s->allocator, len);
    if (s->folder == NULL) return og_error_memory(err, len, "a path");
    snprintf(s->folder, len, "%s/sentences", store);
    return s->is_writable ? open_writer(s, store, err)
                          : open_reader(s, store, err);
}

og_status og_sentences_open(const char *store, bool writable,
                            const og_sentences_options *options,
                            og_sentences **out, og_error *err)
{
    const og_sentences_options standard = og_sentences_options_default();
    const og_sentences_options *o = options != NULL ? options : &standard;
    *out = NULL;
    og_sentences *s = og_allocate_zero(o->allocator, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "sentences");
    s->allocator = o->allocator;
    s->is_writable = writable || strcmp(store, ":memory:") == 0;
    s->lock_fd = -1;
    s->journal.fd = -1;
    s->latest = INT64_MIN;
    s->memory = o->memory;
    s->list.allocator = o->allocator;
    s->reader.allocator = s->match_reader.allocator = o->allocator;
    og_heap_init(&s->heap, o->allocator, 0, 0);
    og_question_init(&s->question, o->allocator);
    og_text_cache_init(&s->cache, o->allocator);
    const og_status status = open_all(s, store, o, err);
    if (status == OG_OK) {
        *out = s;
        return OG_OK;
    }
    s->is_writable = false; /* nothing is written any more */
    og_sentences_close(s);
    return status;
}

void og_sentences_close(og_sentences *s)
{
    if (s == NULL) return;
    const og_allocator *a = s->allocator;
    og_error ignored;
    /* A long journal would have to be read again by everybody. */
    if (s->folder != NULL && s->is_writable &&
        s->journal.len + s->journal.buffer.len > SMALL_JOURNAL)
        (void)write_images(s, &ignored);
    close_files(s);
    if (s->lock_fd >= 0) close(s->lock_fd);
    og_word_reader_release(&s->reader);
    og_word_reader_release(&s->match_reader);
    og_heap_release(&s->heap);
    og_question_release(&s->question);
    og_text_cache_release(&s->cache);
    OG_UNGROW(a, s->places, s->places_cap);
    OG_UNGROW(a, s->list.forms, s->list.cap);
    OG_UNGROW(a, s->found, s->found_cap);
    OG_UNGROW(a, s->told, s->told_cap);
    OG_UNGROW(a, s->quotes, s->quotes_cap);
    OG_UNGROW(a, s->matches, s->matches_cap);
    OG_UNGROW(a, s->ranges, s->ranges_cap);
    OG_UNGROW(a, s->texts, s->texts_cap);
    if (s->folder != NULL) og_release(a, s->folder, strlen(s->folder) + 1);
    og_release(a, s, sizeof(*s));
}

void og_sentences_info_get(const og_sentences *s, og_sentences_info *out)
{
    uint64_t n_keys = s->heap.n_words;
    *out = (og_sentences_info){.n_documents = s->heap.n_documents,
                               .n_sentences = s->n_sentences,
                               .n_forms = s->heap.n_forms,
                               .n_words = s->heap.n_counted,
                               .n_images = s->n_images,
                               .n_waiting = s->heap.n_sentences,
                               .n_bytes = s->journal.len,
                               .signature_bits = s->manifest.signature_bits,
                               .word_bits = s->manifest.word_bits,
                               .stop = s->manifest.stop,
                               .stem = s->manifest.stem};
    for (size_t i = 0; i < s->n_images; i++) {
        const struct og_image_foot *f = &s->image[i].foot;
        out->n_documents += f->n_documents;
        out->n_forms += f->n_forms;
        out->n_words += f->n_words;
        out->n_bytes += s->image[i].len;
        n_keys += f->n_keys;
    }
    out->mean_words =
        out->n_forms == 0 ? 0 : (double)n_keys / (double)out->n_forms;
}
