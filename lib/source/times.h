#ifndef OG_SOURCE_TIMES_H
#define OG_SOURCE_TIMES_H

/*   in:  a list of times by id or path; a pattern of file names
 *   out: the time of a document that does not state it (lib/source/block.c)
 *
 * Built once, then only read, by any number of threads. */

#include "lib/source/source.h"

#include <origo/reading.h>

struct og_times;

/* *out is NULL if the options specify neither. OG_ERR_INPUT with the line of a
 * list that cannot be used; OG_ERR_USAGE for a pattern without a year. */
og_status og_times_new(const og_reading *reading, const og_allocator *allocator,
                       struct og_times **out, og_error *err);
void og_times_free(struct og_times *times); /* NULL is fine */

/* Gives `doc`, read from `file`, the time, title and url that the list has for
 * its id or its file; otherwise the time in the file name, if the document has
 * no time or only that of the file. */
void og_times_apply(const struct og_times *times, const char *file,
                    og_document *doc);

/* Finds the pattern in the name: %Y %m %d %H %M %S are digits, * is any run of
 * characters, ? any one; other characters match themselves. False: no match. */
bool og_times_match(const char *pattern, const char *name, int64_t *out);

#endif
