/* A report of any form over any number of documents, of copied passages or of
 * reused sentences.
 *
 *     og_report_open -> begin, add, add, ..., end -> og_report_close
 *
 * The forms know nothing about files, and files (outlet.c) nothing about forms.
 * A form whose file is full continues in another: NAME.parts/1.html, 2.html,
 * ..., and NAME itself becomes the cover that links to them.
 *
 * PAN and TEI have one root for a single document and another for several. The
 * second document decides, so the first is rendered into memory and held
 * back. */

#include "lib/report/report.h"
#include "lib/base/memory.h"
#include "lib/report/outlet.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct og_report {
    og_report_options options;
    const struct og_report_form *form;
    struct og_outlet outlet;
    struct og_progress progress;
    bool begun;
    char *name; /* file name without its folder; NULL: none */
    char *held; /* the first document, until a second one comes */
    size_t held_len;
    og_status failed; /* status of the first call that failed; OG_OK */
};

/* What is added: one of the two kinds. */
struct item {
    const og_document *doc;
    const og_answer *answer;
    const og_quotes *quotes;
};

static const struct {
    const char *name;
    const struct og_report_form *passages, *sentences, *novel;
} forms[] = {
    [OG_FORMAT_TEXT] = {"text", &og_report_as_text, &og_quote_as_text,
                        &og_novel_as_text},
    [OG_FORMAT_JSON] = {"json", &og_report_as_json, &og_quote_as_json,
                        &og_novel_as_json},
    [OG_FORMAT_TSV] = {"tsv", &og_report_as_tsv, NULL, NULL},
    [OG_FORMAT_HTML] = {"html", &og_report_as_html, &og_quote_as_html,
                        &og_report_as_html},
    [OG_FORMAT_PAN] = {"pan", &og_report_as_pan, NULL, NULL},
    [OG_FORMAT_ANNOTATION] = {"annotation", &og_report_as_annotation, NULL,
                              NULL},
    [OG_FORMAT_TEI] = {"tei", &og_report_as_tei, NULL, NULL},
    [OG_FORMAT_CSV] = {"csv", NULL, NULL, NULL},
    [OG_FORMAT_GRAPHML] = {"graphml", NULL, NULL, NULL},
    [OG_FORMAT_SVG] = {"svg", NULL, NULL, NULL},
};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

bool og_format_parse(og_bytes name, og_format *out)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strlen(forms[i].name) != name.len ||
            memcmp(forms[i].name, name.data, name.len) != 0)
            continue;
        *out = (og_format)i;
        return true;
    }
    return false;
}

const char *og_format_name(og_format format)
{
    return (size_t)format < N_FORMS ? forms[format].name : "unknown";
}

