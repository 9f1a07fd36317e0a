#ifndef SERVER_EARLY_RESULTS_H
#define SERVER_EARLY_RESULTS_H

/* The results of a stream of documents, sent while it is still being received.
 *
 *   in:  result lines of documents that are durable         (store_writer)
 *   out: one chunked HTTP/1.1 response, on the socket
 *
 * libmicrohttpd sends no response before the whole body was received, and while
 * it receives one it writes nothing to the socket. So these responses are
 * written here, past it: by the thread that brings the lines as far as the
 * socket takes them, and the rest by one thread for all such responses. The
 * library reads and decodes the body as always. When the body has ended and the
 * response is sent, the connection is closed, because the library does not know
 * that there was a response.
 *
 * A client that does not read: its lines are kept, as without early results, up
 * to EARLY_MOST bytes. Then no more of its body is read until it has read half
 * of them; if it reads nothing for the time limit, the rest of its body is
 * ignored and the last line says so. Clients that first send and then read are
 * therefore served, too. */

#include "request.h"

#include <pthread.h>

enum { EARLY_MOST = 64 << 20 };

struct early_results;

struct early_sender {
    struct server *server;
    pthread_mutex_t lock; /* of all that follows, and of every response */
    pthread_t thread;
    int epoll, wake;             /* file descriptors */
    struct early_results *first; /* responses that are being sent */
    struct early_results *left;  /* that have ended: the thread frees them */
    bool is_stopping, is_running;
};

bool early_sender_start(struct early_sender *e, struct server *s);
/* No response is being sent any more. */
void early_sender_stop(struct early_sender *e);
/* Ends every response that has not ended, because the server is stopping. */
void early_sender_drain(struct early_sender *e);

/* Whether a stream wants its results early: `results=early`, a body whose
 * length is not known, or a client that waits for "100 Continue" and so reads
 * while it sends; not `results=late`, and not before HTTP/1.1. False: the reply
 * is set. */
bool early_choose(struct request *r, const char *version);

/* ---- while the connection is suspended ---- */

/* Takes the lines in r->results, and the error in r->reply, if there is one,
 * which ends the response. Begins the response with the first lines. True: the
 * client has to read first; the connection is resumed when it has. */
bool early_take(struct request *r);

/* ---- on the thread of the connection ---- */

enum early_state {
    EARLY_OPEN,   /* more results may follow */
    EARLY_ENDED,  /* no more results are taken */
    EARLY_BROKEN, /* the client is gone */
};
enum early_state early_state(struct request *r);
/* Ends the response with what is in r->reply. */
void early_end(struct request *r);
/* Whether all is sent that can be sent. False: the connection is suspended, and
 * resumed when it is. */
bool early_is_sent(struct request *r);
/* The request is over. Returns the number of bytes that were sent. */
uint64_t early_leave(struct request *r);

#endif
