#ifndef SERVER_WATCHDOG_H
#define SERVER_WATCHDOG_H

/* Time limits. The HTTP library closes a connection on which nothing happens,
 * but would keep one that sends a byte now and then for ever. So each
 * connection has a clock: its request must be complete within a limited
 * time. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

enum peer_state {
    PEER_IDLE,      /* between two requests, or in the head of one */
    PEER_SENDING,   /* its body is being received */
    PEER_STREAMING, /* the same, and its answer has begun */
    PEER_WAITING,   /* for an answer, or for events: no limit here */
    PEER_READING,   /* receives its answer */
};

struct connection {
    int fd;
    enum peer_state state;
    uint64_t since; /* nanoseconds */
    bool is_ended;
    char id[32]; /* of its latest request */
    struct connection *next, *before;
};

struct watchdog {
    struct server *server;
    pthread_mutex_t lock;
    pthread_cond_t tick;
    pthread_t thread;
    struct connection *first;
    size_t n;
    bool is_stopping, is_running;
};

bool watchdog_start(struct watchdog *w, struct server *s);
void watchdog_stop(struct watchdog *w);

struct connection *watchdog_enter(struct watchdog *w, int fd); /* or NULL */
void watchdog_leave(struct watchdog *w, struct connection *c);
/* A request begins: its head is there, its body may follow. */
void watchdog_begin(struct watchdog *w, struct connection *c, const char *id);
void watchdog_note(struct watchdog *w, struct connection *c,
                   enum peer_state state);
/* Ends a connection whose client does not cooperate. */
void watchdog_end(struct watchdog *w, struct connection *c);
/* Ends all that are not being answered. */
void watchdog_end_idle(struct watchdog *w);
void watchdog_end_all(struct watchdog *w);
size_t watchdog_count(struct watchdog *w);

#endif
