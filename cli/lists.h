#ifndef CLI_LISTS_H
#define CLI_LISTS_H

/* Comma-separated lists on the command line: "M4,W8,NHs". */

#include <origo/origo.h>
#include <stdbool.h>

enum { LIST_MOST = 64 }; /* names in one list; the paper has 42 selections */

struct list {
    char *text; /* the names, each zero-terminated; owned */
    const char *names[LIST_MOST];
    size_t n;
};

typedef bool (*list_check)(const char *name);

/* Splits `text` and checks every name. False after two lines on stderr that
 * give `command`, `option` and the unknown name. */
bool list_split(struct list *list, const char *command, const char *option,
                const char *text, list_check check);
void list_release(struct list *list);

bool list_is_select(const char *s);
bool list_is_evict(const char *s);
bool list_is_estimate(const char *s);
bool list_is_layout(const char *s);

/* "34%", "0.5%", "64M": a share (the caller says of what) or bytes; the other
 * one is 0. */
bool list_memory(const char *s, double *out_percent, uint64_t *out_bytes);
bool list_is_memory(const char *s);

#endif
