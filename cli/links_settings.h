#ifndef CLI_LINKS_SETTINGS_H
#define CLI_LINKS_SETTINGS_H

/* The options of commands that report who copies from whom: one file per
 * form. */

#include "options.h"

#include <origo/origo.h>

struct links_settings {
    const char *csv, *graphml, *svg; /* NULL: not requested */
};

bool links_are_wanted(const struct links_settings *s);

/* Writes all requested files; EXIT_DONE, or the status of a failure that it has
 * reported. */
int links_write(const og_links *links, const struct links_settings *s,
                const char *command);

#define LINKS_OPTIONS(AT, member, about)                                       \
    {.group = "Output",                                                        \
     .name = "links-csv",                                                      \
     .type = &type_string,                                                     \
     .offset = AT(member.csv),                                                 \
     .value = "FILE",                                                          \
     .unset = "none",                                                          \
     .brief = "write who copies from whom, and how much, as CSV",              \
     .more = about},                                                           \
        {.group = "Output",                                                    \
         .name = "links-graphml",                                              \
         .type = &type_string,                                                 \
         .offset = AT(member.graphml),                                         \
         .value = "FILE",                                                      \
         .unset = "none",                                                      \
         .brief = "the same as GraphML",                                       \
         .more = "Documents have a label, a title and a time."},               \
    {                                                                          \
        .group = "Output", .name = "links-svg", .type = &type_string,          \
        .offset = AT(member.svg), .value = "FILE", .unset = "none",            \
        .brief = "the same as a picture (SVG) with a time axis",               \
        .more = "The documents with the strongest links, earliest at the "     \
                "top; colours show groups of connected documents."             \
    }

#endif
