/* Whole documents.
 *
 * Usually one pass suffices: documents come in order, each is compared with
 * those kept before it and is written or not, and only the sketches of the kept
 * ones must be remembered. Two cases need more:
 *
 * - An order other than that of the input (--keep last, longest, field) or
 *   components. Then the first pass only makes the sketches, they are decided
 *   on in the order of preference, and a second pass writes.
 *
 * - More kept documents than fit into memory. When the table is full, those
 *   that come later are compared with it and, if they are not copies, put
 *   aside. Then the table is emptied and those that were put aside are decided
 *   on in the next round, in the same order. A document meets all documents
 *   kept before it, earliest first, in one round or in many: so the outcome is
 *   the same, to the byte.
 *
 * Documents put aside, and decisions made out of order, are sorted by the
 * sorter (lib/disk/sorter.h), on disk if there are many. */

#include <stdlib.h>
#include <string.h>

#include "lib/dedup/decide_batch.h"
#include "lib/dedup/dedup_journal.h"
#include "lib/dedup/dedup_levels.h"
#include "lib/dedup/joiner.h"
#include "lib/disk/sorter.h"
#include "lib/source/json/jsonl.h"

#define MB ((size_t)1 << 20)

/* Shares of the memory: the table gets the rest. */
#define CACHE_MOST  (32 * MB)
#define SORTER_MOST (64 * MB)

/* A document that is put aside; the counts of its bands and the sketch follow.
 */
struct aside {
    uint64_t rank, number;
    struct og_dedup_place place;
    struct og_set_parity parity;
};

/* A removal that was decided out of order. */
struct removed {
    uint64_t number;
    struct og_dedup_entry of;
    double similarity;
};

struct level {
    struct og_dedup_run *run; /* first: lib/dedup/dedup.c */
    const og_dedup_options *options;
    struct og_shingle_factors key;
    struct og_band_sketcher sketcher;
    struct og_dedup_texts *texts;
    struct og_decider decider;
    struct og_decide_batch batch;
    struct og_decide_doc *docs; /* of the batch */
    size_t docs_cap;
    bool has_batches;
    size_t at;             /* in the batch */
    size_t threads_memory; /* for the texts that each thread reads */
    struct og_dedup_journal journal;
    size_t sorter_memory;
    uint64_t n; /* documents so far, including those to compare with */
    bool is_against;
    bool is_deferred;   /* nothing is decided before everything was read */
    uint64_t n_written; /* documents at the front that are done */
    size_t aside_len;   /* of a record */
    char *record;       /* scratch of that length */
    struct og_sorter *aside, *removed;
    struct og_joiner joined; /* of components */
    uint64_t n_again;        /* documents of the second pass */
    size_t n_found;          /* entries of the journal that were found again */
    char *unescaped;
    size_t unescaped_cap;
    struct removed next_removed; /* of the second pass */
    bool has_next;
    uint8_t *centers; /* a bit for each kept document that has copies */
    size_t centers_cap;
};

/* ---- one document ---- */

/* With its text and its time, which the stream does not have for lines in the
 * file. */
static og_status read_document(struct level *l, const struct og_dedup_doc *d,
                               og_document *out, og_error *err)
{
    struct og_record record;
    struct og_jsonl_problem problem;
    *out = d->doc;
    if (d->record.len == 0) return OG_OK;
    if (!OG_GROW(NULL, l->unescaped, l->unescaped_cap,
                 d->record.len + OG_BLOCK_PADDING))
        return og_error_memory(err, d->record.len, "a text");
    if (og_jsonl_read(d->record, &l->run->input->fields, l->unescaped, NULL,
                      &record, &problem) == NULL)
        return og_error_set(err, OG_ERR_INPUT, "%s", problem.message);
    *out = record.doc;
    out->id = d->doc.id;
    return OG_OK;
}

/* Where it can be read again: a copy of it if necessary. */
static og_status find_place(struct level *l, const struct og_dedup_doc *d,
                            struct og_dedup_place *out, og_error *err)
{
    bool is_plain;
    og_document doc;
    if (d->is_stored) {
        *out = (struct og_dedup_place){.offset = d->offset,
                                       .file = OG_PLACE_STORE,
                                       .len = (uint32_t)l->run->store};
        return OG_OK;
    }
    *out = (struct og_dedup_place){
        .offset = d->offset, .len = (uint32_t)d->record.len, .line = d->line};
    TRY(og_dedup_texts_file(l->texts, d->block->file, &out->file, &is_plain,
                            err));
    if (is_plain && d->record.len != 0 && d->record.len < UINT32_MAX)
        return OG_OK;
    TRY(read_document(l, d, &doc, err));
    return og_dedup_texts_spool(l->texts, doc.id, doc.text, out, err);
}

