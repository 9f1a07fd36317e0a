/* A block on its way. A worker sends one document after another through its
 * scratch buffers, so what the writer will need is copied into the arena of the
 * job: a few bytes for each byte of text, all of it close together, instead of
 * a set of buffers for each of some hundred documents. A string that stands in
 * the block as it is (no escapes in it) stays there.
 *
 * The copies are plain structs of the stages that borrow: they are looked at,
 * never grown or released. */

#include "lib/trace/job.h"

#include <string.h>

#include "lib/base/checksum.h"
#include "lib/source/block.h"

/* A job that held more than this gives its memory back. Four times what a
 * block of usual documents needs. */
#define KEEP_LEN ((size_t)4 << 20)

void og_job_init(struct og_job *job, const og_allocator *allocator)
{
    memset(job, 0, sizeof(*job));
    job->allocator = allocator;
    og_block_init(&job->block, allocator);
    og_arena_init(&job->arena, allocator);
    job->frames.allocator = allocator;
}

void og_job_release(struct og_job *job)
{
    og_pack_release(&job->frames);
    og_arena_release(&job->arena);
    OG_UNGROW(job->allocator, job->docs, job->docs_cap);
    og_block_release(&job->block);
}

static void clear(struct og_job *job)
{
    og_arena_clear(&job->arena, KEEP_LEN);
    if (job->block.cap + job->block.unescaped_cap + job->block.extra_cap >
        KEEP_LEN)
        og_block_release(&job->block);
    if (job->docs_cap * sizeof(*job->docs) > KEEP_LEN)
        OG_UNGROW(job->allocator, job->docs, job->docs_cap);
    if (job->frames.cap > KEEP_LEN) og_pack_release(&job->frames);
    job->frames.len = 0;
    job->frames.failed = false;
    job->n_docs = 0;
    job->answers_len = 0;
}

void og_job_tools_init(struct og_job_tools *tools,
                       const og_allocator *allocator)
{
    *tools = (struct og_job_tools){0};
    og_scratch_init(&tools->scratch, allocator);
}

void og_job_tools_release(struct og_job_tools *tools)
{
    const og_allocator *a = tools->scratch.prepared.text.allocator;
    OG_UNGROW(a, tools->texts, tools->texts_cap);
    OG_UNGROW(a, tools->places, tools->places_cap);
    if (tools->has_framer) og_framer_release(&tools->framer);
    og_trace_free(tools->trace);
    og_scratch_release(&tools->scratch);
}

void og_job_read(struct og_job *job, struct og_source *source)
{
    clear(job);
    job->status = og_source_next(source, &job->block, &job->err);
}

/* ---- copies ---- */

/* Sets the pointer to a copy of n elements of what it points to. */
#define KEEP(arena, pointer, n)                                                \
    (((pointer) = og_arena_copy((arena), (pointer), (n) * sizeof(*(pointer)),  \
                                _Alignof(uint64_t))) != NULL)

static bool keep_selection(struct og_arena *arena, struct og_selection *sel)
{
    const size_t n = sel->n;
    return KEEP(arena, sel->fp, n) && KEEP(arena, sel->pos, n) &&
           KEEP(arena, sel->len, n) && KEEP(arena, sel->offset, n) &&
           KEEP(arena, sel->near, n) && KEEP(arena, sel->spare, n);
}

/* What leads from a token back to the source. */
static bool keep_places(struct og_arena *arena, struct og_prepared *p)
{
    return KEEP(arena, p->text.data, p->text.len) &&
           KEEP(arena, p->text.steps, p->text.n_steps) &&
           KEEP(arena, p->tokens.hash, p->tokens.n) &&
           KEEP(arena, p->tokens.begin, p->tokens.n) &&
           KEEP(arena, p->tokens.end, p->tokens.n);
}

static bool is_in_block(const struct og_block *block, og_bytes bytes)
{
    const uintptr_t at = (uintptr_t)bytes.data;
    const uintptr_t begin = (uintptr_t)block->data;
    return block->data != NULL && at >= begin && at < begin + block->len;
}

static bool keep_bytes(struct og_job *job, og_bytes *bytes)
{
    if (bytes->len == 0 || is_in_block(&job->block, *bytes)) return true;
    bytes->data = og_arena_copy(&job->arena, bytes->data, bytes->len, 1);
    return bytes->data != NULL;
}

static bool keep_strings(struct og_job *job, og_document *doc,
                         const struct og_job_options *options)
{
    const og_bytes none = {"", 0};
    if (!options->keep_texts) doc->text = none;
    if (!options->keep_names) doc->title = doc->url = doc->extra = none;
    return keep_bytes(job, &doc->id) && keep_bytes(job, &doc->title) &&
           keep_bytes(job, &doc->url) && keep_bytes(job, &doc->extra) &&
           keep_bytes(job, &doc->text);
}

