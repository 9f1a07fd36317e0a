/* Which of several similar documents is kept. */

#include "keep_option.h"
#include "say.h"

#include <string.h>

int set_keep(const char *command, og_dedup_options *o, const char *keep)
{
    if (strcmp(keep, "first") == 0)
        o->keep = OG_KEEP_FIRST;
    else if (strcmp(keep, "last") == 0)
        o->keep = OG_KEEP_LAST;
    else if (strcmp(keep, "longest") == 0)
        o->keep = OG_KEEP_LONGEST;
    else if (strncmp(keep, "field:", 6) == 0) {
        o->keep = OG_KEEP_FIELD;
        o->keep_field = keep + 6;
    } else
        return say_usage(command,
                         "--keep takes first, last, longest or field:NAME, "
                         "not '%s'",
                         keep);
    return EXIT_DONE;
}
