#ifndef OG_BASE_C_LOCALE_H
#define OG_BASE_C_LOCALE_H

/* Numbers as text, with a decimal point whatever the locale of the program. */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* snprintf(), vsnprintf() and strtod() of the C locale. */
int og_text_format(char *out, size_t cap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int og_text_format_list(char *out, size_t cap, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
double og_parse_number(const char *s, char **out_end);

#endif
