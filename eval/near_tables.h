#ifndef CLI_NEAR_TABLES_H
#define CLI_NEAR_TABLES_H

/* The tables of origo eval near --paper, in Markdown on stdout. */

#include <stdio.h>

#include "eval/evaluation.h"
#include <origo/origo.h>

/* The points of figure 2 go to `points` as TSV (figure, series, x, y), unless
 * it is NULL. */
og_status near_tables_print(og_near_eval *eval,
                            const og_near_eval_options *options,
                            void (*on_step)(void *ctx), void *ctx, FILE *points,
                            og_error *err);

#endif
