#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

/* Commands that are programs of their own.
 *
 * What 'serve' and 'follow' need of other libraries (HTTP, TLS, Kafka) is more
 * than half of what the linker has to do before a command starts: 53 objects
 * instead of 25. 'origo' therefore knows their options, for help, man page and
 * completion, and the program that runs them, which is installed beside it.
 * 'eval' is one because it looks inside the library. */

#include "options.h"

/* In origo: becomes the program, with these words. Returns, with EXIT_IO, only
 * when there is no such program. */
int program_run(const char *program, const char *const *words, size_t n);

/* main() of such a program: all its words are those of `command`. */
int program_main(const struct command *command, command_run *run, int argc,
                 char **argv);

#endif
