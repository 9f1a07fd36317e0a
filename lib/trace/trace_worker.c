/* Prepares a document before its turn. A worker processes one document after
 * another in its scratch buffers, so data that the writer will need are copied
 * to the arena of the batch, a few bytes per byte of text, instead of a set of
 * buffers for each of some hundred documents.
 *
 * The copies are plain structs of the stages that borrow their memory: they are
 * read, never grown or released. */

#include "lib/trace/trace_worker.h"

#include <errno.h>
#include <string.h>

#include "lib/base/checksum.h"

/* A batch that held more than this frees its memory. */
#define KEEP_LEN    ((size_t)4 << 20)
#define KEEP_FRAMES ((size_t)512 << 10) /* packed: two blocks as they are */

struct worker {
    struct og_scratch scratch;
    og_trace *trace; /* NULL: not yet */
    struct og_worker_answers answers;
    bool has_answers;
    struct og_framer framer; /* only for work->texts */
    bool has_framer;
    og_bytes *texts; /* of a batch */
    struct og_text_place *places;
    size_t texts_cap, places_cap;
    struct og_pack rendered; /* the current answer */
};

static struct og_traced *traced(const struct og_stream_doc *d)
{
    return d->made;
}

/* ---- beginning and end ---- */

static og_status start_worker(void *ctx, void *mine, og_error *err)
{
    const struct og_trace_work *work = ctx;
    struct worker *w = mine;
    (void)err;
    og_scratch_init(&w->scratch, work->allocator);
    w->rendered.allocator = work->allocator;
    return OG_OK;
}

static void stop_worker(void *ctx, void *mine)
{
    const struct og_trace_work *work = ctx;
    struct worker *w = mine;
    OG_UNGROW(work->allocator, w->texts, w->texts_cap);
    OG_UNGROW(work->allocator, w->places, w->places_cap);
    if (w->has_framer) og_framer_release(&w->framer);
    if (w->has_answers) og_arena_release(&w->answers.arena);
    og_trace_free(w->trace);
    og_pack_release(&w->rendered);
    og_scratch_release(&w->scratch);
}

static void clear_batch(void *ctx, struct og_batch *b)
{
    const struct og_trace_work *work = ctx;
    struct og_traced_batch *own = b->own;
    if (own->frames.cap > KEEP_FRAMES) og_pack_release(&own->frames);
    own->frames.allocator = work->allocator;
    own->frames.len = 0;
    own->frames.failed = false;
    own->answers_len = 0;
}

static void release_batch(void *ctx, struct og_batch *b)
{
    (void)ctx;
    og_pack_release(&((struct og_traced_batch *)b->own)->frames);
}

/* ---- copies ---- */

static bool keep_selection(struct og_batch *b, struct og_selection *sel)
{
    const size_t n = sel->n;
    return OG_BATCH_KEEP(b, sel->fp, n) && OG_BATCH_KEEP(b, sel->pos, n) &&
           OG_BATCH_KEEP(b, sel->len, n) && OG_BATCH_KEEP(b, sel->offset, n) &&
           OG_BATCH_KEEP(b, sel->near, n) && OG_BATCH_KEEP(b, sel->spare, n);
}

/* What leads from a token back to the source. */
static bool keep_places(struct og_batch *b, struct og_prepared *p)
{
    return OG_BATCH_KEEP(b, p->text.data, p->text.len) &&
           OG_BATCH_KEEP(b, p->text.steps, p->text.n_steps) &&
           OG_BATCH_KEEP(b, p->tokens.hash, p->tokens.n) &&
           OG_BATCH_KEEP(b, p->tokens.begin, p->tokens.n) &&
           OG_BATCH_KEEP(b, p->tokens.end, p->tokens.n);
}

/* What is needed of a document whose query was answered: no fingerprints, no
 * tokens. */
static og_status keep_outline(const struct og_trace_work *work,
                              struct og_batch *b,
                              const struct og_prepared *prepared,
                              struct og_stream_doc *d, og_error *err)
{
    const og_bytes text = d->doc.text, none = {"", 0};
    const struct og_traced made = {
        .text_hash = og_checksum(text.data, text.len), .prepared = *prepared};
    struct og_traced *kept =
        og_arena_copy(&b->arena, &made, sizeof(made), _Alignof(uint64_t));
    if (kept == NULL) return og_error_memory(err, d->text_len, "a document");
    d->made = kept;
    d->n_tokens = prepared->tokens.n;
    d->n_repaired = prepared->text.n_repaired;
    if (!work->keep_texts) d->doc.text = none;
    if (!work->keep_names) d->doc.title = d->doc.url = d->doc.extra = none;
    return OG_OK;
}

