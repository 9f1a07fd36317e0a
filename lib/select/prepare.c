/* From text to selection: the stages that every core can run by itself. */

#include "lib/select/prepare.h"

void og_scratch_init(struct og_scratch *scratch, const og_allocator *allocator)
{
    og_text_init(&scratch->prepared.text, allocator);
    og_tokens_init(&scratch->prepared.tokens, allocator);
    og_fps_init(&scratch->fps, allocator);
    og_selection_init(&scratch->prepared.selection, allocator);
}

void og_scratch_release(struct og_scratch *scratch)
{
    og_selection_release(&scratch->prepared.selection);
    og_fps_release(&scratch->fps);
    og_tokens_release(&scratch->prepared.tokens);
    og_text_release(&scratch->prepared.text);
}

static void add_key(struct og_selection *sel, const struct og_tokens *tokens,
                    const struct og_shingle_key *key)
{
    for (size_t i = 0; i < sel->n; i++)
        sel->fp[i] =
            og_shingle_keyed(key, tokens->hash + sel->pos[i], sel->len[i]);
}

og_status og_scratch_select(struct og_scratch *scratch,
                            const struct og_tokens *tokens,
                            const struct og_prepare_options *options,
                            og_error *err)
{
    struct og_selection *selection = &scratch->prepared.selection;
    TRY(og_tokens_fingerprint(tokens, options->shingle_factors, &scratch->fps,
                              err));
    TRY(og_fps_select(tokens, &scratch->fps, options->shingle_factors,
                      &options->select, selection, err));
    og_selection_add_context(selection, tokens, options->note);
    if (options->shingle_key != NULL)
        add_key(selection, tokens, options->shingle_key);
    return OG_OK;
}

og_status og_scratch_prepare(struct og_scratch *scratch, og_bytes text,
                             const struct og_prepare_options *options,
                             og_error *err)
{
    struct og_prepared *p = &scratch->prepared;
    p->text.fold = options->fold;
    TRY(og_text_fold(&p->text, text, err));
    TRY(og_text_tokenise(&p->text, options->tokens, options->token_key,
                         &p->tokens, err));
    p->selection.n = 0;
    if (options->no_fps) return OG_OK;
    return og_scratch_select(scratch, &p->tokens, options, err);
}

void og_scratch_trim(struct og_scratch *scratch)
{
    if (scratch->prepared.text.cap <= OG_TEXT_KEEP) return;
    const og_allocator *allocator = scratch->prepared.text.allocator;
    og_scratch_release(scratch);
    og_scratch_init(scratch, allocator);
}
