/* Any two texts, any parameters: the answer keeps its promises. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <origo/origo.h>
#include <stdio.h>

static void must(bool holds)
{
    if (!holds) abort();
}

static void check_answer(const og_document *doc, const og_answer *answer)
{
    uint64_t end = 0, n_old = 0;
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        must(span->begin >= end && span->begin < span->end);
        must(span->end <= doc->text.len);
        end = span->end;
        n_old += span->n_tokens;
    }
    must(n_old + answer->n_fresh == answer->n_tokens);
    must(answer->n_repaired <= doc->text.len);
    end = 0;
    for (size_t i = 0; i < answer->n_novel; i++) {
        must(answer->novel[i].begin >= end);
        must(answer->novel[i].begin < answer->novel[i].end);
        must(answer->novel[i].end <= doc->text.len);
        end = answer->novel[i].end;
    }
}

static og_params choose_params(const uint8_t *choice)
{
    og_params params = og_params_default();
    params.tokens = (og_token_kind)(choice[0] % 4);
    params.shingle_len = 2 + choice[1] % 8;
    params.evict = (og_evict_kind)(choice[2] % 6);
    params.estimate = (og_estimate_kind)(choice[3] % 5);
    params.layout = (og_layout_kind)(choice[0] / 4 % 2);
    params.select.kind = (og_select_kind)(choice[1] / 8 % 8);
    params.select.param = choice[2] / 6 % 12;
    params.select.no_overlap = choice[3] & 128;
    params.min_tokens = 2;
    params.memory = 1 << 16;
    return params;
}

static void report(const og_document *doc, const og_answer *answer)
{
    static FILE *out;
    if (out == NULL) out = fopen("/dev/null", "w");
    must(out != NULL);
    must(og_report_json(og_write_file, out, doc, answer, OG_OFFSETS_UTF16,
                        NULL) == OG_OK);
    must(og_report_text(og_write_file, out, doc, answer,
                        (og_text_style){true, 40}, NULL) == OG_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 5) return 0;
    const og_params params = choose_params(data);
    const char *text = (const char *)data + 5;
    const size_t text_len = len - 5;
    const size_t half = text_len * data[4] / 256;
    og_store *store;
    og_error err;
    if (og_store_open(":memory:", OG_CREATE,
                      &(og_store_options){.params = &params}, &store,
                      &err) != OG_OK) {
        must(err.status == OG_ERR_USAGE && err.message[0] != '\0');
        return 0;
    }
    og_trace *trace = og_trace_new(store);
    must(trace != NULL);
    const og_document docs[] = {
        {.id = OG_LITERAL("a"), .text = {text, text_len}},
        {.id = OG_LITERAL("b"), .text = {text + half, text_len - half}},
        {.id = OG_LITERAL("c"),
         .text = {text, half},
         .has_time = true,
         .time = -1},
    };
    for (size_t i = 0; i < 3; i++) {
        must(og_store_add(store, &docs[i], trace, &err) == OG_OK);
        check_answer(&docs[i], og_trace_answer(trace));
        report(&docs[i], og_trace_answer(trace));
    }
    must(og_store_trace(store, &docs[0], trace, &err) == OG_OK);
    check_answer(&docs[0], og_trace_answer(trace));
    og_trace_free(trace);
    og_store_close(store, NULL);
    return 0;
}
