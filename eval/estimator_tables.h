#ifndef CLI_ESTIMATOR_TABLES_H
#define CLI_ESTIMATOR_TABLES_H

#include "eval/evaluation.h"
#include <stdbool.h>
#include <stdint.h>

/* Runs og_eval_estimators() and prints its tables in Markdown on stdout.
 * `seconds` for each of its cells; 0: the library's default. Returns the exit
 * status after a message on stderr. */
int estimator_tables_print(const char *command, double seconds, bool quiet);

#endif
