#ifndef CLI_HELP_H
#define CLI_HELP_H

/* Everything that is generated from the table of options: help, man page,
 * completion. All output goes to stdout. `command` NULL means origo itself. */

#include "options.h"

void help_short(const struct command *command);
void help_full(const struct command *command);

/* A family is the first word of several commands: "sketch" of "sketch simhash".
 * Its help lists the members. */
bool help_is_family(const char *word);
void help_family(const char *word);

/* A page for man(1), section 1, in the man macros. */
void manpage_write(const struct command *command);

/* "bash", "zsh" or "fish"; false for anything else. */
bool completion_write(const char *shell);

/* "--name=VALUE" with the letter before it, as in "-s, --store STORE". */
void option_spelling(const struct option *o, char *out, size_t out_cap);

/* The default as text; "" if there is none worth showing. `settings` holds the
 * defaults of the command. */
void option_default(const struct option *o, const void *settings, char *out,
                    size_t out_cap);

/* Settings with the defaults of `command`; release with free(). Exits if there
 * is no memory for a few hundred bytes. */
void *settings_new(const struct command *command);

#endif
