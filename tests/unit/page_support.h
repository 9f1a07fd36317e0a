#ifndef PAGE_SUPPORT_H
#define PAGE_SUPPORT_H

/* One page for all tests of a program: begin() makes it, end() releases it. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page.h"

static struct og_page page;

static inline int begin(void **state)
{
    (void)state;
    og_page_init(&page, NULL);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    og_page_release(&page);
    return 0;
}

static inline void parse(const char *html)
{
    assert_int_equal(
        og_page_parse(&page, (og_bytes){html, strlen(html)}, NULL, 0, NULL),
        OG_OK);
}

#endif
