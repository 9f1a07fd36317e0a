#ifndef CLI_LINKS_SETTINGS_H
#define CLI_LINKS_SETTINGS_H

/* The options of commands that tell who takes from whom: one file for each
 * form. */

#include "options.h"

#include <origo/origo.h>

struct links_settings {
    const char *csv, *graphml, *svg; /* NULL: not asked for */
};

bool links_are_wanted(const struct links_settings *s);

/* Writes all that was asked for; EXIT_DONE, or the status of a failure that it
 * has told. */
int links_write(const og_links *links, const struct links_settings *s,
                const char *command);

#define LINKS_OPTIONS(AT, member, about)                                       \
    {"Output",                                                                 \
     0,                                                                        \
     "links-csv",                                                              \
     &type_string,                                                             \
     AT(member.csv),                                                           \
     "FILE",                                                                   \
     NULL,                                                                     \
     "none",                                                                   \
     "write who takes from whom, and how much, as CSV",                        \
     about},                                                                   \
        {"Output",                                                             \
         0,                                                                    \
         "links-graphml",                                                      \
         &type_string,                                                         \
         AT(member.graphml),                                                   \
         "FILE",                                                               \
         NULL,                                                                 \
         "none",                                                               \
         "the same as GraphML",                                                \
         "Documents have a label, a title and a time."},                       \
    {                                                                          \
        "Output", 0, "links-svg", &type_string, AT(member.svg), "FILE", NULL,  \
            "none", "the same as a picture: a time line",                      \
            "The documents with the strongest links, the earliest at the "     \
            "top; colours are groups that belong together."                    \
    }

#endif
