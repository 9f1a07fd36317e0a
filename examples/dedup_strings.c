/* An array of strings, and what stays of it when near-copies go.
 *
 *     cc dedup_strings.c $(pkg-config --cflags --libs origo) && ./a.out */

#include <origo/origo.h>
#include <string.h>

#define STORY                                                                  \
    "the old lighthouse will be lit again in spring, once the lamp has been "  \
    "brought back from the museum where it has stood for forty years, and "    \
    "the town will pay for the oil and for the small stipend of its keeper"

static const char *const texts[] = {
    "On Monday the harbour master said that " STORY ".",
    "A radio beacon would serve the fishermen of the north quay better, they "
    "say, and it would cost far less than a keeper and his oil.",
    "On Tuesday the harbour master said that " STORY "!",
};

struct array {
    size_t next;
};

static og_status next_text(void *ctx, og_document *out, og_error *err)
{
    struct array *a = ctx;
    (void)err;
    if (a->next == sizeof(texts) / sizeof(*texts)) return OG_END;
    out->text.data = texts[a->next++];
    out->text.len = strlen(out->text.data);
    return OG_OK;
}

/* Only operations with two passes over the documents need it. */
static og_status rewind_texts(void *ctx, og_error *err)
{
    (void)err;
    ((struct array *)ctx)->next = 0;
    return OG_OK;
}

int main(void)
{
    struct array array = {0};
    og_input input = og_input_default();
    og_dedup_options options = og_dedup_options_default();
    og_dedup_counts counts;
    og_error err = {0};
    input.ctx = &array;
    input.next = next_text;
    input.rewind = rewind_texts;
    options.keep = OG_KEEP_LAST;
    options.report = "removed.tsv";
    if (og_dedup_run(&input, &options, &counts, &err) != OG_OK) {
        fprintf(stderr, "dedup: %s\n", err.message);
        return 1;
    }
    fprintf(stderr, "%llu kept, %llu removed\n",
            (unsigned long long)counts.n_kept,
            (unsigned long long)counts.n_removed);
    return 0;
}
