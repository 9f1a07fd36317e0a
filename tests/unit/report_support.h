#ifndef OG_TESTS_REPORT_SUPPORT_H
#define OG_TESTS_REPORT_SUPPORT_H

/* What tests of lib/report share: a FILE in memory, and short answers. */

#include <origo/origo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/report/writer.h"

struct paper { /* what a report is written on */
    FILE *file;
    char *text; /* zero-terminated, once it is closed */
    size_t len;
};

static inline void paper_open(struct paper *p)
{
    p->file = open_memstream(&p->text, &p->len);
    assert_non_null(p->file);
}

static inline void paper_close(struct paper *p)
{
    assert_int_equal(fclose(p->file), 0);
}

static inline og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static inline og_document document_of(const char *id, const char *text)
{
    return (og_document){.id = bytes_of(id), .text = bytes_of(text)};
}

/* A span of the first occurrence of `words` in the text. */
static inline og_span span_of(const og_document *doc, const char *words,
                              uint64_t origin, const char *origin_id)
{
    const char *at = strstr(doc->text.data, words);
    assert_non_null(at);
    const uint64_t begin = (uint64_t)(at - doc->text.data);
    return (og_span){.begin = begin,
                     .end = begin + strlen(words),
                     .n_tokens = 8,
                     .origin = origin,
                     .origin_id = bytes_of(origin_id),
                     .origin_begin = OG_UNKNOWN,
                     .origin_end = OG_UNKNOWN};
}

#endif
