#ifndef CLI_MARKDOWN_H
#define CLI_MARKDOWN_H

/* Tables in Markdown whose columns are also aligned as plain text. */

#include <origo/origo.h>
#include <stdbool.h>
#include <stdio.h>

enum { MD_CELL = 48, MD_COLUMNS = 16 };

/* The first row is the header; the first column is left-aligned, the others
 * right-aligned. Start with {0}. */
struct md_table {
    char (*cells)[MD_CELL];
    size_t n, cap;
    size_t n_columns; /* known once the first row has ended */
    bool out_of_memory;
};

void md_release(struct md_table *table);
void md_cell(struct md_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The row is padded with empty cells. */
void md_end_row(struct md_table *table);

/* False if there was not enough memory to keep the table. */
bool md_print(const struct md_table *table, FILE *out);

/* Prints it to stdout, followed by an empty line, and releases it.
 * OG_ERR_MEMORY. */
og_status md_end_table(struct md_table *table, og_error *err);

#endif
