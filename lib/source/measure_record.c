/* Finds where records end. An archive states the length of each record, which
 * is accepted if another record, or the end, follows; otherwise the length is
 * wrong, and the next line that looks like the beginning of a record is one. A
 * message of an mbox ends where the next begins. */

#define _GNU_SOURCE /* memmem, memrchr */
#include "lib/source/measure_record.h"

#include <string.h>

#include "lib/source/web/headers.h"

/* What may follow a record to confirm its length: newlines and the beginning of
 * the next one. */
enum {
    MAX_NEWLINES = 32, /* after a record */
    MAX_ARC_LINE = 16384,
    WARC_LOOK_AHEAD = MAX_NEWLINES + 16,
    ARC_LOOK_AHEAD = MAX_NEWLINES + MAX_ARC_LINE,
};

static const char no_beginning[] = "no record begins here";

static void set(struct og_measure *out, enum og_measured verdict, size_t len,
                const char *why)
{
    *out = (struct og_measure){.verdict = verdict, .len = len, .why = why};
}

/* The bytes needed after a record, so that the result does not depend on how
 * much was read. */
static size_t look_ahead(enum og_block_kind kind)
{
    return kind == OG_BLOCK_WARC ? WARC_LOOK_AHEAD : ARC_LOOK_AHEAD;
}

static size_t n_newlines(og_bytes data, size_t at)
{
    size_t n = 0;
    while (n < MAX_NEWLINES && at + n < data.len &&
           (data.data[at + n] == '\r' || data.data[at + n] == '\n'))
        n++;
    return n;
}

/* ---- WARC ---- */

static bool is_warc_start(og_bytes data, size_t at)
{
    return data.len - at >= 8 && memcmp(data.data + at, "WARC/", 5) == 0 &&
           data.data[at + 5] >= '0' && data.data[at + 5] <= '9' &&
           data.data[at + 6] == '.';
}

static bool is_arc_start(og_bytes data, size_t at)
{
    struct og_arc_line line;
    const og_bytes rest = {data.data + at, data.len - at};
    return og_measure_arc_line(rest, &line);
}

/* The next line from `at` on that begins a record; data.len: none. */
static size_t find_start(enum og_block_kind kind, og_bytes data, size_t at)
{
    while (at < data.len) {
        const char *const newline = memchr(data.data + at, '\n', data.len - at);
        if (newline == NULL) break;
        at = (size_t)(newline - data.data) + 1;
        if (kind == OG_BLOCK_WARC ? is_warc_start(data, at)
                                  : is_arc_start(data, at))
            return at;
    }
    return data.len;
}

size_t og_measure_warc_header(og_bytes record, uint64_t *out_len,
                              const char **out_why)
{
    *out_why = no_beginning;
    if (!is_warc_start(record, 0)) return 0;
    *out_why = "the header of the record does not end";
    const size_t len = og_headers_len(record);
    if (len == 0) return 0;
    const og_bytes headers = {record.data, len};
    *out_why = "the header of the record does not state its length";
    return og_parse_length(og_headers_find(headers, "Content-Length"), out_len)
               ? len
               : 0;
}

/* ---- ARC ---- */

/* Cuts the last word off a line. */
static bool take_last(og_bytes *line, og_bytes *out)
{
    size_t at = line->len;
    while (at > 0 && line->data[at - 1] != ' ')
        at--;
    if (at == 0) return false;
    *out = (og_bytes){line->data + at, line->len - at};
    line->len = at - 1;
    return true;
}

static bool is_arc_date(og_bytes s)
{
    if (s.len != 14 && s.len != 12 && s.len != 8) return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] < '0' || s.data[i] > '9') return false;
    return true;
}

/* URL IP date type length, or with five more words between type and length
 * (version 2). The URL may contain blanks. */
bool og_measure_arc_line(og_bytes record, struct og_arc_line *out)
{
    enum { N_WORDS = 9 };
    og_bytes words[N_WORDS], line;
    const size_t reach =
        record.len < MAX_ARC_LINE ? record.len : (size_t)MAX_ARC_LINE;
    const char *const newline =
        reach > 0 ? memchr(record.data, '\n', reach) : NULL;
    if (newline == NULL) return false;
    line = (og_bytes){record.data, (size_t)(newline - record.data)};
    out->line_len = line.len + 1;
    if (line.len > 0 && line.data[line.len - 1] == '\r') line.len--;
    if (memchr(line.data, ':', line.len) == NULL) return false;
    for (int n = 0; n < N_WORDS && take_last(&line, &words[n]); n++) {
        const bool is_first = n == 3; /* length type date ip */
        const bool is_second = n == 8;
        if (!is_first && !is_second) continue;
        const og_bytes date = words[n - 1];
        if (!is_arc_date(date) || !og_parse_length(words[0], &out->len))
            continue;
        out->date = date;
        out->type = words[n - 2];
        out->url = line;
        return line.len > 0 && memchr(line.data, ':', line.len) != NULL;
    }
    return false;
}

/* ---- archives ---- */

/* The length of the header; 0: it is not a header, and *why says why. */
static size_t measure_header(enum og_block_kind kind, og_bytes record,
                             uint64_t *out_len, const char **out_why)
{
    struct og_arc_line line;
    if (kind == OG_BLOCK_WARC)
        return og_measure_warc_header(record, out_len, out_why);
    *out_why = no_beginning;
    if (!og_measure_arc_line(record, &line)) return 0;
    *out_len = line.len;
    return line.line_len;
}

