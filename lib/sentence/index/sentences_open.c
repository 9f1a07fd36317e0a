/* Opens and closes the index: the manifest of a folder and the segments that it
 * names. */

#define _GNU_SOURCE
#include <errno.h>
#include <origo/sketch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/new_file.h"
#include "lib/sentence/index/sentences_files.h"

enum { OPEN_TRIES = 20 };

/* ---- options ---- */

og_sentences_options og_sentences_options_default(void)
{
    return (og_sentences_options){.memory = UINT64_C(256) << 20,
                                  .signature_bits = 64};
}

/* The paper's rule for a dictionary and sentences of usual size: the value is
 * fixed when an index is created, before its dictionary is known. */
static uint32_t usual_word_bits(uint32_t signature_bits)
{
    return og_signature_word_bits(signature_bits, 200000, 10);
}

/* ---- opening ---- */

static og_status open_segment(struct og_sentences *s, size_t i, og_error *err)
{
    char path[OG_MANIFEST_PATH_MOST];
    const uint64_t number = s->manifest.list.segment[i].number;
    TRY(og_segment_number_path(s->folder, OG_SENTENCE_SEGMENT_PREFIX, number,
                               path, err));
    TRY(og_sentence_segment_open(&s->segment[i], path, err));
    s->number[i] = number;
    s->n_segments = i + 1;
    const struct og_sentence_totals *totals = &s->segment[i].totals;
    TRY(og_manifest_check_segment(&s->manifest.list, i, path,
                                  s->segment[i].file.sum, err));
    if (totals->signature_bits != s->manifest.signature_bits ||
        totals->word_bits != s->manifest.word_bits)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has other signatures than its manifest says",
                            path);
    s->n_sentences += totals->n_sentences;
    return OG_OK;
}

static og_status open_files(struct og_sentences *s, og_error *err)
{
    for (size_t i = 0; i < s->manifest.list.n_segments; i++)
        TRY(open_segment(s, i, err));
    return OG_OK;
}

static void close_files(struct og_sentences *s)
{
    for (size_t i = 0; i < s->n_segments; i++)
        og_sentence_segment_release(&s->segment[i]);
    s->n_segments = 0;
    s->n_sentences = 0;
    og_memtable_clear(&s->memtable);
}

static og_status start_readers(struct og_sentences *s, og_error *err)
{
    const struct og_sentence_manifest *m = &s->manifest;
    s->memtable.signature_bits = m->signature_bits;
    s->memtable.word_bits = m->word_bits;
    return og_quote_asker_init(&s->own, s, err);
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
    if (o->stem != NULL) TRY(og_stem_check(o->stem, err));
    if (o->stop != NULL) snprintf(m->stop, sizeof(m->stop), "%s", o->stop);
    if (o->stem != NULL) snprintf(m->stem, sizeof(m->stem), "%s", o->stem);
    m->signature_bits = o->signature_bits;
    m->word_bits = o->signature_bits == 0 ? 0
                   : o->word_bits != 0    ? o->word_bits
                                          : usual_word_bits(o->signature_bits);
    m->list.next = 1;
    return OG_OK;
}

/* Files of a writer that was interrupted. */
static void delete_unnamed(const struct og_sentences *s)
{
    og_segments_delete_unnamed(s->folder, OG_SENTENCE_SEGMENT_PREFIX, s->number,
                               s->n_segments);
}

static og_status make_index(struct og_sentences *s, og_error *err)
{
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return og_file_failure(err, "make", s->folder, errno);
    memcpy(s->manifest.uuid, s->store.uuid, OG_SENTENCES_UUID_LEN);
    TRY(start_readers(s, err));
    TRY(og_sentences_write_manifest(s, err));
    delete_unnamed(s);
    return OG_OK;
}

