#ifndef SOURCE_FOLDER_H
#define SOURCE_FOLDER_H

/* One folder for all tests of a program about lib/source: set_up() makes it,
 * tear_down() removes it with all that is in it. */

#include "tests/unit/source_support.h"

static struct folder folder;

static inline int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

#endif
