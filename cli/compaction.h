#ifndef CLI_COMPACTION_H
#define CLI_COMPACTION_H

/* Compacts a store and reports the result; returns the exit status. */

#include <stdbool.h>

int compact_store(const char *path, bool quiet, const char *command);

#endif