static og_status read_manifest(struct og_sentences *s, og_error *err)
{
    TRY(og_sentence_manifest_read(&s->manifest, s->folder, err));
    if (s->manifest.is_old ||
        memcmp(s->manifest.uuid, s->store.uuid, OG_SENTENCES_UUID_LEN) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s/manifest' belongs to another store",
                            s->folder);
    s->n_documents = s->manifest.n_documents;
    return OG_OK;
}

/* A writer may replace files after the manifest was read; then there is a newer
 * manifest, too. */
static og_status open_index(struct og_sentences *s, og_error *err)
{
    og_status status = OG_OK;
    for (unsigned i = 0; i < OPEN_TRIES; i++) {
        TRY(read_manifest(s, err));
        if (i == 0) TRY(start_readers(s, err));
        status = open_files(s, err);
        if (status != OG_ERR_IO || s->is_writable) break;
        close_files(s);
    }
    if (status == OG_OK && s->is_writable) delete_unnamed(s);
    return status;
}

static og_status open_all(struct og_sentences *s,
                          const struct og_sentences_place *place,
                          const og_sentences_options *o, og_error *err)
{
    TRY(take_options(s, o, err));
    if (place->store != NULL) s->store = *place->store;
    if (place->folder == NULL) return start_readers(s, err);
    const size_t len = strlen(place->folder) + 1;
    s->folder = og_allocate(s->allocator, len);
    if (s->folder == NULL) return og_error_memory(err, len, "a path");
    memcpy(s->folder, place->folder, len);
    s->memtable.no_texts = true;
    return place->is_new ? make_index(s, err) : open_index(s, err);
}

og_status og_sentences_open(const struct og_sentences_place *place,
                            const og_sentences_options *options,
                            og_sentences **out, og_error *err)
{
    const og_sentences_options standard = og_sentences_options_default();
    const og_sentences_options *o = options != NULL ? options : &standard;
    *out = NULL;
    og_sentences *s = og_allocate_zero(NULL, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "sentences");
    s->allocator = NULL;
    s->is_writable = place->is_writable;
    s->memory = o->memory;
    s->alone = og_phases_alone(NULL);
    s->phases = &s->alone;
    pthread_mutex_init(&s->counting, NULL);
    og_memtable_init(&s->memtable, NULL, 0, 0);
    const og_status status = open_all(s, place, o, err);
    if (status == OG_OK) {
        *out = s;
        return OG_OK;
    }
    og_sentences_close(s);
    return status;
}

void og_sentences_close(og_sentences *s)
{
    if (s == NULL) return;
    const og_allocator *a = s->allocator;
    close_files(s);
    og_quote_asker_release(&s->own);
    og_memtable_release(&s->memtable);
    if (s->folder != NULL) og_release(a, s->folder, strlen(s->folder) + 1);
    pthread_mutex_destroy(&s->counting);
    og_release(a, s, sizeof(*s));
}

void og_sentences_info_get(const og_sentences *s, og_sentences_info *out)
{
    uint64_t n_keys = s->memtable.n_words;
    *out = (og_sentences_info){.n_documents = s->memtable.n_documents,
                               .n_sentences = s->n_sentences,
                               .n_wordsets = s->memtable.n_wordsets,
                               .n_words = s->memtable.n_counted,
                               .n_segments = s->n_segments,
                               .n_waiting = s->memtable.n_sentences,
                               .signature_bits = s->manifest.signature_bits,
                               .word_bits = s->manifest.word_bits,
                               .stop = s->manifest.stop,
                               .stem = s->manifest.stem};
    for (size_t i = 0; i < s->n_segments; i++) {
        const struct og_sentence_totals *f = &s->segment[i].totals;
        out->n_documents += f->n_documents;
        out->n_wordsets += f->n_wordsets;
        out->n_words += f->n_words;
        out->n_bytes += og_sentence_segment_size(&s->segment[i]);
        n_keys += f->n_keys;
    }
    out->mean_words =
        out->n_wordsets == 0 ? 0 : (double)n_keys / (double)out->n_wordsets;
}
