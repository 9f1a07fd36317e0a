/* origo follow: documents as they come. The options; follow/ does the work. */

#include "progress.h"
#include "reading_options.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include "follow/follow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct follow_settings {
    struct store_settings store;
    struct reading_settings reading;
    struct string_list hosts;
    const char *server, *token_file, *state, *kafka_config;
    const char *group, *consumer;
    uint64_t max_batch;
    uint32_t interval, feed_interval;
    bool once;
};

static void follow_defaults(void *settings)
{
    struct follow_settings *s = settings;
    store_defaults(&s->store);
    reading_defaults(&s->reading);
    s->group = "origo";
    s->max_batch = (uint64_t)16 << 20;
    s->interval = 1;
    s->feed_interval = 300;
}

#define AT(member) offsetof(struct follow_settings, member)

static const struct option follow_command_options[] = {
    STORE_OPTION(AT, store, "the store to add to; created if missing"),
    CATALOGUE_OPTION(AT, store),
    INDEX_OPTION(AT, store),
    {.group = "Server",
     .name = "server",
     .type = &type_string,
     .offset = AT(server),
     .value = "URL",
     .unset = "a store",
     .brief = "send to this server instead: http://..., unix:PATH"},
    {.group = "Server",
     .name = "token-file",
     .type = &type_string,
     .offset = AT(token_file),
     .value = "FILE",
     .unset = "none",
     .brief = "FILE with the token for the server (its first word)"},
    {.group = "Server",
     .name = "state",
     .type = &type_string,
     .offset = AT(state),
     .value = "FILE",
     .unset = "follow.jsonl in the store",
     .brief = "where to keep positions; required with --server, and with a "
              "store on servers"},
    {.group = "Sources",
     .name = "once",
     .type = &type_flag,
     .offset = AT(once),
     .brief = "read what is available, then exit"},
    {.group = "Sources",
     .name = "interval",
     .type = &type_count,
     .offset = AT(interval),
     .value = "SECONDS",
     .brief = "seconds between checks of a file or folder"},
    {.group = "Sources",
     .name = "feed-interval",
     .type = &type_count,
     .offset = AT(feed_interval),
     .value = "SECONDS",
     .brief = "seconds between requests for a feed",
     .more = "Doubled after each failure, up to an hour."},
    {.group = "Sources",
     .name = "allow-host",
     .type = &type_strings,
     .offset = AT(hosts),
     .value = "HOST",
     .unset = "none",
     .brief = "allow feeds from HOST or HOST:PORT; repeatable",
     .more = "Redirects to other hosts are not followed."},
    {.group = "Sources",
     .name = "group",
     .type = &type_string,
     .offset = AT(group),
     .value = "NAME",
     .brief = "consumer group, for Kafka and Redis"},
    {.group = "Sources",
     .name = "consumer",
     .type = &type_string,
     .offset = AT(consumer),
     .value = "NAME",
     .unset = "the host name",
     .brief = "name of this consumer in the group, for Redis",
     .more = "Processes that follow a stream at the same time need different "
             "names, and must keep their name after a restart."},
    {.group = "Sources",
     .name = "kafka-config",
     .type = &type_string,
     .offset = AT(kafka_config),
     .value = "FILE",
     .unset = "none",
     .brief = "file with NAME=VALUE lines for librdkafka",
     .more = "For TLS settings, passwords and so on; the file need not be "
             "readable by others."},
    {.group = "Sources",
     .name = "max-batch",
     .type = &type_size,
     .offset = AT(max_batch),
     .value = "SIZE",
     .brief = "bytes of documents in memory before a write"},
    TALK_OPTIONS(AT, reading),
    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The store does not depend on it."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    TYPE_OPTION(AT, reading.reading.kind),
    STRIP_QUOTES_OPTION(AT, reading.reading.strip_quotes),
    TIME_FROM_NAME_OPTION(AT, reading.reading.time_from_name),
    FIELD_OPTIONS(AT, reading.fields),
    STORE_MAKE_OPTIONS(AT, store),
};

struct follow_talk {
    struct progress progress;
    og_input signals; /* its should_stop is that of the signals */
};

static void on_problem(void *ctx, const char *source, uint64_t line,
                       bool skipped, const char *message)
{
    struct follow_talk *talk = ctx;
    const og_problem problem = {.file = {source, strlen(source)},
                                .line = line,
                                .skipped = skipped,
                                .message = message};
    progress_problem(&talk->progress, &problem);
}

static void on_progress(void *ctx, const og_stream_counts *counts)
{
    struct follow_talk *talk = ctx;
    progress_show(&talk->progress, "documents", counts);
}

static bool should_stop(void *ctx)
{
    struct follow_talk *talk = ctx;
    return talk->signals.should_stop(talk->signals.ctx);
}

static int check_settings(const struct follow_settings *s)
{
    if (s->server != NULL && option_was_given("store"))
        return say_usage("follow", "--server and --store cannot be combined");
    if (s->server != NULL && s->state == NULL)
        return say_usage(
            "follow", "--server needs --state FILE, which keeps the positions");
    if (s->server == NULL && s->state == NULL && !store_is_memory(&s->store) &&
        !store_has_folder(&s->store))
        return say_usage("follow", "a store on servers needs --state FILE, "
                                   "which keeps the positions");
    if (s->interval == 0 || s->feed_interval == 0 || s->max_batch == 0)
        return say_usage("follow",
                         "intervals and the batch size must be at least 1");
    return EXIT_DONE;
}

