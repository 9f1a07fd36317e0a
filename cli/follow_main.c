/* origo-follow: runs 'origo follow'. follow/ does the work. */

#include "follow_settings.h"
#include "program.h"
#include "progress.h"
#include "say.h"
#include "signals.h"

#include "follow/follow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct follow_talk {
    struct progress progress;
    og_input signals; /* only its should_stop, set by the signals */
};

static void on_problem(void *ctx, const char *source, uint64_t line,
                       bool skipped, const char *message)
{
    struct follow_talk *talk = ctx;
    const og_problem problem = {.file = {source, strlen(source)},
                                .line = line,
                                .skipped = skipped,
                                .message = message};
    progress_problem(&talk->progress, &problem);
}

static void on_progress(void *ctx, const og_stream_counts *counts)
{
    struct follow_talk *talk = ctx;
    progress_show(&talk->progress, "documents", counts);
}

static bool should_stop(void *ctx)
{
    struct follow_talk *talk = ctx;
    return talk->signals.should_stop(talk->signals.ctx);
}

static int check_settings(const struct follow_settings *s)
{
    if (s->server != NULL && option_was_given("store"))
        return say_usage("follow", "--server and --store cannot be combined");
    if (s->server != NULL && s->state == NULL)
        return say_usage(
            "follow", "--server needs --state FILE, which keeps the positions");
    if (s->server == NULL && s->state == NULL && !store_is_memory(&s->store) &&
        !store_has_folder(&s->store))
        return say_usage("follow", "a store on servers needs --state FILE, "
                                   "which keeps the positions");
    if (s->interval == 0 || s->feed_interval == 0 || s->max_batch == 0)
        return say_usage("follow",
                         "intervals and the batch size must be at least 1");
    return EXIT_DONE;
}

/* In the folder of the store, unless another path was given. */
static int choose_state(const struct follow_settings *s, char **out)
{
    *out = NULL;
    if (s->state == NULL && store_is_memory(&s->store)) return EXIT_DONE;
    const char *const parts[2] = {s->state != NULL ? s->state
                                                   : store_folder(&s->store),
                                  s->state != NULL ? "" : "/follow.jsonl"};
    const size_t len = strlen(parts[0]) + strlen(parts[1]) + 1;
    *out = malloc(len);
    if (*out != NULL) {
        snprintf(*out, len, "%s%s", parts[0], parts[1]);
        return EXIT_DONE;
    }
    say("cannot get memory");
    return EXIT_IO;
}

static struct follow_options make_options(const struct follow_settings *s,
                                          struct follow_talk *talk)
{
    return (struct follow_options){
        .server = s->server,
        .token_file = s->token_file,
        .hosts = {s->hosts.items, s->hosts.n},
        .kafka_config = s->kafka_config,
        .group = s->group,
        .fields = &s->reading.fields,
        .reading = s->reading.reading,
        .max_document = s->reading.max_document,
        .max_batch = s->max_batch,
        .n_threads = s->reading.n_threads,
        .interval = s->interval,
        .feed_interval = s->feed_interval,
        .once = s->once,
        .ctx = talk,
        .on_problem = on_problem,
        .on_progress = on_progress,
        .should_stop = should_stop,
    };
}

static int follow_with(const struct follow_settings *s,
                       struct follow_options *options, struct follow_talk *talk)
{
    og_stream_counts counts = {0};
    og_error err = {0};
    char machine[128] = "origo";
    gethostname(machine, sizeof(machine) - 1);
    options->consumer = s->consumer != NULL ? s->consumer : machine;
    progress_start(&talk->progress, NULL, 0, s->reading.quiet,
                   s->reading.verbose);
    stop_on_signals(&talk->signals);
    const og_status status = follow_run(options, &counts, &err);
    progress_end(&talk->progress);
    if (!s->reading.quiet && (status == OG_OK || counts.n_documents > 0))
        progress_summary(&talk->progress, &counts, options->store);
    if (status != OG_OK) return say_error("follow", &err);
    return s->once && counts.n_files_failed > 0 ? EXIT_IO : EXIT_DONE;
}

static int follow_sources(const void *settings, const char *const *sources,
                          size_t n)
{
    const struct follow_settings *s = settings;
    struct follow_talk talk = {.signals = og_input_default()};
    struct follow_options options = make_options(s, &talk);
    char *state = NULL;
    int status = check_settings(s);
    options.sources = (struct follow_names){sources, n};
    if (status == EXIT_DONE && s->server == NULL)
        status = store_open(&s->store, OG_CREATE, "follow", &options.store);
    if (status != EXIT_DONE) return status;
    status = choose_state(s, &state);
    options.state = state;
    if (status == EXIT_DONE) status = follow_with(s, &options, &talk);
    free(state);
    if (options.store == NULL) return status;
    return store_close(options.store, "follow", status);
}

int main(int argc, char **argv)
{
    return program_main(&command_follow, follow_sources, argc, argv);
}
