/* Short and full help, from the table of options, in 80 columns.
 *
 * -h is a card: one line per option, to look up a name. --help is the page: the
 * same options with explanations, units and defaults, then examples and exit
 * statuses. Both go to stdout, so that help can be paged and searched. */

#include "help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79, TEXT_COLUMN = 28, PAGE_INDENT = 6, NAME_COLUMN = 12 };

void *settings_new(const struct command *command)
{
    void *settings = calloc(1, command->settings_len + 1);
    if (settings == NULL) abort();
    if (command->defaults != NULL) command->defaults(settings);
    return settings;
}

void option_spelling(const struct option *o, char *out, size_t out_cap)
{
    char letter[8] = "    ", name[48] = "";
    if (o->letter != 0)
        snprintf(letter, sizeof(letter), "-%c%s", o->letter,
                 o->name[0] != '\0' ? ", " : "");
    if (o->name[0] != '\0') snprintf(name, sizeof(name), "--%s", o->name);
    snprintf(out, out_cap, "%s%s%s%s", letter, name, o->value ? " " : "",
             o->value ? o->value : "");
}

void option_default(const struct option *o, const void *settings, char *out,
                    size_t out_cap)
{
    o->type->show(o, (const char *)settings + o->offset, out, out_cap);
}

/* Writes words from `column` on, wrapped; later lines begin at `indent`. An
 * empty line in the text is preserved. */
static void write_wrapped(const char *text, size_t column, size_t indent)
{
    bool first = true;
    while (*text != '\0') {
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text += strspn(text, " \n");
        const size_t len = strcspn(text, " \n");
        if (len == 0) break;
        if (!first && column + 1 + len > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, len, stdout);
        column += len;
        text += len;
        first = false;
    }
    putchar('\n');
}

static void write_usage(const struct command *command)
{
    printf("usage: origo %s%s %s\n", command->name,
           command->n_options != 0 ? " [OPTION]..." : "", command->operands);
}

/* ---- the card ---- */

static void write_card_line(const struct option *o)
{
    char spelling[64];
    option_spelling(o, spelling, sizeof(spelling));
    const int len = printf("  %s", spelling);
    if (len + 2 > TEXT_COLUMN)
        printf("\n%*s%s\n", TEXT_COLUMN, "", o->brief);
    else
        printf("%*s%s\n", TEXT_COLUMN - len, "", o->brief);
}

/* The length of the first word of a two-word name, 0 for a single word. */
static size_t family_len(const struct command *c)
{
    const char *space = strchr(c->name, ' ');
    return space == NULL ? 0 : (size_t)(space - c->name);
}

static bool is_member(const struct command *c, const char *word, size_t len)
{
    return family_len(c) == len && memcmp(c->name, word, len) == 0;
}

bool help_is_family(const char *word)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        if (is_member(cli_commands[i], word, strlen(word))) return true;
    return false;
}

void help_family(const char *word)
{
    printf("usage: origo %s COMMAND [OPTION]... [FILE]...\n\n", word);
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        if (is_member(cli_commands[i], word, strlen(word)))
            printf("  %-22s %s\n", cli_commands[i]->name,
                   cli_commands[i]->brief);
    printf("\n"
           "'origo %s COMMAND -h' shows the options of a command\n",
           word);
}

static void write_members(size_t first)
{
    const struct command *c = cli_commands[first];
    const size_t len = family_len(c);
    printf("  %-*.*s ", NAME_COLUMN, (int)len, c->name);
    const char *between = "";
    for (size_t i = first; cli_commands[i] != NULL; i++) {
        if (!is_member(cli_commands[i], c->name, len)) continue;
        printf("%s%s", between, cli_commands[i]->name + len + 1);
        between = ", ";
    }
    putchar('\n');
}

/* A family is one line, at its first member. */
static void write_group(enum command_group group, const char *title)
{
    const char *family = "";
    printf("%s\n", title);
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const struct command *c = cli_commands[i];
        const size_t len = family_len(c);
        if (c->group != group) continue;
        if (len == 0)
            printf("  %-*s %s\n", NAME_COLUMN, c->name, c->brief);
        else if (!is_member(c, family, strcspn(family, " ")))
            write_members(i);
        if (len != 0) family = c->name;
    }
}

static void write_commands(void)
{
    write_group(GROUP_QUESTION, "questions");
    write_group(GROUP_STORE, "\n"
                             "store maintenance");
    write_group(GROUP_PART, "\n"
                            "groups of commands");
    write_group(GROUP_HELP, "\nhelp");
}

static void write_top_card(void)
{
    printf("usage: origo COMMAND [OPTION]... [FILE]...\n"
           "finds out where text came from\n\n");
    write_commands();
    printf(
        "\n'origo COMMAND -h' shows the options of a command, --help explains "
        "them\n");
}

void help_short(const struct command *command)
{
    if (command == NULL) {
        write_top_card();
        return;
    }
    write_usage(command);
    printf("%s\n\n", command->brief);
    for (size_t i = 0; i < command->n_options; i++)
        write_card_line(&command->options[i]);
    for (size_t i = 0; i < cli_n_common_options; i++)
        write_card_line(&cli_common_options[i]);
}

/* ---- the page ---- */

static void write_page_option(const struct option *o, const void *settings)
{
    char spelling[64], value[96];
    option_spelling(o, spelling, sizeof(spelling));
    option_default(o, settings, value, sizeof(value));
    printf("  %s\n%*s", spelling + strspn(spelling, " "), PAGE_INDENT, "");
    char text[1200];
    int len = snprintf(text, sizeof(text), "%s%s%s", o->brief,
                       o->more ? ". " : "", o->more ? o->more : "");
    if (value[0] != '\0')
        snprintf(text + len, sizeof(text) - (size_t)len, " [default: %s]",
                 value);
    write_wrapped(text, PAGE_INDENT, PAGE_INDENT);
}

static void write_page_options(const struct command *command)
{
    void *settings = settings_new(command);
    const char *group = "";
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *o = &command->options[i];
        if (strcmp(group, o->group) != 0) printf("\n%s\n", o->group);
        group = o->group;
        write_page_option(o, settings);
    }
    free(settings);
    printf("\n%s\n", cli_common_options[0].group);
    printf("  -h\n      short help\n  --help\n      this help, in full\n");
}

static void write_statuses(void)
{
    printf("\n"
           "Exit status\n"
           "  0  done\n"
           "  1  something was found (only with --exit-code)\n"
           "  2  wrong usage\n"
           "  3  input could not be read or output could not be written\n"
           "  4  the store is damaged\n"
           "  5  there is no such store\n"
           "  6  the store, or the output, is in use by another process\n"
           "  130, 143  stopped by SIGINT (Ctrl-C), by SIGTERM\n"
           "  141  the reader of the output closed it (| head)\n");
}

static void write_top_page(void)
{
    write_top_card();
    printf("\n"
           "origo reads documents in time order and reports, for each, which "
           "passages are\n"
           "copied, from which earliest document, and which are new. The "
           "memory of its\n"
           "table is fixed in advance.\n\n"
           "Try:\n"
           "  origo trace -s :memory: letters.jsonl\n"
           "  origo --version\n");
    write_statuses();
}

void help_full(const struct command *command)
{
    /* Buffered in one piece: a write error is then detected, and reported, at
     * the end. */
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    if (command == NULL) {
        write_top_page();
        return;
    }
    write_usage(command);
    putchar('\n');
    write_wrapped(command->about, 0, 0);
    write_page_options(command);
    if (command->examples != NULL) printf("\nExamples\n%s", command->examples);
    write_statuses();
}
