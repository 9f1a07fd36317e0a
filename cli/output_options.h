#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

/* The options of every command that writes documents or lines: the destination,
 * compression, the number of files; and the summary beside it. `member` is the
 * struct output_settings in the settings that AT() points into. */

#include "options.h"
#include "progress.h"

#include <origo/origo.h>

struct output_settings {
    const char *path; /* NULL: stdout */
    int packing;      /* og_packing */
    uint32_t n_shards;
};

/* EXIT_DONE, or the exit status after a message on stderr. */
int output_open(const struct output_settings *s, const char *command,
                og_output **out);
/* Ends the output. If it is not whole, because the run was stopped or could not
 * write, the file is unchanged. Returns `status`, or that of a failure that it
 * has reported. */
int output_end(og_output *output, const struct output_settings *s,
               const char *command, bool is_whole, int status);
/* The status of a run that could not write a document. A failed write is
 * reported by output_end() or, of stdout, at the end of the command; anything
 * else is reported here. */
int output_failed(og_output *output, const char *command, const og_error *err);
bool output_to_stdout(const struct output_settings *s);

#define COMPRESS_OPTION(AT, member)                                            \
    {                                                                          \
        .group = "Output", .name = "compress", .type = &type_choice,           \
        .offset = AT(member), .value = "HOW", .choices = "auto|none|gz|zst",   \
        .brief = "compression of the output: auto, none, gz, zst",             \
        .more = "auto: from the name of the output, .gz or .zst."              \
    }
#define SHARDS_OPTION(AT, member)                                              \
    {                                                                          \
        .group = "Output", .name = "shards", .type = &type_count,              \
        .offset = AT(member), .value = "N",                                    \
        .unset = "a new file every 256 MiB of text",                           \
        .brief = "write N files to the folder DIR/ of --output",               \
        .more = "Document i goes to file i modulo N."                          \
    }
#define OUTPUT_OPTION(AT, member, value_, what, more_)                         \
    {                                                                          \
        .group = "Output", .letter = 'o', .name = "output",                    \
        .type = &type_string, .offset = AT(member), .value = value_,           \
        .unset = "stdout", .brief = "write " what " to FILE",                  \
        .more = "It appears when it is complete. A name that ends in .gz or "  \
                ".zst compresses it." more_                                    \
    }
#define DOCUMENT_OUTPUT_OPTIONS(AT, member)                                    \
    OUTPUT_OPTION(AT, member.path, "FILE|DIR/", "the documents",               \
                  " DIR/ is a folder of files part-00000.jsonl and so on."),   \
        SHARDS_OPTION(AT, member.n_shards),                                    \
        COMPRESS_OPTION(AT, member.packing)

/* ---- the summary ---- */

#define SUMMARY_OPTION(AT, member)                                             \
    {                                                                          \
        .group = "Output", .name = "summary", .type = &type_string,            \
        .offset = AT(member), .value = "FILE", .unset = "none",                \
        .brief = "write a summary of the run, as JSON",                        \
        .more = "One object with counts, seconds, memory and the exit "        \
                "status; docs/summary.schema.json lists its fields."           \
    }

/* A count of a command, in addition to its documents. */
struct summary_field {
    const char *name;
    uint64_t value;
};

/* Writes it if `path` is not NULL. Returns `status`, or that of a failure that
 * it has reported. */
int summary_write(const char *path, const char *command,
                  const struct progress *progress,
                  const og_stream_counts *counts,
                  const struct summary_field *fields, size_t n_fields,
                  int status);

#endif
