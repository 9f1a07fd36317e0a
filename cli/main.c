/* origo, the command: its table of commands.
 *
 * Everything here uses <origo/origo.h> alone: what the command can do,
 * any program can. The commands are in cmd_*.c, each with its table of options;
 * dispatch.c finds the right one. */

#include "dispatch.h"
#include "help.h"
#include "program.h"
#include "say.h"

#include <stdint.h>

extern const struct command command_add;
extern const struct command command_follow;
extern const struct command command_dedup;
extern const struct command command_near;
extern const struct command command_sketch;
extern const struct command command_bands;
extern const struct command command_components;
extern const struct command command_filter;
extern const struct command command_trace;
extern const struct command command_info;
extern const struct command command_repair;
extern const struct command command_upgrade;
extern const struct command command_verify;
extern const struct command command_index;
extern const struct command command_rm;
extern const struct command command_compact;
extern const struct command command_read;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_compare;
extern const struct command command_quote;
extern const struct command command_simhash;
extern const struct command command_idf;
extern const struct command command_minhash;
extern const struct command command_pairs;
extern const struct command command_phrases;
extern const struct command command_distance;
extern const struct command command_scurve;
extern const struct command command_chunks;
extern const struct command command_similar;
extern const struct command command_delta;
extern const struct command command_patch;
#ifdef HAVE_SERVER
extern const struct command command_serve;
#endif
extern const struct command command_sync_plan;
extern const struct command command_send;
extern const struct command command_receive;
extern const struct command command_hamming_build;
extern const struct command command_hamming_ask;
extern const struct command command_hamming_add;
extern const struct command command_hamming_rm;
extern const struct command command_hamming_plan;
extern const struct command command_hamming_join;
extern const struct command command_hamming_merge;

/* ---- origo eval: all its words are for another program ---- */

static int run_eval(const void *settings, const char *const *operands, size_t n)
{
    (void)settings;
    return program_run("origo-eval", operands, n);
}

static const struct command command_eval = {
    .name = "eval",
    .operands = "origin|near|quote|pan ...",
    .brief = "repeat the experiments of the papers on your data",
    .about = "Runs origo-eval, a separate program. 'origo eval origin --help' "
             "explains the first experiment.",
    .max_operands = SIZE_MAX,
    .takes_all = true,
    .run = run_eval,
};

/* ---- the two small commands ---- */

static int run_completion(const void *settings, const char *const *operands,
                          size_t n)
{
    (void)settings, (void)n;
    if (completion_write(operands[0])) return EXIT_DONE;
    return say_usage("completion",
                     "no completion for '%s', only for bash, zsh "
                     "and fish",
                     operands[0]);
}

static const struct command command_completion = {
    .name = "completion",
    .group = GROUP_HELP,
    .operands = "bash|zsh|fish",
    .brief = "write a completion script for a shell",
    .about = "Writes a script for the shell to stdout that completes origo's "
             "commands and options.",
    .examples = "  origo completion bash > "
                "~/.local/share/bash-completion/completions/origo\n"
                "  origo completion zsh > ~/.zfunc/_origo\n"
                "  origo completion fish > "
                "~/.config/fish/completions/origo.fish\n",
    .min_operands = 1,
    .max_operands = 1,
    .missing = "which shell? bash, zsh or fish",
    .run = run_completion,
};

static const struct command command_help = {
    .name = "help",
    .group = GROUP_HELP,
    .operands = "[COMMAND]",
    .brief = "explain a command",
    .about = "The same as 'origo COMMAND --help'.",
    .max_operands = 2,
    .run = dispatch_help,
};

/* One per line, whatever their number: clang-format would make columns. */
/* clang-format off */
const struct command *const cli_commands[] = {
    &command_add,
    &command_trace,
    &command_quote,
    &command_near,
    &command_compare,
    &command_phrases,
    &command_dedup,
    &command_read,
    &command_info,
    &command_verify,
    &command_repair,
    &command_upgrade,
    &command_rm,
    &command_compact,
    &command_index,
    &command_export,
    &command_import,
    &command_follow,
#ifdef HAVE_SERVER
    &command_serve,
#endif
    &command_simhash,
    &command_minhash,
    &command_idf,
    &command_pairs,
    &command_distance,
    &command_scurve,
    &command_hamming_build,
    &command_hamming_ask,
    &command_hamming_add,
    &command_hamming_rm,
    &command_hamming_plan,
    &command_hamming_join,
    &command_hamming_merge,
    &command_chunks,
    &command_similar,
    &command_delta,
    &command_patch,
    &command_sync_plan,
    &command_send,
    &command_receive,
    &command_sketch,
    &command_bands,
    &command_components,
    &command_filter,
    &command_eval,
    &command_completion,
    &command_help,
    NULL,
};
/* clang-format on */

int main(int argc, char **argv)
{
    return dispatch(argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
}
