/* Two files side by side: each document of the first with each of the second.
 *
 * The documents of the second are kept in memory, those of the first go by. */

#include <string.h>

#include "lib/source/block.h"
#include "lib/source/problem_teller.h"
#include "lib/source/source.h"

/* What happens with each document of a file. */
struct reading {
    const og_stream_options *options;
    void *ctx;
    og_status (*take)(void *ctx, const og_document *doc, og_error *err);
    struct og_problem_teller teller;
};

static og_status take_block(struct reading *r, struct og_block *block,
                            const struct og_source_options *options,
                            og_error *err)
{
    struct og_record record;
    size_t n_told = 0;
    og_status status;
    while ((status = og_block_next(block, options, &record, err)) == OG_OK) {
        og_tell_block_problems(&r->teller, block, n_told, block->n_problems);
        n_told = block->n_problems;
        TRY(r->take(r->ctx, &record.doc, err));
    }
    og_tell_block_problems(&r->teller, block, n_told, block->n_problems);
    return status == OG_END ? OG_OK : status;
}

static og_status read_file(const char *path, struct reading *r, og_error *err)
{
    const struct og_source_options options = {
        .fields = r->options->fields,
        .reading = {.kind = r->options->reading.kind,
                    .strip_quotes = r->options->reading.strip_quotes},
        .max_document = r->options->max_document};
    struct og_source *source = NULL;
    struct og_block block;
    r->teller = (struct og_problem_teller){
        .ctx = r->options->ctx, .on_problem = r->options->on_problem};
    og_block_init(&block, NULL);
    og_status status = og_source_new(&path, 1, &options, NULL, &source, err);
    while (status == OG_OK &&
           (status = og_source_next(source, &block, err)) == OG_OK)
        status = take_block(r, &block, &options, err);
    og_source_free(source);
    og_block_release(&block);
    return og_teller_end(&r->teller, status == OG_END ? OG_OK : status, err);
}

/* ---- the second file ---- */

struct kept {
    og_document *docs;
    size_t n, cap;
};

static bool keep_bytes(og_bytes *bytes)
{
    char *copy = og_allocate(NULL, bytes->len);
    if (copy == NULL) return false;
    if (bytes->len > 0) memcpy(copy, bytes->data, bytes->len);
    bytes->data = copy;
    return true;
}

static void forget_bytes(og_bytes *bytes)
{
    og_release(NULL, (void *)bytes->data, bytes->len);
}

static og_status keep(void *ctx, const og_document *doc, og_error *err)
{
    struct kept *kept = ctx;
    if (!OG_GROW(NULL, kept->docs, kept->cap, kept->n + 1))
        return og_error_memory(err, sizeof(*doc), "documents");
    og_document copy = *doc;
    og_bytes *parts[] = {&copy.id, &copy.title, &copy.url, &copy.text};
    const size_t n_parts = sizeof(parts) / sizeof(parts[0]);
    copy.extra = (og_bytes){NULL, 0};
    for (size_t i = 0; i < n_parts; i++) {
        if (keep_bytes(parts[i])) continue;
        while (i-- > 0)
            forget_bytes(parts[i]);
        return og_error_memory(err, doc->text.len, "a document");
    }
    kept->docs[kept->n++] = copy;
    return OG_OK;
}

static void kept_release(struct kept *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        og_document *doc = &kept->docs[i];
        forget_bytes(&doc->id);
        forget_bytes(&doc->title);
        forget_bytes(&doc->url);
        forget_bytes(&doc->text);
    }
    OG_UNGROW(NULL, kept->docs, kept->cap);
}

/* ---- both ---- */

struct comparing {
    const og_compare_options *options;
    const og_stream_options *stream;
    og_comparison *comparison;
    struct kept kept;
};

static og_status compare_with_all(void *ctx, const og_document *doc,
                                  og_error *err)
{
    struct comparing *c = ctx;
    for (size_t i = 0; i < c->kept.n; i++) {
        TRY(og_compare(c->comparison, doc, &c->kept.docs[i], c->options, err));
        const og_answer *answer = og_comparison_answer(c->comparison);
        if (c->stream->on_answer != NULL &&
            !c->stream->on_answer(c->stream->ctx, doc, answer))
            return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
    }
    return OG_OK;
}

og_status og_compare_files(const char *path, const char *origin_path,
                           const og_compare_options *options,
                           const og_stream_options *stream, og_error *err)
{
    const og_stream_options usual = og_stream_options_default();
    struct comparing c = {.options = options,
                          .stream = stream != NULL ? stream : &usual};
    struct reading origin = {.options = c.stream, .ctx = &c.kept, .take = keep};
    struct reading document = {
        .options = c.stream, .ctx = &c, .take = compare_with_all};
    c.comparison = og_comparison_new(NULL);
    if (c.comparison == NULL) return og_error_memory(err, 0, "a comparison");
    og_status status = read_file(origin_path, &origin, err);
    if (status == OG_OK) status = read_file(path, &document, err);
    kept_release(&c.kept);
    og_comparison_free(c.comparison);
    return status;
}
