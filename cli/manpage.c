/* A man page from the table of options: `origo --man trace | man -l -`.
 *
 * The plain man macros, which both mandoc and groff read. A line of text must
 * not begin with a dot or a quote, which roff treats as a request, and
 * backslashes and hyphens are escaped. */

#include "help.h"

#include <ctype.h>
#include <origo/origo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the release that og_version() gives, as in meson.build. Not the day of the
 * build: the same source gives the same page. */
#define RELEASE_DATE "2026-11-16"

static void put_roff_part(const char *text, size_t len)
{
    bool line_start = true;
    for (const char *end = text + len; text < end; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void put_roff(const char *text)
{
    put_roff_part(text, strlen(text));
}

static void put_paragraphs(const char *text)
{
    for (const char *break_at; (break_at = strstr(text, "\n\n")) != NULL;) {
        put_roff_part(text, (size_t)(break_at - text));
        printf("\n.PP\n");
        text = break_at + 2;
    }
    put_roff(text);
    putchar('\n');
}

/* "eval origin" -> "origo-eval-origin" */
static void page_name(const struct command *command, char *out, size_t out_cap)
{
    snprintf(out, out_cap, "origo%s%s", command ? "-" : "",
             command ? command->name : "");
    for (char *c = out; *c != '\0'; c++)
        if (*c == ' ') *c = '-';
}

static void put_title(const struct command *command)
{
    char name[64];
    page_name(command, name, sizeof(name));
    printf(".TH ");
    for (const char *c = name; *c != '\0'; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 %s \"origo %s\" \"origo manual\"\n.SH NAME\n", RELEASE_DATE,
           og_version());
    put_roff(name);
    printf(" \\- %s\n.SH SYNOPSIS\n",
           command ? command->brief : "finds out where text came from");
}

static void put_option(const struct option *o, const void *settings)
{
    char spelling[64], value[96] = "";
    option_spelling(o, spelling, sizeof(spelling));
    if (settings != NULL) option_default(o, settings, value, sizeof(value));
    printf(".TP\n.B ");
    put_roff(spelling + strspn(spelling, " "));
    putchar('\n');
    put_roff(o->brief);
    printf(".\n");
    if (o->more != NULL) {
        put_roff(o->more);
        putchar('\n');
    }
    if (value[0] == '\0') return;
    printf("Default: ");
    put_roff(value);
    printf(".\n");
}

static void put_options(const struct command *command)
{
    void *settings = settings_new(command);
    const char *group = "";
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *o = &command->options[i];
        if (strcmp(group, o->group) != 0) printf(".SS %s\n", o->group);
        group = o->group;
        put_option(o, settings);
    }
    free(settings);
    printf(".SS %s\n", cli_common_options[0].group);
    for (size_t i = 0; i < cli_n_common_options; i++)
        put_option(&cli_common_options[i], NULL);
}

static void put_statuses(void)
{
    printf(".SH EXIT STATUS\n"
           "0 done; 1 something was found (only with \\-\\-exit\\-code); 2 "
           "wrong usage;\n"
           "3 input could not be read or output could not be written; 4 the "
           "store is damaged;\n"
           "5 there is no such store; 6 the store, or the output, is in use by "
           "another process; 130 and 143\n"
           "stopped by SIGINT and SIGTERM; 141 the reader of the output closed "
           "it.\n");
}

static void put_command(const struct command *command)
{
    put_title(command);
    printf(".B origo %s\n%s %s\n.SH DESCRIPTION\n", command->name,
           command->n_options != 0 ? "[OPTION]..." : "", command->operands);
    put_paragraphs(command->about);
    printf(".SH OPTIONS\n");
    put_options(command);
    if (command->examples != NULL) {
        printf(".SH EXAMPLES\n.nf\n");
        put_roff(command->examples);
        printf(".fi\n");
    }
    put_statuses();
    printf(".SH ENVIRONMENT\n"
           ".TP\n"
           ".B ORIGO_STORE\n"
           "The store to use if \\-s is not given.\n"
           ".TP\n"
           ".B ORIGO_REDIS_AUTH\n"
           "PASSWORD or USER:PASSWORD for a table on a server, if its address "
           "has none.\n"
           ".TP\n"
           ".B ORIGO_REDIS_CA\n"
           "A file of trusted certificates for a table over TLS. Default: "
           "those of the system.\n"
           ".TP\n"
           ".B NO_COLOR\n"
           "If set and not empty, disables colour unless \\-\\-color always is "
           "given.\n");
    printf(".SH SEE ALSO\n.BR origo (1)\n");
}

static void put_top(void)
{
    put_title(NULL);
    printf(".B origo\nCOMMAND [OPTION]... [FILE]...\n.SH COMMANDS\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        printf(".TP\n.B %s\n%s.\n", cli_commands[i]->name,
               cli_commands[i]->brief);
    put_statuses();
    printf(".SH SEE ALSO\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        char name[64];
        page_name(cli_commands[i], name, sizeof(name));
        printf(".BR %s (1)%s\n", name, cli_commands[i + 1] ? "," : "");
    }
}

void manpage_write(const struct command *command)
{
    if (command != NULL)
        put_command(command);
    else
        put_top();
}
