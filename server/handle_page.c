/* The page at /: its files are part of the program (web/, and the scripts and
 * the style of the HTML report, lib/report/page). */

#include "embedded.h"
#include "handlers.h"
#include "problem.h"

#include <string.h>

/* Scripts, styles and requests only from and to this server, and no text
 * becomes markup. */
static const char page_csp[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

static const struct page_file {
    const char *path, *type, *data;
    const size_t *len;
} page_files[] = {
    {"/", "text/html; charset=utf-8", embedded_page, &embedded_page_len},
    {"/page.js", "text/javascript; charset=utf-8", embedded_page_script,
     &embedded_page_script_len},
    {"/page.css", "text/css; charset=utf-8", embedded_page_style,
     &embedded_page_style_len},
    {"/report.css", "text/css; charset=utf-8", embedded_report_style,
     &embedded_report_style_len},
    {"/icon.svg", "image/svg+xml", embedded_page_icon, &embedded_page_icon_len},
};

void handle_page(struct request *r)
{
    for (size_t i = 0; i < sizeof(page_files) / sizeof(page_files[0]); i++) {
        const struct page_file *file = &page_files[i];
        if (strcmp(r->route->path, file->path) != 0) continue;
        r->reply.status = 200;
        r->reply.type = file->type;
        r->reply.fixed = file->data;
        r->reply.fixed_len = *file->len;
        r->reply.csp = page_csp;
        return;
    }
    problem(r, 404, "there is no such path");
}
