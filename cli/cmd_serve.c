/* origo serve: the store over HTTP. The options; origo-serve does the work. */

#include "serve_settings.h"

static void serve_defaults(void *settings)
{
    struct serve_settings *s = settings;
    store_defaults(&s->store);
    s->serve = (struct serve_options){
        .listen = "127.0.0.1:7070",
        .max_body = (uint64_t)16 << 20,
        .max_stream = (uint64_t)1 << 30,
        .max_document = (uint64_t)16 << 20,
        .max_connections = 16384,
        .max_queue = 1024,
        .timeout = 30,
    };
}

#define AT(member) offsetof(struct serve_settings, member)

static const struct option serve_command_options[] = {
    STORE_OPTION(AT, store, "the store to serve; created if missing"),
    CATALOGUE_OPTION(AT, store),
    INDEX_OPTION(AT, store),
    {.group = "Where",
     .letter = 'l',
     .name = "listen",
     .type = &type_string,
     .offset = AT(serve.listen),
     .value = "ADDRESS",
     .brief = "HOST:PORT or unix:PATH",
     .more = "Port 0 chooses a free port; the address is printed on stdout. "
             "Sockets passed by systemd are used instead. An address that "
             "other machines can reach requires --tokens."},
    {.group = "Where",
     .name = "tls-cert",
     .type = &type_string,
     .offset = AT(serve.tls_cert),
     .value = "FILE",
     .unset = "no TLS",
     .brief = "certificate (PEM); enables HTTPS"},
    {.group = "Where",
     .name = "tls-key",
     .type = &type_string,
     .offset = AT(serve.tls_key),
     .value = "FILE",
     .unset = "no TLS",
     .brief = "private key of the certificate (PEM)"},
    {.group = "Rights",
     .name = "tokens",
     .type = &type_string,
     .offset = AT(serve.tokens),
     .value = "FILE",
     .unset = "only local access, everything is allowed",
     .brief = "access control file: lines of TOKEN ROLE",
     .more = "ROLE is read, write or admin. Requests carry 'Authorization: "
             "Bearer TOKEN'. SIGHUP reads the file again."},
    {.group = "Rights",
     .name = "host",
     .type = &type_strings,
     .offset = AT(hosts),
     .value = "NAME",
     .unset = "localhost and the address",
     .brief = "another host name of this server; repeatable",
     .more = "Without tokens, requests for any other name are refused."},
    {.group = "Rights",
     .name = "allow-origin",
     .type = &type_strings,
     .offset = AT(origins),
     .value = "ORIGIN",
     .unset = "only the server's own pages",
     .brief = "allow requests from pages of ORIGIN; repeatable",
     .more = "A pattern with * and ?, such as 'chrome-extension://*'."},
    {.group = "Rights",
     .name = "webhook-host",
     .type = &type_strings,
     .offset = AT(webhook_hosts),
     .value = "HOST",
     .unset = "none",
     .brief = "allow webhooks to HOST or HOST:PORT; repeatable"},
    {.group = "Rights",
     .name = "webhook-ca",
     .type = &type_string,
     .offset = AT(serve.webhook_ca),
     .value = "FILE",
     .unset = "the system's",
     .brief = "trusted certificates for https webhooks (PEM)"},
    {.group = "Limits",
     .name = "max-body",
     .type = &type_size,
     .offset = AT(serve.max_body),
     .value = "SIZE",
     .brief = "maximum request body, compressed or not"},
    {.group = "Limits",
     .name = "max-stream",
     .type = &type_size,
     .offset = AT(serve.max_stream),
     .value = "SIZE",
     .brief = "maximum stream of documents in a request"},
    {.group = "Limits",
     .name = "max-document",
     .type = &type_size,
     .offset = AT(serve.max_document),
     .value = "SIZE",
     .brief = "maximum document size"},
    {.group = "Limits",
     .name = "max-connections",
     .type = &type_count,
     .offset = AT(serve.max_connections),
     .value = "N",
     .brief = "maximum number of open connections"},
    {.group = "Limits",
     .name = "queue",
     .type = &type_count,
     .offset = AT(serve.max_queue),
     .value = "N",
     .brief = "waiting requests per kind; more get status 429"},
    {.group = "Limits",
     .name = "timeout",
     .type = &type_count,
     .offset = AT(serve.timeout),
     .value = "SECONDS",
     .brief = "seconds to receive a request, and idle time"},
    {.group = "Output",
     .name = "log",
     .type = &type_choice,
     .offset = AT(log),
     .value = "FORM",
     .choices = "text|json",
     .brief = "log format on stderr: text or json"},
    {.group = "Output",
     .letter = 'q',
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(serve.quiet),
     .brief = "do not log every request"},
    THREADS_OPTION(AT, serve.n_threads, "Limits",
                   "Threads for connections, and as many for long queries."),
    STORE_MAKE_OPTIONS(AT, store),
};

const struct command command_serve = {
    .name = "serve",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "answer questions about a store over HTTP",
    .about = "Serves a store over HTTP: POST /v1/trace reports where a text "
             "came from, POST /v1/documents adds documents, and so on; GET "
             "/openapi.json describes the interface. The address itself shows "
             "a web page. By default the server listens only on this machine; "
             "any other address requires tokens.\n\n"
             "An acknowledged document is on disk. On SIGTERM or SIGINT the "
             "server answers all accepted requests and exits; on SIGHUP it "
             "reads the tokens again.",
    .examples = "  origo serve -s news.store\n"
                "  origo serve -s news.store --listen unix:/run/origo.sock\n"
                "  origo serve -s news.store --listen :7070 --tokens tokens\n"
                "  curl --data-binary @letter.txt -H 'Content-Type: "
                "text/plain' \\\n"
                "    http://127.0.0.1:7070/v1/trace\n",
    .options = serve_command_options,
    .n_options =
        sizeof(serve_command_options) / sizeof(serve_command_options[0]),
    .settings_len = sizeof(struct serve_settings),
    .max_operands = 0,
    .defaults = serve_defaults,
    .program = "origo-serve",
};
