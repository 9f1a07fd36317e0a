/* origo hamming: creates, queries and changes an index of codes.
 *
 *     lines "id<TAB>code" -> build, add, rm -> a folder
 *     lines "id<TAB>code" -> ask            -> lines "id<TAB>id<TAB>distance"
 *
 * The library has the index; this file has the options and the lines. */

#include "number.h"
#include "options.h"
#include "print_string.h"
#include "say.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct hamming_settings {
    uint32_t n_bits;
    uint32_t max_distance; /* UINT32_MAX: that of the index */
    const char *tables;    /* NULL: the planner's choice */
    int design;            /* og_hamming_design */
    uint64_t memory;
    bool explain;
    const char *code; /* query this one only */
    uint64_t limit;   /* matches of one query; 0: all */
    bool add;
    bool exit_code, quiet;
};

static void build_defaults(void *settings)
{
    const og_hamming_options options = og_hamming_options_default();
    struct hamming_settings *s = settings;
    s->n_bits = options.n_bits;
    s->max_distance = options.max_distance;
    s->memory = options.memory;
}

static void ask_defaults(void *settings)
{
    struct hamming_settings *s = settings;
    s->max_distance = UINT32_MAX;
}

/* ---- options ---- */

#define AT(member) offsetof(struct hamming_settings, member)

#define MAKE "The index"
#define OUT  "Output"

static bool parse_distance(const struct option *o, const char *s, void *out)
{
    uint64_t n;
    (void)o;
    if (!number_parse(s, &n) || n > 128) return false;
    *(uint32_t *)out = (uint32_t)n;
    return true;
}

static void show_distance(const struct option *o, const void *value, char *out,
                          size_t out_cap)
{
    const uint32_t n = *(const uint32_t *)value;
    if (n == UINT32_MAX)
        snprintf(out, out_cap, "%s", o->unset);
    else
        snprintf(out, out_cap, "%u", n);
}

static const struct option_type type_distance = {
    true, "a number of bits, 0 to 128", parse_distance, show_distance};

/* Options that several of the commands share. */
#define DISTANCE(group_, unset_, brief_, more_)                                \
    {                                                                          \
        .group = group_, .letter = 'd', .name = "distance",                    \
        .type = &type_distance, .offset = AT(max_distance), .value = "K",      \
        .unset = unset_, .brief = brief_, .more = more_                        \
    }
#define TABLES(more_)                                                          \
    {                                                                          \
        .group = MAKE, .name = "tables", .type = &type_string,                 \
        .offset = AT(tables), .value = "N", .unset = "chosen by the planner",  \
        .brief = "number of tables; 0: none, only a scan", .more = more_       \
    }
#define DESIGN                                                                 \
    {                                                                          \
        .group = MAKE, .name = "design", .type = &type_choice,                 \
        .offset = AT(design), .value = "DESIGN",                               \
        .choices = "directory|sorted|packed|slices",                           \
        .brief = "kind of tables",                                             \
        .more = "directory: codes with a directory of their keys; the "        \
                "fastest. sorted: the paper's sorted tables, with "            \
                "interpolation search. packed: sorted tables in two thirds "   \
                "of the space, slower. slices: no tables, a bit-sliced scan. " \
                "All find the same codes; all but directory are rebuilt when " \
                "the index is opened and take no disk space."                  \
    }
#define MEMORY                                                                 \
    {                                                                          \
        .group = MAKE, .letter = 'm', .name = "memory", .type = &type_size,    \
        .offset = AT(memory), .value = "SIZE",                                 \
        .brief = "memory for tables that the planner may use"                  \
    }
#define QUIET                                                                  \
    {                                                                          \
        .group = OUT, .letter = 'q', .name = "quiet", .type = &type_flag,      \
        .offset = AT(quiet), .brief = "no summary on stderr"                   \
    }

static const struct option build_options[] = {
    DISTANCE(MAKE, NULL, "number of bits that may differ",
             "This is the largest distance for later queries."),
    DESIGN,
    TABLES(
        "For a distance of 3 in 64 bits, also the paper's 4, 10, 16 and 20."),
    MEMORY,
    {.group = OUT,
     .name = "explain",
     .type = &type_flag,
     .offset = AT(explain),
     .brief = "explain the choice of the planner on stderr"},
    QUIET,
};

