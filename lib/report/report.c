/* A report of any form over any number of documents.
 *
 *     og_report_open -> begin, add, add, ..., end -> og_report_close
 *
 * The forms know nothing of files, and files nothing of forms. A report that
 * goes to a path is written beside it and renamed when it is whole: half a
 * page, or half an XML file, is worse than none.
 *
 * PAN and TEI have one root for a single document and another for many. Which
 * one it is shows when the second document comes, so the first is rendered
 * into memory and waits. */

#include "lib/report/report.h"
#include "lib/base/memory.h"
#include "lib/os/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct og_report {
    og_report_options options;
    const struct og_wordset *form;
    FILE *file;
    bool own_file; /* opened here: a twin of new_file's descriptor */
    struct og_new_file new_file;
    struct og_progress progress;
    bool begun;
    char *held; /* the first document, until a second one comes */
    size_t held_len;
    og_status failed; /* of the first call that did; OG_OK */
};

static const struct og_wordset *const forms[] = {
    [OG_FORMAT_TEXT] = &og_report_as_text,
    [OG_FORMAT_JSON] = &og_report_as_json,
    [OG_FORMAT_TSV] = &og_report_as_tsv,
    [OG_FORMAT_HTML] = &og_report_as_html,
    [OG_FORMAT_PAN] = &og_report_as_pan,
    [OG_FORMAT_ANNOTATION] = &og_report_as_annotation,
    [OG_FORMAT_TEI] = &og_report_as_tei,
};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

bool og_format_parse(og_bytes name, og_format *out)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strlen(forms[i]->name) != name.len ||
            memcmp(forms[i]->name, name.data, name.len) != 0)
            continue;
        *out = (og_format)i;
        return true;
    }
    return false;
}

const char *og_format_name(og_format format)
{
    return (size_t)format < N_FORMS ? forms[format]->name : "unknown";
}

og_report_options og_report_options_default(void)
{
    return (og_report_options){.format = OG_FORMAT_JSON,
                               .offsets = OG_OFFSETS_BYTE};
}

/* ---- the small forms ---- */

static og_status add_text(struct og_writer *w, const og_document *doc,
                          const og_answer *answer,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    (void)progress;
    return og_write_text(w, doc, answer, options->style, err);
}

static og_status add_json(struct og_writer *w, const og_document *doc,
                          const og_answer *answer,
                          const og_report_options *options,
                          struct og_progress *progress, og_error *err)
{
    (void)progress;
    return og_write_json(w, doc, answer, options, err);
}

const struct og_wordset og_report_as_text = {.name = "text", .add = add_text};
const struct og_wordset og_report_as_json = {.name = "json", .add = add_json};

/* ---- opening ---- */

static og_report *new_report(const og_report_options *options, og_error *err)
{
    og_report *report = og_allocate_zero(NULL, sizeof(*report));
    if (report == NULL) {
        og_error_memory(err, sizeof(*report), "a report");
        return NULL;
    }
    report->options = options ? *options : og_report_options_default();
    report->new_file.fd = -1;
    return report;
}

static og_status check_format(const og_report_options *options, og_error *err)
{
    if (options == NULL || (size_t)options->format < N_FORMS) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE, "there is no format %d",
                        (int)options->format);
}

og_status og_report_begin(FILE *file, const og_report_options *options,
                          og_report **out, og_error *err)
{
    TRY(check_format(options, err));
    og_report *report = new_report(options, err);
    if (report == NULL) return OG_ERR_MEMORY;
    report->form = forms[report->options.format];
    report->file = file;
    *out = report;
    return OG_OK;
}

static og_status open_file(og_report *report, const char *path, og_error *err)
{
    TRY(og_output_open(&report->new_file, path, false, err));
    const int twin = dup(report->new_file.fd);
    report->file = twin < 0 ? NULL : fdopen(twin, "wb");
    if (report->file != NULL) {
        report->own_file = true;
        return OG_OK;
    }
    const int error = errno;
    if (twin >= 0) close(twin);
    return og_file_failure(err, "write", path, error);
}

