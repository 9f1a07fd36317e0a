/* The public functions of the exchange: send, receive, and both at once for a
 * plan. */

#define _GNU_SOURCE
#include "lib/sync/sync.h"

#include "lib/os/new_file.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

og_sync_options og_sync_options_default(void)
{
    return (og_sync_options){
        .cut = og_cut_options_default(OG_CUT_GEAR, 2048),
        .fine_len = 128,
    };
}

typedef og_status (*side)(struct og_wire *wire, const char *tree,
                          const og_sync_options *options, og_sync_counts *out,
                          og_error *err);

static og_status check_options(const og_sync_options *options, og_error *err)
{
    TRY(og_cut_options_check(&options->cut, err));
    if (options->fine_len == 0) return OG_OK;
    const og_cut_options pieces = og_sync_piece_cut(options->fine_len);
    if (options->fine_len > UINT16_MAX)
        return og_error_set(err, OG_ERR_USAGE, "pieces have at most %d bytes",
                            UINT16_MAX);
    return og_cut_options_check(&pieces, err);
}

static og_status run_side(side run, bool is_sender, const char *tree, int in_fd,
                          int out_fd, const og_sync_options *options,
                          og_sync_counts *out, og_error *err)
{
    const og_sync_options defaults = og_sync_options_default();
    struct og_wire wire;
    og_sync_counts counts = {0};
    og_error story = {0};
    if (options == NULL) options = &defaults;
    TRY(check_options(options, err));
    og_status status =
        og_wire_open(&wire, in_fd, out_fd, is_sender, options, &story);
    if (status == OG_OK) {
        status = run(&wire, tree, options, &counts, &story);
        /* Our own error is reported to the peer; for theirs we listen. */
        if (status != OG_OK && wire.is_broken)
            og_wire_hear_error(&wire, &story);
        else if (status != OG_OK)
            og_wire_send_error(&wire, &story);
    }
    counts.n_sent = wire.n_sent;
    counts.n_received = wire.n_received;
    counts.n_round_trips = wire.n_round_trips;
    og_wire_close(&wire);
    if (out != NULL) *out = counts;
    if (status != OG_OK && err != NULL) *err = story;
    return status;
}

og_status og_sync_send(const char *tree, int in_fd, int out_fd,
                       const og_sync_options *options, og_sync_counts *out,
                       og_error *err)
{
    return run_side(og_sync_send_over, true, tree, in_fd, out_fd, options, out,
                    err);
}

og_status og_sync_receive(const char *tree, int in_fd, int out_fd,
                          const og_sync_options *options, og_sync_counts *out,
                          og_error *err)
{
    return run_side(og_sync_receive_over, false, tree, in_fd, out_fd, options,
                    out, err);
}

/* ---- both at once ---- */

struct plan_sender {
    const char *tree;
    int fd;
    og_sync_options options;
    og_status status;
    og_error err;
};

static void *run_sender(void *ctx)
{
    struct plan_sender *s = ctx;
    s->status = og_sync_send(s->tree, s->fd, s->fd, &s->options, NULL, &s->err);
    shutdown(s->fd, SHUT_RDWR);
    return NULL;
}

og_status og_sync_plan(const char *old_tree, const char *new_tree,
                       const og_sync_options *options, og_sync_counts *out,
                       og_error *err)
{
    og_sync_options mine =
        options == NULL ? og_sync_options_default() : *options;
    struct plan_sender sender = {.tree = new_tree, .options = mine};
    pthread_t thread;
    int fds[2];
    mine.dry_run = true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return og_file_failure(err, "make", "a pair of sockets", errno);
    sender.fd = fds[0];
    if (pthread_create(&thread, NULL, run_sender, &sender) != 0) {
        close(fds[0]);
        close(fds[1]);
        return og_error_memory(err, 0, "a thread");
    }
    og_status status =
        og_sync_receive(old_tree, fds[1], fds[1], &mine, out, err);
    shutdown(fds[1], SHUT_RDWR);
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    /* The sender's own message is better than its echo. */
    if (status != OG_OK && sender.status != OG_OK &&
        strncmp(sender.err.message, "the other side says", 19) != 0 &&
        strncmp(sender.err.message, "the connection", 14) != 0) {
        status = sender.status;
        if (err != NULL) *err = sender.err;
    }
    return status;
}
