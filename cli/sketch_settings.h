#ifndef CLI_SKETCH_SETTINGS_H
#define CLI_SKETCH_SETTINGS_H

/* The options of every command over the features of documents: the kind of
 * features, and how documents are read. Each command includes the two lists in
 * its own table, with AT() for its own settings. */

#include "options.h"
#include "progress.h"
#include "reading_options.h"

#include <origo/origo.h>

struct sketch_settings {
    og_feature_options features;
    struct reading_settings reading;
    const char *idf; /* a file, or NULL */
};

void sketch_defaults(struct sketch_settings *s);

#define SKETCH_FEATURE_OPTIONS(AT, member)                                     \
    {.group = "Features",                                                      \
     .name = "features",                                                       \
     .type = &type_features,                                                   \
     .offset = AT(member.features.kind),                                       \
     .value = "KIND",                                                          \
     .choices = "tokens|phrases|wrap|spot",                                    \
     .brief = "tokens, phrases, wrap or spot",                                 \
     .more =                                                                   \
         "phrases are consecutive tokens; wrap lets them continue from the "   \
         "end of the text to its beginning; a spot is a stop word and the "    \
         "content words after it, which ignores headlines and captions."},     \
        {.group = "Features",                                                  \
         .name = "phrase",                                                     \
         .type = &type_count,                                                  \
         .offset = AT(member.features.phrase_len),                             \
         .value = "K",                                                         \
         .brief = "tokens in a phrase, 1 to 32"},                              \
        {.group = "Features",                                                  \
         .name = "tokens",                                                     \
         .type = &type_tokens,                                                 \
         .offset = AT(member.features.tokens),                                 \
         .value = "KIND",                                                      \
         .choices = "words|chars|lines|dna",                                   \
         .brief = "kind of token: words, chars, lines, dna"},                  \
        {.group = "Features",                                                  \
         .name = "stop",                                                       \
         .type = &type_string,                                                 \
         .offset = AT(member.features.stop),                                   \
         .value = "LANG",                                                      \
         .choices = "de|en|es|fr|it|nl|pt|ru|sv",                              \
         .unset = "none",                                                      \
         .brief = "leave out the stop words of a language",                    \
         .more = "With spot they are kept, to begin the phrases: en, unless "  \
                 "told."},                                                     \
        {.group = "Features",                                                  \
         .name = "stem",                                                       \
         .type = &type_string,                                                 \
         .offset = AT(member.features.stem),                                   \
         .value = "LANG",                                                      \
         .choices = "da|de|en|es|fi|fr|hu|it|nl|no|pt|ro|ru|sv|tr",            \
         .unset = "none",                                                      \
         .brief = "reduce words to stems",                                     \
         .more =                                                               \
             "By Snowball: 'connection' and 'connected' are both 'connect'."}, \
    {                                                                          \
        .group = "Features", .name = "title-weight", .type = &type_weight,     \
        .offset = AT(member.features.title_weight), .value = "W",              \
        .brief = "weight of tokens in the title; 0: left out"                  \
    }

/* Only where features are weighed. */
#define SKETCH_WEIGHT_OPTIONS(AT, member)                                      \
    {.group = "Features",                                                      \
     .name = "heading-weight",                                                 \
     .type = &type_weight,                                                     \
     .offset = AT(member.features.heading_weight),                             \
     .value = "W",                                                             \
     .brief = "weight of tokens in headings of the text",                      \
     .more = "A heading is a line after # signs, above a row of = or -, or "   \
             "with a section number between empty lines."},                    \
        {.group = "Features",                                                  \
         .name = "tf",                                                         \
         .type = &type_tf,                                                     \
         .offset = AT(member.features.tf),                                     \
         .value = "HOW",                                                       \
         .choices = "count|log|one",                                           \
         .brief = "weight of repetition: count, log, one",                     \
         .more = "count: as often as it comes; log: log2(1 + count); one: "    \
                 "nothing."},                                                  \
    {                                                                          \
        .group = "Features", .name = "idf", .type = &type_string,              \
        .offset = AT(member.idf), .value = "FILE", .unset = "none",            \
        .brief = "document frequencies, from origo sketch idf",                \
        .more = "A feature then weighs log2((N + 1) / df) times its tf."       \
    }

#define SKETCH_INPUT_OPTIONS(AT, member)                                       \
    TALK_OPTIONS(AT, member.reading),                                          \
        THREADS_OPTION(AT, member.reading.n_threads, "Input",                  \
                       "The output does not depend on it."),                   \
        MAX_DOCUMENT_OPTION_OF(AT, member.reading.max_document,                \
                               "32Mi; idf: a sixteenth of --memory"),          \
        READING_OPTIONS(AT, member.reading.reading),                           \
        ID_FIELD_OPTION(AT, member.reading.fields),                            \
        TITLE_FIELD_OPTION(AT, member.reading.fields),                         \
        TEXT_FIELD_OPTION(AT, member.reading.fields)

/* A running stream: passed to the callbacks of the library. */
struct sketch_run {
    struct progress progress;
    bool failed; /* a write to stdout */
    unsigned n_bits;
};

/* Starts the progress and returns the input and the features. Opens the idf
 * file if one was given: close *out_idf with og_idf_close(). The exit status is
 * not EXIT_DONE after a message on stderr. */
int sketch_start(struct sketch_run *run, const char *command,
                 const struct sketch_settings *s, const char *const *paths,
                 size_t n_paths, og_input *out,
                 og_feature_options *out_features, og_idf **out_idf);

/* Ends the progress, prints the summary and the error. */
int sketch_end(struct sketch_run *run, const char *command,
               const struct sketch_settings *s, og_status status,
               const og_stream_counts *counts, const og_error *err);

#endif
