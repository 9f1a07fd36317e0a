/* The form and the look of a report; see report_settings.h. */

#include "report_settings.h"

#include "say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

void report_defaults(struct report_settings *s)
{
    s->format = REPORT_FORMAT_AUTO;
}

bool report_to_stdout(const struct report_settings *s)
{
    return s->output == NULL || strcmp(s->output, "-") == 0;
}

static bool wants_colour(const struct report_settings *s)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (s->colour != COLOUR_AUTO) return s->colour == COLOUR_ALWAYS;
    if (no_color != NULL && no_color[0] != '\0') return false;
    if (term != NULL && strcmp(term, "dumb") == 0) return false;
    return report_to_stdout(s) && isatty(STDOUT_FILENO);
}

static unsigned terminal_width(const struct report_settings *s)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (!report_to_stdout(s)) return 80;
    if (columns != NULL && atoi(columns) > 0) return (unsigned)atoi(columns);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
        return size.ws_col;
    return 80;
}

/* Whether the name ends so, optionally followed by .gz or .zst. */
static bool ends_with(const char *s, const char *end)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    for (size_t i = 0; i < 3; i++) {
        const size_t len = strlen(s), end_len = strlen(end);
        const size_t all = end_len + strlen(packed[i]);
        if (len >= all && strncmp(s + len - all, end, end_len) == 0 &&
            strcmp(s + len - all + end_len, packed[i]) == 0)
            return true;
    }
    return false;
}

og_format report_format_of_output(const struct report_settings *s)
{
    if (report_to_stdout(s))
        return isatty(STDOUT_FILENO) ? OG_FORMAT_TEXT : OG_FORMAT_JSON;
    if (ends_with(s->output, ".html")) return OG_FORMAT_HTML;
    if (ends_with(s->output, ".tsv")) return OG_FORMAT_TSV;
    if (ends_with(s->output, ".txt")) return OG_FORMAT_TEXT;
    if (ends_with(s->output, ".jsonld")) return OG_FORMAT_ANNOTATION;
    if (ends_with(s->output, ".xml")) return OG_FORMAT_TEI;
    return OG_FORMAT_JSON;
}

og_text_style report_style(const struct report_settings *s)
{
    return (og_text_style){.colour = wants_colour(s),
                           .width = terminal_width(s)};
}

og_report_options report_options(const struct report_settings *s)
{
    og_report_options options = og_report_options_default();
    options.format = s->format == REPORT_FORMAT_AUTO
                         ? report_format_of_output(s)
                         : (og_format)s->format;
    options.offsets = (og_offsets)s->offsets;
    options.matches = s->matches;
    options.style = report_style(s);
    return options;
}

int report_end(og_report *report, const struct report_settings *s,
               const char *command, bool answered, const og_error *err,
               int status)
{
    og_error failed = {0};
    if (err->status != OG_OK || (!answered && status != EXIT_DONE)) {
        og_report_discard(report);
        return status;
    }
    if (og_report_close(report, &failed) == OG_OK) return status;
    if (!report_to_stdout(s)) return say_error(command, &failed);
    stdout_failed(errno);
    return EXIT_IO;
}
