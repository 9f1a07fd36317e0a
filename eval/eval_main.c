/* origo-eval: the experiments of the papers, on any data. 'origo eval' calls it
 * with the words after 'eval'; its messages and pages name that command. */

#include <stdlib.h>
#include <string.h>

#include "cli/dispatch.h"
#include "cli/options.h"
#include "cli/say.h"

extern const struct command command_eval_origin;
extern const struct command command_eval_near;
extern const struct command command_eval_quote;
extern const struct command command_eval_pan;

const struct command *const cli_commands[] = {
    &command_eval_origin,
    &command_eval_near,
    &command_eval_quote,
    &command_eval_pan,
    NULL,
};

static bool is_for_dispatch(const char *word)
{
    return strcmp(word, "--man") == 0;
}

int main(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof(*words));
    size_t n = 0;
    if (words == NULL) return say("out of memory"), EXIT_IO;
    /* --man is of the program, all other words are of the family 'eval'. */
    if (argc < 2 || !is_for_dispatch(argv[1])) words[n++] = (char *)"eval";
    for (int i = 1; i < argc; i++)
        words[n++] = argv[i];
    const int status = dispatch(words, n);
    free(words);
    return status;
}
