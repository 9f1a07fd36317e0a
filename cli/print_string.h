#ifndef CLI_PRINT_STRING_H
#define CLI_PRINT_STRING_H

/* Names and ids on stdout or another output. They are untrusted: they must not
 * control the terminal or break a line. Every command prints them through these
 * functions. */

#include <origo/origo.h>
#include <stdio.h>

/* A field of a line: control characters (also the upper ones, U+0080 to U+009F)
 * and backslashes as in JSON, "\u001b". */
void print_field(og_bytes s);

/* A field that was read from such a line: its backslashes are already
 * escapes. */
void print_read_field(og_bytes s);

/* A name in a text for people; same form as print_field(). */
void print_name(const char *name);

/* With quotes. */
void print_json_string(FILE *out, og_bytes s);

/* The length of a control character at `at`, and its code; 0: it is not one.
 * `len` is not 0. */
size_t control_at(const char *at, size_t len, unsigned *out_code);

#endif