/* Whether a store that is compared with contains this very document. */
static og_status is_known(struct level *l, const struct og_dedup_doc *d,
                          bool *out, og_error *err)
{
    const struct og_dedup_run *run = l->run;
    og_document doc;
    *out = false;
    if (!l->options->keep_known || l->is_against) return OG_OK;
    TRY(read_document(l, d, &doc, err));
    for (size_t i = 0; i < l->options->n_against && !*out; i++)
        if (run->stores[i] != NULL)
            TRY(og_stored_texts_has(run->stores[i], &doc, out, err));
    return OG_OK;
}

static og_status new_sorter(struct level *l, size_t len, unsigned n_keys,
                            struct og_sorter **out, og_error *err)
{
    if (*out != NULL) return OG_OK;
    return og_sorter_new(len, n_keys, l->sorter_memory, l->run->folder, out,
                         err);
}

static og_status put_aside(struct level *l, uint64_t rank, uint64_t number,
                           const struct og_dedup_place *place,
                           const uint16_t *counts, const struct og_dedup_doc *d,
                           og_error *err)
{
    const struct aside head = {rank, number, *place, d->parity};
    const size_t n_bands = l->options->n_bands;
    memset(l->record, 0, l->aside_len);
    memcpy(l->record, &head, sizeof(head));
    if (counts != NULL)
        memcpy(l->record + sizeof(head), counts, n_bands * sizeof(*counts));
    memcpy(l->record + sizeof(head) + n_bands * sizeof(*counts), d->sketch,
           l->sketcher.n_samples);
    TRY(new_sorter(l, l->aside_len, 2, &l->aside, err));
    return og_sorter_add(l->aside, l->record, err);
}

static og_status note_removed(struct level *l, uint64_t number,
                              const struct og_dedup_entry *of,
                              double similarity, og_error *err)
{
    const struct removed r = {number, *of, similarity};
    TRY(new_sorter(l, sizeof(r), 1, &l->removed, err));
    return og_sorter_add(l->removed, &r, err);
}

/* Counts each kept document with copies once. */
static og_status count_cluster(struct level *l, uint64_t number, og_error *err)
{
    const size_t at = (size_t)(number / 8), old = l->centers_cap;
    if (!OG_GROW(NULL, l->centers, l->centers_cap, at + 1))
        return og_error_memory(err, at, "clusters");
    memset(l->centers + old, 0, l->centers_cap - old);
    const uint8_t bit = (uint8_t)(1u << number % 8);
    if (l->centers[at] & bit) return OG_OK;
    l->centers[at] |= bit;
    l->run->counts->n_clusters++;
    og_dedup_journal_center(&l->journal, number);
    return OG_OK;
}

/* Documents to compare with are counted first. */
static uint64_t number_of_input(const struct level *l,
                                const struct og_dedup_entry *entry)
{
    const uint64_t n_against = l->run->counts->n_against;
    return entry->number < n_against ? OG_NOT_OF_INPUT
                                     : entry->number - n_against;
}

static og_status write_removed(struct level *l, const struct og_dedup_doc *d,
                               const struct og_dedup_entry *of,
                               double similarity, og_error *err)
{
    og_bytes of_id;
    TRY(og_dedup_texts_id(l->texts, of->number, &of->place, &of_id, err));
    const struct og_removal removal = {.id = d->doc.id,
                                       .of_id = of_id,
                                       .similarity = similarity,
                                       .cluster = of->number + 1,
                                       .of_number = number_of_input(l, of),
                                       .file = d->block->file,
                                       .line = d->line};
    l->run->counts->n_removed++;
    TRY(count_cluster(l, of->number, err));
    return og_dedup_write_removed(&l->run->output, d, &removal, err);
}

static og_status write_kept(struct level *l, const struct og_dedup_doc *d,
                            og_error *err)
{
    l->run->counts->n_kept++;
    l->run->counts->kept_len += d->text_len;
    return og_dedup_write_kept(&l->run->output, d, err);
}

/* ---- the first pass ---- */