og_status og_report_open(const char *path, const og_report_options *options,
                         og_report **out, og_error *err)
{
    og_report *report;
    TRY(og_report_begin(stdout, options, &report, err));
    if (path != NULL && strcmp(path, "-") != 0) {
        const og_status status = open_file(report, path, err);
        if (status != OG_OK) {
            og_report_discard(report);
            return status;
        }
    }
    *out = report;
    return OG_OK;
}

/* ---- documents ---- */

static void write_begin(og_report *report, struct og_writer *w,
                        const og_document *first, bool many)
{
    if (report->begun) return;
    report->begun = true;
    if (report->form->begin != NULL)
        report->form->begin(w, &report->options, first, many);
}

static void write_held(og_report *report, struct og_writer *w)
{
    if (report->held == NULL) return;
    og_writer_bytes(w, report->held, report->held_len);
    free(report->held);
    report->held = NULL;
}

static og_status render(og_report *report, struct og_writer *w,
                        const og_document *doc, const og_answer *answer,
                        og_error *err)
{
    report->progress.number++;
    return report->form->add(w, doc, answer, &report->options,
                             &report->progress, err);
}

static og_status hold(og_report *report, const og_document *doc,
                      const og_answer *answer, og_error *err)
{
    struct og_writer w;
    FILE *memory = open_memstream(&report->held, &report->held_len);
    if (memory == NULL)
        return og_error_memory(err, doc->text.len, "the first document");
    og_writer_init(&w, memory);
    og_status status = render(report, &w, doc, answer, err);
    if (status == OG_OK) status = og_writer_finish(&w, err);
    if (fclose(memory) != 0 && status == OG_OK)
        status = og_error_memory(err, doc->text.len, "the first document");
    return status;
}

static og_status add(og_report *report, const og_document *doc,
                     const og_answer *answer, og_error *err)
{
    struct og_writer w;
    if (report->form->holds_first && report->progress.number == 0)
        return hold(report, doc, answer, err);
    og_writer_init(&w, report->file);
    write_begin(report, &w, doc, report->form->holds_first);
    write_held(report, &w);
    TRY(render(report, &w, doc, answer, err));
    return og_writer_finish(&w, err);
}

og_status og_report_add(og_report *report, const og_document *doc,
                        const og_answer *answer, og_error *err)
{
    const og_status status = add(report, doc, answer, err);
    if (report->failed == OG_OK) report->failed = status;
    return status;
}

/* ---- the end ---- */

static og_status write_end(og_report *report, og_error *err)
{
    struct og_writer w;
    og_writer_init(&w, report->file);
    write_begin(report, &w, NULL, false);
    write_held(report, &w);
    if (report->form->end != NULL) report->form->end(&w, &report->progress);
    return og_writer_finish(&w, err);
}

static og_status commit(og_report *report, og_error *err)
{
    if (!report->own_file) return OG_OK;
    report->own_file = false;
    if (fclose(report->file) != 0)
        return og_file_failure(err, "write", report->new_file.path, errno);
    return og_new_file_commit(&report->new_file, err);
}

og_status og_report_close(og_report *report, og_error *err)
{
    if (report == NULL) return OG_OK;
    og_status status = report->failed;
    if (status != OG_OK)
        og_error_set(err, status,
                     "the report is not whole: a document could "
                     "not be written");
    if (status == OG_OK) status = write_end(report, err);
    if (status == OG_OK) status = commit(report, err);
    og_report_discard(report);
    return status;
}

void og_report_discard(og_report *report)
{
    if (report == NULL) return;
    if (report->own_file) fclose(report->file);
    og_new_file_discard(&report->new_file);
    free(report->held);
    og_release(NULL, report, sizeof(*report));
}
