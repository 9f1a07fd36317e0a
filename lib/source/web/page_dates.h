#ifndef OG_SOURCE_WEB_PAGE_DATES_H
#define OG_SOURCE_WEB_PAGE_DATES_H

/* Dates as people write them: "12. März 2019", "March 12th, 2019",
 * "12.03.2019", "2019年3月12日"; and in the addresses of pages: /2019/03/12/.
 */

#include "lib/base/memory.h"

/* The first date in `text`, at midnight. If both readings are possible, the day
 * comes before the month unless `month_first`. */
bool og_page_date_in_text(og_bytes text, bool month_first, int64_t *out);

bool og_page_date_in_address(og_bytes url, int64_t *out);

#endif
