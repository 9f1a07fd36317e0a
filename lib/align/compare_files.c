/* Two files side by side: each document of the first with each of the second.
 *
 * The documents of the second are kept in memory, those of the first are
 * streamed. */

#include <origo/compare.h>
#include <string.h>

#include "lib/source/block.h"
#include "lib/stream/engine.h"

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

static og_status keep(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    const og_document *doc = &d->doc;
    (void)b;
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
    og_compare_fn *on_answer;
    void *ctx;
    og_comparison *comparison;
    struct kept kept;
};

static og_status compare_with_all(void *ctx, struct og_batch *b,
                                  struct og_stream_doc *d, og_error *err)
{
    struct comparing *c = ctx;
    (void)b;
    for (size_t i = 0; i < c->kept.n; i++) {
        TRY(og_compare(c->comparison, &d->doc, &c->kept.docs[i], c->options,
                       err));
        if (c->on_answer != NULL &&
            !c->on_answer(c->ctx, &d->doc, og_comparison_answer(c->comparison)))
            return og_stream_stopped(err);
    }
    return OG_OK;
}

og_status og_compare_files(const og_input *input, const og_input *origin,
                           const og_compare_options *options,
                           og_compare_fn *on_answer, void *ctx,
                           og_stream_counts *out_counts, og_error *err)
{
    struct comparing c = {
        .options = options, .on_answer = on_answer, .ctx = ctx};
    const og_input limited = og_limited_input(input, OG_SOURCE_MEMORY);
    const og_input limited_origin = og_limited_input(origin, OG_SOURCE_MEMORY);
    const struct og_stream_work keeping = {.ctx = &c.kept, .take = keep};
    const struct og_stream_work comparing = {.ctx = &c,
                                             .take = compare_with_all};
    og_stream_counts counts = {0};
    c.comparison = og_comparison_new();
    if (c.comparison == NULL) return og_error_memory(err, 0, "a comparison");
    og_status status =
        og_stream_documents(&limited_origin, &keeping, &counts, err);
    if (status == OG_OK)
        status = og_stream_documents(&limited, &comparing, &counts, err);
    kept_release(&c.kept);
    og_comparison_free(c.comparison);
    if (out_counts != NULL) *out_counts = counts;
    return status;
}
