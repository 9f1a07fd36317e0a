/* The index of sentences of a store, and queries to it. */

#include <stdio.h>
#include <string.h>

#include "lib/index/index_kinds.h"
#include "lib/sentence/index/sentences_run.h"
#include "lib/store/store_disk.h"
#include "lib/store/text/stored_texts.h"

/* The current query. */
struct sentences_question {
    const struct sentences_of_store *of;
    og_trace *trace; /* for looking documents up */
    struct og_subject subject;
    uint32_t n_documents; /* that the store had when the query began */
};

struct sentences_of_store {
    struct og_asked_index base;
    og_sentences *sentences;
    struct sentences_question question; /* for single queries */
    struct og_quote_run run;
};

/* ---- callbacks of the engine into the store ---- */

static og_status get_stored(void *ctx, uint32_t number, og_document *out,
                            og_error *err)
{
    struct og_stored_texts *stored = ctx;
    bool is_there;
    TRY(og_stored_texts_get(stored, number, out, &is_there, err));
    if (!is_there)
        return og_error_set(err, OG_ERR_STORE, "document %u is not there",
                            number);
    return OG_OK;
}

static og_status get_document(void *ctx, uint32_t number, og_document *out,
                              og_error *err)
{
    const struct sentences_of_store *x = ctx;
    struct og_stored_texts *stored;
    TRY(og_store_stored(x->base.store, &stored, err));
    return get_stored(stored, number, out, err);
}

static og_status settle(void *ctx, og_error *err)
{
    const struct sentences_of_store *x = ctx;
    return og_store_commit(x->base.store, err);
}

/* ---- opening ---- */

static void close_sentences(void *index)
{
    struct sentences_of_store *x = index;
    og_quote_run_release(&x->run);
    og_sentences_close(x->sentences);
    og_asked_index_free(&x->base, sizeof(*x));
}

/* A store with a table has one cap for both: an index of sentences that wants
 * more than half of the table's memory gets half, or 16 MiB where half is less;
 * never more than it wants. */
static uint64_t memory_for(const og_store *store, uint64_t wanted)
{
    const uint64_t least = (uint64_t)16 << 20;
    const uint64_t half = store->params.memory / 2;
    const uint64_t most = half > least ? half : least;
    if ((store->indexes.on & OG_INDEX_PASSAGES) == 0 || wanted <= most)
        return wanted;
    return most;
}

static og_status open_sentences(og_store *store, const char *folder,
                                bool is_new, const og_store_options *options,
                                void **out, uint32_t *out_n, og_error *err)
{
    og_sentences_options making =
        options != NULL && options->sentence_options != NULL
            ? *options->sentence_options
            : og_sentences_options_default();
    if (folder != NULL) making.memory = memory_for(store, making.memory);
    struct sentences_of_store *x;
    TRY(og_asked_index_new(store, sizeof(*x), out, err));
    x = *out;
    const struct og_sentences_store of = {
        .ctx = x,
        .uuid = store->disk != NULL ? store->disk->conf.uuid : NULL,
        .document = get_document,
        .settle = settle};
    const struct og_sentences_place place = {.folder = folder,
                                             .is_writable =
                                                 !store->is_read_only,
                                             .is_new = is_new,
                                             .store = &of};
    const og_status status =
        og_sentences_open(&place, &making, &x->sentences, err);
    if (status != OG_OK) {
        close_sentences(x);
        *out = NULL;
        return status;
    }
    *out_n = x->sentences->n_documents;
    return OG_OK;
}

