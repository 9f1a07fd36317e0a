#ifndef CLI_KEEP_OPTION_H
#define CLI_KEEP_OPTION_H

/* --keep, of dedup and of its stages. */

#include <origo/origo.h>

#define KEEP_VALUES "first|last|longest|field:NAME"

/* EXIT_DONE, or reports the error. */
int set_keep(const char *command, og_dedup_options *options, const char *keep);

#endif
