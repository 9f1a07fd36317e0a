#ifndef CLI_READING_OPTIONS_H
#define CLI_READING_OPTIONS_H

/* The options of every command that reads documents: what og_reading has.
 * `member` is the og_reading in the settings that AT() points into. */

#include "options.h"

#define READING_OPTIONS(AT, member)                                            \
    {"Input",                                                                  \
     0,                                                                        \
     "type",                                                                   \
     &type_file_kind,                                                          \
     AT(member.kind),                                                          \
     "KIND",                                                                   \
     "auto|text|jsonl|html|warc|arc|mbox|mail|xml",                            \
     NULL,                                                                     \
     "what the files are: auto, text, jsonl, html, ...",                       \
     "auto looks at the first bytes of each. html is the main text of a "      \
     "page; warc (also WET) and arc are archives, a document for each page "   \
     "or text in them; mbox has a document for each mail; xml is TEI or "      \
     "any other that holds text."},                                            \
        {"Input",                                                              \
         0,                                                                    \
         "strip-quotes",                                                       \
         &type_flag,                                                           \
         AT(member.strip_quotes),                                              \
         NULL,                                                                 \
         NULL,                                                                 \
         NULL,                                                                 \
         "take the > off quoted lines of mails",                               \
         NULL},                                                                \
    {                                                                          \
        "Input", 0, OPTION_FILES_FROM, &type_string, AT(member.files_from),    \
            "FILE", NULL, "none", "read the files that this one names, too",   \
            "One path a line, or ended by zeros as find -print0 writes them. " \
            "They come after those of the command line; - is stdin."           \
    }

#endif
