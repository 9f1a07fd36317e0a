#ifndef CLI_READING_OPTIONS_H
#define CLI_READING_OPTIONS_H

/* The options of every command that reads documents: what og_reading has.
 * `member` is the og_reading in the settings that AT() points into. */

#include "options.h"

#define READING_OPTIONS(AT, member)                                            \
    {                                                                          \
        "Input", 0, OPTION_FILES_FROM, &type_string, AT(member.files_from),    \
            "FILE", NULL, "none", "read the files that this one names, too",   \
            "One path a line, or ended by zeros as find -print0 writes them. " \
            "They come after those of the command line; - is stdin."           \
    }

#endif