/* In the folder of the store, unless another place was named. */
static int choose_state(const struct follow_settings *s, char **out)
{
    *out = NULL;
    if (s->state == NULL && store_is_memory(&s->store)) return EXIT_DONE;
    const char *const parts[2] = {s->state != NULL ? s->state
                                                   : store_folder(&s->store),
                                  s->state != NULL ? "" : "/follow.jsonl"};
    const size_t len = strlen(parts[0]) + strlen(parts[1]) + 1;
    *out = malloc(len);
    if (*out != NULL) {
        snprintf(*out, len, "%s%s", parts[0], parts[1]);
        return EXIT_DONE;
    }
    say("cannot get memory");
    return EXIT_IO;
}

static struct follow_options make_options(const struct follow_settings *s,
                                          struct follow_talk *talk)
{
    return (struct follow_options){
        .server = s->server,
        .token_file = s->token_file,
        .hosts = {s->hosts.items, s->hosts.n},
        .kafka_config = s->kafka_config,
        .group = s->group,
        .fields = &s->reading.fields,
        .reading = s->reading.reading,
        .max_document = s->reading.max_document,
        .max_batch = s->max_batch,
        .n_threads = s->reading.n_threads,
        .interval = s->interval,
        .feed_interval = s->feed_interval,
        .once = s->once,
        .ctx = talk,
        .on_problem = on_problem,
        .on_progress = on_progress,
        .should_stop = should_stop,
    };
}

static int follow_with(const struct follow_settings *s,
                       struct follow_options *options, struct follow_talk *talk)
{
    og_stream_counts counts = {0};
    og_error err = {0};
    char machine[128] = "origo";
    gethostname(machine, sizeof(machine) - 1);
    options->consumer = s->consumer != NULL ? s->consumer : machine;
    progress_start(&talk->progress, NULL, 0, s->reading.quiet,
                   s->reading.verbose);
    stop_on_signals(&talk->signals);
    const og_status status = follow_run(options, &counts, &err);
    progress_end(&talk->progress);
    if (!s->reading.quiet && (status == OG_OK || counts.n_documents > 0))
        progress_summary(&talk->progress, &counts, options->store);
    if (status != OG_OK) return say_error("follow", &err);
    return s->once && counts.n_files_failed > 0 ? EXIT_IO : EXIT_DONE;
}

static int follow_sources(const void *settings, const char *const *sources,
                          size_t n)
{
    const struct follow_settings *s = settings;
    struct follow_talk talk = {.signals = og_input_default()};
    struct follow_options options = make_options(s, &talk);
    char *state = NULL;
    int status = check_settings(s);
    options.sources = (struct follow_names){sources, n};
    if (status == EXIT_DONE && s->server == NULL)
        status = store_open(&s->store, OG_CREATE, "follow", &options.store);
    if (status != EXIT_DONE) return status;
    status = choose_state(s, &state);
    options.state = state;
    if (status == EXIT_DONE) status = follow_with(s, &options, &talk);
    free(state);
    if (options.store == NULL) return status;
    return store_close(options.store, "follow", status);
}

const struct command command_follow = {
    .name = "follow",
    .group = GROUP_STORE,
    .operands = "SOURCE...",
    .brief = "add documents as they arrive",
    .about =
        "Follows sources and adds their documents to a store, or sends them to "
        "a server, as they arrive, until SIGTERM or SIGINT. A source is\n\n"
        "  FILE                        a growing JSONL file\n"
        "  FILE.xml .rss .atom .rdf    a feed\n"
        "  FOLDER                      a folder that receives files\n"
        "  http://HOST/FEED            RSS or Atom, with --allow-host HOST\n"
        "  kafka://HOST:PORT/TOPIC     JSON messages\n"
        "  redis://HOST:PORT/STREAM    entries with fields, or with JSON\n\n"
        "The position in each source is kept with the documents, and written "
        "only after they are safe on disk. After a crash, or in a second run, "
        "reading resumes there. A document that is read twice is recognised "
        "and changes nothing. A source is read no faster than its documents "
        "can be written.\n\n"
        "A file may be rotated or truncated; an incomplete last line is read "
        "when it is complete. The password for Redis is taken from "
        "REDISCLI_AUTH.",
    .examples = "  origo follow -s news.store news.jsonl\n"
                "  origo follow -s news.store --once inbox/\n"
                "  origo follow -s news.store --allow-host example.org "
                "https://example.org/feed.xml\n"
                "  origo follow --server http://127.0.0.1:7070 --state seen "
                "kafka://127.0.0.1:9092/news\n",
    .options = follow_command_options,
    .n_options =
        sizeof(follow_command_options) / sizeof(follow_command_options[0]),
    .settings_len = sizeof(struct follow_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no source given",
    .defaults = follow_defaults,
    .run = follow_sources,
};
