/* One page of a report; web_page.h describes its content. */

#include "lib/report/html/web_page.h"
#include "lib/base/checksum.h"
#include "lib/report/escape.h"
#include "lib/report/html/html_pieces.h"
#include "lib/report/html/page_files.h"
#include "lib/report/html/page_tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 6,               /* of zlib */
    BLOCK_LEN = 256 << 10,   /* bytes of documents per element, which the script
                                unpacks to show one */
    ROWS_LEN = 64 << 10,     /* bytes of rows per element */
    PLAIN_LEN = 256 << 10,   /* bytes of text that are plain HTML, too */
    HOLDERS_LEN = 128 << 10, /* bytes of holders per element */
    MOST_DOCUMENTS = 20000,  /* on a page ... */
    MOST_HOLDERS = 1 << 20,  /* bytes of data per page */
};
#define MOST_DATA ((uint64_t)192 << 20) /* A document of the page. */

/* A document that the page has. */
struct seen {
    uint64_t hash, len; /* of its text */
    uint32_t number;
    bool is_other; /* another document with this id came before it */
};

struct holder {
    uint64_t source;
    uint32_t begin, end, number;
};

struct og_web_page {
    const char *unit;
    struct og_packed *packed;
    struct og_writer row_writer;
    char *rows; /* not written yet */
    size_t rows_len, rows_cap;
    uint64_t first_row, n_rows, n_row_sources;
    struct og_names names;
    struct seen *seen; /* by the number of the name */
    size_t seen_cap;
    struct holder *holders;
    size_t n_holders, holders_cap;
    uint64_t n_documents, n_data;
    uint64_t plain_len;
    bool has_plain, left_out_plain, left_out_holders;
    struct og_tally tally;
};

static int take_row(void *ctx, const char *data, size_t len)
{
    struct og_web_page *page = ctx;
    if (!OG_GROW(NULL, page->rows, page->rows_cap, page->rows_len + len))
        return ENOMEM;
    memcpy(page->rows + page->rows_len, data, len);
    page->rows_len += len;
    return 0;
}

og_status og_web_page_new(const char *unit, struct og_web_page **out,
                          og_error *err)
{
    struct og_web_page *page = og_allocate_zero(NULL, sizeof(*page));
    if (page == NULL) return og_error_memory(err, sizeof(*page), "a page");
    page->unit = unit;
    og_writer_init(&page->row_writer, take_row, page);
    const og_status status = og_packed_new(LEVEL, &page->packed, err);
    if (status == OG_OK)
        *out = page;
    else
        og_web_page_free(page);
    return status;
}

void og_web_page_free(struct og_web_page *page)
{
    if (page == NULL) return;
    og_packed_free(page->packed);
    OG_UNGROW(NULL, page->rows, page->rows_cap);
    OG_UNGROW(NULL, page->seen, page->seen_cap);
    OG_UNGROW(NULL, page->holders, page->holders_cap);
    og_names_release(&page->names);
    og_tally_release(&page->tally);
    og_release(NULL, page, sizeof(*page));
}

void og_web_page_release(struct og_progress *progress)
{
    og_web_page_free(progress->state);
    progress->state = NULL;
}

void og_web_page_begin(struct og_writer *w, const og_report_options *options,
                       const og_document *first, bool many)
{
    og_bytes title = OG_LITERAL("origo");
    (void)many;
    if (options->title != NULL)
        title = (og_bytes){options->title, strlen(options->title)};
    else if (first != NULL)
        title = first->title.len != 0 ? first->title : first->id;
    og_html_head(w, title, true);
}

/* ---- documents ---- */

bool og_web_page_plain_begin(struct og_web_page *page, struct og_writer *w,
                             size_t text_len)
{
    const bool fits = page->plain_len + text_len <= PLAIN_LEN;
    if (!fits || og_packed_is_open(page->packed)) {
        page->left_out_plain = true;
        return false;
    }
    page->plain_len += text_len;
    page->has_plain = true;
    og_writer_string(w, "<noscript>");
    return true;
}

void og_web_page_plain_end(struct og_writer *w)
{
    og_writer_string(w, "</noscript>\n");
}

struct og_writer *og_web_page_document_begin(struct og_web_page *page,
                                             struct og_writer *w)
{
    page->n_documents++;
    if (!og_packed_is_open(page->packed))
        return og_packed_begin(page->packed, w, "docs", page->n_documents);
    return og_packed_data(page->packed);
}

static void end_block(struct og_web_page *page)
{
    page->n_data += og_packed_len(page->packed);
    og_packed_end(page->packed);
}

