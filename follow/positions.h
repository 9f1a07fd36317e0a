#ifndef FOLLOW_POSITIONS_H
#define FOLLOW_POSITIONS_H

/* How far each source was read: a value under a key, in a file of lines
 *
 *     {"key":"file:/var/log/a.jsonl","value":"2049 77 5120 ..."}
 *
 * of which the last one of a key counts. Changes are appended and synced; a
 * file of mostly outdated lines is rewritten. An incomplete last line, after a
 * crash, is ignored. */

#include <origo/origo.h>

struct positions {
    char *path; /* NULL: in memory alone */
    void *tree; /* of struct position, by key */
    int fd;
    size_t n, n_lines; /* keys; lines of the file */
    struct position *changed;
};

og_status positions_open(struct positions *p, const char *path, og_error *err);
void positions_close(struct positions *p);
/* NULL: none. Valid until the key is set again. */
const char *positions_get(const struct positions *p, const char *key);
/* Written by the next positions_save(). */
og_status positions_set(struct positions *p, const char *key, const char *value,
                        og_error *err);
og_status positions_save(struct positions *p, og_error *err);

#endif
