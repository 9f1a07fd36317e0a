/* How documents are read, as most commands want it: reading_options.h. */

#include "reading_options.h"

void reading_defaults(struct reading_settings *s)
{
    const og_stream_options stream = og_stream_options_default();
    s->fields = stream.fields;
    s->reading = stream.reading;
    s->max_document = stream.max_document;
    s->n_threads = stream.n_threads;
}

void reading_take(const struct reading_settings *s, og_stream_options *options)
{
    options->fields = s->fields;
    options->reading = s->reading;
    options->max_document = s->max_document;
    options->n_threads = s->n_threads;
}
