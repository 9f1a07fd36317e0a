#ifndef ORIGO_DOCUMENT_H
#define ORIGO_DOCUMENT_H

/* Documents and their times. */

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_document {
    og_bytes id;
    og_bytes title; /* len 0: none */
    og_bytes url;   /* len 0: none */
    og_bytes text;  /* UTF-8; what is not is repaired, and counted */
    int64_t time;   /* microseconds since 1970-01-01T00:00:00Z */
    bool has_time;  /* false: the time of arrival orders it */
    /* The other fields of its record, as JSON text: "name":value,"name":value
     * without the braces, as they stood in the input; len 0: none, or nobody
     * asked (og_reading.extra). A name may come twice. */
    og_bytes extra;
} og_document;

/* RFC 3339 ("1999-06-01T00:00:00Z", also a bare date, a space for the T, a
 * missing zone meaning UTC) or seconds since 1970 with an optional fraction.
 * Years 0000 to 9999. Returns false and leaves *out alone when it is none. */
OG_API bool og_time_parse(og_bytes s, int64_t *out);

/* Writes RFC 3339 in UTC, seconds and, when not zero, the fraction. Returns
 * the length; the buffer of 40 bytes is always enough and zero-terminated. */
OG_API size_t og_time_format(int64_t time, char out[40]);

#ifdef __cplusplus
}
#endif

#endif
