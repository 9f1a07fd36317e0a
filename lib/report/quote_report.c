/* Reused sentences of any number of documents, in any form, to any place.
 *
 *     og_quote_report_open -> add, add, pass, ... -> og_quote_report_close
 *
 * What is added waits in memory until pass() says that others may read it:
 * with a store that grows, when the documents are on disk. A file appears
 * whole, at the end, so nothing has to wait for it. */

#include "lib/base/memory.h"
#include "lib/os/new_file.h"
#include "lib/report/quote_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct og_quote_report {
    og_quote_format format;
    og_text_style style;
    FILE *file; /* the twin of new_file's descriptor; what waits for stdout */
    bool to_stdout;
    struct og_new_file new_file;
    char *held; /* of `file`, for stdout */
    size_t held_len;
    uint64_t n_documents;
    og_status failed; /* of the first call that did; OG_OK */
};

/* ---- opening ---- */

static og_status hold(og_quote_report *r, og_error *err)
{
    r->file = open_memstream(&r->held, &r->held_len);
    return r->file != NULL ? OG_OK : og_error_memory(err, 0, "a report");
}

static og_status open_file(og_quote_report *r, const char *path, og_error *err)
{
    TRY(og_output_open(&r->new_file, path, false, err));
    const int twin = dup(r->new_file.fd);
    r->file = twin < 0 ? NULL : fdopen(twin, "wb");
    if (r->file != NULL) return OG_OK;
    const int error = errno;
    if (twin >= 0) close(twin);
    return og_file_failure(err, "write", path, error);
}

og_status og_quote_report_open(const char *path, og_quote_format format,
                               og_text_style style, og_quote_report **out,
                               og_error *err)
{
    if ((unsigned)format > OG_QUOTE_HTML)
        return og_error_set(err, OG_ERR_USAGE, "there is no format %d",
                            (int)format);
    og_quote_report *r = og_allocate_zero(NULL, sizeof(*r));
    if (r == NULL) return og_error_memory(err, sizeof(*r), "a report");
    r->format = format;
    r->style = style;
    r->new_file.fd = -1;
    r->to_stdout = path == NULL || strcmp(path, "-") == 0;
    const og_status status =
        r->to_stdout ? hold(r, err) : open_file(r, path, err);
    if (status != OG_OK) {
        og_quote_report_discard(r);
        return status;
    }
    *out = r;
    return OG_OK;
}

/* ---- documents ---- */

static og_status add_page(og_quote_report *r, const og_document *doc,
                          const og_quotes *quotes, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, r->file);
    if (r->n_documents == 0) og_quote_page_begin(&w, doc);
    TRY(og_quote_page_add(&w, ++r->n_documents, doc, quotes, err));
    return og_writer_finish(&w, err);
}

static og_status add(og_quote_report *r, const og_document *doc,
                     const og_quotes *quotes, og_error *err)
{
    if (r->format == OG_QUOTE_HTML) return add_page(r, doc, quotes, err);
    if (r->format == OG_QUOTE_JSON)
        return og_report_quote_json(r->file, doc, quotes, err);
    return og_report_quote_text(r->file, doc, quotes, r->style, err);
}

og_status og_quote_report_add(og_quote_report *r, const og_document *doc,
                              const og_quotes *quotes, og_error *err)
{
    const og_status status = add(r, doc, quotes, err);
    if (r->failed == OG_OK) r->failed = status;
    return status;
}

static og_status pass_held(og_quote_report *r, og_error *err)
{
    const bool is_whole = fclose(r->file) == 0;
    r->file = NULL;
    if (!is_whole) return og_error_memory(err, r->held_len, "a report");
    const bool is_written =
        fwrite(r->held, 1, r->held_len, stdout) == r->held_len &&
        fflush(stdout) == 0;
    const int error = errno;
    free(r->held);
    r->held = NULL;
    if (is_written) return OG_OK;
    og_file_failure(err, "write", "stdout", error);
    errno = error;
    return OG_ERR_IO;
}

og_status og_quote_report_pass(og_quote_report *r, og_error *err)
{
    if (!r->to_stdout) return OG_OK;
    og_status status = pass_held(r, err);
    if (status == OG_OK) status = hold(r, err);
    if (r->failed == OG_OK) r->failed = status;
    return status;
}

/* ---- the end ---- */

static og_status write_end(og_quote_report *r, og_error *err)
{
    struct og_writer w;
    if (r->format != OG_QUOTE_HTML) return OG_OK;
    og_writer_init(&w, r->file);
    if (r->n_documents == 0) og_quote_page_begin(&w, NULL);
    og_quote_page_end(&w, r->n_documents);
    return og_writer_finish(&w, err);
}

static og_status commit(og_quote_report *r, og_error *err)
{
    if (r->to_stdout) return pass_held(r, err);
    FILE *file = r->file;
    r->file = NULL;
    if (fclose(file) != 0)
        return og_file_failure(err, "write", r->new_file.path, errno);
    return og_new_file_commit(&r->new_file, err);
}

og_status og_quote_report_close(og_quote_report *r, og_error *err)
{
    if (r == NULL) return OG_OK;
    og_status status = r->failed;
    if (status != OG_OK)
        og_error_set(err, status,
                     "the report is not whole: a document could "
                     "not be written");
    if (status == OG_OK) status = write_end(r, err);
    if (status == OG_OK) status = commit(r, err);
    const int error = errno;
    og_quote_report_discard(r);
    errno = error;
    return status;
}

void og_quote_report_discard(og_quote_report *r)
{
    if (r == NULL) return;
    if (r->file != NULL) fclose(r->file);
    free(r->held);
    og_new_file_discard(&r->new_file);
    og_release(NULL, r, sizeof(*r));
}