/* What the writer needs to query or to add it. */
static og_status keep_prints(const struct og_trace_work *work,
                             struct og_batch *b, const struct og_stream_doc *d,
                             og_error *err)
{
    struct og_prepared *kept = &traced(d)->prepared;
    if (!keep_selection(b, &kept->selection) ||
        (work->keep_places && !keep_places(b, kept)))
        return og_error_memory(err, d->text_len, "a document");
    return OG_OK;
}

/* ---- queries ---- */

/* The texts of origins that the answers of all batches may hold, and of at
 * least one: the writer repeats the query for those that do not fit, which are
 * few. */
#define ANSWERS_LEN   ((size_t)24 << 20)
#define LEAST_ANSWERS ((size_t)512 << 10)

static bool fits(const struct og_trace_work *work, struct og_traced_batch *own,
                 const og_answer *answer)
{
    const size_t share = ANSWERS_LEN / (work->n_threads + 1);
    const size_t most = share > LEAST_ANSWERS ? share : LEAST_ANSWERS;
    size_t len = 0;
    for (size_t i = 0; i < answer->n_origins; i++)
        len += answer->origins[i].text.len;
    if (len > most - own->answers_len) return false;
    own->answers_len += len;
    return true;
}

og_status og_worker_trace(struct og_trace_work *work, og_store *store,
                          void *worker, og_trace **out, og_error *err)
{
    struct worker *w = worker;
    *out = w->trace;
    if (w->trace != NULL) return OG_OK;
    w->trace = og_trace_new(store);
    if (w->trace == NULL)
        return og_error_memory(err, sizeof(*w->trace), "a trace");
    *out = w->trace;
    TRY(og_trace_configure(w->trace, work->asking, err));
    return OG_OK;
}

/* For data that it makes for the current batch. */
static struct og_arena *answers_of(struct og_trace_work *work, struct worker *w)
{
    if (!w->has_answers) {
        og_arena_init(&w->answers.arena, work->allocator);
        w->has_answers = true;
        pthread_mutex_lock(&work->lock);
        w->answers.next = work->kept;
        work->kept = &w->answers;
        pthread_mutex_unlock(&work->lock);
    }
    return &w->answers.arena;
}

bool og_worker_keep(struct og_trace_work *work, void *worker, og_answer *out)
{
    struct worker *w = worker;
    return og_answer_keep(og_trace_answer(w->trace), answers_of(work, w), out);
}

/* ---- rendering ---- */

static int write_pack(void *ctx, const char *data, size_t len)
{
    struct og_pack *pack = ctx;
    og_pack_bytes(pack, data, len);
    return pack->failed ? ENOMEM : 0;
}

static bool keep_rendered(struct worker *w, struct og_arena *arena,
                          og_render_fn *render, void *ctx, og_bytes *out)
{
    enum { KEEP_RENDERED = 1 << 20 };
    w->rendered.len = 0;
    w->rendered.failed = false;
    *out = (og_bytes){NULL, 0};
    if (!render(ctx, write_pack, &w->rendered) || w->rendered.failed ||
        w->rendered.len == 0)
        return true;
    const char *kept =
        og_arena_copy(arena, w->rendered.data, w->rendered.len, 1);
    if (kept != NULL) *out = (og_bytes){kept, w->rendered.len};
    if (w->rendered.cap > KEEP_RENDERED) og_pack_release(&w->rendered);
    return kept != NULL;
}

bool og_worker_keep_rendered(struct og_trace_work *work, void *worker,
                             og_render_fn *render, void *ctx, og_bytes *out)
{
    return keep_rendered(worker, answers_of(work, worker), render, ctx, out);
}

static bool renders(const struct og_trace_work *work)
{
    return work->options != NULL && work->options->on_render != NULL;
}

struct rendering {
    const og_stream_options *options;
    const og_document *doc;
    const og_answer *answer;
};

static bool render_answer(void *ctx, og_write_fn *write, void *to)
{
    const struct rendering *r = ctx;
    return r->options->on_render(r->options->ctx, r->doc, r->answer, write, to);
}

