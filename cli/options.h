#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/* One table of options for everything that needs one.
 *
 * Each command has a struct of settings and a table with the name, type,
 * destination in the settings and meaning of every option. The parser, the
 * short help, the full help, the man page and the shell completion all read
 * this table and nothing else, so they cannot disagree. Defaults are not text
 * in the table: they are read from settings that the command has just
 * initialised, hence always true. */

#include <stdbool.h>
#include <stddef.h>

struct option;

struct option_type {
    bool takes_value;
    const char *expects; /* "a size like 64M", for the error message */
    /* Writes the value to `out`; false if `s` is invalid. */
    bool (*parse)(const struct option *option, const char *s, void *out);
    /* The value as a user would type it; "" if there is nothing to show. */
    void (*show)(const struct option *option, const void *value, char *out,
                 size_t out_cap);
};

extern const struct option_type type_flag;      /* bool */
extern const struct option_type type_string;    /* const char * */
extern const struct option_type type_count;     /* uint32_t */
extern const struct option_type type_size;      /* uint64_t, bytes */
extern const struct option_type type_choice;    /* int: place in `choices` */
extern const struct option_type type_select;    /* og_select_options */
extern const struct option_type type_evict;     /* og_evict_kind */
extern const struct option_type type_estimate;  /* og_estimate_kind */
extern const struct option_type type_layout;    /* og_layout_kind */
extern const struct option_type type_tokens;    /* og_token_kind */
extern const struct option_type type_features;  /* og_feature_kind */
extern const struct option_type type_tf;        /* og_tf_kind */
extern const struct option_type type_file_kind; /* og_file_kind */
extern const struct option_type type_weight;    /* double, 0 or more */
extern const struct option_type type_strings;   /* struct string_list */

/* The values of an option that may be given more than once. */
enum { MOST_STRINGS = 256 };
struct string_list {
    const char *items[MOST_STRINGS];
    size_t n;
};

struct option {
    const char *group; /* a heading of the help; its options are adjacent */
    char letter;       /* 0: long form only */
    const char *name;
    const struct option_type *type;
    size_t offset;       /* of the value in the settings */
    const char *value;   /* "SIZE" in the help */
    const char *choices; /* "a|b|c": all of a type_choice, otherwise examples */
    const char *unset;   /* what an empty default means, in words */
    const char *brief;   /* one line, lower case */
    const char *more;    /* further sentences for the full help, or NULL */
};

/* Where the first page of the help lists a command. */
enum command_group {
    GROUP_PART = 0, /* a member of a family, or useful only in a pipe */
    GROUP_QUESTION,
    GROUP_STORE,
    GROUP_HELP,
};

typedef int command_run(const void *settings, const char *const *operands,
                        size_t n);

struct command {
    const char *name;  /* "trace", "sketch simhash" */
    const char *alias; /* its former name, or NULL */
    enum command_group group;
    const char *operands; /* "FILE..." */
    const char *brief;
    const char *about;    /* paragraphs, separated by an empty line */
    const char *examples; /* lines, or NULL */
    const struct option *options;
    size_t n_options;
    size_t settings_len;
    size_t min_operands, max_operands;
    const char *missing; /* what is missing without operands */
    bool takes_all;      /* including options: another program parses them */
    void (*defaults)(void *settings);
    /* Another program, which contains `run`: see program.h. */
    const char *program;
    /* Returns the exit status. */
    command_run *run;
};

/* Every command that is built, in the order of the help; ends with NULL. */
extern const struct command *const cli_commands[];

/* A type_string: with it, a command needs no operands. */
#define OPTION_FILES_FROM "files-from"

/* Options that every command accepts besides its own. */
extern const struct option cli_common_options[];
extern const size_t cli_n_common_options;

enum parse_result {
    PARSE_RUN,        /* settings and operands are ready */
    PARSE_SHORT_HELP, /* -h */
    PARSE_FULL_HELP,  /* --help */
    PARSE_WRONG,      /* reported by two lines on stderr */
};

/* Whether the option, by its long name, was on the command line that was parsed
 * last: a default that was typed counts as given. */
bool option_was_given(const char *name);

/* For options of something that exists already: the first of `names` that was
 * on the command line and differs between the settings that were parsed and
 * those of what exists; NULL: none. `shown` is what exists, as a user would
 * type it. */
const char *option_unlike(const struct command *command, const void *wanted,
                          const void *existing, const char *const *names,
                          size_t n_names, char *shown, size_t shown_cap);

/* Options and operands may come in any order; "--" ends the options. The
 * operands are moved to the front of argv, their number goes to *out_n. */
enum parse_result cli_parse(const struct command *command, void *settings,
                            char **argv, size_t argc, size_t *out_n);

/* ---- options of several commands, each defined once ----
 *
 * AT() points into the settings of the command, `member` is the place there. */

/* `same` is what does not depend on the number of threads. */
#define THREADS_OPTION(AT, member, group_, same)                               \
    {                                                                          \
        .group = group_, .letter = 'j', .name = "threads",                     \
        .type = &type_count, .offset = AT(member), .value = "N",               \
        .unset = "all processors", .brief = "number of threads", .more = same  \
    }

/* Where a command writes its result: .brief, and .unset or .more, follow. */
#define OUTPUT_FILE_OPTION(AT, member, ...)                                    \
    {                                                                          \
        .group = "Output", .letter = 'o', .name = "output",                    \
        .type = &type_string, .offset = AT(member), .value = "FILE",           \
        __VA_ARGS__                                                            \
    }

#define QUIET_AS_OPTION(AT, member, brief_)                                    \
    {                                                                          \
        .group = "Output", .letter = 'q', .name = "quiet", .type = &type_flag, \
        .offset = AT(member), .brief = brief_                                  \
    }

#define QUIET_OPTION(AT, member)                                               \
    {                                                                          \
        .group = "Output", .letter = 'q', .name = "quiet", .type = &type_flag, \
        .offset = AT(member), .brief = "no progress and no summary on stderr", \
        .more = "Problems in the input are still reported."                    \
    }
#define VERBOSE_OPTION(AT, member)                                             \
    {                                                                          \
        .group = "Output", .letter = 'v', .name = "verbose",                   \
        .type = &type_flag, .offset = AT(member),                              \
        .brief = "report every problem in the input, not just 20"              \
    }
/* `what` is found. */
#define EXIT_CODE_OPTION(AT, member, what)                                     \
    {                                                                          \
        .group = "Output", .name = "exit-code", .type = &type_flag,            \
        .offset = AT(member), .brief = "exit with status 1 if " what           \
    }

#endif
