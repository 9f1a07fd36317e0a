/* Finds the command and runs it: what origo and its other programs share.
 *
 * Each program has a table of its commands (cli_commands), and each command a
 * table of its options; options.c reads the command line by that table, help.c,
 * manpage.c and completion.c print it. */

#include "dispatch.h"

#include <origo/origo.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "help.h"
#include "program.h"
#include "say.h"
#include "signals.h"

/* ---- finding a command ---- */

/* How many of the words name the command: 0, 1 or 2. */
static size_t words_matched(const struct command *c, const char *const *words,
                            size_t n)
{
    const char *space = strchr(c->name, ' ');
    if (n == 0) return 0;
    if (space == NULL) return strcmp(c->name, words[0]) == 0;
    const size_t len = (size_t)(space - c->name);
    if (n < 2 || strlen(words[0]) != len || memcmp(c->name, words[0], len) != 0)
        return 0;
    return strcmp(space + 1, words[1]) == 0 ? 2 : 0;
}

static bool is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* By its name, or by its former name. 'origo sketch -h' refers to the family,
 * not to the command that had its name. */
static const struct command *find_command(const char *const *words, size_t n,
                                          size_t *out_n_words)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        *out_n_words = words_matched(cli_commands[i], words, n);
        if (*out_n_words != 0) return cli_commands[i];
    }
    for (size_t i = 0; n != 0 && cli_commands[i] != NULL; i++) {
        const struct command *c = cli_commands[i];
        if (c->alias == NULL || strcmp(c->alias, words[0]) != 0) continue;
        if (help_is_family(c->alias) && (n == 1 || is_help(words[1]))) continue;
        *out_n_words = 1;
        return c;
    }
    return NULL;
}

/* The next command of the family `word` from `i` on; NULL at the end. */
static const struct command *next_member(const char *word, size_t *i)
{
    const size_t len = strlen(word);
    for (; cli_commands[*i] != NULL; ++*i) {
        const struct command *c = cli_commands[*i];
        if (strncmp(c->name, word, len) == 0 && c->name[len] == ' ')
            return cli_commands[(*i)++];
    }
    return NULL;
}

/* "eval" alone, or with an unknown word. */
static int wrong_family(const char *const *words, size_t n)
{
    char members[320] = "";
    size_t len = 0, i = 0;
    struct suggestion best = suggest_start(n > 1 ? words[1] : "");
    for (const struct command *c; (c = next_member(words[0], &i)) != NULL;) {
        suggest_try(&best, strchr(c->name, ' ') + 1);
        len += (size_t)snprintf(members + len, sizeof(members) - len,
                                "%sorigo %s", len == 0 ? "" : ", ", c->name);
        if (len >= sizeof(members)) len = sizeof(members) - 1;
    }
    if (n > 1 && is_help(words[1])) return help_family(words[0]), EXIT_DONE;
    if (n == 1)
        return say_usage(NULL, "'%s' needs to know what: %s", words[0],
                         members);
    if (best.name != NULL)
        return say_usage(NULL, "unknown command '%s %s', did you mean '%s %s'?",
                         words[0], words[1], words[0], best.name);
    return say_usage(NULL, "unknown command '%s %s'", words[0], words[1]);
}

static int wrong_command(const char *const *words, size_t n)
{
    char families[64][24];
    struct suggestion best = suggest_start(words[0]);
    for (size_t i = 0; cli_commands[i] != NULL && i < 64; i++) {
        const struct command *c = cli_commands[i];
        snprintf(families[i], sizeof(families[i]), "%.*s",
                 (int)strcspn(c->name, " "), c->name);
        if (strcmp(families[i], words[0]) == 0) return wrong_family(words, n);
        suggest_try(&best, families[i]);
    }
    if (best.name != NULL)
        return say_usage(NULL, "unknown command '%s', did you mean '%s'?",
                         words[0], best.name);
    return say_usage(NULL, "unknown command '%s'", words[0]);
}

int dispatch_help(const void *settings, const char *const *operands, size_t n)
{
    (void)settings;
    size_t n_words = 0;
    const struct command *command = find_command(operands, n, &n_words);
    if (n == 2 && command != NULL && command->takes_all) {
        const char *const words[] = {operands[1], "--help"};
        return command->run(NULL, words, 2);
    }
    if (n != 0 && (command == NULL || n_words != n))
        return wrong_command(operands, n);
    help_full(command);
    return EXIT_DONE;
}

