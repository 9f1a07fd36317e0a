#ifndef CLI_PRINT_STRING_H
#define CLI_PRINT_STRING_H

/* Names and ids on stdout or another output. They come from strangers: a
 * terminal must not obey what is in them, and a line must not break. Every
 * command prints them through here. */

#include <origo/origo.h>
#include <stdio.h>

/* A field of a line: control characters (also the upper ones, U+0080 to
 * U+009F) and backslashes as JSON writes them, "\u001b". */
void print_field(og_bytes s);

/* A field that was read from such a line: its backslashes are escapes
 * already. */
void print_read_field(og_bytes s);

/* A name in a text for people; the form is that of print_field(). */
void print_name(const char *name);

/* With its quotes. */
void print_json_string(FILE *out, og_bytes s);

/* How many bytes a control character at `at` has, and which it is; 0: there is
 * none. `len` is not 0. */
size_t control_at(const char *at, size_t len, unsigned *out_code);

#endif
