#ifndef CLI_READING_OPTIONS_H
#define CLI_READING_OPTIONS_H

/* The options of every command that reads documents, each defined once: how
 * files become documents, the names of the JSON fields, the longest document. A
 * command puts those that it has into its own table; AT() points into its
 * settings, `member` is the place there. */

#include "options.h"
#include "progress.h"

#include <origo/origo.h>

/* What most of them have. */
struct reading_settings {
    og_fields fields;
    og_reading reading;
    uint64_t max_document;
    uint32_t n_threads;
    bool quiet, verbose, timings;
};

void reading_defaults(struct reading_settings *s);

/* Starts the progress and gives the input of a stream over these files. */
og_input reading_input(const struct reading_settings *s,
                       struct progress *progress, const char *const *paths,
                       size_t n_paths);

/* The exit status of a stream. What was said already, as a problem, is not
 * repeated. */
int reading_status(const char *command, og_status status,
                   const og_stream_counts *counts, const og_error *err);

/* ---- how files become documents: og_reading ---- */

#define TYPE_OPTION(AT, member)                                                \
    {                                                                          \
        .group = "Input", .name = "type", .type = &type_file_kind,             \
        .offset = AT(member), .value = "KIND",                                 \
        .choices = "auto|text|jsonl|json|csv|tsv|html|warc|arc|mbox|mail|xml", \
        .brief = "what the files are: auto, text, jsonl, csv, ...",            \
        .more =                                                                \
            "auto looks at the first bytes of each. json is an array of "      \
            "objects, csv and tsv name the fields in their first row. html "   \
            "is the main text of a page; warc (also WET) and arc are "         \
            "archives, a document for each page or text in them; mbox has a "  \
            "document for each mail; xml is TEI or any other that holds text." \
    }
#define STRIP_QUOTES_OPTION(AT, member)                                        \
    {                                                                          \
        .group = "Input", .name = "strip-quotes", .type = &type_flag,          \
        .offset = AT(member), .brief = "take the > off quoted lines of mails"  \
    }
#define FILES_FROM_OPTION(AT, member)                                          \
    {                                                                          \
        .group = "Input", .name = OPTION_FILES_FROM, .type = &type_string,     \
        .offset = AT(member), .value = "FILE", .unset = "none",                \
        .brief = "read the files that this one names, too",                    \
        .more = "One path a line, or ended by zeros as find -print0 writes "   \
                "them. They come after those of the command line; - is stdin." \
    }
#define TIMES_OPTION(AT, member)                                               \
    {                                                                          \
        .group = "Input", .name = "times", .type = &type_string,               \
        .offset = AT(member), .value = "FILE", .unset = "none",                \
        .brief = "a list of times, by id or path",                             \
        .more = "CSV or JSONL with id or path, time, and title and url if "    \
                "they are to be set, too."                                     \
    }
#define TIME_FROM_NAME_OPTION(AT, member)                                      \
    {                                                                          \
        .group = "Input", .name = "time-from-name", .type = &type_string,      \
        .offset = AT(member), .value = "PATTERN", .unset = "none",             \
        .brief = "take times from names of files, as %Y-%m-%d",                \
        .more = "%Y %m %d %H %M %S are digits, * is any run of characters, ? " \
                "any one. For documents without a time of their own."          \
    }
#define READING_OPTIONS(AT, member)                                            \
    TYPE_OPTION(AT, member.kind),                                              \
        STRIP_QUOTES_OPTION(AT, member.strip_quotes),                          \
        FILES_FROM_OPTION(AT, member.files_from),                              \
        TIMES_OPTION(AT, member.times),                                        \
        TIME_FROM_NAME_OPTION(AT, member.time_from_name)

#define MAX_DOCUMENT_OPTION(AT, member)                                        \
    {                                                                          \
        .group = "Input", .name = "max-document", .type = &type_size,          \
        .offset = AT(member), .value = "SIZE",                                 \
        .unset = "64Mi, or a sixteenth of a store's --memory",                 \
        .brief = "skip documents longer than this, in bytes"                   \
    }

/* ---- the names of the JSON fields: og_fields ---- */

#define FIELD_OPTION(AT, member, name_, brief_, more_)                         \
    {                                                                          \
        .group = "Input", .name = name_, .type = &type_string,                 \
        .offset = AT(member), .value = "NAME", .brief = brief_, .more = more_  \
    }
#define ID_FIELD_OPTION(AT, member)                                            \
    FIELD_OPTION(AT, member.id, "id-field", "the JSON field of the id", NULL)
#define TIME_FIELD_OPTION(AT, member)                                          \
    FIELD_OPTION(                                                              \
        AT, member.time, "time-field", "the JSON field of the time",           \
        "A day, month or year, RFC 3339, or a number of seconds since "        \
        "1970.")
#define TITLE_FIELD_OPTION(AT, member)                                         \
    FIELD_OPTION(AT, member.title, "title-field",                              \
                 "the JSON field of the title", NULL)
#define URL_FIELD_OPTION(AT, member)                                           \
    FIELD_OPTION(AT, member.url, "url-field", "the JSON field of the address", \
                 NULL)
#define TEXT_FIELD_OPTION(AT, member)                                          \
    FIELD_OPTION(AT, member.text, "text-field", "the JSON field of the text",  \
                 NULL)
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
        .brief = "at the end, say where the time went",                        \
        .more = "A table on stderr: seconds of the processor in each stage, "  \
                "in all threads and in the busiest one; what the busiest "     \
                "thread has of the whole; waiting; bytes.",                    \
    }

#endif