static const struct option ask_options[] = {
    DISTANCE("Question", "the index's", "number of bits that may differ", NULL),
    {.group = "Question",
     .letter = 'c',
     .name = "code",
     .type = &type_string,
     .offset = AT(code),
     .value = "CODE",
     .brief = "look up this code instead of a file",
     .more = "Up to 16 or 32 hexadecimal digits. The answers then do not "
             "repeat the query."},
    {.group = "Question",
     .letter = 'a',
     .name = "add",
     .type = &type_flag,
     .offset = AT(add),
     .brief = "add each entry after answering it",
     .more = "A stream is then compared with the index and with its own "
             "earlier entries."},
    {.group = OUT,
     .name = "limit",
     .type = &type_size,
     .offset = AT(limit),
     .value = "N",
     .brief = "maximum answers per query; 0: all"},
    EXIT_CODE_OPTION(AT, exit_code, "something is near"),
};

static const struct option change_options[] = {QUIET};

static const struct option plan_options[] = {
    DISTANCE(MAKE, NULL, "number of bits that may differ", NULL),
    {.group = MAKE,
     .name = "bits",
     .type = &type_count,
     .offset = AT(n_bits),
     .value = "N",
     .choices = "64|128",
     .brief = "bits of a code: 64 or 128"},
    DESIGN,
    TABLES(NULL),
    MEMORY,
};

#define N(options) (sizeof(options) / sizeof((options)[0]))

/* ---- what all of them share ---- */

static bool take_options(const struct hamming_settings *s, const char *command,
                         og_hamming_options *out)
{
    uint64_t n;
    *out = og_hamming_options_default();
    /* Entries are collected in a large memtable: there are no queries
     * meanwhile. */
    out->n_waiting = 1u << 20;
    out->n_bits = s->n_bits;
    out->max_distance = s->max_distance;
    out->memory = s->memory;
    out->design = (og_hamming_design)s->design;
    if (s->tables == NULL || strcmp(s->tables, "auto") == 0) return true;
    if (number_parse(s->tables, &n) && n <= 64) {
        out->n_tables = (int)n;
        return true;
    }
    say_usage(command, "option '--tables' takes a number up to 64, not '%s'",
              s->tables);
    return false;
}

struct change {
    og_hamming *hamming;
    unsigned n_bits; /* of its codes; 0: that of the first one */
    bool removes;
    const char *folder; /* an index to create once that is known */
    og_hamming_options options;
    uint64_t n;
    og_status status;
    og_error err;
};

/* Creates the index, once. */
static og_status need_index(struct change *c, unsigned n_bits)
{
    if (c->hamming != NULL) return OG_OK;
    c->n_bits = n_bits;
    c->options.n_bits = n_bits;
    c->options.must_be_new = true;
    return og_hamming_open(c->folder, OG_CREATE, &c->options, &c->hamming,
                           &c->err);
}

static bool on_change(void *ctx, og_bytes id, og_wide_code code,
                      unsigned n_bits)
{
    struct change *c = ctx;
    c->n++;
    c->status = need_index(c, n_bits);
    if (c->status == OG_OK)
        c->status = (c->removes ? og_hamming_remove_wide : og_hamming_add_wide)(
            c->hamming, code, id, &c->err);
    return c->status == OG_OK;
}

static og_status change_all(struct change *c, const char *const *paths,
                            size_t n)
{
    for (size_t i = 0; i < n; i++) {
        og_error err = {0};
        const og_status status =
            og_wide_codes_read(paths[i], c->n_bits, c, on_change, &err);
        if (c->status != OG_OK) return c->status;
        if (status != OG_OK) c->err = err;
        if (status != OG_OK) return status;
    }
    const og_status status = need_index(c, 64); /* there was no code */
    if (status != OG_OK) return status;
    return og_hamming_commit(c->hamming, &c->err);
}

static void summary(const struct change *c, const char *what)
{
    og_hamming_info info;
    og_hamming_info_get(c->hamming, &info);
    say("%llu %s; %llu %s, %.1f MB", (unsigned long long)c->n, what,
        (unsigned long long)info.n_runs, info.n_runs == 1 ? "run" : "runs",
        (double)info.n_bytes / 1e6);
}

static int explain(const og_hamming_options *options, uint64_t n_codes,
                   FILE *out, const char *command)
{
    char text[8192];
    og_error err = {0};
    if (og_hamming_explain(n_codes, options, text, sizeof(text), &err) != OG_OK)
        return say_error(command, &err);
    fputs(text, out);
    return EXIT_DONE;
}

/* An earlier failure comes first; what it left is committed all the same. */
static int close_index(og_hamming *hamming, const char *command, int status)
{
    og_error err = {0};
    if (og_hamming_close(hamming, &err) == OG_OK || status != EXIT_DONE)
        return status;
    return say_error(command, &err);
}

/* ---- build, add, rm ---- */

