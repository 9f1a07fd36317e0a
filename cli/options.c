/* The parser of command lines; options.h describes the table.
 *
 * getopt_long() would do half of it, but needs a table of its own, prints its
 * own messages and accepts abbreviations, with which every new option may break
 * old scripts. This one accepts full names only and suggests the nearest
 * one. */

#include "options.h"

#include "say.h"

#include <string.h>

const struct option cli_common_options[] = {
    {.group = "Help",
     .letter = 'h',
     .name = "",
     .type = &type_flag,
     .brief = "short help"},
    {.group = "Help",
     .name = "help",
     .type = &type_flag,
     .brief = "this help, in full"},
};
const size_t cli_n_common_options = 2;

/* ---- finding ---- */

static bool is_name(const char *its, const char *name, size_t len)
{
    return strlen(its) == len && memcmp(its, name, len) == 0;
}

/* Old names of options, which scripts may still use. */
static const char *const renamed[][2] = {
    {"least", "min-tokens"},
    {"temp", "tmpdir"},
    {"work", "state"},
    {"same", "group-by"},
    {"compare-same", "across-groups"},
    {"limit", "max-matches"}, /* as in near */
};

static bool is_old_name(const char *its, const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
        if (is_name(renamed[i][0], name, len) &&
            strcmp(renamed[i][1], its) == 0)
            return true;
    return false;
}

static const struct option *find_long(const struct command *command,
                                      const char *name, size_t len)
{
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *o = &command->options[i];
        if (is_name(o->name, name, len) || is_old_name(o->name, name, len))
            return o;
    }
    return NULL;
}

/* Letters that had another meaning in a few commands: still accepted there
 * unless the letter has a new meaning, and not documented. */
static const struct {
    char letter;
    const char *name;
} old_letters[] = {{'k', "distance"}, {'q', "queries"}, {'d', "state"}};

static const struct option *find_letter(const struct command *command, char c)
{
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].letter == c) return &command->options[i];
    for (size_t i = 0; i < sizeof(old_letters) / sizeof(old_letters[0]); i++)
        if (old_letters[i].letter == c)
            return find_long(command, old_letters[i].name,
                             strlen(old_letters[i].name));
    return NULL;
}

static enum parse_result wrong_long(const struct command *command,
                                    const char *name, size_t len)
{
    char typed[64];
    snprintf(typed, sizeof(typed), "%.*s", (int)(len < 60 ? len : 60), name);
    struct suggestion best = suggest_start(typed);
    for (size_t i = 0; i < command->n_options; i++)
        suggest_try(&best, command->options[i].name);
    suggest_try(&best, "help");
    if (best.name != NULL)
        say_usage(command->name, "unknown option '--%s', did you mean '--%s'?",
                  typed, best.name);
    else
        say_usage(command->name, "unknown option '--%s'", typed);
    return PARSE_WRONG;
}

/* ---- options that were given ---- */

static const char *given[64]; /* more options than any command has */
static size_t n_given;

static void note_given(const struct option *o)
{
    if (n_given < sizeof(given) / sizeof(given[0])) given[n_given++] = o->name;
}

bool option_was_given(const char *name)
{
    for (size_t i = 0; i < n_given; i++)
        if (strcmp(given[i], name) == 0) return true;
    return false;
}

static bool is_unlike(const struct option *o, const char *wanted,
                      const char *existing, char *shown, size_t shown_cap)
{
    char typed[256];
    o->type->show(o, wanted + o->offset, typed, sizeof(typed));
    o->type->show(o, existing + o->offset, shown, shown_cap);
    return strcmp(typed, shown) != 0;
}

const char *option_unlike(const struct command *command, const void *wanted,
                          const void *existing, const char *const *names,
                          size_t n_names, char *shown, size_t shown_cap)
{
    for (size_t i = 0; i < n_names; i++) {
        if (!option_was_given(names[i])) continue;
        for (size_t k = 0; k < command->n_options; k++) {
            const struct option *o = &command->options[k];
            if (strcmp(o->name, names[i]) == 0 &&
                is_unlike(o, wanted, existing, shown, shown_cap))
                return names[i];
        }
    }
    return NULL;
}

/* ---- taking one argument ---- */

struct line {
    const struct command *command;
    char *settings;
    char **argv;
    size_t argc, next;
    size_t n_operands;
};

