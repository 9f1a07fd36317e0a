#ifndef SERVER_BUFFER_H
#define SERVER_BUFFER_H

/* Growing byte buffers: bodies, answers, events. When memory runs out, `failed`
 * is set, and what is appended after that is dropped. */

#include <origo/origo.h>

struct buffer {
    char *data;
    size_t len, cap;
    bool failed;
};

void buffer_release(struct buffer *b);
void buffer_bytes(struct buffer *b, const char *data, size_t len);
void buffer_text(struct buffer *b, const char *s);
void buffer_format(struct buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a JSON string, with its quotes. */
void buffer_string(struct buffer *b, og_bytes s);
void buffer_c_string(struct buffer *b, const char *s);
/* Appends a fraction with at most four decimals, whatever the locale. */
void buffer_share(struct buffer *b, double share);
/* Removes the first n bytes. */
void buffer_drop(struct buffer *b, size_t n);

/* og_write_fn; the buffer is the context. */
int buffer_write(void *buffer, const char *data, size_t len);

/* A new zero-terminated copy, for free(); NULL: no memory. */
char *copy_of_bytes(og_bytes s);

static inline og_bytes buffer_view(const struct buffer *b)
{
    return (og_bytes){b->data != NULL ? b->data : "", b->len};
}

#endif
