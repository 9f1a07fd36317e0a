/* Outputs of documents, and the summary: output_options.h. */

#include "output_options.h"

#include "say.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

bool output_to_stdout(const struct output_settings *s)
{
    return s->path == NULL || strcmp(s->path, "-") == 0;
}

int output_open(const struct output_settings *s, const char *command,
                og_output **out)
{
    const og_output_options options = {.packing = (og_packing)s->packing,
                                       .n_shards = s->n_shards};
    og_error err = {0};
    if (og_output_new(s->path, &options, out, &err) == OG_OK) return EXIT_DONE;
    return say_error(command, &err);
}

int output_failed(og_output *output, const char *command, const og_error *err)
{
    return ferror(og_output_file(output)) ? EXIT_IO : say_error(command, err);
}

int output_end(og_output *output, const struct output_settings *s,
               const char *command, bool is_whole, int status)
{
    og_error err = {0};
    /* After a failed write nothing is committed, but the reason is given. */
    if (!output_to_stdout(s) && (is_whole || ferror(og_output_file(output))) &&
        og_output_commit(output, &err) != OG_OK)
        status = say_error(command, &err);
    og_output_free(output);
    return status;
}

/* ---- the summary ---- */

static void write_field(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, ",\"%s\":%" PRIu64, name, value);
}

static void write_counts(FILE *out, const og_stream_counts *c)
{
    write_field(out, "documents", c->n_documents);
    write_field(out, "added", c->n_added + c->n_repeated_ids);
    write_field(out, "known", c->n_known);
    write_field(out, "skipped", c->n_skipped);
    write_field(out, "short", c->n_short);
    write_field(out, "repaired", c->n_repaired);
    write_field(out, "repeated_ids", c->n_repeated_ids);
    write_field(out, "bad_times", c->n_bad_times);
    write_field(out, "tokens", c->n_tokens);
    write_field(out, "text_bytes", c->n_text_bytes);
    write_field(out, "input_bytes", c->n_input_bytes);
    write_field(out, "files", c->n_files);
    write_field(out, "files_failed", c->n_files_failed);
}

static void write_run(FILE *out, const struct progress *progress)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    fprintf(out, ",\"seconds\":%.3f", progress_seconds(progress));
    write_field(out, "peak_memory", (uint64_t)usage.ru_maxrss * 1024);
}

int summary_write(const char *path, const char *command,
                  const struct progress *progress,
                  const og_stream_counts *counts,
                  const struct summary_field *fields, size_t n_fields,
                  int status)
{
    og_output *output;
    og_error err = {0};
    if (path == NULL || status == EXIT_USAGE) return status;
    if (og_output_new(path, NULL, &output, &err) != OG_OK)
        return say_error(command, &err);
    FILE *out = og_output_file(output);
    fprintf(out, "{\"origo\":1,\"command\":\"%s\",\"status\":%d", command,
            status);
    write_counts(out, counts);
    for (size_t i = 0; i < n_fields; i++)
        write_field(out, fields[i].name, fields[i].value);
    write_run(out, progress);
    fprintf(out, "}\n");
    if (og_output_commit(output, &err) != OG_OK)
        status = say_error(command, &err);
    og_output_free(output);
    return status;
}
