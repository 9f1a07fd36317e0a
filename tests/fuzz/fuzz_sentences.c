/* Any bytes as a text: split, read, added, queried; and as the files of an
 * index: a segment, a manifest. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sentence/index/sentences.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void ask_text(og_bytes text)
{
    const struct og_sentences_place memory = {.is_writable = true};
    og_sentences *s;
    const og_quotes *answer;
    og_quote_options options = og_quote_options_default();
    const og_document a = {.id = OG_LITERAL("a"), .text = text};
    const og_document b = {.id = OG_LITERAL("b"), .text = text};
    options.min_words = 1;
    if (og_sentences_open(&memory, NULL, &s, NULL) != OG_OK) return;
    if (og_sentences_add(s, 0, &a, 0, NULL) == OG_OK &&
        og_sentences_ask(s, &b, &options, NULL, &answer, NULL) == OG_OK)
        for (size_t i = 0; i < answer->n_sentences; i++) {
            const og_quote *q = &answer->sentences[i];
            if (q->begin >= q->end || q->end > text.len) abort();
            /* The text has every sentence of itself. */
            if (q->n_words != 0 && q->n_found == 0) abort();
        }
    og_sentences_close(s);
}

static void open_segment(const uint8_t *data, size_t len)
{
    struct og_sentence_segment segment;
    uint8_t *copy = malloc(len + 1);
    if (copy == NULL) return;
    memcpy(copy, data, len);
    if (og_sentence_segment_take(&segment, copy, len, len + 1, NULL, "x",
                                 NULL) == OG_OK)
        og_sentence_segment_release(&segment);
    else
        free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_sentence_manifest manifest = {0};
    const char *key;
    const og_bytes text = {(const char *)data, len};
    ask_text(text);
    open_segment(data, len);
    if (og_manifest_parse(&manifest.list, &og_sentence_manifest_kind, text, "x",
                          NULL) == OG_OK)
        (void)og_sentence_manifest_take(&manifest, &key);
    return 0;
}
