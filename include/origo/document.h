#ifndef ORIGO_DOCUMENT_H
#define ORIGO_DOCUMENT_H

/* Documents and their times. */

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the time of a document comes from. The time of a file is a guess: it
 * is when the file was last written, or when an electronic text was
 * released. */
typedef enum og_time_source {
    OG_TIME_UNKNOWN = 0, /* nobody said */
    OG_TIME_RECORD,      /* a field of its record, or a list of times */
    OG_TIME_HEADER,      /* of a mail, of a record of a web archive */
    OG_TIME_METADATA,    /* what a page or a TEI header says of itself */
    OG_TIME_TEXT,        /* the text */
    OG_TIME_ADDRESS,     /* its address, or its name */
    OG_TIME_FILE,        /* the last change of its file: a guess */
} og_time_source;
/* "record", "header", "metadata", "text", "address", "file"; "" for none. */
OG_API const char *og_time_source_name(og_time_source source);
OG_API bool og_time_source_parse(og_bytes name, og_time_source *out);

typedef struct og_document {
    og_bytes id;
    og_bytes title; /* len 0: none */
    og_bytes url;   /* len 0: none */
    og_bytes text;  /* UTF-8; what is not is repaired, and counted */
    int64_t time;   /* microseconds since 1970-01-01T00:00:00Z */
    bool has_time;  /* false: the time of arrival orders it */
    og_time_source time_source; /* how the time is known */
    /* The other fields of its record, as JSON text: "name":value,"name":value
     * without the braces, as they were in the input; len 0: none, or not
     * requested (og_reading.extra). A name may occur twice. */
    og_bytes extra;
    og_bytes language; /* as it declares it, "en-GB"; len 0: not at all */
    int time_zone;     /* in which a page gives its time: minutes east of UTC */
} og_document;

/* ISO 8601: "1999-06-01T00:00:00Z", a space for the T, a missing zone meaning
 * UTC, "19990601"; a day, a month ("1999-06") or a year ("1611") alone mean
 * their beginning. "-0043" is 44 BCE, and so is "44 BC"; "c. 1611", "1611?" and
 * "[1611]" are 1611; of a range ("1611/1623", "1914-18", "1611-") the
 * beginning counts. Years -9999 to 9999. Returns false and leaves *out
 * unchanged for anything else. */
OG_API bool og_time_parse(og_bytes s, int64_t *out);

/* Seconds since 1970 with an optional fraction. */
OG_API bool og_time_parse_seconds(og_bytes s, int64_t *out);

/* Writes RFC 3339 in UTC, with seconds and, if not zero, a fraction. Returns
 * the length; 40 bytes are always enough, and the result is
 * zero-terminated. */
OG_API size_t og_time_format(int64_t time, char out[40]);

/* The same moment in another zone, in minutes east of UTC: "...+02:00"; 0 is
 * written "Z". */
OG_API size_t og_time_format_in(int64_t time, int zone, char out[40]);

#ifdef __cplusplus
}
#endif

#endif
