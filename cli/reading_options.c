/* How documents are read, for most commands: reading_options.h. */

#include "reading_options.h"

#include "say.h"
#include "signals.h"

void reading_defaults(struct reading_settings *s)
{
    const og_input input = og_input_default();
    s->fields = input.fields;
    s->reading = input.reading;
    s->max_document = input.max_document;
    s->n_threads = input.n_threads;
}

static void take_timing(void *ctx, const og_timing *timing)
{
    timings_add(&((struct progress *)ctx)->timings, timing);
}

og_input reading_input(const struct reading_settings *s,
                       struct progress *progress, const char *const *paths,
                       size_t n_paths)
{
    og_input input =
        progress_input(progress, paths, n_paths, s->quiet, s->verbose);
    input.fields = s->fields;
    input.reading = s->reading;
    input.max_document = s->max_document;
    input.n_threads = s->n_threads;
    if (s->timings) {
        timings_start(&progress->timings);
        input.on_timing = take_timing;
    }
    return input;
}

int reading_status(const char *command, og_status status,
                   const og_stream_counts *counts, const og_error *err)
{
    if (status == OG_OK) return EXIT_DONE;
    if (status == OG_ERR_STOPPED) return stop_status("");
    if (counts->is_reported) return EXIT_IO;
    return say_error(command, err);
}