static og_status keep(struct og_job *job, const struct og_record *record,
                      const struct og_prepared *prepared,
                      const struct og_job_options *options)
{
    if (!OG_GROW(job->allocator, job->docs, job->docs_cap, job->n_docs + 1))
        return og_error_memory(&job->err, sizeof(*job->docs),
                               "the documents of a block");
    struct og_job_document *d = &job->docs[job->n_docs];
    *d = (struct og_job_document){
        .doc = record->doc,
        .text_len = record->doc.text.len,
        .text_hash = og_checksum(record->doc.text.data, record->doc.text.len),
        .line = record->line,
        .offset = record->offset,
        .bad_time = record->bad_time,
        .n_problems_before = job->block.n_problems,
        .prepared = *prepared,
    };
    if (!keep_strings(job, &d->doc, options) ||
        !keep_selection(&job->arena, &d->prepared.selection) ||
        (options->keep_places && !keep_places(&job->arena, &d->prepared)))
        return og_error_memory(&job->err, d->text_len, "a document");
    job->n_docs++;
    return OG_OK;
}

/* ---- asking ---- */

/* The texts of origins that the answers of a job may hold: the writer asks
 * again for those that do not fit, which are few. */
#define ANSWERS_LEN ((size_t)8 << 20)

static bool fits(struct og_job *job, const og_answer *answer)
{
    size_t len = 0;
    for (size_t i = 0; i < answer->n_origins; i++)
        len += answer->origins[i].text.len;
    if (len > ANSWERS_LEN - job->answers_len) return false;
    job->answers_len += len;
    return true;
}

static og_status ask(struct og_job *job, const struct og_job_options *options,
                     struct og_job_tools *tools, struct og_job_document *d)
{
    struct og_subject subject = {.doc = &d->doc,
                                 .prepared = &tools->scratch.prepared,
                                 .text_hash = d->text_hash,
                                 .text_len = d->text_len};
    if (tools->trace == NULL) {
        tools->trace = og_trace_new(options->store);
        if (tools->trace == NULL)
            return og_error_memory(&job->err, sizeof(*tools->trace), "a trace");
        TRY(og_trace_configure(tools->trace, options->asking, &job->err));
    }
    TRY(og_store_trace_subject(options->store, &subject, tools->trace,
                               &job->err));
    const og_answer *answer = og_trace_answer(tools->trace);
    if (!fits(job, answer)) return OG_OK;
    if (!og_answer_keep(answer, &job->arena, &d->answer))
        return og_error_memory(&job->err, d->text_len, "an answer");
    d->has_answer = true;
    return OG_OK;
}

/* ---- preparing ---- */

static og_status report_long_text(struct og_job *job,
                                  const struct og_record *record)
{
    const struct og_source_problem problem = {.line = record->line,
                                              .offset = record->offset,
                                              .skipped = true,
                                              .status = OG_ERR_LIMIT};
    return og_block_report(&job->block, &problem, &job->err,
                           "the text is longer than %zu bytes", OG_TEXT_MAX);
}

static og_status prepare(struct og_job *job, const struct og_record *record,
                         const struct og_job_options *options,
                         struct og_job_tools *tools)
{
    struct og_scratch *scratch = &tools->scratch;
    const og_status status = og_scratch_prepare(scratch, record->doc.text,
                                                options->prepare, &job->err);
    if (status == OG_ERR_LIMIT) return report_long_text(job, record);
    if (status != OG_OK) return status;
    TRY(keep(job, record, &scratch->prepared, options));
    if (options->store == NULL) return OG_OK;
    const og_status asked =
        ask(job, options, tools, &job->docs[job->n_docs - 1]);
    if (asked != OG_OK) job->n_docs--; /* the story is told at its place */
    return asked;
}

/* ---- packing ---- */

static og_status gather_texts(struct og_job *job,
                              const struct og_job_options *options,
                              struct og_job_tools *tools, size_t *out_n)
{
    size_t n = 0;
    if (!OG_GROW(job->allocator, tools->texts, tools->texts_cap, job->n_docs) ||
        !OG_GROW(job->allocator, tools->places, tools->places_cap, job->n_docs))
        return og_error_memory(&job->err, job->n_docs, "the texts of a block");
    for (size_t i = 0; i < job->n_docs; i++)
        if (job->docs[i].prepared.tokens.n >= options->min_tokens)
            tools->texts[n++] = job->docs[i].doc.text;
    *out_n = n;
    return OG_OK;
}

static og_status pack_texts(struct og_job *job,
                            const struct og_job_options *options,
                            struct og_job_tools *tools)
{
    size_t n = 0;
    if (!tools->has_framer)
        TRY(og_framer_init(&tools->framer, job->allocator, &job->err));
    tools->has_framer = true;
    TRY(gather_texts(job, options, tools, &n));
    if (n == 0) return OG_OK;
    og_texts_offer(options->texts, tools->texts, n);
    TRY(og_framer_pack(&tools->framer, og_texts_dict(options->texts),
                       tools->texts, n, &job->frames, tools->places,
                       &job->err));
    n = 0;
    for (size_t i = 0; i < job->n_docs; i++)
        if (job->docs[i].prepared.tokens.n >= options->min_tokens)
            job->docs[i].text = tools->places[n++];
    return OG_OK;
}

void og_job_prepare(struct og_job *job, const struct og_job_options *options,
                    struct og_job_tools *tools)
{
    struct og_record record;
    og_status status = job->status;
    if (status != OG_OK) return;
    while (status == OG_OK) {
        status =
            og_block_next(&job->block, &options->source, &record, &job->err);
        if (status == OG_OK) status = prepare(job, &record, options, tools);
        og_scratch_trim(&tools->scratch);
    }
    if (status == OG_END)
        status =
            options->texts != NULL ? pack_texts(job, options, tools) : OG_OK;
    job->status = status;
}
