/* A document as a line of JSONL that can be read again: the form of an export
 * of a store. */

#include <origo/report.h>
#include <stdio.h>
#include <string.h>

#include "lib/report/escape.h"
#include "lib/report/writer.h"

static void write_named(struct og_writer *w, const char *name, og_bytes value)
{
    if (value.len == 0) return;
    og_writer_string(w, name);
    og_escape_json(w, value);
}

og_status og_report_string(og_write_fn *write, void *ctx, og_bytes s,
                           og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    og_escape_json(&w, s);
    return og_writer_finish(&w, err);
}

og_status og_report_document(og_write_fn *write, void *ctx,
                             const og_document *doc, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, write, ctx);
    og_writer_string(&w, "{\"id\":");
    og_escape_json(&w, doc->id);
    if (doc->has_time) {
        char time[40];
        const size_t len = og_time_format_in(doc->time, doc->time_zone, time);
        const char *const source = og_time_source_name(doc->time_source);
        write_named(&w, ",\"time\":", (og_bytes){time, len});
        write_named(&w,
                    ",\"time_source\":", (og_bytes){source, strlen(source)});
    }
    write_named(&w, ",\"title\":", doc->title);
    write_named(&w, ",\"url\":", doc->url);
    write_named(&w, ",\"language\":", doc->language);
    if (doc->extra.len > 0) {
        og_writer_byte(&w, ',');
        og_writer_bytes(&w, doc->extra.data, doc->extra.len);
    }
    og_writer_string(&w, ",\"text\":");
    og_escape_json(&w, doc->text);
    og_writer_string(&w, "}\n");
    return og_writer_finish(&w, err);
}
