#include "lib/source/web/archive.h"

#include <string.h>

#include "lib/source/block.h"
#include "lib/source/kind.h"
#include "lib/source/mail/date.h"
#include "lib/source/measure_record.h"
#include "lib/source/web/headers.h"

static og_bytes without_brackets(og_bytes s)
{
    if (s.len >= 2 && s.data[0] == '<' && s.data[s.len - 1] == '>')
        return (og_bytes){s.data + 1, s.len - 2};
    return s;
}

/* Guesses the kind of a body without a declared type. */
static enum og_block_kind kind_of_body(og_bytes type, og_bytes body)
{
    if (type.len > 0) return og_content_kind(type);
    const size_t head_len =
        body.len < OG_KIND_HEAD_LEN ? body.len : OG_KIND_HEAD_LEN;
    const og_bytes head = {body.data, head_len};
    if (head.len == 0 || memchr(head.data, 0, head.len) != NULL)
        return OG_BLOCK_EMPTY;
    const enum og_block_kind kind = og_kind_of(head, "");
    return kind == OG_BLOCK_HTML ? kind : OG_BLOCK_EMPTY;
}

/* The time of a record takes precedence over that of the page. */
static og_status read_body(struct og_readers *readers, og_bytes type,
                           og_bytes body,
                           const struct og_source_options *options,
                           og_document *out, bool *out_is_document,
                           og_error *err)
{
    const enum og_block_kind kind = kind_of_body(type, body);
    const og_document known = *out;
    *out_is_document = kind != OG_BLOCK_EMPTY && body.len > 0;
    if (!*out_is_document) return OG_OK;
    TRY(og_content_read(readers, kind, body, og_charset_of_type(type), options,
                        out, err));
    if (known.id.len > 0) out->id = known.id;
    if (known.has_time) {
        out->time = known.time;
        out->has_time = true;
        out->time_source = known.time_source;
        out->time_zone = known.time_zone;
    }
    return OG_OK;
}

static og_status read_response(struct og_readers *readers, og_bytes message,
                               const struct og_source_options *options,
                               og_document *out, bool *out_is_document,
                               og_error *err)
{
    struct og_http_response response;
    *out_is_document = false;
    const og_status status = og_http_read(
        &readers->http, message, og_max_document(options), &response, err);
    const bool is_found = response.status >= 200 && response.status < 300;
    const bool is_for_readers =
        response.type.len == 0 ||
        og_content_kind(response.type) != OG_BLOCK_EMPTY;
    /* A picture that cannot be unpacked is no loss. */
    if (status == OG_ERR_MEMORY) return status;
    if (!is_found || !is_for_readers) return OG_OK;
    TRY(status);
    return read_body(readers, response.type, response.body, options, out,
                     out_is_document, err);
}

static og_status read_warc(struct og_readers *readers, og_bytes record,
                           const struct og_source_options *options,
                           og_document *out, bool *out_is_document,
                           og_error *err)
{
    uint64_t len;
    const char *why;
    const size_t header_len = og_measure_warc_header(record, &len, &why);
    if (header_len == 0) return og_error_set(err, OG_ERR_INPUT, "%s", why);
    const og_bytes headers = {record.data, header_len};
    const size_t left = record.len - header_len;
    const og_bytes body = {record.data + header_len,
                           len < left ? (size_t)len : left};
    const og_bytes record_type = og_headers_find(headers, "WARC-Type");
    const og_bytes type = og_headers_find(headers, "Content-Type");
    out->id = without_brackets(og_headers_find(headers, "WARC-Record-ID"));
    out->url = without_brackets(og_headers_find(headers, "WARC-Target-URI"));
    out->has_time =
        og_date_parse(og_headers_find(headers, "WARC-Date"), &out->time);
    if (out->has_time) out->time_source = OG_TIME_HEADER;
    if (og_begins_with(record_type, "response") &&
        og_begins_with(type, "application/http"))
        return read_response(readers, body, options, out, out_is_document, err);
    if (og_begins_with(record_type, "resource") ||
        og_begins_with(record_type, "conversion"))
        return read_body(readers, type, body, options, out, out_is_document,
                         err);
    return OG_OK;
}

static og_status read_arc(struct og_readers *readers, og_bytes record,
                          const struct og_source_options *options,
                          og_document *out, bool *out_is_document,
                          og_error *err)
{
    struct og_arc_line line;
    if (!og_measure_arc_line(record, &line))
        return og_error_set(err, OG_ERR_INPUT, "no record begins here");
    if (og_begins_with(line.url, "filedesc:")) return OG_OK;
    const size_t left = record.len - line.line_len;
    const og_bytes body = {record.data + line.line_len,
                           line.len < left ? (size_t)line.len : left};
    out->url = line.url;
    out->has_time = og_date_parse(line.date, &out->time);
    if (out->has_time) out->time_source = OG_TIME_HEADER;
    if (og_begins_with(body, "HTTP/"))
        return read_response(readers, body, options, out, out_is_document, err);
    return read_body(readers, line.type, body, options, out, out_is_document,
                     err);
}

og_status og_archive_read(struct og_readers *readers, enum og_block_kind kind,
                          og_bytes record,
                          const struct og_source_options *options,
                          og_document *out, bool *out_is_document,
                          og_error *err)
{
    *out_is_document = false;
    return kind == OG_BLOCK_WARC
               ? read_warc(readers, record, options, out, out_is_document, err)
               : read_arc(readers, record, options, out, out_is_document, err);
}
