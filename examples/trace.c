/* Two documents, the second quotes the first: what is copied, what is new?
 *
 *     cc trace.c $(pkg-config --cflags --libs origo) -o trace && ./trace */

#include <origo/origo.h>
#include <stdlib.h>

static og_store *store;
static og_error err;

static void must(og_status status)
{
    if (status == OG_OK) return;
    fprintf(stderr, "trace: %s\n", err.message);
    exit(1);
}

static void show(const og_document *doc, const og_answer *answer)
{
    printf("%.*s: %llu of %llu tokens are new\n", (int)doc->id.len,
           doc->id.data, (unsigned long long)answer->n_fresh,
           (unsigned long long)answer->n_tokens);
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        printf("  from %.*s: \"%.*s\"\n", (int)span->origin_id.len,
               span->origin_id.data, (int)(span->end - span->begin),
               doc->text.data + span->begin);
    }
}

int main(void)
{
    static const og_document documents[] = {
        {.id = OG_LITERAL("monday"),
         .text = OG_LITERAL(
             "The harbour master said on Monday that the old lighthouse will "
             "be lit again in spring, once the lamp has been brought back "
             "from the museum where it has stood for forty years, and that "
             "the town will pay for the oil and for the keeper's small "
             "stipend.")},
        {.id = OG_LITERAL("tuesday"),
         .text = OG_LITERAL(
             "Not everybody is glad. We wrote yesterday that the old "
             "lighthouse will be lit again in spring, once the lamp has been "
             "brought back from the museum where it has stood for forty "
             "years; the fishermen of the north quay answer that a radio "
             "beacon would serve them better and would cost far less.")},
    };
    og_params params = og_params_default();
    params.memory = 1 << 20;

    const og_store_options options = {.params = &params};
    must(og_store_open(":memory:", OG_CREATE, &options, &store, &err));
    og_trace *trace = og_trace_new(store);
    if (trace == NULL) return 1;
    for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
        must(og_store_add(store, &documents[i], trace, &err));
        show(&documents[i], og_trace_answer(trace));
    }
    og_trace_free(trace);
    must(og_store_close(store, &err));
    return 0;
}
