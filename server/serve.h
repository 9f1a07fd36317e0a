#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

/* The server: answers queries of a store over HTTP and adds documents, until a
 * signal stops it. This is its whole interface. */

#include <origo/origo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of strings, owned by the caller. */
struct serve_list {
    const char *const *items;
    size_t n;
};

struct serve_options {
    const char *listen; /* "HOST:PORT", "unix:PATH"; sockets passed by systemd
                           come first */
    const char *folder; /* where watches are kept; NULL: nowhere */
    const char *tokens; /* a file of "TOKEN ROLE" lines; NULL: none */
    const char *tls_cert, *tls_key; /* PEM files; NULL: no TLS */
    struct serve_list hosts;        /* other host names of this server */
    struct serve_list origins;      /* web origins that are allowed */
    struct serve_list webhook_hosts;
    const char *webhook_ca; /* PEM of trusted certificates; NULL: system's */
    uint64_t max_body;      /* bytes of a request, compressed or not */
    uint64_t max_stream;    /* of one that is a stream of documents */
    uint64_t max_document;  /* bytes of a document */
    uint32_t n_threads;     /* 0: as many as the machine has */
    uint32_t max_connections;
    uint32_t max_queue; /* requests that wait for one kind of thread */
    uint32_t timeout;   /* seconds until a request must be complete, and that a
                           connection may be idle */
    bool log_json, quiet;
};

/* Prints the address on stdout when it is ready, and returns after SIGTERM or
 * SIGINT, when everything that was accepted is answered. The store stays open;
 * nothing else may write to it meanwhile. */
og_status serve(og_store *store, const struct serve_options *options,
                og_error *err);

#endif