static og_status decide_now(struct level *l, struct og_dedup_doc *d,
                            uint64_t number, og_error *err)
{
    struct og_verdict verdict;
    struct og_decide_doc doc = {.number = number,
                                .sketch = d->sketch,
                                .parity = d->parity,
                                .words = d->words,
                                .n_tokens = d->n_tokens,
                                .is_against = l->is_against};
    if (l->has_batches)
        TRY(og_decide_batch_next(&l->batch, l->at++, &doc, &verdict, err));
    else
        TRY(og_decide(&l->decider, &doc, &verdict, err));
    if (verdict.kind == OG_VERDICT_COPY) {
        if (l->aside == NULL)
            return write_removed(l, d, &verdict.of, verdict.similarity, err);
        return note_removed(l, number, &verdict.of, verdict.similarity, err);
    }
    TRY(find_place(l, d, &doc.place, err));
    if (verdict.kind == OG_VERDICT_LATER)
        return put_aside(l, 0, number, &doc.place, l->decider.reader.hits.found,
                         d, err);
    l->decider.entries[verdict.entry].place = doc.place;
    if (l->is_against) return OG_OK;
    if (!l->has_batches)
        TRY(og_dedup_texts_lend(l->texts, number, d->words, d->n_tokens,
                                d->doc.id, err)); /* until end_block() */
    if (l->aside != NULL) return OG_OK;
    og_dedup_journal_keep(&l->journal, number, d->sketch);
    return write_kept(l, d, err);
}

/* A document that an earlier run decided on: if it was kept, it must be found
 * again. */
static og_status pass_over(struct level *l, const struct og_dedup_doc *d,
                           uint64_t number, og_error *err)
{
    struct og_dedup_entry *next = &l->decider.entries[l->n_found];
    l->run->counts->n_resumed++;
    l->n_written = l->n;
    if (l->n_found == l->decider.table.n || next->number != number)
        return OG_OK;
    l->n_found++;
    return find_place(l, d, &next->place, err);
}

static og_status take_first(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    const uint64_t number = l->n++;
    struct og_dedup_place place;
    bool stays;
    if (l->n > UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT, "more than 2^32 documents");
    if (d->sketch == NULL) return pass_over(l, d, number, err);
    if (!l->is_against && d->n_tokens == 0) l->run->counts->n_without++;
    TRY(is_known(l, d, &stays, err));
    if (!l->is_deferred) {
        const bool was_whole = l->aside == NULL;
        if (!stays)
            TRY(decide_now(l, d, number, err));
        else if (was_whole)
            TRY(write_kept(l, d, err));
        if (was_whole && l->aside == NULL) l->n_written = l->n;
        return OG_OK;
    }
    if (stays) return OG_OK; /* never removed */
    TRY(find_place(l, d, &place, err));
    uint64_t rank = d->rank;
    if (l->options->keep == OG_KEEP_LAST) rank = UINT64_MAX - number;
    if (l->is_against) rank = 0;
    return put_aside(l, rank, number, &place, NULL, d, err);
}

/* ---- its phases (lib/dedup/decide_batch.h) ---- */

/* Documents per piece: enough to make the cost of taking one negligible. */
#define PIECE_DOCS 8

struct thread { /* worker->mine */
    struct og_decide_thread looking;
    bool is_looking;
    struct og_group_scratch grouping;
    const uint8_t **sketches;
    uint32_t *leaders;
    size_t sketches_cap, leaders_cap;
};

struct block { /* batch->own */
    const uint32_t *leaders;
};

static void stop_worker(void *ctx, struct og_dedup_worker *worker)
{
    struct thread *t = worker->mine;
    (void)ctx;
    if (t == NULL) return;
    if (t->is_looking) og_decide_thread_release(&t->looking);
    OG_UNGROW(NULL, t->grouping.slots, t->grouping.slots_cap);
    OG_UNGROW(NULL, t->sketches, t->sketches_cap);
    OG_UNGROW(NULL, t->leaders, t->leaders_cap);
    og_release(NULL, t, sizeof(*t));
    worker->mine = NULL;
}

static og_status thread_of(struct og_dedup_worker *worker, struct thread **out,
                           og_error *err)
{
    TRY(og_dedup_worker_own(worker, sizeof(**out), err));
    *out = worker->mine;
    return OG_OK;
}