static og_status remember(struct og_web_page *page, const og_document *doc,
                          og_error *err)
{
    uint32_t name = 0;
    const size_t n = page->names.n;
    TRY(og_names_add(&page->names, doc->id, &name, err));
    if (!OG_GROW(NULL, page->seen, page->seen_cap, (size_t)name + 1))
        return og_error_memory(err, sizeof(*page->seen), "a page");
    page->seen[name] =
        (struct seen){og_checksum(doc->text.data, doc->text.len), doc->text.len,
                      (uint32_t)page->n_documents, name < n};
    return OG_OK;
}

/* While plain documents are possible, each has an element of its own. */
og_status og_web_page_document_end(struct og_web_page *page,
                                   const og_document *doc, og_error *err)
{
    og_writer_byte(og_packed_data(page->packed), '\n');
    if ((page->plain_len < PLAIN_LEN && !page->left_out_plain) ||
        og_packed_len(page->packed) >= BLOCK_LEN ||
        page->rows_len >= 4 * (size_t)ROWS_LEN)
        end_block(page);
    return remember(page, doc, err);
}

uint64_t og_web_page_find_id(const struct og_web_page *page, og_bytes id,
                             uint64_t *out_len)
{
    const uint32_t name = og_names_find(&page->names, id);
    if (name == UINT32_MAX || page->seen[name].is_other) return 0;
    *out_len = page->seen[name].len;
    return page->seen[name].number;
}

uint64_t og_web_page_find(const struct og_web_page *page, og_bytes id,
                          og_bytes text)
{
    const uint32_t name = og_names_find(&page->names, id);
    if (name == UINT32_MAX || page->seen[name].len != text.len) return 0;
    return og_checksum(text.data, text.len) == page->seen[name].hash
               ? page->seen[name].number
               : 0;
}

/* ---- rows ---- */

static void put_time(struct og_writer *w, bool has_time, int64_t time)
{
    char text[40];
    if (has_time) {
        og_time_format(time, text);
        og_escape_script(w, (og_bytes){text, strlen(text)});
    } else {
        og_writer_byte(w, '0');
    }
}

static void put_numbers(struct og_writer *w, const uint64_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        og_writer_byte(w, ',');
        og_writer_number(w, list[i]);
    }
}

/* [id, title, time, units, copied, covered, passages, sources, [source...]] */
struct og_writer *og_web_page_row_begin(struct og_web_page *page,
                                        const struct og_web_page_row *row)
{
    struct og_writer *w = &page->row_writer;
    const og_document *doc = row->doc;
    og_writer_byte(w, '[');
    og_escape_script(w, doc->id);
    og_writer_byte(w, ',');
    og_escape_script(w, og_html_shorten(doc->title, OG_HTML_TITLE_LEN));
    og_writer_byte(w, ',');
    put_time(w, doc->has_time, doc->time);
    const uint64_t numbers[] = {row->n_units, row->n_copied, row->n_covered,
                                row->n_passages, row->n_sources};
    put_numbers(w, numbers, 5);
    og_writer_string(w, ",[");
    page->n_row_sources = 0;
    og_tally_add(&page->tally, row, page->n_documents);
    return w;
}

/* [id, title, time, copied, covered, passages, is boilerplate] */
void og_web_page_row_source(struct og_web_page *page,
                            const struct og_web_page_row_source *source)
{
    struct og_writer *w = &page->row_writer;
    if (page->n_row_sources >= OG_WEB_PAGE_ROW_SOURCES) return;
    if (page->n_row_sources++ != 0) og_writer_byte(w, ',');
    og_writer_byte(w, '[');
    og_escape_script(w, source->id);
    og_writer_byte(w, ',');
    og_escape_script(w, og_html_shorten(source->title, OG_HTML_TITLE_LEN));
    og_writer_byte(w, ',');
    put_time(w, source->has_time, source->time);
    const uint64_t numbers[] = {source->n_copied, source->n_covered,
                                source->n_passages, source->is_boilerplate};
    put_numbers(w, numbers, 4);
    og_writer_byte(w, ']');
}

static void write_rows(struct og_web_page *page, struct og_writer *w)
{
    if (page->rows_len == 0) return;
    struct og_writer *data =
        og_packed_begin(page->packed, w, "rows", page->first_row + 1);
    og_writer_bytes(data, page->rows, page->rows_len);
    og_packed_end(page->packed);
    page->first_row = page->n_rows;
    page->rows_len = 0;
}

og_status og_web_page_row_end(struct og_web_page *page, struct og_writer *w,
                              og_error *err)
{
    og_writer_string(&page->row_writer, "]]\n");
    page->n_rows++;
    if (og_writer_finish(&page->row_writer, NULL) != OG_OK)
        return og_error_memory(err, page->rows_len, "rows of a report");
    if (page->rows_len >= ROWS_LEN && !og_packed_is_open(page->packed))
        write_rows(page, w);
    return OG_OK;
}

/* ---- other holders of a passage ---- */

