#include "buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_release(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}

static bool make_room(struct buffer *b, size_t len)
{
    size_t cap = b->cap == 0 ? 256 : b->cap;
    if (b->failed) return false;
    if (b->cap - b->len >= len && b->data != NULL) return true;
    while (cap - b->len < len) {
        if (cap > SIZE_MAX / 2) return !(b->failed = true);
        cap *= 2;
    }
    char *data = realloc(b->data, cap);
    if (data == NULL) return !(b->failed = true);
    b->data = data;
    b->cap = cap;
    return true;
}

void buffer_bytes(struct buffer *b, const char *data, size_t len)
{
    if (len == 0 || !make_room(b, len)) return;
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

void buffer_text(struct buffer *b, const char *s)
{
    buffer_bytes(b, s, strlen(s));
}

void buffer_format(struct buffer *b, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (len > 0)
        buffer_bytes(b, small,
                     (size_t)len < sizeof(small) ? (size_t)len
                                                 : sizeof(small) - 1);
}

int buffer_write(void *buffer, const char *data, size_t len)
{
    struct buffer *b = buffer;
    buffer_bytes(b, data, len);
    return b->failed ? ENOMEM : 0;
}

void buffer_string(struct buffer *b, og_bytes s)
{
    if (og_report_string(buffer_write, b, s, NULL) != OG_OK) b->failed = true;
}

void buffer_c_string(struct buffer *b, const char *s)
{
    buffer_string(b, (og_bytes){s, strlen(s)});
}

void buffer_share(struct buffer *b, double share)
{
    const unsigned n = share <= 0   ? 0
                       : share >= 1 ? 10000
                                    : (unsigned)(share * 10000 + 0.5);
    buffer_format(b, "%u.%04u", n / 10000, n % 10000);
}

void buffer_drop(struct buffer *b, size_t n)
{
    if (n == 0) return;
    memmove(b->data, b->data + n, b->len - n);
    b->len -= n;
}

char *copy_of_bytes(og_bytes s)
{
    char *const copy = malloc(s.len + 1);
    if (copy == NULL) return NULL;
    if (s.len > 0) memcpy(copy, s.data, s.len);
    copy[s.len] = 0;
    return copy;
}