const struct og_report_form *og_report_form_of(const og_report_options *options)
{
    const size_t format = (size_t)options->format;
    if (format >= N_FORMS) return NULL;
    if (options->sentences) return forms[format].sentences;
    return options->novel || options->n_snippets > 0 ? forms[format].novel
                                                     : forms[format].passages;
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

const struct og_report_form og_report_as_text = {.add = add_text};
const struct og_report_form og_report_as_json = {.add = add_json,
                                                 .is_apart = true};

/* ---- opening ---- */

static og_status new_report(const struct og_report_form *form,
                            const og_report_options *options, og_report **out,
                            og_error *err)
{
    og_report *report = og_allocate_zero(NULL, sizeof(*report));
    if (report == NULL)
        return og_error_memory(err, sizeof(*report), "a report");
    report->options = options ? *options : og_report_options_default();
    report->form = form;
    report->outlet.new_file.fd = report->outlet.new_file.copy_to = -1;
    og_status status = OG_OK;
    if (form->open != NULL) status = form->open(&report->progress, err);
    if (status == OG_OK)
        *out = report;
    else
        og_release(NULL, report, sizeof(*report));
    return status;
}

static og_status find_form(const og_report_options *options,
                           const struct og_report_form **out, og_error *err)
{
    const og_report_options usual = og_report_options_default();
    if (options == NULL) options = &usual;
    *out = og_report_form_of(options);
    if (*out != NULL) return OG_OK;
    const bool is_novel = options->novel || options->n_snippets > 0;
    return og_error_set(err, OG_ERR_USAGE, "a report of %s has no format '%s'",
                        options->sentences ? "sentences"
                        : is_novel         ? "what is new"
                                           : "passages",
                        og_format_name(options->format));
}

og_status og_report_begin(og_write_fn *write, void *ctx,
                          const og_report_options *options, og_report **out,
                          og_error *err)
{
    const struct og_report_form *form = NULL;
    TRY(find_form(options, &form, err));
    TRY(new_report(form, options, out, err));
    og_outlet_use(&(*out)->outlet, write, ctx);
    return OG_OK;
}

/* The name by which parts and cover link to each other. */
static og_status take_name(og_report *report, og_error *err)
{
    const char *path = og_outlet_target(&report->outlet);
    if (path == NULL) return OG_OK;
    const char *slash = strrchr(path, '/');
    report->name = strdup(slash != NULL ? slash + 1 : path);
    if (report->name == NULL)
        return og_error_memory(err, strlen(path), "a report");
    report->progress.name = report->name;
    return OG_OK;
}

og_status og_report_open(const char *path, const og_report_options *options,
                         og_report **out, og_error *err)
{
    const struct og_report_form *form = NULL;
    og_report *report = NULL;
    TRY(find_form(options, &form, err));
    TRY(new_report(form, options, &report, err));
    og_status status =
        og_outlet_open(&report->outlet, path, report->options.holds, err);
    if (status == OG_OK) status = take_name(report, err);
    if (status == OG_OK)
        *out = report;
    else
        og_report_discard(report);
    return status;
}

/* ---- documents ---- */

static void write_begin(og_report *report, const og_document *first, bool many)
{
    if (report->begun) return;
    report->begun = true;
    if (report->form->begin != NULL)
        report->form->begin(&report->outlet.w, &report->options, first, many);
}

static void write_held(og_report *report)
{
    if (report->held == NULL) return;
    og_writer_bytes(&report->outlet.w, report->held, report->held_len);
    free(report->held);
    report->held = NULL;
}

static og_status render(og_report *report, struct og_writer *w,
                        const struct item *item, og_error *err)
{
    const struct og_report_form *form = report->form;
    const og_bytes rendered =
        item->quotes != NULL ? item->quotes->rendered : item->answer->rendered;
    report->progress.number++;
    if (form->is_apart && rendered.len > 0) {
        og_writer_bytes(w, rendered.data, rendered.len);
        return OG_OK;
    }
    if (item->quotes != NULL)
        return form->add_quotes(w, item->doc, item->quotes, &report->options,
                                &report->progress, err);
    return form->add(w, item->doc, item->answer, &report->options,
                     &report->progress, err);
}

static og_status hold(og_report *report, const struct item *item, og_error *err)
{
    struct og_writer w;
    const size_t len = item->doc->text.len;
    FILE *memory = open_memstream(&report->held, &report->held_len);
    if (memory == NULL) return og_error_memory(err, len, "the first document");
    og_writer_init(&w, og_write_file, memory);
    og_status status = render(report, &w, item, err);
    if (status == OG_OK) status = og_writer_finish(&w, err);
    if (fclose(memory) != 0 && status == OG_OK)
        status = og_error_memory(err, len, "the first document");
    return status;
}

static og_status turn_page(og_report *report, og_error *err);

static og_status add(og_report *report, const struct item *item, og_error *err)
{
    const struct og_report_form *form = report->form;
    if (form->holds_first && report->progress.number == 0)
        return hold(report, item, err);
    if (form->is_full != NULL && form->is_full(&report->progress))
        TRY(turn_page(report, err));
    write_begin(report, item->doc, form->holds_first);
    write_held(report);
    TRY(render(report, &report->outlet.w, item, err));
    return og_writer_finish(&report->outlet.w, err);
}

static og_status add_item(og_report *report, const struct item *item,
                          og_error *err)
{
    const og_status status = add(report, item, err);
    if (report->failed == OG_OK) report->failed = status;
    return status;
}

og_status og_report_add(og_report *report, const og_document *doc,
                        const og_answer *answer, og_error *err)
{
    const struct item item = {doc, answer, NULL};
    assert(report->form->add != NULL);
    return add_item(report, &item, err);
}

og_status og_report_add_quotes(og_report *report, const og_document *doc,
                               const og_quotes *quotes, og_error *err)
{
    const struct item item = {doc, NULL, quotes};
    assert(report->form->add_quotes != NULL);
    return add_item(report, &item, err);
}

/* ---- documents by themselves ---- */

bool og_report_is_apart(const og_report *report)
{
    return report->form->is_apart;
}

og_status og_report_render(const og_report *report, const og_document *doc,
                           const og_answer *answer, og_write_fn *write,
                           void *ctx, og_error *err)
{
    struct og_progress nowhere = {0};
    struct og_writer w;
    assert(report->form->is_apart && report->form->add != NULL);
    og_writer_init(&w, write, ctx);
    TRY(report->form->add(&w, doc, answer, &report->options, &nowhere, err));
    return og_writer_finish(&w, err);
}

og_status og_report_render_quotes(const og_report *report,
                                  const og_document *doc,
                                  const og_quotes *quotes, og_write_fn *write,
                                  void *ctx, og_error *err)
{
    struct og_progress nowhere = {0};
    struct og_writer w;
    assert(report->form->is_apart && report->form->add_quotes != NULL);
    og_writer_init(&w, write, ctx);
    TRY(report->form->add_quotes(&w, doc, quotes, &report->options, &nowhere,
                                 err));
    return og_writer_finish(&w, err);
}

og_status og_report_pass(og_report *report, og_error *err)
{
    const og_status status = og_outlet_pass(&report->outlet, err);
    if (report->failed == OG_OK) report->failed = status;
    return status;
}

/* ---- the end ---- */

static og_status write_end(og_report *report, og_error *err)
{
    struct og_writer *w = &report->outlet.w;
    write_begin(report, NULL, false);
    write_held(report);
    if (report->form->end != NULL) report->form->end(w, &report->progress);
    return og_writer_finish(w, err);
}

/* The current file becomes a part: "NAME.parts/3.html". */
static og_status commit_part(og_report *report, og_error *err)
{
    const char *name = og_outlet_target(&report->outlet);
    const size_t len = strlen(name) + 40;
    char *path = og_allocate(NULL, len);
    if (path == NULL) return og_error_memory(err, len, "a report");
    snprintf(path, len, "%s.parts", name);
    og_status status = OG_OK;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        status = og_file_failure(err, "make", path, errno);
    snprintf(path, len, "%s.parts/%llu.html", name,
             (unsigned long long)report->progress.part);
    if (status == OG_OK) status = og_outlet_commit(&report->outlet, path, err);
    og_release(NULL, path, len);
    return status;
}

static og_status end_part(og_report *report, bool goes_on, og_error *err)
{
    report->progress.goes_on = goes_on;
    if (report->progress.part == 0) report->progress.part = 1;
    TRY(write_end(report, err));
    TRY(commit_part(report, err));
    return og_outlet_reopen(&report->outlet, err);
}

/* Only a regular file can have others beside it. */
static og_status turn_page(og_report *report, og_error *err)
{
    if (og_outlet_target(&report->outlet) == NULL) return OG_OK;
    TRY(end_part(report, true, err));
    report->progress.part++;
    report->progress.number = 0;
    report->begun = false;
    return OG_OK;
}

static og_status finish(og_report *report, og_error *err)
{
    if (report->progress.part == 0) {
        TRY(write_end(report, err));
    } else {
        TRY(end_part(report, false, err));
        report->form->cover(&report->outlet.w, &report->options,
                            &report->progress);
    }
    return og_outlet_commit(&report->outlet, NULL, err);
}

og_status og_report_close(og_report *report, og_error *err)
{
    if (report == NULL) return OG_OK;
    og_status status = report->failed;
    if (status != OG_OK)
        og_error_set(err, status,
                     "the report is not whole: a document could "
                     "not be written");
    if (status == OG_OK) status = finish(report, err);
    const int error = errno; /* for callers that treat EPIPE apart */
    og_report_discard(report);
    errno = error;
    return status;
}

void og_report_discard(og_report *report)
{
    if (report == NULL) return;
    if (report->form->release != NULL) report->form->release(&report->progress);
    og_outlet_discard(&report->outlet);
    free(report->held);
    free(report->name);
    og_release(NULL, report, sizeof(*report));
}
