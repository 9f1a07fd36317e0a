#ifndef CLI_MARKDOWN_H
#define CLI_MARKDOWN_H

/* Tables in Markdown whose columns are aligned as plain text too. */

#include <origo/origo.h>
#include <stdbool.h>
#include <stdio.h>

enum { MD_CELL = 48, MD_COLUMNS = 16 };

/* The first row is the head; the first column is aligned left, the others
 * right. Start with {0}. */
struct md_table {
    char (*cells)[MD_CELL];
    size_t n, cap;
    size_t n_columns; /* known when the first row has ended */
    bool out_of_memory;
};

void md_release(struct md_table *table);
void md_cell(struct md_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The row is filled up with empty cells. */
void md_end_row(struct md_table *table);

/* False when the memory was not enough to keep the table. */
bool md_print(const struct md_table *table, FILE *out);

/* Prints it to stdout with an empty line after it, and releases it.
 * OG_ERR_MEMORY. */
og_status md_end_table(struct md_table *table, og_error *err);

#endif
