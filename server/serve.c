/* Starting, waiting for signals, stopping.
 *
 * A server that stops answers what it has accepted: it stops listening, refuses
 * new requests on open connections, the writer empties its queue and commits,
 * and clients of events are disconnected. It does not wait for a client that
 * does not read its answer within the time limit. */

#include "serve.h"

#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t server_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static og_status fail(og_error *err, og_status status, const char *what,
                      const char *why)
{
    if (err == NULL) return status;
    *err = (og_error){.status = status};
    snprintf(err->message, sizeof(err->message), "%s: %s", what, why);
    return status;
}

/* A connection needs a file descriptor; the usual limit of 1024 is too low. */
static void raise_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static og_status read_pem(const char *path, struct buffer *out, og_error *err)
{
    char piece[4096];
    FILE *file = fopen(path, "re");
    if (file == NULL) return fail(err, OG_ERR_IO, path, strerror(errno));
    for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;)
        buffer_bytes(out, piece, n);
    buffer_bytes(out, "", 1);
    const bool is_read = !ferror(file) && !out->failed;
    fclose(file);
    return is_read ? OG_OK : fail(err, OG_ERR_IO, path, "cannot be read");
}

static og_status read_tls(struct server *s, og_error *err)
{
    const struct serve_options *o = s->options;
    if (o->tls_cert == NULL && o->tls_key == NULL) return OG_OK;
    if (o->tls_cert == NULL || o->tls_key == NULL)
        return fail(err, OG_ERR_USAGE, "TLS",
                    "a certificate needs its key, and a key its certificate");
    const og_status status = read_pem(o->tls_cert, &s->tls_cert, err);
    return status != OG_OK ? status : read_pem(o->tls_key, &s->tls_key, err);
}

/* ---- signals ---- */

/* They are received by sigwait(), so every thread must block them. */
static void block_signals(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGINT);
    sigaddset(out, SIGHUP);
    pthread_sigmask(SIG_BLOCK, out, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void reload(struct server *s)
{
    og_error err = {0};
    if (auth_reload(&s->auth, &err) == OG_OK)
        log_say(&s->log, "tokens read again");
    else
        log_say(&s->log, "%s; the old tokens remain valid", err.message);
}

static void wait_for_end(struct server *s, const sigset_t *signals)
{
    int number = 0;
    while (sigwait(signals, &number) == 0 && number == SIGHUP)
        reload(s);
    log_say(&s->log, "stopping: %s",
            number == SIGINT ? "interrupted" : "stop requested");
}

/* ---- the parts, up and down ---- */

static void pause_for(unsigned milliseconds)
{
    const struct timespec time = {milliseconds / 1000,
                                  (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void drain(struct server *s)
{
    const uint64_t until =
        server_now() + (uint64_t)s->options->timeout * 1000000000u;
    atomic_store(&s->is_draining, true);
    const int fd = MHD_quiesce_daemon(s->daemon);
    if (fd >= 0) close(fd);
    hub_close(&s->hub);
    /* Waits for requests that are being processed. */
    while (atomic_load(&s->n_active) > 0 && server_now() < until) {
        watchdog_end_idle(&s->watchdog);
        early_sender_drain(&s->early);
        pause_for(5);
    }
    watchdog_end_all(&s->watchdog);
    while (request_queue_length(&s->writer.queue) > 0)
        pause_for(5);
}

static og_status start(struct server *s, int *out_fd, og_error *err)
{
    og_status status = read_tls(s, err);
    if (status == OG_OK) status = listen_open(s, out_fd, err);
    if (status == OG_OK) status = watches_open(&s->watches, s, err);
    if (status == OG_OK) status = writer_start(&s->writer, s, err);
    if (status != OG_OK) return status;
    const size_t most = s->options->max_queue;
    if (!workers_start(&s->short_workers, s->n_threads, most) ||
        !workers_start(&s->long_workers, s->n_threads, most) ||
        !watchdog_start(&s->watchdog, s) || !early_sender_start(&s->early, s))
        return fail(err, OG_ERR_MEMORY, "threads", "cannot be started");
    return daemon_start(s, *out_fd, err);
}

static void stop(struct server *s)
{
    if (s->daemon != NULL) drain(s);
    writer_stop(&s->writer);
    workers_stop(&s->short_workers);
    workers_stop(&s->long_workers);
    daemon_stop(s);
    early_sender_stop(&s->early);
    watchdog_stop(&s->watchdog);
    watches_close(&s->watches);
}

static void remove_path(const struct server *s)
{
    if (strncmp(s->options->listen, "unix:", 5) == 0 &&
        strncmp(s->address, "unix:", 5) == 0)
        (void)unlink(s->options->listen + 5);
}

static void announce(const struct server *s)
{
    printf("listening on %s\n", s->address);
    fflush(stdout);
    log_say(&s->log, "listening on %s%s", s->address,
            s->auth.path == NULL ? ", without tokens" : "");
}

og_status serve(og_store *store, const struct serve_options *options,
                og_error *err)
{
    struct server *s = calloc(1, sizeof(*s));
    sigset_t signals;
    int fd = -1;
    if (s == NULL) return fail(err, OG_ERR_MEMORY, "a server", "out of memory");
    s->options = options;
    s->store = store;
    s->log = (struct log){options->log_json, options->quiet};
    s->metrics.began = server_now();
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->n_threads = options->n_threads != 0 ? options->n_threads
                   : cores > 1             ? (unsigned)cores
                                           : 2;
    (void)!getrandom(&s->run, sizeof(s->run), 0);
    raise_files();
    block_signals(&signals);
    readers_init(&s->readers, store);
    hub_init(&s->hub, s);
    pthread_mutex_init(&s->phrases.lock, NULL);
    og_status status = auth_open(&s->auth, options->tokens, err);
    if (status == OG_OK) status = start(s, &fd, err);
    if (status == OG_OK) {
        announce(s);
        wait_for_end(s, &signals);
    }
    stop(s);
    if (status == OG_OK) remove_path(s);
    hub_release_all(&s->hub);
    readers_release(&s->readers);
    auth_close(&s->auth);
    buffer_release(&s->phrases.question);
    buffer_release(&s->phrases.body);
    pthread_mutex_destroy(&s->phrases.lock);
    buffer_release(&s->tls_cert);
    buffer_release(&s->tls_key);
    free(s);
    return status;
}