static int build_run(const void *settings, const char *const *operands,
                     size_t n)
{
    const struct hamming_settings *s = settings;
    const char *command = "hamming build";
    struct change c = {.folder = operands[0]};
    og_hamming_info info;
    int status = EXIT_DONE;
    if (!take_options(s, command, &c.options)) return EXIT_USAGE;
    if (change_all(&c, operands + 1, n - 1) != OG_OK) {
        og_hamming_delete(c.hamming); /* leaves no incomplete index */
        return say_error(command, &c.err);
    }
    og_hamming_info_get(c.hamming, &info);
    if (s->explain) status = explain(&c.options, info.n_codes, stderr, command);
    if (status == EXIT_DONE && !s->quiet) summary(&c, "added");
    return close_index(c.hamming, command, status);
}

static int change_run(const struct hamming_settings *s,
                      const char *const *operands, size_t n, bool removes)
{
    const char *command = removes ? "hamming rm" : "hamming add";
    og_hamming_options options = og_hamming_options_default();
    struct change c = {.removes = removes};
    og_hamming_info info;
    int status = EXIT_DONE;
    options.n_waiting = 1u << 20;
    if (og_hamming_open(operands[0], OG_WRITE, &options, &c.hamming, &c.err) !=
        OG_OK)
        return say_error(command, &c.err);
    og_hamming_info_get(c.hamming, &info);
    c.n_bits = info.n_bits;
    if (change_all(&c, operands + 1, n - 1) != OG_OK)
        status = say_error(command, &c.err);
    else if (!s->quiet)
        summary(&c, removes ? "removed" : "added");
    return close_index(c.hamming, command, status);
}

static int add_run(const void *settings, const char *const *operands, size_t n)
{
    return change_run(settings, operands, n, false);
}

static int rm_run(const void *settings, const char *const *operands, size_t n)
{
    return change_run(settings, operands, n, true);
}

/* ---- ask ---- */

struct ask {
    const struct hamming_settings *settings;
    og_hamming *hamming;
    unsigned n_bits;
    uint32_t max_distance;
    og_bytes question; /* len 0: none */
    uint64_t n_answers;
    bool found, failed;
    og_error err;
};

static bool on_match(void *ctx, const og_hamming_match *match)
{
    struct ask *a = ctx;
    a->found = true;
    if (a->question.len != 0) {
        print_read_field(a->question);
        putchar('\t');
    }
    print_read_field(match->id);
    printf("\t%u\n", match->distance);
    if (ferror(stdout)) {
        stdout_failed(errno);
        a->failed = true;
        return false;
    }
    return ++a->n_answers != a->settings->limit;
}

static bool on_question(void *ctx, og_bytes id, og_wide_code code,
                        unsigned n_bits)
{
    struct ask *a = ctx;
    (void)n_bits;
    a->question = id;
    a->n_answers = 0;
    if (og_hamming_ask_wide(a->hamming, code, a->max_distance, a, on_match,
                            &a->err) != OG_OK ||
        a->failed)
        return false;
    return !a->settings->add ||
           og_hamming_add_wide(a->hamming, code, id, &a->err) == OG_OK;
}

static og_status ask_code(struct ask *a, const char *text)
{
    og_wide_code code;
    unsigned n_bits;
    if (og_wide_code_parse((og_bytes){text, strlen(text)}, &code, &n_bits) &&
        n_bits == a->n_bits)
        return og_hamming_ask_wide(a->hamming, code, a->max_distance, a,
                                   on_match, &a->err);
    a->err.status = OG_ERR_USAGE;
    snprintf(a->err.message, sizeof(a->err.message),
             "'%.64s' is not a code of %s hexadecimal digits, as in the index",
             text, a->n_bits == 64 ? "1 to 16" : "32");
    return OG_ERR_USAGE;
}

static og_status ask_all(struct ask *a, const char *const *paths, size_t n)
{
    const char *const from_stdin[] = {"-"};
    if (a->settings->code != NULL) return ask_code(a, a->settings->code);
    if (n == 0) paths = from_stdin;
    for (size_t i = 0; i < (n == 0 ? 1 : n); i++) {
        og_error err = {0};
        const og_status status =
            og_wide_codes_read(paths[i], a->n_bits, a, on_question, &err);
        if (status == OG_OK) continue;
        if (status != OG_ERR_STOPPED) a->err = err;
        return status == OG_ERR_STOPPED && !a->failed ? a->err.status : status;
    }
    return a->settings->add ? og_hamming_commit(a->hamming, &a->err) : OG_OK;
}

