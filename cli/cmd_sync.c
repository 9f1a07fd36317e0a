/* origo send, receive, sync-plan: make two trees of files equal.
 *
 * The exchange needs one byte stream each way. `send --to CMD` and `receive
 * --from CMD` start a command and communicate with its stdin and stdout, as
 * rsync -e does; without it they use their own. Messages go to stderr only. */

#include "options.h"
#include "say.h"

#include <errno.h>
#include <inttypes.h>
#include <origo/origo.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct sync_settings {
    const char *peer; /* NULL: stdin and stdout */
    uint64_t chunk, pieces;
    uint32_t n_threads;
    bool no_compress, delete_extra, dry_run, quiet, verbose;
};

static void sync_defaults(void *settings)
{
    const og_sync_options options = og_sync_options_default();
    struct sync_settings *s = settings;
    s->chunk = options.cut.average_len;
    s->pieces = options.fine_len;
}

#define AT(member) offsetof(struct sync_settings, member)

#define CHUNK                                                                  \
    {                                                                          \
        .group = "Work", .name = "chunk", .type = &type_size,                  \
        .offset = AT(chunk), .value = "SIZE",                                  \
        .brief = "average length of a chunk"                                   \
    }
#define PIECES                                                                 \
    {                                                                          \
        .group = "Work", .name = "pieces", .type = &type_size,                 \
        .offset = AT(pieces), .value = "SIZE",                                 \
        .brief = "average length of the pieces of a changed chunk",            \
        .more = "Changed chunks are cut again and only new pieces are sent; "  \
                "0 sends whole chunks and saves a round trip."                 \
    }
#define PLAIN                                                                  \
    {                                                                          \
        .group = "Work", .name = "no-compress", .type = &type_flag,            \
        .offset = AT(no_compress), .brief = "send without compression"         \
    }
#define QUIET                                                                  \
    {                                                                          \
        .group = "Output", .letter = 'q', .name = "quiet", .type = &type_flag, \
        .offset = AT(quiet), .brief = "no summary"                             \
    }

static og_sync_options sync_options_of(const struct sync_settings *s)
{
    og_sync_options options = og_sync_options_default();
    options.cut = og_cut_options_default(
        OG_CUT_GEAR, s->chunk > UINT32_MAX ? UINT32_MAX : (uint32_t)s->chunk);
    options.fine_len =
        s->pieces > UINT32_MAX ? UINT32_MAX : (uint32_t)s->pieces;
    options.no_compress = s->no_compress;
    options.delete_extra = s->delete_extra;
    options.dry_run = s->dry_run;
    options.n_threads = s->n_threads;
    return options;
}

/* ---- the other side ---- */

struct peer {
    int in_fd, out_fd;
    pid_t pid; /* 0: no command was started */
};