/* The bytes needed to tell whether there is a header. */
static size_t header_reach(enum og_block_kind kind, og_bytes record)
{
    const bool is_start = kind != OG_BLOCK_WARC || is_warc_start(record, 0);
    if (kind == OG_BLOCK_WARC) return is_start ? OG_HEADERS_MAX : 16;
    return MAX_ARC_LINE;
}

/* Up to the next record. An incomplete line may begin one, so it is not junk
 * yet. */
static void measure_junk(enum og_block_kind kind, og_bytes data, size_t from,
                         bool is_ended, const char *why, struct og_measure *out)
{
    size_t end = find_start(kind, data, from);
    if (end == data.len && !is_ended) {
        const char *const newline =
            memrchr(data.data + from, '\n', data.len - from);
        if (newline != NULL && newline > data.data + from)
            end = (size_t)(newline - data.data);
    }
    set(out, OG_MEASURED_JUNK, end, why);
}

/* Everything after the header is present, or the input has ended. */
static void check_end(enum og_block_kind kind, og_bytes data, size_t begin,
                      size_t header_len, uint64_t len, struct og_measure *out)
{
    const uint64_t end = begin + header_len + len;
    if (end > data.len) {
        measure_junk(kind, data, begin + header_len, true,
                     "the record is truncated, or its length is wrong", out);
        return;
    }
    const size_t after = (size_t)end + n_newlines(data, (size_t)end);
    set(out, OG_MEASURED_RECORD, after, NULL);
    if (after == data.len) return;
    const bool is_right = kind == OG_BLOCK_WARC ? is_warc_start(data, after)
                                                : is_arc_start(data, after);
    if (is_right) return;
    /* Another record begins inside this one: the stated length is too large. */
    const size_t next = find_start(kind, data, begin + header_len);
    if (next < end)
        set(out, OG_MEASURED_JUNK, next,
            "the record is shorter than its length says");
}

static void measure_archive(enum og_block_kind kind, og_bytes data,
                            bool is_ended, uint64_t max_len,
                            struct og_measure *out)
{
    const size_t begin = n_newlines(data, 0);
    const og_bytes record = {data.data + begin, data.len - begin};
    uint64_t len = 0;
    const char *why = NULL;
    if (record.len == 0) {
        set(out, is_ended ? OG_MEASURED_RECORD : OG_MEASURED_MORE,
            is_ended ? data.len : data.len + 1, NULL);
        return;
    }
    const size_t header_len = measure_header(kind, record, &len, &why);
    const size_t reach = header_reach(kind, record);
    if (header_len == 0 && !is_ended && record.len < reach) {
        set(out, OG_MEASURED_MORE, data.len + 1, NULL);
        return;
    }
    if (header_len == 0) {
        measure_junk(kind, data, begin, is_ended, why, out);
        return;
    }
    if (len > max_len) {
        set(out, OG_MEASURED_LONG, begin + header_len, NULL);
        out->claimed = begin + header_len + len;
        return;
    }
    const uint64_t need = begin + header_len + len + look_ahead(kind);
    if (data.len < need && !is_ended) {
        set(out, OG_MEASURED_MORE, (size_t)need, NULL);
        return;
    }
    check_end(kind, data, begin, header_len, len, out);
}

/* ---- mbox ---- */

/* "From somebody Tue Nov 19 13:03:00 2019": a clock distinguishes it from a
 * sentence that begins with From. */
static bool is_from_line(og_bytes data, size_t at)
{
    const size_t left = data.len - at;
    if (left < 5 || memcmp(data.data + at, "From ", 5) != 0) return false;
    for (size_t i = at + 5; i + 1 < data.len && data.data[i] != '\n'; i++)
        if (data.data[i] == ':' && data.data[i - 1] >= '0' &&
            data.data[i - 1] <= '9' && data.data[i + 1] >= '0' &&
            data.data[i + 1] <= '9')
            return true;
    return false;
}

/* A line that may begin a message must follow an empty one. */
static bool follows_empty_line(og_bytes data, size_t at)
{
    return (at >= 2 && data.data[at - 2] == '\n') ||
           (at >= 3 && data.data[at - 2] == '\r' && data.data[at - 3] == '\n');
}

static void measure_mail(og_bytes data, bool is_ended, size_t *searched,
                         struct og_measure *out)
{
    enum { LONGEST_FROM_LINE = 1000 };
    static const char mark[] = "\nFrom ";
    const size_t mark_len = strlen(mark);
    const char *found = NULL;
    while (data.len > *searched &&
           (found = memmem(data.data + *searched, data.len - *searched, mark,
                           mark_len)) != NULL) {
        const size_t at = (size_t)(found - data.data) + 1;
        *searched = at - 1;
        const bool is_line_whole =
            is_ended || data.len - at > LONGEST_FROM_LINE ||
            memchr(found + 1, '\n', data.len - at) != NULL;
        if (!is_line_whole) break;
        *searched = at;
        if (!follows_empty_line(data, at) || !is_from_line(data, at)) continue;
        set(out, OG_MEASURED_RECORD, at, NULL);
        return;
    }
    if (found == NULL && data.len >= mark_len)
        *searched = data.len - mark_len + 1;
    set(out, is_ended ? OG_MEASURED_RECORD : OG_MEASURED_MORE,
        is_ended ? data.len : data.len + 1, NULL);
}

void og_measure_record(enum og_block_kind kind, og_bytes data, bool is_ended,
                       uint64_t max_len, size_t *searched,
                       struct og_measure *out)
{
    if (kind == OG_BLOCK_MBOX)
        measure_mail(data, is_ended, searched, out);
    else
        measure_archive(kind, data, is_ended, max_len, out);
}
