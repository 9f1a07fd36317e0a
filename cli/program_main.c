/* A program with one command of the table of origo. */

#include "dispatch.h"
#include "program.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static struct command own;

const struct command *const cli_commands[] = {&own, NULL};

int program_main(const struct command *command, command_run *run, int argc,
                 char **argv)
{
    const size_t n = argc > 0 ? (size_t)argc - 1 : 0;
    char **words = calloc(n + 2, sizeof(*words));
    if (words == NULL) return say("out of memory"), EXIT_IO;
    own = *command;
    own.program = NULL;
    own.run = run;
    words[0] = (char *)own.name;
    if (n > 0) memcpy(words + 1, argv + 1, n * sizeof(*words));
    const int status = dispatch(words, n + 1);
    free(words);
    return status;
}
