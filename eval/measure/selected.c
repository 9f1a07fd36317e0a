/* Selects from all documents of a stream by one rule. */

#include "eval/measure/selected.h"
#include "eval/evaluation.h"

#include <string.h>

static const og_context_kind note_kinds[OG_SELECTED_NOTES] = {OG_CONTEXT_ORDER,
                                                              OG_CONTEXT_BITS};

/* ---- arrays of one capacity ---- */

/* All arrays, so that they are grown and freed in one place. */
#define N_ARRAYS (4 + 2 * OG_SELECTED_NOTES)

struct array {
    void **data;
    size_t size; /* of an element */
};

static void list_arrays(struct og_selected *s, struct array out[N_ARRAYS])
{
    struct array *a = out;
    *a++ = (struct array){(void **)&s->fp, sizeof(*s->fp)};
    *a++ = (struct array){(void **)&s->pos, sizeof(*s->pos)};
    *a++ = (struct array){(void **)&s->len, sizeof(*s->len)};
    *a++ = (struct array){(void **)&s->spare, sizeof(*s->spare)};
    for (int i = 0; i < OG_SELECTED_NOTES; i++) {
        *a++ = (struct array){(void **)&s->offset[i], sizeof(*s->offset[i])};
        *a++ = (struct array){(void **)&s->near[i], sizeof(*s->near[i])};
    }
}

static og_status reserve(struct og_selected *s, size_t n, og_error *err)
{
    if (n <= s->cap) return OG_OK;
    struct array arrays[N_ARRAYS];
    size_t cap = s->cap < 1024 ? 1024 : s->cap;
    while (cap < n)
        cap += cap / 2;
    list_arrays(s, arrays);
    for (int i = 0; i < N_ARRAYS; i++) {
        const size_t size = arrays[i].size;
        void *grown =
            og_reallocate(NULL, *arrays[i].data, s->cap * size, cap * size);
        if (grown == NULL)
            return og_error_memory(err, cap * size, "selections");
        *arrays[i].data = grown;
    }
    s->cap = cap;
    return OG_OK;
}

void og_selected_release(struct og_selected *selected)
{
    struct array arrays[N_ARRAYS];
    list_arrays(selected, arrays);
    for (int i = 0; i < N_ARRAYS; i++)
        og_release(NULL, *arrays[i].data, selected->cap * arrays[i].size);
    og_release(NULL, selected->first,
               (selected->n_docs + 1) * sizeof(*selected->first));
    *selected = (struct og_selected){0};
}

/* ---- filling them ---- */

static og_status append(struct og_selected *s, struct og_selection *sel,
                        const struct og_tokens *tokens, og_error *err)
{
    const size_t n = s->n;
    TRY(reserve(s, n + sel->n, err));
    s->shingle_len = sel->shingle_len;
    if (sel->n == 0) return OG_OK; /* there is no array */
    memcpy(s->fp + n, sel->fp, sel->n * sizeof(*sel->fp));
    memcpy(s->pos + n, sel->pos, sel->n * sizeof(*sel->pos));
    memcpy(s->len + n, sel->len, sel->n * sizeof(*sel->len));
    memcpy(s->spare + n, sel->spare, sel->n * sizeof(*sel->spare));
    for (int i = 0; i < OG_SELECTED_NOTES; i++) {
        og_selection_add_context(sel, tokens, note_kinds[i]);
        memcpy(s->offset[i] + n, sel->offset, sel->n * sizeof(*sel->offset));
        memcpy(s->near[i] + n, sel->near, sel->n * sizeof(*sel->near));
    }
    s->n += sel->n;
    return OG_OK;
}

struct selecting {
    const struct og_eval *eval;
    const og_select_options *rule;
    struct og_fps fps;
    struct og_selection sel;
};

static og_status select_doc(struct selecting *s, size_t doc,
                            struct og_selected *out, og_error *err)
{
    const struct og_shingle_factors *key = &s->eval->key;
    const struct og_tokens tokens =
        og_eval_doc_view(s->eval, &s->eval->docs[doc]);
    TRY(og_tokens_fingerprint(&tokens, key, &s->fps, err));
    TRY(og_fps_select(&tokens, &s->fps, key, s->rule, &s->sel, err));
    TRY(append(out, &s->sel, &tokens, err));
    out->first[doc + 1] = out->n;
    return OG_OK;
}

og_status og_selected_init(struct og_selected *selected,
                           const struct og_eval *eval,
                           const og_select_options *rule, og_error *err)
{
    const size_t first_len = (eval->n_docs + 1) * sizeof(*selected->first);
    *selected = (struct og_selected){.n_docs = eval->n_docs};
    selected->first = og_allocate_zero(NULL, first_len);
    if (selected->first == NULL)
        return og_error_memory(err, first_len, "selections");
    struct selecting s = {.eval = eval, .rule = rule};
    og_fps_init(&s.fps, NULL);
    og_selection_init(&s.sel, NULL);
    og_status status = OG_OK;
    for (size_t doc = 0; doc < eval->n_docs && status == OG_OK; doc++)
        status = select_doc(&s, doc, selected, err);
    og_selection_release(&s.sel);
    og_fps_release(&s.fps);
    return status;
}

struct og_selection og_selected_view(const struct og_selected *selected,
                                     const struct og_eval *eval, size_t doc,
                                     og_estimate_kind estimate)
{
    const size_t first = selected->first[doc];
    const int note =
        og_estimate_context_kind(estimate) == OG_CONTEXT_BITS ? 1 : 0;
    if (selected->n == 0) /* there is no array */
        return (struct og_selection){.shingle_len = selected->shingle_len};
    return (struct og_selection){
        .fp = selected->fp + first,
        .pos = selected->pos + first,
        .len = selected->len + first,
        .offset = selected->offset[note] + first,
        .near = selected->near[note] + first,
        .spare = selected->spare + first,
        .n = selected->first[doc + 1] - first,
        .n_shingles = og_eval_doc_shingles(eval, &eval->docs[doc]),
        .shingle_len = selected->shingle_len,
    };
}
