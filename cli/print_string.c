/* Names and ids on stdout; see print_string.h. */

#include "print_string.h"

#include <stdio.h>
#include <string.h>

size_t control_at(const char *at, size_t len, unsigned *out_code)
{
    const unsigned char c = (unsigned char)at[0];
    *out_code = c;
    if (c < 0x20 || c == 0x7f) return 1;
    if (c != 0xc2 || len < 2) return 0;
    *out_code = (unsigned char)at[1];
    return *out_code >= 0x80 && *out_code < 0xa0 ? 2 : 0;
}

/* `special` are the characters to escape with a backslash. */
static void print_escaped(FILE *out, og_bytes s, const char *special)
{
    unsigned code;
    size_t done = 0; /* plain runs are written in one piece */
    for (size_t i = 0; i < s.len;) {
        const size_t n = control_at(s.data + i, s.len - i, &code);
        const bool is_special =
            n == 0 && special[0] != '\0' && strchr(special, s.data[i]) != NULL;
        if (n != 0 || is_special) {
            fwrite(s.data + done, 1, i - done, out);
            if (n != 0)
                fprintf(out, "\\u%04x", code);
            else
                fprintf(out, "\\%c", s.data[i]);
            done = i + (n != 0 ? n : 1);
        }
        i += n != 0 ? n : 1;
    }
    if (s.len > done) fwrite(s.data + done, 1, s.len - done, out);
}

void print_field(og_bytes s)
{
    for (size_t i = 0; i < s.len;) {
        const char *slash = memchr(s.data + i, '\\', s.len - i);
        const size_t end = slash == NULL ? s.len : (size_t)(slash - s.data);
        print_escaped(stdout, (og_bytes){s.data + i, end - i}, "");
        if (slash != NULL) fputs("\\u005c", stdout);
        i = end + (slash != NULL);
    }
}

void print_read_field(og_bytes s)
{
    print_escaped(stdout, s, "");
}

void print_name(const char *name)
{
    print_field((og_bytes){name, strlen(name)});
}

void print_json_string(FILE *out, og_bytes s)
{
    putc('"', out);
    print_escaped(out, s, "\"\\");
    putc('"', out);
}