static og_status make_block(void *ctx, struct og_dedup_worker *worker,
                            struct og_batch *b, og_error *err)
{
    struct level *l = ctx;
    const struct og_dedup_doc *first = b->docs[0].made;
    const size_t n_all = b->n_docs * l->options->n_bands;
    struct block *block = b->own;
    struct thread *t;
    block->leaders = NULL;
    if (first->sketch == NULL) return OG_OK;
    TRY(thread_of(worker, &t, err));
    if (!OG_GROW(NULL, t->sketches, t->sketches_cap, b->n_docs) ||
        !OG_GROW(NULL, t->leaders, t->leaders_cap, n_all))
        return og_error_memory(err, n_all * 4, "bands");
    for (size_t i = 0; i < b->n_docs; i++)
        t->sketches[i] = ((const struct og_dedup_doc *)b->docs[i].made)->sketch;
    TRY(og_decide_group(&l->sketcher.design, t->sketches, b->n_docs,
                        &t->grouping, t->leaders, err));
    block->leaders = t->leaders;
    return OG_BATCH_KEEP(b, block->leaders, n_all)
               ? OG_OK
               : og_error_memory(err, n_all * 4, "bands");
}

/* A phase over the documents of a block, piece by piece. */
struct looking {
    struct level *level;
    size_t n;
    bool is_try;
};

static og_status look_at_piece(void *ctx, void *worker, size_t piece,
                               og_error *err)
{
    const struct looking *looking = ctx;
    struct level *l = looking->level;
    const size_t begin = piece * PIECE_DOCS;
    struct thread *t;
    TRY(thread_of(worker, &t, err));
    if (!t->is_looking) {
        t->is_looking = true;
        TRY(og_decide_thread_init(&t->looking, l->texts, l->threads_memory,
                                  err));
    }
    for (size_t i = begin; i < looking->n && i < begin + PIECE_DOCS; i++)
        TRY(looking->is_try
                ? og_decide_batch_try(&l->batch, &t->looking, i, l->docs, err)
                : og_decide_batch_look(&l->batch, &t->looking, i, &l->docs[i],
                                       err));
    return OG_OK;
}

/* All documents of the block, lent until end_block(). */
static og_status list_docs(struct level *l, const struct og_batch *b,
                           og_error *err)
{
    if (!OG_GROW(NULL, l->docs, l->docs_cap, b->n_docs))
        return og_error_memory(err, b->n_docs * sizeof(*l->docs), "documents");
    for (size_t i = 0; i < b->n_docs; i++) {
        const struct og_dedup_doc *d = b->docs[i].made;
        l->docs[i] = (struct og_decide_doc){.number = l->n + i,
                                            .sketch = d->sketch,
                                            .parity = d->parity,
                                            .words = d->words,
                                            .n_tokens = d->n_tokens,
                                            .is_against = l->is_against};
        if (!l->is_against)
            TRY(og_dedup_texts_lend(l->texts, l->n + i, d->words, d->n_tokens,
                                    b->docs[i].doc.id, err));
    }
    return OG_OK;
}

static og_status begin_block(void *ctx, struct og_batch *b, og_error *err)
{
    struct level *l = ctx;
    const struct block *block = b->own;
    const struct og_phases phases = og_stream_phases(b);
    struct looking looking = {.level = l, .n = b->n_docs};
    l->at = 0;
    l->has_batches = b->n_docs > 0 && block->leaders != NULL;
    if (!l->has_batches) return OG_OK;
    const size_t n_pieces = (b->n_docs + PIECE_DOCS - 1) / PIECE_DOCS;
    const size_t memory = l->decider.options.summaries_memory;
    l->threads_memory =
        (memory != 0 ? memory : CACHE_MOST) / og_stream_threads(b);
    TRY(og_decide_batch_begin(&l->batch, b->n_docs, block->leaders, err));
    TRY(list_docs(l, b, err));
    TRY(og_dedup_texts_flush(l->texts, err));
    TRY(og_phases_step(&phases, "look up", n_pieces, look_at_piece, &looking,
                       err));
    if (l->is_against) return OG_OK;
    looking.is_try = true;
    return og_phases_step(&phases, "try", n_pieces, look_at_piece, &looking,
                          err);
}

static og_status add_to_band(void *ctx, void *worker, size_t piece,
                             og_error *err)
{
    (void)worker;
    return og_decide_batch_add(ctx, (uint32_t)piece, err);
}