og_status og_web_page_hold(struct og_web_page *page, uint64_t source,
                           uint64_t begin, uint64_t end, og_error *err)
{
    if (begin > UINT32_MAX || end > UINT32_MAX) return OG_OK;
    if (page->n_holders == MOST_HOLDERS) {
        page->left_out_holders = true;
        return OG_OK;
    }
    if (!OG_GROW(NULL, page->holders, page->holders_cap, page->n_holders + 1))
        return og_error_memory(err, sizeof(*page->holders), "passages");
    page->holders[page->n_holders++] = (struct holder){
        source, (uint32_t)begin, (uint32_t)end, (uint32_t)page->n_documents};
    return OG_OK;
}

static int compare_holders(const void *pa, const void *pb)
{
    const struct holder *a = pa, *b = pb;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Lines of [source, begin, end, document, begin, end, document, ...]. A line
 * for a single document would tell the script nothing new. */
static void write_holders(struct og_web_page *page, struct og_writer *w)
{
    const struct holder *list = page->holders;
    if (page->n_holders > 1)
        qsort(page->holders, page->n_holders, sizeof(*list), compare_holders);
    for (size_t i = 0, next; i < page->n_holders; i = next) {
        bool shared = false;
        for (next = i + 1;
             next < page->n_holders && list[next].source == list[i].source;
             next++)
            shared = shared || list[next].number != list[i].number;
        if (!shared) continue;
        if (og_packed_is_open(page->packed) &&
            og_packed_len(page->packed) >= HOLDERS_LEN)
            og_packed_end(page->packed);
        if (!og_packed_is_open(page->packed))
            og_packed_begin(page->packed, w, "holders", list[i].source);
        struct og_writer *data = og_packed_data(page->packed);
        og_writer_byte(data, '[');
        og_writer_number(data, list[i].source);
        for (size_t k = i; k < next; k++) {
            const uint64_t numbers[] = {list[k].begin, list[k].end,
                                        list[k].number};
            put_numbers(data, numbers, 3);
        }
        og_writer_string(data, "]\n");
    }
    og_packed_end(page->packed);
}

/* ---- the end ---- */

static void write_meta(struct og_web_page *page, struct og_writer *w,
                       const struct og_progress *progress)
{
    og_writer_string(w, "<script type=\"application/json\" class=\"meta\">"
                        "{\"unit\":\"");
    og_writer_string(w, page->unit);
    og_writer_string(w, "\",\"documents\":");
    og_writer_number(w, page->n_documents);
    og_writer_string(w, ",\"part\":");
    og_writer_number(w, progress->part);
    og_writer_string(w, progress->goes_on ? ",\"goes_on\":true"
                                          : ",\"goes_on\":false");
    if (progress->part != 0 && progress->name != NULL) {
        og_writer_string(w, ",\"cover\":");
        og_escape_script(w, (og_bytes){progress->name, strlen(progress->name)});
    }
    if (page->left_out_holders) og_writer_string(w, ",\"holders_cut\":true");
    og_writer_string(w, "}</script>\n");
}

static void forget(struct og_web_page *page)
{
    page->n_rows = page->first_row = page->n_documents = page->n_data = 0;
    page->n_holders = 0;
    page->plain_len = 0;
    page->has_plain = page->left_out_plain = page->left_out_holders = false;
    og_names_release(&page->names);
}

void og_web_page_end(struct og_writer *w, const struct og_progress *progress)
{
    struct og_web_page *page = progress->state;
    if (og_packed_is_open(page->packed)) end_block(page);
    write_rows(page, w);
    write_holders(page, w);
    if (page->n_documents == 0)
        og_writer_string(w, "<p>There are no documents in this report.</p>\n");
    if (page->left_out_plain)
        og_writer_string(w, "<noscript><p>This report has more documents; they "
                            "are shown when scripts are allowed.</p>"
                            "</noscript>\n");
    og_writer_string(w, "</main>\n");
    write_meta(page, w, progress);
    og_writer_string(w, "<script>");
    og_writer_bytes(w, og_page_script, og_page_script_len);
    og_writer_string(w, "</script>\n</body>\n</html>\n");
    og_tally_end_part(&page->tally);
    forget(page);
}

bool og_web_page_is_full(const struct og_progress *progress)
{
    const struct og_web_page *page = progress->state;
    const uint64_t n_data = page->n_data + og_packed_len(page->packed);
    return page->n_documents >= MOST_DOCUMENTS || n_data >= MOST_DATA ||
           page->n_holders >= MOST_HOLDERS;
}

void og_web_page_cover(struct og_writer *w, const og_report_options *options,
                       const struct og_progress *progress)
{
    const struct og_web_page *page = progress->state;
    og_bytes title = OG_LITERAL("origo");
    if (options->title != NULL)
        title = (og_bytes){options->title, strlen(options->title)};
    og_html_head(w, title, false);
    og_tally_write(&page->tally, w, page->unit, progress->name);
    og_writer_string(w, "</main>\n</body>\n</html>\n");
}
