/* The parts of a mail, without recursion: a stack of the open multiparts, each
 * with its boundary and the position where the search for the next one
 * continues. Depth and number of parts are bounded, so that a mail made of
 * boundaries costs no more than its bytes. */

#define _GNU_SOURCE /* memmem */
#include "lib/source/mail/mail.h"

#include <string.h>

#include "lib/source/mail/date.h"
#include "lib/source/source.h"
#include "lib/source/web/headers.h"

enum { MAX_DEPTH = 16, MAX_PARTS = 1000 };

struct multipart {
    og_bytes body, boundary;
    size_t pos;          /* after the last boundary */
    bool is_alternative; /* one of its parts is enough */
    bool is_refused;     /* one of its parts is a page that is too large */
    size_t text_mark;    /* mail->text.len when it began */
};

struct reading {
    struct og_mail *mail;
    const struct og_mail_options *options;
    struct og_charset *charset;
    struct og_html *html;
    struct multipart open[MAX_DEPTH];
    int depth, n_parts;
    og_error refusal; /* why the last page was refused */
};

void og_mail_init(struct og_mail *mail, const og_allocator *allocator)
{
    memset(mail, 0, sizeof(*mail));
    mail->text.allocator = mail->title.allocator = allocator;
    mail->part.allocator = mail->line.allocator = allocator;
}

void og_mail_release(struct og_mail *mail)
{
    og_pack_release(&mail->text);
    og_pack_release(&mail->title);
    og_pack_release(&mail->part);
    og_pack_release(&mail->line);
}

/* ---- text ---- */

static og_bytes view(const struct og_pack *p)
{
    return (og_bytes){p->data == NULL ? "" : (const char *)p->data, p->len};
}

/* "> > text" is text. */
static og_bytes without_quotes(og_bytes line)
{
    size_t at = 0, end = 0;
    while (at < line.len && (line.data[at] == '>' || line.data[at] == '|' ||
                             (at > 0 && line.data[at] == ' '))) {
        if (line.data[at] != ' ') end = at + 1;
        at++;
    }
    if (end > 0 && end < line.len && line.data[end] == ' ') end++;
    return (og_bytes){line.data + end, line.len - end};
}

static og_bytes without_from_mark(og_bytes line)
{
    size_t n = 0;
    while (n < line.len && line.data[n] == '>')
        n++;
    const bool is_marked =
        n > 0 && line.len - n >= 5 && memcmp(line.data + n, "From ", 5) == 0;
    return is_marked ? (og_bytes){line.data + 1, line.len - 1} : line;
}

static void add_text(struct reading *r, og_bytes text)
{
    struct og_pack *const out = &r->mail->text;
    size_t pos = 0;
    og_bytes line;
    if (out->len > 0) og_pack_bytes(out, "\n\n", 2);
    const size_t begin = out->len;
    while (og_next_line(text, &pos, &line)) {
        if (r->options->is_mbox) line = without_from_mark(line);
        if (r->options->strip_quotes) line = without_quotes(line);
        og_pack_bytes(out, line.data, line.len);
        og_pack_bytes(out, "\n", 1);
    }
    while (out->len > begin && strchr(" \t\r\n", out->data[out->len - 1]) &&
           out->data[out->len - 1] != 0)
        out->len--;
}

/* ---- one part ---- */

struct part {
    og_bytes headers, body, type;
};

static struct part split_part(og_bytes message)
{
    const size_t len = og_headers_len(message);
    struct part part = {
        .headers = {message.data, len},
        .body = {message.data + len, message.len - len},
    };
    part.type = og_headers_find(part.headers, "Content-Type");
    if (part.type.len == 0) part.type = (og_bytes)OG_LITERAL("text/plain");
    return part;
}

static og_bytes decode_body(struct reading *r, const struct part *part)
{
    struct og_pack *const out = &r->mail->part;
    const og_bytes how =
        og_headers_find(part->headers, "Content-Transfer-Encoding");
    out->len = 0;
    if (og_begins_with(how, "base64"))
        og_mime_base64(part->body, out);
    else if (og_begins_with(how, "quoted-printable"))
        og_mime_quoted(part->body, out);
    else
        return part->body;
    return view(out);
}