static og_status settle_block(void *ctx, struct og_batch *b, og_error *err)
{
    struct level *l = ctx;
    const struct og_phases phases = og_stream_phases(b);
    if (!l->has_batches) return OG_OK;
    TRY(og_phases_step(&phases, "add", l->options->n_bands, add_to_band,
                       &l->batch, err));
    og_decide_batch_end(&l->batch);
    return OG_OK;
}

/* Texts of stores have one reader, and deferred decisions are made one after
 * the other. */
static void use_batches(const struct level *l, struct og_dedup_source *source)
{
    for (size_t i = 0; i < l->options->n_against; i++)
        if (l->run->stores[i] != NULL) return;
    if (l->is_deferred) return;
    source->own_len = sizeof(struct block);
    source->make_block = make_block;
    source->begin_block = begin_block;
    source->settle_block = settle_block;
    source->stop_worker = stop_worker;
}

static og_status end_block(void *ctx, uint64_t sequence, og_error *err)
{
    struct level *l = ctx;
    const uint64_t n = l->n - l->run->counts->n_against;
    og_dedup_texts_call_back(l->texts);
    if (l->aside != NULL) return OG_OK;
    if (sequence + 1 < l->journal.mark.n_blocks) return OG_OK;
    if (l->journal.is_resumed && sequence + 1 == l->journal.mark.n_blocks) {
        if (n == l->journal.mark.n_documents) return OG_OK;
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' names %llu documents where the input has "
                            "%llu; remove it to begin anew",
                            l->journal.path,
                            (unsigned long long)l->journal.mark.n_documents,
                            (unsigned long long)n);
    }
    return og_dedup_journal_mark(&l->journal, sequence + 1, n, l->run->counts,
                                 &l->run->output, err);
}

static void fill_source(struct level *l, struct og_dedup_source *out)
{
    og_dedup_source_fill(l->run, out);
    out->key = &l->key;
    out->sketcher = &l->sketcher;
    out->ctx = l;
    out->take = take_first;
    use_batches(l, out);
}

static og_status read_against(struct level *l, og_error *err)
{
    struct og_dedup_source source;
    fill_source(l, &source);
    l->is_against = true;
    TRY(og_dedup_against(l->run, &source, err));
    l->has_batches = false;
    l->is_against = false;
    l->n_written = l->n;
    return OG_OK;
}

static og_status read_documents(struct level *l, og_error *err)
{
    struct og_dedup_source source;
    fill_source(l, &source);
    source.end_block = end_block;
    source.n_skip_blocks = l->journal.mark.n_blocks;
    source.n_known_blocks = l->journal.mark.n_blocks;
    source.step = "documents";
    const og_status status =
        og_dedup_pass(l->run, &source, &l->run->counts->stream, err);
    l->has_batches = false;
    og_dedup_texts_call_back(l->texts); /* of an incomplete block */
    return status;
}

/* ---- rounds ---- */

static og_status decide_aside(struct level *l, char *record, og_error *err)
{
    struct aside head;
    struct og_verdict verdict;
    memcpy(&head, record, sizeof(head));
    uint16_t *before = (uint16_t *)(void *)(record + sizeof(head));
    const uint32_t n_bands = l->options->n_bands;
    const struct og_decide_doc doc = {
        .number = head.number,
        .place = head.place,
        .sketch = (const uint8_t *)(before + n_bands),
        .parity = head.parity,
        .before = before,
        .is_against = head.number < l->run->counts->n_against,
    };
    TRY(og_decide(&l->decider, &doc, &verdict, err));
    if (verdict.kind == OG_VERDICT_COPY)
        return note_removed(l, head.number, &verdict.of, verdict.similarity,
                            err);
    if (verdict.kind != OG_VERDICT_LATER) return OG_OK;
    for (uint32_t b = 0; b < n_bands; b++)
        before[b] = (uint16_t)(before[b] + l->decider.reader.hits.found[b]);
    TRY(new_sorter(l, l->aside_len, 2, &l->aside, err));
    return og_sorter_add(l->aside, record, err);
}

static og_status note_order(struct level *l, og_error *err)
{
    struct aside head;
    memcpy(&head, l->record, sizeof(head));
    return og_joiner_note(&l->joined, head.number, &head.place, err);
}