static void run_command(const char *command, const int to[2], const int from[2])
{
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[0]), close(to[1]), close(from[0]), close(from[1]);
    signal(SIGPIPE, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool peer_start(struct peer *peer, const char *command)
{
    int to[2], from[2];
    /* A peer that goes away is a failed write with a message, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    *peer = (struct peer){STDIN_FILENO, STDOUT_FILENO, 0};
    if (command == NULL) return true;
    if (pipe(to) != 0) return false;
    if (pipe(from) != 0) return close(to[0]), close(to[1]), false;
    peer->pid = fork();
    if (peer->pid == 0) run_command(command, to, from);
    close(to[0]);
    close(from[1]);
    peer->out_fd = to[1];
    peer->in_fd = from[0];
    return peer->pid > 0;
}

/* Returns whether the command succeeded. */
static bool peer_end(struct peer *peer)
{
    int status = 0;
    if (peer->pid <= 0) return true;
    close(peer->in_fd);
    close(peer->out_fd);
    while (waitpid(peer->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int talk_to_peer(const char *command, const struct sync_settings *s,
                        const char *tree, const og_sync_options *options,
                        og_sync_counts *counts, bool sends)
{
    struct peer peer;
    og_error err = {0};
    if (s->peer == NULL && isatty(STDIN_FILENO))
        return say_usage(command,
                         "stdin is a terminal; %s CMD talks to a command",
                         sends ? "--to" : "--from");
    if (!peer_start(&peer, s->peer)) {
        say("%s: cannot start '%s': %s", command, s->peer, strerror(errno));
        return EXIT_IO;
    }
    const og_status status =
        sends
            ? og_sync_send(tree, peer.in_fd, peer.out_fd, options, counts, &err)
            : og_sync_receive(tree, peer.in_fd, peer.out_fd, options, counts,
                              &err);
    const bool ended_well = peer_end(&peer);
    if (status != OG_OK) return say_error(command, &err);
    if (!ended_well) {
        say("%s: '%s' failed", command, s->peer);
        return EXIT_IO;
    }
    return EXIT_DONE;
}

static void say_counts(const og_sync_counts *c, bool sends)
{
    say("%" PRIu64 " files, %" PRIu64 " changed (%" PRIu64 " bytes), %" PRIu64
        " bytes sent as they are; %" PRIu64 " bytes to the receiver, %" PRIu64
        " back, %" PRIu64 " round trips",
        c->n_files, c->n_files_changed + c->n_files_renamed, c->new_len,
        c->literal_len, sends ? c->n_sent : c->n_received,
        sends ? c->n_received : c->n_sent, c->n_round_trips);
}

/* ---- send ---- */

static const struct option send_options[] = {
    {.group = "Connection",
     .name = "to",
     .type = &type_string,
     .offset = AT(peer),
     .value = "CMD",
     .unset = "stdin and stdout",
     .brief = "start this command, which runs 'origo sync receive'",
     .more = "For example: --to 'ssh host origo sync receive backup'."},
    CHUNK,
    PIECES,
    PLAIN,
    THREADS_OPTION(AT, n_threads, "Work", NULL),
    QUIET,
};

static int send_run(const void *settings, const char *const *trees, size_t n)
{
    const struct sync_settings *s = settings;
    const og_sync_options options = sync_options_of(s);
    og_sync_counts counts = {0};
    (void)n;
    const int status =
        talk_to_peer("send", s, trees[0], &options, &counts, true);
    if (status == EXIT_DONE && !s->quiet) say_counts(&counts, true);
    return status;
}

const struct command command_send = {
    .name = "sync send",
    .alias = "send",
    .operands = "TREE",
    .brief = "send a folder to 'origo sync receive'",
    .about = "Makes the folder of an 'origo sync receive' at the other end of "
             "a pipe equal to TREE. Only data that no file there contains is "
             "sent: renamed, moved and merged files cost a few hashes.",
    .examples =
        "  origo sync send papers --to 'ssh host origo sync receive papers'\n"
        "  origo sync send papers --to 'origo sync receive /mnt/copy'\n",
    .options = send_options,
    .n_options = sizeof(send_options) / sizeof(send_options[0]),
    .settings_len = sizeof(struct sync_settings),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no TREE given",
    .defaults = sync_defaults,
    .run = send_run,
};

/* ---- receive ---- */

static const struct option receive_options[] = {
    {.group = "Connection",
     .name = "from",
     .type = &type_string,
     .offset = AT(peer),
     .value = "CMD",
     .unset = "stdin and stdout",
     .brief = "start this command, which runs 'origo sync send'",
     .more = "For example: --from 'ssh host origo sync send papers'."},
    {.group = "Files",
     .name = "delete",
     .type = &type_flag,
     .offset = AT(delete_extra),
     .brief = "remove files that the sender does not have"},
    {.group = "Files",
     .letter = 'v',
     .name = "verbose",
     .type = &type_flag,
     .offset = AT(verbose),
     .brief = "list each new file"},
    PLAIN,
    THREADS_OPTION(AT, n_threads, "Work", NULL),
    QUIET,
};

static void on_file(void *ctx, const char *path)
{
    (void)ctx;
    say("%s", path);
}

static int receive_run(const void *settings, const char *const *trees, size_t n)
{
    const struct sync_settings *s = settings;
    og_sync_options options = sync_options_of(s);
    og_sync_counts counts = {0};
    (void)n;
    if (s->verbose) options.on_file = on_file;
    const int status =
        talk_to_peer("receive", s, trees[0], &options, &counts, false);
    /* The sender prints the summary; both processes share one terminal. */
    if (status == EXIT_DONE && !s->quiet && s->peer != NULL)
        say_counts(&counts, false);
    return status;
}

const struct command command_receive = {
    .name = "sync receive",
    .alias = "receive",
    .operands = "TREE",
    .brief = "make a folder equal to that of 'origo sync send'",
    .about = "The other side of 'origo sync send'. TREE is created if missing. "
             "Files get their names at the end, when they are complete. If the "
             "connection breaks, the received data stays in TREE/.origo-parts, "
             "and the next receive resumes from it.",
    .examples = "  origo sync receive papers --from 'ssh host origo sync send "
                "papers'\n",
    .options = receive_options,
    .n_options = sizeof(receive_options) / sizeof(receive_options[0]),
    .settings_len = sizeof(struct sync_settings),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no TREE given",
    .defaults = sync_defaults,
    .run = receive_run,
};

/* ---- sync-plan ---- */

static const struct option plan_options[] = {
    CHUNK,
    PIECES,
    PLAIN,
    THREADS_OPTION(AT, n_threads, "Work", NULL),
};

struct plan {
    const char *last;
    uint64_t n_items, len, n_messages;
    bool to_receiver;
};

static void plan_line(struct plan *p)
{
    if (p->n_messages > 0)
        printf("%-12s %-7s %10" PRIu64 " %12" PRIu64 "\n",
               p->to_receiver ? "to receiver" : "to sender", p->last,
               p->n_items, p->len);
    *p = (struct plan){0};
}

/* Both sides report here, each its own messages. The sender is silent while it
 * waits and the receiver while it reads, so they appear in order of time; a run
 * of equal messages is one line. */
static void on_message(void *ctx, const og_sync_message *m)
{
    struct plan *p = ctx;
    if (p->last == NULL || strcmp(p->last, m->name) != 0) {
        plan_line(p);
        p->last = m->name;
        p->to_receiver = m->to_receiver;
    }
    p->n_items += m->n_items;
    p->len += m->len;
    p->n_messages++;
}

static int plan_run(const void *settings, const char *const *trees, size_t n)
{
    const struct sync_settings *s = settings;
    og_sync_options options = sync_options_of(s);
    og_sync_counts counts = {0};
    struct plan plan = {0};
    og_error err = {0};
    (void)n;
    signal(SIGPIPE, SIG_IGN);
    options.ctx = &plan;
    options.on_message = on_message;
    printf("%-12s %-7s %10s %12s\n", "direction", "message", "items", "bytes");
    if (og_sync_plan(trees[0], trees[1], &options, &counts, &err) != OG_OK)
        return say_error("sync plan", &err);
    plan_line(&plan);
    printf("%" PRIu64 " files, %" PRIu64 " of other names, %" PRIu64
           " asked for; %" PRIu64 " bytes, %" PRIu64 " of them sent\n",
           counts.n_files, counts.n_files_renamed, counts.n_files_changed,
           counts.new_len, counts.literal_len);
    printf("%" PRIu64 " bytes to the receiver, %" PRIu64 " back, %" PRIu64
           " round trips\n",
           counts.n_received, counts.n_sent, counts.n_round_trips);
    return EXIT_DONE;
}

const struct command command_sync_plan = {
    .name = "sync plan",
    .alias = "sync-plan",
    .operands = "OLDTREE NEWTREE",
    .brief = "show what a sync of two folders would send",
    .about = "Runs the exchange of 'origo sync send' and 'origo sync receive' "
             "in memory and writes nothing. Prints each message with the "
             "number of its items (hashes, files, bytes) and its length before "
             "compression, then the bytes on the wire and the round trips.",
    .examples = "  origo sync plan backup/monday papers\n",
    .options = plan_options,
    .n_options = sizeof(plan_options) / sizeof(plan_options[0]),
    .settings_len = sizeof(struct sync_settings),
    .min_operands = 2,
    .max_operands = 2,
    .missing = "two folders are needed: OLDTREE NEWTREE",
    .defaults = sync_defaults,
    .run = plan_run,
};
