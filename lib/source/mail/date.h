#ifndef OG_SOURCE_MAIL_DATE_H
#define OG_SOURCE_MAIL_DATE_H

/*   in:  a time as mails, pages and archives write it
 *   out: microseconds since 1970                        (og_document.time)
 *
 * Besides the forms of og_time_parse():
 *
 *     Tue, 19 Nov 2019 13:03:00 +0100 (CET)     mails and HTTP
 *     Tue Nov 19 13:03:00 2019                  the From line of an mbox
 *     20191119130300                            ARC
 *     2019-11-19T13:03:00+0100, 2019-11-19T13:03
 *
 * A missing zone means UTC. */

#include "lib/base/status.h"

/* False leaves *out alone. */
bool og_date_parse(og_bytes s, int64_t *out);

/* The zone at the end of such a time, in minutes east of UTC, if it is numeric:
 * "+0100", "+01:00". False leaves *out alone. */
bool og_date_zone(og_bytes s, int *out);

/* The same for a field of a record, where a bare year is a time, too; a JSON
 * number is seconds since 1970. */
bool og_date_of_field(og_bytes s, bool is_number, int64_t *out);

#endif