static og_status run_round(struct level *l, struct og_sorter *sorter,
                           og_error *err)
{
    const void *record;
    og_status status;
    uint64_t n_done = 0;
    const og_input *input = l->run->input;
    og_stream_counts shown = {0};
    TRY(og_sorter_finish(sorter, err));
    while ((status = og_sorter_next(sorter, &record, err)) == OG_OK) {
        memcpy(l->record, record, l->aside_len);
        if (l->options->cluster == OG_CLUSTER_COMPONENTS)
            TRY(note_order(l, err));
        TRY(decide_aside(l, l->record, err));
        if (++n_done % 1024 != 0 || input->on_progress == NULL) continue;
        shown.n_documents = n_done;
        input->on_progress(input->ctx, "rounds", &shown);
    }
    return status == OG_END ? OG_OK : status;
}

static og_status run_rounds(struct level *l, og_error *err)
{
    if (!l->is_deferred) l->run->counts->n_rounds = 1;
    while (l->aside != NULL) {
        struct og_sorter *sorter = l->aside;
        l->aside = NULL;
        l->run->counts->n_rounds++;
        og_decider_clear(&l->decider);
        const og_status status = run_round(l, sorter, err);
        og_sorter_free(sorter);
        TRY(status);
    }
    return OG_OK;
}

/* Components: all but the first document of each are removed. */
static og_status remove_joined(struct level *l, og_error *err)
{
    for (uint64_t i = l->run->counts->n_against; i < l->n; i++) {
        struct og_dedup_entry self, first;
        double similarity;
        TRY(og_joined_first(&l->joined, i, &self, &first, err));
        if (first.number == i) continue;
        TRY(og_decide_similarity(&l->decider, &first, &self, &similarity, err));
        TRY(note_removed(l, i, &first, similarity, err));
    }
    return OG_OK;
}

/* ---- the second pass ---- */

static og_status step_removed(struct level *l, og_error *err)
{
    const void *record;
    l->has_next = false;
    if (l->removed == NULL) return OG_OK;
    const og_status status = og_sorter_next(l->removed, &record, err);
    if (status == OG_END) return OG_OK;
    TRY(status);
    memcpy(&l->next_removed, record, sizeof(l->next_removed));
    l->has_next = true;
    return OG_OK;
}

static og_status take_second(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    const uint64_t number = l->n_again++;
    if (number < l->n_written) return OG_OK;
    if (!l->has_next || l->next_removed.number != number)
        return write_kept(l, d, err);
    TRY(write_removed(l, d, &l->next_removed.of, l->next_removed.similarity,
                      err));
    return step_removed(l, err);
}

static og_status write_again(struct level *l, og_error *err)
{
    struct og_dedup_source source;
    og_dedup_source_fill(l->run, &source);
    source.key = &l->key;
    source.ctx = l;
    source.take = take_second;
    l->n_again = l->run->counts->n_against;
    if (l->removed != NULL) TRY(og_sorter_finish(l->removed, err));
    TRY(step_removed(l, err));
    TRY(og_dedup_pass_again(l->run, &source, err));
    if (l->n_again != l->n || l->has_next)
        return og_error_set(err, OG_ERR_INPUT,
                            "the input was changed while it was read");
    return OG_OK;
}

/* ---- beginning and end ---- */

static og_status remember_kept(void *ctx, uint64_t number,
                               const uint8_t *sketch, og_error *err)
{
    struct level *l = ctx;
    struct og_verdict verdict;
    const struct og_decide_doc doc = {
        .number = number, .sketch = sketch, .is_against = true};
    TRY(og_decide(&l->decider, &doc, &verdict, err));
    if (verdict.kind == OG_VERDICT_KEPT) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "less memory than the run had that is resumed");
}

static og_status remember_center(void *ctx, uint64_t number, og_error *err)
{
    return count_cluster(ctx, number, err);
}

/* Resumes where an earlier run was interrupted, or starts anew. */
static og_status open_outputs(struct level *l, og_error *err)
{
    const struct og_dedup_run *run = l->run;
    l->n_found = l->decider.table.n;
    TRY(og_dedup_output_lock(&l->run->output, err));
    TRY(og_dedup_journal_open(&l->journal, run, l->sketcher.n_samples, l,
                              remember_kept, remember_center, err));
    if (l->journal.is_resumed) {
        const uint64_t n_against = run->counts->n_against;
        *run->counts = l->journal.mark.counts;
        const uint64_t n_tokens = run->counts->stream.n_tokens;
        const uint64_t n_repaired = run->counts->stream.n_repaired;
        run->counts->stream =
            (og_stream_counts){.n_tokens = n_tokens, .n_repaired = n_repaired};
        run->counts->n_against = n_against;
        run->counts->n_resumed = 0;
    }
    l->journal.is_on = l->journal.is_on && !l->is_deferred;
    return og_dedup_output_open(&l->run->output, l->journal.parts,
                                &l->journal.mark.lens, err);
}