static int ask_run(const void *settings, const char *const *operands, size_t n)
{
    const struct hamming_settings *s = settings;
    struct ask a = {.settings = s};
    og_hamming_info info;
    int status = EXIT_DONE;
    if (s->code != NULL && (n > 1 || s->add))
        return say_usage("hamming ask",
                         "'--code' cannot be combined with a file or '--add'");
    if (og_hamming_open(operands[0], s->add ? OG_WRITE : OG_READ, NULL,
                        &a.hamming, &a.err) != OG_OK)
        return say_error("hamming ask", &a.err);
    og_hamming_info_get(a.hamming, &info);
    a.n_bits = info.n_bits;
    a.max_distance =
        s->max_distance == UINT32_MAX ? info.max_distance : s->max_distance;
    if (ask_all(&a, operands + 1, n - 1) != OG_OK)
        status = a.failed ? EXIT_IO : say_error("hamming ask", &a.err);
    status = close_index(a.hamming, "hamming ask", status);
    if (status != EXIT_DONE) return status;
    return s->exit_code && a.found ? EXIT_FOUND : EXIT_DONE;
}

/* ---- plan ---- */

static int plan_run(const void *settings, const char *const *operands, size_t n)
{
    og_hamming_options options;
    uint64_t n_codes;
    (void)n;
    if (!take_options(settings, "hamming plan", &options)) return EXIT_USAGE;
    if (!number_parse(operands[0], &n_codes))
        return say_usage("hamming plan", "'%s' is not a number of codes",
                         operands[0]);
    return explain(&options, n_codes, stdout, "hamming plan");
}

/* ---- the commands ---- */

#define CODES                                                                  \
    "FILE has one line 'id<TAB>code' for each document, the code in up to 16 " \
    "hexadecimal digits (64 bits) or in 32 (128 bits), as 'origo sketch "      \
    "simhash' "                                                                \
    "writes them, or is its binary file; - is stdin."

const struct command command_hamming_build = {
    .name = "hamming build",
    .operands = "INDEX FILE...",
    .brief = "build an index that finds all codes within K bits",
    .about =
        "Creates the folder INDEX, in which 'origo hamming ask' finds every "
        "code within K bits of a given one. The planner chooses the tables "
        "from the number of codes, the distance and the memory.\n\n" CODES,
    .examples =
        "  origo sketch simhash mail.jsonl | origo hamming build mail.ham -\n"
        "  origo hamming build -k 6 --memory 1G mail.ham codes.tsv\n",
    .options = build_options,
    .n_options = N(build_options),
    .settings_len = sizeof(struct hamming_settings),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .missing = "INDEX and FILE are needed; '-' reads stdin",
    .defaults = build_defaults,
    .run = build_run,
};

const struct command command_hamming_ask = {
    .name = "hamming ask",
    .operands = "INDEX [FILE...]",
    .brief = "find the codes within K bits of given codes",
    .about = "For each entry of FILE (default: stdin), writes a line "
             "'id<TAB>id<TAB>distance' for each entry of INDEX within K bits, "
             "sorted by code, then by id.\n\n" CODES,
    .examples =
        "  origo hamming ask mail.ham new.tsv\n"
        "  origo hamming ask mail.ham -c 0123456789abcdef\n"
        "  origo sketch simhash new.jsonl | origo hamming ask --add mail.ham\n",
    .options = ask_options,
    .n_options = N(ask_options),
    .settings_len = sizeof(struct hamming_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no INDEX given",
    .defaults = ask_defaults,
    .run = ask_run,
};

/* Options that adding and removing share. */
#define CHANGES                                                                \
    .operands = "INDEX FILE...", .options = change_options,                    \
    .n_options = N(change_options),                                            \
    .settings_len = sizeof(struct hamming_settings), .min_operands = 2,        \
    .max_operands = SIZE_MAX,                                                  \
    .missing = "INDEX and FILE are needed; '-' reads stdin"

const struct command command_hamming_add = {
    .name = "hamming add",
    .brief = "add codes to an index",
    .about = "Adds entries. An entry that the index already has is not "
             "duplicated.\n\n" CODES,
    CHANGES,
    .run = add_run,
};

const struct command command_hamming_rm = {
    .name = "hamming rm",
    .brief = "remove codes from an index",
    .about =
        "Removes the entries that have both the id and the code of a line. "
        "Entries that the index does not have are ignored.\n\n" CODES,
    CHANGES,
    .run = rm_run,
};

const struct command command_hamming_plan = {
    .name = "hamming plan",
    .operands = "CODES",
    .brief = "show the tables for an index of N codes",
    .about = "Lists the designs that the planner considers for a number of "
             "codes, with the size of their tables and the estimated time of a "
             "query. The design that it chooses is marked (*).",
    .examples = "  origo hamming plan 100M -k 3 --memory 2G\n",
    .options = plan_options,
    .n_options = N(plan_options),
    .settings_len = sizeof(struct hamming_settings),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no number of codes given",
    .defaults = build_defaults,
    .run = plan_run,
};
