#ifndef CLI_REPORT_SETTINGS_H
#define CLI_REPORT_SETTINGS_H

/* The options of every command with a report: its form, destination and look.
 * Each command includes the list in its own table, with AT() for its own
 * settings. */

#include "options.h"

#include <origo/origo.h>

struct report_settings {
    int format;         /* og_format, or REPORT_FORMAT_AUTO */
    const char *output; /* NULL: stdout */
    int offsets;        /* og_offsets */
    bool matches;
    int colour; /* auto, always, never */
};

enum { REPORT_FORMAT_AUTO = -1 };

void report_defaults(struct report_settings *s);

/* The chosen options, or those that follow from the destination: for a terminal
 * text in its width, with colours; for a FILE the form of its name; otherwise
 * JSON. */
og_report_options report_options(const struct report_settings *s);

bool report_to_stdout(const struct report_settings *s);

/* Parts of it: the form for the destination, colour and width. */
og_format report_format_of_output(const struct report_settings *s);
og_text_style report_style(const struct report_settings *s);

/* Ends the report of a run that ends with `status`, and returns that, or the
 * status of a failure that it has reported. Answers are reported even if
 * another file could not be read. A report that could not be written (`err`
 * says why), or has nothing to report because all input failed, is not created:
 * an existing FILE is kept. */
int report_end(og_report *report, const struct report_settings *s,
               const char *command, bool answered, const og_error *err,
               int status);

#define COLOUR_OPTION(AT, member)                                              \
    {                                                                          \
        .group = "Output", .name = "color", .type = &type_choice,              \
        .offset = AT(member), .value = "WHEN", .choices = "auto|always|never", \
        .brief = "colour in text: auto, always or never",                      \
        .more = "auto: on a terminal, unless NO_COLOR is set."                 \
    }

#define REPORT_OPTIONS(AT, member)                                             \
    {.group = "Output",                                                        \
     .letter = 'f',                                                            \
     .name = "format",                                                         \
     .type = &type_choice,                                                     \
     .offset = AT(member.format),                                              \
     .value = "FORMAT",                                                        \
     .choices = "text|json|tsv|html|pan|annotation|tei",                       \
     .unset = "text on a terminal, else from FILE's name, else json",          \
     .brief = "text, json, tsv, html, pan, annotation or tei",                 \
     .more = "text is for reading; json writes one object per document and "   \
             "line; tsv one line per copied passage; html is a page that "     \
             "needs no network; pan is the XML of the PAN competitions; "      \
             "annotation is W3C Web Annotation in JSON-LD; tei is TEI P5 "     \
             "with stand-off spans. The last three count characters."},        \
        {.group = "Output",                                                    \
         .letter = 'o',                                                        \
         .name = "output",                                                     \
         .type = &type_string,                                                 \
         .offset = AT(member.output),                                          \
         .value = "FILE",                                                      \
         .unset = "stdout",                                                    \
         .brief = "write the report to FILE",                                  \
         .more =                                                               \
             "It appears when it is complete. Without --format, a name that "  \
             "ends in .html, .tsv, .txt, .jsonld or .xml (TEI) chooses the "   \
             "format. A name that ends in .gz or .zst compresses it."},        \
        {.group = "Output",                                                    \
         .name = "offsets",                                                    \
         .type = &type_choice,                                                 \
         .offset = AT(member.offsets),                                         \
         .value = "UNIT",                                                      \
         .choices = "byte|char|utf16",                                         \
         .brief = "unit of offsets: byte, char or utf16",                      \
         .more = "For json and tsv. char counts code points, utf16 counts "    \
                 "UTF-16 code units like JavaScript and Java. Offsets in an "  \
                 "origin are always in bytes if its text is not available."},  \
        {.group = "Output",                                                    \
         .name = "matches",                                                    \
         .type = &type_flag,                                                   \
         .offset = AT(member.matches),                                         \
         .brief = "json: also list the equal words of each passage",           \
         .more = "Four offsets for each run of equal words: begin and end in " \
                 "the document, begin and end in its origin. Only for "        \
                 "verified passages."},                                        \
        COLOUR_OPTION(AT, member.colour)

#endif
