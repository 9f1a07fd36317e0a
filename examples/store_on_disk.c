/* A store on disk: documents added in this run are known in all later ones.
 *
 *     cc store_on_disk.c $(pkg-config --cflags --libs origo) && ./a.out */

#include <origo/origo.h>

#define QUOTE                                                                  \
    "the old lighthouse will be lit again once the lamp has been brought back"

static const og_document letter = {.id = OG_LITERAL("letter"),
                                   .text = OG_LITERAL("I hear " QUOTE ".")};
static const og_document report = {.id = OG_LITERAL("report"),
                                   .text = OG_LITERAL("Today: " QUOTE "!")};

static void show(const og_span *span)
{
    printf("from %.*s: \"%.*s\"\n", (int)span->origin_id.len,
           span->origin_id.data, (int)(span->end - span->begin),
           report.text.data + span->begin);
}

int main(void)
{
    og_store *store = NULL;
    og_trace *trace = NULL;
    og_error err = {0};
    if (og_store_open("letters.store", OG_CREATE, NULL, &store, &err) ==
            OG_OK &&
        og_store_add(store, &letter, NULL, &err) == OG_OK &&
        og_store_commit(store, &err) == OG_OK && /* safe from here on */
        (trace = og_trace_new(store)) != NULL &&
        og_store_trace(store, &report, trace, &err) == OG_OK)
        for (size_t i = 0; i < og_trace_answer(trace)->n_spans; i++)
            show(&og_trace_answer(trace)->spans[i]);
    og_trace_free(trace);
    if (err.status == OG_OK) og_store_close(store, &err);
    if (err.status != OG_OK) fprintf(stderr, "store: %s\n", err.message);
    return err.status != OG_OK;
}
