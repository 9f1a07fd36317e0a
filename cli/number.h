#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

/* Numbers as people type and read them: 64M, 1.5Gi, 300. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole numbers and fractions with k M G T (1000) or Ki Mi Gi Ti (1024). The
 * result is rounded down to a whole number. False if it is not a number or does
 * not fit. */
bool number_parse(const char *s, uint64_t *out);

/* The shortest form that number_parse() converts back exactly. */
void number_show(uint64_t n, char *out, size_t out_cap);

#endif
