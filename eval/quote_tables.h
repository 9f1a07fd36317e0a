#ifndef CLI_QUOTE_TABLES_H
#define CLI_QUOTE_TABLES_H

/* What 'origo eval quote' prints. */

#include "eval/evaluation.h"
#include <origo/origo.h>
#include <stdbool.h>
#include <stdio.h>

/* Every two of the files. */
og_status aligned_table_print(const char *const *paths, size_t n,
                              double threshold, og_error *err);

/* ---- measurements that both print ---- */

enum { WAYS_MOST = 96 };

struct quote_measured {
    og_quote_eval_facts facts;
    og_quote_recall recall[4]; /* 16, 32, 64, 128 bits */
    og_quote_way ways[WAYS_MOST];
    og_quote_timing timing[WAYS_MOST];
    size_t n_ways;
};

og_status quote_measure(og_quote_eval *eval, struct quote_measured *out,
                        og_error *err);

/* The paper's Table 2 and figures 7 to 13 as tables in Markdown, on stdout. */
og_status quote_tables_print(const struct quote_measured *measured,
                             double threshold, og_error *err);

/* The points of the figures, one line each: figure, series, x, y. */
void quote_points_print(const struct quote_measured *measured, FILE *out);

/* Querying and adding a tenth more sentences, or all of them again: seconds at
 * every step but the first, for three of the ways that were measured. */
enum { QUOTE_INCREMENTAL = 3 };
unsigned quote_incremental_way(unsigned k);
void quote_incremental(const og_quote_eval_facts *facts, unsigned way,
                       bool again, double out[OG_QUOTE_GROWTH]);

/* "qSign 16 bits, d 3", "exact 0.7": at most 31 characters. */
void quote_way_name(const og_quote_way *way, char out[32]);

#endif