bool og_worker_render(struct og_trace_work *work, void *worker,
                      const og_document *doc, og_answer *answer)
{
    struct rendering r = {work->options, doc, answer};
    if (!renders(work)) return true;
    return og_worker_keep_rendered(work, worker, render_answer, &r,
                                   &answer->rendered);
}

void og_worker_answers_clear(struct og_trace_work *work)
{
    for (struct og_worker_answers *a = work->kept; a != NULL; a = a->next)
        og_arena_clear(&a->arena, KEEP_LEN);
}

static og_status ask(struct og_trace_work *work, struct worker *w,
                     struct og_batch *b, struct og_stream_doc *d, og_error *err)
{
    struct og_subject subject = {.doc = &d->doc,
                                 .prepared = &w->scratch.prepared,
                                 .text_hash = traced(d)->text_hash,
                                 .text_len = d->text_len};
    og_trace *trace;
    TRY(og_worker_trace(work, work->store, w, &trace, err));
    TRY(og_store_trace_subject(work->store, &subject, trace, err));
    const og_answer *answer = og_trace_answer(trace);
    if (!fits(work, b->own, answer)) return OG_OK;
    struct rendering r = {work->options, &d->doc, &traced(d)->answer};
    if (!og_answer_keep(answer, &b->arena, &traced(d)->answer) ||
        (renders(work) && !keep_rendered(w, &b->arena, render_answer, &r,
                                         &traced(d)->answer.rendered)))
        return og_error_memory(err, d->text_len, "an answer");
    traced(d)->has_answer = true;
    return OG_OK;
}

/* ---- preparing ---- */

static og_status prepare(struct og_trace_work *work, struct worker *w,
                         struct og_batch *b, struct og_stream_doc *d,
                         og_error *err)
{
    TRY(og_scratch_prepare(&w->scratch, d->doc.text, work->prepare, err));
    TRY(keep_outline(work, b, &w->scratch.prepared, d, err));
    if (work->store != NULL) TRY(ask(work, w, b, d, err));
    return traced(d)->has_answer ? OG_OK : keep_prints(work, b, d, err);
}

static og_status make(void *ctx, void *mine, struct og_batch *b,
                      struct og_stream_doc *d, og_error *err)
{
    struct worker *w = mine;
    const og_status status = prepare(ctx, w, b, d, err);
    og_scratch_trim(&w->scratch);
    return status;
}

/* ---- packing ---- */

static og_status gather_texts(const struct og_trace_work *work,
                              struct worker *w, const struct og_batch *b,
                              size_t *out_n, og_error *err)
{
    size_t n = 0;
    if (!OG_GROW(work->allocator, w->texts, w->texts_cap, b->n_docs) ||
        !OG_GROW(work->allocator, w->places, w->places_cap, b->n_docs))
        return og_error_memory(err, b->n_docs, "the texts of a block");
    for (size_t i = 0; i < b->n_docs; i++)
        if (b->docs[i].n_tokens >= work->min_tokens)
            w->texts[n++] = b->docs[i].doc.text;
    *out_n = n;
    return OG_OK;
}

static og_status pack_texts(void *ctx, void *mine, struct og_batch *b,
                            og_error *err)
{
    const struct og_trace_work *work = ctx;
    struct worker *w = mine;
    struct og_traced_batch *own = b->own;
    size_t n = 0;
    if (work->texts == NULL) return OG_OK;
    if (!w->has_framer) TRY(og_framer_init(&w->framer, work->allocator, err));
    w->has_framer = true;
    TRY(gather_texts(work, w, b, &n, err));
    if (n == 0) return OG_OK;
    og_texts_offer(work->texts, w->texts, n);
    TRY(og_framer_pack(&w->framer, og_texts_dict(work->texts), w->texts, n,
                       &own->frames, w->places, err));
    n = 0;
    for (size_t i = 0; i < b->n_docs; i++)
        if (b->docs[i].n_tokens >= work->min_tokens)
            traced(&b->docs[i])->text = w->places[n++];
    return OG_OK;
}

void og_trace_work_fill(struct og_stream_work *out)
{
    out->worker_len = sizeof(struct worker);
    out->batch_len = sizeof(struct og_traced_batch);
    out->start_worker = start_worker;
    out->stop_worker = stop_worker;
    out->clear_batch = clear_batch;
    out->release_batch = release_batch;
    out->make = make;
    out->make_batch = pack_texts;
}
