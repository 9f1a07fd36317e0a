#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

/* The server: answers questions about a store over HTTP, and takes documents
 * in, until it is asked to stop. This is all that others know of it. */

#include <origo/origo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of strings that somebody else keeps. */
struct serve_list {
    const char *const *items;
    size_t n;
};

struct serve_options {
    const char *listen; /* "HOST:PORT", "unix:PATH"; sockets that systemd hands
                           over come first */
    const char *folder; /* where watches are kept; NULL: nowhere */
    const char *tokens; /* a file of "TOKEN ROLE" lines; NULL: none */
    const char *tls_cert, *tls_key; /* PEM files; NULL: no TLS */
    struct serve_list hosts;        /* other names of this server */
    struct serve_list origins;      /* web origins that may ask */
    struct serve_list webhook_hosts;
    const char *webhook_ca; /* PEM file of who is trusted; NULL: the system's */
    uint64_t max_body;      /* bytes of a request, packed or not */
    uint64_t max_stream;    /* of one that is a stream of documents */
    uint64_t max_document;  /* bytes of a document */
    uint32_t n_threads;     /* 0: as many as the machine has */
    uint32_t max_connections;
    uint32_t max_queue; /* requests that wait for a thread of a kind */
    uint32_t timeout;   /* seconds until a request must be there whole, and
                           that a connection may be idle */
    bool log_json, quiet;
};
struct serve_options serve_options_default(void);

/* Prints the address on stdout when it is ready, and returns when SIGTERM or
 * SIGINT came and everything that was accepted is answered. The store stays
 * open; nobody else may write to it meanwhile. */
og_status serve(og_store *store, const struct serve_options *options,
                og_error *err);

#endif
