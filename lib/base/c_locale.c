/* Sets the locale of the thread for the duration of one call: there is no other
 * portable way to make printf() and strtod() use the C locale. */

#define _GNU_SOURCE /* uselocale */

#include "lib/base/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale; /* 0: out of memory */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t enter(void)
{
    pthread_once(&once, make_locale);
    return c_locale != (locale_t)0 ? uselocale(c_locale) : (locale_t)0;
}

static void leave(locale_t old)
{
    if (old != (locale_t)0) uselocale(old);
}

int og_text_format_list(char *out, size_t cap, const char *format, va_list args)
{
    const locale_t old = enter();
    const int n = vsnprintf(out, cap, format, args);
    leave(old);
    return n;
}

int og_text_format(char *out, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = og_text_format_list(out, cap, format, args);
    va_end(args);
    return n;
}

double og_parse_number(const char *s, char **out_end)
{
    const locale_t old = enter();
    const double value = strtod(s, out_end);
    leave(old);
    return value;
}
