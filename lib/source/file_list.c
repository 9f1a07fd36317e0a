/* Reads paths from a list: a window of bytes slides over the file. A path is
 * returned in place, its separator overwritten by a zero. */

#include "lib/source/file_list.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/os/file.h"

/* The bytes examined to determine the separator; holds two paths. */
#define WINDOW_LEN (2 * OG_FILE_LIST_PATH_MAX)

void og_file_list_init(struct og_file_list *list, const char *name,
                       const og_allocator *allocator)
{
    memset(list, 0, sizeof(*list));
    list->allocator = allocator;
    list->name = name;
    list->fd = -1;
}

static bool is_stdin(const struct og_file_list *list)
{
    return strcmp(list->name, "-") == 0;
}

void og_file_list_release(struct og_file_list *list)
{
    if (list->fd >= 0 && !is_stdin(list)) close(list->fd);
    list->fd = -1;
    OG_UNGROW(list->allocator, list->data, list->cap);
}

/* Reads until the window is full or the list ends. 0, or an errno. */
static int fill(struct og_file_list *list)
{
    memmove(list->data, list->data + list->begin, list->end - list->begin);
    list->end -= list->begin;
    list->begin = 0;
    while (!list->is_ended && list->end < WINDOW_LEN) {
        const ssize_t n = og_file_read(list->fd, list->data + list->end,
                                       WINDOW_LEN - list->end);
        if (n < 0) return errno;
        if (n == 0) list->is_ended = true;
        list->end += (size_t)n;
    }
    return 0;
}

static og_status open_list(struct og_file_list *list, int *out_errno,
                           og_error *err)
{
    if (!OG_GROW(list->allocator, list->data, list->cap, WINDOW_LEN + 1))
        return og_error_memory(err, WINDOW_LEN + 1, "a list of files");
    list->fd = is_stdin(list) ? STDIN_FILENO : og_file_open(list->name);
    *out_errno = list->fd < 0 ? errno : fill(list);
    list->separator =
        list->end > 0 && memchr(list->data, 0, list->end) != NULL ? '\0' : '\n';
    return OG_OK;
}

/* NULL if the path is incomplete. */
static char *end_of_path(const struct og_file_list *list)
{
    if (list->begin == list->end) return NULL;
    return memchr(list->data + list->begin, list->separator,
                  list->end - list->begin);
}

/* *out_path is NULL at the end, and after a failure, whose errno is
 * returned. */
static int take_path(struct og_file_list *list, const char **out_path)
{
    *out_path = NULL;
    char *end = end_of_path(list);
    if (end == NULL) {
        const int error = fill(list);
        if (error != 0) return error;
        end = end_of_path(list);
    }
    if (end == NULL && !list->is_ended) return ENAMETOOLONG;
    if (end == NULL) end = list->data + list->end;
    const size_t len = (size_t)(end - (list->data + list->begin));
    if (len > OG_FILE_LIST_PATH_MAX) return ENAMETOOLONG;
    if (list->begin == list->end) return 0;
    *out_path = list->data + list->begin;
    list->begin += len + (end < list->data + list->end);
    *end = 0; /* the window has room for one byte more than it reads */
    return 0;
}

og_status og_file_list_next(struct og_file_list *list, const char **out_path,
                            int *out_errno, og_error *err)
{
    *out_path = NULL;
    *out_errno = 0;
    if (list->name == NULL) return OG_END;
    if (!list->is_open) {
        list->is_open = true;
        TRY(open_list(list, out_errno, err));
    }
    do {
        if (*out_errno == 0) *out_errno = take_path(list, out_path);
        if (*out_errno != 0) {
            list->name = list->fd < 0 ? NULL : list->name;
            list->begin = list->end = 0;
            list->is_ended = true;
            return OG_OK;
        }
        if (*out_path == NULL) return OG_END;
    } while (**out_path == 0);
    return OG_OK;
}
