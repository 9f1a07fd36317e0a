#ifndef CLI_READING_OPTIONS_H
#define CLI_READING_OPTIONS_H

/* The options of every command that reads documents, each defined once: how
 * files become documents, the names of the JSON fields, the longest document. A
 * command includes those that it supports in its own table; AT() points into
 * its settings, `member` is the member there. */

#include "options.h"
#include "progress.h"

#include <origo/origo.h>

/* The settings of most of them. */
struct reading_settings {
    og_fields fields;
    og_reading reading;
    uint64_t max_document;
    uint32_t n_threads;
    bool quiet, verbose, timings;
};

void reading_defaults(struct reading_settings *s);

/* Starts the progress and returns the input of a stream over these files. */
og_input reading_input(const struct reading_settings *s,
                       struct progress *progress, const char *const *paths,
                       size_t n_paths);

/* The exit status of a stream. Does not repeat what was already reported as a
 * problem. */
int reading_status(const char *command, og_status status,
                   const og_stream_counts *counts, const og_error *err);

/* ---- how files become documents: og_reading ---- */

#define TYPE_OPTION(AT, member)                                                \
    {                                                                          \
        .group = "Input", .name = "type", .type = &type_file_kind,             \
        .offset = AT(member), .value = "KIND",                                 \
        .choices = "auto|text|jsonl|json|csv|tsv|html|warc|arc|mbox|mail|xml", \
        .brief = "type of the files: auto, text, jsonl, csv, ...",             \
        .more =                                                                \
            "auto looks at the first bytes of each file. json is an array of " \
            "objects; csv and tsv have the field names in their first row; "   \
            "html is the main text of a page; warc (also WET) and arc are "    \
            "archives with a document for each page or text; mbox has a "      \
            "document for each mail; xml is TEI or other XML with text."       \
    }
#define STRIP_QUOTES_OPTION(AT, member)                                        \
    {                                                                          \
        .group = "Input", .name = "strip-quotes", .type = &type_flag,          \
        .offset = AT(member),                                                  \
        .brief = "remove the > from quoted lines in mails"                     \
    }
#define FILES_FROM_OPTION(AT, member)                                          \
    {                                                                          \
        .group = "Input", .name = OPTION_FILES_FROM, .type = &type_string,     \
        .offset = AT(member), .value = "FILE", .unset = "none",                \
        .brief = "also read the files listed in this one",                     \
        .more =                                                                \
            "One path per line, or separated by NUL as find -print0 writes "   \
            "them. They follow those of the command line; - is stdin."         \
    }
#define TIMES_OPTION(AT, member)                                               \
    {                                                                          \
        .group = "Input", .name = "times", .type = &type_string,               \
        .offset = AT(member), .value = "FILE", .unset = "none",                \
        .brief = "file with times, by id or path",                             \
        .more = "CSV or JSONL with id or path, time, and optionally title "    \
                "and url."                                                     \
    }
#define TIME_FROM_NAME_OPTION(AT, member)                                      \
    {                                                                          \
        .group = "Input", .name = "time-from-name", .type = &type_string,      \
        .offset = AT(member), .value = "PATTERN", .unset = "none",             \
        .brief = "take times from file names, such as %Y-%m-%d",               \
        .more = "%Y %m %d %H %M %S match digits, * matches any characters, ? " \
                "any one. Used for documents without their own time."          \
    }
#define READING_OPTIONS(AT, member)                                            \
    TYPE_OPTION(AT, member.kind),                                              \
        STRIP_QUOTES_OPTION(AT, member.strip_quotes),                          \
        FILES_FROM_OPTION(AT, member.files_from),                              \
        TIMES_OPTION(AT, member.times),                                        \
        TIME_FROM_NAME_OPTION(AT, member.time_from_name)

#define MAX_DOCUMENT_OPTION_OF(AT, member, unset_)                             \
    {                                                                          \
        .group = "Input", .name = "max-document", .type = &type_size,          \
        .offset = AT(member), .value = "SIZE", .unset = unset_,                \
        .brief = "skip documents longer than this, in bytes"                   \
    }
#define MAX_DOCUMENT_OPTION(AT, member)                                        \
    MAX_DOCUMENT_OPTION_OF(AT, member,                                         \
                           "64Mi, or a sixteenth of a store's --memory")

/* ---- the names of the JSON fields: og_fields ---- */

#define FIELD_OPTION(AT, member, name_, brief_, more_)                         \
    {                                                                          \
        .group = "Input", .name = name_, .type = &type_string,                 \
        .offset = AT(member), .value = "NAME", .brief = brief_, .more = more_  \
    }
#define ID_FIELD_OPTION(AT, member)                                            \
    FIELD_OPTION(AT, member.id, "id-field", "JSON field of the id", NULL)
#define TIME_FIELD_OPTION(AT, member)                                          \
    FIELD_OPTION(AT, member.time, "time-field", "JSON field of the time",      \
                 "A day, month or year, RFC 3339, or seconds since 1970.")
#define TITLE_FIELD_OPTION(AT, member)                                         \
    FIELD_OPTION(AT, member.title, "title-field", "JSON field of the title",   \
                 NULL)
#define URL_FIELD_OPTION(AT, member)                                           \
    FIELD_OPTION(AT, member.url, "url-field", "JSON field of the URL", NULL)
#define TEXT_FIELD_OPTION(AT, member)                                          \
    FIELD_OPTION(AT, member.text, "text-field", "JSON field of the text", NULL)
#define FIELD_OPTIONS(AT, member)                                              \
    ID_FIELD_OPTION(AT, member), TIME_FIELD_OPTION(AT, member),                \
        TITLE_FIELD_OPTION(AT, member), URL_FIELD_OPTION(AT, member),          \
        TEXT_FIELD_OPTION(AT, member)

/* quiet and verbose of struct reading_settings. */
#define TALK_OPTIONS(AT, member)                                               \
    QUIET_OPTION(AT, member.quiet), VERBOSE_OPTION(AT, member.verbose)

#define TIMINGS_OPTION(AT, member)                                             \
    {                                                                          \
        .group = "Output", .name = "timings", .type = &type_flag,              \
        .offset = AT(member.timings),                                          \
        .brief = "print the time spent in each stage",                         \
        .more = "A table on stderr: CPU seconds of each stage, in all "        \
                "threads and in the busiest one; the share of the busiest "    \
                "thread; waiting time; bytes.",                                \
    }

#endif
