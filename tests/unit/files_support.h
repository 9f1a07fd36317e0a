#ifndef FILES_SUPPORT_H
#define FILES_SUPPORT_H

/* A folder of its own for each test, and files in it. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bits.h"

static char folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    /* In memory where there is such a place: every file is synced. */
    strcpy(folder, "/dev/shm/origo-files-XXXXXX");
    if (mkdtemp(folder) != NULL) return 0;
    strcpy(folder, "/tmp/origo-files-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static inline int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command) != 0;
}

/* "FOLDER/name" in one of a few buffers. */
static inline const char *in(const char *name)
{
    static char paths[64][256];
    static unsigned next;
    char *path = paths[next++ % 64];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

/* To be freed. */
static inline uint8_t *read_file(const char *path, size_t *len)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    uint8_t *data = malloc((size_t)st.st_size + 1);
    *len = fread(data, 1, (size_t)st.st_size, f);
    fclose(f);
    return data;
}

static inline bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Words from a seed: text that has something to compress. */
static inline size_t make_text(char *out, size_t len, uint64_t seed)
{
    size_t n = 0;
    while (n + 12 < len)
        n += (size_t)sprintf(out + n, "w%03d%s",
                             (int)(og_random_next(&seed) % 997),
                             og_random_next(&seed) % 12 == 0 ? ".\n" : " ");
    return n;
}

static inline void assert_same_file(const char *a, const char *b)
{
    size_t n, m;
    uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

#endif