static bool is_attachment(const struct part *part)
{
    return og_begins_with(og_headers_find(part->headers, "Content-Disposition"),
                          "attachment");
}

/* A page that is too large: another alternative may be usable. */
static og_status refuse(struct reading *r, const og_error *why, og_error *err)
{
    for (int i = r->depth; i-- > 0;)
        if (r->open[i].is_alternative) {
            r->open[i].is_refused = true;
            r->refusal = *why;
            return OG_OK;
        }
    return og_error_pass(err, why);
}

static og_status take_text(struct reading *r, const struct part *part,
                           og_error *err)
{
    const bool is_html = og_begins_with(part->type, "text/html");
    const og_bytes bytes = decode_body(r, part);
    og_bytes declared = og_header_parameter(part->type, "charset");
    og_bytes text;
    if (r->mail->part.failed)
        return og_error_memory(err, part->body.len, "a part of a mail");
    if (is_html && declared.len == 0) declared = og_charset_of_html(bytes);
    TRY(og_charset_convert(r->charset, bytes, declared, &text, err));
    if (is_html) {
        og_error why;
        const og_status status = og_html_read(r->html, text, true, &why);
        if (status == OG_ERR_LIMIT) return refuse(r, &why, err);
        if (status != OG_OK) return og_error_pass(err, &why);
        text = r->html->text;
    }
    add_text(r, text);
    return OG_OK;
}

static bool open_multipart(struct reading *r, const struct part *part)
{
    const og_bytes boundary = og_header_parameter(part->type, "boundary");
    if (boundary.len == 0 || r->depth == MAX_DEPTH) return false;
    r->open[r->depth++] = (struct multipart){
        .body = part->body,
        .boundary = boundary,
        .pos = SIZE_MAX,
        .is_alternative = og_begins_with(part->type, "multipart/alternative"),
        .text_mark = r->mail->text.len};
    return true;
}

/* Of alternatives the first one counts, unless it is empty. */
static bool is_wanted(const struct reading *r, const struct part *part)
{
    if (is_attachment(part)) return false;
    if (r->depth == 0) return true;
    const struct multipart *const around = &r->open[r->depth - 1];
    return !around->is_alternative || r->mail->text.len == around->text_mark;
}

static og_status take_part(struct reading *r, og_bytes message, og_error *err)
{
    for (int level = 0; level < MAX_DEPTH; level++) {
        const struct part part = split_part(message);
        if (r->n_parts++ >= MAX_PARTS || !is_wanted(r, &part)) return OG_OK;
        if (og_begins_with(part.type, "message/rfc822")) {
            message = part.body; /* a mail in a mail */
            continue;
        }
        if (og_begins_with(part.type, "multipart/") && open_multipart(r, &part))
            return OG_OK;
        /* A multipart without a boundary is shown as it is. */
        if (og_begins_with(part.type, "text/plain") ||
            og_begins_with(part.type, "text/html") ||
            og_begins_with(part.type, "multipart/") ||
            memchr(part.type.data, '/', part.type.len) == NULL)
            return take_text(r, &part, err);
        return OG_OK;
    }
    return OG_OK;
}

/* ---- multiparts ---- */

/* The next line that is "--boundary"; its position and the end of the line. */
static bool find_boundary(const struct multipart *m, size_t from,
                          size_t *out_begin, size_t *out_end, bool *out_is_last)
{
    const og_bytes b = m->boundary;
    const char *const end = m->body.data + m->body.len;
    const char *p = m->body.data + from;
    for (;; p++) {
        p = p < end ? memmem(p, (size_t)(end - p), b.data, b.len) : NULL;
        if (p == NULL) return false;
        const size_t at = (size_t)(p - m->body.data);
        const bool is_marked = at >= 2 && p[-1] == '-' && p[-2] == '-' &&
                               (at == 2 || p[-3] == '\n');
        if (!is_marked) continue;
        const char *const after = p + b.len;
        *out_is_last = end - after >= 2 && memcmp(after, "--", 2) == 0;
        const char *const newline = memchr(after, '\n', (size_t)(end - after));
        *out_begin = at - 2;
        *out_end = newline == NULL ? m->body.len
                                   : (size_t)(newline + 1 - m->body.data);
        return true;
    }
}

