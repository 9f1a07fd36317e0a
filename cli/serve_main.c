/* origo-serve: runs 'origo serve'. server/ does the work. */

#include "program.h"
#include "say.h"
#include "serve_settings.h"

static struct serve_list list_of(const struct string_list *list)
{
    return (struct serve_list){list->items, list->n};
}

static int check_limits(const struct serve_options *o)
{
    if (o->timeout == 0 || o->max_queue == 0 || o->max_connections == 0 ||
        o->max_body == 0 || o->max_stream == 0 || o->max_document == 0)
        return say_usage("serve", "limits must be at least 1");
    return EXIT_DONE;
}

static int serve_run(const void *settings, const char *const *operands,
                     size_t n)
{
    const struct serve_settings *s = settings;
    struct serve_options options = s->serve;
    og_store *store = NULL;
    og_error err = {0};
    (void)operands, (void)n;
    options.hosts = list_of(&s->hosts);
    options.origins = list_of(&s->origins);
    options.webhook_hosts = list_of(&s->webhook_hosts);
    options.log_json = s->log == 1;
    options.folder =
        store_has_folder(&s->store) ? store_folder(&s->store) : NULL;
    int status = check_limits(&options);
    if (status == EXIT_DONE)
        status = store_open(&s->store, OG_CREATE, "serve", &store);
    if (status != EXIT_DONE) return status;
    if (serve(store, &options, &err) != OG_OK)
        status = say_error("serve", &err);
    return store_close(store, "serve", status);
}

int main(int argc, char **argv)
{
    return program_main(&command_serve, serve_run, argc, argv);
}
