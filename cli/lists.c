/* Lists on the command line. Every name is checked before the work begins: a
 * typing error at the end of a list must not surface after an hour. */

#include "lists.h"

#include "number.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

bool list_split(struct list *list, const char *command, const char *option,
                const char *text, list_check check)
{
    list->n = 0;
    list->text = strdup(text);
    if (list->text == NULL) return false;
    for (char *rest = list->text, *name; (name = strsep(&rest, ",")) != NULL;) {
        if (list->n == LIST_MOST) {
            say_usage(command, "option '--%s' takes at most %d names", option,
                      LIST_MOST);
            return false;
        }
        if (!check(name)) {
            say_usage(command, "option '--%s' does not know '%s'", option,
                      name);
            return false;
        }
        list->names[list->n++] = name;
    }
    return true;
}

void list_release(struct list *list)
{
    free(list->text);
    list->text = NULL;
    list->n = 0;
}

/* ---- valid names ---- */

static og_bytes view(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

bool list_is_select(const char *s)
{
    og_select_options out;
    return og_select_parse(view(s), &out);
}

bool list_is_evict(const char *s)
{
    og_evict_kind out;
    return og_evict_parse(view(s), &out);
}

bool list_is_estimate(const char *s)
{
    og_estimate_kind out;
    return og_estimate_parse(view(s), &out);
}

bool list_is_layout(const char *s)
{
    og_layout_kind out;
    return og_layout_parse(view(s), &out);
}

bool list_memory(const char *s, double *out_percent, uint64_t *out_bytes)
{
    const size_t len = strlen(s);
    *out_percent = 0;
    *out_bytes = 0;
    if (len == 0 || s[len - 1] != '%')
        return number_parse(s, out_bytes) && *out_bytes != 0;
    char *end;
    *out_percent = strtod(s, &end);
    return end == s + len - 1 && *out_percent > 0 && *out_percent <= 1000;
}

bool list_is_memory(const char *s)
{
    double percent;
    uint64_t bytes;
    return list_memory(s, &percent, &bytes);
}
