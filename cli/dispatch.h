#ifndef CLI_DISPATCH_H
#define CLI_DISPATCH_H

/* Runs the command of cli_commands that the words name; returns the exit
 * status. */

#include <stddef.h>

int dispatch(char **words, size_t n);

/* The command 'help': explains the command that the operands name. */
int dispatch_help(const void *settings, const char *const *operands, size_t n);

#endif