static bool set_value(struct line *line, const struct option *o,
                      const char *spelling, const char *value)
{
    if (o->type->parse(o, value, line->settings + o->offset)) return true;
    if (o->choices != NULL && o->type == &type_choice)
        say_usage(line->command->name, "option '%s' takes %s, not '%s'",
                  spelling, o->choices, value);
    else
        say_usage(line->command->name, "option '%s' takes %s, not '%s'",
                  spelling, o->type->expects, value);
    return false;
}

/* Whether an argument is an option of the command: then the value before it was
 * forgotten rather than a file of that name meant. */
static bool is_option(const struct command *command, const char *argument)
{
    if (argument[0] != '-' || argument[1] == '\0') return false;
    if (argument[1] != '-')
        return argument[2] == '\0' && find_letter(command, argument[1]) != NULL;
    const char *name = argument + 2;
    return find_long(command, name, strcspn(name, "=")) != NULL;
}

/* `attached` is what follows "=" or the letter, or NULL. */
static bool take_option(struct line *line, const struct option *o,
                        const char *spelling, const char *attached)
{
    if (attached != NULL) return set_value(line, o, spelling, attached);
    if (line->next == line->argc ||
        is_option(line->command, line->argv[line->next])) {
        say_usage(line->command->name, "option '%s' needs a value: %s",
                  spelling, o->type->expects);
        return false;
    }
    return set_value(line, o, spelling, line->argv[line->next++]);
}

static enum parse_result take_long(struct line *line, const char *name)
{
    const char *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (strcmp(name, "help") == 0) return PARSE_FULL_HELP;
    const struct option *o = find_long(line->command, name, len);
    if (o == NULL) return wrong_long(line->command, name, len);
    note_given(o);
    char spelling[64];
    snprintf(spelling, sizeof(spelling), "--%s", o->name);
    if (!o->type->takes_value) {
        if (equals == NULL) {
            o->type->parse(o, NULL, line->settings + o->offset);
            return PARSE_RUN;
        }
        say_usage(line->command->name, "option '%s' takes no value", spelling);
        return PARSE_WRONG;
    }
    const char *attached = equals ? equals + 1 : NULL;
    return take_option(line, o, spelling, attached) ? PARSE_RUN : PARSE_WRONG;
}

/* "-qv", "-s STORE", "-sSTORE". */
static enum parse_result take_letters(struct line *line, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        if (*letters == 'h') return PARSE_SHORT_HELP;
        const struct option *o = find_letter(line->command, *letters);
        if (o == NULL) {
            say_usage(line->command->name, "unknown option '-%c'", *letters);
            return PARSE_WRONG;
        }
        note_given(o);
        const char spelling[] = {'-', *letters, '\0'};
        if (o->type->takes_value) {
            const char *rest = letters[1] != '\0' ? letters + 1 : NULL;
            return take_option(line, o, spelling, rest) ? PARSE_RUN
                                                        : PARSE_WRONG;
        }
        o->type->parse(o, NULL, line->settings + o->offset);
    }
    return PARSE_RUN;
}

/* ---- the whole line ---- */

/* Whether operands come from a file. */
static bool has_list(const struct command *command, const char *settings)
{
    const struct option *o =
        find_long(command, OPTION_FILES_FROM, strlen(OPTION_FILES_FROM));
    return o != NULL && *(const char *const *)(settings + o->offset) != NULL;
}

static enum parse_result check_operands(const struct command *command,
                                        const char *settings, char **argv,
                                        size_t n)
{
    if (n < command->min_operands && !has_list(command, settings)) {
        say_usage(command->name, "%s", command->missing);
        return PARSE_WRONG;
    }
    if (n > command->max_operands) {
        say_usage(command->name, "one argument too many: '%s'",
                  argv[command->max_operands]);
        return PARSE_WRONG;
    }
    return PARSE_RUN;
}

enum parse_result cli_parse(const struct command *command, void *settings,
                            char **argv, size_t argc, size_t *out_n)
{
    struct line line = {command, settings, argv, argc, 0, 0};
    bool options_end = false;
    while (line.next < argc) {
        char *arg = argv[line.next++];
        enum parse_result result = PARSE_RUN;
        if (options_end || arg[0] != '-' || arg[1] == '\0')
            argv[line.n_operands++] = arg; /* never overtakes `next` */
        else if (strcmp(arg, "--") == 0)
            options_end = true;
        else if (arg[1] == '-')
            result = take_long(&line, arg + 2);
        else
            result = take_letters(&line, arg + 1);
        if (result != PARSE_RUN) return result;
    }
    *out_n = line.n_operands;
    return check_operands(command, settings, argv, line.n_operands);
}
