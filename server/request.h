#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

/* One request from its first line to the end of its answer.
 *
 *     first line -> route -> rights -> body -> prepare -> run -> answer
 *
 * Everything up to `prepare` happens on the thread of its connection; `run`
 * there, or on another thread while the connection sleeps. */

#include "body_unpack.h"
#include "buffer.h"

#include <microhttpd.h>
#include <stdatomic.h>

struct server;
struct request;

enum role { ROLE_NONE = 0, ROLE_READ, ROLE_WRITE, ROLE_ADMIN };

/* Where `run` is called: on the thread of the connection, which serves many
 * others; on one that compares texts; on one for slow requests; on the one that
 * changes the store. */
enum place { PLACE_HERE, PLACE_READER, PLACE_WORKER, PLACE_WRITER };

typedef void handle_fn(struct request *r);

struct route {
    const char *method;
    const char *path; /* a '*' at its end matches what follows, decoded */
    enum role role;
    enum place place;
    bool takes_body;
    const char *arguments; /* "id title": those that the query may have */
    handle_fn *prepare;    /* NULL: nothing to do before */
    handle_fn *run;
    /* Processes the body as it arrives, instead of all at once; see
     * handle_documents.c. */
    bool (*is_stream)(const struct request *r);
};

struct reply {
    unsigned status; /* 0: no reply yet */
    const char *type;
    struct buffer body;
    const char *fixed; /* a static body, instead of `body` */
    size_t fixed_len;
    unsigned retry_after;        /* seconds; 0: no such header */
    const char *allow;           /* for status 405 */
    const char *csp;             /* for a page; NULL: nothing may run */
    struct MHD_Response *stream; /* events: created by the handler */
};

enum phase {
    PHASE_HEAD,
    PHASE_BODY,
    PHASE_WAITING,
    PHASE_ENDING, /* early results: the last of them are being sent */
    PHASE_DONE
};

struct request {
    struct server *server;
    struct MHD_Connection *connection;
    struct connection *peer; /* of the watchdog */
    const struct route *route;
    char method[8];
    char *uri;  /* as received */
    char *path; /* of it, decoded */
    size_t path_len;
    char id[32];
    uint64_t began; /* nanoseconds */
    enum role role;
    enum phase phase;
    enum place place;
    og_bytes rest; /* what '*' of the path matches */
    struct unpacker unpacker;
    struct buffer body;  /* unpacked */
    size_t n_counted;    /* of it and `results`, in server.n_buffered */
    uint64_t n_received; /* bytes as received */
    bool is_too_long, is_broken;
    bool is_refused;  /* all bodies together are too large */
    bool is_streamed; /* its lines are processed as they arrive */
    bool is_early;    /* and their results sent as they are known */
    bool has_length;  /* it has a Content-Length */
    bool is_last;     /* the body is complete */
    struct reply reply;
    /* ---- what handlers keep ---- */
    og_reader *reader; /* of `doc` and of what it points to */
    og_document doc;
    char *made_id;         /* for a document that has none */
    bool adds;             /* adds `doc` to the store */
    bool has_written;      /* waits for the next commit */
    struct buffer results; /* of a stream of documents */
    uint64_t n_lines;
    struct early_results *early; /* the response, once it has begun */
    uint64_t n_early;            /* bytes of it that were sent */
    struct client *client;       /* of events */
    struct request *next;        /* in a queue */
};

/* The path of a URI without its query, percent-decoded; `out` has room for all
 * of `uri`. False: an escape is invalid, or a zero byte. */
bool path_decode(const char *uri, char *out, size_t *out_len);

/* An argument of the query; NULL: not present. */
const char *request_argument(const struct request *r, const char *name);
/* "true", "1", "false", "0", or not present; anything else makes the reply a
 * problem. */
bool request_flag(struct request *r, const char *name, bool *out);
/* A number in a range. *out stays unchanged when it is not present. */
bool request_number(struct request *r, const char *name, double least,
                    double most, double *out);
const char *request_header(const struct request *r, const char *name);
/* Whether the body has this media type. */
bool request_is_type(const struct request *r, const char *type);

void reply_json(struct request *r, unsigned status);

#endif