/* ---- running ---- */

/* Reads the words. Returns whether to run the command with them; if not,
 * *out_status is that of the help, or of the error. */
static bool read_words(const struct command *command, void *settings,
                       char **argv, size_t argc, size_t *out_n, int *out_status)
{
    *out_status = EXIT_DONE;
    switch (cli_parse(command, settings, argv, argc, out_n)) {
    case PARSE_SHORT_HELP: help_short(command); return false;
    case PARSE_FULL_HELP: help_full(command); return false;
    case PARSE_WRONG: *out_status = EXIT_USAGE; return false;
    case PARSE_RUN: break;
    }
    return true;
}

static int run_here(const struct command *command, char **argv, size_t argc)
{
    void *settings = settings_new(command);
    size_t n = 0;
    int status;
    if (read_words(command, settings, argv, argc, &n, &status))
        status = command->run(settings, (const char *const *)argv, n);
    free(settings);
    return status;
}

/* Wrong usage and help do not need the other program. It gets the words as they
 * were typed: parsing reorders them. */
static int run_elsewhere(const struct command *command, char **argv,
                         size_t argc)
{
    void *settings = settings_new(command);
    char **copy = calloc(argc + 1, sizeof(*copy));
    size_t n = 0;
    int status = EXIT_IO;
    if (copy == NULL)
        say("out of memory");
    else if (argc > 0)
        memcpy(copy, argv, argc * sizeof(*copy));
    if (copy != NULL && read_words(command, settings, copy, argc, &n, &status))
        status = program_run(command->program, (const char *const *)argv, argc);
    free(copy);
    free(settings);
    return status;
}

static int run_command(const struct command *command, char **argv, size_t argc)
{
    if (command->takes_all)
        return command->run(NULL, (const char *const *)argv, argc);
    if (command->program != NULL) return run_elsewhere(command, argv, argc);
    return run_here(command, argv, argc);
}

/* Options before any command. --man is for the build, not for users. */
static int run_bare_option(char **argv, size_t argc)
{
    if (strcmp(argv[0], "--version") == 0)
        printf("origo %s\n", og_version());
    else if (strcmp(argv[0], "-h") == 0)
        help_short(NULL);
    else if (strcmp(argv[0], "--help") == 0)
        help_full(NULL);
    else if (strcmp(argv[0], "--man") == 0) {
        size_t n_words;
        manpage_write(
            find_command((const char *const *)argv + 1, argc - 1, &n_words));
    } else
        return say_usage(NULL, "unknown option '%s' before a command", argv[0]);
    return EXIT_DONE;
}

static int run(char **argv, size_t argc)
{
    size_t n_words = 0;
    if (argc == 0) return help_short(NULL), EXIT_DONE;
    if (argv[0][0] == '-') return run_bare_option(argv, argc);
    const char *const *words = (const char *const *)argv;
    const struct command *command = find_command(words, argc, &n_words);
    if (command == NULL) return wrong_command(words, argc);
    return run_command(command, argv + n_words, argc - n_words);
}

/* glibc keeps freed memory for reuse, by default up to 32 MiB per block and in
 * as many heaps as there are threads, whatever --memory says: 'add' held 50 MiB
 * more than it used. With this, large blocks are returned at once; reused
 * buffers are not affected. */
static void keep_memory_small(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, 2);
#endif
}

/* Where the system provides huge pages by default, a buffer with one byte in
 * use takes 2 MiB, and 'add' with --memory 16M took 148 MB instead of 82.
 * Tables request them where they pay off; with this nothing else gets them.
 * Linux 6.18 supports it, older ones refuse and nothing changes. A process
 * started without huge pages keeps none. */
static void refuse_huge_pages(void)
{
#ifdef PR_SET_THP_DISABLE
    enum { EXCEPT_ADVISED = 1 << 1 }; /* newer than most headers */
    if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0)
        (void)prctl(PR_SET_THP_DISABLE, 1, EXCEPT_ADVISED, 0, 0);
#endif
}

int dispatch(char **words, size_t n)
{
    keep_memory_small();
    refuse_huge_pages();
    watch_pipes(); /* finish_stdout() reports errors */
    return finish_stdout(run(words, n));
}