static og_status n_saved(const og_store *store, const char *folder,
                         uint32_t *out, og_error *err)
{
    struct og_sentence_manifest manifest;
    TRY(og_sentence_manifest_read(&manifest, folder, err));
    if (manifest.is_old || memcmp(manifest.uuid, store->disk->conf.uuid,
                                  OG_SENTENCES_UUID_LEN) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s/manifest' belongs to another store", folder);
    *out = manifest.n_documents;
    return OG_OK;
}

/* ---- documents ---- */

static og_status add(void *index, uint32_t number, const og_document *doc,
                     int64_t time, og_error *err)
{
    struct sentences_of_store *x = index;
    return og_sentences_add(x->sentences, number, doc, time, err);
}

static void skip(void *index, uint32_t number)
{
    struct sentences_of_store *x = index;
    x->sentences->n_documents = number + 1;
}

static og_status flush(void *index, const struct og_phases *phases,
                       og_error *err)
{
    struct sentences_of_store *x = index;
    og_sentences *s = x->sentences;
    s->phases = phases;
    const og_status status = og_sentences_flush(s, err);
    s->phases = &s->alone;
    return status;
}

static void describe(const void *index, struct og_index_making *out)
{
    const struct sentences_of_store *x = index;
    const struct og_sentence_manifest *m = &x->sentences->manifest;
    *out = (struct og_index_making){
        .sentences = {.memory = x->sentences->memory,
                      .signature_bits = m->signature_bits,
                      .word_bits = m->word_bits}};
    memcpy(out->stop, m->stop, sizeof(out->stop));
    memcpy(out->stem, m->stem, sizeof(out->stem));
    if (out->stop[0] != 0) out->sentences.stop = out->stop;
    if (out->stem[0] != 0) out->sentences.stem = out->stem;
}

static bool is_file(const char *name)
{
    return strcmp(name, "manifest") == 0 || strcmp(name, "lock") == 0 ||
           strncmp(name, "image-", 6) == 0 || strncmp(name, "journal-", 8) == 0;
}

/* ---- queries ---- */

/* Whether it may be shown and has another id. */
static bool is_reported(void *ctx, uint32_t number)
{
    struct sentences_question *q = ctx;
    struct og_lookup *lookup = &q->trace->lookup;
    struct og_entry entry;
    const og_bytes id = q->subject.doc->id;
    if (!og_asked_index_shows(&q->of->base, q->n_documents, number))
        return false;
    if (q->subject.latest == OG_NO_DOC) return true;
    og_lookup_clear(lookup);
    if (og_lookup_get(lookup, number, &entry, NULL) != OG_OK)
        return true; /* its names are looked up next, which reports the failure
                      */
    return entry.id.len != id.len ||
           memcmp(entry.id.data, id.data, id.len) != 0;
}

/* `known`: what og_store_identify() found before the document was added; NULL:
 * it is not in the store. */
static og_status scope_of(struct sentences_question *q, const og_document *doc,
                          const struct og_subject *known, bool later,
                          struct og_quote_scope *out, og_error *err)
{
    og_store *store = q->of->base.store;
    if (known != NULL) {
        q->subject = *known;
    } else {
        q->subject = (struct og_subject){.doc = doc,
                                         .text_hash = og_text_hash(doc->text),
                                         .text_len = doc->text.len};
        TRY(og_store_identify(store, &q->subject, true, q->trace, err));
    }
    *out = (struct og_quote_scope){.ctx = q,
                                   .has_end = !later,
                                   .time = q->subject.place.time,
                                   .number = q->subject.place.number,
                                   .is_reported = is_reported};
    return OG_OK;
}

/* If nothing was removed, the index has no newer documents than the store and
 * no document has this id, nothing need be filtered. Not while a writer works
 * on another thread. */
static void look_less(const struct sentences_question *q,
                      struct og_quote_scope *scope)
{
    const struct sentences_of_store *x = q->of;
    if (q->subject.latest == OG_NO_DOC && x->base.store->n_removed == 0 &&
        x->sentences->n_documents <= q->n_documents)
        scope->is_reported = NULL;
}

/* ---- runs ---- */

struct sentences_asker {
    struct og_run_asker base;
    struct og_quote_asker quote;
    struct sentences_question question;
};

static void free_asker(void *asker)
{
    struct sentences_asker *a = asker;
    og_quote_asker_release(&a->quote);
    og_run_asker_free(&a->base, sizeof(*a));
}

static og_status new_asker(void *index, og_trace *trace, void **out,
                           og_error *err)
{
    struct sentences_of_store *x = index;
    TRY(og_run_asker_new(x->base.store, trace, sizeof(struct sentences_asker),
                         out, err));
    struct sentences_asker *a = *out;
    const og_status status = og_quote_asker_init(&a->quote, x->sentences, err);
    if (status != OG_OK) {
        free_asker(a);
        *out = NULL;
        return status;
    }
    a->quote.document = get_stored;
    a->quote.document_ctx = a->base.stored;
    return OG_OK;
}

static og_status thread_of(void *ctx, void *worker, size_t i,
                           struct og_quote_thread *out, og_error *err)
{
    struct sentences_of_store *x = ctx;
    const struct og_index_doc *d = &x->base.run->docs[i];
    const og_quote_options *options = x->base.run->question;
    void *asker;
    TRY(og_run_asker_get(x->base.run, worker, &og_index_sentences, x, &asker,
                         err));
    struct sentences_asker *a = asker;
    *out =
        (struct og_quote_thread){.asker = &a->quote, .arena = &a->base.arena};
    if (options == NULL) return OG_OK;
    a->question.of = x;
    a->question.trace = a->base.trace;
    a->question.n_documents = x->base.n_documents;
    TRY(scope_of(&a->question, d->doc, d->subject, options->later, &out->scope,
                 err));
    look_less(&a->question, &out->scope);
    return OG_OK;
}

static og_status begin_run(void *index, const struct og_index_run *run,
                           og_error *err)
{
    struct sentences_of_store *x = index;
    return og_quote_run_begin(&x->run, run->n, err);
}

static void put_run_doc(void *index, size_t i, const struct og_index_doc *doc)
{
    struct sentences_of_store *x = index;
    x->run.docs[i].doc = doc->doc;
    x->run.docs[i].number = doc->number;
    x->run.docs[i].time = doc->time;
}

static og_status take_run(void *index, const struct og_index_run *run,
                          og_error *err)
{
    struct sentences_of_store *x = index;
    x->run.phases = run->phases;
    x->run.ctx = x;
    x->run.thread_of = thread_of;
    x->run.options = run->question;
    og_asked_index_begin(&x->base, run);
    return og_quote_run_take(&x->run, x->sentences, err);
}

static void get_answer(const void *index, size_t i, struct og_index_doc *doc)
{
    const struct sentences_of_store *x = index;
    doc->answer = x->run.docs[i].answer;
    doc->n_answer = 1;
}

static uint32_t n_documents(const void *index)
{
    return ((const struct sentences_of_store *)index)->sentences->n_documents;
}

const struct og_index_ops og_index_sentences = {
    .name = "sentences",
    .bit = OG_INDEX_SENTENCES,
    .open = open_sentences,
    .close = close_sentences,
    .n_saved = n_saved,
    .add = add,
    .begin_run = begin_run,
    .put_run_doc = put_run_doc,
    .take_run = take_run,
    .get_answer = get_answer,
    .n_documents = n_documents,
    .new_asker = new_asker,
    .free_asker = free_asker,
    .skip = skip,
    .flush = flush,
    .describe = describe,
    .is_file = is_file,
};

/* ---- one document ---- */

og_status og_store_quote(og_store *store, const og_document *doc,
                         const og_quote_options *options, const og_quotes **out,
                         og_error *err)
{
    const og_quote_options usual = og_quote_options_default();
    struct og_quote_scope scope;
    void *index;
    *out = NULL;
    if (options == NULL) options = &usual;
    TRY(og_index_get(store, OG_INDEX_SENTENCES, &index, err));
    struct sentences_of_store *x = index;
    x->question.of = x;
    x->question.trace = x->base.trace;
    x->question.n_documents = og_asked_index_now(&x->base);
    TRY(scope_of(&x->question, doc, NULL, options->later, &scope, err));
    look_less(&x->question, &scope);
    return og_sentences_ask(x->sentences, doc, options, &scope, out, err);
}

static og_status ask_shared(struct sentences_of_store *x, og_trace *trace,
                            const og_document *doc,
                            const og_quote_options *options,
                            const og_quotes **out, og_error *err)
{
    struct og_quote_scope scope;
    void *asker;
    TRY(og_index_asker(trace, &og_index_sentences, x, &asker, err));
    struct sentences_asker *a = asker;
    a->question = (struct sentences_question){
        .of = x, .trace = trace, .n_documents = og_asked_index_now(&x->base)};
    TRY(scope_of(&a->question, doc, NULL, options->later, &scope, err));
    return og_quote_ask_now(&a->quote, doc, options, &scope, out, err);
}

og_status og_trace_quote(og_trace *trace, const og_document *doc,
                         const og_quote_options *options, const og_quotes **out,
                         og_error *err)
{
    const og_quote_options usual = og_quote_options_default();
    void *index;
    *out = NULL;
    if (options == NULL) options = &usual;
    const bool alone = og_quote_has_to_sample(options);
    TRY(og_index_enter(trace->store, OG_INDEX_SENTENCES, alone, &index, err));
    const og_status status = ask_shared(index, trace, doc, options, out, err);
    og_index_leave(trace->store, OG_INDEX_SENTENCES, alone);
    return status;
}

og_status og_store_sentences_info(og_store *store, og_sentences_info *out,
                                  og_error *err)
{
    void *index;
    *out = (og_sentences_info){.stop = "", .stem = ""};
    TRY(og_index_get(store, OG_INDEX_SENTENCES, &index, err));
    const struct sentences_of_store *x = index;
    TRY(og_sentences_count(x->sentences, err));
    og_sentences_info_get(x->sentences, out);
    return OG_OK;
}

og_status og_store_quote_explain(og_store *store,
                                 const og_quote_options *options, char *out,
                                 size_t out_cap, og_error *err)
{
    void *index;
    TRY(og_index_get(store, OG_INDEX_SENTENCES, &index, err));
    const struct sentences_of_store *x = index;
    const og_quote_options usual = og_quote_options_default();
    TRY(og_sentences_count(x->sentences, err));
    og_sentences_explain(x->sentences, options != NULL ? options : &usual, out,
                         out_cap);
    return OG_OK;
}
