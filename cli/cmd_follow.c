/* origo follow: documents as they come. The options; origo-follow does
 * the work. */

#include "follow_settings.h"

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
     .letter = 'w',
     .name = "state",
     .type = &type_string,
     .offset = AT(state),
     .value = "FILE",
     .unset = "follow.jsonl in the store",
     .brief = "where to keep positions",
     .more = "Required with --server, and with a store on servers."},
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
    .examples =
        "  origo follow -s news.store news.jsonl\n"
        "  origo follow -s news.store --once inbox/\n"
        "  origo follow -s news.store --allow-host example.org \\\n"
        "    https://example.org/feed.xml\n"
        "  origo follow --server http://127.0.0.1:7070 --state seen \\\n"
        "    kafka://127.0.0.1:9092/news\n",
    .options = follow_command_options,
    .n_options =
        sizeof(follow_command_options) / sizeof(follow_command_options[0]),
    .settings_len = sizeof(struct follow_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no source given",
    .defaults = follow_defaults,
    .program = "origo-follow",
};
