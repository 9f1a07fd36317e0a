#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

/* Commands that are programs of their own.
 *
 * The other libraries that 'serve' and 'follow' need (HTTP, TLS, Kafka) are
 * more than half of the dynamic linker's work before a command starts: 53
 * objects instead of 25. So 'origo' only knows their options, for help, man
 * page and completion, and the program that runs them, which is installed
 * beside it. 'eval' is one because it uses internals of the library. */

#include "options.h"

/* In origo: becomes the program, with these words. Returns, with EXIT_IO, only
 * if there is no such program. */
int program_run(const char *program, const char *const *words, size_t n);

/* main() of such a program: all its words are those of `command`. */
int program_main(const struct command *command, command_run *run, int argc,
                 char **argv);

#endif
