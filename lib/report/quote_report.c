/* Reused sentences of any number of documents: the forms of og_quote_report,
 * which is a report like any other (report.c). */

#include "lib/report/report.h"

struct og_quote_report; /* an og_report by another name */

static const struct og_report_form *const forms[] = {
    [OG_QUOTE_TEXT] = &og_quote_as_text,
    [OG_QUOTE_JSON] = &og_quote_as_json,
    [OG_QUOTE_HTML] = &og_quote_as_html,
};

static og_report *report_of(og_quote_report *report)
{
    return (og_report *)report;
}

og_status og_quote_report_open(const char *path, og_quote_format format,
                               og_text_style style, og_quote_report **out,
                               og_error *err)
{
    if ((unsigned)format > OG_QUOTE_HTML)
        return og_error_set(err, OG_ERR_USAGE, "there is no format %d",
                            (int)format);
    og_report_options options = og_report_options_default();
    options.style = style;
    og_report *report = NULL;
    TRY(og_report_start(path, forms[format], &options, true, &report, err));
    *out = (og_quote_report *)report;
    return OG_OK;
}

og_status og_quote_report_add(og_quote_report *report, const og_document *doc,
                              const og_quotes *quotes, og_error *err)
{
    return og_report_add_quotes(report_of(report), doc, quotes, err);
}

og_status og_quote_report_pass(og_quote_report *report, og_error *err)
{
    return og_report_pass(report_of(report), err);
}

og_status og_quote_report_close(og_quote_report *report, og_error *err)
{
    return og_report_close(report_of(report), err);
}

void og_quote_report_discard(og_quote_report *report)
{
    og_report_discard(report_of(report));
}