static og_status decide_all(struct level *l, og_error *err)
{
    TRY(read_against(l, err));
    TRY(open_outputs(l, err));
    TRY(read_documents(l, err));
    const bool is_whole = l->aside == NULL && !l->is_deferred;
    TRY(run_rounds(l, err));
    if (l->options->cluster == OG_CLUSTER_COMPONENTS)
        TRY(remove_joined(l, err));
    if (!is_whole) TRY(write_again(l, err));
    return og_dedup_texts_check(l->texts, err);
}

static og_status start(struct level *l, og_error *err)
{
    const og_dedup_options *o = l->options;
    const uint64_t memory = o->memory;
    const bool is_components = o->cluster == OG_CLUSTER_COMPONENTS;
    size_t cache = CACHE_MOST;
    l->sorter_memory = SORTER_MOST;
    if (memory != 0 && cache > memory / 16) cache = (size_t)(memory / 16);
    if (memory != 0 && l->sorter_memory > memory / 8)
        l->sorter_memory = (size_t)(memory / 8);
    const struct og_decide_options decide = {
        .design = {o->n_bands, o->n_rows},
        .measure = o->measure,
        .threshold = o->threshold,
        .cluster = o->cluster,
        .memory = memory == 0 ? 0 : memory - 2 * cache - 3 * l->sorter_memory,
        .summaries_memory = memory == 0 ? 0 : cache,
    };
    l->is_deferred = o->keep != OG_KEEP_FIRST || is_components;
    if (l->is_deferred || memory != 0)
        TRY(og_stream_needs_again(
            l->run->input,
            l->is_deferred ? "this order of keeping" : "a cap on memory", err));
    og_shingle_factors_init(&l->key, og_rabin_default(), o->shingle_len);
    TRY(og_band_sketcher_init(&l->sketcher, &decide.design, NULL, err));
    TRY(og_dedup_texts_new(&l->run->input->fields, o->tokens, &l->key, cache,
                           l->run->folder, &l->texts, err));
    og_dedup_texts_stores(l->texts, l->run->stores);
    TRY(og_decider_init(&l->decider, &decide, l->texts, err));
    l->batch.decider = &l->decider;
    if (is_components)
        TRY(og_joiner_start(&l->joined, &l->decider, l->run->folder, err));
    l->aside_len = sizeof(struct aside) + o->n_bands * sizeof(uint16_t) +
                   l->sketcher.n_samples;
    l->aside_len = (l->aside_len + 7) / 8 * 8;
    l->record = og_allocate(NULL, l->aside_len);
    if (l->record == NULL)
        return og_error_memory(err, l->aside_len, "sketches");
    return OG_OK;
}

static void finish(struct level *l)
{
    og_joiner_release(&l->joined);
    og_decide_batch_release(&l->batch);
    OG_UNGROW(NULL, l->docs, l->docs_cap);
    og_decider_release(&l->decider);
    og_dedup_texts_free(l->texts);
    og_band_sketcher_release(&l->sketcher);
    og_sorter_free(l->aside);
    og_sorter_free(l->removed);
    OG_UNGROW(NULL, l->centers, l->centers_cap);
    OG_UNGROW(NULL, l->unescaped, l->unescaped_cap);
    og_release(NULL, l->record, l->aside_len);
}

og_status og_dedup_documents(struct og_dedup_run *run, og_error *err)
{
    struct level l = {
        .run = run, .options = run->options, .joined.places_fd = -1};
    og_status status = start(&l, err);
    if (status == OG_OK) status = decide_all(&l, err);
    run->counts->n_candidates += l.decider.n_candidates;
    run->counts->n_compared += l.decider.n_compared;
    if (status == OG_OK) status = og_dedup_output_commit(&run->output, err);
    /* What cannot be resumed is deleted: this matters most on a full disk. */
    const bool can_resume = run->options->resume && status != OG_OK;
    og_dedup_journal_close(&l.journal, !can_resume); /* under the locks */
    og_dedup_output_close(&run->output, can_resume);
    finish(&l);
    return status;
}
