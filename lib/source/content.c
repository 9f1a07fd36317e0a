#include "lib/source/content.h"

#include <string.h>

#include "lib/source/block.h"
#include "lib/source/web/headers.h"
#include "lib/source/web/page_dates.h"

struct og_readers *og_readers_new(const og_allocator *allocator)
{
    struct og_readers *const r = og_allocate_zero(allocator, sizeof(*r));
    if (r == NULL) return NULL;
    og_charset_init(&r->charset, allocator);
    og_html_init(&r->html, allocator);
    og_mail_init(&r->mail, allocator);
    og_xml_text_init(&r->xml, allocator);
    og_http_init(&r->http, allocator);
    r->title.allocator = allocator;
    r->openiti.text.allocator = r->openiti.title.allocator = allocator;
    r->citations.json.allocator = allocator;
    return r;
}

void og_readers_free(struct og_readers *r)
{
    if (r == NULL) return;
    const og_allocator *const allocator = r->title.allocator;
    og_charset_release(&r->charset);
    og_html_release(&r->html);
    og_mail_release(&r->mail);
    og_xml_text_release(&r->xml);
    og_http_release(&r->http);
    og_pack_release(&r->title);
    og_openiti_release(&r->openiti);
    og_pack_release(&r->citations.json);
    og_release(allocator, r, sizeof(*r));
}

size_t og_readers_size(const struct og_readers *r)
{
    if (r == NULL) return 0;
    return r->charset.text.cap + r->html.page.bump.total +
           r->html.page.nodes_cap * sizeof(*r->html.page.nodes) +
           r->html.main.stats_cap * sizeof(*r->html.main.stats) +
           r->html.main.text_cap + r->html.reduced.html.cap + r->mail.text.cap +
           r->mail.part.cap + r->xml.text.cap + r->http.unchunked.cap +
           r->http.unpacked.cap + r->openiti.text.cap + r->citations.json.cap;
}

/* A title as a single line. */
static og_status set_title(struct og_readers *r, og_bytes title,
                           og_document *out, og_error *err)
{
    r->title.len = 0;
    r->title.failed = false;
    title = og_trim(title);
    if (title.len == 0) return OG_OK;
    bool in_space = false;
    for (size_t i = 0; i < title.len; i++) {
        const bool space = title.data[i] == ' ' ||
                           (title.data[i] >= '\t' && title.data[i] <= '\r');
        if (!space || !in_space)
            og_pack_bytes(&r->title, space ? " " : &title.data[i], 1);
        in_space = space;
    }
    if (r->title.failed) return og_error_memory(err, title.len, "a title");
    out->title = (og_bytes){(const char *)r->title.data, r->title.len};
    return OG_OK;
}

static void set_time(int64_t time, og_time_source source, og_document *out)
{
    out->time = time;
    out->has_time = true;
    out->time_source = source;
}

static og_status read_html(struct og_readers *r, og_bytes bytes,
                           og_bytes charset, og_document *out, og_error *err)
{
    og_bytes text;
    if (charset.len == 0) charset = og_charset_of_html(bytes);
    TRY(og_charset_convert(&r->charset, bytes, charset, &text, err));
    TRY(og_html_read(&r->html, text, false, err));
    const struct og_page_about *const about = &r->html.page.about;
    int64_t time;
    out->text = r->html.text;
    out->language = og_charset_language_of_html(text);
    if (about->url.len > 0 && out->url.len == 0) out->url = about->url;
    out->time_zone = about->time_zone;
    if (about->time_rank > 0)
        set_time(about->time, about->time_source, out);
    else if (og_page_date_in_address(out->url, &time))
        set_time(time, OG_TIME_ADDRESS, out);
    return set_title(r, about->title, out, err);
}

static og_status read_xml(struct og_readers *r, og_bytes bytes,
                          og_bytes charset, og_document *out, og_error *err)
{
    og_bytes text;
    if (charset.len == 0) charset = og_charset_of_xml(bytes);
    TRY(og_charset_convert(&r->charset, bytes, charset, &text, err));
    TRY(og_xml_text_read(&r->xml, text, &r->citations, err));
    out->extra = og_citations_end(&r->citations);
    out->text = (og_bytes){(const char *)r->xml.text.data, r->xml.text.len};
    out->language = (og_bytes){r->xml.language, strlen(r->xml.language)};
    if (r->xml.has_time) set_time(r->xml.time, r->xml.time_source, out);
    return set_title(
        r, (og_bytes){(const char *)r->xml.title.data, r->xml.title.len}, out,
        err);
}

static og_status read_mail(struct og_readers *r, og_bytes bytes, bool is_mbox,
                           const struct og_source_options *options,
                           og_document *out, og_error *err)
{
    const struct og_mail_options how = {
        .strip_quotes = options->reading.strip_quotes, .is_mbox = is_mbox};
    struct og_mail *const mail = &r->mail;
    TRY(og_mail_read(mail, bytes, &how, &r->charset, &r->html, err));
    out->text = (og_bytes){(const char *)mail->text.data, mail->text.len};
    if (mail->id.len > 0) out->id = mail->id;
    if (mail->has_time) set_time(mail->time, OG_TIME_HEADER, out);
    return set_title(
        r, (og_bytes){(const char *)mail->title.data, mail->title.len}, out,
        err);
}

/* Plain text, or text with OpenITI markup. */
static og_status read_text(struct og_readers *r, og_bytes bytes,
                           og_bytes charset, og_document *out, og_error *err)
{
    og_bytes text;
    TRY(og_charset_convert(&r->charset, bytes, charset, &text, err));
    out->text = text;
    if (!og_is_openiti(text)) return OG_OK;
    TRY(og_openiti_read(&r->openiti, text, &r->citations, err));
    out->text =
        (og_bytes){(const char *)r->openiti.text.data, r->openiti.text.len};
    out->extra = og_citations_end(&r->citations);
    return set_title(
        r,
        (og_bytes){(const char *)r->openiti.title.data, r->openiti.title.len},
        out, err);
}

og_status og_content_read(struct og_readers *readers, enum og_block_kind kind,
                          og_bytes bytes, og_bytes charset,
                          const struct og_source_options *options,
                          og_document *out, og_error *err)
{
    const uint64_t most = og_most_work(options);
    readers->html.most = most < SIZE_MAX ? (size_t)most : SIZE_MAX;
    readers->html.permits = options->permits;
    switch (kind) {
    case OG_BLOCK_HTML: return read_html(readers, bytes, charset, out, err);
    case OG_BLOCK_XML: return read_xml(readers, bytes, charset, out, err);
    case OG_BLOCK_MAIL:
    case OG_BLOCK_MBOX:
        return read_mail(readers, bytes, kind == OG_BLOCK_MBOX, options, out,
                         err);
    default: break;
    }
    return read_text(readers, bytes, charset, out, err);
}

enum og_block_kind og_content_kind(og_bytes type)
{
    static const struct {
        const char *type;
        enum og_block_kind kind;
    } types[] = {{"text/html", OG_BLOCK_HTML},
                 {"application/xhtml", OG_BLOCK_HTML},
                 {"text/plain", OG_BLOCK_TEXT},
                 {"text/markdown", OG_BLOCK_TEXT},
                 {"text/x-", OG_BLOCK_TEXT},
                 {"text/xml", OG_BLOCK_XML},
                 {"application/xml", OG_BLOCK_XML},
                 {"application/tei+xml", OG_BLOCK_XML},
                 {"message/rfc822", OG_BLOCK_MAIL}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (og_begins_with(type, types[i].type)) return types[i].kind;
    return OG_BLOCK_EMPTY;
}