/* The next part of the innermost multipart; false: there are no more. */
static bool next_part(struct multipart *m, og_bytes *out)
{
    size_t begin, end;
    bool is_last = false;
    if (m->pos == SIZE_MAX) { /* the text before the first part is ignored */
        if (!find_boundary(m, 0, &begin, &end, &is_last) || is_last)
            return false;
        m->pos = end;
    }
    if (m->pos >= m->body.len) return false;
    const size_t from = m->pos;
    if (find_boundary(m, from, &begin, &end, &is_last)) {
        m->pos = is_last ? m->body.len : end;
    } else {
        begin = m->pos = m->body.len; /* the last part was not closed */
    }
    *out = (og_bytes){m->body.data + from, begin - from};
    return true;
}

/* The last alternative was a page that is too large. */
static og_status close_multipart(struct reading *r, og_error *err)
{
    const struct multipart *const m = &r->open[--r->depth];
    if (!m->is_refused || r->mail->text.len > m->text_mark) return OG_OK;
    return og_error_pass(err, &r->refusal);
}

static og_status take_all(struct reading *r, og_bytes message, og_error *err)
{
    TRY(take_part(r, message, err));
    while (r->depth > 0) {
        og_bytes part;
        if (next_part(&r->open[r->depth - 1], &part))
            TRY(take_part(r, part, err));
        else
            TRY(close_multipart(r, err));
    }
    return OG_OK;
}

/* ---- the mail ---- */

static og_bytes id_of(og_bytes headers)
{
    og_bytes id = og_headers_find(headers, "Message-ID");
    const char *const open = id.len > 0 ? memchr(id.data, '<', id.len) : NULL;
    if (open == NULL) return id;
    id.len -= (size_t)(open + 1 - id.data);
    id.data = open + 1;
    const char *const close = memchr(id.data, '>', id.len);
    if (close != NULL) id.len = (size_t)(close - id.data);
    return id;
}

/* "From somebody@example.org Tue Nov 19 13:03:00 2019" */
static og_bytes take_from_line(og_bytes message, og_bytes *out_date)
{
    size_t pos = 0;
    og_bytes line;
    *out_date = (og_bytes){"", 0};
    if (message.len < 5 || memcmp(message.data, "From ", 5) != 0)
        return message;
    og_next_line(message, &pos, &line);
    const char *const space = memchr(line.data + 5, ' ', line.len - 5);
    if (space != NULL)
        *out_date =
            og_trim((og_bytes){space, (size_t)(line.data + line.len - space)});
    return (og_bytes){message.data + pos, message.len - pos};
}

og_status og_mail_read(struct og_mail *mail, og_bytes message,
                       const struct og_mail_options *options,
                       struct og_charset *charset, struct og_html *html,
                       og_error *err)
{
    struct reading r = {
        .mail = mail, .options = options, .charset = charset, .html = html};
    og_bytes from_date;
    message = take_from_line(message, &from_date);
    const size_t headers_len = og_headers_len(message);
    if (headers_len == 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "the mail has no end of its headers");
    const og_bytes headers = {message.data, headers_len};
    mail->text.len = mail->title.len = mail->part.len = 0;
    mail->text.failed = mail->title.failed = false;
    mail->part.failed = mail->line.failed = false;
    mail->id = id_of(headers);
    mail->has_time =
        og_date_parse(og_headers_find(headers, "Date"), &mail->time) ||
        og_date_parse(from_date, &mail->time);
    TRY(og_mime_header(og_headers_find(headers, "Subject"), charset,
                       &mail->line, &mail->title, err));
    TRY(take_all(&r, message, err));
    const size_t len = mail->text.len;
    og_pack_bytes(&mail->text, (char[OG_BLOCK_PADDING]){0}, OG_BLOCK_PADDING);
    mail->text.len = len;
    if (mail->text.failed || mail->title.failed || mail->line.failed)
        return og_error_memory(err, message.len, "a mail");
    return OG_OK;
}
