/* Tables in Markdown: cells are buffered until the widths are known. */

#include "eval/markdown.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void md_release(struct md_table *table)
{
    free(table->cells);
    *table = (struct md_table){0};
}

static bool reserve_one(struct md_table *table)
{
    if (table->n < table->cap) return true;
    const size_t cap = table->cap == 0 ? 128 : 2 * table->cap;
    void *cells = realloc(table->cells, cap * sizeof(*table->cells));
    if (cells == NULL) return false;
    table->cells = cells;
    table->cap = cap;
    return true;
}

void md_cell(struct md_table *table, const char *format, ...)
{
    if (!reserve_one(table)) {
        table->out_of_memory = true;
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(table->cells[table->n++], MD_CELL, format, args);
    va_end(args);
}

void md_end_row(struct md_table *table)
{
    if (table->n_columns == 0) table->n_columns = table->n;
    while (!table->out_of_memory && table->n % table->n_columns != 0)
        md_cell(table, "%s", "");
}

static size_t width_of(const struct md_table *table, size_t column)
{
    size_t width = 3; /* "--:" */
    for (size_t i = column; i < table->n; i += table->n_columns)
        if (strlen(table->cells[i]) > width) width = strlen(table->cells[i]);
    return width;
}

static void print_rule(const size_t *widths, size_t n, FILE *out)
{
    for (size_t column = 0; column < n; column++) {
        putc('|', out);
        for (size_t i = 0; i <= widths[column]; i++)
            putc('-', out);
        putc(column == 0 ? '-' : ':', out);
    }
    fputs("|\n", out);
}

bool md_print(const struct md_table *table, FILE *out)
{
    size_t widths[MD_COLUMNS];
    const size_t n = table->n_columns;
    if (table->out_of_memory || n == 0 || n > MD_COLUMNS) return false;
    for (size_t column = 0; column < n; column++)
        widths[column] = width_of(table, column);
    for (size_t i = 0; i < table->n; i++) {
        const size_t column = i % n;
        const int width = (int)widths[column];
        fprintf(out, column == 0 ? "| %-*s " : "| %*s ", width,
                table->cells[i]);
        if (column + 1 == n) fputs("|\n", out);
        if (i + 1 == n) print_rule(widths, n, out);
    }
    return true;
}

og_status md_end_table(struct md_table *table, og_error *err)
{
    const bool printed = md_print(table, stdout);
    md_release(table);
    printf("\n");
    if (printed) return OG_OK;
    *err = (og_error){.status = OG_ERR_MEMORY,
                      .message = "out of memory for a table"};
    return OG_ERR_MEMORY;
}
